//! Which conversations are in use, and which are needed least.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Conversation;
use super::role::Role;
use super::turn_state::TurnState;

/// A conversation that is not in use. The lesser one is needed less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unused {
    /// The store has not been told everything yet.
    pub(crate) is_untold: bool,
    /// A question is open, or an answer waits to be collected.
    pub(super) is_awaited: bool,
    since: Instant,
}

/// A conversation that a request uses: this process does not drop it meanwhile.
pub(crate) struct InUse(Arc<Conversation>);

impl std::ops::Deref for InUse {
    type Target = Arc<Conversation>;

    fn deref(&self) -> &Arc<Conversation> {
        &self.0
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        self.0.users.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Conversation {
    /// Keeps the conversation from being dropped. It may have been dropped before.
    pub(crate) fn in_use(self: &Arc<Conversation>) -> InUse {
        self.users.fetch_add(1, Ordering::AcqRel);
        InUse(self.clone())
    }

    /// Returns how little the conversation is needed; `None` if it is in use.
    pub(crate) fn unused(&self) -> Option<Unused> {
        let state = self.state.lock();
        // A conversation without a turn was created a moment ago for a turn that is about to begin.
        // The next piece of a message may never come.
        let is_busy = match state.turn {
            TurnState::Streaming => !state.awaits_piece() && !matches!(state.role, Role::Follower(_)),
            TurnState::None => true,
            TurnState::Ended | TurnState::CutOff => false,
        };
        if is_busy || self.has_readers() {
            return None;
        }
        let is_awaited = state.dialogue.open_question().is_some() || state.dialogue.reply_log().has_pending();
        Some(Unused { is_untold: state.role.has_untold_changes(), is_awaited, since: state.used })
    }

    /// Returns `true` if the store no longer has what it was told.
    ///
    /// That is so once nobody has used the conversation for this long.
    ///
    /// There, it ends later than here: what is stored is stored after it was used.
    pub(crate) fn has_expired(&self, idle: Duration) -> bool {
        self.unused().is_some_and(|unused| !unused.is_untold && unused.since.elapsed() >= idle)
    }

    /// Drops a conversation that is not in use, and that the store can't get now. Frees its memory.
    ///
    /// Returns `false` if it is in use, or the store may get it at any moment. It stays as it is
    /// then.
    pub(crate) fn drop_unstored(&self) -> bool {
        // To lock it is a change, which the store would have to get.
        if self.state.lock().role.unsent_bytes().is_none() || self.unused().is_none() {
            return false;
        }
        let mut state = self.lock_for_use();
        if state.role.unsent_bytes().is_none() {
            return false;
        }
        state.end();
        state.forget_all(&self.settings);
        if let Role::Writer(publication) = &mut state.role {
            // Its publisher drops the batch.
            publication.unsent_bytes = None;
        }
        drop(state);
        self.metrics.unstored();
        // Its publisher does not need to wait any longer.
        self.told.send_replace(());
        true
    }

    /// Returns the estimate of the memory that the conversation takes.
    pub(crate) fn memory(&self) -> usize {
        self.state.lock().memory()
    }

    pub(crate) fn is_idle(&self, idle: Duration) -> bool {
        self.unused().is_some_and(|unused| unused.since.elapsed() >= idle)
    }
}
