//! Tells the readers of the list of conversations that it has changed.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::watch;

/// Wakes the readers of the list after a change. Nothing is queued for them.
#[derive(Debug)]
pub(crate) struct ListChanges {
    /// Number of versions of entries so far.
    versions: AtomicU64,
    changed: watch::Sender<()>,
}

impl ListChanges {
    pub(crate) fn new() -> ListChanges {
        ListChanges { versions: AtomicU64::new(0), changed: watch::Sender::new(()) }
    }

    /// Returns a number for a new version of an entry. No other version of any entry has it.
    pub(crate) fn next_version(&self) -> u64 {
        self.versions.fetch_add(1, Ordering::Relaxed)
    }

    /// Wakes the readers.
    pub(crate) fn notify(&self) {
        self.changed.send_replace(());
    }

    /// Returns a receiver of the changes from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}
