//! How a conversation moves between processes: through the log and the state in the store.

use followup::{CallPart, Reason, ResumeError};

use super::continuation::Continuation;
use super::dialogue::BoundedDialogue;
use super::event::ConversationEvent;
use super::event_buffer::EventBuffer;
use super::event_id::EventId;
use super::facts::{Facts, time};
use super::form_event::SentFacts;
use super::frame::{Frame, parse_event};
use super::role::{Publication, Role};
use super::state::{ConversationState, TurnState};
use super::stored::{Batch, LogEntry, StoredConversation, StoredState, answer_field};
use super::transcript::Transcript;
use super::{Conversation, stored_continuation};
use crate::metrics::Metrics;
use crate::settings::Settings;

/// Bytes of events after which the store gets the items anew, unless these are larger.
const MIN_VIEW: usize = 64 << 10;

/// Number of events after which the store gets the items anew.
const MAX_EVENTS: usize = 512;

/// Maximum number of events that are written at once: a script takes no more than some thousand values.
const MAX_BATCH: usize = 1000;

impl Conversation {
    /// Returns what the store does not have yet.
    ///
    /// `None` if it has everything. The next change then queues the conversation again.
    pub(crate) fn next_batch(&self) -> Option<Batch> {
        let mut state = self.state.lock();
        let batch = state.next_batch(&self.id);
        if batch.is_none()
            && let Role::Writer(publication) = &mut state.role
        {
            publication.is_queued = false;
        }
        batch
    }

    /// The store has a batch.
    pub(crate) fn has_appended(&self, batch: &Batch) {
        let mut state = self.state.lock();
        if let Role::Writer(publication) = &mut state.role
            && publication.epoch == batch.epoch
        {
            publication.published = batch.last;
            publication.told = publication.told.max(batch.changes);
            self.told.send_replace(());
        }
    }

    /// The log in the store ends with another event than expected.
    ///
    /// What it lacks is appended again if it is still known. Otherwise the log begins anew.
    pub(crate) fn repair(&self, last: Option<EventId>) {
        let mut state = self.state.lock();
        let known = last.filter(|&last| state.log.buffer.frames_after(last).is_some());
        state.log.has_changed = true;
        if let Role::Writer(publication) = &mut state.role {
            match known {
                Some(last) => publication.published = last,
                None => publication.replaces = true,
            }
        }
    }

    /// Waits until the store has everything that has happened so far.
    ///
    /// Returns `false` if it never will: another process writes the conversation now.
    pub(crate) async fn flushed(&self) -> bool {
        let mut told = self.told.subscribe();
        let mut awaited = None;
        loop {
            match &self.state.lock().role {
                Role::Writer(publication) => {
                    if publication.told >= *awaited.get_or_insert(publication.changes) {
                        return true;
                    }
                }
                Role::Alone => return true,
                Role::Follower(_) => return false,
            }
            // This can't fail: the conversation keeps the sender.
            let _ = told.changed().await;
        }
    }

    /// Returns `true` if this process writes the conversation's events.
    pub(crate) fn is_writer(&self) -> bool {
        !matches!(self.state.lock().role, Role::Follower(_))
    }

    /// Returns the epoch in which this process writes the conversation's events for all.
    pub(crate) fn epoch(&self) -> Option<u64> {
        self.state.lock().role.epoch()
    }

    /// Returns `true` if a turn is streaming.
    pub(crate) fn is_streaming(&self) -> bool {
        self.state.lock().facts().turn == TurnState::Streaming
    }

    /// Returns the id of the last event.
    pub(crate) fn last(&self) -> EventId {
        self.state.lock().log.buffer.last()
    }

    /// Applies what another process has written.
    ///
    /// Returns `false` if something is missing before it, so that the conversation has to be loaded.
    pub(crate) fn follow(&self, stored: &StoredConversation) -> bool {
        let mut state = self.lock_for_use();
        if !matches!(state.role, Role::Follower(_)) {
            return true;
        }
        for entry in &stored.entries {
            if entry.last <= state.log.buffer.last() {
                continue;
            }
            if entry.after != state.log.buffer.last() {
                return false;
            }
            state.log.append(entry, EventId::start(0), &self.metrics);
        }
        state.set_facts(stored.facts.clone());
        true
    }

    /// Stops writing the conversation, because another process does.
    pub(crate) fn resign(&self) {
        let mut state = self.state.lock();
        let facts = state.facts();
        state.role = Role::Follower(facts);
        // Nobody needs to wait any longer.
        self.told.send_replace(());
    }

    /// The answer to a question that the store has accepted was given.
    pub(crate) fn has_given(&self, number: u64) {
        if let Role::Writer(publication) = &mut self.state.lock().role {
            publication.answered.push(number);
        }
    }

    /// Continues the conversation if everything in its last turn has been answered.
    pub(crate) fn may_continue_now(&self) {
        if let Some(this) = self.this.upgrade() {
            // Nobody receives it when the service is shutting down.
            let _ = self.ended_turns.send(this);
        }
    }

    /// Replaces everything by what is stored. From now on another process writes the conversation.
    pub(crate) fn load(&self, stored: StoredConversation) {
        self.lock_for_use().load(stored, &self.settings, &self.metrics);
    }

    /// Becomes the writer of what is stored.
    ///
    /// A turn that another process was writing is cut off.
    ///
    /// # Errors
    ///
    /// If what is stored can't be read. The conversation has then only been loaded.
    pub(crate) fn take_over(&self, epoch: u64, stored: StoredConversation) -> Result<(), ResumeError> {
        let mut state = self.lock_for_use();
        state.take_over(epoch, stored, &self.settings, &self.metrics)?;
        if state.turn == TurnState::Streaming && !state.awaits_piece() {
            state.cut_off_turn(&self.metrics);
        }
        Ok(())
    }
}

impl ConversationState {
    fn next_batch(&mut self, id: &str) -> Option<Batch> {
        if self.gone {
            return None;
        }
        let Role::Writer(publication) = &self.role else { return None };
        let (epoch, view_size, changes) = (publication.epoch, publication.view_size, publication.changes);
        let known = self.log.buffer.frames_after(publication.published).filter(|_| !publication.replaces);
        let known: Option<Vec<Frame>> = known.map(|frames| frames.cloned().collect());
        let (frames, replaces) = match known.filter(|frames| frames.len() <= MAX_BATCH) {
            Some(frames) => (frames, false),
            // The items say what was before these, and before this epoch.
            None => {
                let own = self.log.buffer.frames().filter(|frame| frame.id.epoch == epoch);
                let own: Vec<Frame> = own.cloned().collect();
                (own[own.len().saturating_sub(MAX_BATCH)..].to_vec(), true)
            }
        };
        let has_changed = self.log.has_changed || replaces;
        if frames.is_empty() && !has_changed && !self.has_new_pieces && publication.told == changes {
            return None;
        }
        let last = frames.last().map_or(publication.published, |frame| frame.id);
        let (after, last) = match frames.first() {
            Some(first) if replaces => (EventId { number: first.id.number - 1, ..first.id }, last),
            None if replaces => (self.log.buffer.last(), self.log.buffer.last()),
            _ => (publication.published, last),
        };
        let mut set = Vec::new();
        let needs_view =
            replaces || self.log.since_view > MIN_VIEW.max(view_size) || self.log.events_since_view > MAX_EVENTS;
        if needs_view {
            set.push(("view", serde_json::to_string(&self.snapshot(id)).unwrap_or_default()));
        }
        if has_changed {
            let stored = StoredState::new(self.dialogue.stored(), self.turns());
            set.push(("dialogue", serde_json::to_string(&stored).unwrap_or_default()));
            let waiting: String = self.dialogue.pending().map(|number| format!("{number},")).collect();
            set.push(("waiting", format!(",{waiting}")));
        }
        if has_changed && std::mem::take(&mut self.has_new_continuation) || replaces {
            let next = stored_continuation::to_json(&self.continuation);
            set.push(("next", next.unwrap_or_default()));
        }
        if has_changed {
            let facts = self.facts();
            // Between two pieces, any process may take the conversation over.
            let turn = if self.awaits_piece() { "pieces" } else { facts.turn.name() };
            set.push(("turn", turn.to_owned()));
            set.push(("facts", serde_json::to_string(&facts).unwrap_or_default()));
        }
        if std::mem::take(&mut self.has_new_pieces) || replaces {
            let pieces = self.pieces.as_ref().map(serde_json::to_string);
            set.push(("pieces", pieces.and_then(Result::ok).unwrap_or_default()));
        }
        let dropped_before = needs_view.then(|| self.log.buffer.before());
        self.log.has_changed = false;
        if needs_view {
            (self.log.since_view, self.log.events_since_view) = (0, 0);
        }
        let Role::Writer(publication) = &mut self.role else { return None };
        publication.replaces = false;
        if let Some((_, view)) = set.iter().find(|(name, _)| *name == "view") {
            publication.view_size = view.len();
        }
        let removed = if has_changed { std::mem::take(&mut publication.answered) } else { Vec::new() };
        let removed = removed.into_iter().map(answer_field).collect();
        Some(Batch {
            changes,
            epoch,
            after,
            last,
            replaces,
            set,
            removed,
            dropped_before,
            frames,
            has_new_facts: has_changed,
        })
    }

    fn set_facts(&mut self, facts: Facts) {
        self.turn = facts.turn;
        self.title.clone_from(&facts.title);
        self.updated = time(facts.updated);
        self.role = Role::Follower(facts);
    }

    /// Replaces everything by what is stored, as another process has written it.
    fn load(&mut self, stored: StoredConversation, settings: &Settings, metrics: &Metrics) {
        let StoredConversation { last, facts, view, entries, .. } = stored;
        let limits = settings.limits;
        let (transcript, viewed) = match view {
            Some(view) => {
                let viewed = view.last.parse().unwrap_or(EventId::start(0));
                (Transcript::restore(view.items, view.dropped, limits.kept), viewed)
            }
            None => (Transcript::new(limits.kept), EventId::start(0)),
        };
        let before = entries.first().map_or_else(|| last.unwrap_or(viewed), |entry| entry.after);
        self.log.buffer = EventBuffer::new(before, limits.events);
        self.log.transcript = transcript;
        for entry in &entries {
            self.log.append(entry, viewed, metrics);
        }
        self.dialogue = BoundedDialogue::new(settings.setup.clone(), limits);
        (self.continuation, self.has_new_continuation) = (Continuation::Nothing, false);
        (self.may_continue, self.failed_request) = (false, None);
        (self.pieces, self.has_new_pieces) = (None, false);
        self.sent_facts = SentFacts::default();
        self.set_facts(facts);
    }

    fn take_over(
        &mut self,
        epoch: u64,
        mut stored: StoredConversation,
        settings: &Settings,
        metrics: &Metrics,
    ) -> Result<(), ResumeError> {
        let (state, next, pieces) = (stored.state.take(), stored.next.take(), stored.pieces.take());
        self.load(stored, settings, metrics);
        self.pieces = pieces;
        if let Some(next) = next {
            self.continuation = stored_continuation::from_json(&next);
        }
        if let Some(state) = state {
            state.check_version()?;
            self.set_turns(state.turns);
            self.dialogue = BoundedDialogue::restore(state.dialogue, settings.setup.clone(), settings.limits)?;
        }
        let published = self.log.buffer.last();
        self.log.buffer.begin_epoch(epoch);
        self.log.has_changed = true;
        self.role = Role::Writer(Publication::new(epoch, published));
        Ok(())
    }

    /// Ends the turn that another process was writing.
    fn cut_off_turn(&mut self, metrics: &Metrics) {
        let growing: Vec<u64> = self.log.transcript.growing().collect();
        for call in growing {
            let reason = Reason::Truncated(CallPart::Arguments).code().into();
            let message = "the message broke off before the call was complete".into();
            self.log.push(&ConversationEvent::Rejected { call, reason, message, stopped: false }, metrics);
        }
        self.end_turn(true, Continuation::Nothing, metrics);
    }
}

impl super::state::Log {
    /// Appends the events of another writer. The items show those up to `viewed` already.
    fn append(&mut self, entry: &LogEntry, viewed: EventId, metrics: &Metrics) {
        for (id, name, data) in entry.numbered() {
            self.buffer.push_frame(Frame::from_parts(id, name, data.as_bytes()));
            // An event of a later version is for its readers only.
            if id > viewed
                && let Ok(event) = parse_event(name, data)
            {
                self.transcript.apply(&event);
                metrics.event(event.name());
            }
        }
    }
}
