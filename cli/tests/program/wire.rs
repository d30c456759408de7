//! Tests of `followup parse --wire` with the streams of providers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::common::is_short;

/// Returns the library's golden bodies, each with its format and its expected events.
pub(crate) fn goldens() -> Vec<(String, PathBuf, Vec<Value>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/wire/bodies");
    let mut goldens = Vec::new();
    for provider in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let wire = provider.file_name().unwrap().to_str().unwrap().to_owned();
        for body in fs::read_dir(&provider).unwrap().map(|entry| entry.unwrap().path()) {
            if body.extension().is_some_and(|extension| extension != "json") {
                let meant = serde_json::from_slice(&fs::read(body.with_extension("json")).unwrap()).unwrap();
                goldens.push((wire.clone(), body, meant));
            }
        }
    }
    assert!(goldens.len() >= 54);
    goldens.sort_by(|one, other| one.1.cmp(&other.1));
    goldens
}

fn parse(args: &[&str], body: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_followup"));
    command.arg("parse").args(args).arg(body).env_remove("NO_COLOR").env_remove("RUST_BACKTRACE");
    command.output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the expected exit status: a failure if the body has an error, or a rejection instead of
/// which no other call counts.
fn status(meant: &[Value]) -> i32 {
    let is_failure = |event: &Value| match event["event"].as_str() {
        Some("rejected") => event["reason"] != "superseded",
        kind => kind == Some("error"),
    };
    i32::from(meant.iter().any(is_failure))
}

/// Returns the text up to the first control character, which is shown verbatim.
fn as_shown(text: &str) -> &str {
    text.split(|c: char| c.is_control()).next().unwrap_or_default()
}

#[test]
fn the_format_is_detected_and_every_question_is_printed() {
    for (wire, body, meant) in goldens().into_iter().step_by(if is_short() { 2 } else { 1 }) {
        let output = parse(&["--wire", "auto"], &body);
        let name = body.display();
        assert_eq!(output.status.code(), Some(status(&meant)), "{name}");
        assert_eq!(
            String::from_utf8(output.stderr).unwrap(),
            format!("followup: this is what {wire} streams\n"),
            "{name}"
        );
        let shown = String::from_utf8(output.stdout).unwrap();
        for event in &meant {
            let question = event["question"].as_str().unwrap_or_default();
            let first = as_shown(question);
            assert!(shown.contains(&format!("? {first}")) || first.is_empty(), "{name}: {question:?} in\n{shown}");
            for one in event["suggest"].as_array().into_iter().flatten() {
                let answer = as_shown(one["answer"].as_str().unwrap());
                assert!(shown.contains(answer), "{name}: {answer:?} in\n{shown}");
            }
        }
    }
}

#[test]
fn events_are_the_same_for_every_chunk_and_have_the_providers_id() {
    for (i, (wire, body, meant)) in goldens().into_iter().enumerate().step_by(if is_short() { 2 } else { 1 }) {
        let read = |chunk: &str| {
            let output = parse(&["--json", "--wire", &wire, "--chunk", chunk], &body);
            assert_eq!(String::from_utf8(output.stderr.clone()).unwrap(), "");
            assert_eq!(output.status.code(), Some(status(&meant)));
            let mut events = lines(&output);
            for event in &mut events {
                event.as_object_mut().unwrap().remove("at");
            }
            events
        };
        let events = read("1000000");
        for chunk in ["1", "random:3"].iter().cycle().skip(i / 2).take(if is_short() { 1 } else { 2 }) {
            assert_eq!(events, read(chunk), "{}", body.display());
        }
        let ends = |events: &[Value]| -> Vec<(Value, Value, Value)> {
            let ended = events.iter().filter(|event| matches!(event["event"].as_str(), Some("complete" | "rejected")));
            ended.map(|event| (event["call"].clone(), event["id"].clone(), event["question"].clone())).collect()
        };
        assert_eq!(ends(&events), ends(&meant), "{}", body.display());
    }
}

#[test]
fn a_call_that_is_native_without_an_id_says_so() {
    let call = r#"{"name":"ask_followup_question","args":{"question":"Tea?"}}"#;
    let of = |part: &str| {
        let body = file(&format!(r#"{{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}"#));
        let output = parse(&["--json", "--wire", "gemini"], body.path());
        let ended = lines(&output).into_iter().find(|event| event["question"] == "Tea?" && event["span"].is_array());
        let ended = ended.unwrap();
        (ended["id"].clone(), ended["native"].clone())
    };
    let markup = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    assert_eq!(of(&format!(r#"{{"functionCall":{call}}}"#)), (Value::Null, json!(true)));
    assert_eq!(
        of(&format!(r#"{{"functionCall":{}}}"#, call.replacen('{', r#"{"id":"7","#, 1))),
        (json!("7"), Value::Null)
    );
    assert_eq!(of(&format!(r#"{{"text":"{markup}"}}"#)), (Value::Null, Value::Null));
}

fn file(text: &str) -> tempfile::NamedTempFile {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    file
}

#[test]
fn text_is_the_default_and_json_is_bare_arguments() {
    let sse = "data: {\"choices\":[]}\n\n";
    let shown = |args: &[&str], text: &str| {
        let output = parse(args, file(text).path());
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(shown(&[], sse).0, sse);
    let arguments = r#" {"question": "Which?", "follow_up": ["A", {"text": "B", "mode": "code"}]}"#;
    let question = "? Which?\n\n  1. A\n  2. [code] B\n";
    assert_eq!(shown(&["--wire", "json"], arguments).0, question);
    let message = "followup: these are the arguments of a native call (json)\n";
    assert_eq!(shown(&["--wire", "auto"], arguments), (question.to_owned(), message.to_owned()));
    let message = "followup: this is a message as plain text (text)\n";
    assert_eq!(shown(&["--wire", "auto"], "Hm.\n"), ("Hm.\n".to_owned(), message.to_owned()));
}

#[test]
fn errors_in_a_stream_are_events() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: oops\n\n\
        data: {\"error\":{\"message\":\"No \\u001b[31mmore\"}}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n";
    let output = parse(&["--wire", "openai-chat"], file(body).path());
    let shown = "a\n✗ error: an event of the stream can't be read and was skipped (check the connection and the format): oops\n\
        ✗ error: the provider reports an error: No ␛[31mmore\nb";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), shown);
    assert_eq!(output.status.code(), Some(1));
    let events = lines(&parse(&["--wire", "openai-chat", "--json"], file(body).path()));
    let kinds: Vec<_> = events.iter().map(|event| event["kind"].as_str().unwrap_or_default()).collect();
    assert_eq!(kinds, ["", "unreadable", "provider", ""]);
    assert_eq!(events[2]["message"], "No \u{1b}[31mmore");
    let formats: Vec<_> = events.iter().map(|event| event["format"].as_str().unwrap_or_default()).collect();
    assert_eq!(formats, ["", "openai-chat", "openai-chat", ""]);
}

#[test]
fn a_body_in_another_format_is_an_error() {
    for (wire, body) in [
        ("gemini", "data: {\"type\":\"message_start\"}\n\n"),
        ("anthropic", "<html>502 Bad Gateway</html>"),
        ("openai-chat", "{\"status\":\"Not Found\"}"),
        ("ollama", "\u{1f}\u{8b}\u{8}junk"),
    ] {
        let output = parse(&["--wire", wire], file(body).path());
        assert_eq!(output.status.code(), Some(1), "{wire}");
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.contains(&format!("✗ error: nothing in the body is what {wire} streams")), "{shown}");
    }
    let nothing = parse(&["--wire", "auto"], file("").path());
    assert_eq!((nothing.status.code(), nothing.stdout, nothing.stderr), (Some(0), Vec::new(), Vec::new()));
}

#[test]
fn a_stream_that_tells_no_provider_is_no_text() {
    for (body, kind) in [
        (": waiting\n\n", "foreign"),
        ("data: [DONE]\n\n", "foreign"),
        ("data: {\"metadata\":{},\"text\":\"Hm.\"}\n\n", "foreign"),
        ("data: {\"choices\":[{\"delta\":{\"con", "unreadable"),
        ("data: {\"type\":\"message_start\"}\n\n", "empty"),
        ("\u{1f}\u{8b}\u{8}junk", "binary"),
    ] {
        let output = parse(&["--wire", "auto", "--json"], file(body).path());
        assert_eq!(output.status.code(), Some(1), "{body}");
        let events = lines(&output);
        assert!(matches!(&*events, [error] if error["kind"] == kind), "{body}: {events:?}");
    }
}

#[test]
fn json_contains_what_could_not_be_read() {
    let data = "{\"choices\":".repeat(100);
    let body = format!("data: {data}\n\ndata: {{\"choices\":[{{\"delta\":{{\"content\":\"b\"}}}}]}}\n\n");
    let events = lines(&parse(&["--wire", "openai-chat", "--json"], file(&body).path()));
    assert_eq!((&events[0]["kind"], &events[0]["data"]), (&"unreadable".into(), &data.into()));
}

#[test]
fn a_lone_error_is_detected_by_its_shape() {
    for (wire, body) in [
        ("anthropic", "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"No\"}}\n\n"),
        (
            "openai-chat",
            "{\n  \"error\": {\n    \"message\": \"No\",\n    \"type\": \"invalid_request_error\"\n  }\n}\n",
        ),
        ("openai-responses", "data: {\"type\":\"error\",\"message\":\"No\"}\n\n"),
        (
            "gemini",
            "[{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"No\",\n    \"status\": \"UNAVAILABLE\"\n  }\n}\n]",
        ),
        ("ollama", "{\"error\":\"No\"}\n"),
        ("bedrock", "{\"throttlingException\":{\"message\":\"No\"}}\n"),
    ] {
        let output = parse(&["--wire", "auto"], file(body).path());
        assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("followup: this is what {wire} streams\n"));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "✗ error: the provider reports an error: No\n");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_question_in_the_reasoning_is_found_on_request() {
    let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    let body = format!("{{\"model\":\"m\",\"message\":{{\"thinking\":\"Hm. {call}\"}},\"done\":true}}\n");
    let body = file(&body);
    for args in [&["--wire", "ollama"][..], &["--wire", "auto"]] {
        let shown = |more: &[&str]| {
            let output = parse(&[args, more].concat(), body.path());
            assert_eq!(output.status.code(), Some(0));
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(shown(&[]), "");
        let found = shown(&["--reasoning"]);
        assert!(found.starts_with("? Tea?\n") && !found.contains("Hm."), "{found}");
    }
    let events = lines(&parse(&["--wire", "ollama", "--reasoning", "--json"], body.path()));
    assert_eq!(events.last().unwrap()["notes"], json!(["the call was in the model's reasoning"]));
    let record = json!({"content": std::fs::read_to_string(body.path()).unwrap()}).to_string();
    let args = ["--records", "--wire", "ollama", "--reasoning"];
    let record = lines(&parse(&args, file(&record).path()));
    assert_eq!(record[0]["events"][0]["question"], "Tea?");
}

#[test]
fn a_question_that_came_twice_is_printed_once() {
    let call = "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Tea?\"}}</tool_call>";
    let native = json!({"name": "ask_followup_question", "arguments": {"question": "Tea?"}});
    let line = json!({"model": "m", "message": {"content": call, "tool_calls": [{"function": native}]}, "done": true});
    let body = file(&line.to_string());
    let output = parse(&["--wire", "ollama"], body.path());
    assert_eq!((output.status.code(), &*String::from_utf8(output.stdout).unwrap()), (Some(0), "? Tea?\n"));
    let events = lines(&parse(&["--wire", "ollama", "--json", "--no-partials"], body.path()));
    let ends: Vec<_> = events.iter().map(|event| (&event["event"], &event["call"], &event["reason"])).collect();
    assert_eq!(
        ends,
        [(&json!("complete"), &json!(1), &json!(null)), (&json!("rejected"), &json!(0), &json!("superseded"))]
    );
}

#[test]
fn an_unknown_format_is_a_usage_error() {
    let output = parse(&["--wire", "grok"], Path::new("-"));
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("openai-chat") && message.contains("'grok'"), "{message}");
}
