//! One conversation of a model and its user: its dialogue, its events, and its readers.

mod action;
mod change;
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
mod item_list;
mod list_changes;
mod log;
mod outcome;
mod overhead;
mod parser_events;
mod pieces;
mod publishing;
pub(crate) mod push_piece;
mod readers;
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
mod turn_state;
mod usage;
pub(crate) mod user_action;

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::SystemTime;

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::{mpsc, watch};

use self::facts::time;
use self::role::{Followed, Publication, Role};
use self::state::ConversationState;
use crate::metrics::Metrics;
use crate::settings::Settings;

pub(crate) use self::dialogue::Readiness;
pub(crate) use self::event_id::EventId;
pub(crate) use self::facts::ListedFacts;
pub(crate) use self::frame::frame;
pub(crate) use self::list_changes::ListChanges;
pub(crate) use self::readers::{ReadResult, Reader};
pub(crate) use self::stored::{Batch, LogEntry, StoredConversation, VERSION as STORED_VERSION, answer_field};
pub(crate) use self::usage::InUse;

/// A conversation of a model and its user.
pub(crate) struct Conversation {
    id: String,
    settings: Arc<Settings>,
    metrics: Arc<Metrics>,
    state: Mutex<ConversationState>,
    /// Wakes readers after a change. They then look into the state: nothing is queued for them.
    changed: watch::Sender<()>,
    readers: AtomicUsize,
    /// Readers for the service itself, and requests that use the conversation.
    users: AtomicUsize,
    list: Arc<ListChanges>,
    /// The version of the entry in the list of conversations.
    version: AtomicU64,
    /// Receives the conversation when a turn has ended that something may follow.
    ended_turns: EndedTurns,
    /// Receives the conversation when the store has to be told of a change.
    outbox: Option<Outbox>,
    /// Wakes those who wait until the store has been told of a change.
    told: watch::Sender<()>,
    /// Locked while the conversation is brought up to date with the store.
    ///
    /// So it never goes back.
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
            users: AtomicUsize::new(0),
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

    /// Ends the conversation, and tells its readers.
    pub(crate) fn end(&self) {
        self.lock_for_use().end();
        // Nobody needs to wait any longer until the store has it.
        self.told.send_replace(());
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.state.lock().gone
    }
}

#[cfg(test)]
mod superseding_tests;
