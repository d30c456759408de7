//! Who writes a conversation's events.

use super::event_id::EventId;
use super::facts::Facts;

/// Who writes a conversation's events.
#[derive(Debug)]
pub(super) enum Role {
    /// This process, which keeps them for itself.
    Alone,
    /// This process, which tells the store.
    Writer(Publication),
    /// Another process.
    Follower(Followed),
}

/// What is known of a conversation that another process writes.
#[derive(Debug, Default)]
pub(super) struct Followed {
    pub(super) facts: Facts,
    /// The epoch of the writer. A store that has lost the last writer names an earlier one.
    pub(super) epoch: u64,
    /// The events here may differ from the writer's, so all has to be loaded.
    pub(super) is_outdated: bool,
}

impl Role {
    /// Returns the epoch in which this process writes the conversation for all.
    pub(super) fn epoch(&self) -> Option<u64> {
        match self {
            Role::Writer(publication) => Some(publication.epoch),
            Role::Alone | Role::Follower(_) => None,
        }
    }

    /// Returns the bytes of a batch that waits until the store can get it.
    pub(super) fn unsent_bytes(&self) -> Option<usize> {
        match self {
            Role::Writer(publication) => publication.unsent_bytes,
            Role::Alone | Role::Follower(_) => None,
        }
    }

    /// Returns `true` if the store has to be told of a change.
    pub(super) fn has_untold_changes(&self) -> bool {
        matches!(self, Role::Writer(publication) if publication.told < publication.changes)
    }
}

/// What the store knows of the conversation.
#[derive(Debug)]
pub(super) struct Publication {
    pub(super) epoch: u64,
    /// The last event that the store has.
    pub(super) published: EventId,
    /// The store has, or has had, the conversation.
    pub(super) is_stored: bool,
    /// The bytes of a batch that the store can't get now, and that is sent again later.
    pub(super) unsent_bytes: Option<usize>,
    /// Number of batches so far.
    pub(super) batches: u64,
    /// Number of changes so far, and how many of them the store has been told of.
    pub(super) changes: u64,
    pub(super) told: u64,
    /// The log in the store has to begin anew.
    pub(super) replaces: bool,
    /// The size of the view in the store.
    pub(super) view_size: usize,
    /// The questions whose answers in the store have been given.
    pub(super) answered: Vec<u64>,
}

impl Publication {
    /// Returns the publication of a conversation of which the store knows nothing.
    pub(super) fn of_new(epoch: u64) -> Publication {
        Publication { is_stored: false, replaces: true, ..Publication::after(EventId::start(epoch), epoch) }
    }

    /// Returns a publication of events in this epoch, after one that the store has.
    pub(super) fn after(published: EventId, epoch: u64) -> Publication {
        Publication {
            epoch,
            published,
            is_stored: true,
            unsent_bytes: None,
            batches: 0,
            changes: 0,
            told: 0,
            replaces: false,
            view_size: 0,
            answered: Vec::new(),
        }
    }
}
