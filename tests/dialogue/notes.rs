//! Notes with an option: which replies have a place for one, and where it goes otherwise.

use followup::dialogue::{Answer, Dialogue, FormAnswer, Question, Setup, Template};
use serde_json::json;

use crate::common::{asked, asked_by, call};

/// A choice, one of several, and a question without options.
fn questions() -> serde_json::Value {
    json!({"questions": [
        {"question": "Which?", "header": "W", "options": [{"label": "One"}, {"label": "Two"}]},
        {"question": "Parts?", "header": "P", "multiSelect": true, "options": [{"label": "A"}, {"label": "B"}]},
        {"question": "Why?", "header": "Y"}]})
}

fn takes_notes(dialogue: &Dialogue) -> Vec<bool> {
    let form = dialogue.question().unwrap().form.as_ref().unwrap();
    form.questions.iter().map(|question| question.notes).collect()
}

#[test]
fn options_take_a_note_where_the_reply_has_a_place_for_one() {
    let one = |index: usize| json!({"questions": [questions()["questions"][index]]});
    for name in Template::NAMES {
        let takes = [0, 1, 2].map(|index| takes_notes(&asked_by("claude", Some(name), &one(index)))[0]);
        let has_place = ["general", "claude", "claude-older", "codex", "crush", "grok", "omp"].contains(&name);
        assert_eq!(takes, [has_place, has_place, false], "{name}");
    }
    assert_eq!(takes_notes(&asked("AskUserQuestion", &questions())), [true, true, false]);
}

#[test]
fn what_takes_a_note_is_said_in_the_question_for_the_interface() {
    let dialogue = asked("AskUserQuestion", &questions());
    let json = dialogue.question().unwrap().json();
    assert_eq!(json.matches(r#""notes":true"#).count(), 2, "{json}");
    assert!(!asked("ask_user_question", &questions()).question().unwrap().json().contains("notes"));
}

#[test]
fn a_question_that_was_read_elsewhere_takes_notes_by_the_template_of_this_dialogue() {
    let question = asked("AskUserQuestion", &questions()).question().unwrap().clone();
    let stored = serde_json::to_string(&question).unwrap();
    assert_eq!(serde_json::from_str::<Question>(&stored).unwrap(), question);
    let setup = Setup::default().with_template("AskUserQuestion", Template::named("kimi").unwrap());
    let mut dialogue = Dialogue::new(setup);
    let _ = dialogue.ask(question);
    assert_eq!(takes_notes(&dialogue), [false; 3]);
}

#[test]
fn a_note_is_never_lost_where_only_some_answers_have_a_place_for_one() {
    let template = r#"{"entry": {"picked": "{answer}{note}", "written": "wrote {text}"}, "note": " ({note})"}"#;
    let template: Template = serde_json::from_str(template).unwrap();
    let noted = |answer: FormAnswer| FormAnswer { note: Some("soon".into()), ..answer };
    for (answer, text) in [
        (noted(FormAnswer::picked([0])), "One (soon)"),
        (noted(FormAnswer::text("Three")), "wrote Three\nsoon"),
        (noted(FormAnswer::default()), "wrote soon"),
    ] {
        let mut dialogue = Dialogue::new(Setup::default().with_template("AskUserQuestion", template.clone()));
        call(&mut dialogue, "AskUserQuestion", &json!({"questions": [questions()["questions"][0]]}));
        assert_eq!(takes_notes(&dialogue), [true]);
        let reply = dialogue.answer(0, Answer::Form(vec![answer]), Vec::new()).unwrap();
        assert_eq!(reply.text, text);
    }
    let nowhere = serde_json::from_str(r#"{"entry": {"picked": "{answer}{note}"}, "note": ""}"#).unwrap();
    let mut dialogue = Dialogue::new(Setup::default().with_template("AskUserQuestion", nowhere));
    call(&mut dialogue, "AskUserQuestion", &json!({"questions": [questions()["questions"][0]]}));
    assert_eq!(takes_notes(&dialogue), [false]);
    let reply = dialogue.answer(0, Answer::Form(vec![noted(FormAnswer::picked([1]))]), Vec::new()).unwrap();
    assert_eq!(reply.text, "Two, soon");
}
