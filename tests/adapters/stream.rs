//! A stream of events says what the cursor says, whatever its chunks, their errors, and whoever reads it.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use followup::owned::{self, Event, Reader};
use followup::stream::{Error, EventStream, events};
use followup::wire::{Response, Wire};
use followup::{Parser, Policy};
use followup_testing::strategies::{cuts, streams};
use followup_testing::{Cuts, Transcript};
use futures::stream::{FusedStream, Stream};
use futures::{StreamExt, executor::block_on};
use proptest::prelude::*;

const MESSAGE: &str = "Hm. <ask_followup_question><question>Which < one?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question> <read_file><path>a</path></read_file>";

/// What an inner stream does when it is polled.
#[derive(Clone, Debug)]
enum Act {
    Chunk(Bytes),
    Error(usize),
    Wait,
}

/// Does one after the other, and counts how often it was polled.
#[derive(Debug, Default)]
struct Acts {
    acts: VecDeque<Act>,
    polled: usize,
}

impl Acts {
    fn new(acts: impl IntoIterator<Item = Act>) -> Acts {
        Acts { acts: acts.into_iter().collect(), polled: 0 }
    }
}

impl Stream for Acts {
    type Item = Result<Bytes, usize>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.polled += 1;
        match self.acts.pop_front() {
            None => Poll::Ready(None),
            Some(Act::Chunk(chunk)) => Poll::Ready(Some(Ok(chunk))),
            Some(Act::Error(error)) => Poll::Ready(Some(Err(error))),
            Some(Act::Wait) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
        }
    }
}

fn chunks(stream: &[u8], cuts: &Cuts) -> Vec<Act> {
    cuts.chunks(stream).into_iter().map(|chunk| Act::Chunk(Bytes::copy_from_slice(chunk))).collect()
}

/// Asks for the next item, and stops waiting at once if there is none yet.
fn next<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    // The future is made anew each time, and dropped: so a `select!` or a time-out does it.
    let next = pin!(stream.next());
    next.poll(&mut Context::from_waker(Waker::noop()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_says_what_the_cursor_says(stream in streams(), cuts in cuts()) {
        let chunks: Vec<Vec<u8>> = cuts.chunks(&stream).into_iter().map(Vec::from).collect();
        let whole = Transcript::of(&mut stream.parser(Policy::new()), [&*stream]);
        let mut transcript = Transcript::default();
        let said: Vec<_> = block_on(events(futures::stream::iter(chunks), stream.parser(Policy::new())).collect());
        for event in said.iter().map(|item| item.as_ref().unwrap()) {
            transcript.append_owned(event);
        }
        prop_assert_eq!(transcript, whole);
    }

    /// Errors pass through where they come, nobody's impatience loses anything, and at any point another stream may go on with a checkpoint.
    #[test]
    fn errors_waiting_and_resuming_change_nothing(
        stream in streams(),
        cuts in cuts(),
        between in prop::collection::vec((0..4usize, 0..8usize), 14),
    ) {
        let policy = Policy::new();
        let whole = Transcript::of(&mut stream.parser(policy.clone()), [&*stream]);
        let mut acts = Vec::new();
        let mut errors = 0;
        for (chunk, (what, _)) in chunks(&stream, &cuts).into_iter().zip(&between) {
            match what {
                0 => acts.push(Act::Wait),
                1 => { acts.push(Act::Error(errors)); errors += 1; }
                2 => acts.extend([Act::Wait, Act::Chunk(Bytes::new()), Act::Wait]),
                _ => {}
            }
            acts.push(chunk);
        }
        let mut transcript = Transcript::default();
        let mut seen = 0;
        let mut resumes = between.iter().map(|(_, resume)| *resume == 0).cycle();
        let mut reading = events(Acts::new(acts), stream.parser(policy.clone()));
        loop {
            // All of the last chunk has been taken: here it may stop, and go on elsewhere.
            if reading.is_settled() && !reading.is_terminated() && resumes.next() == Some(true) {
                let (acts, reader) = reading.into_parts();
                let checkpoint = reader.parser().checkpoint();
                let left: Vec<_> = acts.acts.into_iter().collect();
                let over = left.is_empty();
                reading = events(Acts::new(left), Parser::resume(policy.clone(), checkpoint).unwrap());
                if over {
                    // The end has been seen, or is all that is left.
                    while let Poll::Ready(Some(item)) = next(&mut reading) {
                        transcript.append_owned(&item.unwrap());
                    }
                    break;
                }
            }
            match next(&mut reading) {
                Poll::Pending => {}
                Poll::Ready(None) => break,
                Poll::Ready(Some(Ok(event))) => transcript.append_owned(&event),
                Poll::Ready(Some(Err(error))) => {
                    prop_assert_eq!(error, seen);
                    seen += 1;
                }
            }
        }
        prop_assert_eq!(transcript, whole);
        prop_assert_eq!(seen, errors);
    }
}

#[test]
fn at_every_chunk_size_it_says_the_same() {
    let whole = Transcript::of(&mut Parser::default(), [MESSAGE]);
    for size in 1..=MESSAGE.len() {
        let acts = chunks(MESSAGE.as_bytes(), &Cuts::fixed(MESSAGE.len(), size));
        let mut transcript = Transcript::default();
        for item in block_on(events(Acts::new(acts), Parser::default()).collect::<Vec<_>>()) {
            transcript.append_owned(&item.unwrap());
        }
        assert_eq!(transcript, whole, "{size}");
    }
}

#[test]
fn the_next_chunk_is_asked_for_when_all_events_have_been_taken() {
    let mut reading =
        events(Acts::new([Act::Chunk(MESSAGE.into()), Act::Wait, Act::Chunk("More.".into())]), Parser::default());
    let mut taken = 0;
    while reading.get_ref().polled < 2 {
        taken += usize::from(matches!(next(&mut reading), Poll::Ready(Some(Ok(_)))));
        if !reading.is_settled() {
            assert_eq!(reading.get_ref().polled, 1, "whoever is slow slows the source");
        }
    }
    assert!(taken > 5, "{taken}");
    assert_eq!(next(&mut reading), Poll::Ready(Some(Ok(Event::Text("More.".into())))));
    assert!(!reading.is_terminated());
    assert_eq!(next(&mut reading), Poll::Ready(None));
    let polled = reading.get_ref().polled;
    assert!(reading.is_terminated());
    assert_eq!(next(&mut reading), Poll::Ready(None));
    assert_eq!(reading.get_ref().polled, polled, "behind its end an inner stream is left alone");
}

#[test]
fn an_error_at_the_end_does_not_end_it() {
    let cut = "<ask_followup_question><question>Which";
    let all: Vec<_> = block_on(events(Acts::new([Act::Chunk(cut.into()), Act::Error(7)]), Parser::default()).collect());
    assert!(matches!(all[..], [Ok(Event::Partial(_)), Err(7), Ok(Event::Rejected(_))]), "{all:?}");
}

/// What a provider streams, its own errors, and those of the connection.
#[test]
fn a_body_says_what_its_cursor_says_with_its_errors() {
    let body = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi <ask_followup_question><question>Q?\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"</question></ask_followup_question>\"}}\n\n";
    let whole = Transcript::of_response(&mut Response::new(Wire::Anthropic, Policy::new()), [body]);
    for size in 1..=body.len() {
        let mut acts = chunks(body.as_bytes(), &Cuts::fixed(body.len(), size));
        acts.insert(acts.len() / 2, Act::Error(1));
        acts.insert(acts.len() / 3, Act::Wait);
        let response = Response::new(Wire::Anthropic, Policy::new());
        let (mut transcript, mut broken) = (Transcript::default(), 0);
        for item in block_on(events(Acts::new(acts), response).collect::<Vec<_>>()) {
            match item {
                Ok(event) => transcript.append_owned_response(&Ok(event)),
                Err(Error::Wire(error)) => transcript.append_owned_response(&Err(error)),
                Err(Error::Stream(error)) => broken += error,
            }
        }
        assert_eq!((&transcript, broken), (&whole, 1), "{size}");
    }
}

#[test]
fn an_error_says_what_it_is() {
    let wire: Error<std::io::Error> = Error::Wire(owned::Error::TooLong(9));
    assert_eq!(wire.to_string(), "an event of the stream is longer than the limit of 9 bytes and was skipped");
    let stream = Error::Stream(std::io::Error::other("reset by peer"));
    assert_eq!(stream.to_string(), "reset by peer");
    // What it shows is the inner error, so what is behind it is what is behind that.
    let behind = |error: &dyn std::error::Error| error.source().map(ToString::to_string);
    assert_eq!(behind(&Error::Stream(Refused(std::fmt::Error))), Some(std::fmt::Error.to_string()));
    assert_eq!(behind(&wire), None);
}

/// An error with another behind it.
#[derive(Debug)]
struct Refused(std::fmt::Error);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("refused")
    }
}

impl std::error::Error for Refused {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

#[test]
fn what_reads_can_be_looked_at() {
    let mut reader = Reader::new(Parser::default());
    assert!(format!("{:?}", reader.feed("Hi".into())).starts_with("Drain(Reader"));
    let reading = EventStream::new(futures::stream::empty::<Bytes>(), reader);
    let shown = format!("{reading:?}");
    assert!(shown.contains("EventStream") && shown.contains("is_settled: true") && shown.contains("Open"), "{shown}");
}

#[test]
fn chunks_may_be_text_bytes_or_results_of_either() {
    let text = || String::from("Hi");
    let said = [Event::Text("Hi".into())];
    fn all<S: Stream>(chunks: S) -> Vec<Event>
    where
        S::Item: followup::stream::Chunk<Error: std::fmt::Debug>,
    {
        block_on(events(chunks, Parser::default()).map(Result::unwrap).collect())
    }
    assert_eq!(all(futures::stream::iter([text()])), said);
    assert_eq!(all(futures::stream::iter([text().into_bytes()])), said);
    assert_eq!(all(futures::stream::iter([Bytes::from(text())])), said);
    assert_eq!(all(futures::stream::iter([Ok::<_, ()>(text())])), said);
    assert_eq!(all(futures::stream::iter([Ok::<_, ()>(text().into_bytes())])), said);
}

#[test]
fn a_stream_may_go_on_with_a_reader_that_has_read_before() {
    let mut reader = Reader::new(Parser::default());
    let first = reader.feed("<ask_followup_question><question>Whi".into()).count();
    let rest = [Act::Chunk("ch?</question></ask_followup_question>".into())];
    let all: Vec<_> = block_on(EventStream::new(Acts::new(rest), reader).collect());
    assert_eq!((first, all.len()), (1, 2));
    assert!(matches!(&all[1], Ok(Event::Complete(call)) if call.question == "Which?"));
}

/// In the middle of a chunk, too: what is left of it is in both.
#[test]
fn a_reader_and_its_clone_go_on_alike() {
    let mut reading = EventStream::new(futures::stream::iter([Bytes::from(MESSAGE)]), Reader::new(Parser::default()));
    assert!(matches!(block_on(reading.next()), Some(Ok(Event::Text(text))) if text == "Hm. "));
    assert!(!reading.reader().is_settled());
    let (chunks, reader) = reading.into_parts();
    let clone = EventStream::new(chunks.clone(), reader.clone());
    let rest: Vec<_> = block_on(EventStream::new(chunks, reader).collect());
    assert!(rest.len() > 5, "{rest:?}");
    assert_eq!(block_on(clone.collect::<Vec<_>>()), rest);
}
