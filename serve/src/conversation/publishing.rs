//! What the store is told of a conversation, by the process that writes it.

use super::Conversation;
use super::event_id::EventId;
use super::frame::Frame;
use super::role::Role;
use super::state::ConversationState;
use super::stored::{Batch, StoredState, answer_field};
use super::stored_continuation;

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
        // It may lack what the last batch has set, too.
        (state.log.has_changed, state.has_new_continuation, state.has_new_pieces) = (true, true, true);
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
            // The items say what was before these.
            None => {
                let all = self.log.buffer.len();
                (self.log.buffer.frames().skip(all.saturating_sub(MAX_BATCH)).cloned().collect(), true)
            }
        };
        let has_changed = self.log.has_changed || replaces;
        if frames.is_empty() && !has_changed && !self.has_new_pieces && publication.told == changes {
            return None;
        }
        let last = frames.last().map_or(publication.published, |frame| frame.id);
        let (after, last) = match frames.first() {
            Some(first) if replaces => (self.log.buffer.id_before(first.id), last),
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
}
