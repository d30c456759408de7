//! Hostile bodies: the limits bound the memory that they take.

use allocation_counter::measure;
use followup::Policy;
use followup::wire::{Format, Limits, ResponseParser};

use crate::endless::*;
use crate::sized;

/// A body with an event that is repeated; each `{}` in it is replaced by a number that counts up.
struct Repeated<'a> {
    name: &'a str,
    wire: Format,
    start: &'a str,
    event: &'a str,
    times: usize,
    /// The most memory it may take.
    most: u64,
    errors: &'a str,
}

/// Parses it, an event a chunk. Returns its events, and the peak of memory.
fn parse_repeated(body: &Repeated<'_>) -> (Tally, u64) {
    let mut response = ResponseParser::new(body.wire, Policy::new());
    let (mut tally, mut memory) = (Tally::default(), Memory::default());
    memory.measure(|| tally.add_response(response.feed(body.start.as_bytes())));
    for n in 0..body.times {
        let event = body.event.replace("{}", &n.to_string());
        memory.measure(|| tally.add_response(response.feed(event.as_bytes())));
    }
    memory.measure(|| tally.add_response(response.finish()));
    (tally, memory.peak)
}

fn chat(call: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{{call}}}]}}}}]}}\n\n")
}

fn many_lies(times: usize) {
    let blank = |len: usize| " ".repeat(len);
    let long = "x".repeat(1000);
    let begins = "data: {\"type\":\"content_block_start\",\"index\":{},\"content_block\":{\"type\":\"tool_use\",\"id\":\"a{}\",\"name\":\"lookup\",\"input\":{}}}\n\n".replace("\"input\":{}", "\"input\":{ }");
    let begins_long = begins.replace("a{}", &format!("{{}}{long}"));
    let stop = "data: {\"type\":\"content_block_stop\",\"index\":{}}\n\n";
    let delta = "data: {\"type\":\"content_block_delta\",\"index\":{},\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{ \"}}\n\n";
    let item = "data: {\"type\":\"response.output_item.added\",\"output_index\":{},\"item\":{\"type\":\"function_call\",\"id\":\"i{}\",\"call_id\":\"a{}\",\"name\":\"lookup\",\"arguments\":\"\"}}\n\n";
    let block = "{\"contentBlockStart\":{\"contentBlockIndex\":{},\"start\":{\"toolUse\":{\"toolUseId\":\"a{}\",\"name\":\"lookup\"}}}}\n";
    let part = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"lookup\",\"id\":\"a{}\",\"willContinue\":true}}]}}]}\n\n";
    let value = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.a[{}].b\",\"stringValue\":\"x\"}]}}]}}]}\n\n";
    let whole = "{\"message\":{\"tool_calls\":[{\"id\":\"a{}\",\"function\":{\"name\":\"lookup\",\"arguments\":{\"p\":1}}}]}}\n";
    let named = chat("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"tool{}\",\"arguments\":\"x\"}");
    let ids = chat("\"index\":0,\"id\":\"a{}\",\"function\":{\"arguments\":\"x\"}");
    let nobody = chat("\"index\":{},\"id\":\"a{}\",\"function\":{\"arguments\":\"x\"}");
    let empty =
        chat("\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\"{ }\"}");
    let blanks = chat(&format!("\"index\":0,\"function\":{{\"arguments\":\"{}\"}}", blank(1000)));
    let unnamed = chat(&format!("\"index\":0,\"id\":\"a\",\"function\":{{\"arguments\":\"{long}\"}}"));
    let done = "data: {\"type\":\"response.function_call_arguments.done\",\"item_id\":\"i0\",\"output_index\":0,\"arguments\":\"{\\\"question\\\":\\\"{}\\\"}\"}\n\n";
    let added = "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"i0\",\"call_id\":\"a\",\"name\":\"ask_followup_question\",\"arguments\":\"\"}}\n\n\
        data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"i0\",\"output_index\":0,\"delta\":\"{\\\"question\\\":\\\"Q\"}\n\n";
    let text = "data: {\"type\":\"response.output_text.delta\",\"output_index\":{},\"delta\":\"x\"}\n\n";
    let message = "data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"{}\"}]}]}}\n\n";
    for body in [
        Repeated {
            name: "parts of a text that never end",
            wire: Format::OpenAiResponses,
            start: "",
            event: text,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            name: "whole messages that differ",
            wire: Format::OpenAiResponses,
            start: "",
            event: message,
            times,
            most: SHORT_EVENTS,
            errors: "contradiction",
        },
        Repeated {
            name: "calls that never end",
            wire: Format::Anthropic,
            start: "",
            event: &begins,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            name: "calls with long ids",
            wire: Format::Anthropic,
            start: "",
            event: &begins_long,
            times,
            most: CALL,
            errors: "too_many_calls",
        },
        Repeated {
            name: "items that never end",
            wire: Format::OpenAiResponses,
            start: "",
            event: item,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            name: "blocks that never end",
            wire: Format::Bedrock,
            start: "",
            event: block,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            name: "parts that never end",
            wire: Format::Gemini,
            start: "",
            event: part,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            name: "values at paths",
            wire: Format::Gemini,
            start: &part.replace("{}", "0"),
            event: value,
            times,
            most: CALL,
            errors: "",
        },
        Repeated {
            name: "calls at once",
            wire: Format::Ollama,
            start: "",
            event: whole,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            name: "a name that changes",
            wire: Format::OpenAiChat,
            start: "",
            event: &named,
            times,
            most: SHORT_EVENTS,
            errors: "too_many_calls",
        },
        Repeated {
            name: "an id that changes",
            wire: Format::OpenAiChat,
            start: CHAT_OTHER,
            event: &ids,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            name: "calls without a name",
            wire: Format::OpenAiChat,
            start: "",
            event: &nobody,
            times,
            most: SHORT_EVENTS,
            errors: "orphan",
        },
        Repeated {
            name: "stops of nothing",
            wire: Format::Anthropic,
            start: ANTHROPIC_STOP,
            event: stop,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
        Repeated {
            name: "deltas of nothing",
            wire: Format::Anthropic,
            start: ANTHROPIC_STOP,
            event: delta,
            times,
            most: SHORT_EVENTS,
            errors: "orphan",
        },
        Repeated {
            name: "a name that never comes",
            wire: Format::OpenAiChat,
            start: "",
            event: &unnamed,
            times,
            most: 2 * MIB,
            errors: "orphan",
        },
        Repeated {
            name: "blanks after an empty object",
            wire: Format::OpenAiChat,
            start: &empty,
            event: &blanks,
            times,
            most: 2 * MIB,
            // Their arguments are too long.
            errors: "too_many_calls",
        },
        Repeated {
            name: "other arguments when they are done",
            wire: Format::OpenAiResponses,
            start: added,
            event: done,
            times,
            most: SHORT_EVENTS,
            errors: "",
        },
    ] {
        let (tally, peak) = parse_repeated(&body);
        assert_within(&format!("{} ({} events)", body.name, body.times), peak, body.most);
        assert_eq!(tally.error, body.errors, "{}", body.name);
        assert_eq!(tally.complete, 0, "{}", body.name);
        if body.errors == "too_many_calls" {
            let wanted = if body.event == blanks { 1 } else { body.times as u64 - 64 };
            assert_eq!(tally.errors, wanted, "{}", body.name);
        }
    }
}

#[test]
fn a_provider_that_lies_again_and_again_is_bounded() {
    many_lies(5_000);
}

#[test]
#[ignore = "a million events of each: run it in release"]
fn a_provider_that_lies_a_million_times_is_bounded() {
    many_lies(1_000_000);
}

/// Events as long as the limit, and events with long lists.
///
/// The elements of the lists take more memory than bytes.
fn long_events(event: usize) {
    let limits = Limits::default().with_event(event);
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    let gemini_text = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Hi\"}]}}]}\n\n";
    let len = event - 1000;
    let content = |inside: String| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{inside}}}}}]}}\n\n{text}");
    let string = |of: &str| content(format!("\"{}\"", of.repeat(len / of.len())));
    // The limit of elements of a list.
    let many = |each: &str| vec![each; (len / (each.len() + 1)).min(1024)].join(",");
    let call = |args: &str| format!("{{\"functionCall\":{{\"name\":\"lookup\",\"partialArgs\":[{args}]}}}}");
    let candidate = |parts: &str| format!("{{\"content\":{{\"parts\":[{parts}]}}}}");
    let gemini = |candidates: &str| format!("data: {{\"candidates\":[{candidates}]}}\n\n{gemini_text}");
    let path = |of: &str| {
        gemini(&candidate(&call(&format!("{{\"jsonPath\":\"${}\",\"stringValue\":\"x\"}}", of.repeat(len / of.len())))))
    };
    let calls = many(&format!("{{\"delta\":{{\"tool_calls\":[{}]}}}}", many("{}")));
    let parts = many(&call(&many("{}")));
    let usual = LONG_EVENTS * event as u64;
    for (what, wire, body, most) in [
        ("text", Format::OpenAiChat, string("x"), usual),
        ("escapes", Format::OpenAiChat, string("\\u65e5"), usual),
        ("halves", Format::OpenAiChat, string("\\ud83d"), usual),
        ("parts of a content", Format::OpenAiChat, content(format!("[1{}]", ",1".repeat(len / 2 - 100))), usual),
        ("calls in choices", Format::OpenAiChat, format!("data: {{\"choices\":[{calls}]}}\n\n{text}"), usual),
        ("parts of candidates", Format::Gemini, gemini(&many(&candidate(&many("{}")))), usual),
        ("values of parts", Format::Gemini, gemini(&candidate(&parts)), usual),
        ("values of parts of candidates", Format::Gemini, gemini(&many(&candidate(&parts))), usual),
        ("a path of points", Format::Gemini, path("."), usual),
        ("a path of brackets", Format::Gemini, path("[0]"), usual),
    ] {
        let mut response = ResponseParser::new(wire, Policy::new()).with_limits(limits);
        let mut tally = Tally::default();
        let info = measure(|| {
            body.as_bytes().chunks(64 << 10).for_each(|chunk| tally.add_response(response.feed(chunk)));
            tally.add_response(response.finish());
        });
        assert_within(&format!("an event of {what}, {} bytes", body.len()), info.bytes_max, most);
        assert!(tally.text >= 2, "{what}: the next event is parsed");
        assert_ne!(tally.error, "too_long", "{what}: it is parsed");
    }
}

#[test]
fn an_event_as_long_as_the_limit_takes_a_few_times_its_length() {
    long_events(1 << 20);
}

#[test]
#[ignore = "events of 8 MiB: run it in release"]
fn an_event_at_the_default_limit_takes_a_few_times_its_length() {
    long_events(8 << 20);
}

#[test]
fn the_arguments_of_all_open_calls_are_bounded_together() {
    let limits = Limits::default().with_arguments(100);
    let ask = |index: usize, arguments: &str| {
        chat(&format!(
            "\"index\":{index},\"id\":\"c{index}\",\"function\":{{\"name\":\"ask_followup_question\",\"arguments\":\"{arguments}\"}}"
        ))
    };
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    // 15 bytes of JSON are around the question.
    let question = |len: usize| format!("{{\\\"question\\\":\\\"{}\\\"}}", "q".repeat(len - 15));
    for (lens, complete, rejected) in
        [(&[100][..], 1, 0), (&[101], 0, 1), (&[50, 50], 2, 0), (&[50, 51], 1, 1), (&[80, 40, 20], 2, 1)]
    {
        let calls: String = lens.iter().enumerate().map(|(i, &len)| ask(i, &question(len))).collect();
        // What is over does not count.
        let body = format!("{calls}{end}{}{end}", ask(9, &question(100)));
        for chunk in [1, 100, usize::MAX] {
            let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(limits);
            let mut tally = Tally::default();
            body.as_bytes().chunks(chunk).for_each(|chunk| tally.add_response(response.feed(chunk)));
            tally.add_response(response.finish());
            assert_eq!((tally.complete, tally.rejected), (complete + 1, rejected), "{lens:?}");
            assert_eq!(tally.errors, rejected, "{lens:?}");
        }
    }
}

#[test]
fn a_call_at_the_index_of_a_skipped_one_is_parsed() {
    let small = Limits::default().with_open_calls(1);
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let call = |index: usize, id: &str, name: &str| {
        chat(&format!(
            "\"index\":{index},\"id\":\"{id}\",\"function\":{{\"name\":\"{name}\",\"arguments\":\"{{\\\"question\\\":\\\"Q?\\\"}}\"}}"
        ))
    };
    let body =
        [&*call(0, "a", "lookup"), &call(1, "b", "lookup"), end, &call(1, "c", "ask_followup_question"), end].concat();
    let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(small);
    for chunk in [1, 100, usize::MAX] {
        let mut tally = Tally::default();
        body.as_bytes().chunks(chunk).for_each(|chunk| tally.add_response(response.feed(chunk)));
        tally.add_response(response.finish());
        assert_eq!((tally.error, tally.errors, tally.complete), ("too_many_calls", 1, 1));
    }
}

fn beyond_the_limit(bytes: u64) {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    for (what, wire, start, repeated, end) in [
        ("data", Format::OpenAiChat, "data: {\"choices\":[{\"delta\":{\"content\":\"", "x", "\"}}]}\n\n"),
        (
            "lines of data",
            Format::OpenAiChat,
            "",
            "data: Not one line is too long, but all of them together are.\n",
            "\n",
        ),
        ("a line of JSON", Format::Ollama, "{\"response\":\"", "x", "\"}\n"),
        ("lines of JSON", Format::Ollama, "{\"a\":[", "1,\n", "1]}\n"),
        ("an array's element", Format::Gemini, "[{\"a\":\"", "x", "\"},"),
    ] {
        let end = match wire {
            Format::OpenAiChat => format!("{end}{text}"),
            Format::Ollama => format!("{end}{{\"response\":\"Hi\"}}\n"),
            _ => format!("{end}{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"Hi\"}}]}}}}]}}]"),
        };
        let mut response = ResponseParser::new(wire, Policy::new());
        let (tally, peak) = parse_body(&mut response, Endless::new(start, repeated, &end), bytes, 64 << 10);
        assert_within(&format!("an event of {what}, {bytes} bytes"), peak, LONG_EVENTS * EVENT + SHORT_EVENTS);
        assert_eq!((tally.error, tally.errors, tally.text), ("too_long", 1, 2), "{what}");
    }
}

#[test]
fn an_event_of_20_mib_is_never_held() {
    beyond_the_limit(20 * MIB);
}

#[test]
#[ignore = "a GiB of each body: run it in release"]
fn an_event_of_a_gib_is_never_held() {
    beyond_the_limit(GIB);
}

#[test]
fn a_body_whose_format_never_shows_is_an_error_if_it_is_a_stream_and_else_text() {
    for (what, repeated, is_stream) in [
        ("comments", ": ping\n\n", true),
        ("blanks", "\n", false),
        ("events", "data: {}\n\n", true),
        ("one line", ":", false),
    ] {
        let event = sized(EVENT as usize);
        let mut auto = ResponseParser::auto(Policy::new()).with_limits(Limits::default().with_event(event));
        let (stream, bytes) = (Endless::new("", repeated, ""), 2 * event as u64 + MIB);
        let (tally, peak) = parse_body(&mut auto, stream, bytes, 64 << 10);
        assert_within(&format!("{what} without a format"), peak, LONG_EVENTS * event as u64 + SHORT_EVENTS);
        let expected = if is_stream { (0, 1) } else { (stream.len(bytes), 0) };
        assert_eq!((tally.text, tally.errors), expected, "{what}");
    }
}
