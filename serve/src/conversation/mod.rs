//! One conversation of a model and its user: its dialogue, its events, and its readers.

pub(crate) mod action;
mod closing;
pub(crate) mod continuation;
mod delivery;
mod dialogue;
mod event;
mod event_buffer;
mod event_id;
mod facts;
mod form_event;
mod form_item;
mod frame;
mod item;
mod list_changes;
mod outcome;
pub(crate) mod pieces;
mod publishing;
mod replies;
mod reply_log;
pub(crate) mod request_content;
mod role;
mod sharing;
mod state;
mod stored;
mod stored_continuation;
mod title;
mod transcript;
pub(crate) mod turn;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::{mpsc, watch};

use self::event::ConversationEvent;
use self::facts::time;
use self::frame::Frame;
use self::role::{Followed, Publication, Role};
use self::state::{ConversationState, ListKey, TurnState};
use crate::error::ApiError;
use crate::metrics::Metrics;
use crate::settings::Settings;

pub(crate) use self::dialogue::Readiness;
pub(crate) use self::event_id::EventId;
pub(crate) use self::facts::ListedFacts;
pub(crate) use self::frame::frame;
pub(crate) use self::list_changes::ListChanges;
pub(crate) use self::stored::{Batch, LogEntry, StoredConversation, answer_field};

/// A conversation of a model and its user.
pub(crate) struct Conversation {
    id: String,
    settings: Arc<Settings>,
    metrics: Arc<Metrics>,
    state: Mutex<ConversationState>,
    /// Wakes readers after a change. They then look into the state: nothing is queued for them.
    changed: watch::Sender<()>,
    readers: AtomicUsize,
    list: Arc<ListChanges>,
    /// The version of the entry in the list of conversations.
    version: AtomicU64,
    /// Receives the conversation when a turn has ended that something may follow.
    ended_turns: EndedTurns,
    /// Receives the conversation when the store has to be told of a change.
    outbox: Option<Outbox>,
    /// Wakes those who wait until the store has been told of a change.
    told: watch::Sender<()>,
    /// Locked while the conversation is brought up to date with the store, so that it never goes back.
    pub(crate) updating: tokio::sync::Mutex<()>,
    this: Weak<Conversation>,
}

/// The conversations of which the store has to be told something.
pub(crate) type Outbox = mpsc::UnboundedSender<Arc<Conversation>>;

/// What all conversations share.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) settings: Arc<Settings>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) ended_turns: EndedTurns,
    /// `None` if no store is told of changes.
    pub(crate) outbox: Option<Outbox>,
    pub(crate) list: Arc<ListChanges>,
}

/// Who writes a new conversation's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewRole {
    /// This process, which keeps them for itself.
    Alone,
    /// This process, which tells the store.
    Writer,
    /// Another process.
    Follower,
}

/// The conversations in which a turn has ended that something may follow.
pub(crate) type EndedTurns = mpsc::UnboundedSender<Arc<Conversation>>;

/// An entry in the list of conversations.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) id: String,
    #[serde(flatten)]
    facts: ListedFacts,
    #[serde(skip)]
    pub(crate) updated_at: SystemTime,
}

impl Summary {
    /// Returns the entry of a conversation that is in the store.
    pub(crate) fn of_stored(id: &str, stored: &ListedFacts) -> Summary {
        let updated_at = time(stored.updated());
        Summary { id: id.to_owned(), facts: stored.clone(), updated_at }
    }
}

/// What a reader is sent next.
#[derive(Debug)]
pub(crate) enum ReadResult {
    /// Serialized events, and the id of the last of them.
    Events(Bytes, EventId),
    /// There is nothing new.
    Nothing,
    /// The last event: the conversation is gone.
    Gone(Bytes),
}

impl Conversation {
    pub(crate) fn new(id: String, epoch: u64, role: NewRole, context: Context) -> Arc<Conversation> {
        let Context { settings, metrics, ended_turns, outbox, list } = context;
        let role = match role {
            NewRole::Alone => Role::Alone,
            NewRole::Writer => Role::Writer(Publication::of_new(epoch)),
            NewRole::Follower => Role::Follower(Followed::default()),
        };
        let state = ConversationState::new(epoch, role, settings.setup.clone(), settings.limits, &metrics.memory);
        Arc::new_cyclic(|this| Conversation {
            state: Mutex::new(state),
            id,
            settings,
            metrics,
            changed: watch::Sender::new(()),
            readers: AtomicUsize::new(0),
            version: AtomicU64::new(list.next_version()),
            list,
            ended_turns,
            outbox,
            told: watch::Sender::new(()),
            updating: tokio::sync::Mutex::new(()),
            this: this.clone(),
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the snapshot: all that a page shows, as JSON.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        // All of it serializes to JSON.
        serde_json::to_vec(&self.state.lock().snapshot(&self.id)).unwrap_or_default()
    }

    /// Returns the entry in the list of conversations.
    pub(crate) fn summary(&self) -> Summary {
        let state = self.state.lock();
        let facts = state.facts();
        let is_follower = matches!(state.role, Role::Follower(_));
        let updated_at = if is_follower { time(facts.updated) } else { state.updated };
        Summary { id: self.id.clone(), facts: facts.into(), updated_at }
    }

    /// Returns the version of the entry in the list of conversations.
    ///
    /// An entry that is read later is of this version or a newer one.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    /// Returns `true` if a reader that has seen the event with this id needs only those after it.
    pub(crate) fn has_events_after(&self, id: EventId) -> bool {
        self.state.lock().log.buffer.frames_after(id).is_some()
    }

    /// Returns the events after the last one that a reader has seen.
    ///
    /// That is the whole state if it has seen none, or if too much has happened since.
    pub(crate) fn read(&self, last_seen: Option<EventId>) -> ReadResult {
        let state = self.state.lock();
        let buffer = &state.log.buffer;
        if state.gone {
            return ReadResult::Gone(Frame::new(buffer.last(), &ConversationEvent::Gone {}).bytes);
        }
        match last_seen.and_then(|id| buffer.after(id)) {
            Some((events, _)) if events.is_empty() => ReadResult::Nothing,
            Some((events, last)) => ReadResult::Events(events, last),
            None => ReadResult::Events(frame(buffer.last(), "state", &state.snapshot(&self.id)), buffer.last()),
        }
    }

    /// Ends the conversation, and tells its readers.
    pub(crate) fn end(&self) {
        self.lock_for_change().end();
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.state.lock().gone
    }

    /// Returns whether a question is open or an answer waits to be collected, and since when the
    /// conversation has been unused.
    ///
    /// `None` if it is in use.
    pub(crate) fn unused(&self) -> Option<(bool, Instant)> {
        let state = self.state.lock();
        // A conversation without a turn was created a moment ago for a turn that is about to begin. The next
        // piece of a message may never come.
        let is_busy = match state.turn {
            TurnState::Streaming => !state.awaits_piece(),
            TurnState::None => true,
            TurnState::Ended | TurnState::CutOff => false,
        };
        let is_used = is_busy || self.readers.load(Ordering::Acquire) > 0;
        let is_needed = || state.dialogue.open_question().is_some() || state.dialogue.reply_log().has_pending();
        (!is_used).then(|| (is_needed(), state.used))
    }

    pub(crate) fn has_readers(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0
    }

    pub(crate) fn is_idle(&self, idle: Duration) -> bool {
        self.unused().is_some_and(|(_, since)| since.elapsed() >= idle)
    }

    /// Locks the state for a change. Readers are woken when the guard is dropped.
    fn lock_for_change(&self) -> ChangeGuard<'_> {
        let mut guard = self.lock_for_use();
        guard.updated = SystemTime::now();
        guard
    }

    /// Locks the state for a change that only the writer may make.
    ///
    /// # Errors
    ///
    /// If the conversation is gone, or another process writes it.
    fn lock_to_write(&self) -> Result<ChangeGuard<'_>, ApiError> {
        let state = self.lock_for_change();
        if state.gone {
            return Err(ApiError::no_conversation(&self.id));
        }
        match state.role {
            Role::Alone | Role::Writer(_) => Ok(state),
            Role::Follower(_) => Err(ApiError::elsewhere(&self.id)),
        }
    }

    /// Locks the state for a change that may turn out to be none.
    fn lock_for_use(&self) -> ChangeGuard<'_> {
        let mut state = self.state.lock();
        state.used = Instant::now();
        let list_key = state.list_key();
        ChangeGuard { state, conversation: self, list_key }
    }

    /// Queues the conversation, so that the store is told of a change.
    fn queue(&self, role: &mut Role) {
        let (Role::Writer(publication), Some(outbox)) = (role, &self.outbox) else { return };
        publication.changes += 1;
        if !publication.is_queued
            && let Some(this) = self.this.upgrade()
        {
            publication.is_queued = true;
            // Nobody receives it when the service is shutting down.
            let _ = outbox.send(this);
        }
    }

    /// Adds a reader; `None` if the conversation has as many as it may have.
    pub(crate) fn reader(self: &Arc<Conversation>) -> Option<Reader> {
        let max = self.settings.limits.readers;
        let add_one = |now: usize| (now < max).then_some(now + 1);
        self.readers.fetch_update(Ordering::AcqRel, Ordering::Acquire, add_one).ok()?;
        self.metrics.readers.inc();
        Some(Reader { conversation: self.clone(), changed: self.changed.subscribe() })
    }
}

/// The locked state. When dropped, it wakes the readers, and those of the list if that has changed.
struct ChangeGuard<'a> {
    state: MutexGuard<'a, ConversationState>,
    conversation: &'a Conversation,
    list_key: ListKey,
}

impl std::ops::Deref for ChangeGuard<'_> {
    type Target = ConversationState;

    fn deref(&self) -> &ConversationState {
        &self.state
    }
}

impl std::ops::DerefMut for ChangeGuard<'_> {
    fn deref_mut(&mut self) -> &mut ConversationState {
        &mut self.state
    }
}

impl Drop for ChangeGuard<'_> {
    fn drop(&mut self) {
        self.state.count_memory();
        let conversation = self.conversation;
        conversation.queue(&mut self.state.role);
        conversation.changed.send_replace(());
        if self.state.list_key() != self.list_key {
            // After the change, so that a reader of the version sees the change.
            conversation.version.store(conversation.list.next_version(), Ordering::Release);
            conversation.list.notify();
        }
    }
}

/// A reader of a conversation's events.
pub(crate) struct Reader {
    pub(crate) conversation: Arc<Conversation>,
    changed: watch::Receiver<()>,
}

impl Reader {
    /// Waits for a change since the last call.
    pub(crate) async fn changed(&mut self) {
        // This can't fail: the reader keeps the conversation alive, and with it the sender.
        let _ = self.changed.changed().await;
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let conversation = &self.conversation;
        conversation.state.lock().used = Instant::now();
        conversation.readers.fetch_sub(1, Ordering::AcqRel);
        conversation.metrics.readers.dec();
    }
}

#[cfg(test)]
mod superseding_tests;
