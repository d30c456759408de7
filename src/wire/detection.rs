//! Finding out what a body is from how it begins.

use alloc::string::String;
use alloc::vec::Vec;

use super::Format;
use super::frames::{Frame, Frames};
use super::provider::{Detected, detect};

/// The parameters of a call, which bare arguments begin with.
const PARAMETERS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// What server-sent events begin with.
const FIELDS: [&str; 5] = [":", "data:", "event:", "id:", "retry:"];

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// A body of which it is not certain yet what it is.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    /// All of it so far, which is read again then.
    raw: Vec<u8>,
    /// So much of it is a byte order mark and white space.
    blank: usize,
    /// So much of it is that, one character, and white space.
    inner: usize,
    frames: Frames,
    /// An error has come, and this provider may have sent it.
    error: Option<Format>,
    /// How much may be kept. Counted in the body, not in chunks.
    limit: usize,
}

impl Detection {
    pub(super) fn new(limit: usize) -> Detection {
        Detection { raw: Vec::new(), blank: 0, inner: 0, frames: Frames::new(limit), error: None, limit }
    }

    /// Goes on with the next chunk. Once it is certain what the body is, that, and all of the body so far.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Option<(Format, Vec<u8>)> {
        let (now, beyond) = chunk.split_at(chunk.len().min(self.limit - self.raw.len()));
        self.raw.extend_from_slice(now);
        let too_long = !beyond.is_empty();
        let wire = self.by_beginning().or_else(|| self.by_payload(now)).or(too_long.then_some(Format::Text))?;
        self.raw.extend_from_slice(beyond);
        Some((wire, self.replay(wire)))
    }

    /// What is read again. A byte order mark is no part of JSON.
    fn replay(&mut self, wire: Format) -> Vec<u8> {
        if wire == Format::Json && self.raw.starts_with(MARK) {
            self.raw.drain(..MARK.len());
        }
        core::mem::take(&mut self.raw)
    }

    /// What the body is if it ends here, and all of it.
    pub(super) fn finish(&mut self) -> (Format, Vec<u8>) {
        let first = self.beginning().first().copied();
        let last = self.frames.finish().and_then(|frame| known(frame, first, &mut self.error));
        let wire = match last {
            Some(wire) => wire,
            None => self.error.unwrap_or(Format::Text),
        };
        (wire, self.replay(wire))
    }

    /// The body without a byte order mark and white space in front.
    fn beginning(&mut self) -> &[u8] {
        if self.blank == 0 && self.raw.starts_with(MARK) {
            self.blank = MARK.len();
        }
        while self.raw.get(self.blank).is_some_and(u8::is_ascii_whitespace) {
            self.blank += 1;
        }
        &self.raw[self.blank..]
    }

    /// What the first characters tell: that it is no provider's.
    fn by_beginning(&mut self) -> Option<Format> {
        let first = *self.beginning().first()?;
        if !matches!(first, b'{' | b'[') {
            let raw = self.beginning();
            let is = |field: &&str| raw.starts_with(field.as_bytes()) || field.as_bytes().starts_with(raw);
            // A byte order mark may still be coming.
            return (!MARK.starts_with(raw) && !FIELDS.iter().any(is)).then_some(Format::Text);
        }
        self.inner = self.inner.max(self.blank + 1);
        while self.raw.get(self.inner).is_some_and(u8::is_ascii_whitespace) {
            self.inner += 1;
        }
        match (first, self.raw[self.inner..].split_first()) {
            (b'{', Some((b'"', key))) => {
                let end = memchr::memchr(b'"', &key[..key.len().min(64)])?;
                PARAMETERS.iter().any(|name| key[..end] == *name.as_bytes()).then_some(Format::Json)
            }
            (_, None) | (b'{', Some((b'}', _))) | (b'[', Some((b'{' | b']', _))) => None,
            _ => Some(Format::Text),
        }
    }

    fn by_payload(&mut self, mut chunk: &[u8]) -> Option<Format> {
        let first = self.beginning().first().copied();
        while let Some(frame) = self.frames.next(&mut chunk) {
            if let Some(wire) = known(frame, first, &mut self.error) {
                return Some(wire);
            }
        }
        None
    }
}

/// What a payload tells of the body, which begins with the character `first`.
fn known(frame: Frame<'_>, first: Option<u8>, error: &mut Option<Format>) -> Option<Format> {
    let Frame::Payload(payload) = frame else { return None };
    match detect(&String::from_utf8_lossy(payload)) {
        Detected::Provider(wire) => Some(wire),
        Detected::Error(wire) => {
            error.get_or_insert(wire);
            None
        }
        Detected::Arguments => Some(Format::Json).filter(|_| first == Some(b'{')),
        Detected::Nothing => None,
    }
}
