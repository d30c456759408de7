//! A conversation in the store: what its writer puts there, and what other processes find.

use std::collections::HashMap;

use followup::ResumeError;
use followup::dialogue::{MessageFormat, Reply};
use serde::{Deserialize, Serialize};

use super::dialogue::{BoundedDialogue, StoredDialogue};
use super::event_id::EventId;
use super::facts::Facts;
use super::frame::Frame;
use super::item::Item;
use super::pieces::Pieces;
use super::turn_state::TurnState;
use super::user_action::{ActionOutcome, StoredAnswer};
use super::{Readiness, stored_continuation};
use crate::error::ApiError;
use crate::settings::Settings;

/// The version of what is stored. Any change of the stored data or of its meaning increases it.
pub(crate) const VERSION: u32 = 3;

/// What a conversation has added since its writer last told the store.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Number of changes that this covers.
    pub(super) changes: u64,
    pub(crate) epoch: u64,
    /// The number of the batch in its epoch.
    pub(crate) number: u64,
    /// The id of the event before these.
    pub(crate) after: EventId,
    /// The id of the last of them.
    pub(crate) last: EventId,
    /// The log begins anew with them.
    pub(crate) replaces: bool,
    /// The store had the conversation, and has lost it or its log.
    pub(crate) restores: bool,
    /// The fields of the state that have changed, with their values.
    pub(crate) set: Vec<(&'static str, String)>,
    /// The fields of the state that are not needed any more.
    pub(crate) removed: Vec<String>,
    /// The log needs no entries before this id any more.
    pub(crate) dropped_before: Option<EventId>,
    pub(super) frames: Vec<Frame>,
    /// The list of conversations has to be told.
    pub(crate) has_new_facts: bool,
}

/// An entry of the log that is about to be written.
pub(crate) struct NewEntry<'a> {
    pub(crate) after: EventId,
    pub(crate) last: EventId,
    /// The names and the data of the events.
    pub(crate) events: Vec<(&'a str, &'a [u8])>,
}

impl Batch {
    /// Returns the bytes of what it holds.
    ///
    /// The events share their memory with the buffer, at most 1 MiB, which counts them, too.
    pub(crate) fn size(&self) -> usize {
        let events: usize = self.frames.iter().map(|frame| frame.bytes.len()).sum();
        events + self.set.iter().map(|(_, value)| value.len()).sum::<usize>()
    }

    /// Returns the entries of the log.
    ///
    /// The ids of an entry's events follow from the last one, so each has the events of one epoch.
    pub(crate) fn entries(&self) -> impl Iterator<Item = NewEntry<'_>> {
        let mut after = self.after;
        self.frames.chunk_by(|one, next| one.id.epoch == next.id.epoch).map(move |frames| {
            let last = frames.last().map_or(after, |frame| frame.id);
            let before = std::mem::replace(&mut after, last);
            NewEntry { after: before, last, events: frames.iter().map(Frame::name_and_data).collect() }
        })
    }
}

/// An entry of the log: events that were written together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogEntry {
    /// The id of the event before them.
    pub(crate) after: EventId,
    /// The id of the last of them.
    pub(crate) last: EventId,
    /// The names and the data of the events.
    pub(crate) events: Vec<(String, String)>,
}

impl LogEntry {
    /// Returns the events with their ids.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (EventId, &str, &str)> {
        let first = (self.last.number + 1).saturating_sub(self.events.len() as u64);
        let id = move |index: usize| EventId { epoch: self.last.epoch, number: first + index as u64 };
        self.events.iter().enumerate().map(move |(index, (name, data))| (id(index), &**name, &**data))
    }
}

/// What a process finds of a conversation in the store.
#[derive(Debug, Default)]
pub(crate) struct StoredConversation {
    /// The epoch of the writer.
    pub(crate) epoch: u64,
    /// The name of the writer's replica.
    pub(crate) owner: String,
    /// The id of the last event.
    pub(crate) last: Option<EventId>,
    /// The answers that were accepted and not yet given, by the numbers of their questions.
    pub(crate) answers: Vec<(u64, String)>,
    pub(super) facts: Facts,
    /// What follows the last turn, as JSON.
    pub(super) next: Option<String>,
    /// The request that failed, as JSON.
    pub(super) failed: Option<String>,
    pub(super) pieces: Option<Pieces>,
    pub(super) state: Option<StoredState>,
    pub(super) view: Option<StoredView>,
    pub(crate) entries: Vec<LogEntry>,
}

impl StoredConversation {
    /// Reads the fields of the state.
    ///
    /// # Errors
    ///
    /// If one can't be read: another version of the service has written it.
    pub(crate) fn new(
        mut fields: HashMap<String, String>,
        entries: Vec<LogEntry>,
    ) -> serde_json::Result<StoredConversation> {
        let mut field = |name: &str| fields.remove(name);
        let epoch = field("epoch").and_then(|epoch| epoch.parse().ok()).unwrap_or_default();
        let owner = field("owner").unwrap_or_default();
        let last = field("last").and_then(|last| last.parse().ok());
        let facts = field("facts").map(|json| serde_json::from_str(&json)).transpose()?.unwrap_or_default();
        let (next, failed) = (field("next"), field("failed"));
        let pieces = field("pieces").filter(|json| !json.is_empty());
        let pieces = pieces.map(|json| serde_json::from_str(&json)).transpose()?;
        let state = field("dialogue").map(|json| serde_json::from_str(&json)).transpose()?;
        let view = field("view").map(|json| serde_json::from_str(&json)).transpose()?;
        let answer = |(name, answer): (String, String)| Some((name.strip_prefix("answer:")?.parse().ok()?, answer));
        let answers = fields.into_iter().filter_map(answer).collect();
        Ok(StoredConversation { epoch, owner, last, answers, facts, next, failed, pieces, state, view, entries })
    }

    /// Returns the reply that an action would lead to.
    ///
    /// # Errors
    ///
    /// If the action is not possible now, or the state can't be read.
    pub(crate) fn reply_to(self, answer: &StoredAnswer, settings: &Settings) -> Result<Reply, ApiError> {
        self.dialogue(settings)?.reply_to(&answer.action, &answer.images)
    }

    /// Returns the outcome of an answer that was given.
    ///
    /// # Errors
    ///
    /// If it was not, or the state can't be read.
    pub(crate) fn outcome_of(
        mut self,
        number: u64,
        format: MessageFormat,
        settings: &Settings,
    ) -> Result<ActionOutcome, ApiError> {
        let has_ended = self.facts.turn == TurnState::Ended;
        let next = self.next.take().filter(|_| has_ended);
        let dialogue = self.dialogue(settings)?;
        let outcome = dialogue.outcome_of(number, format).ok_or_else(|| ApiError::answered(number, None))?;
        let is_next = next.is_some_and(|next| stored_continuation::begins(&next, &dialogue.readiness()));
        Ok(ActionOutcome { is_sent: outcome.is_sent || is_next, ..outcome })
    }

    fn dialogue(self, settings: &Settings) -> Result<BoundedDialogue, ApiError> {
        let unreadable = |error: ResumeError| ApiError::store_unreadable(&error);
        let state = self.state.ok_or_else(|| ApiError::store_unreadable(&"its dialogue is missing"))?;
        state.check_version().map_err(unreadable)?;
        BoundedDialogue::restore(state.dialogue, settings.setup.clone(), settings.limits).map_err(unreadable)
    }

    /// Returns `true` if everything in the last turn was answered.
    ///
    /// Then its writer begins the next one.
    ///
    /// Takes out what it needs to tell.
    pub(crate) fn take_is_to_continue(&mut self, settings: &Settings) -> bool {
        // So the rest of most conversations is not looked at.
        if self.facts.turn != TurnState::Ended || self.facts.waiting > 0 || self.facts.stopped {
            return false;
        }
        let (Some(next), Some(state)) = (self.next.take().filter(|next| !next.is_empty()), self.state.take()) else {
            return false;
        };
        let readiness = state.check_version().and_then(|()| {
            let dialogue = BoundedDialogue::restore(state.dialogue, settings.setup.clone(), settings.limits)?;
            Ok(dialogue.readiness())
        });
        // Nothing is asked in most turns, and what follows them is a whole request.
        readiness.is_ok_and(|readiness| {
            readiness != Readiness::Nothing && stored_continuation::from_json(&next).begins(&readiness)
        })
    }

    /// Returns `true` if another process than the one that writes in this epoch is the writer now.
    pub(crate) fn is_written_by_another(&self, epoch: u64, is_own: impl Fn(&str) -> bool) -> bool {
        self.epoch > epoch || self.epoch == epoch && !is_own(&self.owner)
    }

    /// Returns `true` if the writer is writing a turn.
    pub(crate) fn is_streaming(&self) -> bool {
        self.facts.turn == TurnState::Streaming && !self.pieces.as_ref().is_some_and(Pieces::is_open)
    }
}

/// The name of the field with the answer to a question.
pub(crate) fn answer_field(number: u64) -> String {
    format!("answer:{number}")
}

/// What the next writer needs besides the events.
///
/// The version comes first: the script that lets a replica become the writer compares it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredState {
    version: u32,
    pub(super) dialogue: StoredDialogue,
    pub(super) turns: u64,
}

impl StoredState {
    pub(super) fn new(dialogue: StoredDialogue, turns: u64) -> StoredState {
        StoredState { version: VERSION, dialogue, turns }
    }

    /// # Errors
    ///
    /// If it is of another version.
    pub(super) fn check_version(&self) -> Result<(), ResumeError> {
        if self.version == VERSION { Ok(()) } else { Err(ResumeError::OtherVersion) }
    }
}

/// The items up to an event. They serialize to a part of a snapshot, and are read from one.
#[derive(Debug, Deserialize)]
pub(super) struct StoredView {
    /// The id of the event.
    pub(super) last: String,
    pub(super) dropped: u64,
    pub(super) items: Vec<Item>,
}
