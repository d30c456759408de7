//! A conversation: what happened in it, what is open, and who reads along.

mod answering;
mod happened;
mod item;
mod items;
mod led;
mod ring;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use followup::dialogue::Setup;
use parking_lot::{Mutex, MutexGuard};
use serde::Serialize;
use tokio::sync::watch;

use self::happened::Happened;
use self::items::Items;
use self::led::Led;
use self::ring::{Ring, frame};
use crate::metrics::Metrics;
use crate::onward::Onward;
use crate::settings::Limits;

pub(crate) use self::answering::{Answered, Given};
pub(crate) use self::led::Next;
pub(crate) use self::turn::{Source, Turn};

/// A conversation of a model and its user.
pub(crate) struct Conversation {
    id: String,
    limits: Limits,
    metrics: Arc<Metrics>,
    state: Mutex<State>,
    /// Says that there is something to read. Readers look into the state then: nothing is kept for them.
    changed: watch::Sender<()>,
    readers: AtomicUsize,
}

/// What a conversation holds. Everything in it changes together.
struct State {
    log: Log,
    led: Led,
    turn: TurnState,
    /// How many messages of the model have begun.
    turns: u64,
    /// It was deleted or dropped.
    gone: bool,
    updated: SystemTime,
    /// When it was last of use to somebody.
    used: Instant,
    /// What follows when everything of this turn has been answered.
    onward: Onward,
}

/// What readers see of it.
struct Log {
    ring: Ring,
    items: Items,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TurnState {
    Streaming,
    Ended,
    CutOff,
    None,
}

/// A line of the list of conversations.
#[derive(Debug, Serialize)]
pub(crate) struct Line {
    id: String,
    turn: TurnState,
    open: Option<String>,
    updated: u64,
    #[serde(skip)]
    pub(crate) at: SystemTime,
}

/// How much of a question the list of conversations has.
const OPENING: usize = 1000;

/// All that a page shows.
#[derive(Serialize)]
struct Snapshot<'a> {
    conversation: &'a str,
    last: String,
    turn: TurnState,
    stopped: bool,
    dropped: u64,
    items: &'a Items,
}

/// What a reader gets.
#[derive(Debug)]
pub(crate) enum Read {
    /// Events, and the number of the last of them.
    Events(Bytes, u64),
    /// There is nothing new.
    Nothing,
    /// The last that is to be read.
    Gone(Bytes),
}

impl Conversation {
    pub(crate) fn new(
        id: String,
        epoch: String,
        setup: Arc<Setup>,
        limits: Limits,
        metrics: Arc<Metrics>,
    ) -> Conversation {
        let log = Log { ring: Ring::new(epoch, limits.events), items: Items::new(limits.kept) };
        let state = State {
            log,
            led: Led::new(setup, limits),
            turn: TurnState::None,
            turns: 0,
            gone: false,
            updated: SystemTime::now(),
            used: Instant::now(),
            onward: Onward::Nothing,
        };
        let state = Mutex::new(state);
        Conversation { id, limits, metrics, state, changed: watch::Sender::new(()), readers: AtomicUsize::new(0) }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// All that a page shows, as JSON.
    pub(crate) fn snapshot(&self) -> Vec<u8> {
        // Everything in it is JSON.
        serde_json::to_vec(&self.state.lock().snapshot(&self.id)).unwrap_or_default()
    }

    pub(crate) fn line(&self) -> Line {
        let state = self.state.lock();
        let open = state.led.open().map(|question| {
            let end = question.floor_char_boundary(OPENING);
            if end < question.len() { format!("{}…", &question[..end]) } else { question.to_owned() }
        });
        let seconds = state.updated.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let updated = seconds.as_secs();
        Line { id: self.id.clone(), turn: state.turn, open, updated, at: state.updated }
    }

    /// Where a reader that has seen the event of that id goes on; `None`: it is to have everything first.
    pub(crate) fn position(&self, id: &str) -> Option<u64> {
        self.state.lock().log.ring.number(id)
    }

    /// What a reader at that position gets; without one, or if too much has happened since, everything.
    pub(crate) fn read(&self, position: Option<u64>) -> Read {
        let state = self.state.lock();
        let ring = &state.log.ring;
        if state.gone {
            return Read::Gone(frame(&ring.last_id(), "gone", &Happened::Gone {}));
        }
        match position.and_then(|position| ring.after(position)) {
            Some((events, _)) if events.is_empty() => Read::Nothing,
            Some((events, last)) => Read::Events(events, last),
            None => Read::Events(frame(&ring.last_id(), "state", &state.snapshot(&self.id)), ring.last()),
        }
    }

    /// Ends it: its readers are told.
    pub(crate) fn end(&self) {
        let mut state = self.change();
        state.gone = true;
        state.onward = Onward::Nothing;
    }

    /// When nobody needs it, since when, and whether a question is left open in it. `None`: it is needed.
    pub(crate) fn unused(&self) -> Option<(bool, Instant)> {
        let state = self.state.lock();
        // One in which nothing has begun was made this moment, for a turn that is about to.
        let is_busy = matches!(state.turn, TurnState::Streaming | TurnState::None);
        let is_used = is_busy || self.readers.load(Ordering::Acquire) > 0;
        (!is_used).then(|| (state.led.open().is_some(), state.used))
    }

    pub(crate) fn is_idle(&self, idle: Duration) -> bool {
        self.unused().is_some_and(|(_, since)| since.elapsed() >= idle)
    }

    /// Changes the state: readers look at it when that is done.
    fn change(&self) -> Changing<'_> {
        let mut state = self.state.lock();
        state.updated = SystemTime::now();
        state.used = Instant::now();
        Changing { state, changed: &self.changed }
    }

    /// A reader more, if there may be one more.
    pub(crate) fn reader(self: &Arc<Conversation>) -> Option<Reader> {
        let most = self.limits.readers;
        let count = |now: usize| (now < most).then_some(now + 1);
        self.readers.fetch_update(Ordering::AcqRel, Ordering::Acquire, count).ok()?;
        self.metrics.readers.inc();
        Some(Reader { conversation: self.clone(), changed: self.changed.subscribe() })
    }
}

impl State {
    fn snapshot<'a>(&'a self, conversation: &'a str) -> Snapshot<'a> {
        let Log { ring, items } = &self.log;
        let stopped = self.led.has_stopped();
        Snapshot { conversation, last: ring.last_id(), turn: self.turn, stopped, dropped: items.dropped(), items }
    }
}

impl Log {
    fn take(&mut self, happened: &Happened<'_>, metrics: &Metrics) {
        self.ring.push(happened);
        self.items.take(happened);
        metrics.event(happened.name());
    }
}

/// The state while it is changed.
struct Changing<'a> {
    state: MutexGuard<'a, State>,
    changed: &'a watch::Sender<()>,
}

impl std::ops::Deref for Changing<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl std::ops::DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        self.changed.send_replace(());
    }
}

/// Somebody who reads along.
pub(crate) struct Reader {
    pub(crate) conversation: Arc<Conversation>,
    changed: watch::Receiver<()>,
}

impl Reader {
    /// Waits until something has happened since this was called last.
    pub(crate) async fn changed(&mut self) {
        // The conversation lives as long as the reader: its sender does not go.
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
