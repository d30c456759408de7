//! A lock for each conversation, by its id.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::OwnedMutexGuard;

/// A lock for each conversation, whether or not this replica has it in its memory.
#[derive(Default)]
pub(super) struct IdLocks {
    /// Those that somebody holds or waits for, and a few that were let go.
    locks: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
}

impl IdLocks {
    /// Waits for the lock of a conversation.
    pub(super) async fn lock(&self, id: &str) -> OwnedMutexGuard<()> {
        let lock = self.find_or_create(id);
        lock.lock_owned().await
    }

    fn find_or_create(&self, id: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock();
        if let Some(lock) = locks.get(id).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(id.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_id_has_one_lock_while_somebody_needs_it() {
        let locks = IdLocks::default();
        let (held, _other) = (locks.lock("a").await, locks.lock("b").await);
        assert!(locks.find_or_create("a").try_lock().is_err());
        drop(held);
        assert!(locks.find_or_create("a").try_lock().is_ok());
        drop(locks.lock("c").await);
        drop(locks.lock("d").await);
        assert_eq!(locks.locks.lock().len(), 2, "b is held, and d was a moment ago");
    }
}
