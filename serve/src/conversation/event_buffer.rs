//! The latest events, serialized, for readers that lag a little.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use super::event::ConversationEvent;
use super::event_id::EventId;
use super::frame::Frame;
use super::overhead::FRAME_OVERHEAD;

/// Maximum number of bytes that one conversation buffers.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of bytes that a reader gets at once, unless a single event is longer.
const MAX_BATCH: usize = 64 << 10;

/// The latest events, in the order of their ids.
///
/// The last id stays known when its event is no longer buffered.
#[derive(Debug)]
pub(super) struct EventBuffer {
    frames: VecDeque<Frame>,
    bytes: usize,
    max_events: usize,
    /// The id before the first buffered event.
    before: EventId,
    last: EventId,
    /// The epoch of the next event.
    epoch: u64,
}

impl EventBuffer {
    /// Creates a buffer of at most `max_events` events. The first is the one after `start`.
    pub(super) fn new(start: EventId, max_events: usize) -> EventBuffer {
        EventBuffer { frames: VecDeque::new(), bytes: 0, max_events, before: start, last: start, epoch: start.epoch }
    }

    /// Returns the id of the last event.
    pub(super) fn last(&self) -> EventId {
        self.last
    }

    /// Returns the bytes of the last event, if it is buffered.
    pub(super) fn size_of_last(&self) -> usize {
        self.frames.back().map_or(0, |frame| frame.bytes.len())
    }

    /// Returns the id before the first buffered event.
    pub(super) fn before(&self) -> EventId {
        self.before
    }

    /// Returns the number of buffered events.
    pub(super) fn len(&self) -> usize {
        self.frames.len()
    }

    /// Returns the id before that of a buffered event.
    pub(super) fn id_before(&self, id: EventId) -> EventId {
        let index = self.frames.partition_point(|frame| frame.id < id);
        index.checked_sub(1).and_then(|index| self.frames.get(index)).map_or(self.before, |frame| frame.id)
    }

    /// Returns all buffered events.
    pub(super) fn frames(&self) -> impl Iterator<Item = &Frame> {
        self.frames.iter()
    }

    /// Returns the approximate memory of the buffer.
    pub(super) fn memory(&self) -> usize {
        self.bytes + self.frames.len() * FRAME_OVERHEAD
    }

    /// Lets the next events be those of another writer.
    pub(super) fn begin_epoch(&mut self, epoch: u64) {
        self.epoch = epoch;
        if self.last.number == 0 {
            // There was no event yet.
            self.last = EventId::start(epoch);
            self.before = self.last;
        }
    }

    /// Appends the next event, and drops the oldest ones that exceed the limits.
    pub(super) fn push(&mut self, event: &ConversationEvent<'_>) {
        let before = if self.last.epoch == self.epoch { self.last } else { EventId::start(self.epoch) };
        self.push_frame(Frame::new(before.next(), event));
    }

    /// Appends an event that was serialized elsewhere.
    pub(super) fn push_frame(&mut self, frame: Frame) {
        self.last = frame.id;
        self.epoch = frame.id.epoch;
        self.bytes += frame.bytes.len();
        self.frames.push_back(frame);
        while self.bytes > MAX_BYTES || self.frames.len() > self.max_events {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.bytes.len();
            self.before = oldest.id;
        }
    }

    /// Returns the events after the one with this id.
    ///
    /// `None` if there was no such event, or some of those after it are no longer buffered.
    pub(super) fn frames_after(&self, id: EventId) -> Option<impl Iterator<Item = &Frame>> {
        let start = match self.frames.binary_search_by_key(&id, |frame| frame.id) {
            Ok(index) => index + 1,
            Err(_) if id == self.last => self.frames.len(),
            Err(_) if id == self.before => 0,
            Err(_) => return None,
        };
        Some(self.frames.range(start..))
    }

    /// Returns the first batch of the events after that one, and the id of its last event.
    ///
    /// `None` if there was no such event, or some of those after it are no longer buffered.
    pub(super) fn after(&self, id: EventId) -> Option<(Bytes, EventId)> {
        let (mut batch, mut last) = (BytesMut::new(), id);
        for frame in self.frames_after(id)? {
            if !batch.is_empty() && batch.len() + frame.bytes.len() > MAX_BATCH {
                break;
            }
            batch.extend_from_slice(&frame.bytes);
            last = frame.id;
        }
        Some((batch.freeze(), last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(number: u64) -> EventId {
        EventId { epoch: 3, number }
    }

    fn buffer_of(max_events: usize, events: u64) -> EventBuffer {
        let mut buffer = EventBuffer::new(id(0), max_events);
        for number in 0..events {
            buffer.push(&ConversationEvent::Open { number });
        }
        buffer
    }

    #[test]
    fn events_after_an_id_are_returned_while_they_are_buffered() {
        let buffer = buffer_of(3, 5);
        assert_eq!(buffer.last(), id(5));
        assert_eq!(buffer.after(id(5)), Some((Bytes::new(), id(5))));
        let (frames, last) = buffer.after(id(3)).unwrap();
        assert_eq!(last, id(5));
        assert_eq!(
            frames,
            "id: 3-4\nevent: open\ndata: {\"number\":3}\n\nid: 3-5\nevent: open\ndata: {\"number\":4}\n\n"
        );
        assert_eq!(buffer.after(id(2)).unwrap().1, id(5));
        assert_eq!(buffer.after(id(1)), None, "event 2 is no longer buffered");
        assert_eq!(buffer.after(id(6)), None, "there was no such event");
        assert_eq!(buffer.after(EventId { epoch: 2, number: 4 }), None, "of another writer");
    }

    #[test]
    fn the_first_event_follows_the_start() {
        let buffer = buffer_of(3, 2);
        assert_eq!(buffer.after(id(0)).unwrap().1, id(2));
    }

    #[test]
    fn the_events_of_another_writer_follow() {
        let mut buffer = buffer_of(8, 2);
        buffer.begin_epoch(4);
        assert_eq!(buffer.last(), id(2));
        assert_eq!(buffer.after(id(2)).map(|(frames, _)| frames), Some(Bytes::new()));
        buffer.push(&ConversationEvent::Open { number: 9 });
        let (frames, last) = buffer.after(id(1)).unwrap();
        assert_eq!(last, EventId { epoch: 4, number: 1 });
        assert!(frames.starts_with(b"id: 3-2\n"), "{frames:?}");
    }

    #[test]
    fn the_bytes_of_the_buffer_and_of_a_batch_are_limited() {
        let mut buffer = EventBuffer::new(id(0), 1000);
        let text = "x".repeat(MAX_BATCH / 2);
        for _ in 0..100 {
            buffer.push(&ConversationEvent::Text { text: (&text).into() });
        }
        assert!(buffer.bytes <= MAX_BYTES && buffer.frames.len() < 32);
        let (batch, last) = buffer.after(id(90)).unwrap();
        assert_eq!(last, id(91));
        assert!(batch.len() <= MAX_BATCH);
        buffer.push(&ConversationEvent::Text { text: "x".repeat(2 * MAX_BYTES).into() });
        assert_eq!(
            (buffer.frames.len(), buffer.bytes, buffer.after(id(100))),
            (0, 0, None),
            "an event larger than the buffer"
        );
        assert_eq!(buffer.after(id(101)), Some((Bytes::new(), id(101))));
    }
}
