//! Rare payloads of providers' streams.
//!
//! As in `rare.rs`, each is there for a line of code whose loss no faster test would notice.

use followup::Policy;
use followup::wire::{Format, Limits, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

use crate::sweep::assert_chunk_invariant;

/// The steps of a body of these payloads, one a line, without spans.
pub(crate) fn steps(format: Format, limits: Limits, payloads: &[Value]) -> Vec<String> {
    steps_of(Policy::new(), format, limits, payloads)
}

pub(crate) fn steps_of(policy: Policy, format: Format, limits: Limits, payloads: &[Value]) -> Vec<String> {
    steps_of_body(|| ResponseParser::new(format, policy.clone()).with_limits(limits), &body(payloads))
}

/// A body of server-sent events with these payloads.
pub(crate) fn body(payloads: &[Value]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

/// A call in OpenAI's format. What is empty is left out.
pub(crate) fn call(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
    let mut call = json!({"function": {"arguments": arguments}});
    if let Some(index) = index {
        call["index"] = index.into();
    }
    if !id.is_empty() {
        call["id"] = id.into();
    }
    if !name.is_empty() {
        call["function"]["name"] = name.into();
    }
    call
}

/// The steps of a body, which are the same wherever it is cut.
pub(crate) fn steps_of_body(parser: impl Fn() -> ResponseParser, body: &str) -> Vec<String> {
    let parse = |chunks: &[&[u8]]| Transcript::of_response(&mut parser(), chunks);
    assert_chunk_invariant(body.as_bytes(), parse);
    let steps = parse(&[body.as_bytes()]).to_string();
    let without_span = |line: &str| match (line.split_once(" at "), line.split_once(": ")) {
        (Some((before, _)), Some((_, after))) => format!("{before}: {after}"),
        _ => line.to_owned(),
    };
    steps.lines().map(without_span).collect()
}

/// A payload of OpenAI chat with these deltas of calls.
fn chat(calls: Value) -> Value {
    json!({"choices": [{"delta": {"tool_calls": calls}}]})
}

fn ask(index: u64, arguments: &str) -> Value {
    let function = json!({"name": "ask_followup_question", "arguments": arguments});
    json!({"index": index, "id": format!("c{index}"), "function": function})
}

const ASKED: &str = r#"{"question":"Q"}"#;

#[test]
fn arguments_of_no_call_are_an_error_and_empty_ones_are_ignored() {
    let limits = Limits::default().with_open_calls(1);
    let orphan = chat(json!([{"function": {"arguments": "{\"a\":1}"}}]));
    assert_eq!(
        steps(Format::OpenAiChat, limits, std::slice::from_ref(&orphan)),
        [r#"error orphan "arguments belong to no call and were skipped: {\"a\":1}""#]
    );
    // An empty delta does not count as a call.
    let asked = [r#"question 0 "Q""#, r#"complete 0 (c0): "Q" [] []"#];
    assert_eq!(steps(Format::OpenAiChat, limits, &[orphan, chat(json!([ask(0, ASKED)]))])[1..], asked);
    let nothing = chat(json!([{"index": 5}, {"index": 6, "function": {"arguments": ""}}]));
    assert_eq!(steps(Format::OpenAiChat, limits, &[nothing, chat(json!([ask(0, ASKED)]))]), asked);
}

#[test]
fn arguments_that_came_at_once_and_are_repeated_count_once() {
    let start = |input: Value| {
        let block = json!({"type": "tool_use", "id": "t", "name": "ask_followup_question", "input": input});
        json!({"type": "content_block_start", "index": 0, "content_block": block})
    };
    let delta = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let asked = [r#"question 0 "Q""#, r#"complete 0 (t): "Q" [] []"#];
    for payloads in [
        vec![start(json!({"question": "Q"})), stop.clone()],
        vec![start(json!({"question": "Q"})), delta(ASKED), stop.clone()],
        vec![start(json!({})), delta(ASKED), stop.clone()],
        vec![start(json!({})), delta("{}"), delta(ASKED), stop.clone()],
        vec![start(json!({})), delta(ASKED), stop.clone(), delta(ASKED), stop.clone()],
    ] {
        assert_eq!(steps(Format::Anthropic, Limits::default(), &payloads), asked, "{payloads:?}");
    }
}

#[test]
fn a_call_that_starts_again_with_other_arguments_is_rejected() {
    let start = |question: &str| {
        let block =
            json!({"type": "tool_use", "id": "t", "name": "ask_followup_question", "input": {"question": question}});
        json!({"type": "content_block_start", "index": 0, "content_block": block})
    };
    let stop = json!({"type": "content_block_stop", "index": 0});
    let rejected = [r#"question 0 "Q""#, r#"rejected malformed 0 (t): "Q" [] []"#];
    assert_eq!(steps(Format::Anthropic, Limits::default(), &[start("Q"), start("R"), stop]), rejected);
}

/// A delta of a call, whose index, id and name may be missing.
fn delta(index: Option<u64>, id: &str, named: bool, arguments: &str) -> Value {
    let mut call = json!({"function": {"arguments": arguments}});
    if let Some(index) = index {
        call["index"] = index.into();
    }
    if !id.is_empty() {
        call["id"] = id.into();
    }
    if named {
        call["function"]["name"] = "ask_followup_question".into();
    }
    chat(json!([call]))
}

#[test]
fn a_delta_belongs_to_the_only_call_that_it_can_belong_to() {
    let other = r#"{"question":"R"}"#;
    let (first, second) = ASKED.split_at(7);
    let done = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let asked = [r#"question 0 "Q""#, r#"complete 0 (x): "Q" [] []"#];
    let orphan = r#"error orphan "arguments belong to no call and were skipped: {\"question\":\"R\"}""#;
    for (payloads, expected) in [
        // One id for all calls: the index separates them if the delta has a name, and only then.
        (
            &[delta(Some(0), "x", true, ASKED), delta(Some(1), "x", true, other)][..],
            &[asked[0], r#"question 1 "R""#, asked[1], r#"complete 1 (x): "R" [] []"#][..],
        ),
        (&[delta(Some(0), "x", true, first), delta(Some(1), "x", false, second)], &asked),
        (&[delta(Some(0), "x", true, first), delta(None, "x", true, second)], &asked),
        // A name after arguments of another call.
        (
            &[delta(Some(0), "x", false, "7"), delta(None, "", true, ASKED)],
            &[
                asked[0],
                r#"error orphan "arguments belong to no call and were skipped: 7""#,
                r#"complete 0: "Q" [] []"#,
            ],
        ),
        // Another index after complete arguments, and after incomplete ones.
        (&[delta(Some(0), "x", true, ASKED), delta(Some(7), "", false, other)], &[asked[0], asked[1], orphan]),
        (&[delta(Some(0), "x", true, first), delta(Some(7), "", false, second)], &asked),
        // The same again after its end.
        (&[delta(Some(0), "x", true, ASKED), done.clone(), delta(Some(0), "x", true, ASKED)], &asked),
    ] {
        assert_eq!(steps(Format::OpenAiChat, Limits::default(), payloads), expected, "{payloads:?}");
    }
}

fn without_id(line: &str) -> String {
    line.replace(" (t0)", "").replace(" (t1)", "")
}

#[test]
fn overlapping_blocks_end_by_their_index() {
    let start = |index: u64| {
        let block = json!({"type": "tool_use", "id": format!("t{index}"), "name": "ask_followup_question"});
        json!({"type": "content_block_start", "index": index, "content_block": block})
    };
    let delta = |index: u64, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let payloads = [start(0), start(1), stop(2), delta(0, ASKED), stop(0), delta(1, ASKED), stop(1)];
    let both =
        [r#"question 0 "Q""#, r#"complete 0 (t0): "Q" [] []"#, r#"question 1 "Q""#, r#"complete 1 (t1): "Q" [] []"#];
    assert_eq!(steps(Format::Anthropic, Limits::default(), &payloads), both);
    let start = |index: u64| json!({"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"name": "ask_followup_question"}}}});
    let delta = |index: u64, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}});
    let stop = |index: u64| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let payloads = [start(0), start(1), stop(2), delta(0, ASKED), stop(0), delta(1, ASKED), stop(1)];
    assert_eq!(steps(Format::Bedrock, Limits::default(), &payloads), both.map(without_id));
    // A block that starts at the same index is another.
    let payloads = [start(0), delta(0, ASKED), start(0), delta(0, ASKED), stop(0)];
    let [question, complete, second, again] = both.map(without_id);
    assert_eq!(steps(Format::Bedrock, Limits::default(), &payloads), [question, second, again, complete]);
}

#[test]
fn an_item_that_is_added_late_has_the_arguments_that_came_before() {
    let delta = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": ASKED});
    let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "ask_followup_question"});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let message = json!({"type": "message", "id": "m", "name": "ask_followup_question"});
    let message = json!({"type": "response.output_item.added", "output_index": 1, "item": message});
    let done =
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "i", "arguments": ASKED});
    let asked = [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#];
    assert_eq!(
        steps(Format::OpenAiResponses, Limits::default(), &[delta.clone(), added, message, done.clone()]),
        asked
    );
    // Or it is never added, and its name comes with the arguments.
    let mut named = done;
    named["name"] = "ask_followup_question".into();
    let asked = [r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#];
    assert_eq!(steps(Format::OpenAiResponses, Limits::default(), &[delta, named]), asked);
}

#[test]
fn arguments_of_an_item_are_final_when_they_are_done() {
    let added = |kind: &str, id: &str| {
        let item = json!({"type": kind, "id": id, "call_id": id, "name": "ask_followup_question"});
        json!({"type": "response.output_item.added", "item": item})
    };
    let event = |kind: &str, id: &str, key: &str, text: &str| {
        let mut event = json!({"type": format!("response.{kind}"), "item_id": id});
        event[key] = text.into();
        event
    };
    let (first, second) = ASKED.split_at(14);
    let text = json!({"type": "response.output_text.delta", "delta": "Hm."});
    for (kind, arguments, key) in [
        ("function_call", "function_call_arguments", "arguments"),
        ("custom_tool_call", "custom_tool_call_input", "input"),
    ] {
        let delta = |id: &str, text: &str| event(&format!("{arguments}.delta"), id, "delta", text);
        let done = |id: &str| event(&format!("{arguments}.done"), id, key, ASKED);
        let payloads = [added(kind, "i"), delta("i", first), done("i"), text.clone()];
        let expected = [r#"question 0 "Q""#, r#"complete 0 (i): "Q" [] []"#, r#"text "Hm.""#];
        assert_eq!(steps(Format::OpenAiResponses, Limits::default(), &payloads), expected, "{kind}");
        // Done without arguments: the arguments are those that have arrived.
        let empty = event(&format!("{arguments}.done"), "i", key, "");
        let payloads = [added(kind, "i"), delta("i", ASKED), empty, text.clone()];
        let actual = steps(Format::OpenAiResponses, Limits::default(), &payloads);
        assert!(actual.contains(&expected[1].to_owned()), "{kind}: {actual:?}");
        let payloads = [added(kind, "i"), added(kind, "j"), delta("i", first), delta("j", ASKED), delta("i", second)];
        let expected =
            [r#"question 0 "Q""#, r#"question 1 "Q""#, r#"complete 0 (i): "Q" [] []"#, r#"complete 1 (j): "Q" [] []"#];
        assert_eq!(steps(Format::OpenAiResponses, Limits::default(), &payloads), expected, "{kind}");
    }
}

#[test]
fn an_item_added_at_the_index_of_another_is_a_new_call() {
    let item = json!({"type": "function_call", "name": "ask_followup_question"});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let delta = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": ASKED});
    let steps = steps(Format::OpenAiResponses, Limits::default(), &[added.clone(), delta.clone(), added, delta]);
    let complete = |index: u64| format!("complete {index}: \"Q\" [] []");
    assert!(steps.contains(&complete(0)) && steps.contains(&complete(1)), "{steps:?}");
}

#[test]
fn every_documented_form_of_an_error_is_reported() {
    for error in [
        json!({"type": "error", "message": "Later"}),
        json!({"type": "error", "error": {"message": "Later"}}),
        json!({"type": "response.failed", "response": {"error": {"message": "Later"}}}),
        json!({"error": {"message": "Later"}}),
        json!({"error": "Later"}),
    ] {
        let expected = [r#"error provider "the provider reports an error: Later""#];
        assert_eq!(
            steps(Format::OpenAiResponses, Limits::default(), std::slice::from_ref(&error)),
            expected,
            "{error}"
        );
    }
}

#[test]
fn a_single_surrogate_in_an_id_is_replaced_and_an_error_without_a_message_is_reported_as_json() {
    let call =
        r#"{"index":0,"id":"c\ud83d","function":{"name":"ask_followup_question","arguments":"{\"question\":\"Q\"}"}}"#;
    let payload: Value = serde_json::from_str(r#"{"error":{"code":5}}"#).unwrap();
    let body = format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\ndata: {payload}\n\n");
    let transcript =
        Transcript::of_response(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), [body]).to_string();
    assert!(transcript.contains("complete 0 (c\u{FFFD}) at 0..16: \"Q\""), "{transcript}");
    assert!(transcript.contains(r#"the provider reports an error: {\"code\":5}"#), "{transcript}");
}

#[test]
fn a_format_detected_at_the_end_of_the_body_is_parsed() {
    let payload = json!({"choices": [{"delta": {"content": "Hm."}}]});
    for body in [format!("data: {payload}"), payload.to_string(), format!("[{payload}")] {
        assert_eq!(detected(&body), "text \"Hm.\"\n", "{body}");
    }
}

#[test]
fn only_the_text_parts_of_a_content_list_are_shown() {
    let parts =
        json!([{"type": "reasoning", "text": "no"}, {"type": "text", "text": "yes"}, "bare", {"type": "image_url"}]);
    let shown =
        [(parts, &[r#"text "yesbare""#][..]), (json!("plain"), &[r#"text "plain""#]), (json!({"text": "no"}), &[])];
    for (content, expected) in shown {
        let payload = json!({"choices": [{"delta": {"content": content}, "finish_reason": "stop"}]});
        assert_eq!(steps(Format::OpenAiChat, Limits::default(), &[payload]), expected);
    }
}

#[test]
fn what_follows_a_long_text_in_its_payload_is_parsed() {
    let payload = json!({"choices": [{"delta": {"content": "x".repeat(10_000), "tool_calls": [ask(0, ASKED)]}}]});
    let steps = steps_at_once(&[payload]);
    assert!(steps.ends_with("question 0 \"Q\"\ncomplete 0 (c0) at 0..16: \"Q\" [] []\n"), "{}", &steps[10_000..]);
}

#[test]
fn an_empty_object_counts_only_if_nothing_else_follows() {
    let more = |arguments: &str| chat(json!([{"index": 0, "function": {"arguments": arguments}}]));
    for (parts, expected) in [
        (&["{}", ASKED][..], "complete 0 (c0): \"Q\" [] []"),
        (&["{} ", "\n", ASKED], "complete 0 (c0): \"Q\" [] []"),
        (&["{}"], "rejected missing_parameter 0 (c0): no question [] []"),
        (&["{}", "x"], "rejected missing_parameter 0 (c0): no question [] []"),
        (&["{}", "[]"], "rejected missing_parameter 0 (c0): no question [] []"),
    ] {
        let payloads: Vec<Value> =
            [chat(json!([ask(0, "")]))].into_iter().chain(parts.iter().map(|part| more(part))).collect();
        assert_eq!(steps(Format::OpenAiChat, Limits::default(), &payloads).last().unwrap(), expected, "{parts:?}");
    }
}

#[test]
fn arguments_before_the_name_are_kept_up_to_a_limit() {
    // 16 bytes for each of 100 calls.
    let limits = Limits::default().with_event(1_600).with_open_calls(100);
    let unnamed = |arguments: &str| chat(json!([{"index": 0, "id": "c0", "function": {"arguments": arguments}}]));
    let named = chat(json!([{"index": 0, "id": "c0", "function": {"name": "ask_followup_question"}}]));
    let last = |arguments: &str| steps(Format::OpenAiChat, limits, &[unnamed(arguments), named.clone()]).pop().unwrap();
    assert_eq!(last(r#"{"question":"Q"}"#), r#"complete 0 (c0): "Q" [] []"#);
    assert!(last(r#"{"question":"QQ"}"#).starts_with("error orphan"), "{}", last(r#"{"question":"QQ"}"#));
}

#[test]
fn a_list_may_have_1024_elements() {
    let calls = |many: u64| chat((0..many).map(|_| json!({"index": 0, "function": {"arguments": " "}})).collect());
    let of = |many: u64| {
        steps_at_once(&[
            chat(json!([ask(0, "{")])),
            calls(many),
            chat(json!([{"index": 0, "function": {"arguments": "}"}}])),
        ])
    };
    assert!(!of(1_024).contains("error"), "{}", of(1_024));
    assert!(of(1_025).contains("error unreadable"), "{}", of(1_025));
}

#[test]
fn a_payload_may_have_5000_deltas() {
    let part = |arguments: &str| json!({"index": 0, "function": {"arguments": arguments}});
    let of = |more: usize| {
        let choice = |parts: usize| json!({"delta": {"tool_calls": vec![part(" "); parts]}});
        let choices: Vec<Value> = [vec![choice(1_000); 5], vec![choice(more)]].concat();
        steps_at_once(&[chat(json!([ask(0, "{")])), json!({"choices": choices}), chat(json!([part("}")]))])
    };
    assert!(!of(0).contains("error"), "{}", of(0));
    assert!(of(1).contains("error unreadable"), "{}", of(1));
}

#[test]
fn a_part_continues_the_call_with_its_name_and_id_or_else_the_last() {
    // A part of a call: its name and id, either of which may be empty, and whether it will
    // continue.
    let part = |name: &str, id: &str, text: &str, more: bool| {
        let arg = json!({"jsonPath": "$.question", "stringValue": text, "willContinue": more});
        let mut call = json!({"partialArgs": [arg], "willContinue": more});
        for (key, value) in [("name", name), ("id", id)] {
            if !value.is_empty() {
                call[key] = value.into();
            }
        }
        json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
    };
    let ask = "ask_followup_question";
    let cut = r#"rejected truncated 0 (a): "A" [] []"#;
    let orphan =
        |arguments: &str| format!("error orphan \"arguments belong to no call and were skipped: {arguments}\"");
    for (parts, expected) in [
        (&[part(ask, "a", "A", false)][..], &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#][..]),
        (
            &[part(ask, "a", "A", true), part("", "", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (a): "AB" [] []"#],
        ),
        (
            &[part(ask, "a", "A", true), part(ask, "a", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (a): "AB" [] []"#],
        ),
        // The same id for another call.
        (
            &[part(ask, "a", "A", false), part(ask, "a", "B", false)],
            &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#, r#"question 1 "B""#, r#"complete 1 (a): "B" [] []"#],
        ),
        (
            &[part(ask, "", "A", true), part("", "b", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (b): "AB" [] []"#],
        ),
        (
            &[part(ask, "a", "A", true), part("", "b", "B", false)],
            &[r#"question 0 "A""#, cut, &*orphan("{\\\"question\\\":\\\"B\\\"}")],
        ),
        (
            &[part(ask, "a", "A", true), part(ask, "b", "B", false)],
            &[r#"question 0 "A""#, r#"question 1 "B""#, r#"complete 1 (b): "B" [] []"#, cut],
        ),
        (
            &[part(ask, "a", "A", true), part("read_file", "a", "B", false)],
            &[r#"question 0 "A""#, r#"opaque 0 read_file (a) "{\"question\":\"B\"}""#, cut],
        ),
        (
            &[part(ask, "a", "A", true), part("read_file", "", "B", false)],
            &[r#"question 0 "A""#, r#"opaque 0 read_file "{\"question\":\"B\"}""#, cut],
        ),
        // The parts of two calls take turns.
        (
            &[part(ask, "a", "A", true), part(ask, "b", "B", true), part(ask, "a", "C", false)],
            &[
                r#"question 0 "A""#,
                r#"question 1 "B""#,
                r#"question 0 "C""#,
                r#"complete 0 (a): "AC" [] []"#,
                r#"rejected truncated 1 (b): "B" [] []"#,
            ],
        ),
        (
            &[
                part(ask, "a", "A", true),
                part(ask, "b", "B", true),
                part("", "a", "C", false),
                part("", "", "D", true),
                part("", "b", "E", false),
            ],
            &[
                r#"question 0 "A""#,
                r#"question 1 "B""#,
                r#"question 0 "C""#,
                r#"complete 0 (a): "AC" [] []"#,
                r#"question 1 "DE""#,
                r#"complete 1 (b): "BDE" [] []"#,
            ],
        ),
        // Another call comes whole between them.
        (
            &[part(ask, "a", "A", true), part("read_file", "b", "B", false), part("", "", "C", false)],
            &[
                r#"question 0 "A""#,
                r#"opaque 0 read_file (b) "{\"question\":\"B\"}""#,
                r#"question 0 "C""#,
                r#"complete 0 (a): "AC" [] []"#,
            ],
        ),
        // The name comes late, or never.
        (
            &[part("", "a", "A", true), part(ask, "a", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (a): "AB" [] []"#],
        ),
        (&[part("", "a", "A", false)], &[&*orphan("{\\\"question\\\":\\\"A\\\"}")]),
        // Of no call.
        (&[part("", "", "A", true)], &[&*orphan("{\\\"question\\\":\\\"A")]),
        (&[part("", "", "A", false)], &[&*orphan("{\\\"question\\\":\\\"A\\\"}")]),
        (
            &[part(ask, "a", "A", false), part("", "", "B", false)],
            &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#, &*orphan("{\\\"question\\\":\\\"B\\\"}")],
        ),
        (
            &[part(ask, "a", "A", false), part("", "a", "B", false)],
            &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#],
        ),
        // The id comes late.
        (
            &[part(ask, "", "A", true), part("", "a", "B", true), part(ask, "b", "C", false)],
            &[
                r#"question 0 "AB""#,
                r#"question 1 "C""#,
                r#"complete 1 (b): "C" [] []"#,
                r#"rejected truncated 0 (a): "AB" [] []"#,
            ],
        ),
        // Of more than four calls, the oldest can't be continued.
        (
            &[
                part(ask, "a", "A", true),
                part(ask, "b", "B", true),
                part(ask, "c", "C", true),
                part(ask, "d", "D", true),
                part(ask, "e", "E", true),
                part("", "b", "!", false),
                part("", "a", "!", false),
            ],
            &[
                r#"question 0 "A""#,
                r#"question 1 "B""#,
                r#"question 2 "C""#,
                r#"question 3 "D""#,
                r#"question 4 "E""#,
                r#"question 1 "!""#,
                r#"complete 1 (b): "B!" [] []"#,
                r#"rejected malformed 0 (a): "A" [] []"#,
                r#"rejected truncated 2 (c): "C" [] []"#,
                r#"rejected truncated 3 (d): "D" [] []"#,
                r#"rejected truncated 4 (e): "E" [] []"#,
            ],
        ),
    ] {
        assert_eq!(steps(Format::Gemini, Limits::default(), parts), expected, "{parts:?}");
    }
}

#[test]
fn parts_of_a_call_without_an_id_that_is_skipped_go_to_no_other() {
    let part = |name: &str, text: &str, more: bool| {
        let arg = json!({"jsonPath": "$.question", "stringValue": text, "willContinue": more});
        let mut call = json!({"partialArgs": [arg], "willContinue": more});
        if !name.is_empty() {
            call["name"] = name.into();
        }
        json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
    };
    let parts = [
        part("ask_followup_question", "A", true),
        part("read_file", "B", true),
        part("", "C", false),
        part("", "D", false),
    ];
    let expected = [
        r#"question 0 "A""#,
        r#"error too_many_calls "too many calls are open: one of read_file was skipped; raise the limit""#,
        r#"question 0 "D""#,
        r#"complete 0: "AD" [] []"#,
    ];
    assert_eq!(steps(Format::Gemini, Limits::default().with_open_calls(1), &parts), expected);
}

#[test]
fn whole_calls_are_separate_unless_id_and_arguments_are_equal() {
    let call = |id: &str, question: &str| {
        let function = json!({"name": "ask_followup_question", "arguments": {"question": question}});
        let mut call = json!({"function": function});
        if !id.is_empty() {
            call["id"] = id.into();
        }
        json!({"message": {"tool_calls": [call]}})
    };
    let asked = [r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#, r#"question 1 "R""#, r#"complete 1: "R" [] []"#];
    for (id, again, expected) in [("", "R", &asked[..]), ("x", "R", &asked), ("", "Q", &asked), ("x", "Q", &asked[..2])]
    {
        let of = |line: &&str| {
            line.replace('R', again).replace(": ", &if id.is_empty() { ": ".to_owned() } else { format!(" ({id}): ") })
        };
        let expected: Vec<String> = expected.iter().map(of).collect();
        assert_eq!(
            steps(Format::Ollama, Limits::default(), &[call(id, "Q"), call(id, again)]),
            expected,
            "{id:?} {again}"
        );
    }
}

/// The steps of a body that is too long to be cut everywhere.
fn steps_at_once(payloads: &[Value]) -> String {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    Transcript::of_response(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), [body]).to_string()
}

/// The steps of a body whose format is detected, one a line.
fn detected(body: &str) -> String {
    let parse = |chunks: &[&[u8]]| Transcript::of_response(&mut ResponseParser::auto(Policy::new()), chunks);
    assert_chunk_invariant(body.as_bytes(), parse);
    parse(&[body.as_bytes()]).to_string()
}

#[test]
fn a_byte_order_mark_is_part_of_text_and_not_of_arguments() {
    let asked = |at: usize| format!("question 0 \"Q\"\ncomplete 0 at 0..{at}: \"Q\" [] []\n");
    assert_eq!(detected(ASKED), asked(16));
    assert_eq!(detected(&format!("\u{FEFF}{ASKED}")), asked(16));
    assert_eq!(detected(&format!(" \n{ASKED}")), asked(18));
    assert_eq!(detected("\u{FEFF}Hm."), format!("text {:?}\n", "\u{FEFF}Hm."));
    // Arguments have no framing, and this is no provider's.
    assert!(detected(&format!("data: {ASKED}\n\n")).starts_with("error foreign"));
}

#[test]
fn a_part_of_a_byte_order_mark_begins_a_line_that_is_ignored() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}}).to_string();
    let array = format!("[{}]", json!({"candidates": [{"content": {"parts": [{"text": "Hm."}]}}]}));
    let whole = b"\xEF\xBB\xBF";
    for (format, json) in [(Format::Ollama, &line), (Format::Gemini, &array)] {
        for blanks in ["", "\n", " "] {
            for len in 0..=3 {
                let body = [&whole[..len], blanks.as_bytes(), json.as_bytes()].concat();
                let parse = |chunks: &[&[u8]]| {
                    Transcript::of_response(&mut ResponseParser::new(format, Policy::new()), chunks).to_string()
                };
                assert_chunk_invariant(&body, parse);
                // An object at the beginning of a line is a payload.
                let is_line = blanks == "\n" && format == Format::Ollama;
                let expected = if is_line || [0, 3].contains(&len) { "text \"Hm.\"" } else { "error foreign" };
                let steps = parse(&[&body]);
                assert!(steps.starts_with(expected), "{steps} of {len} bytes of the mark, and {blanks:?}");
            }
        }
    }
}

#[test]
fn a_body_of_another_format_is_an_error_and_an_empty_one_is_not() {
    let codes = |format: Format, body: &str| {
        let transcript = Transcript::of_response(&mut ResponseParser::new(format, Policy::new()), [body]).to_string();
        transcript.lines().map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for format in [Format::OpenAiChat, Format::Anthropic, Format::Ollama, Format::Bedrock, Format::Gemini] {
        for nothing in ["", " ", "\n\n", "\u{FEFF}", "\u{FEFF} \r\n"] {
            assert!(codes(format, nothing).is_empty(), "{format} of {nothing:?}");
        }
        assert_eq!(codes(format, "data: {\"x\":1}\n\n").last().map(String::as_str), Some("foreign"), "{format}");
        assert_eq!(codes(format, "event: x\n\n").last().map(String::as_str), Some("foreign"), "{format}");
    }
}

/// The steps of a body of Ollama's, with that limit of an event.
fn lines(body: &str, event: usize) -> String {
    let limits = Limits::default().with_event(event);
    let parser = || ResponseParser::new(Format::Ollama, Policy::new()).with_limits(limits);
    let parse = |chunks: &[&[u8]]| Transcript::of_response(&mut parser(), chunks).to_string();
    assert_chunk_invariant(body.as_bytes(), parse);
    parse(&[body.as_bytes()])
}

#[test]
fn the_last_line_has_the_same_limit_as_any() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}, "done": false}).to_string();
    for (event, expected) in [(line.len(), "text"), (line.len() + 1, "text"), (line.len() - 1, "error too_long")] {
        for end in ["", "\n", "\r\n"] {
            let body = format!("{line}{end}");
            let steps = lines(&body, event);
            assert!(steps.starts_with(expected), "{steps} with the limit {event}, ended by {end:?}");
        }
    }
}

#[test]
fn a_value_that_another_line_breaks_off_has_the_same_limit_as_any() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}, "done": false}).to_string();
    let broken = format!("{{\"message\":\n\"{}\"", "x".repeat(200));
    for (event, code) in [(300, "unreadable"), (0, "unreadable"), (-1, "too_long"), (-2, "too_long"), (-50, "too_long")]
    {
        for end in ["\n", "\r\n"] {
            let event = broken.len().checked_add_signed(event).unwrap();
            let body = format!("{broken}{end}{line}\n");
            let steps = lines(&body, event);
            assert!(
                steps.starts_with(&format!("error {code}")) && steps.ends_with("text \"Hm.\"\n"),
                "{steps} with the limit {event}"
            );
        }
    }
}

#[test]
fn only_the_call_that_a_lost_event_may_belong_to_is_rejected() {
    let text = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let call = "<ask_followup_question><question>Q</question></ask_followup_question>";
    let (first, second) = call.split_at(40);
    let lost = "data: {]\n\n";
    let parts = [&text("Hm."), lost, &text(call), &text(first), lost, &text(second), &text(call), lost];
    let body = parts.concat();
    let transcript =
        Transcript::of_response(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), [body]).to_string();
    let ends = transcript.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "complete" => Some(words[0]),
            "rejected" | "error" => Some(words[1]),
            _ => None,
        }
    });
    let expected = ["unreadable", "complete", "unreadable", "malformed", "complete", "unreadable"];
    assert_eq!(ends.collect::<Vec<_>>(), expected, "{transcript}");
}

#[test]
fn a_call_in_the_text_is_rejected_wherever_a_part_of_it_is_lost() {
    let text = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    for (opener, rest, closer) in [
        ("<ask_followup_question>", "\n<question>Tea?</question>\n", "</ask_followup_question>"),
        ("<tool_call>", r#"{"name": "ask_followup_question", "arguments": {"question": "Tea?"}}"#, "</tool_call>"),
        ("<tool_call>", r#"{"arguments": {"question": "Tea?"}, "name": "ask_followup_question"}"#, "</tool_call>"),
        ("<function=ask_followup_question>", "\n<parameter=question>\nTea?\n</parameter>\n", "</function>"),
        ("<invoke name=\"ask_followup_question\">", "\n<parameter name=\"question\">Tea?</parameter>", "\n</invoke>"),
        ("{", r#""name": "ask_followup_question", "parameters": {"question": "Tea?"}"#, "}"),
        ("{", r#""parameters": {"question": "Tea?"}, "name": "ask_followup_question""#, "}"),
        (
            "<｜DSML｜invoke name=\"ask_followup_question\">",
            "\n<｜DSML｜parameter name=\"question\" string=\"true\">Tea?</｜DSML｜parameter>",
            "\n</｜DSML｜invoke>",
        ),
        (
            "<｜DSML｜invoke name=\"ask_followup_question\">",
            "\n<｜DSML｜parameter name=\"question\" string=\"false\">\"Tea?\"</｜DSML｜parameter>",
            "\n</｜DSML｜invoke>",
        ),
        (
            "<tool_call>",
            "ask_followup_question\n<arg_key>question</arg_key>\n<arg_value>Tea?</arg_value>",
            "\n</tool_call>",
        ),
        ("<tool_call>", "ask_followup_question\n{\"question\": \"Tea?\"", "}</tool_call>"),
        ("<|channel|>", r#"commentary to=functions.ask_followup_question<|message|>{"question": "Tea?""#, "}<|call|>"),
        (
            "<|tool_call_begin|>",
            r#"functions.ask_followup_question:0<|tool_call_argument_begin|>{"question": "Tea?""#,
            "}<|tool_call_end|>",
        ),
    ] {
        let call = [opener, rest, closer].concat();
        for cut in (1..=opener.len() + rest.len()).filter(|cut| call.is_char_boundary(*cut)) {
            let (before, after) = call.split_at(cut);
            let body = [text(before), "data: {]\n\n".into(), text(after)].concat();
            let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
            let transcript = Transcript::of_response(&mut parser, [body]).to_string();
            let is_rejected = transcript.contains("rejected malformed") && transcript.contains("PartLost");
            assert!(is_rejected || !transcript.contains("complete"), "{before:?} and {after:?}: {transcript}");
        }
    }
}

#[test]
fn a_high_surrogate_waits_for_the_low_one_and_is_replaced_at_the_end() {
    let text = |text: &&str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    for (deltas, expected) in [
        (&["a\\ud83d", "\\ude00b"][..], "a\u{1F600}b"),
        (&["a\\ud83d", "b"], "a\u{FFFD}b"),
        (&["a\\ud83d"], "a\u{FFFD}"),
        (&["a\\ude00"], "a\u{FFFD}"),
    ] {
        let body: String = deltas.iter().map(text).collect();
        let transcript = Transcript::of_response(&mut ResponseParser::new(Format::OpenAiChat, Policy::new()), [body]);
        assert_eq!(transcript.to_string(), format!("text {expected:?}\n"), "{deltas:?}");
    }
}

/// It loses the rest of its chunk.
#[test]
fn a_leaked_cursor_does_not_affect_the_next_body() {
    let payloads = [
        chat(json!([ask(0, r#"{"question":"One?","follow_up":["#), ask(1, ASKED)])),
        chat(json!([{"index": 0, "function": {"arguments": "\"Yes\",\"No\"]}"}}])),
    ];
    let call = "<ask_followup_question><question>Which?</question><suggest>A</suggest></ask_followup_question>";
    for (format, body) in [
        (Format::OpenAiChat, payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()),
        (Format::Text, format!("{call} and {call}")),
    ] {
        let new_parser = || ResponseParser::new(format, Policy::new());
        let expected = Transcript::of_response(&mut new_parser(), [body.as_bytes()]);
        assert_eq!(expected.complete().count(), 2);
        for size in 1..=body.len() {
            for taken in 0..4 {
                let mut parser = new_parser();
                for chunk in body.as_bytes().chunks(size) {
                    let mut events = parser.feed(chunk);
                    for _ in 0..taken {
                        let _ = events.next();
                    }
                    std::mem::forget(events);
                }
                drop(parser.finish());
                let next = Transcript::of_response(&mut parser, [body.as_bytes()]);
                assert_eq!(next, expected, "{format} in chunks of {size}, of which {taken} events were taken");
            }
        }
    }
}

#[test]
fn a_call_that_differs_in_the_whole_message_says_nothing_about_a_call_in_the_text() {
    let text = "<ask_followup_question><question>Tea?</question>";
    let call = |question: &str| json!({"type": "function_call", "id": "i", "call_id": "c", "name": "ask_followup_question", "arguments": json!({"question": question}).to_string()});
    let message = json!({"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]});
    let payloads = [
        json!({"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": text}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": call("One?")}),
        json!({"type": "response.completed", "response": {"status": "completed", "output": [message, call("Two?")]}}),
    ];
    let steps = steps(Format::OpenAiResponses, Limits::default(), &payloads);
    assert!(steps.iter().any(|step| step.starts_with("error contradiction")), "{steps:?}");
    assert!(steps.iter().any(|step| step.starts_with("complete") && step.contains("Tea?")), "{steps:?}");
}

#[test]
fn a_blank_piece_with_the_name_again_belongs_to_the_call_that_is_open() {
    let pieces = [r#"{"question":"#, " ", r#""Q"}"#].map(|arguments| delta(None, "", true, arguments));
    let asked = [r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#];
    assert_eq!(steps(Format::OpenAiChat, Limits::default(), &pieces), asked);
    // After arguments that are complete, another call begins.
    let next = delta(None, "", true, " ");
    let rest = delta(None, "", true, ASKED);
    let both = steps(Format::OpenAiChat, Limits::default(), &[delta(None, "", true, ASKED), next, rest]);
    assert_eq!(both.iter().filter(|step| step.starts_with("complete")).count(), 2, "{both:?}");
}

#[test]
fn a_call_without_arguments_is_cut_off_with_a_message_that_is_too_long() {
    let is_truncated = |format, payloads: &[Value]| {
        let steps = steps(format, Limits::default(), payloads);
        assert_eq!(steps.iter().filter(|step| step.starts_with("rejected")).count(), 1, "{steps:?}");
        steps.iter().any(|step| step.starts_with("rejected truncated"))
    };
    let tool = json!({"type": "tool_use", "id": "t", "name": "ask_followup_question", "input": {}});
    for (reason, is_cut) in
        [("max_tokens", true), ("model_context_window_exceeded", true), ("refusal", true), ("tool_use", false)]
    {
        let payloads = [
            json!({"type": "content_block_start", "index": 0, "content_block": tool}),
            json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
            json!({"type": "message_stop"}),
        ];
        assert_eq!(is_truncated(Format::Anthropic, &payloads), is_cut, "{reason}");
    }
    let tool = json!({"toolUse": {"toolUseId": "t", "name": "ask_followup_question"}});
    for (reason, is_cut) in [("max_tokens", true), ("guardrail_intervened", true), ("tool_use", false)] {
        let payloads = [
            json!({"contentBlockStart": {"start": tool, "contentBlockIndex": 0}}),
            json!({"messageStop": {"stopReason": reason}}),
        ];
        assert_eq!(is_truncated(Format::Bedrock, &payloads), is_cut, "{reason}");
    }
    for (status, is_cut) in [("incomplete", true), ("completed", false)] {
        let step = json!({"type": "function_call", "id": "c", "name": "ask_followup_question", "arguments": {}});
        let payloads = [
            json!({"event_type": "step.start", "index": 0, "step": step}),
            json!({"event_type": "interaction.completed", "interaction": {"status": status}}),
        ];
        assert_eq!(is_truncated(Format::GeminiInteractions, &payloads), is_cut, "{status}");
    }
    for (reason, is_cut) in [("length", true), ("max_tokens", true), ("model_length", true), ("stop", false)] {
        let end = json!({"choices": [{"delta": {}, "finish_reason": reason}]});
        assert_eq!(is_truncated(Format::OpenAiChat, &[chat(json!([ask(0, "")])), end]), is_cut, "{reason}");
    }
}
