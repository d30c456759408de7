//! What readers see of a conversation.

use super::event::ConversationEvent;
use super::event_buffer::EventBuffer;
use super::transcript::Transcript;
use crate::metrics::Metrics;

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
    pub(super) failed: bool,
    pub(super) pieces: bool,
    /// Number and bytes of the events since the store got the items.
    pub(super) events: usize,
    pub(super) bytes: usize,
}

impl Unpublished {
    /// Returns `true` if the store has to be told, even if there are no new events.
    pub(super) fn needs_batch(self) -> bool {
        self.facts || self.pieces
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
