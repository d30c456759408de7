//! Built-in templates by name, and what the dialogue says of a call that ended or was rejected.

use followup::dialogue::{
    Answer, AnswerErrorKind, Dialogue, Directive, Finding, FormAnswer, MessageFormat, Question, Rejection, Template,
    Turn,
};
use serde_json::{Value, json};

use crate::common::{asked, asked_by};

/// Two questions, of which the second may have several answers.
fn two() -> Value {
    json!({"questions": [
        {"question": "Which?", "options": [{"label": "X"}, {"label": "Y"}]},
        {"question": "And?", "multiSelect": true, "options": [{"label": "V"}, {"label": "W"}]},
    ]})
}

#[test]
fn templates_and_formats_are_found_by_their_names() {
    for name in Template::NAMES {
        assert_eq!(Template::named(name).unwrap().name, name);
    }
    for format in MessageFormat::ALL {
        assert_eq!(MessageFormat::named(format.name()), Some(format));
    }
    assert_eq!((Template::named(""), MessageFormat::named("")), (None, None));
}

#[test]
fn the_user_is_told_which_parameter_of_the_tool_is_missing() {
    for name in Template::NAMES {
        let parameter = match name {
            "mcp" | "copilot-form" => "requestedSchema",
            "acp" => "options",
            "droid" => "questionnaire",
            "hermes" | "copilot" | "cline" | "zed" => "question",
            "confirm" => "message",
            _ => "questions",
        };
        let dialogue = asked_by("opencode", Some(name), &"{}");
        let Some(Turn::Corrected { correction, .. }) = dialogue.history().last() else { panic!("{name}") };
        assert_eq!(correction.user, format!("Missing required parameter '{parameter}'"), "{name}");
    }
}

#[test]
fn pi_says_so_when_its_questions_were_cancelled() {
    let cancelled = asked_by("opencode", Some("pi"), &two()).cancel(0).unwrap();
    assert_eq!((&*cancelled.text, cancelled.is_error), ("User cancelled the questionnaire", false));
}

#[test]
fn two_questions_of_hermes_without_ids_go_back_as_a_batch() {
    let arguments =
        json!({"questions": [{"question": "Tea?", "choices": ["Yes"]}, {"question": "Milk?", "choices": ["No"]}]});
    let mut dialogue = asked_by("hermes", None, &arguments);
    let answers = vec![FormAnswer::picked([0]), FormAnswer::picked([0])];
    let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
    assert!(reply.text.starts_with(r#"{"responses": ["#), "{}", reply.text);
}

#[test]
fn the_advice_of_a_question_is_that_of_the_dialogue_that_asks_it() {
    let mut dialogue = Dialogue::default();
    let json = r#"{"number": 0, "question": "Tea?", "suggest": [{"answer": "[path]"}, {"answer": "No"}]}"#;
    let Directive::Ask(question) = dialogue.ask(serde_json::from_str(json).unwrap()) else { panic!() };
    assert_eq!(question.advice.len(), 1);
    let again: Question = question.clone();
    let mut other = Dialogue::default();
    let Directive::Ask(question) = other.ask(again.clone()) else { panic!() };
    assert_eq!(question.advice, again.advice, "advice is not added to what another dialogue found");
}

#[test]
fn only_the_questions_of_a_form_have_advice() {
    let mut dialogue = asked_by("opencode", None, &two());
    let mut question = dialogue.question().unwrap().clone();
    question.advice = vec![Finding::TooFew { suggestions: 0, least: 2 }];
    dialogue.answer(0, Answer::Form(vec![FormAnswer::default(); 2]), Vec::new()).unwrap();
    let Directive::Ask(question) = dialogue.ask(question) else { panic!() };
    assert!(question.advice.is_empty(), "{:?}", question.advice);
}

#[test]
fn templates_for_one_question_reply_to_several_as_general_does() {
    let mut arguments = two();
    arguments["questions"][0]["question"] = json!("Which \"one\"?");
    let reply = |name| {
        let answers = vec![FormAnswer::text("a \"b\"\nc"), FormAnswer::picked([1])];
        let mut dialogue = asked_by("opencode", Some(name), &arguments);
        dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap().text.clone()
    };
    assert_eq!(reply("general"), "Q: Which \"one\"?\nA: a \"b\"\nc\n\nQ: And?\nA: W");
    for name in ["acp", "cline", "confirm", "zed"] {
        assert_eq!(reply(name), reply("general"), "{name}");
    }
}

#[test]
fn the_error_for_an_ended_question_says_how_it_ended() {
    let mut dialogue = Dialogue::default();
    let ask = |dialogue: &mut Dialogue| {
        let json = r#"{"number": 0, "question": "Tea?", "suggest": [{"answer": "Yes"}, {"answer": "No"}]}"#;
        let _ = dialogue.ask(serde_json::from_str(json).unwrap());
    };
    (0..4).for_each(|_| ask(&mut dialogue));
    dialogue.cancel(0).unwrap();
    dialogue.decline(1).unwrap();
    dialogue.answer(2, Answer::Text("Yes".into()), Vec::new()).unwrap();
    dialogue.cancel(3).unwrap();
    let why = |dialogue: &mut Dialogue, number| dialogue.cancel(number).unwrap_err();
    assert_eq!(why(&mut dialogue, 0), AnswerErrorKind::AlreadyCancelled);
    assert_eq!(why(&mut dialogue, 1), AnswerErrorKind::AlreadyDeclined);
    assert_eq!(why(&mut dialogue, 2), AnswerErrorKind::AlreadyAnswered);
    assert_eq!(why(&mut dialogue, 4), AnswerErrorKind::NotAsked);

    // The questions of tools that have a reply for a talk, or for the end of the time.
    let mut dialogue = asked("AskUserQuestion", &two());
    for _ in 0..2 {
        crate::common::call(&mut dialogue, "AskUserQuestion", &two());
    }
    dialogue.discuss(0, Vec::new()).unwrap();
    dialogue.time_out(1, Vec::new()).unwrap();
    dialogue.discuss(2, Vec::new()).unwrap();
    assert_eq!(why(&mut dialogue, 0), AnswerErrorKind::AlreadyDiscussed);
    assert_eq!(why(&mut dialogue, 1), AnswerErrorKind::AlreadyTimedOut);
    assert_eq!(why(&mut dialogue, 2), AnswerErrorKind::AlreadyDiscussed);
}

#[test]
fn a_correction_belongs_to_the_call_that_was_rejected() {
    for call in [
        json!({"tool": "ask_followup_question", "code": "missing_parameter", "id": "call_1"}),
        json!({"tool": "AskUserQuestion", "shape": "claude", "code": "missing_parameter", "id": "call_1"}),
    ] {
        let rejection: Rejection = serde_json::from_value(call.clone()).unwrap();
        let mut dialogue = Dialogue::default();
        let Directive::Tell(correction) = dialogue.correct(&rejection) else { panic!("{call}") };
        assert_eq!(correction.id.as_deref(), Some("call_1"), "{call}");
        assert_eq!(correction.tool.as_deref(), call["tool"].as_str(), "{call}");
    }
}

#[test]
fn a_template_of_json_writes_any_answer_as_json() {
    let quoted = "say \"yes\"";
    let mut picked_and_written = FormAnswer::picked([0]);
    picked_and_written.text = Some(quoted.into());
    let both = [FormAnswer::picked([0]), FormAnswer::picked([0, 1])];
    for (template, answers, expected) in [
        ("codex", both.clone(), r#"{"answers":{"Which?":{"answers":["X"]},"And?":{"answers":["V","W"]}}}"#),
        (
            "cursor",
            both,
            r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"Which?","selectedOptionIds":["X"]},{"questionId":"And?","selectedOptionIds":["V","W"]}]}}"#,
        ),
        (
            "cursor",
            [FormAnswer::text(quoted), picked_and_written],
            r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"Which?","selectedOptionIds":["say \"yes\""]},{"questionId":"And?","selectedOptionIds":["V","say \"yes\""]}]}}"#,
        ),
    ] {
        let mut dialogue = asked_by("claude", Some(template), &two());
        let reply = dialogue.answer(0, Answer::Form(answers.into()), Vec::new()).unwrap();
        assert_eq!(reply.text, expected, "{template}");
    }
}

#[test]
fn an_option_of_a_question_for_a_number_goes_back_as_text_unless_it_is_a_number() {
    for (option, json) in [("one", r#""one""#), ("2", "2")] {
        let question = json!({"type": "number", "enum": [option, "other"]});
        let arguments = json!({"message": "?", "requestedSchema": {"type": "object", "properties": {"n": question}}});
        let mut dialogue = asked_by("mcp", None, &arguments);
        let reply = dialogue.answer(0, Answer::Form(vec![FormAnswer::picked([0])]), Vec::new()).unwrap();
        assert_eq!(reply.text, format!(r#"{{"action":"accept","content":{{"n":{json}}}}}"#));
    }
}
