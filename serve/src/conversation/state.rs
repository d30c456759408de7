//! The state of a conversation: everything that changes together, under one lock.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use followup::dialogue::{Reply, Setup};
use serde::Serialize;

use super::continuation::{Continuation, FailedRequest};
use super::dialogue::{BoundedDialogue, Readiness};
use super::event::ConversationEvent;
use super::event_buffer::EventBuffer;
use super::event_id::EventId;
use super::facts::{Facts, seconds};
use super::form_event::SentFacts;
use super::item::prefix;
use super::log::{Log, Unpublished};
use super::overhead::CONVERSATION_OVERHEAD;
use super::pieces::Pieces;
use super::request_content::RequestContent;
use super::role::Role;
use super::title::title_of;
use super::transcript::Transcript;
use super::turn_state::TurnState;
use crate::memory::{CountedMemory, MemoryCounter};
use crate::metrics::Metrics;
use crate::settings::Limits;

/// The state of a conversation.
pub(super) struct ConversationState {
    /// The estimate of the memory of all this.
    counted: CountedMemory,
    pub(super) role: Role,
    /// The conversation waits to be published, or is.
    ///
    /// Only one task publishes it, even if the writer changes meanwhile.
    pub(super) is_queued: bool,
    pub(super) log: Log,
    pub(super) sent_facts: SentFacts,
    pub(super) dialogue: BoundedDialogue,
    pub(super) turn: TurnState,
    /// Number of turns so far.
    turns: u64,
    /// The conversation was deleted or dropped.
    pub(super) gone: bool,
    /// What the conversation is about, once that is known.
    pub(super) title: Option<String>,
    pub(super) updated: SystemTime,
    /// When somebody last used the conversation.
    pub(super) used: Instant,
    /// What follows once everything in the last turn has been answered.
    pub(super) continuation: Continuation,
    /// Something may follow the turn that is streaming.
    pub(super) may_continue: bool,
    /// The newest message that was pushed in pieces.
    pub(super) pieces: Option<Pieces>,
    /// The request that failed, to be tried again.
    ///
    /// While another process writes the conversation, one that this process has sent stays, because
    /// only this one has the key of its caller.
    pub(super) failed_request: Option<FailedRequest>,
}

/// What the list of conversations shows of one, except for the time of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ListKey {
    turn: TurnState,
    open: Option<u64>,
    waiting: usize,
    stopped: bool,
    has_title: bool,
    /// Of a conversation that another process writes.
    updated: Option<u64>,
}

/// Maximum number of bytes of a question in the list of conversations.
const MAX_SUMMARY: usize = 1000;

/// All that a page shows.
#[derive(Serialize)]
pub(super) struct Snapshot<'a> {
    conversation: &'a str,
    last: String,
    turn: TurnState,
    stopped: bool,
    retry: bool,
    dropped: u64,
    items: &'a Transcript,
}

impl ConversationState {
    pub(super) fn new(
        epoch: u64,
        role: Role,
        setup: Arc<Setup>,
        limits: Limits,
        memory: &MemoryCounter,
    ) -> ConversationState {
        ConversationState {
            counted: memory.count(CONVERSATION_OVERHEAD),
            role,
            is_queued: false,
            log: Log {
                buffer: EventBuffer::new(EventId::start(epoch), limits.events),
                transcript: Transcript::new(limits.kept),
                unpublished: Unpublished::default(),
            },
            sent_facts: SentFacts::default(),
            dialogue: BoundedDialogue::new(setup, limits),
            turn: TurnState::None,
            turns: 0,
            gone: false,
            title: None,
            updated: SystemTime::now(),
            used: Instant::now(),
            continuation: Continuation::Nothing,
            may_continue: false,
            pieces: None,
            failed_request: None,
        }
    }

    /// Returns `true` if the turn that streams is pushed in pieces.
    pub(super) fn awaits_piece(&self) -> bool {
        self.pieces.as_ref().is_some_and(Pieces::is_open)
    }

    pub(super) fn snapshot<'a>(&'a self, conversation: &'a str) -> Snapshot<'a> {
        let Log { buffer, transcript, .. } = &self.log;
        let (stopped, retry) = match &self.role {
            Role::Follower(followed) => (followed.facts.stopped, followed.facts.retry),
            Role::Alone | Role::Writer(_) => (self.dialogue.has_stopped(), self.failed_request.is_some()),
        };
        Snapshot {
            conversation,
            last: buffer.last().to_string(),
            turn: self.turn,
            stopped,
            retry,
            dropped: transcript.dropped(),
            items: transcript,
        }
    }

    /// Returns what is known of the conversation in short.
    pub(super) fn facts(&self) -> Facts {
        if let Role::Follower(followed) = &self.role {
            return followed.facts.clone();
        }
        let open = self.dialogue.open_question().map(|question| {
            let text = &*question.question;
            let start = prefix(text, MAX_SUMMARY);
            if start.len() < text.len() { format!("{start}…") } else { text.to_owned() }
        });
        Facts {
            title: self.title.clone(),
            turn: self.turn,
            open,
            waiting: self.dialogue.waiting(),
            stopped: self.dialogue.has_stopped(),
            retry: self.failed_request.is_some(),
            updated: seconds(self.updated),
        }
    }

    /// Returns what the list of conversations shows.
    pub(super) fn list_key(&self) -> ListKey {
        let updated = match &self.role {
            Role::Follower(followed) => Some(followed.facts.updated),
            Role::Alone | Role::Writer(_) => None,
        };
        ListKey {
            turn: self.turn,
            open: self.dialogue.open_question().map(|question| question.number),
            waiting: self.dialogue.waiting(),
            stopped: self.dialogue.has_stopped(),
            has_title: self.title.is_some(),
            updated,
        }
    }

    pub(super) fn turns(&self) -> u64 {
        self.turns
    }

    pub(super) fn set_turns(&mut self, turns: u64) {
        self.turns = turns;
    }

    /// Ends the conversation.
    pub(super) fn end(&mut self) {
        self.gone = true;
        self.set_continuation(Continuation::Nothing);
        self.failed_request = None;
    }

    /// Ends what the last turn has left open, because the agent's next request has arrived.
    pub(super) fn supersede(&mut self, content: &RequestContent, setup: &Setup, metrics: &Metrics) {
        if self.title.is_none() {
            self.title = content.title.as_deref().and_then(title_of);
        }
        let (shown, wrapping) = (&content.replies, &setup.dialect.reply);
        self.close_answered_elsewhere(shown, wrapping, metrics);
        self.compare_deliveries(shown, wrapping, metrics);
    }

    /// Begins a turn. `source` is its label in the metrics.
    pub(super) fn begin_turn(&mut self, source: &'static str, metrics: &Metrics) {
        self.turn = TurnState::Streaming;
        self.set_continuation(Continuation::Nothing);
        self.may_continue = false;
        self.dialogue.begin_turn();
        self.sent_facts.clear();
        let index = self.turns;
        self.turns += 1;
        self.log.push(&ConversationEvent::Turn { index }, metrics);
        metrics.turn_started(source);
    }

    /// Ends the turn. Returns whether something may follow it.
    pub(super) fn end_turn(&mut self, cut_off: bool, continuation: Continuation, metrics: &Metrics) -> bool {
        self.turn = if cut_off { TurnState::CutOff } else { TurnState::Ended };
        let index = self.turns.saturating_sub(1);
        self.log.push(&ConversationEvent::End { index, cut_off }, metrics);
        if !self.gone {
            self.set_continuation(continuation);
        }
        self.end_sending();
        self.decide_deliveries(metrics);
        !matches!(self.continuation, Continuation::Nothing)
    }

    /// Takes what follows the turn, with the replies to it, if everything has been answered.
    ///
    /// # Errors
    ///
    /// If the turn can't be continued, or not yet.
    pub(super) fn take_continuation(&mut self) -> Result<(Continuation, Vec<Reply>), Readiness> {
        if self.turn != TurnState::Ended || self.gone {
            return Err(Readiness::Nothing);
        }
        let readiness = self.dialogue.readiness();
        if !self.continuation.begins(&readiness) {
            return Err(match (&self.continuation, readiness) {
                (Continuation::Nothing, _) => Readiness::Nothing,
                (Continuation::Unavailable(reason), Readiness::Ready) => Readiness::Blocked(reason.to_string()),
                (_, not_ready) => not_ready,
            });
        }
        Ok((self.set_continuation(Continuation::Nothing), self.dialogue.replies()))
    }

    /// Sets what follows. Returns what was to follow before.
    pub(super) fn set_continuation(&mut self, continuation: Continuation) -> Continuation {
        self.log.unpublished.continuation = true;
        std::mem::replace(&mut self.continuation, continuation)
    }

    /// Sets the request that failed. Returns the one before.
    pub(super) fn set_failed_request(&mut self, failed: Option<FailedRequest>) -> Option<FailedRequest> {
        let before = std::mem::replace(&mut self.failed_request, failed);
        self.log.unpublished.failed |= before.is_some() || self.failed_request.is_some();
        before
    }

    /// Returns the estimate of the memory that the conversation takes.
    pub(super) fn memory(&self) -> usize {
        self.counted.bytes()
    }

    /// Updates that estimate.
    pub(super) fn count_memory(&mut self) {
        let Log { buffer, transcript, .. } = &self.log;
        let kept = buffer.memory() + transcript.memory() + self.dialogue.memory() + self.continuation.memory();
        let failed = self.failed_request.as_ref().map_or(0, |failed| failed.request.body.len());
        let pieces = self.pieces.as_ref().map_or(0, Pieces::memory);
        let unsent = self.role.unsent_bytes().unwrap_or_default();
        // A text that grew has up to twice the memory of its bytes.
        self.counted.set(CONVERSATION_OVERHEAD + kept + kept / 2 + failed + pieces + unsent);
    }
}
