//! Bytes against a decoding of the whole: of UTF-8 by the standard library, of server-sent events by another reader of them.

use std::sync::Arc;

use followup::wire::{Response, Wire};
use followup::{Limits, Policy};
use followup_testing::{Entry, Stream, Syntax, Transcript};

use crate::input::cut;

/// Puts a body into the framing of server-sent events, and means nothing.
const EVENTS: &[u8] = b"data:\n\n";

pub fn read(input: &[u8]) {
    let Some((&[kind, size], rest)) = input.split_first_chunk() else { return };
    let (bytes, cuts) = cut(rest, size.into());
    match kind % 3 {
        0 => text(&Stream::new(Syntax::Markup, bytes.clone()), &cuts.chunks(&bytes)),
        1 => text(&Stream::new(Syntax::Arguments, bytes.clone()), &cuts.chunks(&bytes)),
        _ => events(&bytes, &cuts.chunks(&bytes)),
    }
}

/// A stream of bytes says what the text says that all of it stands for.
fn text(stream: &Stream, chunks: &[&[u8]]) {
    // Limits count bytes, and U+FFFD has other ones than what it stands for.
    let far = 1 << 20;
    let limits = Limits { question: far, answer: far, tag: far, bare: far, ..Limits::default() };
    let policy = Arc::new(Policy::new().limits(limits));
    let shown = Transcript::of(&mut stream.parser(policy.clone()), chunks);
    let mut parser = stream.parser(policy);
    let mut meant = Transcript::default();
    meant.append(parser.feed(&String::from_utf8_lossy(stream)));
    meant.append(parser.finish());
    assert_eq!(without_spans(&shown), without_spans(&meant));
}

fn without_spans(transcript: &Transcript) -> Vec<Step> {
    let mut steps = transcript.entries().to_vec();
    for step in &mut steps {
        if let Entry::Complete(ended) | Entry::Rejected(_, ended) = step {
            ended.span = 0..0;
        }
    }
    steps
}

/// A body says what the payloads say that another reader finds in it.
fn events(body: &[u8], chunks: &[&[u8]]) {
    let mut plain = EVENTS.to_vec();
    for payload in payloads(body) {
        for line in payload.split('\n') {
            plain.extend_from_slice(b"data: ");
            plain.extend_from_slice(line.as_bytes());
            plain.push(b'\n');
        }
        plain.push(b'\n');
    }
    let policy = Arc::new(Policy::new());
    let of = |chunks: &[&[u8]]| {
        Transcript::of_response(&mut Response::new(Wire::OpenAiChat, policy.clone()), [&[EVENTS], chunks].concat())
    };
    assert_eq!(of(chunks), of(&[&plain]), "\"{}\"", body.escape_ascii());
}

/// The payloads of the whole body. An event that ends with the body counts.
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
