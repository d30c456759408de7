//! What a piece of the stream ends in the middle of.

use smallvec::SmallVec;

use super::grammar::{self, Read};

/// The beginning of an escape or of a literal. ASCII, and never longer than a pair of surrogates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Begun {
    bytes: SmallVec<[u8; 12]>,
}

impl Begun {
    pub(super) const NEW: Begun = Begun { bytes: SmallVec::new_const() };

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Takes back the last byte.
    pub(super) fn pop(&mut self) {
        self.bytes.pop();
    }

    /// The first byte, taken out, as a character.
    pub(super) fn shift(&mut self) -> Option<char> {
        (!self.bytes.is_empty()).then(|| char::from(self.bytes.remove(0)))
    }

    /// Leaves out the first `len` bytes.
    pub(super) fn skip(&mut self, len: usize) {
        self.bytes.drain(..len.min(self.bytes.len()));
    }

    /// Whether it is the beginning of an escape, and no more.
    pub(super) fn is_escape(&self) -> bool {
        self.bytes.is_ascii() && grammar::escape(self.bytes()) == Read::Begun
    }

    /// Whether it is the beginning of a literal, and no more.
    pub(super) fn is_literal(&self) -> bool {
        !self.is_empty() && self.bytes.is_ascii() && grammar::literal(self.bytes()) == Read::Begun
    }
}
