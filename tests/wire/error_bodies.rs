//! The bodies of responses whose HTTP status is an error, in the shapes that providers document.

use crate::normal::lines;

use followup::Policy;
use followup::wire::{Format, ResponseParser};

/// A body for each format, and the message in it.
const BODIES: &[(Format, &str, &str)] = &[
    (
        Format::OpenAiChat,
        r#"{"error":{"message":"Incorrect API key","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#,
        "Incorrect API key",
    ),
    (
        Format::OpenAiChat,
        r#"{"object":"error","message":"The model does not exist.","type":"NotFoundError","code":404}"#,
        "The model does not exist.",
    ),
    (Format::OpenAiChat, r#"{"detail":"Not Found"}"#, "Not Found"),
    (Format::OpenAiChat, r#"{"message":"Unauthorized","request_id":"r"}"#, "Unauthorized"),
    (
        Format::OpenAiResponses,
        r#"{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
        "Rate limit reached",
    ),
    (
        Format::OpenAiAssistants,
        r#"{"error":{"message":"No thread found","type":"invalid_request_error","param":null,"code":null}}"#,
        "No thread found",
    ),
    (
        Format::Anthropic,
        r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}"#,
        "Overloaded",
    ),
    (
        Format::Gemini,
        "{\n  \"error\": {\n    \"code\": 400,\n    \"message\": \"API key not valid.\",\n    \"status\": \"INVALID_ARGUMENT\"\n  }\n}\n",
        "API key not valid.",
    ),
    (Format::Gemini, "[{\n  \"error\": {\"code\": 429, \"message\": \"Quota.\", \"status\": \"X\"}\n}\n]", "Quota."),
    (Format::GeminiInteractions, r#"{"error":{"message":"Not found.","code":"not_found"}}"#, "Not found."),
    (Format::Bedrock, r#"{"message":"Too many requests"}"#, "Too many requests"),
    (Format::Bedrock, r#"{"Message":"User is not authorized"}"#, "User is not authorized"),
    (Format::Bedrock, r#"{"__type":"AccessDeniedException","message":"No access"}"#, "No access"),
    (Format::Ollama, r#"{"error":"model \"llama9\" not found"}"#, r#"model \"llama9\" not found"#),
    (Format::Cohere, r#"{"id":"1","message":"invalid api token"}"#, "invalid api token"),
    (
        Format::WorkersAi,
        r#"{"result":null,"success":false,"errors":[{"code":10000,"message":"Authentication error"}],"messages":[]}"#,
        "Authentication error",
    ),
    (
        Format::Watsonx,
        r#"{"errors":[{"code":"token_expired","message":"The token has expired."}],"trace":"t","status_code":401}"#,
        "The token has expired.",
    ),
    (
        Format::DashScope,
        r#"{"code":"InvalidApiKey","message":"Invalid API-key provided.","request_id":"r"}"#,
        "Invalid API-key provided.",
    ),
    (
        Format::Replicate,
        r#"{"title":"Unauthenticated","detail":"You did not pass a token","status":401}"#,
        "You did not pass a token",
    ),
];

#[test]
fn an_error_body_of_every_provider_is_one_error_with_its_message() {
    for format in Format::ALL.into_iter().filter(|format| !matches!(format, Format::Text | Format::Json)) {
        assert!(BODIES.iter().any(|(of, ..)| *of == format), "{format}");
    }
    for (format, body, message) in BODIES {
        let expected = [format!("Err(Provider(\"{message}\"))")];
        for size in [1, body.len()] {
            let mut parser = ResponseParser::new(*format, Policy::new());
            assert_eq!(lines(&mut parser, body.as_bytes().chunks(size)), expected, "{format}: {body}");
        }
    }
}

/// A message alone is no error: it could be any JSON.
#[test]
fn an_error_body_whose_provider_is_not_known_is_the_same_error() {
    for (format, body, message) in BODIES {
        let keys: serde_json::Value = serde_json::from_str(body).unwrap();
        if keys.as_object().is_some_and(|keys| keys.keys().all(|key| matches!(&**key, "message" | "Message" | "id"))) {
            continue;
        }
        let expected = [format!("Err(Provider(\"{message}\"))")];
        for size in [1, body.len()] {
            let mut parser = ResponseParser::auto(Policy::new());
            assert_eq!(lines(&mut parser, body.as_bytes().chunks(size)), expected, "{format}: {body}");
        }
    }
}

#[test]
fn an_error_of_any_shape_inside_a_chat_is_an_error() {
    let text = r#"{"choices":[{"index":0,"delta":{"content":"Hm."}}]}"#;
    for error in [
        r#"{"error":{"message":"no"}}"#,
        r#"{"error":"no","choices":null}"#,
        r#"{"object":"error","message":"no","type":"BadRequestError","code":400}"#,
        r#"{"type":"error","message":"no"}"#,
        r#"{"detail":"no"}"#,
        r#"{"errors":[{"message":"no"}]}"#,
        r#"{"error":"no","message":"The same in more words.","statusCode":400}"#,
    ] {
        let body = format!("data: {text}\n\nevent: error\ndata: {error}\n\ndata: [DONE]\n\n");
        let expected = [r#"Ok(Text("Hm."))"#, r#"Err(Provider("no"))"#];
        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
        assert_eq!(lines(&mut parser, [body.as_bytes()]), expected, "{error}");
    }
    let usage = r#"{"choices":[],"usage":{"total_tokens":3},"message":"none"}"#;
    let body = format!("data: {text}\n\ndata: {usage}\n\n");
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    assert_eq!(lines(&mut parser, [body.as_bytes()]), [r#"Ok(Text("Hm."))"#]);
}

/// The server of llama.cpp reports an error in a field `error`, in both forms.
#[test]
fn an_error_in_a_field_of_its_own_is_an_error_in_every_format() {
    let text = r#"{"choices":[{"index":0,"delta":{"content":"Hel"}}]}"#;
    let flat = r#"{"code":500,"message":"context size exceeded","type":"server_error"}"#;
    let nested = format!(r#"{{"error":{flat}}}"#);
    for (error, message) in
        [(flat, "context size exceeded"), (&*nested, "context size exceeded"), ("{\"a\":1}", "{\\\"a\\\":1}")]
    {
        let provider = format!("Err(Provider(\"{message}\"))");
        let after_text = format!("data: {text}\n\nerror: {error}\n\n");
        let alone = format!("error: {error}\n\n");
        let expected = [r#"Ok(Text("Hel"))"#.to_owned(), provider.clone()];
        for size in [1, 5, 1 << 10] {
            let of = |mut parser: ResponseParser, body: &str| lines(&mut parser, body.as_bytes().chunks(size));
            assert_eq!(of(ResponseParser::new(Format::OpenAiChat, Policy::new()), &after_text), expected);
            assert_eq!(of(ResponseParser::auto(Policy::new()), &after_text), expected);
            assert_eq!(of(ResponseParser::auto(Policy::new()), &alone), expected[1..]);
            for format in Format::ALL.into_iter().filter(|format| !matches!(format, Format::Text | Format::Json)) {
                assert_eq!(of(ResponseParser::new(format, Policy::new()), &alone), expected[1..], "{format}");
            }
        }
    }
}

#[test]
fn text_that_begins_with_the_word_error_is_text() {
    for text in ["e", "error", "error:", "error: ", "error: no", "error: {no", "errors", "err\nerror: {\"a\":1}\n"] {
        for size in [1, text.len()] {
            let mut parser = ResponseParser::auto(Policy::new());
            let texts = lines(&mut parser, text.as_bytes().chunks(size));
            let all: String = texts.iter().map(|line| line.replace("Ok(Text(\"", "").replace("\"))", "")).collect();
            assert_eq!(all, text.escape_debug().to_string(), "{texts:?}");
        }
    }
}

#[test]
fn an_event_that_says_that_it_is_an_error_is_one_whatever_it_has() {
    for (format, error, message) in [
        (Format::Anthropic, r#"{"type":"error"}"#, r#"{\"type\":\"error\"}"#),
        (Format::Anthropic, r#"{"type":"error","message":"no"}"#, "no"),
        (Format::Anthropic, r#"{"type":"error","error":null,"detail":"no"}"#, "no"),
        (Format::OpenAiResponses, r#"{"type":"error"}"#, r#"{\"type\":\"error\"}"#),
        (Format::OpenAiResponses, r#"{"type":"error","error":null,"message":"no"}"#, "no"),
        (
            Format::OpenAiResponses,
            r#"{"type":"error","message":"","code":"x"}"#,
            r#"{\"type\":\"error\",\"message\":\"\",\"code\":\"x\"}"#,
        ),
        (Format::GeminiInteractions, r#"{"event_type":"error","message":"no"}"#, "no"),
        (Format::OpenAiAssistants, r#"{"object":"error","detail":"no"}"#, "no"),
        (Format::Bedrock, r#"{"modelTimeoutException":{"message":"no"}}"#, "no"),
        (Format::DashScope, r#"{"code":400,"message":"no","request_id":"r"}"#, "no"),
    ] {
        let expected = [format!("Err(Provider(\"{message}\"))")];
        let body = format!("data: {error}\n\n");
        for size in [1, body.len()] {
            let mut parser = ResponseParser::new(format, Policy::new());
            assert_eq!(lines(&mut parser, body.as_bytes().chunks(size)), expected, "{format}: {error}");
        }
    }
}
