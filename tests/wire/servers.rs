//! Streams of servers that deviate from the format that they speak.

use followup::wire::{Format, Limits, ResponseParser};
use followup::{Malformed, Policy};
use serde_json::{Value, json};

use crate::rare::{steps, steps_of, steps_of_body};

const ASK: &str = "ask_followup_question";

fn asked(index: u64, id: &str, question: &str) -> String {
    format!("complete {index} ({id}): {question:?} [] []")
}

/// Returns the steps that end something, without partials.
#[track_caller]
fn ends(format: Format, payloads: &[Value]) -> Vec<String> {
    let mut all = steps(format, Limits::default(), payloads);
    all.retain(|step| !step.starts_with("question "));
    all
}

/// A chat chunk with a delta of a call at index 0, whose arguments are of any type.
fn chat(id: &str, name: &str, arguments: Value) -> Value {
    let mut call = json!({"index": 0, "function": {"arguments": arguments}});
    if !id.is_empty() {
        call["id"] = id.into();
    }
    if !name.is_empty() {
        call["function"]["name"] = name.into();
    }
    json!({"choices": [{"delta": {"tool_calls": [call]}}]})
}

fn chat_end() -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": "tool_calls"}]})
}

/// As llama.cpp's server sends items: with a `call_id` only, which deltas have as their `item_id`.
#[test]
fn an_item_without_an_id_has_that_of_its_call() {
    let item = |kind: &str, id: &str, arguments: &str| {
        let item = json!({"type": "function_call", "call_id": id, "name": ASK, "arguments": arguments});
        json!({"type": format!("response.output_item.{kind}"), "item": item})
    };
    let delta = |id: &str, delta: &str| json!({"type": "response.function_call_arguments.delta", "item_id": id, "delta": delta});
    let completed = json!({"type": "response.completed", "response": {"status": "completed", "output": []}});
    let (one, other) = (r#"{"question":"Q?"}"#, r#"{"question":"R?"}"#);
    let alone = [item("added", "a", ""), delta("a", one), item("done", "a", one), completed.clone()];
    let (question, complete) = (r#"question 0 "Q?""#.to_owned(), asked(0, "a", "Q?"));
    assert_eq!(steps(Format::OpenAiResponses, Limits::default(), &alone), [question, complete.clone()]);
    let (one_start, one_end) = one.split_at(9);
    let (other_start, other_end) = other.split_at(5);
    let interleaved = [
        item("added", "a", ""),
        item("added", "b", ""),
        delta("a", one_start),
        delta("b", other_start),
        delta("a", one_end),
        delta("b", other_end),
        item("done", "a", one),
        item("done", "b", other),
        completed,
    ];
    assert_eq!(ends(Format::OpenAiResponses, &interleaved), [complete, asked(1, "b", "R?")]);
}

#[test]
fn arguments_that_are_an_object_are_all_of_them() {
    let cut = |question: &str| json!({"question": question});
    let rejected = |index: u64, id: &str| format!("rejected malformed {index} ({id}): \"Delete\" [] []");
    let growing = [chat("c", ASK, cut("Delete")), chat("", "", cut("Delete all?")), chat_end()];
    assert_eq!(ends(Format::OpenAiChat, &growing), [rejected(0, "c")]);
    let same = [chat("c", ASK, cut("Delete")), chat("", "", cut("Delete")), chat_end()];
    assert_eq!(ends(Format::OpenAiChat, &same), [asked(0, "c", "Delete")]);
    let placeholder =
        [chat("c", ASK, json!({})), chat("", "", json!(r#"{"question":"#)), chat("", "", json!("\"Q?\"}"))];
    assert_eq!(ends(Format::OpenAiChat, &[&placeholder[..], &[chat_end()]].concat()), [asked(0, "c", "Q?")]);

    // The same in the other formats whose arguments come in pieces.
    let block = json!({"type": "tool_use", "id": "c", "name": ASK, "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let more = |json: Value| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": json}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    check_objects(Format::Anthropic, &[start], more, &[stop]);

    let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": ASK});
    let start = json!({"type": "response.output_item.added", "output_index": 0, "item": item});
    let more =
        |json: Value| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "delta": json});
    let stop = json!({"type": "response.completed", "response": {"output": []}});
    check_objects(Format::OpenAiResponses, &[start], more, &[stop]);

    let of =
        |kind: &str, function: Value| json!({"type": kind, "index": 0, "delta": {"message": {"tool_calls": function}}});
    let start = of("tool-call-start", json!({"id": "c", "function": {"name": ASK, "arguments": ""}}));
    let more = |json: Value| of("tool-call-delta", json!({"function": {"arguments": json}}));
    check_objects(Format::Cohere, &[start], more, &[json!({"type": "tool-call-end", "index": 0})]);

    let start =
        json!({"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": ASK}}}});
    let more =
        |json: Value| json!({"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": json}}}});
    check_objects(Format::Bedrock, &[start], more, &[json!({"contentBlockStop": {"contentBlockIndex": 0}})]);

    let start =
        json!({"event_type": "step.start", "index": 0, "step": {"type": "function_call", "id": "c", "name": ASK}});
    let more = |json: Value| json!({"event_type": "step.delta", "index": 0, "delta": {"type": "arguments_delta", "arguments": json}});
    check_objects(Format::GeminiInteractions, &[start], more, &[json!({"event_type": "step.stop", "index": 0})]);

    let of =
        |call: Value| json!({"object": "thread.run.step.delta", "delta": {"step_details": {"tool_calls": [call]}}});
    let start = of(json!({"index": 0, "id": "c", "function": {"name": ASK, "arguments": ""}}));
    let more = |json: Value| of(json!({"index": 0, "function": {"arguments": json}}));
    check_objects(Format::OpenAiAssistants, &[start], more, &[json!({"object": "thread.run", "status": "completed"})]);

    let of = |call: Value| json!({"response": "", "tool_calls": [call]});
    let start = of(json!({"index": 0, "id": "c", "function": {"name": ASK, "arguments": ""}}));
    let more = |json: Value| of(json!({"index": 0, "function": {"arguments": json}}));
    check_objects(Format::WorkersAi, &[start], more, &[chat_end()]);

    let of = |call: Value, reason: &str| json!({"output": {"choices": [{"message": {"tool_calls": [call]}, "finish_reason": reason}]}});
    let start = of(json!({"index": 0, "id": "c", "function": {"name": ASK, "arguments": ""}}), "null");
    let more = |json: Value| of(json!({"index": 0, "function": {"arguments": json}}), "null");
    check_objects(Format::DashScope, &[start], more, &[of(json!({}), "tool_calls")]);
}

/// Checks that one object is asked, and that one that another follows is not.
#[track_caller]
fn check_objects(format: Format, start: &[Value], more: impl Fn(Value) -> Value, stop: &[Value]) {
    let one = more(json!({"question": "Delete"}));
    let other = more(json!({"question": "Delete all?"}));
    assert_eq!(
        ends(format, &[start, std::slice::from_ref(&one), stop].concat()),
        [asked(0, "c", "Delete")],
        "{format}"
    );
    let both = ends(format, &[start, &[one, other], stop].concat());
    assert_eq!(both, ["rejected malformed 0 (c): \"Delete\" [] []"], "{format}");
}

#[test]
fn chat_arguments_that_come_again_with_every_delta_count_once() {
    let pieces = [r#"{"question":"Wh"#, r#"{"question":"Which?"#, r#"{"question":"Which?"}"#];
    let cumulative = [chat("a", ASK, json!(pieces[0])), chat("", "", json!(pieces[1])), chat("", "", json!(pieces[2]))];
    let shown = [r#"question 0 "Which?""#.to_owned(), asked(0, "a", "Which?")];
    let payloads = [&cumulative[..], &[chat_end()]].concat();
    assert_eq!(steps(Format::OpenAiChat, Limits::default(), &payloads), shown);
    // A resend of everything, which a strict policy would reject as text after the arguments.
    let twice = [chat("a", ASK, json!(pieces[2])), chat("", "", json!(pieces[2])), chat_end()];
    let strict = Policy::new().with_malformed(Malformed::Reject);
    assert_eq!(steps_of(strict, Format::OpenAiChat, Limits::default(), &twice).last(), Some(&asked(0, "a", "Which?")));
    // Another tool gets each byte once as well.
    let other = [chat("a", "lookup", json!("{\"p\"")), chat("", "", json!("{\"p\":1}")), chat_end()];
    assert_eq!(steps(Format::OpenAiChat, Limits::default(), &other), [r#"opaque 0 lookup (a) "{\"p\":1}""#]);
}

/// A body of these payloads, which need not be JSON.
fn body(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

#[test]
fn a_piece_that_continues_the_arguments_is_no_repetition_though_it_begins_like_them() {
    for (first, second) in [
        (r#"{"children":["#, r#"{"children":[]}]}"#),
        (r#"{"children":[1,"#, r#"{"children":[1,2]}]}"#),
        (r#"{"query":"#, r#"{"query":{"a":1}}}"#),
        (r#"{"query": "#, r#"{"query": {"a":1}}}"#),
        (r#"{""#, r#"{":1}"#),
    ] {
        let payloads = [chat("a", "lookup", json!(first)), chat("", "", json!(second)), chat_end()];
        let all = format!("opaque 0 lookup (a) {:?}", [first, second].concat());
        assert_eq!(steps(Format::OpenAiChat, Limits::default(), &payloads), [all]);
    }
}

#[test]
fn a_piece_after_a_lost_event_is_no_repetition() {
    let parser = || ResponseParser::new(Format::OpenAiChat, Policy::new());
    let start = chat("a", ASK, json!(r#"{"q"#)).to_string();
    let lost = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"uestion"#;
    let rest = chat("", "", json!(r#"{"question":"Delete?"}]}"#)).to_string();
    let all = steps_of_body(parser, &body(&[&start, lost, &rest, &chat_end().to_string()]));
    assert!(all.last().unwrap().starts_with("rejected malformed 0 (a)"), "{all:?}");
}

#[test]
fn an_event_lost_after_an_early_end_of_a_call_may_be_a_part_of_it() {
    let block = json!({"type": "tool_use", "id": "a", "name": ASK, "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block}).to_string();
    let stop = json!({"type": "content_block_stop", "index": 0}).to_string();
    let lost = r#"{"type":"content_block_delta","index":0,"delta":{"partial_json":"{\"questions"#;
    let delta = json!({"type": "input_json_delta", "partial_json": r#"{"question":"Delete?"}]}"#});
    let rest = json!({"type": "content_block_delta", "index": 0, "delta": delta}).to_string();
    let end = json!({"type": "message_stop"}).to_string();
    let parser = || ResponseParser::new(Format::Anthropic, Policy::new());
    let all = steps_of_body(parser, &body(&[&start, &stop, lost, &rest, &end]));
    assert!(all.last().unwrap().starts_with("rejected malformed 0 (a)"), "{all:?}");
}

#[test]
fn other_arguments_of_another_tool_are_an_error() {
    let steps = |tool: &str, objects: &[Value]| {
        let chunks = objects.iter().enumerate().map(|(i, object)| match i {
            0 => chat("a", tool, object.clone()),
            _ => chat("", "", object.clone()),
        });
        let payloads: Vec<Value> = chunks.chain([chat_end()]).collect();
        ends(Format::OpenAiChat, &payloads)
    };
    let error = |data: &str| {
        format!(
            "error contradiction {:?}",
            format!("the provider repeats the message with other words, which were skipped: {data}")
        )
    };
    let growing = [json!({"path": "/tmp"}), json!({"path": "/tmp/x"}), json!({"path": "/tmp/x/y"})];
    // `question` is a generic name, so its arguments are kept until they tell.
    for tool in ["delete", "question"] {
        let opaque = format!("opaque 0 {tool} (a) {:?}", r#"{"path":"/tmp"}"#);
        let mut all = steps(tool, &growing);
        // The arguments are joined at the place of their start.
        all.sort();
        assert_eq!(all, [error(r#"{"path":"/tmp/x"}"#), opaque.clone()]);
        assert_eq!(steps(tool, &[growing[0].clone(), growing[0].clone()]), [opaque]);
    }
}

#[test]
fn the_end_of_another_tools_call_may_repeat_its_arguments_in_another_way() {
    let pieces = r#"{"path": "\u00e9", "force": true}"#;
    let item = |arguments: &str| json!({"type": "function_call", "id": "i", "call_id": "a", "name": "delete", "arguments": arguments});
    let event = |kind: &str, field: &str, value: Value| {
        let mut event = json!({"type": format!("response.{kind}"), "output_index": 0, "item_id": "i"});
        event[field] = value;
        event
    };
    let payloads = [
        event("output_item.added", "item", item("")),
        event("function_call_arguments.delta", "delta", json!(pieces)),
        event("function_call_arguments.done", "arguments", json!(r#"{"force":true,"path":"é"}"#)),
        event("output_item.done", "item", item(r#"{"force":true,"path":"é"}"#)),
        json!({"type": "response.completed", "response": {"output": []}}),
    ];
    assert_eq!(ends(Format::OpenAiResponses, &payloads), [format!("opaque 0 delete (a) {pieces:?}")]);
}

#[test]
fn two_items_without_ids_of_their_own_and_with_one_call_id_are_both_asked() {
    let item = |kind: &str, arguments: &str| {
        let item = json!({"type": "function_call", "call_id": "a", "name": ASK, "arguments": arguments});
        json!({"type": format!("response.output_item.{kind}"), "item": item})
    };
    let delta = |delta: &str| json!({"type": "response.function_call_arguments.delta", "item_id": "a", "delta": delta});
    let one = |arguments: &str| [item("added", ""), delta(arguments), item("done", arguments)];
    let end = json!({"type": "response.completed", "response": {"output": []}});
    let payloads = [&one(r#"{"question":"Q?"}"#)[..], &one(r#"{"question":"R?"}"#), &[end]].concat();
    assert_eq!(ends(Format::OpenAiResponses, &payloads), [asked(0, "a", "Q?"), asked(1, "a", "R?")]);
}

/// The same events with one line end between them, or a blank line.
#[test]
fn events_that_one_line_end_divides_are_events() {
    let content = |text: &str| json!({"choices": [{"delta": {"content": text}}]});
    let ask = chat("c", ASK, json!(r#"{"question":"Q?"}"#));
    let payloads = [content("One "), content("moment."), ask, chat_end()];
    for (first, between) in [("", "\n"), ("event: x\n", "\n"), ("", "\r\n"), ("", "\r"), ("", "\n: ping\n")] {
        for end in ["data: [DONE]", "data: [DONE]\n\n", ""] {
            let divided: String = payloads.iter().map(|payload| format!("{first}data: {payload}{between}")).collect();
            let blank: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
            check_bodies(&(divided + end), &(blank + end));
        }
    }
    // Blanks around a payload, and an empty one, mean nothing.
    let blanks: String = payloads.iter().map(|payload| format!("data: \t{payload} \n")).collect();
    let blank: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    check_bodies(&format!("data:\n{blanks}data: \ndata: [DONE] \n\n"), &blank);
    // The last line has no end.
    let divided = format!("data: {}\ndata: {}", payloads[0], payloads[1]);
    check_bodies(&divided, &format!("data: {}\n\ndata: {}\n\n", payloads[0], payloads[1]));
    // An object over several lines is one event, as the standard demands.
    let text = content("Hm.").to_string();
    let (start, end) = text.split_once("[{").unwrap();
    check_bodies(&format!("data: {start}[\ndata: {{{end}\n\n"), &format!("data: {text}\n\n"));
}

/// Replicate's event `output` has a piece of the model's text, which may be lines of JSON.
#[test]
fn lines_of_json_in_an_output_are_one_event() {
    let lines = "event: output\ndata: {\"a\":1}\ndata: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n";
    let body = format!("{lines}event: output\ndata: Hm.\n\nevent: done\ndata: {{}}\n\n");
    let detected = steps_of_body(|| ResponseParser::auto(Policy::new()), &body);
    let named = steps_of_body(|| ResponseParser::new(Format::Replicate, Policy::new()), &body);
    assert_eq!(detected, named);
    assert!(detected[0].starts_with("text"), "{detected:?}");
}

#[track_caller]
fn check_bodies(body: &str, same: &str) {
    for format in [Some(Format::OpenAiChat), None] {
        let parser = || match format {
            Some(format) => ResponseParser::new(format, Policy::new()),
            None => ResponseParser::auto(Policy::new()),
        };
        let of = |body: &str| steps_of_body(parser, body);
        assert_eq!(of(body), of(same), "{format:?}: {body:?}");
    }
}

#[test]
fn arguments_after_an_early_end_of_their_call_are_read() {
    let block = json!({"type": "tool_use", "id": "a", "name": ASK, "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let more = |text: &str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": text}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let end = json!({"type": "message_stop"});
    let late = [start.clone(), stop.clone(), more(r#"{"question""#), more(r#":"Q?"}"#), end.clone()];
    assert_eq!(ends(Format::Anthropic, &late), [asked(0, "a", "Q?")]);
    // White space alone is no argument.
    let blank = [start.clone(), stop.clone(), more(" ")];
    assert_eq!(ends(Format::Anthropic, &blank), ["rejected missing_parameter 0 (a): no question [] []"]);
    // What the body cuts off then is not asked.
    let cut = [start, stop, more(r#"{"question":"Delete"#)];
    assert_eq!(ends(Format::Anthropic, &cut), ["rejected truncated 0 (a): \"Delete\" [] []"]);
}

#[test]
fn a_delta_belongs_to_the_item_it_names_if_all_items_have_one_index() {
    let added = |id: &str| {
        let item = json!({"type": "function_call", "id": format!("i{id}"), "call_id": id, "name": ASK});
        json!({"type": "response.output_item.added", "output_index": 0, "item": item})
    };
    let delta = |id: &str, text: &str| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": format!("i{id}"), "delta": text});
    let end = json!({"type": "response.completed", "response": {"output": []}});
    let payloads =
        [added("a"), added("b"), delta("a", r#"{"question":"Q?"}"#), delta("b", r#"{"question":"R?"}"#), end];
    assert_eq!(ends(Format::OpenAiResponses, &payloads), [asked(0, "a", "Q?"), asked(1, "b", "R?")]);
}

/// The provider gets the result itself, and accepts none for such a call.
#[test]
fn a_call_that_the_provider_runs_is_another_tools() {
    let arguments = r#"{"question":"Q?"}"#;
    for kind in ["server_tool_use", "mcp_tool_use"] {
        let block = json!({"type": kind, "id": "a", "name": ASK, "input": {"question": "Q?"}});
        let streamed = [
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
            json!({"type": "content_block_stop", "index": 0}),
        ];
        let whole = [json!({"type": "message", "role": "assistant", "content": [block]})];
        for payloads in [&streamed[..], &whole] {
            let all = steps(Format::Anthropic, Limits::default(), payloads);
            assert!(!all.is_empty() && all.iter().all(|step| step.starts_with("opaque")), "{kind}: {all:?}");
        }
    }
    let item = json!({"type": "mcp_call", "id": "a", "name": ASK, "arguments": arguments});
    for kind in ["added", "done"] {
        let event = json!({"type": format!("response.output_item.{kind}"), "output_index": 0, "item": item});
        let all = steps(Format::OpenAiResponses, Limits::default(), &[event]);
        assert!(!all.is_empty() && all.iter().all(|step| step.starts_with("opaque")), "{kind}: {all:?}");
    }
}

#[test]
fn an_empty_error_beside_a_message_is_none() {
    for error in [json!({}), json!(false), json!(0), json!([]), json!("")] {
        let mut text = json!({"choices": [{"delta": {"content": "Hm."}, "finish_reason": "stop"}]});
        text["error"] = error.clone();
        assert_eq!(steps(Format::OpenAiChat, Limits::default(), &[text]), [r#"text "Hm.""#], "{error}");
        let mut call = chat("c", ASK, json!(""));
        call["error"] = error;
        assert_eq!(
            ends(Format::OpenAiChat, &[call, chat_end()]),
            ["rejected missing_parameter 0 (c): no question [] []"]
        );
    }
}
