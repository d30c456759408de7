//! Where in a body one payload ends and the next begins: server-sent events, JSON lines, or one JSON array.
//!
//! This is written here, and not taken from a crate, because cutting a stream right is what this crate is for. Of nine decoders of
//! server-sent events that were tried on a cut byte order mark, a cut `\r\n`, bytes that are no text, and a line of a megabyte in 16-byte chunks,
//! seven failed: `eventsource-stream` 0.2 panics on every byte order mark, takes 25 s for the line (its time is quadratic), and gives nothing any more behind a
//! byte that is no text; `sse-stream` 0.3 ends its stream there; `async-sse` 5.1 makes two events of one if `\r\n` is cut. `sse-core` and `sse-parse` pass, and the tests hold this
//! decoder against `sse-core`. But they drop an event that ends with the body and not with a blank line, as the standard has
//! it and many servers do not; and lines of JSON and arrays need the same care.

use alloc::vec::Vec;

use super::balance::Balance;
use super::deltas::KEPT;

/// What a body is cut into payloads by. Known from its first character.
#[derive(Clone, Debug)]
enum Framing {
    /// No character has come that tells. So many bytes of a byte order mark have, and blanks in the same line.
    Undecided {
        mark: usize,
        indented: bool,
    },
    Events(Event),
    Lines(Scan),
    /// Elements of an array, which may have any white space in them.
    Array(Scan),
}

/// The server-sent event that is being read (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).
#[derive(Clone, Debug, Default)]
struct Event {
    /// The `data` so far, its lines joined.
    data: Vec<u8>,
    has_data: bool,
    /// Its `data` would be longer than the limit.
    too_long: bool,
    /// The line before ended in a CR, so that a LF belongs to it.
    behind_cr: bool,
}

/// The JSON value that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Scan {
    balance: Balance,
    /// The payload is longer than the limit, and is skipped to its end.
    skips: bool,
}

/// Cuts a body into payloads, whatever chunks it comes in. Every byte is looked at once.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    framing: Framing,
    /// The beginning of a line of server-sent events, or of a JSON value.
    begun: Vec<u8>,
    /// The last payload is in `begun` or in the event's data, and is done with.
    lent: bool,
    /// How long a payload may be.
    limit: usize,
}

/// The next payload of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'f> {
    /// What should be one JSON value.
    Payload(&'f [u8]),
    /// It was longer than the limit, and was skipped.
    TooLong,
}

const MARK: &[u8] = b"\xEF\xBB\xBF";

impl Frames {
    pub(super) fn new(limit: usize) -> Frames {
        Frames { framing: Framing::Undecided { mark: 0, indented: false }, begun: Vec::new(), lent: false, limit }
    }

    /// Whether something has come that is more than white space.
    pub(super) fn has_begun(&self) -> bool {
        !matches!(self.framing, Framing::Undecided { .. })
    }

    /// Takes from the chunk the next payload; `None` when it is used up.
    pub(super) fn next<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        self.settle();
        if let Framing::Undecided { .. } = self.framing {
            self.begin(chunk);
        }
        match self.framing {
            Framing::Undecided { .. } => None,
            Framing::Events(_) => self.next_event(chunk),
            Framing::Lines(_) => self.next_line(chunk),
            Framing::Array(_) => self.next_element(chunk),
        }
    }

    /// What the end of the body ends.
    pub(super) fn finish(&mut self) -> Option<Frame<'_>> {
        self.settle();
        match &mut self.framing {
            Framing::Undecided { .. } => None,
            Framing::Events(event) => {
                event.line(&self.begun, self.limit);
                self.lent = true;
                event.frame()
            }
            Framing::Lines(scan) | Framing::Array(scan) => {
                self.lent = true;
                scan.skips |= content(&self.begun).len() > self.limit;
                frame(&self.begun, scan.skips)
            }
        }
    }

    /// Leaves out what was lent.
    fn settle(&mut self) {
        if !core::mem::take(&mut self.lent) {
            return;
        }
        self.begun.clear();
        self.begun.shrink_to(KEPT);
        match &mut self.framing {
            Framing::Undecided { .. } => {}
            Framing::Events(event) => event.clear(),
            Framing::Lines(scan) | Framing::Array(scan) => *scan = Scan::default(),
        }
    }

    /// Goes to the first character that tells what the framing is.
    fn begin(&mut self, chunk: &mut &[u8]) {
        while let (Framing::Undecided { mark, indented }, Some((&byte, rest))) =
            (&mut self.framing, chunk.split_first())
        {
            match byte {
                _ if MARK.get(*mark) == Some(&byte) => *mark += 1,
                b'\n' | b'\r' | b' ' | b'\t' if matches!(*mark, 0 | 3) => {
                    // Behind them there is no mark any more.
                    (*mark, *indented) = (MARK.len(), matches!(byte, b' ' | b'\t'));
                }
                b'{' if matches!(*mark, 0 | 3) => self.framing = Framing::Lines(Scan::default()),
                b'[' if matches!(*mark, 0 | 3) => self.framing = Framing::Array(Scan::default()),
                _ => {
                    // What was no mark, and blanks, are the beginning of a line.
                    self.begun.extend_from_slice(&MARK[..*mark % MARK.len()]);
                    self.begun.extend(indented.then_some(b' '));
                    self.framing = Framing::Events(Event::default());
                }
            }
            // The character that tells belongs to the first payload, but for the bracket of an array.
            if matches!(self.framing, Framing::Undecided { .. } | Framing::Array(_)) {
                *chunk = rest;
            }
        }
    }

    fn next_event<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Events(event) = &mut self.framing else { return None };
        while let Some(&first) = chunk.first() {
            if core::mem::take(&mut event.behind_cr) && first == b'\n' {
                *chunk = &chunk[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', chunk) else {
                keep(&mut self.begun, chunk, self.limit);
                *chunk = &[];
                break;
            };
            let (line, rest) = chunk.split_at(end);
            event.behind_cr = rest[0] == b'\r';
            *chunk = &rest[1..];
            let blank = if self.begun.is_empty() {
                event.line(line, self.limit)
            } else {
                keep(&mut self.begun, line, self.limit);
                let blank = event.line(&self.begun, self.limit);
                self.begun.clear();
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
        let Framing::Lines(scan) = &mut self.framing else { return None };
        while !chunk.is_empty() {
            // A value may go on over lines, as long as the next one does not begin like a value of its own.
            if scan.balance.depth > 0 && self.begun.ends_with(b"\n") && chunk[0] == b'{' {
                self.lent = true;
                scan.skips |= content(&self.begun).len() > self.limit;
                return frame(&self.begun, scan.skips);
            }
            let end = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |end| end + 1);
            let (line, rest) = chunk.split_at(end);
            *chunk = rest;
            scan.balance.bytes(line);
            let whole = line.ends_with(b"\n") && (scan.balance.depth == 0 || scan.balance.in_string);
            if whole && self.begun.is_empty() && content(line).len() <= self.limit {
                *scan = Scan::default();
                if line.trim_ascii().is_empty() {
                    continue;
                }
                return frame(line, false);
            }
            scan.skips |= self.begun.len() + line.len() > self.limit.saturating_add(2);
            if scan.skips {
                // Its last byte tells where the next line begins.
                self.begun.clear();
                self.begun.extend(line.last());
            } else {
                self.begun.extend_from_slice(line);
            }
            scan.skips |= whole && content(&self.begun).len() > self.limit;
            if whole && (scan.skips || !self.begun.trim_ascii().is_empty()) {
                self.lent = true;
                return frame(&self.begun, scan.skips);
            }
            if whole {
                self.begun.clear();
                *scan = Scan::default();
            }
        }
        None
    }

    fn next_element<'f, 'c: 'f>(&'f mut self, chunk: &mut &'c [u8]) -> Option<Frame<'f>> {
        let Framing::Array(scan) = &mut self.framing else { return None };
        while let Some((&byte, rest)) = chunk.split_first() {
            // Between two elements.
            if scan.balance.depth == 0 && byte != b'{' {
                *chunk = rest;
                continue;
            }
            let mut end = 0;
            // No string goes on over lines: one that does is broken, and with it what it stands in.
            let mut broken = false;
            while end < chunk.len() && !broken && !scan.balance.is_closed() {
                scan.balance.byte(chunk[end]);
                broken = scan.balance.in_string && chunk[end] == b'\n';
                end += 1;
            }
            let (part, rest) = chunk.split_at(end);
            *chunk = rest;
            let whole = broken || scan.balance.is_closed();
            let fits = !scan.skips && self.begun.len() + part.len() <= self.limit;
            if whole && self.begun.is_empty() && fits {
                *scan = Scan::default();
                return frame(part, false);
            }
            scan.skips = !fits;
            if fits {
                self.begun.extend_from_slice(part);
            } else {
                self.begun.clear();
            }
            if whole {
                self.lent = true;
                return frame(&self.begun, scan.skips);
            }
        }
        None
    }
}

impl Event {
    fn clear(&mut self) {
        self.data.clear();
        self.data.shrink_to(KEPT);
        (self.has_data, self.too_long) = (false, false);
    }

    /// Reads a whole line. Whether it is blank, and so ends the event.
    fn line(&mut self, line: &[u8], limit: usize) -> bool {
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &b""[..]),
        };
        if field != b"data" {
            return line.is_empty();
        }
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let between = usize::from(self.has_data);
        if self.too_long || self.data.len() + between + value.len() > limit {
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

    /// Whether there is something to read in it.
    fn has_payload(&self) -> bool {
        self.too_long || !self.data.trim_ascii().is_empty()
    }

    fn frame(&self) -> Option<Frame<'_>> {
        frame(&self.data, self.too_long)
    }
}

/// Keeps more of a line of server-sent events that has begun: of one that is too long, enough to tell what it was, and that it is.
fn keep(begun: &mut Vec<u8>, more: &[u8], limit: usize) {
    let room = limit.saturating_add("data: ".len() + 1).saturating_sub(begun.len());
    begun.extend_from_slice(&more[..more.len().min(room)]);
}

/// A line without its end.
fn content(line: &[u8]) -> &[u8] {
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
