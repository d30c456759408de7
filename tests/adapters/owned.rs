//! Events that own what they say are those that are lent.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use bytes::Bytes;
use followup::observe::{Observe, Tracing};
use followup::owned::{Complete, Error, Event, Reader, View};
use followup::wire::{Response, Wire};
use followup::{Limits, Parser, Policy};
use followup_testing::strategies::{cuts, streams};
use followup_testing::{Cuts, Stream, Syntax, Transcript, literals};
use proptest::prelude::*;

const CALL: &str = "<ask_followup_question><question>Which one?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question>";

/// What a reader says of a stream in these chunks.
fn owned(parser: Parser, chunks: &[&[u8]]) -> (Transcript, usize) {
    let (mut reader, mut transcript, mut events) = (Reader::new(parser), Transcript::default(), 0);
    for chunk in chunks {
        for event in reader.feed(Bytes::copy_from_slice(chunk)) {
            transcript.append_owned(&event);
            events += 1;
        }
        assert!(reader.is_settled());
    }
    for event in reader.finish() {
        transcript.append_owned(&event);
        events += 1;
    }
    (transcript, events)
}

/// What the cursor lends of it, and how many events that are.
fn lent(mut parser: Parser, chunks: &[&[u8]]) -> (Transcript, usize) {
    let mut events = 0;
    let mut count = |mut cursor: followup::Events<'_>| {
        while cursor.next().is_some() {
            events += 1
        }
    };
    chunks.iter().for_each(|chunk| count(parser.feed_bytes(chunk)));
    count(parser.finish());
    (Transcript::of(&mut parser, chunks), events)
}

fn bodies() -> Vec<(Wire, PathBuf)> {
    let mut bodies = Vec::new();
    for wire in Wire::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(wire.name());
        for file in fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension != "json") {
                bodies.push((wire, path));
            }
        }
    }
    assert!(bodies.len() > 100, "{}", bodies.len());
    bodies
}

/// What a reader says of a body in chunks of that size.
fn owned_body(response: Response, body: &[u8], size: usize) -> Transcript {
    let (mut reader, mut transcript) = (Reader::new(response), Transcript::default());
    for chunk in body.chunks(size) {
        reader.feed(Bytes::copy_from_slice(chunk)).for_each(|said| transcript.append_owned_response(&said));
    }
    reader.finish().for_each(|said| transcript.append_owned_response(&said));
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reader_says_what_the_cursor_lends(stream in streams(), cuts in cuts()) {
        let chunks = cuts.chunks(&stream);
        prop_assert_eq!(owned(stream.parser(Policy::new()), &chunks), lent(stream.parser(Policy::new()), &chunks));
    }

    #[test]
    fn what_is_dropped_early_loses_no_state(stream in streams(), cuts in cuts(), taken in prop::collection::vec(0..3usize, 13)) {
        let mut parser = stream.parser(Policy::new());
        let mut reader = Reader::new(stream.parser(Policy::new()));
        for (chunk, taken) in cuts.chunks(&stream).into_iter().zip(taken) {
            drop(parser.feed_bytes(chunk));
            let mut drain = reader.feed(Bytes::copy_from_slice(chunk));
            drain.by_ref().take(taken).for_each(drop);
            drop(drain);
            prop_assert!(reader.is_settled());
            prop_assert_eq!(reader.parser().checkpoint(), parser.checkpoint());
        }
        prop_assert_eq!(reader.into_parser().checkpoint(), parser.checkpoint());
    }
}

#[test]
fn long_chunks_are_read_in_pieces_and_mean_the_same() {
    // Pieces of the grammar, so that what a long chunk is cut into hurts.
    let mut long = String::new();
    for i in 0.. {
        if long.len() > 40_000 {
            break;
        }
        long.push_str(literals::MARKUP[i * 7 % literals::MARKUP.len()].escape_ascii().to_string().as_str());
        long.push_str(&CALL[..CALL.len() * (i % 5) / 4]);
        long.push_str("é <b> ");
    }
    let stream = Stream::new(Syntax::Markup, long);
    for chunks in [
        vec![&stream[..]],
        Cuts::fixed(stream.len(), 4096).chunks(&stream),
        Cuts::fixed(stream.len(), 4097).chunks(&stream),
    ] {
        assert_eq!(owned(Parser::default(), &chunks).0, lent(Parser::default(), &chunks).0);
    }
}

#[test]
fn a_reader_of_a_body_says_what_its_cursor_lends_at_every_chunk_size() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        let whole = Transcript::of_response(&mut Response::new(wire, Policy::new()), [&body]);
        for size in (1..40).chain([64, 255, 1024, 4096, body.len().max(1)]) {
            let reading = [Response::new(wire, Policy::new()), Response::auto(Policy::new())];
            let [said, _] = &reading.map(|response| owned_body(response, &body, size));
            assert_eq!(*said, whole, "{} in chunks of {size}", path.display());
        }
    }
}

#[test]
fn a_body_whose_format_is_found_out_is_read_the_same() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        for size in [1, 3, 50, body.len().max(1)] {
            let lent = Transcript::of_response(&mut Response::auto(Policy::new()), body.chunks(size));
            assert_eq!(
                owned_body(Response::auto(Policy::new()), &body, size),
                lent,
                "{wire} {} {size}",
                path.display()
            );
        }
    }
}

#[test]
fn a_body_whose_events_are_dropped_early_loses_no_state() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        let rest = |taken: usize, size: usize| {
            let mut reader = Reader::new(Response::new(wire, Policy::new()));
            for chunk in body.chunks(size) {
                reader.feed(Bytes::copy_from_slice(chunk)).take(taken).for_each(drop);
            }
            let mut response = reader.into_parser();
            let mut ends = Vec::new();
            let mut events = response.finish();
            while let Some(event) = events.next() {
                ends.push(format!("{event:?}"));
            }
            ends
        };
        for size in [1, 17, 1000] {
            assert_eq!(rest(0, size), rest(usize::MAX, size), "{}", path.display());
            assert_eq!(rest(1, size), rest(usize::MAX, size), "{}", path.display());
        }
    }
}

/// Every error there is, with its code, its data and its message.
#[test]
fn an_error_is_owned_as_it_was_lent() {
    let block = |n: usize| {
        let start = r#""type":"content_block_start""#;
        format!(
            "data: {{{start},\"index\":{n},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"{n}\",\"name\":\"t\"}}}}\n\n"
        )
    };
    let delta = r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#;
    let limits = Limits { event: 150, open_calls: 1, ..Limits::default() };
    for (code, wire, body) in [
        (
            "provider",
            Wire::Anthropic,
            "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n".to_owned(),
        ),
        ("unreadable", Wire::OpenAiChat, "data: {\n\n".to_owned()),
        ("too_long", Wire::OpenAiChat, format!("data: {}\n\n", "x".repeat(200))),
        ("orphan", Wire::Anthropic, format!("data: {delta}\n\n")),
        ("foreign", Wire::Gemini, "Not found".to_owned()),
        ("too_many_calls", Wire::Anthropic, block(0) + &block(1)),
    ] {
        let response = || Response::new(wire, Policy::new().limits(limits));
        let said =
            |error: followup::wire::Error<'_>| (error.code(), error.data().map(str::to_owned), error.to_string());
        let mut lent = Vec::new();
        let mut cursor = response();
        for finish in [false, true] {
            let mut events = if finish { cursor.finish() } else { cursor.feed(body.as_bytes()) };
            while let Some(event) = events.next() {
                lent.extend(event.err().map(said));
            }
        }
        let mut reader = Reader::new(response());
        let mut events: Vec<_> = reader.feed(body.clone().into()).collect();
        events.extend(reader.finish());
        let owned: Vec<_> = events.into_iter().filter_map(Result::err).collect();
        assert!(lent.iter().any(|error| error.0 == code), "{code}: {lent:?}");
        assert_eq!(owned.iter().map(|error| said(error.view())).collect::<Vec<_>>(), lent);
        assert!(owned.iter().zip(&lent).all(|(error, (_, _, message))| error.to_string() == *message), "{owned:?}");
    }
}

#[test]
fn what_is_owned_can_be_sent_anywhere() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    anywhere::<Event>();
    anywhere::<Error>();
    fn task<T: Send + 'static>() {}
    task::<Reader<Parser>>();
    task::<Reader<Response>>();
    assert!(size_of::<Event>() <= 168, "{}", size_of::<Event>());
}

#[test]
fn a_view_is_what_the_cursor_lends() {
    let mut parser = Parser::default();
    let (mut reader, mut view, mut seen) = (Reader::new(Parser::default()), View::default(), 0);
    for chunk in CALL.as_bytes().chunks(3) {
        let mut events = parser.feed_bytes(chunk);
        let mut drain = reader.feed(Bytes::copy_from_slice(chunk));
        while let Some(event) = events.next() {
            let owned = drain.next();
            let (followup::Event::Partial(lent), Some(Event::Partial(owned))) = (event, owned) else { continue };
            view.grow(&owned);
            seen += 1;
            assert!(view.is_whole(&owned));
            assert_eq!(view.question(), lent.question());
            assert!(view.suggestions().eq(lent.suggestions().iter().map(|one| (one.answer, one.mode))));
        }
        assert_eq!(drain.next(), None);
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_suggestion_that_was_missed_is_noticed_by_one_that_is_as_long() {
    let mut reader = Reader::new(Parser::default());
    let call = "<ask_followup_question><question>Which?</question><suggest>A</suggest><suggest>B</suggest>";
    let partials: Vec<_> = reader.feed(call.into()).collect();
    let [Event::Partial(question), Event::Partial(_), Event::Partial(second)] = &partials[..] else {
        panic!("{partials:?}")
    };
    let mut view = View::default();
    view.grow(question);
    assert!(view.is_whole(question));
    view.grow(second);
    assert!(!view.is_whole(second));
}

#[test]
fn a_partial_that_was_missed_is_noticed() {
    let partials: Vec<_> = {
        let mut reader = Reader::new(Parser::default());
        CALL.as_bytes()
            .chunks(3)
            .flat_map(|chunk| reader.feed(Bytes::copy_from_slice(chunk)).collect::<Vec<_>>())
            .filter_map(|event| if let Event::Partial(partial) = event { Some(partial) } else { None })
            .collect()
    };
    for missed in 0..partials.len() - 1 {
        let (mut view, mut noticed) = (View::default(), false);
        for (i, partial) in partials.iter().enumerate().filter(|(i, _)| *i != missed) {
            view.grow(partial);
            noticed |= i > missed && !view.is_whole(partial);
        }
        // Of a suggestion that is closed, what was missed at its end shows no more.
        let same = |a: &followup::owned::Partial, b: &followup::owned::Partial| {
            std::mem::discriminant(&a.grown) == std::mem::discriminant(&b.grown)
                && a.len > a.delta.len()
                && b.len > a.len
        };
        if same(&partials[missed], &partials[missed + 1]) {
            assert!(noticed, "{missed}");
        }
    }
}

#[test]
fn a_call_that_ended_is_one_text_and_a_list() {
    let mut reader = Reader::new(Parser::default());
    let complete: Vec<Complete> = reader
        .feed(CALL.into())
        .filter_map(|event| if let Event::Complete(call) = event { Some(call) } else { None })
        .collect();
    let call = &complete[0];
    assert_eq!((call.nth, call.span.clone(), &*call.question), (0, 0..CALL.len() as u64, "Which one?"));
    let suggestions: Vec<_> = call.suggestions.iter().map(|one| (&*one.answer, one.mode.as_deref())).collect();
    assert_eq!(suggestions, [("This", None), ("That", Some("code"))]);
    // They stand side by side.
    assert_eq!(call.question.as_ptr().wrapping_add(call.question.len()), call.suggestions[0].answer.as_ptr());
}

#[test]
fn long_prose_is_a_part_of_its_chunk() {
    let chunk = Bytes::from("Long prose. ".repeat(500));
    let mut reader = Reader::new(Parser::default());
    let range = chunk.as_ptr_range();
    let mut shared = 0;
    for event in reader.feed(chunk) {
        let Event::Text(text) = event else { panic!("{event:?}") };
        if range.contains(&text.as_ptr()) {
            shared += text.len();
        }
    }
    assert_eq!(shared, 6000);
}

/// A chunk with very many events is read one by one: what is held besides does not grow with them.
#[test]
fn nothing_is_held_but_the_chunk_and_one_event() {
    let text = Bytes::from("<ask_followup_question>".repeat(20_000));
    let call = "<ask_followup_question><question>Which?</question></ask_followup_question>";
    let content = serde_json::to_string(&call.repeat(5_000)).unwrap();
    let body = Bytes::from(format!("{{\"message\":{{\"content\":{content}}},\"done\":true}}\n"));
    let held = |read: &mut dyn FnMut() -> usize| {
        let mut events = 0;
        let taken = measure(|| events = read());
        assert!(events >= 5_000, "{events}");
        taken.bytes_max
    };
    let (mut reader, chunk) = (Reader::new(Parser::default()), text.clone());
    let bytes = held(&mut || reader.feed(chunk.clone()).count());
    assert!(bytes < 20_000, "{bytes}");
    let mut reader = Reader::new(Response::new(Wire::Ollama, Policy::new()));
    let bytes = held(&mut || reader.feed(body.clone()).count());
    // The payload itself is read into text.
    assert!(bytes < 4 * body.len() as u64, "{bytes} of {}", body.len());
}

#[derive(Debug, Default)]
struct Told {
    bytes: usize,
    events: Vec<Event>,
    errors: Vec<Error>,
    ends: usize,
}

impl Observe for Told {
    fn chunk(&mut self, bytes: usize) {
        self.bytes += bytes;
    }
    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
    fn error(&mut self, error: &Error) {
        self.errors.push(error.clone());
    }
    fn finish(&mut self) {
        self.ends += 1;
    }
}

#[test]
fn an_observer_is_told_all_that_is_taken() {
    let mut reader = Reader::observed(Parser::default(), Told::default());
    let mut taken: Vec<_> = CALL
        .as_bytes()
        .chunks(5)
        .flat_map(|chunk| reader.feed(Bytes::copy_from_slice(chunk)).collect::<Vec<_>>())
        .collect();
    assert_eq!(reader.observer().ends, 0);
    taken.extend(reader.finish());
    let told = reader.observer();
    assert_eq!((told.bytes, told.ends, &told.events), (CALL.len(), 1, &taken));

    let mut reader = Reader::observed(Response::new(Wire::Anthropic, Policy::new()), Told::default());
    let body = "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n";
    let taken: Vec<_> = reader.feed(body.into()).collect();
    assert_eq!(taken, [Err(Error::Provider("Overloaded".into()))]);
    assert_eq!(reader.observer().errors, [Error::Provider("Overloaded".into())]);
    assert_eq!(taken[0].as_ref().unwrap_err().to_string(), "the provider reports an error: Overloaded");
    drop(reader.finish());
    assert_eq!(reader.observer().ends, 1);
}

/// Keeps what it is told.
#[derive(Clone, Default)]
struct Log(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

struct Fields(BTreeMap<&'static str, String>);

impl tracing::field::Visit for Fields {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }
}

impl tracing::Subscriber for Log {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, span: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        self.0.lock().unwrap().push(format!("span {}", span.metadata().name()));
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        assert_eq!(event.parent(), Some(&tracing::span::Id::from_u64(1)), "it is in the span");
        let mut fields = Fields(BTreeMap::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push(format!("{} {:?}", event.metadata().level(), fields.0));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn tracing_is_told_what_happens_and_nothing_that_the_model_wrote() {
    const CUT: &str = "<ask_followup_question><question>Cut";
    const ERROR: &str = "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n";
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let mut reader = Reader::observed(Parser::default(), Tracing::new());
        reader.feed(CALL.into()).for_each(drop);
        reader.feed(CUT.into()).for_each(drop);
        reader.finish().for_each(drop);
        let mut reader = Reader::observed(Response::new(Wire::Anthropic, Policy::new()), Tracing::default());
        reader.feed(ERROR.into()).for_each(drop);
    });
    let log = log.0.lock().unwrap().clone();
    let chunk = |text: &str| format!("TRACE {{\"bytes\": \"{}\", \"message\": \"chunk\"}}", text.len());
    assert_eq!(
        log,
        [
            "span followup",
            &chunk(CALL),
            r#"INFO {"call": "0", "message": "complete", "notes": "0", "suggestions": "2"}"#,
            &chunk(CUT),
            r#"INFO {"call": "1", "message": "rejected", "reason": "\"truncated\""}"#,
            &format!("DEBUG {{\"bytes\": \"{}\", \"calls\": \"2\", \"message\": \"end\"}}", CALL.len() + CUT.len()),
            "span followup",
            &chunk(ERROR),
            r#"WARN {"code": "\"provider\"", "message": "error"}"#,
        ]
    );
    assert!(log.iter().all(|line| !line.contains("Which") && !line.contains("Overloaded")));
}
