//! Server-sent events.
//!
//! See <https://html.spec.whatwg.org/multipage/server-sent-events.html>.

use alloc::vec::Vec;

use super::named::{NamedEvents, write_object};
use super::{BracketScanner, Frame, Frames, Framing, RETAINED, append, frame};

/// The current server-sent event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SseEvent {
    /// The `data` so far, its lines joined.
    data: Vec<u8>,
    has_data: bool,
    /// The number of lines of the `data` that are not blank, as far as it can count.
    lines: u8,
    /// The `data` of the next event, whose first line has ended this one.
    ///
    /// It is empty between chunks.
    next: Vec<u8>,
    /// The `data` would be longer than the limit.
    too_long: bool,
    /// The `data` is an object without its field, of which so much is open.
    bare: Option<BracketScanner>,
    /// That object was the value of a field `error`.
    is_error: bool,
    /// The previous line ended in a CR, so that a LF next is part of its end.
    after_cr: bool,
    named: NamedEvents,
    /// The event's name, if it may matter.
    name: Vec<u8>,
    /// The object that is made of the name and the data.
    #[cfg_attr(feature = "serde", serde(skip))]
    object: Vec<u8>,
}

/// The bytes of an event's name that are kept.
const MAX_NAME_LEN: usize = 8;

/// Returns the bytes of an incomplete line that are kept.
///
/// They are a payload and its field's name, or an event's name.
pub(super) fn max_line(limit: usize) -> usize {
    limit.saturating_add("error: ".len() + 1).max("event: ".len() + MAX_NAME_LEN)
}

impl Frames {
    /// Consumes the chunk up to the end of the next event that has a payload.
    pub(super) fn next_event<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
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
}

impl SseEvent {
    pub(super) fn new(named: NamedEvents) -> SseEvent {
        SseEvent { named, ..SseEvent::default() }
    }

    /// Returns the payload that the end of the body completes, with the last line.
    pub(super) fn finish(&mut self, line: &[u8], limit: usize) -> Option<Frame<'_>> {
        self.push_line(line, limit);
        self.frame()
    }

    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        self.data.len() <= limit
            && self.next.is_empty()
            && self.name.len() <= MAX_NAME_LEN
            && self.bare.is_none_or(BracketScanner::is_in_bounds)
    }

    /// Clears the object that was lent.
    pub(super) fn clear_object(&mut self) {
        self.object.clear();
    }

    /// Clears the event for the next one.
    pub(super) fn clear(&mut self) {
        self.data.clear();
        self.data.shrink_to(RETAINED);
        if !self.next.is_empty() {
            self.data = core::mem::take(&mut self.next);
        }
        self.has_data = !self.data.is_empty();
        self.lines = u8::from(self.has_data);
        (self.too_long, self.bare, self.is_error) = (false, None, false);
        self.name.clear();
        self.object.shrink_to(RETAINED);
    }

    /// Parses a complete line, which is taken from its buffer. Returns whether it ends the event.
    fn push_buffered(&mut self, line: &mut Vec<u8>, limit: usize) -> bool {
        let is_end = self.is_divided_by(line, limit);
        let is_first_data = line.starts_with(DATA) && !self.has_data && !self.too_long;
        let value = line.len() - data_value(line).map_or(0, <[u8]>::len);
        if !is_end && (!is_first_data || line.len() - value > limit) {
            let is_end = self.push_line(line, limit);
            line.clear();
            return is_end;
        }
        // The line becomes the data, so that a long one exists only once.
        let data = if is_end { &mut self.next } else { &mut self.data };
        core::mem::swap(data, line);
        data.drain(..value);
        line.clear();
        (self.has_data, self.lines) = (true, u8::from(!data.trim_ascii().is_empty()));
        is_end
    }

    /// Returns whether a line is the data of another event, though no blank line ends this one.
    ///
    /// Some servers end an event with one line end. Data in two lines, each of which is an object,
    /// is not JSON, so no event is lost by this.
    pub(super) fn is_divided_by(&self, line: &[u8], limit: usize) -> bool {
        let is_payload = |value: &[u8]| value.starts_with(b"{") || value == b"[DONE]";
        let begins = |value: &[u8]| value.len() <= limit && is_payload(value.trim_ascii());
        let is_text = self.named == NamedEvents::All || self.name == b"output";
        let may_end = self.lines == 1 && self.bare.is_none() && !is_text;
        may_end && data_value(line).is_some_and(begins) && is_object(&self.data)
    }

    /// Parses a complete line. Returns whether it ends the event, as a blank one does.
    ///
    /// Some servers report an error as an object without a field, over many lines (Gemini's), or as
    /// the value of a field `error` (llama.cpp's). The object ends where its brackets close, or
    /// with a line beyond the limit: of such a line only the beginning may be buffered, in which
    /// brackets can't be counted.
    fn push_line(&mut self, line: &[u8], limit: usize) -> bool {
        if self.is_divided_by(line, limit) {
            self.next.extend_from_slice(data_value(line).unwrap_or_default());
            return true;
        }
        let is_first = self.bare.is_none() && !self.has_data && !self.too_long;
        let error = error_object(line).filter(|_| is_first);
        self.is_error |= error.is_some();
        let line = error.unwrap_or(line);
        if is_first && line.starts_with(b"{") {
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
        self.lines = self.lines.saturating_add(u8::from(!value.trim_ascii().is_empty()));
        if core::mem::replace(&mut self.has_data, true) {
            self.data.push(b'\n');
        }
        append(&mut self.data, value, limit);
    }

    /// Returns whether the event has data that is not blank, or too much of it.
    fn has_payload(&self) -> bool {
        let means_nothing = self.named.ignore(&self.name, &self.data);
        self.too_long || self.is_error || self.is_named() || !(means_nothing || self.data.trim_ascii().is_empty())
    }

    /// Returns whether the event is lent under its name.
    fn is_named(&self) -> bool {
        self.has_data && !self.is_error && self.named.include(&self.name, &self.data)
    }

    fn frame(&mut self) -> Option<Frame<'_>> {
        if self.is_named() && !self.too_long {
            write_object(&self.name, &self.data, &mut self.object);
            return Some(Frame::Payload(&self.object));
        }
        if self.is_error && !self.too_long {
            return Some(Frame::Error(self.data.trim_ascii()));
        }
        match self.too_long || self.has_payload() {
            true => frame(&self.data, self.too_long),
            false => None,
        }
    }
}

/// The name of the field whose values are the payload.
const DATA: &[u8] = b"data:";

/// Returns the value of a field `data`.
fn data_value(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(DATA)?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

/// Returns whether the data looks like a complete object.
fn is_object(data: &[u8]) -> bool {
    let mut brackets = BracketScanner::default();
    let data = data.trim_ascii();
    if !data.starts_with(b"{") || !data.ends_with(b"}") {
        return false;
    }
    brackets.push_all(data);
    brackets.is_closed()
}

/// Returns the value of a field `error`, if it begins like an object.
fn error_object(line: &[u8]) -> Option<&[u8]> {
    let value = line.strip_prefix(b"error:")?;
    Some(value.strip_prefix(b" ").unwrap_or(value)).filter(|value| value.starts_with(b"{"))
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
