//! Framing: cutting a body into payloads, from server-sent events, JSON lines, one JSON array, or
//! Amazon's binary frames.
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

#[cfg(feature = "eventstream")]
use self::event_stream::{BadFrame, EventStream, may_begin};
use self::named::{NamedEvents, write_object};
use super::brackets::BracketScanner;
use super::buffer::append;
use super::deltas::RETAINED;
use super::elements::{ElementByte, ElementScanner, begins_with_key, first_key};
use super::format::Format;

mod named;

pub(super) use named::OUTPUT_EVENT;

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
    Binary(EventStream),
}

/// The current server-sent event.
///
/// See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SseEvent {
    /// The `data` so far, its lines joined.
    data: Vec<u8>,
    has_data: bool,
    /// The `data` would be longer than the limit.
    too_long: bool,
    /// The `data` is an object without its field, of which so much is open.
    bare: Option<BracketScanner>,
    /// The previous line ended in a CR, so that a LF next is part of its end.
    after_cr: bool,
    named: NamedEvents,
    /// The event's name, if it may matter.
    name: Vec<u8>,
    /// The object that is made of the name and the data.
    object: Vec<u8>,
}

/// The current JSON value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct JsonValue {
    brackets: BracketScanner,
    /// The value is longer than the limit, and is skipped to its end.
    too_long: bool,
}

/// The current element of an array.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct ArrayElement {
    scanner: ElementScanner,
    /// The element is longer than the limit, and is skipped to its end.
    too_long: bool,
    /// The first key of an element that never ended, so that others with that key were in it.
    key: Option<Vec<u8>>,
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
    /// A payload longer than the limit was skipped.
    TooLong,
    /// A binary frame is corrupt: what is wrong with it.
    #[cfg_attr(not(feature = "eventstream"), allow(dead_code))]
    Corrupt(&'static str),
}

/// The bytes of an event's name that are kept.
const MAX_NAME_LEN: usize = 8;

/// Returns the bytes that a buffered line may have: a payload and its field's name, or an event's
/// name.
fn max_line(limit: usize) -> usize {
    limit.saturating_add("data: ".len() + 1).max("event: ".len() + MAX_NAME_LEN)
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
                event.push_line(&self.buffer, self.limit);
                self.lent = true;
                event.frame()
            }
            Framing::Lines(value) => {
                self.lent = true;
                value.too_long |= without_line_end(&self.buffer).len() > self.limit;
                frame(&self.buffer, value.too_long)
            }
            Framing::Array(element) => {
                self.lent = true;
                element_frame(&self.buffer, element.too_long)
            }
            #[cfg(feature = "eventstream")]
            Framing::Binary(stream) => stream.finish().map(Frame::from),
        }
    }

    /// Returns bytes at the end of the body that are to be read again, before it is finished.
    ///
    /// A bracket that is missing in an element of an array hides the elements after it. It shows
    /// only at the end, and then every object with the same first key begins an element.
    pub(super) fn take_rest(&mut self) -> Option<Vec<u8>> {
        let Framing::Array(element) = &mut self.framing else { return None };
        if !element.scanner.is_in_object() || element.too_long || element.key.is_some() || self.lent {
            return None;
        }
        element.key = Some(first_key(&self.buffer)?);
        element.scanner = ElementScanner::default();
        Some(core::mem::take(&mut self.buffer))
    }

    /// Returns whether the state is one of a body with that limit of an event.
    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        let framing = match &self.framing {
            Framing::Undecided { bom, .. } => *bom <= BYTE_ORDER_MARK.len(),
            Framing::ServerSentEvents(event) => {
                event.data.len() <= limit
                    && event.name.len() <= MAX_NAME_LEN
                    && event.bare.is_none_or(BracketScanner::is_in_bounds)
            }
            Framing::Lines(value) => value.brackets.is_in_bounds(),
            Framing::Array(element) => {
                element.scanner.is_in_bounds() && element.key.as_ref().is_none_or(|key| key.len() <= limit)
            }
            #[cfg(feature = "eventstream")]
            Framing::Binary(stream) => stream.is_in_bounds(limit),
        };
        framing && self.limit == limit && self.buffer.len() <= max_line(limit) && !self.lent
    }

    /// Clears what was lent.
    pub(super) fn clear_lent(&mut self) {
        match &mut self.framing {
            Framing::ServerSentEvents(event) => event.object.clear(),
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
            Framing::Array(element) => element.too_long = false,
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
                    self.framing = Framing::Binary(EventStream::default());
                }
                b'{' if matches!(*bom, 0 | 3) => self.framing = Framing::Lines(JsonValue::default()),
                b'[' if matches!(*bom, 0 | 3) => self.framing = Framing::Array(ArrayElement::default()),
                _ => {
                    // A part of a byte order mark, and blanks, are the beginning of a line.
                    self.buffer.extend_from_slice(&BYTE_ORDER_MARK[..*bom % BYTE_ORDER_MARK.len()]);
                    self.buffer.extend(indented.then_some(b' '));
                    self.framing = Framing::ServerSentEvents(SseEvent { named: self.named, ..SseEvent::default() });
                }
            }
            // The deciding character is part of the first payload, but for the bracket of an array.
            if matches!(self.framing, Framing::Undecided { .. } | Framing::Array(_)) {
                *chunk = rest;
            }
        }
    }

    fn next_event<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::ServerSentEvents(event) = &mut self.framing else { return None };
        while let Some(&first) = chunk.first() {
            if core::mem::take(&mut event.after_cr) && first == b'\n' {
                *chunk = &chunk[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', chunk) else {
                buffer_line(&mut self.buffer, chunk, self.limit);
                *chunk = &[];
                break;
            };
            let (line, rest) = chunk.split_at(end);
            event.after_cr = rest[0] == b'\r';
            *chunk = &rest[1..];
            let is_end = if self.buffer.is_empty() {
                event.push_line(line, self.limit)
            } else {
                buffer_line(&mut self.buffer, line, self.limit);
                event.push_buffered(&mut self.buffer, self.limit)
            };
            if is_end && event.has_payload() {
                self.lent = true;
                return event.frame();
            }
            if is_end {
                event.clear();
            }
        }
        None
    }

    fn next_line<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Lines(value) = &mut self.framing else { return None };
        while !chunk.is_empty() {
            // A value may span lines, as long as the next line does not begin like a value of its
            // own.
            if value.brackets.depth > 0 && self.buffer.ends_with(b"\n") && chunk[0] == b'{' {
                self.lent = true;
                value.too_long |= without_line_end(&self.buffer).len() > self.limit;
                return frame(&self.buffer, value.too_long);
            }
            let end = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |end| end + 1);
            // Another value may follow in the same line.
            let (line, rest) = chunk.split_at(value.brackets.push_value(&chunk[..end]));
            *chunk = rest;
            let is_line_over = line.ends_with(b"\n") && (value.brackets.depth == 0 || value.brackets.in_string);
            let complete = is_line_over || value.brackets.is_closed();
            if complete && self.buffer.is_empty() && without_line_end(line).len() <= self.limit {
                *value = JsonValue::default();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return frame(line, false);
            }
            value.too_long |= self.buffer.len() + line.len() > self.limit.saturating_add(2);
            if value.too_long {
                // Only the last byte is needed: it tells whether a line begins next.
                self.buffer.clear();
                self.buffer.extend(line.last());
            } else {
                append(&mut self.buffer, line, max_line(self.limit));
            }
            value.too_long |= complete && without_line_end(&self.buffer).len() > self.limit;
            if complete && (value.too_long || !self.buffer.trim_ascii().is_empty()) {
                self.lent = true;
                return frame(&self.buffer, value.too_long);
            }
            if complete {
                self.buffer.clear();
                *value = JsonValue::default();
            }
        }
        None
    }

    fn next_element<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Array(element) = &mut self.framing else { return None };
        while !chunk.is_empty() {
            let bytes = *chunk;
            let (mut start, mut end, mut is_complete) = (0, 0, false);
            while end < bytes.len() && !is_complete {
                let begins_another = bytes[end] == b'{'
                    && element.scanner.is_after_comma_in_list()
                    && element.key.as_ref().is_some_and(|key| begins_with_key(&bytes[end..], key));
                let byte = if begins_another { element.scanner.break_off() } else { element.scanner.push(bytes[end]) };
                is_complete = matches!(byte, ElementByte::Last | ElementByte::After);
                end += usize::from(byte != ElementByte::After);
                if byte == ElementByte::Between {
                    start = end;
                }
            }
            let part = &bytes[start..end];
            *chunk = &bytes[end..];
            let fits = !element.too_long && self.buffer.len() + part.len() <= self.limit;
            if is_complete && self.buffer.is_empty() && fits {
                match element_frame(part, false) {
                    Some(frame) => return Some(frame),
                    None => continue,
                }
            }
            element.too_long = !fits;
            if fits {
                append(&mut self.buffer, part, self.limit);
            } else {
                self.buffer.clear();
            }
            if is_complete && !element.too_long && element_frame(&self.buffer, false).is_none() {
                self.buffer.clear();
            } else if is_complete {
                self.lent = true;
                return frame(&self.buffer, element.too_long);
            }
        }
        None
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

impl SseEvent {
    fn clear(&mut self) {
        self.data.clear();
        self.data.shrink_to(RETAINED);
        (self.has_data, self.too_long, self.bare) = (false, false, None);
        self.name.clear();
        self.object.shrink_to(RETAINED);
    }

    /// Parses a complete line, which is taken from its buffer. Returns whether it ends the event.
    fn push_buffered(&mut self, line: &mut Vec<u8>, limit: usize) -> bool {
        const DATA: &[u8] = b"data:";
        let is_first_data = line.starts_with(DATA) && !self.has_data && !self.too_long;
        let value = DATA.len() + usize::from(line.get(DATA.len()) == Some(&b' '));
        if !is_first_data || line.len() - value > limit {
            let is_end = self.push_line(line, limit);
            line.clear();
            return is_end;
        }
        // The line becomes the data, so that a long one exists only once.
        core::mem::swap(&mut self.data, line);
        self.data.drain(..value);
        line.clear();
        self.has_data = true;
        false
    }

    /// Parses a complete line. Returns whether it ends the event, as a blank one does.
    ///
    /// Some servers, such as Gemini's, report an error as an object without a field, over many lines.
    /// It ends where its brackets are closed, or with a line beyond the limit: of such a line only the
    /// beginning may be buffered, in which brackets can't be counted.
    fn push_line(&mut self, line: &[u8], limit: usize) -> bool {
        if self.bare.is_none() && line.starts_with(b"{") && !self.has_data && !self.too_long {
            self.bare = Some(BracketScanner::default());
        }
        if let Some(brackets) = self.bare.as_mut().filter(|_| !line.is_empty()) {
            brackets.push_all(line);
            let is_over = brackets.is_closed() || line.len() > limit;
            self.push_data(line, limit);
            return is_over;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if field == b"event" && self.named != NamedEvents::None {
            // A longer name is none that matters.
            self.name.clear();
            self.name.extend_from_slice(&value[..value.len().min(MAX_NAME_LEN)]);
        }
        if field != b"data" {
            return line.is_empty();
        }
        self.push_data(value, limit);
        false
    }

    /// Appends a line of the data.
    fn push_data(&mut self, value: &[u8], limit: usize) {
        let separator = usize::from(self.has_data);
        if self.too_long || self.data.len() + separator + value.len() > limit {
            self.data.clear();
            self.too_long = true;
            return;
        }
        if core::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        append(&mut self.data, value, limit);
    }

    /// Returns whether the event has data that is not blank, or too much of it.
    fn has_payload(&self) -> bool {
        let means_nothing = self.named.ignore(&self.name, &self.data);
        self.too_long || self.is_named() || !(means_nothing || self.data.trim_ascii().is_empty())
    }

    /// Returns whether the event is lent under its name.
    fn is_named(&self) -> bool {
        self.has_data && self.named.include(&self.name, &self.data)
    }

    fn frame(&mut self) -> Option<Frame<'_>> {
        if self.is_named() && !self.too_long {
            write_object(&self.name, &self.data, &mut self.object);
            return Some(Frame::Payload(&self.object));
        }
        match self.too_long || self.has_payload() {
            true => frame(&self.data, self.too_long),
            false => None,
        }
    }
}

/// Buffers more of an incomplete line of server-sent events.
///
/// Of a line that is too long, enough is buffered to tell its field, the beginning of an event's
/// name, and that it is too long.
fn buffer_line(buffer: &mut Vec<u8>, more: &[u8], limit: usize) {
    let kept = max_line(limit);
    let room = kept.saturating_sub(buffer.len());
    append(buffer, &more[..more.len().min(room)], kept);
}

/// Returns a line without its line end.
fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the frame of an element of an array; `None` for `null`, which means nothing.
fn element_frame(element: &[u8], too_long: bool) -> Option<Frame<'_>> {
    frame(element, too_long).filter(|frame| *frame != Frame::Payload(b"null"))
}

fn frame(payload: &[u8], too_long: bool) -> Option<Frame<'_>> {
    match too_long {
        true => Some(Frame::TooLong),
        false => Some(payload.trim_ascii()).filter(|payload| !payload.is_empty()).map(Frame::Payload),
    }
}

#[cfg(test)]
mod tests;
