//! The state of a conversation: everything that changes together, under one lock.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use followup::dialogue::{Reply, Setup};
use followup::{Event, Reason, wire};
use serde::{Deserialize, Serialize};

use super::continuation::{Continuation, ContinuationRequest};
use super::dialogue::{BoundedDialogue, CallOutcome, Readiness};
use super::event::{AskedCall, ConversationEvent};
use super::event_buffer::EventBuffer;
use super::event_id::EventId;
use super::facts::{Facts, seconds};
use super::form_event::SentFacts;
use super::item::prefix;
use super::pieces::Pieces;
use super::request_content::RequestContent;
use super::role::Role;
use super::title::title_of;
use super::transcript::Transcript;
use crate::memory::{CountedMemory, MemoryCounter};
use crate::metrics::Metrics;
use crate::settings::Limits;

/// The state of a conversation.
pub(super) struct ConversationState {
    /// The estimate of the memory of all this.
    counted: CountedMemory,
    pub(super) role: Role,
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
    pub(super) failed_request: Option<ContinuationRequest>,
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

/// What readers see: the latest events, and the state that all events add up to.
pub(super) struct Log {
    pub(super) buffer: EventBuffer,
    pub(super) transcript: Transcript,
    pub(super) unpublished: Unpublished,
}

/// What has changed since the store was told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Unpublished {
    /// Something besides texts that grow.
    pub(super) facts: bool,
    pub(super) continuation: bool,
    pub(super) pieces: bool,
    /// Number and bytes of the events since the store got the items.
    pub(super) events: usize,
    pub(super) bytes: usize,
}

/// The state of the last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnState {
    /// There was no turn yet.
    None,
    Streaming,
    Ended,
    CutOff,
}

impl TurnState {
    /// Returns the state as one word.
    pub(super) fn name(self) -> &'static str {
        match self {
            TurnState::None => "none",
            TurnState::Streaming => "streaming",
            TurnState::Ended => "ended",
            TurnState::CutOff => "cut_off",
        }
    }
}

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

/// Bytes that a conversation takes in addition to what it keeps.
const CONVERSATION_OVERHEAD: usize = 4 << 10;

/// Maximum number of bytes of a provider's error that are shown.
const MAX_ERROR: usize = 8 << 10;

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
        match (&self.continuation, self.dialogue.readiness()) {
            (Continuation::Nothing, _) => return Err(Readiness::Nothing),
            (Continuation::Unavailable(reason), Readiness::Ready) => {
                return Err(Readiness::Blocked(reason.to_string()));
            }
            (_, Readiness::Ready) => {}
            // A recorded message calls other tools only for show: nobody waits for their results.
            (Continuation::Recording(_), Readiness::Blocked(_)) => {}
            (_, not_ready) => return Err(not_ready),
        }
        Ok((self.set_continuation(Continuation::Nothing), self.dialogue.replies()))
    }

    /// Sets what follows. Returns what was to follow before.
    pub(super) fn set_continuation(&mut self, continuation: Continuation) -> Continuation {
        self.log.unpublished.continuation = true;
        std::mem::replace(&mut self.continuation, continuation)
    }

    /// Updates the estimate of the memory that the conversation takes.
    pub(super) fn count_memory(&mut self) {
        let Log { buffer, transcript, .. } = &self.log;
        let kept = buffer.memory() + transcript.memory() + self.dialogue.memory() + self.continuation.memory();
        let failed = self.failed_request.as_ref().map_or(0, |request| request.body.len());
        // A text that grew has up to twice the memory of its bytes.
        self.counted.set(CONVERSATION_OVERHEAD + kept + kept / 2 + failed);
    }

    /// Applies an event of the parser.
    pub(super) fn apply(&mut self, event: Event<'_>, metrics: &Metrics) {
        if let Some(shown) = ConversationEvent::from_parser(&event, &mut self.sent_facts) {
            if let Event::Opaque(piece) = event {
                self.dialogue.note_other_tool(piece.tool);
            }
            self.log.push(&shown, metrics);
            return;
        }
        let envelope = match &event {
            Event::Complete(call) => {
                self.sent_facts.end(call.index());
                call.envelope()
            }
            Event::Rejected(call) => {
                self.sent_facts.end(call.index());
                call.envelope()
            }
            _ => None,
        };
        if let Some(family) = envelope {
            metrics.envelope(family.name());
        }
        let (call, outcome) = match event {
            Event::Complete(call) => match self.dialogue.complete(call) {
                CallOutcome::Asked { number, open, form } => {
                    if self.title.is_none() {
                        self.title = title_of(call.question());
                    }
                    self.log.push(&ConversationEvent::Complete(AskedCall::new(&call, number, open, form)), metrics);
                    return;
                }
                outcome => (call.index(), outcome),
            },
            Event::Rejected(call) if call.reason() == Reason::Superseded => {
                let (call, reason, stopped) = (call.index(), call.reason(), self.dialogue.has_stopped());
                let message = &*reason.to_string();
                self.log.push(
                    &ConversationEvent::Rejected {
                        call,
                        reason: reason.code().into(),
                        message: message.into(),
                        stopped,
                    },
                    metrics,
                );
                return;
            }
            Event::Rejected(call) => (call.index(), self.dialogue.reject(call)),
            _ => return,
        };
        let (reason, message, stopped) = match &outcome {
            CallOutcome::Corrected { reason, message, stopped } => (&**reason, &**message, *stopped),
            _ => ("dropped", "too many questions of this conversation wait for an answer", self.dialogue.has_stopped()),
        };
        self.log.push(
            &ConversationEvent::Rejected { call, reason: reason.into(), message: message.into(), stopped },
            metrics,
        );
    }

    /// Applies an error of the parser.
    pub(super) fn apply_error(&mut self, error: &wire::Error<'_>, metrics: &Metrics) {
        let message = match error {
            wire::Error::Provider(message) => (*message).to_owned(),
            error => error.to_string(),
        };
        // A provider's message may be as long as an event of the stream.
        let message = super::item::prefix(&message, MAX_ERROR);
        self.log.push(&ConversationEvent::Error { kind: error.code().into(), message: message.into() }, metrics);
    }
}

impl Log {
    pub(super) fn push(&mut self, event: &ConversationEvent<'_>, metrics: &Metrics) {
        self.buffer.push(event);
        self.transcript.apply(event);
        self.unpublished.facts |= !event.is_growth();
        self.unpublished.events += 1;
        self.unpublished.bytes += self.buffer.size_of_last();
        metrics.event(event.name());
    }
}
