//! A key of an object: enough of it to compare it with the known keys.

use smallvec::SmallVec;

use crate::space::is_space;

/// No known key is longer than this, except numbers.
const LONGEST: usize = 15;

/// The key that is being read, or the last one that was.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

    /// Appends to a key with space around it.
    ///
    /// The space before the key is left out, and [`trim_end`](Key::trim_end) removes that after it.
    pub(crate) fn push_untrimmed(&mut self, text: &str) {
        self.no_number |= !text.bytes().all(|byte| byte.is_ascii_digit());
        for byte in text.bytes() {
            if self.bytes.is_empty() && is_space(byte) {
                continue;
            }
            if self.bytes.len() <= LONGEST {
                self.bytes.push(byte);
            } else if !is_space(byte) {
                // Space in the middle of a key must not look as if it were after it.
                self.bytes[LONGEST] = byte;
            }
        }
    }

    /// Removes the space after it.
    pub(crate) fn trim_end(&mut self) {
        let end = self.bytes.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
        self.bytes.truncate(end);
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
