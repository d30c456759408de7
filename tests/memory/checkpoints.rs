//! The checkpoint of an endless call, which contains the whole state, stays within the limits.

use followup::{Envelopes, Limits, Parser, Policy};

/// The longest checkpoint of a call within the limits of [`longest`], stored as JSON.
const LONGEST: usize = 2500;

/// How often each piece of a call is repeated.
///
/// It is enough for a state that grows to exceed [`LONGEST`].
const TIMES: usize = 200;

/// Returns the length of the longest checkpoint while the parser reads `start` and the pieces.
fn longest(new: impl FnOnce(Policy) -> Parser, start: &str, repeated: &str) -> usize {
    let limits = Limits { question: 64, answer: 64, suggestions: 4, unconfirmed: 256, ..Limits::default() };
    let mut parser = new(Policy::new().with_limits(limits).with_envelopes(Envelopes::all()));
    drop(parser.feed(start));
    let mut longest = 0;
    for _ in 0..TIMES {
        for chunk in repeated.as_bytes().chunks(7) {
            drop(parser.feed_bytes(chunk));
            longest = longest.max(serde_json::to_string(&parser.checkpoint()).unwrap().len());
        }
    }
    longest
}

#[test]
fn an_open_call_holds_no_more_than_its_limits_however_long_it_goes_on() {
    for repeated in [
        "<suggest mode='a mode of some length'> </suggest>",
        "<suggest mode='a mode of some length'>A</suggest>",
        "<suggest><mode>a mode of some length</mode></suggest>",
        "<suggest><content> </content><mode>a mode of some length</mode></suggest>",
        "<suggest><mode>m</mode>some text<content></content></suggest>",
        "<question>Which?</question>",
        "<question> </question>",
        "<options>[\"a\", \"b\"]</options>",
        "<follow_up>[\"a\", </follow_up>",
        "<follow_up> some text </follow_up></suggest></question>",
    ] {
        let longest = longest(Parser::new, "<ask_followup_question><follow_up>", repeated);
        assert!(longest < LONGEST, "{repeated}: {longest} bytes");
    }
}

#[test]
fn arguments_hold_no_more_than_their_limits_however_long_they_go_on() {
    for (start, repeated) in [
        ("{", "\"question\":\"Which?\","),
        ("{\"", "a very long key "),
        ("{\"", "1234567890"),
        ("{\"question\":\"", " \\n\\u3000"),
        ("{\"question\":\"", "Which? "),
        ("{\"question\":", "12345"),
        ("{\"other\":[", "{\"a\":[\"a string\", -12.5e3]},"),
        ("{\"other\":\"", "a string "),
        ("{\"other\":", "[[[["),
        ("{\"follow_up\":[", "\"an answer\","),
        ("{\"follow_up\":[", "{\"text\":\"an answer\",\"mode\":\"a mode of some length\"},"),
        ("{\"follow_up\":[", "{\"text\":\" \",\"mode\":\"a mode of some length\"},"),
        ("{\"follow_up\":[{", "\"text\":\" \",\"mode\":\"a mode of some length\","),
        ("{\"follow_up\":{", "\"0\":[\"an answer\",{\"mode\":\"a mode of some length\"}],"),
        ("{\"follow_up\":\"", "<suggest mode='m'>a</suggest>"),
        ("{\"follow_up\":\"", "\\n "),
        ("{", "\"follow_up\":\"a\\nb\",\"options\":\"[1]\",\"suggest\":\"<suggest> \","),
        ("{}", " and more"),
    ] {
        let longest = longest(Parser::arguments, start, repeated);
        assert!(longest < LONGEST, "{start}{repeated}: {longest} bytes");
    }
}

#[test]
fn an_envelope_holds_no_more_than_its_limits_however_long_it_goes_on() {
    let (tags, keys) = ("<function=ask_followup_question>", "<tool_call>ask_followup_question");
    let object = "<tool_call>{\"name\":\"ask_followup_question\"";
    for (start, inside, repeated) in [
        // Headers.
        ("", "<tool_call>", " "),
        ("", "<tool_call>{\"id\":\"", "a string "),
        ("", "{\"name\":\"ask_followup_question\",\"arguments\":{\"x\":\"", "a string "),
        ("", "<|channel|>commentary to=", "f"),
        ("", "", "<|tool_calls_section_begin|>"),
        // Tags with raw values.
        (tags, "<parameter=question>", "Which? "),
        (tags, "<parameter=question>", " \n"),
        (tags, "<parameter=follow_up>", "[1, "),
        (tags, "", "<parameter=follow_up>[\"a\", {\"text\":\"b\",\"mode\":\"a mode of some length\"}]</parameter>"),
        (tags, "", "<parameter=x>any length"),
        (tags, "<parameter=input>{\"question\":\"", "Which? "),
        (tags, "<parameter=question>Q</parameter></function>", " "),
        // Keys and values.
        (keys, "<arg_key>", "a very long key "),
        (keys, "", "<arg_key>follow_up</arg_key><arg_value>a\nb</arg_value>"),
        (keys, "<arg_key>question</arg_key><arg_value>", "Which? "),
        // JSON after a name.
        (object, ",\"arguments\":{\"question\":\"", "Which? "),
        (object, ",\"arguments\":{\"follow_up\":[", "{\"text\":\"an answer\",\"mode\":\"a mode of some length\"},"),
        (object, ",\"arguments\":\"{\\\"follow_up\\\":[", "\\\"an answer\\\","),
        (object, ",\"arguments\":{\"question\":\"Q\"},\"", "a very long key "),
        (object, ",\"arguments\":{\"question\":\"Q\"}}", " "),
        (object, ",x", "any length "),
        // Sections and lists.
        (
            "<|tool_calls_section_begin|>",
            "",
            "<|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>{\"question\":\"Q\"}<|tool_call_end|>",
        ),
        ("[TOOL_CALLS][", "", "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}},"),
        ("<|python_tag|>", "", "{\"name\":\"ask_followup_question\",\"parameters\":{\"question\":\"Q\"}};"),
        // Another tool's call.
        ("<function=f>", "<parameter=x>", "any length "),
        ("<tool_call>{\"name\":\"f\",", "\"", "a very long key "),
    ] {
        let longest = longest(Parser::new, &format!("{start}{inside}"), repeated);
        assert!(longest < LONGEST, "{start}{inside}{repeated}: {longest} bytes");
    }
}
