//! Detecting the format of a body: what decides, what only hints, and what is an error.

use followup::Policy;
use followup::wire::{Format, Limits, ResponseParser};
use followup_testing::Transcript;

use crate::sweep::assert_chunk_invariant;

/// The steps of a body whose format is detected, one a line; and the format, if it was certain.
#[track_caller]
fn detected(body: impl AsRef<[u8]>) -> (Vec<String>, Option<Format>) {
    let body = body.as_ref();
    let parse = |chunks: &[&[u8]]| Transcript::of_response(&mut ResponseParser::auto(Policy::new()), chunks);
    assert_chunk_invariant(body, parse);
    let mut parser = ResponseParser::auto(Policy::new());
    drop(parser.feed(body));
    let format = parser.finish().format();
    (parse(&[body]).to_string().lines().map(str::to_owned).collect(), format)
}

/// The kinds of the errors in a body whose format is detected. Nothing else may come out of it.
#[track_caller]
fn errors(body: impl AsRef<[u8]>) -> Vec<String> {
    let kind = |line: String| match line.strip_prefix("error ") {
        Some(error) => error.split(' ').next().unwrap_or_default().to_owned(),
        None => panic!("{line}"),
    };
    detected(body).0.into_iter().map(kind).collect()
}

fn sse(payloads: &[&str]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

const CHAT: &str = r#"{"choices":[{"index":0,"delta":{"content":"Hm."}}]}"#;

#[test]
fn a_weak_sign_waits_for_a_strong_one() {
    let responses = r#"{"type":"response.output_text.delta","delta":"Hm."}"#;
    let ollama = r#"{"model":"m","message":{"role":"assistant","content":"Hm."},"done":false}"#;
    for weak in [r#"{"type":"ping"}"#, r#"{"metadata":{}}"#, r#"{"usageMetadata":{}}"#, r#"{"modelVersion":"7"}"#] {
        for (strong, format) in
            [(CHAT, Format::OpenAiChat), (responses, Format::OpenAiResponses), (ollama, Format::Ollama)]
        {
            let (steps, detected) = detected(sse(&[weak, strong]));
            assert_eq!((&*steps, detected), (&[r#"text "Hm.""#.to_owned()][..], Some(format)), "{weak} and {strong}");
        }
    }
}

#[test]
fn a_weak_sign_does_not_silence_foreign() {
    for weak in [
        r#"{"metadata":{"user":"7"},"text":"Hm."}"#,
        r#"{"usageMetadata":{"tokens":3},"text":"Hm."}"#,
        r#"{"type":"ping","text":"Hm."}"#,
        r#"{"object":"thread","metadata":{},"created_at":1,"model":"m"}"#,
    ] {
        assert_eq!(errors(sse(&[weak])), ["foreign"], "{weak}");
        assert_eq!(errors(sse(&[weak, "[DONE]"])), ["foreign"], "{weak}");
        assert_eq!(errors(weak), ["foreign"], "{weak}");
    }
}

#[test]
fn a_weak_sign_alone_decides_at_the_end() {
    let without_done = r#"{"model":"m","message":{"role":"assistant","content":"Hm."}}"#;
    assert_eq!(detected(without_done), (vec![r#"text "Hm.""#.to_owned()], Some(Format::Ollama)));
}

#[test]
fn server_sent_events_that_tell_no_provider_are_an_error() {
    for body in [
        ": connected\n\n: waiting\n\n",
        ":\n\n",
        ": connected",
        "data: [DONE]\n\n",
        "event: done\ndata: [DONE]\n\n",
        "data: {\"text\":\"Hm.\"}\n\ndata: [DONE]\n\n",
        "event: token\ndata: {\"text\":\"Hm.\"}\n\n",
        "data: {\"text\":\"Hm",
        "data: {\"question\":\"Q\"}\n\n",
        "data:",
        "retry: 500\n\n",
        "\u{FEFF}data: [1,2]\n\n",
        "\n\nid: 7\ndata: Hm.\n\n",
    ] {
        assert_eq!(errors(body), ["foreign"], "{body:?}");
    }
}

#[test]
fn a_connection_lost_in_the_first_event_is_one_error() {
    for body in [
        r#"data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"con"#,
        r#"{"model":"m","created_at":"2025-01-01T00:00:00Z","message":{"role":"assist"#,
        r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"te"#,
        r#"{"messageStart":{"role":"assistant"},"#,
        r#"[{"candidates":[{"content":{"parts":[{"te"#,
        r#"data: {"choices":[{"del"#,
        r#"[{"usageMetadata":{"tokens":1},"candidates":[{"content":{"#,
    ] {
        assert_eq!(errors(body), ["unreadable"], "{body}");
    }
}

#[test]
fn a_body_that_breaks_off_before_it_says_anything_is_an_error() {
    let start = r#"{"type":"message_start","message":{"content":[]}}"#;
    let block = r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
    let role = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    let thought = r#"{"choices":[{"index":0,"delta":{"reasoning_content":"Hm."}}]}"#;
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true}]}}]}"#;
    let ollama = r#"{"model":"m","message":{"role":"assistant","content":""},"done":false}"#;
    let created = r#"{"type":"response.created","response":{"output":[]}}"#;
    let bedrock = r#"{"messageStart":{"role":"assistant"}}"#;
    for payloads in
        [&[start][..], &[start, block], &[role], &[role, thought], &[gemini], &[ollama], &[created], &[bedrock]]
    {
        assert_eq!(errors(sse(payloads)), ["empty"], "{payloads:?}");
    }
}

#[test]
fn a_message_that_ends_as_documented_may_be_empty() {
    let stop = r#"{"type":"message_stop"}"#;
    let role = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;
    let chat = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#;
    let gemini = r#"{"candidates":[{"finishReason":"STOP"}]}"#;
    let ollama = r#"{"model":"m","message":{"role":"assistant","content":""},"done":true}"#;
    let completed = r#"{"type":"response.completed","response":{"output":[]}}"#;
    let incomplete = r#"{"type":"response.incomplete","response":{"output":[]}}"#;
    let bedrock = r#"{"messageStop":{"stopReason":"end_turn"}}"#;
    for payloads in
        [&[stop][..], &[chat], &[role, "[DONE]"], &[gemini], &[ollama], &[completed], &[incomplete], &[bedrock]]
    {
        assert_eq!(detected(sse(payloads)).0, [""; 0], "{payloads:?}");
    }
}

#[test]
fn a_prompt_that_gemini_blocks_is_an_error() {
    let blocked = r#"{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}"#;
    let expected = r#"error provider "the provider reports an error: the prompt was blocked: SAFETY""#;
    assert_eq!(detected(sse(&[blocked])).0, [expected]);
    let rated = r#"{"promptFeedback":{"safetyRatings":[]},"candidates":[{"content":{"parts":[{"text":"Hm."}]}}]}"#;
    assert_eq!(detected(sse(&[rated])).0, [r#"text "Hm.""#]);
}

#[test]
fn json_lines_that_tell_no_provider_are_an_error_and_one_object_is_text() {
    assert_eq!(errors("{\"text\":\"H\"}\n{\"text\":\"m.\"}\n"), ["foreign"]);
    assert_eq!(errors("{\"text\":\"H\"}\n{\"text\":\"m"), ["foreign"]);
    assert_eq!(errors("{\"text\":\"H\"}{\"text\":\"m.\"}"), ["foreign"]);
    for text in
        ["{\n  \"text\": \"Hm.\"\n}\n", "{\"text\":\"Hm.\"}\nand so on", "[{\"text\":1},{\"text\":2}]", "{", "{}"]
    {
        assert_eq!(detected(text), (vec![format!("text {text:?}")], Some(Format::Text)));
    }
}

#[test]
fn prose_that_begins_like_an_event_is_text_once_a_line_is_no_field() {
    for text in [
        "id: 7\nname: Ada\n",
        "data: what we have\nmore: what we need",
        "event: party\n\nBring a friend.",
        ":) Hm.",
        ":-)\n",
        "data",
        "database",
        "i",
        "retry it",
        "events: none",
    ] {
        assert_eq!(detected(text), (vec![format!("text {text:?}")], Some(Format::Text)), "{text:?}");
    }
}

#[test]
fn binary_is_an_error_and_no_prose() {
    let png = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR";
    for body in [
        &b"\x1F\x8B\x08\0\0\0\0\0"[..],
        b"\x28\xB5\x2F\xFD\x04\x58",
        b"\x78\x9C\x4B\xCB",
        b"\0\0\0\x7E\0\0\0\x57",
        b"\xFF\xFEH\0m\0",
        b"H\0m\0.\0",
        b"PK\x03\x04",
        png,
        b"\x1F",
    ] {
        let (steps, format) = detected(body);
        assert_eq!(format, None);
        assert!(matches!(&*steps, [error] if error.starts_with("error binary")), "{steps:?}");
    }
    // What looked like text before stays.
    let steps = detected(b"RIFF\x24\0\0\0WAVE").0;
    assert!(
        matches!(&*steps, [text, error] if text == r#"text "RIFF$""# && error.starts_with("error binary")),
        "{steps:?}"
    );
    let call = b"<ask_followup_question><question>Q</question>\0</ask_followup_question>";
    let steps = detected(call).0;
    assert!(steps.iter().all(|step| !step.starts_with("text")), "{steps:?}");
}

#[test]
fn text_of_any_kind_is_no_binary() {
    let long = "x".repeat(8_000) + "\0";
    for text in ["é", "数", "Hm.\t\x1B[1m", "\r\n\x0C Hm.", "a", "\u{FEFF}é", &*long] {
        assert_eq!(detected(text), (vec![format!("text {text:?}")], Some(Format::Text)));
    }
    // A declared text is read as it is.
    let mut text = ResponseParser::new(Format::Text, Policy::new());
    assert_eq!(Transcript::of_response(&mut text, [b"\0\0"]).to_string(), "text \"\\0\\0\"\n");
}

#[test]
fn a_body_that_is_not_detected_within_the_limit_is_no_text_if_it_is_a_stream() {
    let limits = Limits::default().with_event(100);
    for (before, kinds) in [
        (": waiting\n\n".repeat(10), "foreign"),
        (sse(&[r#"{"text":"Hm."}"#; 10]), "foreign"),
        ("{\"text\":\"Hm.\"}\n".repeat(10), "foreign"),
        (format!("data: {{\"choices\":[],\"text\":{:?}}}\n\n", "x".repeat(100)), "too_long"),
    ] {
        let body = before + &sse(&[CHAT]);
        let parse = |chunks: &[&[u8]]| {
            Transcript::of_response(&mut ResponseParser::auto(Policy::new()).with_limits(limits), chunks)
        };
        assert_chunk_invariant(body.as_bytes(), parse);
        let steps = parse(&[body.as_bytes()]).to_string();
        assert!(steps.starts_with(&format!("error {kinds}")), "{steps} of {body}");
    }
}

#[test]
fn an_ill_formed_element_of_an_array_is_an_error_and_costs_no_other() {
    let element = |text: &str| format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}}}]}}"#);
    for bad in [
        "-Infinity",
        r#"{"candidates":[{"content":{"parts":[{"text":NaN}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"lost"}]}}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"lost"}]}}}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"lost"}"#,
        r#"{"candidates":[{"content":{"parts":[[[{"text":"lost"}]}}]}"#,
    ] {
        for elements in [[&*element("H"), bad, &element("m.")], [bad, &element("H"), &element("m.")]] {
            if !elements[0].starts_with('{') {
                continue; // That is text.
            }
            let (steps, format) = detected(format!("[{}]", elements.join(",")));
            assert_eq!(format, Some(Format::Gemini), "{bad}: {steps:?}");
            let texts: String = steps.iter().filter_map(|step| step.strip_prefix("text ")).collect();
            assert_eq!(texts.replace('"', ""), "Hm.", "{bad}");
            let errors: Vec<_> = steps.iter().filter(|step| step.starts_with("error")).collect();
            assert!(matches!(&*errors, [one] if one.starts_with("error unreadable")), "{bad}: {steps:?}");
        }
    }
}

/// Gemini and some gateways abort a stream of events with an error that has no `data` field.
#[test]
fn an_object_without_its_field_in_a_stream_of_events_is_a_payload() {
    let error = r#"error provider "the provider reports an error: no""#;
    let bare = "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"no\",\n    \"status\": \"X: {\"\n  }\n}";
    let gemini = r#"{"candidates":[{"content":{"parts":[{"text":"Hm."}]}}]}"#;
    for line_end in ["\n", "\r\n", ""] {
        for bare in [bare, r#"{"error":{"message":"no"}}"#, "{ \t\"error\": {\n\"message\":\"no\"\n}}\nid: 7"] {
            let body = format!("{}{bare}{line_end}", sse(&[gemini]));
            assert_eq!(detected(&body).0, [r#"text "Hm.""#, error], "{body}");
            assert_eq!(detected(format!(": waiting\n\n{bare}{line_end}")).0, [error], "{bare}");
        }
    }
    let after = format!("{}{}{}", sse(&[CHAT]), r#"{"error":{"message":"no"}}"#.to_owned() + "\n", sse(&[CHAT]));
    assert_eq!(detected(after).0, [r#"text "Hm.""#, error, r#"text "Hm.""#]);
    assert_eq!(errors(": waiting\n\n{\"err"), ["foreign"]);
    let broken = format!("{}{{\"error\": {{\n\n{}", sse(&[CHAT]), sse(&[CHAT]));
    let steps = detected(broken).0;
    assert!(matches!(&*steps, [_, lost, _] if lost.starts_with("error unreadable")), "{steps:?}");
    for text in ["data: mine\n{x}\n".to_owned(), format!("data: mine\n{{{}\"a\"", " ".repeat(70))] {
        assert_eq!(detected(&text), (vec![format!("text {text:?}")], Some(Format::Text)));
    }
}

#[test]
fn a_line_that_has_not_ended_tells_no_format() {
    for start in ["data: x", ": x", "data: ", ":"] {
        let mut parser = ResponseParser::auto(Policy::new());
        drop(parser.feed(start.as_bytes()));
        for _ in 0..1000 {
            drop(parser.feed(b"                "));
        }
        assert_eq!(parser.format(), None, "{start:?}");
    }
}

#[test]
fn json_values_in_one_line_are_payloads() {
    let ollama = |text: &str| format!(r#"{{"model":"m","message":{{"content":"{text}"}},"done":false}}"#);
    for between in ["", " ", "\n", "\r\n\r\n"] {
        let body = [ollama("H}"), ollama("m"), ollama(".")].join(between);
        assert_eq!(detected(body), (vec![r#"text "H}m.""#.to_owned()], Some(Format::Ollama)));
    }
    let (steps, _) = detected(ollama("Hm.") + " and so on");
    assert!(matches!(&*steps, [text, rest] if text == r#"text "Hm.""# && rest.starts_with("error unreadable")));
}
