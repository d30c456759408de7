//! How a message ends, by the reason that a provider gives.

use crate::wire::deltas::{Delta, Deltas};

/// How a message ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageEnd {
    /// With all that the model wanted to say, or with its calls.
    Complete,
    /// It reached a limit, or was cancelled: the last of it may be missing.
    Truncated,
    /// It failed, or a filter stopped it.
    Failed,
}

impl MessageEnd {
    /// Appends the end of a message. A failure is reported unless an error was reported before.
    pub(super) fn push(self, reason: &[u8], deltas: &mut Deltas) {
        if self == MessageEnd::Failed {
            let message = deltas.store(&[b"the message was stopped: ", reason].concat());
            deltas.push(Delta::Failed(message));
        }
        deltas.push(Delta::AllFinal { truncated: self != MessageEnd::Complete });
    }
}
