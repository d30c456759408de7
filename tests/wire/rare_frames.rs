//! Rare framing and rare payloads, as in `rare.rs`.
//!
//! Each is there for a line of code whose loss no faster test would notice.

use followup::Policy;
use followup::wire::{Checkpoint, Error, Format, Limits, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

use crate::encode::events::{base64, binary_frame};
use crate::rare::{body, steps, steps_of_body};
use crate::sweep::assert_chunk_invariant;

const ASK: &str = "ask_followup_question";

const CHAT: &str = r#"{"choices":[{"delta":{"content":"Hm."}}]}"#;
const HM: &str = r#"text "Hm.""#;

fn text_frame(text: &str) -> Vec<u8> {
    let payload = json!({"contentBlockIndex": 0, "delta": {"text": text}}).to_string();
    binary_frame(&[(":message-type", "event"), (":event-type", "contentBlockDelta")], payload.as_bytes())
}

#[test]
fn a_checkpoint_between_two_events_has_nothing_of_the_last_one() {
    let model = |text: &str| {
        let payload = json!({"bytes": base64(json!({"outputText": text}).to_string().as_bytes())}).to_string();
        binary_frame(&[(":message-type", "event"), (":event-type", "chunk")], payload.as_bytes())
    };
    let chat = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]})).into_bytes();
    let line = |text: &str| format!("{}\n", json!({"message": {"content": text}})).into_bytes();
    let output = |text: &str| format!("event: output\ndata: {text}\n\n").into_bytes();
    let events = |text: &str| {
        [
            (Format::Bedrock, text_frame(text)),
            (Format::Bedrock, model(text)),
            (Format::OpenAiChat, chat(text)),
            (Format::Ollama, line(text)),
            (Format::Replicate, output(text)),
        ]
    };
    let stored_len = |format: Format, event: &[u8], size: usize| {
        let mut parser = ResponseParser::new(format, Policy::new());
        event.chunks(size).for_each(|chunk| drop(parser.feed(chunk)));
        let stored = serde_json::to_string(&parser.checkpoint()).unwrap();
        assert_eq!(serde_json::from_str::<Checkpoint>(&stored).unwrap(), parser.checkpoint());
        stored.len()
    };
    for ((format, short), (_, long)) in events("Hm.").into_iter().zip(events(&"Hm. ".repeat(500))) {
        for size in [64, usize::MAX] {
            let (short, long) = (stored_len(format, &short, size), stored_len(format, &long, size));
            assert!(long < short + 100, "{long} bytes of {format} instead of {short}, in chunks of {size}");
        }
    }
}

/// It loses the rest of its input: an element without its last bracket, which is read again.
#[test]
fn a_body_whose_last_cursor_was_leaked_can_be_resumed() {
    let element = r#"{"candidates":[{"content":{"parts":[{"text":"Hm."}]}}]}"#;
    let body = format!("[{},{element}", element.strip_suffix("]}").unwrap());
    let mut parser = ResponseParser::new(Format::Gemini, Policy::new());
    drop(parser.feed(body.as_bytes()));
    let mut events = parser.finish();
    assert!(matches!(events.next(), Some(Err(Error::Unreadable(_)))));
    std::mem::forget(events);
    assert!(ResponseParser::resume(Policy::new(), Limits::default(), parser.checkpoint()).is_ok());
}

/// The steps of a body whose format is detected, and the format.
fn detected(body: &str) -> (Vec<String>, Option<Format>) {
    let steps = steps_of_body(|| ResponseParser::auto(Policy::new()), body);
    let mut parser = ResponseParser::auto(Policy::new());
    drop(parser.feed(body.as_bytes()));
    (steps, parser.finish().format())
}

#[test]
fn a_line_that_is_no_field_makes_a_body_text_unless_an_event_was_certain() {
    for text in [
        ":",
        "data: mine\n\nmore: yours\n",
        "event: party\ndata: mine\n\nBring a friend.\n",
        "event: output\n\nBring a friend.\n",
        "data: mine\n\u{FEFF}\ndata: yours\n",
        "data: mine\nerror:\ndata: yours\n",
        "{\"text\":\"H\"}\n{\"text\":\"m.\"}\nand so on",
    ] {
        assert_eq!(detected(text), (vec![format!("text {text:?}")], Some(Format::Text)), "{text:?}");
    }
    let output = ["event: output", "data: Hm.", "", "more: yours", ""];
    let chat = ["event: output", &format!("data: {CHAT}"), "", "more: yours", ""];
    for line_end in ["\n", "\r\n", "\r"] {
        for (lines, format) in [(output, Format::Replicate), (chat, Format::OpenAiChat)] {
            let body = lines.join(line_end);
            assert_eq!(detected(&body), (vec![HM.to_owned()], Some(format)), "{body:?}");
        }
    }
}

#[test]
fn text_after_a_tab_is_shown_as_soon_as_it_is_no_binary() {
    let mut parser = ResponseParser::auto(Policy::new());
    assert!(parser.feed(b"\tHel").next().is_none());
    assert!(parser.feed(b"lo").next().is_some());
    assert_eq!(parser.format(), Some(Format::Text));
}

#[test]
fn a_field_error_has_an_error_of_the_format_whose_shape_it_has() {
    let error = r#"error provider "the provider reports an error: no""#;
    for (object, format) in [
        (r#"{"message":"no"}"#, Format::OpenAiChat),
        (r#"{"type":"error","error":{"message":"no"}}"#, Format::Anthropic),
        (r#"{"error":{"status":"X","message":"no"}}"#, Format::Gemini),
    ] {
        assert_eq!(detected(&format!("error: {object}\n\n")), (vec![error.to_owned()], Some(format)), "{object}");
    }
}

/// The steps of binary frames.
fn binary_steps(limits: Limits, frames: &[&[u8]]) -> Vec<String> {
    let body = frames.concat();
    let parse = |chunks: &[&[u8]]| {
        let mut parser = ResponseParser::new(Format::Bedrock, Policy::new()).with_limits(limits);
        Transcript::of_response(&mut parser, chunks).to_string()
    };
    assert_chunk_invariant(&body, parse);
    parse(&[&body]).lines().map(str::to_owned).collect()
}

#[test]
fn lengths_that_no_frame_can_have_end_the_body() {
    // The length of a frame, that of its headers, and the checksum of both.
    for (frame_len, headers_len, checksum) in [
        (0, 0, 0x6522_DF69),
        (12, 0, 0xA0D2_3268),
        (15, 0, 0xE772_48B8),
        (16, 1, 0x72C5_787D),
        (131_089, 131_073, 0xDBBE_948A),
    ] {
        let prelude = [frame_len, headers_len, checksum].map(u32::to_be_bytes).concat();
        let steps = binary_steps(Limits::default(), &[&text_frame("Hm."), &prelude, &text_frame("no")]);
        assert!(
            matches!(&*steps, [hm, error] if hm == HM && error.starts_with("error corrupt")),
            "{frame_len}, {headers_len}: {steps:?}"
        );
    }
}

#[test]
fn the_limit_counts_the_payload_of_a_frame() {
    let frame = text_frame("Hm.");
    let len = json!({"contentBlockIndex": 0, "delta": {"text": "Hm."}}).to_string().len();
    for (limit, expected) in [(len + 1, "text"), (len, "text"), (len - 1, "error too_long")] {
        let steps = binary_steps(Limits::default().with_event(limit), &[&frame]);
        assert!(steps[0].starts_with(expected), "{steps:?} with the limit {limit}");
    }
}

#[test]
fn a_frame_of_another_type_or_with_an_odd_name_means_nothing() {
    for headers in [
        &[][..],
        &[(":message-type", "other")],
        &[(":event-type", "contentBlockDelta")],
        &[(":message-type", "event"), (":event-type", "error\":\"no\",\"x")],
    ] {
        let frame = binary_frame(headers, br#"{"delta":{"text":"no"}}"#);
        assert_eq!(binary_steps(Limits::default(), &[&frame, &text_frame("Hm.")]), [HM], "{headers:?}");
    }
}

/// The steps of a body of chat completions with that limit of an event. Of an error, only its code.
fn limited(limit: usize, body: &str) -> Vec<String> {
    let limits = Limits::default().with_event(limit);
    let steps = steps_of_body(|| ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(limits), body);
    let code = |step: String| match step.strip_prefix("error ") {
        Some(error) => error.split(' ').next().unwrap_or_default().to_owned(),
        None => step,
    };
    steps.into_iter().map(code).collect()
}

#[test]
fn only_a_blank_line_ends_an_event_that_is_too_long() {
    let long = format!("data: {{\"x\":{:?}}}", "x".repeat(CHAT.len()));
    let body = format!("{long}\ndata: {CHAT}\ndata: {CHAT}\n\ndata: {CHAT}\n\n");
    assert_eq!(limited(CHAT.len(), &body), ["too_long", HM]);
}

#[test]
fn an_object_without_its_field_ends_with_its_brackets_if_a_line_has_as_many_bytes_as_allowed() {
    let start = format!("{{\"error\":{:?},", "x".repeat(50));
    let body = format!("data: {CHAT}\n\n{start}\n\"code\":7}}\ndata: {CHAT}\n\n");
    assert_eq!(limited(start.len(), &body), [HM, "too_long", HM]);
}

#[test]
fn a_payload_with_a_list_that_is_too_long_changes_no_open_call() {
    let part = |text: &str, more: bool| {
        let arg = json!({"jsonPath": "$.question", "stringValue": text, "willContinue": more});
        json!({"functionCall": {"partialArgs": [arg], "willContinue": more}})
    };
    let payload = |parts: &[Value]| json!({"candidates": [{"content": {"parts": parts}}]});
    let mut first = part("A", true);
    first["functionCall"]["name"] = ASK.into();
    let long = json!({"functionCall": {"partialArgs": vec![json!({}); 1_025]}});
    let payloads = [payload(&[first]), payload(&[part("lost", false), long]), payload(&[part("B", false)])];
    let mut parser = ResponseParser::new(Format::Gemini, Policy::new());
    let steps = Transcript::of_response(&mut parser, [body(&payloads)]).to_string();
    assert!(steps.contains("error unreadable") && !steps.contains("orphan"), "{steps}");
    assert!(steps.contains("\"AB\""), "{steps}");
}

/// The chunk of an invoked model, as the SDKs give it.
fn invoked(payload: &Value) -> Value {
    json!({"chunk": {"bytes": base64(payload.to_string().as_bytes())}})
}

#[test]
fn calls_that_come_whole_are_separate_even_without_ids_and_arguments() {
    let block = |input: Value| json!({"toolUse": {"name": ASK, "input": input}});
    let function = |arguments: Value| json!({"function": {"name": ASK, "arguments": arguments}});
    let asked = json!({"question": "Q"});
    let blocks = json!([block(Value::Null), block(asked.clone())]);
    let calls = json!([function(Value::Null), function(json!(asked.to_string()))]);
    let choice = json!({"message": {"tool_calls": calls}, "stop_reason": "tool_calls"});
    for (format, payload) in [
        (Format::Bedrock, json!({"output": {"message": {"content": blocks}}, "stopReason": "tool_use"})),
        (Format::Bedrock, invoked(&json!({"choices": [choice]}))),
        (
            Format::OpenAiAssistants,
            json!({"object": "thread.run", "status": "requires_action", "required_action": {"submit_tool_outputs": {"tool_calls": calls}}}),
        ),
    ] {
        let expected =
            [r#"question 1 "Q""#, "rejected missing_parameter 0: no question [] []", r#"complete 1: "Q" [] []"#];
        assert_eq!(steps(format, Limits::default(), &[payload]), expected, "{format}");
    }
}

#[test]
fn a_choice_of_an_invoked_model_that_is_whole_or_has_only_text_is_one_of_chat_completions() {
    let text = json!({"choices": [{"text": "Hm.", "stop_reason": null}]});
    assert_eq!(steps(Format::Bedrock, Limits::default(), &[invoked(&text)]), [HM]);
    let call = json!({"id": "c", "function": {"name": ASK, "arguments": "{\"question\":\"Q"}});
    let whole = json!({"choices": [{"message": {"content": "Hm.", "tool_calls": [call]}, "finish_reason": "length"}]});
    let expected = [HM, r#"question 0 "Q""#, r#"rejected truncated 0 (c): "Q" [] []"#];
    assert_eq!(steps(Format::Bedrock, Limits::default(), &[invoked(&whole)]), expected);
}

#[test]
fn a_message_of_a_run_that_is_not_completed_has_no_text() {
    let message = |status: &str, text: &str| json!({"object": "thread.message", "role": "assistant", "status": status, "content": [{"type": "text", "text": {"value": text}}]});
    let delta =
        json!({"object": "thread.message.delta", "delta": {"content": [{"type": "text", "text": {"value": "Hm."}}]}});
    for payloads in [
        &[message("in_progress", "H"), message("completed", "Hm.")][..],
        &[message("in_progress", ""), delta.clone(), message("in_progress", "Hm."), message("completed", "Hm.")],
        &[delta, message("incomplete", "Hm."), message("completed", "Hm.")],
    ] {
        assert_eq!(steps(Format::OpenAiAssistants, Limits::default(), payloads), [HM], "{payloads:?}");
    }
}

#[test]
fn an_error_of_a_run_is_reported_whatever_it_has_and_whatever_came_before() {
    let text =
        json!({"object": "thread.message.delta", "delta": {"content": [{"type": "text", "text": {"value": "Hm."}}]}});
    for (error, message) in [
        (json!({"object": "error", "error": {"message": "no"}}), "no"),
        (json!({"object": "error", "message": "no"}), "no"),
        (json!({"object": "error", "detail": "no"}), "no"),
        (json!({"object": "error"}), "{\\\"object\\\":\\\"error\\\"}"),
    ] {
        let expected = [HM.to_owned(), format!("error provider \"the provider reports an error: {message}\"")];
        assert_eq!(steps(Format::OpenAiAssistants, Limits::default(), &[text.clone(), error]), expected);
    }
}

#[test]
fn an_incomplete_event_takes_no_more_memory_than_the_limit() {
    let (text, longest) = ("x".repeat(69_000), "x".repeat(70_000));
    let frame = text_frame(&text);
    for (format, start) in [
        (Format::OpenAiChat, format!("data: {{\"choices\":\"{text}").into_bytes()),
        // A whole line, which no blank one follows yet.
        (Format::OpenAiChat, format!("data: {longest}\n").into_bytes()),
        (Format::Ollama, format!("{{\"message\":\"{text}").into_bytes()),
        (Format::Gemini, format!("[{{\"candidates\":\"{text}").into_bytes()),
        (Format::Bedrock, frame[..frame.len() - 1].to_vec()),
    ] {
        let mut parser = ResponseParser::new(format, Policy::new()).with_limits(Limits::default().with_event(70_000));
        let feed = || start.chunks(1_000).for_each(|chunk| drop(parser.feed(chunk)));
        let info = allocation_counter::measure(feed);
        assert!((69_000..70_500).contains(&info.bytes_current), "{} bytes of {format}", info.bytes_current);
    }
}

/// "Text as soon as a line is no such field."
#[test]
fn the_beginning_of_a_byte_order_mark_is_no_field_on_a_later_line() {
    for line in ["\u{FEFF}".as_bytes(), b"\xEF\xBB", b"\xEF"] {
        let body = [b"data: mine\n", line].concat();
        let transcript = Transcript::of_response(&mut ResponseParser::auto(Policy::new()), [body]).to_string();
        assert!(transcript.starts_with("text \"data: mine\\n"), "{line:?}: {transcript}");
    }
}
