//! Dialogues that another process continues.

use followup::dialogue::{Answer, Checkpoint, Dialogue, Setup, Turn};
use followup::{Parser, ResumeError};
use serde_json::{Value, json};

use crate::stored::paths;

const ASKED: &str = "<ask_followup_question><question>Tea?</question><follow_up><suggest>Yes</suggest></follow_up>\
    </ask_followup_question>";
const BAD: &str = "<ask_followup_question><question></question></ask_followup_question>";

fn read(dialogue: &mut Dialogue, message: &str) {
    let mut parser = Parser::default();
    let mut events = parser.feed(message);
    while let Some(event) = events.next() {
        let _ = dialogue.event(event);
    }
}

/// Returns the dialogue as another process gets it.
fn resumed(dialogue: &Dialogue) -> Dialogue {
    let stored = serde_json::to_string(&dialogue.checkpoint()).unwrap();
    Dialogue::resume(Setup::default(), serde_json::from_str::<Checkpoint>(&stored).unwrap()).unwrap()
}

/// Every step of a dialogue, with what it returns.
fn steps() -> Vec<fn(&mut Dialogue) -> String> {
    vec![
        |dialogue| format!("{:?}", read(dialogue, BAD)),
        |dialogue| format!("{:?}", read(dialogue, &[ASKED, ASKED, ASKED].concat())),
        |dialogue| format!("{:?}", dialogue.answer(1, Answer::Text("No".into()), Vec::new())),
        |dialogue| format!("{:?}", dialogue.answer(0, Answer::Suggestion(0), Vec::new())),
        |dialogue| format!("{:?}", read(dialogue, &BAD.repeat(3))),
        |dialogue| format!("{:?}", dialogue.cancel(1)),
        |dialogue| format!("{:?}", dialogue.decline(2)),
        |dialogue| format!("{:?}", read(dialogue, ASKED)),
        |dialogue| format!("{:?}", dialogue.guide("Go on".into(), Vec::new())),
        |dialogue| format!("{:?}", dialogue.answer(3, Answer::Text("Now".into()), Vec::new())),
    ]
}

#[test]
fn a_dialogue_continues_in_another_process_after_every_step() {
    let steps = steps();
    for cut in 0..=steps.len() {
        let (mut whole, mut before) = (Dialogue::default(), Dialogue::default());
        for step in &steps[..cut] {
            assert_eq!(step(&mut whole), step(&mut before));
        }
        let mut after = resumed(&before);
        let earlier = whole.history().len();
        for step in &steps[cut..] {
            assert_eq!(step(&mut whole), step(&mut after), "resumed after {cut} steps");
        }
        assert_eq!((whole.mistakes(), whole.question()), (after.mistakes(), after.question()));
        let turns: Vec<&Turn> = whole.history()[earlier..].iter().collect();
        assert!(turns.into_iter().eq(after.history()), "resumed after {cut} steps");
    }
}

/// Returns the checkpoint of a dialogue with an open and a waiting question, as data.
fn stored() -> Value {
    let mut dialogue = Dialogue::default();
    read(&mut dialogue, &[ASKED, ASKED].concat());
    serde_json::to_value(dialogue.checkpoint()).unwrap()
}

/// Appends each way to change one value.
fn changes(value: &Value, pointer: &str, all: &mut Vec<(String, Value)>) {
    let mut change = |changed: Value| all.push((pointer.to_owned(), changed));
    match value {
        Value::Null => change(json!(1)),
        Value::Bool(yes) => change(json!(!yes)),
        Value::Number(number) => change(json!(number.as_u64().unwrap().wrapping_add(1))),
        Value::String(text) => change(json!(format!("{text}!"))),
        Value::Array(values) => {
            if let Some((_, rest)) = values.split_last() {
                change(json!(rest));
            }
            for (index, value) in values.iter().enumerate() {
                changes(value, &format!("{pointer}/{index}"), all);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                changes(value, &format!("{pointer}/{name}"), all);
            }
        }
    }
}

#[test]
fn a_checkpoint_in_which_any_value_was_changed_is_an_error() {
    let stored = stored();
    let mut all = Vec::new();
    changes(&stored, "", &mut all);
    assert!(all.len() > 10, "{stored}");
    for (pointer, value) in all {
        let mut changed = stored.clone();
        changed.pointer_mut(&pointer).unwrap().clone_from(&value);
        let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(changed) else { continue };
        let expected = if pointer == "/version" { ResumeError::OtherVersion } else { ResumeError::Corrupt };
        let resumed = Dialogue::resume(Setup::default(), checkpoint);
        assert_eq!(resumed.unwrap_err(), expected, "{pointer} is {value}");
    }
}

/// Answers every question of a dialogue, and one that comes after a mistake.
fn asks_in_order(mut dialogue: Dialogue, context: &str) {
    read(&mut dialogue, &[BAD, ASKED].concat());
    if dialogue.has_stopped() {
        dialogue.guide("Go on".into(), Vec::new()).unwrap();
    }
    let mut last = None;
    while let Some(question) = dialogue.question() {
        let number = question.number;
        assert!(last.is_none_or(|last| last < number), "{number} after {last:?}: {context}");
        assert!(!question.question.is_empty(), "{context}");
        last = Some(number);
        dialogue.answer(number, Answer::Text("Yes".into()), Vec::new()).unwrap();
    }
    assert!(last.is_some(), "the new question is not asked: {context}");
}

/// Each value is replaced by others, and the checksum made valid again.
#[test]
fn a_forged_checkpoint_is_an_error_or_a_dialogue_that_asks_in_order() {
    let stored = stored();
    let numbers = [0, 1, 2, u64::from(u32::MAX), u64::MAX - 1, u64::MAX].map(|number| json!(number));
    let others = [json!(null), json!(true), json!(""), json!([]), json!({})];
    let elsewhere = paths(&stored).into_iter().map(|path| stored.pointer(&path).unwrap().clone());
    let values: Vec<Value> = numbers.into_iter().chain(others).chain(elsewhere).collect();
    let (mut errors, mut dialogues) = (0, 0);
    for path in paths(&stored) {
        for value in &values {
            let mut forged = stored.clone();
            forged.pointer_mut(&path).unwrap().clone_from(value);
            let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
            match Dialogue::resume(Setup::default(), checkpoint.with_valid_checksum()) {
                Ok(dialogue) => (dialogues += 1, asks_in_order(dialogue, &format!("{path} is {value}"))),
                Err(_) => (errors += 1, ()),
            };
        }
    }
    assert!(errors > 0 && dialogues > 0, "{errors} errors, {dialogues} dialogues");
}

#[test]
fn a_checkpoint_may_have_half_as_many_questions_as_can_be_counted() {
    let resumes = |questions: u64| {
        let mut forged = stored();
        forged["state"]["questions"] = json!(questions);
        let checkpoint = serde_json::from_value::<Checkpoint>(forged).unwrap();
        Dialogue::resume(Setup::default(), checkpoint.with_valid_checksum()).is_ok()
    };
    assert!(resumes(u64::MAX / 2) && !resumes(u64::MAX / 2 + 1));
}

#[test]
fn a_checkpoint_of_another_version_is_an_error_whatever_its_state_is() {
    let states = [json!(null), json!({"open": 1}), json!([{"unknown": true}])];
    let sealed = states.map(|state| json!({"version": 99, "checksum": 0, "state": state}));
    // The first version had no checksum, and its fields were beside the version.
    let first = json!({"version": 1, "open": null, "waiting": [], "questions": 0, "mistakes": 0});
    for stored in sealed.into_iter().chain([first]) {
        let (state, checkpoint) = (stored.clone(), serde_json::from_value::<Checkpoint>(stored).unwrap());
        let resumed = Dialogue::resume(Setup::default(), checkpoint);
        assert_eq!(resumed.unwrap_err(), ResumeError::OtherVersion, "{state}");
    }
}
