//! Tests of a note that the person adds to an option.

use followup::dialogue::{Answer, FormAnswer};

use super::forms::{FORM, body, picked, reply, reply_to, scene_of, written};
use super::screens::{Case, assert_golden};
use super::*;

const ENTER: KeyCode = KeyCode::Enter;
const ESC: KeyCode = KeyCode::Esc;
const TAB: KeyCode = KeyCode::Tab;

/// One question with one answer, whose reply has a place for a note.
const ALONE: &str = r#"{"questions": [{"question": "Which store?", "header": "Store", "options": [
    {"label": "Redis"}, {"label": "Postgres"}], "multiSelect": false}]}"#;

fn alone() -> Scene {
    scene_of("AskUserQuestion", ALONE)
}

fn noted(answer: FormAnswer, note: &str) -> FormAnswer {
    FormAnswer { note: Some(note.into()), ..answer }
}

const STATES: &[Case] = &[
    ("note being written", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).press(KeyCode::Down).types("anot on Friday");
    }),
    ("note written", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).press(KeyCode::Down).types("anot on Friday").press(ESC);
    }),
    ("note to the only question", |scene| {
        scene.writes(&body("AskUserQuestion", ALONE, 9)).types("anot on Friday").press(ESC);
    }),
];

#[test]
fn screens_of_notes_match_the_golden_files() {
    assert_golden(STATES, Format::Anthropic);
}

#[test]
fn a_note_picks_the_selected_option_and_is_sent_with_it() {
    let mut scene = scene_of("AskUserQuestion", FORM);
    scene.sees("a add a note").press(KeyCode::Down).types("anot on Friday").sees("── A note with your answer");
    scene.press(ENTER).sees("✓ Store  ❯ Features").sees("(•) 2  Postgres").sees("note: not on Friday").press(TAB);
    scene.sees("Store: Postgres (note: not on Friday)").waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(noted(picked(&[1]), "not on Friday"), picked(&[]))]);
    scene.sees("✓ Store: Postgres (note: not on Friday)");
}

#[test]
fn a_note_to_several_options_leaves_them_as_they_are() {
    let mut scene = scene_of("AskUserQuestion", FORM);
    scene.press(TAB).types("13").types("aboth").press(KeyCode::BackTab).press(TAB).types("a!").press(ESC);
    scene.sees("[x] 1  Login").sees("[x] 3  Search").sees("note: both!").press(TAB).waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(picked(&[]), noted(picked(&[0, 2]), "both!"))]);
}

#[test]
fn a_blank_note_is_none() {
    let mut scene = scene_of("AskUserQuestion", FORM);
    scene.types("a  ").press(ENTER).misses("note:").press(TAB).waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(picked(&[0]), picked(&[]))]);
}

#[test]
fn a_note_to_the_only_question_is_sent_with_the_option_that_is_taken() {
    for act in [
        (|scene| scene.press(KeyCode::Down).types("asoon").sees("── A note with option 2").press(ENTER))
            as fn(&mut Scene) -> &mut Scene,
        |scene| scene.types("asoon").press(ESC).sees("Your note goes with").sees("note: soon").types("2"),
        |scene| scene.types("a").pastes("soon").press(TAB).types("/Post").press(ENTER),
    ] {
        let mut scene = alone();
        act(&mut scene).sees("✓ Postgres (note: soon)").misses("✓ Store");
        assert_eq!(
            scene.replies(),
            [reply_to("AskUserQuestion", ALONE, Answer::Form(vec![noted(picked(&[1]), "soon")]))]
        );
    }
}

#[test]
fn a_note_is_not_lost_without_a_question() {
    let mut scene = alone();
    scene.types("asoon").press(ESC).press(ESC).sees("and lose what you have written?").press(ESC);
    scene.types("wNeither").press(ENTER).sees("Send this, and lose what you have written").types("y");
    assert_eq!(scene.replies(), [reply_to("AskUserQuestion", ALONE, Answer::Form(vec![written("Neither")]))]);
}

#[test]
fn a_note_is_offered_only_where_the_reply_has_a_place_for_one() {
    let mut scene = scene_of("vscode_askQuestions", FORM);
    scene.misses("add a note").types("a").misses("── A note").types("?").misses("add a note");
    let mut scene = alone();
    scene.types("?").sees("add a note to the option");
}
