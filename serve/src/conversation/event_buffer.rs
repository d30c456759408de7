//! The latest events, serialized, for readers that lag a little.

use std::collections::VecDeque;
use std::io::Write;

use bytes::{Bytes, BytesMut};
use serde::Serialize;

use super::event::ConversationEvent;

/// Maximum number of bytes that one conversation buffers.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of bytes that a reader gets at once, unless a single event is longer.
const MAX_BATCH: usize = 64 << 10;

/// The latest events, numbered from 1.
///
/// The last number stays known when its event is no longer buffered.
#[derive(Debug)]
pub(super) struct EventBuffer {
    /// Prefix of the event ids: it differs from that of an earlier conversation with the same id.
    epoch: String,
    frames: VecDeque<Bytes>,
    bytes: usize,
    max_events: usize,
    last: u64,
}

impl EventBuffer {
    /// Creates a buffer of at most `max_events` events.
    pub(super) fn new(epoch: String, max_events: usize) -> EventBuffer {
        EventBuffer { epoch, frames: VecDeque::new(), bytes: 0, max_events, last: 0 }
    }

    /// Returns the id of the last event.
    pub(super) fn last_id(&self) -> String {
        format!("{}-{}", self.epoch, self.last)
    }

    /// Returns the number of the last event.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Returns the number in an id; `None` if this conversation has had no such event.
    pub(super) fn number(&self, id: &str) -> Option<u64> {
        let number = id.strip_prefix(&*self.epoch)?.strip_prefix('-')?.parse().ok()?;
        (number <= self.last).then_some(number)
    }

    /// Appends an event, and drops the oldest ones that exceed the limits.
    pub(super) fn push(&mut self, event: &ConversationEvent<'_>) {
        self.last += 1;
        let frame = frame(&self.last_id(), event.name(), event);
        self.bytes += frame.len();
        self.frames.push_back(frame);
        while self.bytes > MAX_BYTES || self.frames.len() > self.max_events {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }

    /// Returns the first batch of the events after that number, and the number of its last event.
    ///
    /// `None` if some of the events are no longer buffered.
    pub(super) fn after(&self, number: u64) -> Option<(Bytes, u64)> {
        let missed = usize::try_from(self.last.checked_sub(number)?).ok()?;
        let mut index = self.frames.len().checked_sub(missed)?;
        let mut batch = BytesMut::new();
        let mut number = number;
        while let Some(frame) = self.frames.get(index) {
            if !batch.is_empty() && batch.len() + frame.len() > MAX_BATCH {
                break;
            }
            batch.extend_from_slice(frame);
            index += 1;
            number += 1;
        }
        Some((batch.freeze(), number))
    }
}

/// Serializes an event. Its data is one line, because compact JSON holds no line ends.
pub(crate) fn frame(id: &str, name: &str, data: &impl Serialize) -> Bytes {
    let mut frame = Vec::new();
    // Neither can fail: this writes to memory, and all data serializes to JSON.
    let _ = write!(frame, "id: {id}\nevent: {name}\ndata: ");
    let _ = serde_json::to_writer(&mut frame, data);
    frame.extend_from_slice(b"\n\n");
    frame.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer_of(max_events: usize, events: u64) -> EventBuffer {
        let mut buffer = EventBuffer::new("e".into(), max_events);
        for number in 0..events {
            buffer.push(&ConversationEvent::Open { number });
        }
        buffer
    }

    #[test]
    fn events_after_a_number_are_returned_while_they_are_buffered() {
        let buffer = buffer_of(3, 5);
        assert_eq!(buffer.after(5), Some((Bytes::new(), 5)));
        let (frames, last) = buffer.after(3).unwrap();
        assert_eq!(last, 5);
        assert_eq!(
            frames,
            "id: e-4\nevent: open\ndata: {\"number\":3}\n\nid: e-5\nevent: open\ndata: {\"number\":4}\n\n"
        );
        assert_eq!(buffer.after(2).unwrap().1, 5);
        assert_eq!(buffer.after(1), None, "event 2 is no longer buffered");
        assert_eq!(buffer.after(6), None, "there was no such event");
    }

    #[test]
    fn only_ids_of_past_events_of_this_conversation_are_known() {
        let buffer = buffer_of(3, 5);
        assert_eq!(buffer.last_id(), "e-5");
        assert_eq!([0, 1, 5].map(|n| buffer.number(&format!("e-{n}"))), [Some(0), Some(1), Some(5)]);
        for other in ["e-6", "f-1", "1", "e", "e-", "e--1", "", "e-99999999999999999999999"] {
            assert_eq!(buffer.number(other), None, "{other}");
        }
    }

    #[test]
    fn the_bytes_of_the_buffer_and_of_a_batch_are_limited() {
        let mut buffer = EventBuffer::new("e".into(), 1000);
        let text = "x".repeat(MAX_BATCH / 2);
        for _ in 0..100 {
            buffer.push(&ConversationEvent::Text { text: &text });
        }
        assert!(buffer.bytes <= MAX_BYTES && buffer.frames.len() < 32);
        let (batch, last) = buffer.after(90).unwrap();
        assert_eq!(last, 91);
        assert!(batch.len() <= MAX_BATCH);
        buffer.push(&ConversationEvent::Text { text: &"x".repeat(2 * MAX_BYTES) });
        assert_eq!(
            (buffer.frames.len(), buffer.bytes, buffer.after(100)),
            (0, 0, None),
            "an event larger than the buffer"
        );
        assert_eq!(buffer.after(101), Some((Bytes::new(), 101)));
    }
}
