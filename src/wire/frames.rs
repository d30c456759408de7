//! Framing: cutting a body into payloads.
//!
//! The body has server-sent events, JSON lines, one JSON array, or Amazon's binary frames.
//!
//! It is written here, and not taken from a crate, because cutting a stream correctly is what this
//! crate is for. Of nine decoders of server-sent events, tried on a cut byte order mark, a cut
//! `\r\n`, ill-formed UTF-8, and a line of a megabyte in 16-byte chunks, seven failed:
//!
//! - `eventsource-stream` 0.2 panics on every byte order mark, takes 25 s for the line (its time is
//!   quadratic), and yields nothing more after ill-formed UTF-8;
//! - `sse-stream` 0.3 ends its stream at ill-formed UTF-8;
//! - `async-sse` 5.1 makes two events of one if `\r\n` is cut.
//!
//! `sse-core` and `sse-parse` pass, and the tests compare this decoder with `sse-core`. But as the
//! standard demands, they drop an event that ends with the body and not with a blank line, which
//! many servers send; and JSON lines and arrays need the same care.

use alloc::vec::Vec;

use self::array::ArrayElement;
#[cfg(feature = "eventstream")]
use self::event_stream::{BadFrame, FrameDecoder, may_begin};
use self::events::{SseEvent, max_line};
use self::lines::JsonValue;
use self::named::NamedEvents;
use super::brackets::BracketScanner;
use super::buffer::append;
use super::deltas::RETAINED;
use super::format::Format;

mod array;
mod events;
mod lines;
mod named;

pub(super) use named::OUTPUT_EVENT;

#[cfg(feature = "eventstream")]
mod crc32;
#[cfg(feature = "eventstream")]
mod event_stream;

#[cfg(feature = "eventstream")]
pub(super) use event_stream::begins_with_prelude;

/// How a body is framed, which its first characters decide.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Framing {
    /// Only `bom` bytes of a byte order mark have arrived, and white space.
    Undecided {
        bom: usize,
        /// The current line begins with blanks.
        indented: bool,
    },
    ServerSentEvents(SseEvent),
    Lines(JsonValue),
    /// An array, whose elements may hold any white space.
    Array(ArrayElement),
    /// Amazon's binary framing.
    #[cfg(feature = "eventstream")]
    Binary(FrameDecoder),
}

/// A decoder that splits a body into payloads. It reads every byte once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Frames {
    framing: Framing,
    /// The beginning of an incomplete line of server-sent events, or of an incomplete JSON value.
    buffer: Vec<u8>,
    /// The last payload was lent from `buffer` or from the event's data, which are to be cleared.
    lent: bool,
    /// The bytes that a payload may have.
    limit: usize,
    /// The format may be framed in binary.
    #[cfg_attr(not(feature = "eventstream"), allow(dead_code))]
    may_be_binary: bool,
    named: NamedEvents,
}

/// The next payload of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'f> {
    /// A payload, which should be one JSON value.
    Payload(&'f [u8]),
    /// The payload of a field `error`, which says that it is an error.
    Error(&'f [u8]),
    /// A payload longer than the limit was skipped.
    TooLong,
    /// A binary frame is corrupt: what is wrong with it.
    #[cfg_attr(not(feature = "eventstream"), allow(dead_code))]
    Corrupt(&'static str),
}

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Frames {
    /// Creates a decoder for bodies of that format; with `None`, for text that is to be detected.
    pub(super) fn new(format: Option<Format>, limit: usize) -> Frames {
        Frames {
            framing: Framing::Undecided { bom: 0, indented: false },
            buffer: Vec::new(),
            lent: false,
            limit,
            may_be_binary: format == Some(Format::Bedrock),
            named: match format {
                None => NamedEvents::Output,
                Some(Format::Replicate) => NamedEvents::All,
                Some(_) => NamedEvents::None,
            },
        }
    }

    /// Returns whether the body has more than white space.
    pub(super) fn has_content(&self) -> bool {
        !matches!(self.framing, Framing::Undecided { .. })
    }

    /// Consumes the chunk up to the end of the next payload; `None` when the chunk is consumed.
    pub(super) fn next<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        self.clear_lent();
        if let Framing::Undecided { .. } = self.framing {
            self.decide_framing(chunk);
        }
        match self.framing {
            Framing::Undecided { .. } => None,
            Framing::ServerSentEvents(_) => self.next_event(chunk),
            Framing::Lines(_) => self.next_line(chunk),
            Framing::Array(_) => self.next_element(chunk),
            #[cfg(feature = "eventstream")]
            Framing::Binary(ref mut stream) => Some(match stream.next(chunk, self.limit)? {
                Ok(json) => Frame::Payload(json),
                Err(bad) => bad.into(),
            }),
        }
    }

    /// Returns the payload that the end of the body completes.
    pub(super) fn finish(&mut self) -> Option<Frame<'_>> {
        self.clear_lent();
        match &mut self.framing {
            Framing::Undecided { .. } => None,
            Framing::ServerSentEvents(event) => {
                self.lent = true;
                event.finish(&self.buffer, self.limit)
            }
            Framing::Lines(value) => {
                self.lent = true;
                value.finish(&self.buffer, self.limit)
            }
            Framing::Array(element) => {
                self.lent = true;
                element.finish(&self.buffer)
            }
            #[cfg(feature = "eventstream")]
            Framing::Binary(stream) => stream.finish().map(Frame::from),
        }
    }

    /// Returns bytes at the end of the body that are to be read again, before it is finished.
    pub(super) fn take_rest(&mut self) -> Option<Vec<u8>> {
        match &self.framing {
            Framing::Array(_) => self.take_cut_element(),
            // The last line ends an event, and is another.
            Framing::ServerSentEvents(event) if event.is_divided_by(&self.buffer, self.limit) => {
                self.buffer.push(b'\n');
                Some(core::mem::take(&mut self.buffer))
            }
            _ => None,
        }
    }

    /// Returns whether the state is one of a body with that limit of an event.
    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        let framing = match &self.framing {
            Framing::Undecided { bom, .. } => *bom <= BYTE_ORDER_MARK.len(),
            Framing::ServerSentEvents(event) => event.is_in_bounds(limit),
            Framing::Lines(value) => value.is_in_bounds(),
            Framing::Array(element) => element.is_in_bounds(limit),
            #[cfg(feature = "eventstream")]
            Framing::Binary(stream) => stream.is_in_bounds(limit),
        };
        framing && self.limit == limit && self.buffer.len() <= max_line(limit) && !self.lent
    }

    /// Clears what was lent.
    pub(super) fn clear_lent(&mut self) {
        match &mut self.framing {
            Framing::ServerSentEvents(event) => event.clear_object(),
            #[cfg(feature = "eventstream")]
            Framing::Binary(stream) => stream.clear_lent(),
            _ => {}
        }
        if !core::mem::take(&mut self.lent) {
            return;
        }
        self.buffer.clear();
        self.buffer.shrink_to(RETAINED);
        match &mut self.framing {
            Framing::Undecided { .. } => {}
            Framing::ServerSentEvents(event) => event.clear(),
            Framing::Lines(value) => *value = JsonValue::default(),
            Framing::Array(element) => element.clear(),
            #[cfg(feature = "eventstream")]
            Framing::Binary(_) => {}
        }
    }

    /// Consumes the chunk up to the first character that decides the framing.
    fn decide_framing(&mut self, chunk: &mut &[u8]) {
        while let (Framing::Undecided { bom, indented }, Some((&byte, rest))) = (&mut self.framing, chunk.split_first())
        {
            match byte {
                _ if BYTE_ORDER_MARK.get(*bom) == Some(&byte) => *bom += 1,
                b'\n' | b'\r' | b' ' | b'\t' if matches!(*bom, 0 | 3) => {
                    // After white space there can be no byte order mark.
                    (*bom, *indented) = (BYTE_ORDER_MARK.len(), matches!(byte, b' ' | b'\t'));
                }
                #[cfg(feature = "eventstream")]
                _ if self.may_be_binary && *bom == 0 && may_begin(byte) => {
                    self.framing = Framing::Binary(FrameDecoder::default());
                }
                b'{' if matches!(*bom, 0 | 3) => self.framing = Framing::Lines(JsonValue::default()),
                b'[' if matches!(*bom, 0 | 3) => self.framing = Framing::Array(ArrayElement::default()),
                _ => {
                    // A part of a byte order mark, and blanks, are the beginning of a line.
                    self.buffer.extend_from_slice(&BYTE_ORDER_MARK[..*bom % BYTE_ORDER_MARK.len()]);
                    self.buffer.extend(indented.then_some(b' '));
                    self.framing = Framing::ServerSentEvents(SseEvent::new(self.named));
                }
            }
            // The deciding character is part of the first payload, but for the bracket of an array.
            if matches!(self.framing, Framing::Undecided { .. } | Framing::Array(_)) {
                *chunk = rest;
            }
        }
    }
}

#[cfg(feature = "eventstream")]
impl From<BadFrame> for Frame<'_> {
    fn from(bad: BadFrame) -> Self {
        match bad {
            BadFrame::TooLong => Frame::TooLong,
            BadFrame::Corrupt(what) => Frame::Corrupt(what),
        }
    }
}

fn frame(payload: &[u8], too_long: bool) -> Option<Frame<'_>> {
    match too_long {
        true => Some(Frame::TooLong),
        false => Some(payload.trim_ascii()).filter(|payload| !payload.is_empty()).map(Frame::Payload),
    }
}

#[cfg(test)]
mod tests;
