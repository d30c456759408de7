//! Calls that come as text, in an envelope, and natively as well.

use followup::wire::{Format, Limits, ResponseParser};
use followup::{Envelopes, Event, Policy};
use serde_json::{Value, json};

use crate::reasoning::{chat, chat_end, events, json_lines, native, summaries, take};

/// A call as it leaks from Qwen3-Coder.
fn leaked(question: &str) -> String {
    format!(
        "<tool_call>\n<function=ask_followup_question>\n<parameter=question>\n{question}\n</parameter>\n\
         <parameter=follow_up>\n[{{\"text\": \"Yes\"}}]\n</parameter>\n</function>\n</tool_call>"
    )
}

fn text(text: &str) -> Value {
    chat(&json!({"content": text}))
}

fn chat_summaries(payloads: &[Value]) -> Vec<String> {
    summaries(Format::OpenAiChat, &events(&[payloads, &[chat_end()]].concat()), Limits::default())
}

/// The span of a call that begins the text.
fn span(call: &str) -> String {
    format!("0..{}", call.len())
}

#[test]
fn a_call_that_leaks_and_comes_natively_is_asked_once_natively() {
    let call = leaked("Tea?");
    assert_eq!(
        chat_summaries(&[text(&format!("{call} So.")), native("Tea?")]),
        ["text  So.", "1 asks Tea? 0..19", "0 is rejected: superseded"]
    );
    let (start, end) = call.split_at(80);
    assert_eq!(
        chat_summaries(&[text(start), native("Tea?"), text(end), text(" So.")]),
        ["text  So.", "1 asks Tea? 0..19", "0 is rejected: superseded"],
        "both at the same time"
    );
    assert_eq!(
        chat_summaries(&[native("Tea?"), chat_end(), text(&call), text(" So.")]),
        ["0 asks Tea? 0..19", "1 is rejected: superseded", "text  So."],
        "natively first"
    );
}

#[test]
fn a_question_that_leaks_in_other_white_space_or_with_entities_is_the_same() {
    for (native_question, leaked_question) in [
        ("Q <b>?", "Q &lt;b&gt;?"),
        ("One?\n\nTwo & three", "One? Two &amp; three"),
        ("Is it 'a'?", " Is  it &#39;a&#39;?"),
    ] {
        let steps = chat_summaries(&[text(&leaked(leaked_question)), native(native_question)]);
        assert!(steps.contains(&"0 is rejected: superseded".to_owned()), "{steps:?}");
    }
    let steps = chat_summaries(&[text(&leaked("Tea or coffee?")), native("Tea?")]);
    assert!(!steps.contains(&"0 is rejected: superseded".to_owned()), "{steps:?}");
}

#[test]
fn a_call_that_only_leaks_is_asked_at_the_end_of_the_body() {
    let call = leaked("Tea?");
    let asked = format!("leaked 0 asks Tea? {}", span(&call));
    assert_eq!(chat_summaries(&[text(&format!("{call} So."))]), ["text  So.", &asked]);
    assert_eq!(
        chat_summaries(&[text(&call), native("Coffee?")]),
        ["1 asks Coffee? 0..22", &asked],
        "another question came natively"
    );
}

#[test]
fn the_wait_is_over_as_soon_as_the_native_call_is_complete() {
    let call = leaked("Tea?");
    let first = events(&[text(&call), native("Tea?")]);
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    let mut all = Vec::new();
    take(parser.feed(first.as_bytes()), &mut all);
    assert_eq!(all, [""; 0], "neither has ended");
    take(parser.feed(events(&[chat_end()]).as_bytes()), &mut all);
    assert_eq!(all, ["1 asks Tea? 0..19", "0 is rejected: superseded"]);
    take(parser.finish(), &mut all);
    assert_eq!(all.len(), 2);
}

#[test]
fn a_native_call_that_cannot_be_asked_supersedes_nothing() {
    let call = leaked("Tea?");
    let asked = format!("leaked 0 asks Tea? {}", span(&call));
    let cut = chat(
        &json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ask_followup_question", "arguments": "{\"question\":\"Tea?\""}}]}),
    );
    assert_eq!(chat_summaries(&[text(&call), cut]), ["1 is rejected: truncated", &asked]);
    let other = chat(
        &json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "lookup", "arguments": "{\"question\":\"Tea?\"}"}}]}),
    );
    assert_eq!(chat_summaries(&[text(&call), other]), ["lookup begins", &asked]);
}

/// A native call that the end of the body ends is complete before it is known which one counts.
#[test]
fn a_native_call_that_ends_with_the_body_supersedes_too() {
    let body = events(&[text(&leaked("Tea?")), native("Tea?")]);
    assert_eq!(
        summaries(Format::OpenAiChat, &body, Limits::default()),
        ["1 asks Tea? 0..19", "0 is rejected: superseded"]
    );
}

#[test]
fn only_the_questions_are_compared_without_blanks_around_them() {
    let native = chat(&json!({"tool_calls": [{"index": 0, "id": "c", "function": {
        "name": "ask_followup_question", "arguments": "{\"question\":\" T\\u0065a? \",\"follow_up\":[\"No\"]}"}}]}));
    let all = chat_summaries(&[text(&leaked("Tea?")), native]);
    assert_eq!(all[1..], ["0 is rejected: superseded"], "{all:?}");
}

#[test]
fn two_calls_that_leak_are_both_asked_unless_they_come_natively() {
    let (tea, coffee) = (leaked("Tea?"), leaked("Coffee?"));
    let both = format!("{tea}\n{coffee}");
    let coffee_span = format!("{}..{}", tea.len() + 1, both.len());
    let (tea, coffee) = (format!("leaked 0 asks Tea? {}", span(&tea)), format!("leaked 1 asks Coffee? {coffee_span}"));
    assert_eq!(chat_summaries(&[text(&both)]), ["text \n", &tea, &coffee]);
    assert_eq!(
        chat_summaries(&[text(&both), native("Tea?")]),
        ["text \n", "2 asks Tea? 0..19", "0 is rejected: superseded", &coffee]
    );
}

#[test]
fn a_call_in_markup_waits_for_nothing() {
    let markup = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    assert_eq!(
        chat_summaries(&[text(&format!("{markup} So.")), native("Tea?")]),
        [&*format!("0 asks Tea? {}", span(markup)), "text  So.", "1 asks Tea? 0..19"]
    );
}

#[test]
fn a_rejected_call_waits_for_nothing() {
    let call = "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {}}</tool_call>";
    assert_eq!(
        chat_summaries(&[text(&format!("{call} So.")), native("Tea?")]),
        ["0 is rejected: missing_parameter", "text  So.", "1 asks Tea? 0..19"]
    );
}

#[test]
fn a_call_waits_only_where_native_calls_may_come() {
    let call = leaked("Tea?");
    let asked = format!("leaked 0 asks Tea? {}", span(&call));
    let lines: String = call.lines().map(|line| format!("data: {line}\n")).collect();
    let body = format!("event: output\n{lines}\n\nevent: output\ndata:  So.\n\nevent: done\ndata: {{}}\n\n");
    assert_eq!(summaries(Format::Replicate, &body, Limits::default()), [&*asked, "text  So."]);
    let mut parser = ResponseParser::new(Format::Text, Policy::new());
    let mut all = Vec::new();
    take(parser.feed(format!("{call} So.").as_bytes()), &mut all);
    assert_eq!(all, [&*asked, "text  So."]);
}

#[test]
fn a_call_that_leaks_supersedes_those_in_the_reasoning() {
    let call = leaked("Tea?");
    let reasoning = chat(&json!({"reasoning_content": leaked("Or tea?")}));
    let asked = format!("leaked 1 asks Tea? {}", span(&call));
    assert_eq!(
        chat_summaries(&[reasoning.clone(), text(&format!("{call} So."))]),
        ["0 is rejected: superseded", "text  So.", &asked]
    );
    assert_eq!(
        chat_summaries(&[reasoning, text(&call), native("Tea?")]),
        ["0 is rejected: superseded", "2 asks Tea? 0..19", "1 is rejected: superseded"]
    );
}

#[test]
fn no_more_calls_wait_than_the_limits_allow() {
    let calls = leaked("Tea?").repeat(3);
    let body = events(&[text(&calls), text("So."), native("Tea?"), chat_end()]);
    let limits = Limits::default();
    for (limits, early) in [
        (limits, 0),
        (limits.with_open_calls(2), 1),
        // The question and the answer have 7 bytes together.
        (limits.with_arguments(19), 1),
        (limits.with_arguments(20), 1),
        (limits.with_arguments(21), 0),
    ] {
        let all = summaries(Format::OpenAiChat, &body, limits);
        let done = all.iter().position(|line| line == "text So.").unwrap();
        assert_eq!(done, early, "{limits:?}: {all:?}");
        assert_eq!(all.iter().filter(|line| line.ends_with("superseded")).count(), 3 - early, "{limits:?}: {all:?}");
    }
}

#[test]
fn without_envelopes_nothing_leaks() {
    let body = events(&[text(&leaked("Tea?")), native("Tea?"), chat_end()]);
    let policy = Policy::new().with_envelopes(Envelopes::none());
    let mut asked = 0;
    let mut parser = ResponseParser::new(Format::OpenAiChat, policy);
    parser.feed(body.as_bytes()).for_each(|event| match event {
        Ok(Event::Text(_) | Event::Partial(_)) => {}
        Ok(Event::Complete(_)) => asked += 1,
        other => panic!("{other:?}"),
    });
    assert_eq!(asked, 1);
}

/// Bodies with the same call in the text and natively, as each of these providers sends it.
#[test]
fn a_call_is_asked_once_whatever_provider_sends_it_twice() {
    let (call, arguments) = (leaked("Tea?"), json!({"question": "Tea?"}));
    let quoted = arguments.to_string();
    let name = "ask_followup_question";
    let block = |index: u64, start: Value, delta: Value| {
        [
            json!({"type": "content_block_start", "index": index, "content_block": start}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]
    };
    let in_text = block(0, json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": call}));
    let natively = block(
        1,
        json!({"type": "tool_use", "id": "t", "name": name, "input": {}}),
        json!({"type": "input_json_delta", "partial_json": quoted}),
    );
    let item = json!({"type": "function_call", "id": "f", "call_id": "c", "name": name, "arguments": quoted});
    for (format, body) in [
        (Format::Anthropic, events(&[&in_text[..], &natively].concat())),
        (Format::Anthropic, events(&[&natively[..], &in_text].concat())),
        (
            Format::OpenAiResponses,
            events(&[
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": call}),
                json!({"type": "response.output_item.done", "output_index": 1, "item": item}),
                json!({"type": "response.completed", "response": {"status": "completed", "output": [
                    {"type": "message", "content": [{"type": "output_text", "text": call}]}, item]}}),
            ]),
        ),
        (
            Format::Gemini,
            events(&[json!({"candidates": [{"content": {"parts": [
                {"text": call}, {"functionCall": {"name": name, "args": arguments}}]}, "finishReason": "STOP"}]})]),
        ),
        (
            Format::Ollama,
            json_lines(&[json!({"model": "m", "done": true, "message": {
                "content": call, "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}})]),
        ),
        (
            Format::Bedrock,
            json_lines(&[
                json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": call}}}),
                json!({"contentBlockStart": {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "t", "name": name}}}}),
                json!({"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": quoted}}}}),
                json!({"contentBlockStop": {"contentBlockIndex": 1}}),
                json!({"messageStop": {"stopReason": "tool_use"}}),
            ]),
        ),
    ] {
        let all = summaries(format, &body, Limits::default());
        let asked: Vec<&String> = all.iter().filter(|line| line.contains(" asks ")).collect();
        assert!(matches!(&*asked, [one] if !one.starts_with("leaked")), "{format}: {all:?}");
        assert_eq!(all.iter().filter(|line| line.ends_with("superseded")).count(), 1, "{format}: {all:?}");
        assert_eq!(all.len(), 2, "{format}: {all:?}");
    }
}
