//! The list of all replicas' conversations.
//!
//! The store numbers its changes, so that a replica asks only for those that it has not seen.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use redis::{FromRedisValue, Value};

use super::error::StoreError;
use super::groups::{Group, GroupTiming, MAX_GROUP, Waiting, send_groups};
use super::keys::Keys;
use super::link::Link;
use super::script::StoreScript;
use crate::conversation::{Conversation, ListChanges, ListedFacts};
use crate::settings::Limits;

/// The list of all replicas' conversations, as far as this replica knows it.
pub(crate) struct SharedList {
    link: Arc<Link>,
    keys: Keys,
    limits: Limits,
    known: Mutex<Known>,
    /// Wakes this replica's readers of the list.
    changes: Arc<ListChanges>,
    sets: Group<EntryChange, ()>,
    set: StoreScript,
    since: StoreScript,
}

#[derive(Default)]
struct Known {
    /// The number of the newest change.
    newest: u64,
    /// The entries, with the numbers of their changes.
    entries: HashMap<String, (u64, Arc<ListedFacts>)>,
}

/// A change of an entry.
///
/// It is what is known of a conversation when it is sent, or `None` if it was deleted.
#[derive(Clone)]
pub(super) struct EntryChange {
    id: String,
    conversation: Option<Arc<Conversation>>,
}

/// The changes that are sent together with others.
pub(super) type WaitingChanges = Waiting<EntryChange, ()>;

impl SharedList {
    pub(super) fn new(
        link: Arc<Link>,
        keys: Keys,
        limits: Limits,
        changes: Arc<ListChanges>,
    ) -> (Arc<SharedList>, WaitingChanges) {
        let (sets, waiting) = Group::new();
        let list = SharedList {
            link,
            keys,
            limits,
            known: Mutex::default(),
            changes,
            sets,
            set: StoreScript::new(include_str!("scripts/list_set.lua")),
            since: StoreScript::new(include_str!("scripts/list_since.lua")),
        };
        (Arc::new(list), waiting)
    }

    /// Sends the changes that wait for others. Must be called once.
    pub(super) fn start(self: &Arc<SharedList>, waiting: WaitingChanges) {
        let list = self.clone();
        // All keys of the list are on one server, also in a cluster.
        tokio::spawn(send_groups(waiting, MAX_GROUP, GroupTiming::InOrder, move |changes| {
            let list = list.clone();
            async move { list.set_all(&changes).await }
        }));
    }

    /// Records what is known of a conversation.
    ///
    /// # Errors
    ///
    /// If the store can't be reached, or refuses it.
    pub(super) async fn set(&self, conversation: &Arc<Conversation>) -> Result<(), StoreError> {
        let id = conversation.id().to_owned();
        self.sets.ask(EntryChange { id, conversation: Some(conversation.clone()) }).await
    }

    /// Records that a conversation was deleted.
    ///
    /// # Errors
    ///
    /// As those of [`set`](SharedList::set).
    pub(super) async fn remove(&self, id: &str) -> Result<(), StoreError> {
        self.forget(id);
        self.sets.ask(EntryChange { id: id.to_owned(), conversation: None }).await
    }

    async fn set_all(&self, changes: &[EntryChange]) -> Result<Vec<()>, StoreError> {
        let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX >> 1);
        let mut call = self.set.call();
        call.key(self.keys.list("entries")).key(self.keys.list("changes")).key(self.keys.list("ends"));
        call.key(self.keys.list_bell());
        call.arg(milliseconds(self.limits.idle)).arg(self.limits.conversations);
        for EntryChange { id, conversation } in changes {
            // All of it serializes to JSON.
            let entry = conversation.as_ref().and_then(|one| serde_json::to_string(&one.summary()).ok());
            call.arg(id).arg(entry.unwrap_or_default());
        }
        let _: u64 = self.link.invoke(&call).await?;
        Ok(vec![(); changes.len()])
    }

    /// Learns the changes since the last call. Wakes the readers of the list if there are any.
    ///
    /// # Errors
    ///
    /// If the store can't be reached, or its answer can't be read.
    pub(crate) async fn refresh(&self) -> Result<(), StoreError> {
        let after = self.known.lock().newest;
        let mut call = self.since.call();
        call.key(self.keys.list("entries")).key(self.keys.list("changes")).arg(after);
        let values: Vec<Value> = self.link.invoke(&call).await?;
        let has_changed = self.learn(values).map_err(|error| StoreError::Unreadable(error.to_string()))?;
        if has_changed {
            self.changes.notify();
        }
        Ok(())
    }

    fn learn(&self, values: Vec<Value>) -> Result<bool, redis::ParsingError> {
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or(Value::Nil);
        let newest = u64::from_redis_value(next())?;
        let oldest = u64::from_redis_value(next())?;
        let mut known = self.known.lock();
        let mut has_changed = false;
        if newest < known.newest {
            // The store has lost changes, and has sent all that it has.
            known.entries.clear();
            has_changed = true;
        }
        known.newest = newest;
        loop {
            let id = next();
            if id == Value::Nil {
                break;
            }
            let (id, number) = (String::from_redis_value(id)?, f64::from_redis_value(next())?);
            let entry = String::from_redis_value(next())?;
            has_changed = true;
            match serde_json::from_str(&entry) {
                // It is below 2^53.
                Ok(entry) => drop(known.entries.insert(id, (number as u64, Arc::new(entry)))),
                // It was deleted.
                Err(_) => drop(known.entries.remove(&id)),
            }
        }
        // The others have ended.
        let before = known.entries.len();
        known.entries.retain(|_, (number, _)| *number >= oldest);
        has_changed |= known.entries.len() < before;
        Ok(has_changed)
    }

    /// Returns the ids of the entries, with the numbers of their changes.
    pub(crate) fn versions(&self) -> Vec<(String, u64)> {
        self.known.lock().entries.iter().map(|(id, (number, _))| (id.clone(), *number)).collect()
    }

    /// Returns an entry.
    pub(crate) fn entry(&self, id: &str) -> Option<Arc<ListedFacts>> {
        self.known.lock().entries.get(id).map(|(_, entry)| entry.clone())
    }

    /// Forgets an entry at once.
    fn forget(&self, id: &str) {
        self.known.lock().entries.remove(id);
    }
}
