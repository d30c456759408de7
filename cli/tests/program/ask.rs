//! Tests of `followup ask` without a terminal.

use std::process::Output;

use crate::common::{ends, run};
use followup::dialogue::Dialect;
use serde_json::{Value, json};

const MESSAGE: &str = "Hm. <ask_followup_question><question>Which?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question> Done.";
const BAD: &str = "<ask_followup_question></ask_followup_question>";

fn ask(args: &[&str], message: &str) -> Output {
    let args: Vec<&str> = ["ask"].iter().chain(args).copied().collect();
    run(&args, message)
}

#[test]
fn a_question_is_answered_without_a_person() {
    for (args, reply) in [
        (&["--answer", "2"][..], "<answer>\nThat\n</answer>\n"),
        (&["--text", " Neither,\nreally "], "<answer>\n Neither,\nreally \n</answer>\n"),
        (&["--answer", "1", "--dialect", "roo-code-latest"], "<user_message>\nThis\n</user_message>\n"),
    ] {
        assert_eq!(ends(&ask(args, MESSAGE), 0), (reply.to_owned(), String::new()));
    }
    let unneeded =
        "followup: there were more answers than questions: 1 not used\nfollowup: there was no question in it\n";
    assert_eq!(ends(&ask(&["--answer", "1"], "No question."), 0), (String::new(), unneeded.to_owned()));
}

#[test]
fn a_provider_stream_read_as_text_is_reported() {
    let body = "data: {\"choices\":[]}\n\n";
    let (_, err) = ends(&ask(&["--answer", "1"], body), 0);
    assert!(
        err.contains("there was no question in it; it looks like what a provider streams: try --wire auto"),
        "{err}"
    );
}

#[test]
fn a_file_that_can_not_be_read_has_one_message() {
    for path in ["no-such-file", "src"] {
        for args in [&["--answer", "1"][..], &["--answer", "1", "--answer", "2"], &["--text", "A"]] {
            let (out, err) = ends(&ask(&[args, &[path]].concat(), ""), 1);
            assert!(out.is_empty() && err.starts_with(&format!("followup: can't read {path}: ")), "{err}");
            assert!(err.lines().count() == 1 && !err.contains("os error"), "{err}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_fails_while_it_is_read_has_one_message() {
    let (_, err) = ends(&ask(&["--answer", "1", "/proc/self/mem"], ""), 1);
    assert_eq!(err, "followup: can't read /proc/self/mem: input/output error\n");
}

#[test]
fn an_error_in_a_stream_is_reported() {
    let body = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let (out, err) = ends(&ask(&["--answer", "1", "--wire", "anthropic"], body), 1);
    assert!(out.is_empty() && err.contains("Overloaded"), "{err}");
}

#[test]
fn replies_are_in_order_and_a_rejected_call_has_a_correction() {
    let message = [MESSAGE, BAD, MESSAGE].concat();
    let (out, _) = ends(&ask(&["--answer", "1", "--answer", "2"], &message), 1);
    assert_eq!(out, "<answer>\nThis\n</answer>\nMissing required parameter 'question'\n<answer>\nThat\n</answer>\n");
    let (out, _) = ends(&ask(&["--answer", "1", "--dialect", "kilo-code-zh"], BAD), 1);
    assert_eq!(out, "缺少必需的参数 'question'\n");
}

#[test]
fn an_answer_to_no_suggestion_or_question_is_an_error() {
    let (out, err) = ends(&ask(&["--answer", "3"], MESSAGE), 1);
    assert_eq!((&*out, &*err), ("", "followup: question 1: the question has no such suggestion: it has 2\n"));
    let (out, err) = ends(&ask(&["--text", "A"], &[MESSAGE, MESSAGE].concat()), 1);
    assert_eq!(out, "<answer>\nA\n</answer>\n");
    assert!(err.contains("question 2 was not answered"), "{err}");
    ends(&ask(&["--answer", "0"], MESSAGE), 2);
    ends(&ask(&["--answer", "1", "--text", "A"], MESSAGE), 2);
}

/// The results of a turn come together, before the user's message.
#[test]
fn the_replies_to_one_message_are_one_turn() {
    let call = |id: &str| {
        let arguments = json!({"question": "Q?", "follow_up": [{"text": "A"}]}).to_string();
        json!({"id": id, "function": {"name": "ask_followup_question", "arguments": arguments}})
    };
    let body = json!({"choices": [{"index": 0, "delta": {"tool_calls": [call("c1"), call("c2")]}}]});
    let body = format!("data: {body}\n\ndata: [DONE]\n\n");
    let image = tempfile::Builder::new().suffix(".gif").tempfile().unwrap();
    std::fs::write(image.path(), b"GIF89a").unwrap();
    let image = ["--image", image.path().to_str().unwrap()];
    let messages = |format| -> Vec<Value> {
        let args = ["--wire", "openai-chat", "--text", "A", "--text", "B", "--format", format];
        let args = [&args[..], &image].concat();
        ends(&ask(&args, &body), 0).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let roles: Vec<_> = messages("openai-chat").iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["tool", "tool", "user"]);
    assert_eq!(messages("anthropic").len(), 1);
}

#[test]
fn a_reply_has_the_format_of_its_provider() {
    let body = "{\"message\":{\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\
        {\"question\":\"Q?\",\"options\":[\"A\"]}}}]}}\n";
    let image = tempfile::Builder::new().suffix(".gif").tempfile().unwrap();
    std::fs::write(image.path(), b"GIF89a").unwrap();
    let args = |format: &'static str| ["--wire", "ollama", "--answer", "1", "--format", format];
    let messages = |args: &[&str]| -> Vec<Value> {
        ends(&ask(args, body), 0).0.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let text = "<answer>\nA\n</answer>";
    assert_eq!(messages(&args("openai-chat")), [json!({"role": "tool", "tool_call_id": "c1", "content": text})]);
    assert_eq!(
        messages(&args("openai-responses")),
        [json!({"type": "function_call_output", "call_id": "c1", "output": text})]
    );
    let tool = "ask_followup_question";
    let response = json!({"id": "c1", "name": tool, "response": {"output": text}});
    assert_eq!(messages(&args("gemini")), [json!({"role": "user", "parts": [{"functionResponse": response}]})]);
    let result = json!({"toolUseId": "c1", "content": [{"text": text}]});
    assert_eq!(messages(&args("bedrock-converse")), [json!({"role": "user", "content": [{"toolResult": result}]})]);
    assert_eq!(
        messages(&args("ollama")),
        [json!({"role": "tool", "tool_name": tool, "tool_call_id": "c1", "content": text})]
    );
    let mut with_image = args("json").to_vec();
    with_image.extend(["--image", image.path().to_str().unwrap()]);
    assert_eq!(
        messages(&with_image),
        [
            json!({"kind": "answer", "number": 0, "id": "c1", "tool": "ask_followup_question", "text": text, "images": ["data:image/gif;base64,R0lGODlh"]})
        ]
    );
    let (_, err) = ends(&ask(&["--answer", "1", "--format", "json", "--image", "Cargo.toml"], MESSAGE), 1);
    let (_, why) = ends(&ask(&["--answer", "1", "--image", image.path().to_str().unwrap()], MESSAGE), 2);
    assert!(why.contains("replies as text have no images"), "{why}");
    ends(&ask(&["--text", "  "], MESSAGE), 2);
    assert!(err.contains("not a PNG, JPEG, GIF or WebP"), "{err}");
}

#[test]
fn the_documented_dialects_are_the_built_in_ones() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/dialects.md")).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    assert_eq!(toml::from_str::<Dialect>(text).unwrap(), Dialect::roo_code());
    for name in Dialect::NAMES {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
        let dialect = Dialect::named(name).unwrap();
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |"))).unwrap();
        assert!(row.contains(&format!("| `{}` |", dialect.reply.open)), "{row}");
        assert_eq!(row.ends_with("| is rejected |"), dialect.follow_up_required, "{row}");
    }
}

#[test]
fn a_dialect_may_be_a_file() {
    let file = |suffix: &str, text: &str| {
        let file = tempfile::Builder::new().suffix(suffix).tempfile().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    };
    let own = "name = 'ours'\n[reply]\nopen = '<r>'\nclose = '</r>'\n[messages]\nmissing_parameter = 'Where is {parameter}?'\n";
    let own = file(".toml", own);
    let args = ["--answer", "1", "--dialect", own.path().to_str().unwrap()];
    assert_eq!(ends(&ask(&args, &[MESSAGE, BAD].concat()), 1).0, "<r>\nThis\n</r>\nWhere is question?\n");
    let bad = file(".json", "{\"nmae\": \"ours\"}");
    let (_, err) = ends(&ask(&["--answer", "1", "--dialect", bad.path().to_str().unwrap()], MESSAGE), 1);
    assert!(err.contains("there is no field \"nmae\""), "{err}");
    let (_, err) = ends(&ask(&["--answer", "1", "--dialect", "klingon"], MESSAGE), 2);
    assert!(err.contains("it is one of roo-code, "), "{err}");
}
