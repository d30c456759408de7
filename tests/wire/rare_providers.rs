//! Rare payloads of some providers' own formats.
//!
//! As in `rare.rs`, each is there for a line of code whose loss no faster test would notice.

use followup::Policy;
use followup::wire::{Format, Limits, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

use crate::rare::{body, call, steps, steps_of_body};

const ASK: &str = "ask_followup_question";
const Q: &str = r#"{"question":"Q"}"#;

fn cohere_calls(kind: &str, index: u64, calls: Value) -> Value {
    json!({"type": kind, "index": index, "delta": {"message": {"tool_calls": calls}}})
}

fn cohere_start(index: u64, call: Value) -> Value {
    cohere_calls("tool-call-start", index, call)
}

fn cohere_more(index: u64, arguments: &str) -> Value {
    cohere_calls("tool-call-delta", index, json!({"function": {"arguments": arguments}}))
}

fn cohere_end(index: u64) -> Value {
    json!({"type": "tool-call-end", "index": index})
}

#[test]
fn overlapping_cohere_calls_end_by_their_index() {
    let start = |index: u64| cohere_start(index, json!({"id": format!("c{index}"), "function": {"name": ASK}}));
    let (first, rest) = Q.split_at(9);
    let payloads = [
        start(0),
        start(1),
        cohere_more(1, first),
        // It is the end of no call.
        cohere_end(2),
        cohere_more(0, Q),
        cohere_end(0),
        cohere_more(1, rest),
        cohere_end(1),
    ];
    let expected =
        [r#"question 0 "Q""#, r#"complete 0 (c0): "Q" [] []"#, r#"question 1 "Q""#, r#"complete 1 (c1): "Q" [] []"#];
    assert_eq!(steps(Format::Cohere, Limits::default(), &payloads), expected);
}

#[test]
fn a_cohere_call_that_starts_where_another_did_is_another() {
    let start = cohere_start(0, json!({"function": {"name": ASK}}));
    let (first, rest) = Q.split_at(9);
    let payloads =
        [start.clone(), cohere_more(0, first), start, cohere_more(0, Q), cohere_end(0), cohere_more(0, rest)];
    let expected = [r#"question 1 "Q""#, r#"complete 1: "Q" [] []"#, "rejected truncated 0: no question [] []"];
    assert_eq!(steps(Format::Cohere, Limits::default(), &payloads), expected);
}

#[test]
fn the_content_of_a_cohere_message_may_be_a_text() {
    let payload = json!({"message": {"role": "assistant", "content": "Hm."}, "finish_reason": "COMPLETE"});
    assert_eq!(steps(Format::Cohere, Limits::default(), &[payload]), [r#"text "Hm.""#]);
}

#[test]
fn a_custom_tool_of_openai_is_called_with_its_input() {
    let call = json!({"index": 0, "id": "c", "type": "custom", "custom": {"name": ASK, "input": Q}});
    for message in ["delta", "message"] {
        let payload = json!({"choices": [{message: {"tool_calls": [call]}, "finish_reason": "tool_calls"}]});
        assert_eq!(
            steps(Format::OpenAiChat, Limits::default(), &[payload]),
            [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#],
            "{message}"
        );
    }
}

#[test]
fn the_output_of_a_prediction_of_replicate_is_a_text_or_its_pieces() {
    for output in [json!("Hm."), json!(["H", "m."])] {
        let body = json!({"id": "p", "status": "succeeded", "output": output}).to_string();
        let steps = steps_of_body(|| ResponseParser::new(Format::Replicate, Policy::new()), &body);
        assert_eq!(steps, [r#"text "Hm.""#], "{body}");
    }
}

/// A piece of a message in DashScope's format.
fn dashscope(message: Value, reason: &str) -> Value {
    json!({"output": {"choices": [{"message": message, "finish_reason": reason}]}})
}

#[test]
fn a_dashscope_code_is_an_error_unless_it_is_a_number_beside_output() {
    let text = json!({"output": {"text": "Hm."}});
    let error = r#"error provider "the provider reports an error: no""#;
    let shown = r#"text "Hm.""#;
    for (payload, expected) in [
        (json!({"code": "DataInspectionFailed", "message": "no", "output": {}}), &[shown, error][..]),
        (json!({"code": "DataInspectionFailed", "message": "no"}), &[shown, error]),
        (json!({"code": 400, "message": "no"}), &[shown, error]),
        (json!({"code": 200, "message": "ok", "output": {}}), &[shown]),
        (json!({"code": "", "message": "ok", "output": {}}), &[shown]),
    ] {
        let actual = steps(Format::DashScope, Limits::default(), &[text.clone(), payload.clone()]);
        assert_eq!(actual, expected, "{payload}");
    }
}

#[test]
fn a_dashscope_message_may_have_more_calls_than_are_compared() {
    let limits = Limits::default().with_open_calls(100);
    let call = |index: u64, name: &str, arguments: &str| {
        let function = json!({"name": name, "arguments": arguments});
        json!({"index": index, "id": format!("c{index}"), "function": function})
    };
    let (first, rest) = Q.split_at(9);
    let calls = |name: &str, piece: &str| (0..70).map(|index| call(index, name, piece)).collect::<Vec<_>>();
    let payloads = [
        dashscope(json!({"tool_calls": calls(ASK, first)}), "null"),
        dashscope(json!({"tool_calls": calls("", rest)}), "null"),
        dashscope(json!({}), "tool_calls"),
    ];
    let steps = steps(Format::DashScope, limits, &payloads);
    assert_eq!(steps.iter().filter(|step| step.starts_with("complete ")).count(), 70, "{steps:?}");
    let mut parser = ResponseParser::new(Format::DashScope, Policy::new()).with_limits(limits);
    drop(parser.feed(body(&payloads[..1]).as_bytes()));
    assert_eq!(ResponseParser::resume(Policy::new(), limits, parser.checkpoint()).map(drop), Ok(()));
}

#[test]
fn short_dashscope_reasoning_counts_once_if_it_comes_again_with_anything_else() {
    const CALL: &str = "<ask_followup_question><question>Q</question></ask_followup_question>";
    let calls = json!([{"index": 0, "id": "c", "function": {"name": "lookup", "arguments": "{}"}}]);
    for (more, reason, start) in [
        (json!({}), "null", 8),
        (json!({"tool_calls": []}), "null", 8),
        (json!({"content": ""}), "null", 8),
        (json!({"content": "Hm."}), "null", 4),
        (json!({"tool_calls": calls}), "null", 4),
        (json!({}), "stop", 4),
    ] {
        let mut again = more.clone();
        again["reasoning_content"] = "Hm. ".into();
        let all = if start == 4 { format!("Hm. {CALL}") } else { CALL.into() };
        let payloads = [
            dashscope(json!({"reasoning_content": "Hm. "}), "null"),
            dashscope(again, reason),
            dashscope(json!({"reasoning_content": all}), "null"),
        ];
        let mut parser = ResponseParser::new(Format::DashScope, Policy::new()).with_reasoning(true);
        let transcript = Transcript::of_response(&mut parser, [body(&payloads)]);
        let spans: Vec<_> = transcript.complete().map(|call| call.span.clone()).collect();
        assert_eq!(spans, vec![start..start + CALL.len() as u64; 1], "{more} {reason}");
    }
}

#[test]
fn short_dashscope_arguments_count_once_if_something_tells_that_they_came_again() {
    let named = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let more = |arguments: &str| json!({"arguments": arguments});
    let null = "null";
    let lookup = |arguments: &str| vec![format!("opaque 0 lookup (c) {arguments:?}")];
    let asked = [r#"text "Ab""#, r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#];
    let asked = asked.map(str::to_owned).to_vec();
    for (pieces, expected) in [
        (&[("", named("lookup", "["), null), ("", more("["), null), ("", more("]]"), null)][..], lookup("[[]]")),
        // A text that is all so far tells that arguments are.
        (&[("A", named(ASK, "{"), null), ("Ab", more("{"), null), ("Ab", more(Q), null)], asked),
        // So do the name, if it comes again, and the end.
        (&[("", named("lookup", "[]"), null), ("", named("lookup", "[]"), null)], lookup("[]")),
        (&[("", named("lookup", "[]"), null), ("", more("[]"), "tool_calls")], lookup("[]")),
    ] {
        let payload = |(content, function, reason): &(&str, Value, &str)| {
            let call = json!({"index": 0, "id": "c", "function": function});
            dashscope(json!({"content": content, "tool_calls": [call]}), reason)
        };
        let payloads: Vec<Value> = pieces.iter().map(payload).collect();
        assert_eq!(steps(Format::DashScope, Limits::default(), &payloads), expected, "{pieces:?}");
    }
}

#[test]
fn dashscope_calls_without_an_id_differ_by_their_index() {
    let call = |index: u64, function: Value| json!({"index": index, "function": function});
    let named = |arguments: &str| json!({"name": ASK, "arguments": arguments});
    let (first, rest) = Q.split_at(12);
    let payloads = [
        json!([call(0, named(first)), call(1, named(first))]),
        json!([call(0, json!({"arguments": rest}))]),
        json!([call(1, json!({"arguments": rest.replace('Q', "R")}))]),
    ];
    let payloads = payloads.map(|calls| dashscope(json!({"tool_calls": calls}), "null"));
    let expected = [r#"question 0 "Q""#, r#"question 1 "R""#, r#"complete 0: "Q" [] []"#, r#"complete 1: "R" [] []"#];
    assert_eq!(steps(Format::DashScope, Limits::default(), &payloads), expected);
}

/// A chunk of Gemini's with a part of a call.
fn gemini(call: Value) -> Value {
    json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]})
}

fn gemini_text(path: &str, text: &str, more: bool) -> Value {
    json!([{"jsonPath": path, "stringValue": text, "willContinue": more}])
}

#[test]
fn the_oldest_of_five_gemini_calls_is_ill_formed_even_without_an_id() {
    let start = |name: &str| {
        gemini(json!({"name": name, "partialArgs": gemini_text("$.question", "Q", true), "willContinue": true}))
    };
    let names = [ASK, "one", "two", "three", "four"];
    let payloads = names.map(start);
    let ends = |payloads: &[Value]| {
        let mut steps = steps(Format::Gemini, Limits::default(), payloads);
        steps.retain(|step| step.starts_with("rejected") || step.contains('!'));
        steps
    };
    assert_eq!(ends(&payloads[..4]), [r#"rejected truncated 0: "Q" [] []"#]);
    assert_eq!(ends(&payloads), [r#"rejected malformed 0: "Q" [] []"#]);
}

#[test]
fn gemini_calls_may_have_4096_paths_together() {
    let part = |id: &str, paths: std::ops::Range<usize>| {
        let args: Vec<Value> = paths.map(|n| json!({"jsonPath": format!("$.p{n}"), "numberValue": n})).collect();
        gemini(json!({"id": id, "name": "lookup", "partialArgs": args, "willContinue": true}))
    };
    for (paths, is_well_formed) in [(24, true), (25, false)] {
        let payloads = [
            part("a", 0..1000),
            part("a", 1000..2000),
            part("a", 2000..3000),
            part("a", 3000..4000),
            part("b", 0..72),
            part("b", 72..72 + paths),
        ];
        let mut parser = ResponseParser::new(Format::Gemini, Policy::new());
        let mut transcript = Transcript::default();
        transcript.append_response(parser.feed(body(&payloads).as_bytes()));
        assert_eq!(!transcript.to_string().contains('!'), is_well_formed, "{paths}");
        let resumed = ResponseParser::resume(Policy::new(), Limits::default(), parser.checkpoint());
        assert!(resumed.is_ok(), "{paths}");
    }
}

#[test]
fn no_key_of_a_gemini_call_is_shown_as_a_suggestion() {
    let args = [("$.question", "Q"), ("$.follow_up[0]", "A"), ("$.follow_up.key", "B")];
    let args: Vec<Value> = args.iter().map(|(path, text)| gemini_text(path, text, false)[0].clone()).collect();
    assert_eq!(
        steps(Format::Gemini, Limits::default(), &[gemini(json!({"id": "c", "name": ASK, "partialArgs": args}))]),
        [r#"question 0 "Q""#, r#"suggestion 0.0 "A""#, r#"rejected malformed 0 (c): "Q" ["A"] []"#]
    );
}

#[test]
fn half_a_surrogate_pair_in_the_id_of_a_gemini_call_is_replaced() {
    let payload = gemini(json!({"id": "c+", "name": ASK, "args": {"question": "Q"}}));
    let body = body(&[payload]).replace('+', "\\ud83d");
    let steps = steps_of_body(|| ResponseParser::new(Format::Gemini, Policy::new()), &body);
    assert_eq!(steps, [r#"question 0 "Q""#, "complete 0 (c\u{FFFD}): \"Q\" [] []"]);
}

#[test]
fn the_name_of_a_gemini_call_comes_too_late_after_arguments_that_are_too_long() {
    let limits = Limits::default().with_event(1000).with_open_calls(10);
    let text = "x".repeat(200);
    let payloads = [
        gemini(json!({"id": "c", "partialArgs": gemini_text("$.question", &text, false), "willContinue": true})),
        gemini(json!({"id": "c", "name": ASK, "partialArgs": gemini_text("$.mode", "y", false)})),
    ];
    let steps = steps(Format::Gemini, limits, &payloads);
    assert!(matches!(&steps[..], [error] if error.starts_with("error orphan")), "{steps:?}");
}

#[test]
fn what_follows_a_whole_gemini_call_with_its_id_means_nothing() {
    let args = json!({"question": "Q"});
    let payloads = [
        gemini(json!({"id": "c", "name": ASK, "args": args})),
        gemini(json!({"id": "c", "args": args})),
        gemini(json!({"id": "c", "args": {"question": "R"}})),
    ];
    let expected = [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#];
    assert_eq!(steps(Format::Gemini, Limits::default(), &payloads), expected);
}

#[test]
fn whole_gemini_arguments_may_come_after_the_name() {
    for start in [json!({"name": ASK, "willContinue": true}), json!({"name": ASK, "id": "c", "willContinue": true})] {
        let id = if start["id"].is_null() { "" } else { " (c)" };
        let payloads = [gemini(start), gemini(json!({"args": {"question": "Q"}}))];
        let expected = [r#"question 0 "Q""#.to_owned(), format!("complete 0{id}: \"Q\" [] []")];
        assert_eq!(steps(Format::Gemini, Limits::default(), &payloads), expected);
    }
}

#[test]
fn a_gemini_name_or_id_may_have_4096_bytes() {
    for (len, is_read) in [(4096, true), (4097, false)] {
        let long = "x".repeat(len);
        let whole = |name: &str, id: &str| gemini(json!({"name": name, "id": id, "args": {"question": "Q"}}));
        let body = format!("data: {}\n\ndata: {}\n\n", whole(ASK, &long), whole(&long, "i"));
        let mut parser = ResponseParser::new(Format::Gemini, Policy::new());
        let steps = Transcript::of_response(&mut parser, [body]).to_string();
        let calls = [format!("complete 0 ({long})"), format!("opaque 0 {long} (i)")];
        assert_eq!(calls.map(|call| steps.contains(&call)), [is_read; 2], "{len}");
    }
}

/// An event of Gemini's interactions.
fn interaction(kind: &str, index: u64, field: &str, value: Value) -> Value {
    let mut event = json!({"event_type": kind, "index": index});
    event[field] = value;
    event
}

fn step_start(index: u64, id: &str) -> Value {
    let mut step = json!({"type": "function_call", "name": ASK});
    if !id.is_empty() {
        step["id"] = id.into();
    }
    interaction("step.start", index, "step", step)
}

fn step_delta(index: u64, arguments: &str) -> Value {
    interaction("step.delta", index, "delta", json!({"type": "arguments_delta", "arguments": arguments}))
}

fn step_stop(index: u64) -> Value {
    json!({"event_type": "step.stop", "index": index})
}

#[test]
fn overlapping_steps_of_an_interaction_end_by_their_index() {
    let (first, rest) = Q.split_at(9);
    for id in ["", "c"] {
        let start = |index: u64| step_start(index, &if id.is_empty() { String::new() } else { format!("{id}{index}") });
        let payloads = [
            start(0),
            start(1),
            step_delta(1, first),
            // It is the end of no call.
            step_stop(2),
            step_delta(0, Q),
            step_stop(0),
            step_delta(1, rest),
            step_stop(1),
            interaction("step.delta", 2, "delta", json!({"type": "text", "text": "Hm."})),
        ];
        let of = |index: u64| if id.is_empty() { String::new() } else { format!(" (c{index})") };
        let expected = [
            r#"question 0 "Q""#.to_owned(),
            format!("complete 0{}: \"Q\" [] []", of(0)),
            r#"question 1 "Q""#.to_owned(),
            format!("complete 1{}: \"Q\" [] []", of(1)),
            r#"text "Hm.""#.to_owned(),
        ];
        assert_eq!(steps(Format::GeminiInteractions, Limits::default(), &payloads), expected);
    }
}

#[test]
fn a_step_that_starts_where_another_did_is_another() {
    let payloads = [step_start(0, ""), step_delta(0, &Q[..9]), step_start(0, ""), step_delta(0, Q), step_stop(0)];
    let expected = [r#"question 1 "Q""#, r#"complete 1: "Q" [] []"#, "rejected truncated 0: no question [] []"];
    assert_eq!(steps(Format::GeminiInteractions, Limits::default(), &payloads), expected);
}

#[test]
fn an_odd_thought_is_an_error_only_if_reasoning_is_read() {
    let thought = |summary: Value| {
        let step = json!({"type": "thought", "summary": summary});
        format!("data: {}\n\n", interaction("step.start", 0, "step", step))
    };
    for summary in [json!("Hm."), json!([7]), json!(vec![json!({}); 2000])] {
        for (reads_reasoning, errors) in [(false, 0), (true, 1)] {
            let parser = ResponseParser::new(Format::GeminiInteractions, Policy::new());
            let body = thought(summary.clone());
            let transcript = Transcript::of_response(&mut parser.with_reasoning(reads_reasoning), [body]).to_string();
            assert_eq!(transcript.matches("error unreadable").count(), errors, "{transcript}");
        }
    }
}

#[test]
fn only_a_reason_ends_a_watsonx_message() {
    let empty = |payload: Value| {
        let steps = steps(Format::Watsonx, Limits::default(), &[payload]);
        steps.iter().any(|step| step.starts_with("error empty"))
    };
    for (reason, is_empty) in [
        (json!(""), true),
        (json!(null), true),
        (json!("not_finished"), true),
        (json!("NOT_FINISHED"), true),
        (json!("eos_token"), false),
    ] {
        let result = json!({"generated_text": "", "stop_reason": reason});
        assert_eq!(empty(json!({"model_id": "m", "results": [result]})), is_empty, "{reason}");
    }
}

#[test]
fn choices_are_a_chat_completion_unless_they_are_null() {
    let call = json!({"index": 0, "id": "c", "function": {"name": ASK, "arguments": Q}});
    let chat = json!({"choices": [{"delta": {"content": "Hm.", "tool_calls": [call]}}]});
    let asked = [r#"text "Hm.""#, r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#];
    let watsonx = json!({"choices": null, "results": [{"generated_text": "Hm."}]});
    let workers = json!({"choices": null, "response": "Hm."});
    for (format, null) in [(Format::Watsonx, watsonx), (Format::WorkersAi, workers)] {
        assert_eq!(steps(format, Limits::default(), std::slice::from_ref(&chat)), asked, "{format}");
        assert_eq!(steps(format, Limits::default(), &[null]), asked[..1], "{format}");
    }
}

fn workers(call: Value) -> Value {
    json!({"response": "", "tool_calls": [call]})
}

#[test]
fn whole_calls_of_workers_ai_are_separate_unless_id_and_arguments_are_equal() {
    let whole = |id: &str, question: &str| workers(json!({"id": id, "name": ASK, "arguments": {"question": question}}));
    let text = json!({"response": "Hm."});
    let asked = |index: u64, question: &str| {
        [format!("question {index} {question:?}"), format!("complete {index} (c): {question:?} [] []")]
    };
    let hm = ["text \"Hm.\"".to_owned()];
    let payloads = [whole("c", "Q"), text, whole("c", "Q"), whole("c", "R")];
    let expected = [&asked(0, "Q")[..], &hm, &asked(1, "R")].concat();
    assert_eq!(steps(Format::WorkersAi, Limits::default(), &payloads), expected);
}

#[test]
fn a_whole_call_of_workers_ai_is_no_part_of_one_in_pieces() {
    let (first, rest) = Q.split_at(9);
    let whole = workers(json!({"name": ASK, "arguments": {"question": "R"}}));
    let payloads = [workers(call(Some(0), "", ASK, first)), whole, workers(call(Some(0), "", "", rest))];
    let expected = [r#"question 1 "R""#, r#"complete 1: "R" [] []"#, r#"question 0 "Q""#, r#"complete 0: "Q" [] []"#];
    assert_eq!(steps(Format::WorkersAi, Limits::default(), &payloads), expected);
}

#[test]
fn pieces_of_workers_ai_calls_go_by_their_index_and_may_have_all_so_far() {
    let (first, rest) = Q.split_at(9);
    let ends = |payloads: &[Value]| {
        let mut steps = steps(Format::WorkersAi, Limits::default(), payloads);
        steps.retain(|step| !step.starts_with("question"));
        steps
    };
    let other = rest.replace('Q', "R");
    let piece = |index: u64, name: &str, arguments: &str| workers(call(Some(index), "", name, arguments));
    let overlapping = [piece(0, ASK, first), piece(1, ASK, first), piece(0, "", rest), piece(1, "", &other)];
    assert_eq!(ends(&overlapping), [r#"complete 0: "Q" [] []"#, r#"complete 1: "R" [] []"#]);
    let asked = [r#"complete 0 (c): "Q" [] []"#];
    let by_id = [workers(call(None, "c", ASK, first)), workers(call(None, "c", "", rest))];
    assert_eq!(ends(&by_id), asked);
    let so_far = [workers(call(Some(0), "c", ASK, first)), piece(0, "", &Q[..14]), piece(0, "", Q)];
    assert_eq!(ends(&so_far), asked);
}
