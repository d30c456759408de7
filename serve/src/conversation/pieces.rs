//! A message that is pushed in pieces, as far as it has come.

use std::hash::{Hash, Hasher};

use followup::wire;
use serde::{Deserialize, Serialize};

/// The newest message that was pushed in pieces. It is data, so that any process can continue it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Pieces {
    /// The name of the message, which its sender chooses.
    pub(super) message: String,
    /// The offset of the next piece.
    pub(super) offset: u64,
    /// The state of the parser; `None` once the message has ended.
    pub(super) checkpoint: Option<wire::Checkpoint>,
}

impl Pieces {
    /// Returns `true` if more pieces are expected.
    pub(super) fn is_open(&self) -> bool {
        self.checkpoint.is_some()
    }

    /// Returns the approximate memory of what is kept for the next piece.
    pub(super) fn memory(&self) -> usize {
        let mut bytes = ByteCounter::default();
        self.checkpoint.hash(&mut bytes);
        bytes.0
    }
}

/// Counts the bytes that it is given.
///
/// Of a text or a list of bytes that costs no more than its length.
#[derive(Default)]
struct ByteCounter(usize);

impl Hasher for ByteCounter {
    fn write(&mut self, bytes: &[u8]) {
        self.0 += bytes.len();
    }

    fn finish(&self) -> u64 {
        self.0 as u64
    }
}
