//! Calls that were read elsewhere: by another process, or by a package in another language.

use followup::dialogue::{Dialogue, Directive, Question, Rejection};
use followup::{CallPart, Note, Reason};
use serde_json::{Value, json};

/// Returns the event of a rejected call, as the packages write it.
fn event(reason: Reason) -> Value {
    let mut event = json!({"tool": "ask_followup_question", "code": reason.code()});
    if let Some(note) = reason.note() {
        event["note"] = note.code().into();
    }
    if let Some(part) = reason.part() {
        event["part"] = part.code().into();
    }
    if let Some(limit) = reason.limit() {
        event["limit"] = limit.into();
    }
    event
}

#[test]
fn every_reason_is_read_from_the_event_of_a_rejected_call() {
    for reason in [
        Reason::MissingParameter,
        Reason::Malformed(Note::PartLost),
        Reason::Truncated(CallPart::Opening),
        Reason::TooLong { part: CallPart::Description, limit: 9 },
        Reason::WrongType(CallPart::Suggestions),
        Reason::Superseded,
    ] {
        let event = event(reason);
        let rejection: Rejection = serde_json::from_value(event.clone()).unwrap();
        assert_eq!(rejection, Rejection::new("ask_followup_question", reason), "{event}");
    }
}

#[test]
fn an_event_with_an_unknown_reason_is_an_error_that_names_it() {
    for (code, key, word, unknown) in [
        ("malformed", "note", "torn", "torn"),
        ("wrong_type", "part", "tail", "tail"),
        ("late", "part", "answer", "late"),
    ] {
        let event = json!({"tool": "ask_followup_question", "code": code, key: word});
        let error = serde_json::from_value::<Rejection>(event).unwrap_err().to_string();
        assert!(error.contains(unknown), "{error}");
    }
}

#[test]
fn a_question_without_text_misses_its_parameter() {
    let form = json!({"shape": "claude-code", "tool": "AskUserQuestion", "questions": []});
    for (question, tool) in [
        (json!({"number": 0, "question": "", "suggest": []}), None),
        (json!({"number": 0, "id": "c", "question": "", "suggest": []}), Some("ask_followup_question")),
        (json!({"number": 0, "id": "c", "question": "Q?", "suggest": [], "form": form}), Some("AskUserQuestion")),
    ] {
        let mut dialogue = Dialogue::default();
        let asked: Question = serde_json::from_value(question.clone()).unwrap();
        let Directive::Tell(correction) = dialogue.ask(asked) else { panic!("{question}") };
        assert_eq!(correction.reason, "missing_parameter", "{question}");
        assert_eq!((correction.tool.as_deref(), correction.id.is_some()), (tool, tool.is_some()), "{question}");
        assert_eq!((dialogue.mistakes(), dialogue.question()), (1, None), "{question}");
    }
}

#[test]
fn a_call_that_another_replaces_is_no_mistake() {
    let mut dialogue = Dialogue::default();
    let rejection = Rejection::new("ask_followup_question", Reason::Superseded);
    assert!(matches!(dialogue.correct(&rejection), Directive::Nothing));
    assert_eq!((dialogue.mistakes(), dialogue.history().len()), (0, 0));
}
