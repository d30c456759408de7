//! The conversations of this replica that are watched, and what the store has told of each.

use std::collections::HashMap;

use parking_lot::Mutex;
use tokio::sync::watch;

/// The conversations that are watched.
#[derive(Default)]
pub(super) struct Watched {
    bells: Mutex<HashMap<String, watch::Sender<Bell>>>,
}

/// What has happened to a conversation, by what the store has told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Bell {
    /// Number of messages so far after which the conversation has to be compared with the store.
    pub(super) rings: u64,
    /// Number of messages so far that brought the conversation up to date themselves.
    pub(super) updates: u64,
    pub(super) is_deleted: bool,
}

impl Watched {
    /// Begins to watch a conversation. Returns what tells of it; `None` if it is watched already.
    pub(super) fn add(&self, id: &str) -> Option<watch::Receiver<Bell>> {
        let mut bells = self.bells.lock();
        if bells.contains_key(id) {
            return None;
        }
        let (sender, receiver) = watch::channel(Bell::default());
        bells.insert(id.to_owned(), sender);
        Some(receiver)
    }

    pub(super) fn remove(&self, id: &str) {
        self.bells.lock().remove(id);
    }

    pub(super) fn change(&self, id: &str, change: impl FnOnce(&mut Bell)) {
        if let Some(bell) = self.bells.lock().get(id) {
            bell.send_modify(change);
        }
    }

    /// Returns the ids of the conversations.
    pub(super) fn ids(&self) -> Vec<String> {
        self.bells.lock().keys().cloned().collect()
    }
}
