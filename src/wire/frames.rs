//! Framing: cutting a body into payloads, from server-sent events, JSON lines or one JSON array.
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

use super::brackets::BracketScanner;
use super::deltas::RETAINED;

/// How a body is framed, which its first characters decide.
#[derive(Clone, Debug)]
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
    Array(JsonValue),
}

/// The current server-sent event.
///
/// See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.
#[derive(Clone, Debug, Default)]
struct SseEvent {
    /// The `data` so far, its lines joined.
    data: Vec<u8>,
    has_data: bool,
    /// The `data` would be longer than the limit.
    too_long: bool,
    /// The previous line ended in a CR, so that a LF next is part of its end.
    after_cr: bool,
}

/// The current JSON value.
#[derive(Clone, Copy, Debug, Default)]
struct JsonValue {
    brackets: BracketScanner,
    /// The value is longer than the limit, and is skipped to its end.
    too_long: bool,
}

/// A decoder that splits a body into payloads. It reads every byte once.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    framing: Framing,
    /// The beginning of an incomplete line of server-sent events, or of an incomplete JSON value.
    buffer: Vec<u8>,
    /// The last payload was lent from `buffer` or from the event's data, which are to be cleared.
    lent: bool,
    /// The bytes that a payload may have.
    limit: usize,
}

/// The next payload of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'f> {
    /// A payload, which should be one JSON value.
    Payload(&'f [u8]),
    /// A payload longer than the limit was skipped.
    TooLong,
}

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Frames {
    pub(super) fn new(limit: usize) -> Frames {
        Frames { framing: Framing::Undecided { bom: 0, indented: false }, buffer: Vec::new(), lent: false, limit }
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
            Framing::Lines(value) | Framing::Array(value) => {
                self.lent = true;
                value.too_long |= without_line_end(&self.buffer).len() > self.limit;
                frame(&self.buffer, value.too_long)
            }
        }
    }

    /// Clears what was lent.
    fn clear_lent(&mut self) {
        if !core::mem::take(&mut self.lent) {
            return;
        }
        self.buffer.clear();
        self.buffer.shrink_to(RETAINED);
        match &mut self.framing {
            Framing::Undecided { .. } => {}
            Framing::ServerSentEvents(event) => event.clear(),
            Framing::Lines(value) | Framing::Array(value) => *value = JsonValue::default(),
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
                b'{' if matches!(*bom, 0 | 3) => self.framing = Framing::Lines(JsonValue::default()),
                b'[' if matches!(*bom, 0 | 3) => self.framing = Framing::Array(JsonValue::default()),
                _ => {
                    // A part of a byte order mark, and blanks, are the beginning of a line.
                    self.buffer.extend_from_slice(&BYTE_ORDER_MARK[..*bom % BYTE_ORDER_MARK.len()]);
                    self.buffer.extend(indented.then_some(b' '));
                    self.framing = Framing::ServerSentEvents(SseEvent::default());
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
            let blank = if self.buffer.is_empty() {
                event.push_line(line, self.limit)
            } else {
                buffer_line(&mut self.buffer, line, self.limit);
                let blank = event.push_line(&self.buffer, self.limit);
                self.buffer.clear();
                blank
            };
            if blank && event.has_payload() {
                self.lent = true;
                return event.frame();
            }
            if blank {
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
            let (line, rest) = chunk.split_at(end);
            *chunk = rest;
            value.brackets.push_all(line);
            let complete = line.ends_with(b"\n") && (value.brackets.depth == 0 || value.brackets.in_string);
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
                self.buffer.extend_from_slice(line);
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
        let Framing::Array(value) = &mut self.framing else { return None };
        while let Some((&byte, rest)) = chunk.split_first() {
            // Between two elements, everything but an object is skipped.
            if value.brackets.depth == 0 && byte != b'{' {
                *chunk = rest;
                continue;
            }
            let mut end = 0;
            // A string can't span lines: an element with one that does is broken, and ends there.
            let mut broken = false;
            while end < chunk.len() && !broken && !value.brackets.is_closed() {
                value.brackets.push(chunk[end]);
                broken = value.brackets.in_string && chunk[end] == b'\n';
                end += 1;
            }
            let (part, rest) = chunk.split_at(end);
            *chunk = rest;
            let complete = broken || value.brackets.is_closed();
            let fits = !value.too_long && self.buffer.len() + part.len() <= self.limit;
            if complete && self.buffer.is_empty() && fits {
                *value = JsonValue::default();
                return frame(part, false);
            }
            value.too_long = !fits;
            if fits {
                self.buffer.extend_from_slice(part);
            } else {
                self.buffer.clear();
            }
            if complete {
                self.lent = true;
                return frame(&self.buffer, value.too_long);
            }
        }
        None
    }
}

impl SseEvent {
    fn clear(&mut self) {
        self.data.clear();
        self.data.shrink_to(RETAINED);
        (self.has_data, self.too_long) = (false, false);
    }

    /// Parses a complete line. Returns whether it is blank, which ends the event.
    fn push_line(&mut self, line: &[u8], limit: usize) -> bool {
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        if field != b"data" {
            return line.is_empty();
        }
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let separator = usize::from(self.has_data);
        if self.too_long || self.data.len() + separator + value.len() > limit {
            self.data.clear();
            self.too_long = true;
            return false;
        }
        if core::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        self.data.extend_from_slice(value);
        false
    }

    /// Returns whether the event has data that is not blank, or too much of it.
    fn has_payload(&self) -> bool {
        self.too_long || !self.data.trim_ascii().is_empty()
    }

    fn frame(&self) -> Option<Frame<'_>> {
        frame(&self.data, self.too_long)
    }
}

/// Buffers more of an incomplete line of server-sent events.
///
/// Of a line that is too long, enough is buffered to tell its field, and that it is too long.
fn buffer_line(buffer: &mut Vec<u8>, more: &[u8], limit: usize) {
    let room = limit.saturating_add("data: ".len() + 1).saturating_sub(buffer.len());
    buffer.extend_from_slice(&more[..more.len().min(room)]);
}

/// Returns a line without its line end.
fn without_line_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn frame(payload: &[u8], too_long: bool) -> Option<Frame<'_>> {
    match too_long {
        true => Some(Frame::TooLong),
        false => Some(payload.trim_ascii()).filter(|payload| !payload.is_empty()).map(Frame::Payload),
    }
}

#[cfg(test)]
mod tests;
