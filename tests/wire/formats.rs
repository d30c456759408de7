//! Cases of single formats that no golden body shows.

use crate::normal::lines;

use followup::Policy;
use followup::wire::{Format, ResponseParser};
use serde_json::{Value, json};

/// Every event of one payload, one line each.
fn events(format: Format, payload: &Value) -> Vec<String> {
    let body = format!("data: {payload}\n\n");
    lines(&mut ResponseParser::new(format, Policy::new()), [body.as_bytes()])
}

#[test]
fn an_odd_entry_of_a_list_costs_only_itself_in_every_format() {
    for odd in [json!(null), json!({}), json!(7), json!("x"), json!([])] {
        for (format, payload) in [
            (
                Format::Cohere,
                json!({"type": "content-delta", "delta": {"message": {"content": {"text": "Hm."}, "tool_calls": [odd]}}}),
            ),
            (
                Format::Cohere,
                json!({"type": "content-delta", "delta": {"message": {"content": [odd, {"text": "Hm."}]}}}),
            ),
            (
                Format::GeminiInteractions,
                json!({"event_type": "step.start", "step": {"type": "model_output", "content": [odd, {"type": "text", "text": "Hm."}]}}),
            ),
            (
                Format::GeminiInteractions,
                json!({"object": "interaction", "steps": [odd, {"type": "text", "text": "Hm."}]}),
            ),
            (
                Format::OpenAiAssistants,
                json!({"object": "thread.message.delta", "delta": {"content": [odd, {"text": {"value": "Hm."}}]}}),
            ),
            (Format::WorkersAi, json!({"response": "Hm.", "tool_calls": [odd]})),
            (Format::Watsonx, json!({"results": [odd, {"generated_text": "Hm."}]})),
            (Format::DashScope, json!({"output": {"choices": [{"message": {"content": "Hm.", "tool_calls": [odd]}}]}})),
            (
                Format::Bedrock,
                json!({"output": {"message": {"content": [odd, {"text": "Hm."}]}}, "stopReason": "end_turn"}),
            ),
        ] {
            let (texts, others): (Vec<_>, Vec<_>) =
                events(format, &payload).into_iter().partition(|event| event.starts_with("Ok(Text"));
            assert_eq!(texts, [r#"Ok(Text("Hm."))"#], "{format}: {payload}");
            let is_odd = !matches!(&odd, Value::Null | Value::Object(_));
            assert_eq!(others.len(), usize::from(is_odd), "{format}: {payload}: {others:?}");
            assert!(others.iter().all(|error| error.starts_with("Err(Unreadable")), "{format}: {others:?}");
        }
    }
}

#[test]
fn a_list_of_more_than_1024_costs_its_payload() {
    let piece = json!({"generated_text": "x"});
    let of = |count| events(Format::Watsonx, &json!({"results": vec![piece.clone(); count]}));
    assert_eq!(of(1024).len(), 1024);
    assert!(matches!(&*of(1025), [error, ..] if error.starts_with("Err(Unreadable")));
}

#[test]
fn a_payload_of_another_type_than_documented_is_unreadable() {
    for (format, payload) in [
        (Format::Cohere, json!({"type": "content-delta", "delta": []})),
        (Format::GeminiInteractions, json!({"event_type": "step.delta", "delta": "x"})),
        (Format::OpenAiAssistants, json!({"object": "thread.message.delta", "delta": 7})),
        (Format::DashScope, json!({"output": []})),
        (Format::Bedrock, json!({"chunk": {"bytes": "e30*"}})),
    ] {
        let events = events(format, &payload);
        assert!(matches!(&*events, [error, ..] if error.starts_with("Err(Unreadable")), "{format}: {events:?}");
    }
}

/// The names of its events matter, however long they are and wherever they are in the event.
#[test]
fn replicates_events_are_told_by_their_names() {
    let of = |body: &str| {
        let mut parser = ResponseParser::new(Format::Replicate, Policy::new());
        let whole = lines(&mut parser, [body.as_bytes()]);
        assert_eq!(lines(&mut parser, body.as_bytes().chunks(1)), whole, "{body:?}");
        whole
    };
    let end = "event: done\ndata: {}\n\n";
    for (event, expected) in [
        ("data: a\nevent: output\n\n", &["Ok(Text(\"a\"))"][..]),
        ("event: output\ndata:  a \ndata\n\n", &["Ok(Text(\" a \\n\"))"]),
        ("event: outputs\ndata: a\n\n", &[]),
        ("event: output more than that\ndata: a\n\n", &[]),
        ("event: logs\nevent: output\ndata: a\n\n", &["Ok(Text(\"a\"))"]),
        ("event: output\n\n", &[]),
        ("event: output\r\ndata: \"\\\t\u{7f}é\r\n\r\n", &["Ok(Text(\"\\\"\\\\\\t\\u{7f}é\"))"]),
        ("event: error\ndata: No.\n\n", &["Err(Provider(\"No.\"))"]),
    ] {
        assert_eq!(of(&format!("{event}{end}")), expected, "{event:?}");
    }
}

#[test]
fn a_whole_response_of_workers_ai_has_the_format_of_its_model() {
    let text = r#"Ok(Text("Hm."))"#;
    for (result, expected) in [
        (json!({"response": "Hm."}), vec![text]),
        (json!("Hm."), vec![text]),
        (json!({"choices": [{"index": 0, "message": {"content": "Hm."}, "finish_reason": "stop"}]}), vec![text]),
        (
            json!({"object": "response", "status": "completed", "output": [
                {"type": "message", "content": [{"type": "output_text", "text": "Hm."}]},
            ]}),
            vec![text],
        ),
        (json!({"response": ""}), vec![]),
        (json!({"image": "x"}), vec!["Err(Foreign(Some(WorkersAi)))"]),
    ] {
        let body = json!({"result": result, "success": true, "errors": [], "messages": []}).to_string();
        let mut parser = ResponseParser::new(Format::WorkersAi, Policy::new());
        assert_eq!(lines(&mut parser, [body.as_bytes()]), expected, "{body}");
        if expected == [text] {
            assert_eq!(lines(&mut ResponseParser::auto(Policy::new()), [body.as_bytes()]), expected, "{body}");
        }
    }
}

#[test]
fn a_stream_of_workers_ai_without_a_text_is_of_workers_ai() {
    let body = "data: {\"response\":\"\",\"usage\":{\"total_tokens\":9}}\n\ndata: [DONE]\n\n";
    let mut parser = ResponseParser::new(Format::WorkersAi, Policy::new());
    assert_eq!(lines(&mut parser, [body.as_bytes()]), [] as [&str; 0]);
    let body = "data: {\"completion\":\"Hm.\"}\n\ndata: [DONE]\n\n";
    assert_eq!(lines(&mut parser, [body.as_bytes()]), ["Err(Foreign(Some(WorkersAi)))"]);
}

#[test]
fn a_prediction_of_replicate_that_fails_is_one_error() {
    let output = "event: output\ndata: Hm.\n\n";
    let error = "event: error\ndata: {\"detail\":\"no\"}\n\n";
    let done = |reason: &str| format!("event: done\ndata: {{\"reason\":\"{reason}\"}}\n\n");
    let failed = r#"Err(Provider("the prediction failed"))"#;
    for (body, expected) in [
        (done("error"), vec![failed]),
        (output.to_owned() + &done("error"), vec![r#"Ok(Text("Hm."))"#, failed]),
        (error.to_owned() + &done("error"), vec![r#"Err(Provider("no"))"#]),
        (output.to_owned() + &done("canceled"), vec![r#"Ok(Text("Hm."))"#]),
    ] {
        let mut parser = ResponseParser::new(Format::Replicate, Policy::new());
        assert_eq!(lines(&mut parser, [body.as_bytes()]), expected, "{body}");
    }
}
