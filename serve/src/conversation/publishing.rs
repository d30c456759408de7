//! What the store is told of a conversation, by the process that writes it.

use super::Conversation;
use super::event_id::EventId;
use super::frame::Frame;
use super::role::Role;
use super::state::ConversationState;
use super::stored::{Batch, StoredState, answer_field};
use super::stored_continuation;
use super::turn::Turn;

/// Bytes of events after which the store gets the items anew, unless these are larger.
const MIN_VIEW: usize = 64 << 10;

/// Number of events after which the store gets the items anew.
const MAX_EVENTS: usize = 512;

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
            self.published.send_replace(batch.last);
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

    /// Appends again what the store had, and has lost: its log ends with this event.
    pub(crate) fn add_missing(&self, last: Option<EventId>) {
        let has_lost = match &self.state.lock().role {
            Role::Writer(publication) => {
                let had_some = !publication.replaces && publication.published > EventId::start(publication.epoch);
                had_some && last.is_none_or(|last| last < publication.published)
            }
            Role::Alone | Role::Follower(_) => false,
        };
        if has_lost {
            self.repair(last);
            // Queues the conversation.
            drop(self.lock_for_use());
        }
    }

    /// Waits until the store has everything that has happened so far.
    pub(crate) async fn flushed(&self) {
        let last = self.last();
        self.is_stored(self.epoch(), last).await;
    }

    /// Waits until the store has an event that was written in this epoch.
    ///
    /// Returns `false` if another process writes the conversation meanwhile.
    async fn is_stored(&self, epoch: Option<u64>, event: EventId) -> bool {
        let (mut published, mut changed) = (self.published.subscribe(), self.changed.subscribe());
        loop {
            {
                let state = self.state.lock();
                match &state.role {
                    role if state.gone || role.epoch() != epoch => return false,
                    Role::Writer(publication) if publication.is_queued && publication.published < event => {}
                    _ => return true,
                }
            }
            // They can't fail: the conversation keeps the senders.
            tokio::select! {
                _ = published.changed() => {}
                _ = changed.changed() => {}
            }
        }
    }
}

impl Turn {
    /// Waits until the store has what has happened so far, the beginning of the turn included.
    ///
    /// Returns `false` if another process writes the conversation meanwhile.
    pub(crate) async fn is_stored(&self) -> bool {
        let conversation = self.conversation();
        conversation.is_stored(self.epoch(), conversation.last()).await
    }
}

impl ConversationState {
    fn next_batch(&mut self, id: &str) -> Option<Batch> {
        let Role::Writer(publication) = &self.role else { return None };
        let (known, replaces) = match self.log.buffer.frames_after(publication.published) {
            Some(frames) if !publication.replaces => (Some(frames.cloned().collect()), false),
            _ => (None, true),
        };
        let frames: Vec<Frame> = known.unwrap_or_else(|| self.log.buffer.frames().cloned().collect());
        let has_changed = self.log.has_changed || replaces;
        if frames.is_empty() && !has_changed {
            return None;
        }
        let (epoch, view_size) = (publication.epoch, publication.view_size);
        let after = if replaces { self.log.buffer.before() } else { publication.published };
        let last = frames.last().map_or_else(|| after.max(self.log.buffer.last()), |frame| frame.id);
        let mut set = Vec::new();
        let needs_view =
            replaces || self.log.since_view > MIN_VIEW.max(view_size) || self.log.events_since_view > MAX_EVENTS;
        if needs_view {
            set.push(("view", serde_json::to_string(&self.snapshot(id)).unwrap_or_default()));
        }
        let facts = has_changed.then(|| self.facts());
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
        let mut json_of_facts = None;
        if let Some(facts) = &facts {
            let json = serde_json::to_string(facts).unwrap_or_default();
            set.push(("turn", facts.turn.name().to_owned()));
            set.push(("facts", json.clone()));
            json_of_facts = Some(json);
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
        Some(Batch { epoch, after, last, replaces, set, removed, dropped_before, frames, facts: json_of_facts })
    }
}
