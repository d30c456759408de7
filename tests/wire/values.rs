//! Formats, errors and parsers of providers' streams as values, and their messages.

use followup::wire::{Error, Format, Limits, ResponseParser};
use followup::{Event, Policy};

#[test]
fn a_format_is_displayed_as_it_is_parsed_and_the_error_lists_all_formats() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
        assert_eq!(format.to_string(), format.name());
    }
    let unknown = "xml".parse::<Format>().unwrap_err();
    let all = "openai-chat, openai-responses, anthropic, gemini, bedrock, ollama, cohere, gemini-interactions, \
               openai-assistants, workers-ai, watsonx, dashscope, replicate, text, json";
    assert_eq!(unknown.to_string(), format!("\"xml\" is none of {all}"));
    assert!("Text".parse::<Format>().is_err() && "".parse::<Format>().is_err());
}

#[test]
fn every_error_has_a_code_a_message_and_the_data_that_could_not_be_parsed() {
    let long = "é".repeat(100);
    let cut = format!("{} …", "é".repeat(60));
    let whole = "x".repeat(120);
    for (error, code, data, message) in [
        (Error::Provider("Overloaded"), "provider", None, "the provider reports an error: Overloaded"),
        (
            Error::Unreadable("{]"),
            "unreadable",
            Some("{]"),
            "an event of the stream can't be read and was skipped (check the connection and the format): {]",
        ),
        (
            Error::TooLong(9),
            "too_long",
            None,
            "an event of the stream is longer than the limit of 9 bytes and was skipped: raise the limit",
        ),
        (
            Error::Corrupt("it is cut off"),
            "corrupt",
            None,
            "a frame of the stream is corrupt: it is cut off; it was damaged on its way, send the request again",
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
            "too many calls are open at once, or their arguments are too long together: one of read_file was skipped; raise the limit",
        ),
        (
            Error::Foreign(Some(Format::Gemini)),
            "foreign",
            None,
            "nothing in the body is what gemini streams: it is another provider's, or no stream; \
             name its format, or let it be detected",
        ),
        (
            Error::Contradiction("Good evening"),
            "contradiction",
            Some("Good evening"),
            "the provider repeats the message with other words, which were skipped: Good evening",
        ),
        (
            Error::Foreign(None),
            "foreign",
            None,
            "the body is a stream of events, but tells no provider: it breaks off too early, \
             or its provider is not known; if you know its format, name it",
        ),
        (
            Error::Empty(Format::Ollama),
            "empty",
            None,
            "the stream of ollama breaks off before it says anything: send the request again",
        ),
        (
            Error::Binary,
            "binary",
            None,
            "the body is binary, neither text nor a stream of events: it may be compressed; \
             ask the provider for an uncompressed one",
        ),
    ] {
        assert_eq!((error.code(), error.data(), &*error.to_string()), (code, data, message));
    }
}

#[test]
fn a_parser_returns_its_policy_its_limits_and_its_declared_or_detected_format() {
    let policy = Policy::new().with_limits(followup::Limits { question: 7, ..followup::Limits::default() });
    let limits = Limits::default().with_event(9).with_open_calls(3);
    for format in Format::ALL {
        let parser = ResponseParser::new(format, policy.clone()).with_limits(limits);
        assert_eq!((parser.format(), parser.policy(), parser.limits()), (Some(format), &policy, &limits));
    }
    for (body, format) in [
        ("event: message_start\ndata: {\"type\":\"message_start\"}\n\n", Some(Format::Anthropic)),
        ("What next?", Some(Format::Text)),
        (r#"{"question":"#, Some(Format::Json)),
        (r#"{"model":"#, None),
        ("{", None),
    ] {
        let mut parser = ResponseParser::auto(policy.clone());
        assert_eq!(parser.format(), None);
        drop(parser.feed(body.as_bytes()));
        assert_eq!(parser.format(), format, "{body}");
        // After the end it is like a new one.
        drop(parser.finish());
        assert_eq!(parser.format(), None);
    }
    // The last cursor has a format that only the end reveals.
    for (body, format) in [
        ("{", Format::Text),
        // The shape of an error reveals its format.
        (r#"{"error":{"status":"UNAVAILABLE","message":"Later"}}"#, Format::Gemini),
        (r#"{"error":{"message":"Later"}}"#, Format::OpenAiChat),
        (r#"{"error":"Later"}"#, Format::Ollama),
        (r#"{"type":"error","error":{"message":"Later"}}"#, Format::Anthropic),
        (r#"{"type":"error","message":"Later"}"#, Format::OpenAiResponses),
    ] {
        let mut parser = ResponseParser::auto(policy.clone());
        drop(parser.feed(body.as_bytes()));
        let mut events = parser.finish();
        assert_eq!(events.format(), Some(format), "{body}");
        let first = events.next().map(|event| event.map_err(|error| error.to_string()).map(drop));
        let later = Err("the provider reports an error: Later".to_owned());
        assert_eq!(first, Some(if format == Format::Text { Ok(()) } else { later }), "{body}");
    }
}

#[test]
fn every_event_of_a_call_has_its_index_and_the_providers_id() {
    let call = |index: u64, arguments: &str| {
        let function = serde_json::json!({"name": "ask_followup_question", "arguments": arguments});
        let call = serde_json::json!({"index": index, "id": format!("call_{index}"), "function": function});
        format!("data: {}\n\n", serde_json::json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let body = [
        call(0, r#"{"question":"Why?"}"#),
        call(1, r#"{"question":["#),
        call(2, r#"{"question":"How?"}"#),
        // A call in the text has no id.
        "data: {\"choices\":[{\"delta\":{\"content\":\"<ask_followup_question><question>Who?</question></ask_followup_question>\"}}]}\n\n".into(),
        "data: [DONE]\n\n".into(),
    ]
    .concat();
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    let mut calls = Vec::new();
    let mut take = |mut events: followup::wire::Events<'_>| {
        while let Some(event) = events.next() {
            let (kind, index, id) = match event.expect("the body is well-formed") {
                Event::Partial(call) => ("partial", call.index(), call.id()),
                Event::Complete(call) => ("complete", call.index(), call.id()),
                Event::Rejected(call) => ("rejected", call.index(), call.id()),
                Event::Text(_) | Event::Opaque(_) => continue,
            };
            calls.push(format!("{kind} {index} {}", id.unwrap_or("-")));
        }
    };
    take(parser.feed(body.as_bytes()));
    take(parser.finish());
    calls.sort();
    let expected = [
        "complete 0 call_0",
        "complete 2 call_2",
        "complete 3 -",
        "partial 0 call_0",
        "partial 2 call_2",
        "partial 3 -",
        "rejected 1 call_1",
    ];
    assert_eq!(calls, expected);
}
