//! Formats, errors and readers of providers' streams as values, and what is said to people.

use followup::wire::{Error, Response, Wire};
use followup::{Event, Limits, Policy};

#[test]
fn a_format_is_written_as_it_is_read_and_another_name_says_which_there_are() {
    for wire in Wire::ALL {
        assert_eq!(wire.to_string().parse(), Ok(wire));
        assert_eq!(wire.to_string(), wire.name());
    }
    let unknown = "xml".parse::<Wire>().unwrap_err();
    let all = "openai-chat, openai-responses, anthropic, gemini, bedrock, ollama, text, json";
    assert_eq!(unknown.to_string(), format!("\"xml\" is none of {all}"));
    assert!("Text".parse::<Wire>().is_err() && "".parse::<Wire>().is_err());
}

#[test]
fn every_error_says_what_happened_and_keeps_what_could_not_be_read() {
    let long = "é".repeat(100);
    let cut = format!("{} …", "é".repeat(60));
    let whole = "x".repeat(120);
    for (error, code, data, said) in [
        (Error::Provider("Overloaded"), "provider", None, "the provider reports an error: Overloaded"),
        (Error::Unreadable("{]"), "unreadable", Some("{]"), "an event of the stream can't be read and was skipped: {]"),
        (
            Error::TooLong(9),
            "too_long",
            None,
            "an event of the stream is longer than the limit of 9 bytes and was skipped",
        ),
        (Error::Orphan("{}"), "orphan", Some("{}"), "arguments belong to no call and were skipped: {}"),
        (Error::Orphan(&long), "orphan", Some(&*long), &format!("arguments belong to no call and were skipped: {cut}")),
        (
            Error::Orphan(&whole),
            "orphan",
            Some(&*whole),
            &format!("arguments belong to no call and were skipped: {whole}"),
        ),
        (
            Error::TooManyCalls("read_file"),
            "too_many_calls",
            None,
            "too many calls are open at once; one of read_file was skipped",
        ),
        (
            Error::Foreign(Wire::Gemini),
            "foreign",
            None,
            "nothing in the body is what gemini streams: it is another provider's, or no stream",
        ),
    ] {
        assert_eq!((error.code(), error.data(), &*error.to_string()), (code, data, said));
    }
}

#[test]
fn a_reader_says_what_it_was_made_with_and_what_it_has_found_out() {
    let policy = Policy::new().limits(Limits { question: 7, ..Limits::default() });
    for wire in Wire::ALL {
        let response = Response::new(wire, policy.clone());
        assert_eq!((response.wire(), response.policy()), (Some(wire), &policy));
    }
    for (body, wire) in [
        ("event: message_start\ndata: {\"type\":\"message_start\"}\n\n", Some(Wire::Anthropic)),
        ("What next?", Some(Wire::Text)),
        (r#"{"question":"#, Some(Wire::Json)),
        (r#"{"model":"#, None),
        ("{", None),
    ] {
        let mut response = Response::auto(policy.clone());
        assert_eq!(response.wire(), None);
        drop(response.feed(body.as_bytes()));
        assert_eq!(response.wire(), wire, "{body}");
        // Ended, it is as new.
        drop(response.finish());
        assert_eq!(response.wire(), None);
    }
    // What only the end tells, the cursor says.
    for (body, wire) in [
        ("{", Wire::Text),
        // Whose an error is, its shape tells.
        (r#"{"error":{"status":"UNAVAILABLE","message":"Later"}}"#, Wire::Gemini),
        (r#"{"error":{"message":"Later"}}"#, Wire::OpenAiChat),
        (r#"{"error":"Later"}"#, Wire::Ollama),
        (r#"{"type":"error","error":{"message":"Later"}}"#, Wire::Anthropic),
        (r#"{"type":"error","message":"Later"}"#, Wire::OpenAiResponses),
    ] {
        let mut response = Response::auto(policy.clone());
        drop(response.feed(body.as_bytes()));
        let mut events = response.finish();
        assert_eq!(events.wire(), Some(wire), "{body}");
        let said = events.next().map(|event| event.map_err(|error| error.to_string()).map(drop));
        let later = Err("the provider reports an error: Later".to_owned());
        assert_eq!(said, Some(if wire == Wire::Text { Ok(()) } else { later }), "{body}");
    }
}

#[test]
fn every_event_of_a_call_says_which_it_is_and_what_the_provider_calls_it() {
    let call = |nth: u64, arguments: &str| {
        let function = serde_json::json!({"name": "ask_followup_question", "arguments": arguments});
        let call = serde_json::json!({"index": nth, "id": format!("call_{nth}"), "function": function});
        format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let body = [
        call(0, r#"{"question":"Why?"}"#),
        call(1, r#"{"question":["#),
        call(2, r#"{"question":"How?"}"#),
        // In the text, they have no name.
        "data: {\"choices\":[{\"delta\":{\"content\":\"<ask_followup_question><question>Who?</question></ask_followup_question>\"}}]}\n\n".into(),
        "data: [DONE]\n\n".into(),
    ]
    .concat();
    let mut response = Response::new(Wire::OpenAiChat, Policy::new());
    let mut said = Vec::new();
    let mut take = |mut events: followup::wire::Events<'_>| {
        while let Some(event) = events.next() {
            let (kind, nth, id) = match event.expect("the body is well-formed") {
                Event::Partial(call) => ("partial", call.nth(), call.id()),
                Event::Complete(call) => ("complete", call.nth(), call.id()),
                Event::Rejected(call) => ("rejected", call.nth(), call.id()),
                Event::Text(_) | Event::Opaque(_) => continue,
            };
            said.push(format!("{kind} {nth} {}", id.unwrap_or("-")));
        }
    };
    take(response.feed(body.as_bytes()));
    take(response.finish());
    said.sort();
    let meant = [
        "complete 0 call_0",
        "complete 2 call_2",
        "complete 3 -",
        "partial 0 call_0",
        "partial 2 call_2",
        "partial 3 -",
        "rejected 1 call_1",
    ];
    assert_eq!(said, meant);
}
