//! Tests of `followup ask` about calls of other agents' question tools, without a terminal.

use std::fs;
use std::process::Output;

use followup::Policy;
use followup::dialogue::{Answer, Dialogue, FormAnswer, Reply, Setup, Template};
use followup::wire::{Format, ResponseParser};
use serde_json::{Value, json};

use crate::common::{ends, run};

/// The body of a provider whose model asks three questions: the second takes several answers.
pub(crate) const BODY: &str = include_str!("../../../examples/responses/anthropic-form.sse");

fn ask(args: &[&str]) -> Output {
    run(&[&["ask", "--wire", "anthropic"], args].concat(), BODY)
}

/// Returns the reply of a dialogue to the call.
pub(crate) fn reply(answer: Answer) -> Reply {
    reply_with(Setup::default(), answer)
}

/// Returns the reply of a dialogue to a person who wants to talk about the call.
pub(crate) fn discussed(answers: &[FormAnswer]) -> String {
    asked(Setup::default()).discuss(0, answers.to_vec()).unwrap().text
}

fn reply_with(setup: Setup, answer: Answer) -> Reply {
    asked(setup).answer(0, answer, Vec::new()).unwrap()
}

/// Returns a dialogue in which the call is open.
fn asked(setup: Setup) -> Dialogue {
    let mut dialogue = Dialogue::new(setup);
    let mut parser = ResponseParser::new(Format::Anthropic, Policy::new());
    let mut events = parser.feed(BODY.as_bytes());
    while let Some(event) = events.next() {
        let _ = dialogue.event(event.unwrap());
    }
    dialogue
}

fn answers() -> Answer {
    Answer::Form(vec![FormAnswer::picked([0]), FormAnswer::picked([0, 2]), FormAnswer::text("On Monday")])
}

#[test]
fn a_form_is_answered_by_json() {
    let json = serde_json::to_string(&answers()).unwrap();
    let (out, err) = ends(&ask(&["--answer-json", &json]), 0);
    assert_eq!((out, &*err), (reply(answers()).text + "\n", ""));
    let (out, _) = ends(&ask(&["--answer-json", r#"{"form":[{},{"text":"Any"},{}]}"#]), 0);
    let partly = vec![FormAnswer::default(), FormAnswer::text("Any"), FormAnswer::default()];
    assert_eq!(out, reply(Answer::Form(partly)).text + "\n");
}

#[test]
fn each_question_of_a_form_takes_an_answer_of_the_command_line() {
    let (out, err) = ends(&ask(&["--answer", "1", "--answer", "3", "--answer", "2"]), 0);
    let picked = [[0], [2], [1]].map(FormAnswer::picked);
    assert_eq!((out, &*err), (reply(Answer::Form(picked.into())).text + "\n", ""));
    let (out, err) = ends(&ask(&["--text", "A", "--text", "B"]), 1);
    assert_eq!(
        (&*out, &*err),
        (
            "",
            "followup: call 1 was not answered: it has 3 questions, and the answers left are 2; give --answer or --text once for each, or --answer-json\n"
        )
    );
}

#[test]
fn an_answer_that_the_form_does_not_accept_is_an_error() {
    for (json, why) in [
        (r#"{"form":[{},{}]}"#, "call 1: the number of questions is 3, and that of answers 2"),
        (r#"{"form":[{"picked":[2]},{},{}]}"#, "call 1: question 1 has no such option: it has 2"),
        (r#"{"form":[{"picked":[0,1]},{},{}]}"#, "call 1: only one option of question 1 may be picked"),
        (r#"{"form":[{},{},{}]}"#, "call 1: nothing is answered"),
        (r#"{"form":[{},{"text":" ","note":""},{}]}"#, "call 1: nothing is answered"),
        (r#"{"form":[{},{"picked":[1,1]},{}]}"#, "call 1: an option of question 2 was picked twice"),
        (
            r#"{"text":"A"}"#,
            "call 1 was not answered: it has 3 questions, and the answers left are 1; give --answer or --text once for each, or --answer-json",
        ),
    ] {
        let (out, err) = ends(&ask(&["--answer-json", json]), 1);
        assert_eq!((&*out, err), ("", format!("followup: {why}\n")), "{json}");
    }
}

#[test]
fn an_answer_that_is_no_answer_is_a_usage_error() {
    for (json, why) in [
        ("{", "it ends too early"),
        ("[]", "it is a list, and should be"),
        (r#"{"form":[{"pick":[0]}]}"#, "there is no field \"pick\"; there are picked, text, note"),
        (r#"{"form":[{"picked":0}]}"#, "it is the number 0, and should be a list"),
        (r#"{"forms":[]}"#, "there is no \"forms\"; there are suggestion, edited, text, form"),
    ] {
        let (out, err) = ends(&ask(&["--answer-json", json]), 2);
        assert!(out.is_empty() && err.starts_with(&format!("followup: can't use --answer-json {json}: ")), "{err}");
        assert!(err.contains(why) && err.contains("Options count from 0"), "{err}");
    }
    ends(&ask(&["--answer-json", "{}", "--answer", "1"]), 2);
}

#[test]
fn the_reply_to_a_form_has_the_format_of_its_provider() {
    let json = serde_json::to_string(&answers()).unwrap();
    let sent = |format| -> Value {
        let (out, _) = ends(&ask(&["--answer-json", &json, "--format", format]), 0);
        serde_json::from_str(&out).unwrap()
    };
    let reply = reply(answers());
    assert_eq!(sent("json"), serde_json::to_value(&reply).unwrap());
    let result = &sent("anthropic")["content"][0];
    assert_eq!((&result["type"], &result["tool_use_id"]), (&json!("tool_result"), &json!("toolu_9")));
    assert_eq!(sent("openai-chat"), json!({"role": "tool", "tool_call_id": "toolu_9", "content": reply.text}));
}

#[test]
fn a_template_words_the_reply_to_its_tool() {
    let answer = serde_json::to_string(&answers()).unwrap();
    let answered = |template: &str| ask(&["--answer-json", &answer, "--template", template]);
    let setup = Setup::default().with_template("AskUserQuestion", Template::named("gemini").unwrap());
    let (out, err) = ends(&answered("AskUserQuestion=gemini"), 0);
    assert_eq!((out, &*err), (reply_with(setup, answers()).text + "\n", ""));
    let (out, _) = ends(&answered("ask_user=gemini"), 0);
    assert_eq!(out, reply(answers()).text + "\n", "of another tool");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    fs::write(&path, "answered = \"<all>{entries}</all>\"\nbetween_entries = \"|\"\n[entry]\npicked = \"{answer}\"\n")
        .unwrap();
    let (out, _) = ends(&answered(&format!("AskUserQuestion={}", path.display())), 0);
    assert!(out.starts_with("<all>") && out.matches('|').count() == 2, "{out}");
}

#[test]
fn an_error_in_a_template_says_what_is_expected() {
    let refused = |template: &str, status| ends(&ask(&["--answer", "1", "--template", template]), status).1;
    let expected = "write TOOL=NAME or TOOL=FILE, such as ask_user=gemini";
    for template in ["gemini", "=gemini", "ask_user="] {
        assert_eq!(refused(template, 2), format!("followup: --template {template}: {expected}\n"));
    }
    let error = refused("ask_user=klingon", 2);
    assert!(error.contains(r#"there is no template "klingon": it is one of general, claude"#), "{error}");
    for args in
        [&["--template", "AskUserQuestoin=gemini"][..], &["--template", "ask_user=gemini", "--shapes", "claude"]]
    {
        let (_, error) = ends(&ask(&[&["--answer", "1"], args].concat()), 2);
        let tool = args[1].split_once('=').unwrap().0;
        let begin = format!("followup: --template {}: {tool} is no question tool that is read: there are ", args[1]);
        assert!(error.starts_with(&begin) && error.contains("AskUserQuestion"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.json");
    fs::write(&path, "{\"answered\":\n\"{entry}\"}").unwrap();
    let error = refused(&format!("ask_user={}", path.display()), 1);
    assert!(error.contains("as --template: line 2, column 10: the placeholder {entry} is not known here"), "{error}");
}
