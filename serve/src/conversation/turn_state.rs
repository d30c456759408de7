//! The state of a conversation's last turn.

use serde::{Deserialize, Serialize};

/// The state of the last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnState {
    /// There was no turn yet.
    None,
    Streaming,
    Ended,
    CutOff,
}

impl TurnState {
    /// Returns the state as one word.
    pub(super) fn name(self) -> &'static str {
        match self {
            TurnState::None => "none",
            TurnState::Streaming => "streaming",
            TurnState::Ended => "ended",
            TurnState::CutOff => "cut_off",
        }
    }
}
