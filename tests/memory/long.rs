//! Long streams: only the limits bound the memory, not the length or the size of chunks.
//!
//! The streams are short by default. `cargo test --release --test memory -- --ignored` reads a GiB
//! of each, within the same memory.

use std::sync::Arc;

use allocation_counter::measure;
use followup::wire::{Format, ResponseParser};
use followup::{Envelopes, Parser, Policy};
use followup_testing::Syntax;

use crate::endless::*;
use crate::sized;

/// How much of each stream is parsed by default.
fn usual() -> u64 {
    sized(8 << 20) as u64
}

/// Streams, the most memory each may take, and the reason for which its call is rejected, if any.
const LONG: [(&str, Syntax, Endless<'static>, u64, &str); 15] = [
    ("prose", Syntax::Markup, Endless::new("", "Prose, 日本 and a < b.\n", ""), IDLE, ""),
    ("brackets", Syntax::Markup, Endless::new("", "<b>tag</b> </ask_followup", ""), IDLE, ""),
    (
        "a question",
        Syntax::Markup,
        Endless::new("<ask_followup_question><question>", "Which of the 日本 one? ", ""),
        CALL,
        "too_long",
    ),
    (
        "blanks in a question",
        Syntax::Markup,
        Endless::new("<ask_followup_question><question>", " \n", ""),
        CALL,
        "truncated",
    ),
    (
        "another tool's call",
        Syntax::Markup,
        Endless::new("<write_to_file><content>", "let x = \"日本\"; // </conten\n", ""),
        IDLE,
        "",
    ),
    (
        "a question in JSON",
        Syntax::Arguments,
        Endless::new("{\"question\":\"", "Which of the 日本 one? ", ""),
        CALL,
        "too_long",
    ),
    (
        "a value without a meaning",
        Syntax::Arguments,
        Endless::new("{\"other\":\"", "nothing at all, 日本 ", "\",\"question\":\"Q?\"}"),
        CALL,
        "",
    ),
    ("blanks", Syntax::Arguments, Endless::new("", " \n", ""), IDLE, "truncated"),
    (
        "a question in an envelope of tags",
        Syntax::Markup,
        Endless::new("<function=ask_followup_question><parameter=question>", "Which of the 日本 one? ", ""),
        CALL,
        "too_long",
    ),
    (
        "blanks in an envelope of tags",
        Syntax::Markup,
        Endless::new("<function=ask_followup_question><parameter=question>", " \n", ""),
        CALL,
        "truncated",
    ),
    (
        "a question in an envelope of keys and values",
        Syntax::Markup,
        Endless::new(
            "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>",
            "Which of the 日本 one? ",
            "",
        ),
        CALL,
        "too_long",
    ),
    (
        "a question in an envelope of JSON",
        Syntax::Markup,
        Endless::new(
            "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"",
            "Which of the 日本 one? ",
            "",
        ),
        CALL,
        "too_long",
    ),
    (
        "another tool's envelope of tags",
        Syntax::Markup,
        Endless::new("<function=f><parameter=x>", "let x = \"日本\"; // </paramete\n", ""),
        HEADER,
        "",
    ),
    (
        "another tool's envelope of JSON",
        Syntax::Markup,
        Endless::new("<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"", "let x = 日本; // </paramete\\n", ""),
        HEADER,
        "",
    ),
    ("objects", Syntax::Markup, Endless::new("", "{\"name\": \"日本\", \"x\": [1]}\n", ""), HEADER, ""),
];

fn long_streams(bytes: u64) {
    let policy = Arc::new(Policy::new());
    for (what, syntax, stream, most, reason) in LONG {
        let (tally, peak) = parse(syntax, &policy, stream, bytes, 64 << 10);
        assert_within(what, peak, most);
        assert_eq!(tally.reason, reason, "{what}");
        assert_eq!(tally.bytes(), stream.len(bytes), "{what}: nothing is lost");
    }
}

#[test]
fn a_long_stream_stays_within_the_memory_of_its_limits() {
    long_streams(usual());
}

#[test]
#[ignore = "a GiB of each stream: run it in release"]
fn a_gib_stays_within_the_memory_of_its_limits() {
    long_streams(GIB);
}

/// Text is parsed in place; bytes are validated first.
fn long_text(bytes: u64) {
    let (mut parser, mut tally) = (Parser::default(), Tally::default());
    let text = "Prose, and a < b.\n".repeat(1 << 12);
    let info = measure(|| (0..bytes / text.len() as u64).for_each(|_| tally.add_all(parser.feed(&text))));
    assert_within("prose as text", info.bytes_max, IDLE);
    assert_eq!(tally.text, bytes / text.len() as u64 * text.len() as u64);
}

#[test]
fn long_text_allocates_nothing() {
    long_text(usual());
}

#[test]
#[ignore = "a GiB: run it in release"]
fn a_gib_of_text_allocates_nothing() {
    long_text(GIB);
}

const CHAT_TEXT: &str =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Prose, 日本 \\n and a < b.\"}}]}\n\n";
const CHAT_MORE: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"more of it \"}}]}}]}\n\n";
const CHAT_ASK: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\"{\\\"question\\\":\\\"\"}}]}}]}\n\n";

fn long_bodies(bytes: u64) {
    for (what, wire, stream, most, reason) in [
        ("text", Format::OpenAiChat, Endless::new("", CHAT_TEXT, ""), SHORT_EVENTS, ""),
        ("another tool's call", Format::OpenAiChat, Endless::new(CHAT_OTHER, CHAT_MORE, ""), SHORT_EVENTS, ""),
        ("a question", Format::OpenAiChat, Endless::new(CHAT_ASK, CHAT_MORE, ""), CALL, "too_long"),
        ("comments", Format::Anthropic, Endless::new(ANTHROPIC_STOP, ": ping\n\n", ""), SHORT_EVENTS, ""),
        ("lines", Format::Ollama, Endless::new("", "{\"response\":\"word \"}\n", ""), SHORT_EVENTS, ""),
        ("plain text", Format::Text, Endless::new("", "Prose, 日本 and a < b.\n", ""), IDLE, ""),
    ] {
        let (tally, peak) = parse_body(&mut ResponseParser::new(wire, Policy::new()), stream, bytes, 64 << 10);
        assert_within(&format!("a body of {what}"), peak, most);
        assert_eq!((tally.reason, tally.errors), (reason, 0), "{what}");
    }
}

#[test]
fn a_long_body_stays_within_the_memory_of_its_limits() {
    long_bodies(usual());
}

#[test]
#[ignore = "a GiB of each stream: run it in release"]
fn a_gib_of_a_body_stays_within_the_memory_of_its_limits() {
    long_bodies(GIB);
}

fn tiny_chunks(bytes: u64) {
    let policy = Arc::new(Policy::new());
    for (what, syntax, stream, most, reason) in LONG {
        let (tally, peak) = parse(syntax, &policy, stream, bytes, 1);
        assert_within(&format!("{what}, byte by byte"), peak, most);
        assert_eq!(tally.bytes(), stream.len(bytes), "{what}: nothing is lost");
        assert_eq!(tally.reason, reason, "{what}");
    }
    let stream = Endless::new(CHAT_ASK, CHAT_MORE, "");
    let (_, peak) = parse_body(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), stream, bytes, 1);
    assert_within("a body, byte by byte", peak, CALL);
}

#[test]
fn chunks_of_one_byte_take_no_more_memory() {
    tiny_chunks(200_000);
}

#[test]
#[ignore = "ten million chunks of each stream: run it in release"]
fn ten_million_chunks_of_one_byte_take_no_more_memory() {
    tiny_chunks(10_000_000);
}

fn many_calls(calls: u64) {
    let policy = Arc::new(Policy::new());
    let call = "<ask_followup_question><question>Q?</question><suggest>A</suggest></ask_followup_question>\n";
    let stream = Endless::new("", call, "");
    let (tally, peak) = parse(Syntax::Markup, &policy, stream, calls * call.len() as u64, 4 << 10);
    assert_within("many calls", peak, 4 * KIB);
    assert_eq!((tally.complete, tally.rejected, tally.text), (calls, 0, calls));
    let named = Endless::new("", "<ask_followup_question><read_file>", "");
    let (tally, peak) = parse(Syntax::Markup, &policy, named, calls * named.repeated.len() as u64, 4 << 10);
    assert_within("many opening tags", peak, 4 * KIB);
    assert_eq!((tally.complete + tally.rejected, tally.bytes()), (0, named.len(calls * named.repeated.len() as u64)));
}

#[test]
fn many_calls_are_counted_and_take_the_memory_of_one() {
    many_calls(sized(100_000) as u64);
}

#[test]
#[ignore = "a million calls: run it in release"]
fn a_million_calls_are_counted_and_take_the_memory_of_one() {
    many_calls(1_000_000);
}

/// Calls in envelopes, one after the other or in one section: the beginning, and the call.
const CALLS: [(&str, &str, &str); 11] = [
    (
        "tags in a wrapper",
        "<tool_call>",
        "<function=ask_followup_question><parameter=question>Q?</parameter></function>\n",
    ),
    (
        "keys and values",
        "",
        "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>Q?</arg_value></tool_call>\n",
    ),
    (
        "objects in a wrapper",
        "<tool_call>",
        "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q?\"}}\n",
    ),
    ("bare objects", "", "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q?\"}}\n"),
    (
        "messages of harmony",
        "",
        "<|channel|>commentary to=ask_followup_question<|message|>{\"question\":\"Q?\"}<|call|>",
    ),
    (
        "a section of kimi",
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>{\"question\":\"Q?\"}<|tool_call_end|>",
    ),
    (
        "a section of deepseek",
        "<｜tool▁calls▁begin｜>",
        "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>{\"question\":\"Q?\"}<｜tool▁call▁end｜>\n",
    ),
    ("calls of mistral", "", "[TOOL_CALLS]ask_followup_question[ARGS]{\"question\":\"Q?\"}"),
    (
        "a list of mistral",
        "[TOOL_CALLS][",
        "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q?\"}}, ",
    ),
    (
        "a list of llama",
        "<|python_tag|>",
        "{\"name\":\"ask_followup_question\",\"parameters\":{\"question\":\"Q?\"}}; ",
    ),
    ("calls that are not closed", "<tool_call>", "<function=ask_followup_question><parameter=question>Q?</parameter>"),
];

fn many_envelopes(calls: u64) {
    let policy = Arc::new(Policy::new().with_envelopes(Envelopes::all()));
    for (what, start, call) in CALLS {
        let bytes = calls * call.len() as u64;
        let stream = Endless::new(start, call, "");
        let (tally, peak) = parse(Syntax::Markup, &policy, stream, bytes, 4 << 10);
        assert_within(what, peak, 4 * KIB);
        assert_eq!((tally.complete, tally.rejected), (calls, 0), "{what}");
        assert_eq!(tally.bytes(), stream.len(bytes), "{what}: nothing is lost");
        let other = call.replace("ask_followup_question", "f");
        let stream = Endless::new(start, &other, "");
        let bytes = calls * other.len() as u64;
        let (tally, peak) = parse(Syntax::Markup, &policy, stream, bytes, 4 << 10);
        assert_within(&format!("{what}, of another tool"), peak, 4 * KIB);
        assert_eq!((tally.complete, tally.rejected), (0, 0), "{what}");
        assert_eq!(tally.bytes(), stream.len(bytes), "{what}: nothing is lost");
    }
}

#[test]
fn many_calls_in_envelopes_are_counted_and_take_the_memory_of_one() {
    many_envelopes(5_000);
}

#[test]
#[ignore = "a million calls of each kind: run it in release"]
fn a_million_calls_in_envelopes_are_counted_and_take_the_memory_of_one() {
    many_envelopes(1_000_000);
}

/// Anthropic: whole calls, one after the other.
fn native_calls(calls: u64) {
    let call = "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ask_followup_question\",\"input\":{}}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"question\\\":\\\"Q?\\\"}\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":0}\n\n";
    let mut response = ResponseParser::new(Format::Anthropic, Policy::new());
    let (tally, peak) = parse_body(&mut response, Endless::new("", call, ""), calls * call.len() as u64, 4 << 10);
    assert_within("native calls, one after the other", peak, SHORT_EVENTS);
    assert_eq!((tally.complete, tally.rejected, tally.errors), (calls, 0, 0));
}

#[test]
fn many_native_calls_take_the_memory_of_those_that_are_remembered() {
    native_calls(30_000);
}

#[test]
#[ignore = "a million native calls: run it in release"]
fn a_million_native_calls_take_the_memory_of_those_that_are_remembered() {
    native_calls(1_000_000);
}
