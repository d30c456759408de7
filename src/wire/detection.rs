//! Finding out what a body is from how it begins.

use alloc::string::String;
use alloc::vec::Vec;

use super::Wire;
use super::frames::{Frame, Frames};
use super::provider::{Detected, detect};

/// The parameters of a call, which bare arguments begin with.
const PARAMETERS: [&str; 6] = ["question", "follow_up", "suggestions", "options", "suggest", "suggestion"];

/// What server-sent events begin with.
const FIELDS: [&str; 5] = [":", "data:", "event:", "id:", "retry:"];

/// A body of which it is not certain yet what it is.
#[derive(Clone, Debug)]
pub(super) struct Detection {
    /// All of it so far, which is read again then.
    raw: Vec<u8>,
    frames: Frames,
    /// An error has come that any provider might have sent.
    error: bool,
    /// How much may be kept.
    limit: usize,
}

impl Detection {
    pub(super) fn new(limit: usize) -> Detection {
        Detection { raw: Vec::new(), frames: Frames::new(limit), error: false, limit }
    }

    /// Goes on with the next chunk. Once it is certain what the body is, that, and all of the body so far.
    pub(super) fn feed(&mut self, chunk: &[u8]) -> Option<(Wire, Vec<u8>)> {
        self.raw.extend_from_slice(chunk);
        let too_long = self.raw.len() > self.limit;
        let wire = by_beginning(&self.raw).or_else(|| self.by_payload(chunk)).or(too_long.then_some(Wire::Text))?;
        Some((wire, core::mem::take(&mut self.raw)))
    }

    /// What the body is if it ends here, and all of it.
    pub(super) fn finish(&mut self) -> (Wire, Vec<u8>) {
        let last = self.frames.finish().and_then(|frame| known(frame, &mut self.error, &self.raw));
        let wire = match last {
            Some(wire) => wire,
            // Whose it is makes no difference to it.
            None if self.error => Wire::OpenAiChat,
            None if beginning(&self.raw).starts_with(b"{") => Wire::Json,
            None => Wire::Text,
        };
        (wire, core::mem::take(&mut self.raw))
    }

    fn by_payload(&mut self, mut chunk: &[u8]) -> Option<Wire> {
        while let Some(frame) = self.frames.next(&mut chunk) {
            if let Some(wire) = known(frame, &mut self.error, &self.raw) {
                return Some(wire);
            }
        }
        None
    }
}

/// What a payload tells of the body.
fn known(frame: Frame<'_>, error: &mut bool, raw: &[u8]) -> Option<Wire> {
    let Frame::Payload(payload) = frame else { return None };
    let bare = match beginning(raw).first() {
        Some(b'{') => Some(Wire::Json),
        Some(b'[') => Some(Wire::Text),
        _ => None,
    };
    match detect(&String::from_utf8_lossy(payload)) {
        Detected::Provider(wire) => Some(wire),
        Detected::Error => {
            *error = true;
            None
        }
        Detected::Other => bare,
        Detected::Nothing => bare.map(|_| Wire::Text),
    }
}

/// The body without a byte order mark and white space in front.
fn beginning(raw: &[u8]) -> &[u8] {
    raw.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(raw).trim_ascii_start()
}

/// What the first characters tell: that it is no provider's.
fn by_beginning(raw: &[u8]) -> Option<Wire> {
    let raw = beginning(raw);
    // A byte order mark may still be coming.
    let marked = b"\xEF\xBB\xBF".starts_with(raw);
    match (*raw.first()?, raw[1..].trim_ascii_start()) {
        _ if marked => None,
        (b'{' | b'[', []) => None,
        (b'{', [b'"', key @ ..]) => {
            let end = memchr::memchr(b'"', &key[..key.len().min(64)])?;
            PARAMETERS.iter().any(|name| key[..end] == *name.as_bytes()).then_some(Wire::Json)
        }
        (b'{', [b'}', ..]) | (b'[', [b'{' | b']', ..]) => None,
        (b'{' | b'[', _) => Some(Wire::Text),
        _ => {
            let may_be =
                FIELDS.iter().any(|field| raw.starts_with(field.as_bytes()) || field.as_bytes().starts_with(raw));
            (!may_be).then_some(Wire::Text)
        }
    }
}
