//! A framed reader yields the events of the cursor.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::BytesMut;
use followup::codec::EventDecoder;
use followup::owned::Event;
use followup::wire::{Format, ResponseParser};
use followup::{Parser, Policy};
use followup_testing::Transcript;
use followup_testing::strategies::{cuts, streams};
use futures::{StreamExt, executor::block_on};
use proptest::prelude::*;
use tokio::io::{AsyncRead, ReadBuf};
use tokio_util::codec::{Decoder, FramedRead};

/// A source that returns one of these results for each read.
#[derive(Debug)]
struct Reads(VecDeque<io::Result<Vec<u8>>>);

impl AsyncRead for Reads {
    fn poll_read(mut self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if let Some(read) = self.0.pop_front() {
            let mut bytes = read?;
            let later = bytes.split_off(bytes.len().min(buffer.remaining()));
            buffer.put_slice(&bytes);
            if !later.is_empty() {
                self.0.push_front(Ok(later));
            }
        }
        Poll::Ready(Ok(()))
    }
}

fn reads<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Reads {
    // A read of no bytes would be the end.
    Reads(chunks.into_iter().filter(|chunk| !chunk.is_empty()).map(|chunk| Ok(chunk.to_vec())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_framed_reader_yields_the_events_of_the_cursor(stream in streams(), cuts in cuts()) {
        let whole = Transcript::of(&mut stream.parser(Policy::new()), [&*stream]);
        let framed = FramedRead::new(reads(cuts.chunks(&stream)), EventDecoder::new(stream.parser(Policy::new())));
        let mut transcript = Transcript::default();
        for event in block_on(framed.collect::<Vec<_>>()) {
            transcript.append_owned(&event.unwrap());
        }
        prop_assert_eq!(transcript, whole);
    }
}

#[test]
fn a_framed_body_yields_the_events_of_the_cursor_at_every_size() {
    let body = "{\"message\":{\"content\":\"Hi <ask_followup_question><question>Q\"}}\n{]\n\
        {\"message\":{\"content\":\"?</question></ask_followup_question>\"},\"done\":true}\n";
    let whole = Transcript::of_response(&mut ResponseParser::new(Format::Ollama, Policy::new()), [body]);
    for size in 1..=body.len() {
        let decoder = EventDecoder::new(ResponseParser::new(Format::Ollama, Policy::new()));
        let framed = FramedRead::new(reads(body.as_bytes().chunks(size)), decoder);
        let mut transcript = Transcript::default();
        for item in block_on(framed.collect::<Vec<_>>()) {
            transcript.append_owned_response(&item.unwrap());
        }
        assert_eq!(transcript, whole, "{size}");
    }
}

#[test]
fn another_framed_reader_continues_after_an_error() {
    let mut first = reads([&b"<ask_followup_question><question>Whi"[..]]);
    first.0.push_back(Err(io::ErrorKind::ConnectionReset.into()));
    let mut framed = FramedRead::new(first, EventDecoder::new(Parser::default()));
    assert!(matches!(block_on(framed.next()), Some(Ok(Event::Partial(_)))));
    assert!(block_on(framed.next()).unwrap().is_err());
    let reader = framed.into_parts().codec.into_reader();
    assert!(reader.is_drained());
    let second = reads([&b"ch?</question></ask_followup_question>"[..]]);
    let rest: Vec<_> = block_on(FramedRead::new(second, EventDecoder::from(reader)).collect());
    assert!(matches!(&rest[..], [Ok(Event::Partial(_)), Ok(Event::Complete(call))] if call.question == "Which?"));
}

#[test]
fn no_byte_stays_in_the_buffer_and_an_end_is_decoded_once() {
    let mut decoder = EventDecoder::new(Parser::default());
    let mut buffer = BytesMut::from("<ask_followup_question><question>Cut <of");
    assert!(matches!(decoder.decode(&mut buffer), Ok(Some(Event::Partial(_)))));
    assert!(buffer.is_empty());
    assert!(matches!(decoder.decode(&mut buffer), Ok(None)));
    assert!(matches!(decoder.decode_eof(&mut buffer), Ok(Some(Event::Partial(_) | Event::Rejected(_)))));
    assert!(!decoder.reader().is_drained());
    while decoder.decode_eof(&mut buffer).unwrap().is_some() {}
    assert!(decoder.reader().is_drained());
    assert!(matches!(decoder.decode_eof(&mut buffer), Ok(None)));
    // Bytes after an end are another stream.
    buffer.extend_from_slice(b"Hi");
    assert!(matches!(decoder.decode(&mut buffer), Ok(Some(Event::Text(text))) if text == "Hi"));
    buffer.extend_from_slice(b"<ask_followup_question><question>Cut");
    assert!(matches!(decoder.decode_eof(&mut buffer), Ok(Some(Event::Partial(_)))));
    assert!(matches!(decoder.decode_eof(&mut buffer), Ok(Some(Event::Rejected(_)))));
    assert!(matches!(decoder.decode_eof(&mut buffer), Ok(None)));
}
