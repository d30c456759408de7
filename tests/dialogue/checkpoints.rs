//! Dialogues that another process continues.

use followup::dialogue::{Answer, Checkpoint, Dialogue, Setup, Turn};
use followup::{Parser, ResumeError};
use serde_json::{Value, json};

const ASKED: &str = "<ask_followup_question><question>Tea?</question><follow_up><suggest>Yes</suggest></follow_up>\
    </ask_followup_question>";
const BAD: &str = "<ask_followup_question><question></question></ask_followup_question>";

fn read(dialogue: &mut Dialogue, message: &str) {
    let mut parser = Parser::default();
    let mut events = parser.feed(message);
    while let Some(event) = events.next() {
        dialogue.event(event);
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

#[test]
fn a_checkpoint_that_no_dialogue_can_have_made_is_an_error() {
    let mut dialogue = Dialogue::default();
    read(&mut dialogue, &[ASKED, ASKED].concat());
    let stored = serde_json::to_value(dialogue.checkpoint()).unwrap();
    let with = |pointer: &str, value: Value| {
        let mut changed = stored.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        Dialogue::resume(Setup::default(), serde_json::from_value(changed).unwrap()).map(drop)
    };
    assert_eq!(with("/mistakes", json!(2)), Ok(()));
    assert_eq!(with("/version", json!(1)), Err(ResumeError::OtherVersion));
    for (pointer, value) in [
        ("/questions", json!(1)),
        ("/open/number", json!(1)),
        ("/waiting/0/number", json!(u64::MAX)),
        ("/waiting/0/question", json!("")),
    ] {
        assert_eq!(with(pointer, value), Err(ResumeError::Corrupt), "{pointer}");
    }
}
