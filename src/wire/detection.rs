//! Detecting the format of a body from its beginning.

use alloc::string::String;
use alloc::vec::Vec;

use super::format::Format;
use super::frames::{BYTE_ORDER_MARK, Frame, Frames};
use super::provider::{Detected, detect};

/// The parameters of a call: bare arguments begin with one of them as their first key.
const PARAMETERS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// What server-sent events begin with.
const SSE_FIELDS: [&str; 5] = [":", "data:", "event:", "id:", "retry:"];

/// A body whose format is not known yet.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    /// The whole body so far, which is parsed once the format is known.
    body: Vec<u8>,
    /// The offset of the first character after a byte order mark and white space.
    first: usize,
    /// The offset of the next character that is not white space.
    second: usize,
    frames: Frames,
    /// The format of an error that has arrived, which is a guess.
    error: Option<Format>,
    /// The bytes of the body that may be kept. It counts the body, never a chunk.
    limit: usize,
}

impl Detection {
    pub(super) fn new(limit: usize) -> Detection {
        Detection { body: Vec::new(), first: 0, second: 0, frames: Frames::new(limit), error: None, limit }
    }

    /// Consumes a chunk. Returns the format once it is certain, and the whole body so far.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Option<(Format, Vec<u8>)> {
        let (chunk, beyond) = chunk.split_at(chunk.len().min(self.limit - self.body.len()));
        self.body.extend_from_slice(chunk);
        let too_long = !beyond.is_empty();
        let format = self
            .detect_by_beginning()
            .or_else(|| self.detect_by_payloads(chunk))
            .or(too_long.then_some(Format::Text))?;
        self.body.extend_from_slice(beyond);
        Some((format, self.take_body(format)))
    }

    /// Returns the format of the body if it ends here, and the whole body.
    pub(super) fn finish(&mut self) -> (Format, Vec<u8>) {
        let first = self.beginning().first().copied();
        let last = self.frames.finish().and_then(|frame| format_of_frame(frame, first, &mut self.error));
        let format = last.or(self.error).unwrap_or(Format::Text);
        (format, self.take_body(format))
    }

    /// Returns the body to be parsed. A byte order mark is not part of JSON.
    fn take_body(&mut self, format: Format) -> Vec<u8> {
        if format == Format::Json && self.body.starts_with(BYTE_ORDER_MARK) {
            self.body.drain(..BYTE_ORDER_MARK.len());
        }
        core::mem::take(&mut self.body)
    }

    /// Returns the body after a byte order mark and white space.
    fn beginning(&mut self) -> &[u8] {
        if self.first == 0 && self.body.starts_with(BYTE_ORDER_MARK) {
            self.first = BYTE_ORDER_MARK.len();
        }
        while self.body.get(self.first).is_some_and(u8::is_ascii_whitespace) {
            self.first += 1;
        }
        &self.body[self.first..]
    }

    /// Returns the format, if the first characters show that the body is no provider's.
    fn detect_by_beginning(&mut self) -> Option<Format> {
        let first = *self.beginning().first()?;
        if !matches!(first, b'{' | b'[') {
            let body = self.beginning();
            let may_be = |field: &&str| body.starts_with(field.as_bytes()) || field.as_bytes().starts_with(body);
            // A byte order mark may still be incomplete.
            let may_be_events = BYTE_ORDER_MARK.starts_with(body) || SSE_FIELDS.iter().any(may_be);
            return (!may_be_events).then_some(Format::Text);
        }
        self.second = self.second.max(self.first + 1);
        while self.body.get(self.second).is_some_and(u8::is_ascii_whitespace) {
            self.second += 1;
        }
        match (first, self.body[self.second..].split_first()) {
            (b'{', Some((b'"', key))) => {
                let end = memchr::memchr(b'"', &key[..key.len().min(64)])?;
                PARAMETERS.iter().any(|name| key[..end] == *name.as_bytes()).then_some(Format::Json)
            }
            (_, None) | (b'{', Some((b'}', _))) | (b'[', Some((b'{' | b']', _))) => None,
            _ => Some(Format::Text),
        }
    }

    /// Returns the format, if a payload that the chunk completes reveals it.
    fn detect_by_payloads(&mut self, mut chunk: &[u8]) -> Option<Format> {
        let first = self.beginning().first().copied();
        while let Some(frame) = self.frames.next(&mut chunk) {
            if let Some(format) = format_of_frame(frame, first, &mut self.error) {
                return Some(format);
            }
        }
        None
    }
}

/// Returns the format that a payload reveals, in a body with that first character.
///
/// An error reveals none for certain, and is noted in `error`.
fn format_of_frame(frame: Frame<'_>, first: Option<u8>, error: &mut Option<Format>) -> Option<Format> {
    let Frame::Payload(payload) = frame else { return None };
    match detect(&String::from_utf8_lossy(payload)) {
        Detected::Provider(format) => Some(format),
        Detected::Error(format) => {
            error.get_or_insert(format);
            None
        }
        Detected::Arguments => Some(Format::Json).filter(|_| first == Some(b'{')),
        Detected::Unknown => None,
    }
}
