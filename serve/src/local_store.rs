//! The conversations of this process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::conversation::{Context, Conversation, InUse, ListChanges, NewRole};
use crate::error::ApiError;
use crate::metrics::Metrics;

/// The conversations of this process, up to the limit.
pub(crate) struct LocalStore {
    /// The memory in use from which on room is made.
    full_at: AtomicUsize,
    conversations: Mutex<HashMap<String, Arc<Conversation>>>,
    /// Locked after the conversations.
    leaving: Mutex<Leaving>,
    context: Context,
    list_readers: Arc<AtomicUsize>,
}

/// The conversations that were dropped before the store had been told everything.
///
/// They are kept until it has.
#[derive(Default)]
struct Leaving {
    /// In the order in which they were dropped.
    conversations: Vec<Weak<Conversation>>,
    /// The number of conversations from which on those that are stored are removed.
    full_at: usize,
}

impl Leaving {
    fn push(&mut self, conversation: &Arc<Conversation>) {
        if self.conversations.len() >= self.full_at {
            self.conversations.retain(|one| one.strong_count() > 0);
            self.full_at = 2 * self.conversations.len() + 64;
        }
        self.conversations.push(Arc::downgrade(conversation));
    }

    /// Drops conversations that the store can't get now, while there is no room.
    ///
    /// Returns the memory of the rest.
    fn drop_unstored(&mut self, has_room: impl Fn() -> bool) -> usize {
        let mut rest = 0;
        self.conversations.retain(|one| {
            let Some(one) = one.upgrade() else { return false };
            let is_kept = has_room() || !one.drop_unstored();
            rest += if is_kept { one.memory() } else { 0 };
            is_kept
        });
        rest
    }

    fn all(&self) -> impl Iterator<Item = Arc<Conversation>> {
        self.conversations.iter().filter_map(Weak::upgrade)
    }
}

/// A conversation that is to be changed.
pub(crate) enum Changeable {
    /// This process may change it.
    Here(InUse),
    /// Another replica is writing a turn of it.
    Elsewhere(InUse),
}

/// A reader of the list's changes, which is counted.
pub(crate) struct ListReader {
    count: Arc<AtomicUsize>,
    metrics: Arc<Metrics>,
}

impl Drop for ListReader {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
        self.metrics.list_readers.dec();
    }
}

/// The id that no conversation may have: `/conversations/events` is another path.
const RESERVED_ID: &str = "events";

/// Checks an id that a caller chose.
pub(crate) fn check_id(id: &str) -> Result<&str, ApiError> {
    let is_id = (1..=64).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && id != RESERVED_ID;
    if is_id { Ok(id) } else { Err(ApiError::bad_id()) }
}

impl LocalStore {
    pub(crate) fn new(context: Context) -> LocalStore {
        let full_at = AtomicUsize::new(context.settings.limits.memory);
        let (conversations, leaving, list_readers) = (Mutex::default(), Mutex::default(), Arc::default());
        LocalStore { full_at, conversations, leaving, context, list_readers }
    }

    pub(crate) fn len(&self) -> usize {
        self.conversations.lock().len()
    }

    /// Returns the conversation with this id; `None` if this process has none.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Conversation>> {
        self.conversations.lock().get(id).cloned()
    }

    /// Returns the conversation with this id, to use it; `None` if this process has none.
    pub(crate) fn find_to_use(&self, id: &str) -> Option<InUse> {
        // What is dropped is chosen under the same lock.
        self.conversations.lock().get(id).map(Conversation::in_use)
    }

    /// Returns `true` if this conversation is here, and not only another one with its id.
    pub(crate) fn has(&self, conversation: &Arc<Conversation>) -> bool {
        self.conversations.lock().get(conversation.id()).is_some_and(|one| Arc::ptr_eq(one, conversation))
    }

    /// Returns the conversation with this id, and whether it is new.
    ///
    /// At the limit, a new conversation replaces the one that has been unused for longest. Those in
    /// which no question is open and no answer waits to be collected are replaced first, and those
    /// of which the store does not know everything last.
    ///
    /// # Errors
    ///
    /// If all conversations are in use.
    pub(crate) fn find_or_create(&self, id: &str, role: NewRole) -> Result<(Arc<Conversation>, bool), ApiError> {
        self.find_or_create_with(id, role, |_| {})
    }

    /// Finds or creates a conversation, as [`find_or_create`](LocalStore::find_or_create) does.
    ///
    /// A new one gets what it needs by `prepare`, before others find it.
    ///
    /// # Errors
    ///
    /// If all conversations are in use.
    pub(crate) fn find_or_create_with(
        &self,
        id: &str,
        role: NewRole,
        prepare: impl FnOnce(&Conversation),
    ) -> Result<(Arc<Conversation>, bool), ApiError> {
        let epoch = match role {
            NewRole::Alone => random_epoch()?,
            // Nobody else has an id that was just made.
            NewRole::Writer => 1,
            NewRole::Follower => 0,
        };
        let mut all = self.conversations.lock();
        if let Some(conversation) = all.get(id) {
            return Ok((conversation.clone(), false));
        }
        let limit = self.context.settings.limits.conversations;
        if all.len() >= limit {
            let unused = all.iter().filter_map(|(id, one)| Some((one.unused()?, id)));
            let Some((_, oldest)) = unused.min() else {
                return Err(ApiError::too_many_conversations(limit));
            };
            let oldest = oldest.clone();
            if let Some(dropped) = all.remove(&oldest) {
                self.drop_unused(&dropped);
            }
        }
        let conversation = Conversation::new(id.to_owned(), epoch, role, self.context.clone());
        prepare(&conversation);
        all.insert(id.to_owned(), conversation.clone());
        self.context.list.notify();
        Ok((conversation, true))
    }

    /// Checks that there is room for another conversation.
    ///
    /// # Errors
    ///
    /// If all conversations are in use.
    pub(crate) fn check_room(&self) -> Result<(), ApiError> {
        let (limit, all) = (self.context.settings.limits.conversations, self.conversations.lock());
        let has_room = all.len() < limit || all.values().any(|one| one.unused().is_some());
        if has_room { Ok(()) } else { Err(ApiError::too_many_conversations(limit)) }
    }

    /// Checks that there is memory for another turn. Drops unused conversations for it.
    ///
    /// # Errors
    ///
    /// If all conversations are in use.
    pub(crate) fn check_memory(&self) -> Result<(), ApiError> {
        let limit = self.context.settings.limits.memory;
        if self.context.metrics.memory.used() <= limit || self.make_room() {
            Ok(())
        } else {
            Err(ApiError::memory_full(limit))
        }
    }

    /// Drops unused conversations if all together have grown beyond the limit of memory.
    pub(crate) fn keep_within_memory(&self) {
        if self.context.metrics.memory.used() > self.full_at.load(Ordering::Relaxed) {
            self.make_room();
        }
    }

    /// Drops the conversations that have been unused for longest.
    ///
    /// It does so until the rest is within the limit of memory. Returns `false` if it is not.
    ///
    /// What the store has not been told is dropped last. If the store can't be told now, it is
    /// lost. Otherwise it will be told in a moment, and counts as dropped.
    fn make_room(&self) -> bool {
        let (limit, memory) = (self.context.settings.limits.memory, &self.context.metrics.memory);
        let has_room = || memory.used() <= limit;
        let mut all = self.conversations.lock();
        let mut unused: Vec<_> = all.iter().filter_map(|(id, one)| Some((one.unused()?, id.clone()))).collect();
        unused.sort();
        let (untold, told): (Vec<_>, Vec<_>) = unused.into_iter().partition(|(unused, _)| unused.is_untold);
        for (_, id) in told {
            if has_room() {
                break;
            }
            if let Some(dropped) = all.remove(&id) {
                self.drop_unused(&dropped);
                self.context.list.notify();
            }
        }
        let mut leaving = self.leaving.lock().drop_unstored(has_room);
        for (_, id) in untold {
            if memory.used() <= limit + leaving {
                break;
            }
            if let Some(dropped) = all.remove(&id) {
                if !dropped.drop_unstored() {
                    leaving += dropped.memory();
                    self.drop_unused(&dropped);
                }
                self.context.list.notify();
            }
        }
        let used = memory.used();
        // While all are in use, they are not looked through for every chunk.
        let full_at = if used <= limit { limit } else { used.saturating_add(limit / 64) };
        self.full_at.store(full_at, Ordering::Relaxed);
        used <= limit + leaving
    }

    /// Ends a conversation that is not used any more.
    ///
    /// In a store it stays, and the rest of it is still written.
    fn drop_unused(&self, conversation: &Arc<Conversation>) {
        let is_stored = conversation.epoch().is_some() || !conversation.is_writer();
        if !is_stored {
            conversation.end();
        }
        if conversation.is_untold() {
            self.leaving.lock().push(conversation);
        }
    }

    /// Removes a conversation, and tells its readers. Returns whether there was one.
    pub(crate) fn remove(&self, id: &str) -> bool {
        let removed = self.conversations.lock().remove(id);
        if let Some(removed) = &removed {
            removed.end();
            self.context.list.notify();
        }
        removed.is_some()
    }

    /// Ends a conversation, and removes it if it is here. Another one with its id stays.
    pub(crate) fn end(&self, conversation: &Arc<Conversation>) {
        {
            let mut all = self.conversations.lock();
            if all.get(conversation.id()).is_some_and(|one| Arc::ptr_eq(one, conversation)) {
                all.remove(conversation.id());
            }
        }
        conversation.end();
        self.context.list.notify();
    }

    /// Forgets a conversation that another process writes, unless it has readers again.
    ///
    /// Returns whether it did.
    ///
    /// One that is being brought up to date stays: this process may be about to become its writer.
    /// So does one with a request that failed, which perhaps only this process can send again.
    pub(crate) fn forget(&self, id: &str) -> bool {
        let mut all = self.conversations.lock();
        let is_unused = all.get(id).is_some_and(|one| {
            one.updating.try_lock().is_ok() && !one.is_writer() && !one.has_readers() && !one.keeps_failed_request()
        });
        if is_unused {
            all.remove(id);
            drop(all);
            self.context.list.notify();
        }
        is_unused
    }

    /// Drops the conversations that have been idle for too long.
    pub(crate) fn drop_idle(&self) {
        let idle = self.context.settings.limits.idle;
        let has_dropped = {
            let mut all = self.conversations.lock();
            let before = all.len();
            all.retain(|_, conversation| {
                let is_idle = conversation.is_idle(idle);
                if is_idle {
                    self.drop_unused(conversation);
                }
                !is_idle
            });
            all.len() < before
        };
        if has_dropped {
            self.context.list.notify();
        }
        // Some may have become unused since.
        self.full_at.store(self.context.settings.limits.memory, Ordering::Relaxed);
        self.keep_within_memory();
    }

    /// Waits until the store has everything.
    pub(crate) async fn flush_all(&self) {
        let mut all = self.all();
        all.extend(self.leaving.lock().all());
        for conversation in all {
            conversation.flushed().await;
        }
    }

    /// Returns all conversations.
    pub(crate) fn all(&self) -> Vec<Arc<Conversation>> {
        self.conversations.lock().values().cloned().collect()
    }

    /// Returns `true` if somebody reads the list's changes.
    pub(crate) fn has_list_readers(&self) -> bool {
        self.list_readers.load(Ordering::Acquire) > 0
    }

    /// Returns what tells of changes of the list.
    pub(crate) fn changes(&self) -> Arc<ListChanges> {
        self.context.list.clone()
    }

    /// Adds a reader of the list's changes; `None` if there are as many as there may be.
    pub(crate) fn list_reader(&self) -> Option<ListReader> {
        let max = self.context.settings.limits.readers;
        let add_one = |now: usize| (now < max).then_some(now + 1);
        self.list_readers.fetch_update(Ordering::AcqRel, Ordering::Acquire, add_one).ok()?;
        self.context.metrics.list_readers.inc();
        Some(ListReader { count: self.list_readers.clone(), metrics: self.context.metrics.clone() })
    }
}

/// Returns `N` random bytes as hex digits.
pub(crate) fn random<const N: usize>() -> Result<String, ApiError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| ApiError::no_random(&error))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Returns an epoch that differs from that of an earlier conversation with the same id.
fn random_epoch() -> Result<u64, ApiError> {
    getrandom::u32().map(u64::from).map_err(|error| ApiError::no_random(&error))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderMap;
    use tokio::sync::mpsc;

    use super::*;
    use crate::conversation::StoredConversation;
    use crate::conversation::continuation::ContinuationRequest;
    use crate::conversation::request_content::RequestContent;
    use crate::conversation::turn::{Turn, TurnSource};
    use crate::settings::Settings;

    fn store() -> LocalStore {
        store_with(Settings::default())
    }

    fn store_with(settings: Settings) -> LocalStore {
        let ((ended_turns, _ended), (outbox, _queued)) = (mpsc::unbounded_channel(), mpsc::unbounded_channel());
        let (settings, metrics) = (Arc::new(settings), Arc::new(Metrics::new()));
        let list = Arc::new(ListChanges::new());
        LocalStore::new(Context { settings, metrics, ended_turns, outbox: Some(outbox), list })
    }

    #[test]
    fn a_conversation_that_was_dropped_ends_and_not_the_next_one_with_its_id() {
        let store = store();
        let create = || store.find_or_create("c", NewRole::Writer).unwrap().0;
        let dropped = create();
        store.conversations.lock().clear();
        let next = create();
        store.end(&dropped);
        assert!(dropped.is_gone() && !next.is_gone() && store.find("c").is_some());
        store.end(&next);
        assert!(next.is_gone() && store.find("c").is_none());
    }

    #[test]
    fn what_a_request_uses_is_not_dropped() {
        let store = store();
        let limit = store.context.settings.limits.conversations;
        let end_turn = |conversation: &Arc<Conversation>| {
            Turn::begin(conversation, None, TurnSource::Push, RequestContent::default()).unwrap().end(false);
        };
        for index in 0..limit {
            end_turn(&store.find_or_create(&format!("c-{index}"), NewRole::Writer).unwrap().0);
        }
        let used = store.find_to_use("c-0").unwrap();
        end_turn(&store.find_or_create("another", NewRole::Writer).unwrap().0);
        assert!(store.has(&used) && store.find("c-1").is_none(), "it is the oldest, but in use");
        drop(used);
        store.find_or_create("one-more", NewRole::Writer).unwrap();
        assert!(store.find("c-0").is_none());
    }

    #[test]
    fn a_message_that_another_process_writes_is_kept_only_while_somebody_reads_it() {
        let mut settings = Settings::default();
        settings.limits.conversations = 1;
        let store = store_with(settings);
        let create = |id: &str| store.find_or_create(id, NewRole::Follower);
        let followed = create("followed").unwrap().0;
        let facts = r#"{"turn":"streaming","open":null,"waiting":0,"stopped":false,"retry":false,"updated":0}"#;
        let fields = [("epoch", "1"), ("facts", facts)].map(|(name, value)| (name.to_owned(), value.to_owned()));
        followed.load(StoredConversation::new(fields.into(), Vec::new()).unwrap());
        assert!(followed.is_streaming());
        let reader = followed.reader().unwrap();
        assert!(create("another").is_err() && store.check_room().is_err());
        drop(reader);
        assert!(store.check_room().is_ok() && create("another").is_ok());
        assert!(!store.has(&followed));
    }

    #[test]
    fn beyond_the_memory_only_that_is_lost_of_which_the_store_can_not_be_told() {
        let mut settings = Settings::default();
        settings.limits.memory = 1 << 20;
        let store = store_with(settings);
        let create = |id: &str| {
            let conversation = store.find_or_create(id, NewRole::Writer).unwrap().0;
            let mut turn = Turn::begin(&conversation, None, TurnSource::Push, RequestContent::default()).unwrap();
            turn.feed("word ".repeat(100_000).as_bytes());
            turn.end(false);
            conversation
        };
        let (first, second) = (create("first"), create("second"));
        assert!(store.check_memory().is_ok(), "the store may be told of both in a moment");
        assert!(store.len() < 2 && !first.is_gone() && !second.is_gone());
        for conversation in [&first, &second] {
            conversation.set_unsent_bytes(Some(0));
        }
        let third = create("third");
        assert!(store.check_memory().is_ok());
        assert!(first.is_gone(), "it was dropped first, and the store can't be told of it");
        assert!(!third.is_gone());
        third.set_unsent_bytes(Some(0));
        assert!(store.check_memory().is_ok());
        assert!(store.context.metrics.memory.used() <= 1 << 20);
    }

    #[test]
    fn only_what_another_process_writes_is_forgotten() {
        let store = store();
        let create = |id: &str, role| store.find_or_create(id, role).unwrap().0;
        create("written", NewRole::Writer);
        assert!(!store.forget("written"));
        let followed = create("followed", NewRole::Follower);
        let updating = followed.updating.try_lock().unwrap();
        assert!(!store.forget("followed"), "it may be about to be written");
        drop(updating);
        let reader = followed.reader().unwrap();
        assert!(!store.forget("followed"), "it is read");
        drop(reader);
        assert!(store.forget("followed") && store.find("followed").is_none());
        let failed = create("failed", NewRole::Writer);
        let turn = Turn::begin(&failed, None, TurnSource::Continue, RequestContent::default()).unwrap();
        turn.fail("broken", Some(ContinuationRequest { headers: HeaderMap::new(), body: "{}".into() }));
        failed.resign();
        assert!(!store.forget("failed"), "perhaps only this process can send the request again");
    }

    #[test]
    fn an_id_is_short_and_plain_ascii() {
        for id in ["a", "A-z_09", &"x".repeat(64)] {
            assert!(check_id(id).is_ok(), "{id}");
        }
        for id in ["", &"x".repeat(65), "a b", "a/b", "ä", "a.b", "..", "a\0", "events"] {
            assert!(check_id(id).is_err(), "{id}");
        }
    }

    #[test]
    fn random_ids_differ() {
        let (one, two) = (random::<16>().unwrap(), random::<16>().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.len(), 32);
        assert!(check_id(&one).is_ok());
    }
}
