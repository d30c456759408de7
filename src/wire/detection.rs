//! Detecting the format of a body from its beginning.

use alloc::string::String;
use alloc::vec::Vec;

use super::buffer::append;
use super::format::Format;
#[cfg(feature = "eventstream")]
use super::frames::begins_with_prelude;
use super::frames::{BYTE_ORDER_MARK, Frame, Frames};
use super::provider::{Evidence, detect};

/// The parameters of a call: bare arguments begin with one of them as their first key.
const PARAMETERS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// The fields of server-sent events.
const SSE_FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

/// The field in which llama.cpp's server reports an error. It is one only with an object.
const ERROR_FIELD: &[u8] = b"error";

/// The white space before JSON in the data of an event, at most.
const MAX_SPACE: usize = 64;

/// The bytes that must look like text before a body is taken for it.
const TEXT_PREFIX: usize = 4;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is of this format for certain.
    Certain(Format),
    /// It ended, or became too long, and what it has looks most like this format.
    Guess(Format),
    /// It is a stream of events, but nothing in it tells whose.
    UnknownStream,
    /// It is neither text nor a stream of events.
    Binary,
}

impl Verdict {
    /// Returns the format to parse the body as; `None` if there is none.
    pub(super) fn format(self) -> Option<Format> {
        match self {
            Verdict::Certain(format) | Verdict::Guess(format) => Some(format),
            Verdict::UnknownStream | Verdict::Binary => None,
        }
    }
}

/// How a body begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
    /// Too little has arrived.
    Undecided,
    /// With a binary frame.
    #[cfg(feature = "eventstream")]
    Frame,
    /// As JSON: an object with a key, or an array of objects.
    Json {
        first: u8,
    },
    /// With a line that is one of server-sent events.
    Events,
    Text,
    Arguments,
    Binary,
}

/// The lines of a body that may be server-sent events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Lines {
    /// No text looks like them: an event's data is JSON, or an event `output` has ended.
    are_events: bool,
    /// The event that is open has this name, and data.
    is_output: bool,
    has_data: bool,
}

/// A body whose format is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Detection {
    /// The whole body so far, which is parsed once the format is known.
    body: Vec<u8>,
    /// The offset of the first character after a byte order mark and white space.
    first: usize,
    /// The offset of the next character that is not white space.
    second: usize,
    /// The offset of the first line that is not known to be one of server-sent events.
    line: usize,
    /// The offset up to which that line is known not to end, if it is long.
    searched: usize,
    /// What the lines before that offset say.
    lines: Lines,
    frames: Frames,
    /// What the payloads show so far: the first error, the first weak sign.
    error: Option<Format>,
    weak: Option<Format>,
    /// The number of payloads that are objects, and of those that are not.
    objects: usize,
    others: usize,
    /// The bytes of the body that may be kept. It counts the body, never a chunk.
    limit: usize,
}

impl Detection {
    pub(super) fn new(limit: usize) -> Detection {
        Detection {
            body: Vec::new(),
            first: 0,
            second: 0,
            line: 0,
            searched: 0,
            lines: Lines::default(),
            frames: Frames::new(None, limit),
            error: None,
            weak: None,
            objects: 0,
            others: 0,
            limit,
        }
    }

    /// Returns whether the state is one of a body with that limit of an event.
    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        let len = self.body.len();
        let offsets = [self.first, self.second, self.line, self.searched];
        self.limit == limit
            && len <= limit
            && offsets.iter().all(|&offset| offset <= len)
            && self.objects.max(self.others) <= len
            && self.frames.is_in_bounds(limit)
    }

    /// Consumes a chunk. Returns what the body is once that is known, and the whole body so far.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Option<(Verdict, Vec<u8>)> {
        let (chunk, beyond) = chunk.split_at(chunk.len().min(self.limit - self.body.len()));
        append(&mut self.body, chunk, self.limit);
        let verdict = match self.beginning(false) {
            Beginning::Text => Some(Verdict::Certain(Format::Text)),
            Beginning::Arguments => Some(Verdict::Certain(Format::Json)),
            Beginning::Binary => Some(Verdict::Binary),
            #[cfg(feature = "eventstream")]
            Beginning::Frame => Some(Verdict::Certain(Format::Bedrock)),
            Beginning::Undecided | Beginning::Json { .. } | Beginning::Events => self.payloads(chunk),
        };
        let verdict = verdict.or_else(|| (!beyond.is_empty()).then(|| self.guess()))?;
        self.body.extend_from_slice(beyond);
        Some((verdict, self.take_body(verdict)))
    }

    /// Returns what the body is if it ends here, and the whole body.
    pub(super) fn finish(&mut self) -> (Verdict, Vec<u8>) {
        let verdict = self.guess();
        (verdict, self.take_body(verdict))
    }

    /// Returns the body to be parsed. A byte order mark is not part of JSON.
    fn take_body(&mut self, verdict: Verdict) -> Vec<u8> {
        if verdict.format() == Some(Format::Json) && self.body.starts_with(BYTE_ORDER_MARK) {
            self.body.drain(..BYTE_ORDER_MARK.len());
        }
        core::mem::take(&mut self.body)
    }

    /// Returns what the body most likely is, if no more of it is to be considered.
    fn guess(&mut self) -> Verdict {
        let beginning = self.beginning(true);
        match beginning {
            Beginning::Binary => return Verdict::Binary,
            Beginning::Arguments => return Verdict::Certain(Format::Json),
            Beginning::Text => return Verdict::Certain(Format::Text),
            #[cfg(feature = "eventstream")]
            Beginning::Frame => return Verdict::Certain(Format::Bedrock),
            Beginning::Undecided | Beginning::Json { .. } | Beginning::Events => {}
        }
        if let Some(verdict) = self.frames.take_rest().and_then(|rest| self.payloads(&rest)) {
            return verdict;
        }
        let last = self.frames.finish().map(evidence);
        if let Some(format) = last.and_then(|last| self.consider(last, beginning)) {
            return Verdict::Certain(format);
        }
        let are_lines = self.objects > 1 && self.others == 0;
        match (self.error.or(self.weak), beginning) {
            (Some(format), _) => Verdict::Guess(format),
            (None, Beginning::Events) => Verdict::UnknownStream,
            (None, Beginning::Json { first: b'{' }) if are_lines => Verdict::UnknownStream,
            _ => Verdict::Certain(Format::Text),
        }
    }

    /// Consumes the payloads that the chunk completes, up to one that decides.
    fn payloads(&mut self, mut chunk: &[u8]) -> Option<Verdict> {
        let beginning = self.beginning(false);
        loop {
            let evidence = evidence(self.frames.next(&mut chunk)?);
            if let Some(format) = self.consider(evidence, beginning) {
                return Some(Verdict::Certain(format));
            }
        }
    }

    /// Notes what a payload shows. Returns the format if that decides.
    fn consider(&mut self, evidence: Evidence, beginning: Beginning) -> Option<Format> {
        match evidence {
            Evidence::NoObject => self.others += 1,
            _ => self.objects += 1,
        }
        match evidence {
            // Arguments have no framing.
            Evidence::Strong(Format::Json) => {
                Some(Format::Json).filter(|_| beginning == Beginning::Json { first: b'{' })
            }
            Evidence::Strong(format) => Some(format),
            Evidence::Error(format) => {
                self.error.get_or_insert(format);
                None
            }
            Evidence::Weak(format) => {
                self.weak.get_or_insert(format);
                None
            }
            Evidence::NoSign | Evidence::NoObject => None,
        }
    }

    /// Returns how the body begins. `is_whole`: no more of it is to be considered.
    fn beginning(&mut self, is_whole: bool) -> Beginning {
        if self.first == 0 && self.body.starts_with(BYTE_ORDER_MARK) {
            self.first = BYTE_ORDER_MARK.len();
        }
        self.first = skip_space(&self.body, self.first);
        #[cfg(feature = "eventstream")]
        match begins_with_prelude(&self.body) {
            Some(true) => return Beginning::Frame,
            None if !is_whole => return Beginning::Undecided,
            None | Some(false) => {}
        }
        match self.body.get(self.first) {
            None => Beginning::Undecided,
            Some(&first @ (b'{' | b'[')) => self.json_beginning(first),
            Some(_) => self.line_beginning(is_whole),
        }
    }

    /// Returns how a body begins whose first character is a bracket.
    fn json_beginning(&mut self, first: u8) -> Beginning {
        self.second = skip_space(&self.body, self.second.max(self.first + 1));
        match (first, self.body[self.second..].split_first()) {
            (b'{', Some((b'"', key))) => {
                let end = memchr::memchr(b'"', &key[..key.len().min(64)]);
                let is_parameter = |end: usize| PARAMETERS.iter().any(|name| key[..end] == *name.as_bytes());
                if end.is_some_and(is_parameter) { Beginning::Arguments } else { Beginning::Json { first } }
            }
            (_, None) | (b'{', Some((b'}', _))) | (b'[', Some((b'{' | b']', _))) => Beginning::Json { first },
            _ => Beginning::Text,
        }
    }

    /// Returns how a body begins whose first character is no bracket.
    ///
    /// It is text as soon as a line is no field of server-sent events, unless the lines before are
    /// events for certain.
    fn line_beginning(&mut self, is_whole: bool) -> Beginning {
        self.line = self.line.max(self.first);
        while !self.lines.are_events {
            let rest = &self.body[self.line..];
            if rest.first() == Some(&b'\n') && self.body[..self.line].last() == Some(&b'\r') {
                self.line += 1;
                continue;
            }
            // Every byte is searched once, however long the line is.
            let unsearched = self.searched.saturating_sub(self.line);
            let end = memchr::memchr2(b'\n', b'\r', &rest[unsearched..]).map(|end| unsearched + end);
            let line = &rest[..end.unwrap_or(rest.len())];
            match event_line(line, end.is_some()) {
                EventLine::Incomplete if !is_whole => return Beginning::Undecided,
                // A whole body of `id` is no event.
                EventLine::NoField | EventLine::Incomplete if self.line == self.first => {
                    return text_or_binary(rest, is_whole);
                }
                EventLine::NoField => return Beginning::Text,
                // The line may be incomplete: nothing else may depend on whether it has ended.
                EventLine::JsonData => {
                    (self.lines.are_events, self.searched) = (true, 0);
                    break;
                }
                EventLine::Incomplete | EventLine::Other => {}
            }
            let Some(end) = end else {
                self.searched = self.body.len();
                break;
            };
            self.lines.push(line);
            (self.line, self.searched) = (self.line + end + 1, 0);
        }
        Beginning::Events
    }
}

impl Lines {
    /// Consumes a complete line.
    fn push(&mut self, line: &[u8]) {
        if line.is_empty() {
            self.are_events |= self.is_output && self.has_data;
            (self.is_output, self.has_data) = (false, false);
        }
        if let Some(name) = line.strip_prefix(b"event:") {
            self.is_output = name.strip_prefix(b" ").unwrap_or(name) == b"output";
        }
        self.has_data |= line == b"data" || line.starts_with(b"data:");
    }
}

fn evidence(frame: Frame<'_>) -> Evidence {
    match frame {
        Frame::Payload(payload) => detect(&String::from_utf8_lossy(payload)),
        Frame::Error(payload) => match detect(&String::from_utf8_lossy(payload)) {
            found @ (Evidence::Error(_) | Evidence::NoObject) => found,
            _ => Evidence::Error(Format::OpenAiChat),
        },
        Frame::TooLong | Frame::Corrupt(_) => Evidence::NoObject,
    }
}

/// What a line is in a stream of server-sent events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EventLine {
    /// Data that begins as JSON, or an object as some servers report errors.
    ///
    /// It is without a field, or in one named `error`.
    JsonData,
    /// Any other field, a comment or a blank line.
    Other,
    /// The beginning of a field's name.
    Incomplete,
    NoField,
}

fn event_line(line: &[u8], is_complete: bool) -> EventLine {
    if let Some((b'{', inside)) = line.split_first() {
        return object_line(inside, is_complete);
    }
    let Some(colon) = memchr::memchr(b':', line) else {
        let begins_field =
            ERROR_FIELD.starts_with(line) || SSE_FIELDS.iter().any(|name| name.as_bytes().starts_with(line));
        return match (is_complete, begins_field) {
            (false, true) => EventLine::Incomplete,
            (true, true) if line.is_empty() || SSE_FIELDS.iter().any(|name| name.as_bytes() == line) => {
                EventLine::Other
            }
            _ => EventLine::NoField,
        };
    };
    let (name, value) = (&line[..colon], &line[colon + 1..]);
    match (name, value.first()) {
        // A face, `:)`, is no comment.
        (b"", None) if !is_complete => EventLine::Incomplete,
        (b"", Some(next)) if !next.is_ascii_alphanumeric() && !next.is_ascii_whitespace() => EventLine::NoField,
        (b"", _) => EventLine::Other,
        (b"data", _) if begins_json(value) => EventLine::JsonData,
        (ERROR_FIELD, _) => match value.strip_prefix(b" ").unwrap_or(value).split_first() {
            Some((b'{', inside)) => object_line(inside, is_complete),
            None if !is_complete => EventLine::Incomplete,
            _ => EventLine::NoField,
        },
        _ if SSE_FIELDS.iter().any(|known| known.as_bytes() == name) => EventLine::Other,
        _ => EventLine::NoField,
    }
}

/// Returns what a line is that begins an object. `inside`: what follows the bracket.
fn object_line(inside: &[u8], is_complete: bool) -> EventLine {
    match inside[..inside.len().min(MAX_SPACE)].trim_ascii_start().first() {
        Some(b'"') => EventLine::JsonData,
        None if inside.len() >= MAX_SPACE => EventLine::NoField,
        None if is_complete => EventLine::JsonData,
        None => EventLine::Incomplete,
        Some(_) => EventLine::NoField,
    }
}

fn begins_json(value: &[u8]) -> bool {
    matches!(value[..value.len().min(MAX_SPACE)].trim_ascii_start().first(), Some(b'{' | b'['))
}

/// Returns whether a body that begins with these bytes is text.
fn text_or_binary(body: &[u8], is_whole: bool) -> Beginning {
    let start = &body[..body.len().min(TEXT_PREFIX)];
    let is_control = |&byte: &u8| byte < b' ' && !matches!(byte, 0x08..=0x0D | 0x1B);
    let is_ill_formed = core::str::from_utf8(start).is_err_and(|error| error.error_len().is_some());
    if is_ill_formed || start.iter().any(is_control) {
        Beginning::Binary
    } else if is_whole || start.len() == TEXT_PREFIX {
        Beginning::Text
    } else {
        Beginning::Undecided
    }
}

fn skip_space(body: &[u8], from: usize) -> usize {
    let rest = body.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}
