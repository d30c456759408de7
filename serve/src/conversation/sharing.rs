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
use super::log::Unpublished;
use super::role::{Followed, Publication, Role};
use super::state::ConversationState;
use super::stored::{LogEntry, StoredConversation};
use super::transcript::Transcript;
use super::turn_state::TurnState;
use super::{Conversation, stored_continuation};
use crate::metrics::Metrics;
use crate::settings::Settings;

impl Conversation {
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

    /// Returns `true` if a request that failed is kept, to be tried again.
    pub(crate) fn keeps_failed_request(&self) -> bool {
        self.state.lock().failed_request.is_some()
    }

    /// Returns the id of the last event.
    pub(crate) fn last(&self) -> EventId {
        self.state.lock().log.buffer.last()
    }

    /// Returns the id of the last event, if another process has written it, as far as is known.
    pub(crate) fn last_followed(&self) -> Option<EventId> {
        let state = self.state.lock();
        let is_followed = matches!(&state.role, Role::Follower(followed) if !followed.is_outdated);
        Some(state.log.buffer.last()).filter(|last| is_followed && last.number > 0)
    }

    /// Returns the last known epoch of the process that writes the conversation's events.
    ///
    /// `None` if that is this process, or the events here may differ from its.
    pub(crate) fn followed_epoch(&self) -> Option<u64> {
        match &self.state.lock().role {
            Role::Follower(followed) if !followed.is_outdated => Some(followed.epoch),
            Role::Alone | Role::Writer(_) | Role::Follower(_) => None,
        }
    }

    /// Applies what another process has written.
    ///
    /// Returns `false` if something is missing before it, so that the conversation has to be
    /// loaded.
    pub(crate) fn follow(&self, stored: &StoredConversation) -> bool {
        let mut state = self.lock_for_use();
        match &state.role {
            Role::Alone | Role::Writer(_) => return true,
            Role::Follower(followed) if followed.is_outdated => return false,
            Role::Follower(_) => {}
        }
        for entry in &stored.entries {
            let last = state.log.buffer.last();
            if entry.last <= last {
                continue;
            }
            // An entry that was written again, after the store had lost something, may begin
            // earlier.
            if entry.after != last && !entry.numbered().any(|(id, ..)| id == last) {
                return false;
            }
            state.log.append(entry, last, last, &self.metrics);
        }
        state.follow(stored.facts.clone(), stored.epoch);
        true
    }

    /// Appends events that another process has written, after which nothing else has changed.
    ///
    /// Returns `false` if they don't continue those here, so that the conversation has to be
    /// compared with what is stored.
    pub(crate) fn append(&self, entry: &LogEntry) -> bool {
        let mut state = self.lock_for_use();
        let last = state.log.buffer.last();
        let continues = match &state.role {
            Role::Follower(followed) => !followed.is_outdated && entry.after == last,
            Role::Alone | Role::Writer(_) => false,
        };
        if continues {
            state.log.append(entry, last, last, &self.metrics);
        }
        continues
    }

    /// Stops writing the conversation, because another process does. All has to be loaded then.
    pub(crate) fn resign(&self) {
        let mut state = self.state.lock();
        let facts = state.facts();
        state.forget_what_writers_know(&self.settings);
        state.role = Role::Follower(Followed { facts, epoch: 0, is_outdated: true });
        // Nobody needs to wait any longer.
        self.told.send_replace(());
    }

    /// The answer to a question that the store has accepted was given.
    pub(crate) fn has_given(&self, number: u64) {
        let mut state = self.lock_for_use();
        if let Role::Writer(publication) = &mut state.role {
            publication.answered.push(number);
            state.log.unpublished.facts = true;
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
    /// A turn that another process was writing is cut off. Nothing changes if this process has
    /// become the writer in a later epoch already.
    ///
    /// # Errors
    ///
    /// If what is stored can't be read. The conversation has then only been loaded.
    pub(crate) fn take_over(&self, epoch: u64, stored: StoredConversation) -> Result<(), ResumeError> {
        let mut state = self.lock_for_use();
        if state.role.epoch().is_some_and(|own| own >= epoch) {
            return Ok(());
        }
        state.take_over(epoch, stored, &self.settings, &self.metrics)?;
        if state.turn == TurnState::Streaming && !state.awaits_piece() {
            state.cut_off_turn(&self.metrics);
        }
        Ok(())
    }
}

impl ConversationState {
    /// Lets another process be the writer, in this epoch.
    ///
    /// These are the newest facts, and all its events are here.
    fn follow(&mut self, facts: Facts, epoch: u64) {
        self.turn = facts.turn;
        self.title.clone_from(&facts.title);
        self.updated = time(facts.updated);
        if !facts.retry {
            self.failed_request = None;
        }
        self.role = Role::Follower(Followed { facts, epoch, is_outdated: false });
    }

    /// Forgets everything but who writes the conversation.
    pub(super) fn forget_all(&mut self, settings: &Settings) {
        self.log.buffer = EventBuffer::new(self.log.buffer.last(), settings.limits.events);
        self.log.transcript = Transcript::new(settings.limits.kept);
        self.forget_what_writers_know(settings);
    }

    /// Forgets what only the writer needs.
    fn forget_what_writers_know(&mut self, settings: &Settings) {
        self.dialogue = BoundedDialogue::new(settings.setup.clone(), settings.limits);
        (self.continuation, self.may_continue) = (Continuation::Nothing, false);
        self.pieces = None;
        self.sent_facts = SentFacts::default();
        self.log.unpublished = Unpublished::default();
    }

    /// Replaces everything by what is stored, as another process has written it.
    fn load(&mut self, stored: StoredConversation, settings: &Settings, metrics: &Metrics) {
        let StoredConversation { epoch, last, facts, view, entries, .. } = stored;
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
            self.log.append(entry, EventId::start(0), viewed, metrics);
        }
        self.forget_what_writers_know(settings);
        // The next writer continues the count, or the log would grow with each change of the
        // writer.
        let unviewed = entries.iter().flat_map(LogEntry::numbered).filter(|(id, ..)| *id > viewed);
        for (_, name, data) in unviewed {
            self.log.unpublished.events += 1;
            self.log.unpublished.bytes += name.len() + data.len();
        }
        self.follow(facts, epoch);
    }

    fn take_over(
        &mut self,
        epoch: u64,
        mut stored: StoredConversation,
        settings: &Settings,
        metrics: &Metrics,
    ) -> Result<(), ResumeError> {
        let (state, next, pieces) = (stored.state.take(), stored.next.take(), stored.pieces.take());
        // A replica of an earlier version leaves the field as it is.
        let failed = stored.failed.take().filter(|_| stored.facts.retry);
        self.load(stored, settings, metrics);
        self.pieces = pieces;
        let own = self.failed_request.take();
        self.failed_request = failed.and_then(|json| stored_continuation::failed_from_json(&json, own));
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
        self.role = Role::Writer(Publication::after(published, epoch));
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

impl super::log::Log {
    /// Appends the events of another writer after one. The items show those up to `viewed` already.
    fn append(&mut self, entry: &LogEntry, after: EventId, viewed: EventId, metrics: &Metrics) {
        for (id, name, data) in entry.numbered().filter(|(id, ..)| *id > after) {
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
