//! Tests of a person who wants to talk about the questions instead of answering them.

use followup::dialogue::ReplyKind;

use super::forms::{FORM, scene_of};
use super::*;

const ESC: KeyCode = KeyCode::Esc;

#[test]
fn the_model_is_told_what_was_answered_so_far() {
    for keys in ["c", "d"] {
        let mut scene = scene_of("AskUserQuestion", FORM);
        scene.types("2").types(keys).sees("Leave the questions unanswered?").sees("c talk about it").types("c");
        scene.sees("✗ not answered: to be talked about first");
        assert!(scene.app.has_failed);
        let [reply] = &*scene.replies else { panic!("{:?}", scene.replies) };
        assert_eq!((reply.kind, reply.is_error), (ReplyKind::Declined, true));
        let answers = "Which store should the sessions use?\"\n  Answer: Postgres\n- \"Which features?\"\n  (No answer";
        assert!(reply.text.contains("The user wants to clarify these questions.") && reply.text.contains(answers));
    }
}

#[test]
fn a_talk_has_to_be_confirmed() {
    let mut scene = scene_of("AskUserQuestion", FORM);
    scene.types("cx").sees("❯ Store").press(ESC).types("x").sees("❯ Store");
    assert!(scene.replies().is_empty());
}

#[test]
fn a_question_is_not_left_declined_or_answered_by_a_combination_of_keys() {
    for (char, modifiers) in [
        ('d', KeyModifiers::CONTROL),
        ('y', KeyModifiers::CONTROL),
        ('d', KeyModifiers::ALT),
        ('y', KeyModifiers::ALT),
        ('c', KeyModifiers::ALT),
    ] {
        let mut scene = scene_of("AskUserQuestion", FORM);
        scene.press(ESC).sees("Leave the questions").key(KeyCode::Char(char), modifiers).misses("Leave the questions");
        assert!(scene.replies.is_empty(), "{modifiers} {char}");
        let mut scene = Scene::new(60, 20);
        scene.writes(&asked("Which?", &["This", "That"])).types("wmine").press(ESC).press(KeyCode::Home).types("2");
        scene.sees("Take suggestion 2, and lose").key(KeyCode::Char(char), modifiers).misses("Take suggestion 2");
        assert!(scene.replies.is_empty(), "{modifiers} {char}");
    }
}

#[test]
fn a_talk_is_offered_only_where_the_tool_has_a_reply_for_it() {
    let mut scene = scene_of("vscode_askQuestions", FORM);
    scene.types("c").misses("Leave the questions").press(ESC).misses("talk about").types("c").sees("❯ Store");
    assert!(scene.replies().is_empty());
    scene.types("?").misses("talk about");
    let mut scene = scene_of("AskUserQuestion", FORM);
    scene.types("?").sees("Esc, then c  talk about it first");
}

#[test]
fn a_text_that_is_being_written_is_a_part_of_the_answers_so_far() {
    let arguments = r#"{"questions": [
        {"question": "Which?", "header": "A", "options": [{"label": "HTTP"}, {"label": "TLS"}], "multiSelect": false},
        {"question": "Port?", "header": "B", "options": []}]}"#;
    let mut scene = scene_of("AskUserQuestion", arguments);
    scene.types("1").types("8080").press(ESC).types("c");
    let [reply] = &*scene.replies else { panic!("{:?}", scene.replies) };
    assert!(reply.text.contains("Answer: HTTP") && reply.text.contains("Answer: 8080"), "{}", reply.text);
}
