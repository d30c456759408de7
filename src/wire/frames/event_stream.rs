//! Amazon's binary framing of event streams, `application/vnd.amazon.eventstream`.
//!
//! <https://smithy.io/2.0/aws/amazon-eventstream.html>. A frame is a prelude (its length, that of
//! its headers, and the checksum of both), headers, a payload, and the checksum of all. The headers
//! name the event; a frame is lent as the JSON object that an SDK would give, with the event's name
//! as its only key.
//!
//! nom reads the headers. `aws-smithy-eventstream` reads whole frames, but from 0.60.19 on it needs
//! a newer Rust than this crate, and with its types it is 25 crates. It checks a length only after
//! it has buffered that many bytes, up to 4 GiB, and allocates for every header. The tests write
//! and compare frames with it.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use nom::bytes::complete::take;
use nom::multi::length_data;
use nom::number::complete::{be_u8, be_u16, be_u32};
use nom::{IResult, Parser as _};

use super::crc32::crc32;
use crate::wire::buffer::append;

/// The bytes of a prelude: two lengths and a checksum.
const PRELUDE_LEN: usize = 12;

/// The bytes of the checksum at the end.
const CHECKSUM_LEN: usize = 4;

/// The bytes that the headers of a frame may have, as Amazon documents.
const MAX_HEADERS_LEN: usize = 128 << 10;

/// The bytes of each buffer that are kept from one frame to the next.
const RETAINED: usize = 64 << 10;

/// Why a frame is not lent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadFrame {
    /// Its payload is longer than the limit.
    TooLong,
    /// What is wrong with it.
    Corrupt(&'static str),
}

/// A decoder that splits a body into frames.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct FrameDecoder {
    /// The beginning of an incomplete frame.
    buffer: Vec<u8>,
    /// The lengths of the current frame, once they are known.
    prelude: Option<Prelude>,
    /// The bytes that are left of a frame that is skipped.
    skipped: usize,
    /// A prelude was wrong, so that nothing tells where the next frame begins.
    is_lost: bool,
    /// The JSON of the last frame.
    #[cfg_attr(feature = "serde", serde(skip))]
    json: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Prelude {
    /// The bytes of the frame, with this prelude.
    frame_len: usize,
    headers_len: usize,
}

impl Prelude {
    fn read(bytes: &[u8]) -> Result<Prelude, &'static str> {
        let fields = (be_u32::<&[u8], nom::error::Error<&[u8]>>, be_u32, be_u32).parse(bytes);
        let Ok((_, (frame_len, headers_len, checksum))) = fields else { return Err("it has no prelude") };
        if crc32(&bytes[..8]) != checksum {
            return Err("the checksum of its lengths is wrong");
        }
        let (Ok(frame_len), Ok(headers_len)) = (usize::try_from(frame_len), usize::try_from(headers_len)) else {
            return Err("its lengths are wrong");
        };
        let prelude = Prelude { frame_len, headers_len };
        if prelude.is_valid() { Ok(prelude) } else { Err("its lengths are wrong") }
    }

    fn is_valid(self) -> bool {
        self.headers_len <= MAX_HEADERS_LEN && self.frame_len >= PRELUDE_LEN + self.headers_len + CHECKSUM_LEN
    }

    fn payload_len(self) -> usize {
        self.frame_len - self.headers_len - PRELUDE_LEN - CHECKSUM_LEN
    }
}

/// Returns whether a body begins with a prelude; `None` if that takes more bytes.
pub(in crate::wire) fn begins_with_prelude(body: &[u8]) -> Option<bool> {
    match (body.get(..PRELUDE_LEN), body.first()) {
        (Some(bytes), _) => Some(Prelude::read(bytes).is_ok()),
        (None, Some(&first)) if !may_begin(first) => Some(false),
        (None, _) => None,
    }
}

/// Returns whether a frame may begin with that byte.
///
/// One that begins with a higher one would be longer than 144 MiB. Text begins with a higher one.
pub(super) fn may_begin(first: u8) -> bool {
    first < b'\t'
}

impl FrameDecoder {
    /// Clears the JSON of the last frame.
    pub(super) fn clear_lent(&mut self) {
        self.json.clear();
    }

    /// Returns whether the state is one of a body with that limit of an event.
    pub(super) fn is_in_bounds(&self, limit: usize) -> bool {
        let len = self.buffer.len();
        match self.prelude {
            None => len < PRELUDE_LEN,
            Some(prelude) => prelude.is_valid() && prelude.payload_len() <= limit && len < prelude.frame_len,
        }
    }

    /// Consumes the chunk up to the end of the next frame that has a payload.
    ///
    /// `None` when the chunk is consumed.
    ///
    /// After a prelude that is wrong, the rest of the body is skipped.
    pub(super) fn next(&mut self, chunk: &mut &[u8], limit: usize) -> Option<Result<&[u8], BadFrame>> {
        self.json.clear();
        self.json.shrink_to(RETAINED);
        loop {
            if self.is_lost {
                *chunk = &[];
                return None;
            }
            let skipped = self.skipped.min(chunk.len());
            *chunk = &chunk[skipped..];
            self.skipped -= skipped;
            let Prelude { frame_len, headers_len } = match self.prelude {
                Some(prelude) => prelude,
                None => match self.read_prelude(chunk)? {
                    Ok(prelude) if prelude.payload_len() > limit => {
                        self.skipped = prelude.frame_len - self.buffer.len();
                        self.buffer.clear();
                        return Some(Err(BadFrame::TooLong));
                    }
                    Ok(prelude) => *self.prelude.insert(prelude),
                    Err(what) => {
                        self.is_lost = true;
                        self.buffer.clear();
                        return Some(Err(BadFrame::Corrupt(what)));
                    }
                },
            };
            let read = if self.buffer.is_empty() && chunk.len() >= frame_len {
                let (frame, rest) = chunk.split_at(frame_len);
                *chunk = rest;
                write_json(frame, headers_len, &mut self.json)
            } else {
                self.fill_to(frame_len, chunk)?;
                let read = write_json(&self.buffer, headers_len, &mut self.json);
                self.buffer.clear();
                self.buffer.shrink_to(RETAINED);
                read
            };
            self.prelude = None;
            match read {
                Ok(()) if self.json.is_empty() => {}
                Ok(()) => return Some(Ok(&self.json)),
                Err(what) => return Some(Err(BadFrame::Corrupt(what))),
            }
        }
    }

    /// Returns what is wrong with the end of the body.
    pub(super) fn finish(&self) -> Option<BadFrame> {
        // A frame that is too long has been reported.
        (!self.buffer.is_empty()).then_some(BadFrame::Corrupt("it is cut off"))
    }

    /// Reads the prelude of the next frame, which stays in the chunk or in the buffer.
    fn read_prelude(&mut self, chunk: &mut &[u8]) -> Option<Result<Prelude, &'static str>> {
        if self.buffer.is_empty() && chunk.len() >= PRELUDE_LEN {
            return Some(Prelude::read(&chunk[..PRELUDE_LEN]));
        }
        self.fill_to(PRELUDE_LEN, chunk)?;
        Some(Prelude::read(&self.buffer))
    }

    /// Moves bytes of the chunk to the buffer until it has `len`; `None` if they are too few.
    fn fill_to(&mut self, len: usize, chunk: &mut &[u8]) -> Option<()> {
        let missing = len.saturating_sub(self.buffer.len()).min(chunk.len());
        append(&mut self.buffer, &chunk[..missing], len);
        *chunk = &chunk[missing..];
        (self.buffer.len() >= len).then_some(())
    }
}

/// The headers that tell what a frame is.
#[derive(Clone, Copy, Debug, Default)]
struct Headers<'a> {
    message_type: &'a [u8],
    event_type: &'a [u8],
    exception_type: &'a [u8],
    error_code: &'a [u8],
    error_message: &'a [u8],
}

/// Writes the event or the error of a whole frame as JSON; writes nothing for other frames.
fn write_json(frame: &[u8], headers_len: usize, json: &mut Vec<u8>) -> Result<(), &'static str> {
    let (content, checksum) = frame.split_at(frame.len() - CHECKSUM_LEN);
    if crc32(content).to_be_bytes() != *checksum {
        return Err("its checksum is wrong");
    }
    let (headers, payload) = content[PRELUDE_LEN..].split_at(headers_len);
    let headers = read_headers(headers).ok_or("its headers can't be read")?;
    let payload = payload.trim_ascii();
    match headers.message_type {
        // An event's name is an identifier, so it can't break out of the string.
        b"event"
            if headers.event_type.iter().all(|&byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) =>
        {
            let payload = if payload.is_empty() { b"{}" } else { payload };
            write_all(&[b"{\"", headers.event_type, b"\":", payload, b"}"], json);
        }
        b"exception" if payload.starts_with(b"{") && payload[1..].trim_ascii() != b"}" => {
            write_all(&[b"{\"error\":", payload, b"}"], json);
        }
        b"exception" => write_error(&[headers.exception_type], json),
        b"error" => write_error(&[headers.error_code, headers.error_message], json),
        _ => {}
    }
    Ok(())
}

fn write_all(parts: &[&[u8]], json: &mut Vec<u8>) {
    parts.iter().for_each(|part| json.extend_from_slice(part));
}

/// Writes an error whose message is the parts that are not empty.
fn write_error(parts: &[&[u8]], json: &mut Vec<u8>) {
    let parts: Vec<&[u8]> = parts.iter().copied().filter(|part| !part.is_empty()).collect();
    let message = parts.join(&b": "[..]);
    json.extend(serde_json::json!({ "error": String::from_utf8_lossy(&message) }).to_string().into_bytes());
}

fn read_headers(mut input: &[u8]) -> Option<Headers<'_>> {
    let mut headers = Headers::default();
    while !input.is_empty() {
        let (rest, (name, value)) = header(input).ok()?;
        input = rest;
        match name {
            b":message-type" => headers.message_type = value,
            b":event-type" => headers.event_type = value,
            b":exception-type" => headers.exception_type = value,
            b":error-code" => headers.error_code = value,
            b":error-message" => headers.error_message = value,
            _ => {}
        }
    }
    Some(headers)
}

/// Parses a header: its name, and its value as bytes.
fn header(input: &[u8]) -> IResult<&[u8], (&[u8], &[u8])> {
    let (input, (name, kind)) = (length_data(be_u8), be_u8).parse(input)?;
    let (input, value) = match kind {
        // `true` and `false` have no value.
        0 | 1 => take(0_usize).parse(input)?,
        2 => take(1_usize).parse(input)?,
        3 => take(2_usize).parse(input)?,
        4 => take(4_usize).parse(input)?,
        // A number of 64 bits, and a time.
        5 | 8 => take(8_usize).parse(input)?,
        // Bytes, and a string.
        6 | 7 => length_data(be_u16).parse(input)?,
        // An UUID.
        9 => take(16_usize).parse(input)?,
        _ => return Err(nom::Err::Error(nom::error::Error::new(input, nom::error::ErrorKind::Switch))),
    };
    Ok((input, (name, value)))
}
