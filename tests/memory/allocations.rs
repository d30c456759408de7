//! The size of a parser, and its allocations.

use std::sync::Arc;

use allocation_counter::measure;
use bytes::Bytes;
use followup::owned::{self, Reader};
use followup::wire::{Format, ResponseParser};
use followup::{Envelopes, Event, Events, Limits, Parser, Policy, Shape, Shapes};

const PROSE: &str = "The build is **green** again: a < b, and 1 <2. Next I would look at `src/main.rs`.\n\n";

const CALL: &str = "<ask_followup_question>\n<question>Which database should the service use?</question>\n<follow_up>\n\
    <suggest>PostgreSQL</suggest>\n<suggest mode=\"architect\">Compare them first</suggest>\n</follow_up>\n</ask_followup_question>";

const ARGUMENTS: &str =
    r#"{"question": "Which \u00e9?", "follow_up": [{"text": "This", "mode": "code"}, {"text": "That"}]}"#;

/// Returns the number of complete calls.
fn complete(mut events: Events<'_>) -> usize {
    let mut count = 0;
    while let Some(event) = events.next() {
        count += usize::from(matches!(event, Event::Complete(_)));
    }
    count
}

/// Parses a message in chunks of `size` bytes. Returns the number of complete calls.
fn parse(parser: &mut Parser, message: &str, size: usize) -> usize {
    let calls: usize = message.as_bytes().chunks(size).map(|chunk| complete(parser.feed_bytes(chunk))).sum();
    calls + complete(parser.finish())
}

fn allocations(act: impl FnOnce()) -> u64 {
    measure(act).count_total
}

#[test]
fn an_idle_parser_is_two_cache_lines() {
    assert!(size_of::<Parser>() <= 128, "{}", size_of::<Parser>());
}

#[test]
fn creating_a_parser_and_parsing_prose_allocate_nothing() {
    let policy = Arc::new(Policy::new());
    for size in 1..40 {
        let allocated = allocations(|| {
            let mut parser = Parser::new(policy.clone());
            assert_eq!(parse(&mut parser, PROSE, size), 0);
            for _ in 0..3 {
                assert_eq!(parse(&mut parser, PROSE, size), 0);
            }
            drop(Parser::arguments(policy.clone()));
        });
        assert_eq!(allocated, 0, "in chunks of {size}");
    }
}

#[test]
fn another_tools_call_allocates_nothing() {
    let message = "Hm. <read_file>\n<path>a.rs</path>\n</read_file> And on.";
    let policy = Arc::new(Policy::new());
    for size in 1..message.len() {
        let mut parser = Parser::new(policy.clone());
        let allocated = allocations(|| assert_eq!(parse(&mut parser, message, size), 0));
        assert_eq!(allocated, 0, "in chunks of {size}");
    }
}

#[test]
fn the_second_call_of_the_same_size_allocates_nothing() {
    let policy = Arc::new(Policy::new());
    for size in [1, 3, 4, 16, 64, 4096] {
        for (mut parser, call) in [(Parser::new(policy.clone()), CALL), (Parser::arguments(policy.clone()), ARGUMENTS)]
        {
            assert_eq!(parse(&mut parser, call, size), 1);
            let again = allocations(|| assert_eq!(parse(&mut parser, call, size), 1));
            assert_eq!(again, 0, "{call} in chunks of {size}");
        }
    }
}

/// A call with more suggestions and notes than fit without allocating.
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
    let again = allocations(|| assert_eq!(parse(&mut parser, &call, 16), 1));
    assert_eq!(again, 0);
}

#[test]
fn an_unconfirmed_call_holds_no_more_than_its_limit_however_long_the_chunk() {
    let message = format!("<ask_followup_question>{}", "Only named, it seems. ".repeat(100_000));
    let (mut parser, limit) = (Parser::default(), followup::Limits::default().unconfirmed as u64);
    let held = measure(|| assert_eq!(complete(parser.feed(&message)), 0)).bytes_max;
    assert!(held < 4 * limit + 65_536, "{held} bytes, where the limit is {limit}");
}

/// The bytes that `SECURITY.md` says a parser keeps, and takes while its buffers grow.
#[test]
fn what_a_parser_keeps_is_what_the_page_says() {
    let limits = Limits::default();
    let line = "a".repeat(limits.answer - 1) + "\n";
    let list = line.repeat(limits.suggestions);
    let blanks = " ".repeat(2 * limits.unconfirmed);
    let in_header = |opener: &str| format!("{opener}{blanks}");
    let tags = "<tool_call><function=ask_followup_question><parameter=question>Q?</parameter>";
    for (kept, most, texts) in [
        (600, 600, vec!["<ask_followup_question> ".into()]),
        (
            1000,
            1000,
            [
                "<tool_call>",
                "<function=f>",
                "<|channel|>",
                "<|tool_calls_section_begin|>",
                "{",
                "[TOOL_CALLS]",
                "<｜DSML｜tool_calls>",
            ]
            .map(String::from)
            .into(),
        ),
        (
            5000,
            7000,
            vec![
                in_header("<tool_call>"),
                in_header("<|tool_calls_section_begin|>"),
                in_header("<tool_call>{\"id\": "),
                in_header("{"),
                in_header("<|channel|>commentary"),
            ],
        ),
        (
            1000,
            1000,
            vec![
                format!("{tags}</function></tool_call>"),
                format!("<tool_call>{{\"name\": \"ask_followup_question\", \"arguments\": {ARGUMENTS}}}</tool_call>"),
                "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>Q?</arg_value></tool_call>"
                    .into(),
            ],
        ),
        (1_100_000, 1_600_000, vec![format!("{tags}<parameter=follow_up>{list}</parameter></function></tool_call>")]),
    ] {
        for text in texts {
            for size in [1, 4, 64, 4096] {
                let mut parser = Parser::new(Policy::new().with_envelopes(Envelopes::all()));
                let info = measure(|| text.as_bytes().chunks(size).for_each(|chunk| drop(parser.feed_bytes(chunk))));
                assert!(info.bytes_current <= kept, "{text:.50} in chunks of {size}: keeps {}", info.bytes_current);
                assert!(info.bytes_max <= most, "{text:.50} in chunks of {size}: takes {}", info.bytes_max);
            }
        }
    }
}

#[test]
fn prose_after_a_call_allocates_nothing() {
    let mut parser = Parser::default();
    parse(&mut parser, CALL, 4);
    complete(parser.feed(CALL));
    let allocated = allocations(|| PROSE.as_bytes().chunks(4).for_each(|piece| drop(parser.feed_bytes(piece))));
    assert_eq!(allocated, 0);
}

/// Returns a payload of OpenAI chat with these choices.
fn payload(choices: &str) -> String {
    format!("data: {{\"choices\":[{choices}]}}\n\n")
}

#[test]
fn an_event_of_a_provider_allocates_nothing() {
    for (format, start, event) in [
        (Format::OpenAiChat, "", payload(r#"{"index":0,"delta":{"content":"a\n"},"finish_reason":null}"#)),
        (
            Format::OpenAiChat,
            r#"data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"lookup","arguments":"{"}}]}}]}"#,
            payload(r#"{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\""}}]}}"#),
        ),
        (
            Format::OpenAiResponses,
            "",
            "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"a\\n\"}\n\n".into(),
        ),
        (
            Format::Anthropic,
            "",
            "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"a\\n\"}}\n\n".into(),
        ),
        (
            Format::Gemini,
            "",
            "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\\n\"}],\"role\":\"model\"},\"index\":0}]}\n\n".into(),
        ),
        (
            Format::Bedrock,
            "",
            "{\"contentBlockDelta\":{\"delta\":{\"text\":\"a\\n\"},\"contentBlockIndex\":0}}\n".into(),
        ),
        (Format::Ollama, "", "{\"message\":{\"role\":\"assistant\",\"content\":\"a\\n\"},\"done\":false}\n".into()),
        (
            Format::Cohere,
            "",
            "data: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"a\\n\"}}}}\n\n".into(),
        ),
        (
            Format::GeminiInteractions,
            "",
            "data: {\"index\":0,\"delta\":{\"type\":\"text\",\"text\":\"a\\n\"},\"event_type\":\"step.delta\"}\n\n".into(),
        ),
        (
            Format::OpenAiAssistants,
            "",
            "data: {\"id\":\"m\",\"object\":\"thread.message.delta\",\"delta\":{\"content\":[{\"index\":0,\"type\":\"text\",\"text\":{\"value\":\"a\\n\"}}]}}\n\n".into(),
        ),
        (Format::WorkersAi, "", "data: {\"response\":\"a\\n\",\"p\":\"abc\"}\n\n".into()),
        (
            Format::Watsonx,
            "",
            "data: {\"model_id\":\"m\",\"results\":[{\"generated_text\":\"a\\n\",\"stop_reason\":\"not_finished\"}]}\n\n".into(),
        ),
        (
            Format::DashScope,
            "",
            "data: {\"output\":{\"choices\":[{\"message\":{\"content\":\"a\\n\",\"role\":\"assistant\"},\"finish_reason\":\"null\"}]}}\n\n".into(),
        ),
        (
            Format::DashScope,
            r#"data: {"output":{"choices":[{"message":{"content":"","tool_calls":[{"index":0,"id":"a","function":{"name":"lookup","arguments":"["}}]}}]}}"#,
            "data: {\"output\":{\"choices\":[{\"message\":{\"content\":\"\",\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\" \\\"a\\\",\"}}]}}]}}\n\n".into(),
        ),
        (
            Format::Cohere,
            "data: {\"type\":\"tool-call-start\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"id\":\"a\",\"function\":{\"name\":\"lookup\",\"arguments\":\"\"}}}}}",
            "data: {\"type\":\"tool-call-delta\",\"index\":0,\"delta\":{\"message\":{\"tool_calls\":{\"function\":{\"arguments\":\"\\\"a\\\"\"}}}}}\n\n".into(),
        ),
        (
            Format::OpenAiAssistants,
            r#"data: {"object":"thread.run.step.delta","delta":{"step_details":{"tool_calls":[{"index":0,"id":"a","function":{"name":"lookup","arguments":"{"}}]}}}"#,
            r#"data: {"object":"thread.run.step.delta","delta":{"step_details":{"tool_calls":[{"index":0,"function":{"arguments":"\"a\""}}]}}}"#.to_owned() + "\n\n",
        ),
        (
            Format::OpenAiResponses,
            r#"data: {"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"a","name":"lookup","arguments":""}}"#,
            r#"data: {"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":"\"a\""}"#.to_owned() + "\n\n",
        ),
        (
            Format::Anthropic,
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"lookup","input":{}}}"#,
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"\"a\""}}"#.to_owned() + "\n\n",
        ),
        (
            Format::GeminiInteractions,
            r#"data: {"index":0,"step":{"type":"function_call","id":"a","name":"lookup","arguments":{}},"event_type":"step.start"}"#,
            r#"data: {"index":0,"delta":{"type":"arguments_delta","arguments":"\"a\""},"event_type":"step.delta"}"#.to_owned() + "\n\n",
        ),
        (
            Format::Bedrock,
            r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"a","name":"lookup"}},"contentBlockIndex":0}}"#,
            r#"{"contentBlockDelta":{"delta":{"toolUse":{"input":"\"a\""}},"contentBlockIndex":0}}"#.to_owned() + "\n",
        ),
        (Format::Replicate, "", "event: output\ndata: a\n\n".into()),
    ] {
        let mut response = ResponseParser::new(format, Policy::new());
        let mut feed = |body: &str| {
            for chunk in body.as_bytes().chunks(100) {
                let mut events = response.feed(chunk);
                while let Some(event) = events.next() {
                    assert!(event.is_ok(), "{event:?}");
                }
            }
        };
        feed(&format!("{start}\n\n"));
        let body = event.repeat(100);
        feed(&body);
        let info = measure(|| feed(&body));
        assert_eq!(info.count_total, 0, "{format}: {event}: {info:?}");
    }
}

#[test]
fn a_response_reuses_its_buffers_and_frees_those_of_a_long_payload() {
    const PAYLOADS: usize = 20;
    /// The bytes of each buffer that may be kept.
    ///
    /// The buffers are for the payload, as a line and as data, its text, and its deltas.
    const KEPT: i64 = 64 << 10;
    let feed = |response: &mut ResponseParser, body: &str| {
        for chunk in body.as_bytes().chunks(100) {
            let mut events = response.feed(chunk);
            while events.next().is_some() {}
        }
    };
    let text = |text: &str| format!("{{\"delta\":{{\"content\":\"{text}\"}}}}");
    let calls = vec!["{\"function\":{\"arguments\":\" \"}}"; 1_000].join(",");
    let calls = format!("{{\"delta\":{{\"tool_calls\":[{calls}]}}}}");
    let usual = payload(&text(&"prose\\n".repeat(100))).repeat(PAYLOADS);
    let long = [&text(&"prose ".repeat(100_000)), &text(&"\\ud83d".repeat(100_000)), &[&*calls; 5].join(",")];
    for long in long {
        let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new());
        feed(&mut response, &usual);
        assert_eq!(allocations(|| feed(&mut response, &usual)), 0);
        // The buffers shrink with the next payload.
        let left = measure(|| feed(&mut response, &(payload(long) + &usual))).bytes_current;
        assert!(left <= 4 * KEPT, "{left} bytes of {}", long.len());
    }
}

#[test]
fn an_owned_event_is_one_small_allocation_and_an_ended_call_a_few() {
    let of = |reader: &mut Reader<Parser>, chunk: &'static str, is_expected: fn(&owned::Event) -> bool| {
        let mut events = 0;
        let mut read = || {
            for event in reader.feed(Bytes::from_static(chunk.as_bytes())) {
                assert!(is_expected(&event), "{event:?}");
                events += 1;
            }
        };
        let allocations = allocations(&mut read);
        assert_eq!(events, 1);
        allocations
    };
    let mut reader = Reader::new(Parser::default());
    assert_eq!(of(&mut reader, "Tea or", |event| matches!(event, owned::Event::Text(_))), 1);
    // Allocates the buffers of a call.
    drop(reader.feed(Bytes::from_static(CALL.as_bytes())));
    drop(reader.feed("<ask_followup_question><question>Tea".into()));
    assert_eq!(of(&mut reader, " or", |event| matches!(event, owned::Event::Partial(_))), 1);
    drop(reader.feed("?</question><suggest mode=\"code\">".into()));
    // The mode is shared by the partials that have it.
    assert!(of(&mut reader, "Te", |event| matches!(event, owned::Event::Partial(_))) <= 3);
    assert_eq!(of(&mut reader, "a", |event| matches!(event, owned::Event::Partial(_))), 1);
    drop(reader.feed("</suggest>".into()));
    let complete = of(&mut reader, "</ask_followup_question>", |event| matches!(event, owned::Event::Complete(_)));
    // Its text, its shared header, its suggestions, and its notes, if there are any.
    assert_eq!(complete, 4);
}

#[test]
fn a_shape_is_one_allocation_that_clones_share() {
    for name in Shape::built_in_names() {
        let mut shape = None;
        assert_eq!(allocations(|| shape = Shape::built_in(name)), 1, "{name}");
        let shape = shape.unwrap();
        assert_eq!(allocations(|| assert_eq!(shape.clone().name(), name)), 0);
        let text = shape.text().to_owned();
        // The text is moved into it.
        assert_eq!(allocations(|| drop(Shape::parse(text))), 1, "{name}");
    }
}

#[test]
fn a_shape_with_many_keys_or_tools_keeps_one_more_allocation() {
    let cost = |keys: usize, tools: usize| {
        let list = |count: usize| (0..count).map(|i| format!(" k{i}")).collect::<String>();
        let text = format!("shape s\ntool{}\ntext{} else id header detail\n", list(tools), list(keys));
        let mut shape = None;
        let kept = measure(|| shape = Shape::parse(text).ok()).count_current;
        assert!(shape.is_some());
        kept
    };
    assert_eq!([cost(24, 4), cost(25, 4), cost(24, 5), cost(60, 30)], [1, 2, 2, 3]);
}

/// With the default shapes, finding one compiles it: one allocation. A list has it compiled.
#[test]
fn a_native_call_compiles_its_shape_once() {
    let question = "Which way? ".repeat(20);
    let arguments = format!(r#"{{"question":"{question}","options":["A","B"]}}"#);
    for (shape, tool) in [("cline", "ask_question"), ("ask_user", "ask_user"), ("claude", "AskUserQuestion")] {
        let delta = |name: &str, text: &str| {
            let text = text.replace('"', "\\\"");
            let function = format!("{{\"name\":\"{name}\",\"arguments\":\"{text}\"}}");
            payload(&format!("{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"function\":{function}}}]}}}}"))
        };
        let pieces: String = arguments.chars().map(|char| delta("", &char.to_string())).collect();
        let body = delta(tool, "") + &pieces;
        let of = |shapes: Shapes| {
            let policy = Arc::new(Policy::new().with_shapes(shapes));
            let mut asks = false;
            let count = allocations(|| {
                let mut response = ResponseParser::new(Format::OpenAiChat, policy.clone());
                let mut events = response.feed(body.as_bytes());
                while let Some(event) = events.next() {
                    asks |= matches!(event, Ok(Event::Partial(call)) if call.suggestions().len() == 2);
                }
            });
            assert!(asks, "{tool}");
            count
        };
        let list = Shapes::new([Shape::built_in(shape).unwrap()]);
        assert_eq!(of(Shapes::default()) - of(list), 1, "{tool}");
    }
}

#[test]
fn a_list_of_shapes_is_one_allocation_that_clones_share() {
    let all = ["claude", "codex", "vscode"].map(|name| Shape::built_in(name).unwrap());
    let mut shapes = Shapes::none();
    assert_eq!(allocations(|| shapes = Shapes::new(all)), 1);
    assert_eq!(allocations(|| drop(shapes.clone())), 0);
}
