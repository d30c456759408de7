//! The latest events, as they are sent, for readers that are a little behind.

use std::collections::VecDeque;
use std::io::Write;

use bytes::{Bytes, BytesMut};
use serde::Serialize;

use super::happened::Happened;

/// How many bytes of events one conversation keeps at the most.
const BYTES: usize = 1 << 20;

/// How many bytes a reader is given at once; more only if one event has more.
const BATCH: usize = 64 << 10;

/// The latest events. Each has a number, counted from 1; that of the last is kept when the event itself no longer is.
#[derive(Debug)]
pub(super) struct Ring {
    /// What the ids of this conversation's events begin with: a conversation of the same name may come back.
    epoch: String,
    frames: VecDeque<Bytes>,
    bytes: usize,
    most: usize,
    last: u64,
}

impl Ring {
    /// Keeps that many events at the most.
    pub(super) fn new(epoch: String, most: usize) -> Ring {
        Ring { epoch, frames: VecDeque::new(), bytes: 0, most, last: 0 }
    }

    /// The id of the last event.
    pub(super) fn last_id(&self) -> String {
        format!("{}-{}", self.epoch, self.last)
    }

    /// The number of the last event.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// The number in an id, if it is of this conversation, and an event that has been.
    pub(super) fn number(&self, id: &str) -> Option<u64> {
        let number = id.strip_prefix(&*self.epoch)?.strip_prefix('-')?.parse().ok()?;
        (number <= self.last).then_some(number)
    }

    /// Takes an event, and lets go of the oldest if there are too many.
    pub(super) fn push(&mut self, happened: &Happened<'_>) {
        self.last += 1;
        let frame = frame(&self.last_id(), happened.name(), happened);
        self.bytes += frame.len();
        self.frames.push_back(frame);
        while self.bytes > BYTES || self.frames.len() > self.most {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }

    /// What came after that number, or the beginning of it, and the number of the last event in that. `None`: it is no longer kept.
    pub(super) fn after(&self, number: u64) -> Option<(Bytes, u64)> {
        let missed = usize::try_from(self.last.checked_sub(number)?).ok()?;
        let mut at = self.frames.len().checked_sub(missed)?;
        let mut batch = BytesMut::new();
        let mut number = number;
        while let Some(frame) = self.frames.get(at) {
            if !batch.is_empty() && batch.len() + frame.len() > BATCH {
                break;
            }
            batch.extend_from_slice(frame);
            at += 1;
            number += 1;
        }
        Some((batch.freeze(), number))
    }
}

/// An event, as it is sent. JSON has no line ends, so that its data is one line.
pub(super) fn frame(id: &str, name: &str, data: &impl Serialize) -> Bytes {
    let mut frame = Vec::new();
    // Writing to memory does not fail, and everything that is sent is JSON.
    let _ = write!(frame, "id: {id}\nevent: {name}\ndata: ");
    let _ = serde_json::to_writer(&mut frame, data);
    frame.extend_from_slice(b"\n\n");
    frame.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(most: usize, events: u64) -> Ring {
        let mut ring = Ring::new("e".into(), most);
        for number in 0..events {
            ring.push(&Happened::Open { number });
        }
        ring
    }

    #[test]
    fn what_came_after_is_there_as_long_as_it_is_kept() {
        let ring = ring(3, 5);
        assert_eq!(ring.after(5), Some((Bytes::new(), 5)));
        let (frames, last) = ring.after(3).unwrap();
        assert_eq!(last, 5);
        assert_eq!(
            frames,
            "id: e-4\nevent: open\ndata: {\"number\":3}\n\nid: e-5\nevent: open\ndata: {\"number\":4}\n\n"
        );
        assert_eq!(ring.after(2).unwrap().1, 5);
        assert_eq!(ring.after(1), None, "event 2 is gone");
        assert_eq!(ring.after(6), None, "there was no such event");
    }

    #[test]
    fn an_id_is_of_this_conversation_and_has_been() {
        let ring = ring(3, 5);
        assert_eq!(ring.last_id(), "e-5");
        assert_eq!([0, 1, 5].map(|n| ring.number(&format!("e-{n}"))), [Some(0), Some(1), Some(5)]);
        for other in ["e-6", "f-1", "1", "e", "e-", "e--1", "", "e-99999999999999999999999"] {
            assert_eq!(ring.number(other), None, "{other}");
        }
    }

    #[test]
    fn bytes_are_limited_too_and_batches_are_small() {
        let mut ring = Ring::new("e".into(), 1000);
        let text = "x".repeat(BATCH / 2);
        for _ in 0..100 {
            ring.push(&Happened::Text { text: &text });
        }
        assert!(ring.bytes <= BYTES && ring.frames.len() < 32);
        let (batch, last) = ring.after(90).unwrap();
        assert_eq!(last, 91);
        assert!(batch.len() <= BATCH);
        ring.push(&Happened::Text { text: &"x".repeat(2 * BYTES) });
        assert_eq!((ring.frames.len(), ring.bytes, ring.after(100)), (0, 0, None), "larger than all that is kept");
        assert_eq!(ring.after(101), Some((Bytes::new(), 101)));
    }
}
