//! A stream of events is equal to what the cursor lends.
//!
//! This holds for all chunks, errors and consumers.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use followup::owned::{self, Event, Reader};
use followup::stream::{EventStream, StreamError, events};
use followup::wire::{Format, ResponseParser};
use followup::{Parser, Policy};
use followup_testing::strategies::{cuts, streams};
use followup_testing::{Cuts, Transcript};
use futures::stream::{FusedStream, Stream};
use futures::{StreamExt, executor::block_on};
use proptest::prelude::*;

const MESSAGE: &str = "Hm. <ask_followup_question><question>Which < one?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question> <read_file><path>a</path></read_file>";

/// What a source does when it is polled.
#[derive(Clone, Debug)]
enum Act {
    Chunk(Bytes),
    Error(usize),
    Wait,
}

/// A source that does one act after the other, and counts how often it was polled.
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

/// Polls for the next item once, and cancels the wait.
fn next<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    // The future is made and dropped each time, as a `select!` or a time-out does it.
    let next = pin!(stream.next());
    next.poll(&mut Context::from_waker(Waker::noop()))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_stream_yields_the_events_of_the_cursor(stream in streams(), cuts in cuts()) {
        let chunks: Vec<Vec<u8>> = cuts.chunks(&stream).into_iter().map(Vec::from).collect();
        let whole = Transcript::of(&mut stream.parser(Policy::new()), [&*stream]);
        let mut transcript = Transcript::default();
        let items: Vec<_> = block_on(events(futures::stream::iter(chunks), stream.parser(Policy::new())).collect());
        for event in items.iter().map(|item| item.as_ref().unwrap()) {
            transcript.append_owned(event);
        }
        prop_assert_eq!(transcript, whole);
    }

    /// Errors pass through in order, a cancelled wait loses nothing, a checkpoint can be resumed.
    #[test]
    fn errors_cancelled_waits_and_resuming_change_no_event(
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
            // All events of the last chunk have been taken: here it may stop, and continue
            // elsewhere.
            if reading.is_drained() && !reading.is_terminated() && resumes.next() == Some(true) {
                let (acts, reader) = reading.into_parts();
                let checkpoint = reader.parser().checkpoint();
                let left: Vec<_> = acts.acts.into_iter().collect();
                let was_last = left.is_empty();
                reading = events(Acts::new(left), Parser::resume(policy.clone(), checkpoint).unwrap());
                if was_last {
                    // Only the end is left.
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
fn the_transcript_is_the_same_at_every_chunk_size() {
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
fn the_source_is_polled_only_when_all_events_have_been_taken() {
    let mut reading =
        events(Acts::new([Act::Chunk(MESSAGE.into()), Act::Wait, Act::Chunk("More.".into())]), Parser::default());
    let mut taken = 0;
    while reading.get_ref().polled < 2 {
        taken += usize::from(matches!(next(&mut reading), Poll::Ready(Some(Ok(_)))));
        if !reading.is_drained() {
            assert_eq!(reading.get_ref().polled, 1, "a slow consumer slows the source down");
        }
    }
    assert!(taken > 5, "{taken}");
    assert_eq!(next(&mut reading), Poll::Ready(Some(Ok(Event::Text("More.".into())))));
    assert!(!reading.is_terminated());
    assert_eq!(next(&mut reading), Poll::Ready(None));
    let polled = reading.get_ref().polled;
    assert!(reading.is_terminated());
    assert_eq!(next(&mut reading), Poll::Ready(None));
    assert_eq!(reading.get_ref().polled, polled, "a source is not polled after its end");
}

#[test]
fn an_error_of_the_source_does_not_end_the_stream() {
    let cut = "<ask_followup_question><question>Which";
    let all: Vec<_> = block_on(events(Acts::new([Act::Chunk(cut.into()), Act::Error(7)]), Parser::default()).collect());
    assert!(matches!(all[..], [Ok(Event::Partial(_)), Err(7), Ok(Event::Rejected(_))]), "{all:?}");
}

/// The errors of the provider, and those of the connection.
#[test]
fn a_stream_of_a_response_yields_the_events_and_errors_of_the_cursor() {
    let body = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi <ask_followup_question><question>Q?\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"</question></ask_followup_question>\"}}\n\n";
    let whole = Transcript::of_response(&mut ResponseParser::new(Format::Anthropic, Policy::new()), [body]);
    for size in 1..=body.len() {
        let mut acts = chunks(body.as_bytes(), &Cuts::fixed(body.len(), size));
        acts.insert(acts.len() / 2, Act::Error(1));
        acts.insert(acts.len() / 3, Act::Wait);
        let response = ResponseParser::new(Format::Anthropic, Policy::new());
        let (mut transcript, mut source_errors) = (Transcript::default(), 0);
        for item in block_on(events(Acts::new(acts), response).collect::<Vec<_>>()) {
            match item {
                Ok(event) => transcript.append_owned_response(&Ok(event)),
                Err(StreamError::Wire(error)) => transcript.append_owned_response(&Err(error)),
                Err(StreamError::Source(error)) => source_errors += error,
            }
        }
        assert_eq!((&transcript, source_errors), (&whole, 1), "{size}");
    }
}

#[test]
fn an_error_displays_the_inner_error() {
    let wire: StreamError<std::io::Error> = StreamError::Wire(owned::Error::TooLong(9));
    assert_eq!(
        wire.to_string(),
        "an event of the stream is longer than the limit of 9 bytes and was skipped: raise the limit"
    );
    let source = StreamError::Source(std::io::Error::other("reset by peer"));
    assert_eq!(source.to_string(), "reset by peer");
    // It displays the inner error, so its source is the source of that.
    let source = |error: &dyn std::error::Error| error.source().map(ToString::to_string);
    assert_eq!(source(&StreamError::Source(Refused(std::fmt::Error))), Some(std::fmt::Error.to_string()));
    assert_eq!(source(&wire), None);
}

/// An error that has a source.
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
fn readers_and_streams_implement_debug() {
    let mut reader = Reader::new(Parser::default());
    assert!(format!("{:?}", reader.feed("Hi".into())).starts_with("Events(Reader"));
    let reading = EventStream::new(futures::stream::empty::<Bytes>(), reader);
    let shown = format!("{reading:?}");
    assert!(
        shown.contains("EventStream") && shown.contains("queued: 0") && shown.contains("source_ended: false"),
        "{shown}"
    );
}

#[test]
fn chunks_may_be_text_bytes_or_results_of_either() {
    let text = || String::from("Hi");
    let expected = [Event::Text("Hi".into())];
    fn all<S: Stream>(chunks: S) -> Vec<Event>
    where
        S::Item: followup::stream::IntoChunk<Error: std::fmt::Debug>,
    {
        block_on(events(chunks, Parser::default()).map(Result::unwrap).collect())
    }
    assert_eq!(all(futures::stream::iter([text()])), expected);
    assert_eq!(all(futures::stream::iter([text().into_bytes()])), expected);
    assert_eq!(all(futures::stream::iter([Bytes::from(text())])), expected);
    assert_eq!(all(futures::stream::iter([Ok::<_, ()>(text())])), expected);
    assert_eq!(all(futures::stream::iter([Ok::<_, ()>(text().into_bytes())])), expected);
}

#[test]
fn a_stream_continues_with_a_reader_that_has_read_before() {
    let mut reader = Reader::new(Parser::default());
    let first = reader.feed("<ask_followup_question><question>Whi".into()).count();
    let rest = [Act::Chunk("ch?</question></ask_followup_question>".into())];
    let all: Vec<_> = block_on(EventStream::new(Acts::new(rest), reader).collect());
    assert_eq!((first, all.len()), (1, 2));
    assert!(matches!(&all[1], Ok(Event::Complete(call)) if call.question == "Which?"));
}

/// In the middle of a chunk, too: both have the rest of it.
#[test]
fn a_reader_and_its_clone_continue_alike() {
    let mut reading = EventStream::new(futures::stream::iter([Bytes::from(MESSAGE)]), Reader::new(Parser::default()));
    assert!(matches!(block_on(reading.next()), Some(Ok(Event::Text(text))) if text == "Hm. "));
    assert!(!reading.reader().is_drained());
    let (chunks, reader) = reading.into_parts();
    let clone = EventStream::new(chunks.clone(), reader.clone());
    let rest: Vec<_> = block_on(EventStream::new(chunks, reader).collect());
    assert!(rest.len() > 5, "{rest:?}");
    assert_eq!(block_on(clone.collect::<Vec<_>>()), rest);
}
