//! Bytes against another decoder of the whole stream.
//!
//! The other decoders are UTF-8 of the standard library, and server-sent events of sse-core.
//!
//! The bytes of an input: its kind, and whether all families of envelopes are read; the size of
//! chunks; the stream, with a [`CUT`](crate::input::CUT) where it is cut.

use std::sync::Arc;

use followup::wire::{Format, ResponseParser};
use followup::{Envelopes, Limits, Policy};
use followup_testing::{Entry, Stream, Syntax, Transcript};

use crate::input::cut;

/// An event without data: it makes a body one of server-sent events.
const EVENTS: &[u8] = b"data:\n\n";

/// The bit of the first byte with which all families of envelopes are read, not those by default.
pub const ALL_FAMILIES: u8 = 128;

pub fn read(input: &[u8]) {
    let Some((&[kind, size], rest)) = input.split_first_chunk() else { return };
    let (bytes, cuts) = cut(rest, size.into());
    let envelopes = if kind & ALL_FAMILIES != 0 { Envelopes::all() } else { Envelopes::default() };
    let policy = Policy::new().with_envelopes(envelopes);
    match (kind & !ALL_FAMILIES) % 3 {
        0 => text(&Stream::new(Syntax::Markup, bytes.clone()), &cuts.chunks(&bytes), policy),
        1 => text(&Stream::new(Syntax::Arguments, bytes.clone()), &cuts.chunks(&bytes), policy),
        _ => events(&bytes, &cuts.chunks(&bytes), policy),
    }
}

/// Asserts that a stream has the same events as its text.
fn text(stream: &Stream, chunks: &[&[u8]], policy: Policy) {
    // U+FFFD is longer than the bytes it replaces, and limits count bytes.
    let far = 1 << 20;
    let limits = Limits { question: far, answer: far, tag: far, unconfirmed: far, ..Limits::default() };
    let policy = Arc::new(policy.with_limits(limits));
    let shown = Transcript::of(&mut stream.parser(policy.clone()), chunks);
    let mut parser = stream.parser(policy);
    let mut expected = Transcript::default();
    expected.append(parser.feed(&String::from_utf8_lossy(stream)));
    expected.append(parser.finish());
    assert_eq!(without_spans(&shown), without_spans(&expected));
}

fn without_spans(transcript: &Transcript) -> Vec<Entry> {
    let mut entries = transcript.entries().to_vec();
    for entry in &mut entries {
        if let Entry::Complete(call) | Entry::Rejected(_, call) = entry {
            call.span = 0..0;
        }
    }
    entries
}

/// Asserts that a body has the same events as the payloads that another decoder finds in it.
///
/// Lines that begin with `{` or `error:` are exceptions: they may be payloads that the standard
/// ignores.
fn events(body: &[u8], chunks: &[&[u8]], policy: Policy) {
    let may_be_payload = |line: &[u8]| line.starts_with(b"{") || line.starts_with(b"error:");
    if body.split(|byte| matches!(byte, b'\n' | b'\r')).any(may_be_payload) {
        return;
    }
    let mut plain = EVENTS.to_vec();
    for payload in payloads(body) {
        for line in payload.split('\n') {
            plain.extend_from_slice(b"data: ");
            plain.extend_from_slice(line.as_bytes());
            plain.push(b'\n');
        }
        plain.push(b'\n');
    }
    let policy = Arc::new(policy);
    let transcript = |chunks: &[&[u8]]| {
        Transcript::of_response(
            &mut ResponseParser::new(Format::OpenAiChat, policy.clone()),
            [&[EVENTS], chunks].concat(),
        )
    };
    assert_eq!(transcript(chunks), transcript(&[&plain]), "\"{}\"", body.escape_ascii());
}

/// Returns the payloads of the whole body. An event that ends with the body counts.
fn payloads(body: &[u8]) -> Vec<String> {
    let body = [EVENTS, body, b"\n\n"].concat();
    let (mut decoder, mut rest, mut payloads) = (sse_core::SseDecoder::new(), &body[..], Vec::new());
    while let Some(event) = decoder.next(&mut rest) {
        if let sse_core::SseEvent::Message(message) = event.expect("it is short enough") {
            payloads.push(message.data);
        }
    }
    payloads
}
