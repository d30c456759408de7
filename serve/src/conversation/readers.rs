//! The readers of a conversation, and what they are sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::watch;

use super::Conversation;
use super::event::ConversationEvent;
use super::event_id::EventId;
use super::frame::{Frame, frame};

/// What a reader is sent next.
#[derive(Debug)]
pub(crate) enum ReadResult {
    /// Serialized events, and the id of the last of them.
    Events(Bytes, EventId),
    /// There is nothing new.
    Nothing,
    /// The last event: the conversation is gone.
    Gone(Bytes),
}

impl Conversation {
    /// Returns `true` if a reader that has seen the event with this id needs only those after it.
    pub(crate) fn has_events_after(&self, id: EventId) -> bool {
        self.state.lock().log.buffer.frames_after(id).is_some()
    }

    /// Returns the events after the last one that a reader has seen.
    ///
    /// That is the whole state if it has seen none, or if too much has happened since.
    pub(crate) fn read(&self, last_seen: Option<EventId>) -> ReadResult {
        let state = self.state.lock();
        let buffer = &state.log.buffer;
        if state.gone {
            return ReadResult::Gone(Frame::new(buffer.last(), &ConversationEvent::Gone {}).bytes);
        }
        match last_seen.and_then(|id| buffer.after(id)) {
            Some((events, _)) if events.is_empty() => ReadResult::Nothing,
            Some((events, last)) => ReadResult::Events(events, last),
            None => ReadResult::Events(frame(buffer.last(), "state", &state.snapshot(&self.id)), buffer.last()),
        }
    }

    /// Adds a reader; `None` if the conversation has as many as it may have.
    pub(crate) fn reader(self: &Arc<Conversation>) -> Option<Reader> {
        let max = self.settings.limits.readers;
        let add_one = |now: usize| (now < max).then_some(now + 1);
        self.readers.fetch_update(Ordering::AcqRel, Ordering::Acquire, add_one).ok()?;
        self.metrics.readers.inc();
        Some(Reader { conversation: self.clone(), changed: self.changed.subscribe(), is_limited: true })
    }

    /// Adds a reader for the service itself, which waits for an event.
    ///
    /// It does not count for the limit.
    pub(crate) fn waiter(self: &Arc<Conversation>) -> Reader {
        self.users.fetch_add(1, Ordering::AcqRel);
        Reader { conversation: self.clone(), changed: self.changed.subscribe(), is_limited: false }
    }

    pub(crate) fn has_readers(&self) -> bool {
        self.readers.load(Ordering::Acquire) > 0 || self.users.load(Ordering::Acquire) > 0
    }
}

/// A reader of a conversation's events.
pub(crate) struct Reader {
    pub(crate) conversation: Arc<Conversation>,
    changed: watch::Receiver<()>,
    /// It counts for the limit of readers.
    is_limited: bool,
}

impl Reader {
    /// Waits for a change since the last call.
    pub(crate) async fn changed(&mut self) {
        // This can't fail: the reader keeps the conversation alive, and with it the sender.
        let _ = self.changed.changed().await;
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let conversation = &self.conversation;
        conversation.state.lock().used = Instant::now();
        if self.is_limited {
            conversation.readers.fetch_sub(1, Ordering::AcqRel);
            conversation.metrics.readers.dec();
        } else {
            conversation.users.fetch_sub(1, Ordering::AcqRel);
        }
    }
}
