//! What is read of conversations, as arguments of a script, and what the store has.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use crate::conversation::{EventId, LogEntry, StoredConversation};
use crate::shared::error::StoreError;
use crate::shared::keys::Keys;
use crate::shared::script::Call;

/// What is read of a conversation.
#[derive(Clone)]
pub(super) struct Load {
    pub(super) id: String,
    /// The events after this one; all if `None`.
    pub(super) after: Option<EventId>,
    /// This replica has written what is stored, as far as it knows.
    pub(super) is_own: bool,
    /// Kept until the store has answered, even if nobody waits for that any more.
    pub(super) _permit: Option<Arc<OwnedSemaphorePermit>>,
}

/// What is stored: the fields of the state, and the entries of the log.
pub(super) type Stored = (HashMap<String, String>, Vec<LogEntry>);

/// What the store has of a conversation.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing: there is no such conversation, or the store has lost it.
    Nothing,
    /// It was deleted, after an epoch of this number or a lower one.
    Deleted,
    Stored(Box<StoredConversation>),
}

impl Found {
    /// Returns what is stored, if anything is.
    pub(crate) fn stored(self) -> Option<StoredConversation> {
        match self {
            Found::Stored(stored) => Some(*stored),
            Found::Nothing | Found::Deleted => None,
        }
    }
}

impl Load {
    /// Adds the keys and the arguments to a call of the script.
    pub(super) fn add_to(&self, call: &mut Call<'_>, keys: &Keys) {
        call.key(keys.log(&self.id)).key(keys.state(&self.id));
        call.arg(self.after.map_or_else(|| "-".to_owned(), |id| format!("({id}")));
        call.arg(if self.is_own { "own" } else { "" });
    }
}

/// Returns what these fields and entries say.
pub(super) fn found(fields: HashMap<String, String>, entries: Vec<LogEntry>) -> Result<Found, StoreError> {
    // Another field may be there before the first event is.
    if !fields.contains_key("epoch") {
        return Ok(Found::Nothing);
    }
    if fields.contains_key("deleted") {
        return Ok(Found::Deleted);
    }
    let stored = StoredConversation::new(fields, entries);
    stored.map(|stored| Found::Stored(Box::new(stored))).map_err(|error| StoreError::Unreadable(error.to_string()))
}
