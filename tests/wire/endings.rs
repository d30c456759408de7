//! How messages end: what is cut off, what fails, and what a call without arguments means then.

use followup::Policy;
use followup::wire::{Format, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

use crate::sweep::assert_chunk_invariant;

/// The steps of a body of these payloads, one a line, without spans.
#[track_caller]
fn steps(format: Format, payloads: &[Value]) -> Vec<String> {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    let parser = || ResponseParser::new(format, Policy::new());
    let parse = |chunks: &[&[u8]]| Transcript::of_response(&mut parser(), chunks);
    assert_chunk_invariant(body.as_bytes(), parse);
    let steps = parse(&[body.as_bytes()]).to_string();
    let without_span = |line: &str| match (line.split_once(" at "), line.split_once(": ")) {
        (Some((before, _)), Some((_, after))) if !line.starts_with("error") => format!("{before}: {after}"),
        _ => line.to_owned(),
    };
    steps.lines().map(without_span).collect()
}

/// The payload that ends a message for a reason, in every format that has reasons.
fn ends(format: Format, reason: &str) -> Value {
    match format {
        Format::OpenAiChat => json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}),
        Format::OpenAiResponses => {
            let details = json!({"reason": reason});
            json!({"type": "response.incomplete", "response": {"status": "incomplete", "incomplete_details": details}})
        }
        Format::Anthropic => json!({"type": "message_delta", "delta": {"stop_reason": reason}}),
        Format::Gemini => json!({"candidates": [{"finishReason": reason}]}),
        Format::Bedrock => json!({"messageStop": {"stopReason": reason}}),
        Format::Cohere => json!({"type": "message-end", "delta": {"finish_reason": reason}}),
        Format::GeminiInteractions => json!({"event_type": "interaction.completed", "interaction": {"status": reason}}),
        Format::OpenAiAssistants => json!({"object": "thread.run", "status": reason}),
        Format::DashScope => json!({"output": {"choices": [{"message": {}, "finish_reason": reason}]}}),
        Format::Watsonx => json!({"model_id": "m", "results": [{"generated_text": "", "stop_reason": reason}]}),
        _ => panic!("{format} has no reasons"),
    }
}

#[test]
fn a_message_that_fails_or_is_filtered_is_an_error() {
    let failures: &[(Format, &[&str])] = &[
        (Format::OpenAiChat, &["content_filter", "content_filter: RECITATION", "network_error", "sensitive"]),
        (Format::OpenAiChat, &["MALFORMED_FUNCTION_CALL", "function_call_filter: MALFORMED_FUNCTION_CALL"]),
        (Format::OpenAiChat, &["insufficient_system_resource", "error"]),
        (Format::OpenAiResponses, &["content_filter"]),
        (Format::Anthropic, &["refusal"]),
        (Format::Gemini, &["MALFORMED_FUNCTION_CALL", "SAFETY", "RECITATION", "OTHER", "UNEXPECTED_TOOL_CALL"]),
        (Format::Bedrock, &["malformed_tool_use", "malformed_model_output"]),
        (Format::Bedrock, &["guardrail_intervened", "content_filtered"]),
        (Format::Cohere, &["ERROR", "ERROR_LIMIT", "ERROR_TOXIC", "TIMEOUT"]),
        (Format::GeminiInteractions, &["failed"]),
        (Format::OpenAiAssistants, &["failed", "expired"]),
        (Format::DashScope, &["content_filter"]),
        (Format::Watsonx, &["error"]),
    ];
    for (format, reasons) in failures {
        for reason in *reasons {
            let failed =
                [format!("error provider \"the provider reports an error: the message was stopped: {reason}\"")];
            assert_eq!(steps(*format, &[ends(*format, reason)]), failed, "{format}: {reason}");
            let twice = [ends(*format, reason), ends(*format, reason)];
            assert_eq!(steps(*format, &twice), failed, "{format}: {reason}");
        }
    }
}

#[test]
fn a_message_that_is_complete_or_cut_off_is_no_error() {
    let ends_of: &[(Format, &[&str])] = &[
        (Format::OpenAiChat, &["stop", "length", "tool_calls", "function_call", "eos", "abort"]),
        (Format::OpenAiResponses, &["max_output_tokens"]),
        (Format::Anthropic, &["end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn"]),
        (Format::Gemini, &["STOP", "stop", "MAX_TOKENS", "max_tokens", "FINISH_REASON_UNSPECIFIED"]),
        (Format::Bedrock, &["end_turn", "tool_use", "max_tokens", "stop_sequence", "model_context_window_exceeded"]),
        (Format::Cohere, &["COMPLETE", "STOP_SEQUENCE", "MAX_TOKENS", "TOOL_CALL", "USER_CANCEL"]),
        (Format::GeminiInteractions, &["completed", "requires_action", "incomplete", "cancelled"]),
        (Format::OpenAiAssistants, &["completed", "requires_action", "incomplete", "cancelled"]),
        (Format::DashScope, &["stop", "length", "tool_calls"]),
        (Format::Watsonx, &["eos_token", "EOS_TOKEN", "max_tokens", "token_limit", "stop_sequence"]),
    ];
    for (format, reasons) in ends_of {
        for reason in *reasons {
            let message = [ends(*format, reason), json!({"type": "message_stop"})];
            let message = if *format == Format::Anthropic { &message[..] } else { &message[..1] };
            assert_eq!(steps(*format, message), [""; 0], "{format}: {reason}");
        }
    }
}

/// The call may be cut off, so no host is told to run it without arguments.
#[test]
fn a_call_before_an_error_has_no_invented_arguments() {
    let [other, asks] = calls_without_arguments(Format::Anthropic);
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let failed = "error provider \"the provider reports an error: Overloaded\"".to_owned();
    let all = [other, vec![error.clone()]].concat();
    assert_eq!(steps(Format::Anthropic, &all), ["opaque 0 list_files (t) \"\"".to_owned(), failed.clone()]);
    let all = [asks, vec![error]].concat();
    assert_eq!(steps(Format::Anthropic, &all), [failed, "rejected truncated 0 (t): no question [] []".to_owned()]);
}

#[test]
fn the_providers_own_message_of_a_failure_counts_and_comes_once() {
    let error = |message: &str| [format!("error provider \"the provider reports an error: {message}\"")];
    let reason = "MALFORMED_FUNCTION_CALL";
    let gemini = json!({"candidates": [{"finishReason": reason, "finishMessage": "Malformed function call: x"}]});
    assert_eq!(steps(Format::Gemini, std::slice::from_ref(&gemini)), error("Malformed function call: x"));
    assert_eq!(steps(Format::Gemini, &[json!({"response": gemini})]), error("Malformed function call: x"));
    let cohere = json!({"type": "message-end", "delta": {"finish_reason": "ERROR", "error": "overloaded"}});
    assert_eq!(steps(Format::Cohere, &[cohere]), error("overloaded"));
    let interaction = json!({"status": "failed", "error": {"message": "no"}});
    let completed = json!({"event_type": "interaction.completed", "interaction": interaction});
    assert_eq!(steps(Format::GeminiInteractions, &[completed]), error("no"));
    let run =
        json!({"object": "thread.run", "status": "failed", "last_error": {"code": "server_error", "message": "no"}});
    assert_eq!(steps(Format::OpenAiAssistants, &[run]), error("no"));
}

#[test]
fn what_an_interaction_said_before_it_failed_is_read() {
    let step = json!({"type": "model_output", "content": [{"type": "text", "text": "Hm."}]});
    let interaction = json!({"object": "interaction", "status": "failed", "steps": [step], "error": {"message": "no"}});
    let expected = ["text \"Hm.\"", "error provider \"the provider reports an error: no\""];
    assert_eq!(steps(Format::GeminiInteractions, &[interaction]), expected);
}

#[test]
fn an_error_in_a_choice_is_reported_once_and_cuts_off_its_calls() {
    let error = json!({"code": 502, "message": "bad"});
    let reported = "error provider \"the provider reports an error: bad\"";
    let chunk =
        |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "error": error, "finish_reason": "error"}]});
    let said = chunk(json!({"content": "hi"}));
    assert_eq!(steps(Format::OpenAiChat, std::slice::from_ref(&said)), ["text \"hi\"", reported]);
    let mut both = said;
    both["error"] = error.clone();
    assert_eq!(steps(Format::OpenAiChat, &[both]), [reported, "text \"hi\""]);
    let other = json!({"choices": [{"index": 0, "delta": {}, "error": null}, {"index": 1, "error": error}]});
    assert_eq!(steps(Format::OpenAiChat, &[other]).len(), 1, "it has no event");
    let function = json!({"name": "ask_followup_question", "arguments": ""});
    let call = json!({"tool_calls": [{"index": 0, "id": "c", "function": function}]});
    let call = json!({"choices": [{"index": 0, "delta": call}]});
    assert_eq!(
        steps(Format::OpenAiChat, &[call, chunk(json!({}))]),
        [reported, "rejected truncated 0 (c): no question [] []"]
    );
}

/// The events of two calls that end before they have arguments: another tool's, and one that
/// asks.
fn calls_without_arguments(format: Format) -> [Vec<Value>; 2] {
    let of = |index: u64, name: &str| match format {
        Format::Anthropic => {
            let block = json!({"type": "tool_use", "id": "t", "name": name, "input": {}});
            let start = json!({"type": "content_block_start", "index": index, "content_block": block});
            vec![start, json!({"type": "content_block_stop", "index": index})]
        }
        Format::OpenAiResponses => {
            let item = json!({"type": "function_call", "id": index.to_string(), "call_id": "t", "name": name, "arguments": ""});
            let start = json!({"type": "response.output_item.added", "output_index": index, "item": item});
            vec![start, json!({"type": "response.output_item.done", "output_index": index, "item": item})]
        }
        Format::Gemini => {
            vec![json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": name}}]}}]})]
        }
        Format::Bedrock => {
            let start = json!({"toolUse": {"toolUseId": "t", "name": name}});
            let start = json!({"contentBlockStart": {"contentBlockIndex": index, "start": start}});
            vec![start, json!({"contentBlockStop": {"contentBlockIndex": index}})]
        }
        Format::Cohere => {
            let call = json!({"id": "t", "type": "function", "function": {"name": name, "arguments": ""}});
            let message = json!({"message": {"tool_calls": call}});
            let start = json!({"type": "tool-call-start", "index": index, "delta": message});
            vec![start, json!({"type": "tool-call-end", "index": index})]
        }
        Format::GeminiInteractions => {
            let step = json!({"type": "function_call", "id": "t", "name": name, "arguments": {}});
            let start = json!({"event_type": "step.start", "index": index, "step": step});
            vec![start, json!({"event_type": "step.stop", "index": index})]
        }
        _ => panic!("{format} does not end calls one by one"),
    };
    [of(0, "list_files"), of(1, "ask_followup_question")]
}

const EMPTY_CALLS: &[(Format, &str, &str)] = &[
    (Format::Anthropic, "tool_use", "max_tokens"),
    (Format::OpenAiResponses, "", "max_output_tokens"),
    (Format::Gemini, "STOP", "MAX_TOKENS"),
    (Format::Bedrock, "tool_use", "max_tokens"),
    (Format::Cohere, "TOOL_CALL", "MAX_TOKENS"),
    (Format::GeminiInteractions, "completed", "incomplete"),
];

#[test]
fn only_the_last_call_is_cut_off_before_its_arguments() {
    for (format, complete, cut_off) in EMPTY_CALLS {
        let [other, asks] = calls_without_arguments(*format);
        let end = |reason: &str| match format {
            Format::OpenAiResponses if reason.is_empty() => json!({"type": "response.completed", "response": {}}),
            _ => ends(*format, reason),
        };
        let id = if *format == Format::Gemini { "" } else { " (t)" };
        let opaque = format!("opaque 0 list_files{id} \"{{}}\"");
        for (reason, rejected) in [(complete, "missing_parameter"), (cut_off, "truncated")] {
            let payloads = [other.clone(), asks.clone(), vec![end(reason), json!({"type": "message_stop"})]].concat();
            let payloads = if *format == Format::Anthropic { &payloads } else { &payloads[..payloads.len() - 1] };
            let expected = [opaque.clone(), format!("rejected {rejected} 0{id}: no question [] []")];
            assert_eq!(steps(*format, payloads), expected, "{format}: {reason}");
        }
        // The body breaks off, or the message continues.
        let missing = format!("rejected missing_parameter 0{id}: no question [] []");
        assert_eq!(steps(*format, &asks), std::slice::from_ref(&missing), "{format}");
        let both = [asks, other, vec![end(cut_off)]].concat();
        let cut = format!("opaque 0 list_files{id} \"\"");
        assert_eq!(steps(*format, &both), [missing, cut], "{format}");
    }
}

#[test]
fn text_after_a_call_without_arguments_shows_that_it_was_complete() {
    let [_, mut payloads] = calls_without_arguments(Format::Anthropic);
    payloads.push(json!({"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Hm."}}));
    payloads.push(ends(Format::Anthropic, "max_tokens"));
    let expected = ["rejected missing_parameter 0 (t): no question [] []", "text \"Hm.\""];
    assert_eq!(steps(Format::Anthropic, &payloads), expected);
}

#[test]
fn an_item_that_is_incomplete_is_not_final() {
    for arguments in ["", "{\"question\":\"A"] {
        let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": "ask_followup_question",
            "arguments": arguments, "status": "incomplete"});
        let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
        let rejected = |steps: Vec<String>| steps.last().cloned().unwrap_or_default();
        let cut_off = rejected(steps(Format::OpenAiResponses, std::slice::from_ref(&done)));
        assert!(cut_off.starts_with("rejected truncated 0 (c)"), "{cut_off}");
        let end = ends(Format::OpenAiResponses, "max_output_tokens");
        assert_eq!(rejected(steps(Format::OpenAiResponses, &[done, end])), cut_off);
    }
}

#[test]
fn a_whole_message_that_is_cut_off_cuts_off_its_last_call() {
    let name = "ask_followup_question";
    let tool = json!({"type": "tool_use", "id": "t", "name": name, "input": {}});
    let text = json!({"type": "text", "text": "Hm."});
    let anthropic = |content: Value, reason: &str| json!({"type": "message", "role": "assistant", "content": content, "stop_reason": reason});
    let use_of = json!({"toolUse": {"toolUseId": "t", "name": name, "input": {}}});
    let converse =
        |content: Value, reason: &str| json!({"output": {"message": {"content": content}}, "stopReason": reason});
    for (format, payload, reason) in [
        (Format::Anthropic, anthropic(json!([tool]), "max_tokens"), "truncated"),
        (Format::Anthropic, anthropic(json!([tool]), "tool_use"), "missing_parameter"),
        (Format::Anthropic, anthropic(json!([tool, text]), "max_tokens"), "missing_parameter"),
        (Format::Bedrock, converse(json!([use_of]), "max_tokens"), "truncated"),
        (Format::Bedrock, converse(json!([use_of]), "tool_use"), "missing_parameter"),
        (Format::Bedrock, converse(json!([use_of, {"text": "Hm."}]), "max_tokens"), "missing_parameter"),
    ] {
        let steps = steps(format, std::slice::from_ref(&payload));
        let rejected = format!("rejected {reason} 0 (t): no question [] []");
        assert!(steps.contains(&rejected), "{payload}: {steps:?}");
    }
}

/// Its end waits for that of the message, and the whole message has its arguments.
#[test]
fn arguments_that_come_only_in_the_whole_message_are_those_of_the_call() {
    let item = |arguments: &str| json!({"type": "function_call", "id": "i", "call_id": "c", "name": "ask_followup_question", "arguments": arguments});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item("")});
    let output = json!([item("{\"question\":\"Q\"}")]);
    let completed = json!({"type": "response.completed", "response": {"output": output}});
    let asked = ["question 0 \"Q\"", "complete 0 (c): \"Q\" [] []"];
    assert_eq!(steps(Format::OpenAiResponses, &[done, completed]), asked);
}

#[test]
fn the_status_of_a_response_counts_whatever_the_name_of_the_event() {
    let completed = |status: &str, details: Value| {
        let response = json!({"status": status, "incomplete_details": details, "output": []});
        steps(Format::OpenAiResponses, &[json!({"type": "response.completed", "response": response})])
    };
    let error = |message: &str| [format!("error provider \"the provider reports an error: {message}\"")];
    assert_eq!(completed("completed", json!(null)), [""; 0]);
    assert_eq!(completed("incomplete", json!({"reason": "max_output_tokens"})), [""; 0]);
    assert_eq!(
        completed("incomplete", json!({"reason": "content_filter"})),
        error("the message was stopped: content_filter")
    );
    assert_eq!(completed("failed", json!(null)), error("the response failed"));
    let [_, mut call] = calls_without_arguments(Format::OpenAiResponses);
    call.push(json!({"type": "response.completed", "response": {"status": "incomplete"}}));
    assert_eq!(steps(Format::OpenAiResponses, &call), ["rejected truncated 0 (t): no question [] []"]);
}
