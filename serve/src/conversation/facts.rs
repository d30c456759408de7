//! The facts about a conversation that the list of conversations and its snapshot show.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::turn_state::TurnState;

/// The facts about a conversation that the list of conversations and its snapshot show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) title: Option<String>,
    pub(super) turn: TurnState,
    /// The beginning of the open question.
    pub(super) open: Option<String>,
    /// How many questions wait for an answer.
    pub(super) waiting: usize,
    pub(super) stopped: bool,
    /// Something failed that can be tried again.
    pub(super) retry: bool,
    /// Seconds since 1970.
    pub(super) updated: u64,
}

/// What the list of conversations shows of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ListedFacts {
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    turn: TurnState,
    open: Option<String>,
    waiting: usize,
    stopped: bool,
    updated: u64,
}

impl ListedFacts {
    #[cfg(test)]
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Returns when the conversation was changed, in seconds since 1970.
    pub(super) fn updated(&self) -> u64 {
        self.updated
    }
}

impl From<Facts> for ListedFacts {
    fn from(facts: Facts) -> ListedFacts {
        let Facts { title, turn, open, waiting, stopped, retry: _, updated } = facts;
        ListedFacts { title, turn, open, waiting, stopped, updated }
    }
}

impl Default for Facts {
    fn default() -> Facts {
        Facts { title: None, turn: TurnState::None, open: None, waiting: 0, stopped: false, retry: false, updated: 0 }
    }
}

/// Returns the seconds since 1970.
pub(super) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}

/// Returns the time that is so many seconds after 1970.
pub(super) fn time(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap_or(SystemTime::UNIX_EPOCH)
}
