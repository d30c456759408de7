//! A key of an object: enough of it to compare it with the known keys.

use smallvec::SmallVec;

/// No known key is longer than this, except numbers.
const LONGEST: usize = 15;

/// The key that is being read, or the last one that was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Key {
    /// Its first bytes: one more than a known key can have.
    bytes: SmallVec<[u8; 16]>,
    /// It contains something other than decimal digits.
    no_number: bool,
}

impl Key {
    pub(super) const NEW: Key = Key { bytes: SmallVec::new_const(), no_number: false };

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.no_number = false;
    }

    pub(super) fn push(&mut self, text: &str) {
        self.no_number |= !text.bytes().all(|byte| byte.is_ascii_digit());
        let room = LONGEST + 1 - self.bytes.len().min(LONGEST + 1);
        self.bytes.extend_from_slice(&text.as_bytes()[..room.min(text.len())]);
    }

    /// Returns the key; an unknown one may be cut.
    pub(super) fn text(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns `true` if it consists of decimal digits, and of at least one.
    pub(super) fn is_number(&self) -> bool {
        !self.bytes.is_empty() && !self.no_number
    }

    pub(super) fn is_in_bounds(&self) -> bool {
        self.bytes.len() <= LONGEST + 1
    }
}
