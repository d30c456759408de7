//! A message that is pushed in pieces, as far as it has come.

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
}
