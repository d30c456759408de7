//! How a conversation is changed: under one lock.
//!
//! After a change, readers, the list and the store are told.

use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};

use parking_lot::MutexGuard;

use super::Conversation;
use super::event_id::EventId;
use super::role::Role;
use super::state::{ConversationState, ListKey};
use crate::error::ApiError;

/// The locked state.
///
/// When dropped, it tells readers and the store of a change, and readers of the list if that has
/// changed.
pub(super) struct ChangeGuard<'a> {
    state: MutexGuard<'a, ConversationState>,
    conversation: &'a Conversation,
    list_key: ListKey,
    /// The last event before a change.
    ///
    /// `None` if there may be a change without an event, for which the time of the last change
    /// stays.
    before: Option<EventId>,
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
        let has_events = self.before.map(|before| before != self.state.log.buffer.last());
        if has_events == Some(true) {
            self.state.updated = SystemTime::now();
        }
        self.state.count_memory();
        let conversation = self.conversation;
        // Most chunks of some bodies have no event. Each would cost a batch, and readers on other
        // replicas a comparison.
        if has_events != Some(false) || self.state.log.unpublished.needs_batch() {
            conversation.queue(&mut self.state);
        }
        if has_events != Some(false) {
            conversation.changed.send_replace(());
        }
        if self.state.list_key() != self.list_key {
            // After the change, so that a reader of the version sees the change.
            conversation.version.store(conversation.list.next_version(), Ordering::Release);
            conversation.list.notify();
        }
    }
}

impl Conversation {
    /// Locks the state for a change. Readers are woken when the guard is dropped.
    ///
    /// Every change that readers see has an event. Without one, they are not woken.
    pub(super) fn lock_for_change(&self) -> ChangeGuard<'_> {
        let mut guard = self.lock_for_use();
        guard.before = Some(guard.log.buffer.last());
        guard
    }

    /// Locks the state for a change that only the writer may make.
    ///
    /// # Errors
    ///
    /// If the conversation is gone, or another process writes it.
    pub(super) fn lock_to_write(&self) -> Result<ChangeGuard<'_>, ApiError> {
        let state = self.lock_for_change();
        if state.gone {
            return Err(ApiError::no_conversation(&self.id));
        }
        match state.role {
            Role::Alone | Role::Writer(_) => Ok(state),
            Role::Follower(_) => Err(ApiError::elsewhere(&self.id)),
        }
    }

    /// Locks the state for a change without an event. Readers are woken in any case.
    pub(super) fn lock_for_use(&self) -> ChangeGuard<'_> {
        let mut state = self.state.lock();
        state.used = Instant::now();
        let list_key = state.list_key();
        ChangeGuard { state, conversation: self, list_key, before: None }
    }

    /// Queues the conversation, so that the store is told of a change.
    fn queue(&self, state: &mut ConversationState) {
        let (Role::Writer(publication), Some(outbox)) = (&mut state.role, &self.outbox) else { return };
        publication.changes += 1;
        if !state.is_queued
            && let Some(this) = self.this.upgrade()
        {
            state.is_queued = true;
            // Nobody receives it when the service is shutting down.
            let _ = outbox.send(this);
        }
    }
}

#[cfg(test)]
mod tests {
    use followup::dialogue::{Answer, MessageFormat};
    use followup::wire::Format;

    use crate::conversation::push_piece::Piece;
    use crate::conversation::request_content::RequestContent;
    use crate::conversation::superseding_tests::conversation;
    use crate::conversation::turn::{Turn, TurnSource};
    use crate::conversation::user_action::UserAction;

    #[test]
    fn what_is_refused_is_no_change() {
        let conversation = conversation();
        let begin = || Turn::begin(&conversation, Some(Format::Text), TurnSource::Push, RequestContent::default());
        let act = |action| conversation.perform(action, Vec::new(), MessageFormat::OpenAiChat);
        let updated = || conversation.summary().updated_at;
        let mut turn = begin().unwrap();
        let began = updated();
        assert_eq!(begin().err().unwrap().code(), "busy");
        let piece = Piece { message: "a", offset: 0, bytes: b"x", is_last: true, wire: None };
        assert_eq!(conversation.push_piece(piece).unwrap_err().code(), "busy");
        assert!(Turn::begin_retry(&conversation).is_err());
        assert_eq!(updated(), began);
        turn.feed(b"Hi.");
        turn.end(false);
        let ended = updated();
        assert!(ended > began);
        assert!(act(UserAction::Answer { number: 7, answer: Answer::Suggestion(0) }).is_err());
        assert!(act(UserAction::Guide { text: "x".into() }).is_err());
        conversation.dismiss().unwrap();
        conversation.collect_replies(0, MessageFormat::OpenAiChat).unwrap();
        assert_eq!(updated(), ended, "nothing was open");
    }
}
