//! What providers' streams seldom hold, payload by payload. As in `rare.rs`, every one stands for a line whose loss no quicker test would notice.

use followup::wire::{Response, Wire};
use followup::{Limits, Policy};
use followup_testing::{Transcript, assert_chunk_invariant};
use serde_json::{Value, json};

/// What comes out of a body of these payloads, one step a line, without where it stood.
fn said(wire: Wire, limits: Limits, payloads: &[Value]) -> Vec<String> {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    let policy = Policy::new().limits(limits);
    let read = |chunks: &[&[u8]]| Transcript::of_response(&mut Response::new(wire, policy.clone()), chunks);
    assert_chunk_invariant(body.as_bytes(), read);
    let steps = read(&[body.as_bytes()]).to_string();
    let without_place = |line: &str| match (line.split_once(" at "), line.split_once(": ")) {
        (Some((front, _)), Some((_, behind))) => format!("{front}: {behind}"),
        _ => line.to_owned(),
    };
    steps.lines().map(without_place).collect()
}

/// A payload of OpenAI chat with these parts of calls.
fn chat(calls: Value) -> Value {
    json!({"choices": [{"delta": {"tool_calls": calls}}]})
}

fn ask(index: u64, arguments: &str) -> Value {
    let function = json!({"name": "ask_followup_question", "arguments": arguments});
    json!({"index": index, "id": format!("c{index}"), "function": function})
}

const ASKED: &str = r#"{"question":"Q"}"#;

#[test]
fn arguments_that_belong_to_no_call_are_an_error_and_nothing_is_nothing() {
    let limits = Limits { open_calls: 1, ..Limits::default() };
    let nobodys = chat(json!([{"function": {"arguments": "{\"a\":1}"}}]));
    assert_eq!(
        said(Wire::OpenAiChat, limits, std::slice::from_ref(&nobodys)),
        [r#"error orphan "arguments belong to no call and were skipped: {\"a\":1}""#]
    );
    // What says nothing takes no call's room.
    let asked = [r#"question 0 "Q""#, r#"complete 0 (c0): "Q" [] []"#];
    assert_eq!(said(Wire::OpenAiChat, limits, &[nobodys, chat(json!([ask(0, ASKED)]))])[1..], asked);
    let nothing = chat(json!([{"index": 5}, {"index": 6, "function": {"arguments": ""}}]));
    assert_eq!(said(Wire::OpenAiChat, limits, &[nothing, chat(json!([ask(0, ASKED)]))]), asked);
}

#[test]
fn arguments_that_come_at_once_and_then_again_are_the_same() {
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
        assert_eq!(said(Wire::Anthropic, Limits::default(), &payloads), asked, "{payloads:?}");
    }
}

#[test]
fn arguments_that_come_at_once_and_then_otherwise_are_rejected() {
    let start = |question: &str| {
        let block =
            json!({"type": "tool_use", "id": "t", "name": "ask_followup_question", "input": {"question": question}});
        json!({"type": "content_block_start", "index": 0, "content_block": block})
    };
    let stop = json!({"type": "content_block_stop", "index": 0});
    let rejected = [r#"question 0 "Q""#, r#"rejected malformed 0 (t): "Q" [] []"#];
    assert_eq!(said(Wire::Anthropic, Limits::default(), &[start("Q"), start("R"), stop]), rejected);
}

/// A part of a call of the tool, from a server of which `index` and `id` say no more than they should.
fn loose(index: Option<u64>, id: &str, named: bool, arguments: &str) -> Value {
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
fn a_part_of_a_call_belongs_to_the_call_that_it_can_only_belong_to() {
    let other = r#"{"question":"R"}"#;
    let (front, behind) = ASKED.split_at(7);
    let done = json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]});
    let asked = [r#"question 0 "Q""#, r#"complete 0 (x): "Q" [] []"#];
    let orphan = r#"error orphan "arguments belong to no call and were skipped: {\"question\":\"R\"}""#;
    for (payloads, meant) in [
        // The same id for all: its index tells a call that is named, and only that.
        (
            &[loose(Some(0), "x", true, ASKED), loose(Some(1), "x", true, other)][..],
            &[asked[0], r#"question 1 "R""#, asked[1], r#"complete 1 (x): "R" [] []"#][..],
        ),
        (&[loose(Some(0), "x", true, front), loose(Some(1), "x", false, behind)], &asked),
        (&[loose(Some(0), "x", true, front), loose(None, "x", true, behind)], &asked),
        // A name for arguments that were another's.
        (
            &[loose(Some(0), "x", false, "7"), loose(None, "", true, ASKED)],
            &[
                asked[0],
                r#"error orphan "arguments belong to no call and were skipped: 7""#,
                r#"complete 0: "Q" [] []"#,
            ],
        ),
        // Another index behind arguments that are whole, and behind some that are not.
        (&[loose(Some(0), "x", true, ASKED), loose(Some(7), "", false, other)], &[asked[0], asked[1], orphan]),
        (&[loose(Some(0), "x", true, front), loose(Some(7), "", false, behind)], &asked),
        // The same once more, when it has ended.
        (&[loose(Some(0), "x", true, ASKED), done.clone(), loose(Some(0), "x", true, ASKED)], &asked),
    ] {
        assert_eq!(said(Wire::OpenAiChat, Limits::default(), payloads), meant, "{payloads:?}");
    }
}

fn without_id(line: &str) -> String {
    line.replace(" (t0)", "").replace(" (t1)", "")
}

#[test]
fn blocks_that_overlap_end_by_their_index() {
    let start = |index: u64| {
        let block = json!({"type": "tool_use", "id": format!("t{index}"), "name": "ask_followup_question"});
        json!({"type": "content_block_start", "index": index, "content_block": block})
    };
    let delta = |index: u64, text: &str| json!({"type": "content_block_delta", "index": index, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let payloads = [start(0), start(1), stop(2), delta(0, ASKED), stop(0), delta(1, ASKED), stop(1)];
    let both =
        [r#"question 0 "Q""#, r#"complete 0 (t0): "Q" [] []"#, r#"question 1 "Q""#, r#"complete 1 (t1): "Q" [] []"#];
    assert_eq!(said(Wire::Anthropic, Limits::default(), &payloads), both);
    let start = |index: u64| json!({"contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"name": "ask_followup_question"}}}});
    let delta = |index: u64, text: &str| json!({"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}});
    let stop = |index: u64| json!({"contentBlockStop": {"contentBlockIndex": index}});
    let payloads = [start(0), start(1), stop(2), delta(0, ASKED), stop(0), delta(1, ASKED), stop(1)];
    assert_eq!(said(Wire::Bedrock, Limits::default(), &payloads), both.map(without_id));
    // Another that begins at the same index is another.
    let payloads = [start(0), delta(0, ASKED), start(0), delta(0, ASKED), stop(0)];
    let [question, complete, second, again] = both.map(without_id);
    assert_eq!(said(Wire::Bedrock, Limits::default(), &payloads), [question, second, again, complete]);
}

#[test]
fn an_item_that_is_added_late_takes_what_has_come_of_its_place() {
    let delta = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": ASKED});
    let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "ask_followup_question"});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let message = json!({"type": "message", "id": "m", "name": "ask_followup_question"});
    let message = json!({"type": "response.output_item.added", "output_index": 1, "item": message});
    let done =
        json!({"type": "response.function_call_arguments.done", "output_index": 0, "item_id": "i", "arguments": ASKED});
    let asked = [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#];
    assert_eq!(said(Wire::OpenAiResponses, Limits::default(), &[delta.clone(), added, message, done.clone()]), asked);
    // Or it is never added, and its name stands with the arguments.
    let mut named = done;
    named["name"] = "ask_followup_question".into();
    let asked = [r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#];
    assert_eq!(said(Wire::OpenAiResponses, Limits::default(), &[delta, named]), asked);
}

#[test]
fn arguments_of_an_item_are_its_own_and_final_when_they_are_said_to_be() {
    let added = |kind: &str, id: &str| {
        let item = json!({"type": kind, "id": id, "call_id": id, "name": "ask_followup_question"});
        json!({"type": "response.output_item.added", "item": item})
    };
    let event = |kind: &str, id: &str, key: &str, text: &str| {
        let mut event = json!({"type": format!("response.{kind}"), "item_id": id});
        event[key] = text.into();
        event
    };
    let (front, behind) = ASKED.split_at(14);
    let text = json!({"type": "response.output_text.delta", "delta": "Hm."});
    for (kind, arguments, key) in [
        ("function_call", "function_call_arguments", "arguments"),
        ("mcp_call", "mcp_call_arguments", "arguments"),
        ("custom_tool_call", "custom_tool_call_input", "input"),
    ] {
        let delta = |id: &str, text: &str| event(&format!("{arguments}.delta"), id, "delta", text);
        let done = |id: &str| event(&format!("{arguments}.done"), id, key, ASKED);
        let payloads = [added(kind, "i"), delta("i", front), done("i"), text.clone()];
        let meant = [r#"question 0 "Q""#, r#"complete 0 (i): "Q" [] []"#, r#"text "Hm.""#];
        assert_eq!(said(Wire::OpenAiResponses, Limits::default(), &payloads), meant, "{kind}");
        // Said to be final without them, they are what has come.
        let empty = event(&format!("{arguments}.done"), "i", key, "");
        let payloads = [added(kind, "i"), delta("i", ASKED), empty, text.clone()];
        let steps = said(Wire::OpenAiResponses, Limits::default(), &payloads);
        assert!(steps.contains(&meant[1].to_owned()), "{kind}: {steps:?}");
        let payloads = [added(kind, "i"), added(kind, "j"), delta("i", front), delta("j", ASKED), delta("i", behind)];
        let meant =
            [r#"question 0 "Q""#, r#"question 1 "Q""#, r#"complete 0 (i): "Q" [] []"#, r#"complete 1 (j): "Q" [] []"#];
        assert_eq!(said(Wire::OpenAiResponses, Limits::default(), &payloads), meant, "{kind}");
    }
}

#[test]
fn an_item_that_is_added_where_one_was_is_another() {
    let item = json!({"type": "function_call", "name": "ask_followup_question"});
    let added = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let delta = json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": ASKED});
    let steps = said(Wire::OpenAiResponses, Limits::default(), &[added.clone(), delta.clone(), added, delta]);
    let complete = |nth: u64| format!("complete {nth}: \"Q\" [] []");
    assert!(steps.contains(&complete(0)) && steps.contains(&complete(1)), "{steps:?}");
}

#[test]
fn an_error_is_said_in_whichever_of_its_forms_it_comes() {
    for error in [
        json!({"type": "error", "message": "Later"}),
        json!({"type": "error", "error": {"message": "Later"}}),
        json!({"type": "response.failed", "response": {"error": {"message": "Later"}}}),
        json!({"error": {"message": "Later"}}),
        json!({"error": "Later"}),
    ] {
        let meant = [r#"error provider "the provider reports an error: Later""#];
        assert_eq!(said(Wire::OpenAiResponses, Limits::default(), std::slice::from_ref(&error)), meant, "{error}");
    }
}

#[test]
fn half_a_pair_in_an_id_is_replaced_and_an_error_without_a_message_is_said_as_it_is() {
    let call =
        r#"{"index":0,"id":"c\ud83d","function":{"name":"ask_followup_question","arguments":"{\"question\":\"Q\"}"}}"#;
    let payload: Value = serde_json::from_str(r#"{"error":{"code":5}}"#).unwrap();
    let body = format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}\n\ndata: {payload}\n\n");
    let transcript = Transcript::of_response(&mut Response::new(Wire::OpenAiChat, Policy::new()), [body]).to_string();
    assert!(transcript.contains("complete 0 (c\u{FFFD}) at 0..16: \"Q\""), "{transcript}");
    assert!(transcript.contains(r#"the provider reports an error: {\"code\":5}"#), "{transcript}");
}

#[test]
fn a_body_that_is_found_out_at_its_end_is_read() {
    let payload = json!({"choices": [{"delta": {"content": "Hm."}}]});
    for body in [format!("data: {payload}"), payload.to_string(), format!("[{payload}")] {
        assert_eq!(found(&body), "text \"Hm.\"\n", "{body}");
    }
}

#[test]
fn of_a_content_that_is_a_list_only_text_is_shown() {
    let parts =
        json!([{"type": "reasoning", "text": "no"}, {"type": "text", "text": "yes"}, "bare", {"type": "image_url"}]);
    let shown =
        [(parts, &[r#"text "yesbare""#][..]), (json!("plain"), &[r#"text "plain""#]), (json!({"text": "no"}), &[])];
    for (content, meant) in shown {
        let payload = json!({"choices": [{"delta": {"content": content}}]});
        assert_eq!(said(Wire::OpenAiChat, Limits::default(), &[payload]), meant);
    }
}

#[test]
fn what_stands_behind_a_long_text_in_its_payload_is_read_as_well() {
    let payload = json!({"choices": [{"delta": {"content": "x".repeat(10_000), "tool_calls": [ask(0, ASKED)]}}]});
    let said = said_at_once(&[payload]);
    assert!(said.ends_with("question 0 \"Q\"\ncomplete 0 (c0) at 0..16: \"Q\" [] []\n"), "{}", &said[10_000..]);
}

#[test]
fn an_empty_object_counts_if_no_other_follows() {
    let more = |arguments: &str| chat(json!([{"index": 0, "function": {"arguments": arguments}}]));
    for (parts, meant) in [
        (&["{}", ASKED][..], "complete 0 (c0): \"Q\" [] []"),
        (&["{} ", "\n", ASKED], "complete 0 (c0): \"Q\" [] []"),
        (&["{}"], "rejected missing_parameter 0 (c0): no question [] []"),
        (&["{}", "x"], "rejected missing_parameter 0 (c0): no question [] []"),
        (&["{}", "[]"], "rejected missing_parameter 0 (c0): no question [] []"),
    ] {
        let payloads: Vec<Value> =
            [chat(json!([ask(0, "")]))].into_iter().chain(parts.iter().map(|part| more(part))).collect();
        assert_eq!(said(Wire::OpenAiChat, Limits::default(), &payloads).last().unwrap(), meant, "{parts:?}");
    }
}

#[test]
fn of_a_call_whose_name_has_not_come_as_much_is_kept_as_may_be() {
    // 16 bytes for each of 100 calls.
    let limits = Limits { event: 1_600, open_calls: 100, ..Limits::default() };
    let unnamed = |arguments: &str| chat(json!([{"index": 0, "id": "c0", "function": {"arguments": arguments}}]));
    let named = chat(json!([{"index": 0, "id": "c0", "function": {"name": "ask_followup_question"}}]));
    let last = |arguments: &str| said(Wire::OpenAiChat, limits, &[unnamed(arguments), named.clone()]).pop().unwrap();
    assert_eq!(last(r#"{"question":"Q"}"#), r#"complete 0 (c0): "Q" [] []"#);
    assert!(last(r#"{"question":"QQ"}"#).starts_with("error orphan"), "{}", last(r#"{"question":"QQ"}"#));
}

#[test]
fn a_list_of_parts_has_no_more_than_1024() {
    let calls = |many: u64| chat((0..many).map(|_| json!({"index": 0, "function": {"arguments": " "}})).collect());
    let of = |many: u64| {
        said_at_once(&[
            chat(json!([ask(0, "{")])),
            calls(many),
            chat(json!([{"index": 0, "function": {"arguments": "}"}}])),
        ])
    };
    assert!(!of(1_024).contains("error"), "{}", of(1_024));
    assert!(of(1_025).contains("error unreadable"), "{}", of(1_025));
}

#[test]
fn a_payload_says_no_more_than_5000_things() {
    let part = |arguments: &str| json!({"index": 0, "function": {"arguments": arguments}});
    let of = |more: usize| {
        let choice = |parts: usize| json!({"delta": {"tool_calls": vec![part(" "); parts]}});
        let choices: Vec<Value> = [vec![choice(1_000); 5], vec![choice(more)]].concat();
        said_at_once(&[chat(json!([ask(0, "{")])), json!({"choices": choices}), chat(json!([part("}")]))])
    };
    assert!(!of(0).contains("error"), "{}", of(0));
    assert!(of(1).contains("error unreadable"), "{}", of(1));
}

#[test]
fn a_part_of_arguments_belongs_to_the_call_it_names_and_without_a_name_to_the_last() {
    // Calls of the tool, each part with its id or none, and whether more is to come.
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
    for (parts, meant) in [
        (&[part(ask, "a", "A", false)][..], &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#][..]),
        (
            &[part(ask, "a", "A", true), part("", "", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (a): "AB" [] []"#],
        ),
        (
            &[part(ask, "a", "A", true), part(ask, "a", "B", false)],
            &[r#"question 0 "AB""#, r#"complete 0 (a): "AB" [] []"#],
        ),
        // The same id for another.
        (
            &[part(ask, "a", "A", false), part(ask, "a", "B", false)],
            &[r#"question 0 "A""#, r#"complete 0 (a): "A" [] []"#, r#"question 1 "B""#, r#"complete 1 (a): "B" [] []"#],
        ),
        (&[part(ask, "", "A", true), part("", "b", "B", false)], &[r#"question 0 "AB""#, r#"complete 0: "AB" [] []"#]),
        (&[part(ask, "a", "A", true), part("", "b", "B", false)], &[r#"question 0 "A""#, cut]),
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
        // A call that begins again harms itself, and not the one between.
        (
            &[part(ask, "a", "A", true), part(ask, "b", "B", true), part(ask, "a", "C", false)],
            &[
                r#"question 0 "A""#,
                r#"question 1 "B""#,
                r#"question 0 "{""#,
                r#"rejected malformed 0 (a): "A{" [] []"#,
                r#"rejected truncated 1 (b): "B" [] []"#,
            ],
        ),
    ] {
        assert_eq!(said(Wire::Gemini, Limits::default(), parts), meant, "{parts:?}");
    }
}

#[test]
fn calls_that_come_whole_are_others_whatever_their_id_unless_they_are_the_same() {
    let call = |id: &str, question: &str| {
        let function = json!({"name": "ask_followup_question", "arguments": {"question": question}});
        let mut call = json!({"function": function});
        if !id.is_empty() {
            call["id"] = id.into();
        }
        json!({"message": {"tool_calls": [call]}})
    };
    let asked = [r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#, r#"question 1 "R""#, r#"complete 1: "R" [] []"#];
    for (id, again, meant) in [("", "R", &asked[..]), ("x", "R", &asked), ("", "Q", &asked), ("x", "Q", &asked[..2])] {
        let of = |line: &&str| {
            line.replace('R', again).replace(": ", &if id.is_empty() { ": ".to_owned() } else { format!(" ({id}): ") })
        };
        let meant: Vec<String> = meant.iter().map(of).collect();
        assert_eq!(said(Wire::Ollama, Limits::default(), &[call(id, "Q"), call(id, again)]), meant, "{id:?} {again}");
    }
}

/// The same of a body that is too long to be cut everywhere.
fn said_at_once(payloads: &[Value]) -> String {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    Transcript::of_response(&mut Response::new(Wire::OpenAiChat, Policy::new()), [body]).to_string()
}

/// What comes out of a body that is found out, one step a line.
fn found(body: &str) -> String {
    let read = |chunks: &[&[u8]]| Transcript::of_response(&mut Response::auto(Policy::new()), chunks);
    assert_chunk_invariant(body.as_bytes(), read);
    read(&[body.as_bytes()]).to_string()
}

#[test]
fn a_mark_of_the_byte_order_is_no_part_of_arguments_and_a_part_of_text() {
    let asked = |at: usize| format!("question 0 \"Q\"\ncomplete 0 at 0..{at}: \"Q\" [] []\n");
    assert_eq!(found(ASKED), asked(16));
    assert_eq!(found(&format!("\u{FEFF}{ASKED}")), asked(16));
    assert_eq!(found(&format!(" \n{ASKED}")), asked(18));
    assert_eq!(found("\u{FEFF}Hm."), format!("text {:?}\n", "\u{FEFF}Hm."));
    // Arguments are not framed: this is no provider's, so it is text.
    let framed = format!("data: {ASKED}\n\n");
    assert_eq!(found(&framed), format!("text {framed:?}\n"));
}

#[test]
fn half_a_mark_of_the_byte_order_is_the_beginning_of_a_line_that_says_nothing() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}}).to_string();
    let array = format!("[{}]", json!({"candidates": [{"content": {"parts": [{"text": "Hm."}]}}]}));
    let whole = b"\xEF\xBB\xBF";
    for (wire, json) in [(Wire::Ollama, &line), (Wire::Gemini, &array)] {
        for blanks in ["", "\n", " "] {
            for len in 0..=3 {
                let body = [&whole[..len], blanks.as_bytes(), json.as_bytes()].concat();
                let read = |chunks: &[&[u8]]| {
                    Transcript::of_response(&mut Response::new(wire, Policy::new()), chunks).to_string()
                };
                assert_chunk_invariant(&body, read);
                let begun = if [0, 3].contains(&len) { "text \"Hm.\"" } else { "error foreign" };
                let steps = read(&[&body]);
                assert!(steps.starts_with(begun), "{steps} of {len} bytes of the mark, and {blanks:?}");
            }
        }
    }
}

#[test]
fn a_body_of_something_else_is_said_to_be_and_nothing_at_all_is_not() {
    let codes = |wire: Wire, body: &str| {
        let transcript = Transcript::of_response(&mut Response::new(wire, Policy::new()), [body]).to_string();
        transcript.lines().map(|line| line.split(' ').nth(1).unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    for wire in [Wire::OpenAiChat, Wire::Anthropic, Wire::Ollama, Wire::Bedrock, Wire::Gemini] {
        for nothing in ["", " ", "\n\n", "\u{FEFF}", "\u{FEFF} \r\n"] {
            assert!(codes(wire, nothing).is_empty(), "{wire} of {nothing:?}");
        }
        assert_eq!(codes(wire, "data: {\"x\":1}\n\n").last().map(String::as_str), Some("foreign"), "{wire}");
        assert_eq!(codes(wire, "event: x\n\n").last().map(String::as_str), Some("foreign"), "{wire}");
    }
}

/// What comes out of a body of Ollama's whose payloads may have so many bytes.
fn lines(body: &str, event: usize) -> String {
    let policy = Policy::new().limits(Limits { event, ..Limits::default() });
    let read = |chunks: &[&[u8]]| {
        Transcript::of_response(&mut Response::new(Wire::Ollama, policy.clone()), chunks).to_string()
    };
    assert_chunk_invariant(body.as_bytes(), read);
    read(&[body.as_bytes()])
}

#[test]
fn the_last_line_may_be_as_long_as_any() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}, "done": false}).to_string();
    for (event, meant) in [(line.len(), "text"), (line.len() + 1, "text"), (line.len() - 1, "error too_long")] {
        for behind in ["", "\n", "\r\n"] {
            let body = format!("{line}{behind}");
            let read = lines(&body, event);
            assert!(read.starts_with(meant), "{read} of {event}, with {behind:?} behind");
        }
    }
}

#[test]
fn a_value_that_another_line_breaks_off_may_be_as_long_as_any() {
    let line = json!({"message": {"role": "assistant", "content": "Hm."}, "done": false}).to_string();
    let broken = format!("{{\"message\":\n\"{}\"", "x".repeat(200));
    for (event, code) in [(300, "unreadable"), (0, "unreadable"), (-1, "too_long"), (-2, "too_long"), (-50, "too_long")]
    {
        for end in ["\n", "\r\n"] {
            let event = broken.len().checked_add_signed(event).unwrap();
            let body = format!("{broken}{end}{line}\n");
            let read = lines(&body, event);
            assert!(
                read.starts_with(&format!("error {code}")) && read.ends_with("text \"Hm.\"\n"),
                "{read} of {event}"
            );
        }
    }
}

#[test]
fn a_call_that_an_event_was_lost_of_is_rejected_and_no_other() {
    let text = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let call = "<ask_followup_question><question>Q</question></ask_followup_question>";
    let (front, behind) = call.split_at(40);
    let lost = "data: {]\n\n";
    let parts = [&text("Hm."), lost, &text(call), &text(front), lost, &text(behind), &text(call), lost];
    let body = parts.concat();
    let transcript = Transcript::of_response(&mut Response::new(Wire::OpenAiChat, Policy::new()), [body]).to_string();
    let ends = transcript.lines().filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "complete" => Some(words[0]),
            "rejected" | "error" => Some(words[1]),
            _ => None,
        }
    });
    let meant = ["unreadable", "complete", "unreadable", "malformed", "complete", "unreadable"];
    assert_eq!(ends.collect::<Vec<_>>(), meant, "{transcript}");
}

#[test]
fn half_of_a_pair_of_surrogates_waits_for_the_other_and_is_replaced_at_the_end() {
    let text = |text: &&str| format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n");
    for (deltas, meant) in [
        (&["a\\ud83d", "\\ude00b"][..], "a\u{1F600}b"),
        (&["a\\ud83d", "b"], "a\u{FFFD}b"),
        (&["a\\ud83d"], "a\u{FFFD}"),
        (&["a\\ude00"], "a\u{FFFD}"),
    ] {
        let body: String = deltas.iter().map(text).collect();
        let transcript = Transcript::of_response(&mut Response::new(Wire::OpenAiChat, Policy::new()), [body]);
        assert_eq!(transcript.to_string(), format!("text {meant:?}\n"), "{deltas:?}");
    }
}

/// What is leaked loses what is left of its chunk; the next body is read as if it had not been.
#[test]
fn a_cursor_that_is_leaked_breaks_nothing() {
    let payloads = [
        chat(json!([ask(0, r#"{"question":"One?","follow_up":["#), ask(1, ASKED)])),
        chat(json!([{"index": 0, "function": {"arguments": "\"Yes\",\"No\"]}"}}])),
    ];
    let call = "<ask_followup_question><question>Which?</question><suggest>A</suggest></ask_followup_question>";
    for (wire, body) in [
        (Wire::OpenAiChat, payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()),
        (Wire::Text, format!("{call} and {call}")),
    ] {
        let response = || Response::new(wire, Policy::new());
        let meant = Transcript::of_response(&mut response(), [body.as_bytes()]);
        assert_eq!(meant.complete().count(), 2);
        for size in 1..=body.len() {
            for taken in 0..4 {
                let mut response = response();
                for chunk in body.as_bytes().chunks(size) {
                    let mut events = response.feed(chunk);
                    for _ in 0..taken {
                        let _ = events.next();
                    }
                    std::mem::forget(events);
                }
                drop(response.finish());
                let next = Transcript::of_response(&mut response, [body.as_bytes()]);
                assert_eq!(next, meant, "{wire} in chunks of {size}, of which {taken} events were taken");
            }
        }
    }
}
