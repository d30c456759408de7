//! Owned events are equal to those that the cursor lends, and a reader holds few of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use allocation_counter::measure;
use bytes::Bytes;
use followup::observe::{Observer, Tracing};
use followup::owned::{CallView, ChunkParser, Complete, Error, Event, Field, Reader};
use followup::wire::{Format, ResponseParser};
use followup::{Envelope, Note, Parser, Policy};
use followup_testing::strategies::{cuts, streams};
use followup_testing::{Cuts, Stream, Syntax, Transcript, literals};
use proptest::prelude::*;

const CALL: &str = "<ask_followup_question><question>Which one?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question>";

/// Returns what a reader returns for these chunks, and the number of events.
fn owned(parser: Parser, chunks: &[&[u8]]) -> (Transcript, usize) {
    let (mut reader, mut transcript, mut events) = (Reader::new(parser), Transcript::default(), 0);
    for chunk in chunks {
        for event in reader.feed(Bytes::copy_from_slice(chunk)) {
            transcript.append_owned(&event);
            events += 1;
        }
        assert!(reader.is_drained());
    }
    for event in reader.finish() {
        transcript.append_owned(&event);
        events += 1;
    }
    (transcript, events)
}

/// Returns what the cursor lends for these chunks, and the number of events.
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

fn bodies() -> Vec<(Format, PathBuf)> {
    let mut bodies = Vec::new();
    for wire in Format::ALL {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wire/bodies").join(wire.name());
        for file in fs::read_dir(folder).into_iter().flatten() {
            let path = file.unwrap().path();
            // A transcript has no calls of other tools.
            let has_forms = path.with_extension("forms.json").exists();
            if path.extension().is_some_and(|extension| extension != "json") && !has_forms {
                bodies.push((wire, path));
            }
        }
    }
    assert!(bodies.len() > 100, "{}", bodies.len());
    bodies
}

/// Returns what a reader returns for a body in chunks of this size.
fn owned_body(response: ResponseParser, body: &[u8], size: usize) -> Transcript {
    let (mut reader, mut transcript) = (Reader::new(response), Transcript::default());
    for chunk in body.chunks(size) {
        reader.feed(Bytes::copy_from_slice(chunk)).for_each(|item| transcript.append_owned_response(&item));
    }
    reader.finish().for_each(|item| transcript.append_owned_response(&item));
    transcript
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_reader_returns_the_events_of_the_cursor(stream in streams(), cuts in cuts()) {
        let chunks = cuts.chunks(&stream);
        prop_assert_eq!(owned(stream.parser(Policy::new()), &chunks), lent(stream.parser(Policy::new()), &chunks));
    }

    #[test]
    fn events_dropped_early_lose_no_state(stream in streams(), cuts in cuts(), taken in prop::collection::vec(0..3usize, 13)) {
        let mut parser = stream.parser(Policy::new());
        let mut reader = Reader::new(stream.parser(Policy::new()));
        for (chunk, taken) in cuts.chunks(&stream).into_iter().zip(taken) {
            drop(parser.feed_bytes(chunk));
            let mut events = reader.feed(Bytes::copy_from_slice(chunk));
            events.by_ref().take(taken).for_each(drop);
            drop(events);
            prop_assert!(reader.is_drained());
            prop_assert_eq!(reader.parser().checkpoint(), parser.checkpoint());
        }
        prop_assert_eq!(reader.into_parser().checkpoint(), parser.checkpoint());
    }
}

#[test]
fn a_long_chunk_parsed_in_pieces_gives_the_same_transcript() {
    // Markup of every kind, so that the ends of pieces cut all of it.
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
fn a_reader_of_a_body_returns_the_events_of_the_cursor_at_every_chunk_size() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        let whole = Transcript::of_response(&mut ResponseParser::new(wire, Policy::new()), [&body]);
        for size in (1..40).chain([64, 255, 1024, 4096, body.len().max(1)]) {
            let owned = owned_body(ResponseParser::new(wire, Policy::new()), &body, size);
            assert_eq!(owned, whole, "{} in chunks of {size}", path.display());
        }
    }
}

#[test]
fn a_body_of_detected_format_gives_the_same_events() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        for size in [1, 3, 50, body.len().max(1)] {
            let lent = Transcript::of_response(&mut ResponseParser::auto(Policy::new()), body.chunks(size));
            assert_eq!(
                owned_body(ResponseParser::auto(Policy::new()), &body, size),
                lent,
                "{wire} {} {size}",
                path.display()
            );
        }
    }
}

#[test]
fn events_of_a_body_dropped_early_lose_no_state() {
    for (wire, path) in bodies() {
        let body = fs::read(&path).unwrap();
        let rest = |taken: usize, size: usize| {
            let mut reader = Reader::new(ResponseParser::new(wire, Policy::new()));
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

/// Every kind of error, with its code, its data and its message.
#[test]
fn an_owned_error_equals_the_borrowed_one() {
    let block = |n: usize| {
        let start = r#""type":"content_block_start""#;
        format!(
            "data: {{{start},\"index\":{n},\"content_block\":{{\"type\":\"tool_use\",\"id\":\"{n}\",\"name\":\"t\"}}}}\n\n"
        )
    };
    let delta = r#"{"type":"content_block_delta","index":7,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#;
    let limits = followup::wire::Limits::default().with_event(150).with_open_calls(1);
    for (code, format, body) in [
        (
            "provider",
            Some(Format::Anthropic),
            "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n".to_owned(),
        ),
        ("unreadable", Some(Format::OpenAiChat), "data: {\n\n".to_owned()),
        ("too_long", Some(Format::OpenAiChat), format!("data: {}\n\n", "x".repeat(200))),
        ("orphan", Some(Format::Anthropic), format!("data: {delta}\n\n")),
        ("foreign", Some(Format::Gemini), "Not found".to_owned()),
        ("empty", Some(Format::Anthropic), "data: {\"type\":\"message_start\"}\n\n".to_owned()),
        (
            "contradiction",
            Some(Format::OpenAiResponses),
            "data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n\n\
             data: {\"type\":\"response.output_text.done\",\"output_index\":0,\"text\":\"b\"}\n\n"
                .to_owned(),
        ),
        ("too_many_calls", Some(Format::Anthropic), block(0) + &block(1)),
        ("binary", None, "\u{1f}\u{8b}\u{8}junk".to_owned()),
    ] {
        let response = || {
            let parser = match format {
                Some(format) => ResponseParser::new(format, Policy::new()),
                None => ResponseParser::auto(Policy::new()),
            };
            parser.with_limits(limits)
        };
        let parts =
            |error: followup::wire::Error<'_>| (error.code(), error.data().map(str::to_owned), error.to_string());
        let mut lent = Vec::new();
        let mut cursor = response();
        for finish in [false, true] {
            let mut events = if finish { cursor.finish() } else { cursor.feed(body.as_bytes()) };
            while let Some(event) = events.next() {
                lent.extend(event.err().map(parts));
            }
        }
        let mut reader = Reader::new(response());
        let mut events: Vec<_> = reader.feed(body.clone().into()).collect();
        events.extend(reader.finish());
        let owned: Vec<_> = events.into_iter().filter_map(Result::err).collect();
        assert!(lent.iter().any(|error| error.0 == code), "{code}: {lent:?}");
        assert_eq!(owned.iter().map(|error| parts(error.view())).collect::<Vec<_>>(), lent);
        assert!(owned.iter().zip(&lent).all(|(error, (_, _, message))| error.to_string() == *message), "{owned:?}");
    }
}

#[test]
fn owned_events_can_be_sent_to_other_threads() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    anywhere::<Event>();
    anywhere::<Error>();
    fn task<T: Send + 'static>() {}
    task::<Reader<Parser>>();
    task::<Reader<ResponseParser>>();
    assert!(size_of::<Event>() <= 168, "{}", size_of::<Event>());
}

#[test]
fn the_debug_form_of_a_reader_says_how_much_of_its_chunk_is_unparsed() {
    let (mut reader, chunk) = (Reader::new(Parser::default()), "text ".repeat(10_000));
    let mut events = reader.feed(chunk.clone().into());
    let Some(Event::Text(first)) = events.next() else { panic!("no text") };
    std::mem::forget(events);
    let debug = format!("{reader:?}");
    assert!(debug.contains(&format!("unparsed: {},", chunk.len() - first.len())), "{debug}");
}

#[test]
fn a_call_view_equals_the_partial_that_the_cursor_lends() {
    let mut parser = Parser::default();
    let (mut reader, mut view, mut partials) = (Reader::new(Parser::default()), CallView::default(), 0);
    for chunk in CALL.as_bytes().chunks(3) {
        let mut events = parser.feed_bytes(chunk);
        let mut owned_events = reader.feed(Bytes::copy_from_slice(chunk));
        while let Some(event) = events.next() {
            let owned = owned_events.next();
            let (followup::Event::Partial(lent), Some(Event::Partial(owned))) = (event, owned) else { continue };
            view.append(&owned);
            partials += 1;
            assert!(view.is_in_sync(&owned));
            assert_eq!(view.question(), lent.question());
            assert!(view.suggestions().eq(lent.suggestions().iter().map(|one| (one.answer, one.mode))));
        }
        assert_eq!(owned_events.next(), None);
    }
    assert!(partials > 5, "{partials}");
}

#[test]
fn a_call_view_is_in_sync_after_a_partial_of_an_earlier_option() {
    // Which option is recommended is known after the last of them.
    let parser = Parser::arguments_of("ask", Policy::new()).unwrap();
    let call = r#"{"questions":[{"id":"i","question":"Q?","options":[{"label":"A"},{"label":"Be"}],"recommended":0}]}"#;
    let (mut view, mut indexes) = (CallView::default(), Vec::new());
    for event in Reader::new(parser).feed(call.into()) {
        let Event::Partial(partial) = event else { panic!("{event:?}") };
        view.append(&partial);
        assert!(view.is_in_sync(&partial), "{partial:?}");
        if let Field::Suggestion { index, .. } = partial.field {
            indexes.push(index);
        }
    }
    assert_eq!(indexes, [0, 1, 0]);
}

#[test]
fn a_call_view_of_a_form_is_what_its_partials_show() {
    let call = r#"{"title":"Set up","questions":[{"id":"db","prompt":"Which?","options":[{"label":"A"},{"label":"B"}]},
        {"id":"os","prompt":"And where?"}]}"#;
    let parser = || Parser::arguments_of("AskQuestion", Policy::new()).unwrap();
    let (mut view, mut shown) = (CallView::default(), Vec::new());
    assert_eq!((view.title(), view.questions().len()), (None, 0));
    let mut reader = Reader::new(parser());
    for chunk in call.as_bytes().chunks(2) {
        for event in reader.feed(Bytes::copy_from_slice(chunk)) {
            let Event::Partial(partial) = event else { panic!("{event:?}") };
            view.append(&partial);
            assert!(view.is_in_sync(&partial), "{partial:?}");
            shown.push(view.title().map(str::to_owned));
        }
    }
    assert_eq!(shown[..2], [Some("Se".into()), Some("Set ".into())]);
    assert_eq!(view.title(), Some("Set up"));
    let texts: Vec<_> = view.questions().iter().map(|question| &*question.text).collect();
    assert_eq!(texts, ["Which?", "And where?"]);
    assert_eq!(view.questions()[0].suggestions.len(), 2);

    // A piece of the title that comes twice.
    let mut reader = Reader::new(parser());
    let Some(Event::Partial(first)) = reader.feed(call[..11].into()).next() else { panic!("no partial") };
    let mut view = CallView::default();
    view.append(&first);
    view.append(&first);
    assert_eq!(view.title(), Some("SS"));
    assert!(!view.is_in_sync(&first));
}

#[test]
fn an_owned_form_has_all_of_its_questions_and_options() {
    let call = r#"{"title":"Set up","questions":[{"id":"db","prompt":"Which?","allowMultiple":true,
        "options":[{"id":"pg","label":"Postgres"}]}]}"#;
    let mut reader = Reader::new(Parser::arguments_of("AskQuestion", Policy::new()).unwrap());
    drop(reader.feed(call.into()));
    let events: Vec<_> = reader.finish().collect();
    let [Event::Complete(Complete { form: Some(form), .. })] = &events[..] else { panic!("{events:?}") };
    assert_eq!((&*form.tool, form.title.as_deref()), ("AskQuestion", Some("Set up")));
    let [question] = &form.questions[..] else { panic!("{form:?}") };
    assert_eq!((&*question.text, question.id.as_deref(), question.multiple), ("Which?", Some("db"), Some(true)));
    let [option] = &question.suggestions[..] else { panic!("{question:?}") };
    assert_eq!((&*option.answer, option.value.as_deref()), ("Postgres", Some("pg")));
}

#[test]
fn a_call_view_detects_a_skipped_suggestion_of_equal_length() {
    let mut reader = Reader::new(Parser::default());
    let call = "<ask_followup_question><question>Which?</question><suggest>A</suggest><suggest>B</suggest>";
    let partials: Vec<_> = reader.feed(call.into()).collect();
    let [Event::Partial(question), Event::Partial(_), Event::Partial(second)] = &partials[..] else {
        panic!("{partials:?}")
    };
    let mut view = CallView::default();
    view.append(question);
    assert!(view.is_in_sync(question));
    view.append(second);
    assert!(!view.is_in_sync(second));
}

#[test]
fn a_call_view_detects_a_skipped_partial() {
    let partials: Vec<_> = {
        let mut reader = Reader::new(Parser::default());
        CALL.as_bytes()
            .chunks(3)
            .flat_map(|chunk| reader.feed(Bytes::copy_from_slice(chunk)).collect::<Vec<_>>())
            .filter_map(|event| if let Event::Partial(partial) = event { Some(partial) } else { None })
            .collect()
    };
    for skipped in 0..partials.len() - 1 {
        let (mut view, mut detected) = (CallView::default(), false);
        for (i, partial) in partials.iter().enumerate().filter(|(i, _)| *i != skipped) {
            view.append(partial);
            detected |= i > skipped && !view.is_in_sync(partial);
        }
        // A partial that was skipped at the end of a field is not detected: no later one extends
        // that field.
        let same = |a: &followup::owned::Partial, b: &followup::owned::Partial| {
            std::mem::discriminant(&a.field) == std::mem::discriminant(&b.field)
                && a.len > a.delta.len()
                && b.len > a.len
        };
        if same(&partials[skipped], &partials[skipped + 1]) {
            assert!(detected, "{skipped}");
        }
    }
}

#[test]
fn a_complete_call_is_one_text_and_one_list() {
    let mut reader = Reader::new(Parser::default());
    let complete: Vec<Complete> = reader
        .feed(CALL.into())
        .filter_map(|event| if let Event::Complete(call) = event { Some(call) } else { None })
        .collect();
    let call = &complete[0];
    assert_eq!((call.index, call.span.clone(), &*call.question), (0, 0..CALL.len() as u64, "Which one?"));
    let suggestions: Vec<_> = call.suggestions.iter().map(|one| (&*one.answer, one.mode.as_deref())).collect();
    assert_eq!(suggestions, [("This", None), ("That", Some("code"))]);
    // They are slices of one text.
    assert_eq!(call.question.as_ptr().wrapping_add(call.question.len()), call.suggestions[0].answer.as_ptr());
}

#[test]
fn an_owned_call_has_its_envelope_however_it_ends() {
    let message = "<|tool_call_begin|>functions.ask_followup_question:0<|tool_call_argument_begin|>\
        {\"question\": \"Q\"}<|tool_call_end|>\n";
    let mut reader = Reader::new(Parser::default());
    let mut events: Vec<Event> = reader.feed(Bytes::from([message, &message[..90]].concat())).collect();
    events.extend(reader.finish());
    let families: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            Event::Complete(call) => Some(("complete", call.notes.contains(&Note::Envelope(Envelope::Kimi)))),
            Event::Rejected(call) => Some(("rejected", call.envelope == Some(Envelope::Kimi))),
            _ => None,
        })
        .collect();
    assert_eq!(families, [("complete", true), ("rejected", true)]);
}

#[test]
fn long_prose_shares_its_chunk() {
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

/// Markup with as many events as possible in as few bytes.
const DENSE: [&str; 3] = ["<ask_followup_question>", "<read_file></read_file>a", CALL];

/// Returns the number of events of a chunk, the peak of allocated bytes, and the kept bytes.
fn peak<P: ChunkParser>(reader: &mut Reader<P>, chunk: &Bytes) -> (u64, u64, i64) {
    let mut events = 0;
    let allocated = measure(|| events = reader.feed(chunk.clone()).count() as u64);
    (events, allocated.bytes_max, allocated.bytes_current)
}

#[test]
fn a_reader_holds_the_events_of_one_piece_however_long_the_chunk_is() {
    for markup in DENSE {
        let [short, long] = [2_000, 20_000].map(|times| {
            let (events, bytes, kept) = peak(&mut Reader::new(Parser::default()), &Bytes::from(markup.repeat(times)));
            assert!(events > times as u64 / 2, "{events} events");
            assert!(kept <= 16 << 10, "{kept} bytes are kept when all events have been taken");
            bytes
        });
        assert!(
            long <= short + short / 10 && long <= 256 << 10,
            "{long} bytes, {short} for a short chunk, of {markup}"
        );
    }
}

#[test]
fn a_reader_of_a_response_holds_the_events_of_one_payload_however_many_the_chunk_has() {
    for markup in DENSE {
        let content = serde_json::to_string(&markup.repeat(1_000)).unwrap();
        let payload = format!("{{\"message\":{{\"content\":{content}}}}}\n");
        let [one, many] = [1, 10].map(|payloads| {
            let mut reader = Reader::new(ResponseParser::new(Format::Ollama, Policy::new()));
            let (events, bytes, _) = peak(&mut reader, &Bytes::from(payload.repeat(payloads)));
            // A queue that grows may be three times as large as its events while it is copied.
            let most = 3 * (size_of::<Event>() as u64 + 32) * events / payloads as u64 + 6 * payload.len() as u64;
            assert!(bytes <= most, "{bytes} bytes of at most {most}, of {payloads} times {markup}");
            bytes
        });
        assert!(many <= one + one / 10, "{many} bytes, {one} for one payload, of {markup}");
    }
}

#[derive(Debug, Default)]
struct Recorder {
    bytes: usize,
    events: Vec<Event>,
    errors: Vec<Error>,
    ends: usize,
}

impl Observer for Recorder {
    fn on_chunk(&mut self, bytes: usize) {
        self.bytes += bytes;
    }
    fn on_event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }
    fn on_error(&mut self, error: &Error) {
        self.errors.push(error.clone());
    }
    fn on_finish(&mut self) {
        self.ends += 1;
    }
}

#[test]
fn an_observer_sees_every_event_that_is_taken() {
    let mut reader = Reader::with_observer(Parser::default(), Recorder::default());
    let mut taken: Vec<_> = CALL
        .as_bytes()
        .chunks(5)
        .flat_map(|chunk| reader.feed(Bytes::copy_from_slice(chunk)).collect::<Vec<_>>())
        .collect();
    assert_eq!(reader.observer().ends, 0);
    taken.extend(reader.finish());
    let seen = reader.observer();
    assert_eq!((seen.bytes, seen.ends, &seen.events), (CALL.len(), 1, &taken));

    let mut reader = Reader::with_observer(ResponseParser::new(Format::Anthropic, Policy::new()), Recorder::default());
    let body = "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n";
    let taken: Vec<_> = reader.feed(body.into()).collect();
    assert_eq!(taken, [Err(Error::Provider("Overloaded".into()))]);
    assert_eq!(reader.observer().errors, [Error::Provider("Overloaded".into())]);
    assert_eq!(taken[0].as_ref().unwrap_err().to_string(), "the provider reports an error: Overloaded");
    drop(reader.finish());
    assert_eq!(reader.observer().ends, 1);
}

/// A subscriber that keeps what is reported to it.
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
        assert_eq!(event.parent(), Some(&tracing::span::Id::from_u64(1)), "an event belongs to the span");
        let mut fields = Fields(BTreeMap::new());
        event.record(&mut fields);
        self.0.lock().unwrap().push(format!("{} {:?}", event.metadata().level(), fields.0));
    }
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
}

#[test]
fn tracing_reports_what_happens_and_nothing_that_the_model_wrote() {
    const CUT: &str = "<ask_followup_question><question>Cut";
    const ERROR: &str = "data: {\"type\":\"error\",\"error\":{\"message\":\"Overloaded\"}}\n\n";
    let log = Log::default();
    tracing::subscriber::with_default(log.clone(), || {
        let mut reader = Reader::with_observer(Parser::default(), Tracing::new());
        reader.feed(CALL.into()).for_each(drop);
        reader.feed(CUT.into()).for_each(drop);
        reader.finish().for_each(drop);
        let mut reader =
            Reader::with_observer(ResponseParser::new(Format::Anthropic, Policy::new()), Tracing::default());
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
