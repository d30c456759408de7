//! A key of an object: enough of it to compare it with the known keys.

use smallvec::SmallVec;

/// No known key is longer than this, except numbers.
const LONGEST: usize = 15;

/// The key that is being read, or the last one that was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Key {
    /// Its first bytes: one more than a known key can have.
    bytes: SmallVec<[u8; 16]>,
    /// It contains something other than decimal digits.
    no_number: bool,
}

impl Key {
    pub(crate) const NEW: Key = Key { bytes: SmallVec::new_const(), no_number: false };

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.no_number = false;
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.no_number |= !text.bytes().all(|byte| byte.is_ascii_digit());
        let room = LONGEST + 1 - self.bytes.len().min(LONGEST + 1);
        self.bytes.extend_from_slice(&text.as_bytes()[..room.min(text.len())]);
    }

    /// Removes the white space around it.
    pub(crate) fn trim(&mut self) {
        let trimmed = self.bytes.trim_ascii();
        let start = trimmed.as_ptr() as usize - self.bytes.as_ptr() as usize;
        let end = start + trimmed.len();
        self.bytes.truncate(end);
        self.bytes.drain(..start);
    }

    /// Returns the key; an unknown one may be cut.
    pub(crate) fn text(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns `true` if it consists of decimal digits, and of at least one.
    pub(crate) fn is_number(&self) -> bool {
        !self.bytes.is_empty() && !self.no_number
    }

    pub(crate) fn is_in_bounds(&self) -> bool {
        self.bytes.len() <= LONGEST + 1
    }
}
