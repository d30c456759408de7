//! How a conversation is changed: under one lock, after which readers, the list and the store are told.

use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};

use parking_lot::MutexGuard;

use super::Conversation;
use super::role::Role;
use super::state::{ConversationState, ListKey};
use crate::error::ApiError;

/// The locked state. When dropped, it wakes the readers, and those of the list if that has changed.
pub(super) struct ChangeGuard<'a> {
    state: MutexGuard<'a, ConversationState>,
    conversation: &'a Conversation,
    list_key: ListKey,
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
        self.state.count_memory();
        let conversation = self.conversation;
        conversation.queue(&mut self.state);
        conversation.changed.send_replace(());
        if self.state.list_key() != self.list_key {
            // After the change, so that a reader of the version sees the change.
            conversation.version.store(conversation.list.next_version(), Ordering::Release);
            conversation.list.notify();
        }
    }
}

impl Conversation {
    /// Locks the state for a change. Readers are woken when the guard is dropped.
    pub(super) fn lock_for_change(&self) -> ChangeGuard<'_> {
        let mut guard = self.lock_for_use();
        guard.updated = SystemTime::now();
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

    /// Locks the state for a change that may turn out to be none.
    pub(super) fn lock_for_use(&self) -> ChangeGuard<'_> {
        let mut state = self.state.lock();
        state.used = Instant::now();
        let list_key = state.list_key();
        ChangeGuard { state, conversation: self, list_key }
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
