//! What a parser costs beside time: its size, and what it asks of the allocator.

use std::sync::Arc;

use allocation_counter::measure;
use bytes::Bytes;
use followup::owned::{self, Reader};
use followup::wire::{Format, ResponseParser};
use followup::{Event, Events, Parser, Policy};

const PROSE: &str = "The build is **green** again: a < b, and 1 <2. Next I would look at `src/main.rs`.\n\n";

const CALL: &str = "<ask_followup_question>\n<question>Which database should the service use?</question>\n<follow_up>\n\
    <suggest>PostgreSQL</suggest>\n<suggest mode=\"architect\">Compare them first</suggest>\n</follow_up>\n</ask_followup_question>";

const ARGUMENTS: &str =
    r#"{"question": "Which \u00e9?", "follow_up": [{"text": "This", "mode": "code"}, {"text": "That"}]}"#;

/// How many calls are complete in it.
fn take(mut events: Events<'_>) -> usize {
    let mut complete = 0;
    while let Some(event) = events.next() {
        complete += usize::from(matches!(event, Event::Complete(_)));
    }
    complete
}

/// Reads a message in pieces of that many bytes.
fn read(parser: &mut Parser, message: &str, size: usize) -> usize {
    let complete: usize = message.as_bytes().chunks(size).map(|piece| take(parser.feed_bytes(piece))).sum();
    complete + take(parser.finish())
}

fn allocations(act: impl FnOnce()) -> u64 {
    measure(act).count_total
}

#[test]
fn an_idle_parser_is_two_cache_lines() {
    assert!(size_of::<Parser>() <= 128, "{}", size_of::<Parser>());
}

#[test]
fn nothing_is_allocated_to_make_a_parser_and_nothing_for_prose() {
    let policy = Arc::new(Policy::new());
    for size in 1..40 {
        let allocated = allocations(|| {
            let mut parser = Parser::new(policy.clone());
            assert_eq!(read(&mut parser, PROSE, size), 0);
            for _ in 0..3 {
                assert_eq!(read(&mut parser, PROSE, size), 0);
            }
            drop(Parser::arguments(policy.clone()));
        });
        assert_eq!(allocated, 0, "in pieces of {size}");
    }
}

#[test]
fn the_second_call_of_the_same_size_takes_no_more_memory() {
    let policy = Arc::new(Policy::new());
    for size in [1, 3, 4, 16, 64, 4096] {
        for (mut parser, call) in [(Parser::new(policy.clone()), CALL), (Parser::arguments(policy.clone()), ARGUMENTS)]
        {
            assert_eq!(read(&mut parser, call, size), 1);
            let again = allocations(|| assert_eq!(read(&mut parser, call, size), 1));
            assert_eq!(again, 0, "{call} in pieces of {size}");
        }
    }
}

/// More suggestions and notes than there is room for in a call that was never longer.
#[test]
fn a_long_call_leaves_its_memory_to_the_next() {
    let suggestions: String = (0..20).map(|i| format!("<suggest mode=\"{i}\">Answer {i}</suggest>")).collect();
    let call = format!(
        "<ask_followup_question><question>Q</question><question>R</question>{suggestions}</suggest>\
         <follow_up><suggest>B<suggest>C `<suggest>`</follow_up><follow_up></ask_followup_question>"
    );
    let mut parser = Parser::default();
    let mut events = parser.feed(&call);
    while let Some(event) = events.next() {
        if let Event::Complete(call) = event {
            assert_eq!((call.suggestions().len(), call.notes().len()), (22, 6));
        }
    }
    drop(events);
    drop(parser.finish());
    let again = allocations(|| assert_eq!(read(&mut parser, &call, 16), 1));
    assert_eq!(again, 0);
}

#[test]
fn what_is_held_behind_an_opening_tag_is_no_more_than_the_limit_says_however_long_the_chunk() {
    let message = format!("<ask_followup_question>{}", "Only named, it seems. ".repeat(100_000));
    let (mut parser, limit) = (Parser::default(), followup::Limits::default().bare as u64);
    let held = measure(|| assert_eq!(take(parser.feed(&message)), 0)).bytes_max;
    assert!(held < 4 * limit + 65_536, "{held} bytes, where the limit is {limit}");
}

#[test]
fn prose_behind_a_call_takes_nothing() {
    let mut parser = Parser::default();
    read(&mut parser, CALL, 4);
    take(parser.feed(CALL));
    let allocated = allocations(|| PROSE.as_bytes().chunks(4).for_each(|piece| drop(parser.feed_bytes(piece))));
    assert_eq!(allocated, 0);
}

/// A provider's payload with these choices.
fn payload(choices: &str) -> String {
    format!("data: {{\"choices\":[{choices}]}}\n\n")
}

#[test]
fn a_response_uses_its_memory_again_and_gives_back_what_one_long_payload_needed() {
    const PAYLOADS: usize = 20;
    /// What may stay of each of the buffers: the payload, as a line and as data, its text, and what it says.
    const KEPT: i64 = 64 << 10;
    let take = |response: &mut ResponseParser, body: &str| {
        for chunk in body.as_bytes().chunks(100) {
            let mut events = response.feed(chunk);
            while events.next().is_some() {}
        }
    };
    let text = |text: &str| format!("{{\"delta\":{{\"content\":\"{text}\"}}}}");
    let calls = vec!["{\"function\":{\"arguments\":\" \"}}"; 1_000].join(",");
    let calls = format!("{{\"delta\":{{\"tool_calls\":[{calls}]}}}}");
    let usual = payload(&text(&"prose ".repeat(100))).repeat(PAYLOADS);
    let long = [&text(&"prose ".repeat(100_000)), &text(&"\\ud83d".repeat(100_000)), &[&*calls; 5].join(",")];
    for long in long {
        let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new());
        take(&mut response, &usual);
        // The list of choices is the only thing that is made for each payload.
        let again = allocations(|| take(&mut response, &usual));
        assert!(again <= PAYLOADS as u64, "{again} allocations");
        // With the next one.
        let left = measure(|| take(&mut response, &(payload(long) + &usual))).bytes_current;
        assert!(left <= 4 * KEPT, "{left} bytes of {}", long.len());
    }
}

#[test]
fn an_owned_event_is_one_small_allocation_and_a_call_that_ended_a_few() {
    let of = |reader: &mut Reader<Parser>, chunk: &'static str, said: fn(&owned::Event) -> bool| {
        let mut events = 0;
        let mut read = || {
            for event in reader.feed(Bytes::from_static(chunk.as_bytes())) {
                assert!(said(&event), "{event:?}");
                events += 1;
            }
        };
        let allocations = allocations(&mut read);
        assert_eq!(events, 1);
        allocations
    };
    let mut reader = Reader::new(Parser::default());
    assert_eq!(of(&mut reader, "Tea or", |event| matches!(event, owned::Event::Text(_))), 1);
    // Makes room for a call.
    drop(reader.feed(Bytes::from_static(CALL.as_bytes())));
    drop(reader.feed("<ask_followup_question><question>Tea".into()));
    assert_eq!(of(&mut reader, " or", |event| matches!(event, owned::Event::Partial(_))), 1);
    drop(reader.feed("?</question><suggest mode=\"code\">".into()));
    // The mode is kept for the partials that have it too.
    assert!(of(&mut reader, "Te", |event| matches!(event, owned::Event::Partial(_))) <= 3);
    assert_eq!(of(&mut reader, "a", |event| matches!(event, owned::Event::Partial(_))), 1);
    drop(reader.feed("</suggest>".into()));
    let complete = of(&mut reader, "</ask_followup_question>", |event| matches!(event, owned::Event::Complete(_)));
    // Its text, that it is shared, its suggestions; and its notes, if there are any.
    assert_eq!(complete, 4);
}
