//! Questions that end without an answer: the user wants to talk about them, or the time is over.
//!
//! docs/question-tools.md cites where the texts come from.

use followup::dialogue::{AnswerErrorKind, Dialogue, FormAnswer, ReplyKind, Setup, Template, Turn};
use serde_json::json;

use crate::common::{asked, asked_by, call};

/// Two choices, the second of several, and a question without options.
fn questions() -> serde_json::Value {
    json!({"questions": [
        {"id": "a", "header": "Store", "question": "Which \"store\"?",
            "options": [{"label": "Redis, 7"}, {"label": "Postgres"}]},
        {"id": "b", "header": "Parts", "question": "Which parts?", "multiSelect": true, "multi": true, "multi_select": true,
            "options": [{"label": "A"}, {"label": "B"}, {"label": "C"}], "recommended": 1},
        {"id": "c", "question": "Why?"}]})
}

/// The first question is not answered, the others are.
fn some() -> Vec<FormAnswer> {
    vec![FormAnswer::default(), FormAnswer::picked([2, 0]), FormAnswer::text("It's\n\"new\"")]
}

const CLAUDE: &str =
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file \
    edit, the new_string was NOT written to the file). To tell you how to proceed, the user said:
The user wants to clarify these questions.
    This means they may have additional information, context or questions for you.
    Take their response into account and then reformulate the questions if appropriate.
    Start by asking them what they would like to clarify.

    Questions asked:
";

#[test]
fn claude_is_told_that_the_user_wants_to_clarify_and_what_was_answered_so_far() {
    let discussed = |answers| asked_by("claude", None, &questions()).discuss(0, answers).unwrap();
    let reply = discussed(some());
    assert_eq!((reply.kind, reply.is_error, reply.number), (ReplyKind::Declined, true, Some(0)));
    let answered = "- \"Which \"store\"?\"\n  (No answer provided)\n- \"Which parts?\"\n  Answer: C, A\n- \"Why?\"\n  \
        Answer: It's\n\"new\"";
    assert_eq!(reply.text, format!("{CLAUDE}{answered}"));
    let nothing = "- \"Which \"store\"?\"\n  (No answer provided)\n- \"Which parts?\"\n  (No answer provided)\n- \"Why?\"\n  \
        (No answer provided)";
    assert_eq!(discussed(Vec::new()).text, format!("{CLAUDE}{nothing}"));
    assert_eq!(discussed(vec![FormAnswer::default(); 3]).text, format!("{CLAUDE}{nothing}"));
    let noted = FormAnswer { note: Some("soon".into()), ..FormAnswer::picked([0]) };
    let text = discussed(vec![noted, FormAnswer::default(), FormAnswer::default()]).text;
    assert!(text.contains("\n  Answer: Redis, 7, soon\n"), "{text}");
}

#[test]
fn oh_my_pi_is_told_that_the_user_chats_and_what_was_asked() {
    let reply = asked_by("omp", None, &questions()).discuss(0, some()).unwrap();
    let text =
        "User chose to chat about this instead of answering.\n\nQuestions asked:\nWhich \"store\"?\nWhich parts?\nWhy?";
    assert_eq!((&*reply.text, reply.is_error), (text, false));
}

#[test]
fn grok_is_told_what_claude_is_told_without_the_refusal_and_it_is_no_error() {
    let reply = asked_by("qwen", Some("grok"), &questions()).discuss(0, some()).unwrap();
    let (_, told) = CLAUDE.split_once("the user said:\n").unwrap();
    let answered = "- \"Which \"store\"?\"\n  (No answer provided)\n- \"Which parts?\"\n  Answer: C, A\n- \"Why?\"\n  \
        Answer: It's\n\"new\"";
    assert_eq!((reply.text, reply.is_error), (format!("{told}{answered}"), false));
}

#[test]
fn only_tools_with_a_reply_for_a_talk_can_be_talked_to() {
    for name in Template::NAMES {
        let mut dialogue = asked_by("claude", Some(name), &questions());
        let before = dialogue.clone();
        let can_discuss = ["claude", "claude-older", "grok", "omp"].contains(&name);
        assert_eq!(dialogue.question().unwrap().can_discuss, can_discuss, "{name}");
        match dialogue.discuss(0, Vec::new()) {
            Ok(_) => assert!(can_discuss, "{name}"),
            Err(kind) => assert_eq!((kind, &dialogue), (AnswerErrorKind::NoDiscussion, &before), "{name}"),
        }
    }
    let mut dialogue = asked("ask_followup_question", &json!({"question": "Tea?"}));
    let error = dialogue.discuss(0, Vec::new()).unwrap_err();
    assert_eq!(error.to_string(), "the tool has no reply for that: answer the question, or decline it");
}

#[test]
fn codex_gets_no_answers_when_the_time_is_over() {
    let reply = asked_by("codex", None, &questions()).time_out(0, Vec::new()).unwrap();
    assert_eq!((reply.kind, &*reply.text, reply.is_error), (ReplyKind::Cancelled, r#"{"answers":{}}"#, false));
}

#[test]
fn claude_is_told_that_nobody_answered_and_what_was_selected_before() {
    let time_out = |answers| asked_by("claude", None, &questions()).time_out(0, answers).unwrap();
    let late = "No response after 60s \u{2014} the user may be away from keyboard. Proceed using your best judgment based \
        on the context so far; you can re-ask this question later if it's still relevant.";
    let reply = time_out(Vec::new());
    assert_eq!((reply.kind, &*reply.text, reply.is_error), (ReplyKind::Cancelled, late, false));
    assert_eq!(time_out(vec![FormAnswer::default(); 3]).text, late);
    let noted = FormAnswer { note: Some("soon".into()), ..FormAnswer::picked([0]) };
    assert_eq!(
        time_out(vec![noted, FormAnswer::picked([2, 0]), FormAnswer::default()]).text,
        format!(
            "{late}\n\nBefore going idle the user had selected: \"Which \"store\"?\"=\"Redis, 7\" notes: soon, \
             \"Which parts?\"=\"C, A\"."
        )
    );
}

#[test]
fn openclaw_is_told_that_no_answer_arrived() {
    let reply = asked_by("ask_user", Some("openclaw"), &questions()).time_out(0, some()).unwrap();
    let text = "No answer arrived; proceed with best judgment.\n\n{\n  \"status\": \"no_answer\"\n}";
    assert_eq!((&*reply.text, reply.is_error), (text, false));
}

#[test]
fn hermes_is_told_to_use_its_judgement_when_the_time_is_over() {
    let told = "The user did not provide a response within the time limit. Use your best judgement to make the choice and \
        proceed.";
    let text =
        |arguments: serde_json::Value| asked_by("hermes", None, &arguments).time_out(0, Vec::new()).unwrap().text;
    assert_eq!(
        text(json!({"question": "Which?", "choices": ["a", "b"]})),
        format!(r#"{{"question": "Which?", "choices_offered": ["a", "b"], "user_response": "{told}"}}"#)
    );
    assert_eq!(
        text(json!({"question": "Which?", "choices": ["a", "b"], "multi_select": true})),
        format!(r#"{{"question": "Which?", "choices_offered": ["a", "b"], "user_response": ["{told}"]}}"#)
    );
    let questions = json!({"questions": [
        {"id": "x", "question": "One?", "choices": ["a", "b"]}, {"question": "Two?"}]});
    let answers = vec![FormAnswer::picked([1]), FormAnswer::default()];
    assert_eq!(
        asked_by("hermes", None, &questions).time_out(0, answers).unwrap().text,
        r#"{"responses": [{"id": "x", "question": "One?", "choices_offered": ["a", "b"], "user_response": "b"}, {"question": "Two?", "choices_offered": null, "user_response": ""}], "timed_out": true}"#
    );
}

#[test]
fn oh_my_pi_takes_what_is_recommended_when_the_time_is_over() {
    let time_out = |answers| asked_by("omp", None, &questions()).time_out(0, answers).unwrap().text;
    assert_eq!(
        time_out(Vec::new()),
        "User answers:\na: Redis, 7 (auto-selected after timeout)\nb: [B] (auto-selected after timeout)\nc: (cancelled)"
    );
    assert_eq!(
        time_out(some()),
        "User answers:\na: Redis, 7 (auto-selected after timeout)\nb: [C, A]\nc: \"It's\n\"new\"\""
    );
}

#[test]
fn the_other_tools_are_told_the_same_as_about_a_cancelled_question() {
    for name in Template::NAMES {
        let time_out = asked_by("claude", Some(name), &questions()).time_out(0, Vec::new()).unwrap();
        let cancelled = asked_by("claude", Some(name), &questions()).cancel(0).unwrap();
        let has_own = ["claude", "codex", "openclaw", "hermes", "hermes-batch", "omp"].contains(&name);
        assert_eq!(time_out != cancelled, has_own, "{name}");
    }
    let asked = || asked("ask_followup_question", &json!({"question": "Tea?"}));
    assert_eq!(asked().time_out(0, Vec::new()), asked().cancel(0));
    assert_eq!(asked().time_out(0, some()), Err(AnswerErrorKind::NoForm));
}

#[test]
fn answers_so_far_are_checked_but_none_is_required() {
    let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}, "z": {}}});
    let arguments = json!({"message": "M", "requestedSchema": schema});
    let none = FormAnswer::default();
    for (answers, error) in [
        (vec![none.clone()], AnswerErrorKind::WrongNumberOfAnswers { answers: 1, questions: 2 }),
        (vec![FormAnswer::text("x"), none.clone()], AnswerErrorKind::NotANumber { question: 0 }),
        (vec![none.clone(), FormAnswer::picked([0])], AnswerErrorKind::NoSuchOption { question: 1, count: 0 }),
    ] {
        let mut dialogue = asked("elicitation/create", &arguments);
        let before = dialogue.clone();
        assert_eq!((dialogue.time_out(0, answers), &dialogue), (Err(error), &before));
    }
    assert!(asked("elicitation/create", &arguments).time_out(0, vec![none.clone(), none]).is_ok());
}

#[test]
fn a_question_that_was_discussed_or_timed_out_is_over_and_is_replayed() {
    let mut dialogue = Dialogue::default();
    for _ in 0..3 {
        call(&mut dialogue, "AskUserQuestion", &questions());
    }
    assert_eq!(dialogue.discuss(1, some()).unwrap().number, Some(1), "a waiting question, too");
    dialogue.time_out(0, Vec::new()).unwrap();
    assert_eq!(dialogue.question().unwrap().number, 2);
    assert_eq!(dialogue.cancel(0), Err(AnswerErrorKind::AlreadyTimedOut));
    assert_eq!(dialogue.decline(1), Err(AnswerErrorKind::AlreadyDiscussed));
    let lines: String = dialogue.history().iter().map(Turn::to_line).collect();
    assert!(lines.ends_with(
        "{\"turn\":\"discussed\",\"role\":\"user\",\"number\":1,\
         \"answers\":[{},{\"picked\":[2,0]},{\"text\":\"It's\\n\\\"new\\\"\"}]}\n\
         {\"turn\":\"timed_out\",\"role\":\"user\",\"number\":0}\n"
    ));
    let turns = Turn::from_lines(lines.as_bytes()).unwrap();
    assert_eq!(Dialogue::replay(Setup::default(), &turns).unwrap(), dialogue);
}

#[test]
fn a_template_of_ones_own_has_its_own_endings() {
    let template = r#"{"name": "mine", "note": "", "entry": {"picked": "{answer}{note}", "unanswered": "-"},
        "discussed": {"text": "talk: {entries}", "answered": "{id}={answer}", "between_entries": "; "},
        "timed_out": {"text": "late: {entries}", "default_answer": "nobody", "is_error": true}}"#;
    let template: Template = serde_json::from_str(template).unwrap();
    let dialogue = || {
        let mut dialogue = Dialogue::new(Setup::default().with_template("AskUserQuestion", template.clone()));
        call(&mut dialogue, "AskUserQuestion", &questions());
        dialogue
    };
    assert_eq!(dialogue().discuss(0, some()).unwrap().text, "talk: -; Parts=C, A; Why?=It's\n\"new\"");
    let noted = FormAnswer { note: Some("soon".into()), ..FormAnswer::picked([0]) };
    let reply = dialogue().time_out(0, vec![noted, FormAnswer::default(), FormAnswer::default()]).unwrap();
    assert!(reply.text.contains("soon"), "{}", reply.text);
    let reply = dialogue().time_out(0, Vec::new()).unwrap();
    assert_eq!((&*reply.text, reply.is_error), ("late: nobody\n\nnobody\n\nnobody", true));
}

#[test]
fn the_text_around_the_entries_is_there_if_there_is_one_even_an_empty_one() {
    let late = |ending: &str| {
        let template = serde_json::from_str(&format!(r#"{{"timed_out": {{"text": "Late{{entries}}.", {ending}}}}}"#));
        let mut dialogue = Dialogue::new(Setup::default().with_template("ask_user", template.unwrap()));
        call(&mut dialogue, "ask_user", &json!({"question": "Why?"}));
        dialogue.time_out(0, Vec::new()).unwrap().text
    };
    assert_eq!(late(r#""entries": " with {entries}", "entry": """#), "Late with .");
    assert_eq!(late(r#""entries": " with {entries}", "entry": "{index}""#), "Late with 0.");
}
