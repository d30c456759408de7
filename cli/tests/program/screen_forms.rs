//! Tests of `followup ask` about several questions, on a pseudo-terminal.

use followup::dialogue::{Answer, FormAnswer};
use serde_json::json;

use crate::forms::{BODY, discussed, reply};
use crate::screen::Session;

const WIRE: [&str; 2] = ["--wire", "anthropic"];

/// Returns the reply to the form in the file, with the line end after it.
fn replied(answers: [FormAnswer; 3]) -> String {
    reply(Answer::Form(answers.into())).text + "\n"
}

#[test]
fn a_form_is_answered_on_the_screen_wherever_its_chunks_end() {
    for chunk in ["1", "2", "7", "64", "1000", "100000"] {
        let mut session = Session::new(&[&WIRE[..], &["--chunk", chunk]].concat(), (40, 80));
        session.writes(BODY).ends().sees(&["❯( ) 1  Redis (recommended)", "❯ Store", "ttl = \"12h\"", "Rollout"]);
        session.types("2").sees(&["(•) 2  PostgreSQL", "❯ Sign-in"]).types(" ").sees(&["❯[x] 1  Password"]);
        session.types("3").sees(&["[x] 3  Company account"]).types("\t").sees(&["❯ Rollout"]);
        session.types("wOn Monday").sees(&["── Your answer", "On Monday"]).types("\t").sees(&["Send these answers?"]);
        session.sees(&["1  Store: PostgreSQL", "2  Sign-in: Password, Company account", "3  Rollout: On Monday"]);
        session.types("\r");
        let ended = session.concludes();
        let answers = [FormAnswer::picked([1]), FormAnswer::picked([0, 2]), FormAnswer::text("On Monday")];
        assert_eq!((ended.stdout, ended.status), (replied(answers), 0));
        assert!(ended.screen.contains("✓ Sign-in: Password, Company account"), "{}", ended.screen);
    }
}

#[test]
fn a_form_grows_on_the_screen_and_is_answered_only_when_it_is_complete() {
    let mut session = Session::new(&WIRE, (40, 80));
    let cut = BODY.find("Redis").unwrap();
    session.writes(&BODY[..cut]).sees(&["? Where should the sessions be stored?", "Store", "being written"]);
    session.types("1\r").writes(&BODY[cut..]).ends().sees(&["❯( ) 1  Redis (recommended)"]);
    session.types("\x1B").sees(&["Leave the questions unanswered?", "d decline"]).types("d");
    let ended = session.concludes();
    assert_eq!(ended.status, 1);
    assert!(ended.screen.contains("✗ declined"), "{}", ended.screen);
}

#[test]
fn a_form_is_answered_line_by_line() {
    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(BODY).ends().sees(&[
        "three things are yours to decide.\n",
        "Question 1 of 3: Store\n? Where should the sessions be stored?\n",
        "  1. Redis (recommended): Fast, and they may be lost at a restart.\n     | ```toml\n",
        "> (1 to 2 (1 note: … adds a note), or in your own words; an empty line skips it) ",
    ]);
    session.types("7\n").sees(&["To answer with 7 itself, type it again."]).types("1,2\n").sees(&["Only one option"]);
    session
        .types("1\n")
        .sees(&["Question 2 of 3: Sign-in", "1 to 3, several like 1,3 (1 note: … adds a note), or in"])
        .types("1, 3\n");
    session.sees(&["Question 3 of 3: Rollout"]).types("\n");
    session.sees(&["- 1. Store: Redis\n- 2. Sign-in: Password, Company account\n- 3. Rollout: not answered\n"]);
    session.sees(&["an empty line sends the answers; 1 to 3 asks that question again"]).types("3\n");
    session.waits("the question again", |screen| screen.matches("Question 3 of 3").count() == 2);
    session.types("On Monday\n").sees(&["- 3. Rollout: On Monday"]).types("\n");
    let ended = session.concludes();
    let answers = [FormAnswer::picked([0]), FormAnswer::picked([0, 2]), FormAnswer::text("On Monday")];
    assert_eq!((ended.stdout, ended.status), (replied(answers), 0));
    assert!(ended.screen.contains("✓ sent"), "{}", ended.screen);
}

#[test]
fn lines_pasted_at_once_answer_no_question_of_a_form() {
    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(BODY).ends().sees(&["Question 1 of 3", "> (1 to 2"]).types("1\n2\n\n\n");
    session.sees(&["several lines came at once, and none of them is taken"]).types("2\n").sees(&["Question 2 of 3"]);
    session.types("\n").sees(&["Question 3 of 3"]).types("\n").sees(&["- 1. Store: PostgreSQL"]).types("\n");
    let answers = [FormAnswer::picked([1]), FormAnswer::default(), FormAnswer::default()];
    assert_eq!(session.concludes().stdout, replied(answers));
}

#[test]
fn a_form_without_answers_is_declined_or_left_line_by_line() {
    for (typed, shown) in [("d\n", "✗ declined"), ("x\n", "✗ not answered"), ("\x04", "✗ not answered")] {
        let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
        session.writes(BODY).ends().sees(&["Question 1 of 3"]).types("\n").sees(&["Question 2 of 3"]).types("\n");
        session.sees(&["Question 3 of 3"]).types("\n").sees(&["nothing is answered; 1 to 3"]).types("\n");
        session.waits("the prompt again", |screen| screen.matches("nothing is answered; 1 to 3").count() == 2);
        session.types(typed).sees(&[shown]);
        assert_eq!(session.concludes().status, 1);
    }
}

#[test]
fn a_line_that_the_review_does_not_know_is_reported_line_by_line() {
    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(BODY).ends().sees(&["Question 1 of 3"]).types("1\n").sees(&["Question 2 of 3"]).types("\n");
    session.sees(&["Question 3 of 3"]).types("\n").sees(&["an empty line sends the answers"]);
    for typed in ["yes", "4", "0"] {
        session.types(&format!("{typed}\n")).sees(&[&format!("{typed} is none of these.\n> (an empty line sends")]);
    }
    session.types("\n").sees(&["✓ sent"]);
    assert_eq!(session.concludes().status, 0);
}

#[test]
fn a_note_goes_with_an_option_on_the_screen_and_line_by_line() {
    let noted = |picked: &[usize], note: &str| FormAnswer { note: Some(note.into()), ..FormAnswer::picked(picked) };
    let answers = [noted(&[1], "not on Friday"), noted(&[0, 2], "both"), FormAnswer::default()];
    let mut session = Session::new(&WIRE, (40, 80));
    session.writes(BODY).ends().sees(&["❯( ) 1  Redis"]).types("ja").sees(&["── A note with your answer", "(•) 2"]);
    session
        .types("not on Friday\r")
        .sees(&["note: not on Friday", "❯[ ] 1  Password"])
        .types("13a")
        .sees(&["── A note"]);
    session.types("both\t").sees(&["❯ Rollout"]).types("\t").sees(&["Sign-in: Password, Company account (note: both)"]);
    session.types("\r");
    let ended = session.concludes();
    assert_eq!((ended.stdout, ended.status), (replied(answers.clone()), 0));

    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(BODY).ends().sees(&["Question 1 of 3"]).types("2 note: not on Friday\n").sees(&["Question 2 of 3"]);
    session.types("1,3 note: both\n").sees(&["Question 3 of 3"]).types("\n");
    session.sees(&["- 1. Store: PostgreSQL (note: not on Friday)\n"]).types("\n");
    let ended = session.concludes();
    assert_eq!((ended.stdout, ended.status), (replied(answers), 0));
}

#[test]
fn a_form_is_talked_about_on_the_screen_and_line_by_line() {
    let answers = [FormAnswer::picked([1]), FormAnswer::default(), FormAnswer::default()];
    let expected = discussed(&answers) + "\n";
    let mut session = Session::new(&WIRE, (40, 80));
    session.writes(BODY).ends().sees(&["❯( ) 1  Redis"]).types("2").sees(&["❯ Sign-in"]).types("c");
    session.sees(&["Leave the questions unanswered?", "c talk about it"]).types("c");
    let ended = session.concludes();
    assert_eq!((&ended.stdout, ended.status), (&expected, 1));

    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(BODY).ends().sees(&["Question 1 of 3"]).types("2\n").sees(&["Question 2 of 3"]).types("\n");
    session.sees(&["Question 3 of 3"]).types("\n").sees(&["d declines, c talks about it first, x leaves"]).types("c\n");
    session.sees(&["✗ not answered: to be talked about first"]);
    let ended = session.concludes();
    assert_eq!((&ended.stdout, ended.status), (&expected, 1));
}

/// Returns a chat completion that calls this tool.
fn chat(tool: &str, arguments: &str) -> String {
    let delta = json!({"tool_calls": [{"index": 0, "id": "1", "function": {"name": tool, "arguments": arguments}}]});
    let chunk = json!({"choices": [{"index": 0, "delta": delta, "finish_reason": "tool_calls"}]});
    format!("data: {chunk}\n\ndata: [DONE]\n\n")
}

#[test]
fn a_title_is_written_before_its_questions_line_by_line() {
    let question = |id: &str| json!({"id": id, "prompt": id, "options": [{"id": "y", "label": "Yes"}]});
    let arguments = json!({"questions": [question("a"), question("b")], "title": "Two things\n\x1B[2Jto decide"});
    let mut session = Session::new(&["--lines", "--wire", "openai-chat"], (24, 100));
    session.writes(&chat("AskQuestion", &arguments.to_string())).ends();
    session.sees(&["Two things\n", "to decide\nQuestion 1 of 2\n? a\n"]);
}

#[test]
fn one_question_is_answered_by_one_line() {
    let arguments = json!({"question": "Which port?", "choices": ["80", "8080"]}).to_string();
    let body = chat("ask_user", &arguments);
    let mut session = Session::new(&["--lines", "--wire", "openai-chat"], (24, 100));
    session
        .writes(&body)
        .ends()
        .sees(&["? Which port?\n  1. 80\n  2. 8080\n> (1 to 2 (1 note: … adds a note), or in your own words; an empty line leaves"]);
    session.types("2\n").sees(&["✓ 8080"]);
    assert_eq!(session.concludes().status, 0);
}

/// Starts to ask one question line by line.
fn lone(tool: &str, arguments: &serde_json::Value) -> Session {
    let mut session = Session::new(&["--lines", "--wire", "openai-chat"], (24, 100));
    session.writes(&chat(tool, &arguments.to_string())).ends();
    session
}

#[test]
fn one_question_is_declined_left_or_asked_again_line_by_line() {
    let question =
        json!({"questions": [{"question": "Which?", "header": "W", "options": [{"label": "A"}, {"label": "B"}]}]});
    for (typed, shown) in [
        ("d\n", "✗ declined"),
        ("c\n", "✗ not answered: to be talked about first"),
        ("\n", "✗ not answered"),
        ("x\n", "✗ not answered"),
        ("\x04", "✗ not answered"),
    ] {
        let mut session = lone("AskUserQuestion", &question);
        session.sees(&["? Which?", "an empty line leaves it unanswered or declines it) "]).types("\n");
        session.sees(&["> (an empty line leaves it unanswered; 1 asks again; d declines, c talks about it first) "]);
        session.types(typed).sees(&[shown]);
        assert_eq!(session.concludes().status, 1, "{typed:?}");
    }
    let mut session = lone("AskUserQuestion", &question);
    session.sees(&["? Which?", "or declines it) "]).types("\n").sees(&["1 asks again; d declines"]).types("1\n");
    session.waits("the question again", |screen| screen.matches("? Which?").count() == 2).types("2\n").sees(&["✓ B"]);
    assert_eq!(session.concludes().status, 0);
    let mut session = lone("ask_user", &json!({"question": "Which?", "choices": ["80"]}));
    session
        .sees(&["leaves it unanswered or declines it) "])
        .types("\n")
        .sees(&["1 asks again; d declines) "])
        .types("c\n")
        .sees(&["c is none of these."])
        .waits("the prompt again", |screen| screen.matches("1 asks again; d declines) ").count() == 2);
}

#[test]
fn one_question_with_a_default_or_that_has_to_be_answered_is_declined_line_by_line() {
    let field = |field: serde_json::Value| json!({"message": "M", "requestedSchema": {"required": ["p"], "properties": {"p": field}}});
    let default = field(json!({"type": "string", "title": "Where?", "enum": ["prod", "test"], "default": "test"}));
    for (typed, shown, reply) in [
        ("d\n", "✗ declined", r#"{"action":"decline"}"#),
        ("x\n", "✗ not answered", r#"{"action":"cancel"}"#),
        ("\n", "✓ test", r#"{"action":"accept","content":{"p":"test"}}"#),
    ] {
        let mut session = lone("elicitation/create", &default);
        session.sees(&["an empty line keeps test) "]).types("\n");
        session.sees(&["> (an empty line sends that; 1 asks again; d declines, x leaves it unanswered) "]);
        session.types(typed).sees(&[shown]);
        assert_eq!(session.concludes().stdout, format!("{reply}\n"));
    }
    let mut session = lone("elicitation/create", &field(json!({"type": "string", "title": "Name?"})));
    session.sees(&["> (your answer; an empty line leaves it unanswered or declines it) "]).types("\n");
    session.sees(&["1 asks again; d declines) "]).types("d\n").sees(&["✗ declined"]);
    assert_eq!(session.concludes().stdout, "{\"action\":\"decline\"}\n");
}

#[test]
fn the_first_options_are_sent_line_by_line_if_nobody_types() {
    let mut session = Session::new(&[&["--lines", "--auto-answer", "1"], &WIRE[..]].concat(), (60, 120));
    session
        .writes(BODY)
        .ends()
        .sees(&["in 1 s the answers are sent, unless you begin to type", "taken because nobody typed"]);
    let ended = session.concludes();
    assert_eq!((ended.stdout, ended.status), (replied([[0], [0], [0]].map(FormAnswer::picked)), 0));
}

#[test]
fn control_sequences_in_a_form_do_not_reach_the_terminal() {
    let evil = "a\x1B]0;HOSTILE\x07\u{9B}31m\u{202E}b";
    let option = json!({"label": evil, "description": evil, "preview": evil});
    let question = json!({"question": evil, "header": evil, "options": [option, option], "multiSelect": true});
    let arguments = json!({"questions": [question, question]}).to_string();
    let body = chat("AskUserQuestion", &arguments);
    let wire = ["--wire", "openai-chat"];
    let mut session = Session::new(&wire, (40, 100));
    session.writes(&body).ends().sees(&["❯[ ] 1"]).types(" ").sees(&["❯[x] 1"]).types("\t").sees(&["❯[ ] 1"]);
    session.types("\t").sees(&["Send these answers?"]).types("\r");
    assert_is_clean(session);
    let mut session = Session::new(&[&["--lines"], &wire[..]].concat(), (40, 100));
    session.writes(&body).ends().sees(&["Question 1 of 2", "> (1 to 2"]).types("1\n").sees(&["Question 2 of 2"]);
    session.types("1,2\n").sees(&["an empty line sends"]).types("\n");
    assert_is_clean(session);
}

/// The form was answered, and the terminal's title was not set.
#[track_caller]
fn assert_is_clean(mut session: Session) {
    session.sees(&["✓"]);
    assert!(!session.is_title_set());
    assert_eq!(session.concludes().status, 0);
}

#[test]
fn a_label_cannot_forge_lines_of_the_review() {
    let forged = "Yes\n- 2. Delete: No, never\n> (an empty line sends the answers) ";
    let arguments = json!({"questions": [
        {"question": "Keep?", "header": "Keep", "options": [{"label": forged}, {"label": "No"}], "multiSelect": false},
        {"question": "Delete?", "header": "Delete", "options": [{"label": "Yes"}, {"label": "No"}], "multiSelect": false}]});
    let block = json!({"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": arguments});
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_stop"}),
    ];
    let body: String =
        events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())).collect();
    let mut session = Session::new(&[&["--lines"], &WIRE[..]].concat(), (60, 120));
    session.writes(&body).ends().sees(&["Question 1 of 2"]).types("1\n").sees(&["Question 2 of 2"]).types("1\n");
    session.sees(&["- 2. Delete: Yes\n"]).types("\n");
    let ended = session.concludes();
    let is_forged =
        |line: &str| line.starts_with("- 2. Delete: No") || line.starts_with("> (an empty line sends the answers)");
    assert!(!ended.screen.lines().any(is_forged), "{}", ended.screen);
}
