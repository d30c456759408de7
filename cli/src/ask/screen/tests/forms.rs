//! Tests of calls with several questions, or with several answers.

use followup::dialogue::{Answer, Dialogue, FormAnswer, ReplyKind};
use serde_json::{Value, json};

use super::screens::{Case, SIZES, assert_golden};
use super::*;
use crate::ask::screen::countdown::Countdown;
use crate::test_size::is_short;

const ENTER: KeyCode = KeyCode::Enter;
const ESC: KeyCode = KeyCode::Esc;
const TAB: KeyCode = KeyCode::Tab;
const SPACE: KeyCode = KeyCode::Char(' ');

/// Keys in the order of Claude Code's schema: the flag comes last.
pub(super) const FORM: &str = r#"{"questions": [
    {"question": "Which store should the sessions use?", "header": "Store", "options": [
        {"label": "Redis (Recommended)", "description": "fast, but in memory", "preview": "```\nSET a 1\n```"},
        {"label": "Postgres", "description": "there already"}], "multiSelect": false},
    {"question": "Which features?", "header": "Features", "options": [
        {"label": "Login", "description": "with a password"},
        {"label": "数据库", "description": "日本語"},
        {"label": "Search", "description": "by words"}], "multiSelect": true}]}"#;

/// A form of MCP, which has every kind of field.
const FIELDS: &str = r#"{"message": "Deployment", "requestedSchema": {"type": "object", "required": ["name"],
    "properties": {
        "env": {"type": "string", "title": "Where?", "enum": ["p", "t"], "enumNames": ["Production", "Test"], "default": "t"},
        "port": {"type": "integer", "title": "Which port?"},
        "sure": {"type": "boolean", "title": "Sure?"},
        "name": {"type": "string", "title": "Which name?"}}}}"#;

/// Returns the body of a provider that calls a tool with these arguments.
///
/// They are in pieces of `len` characters.
pub(super) fn body(tool: &str, arguments: &str, len: usize) -> String {
    let events = [started(tool), pieces(arguments, len), ended()];
    events.concat()
}

fn started(tool: &str) -> String {
    let block = json!({"type": "tool_use", "id": "t1", "name": tool, "input": {}});
    event(&json!({"type": "content_block_start", "index": 0, "content_block": block}))
}

fn pieces(arguments: &str, len: usize) -> String {
    let chars: Vec<char> = arguments.chars().collect();
    let piece = |piece: &[char]| {
        let piece: String = piece.iter().collect();
        event(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "input_json_delta", "partial_json": piece}}))
    };
    chars.chunks(len).map(piece).collect()
}

fn ended() -> String {
    event(&json!({"type": "content_block_stop", "index": 0})) + &event(&json!({"type": "message_stop"}))
}

fn event(event: &Value) -> String {
    format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap())
}

/// Returns a scene with an open call of this tool.
pub(super) fn scene_of(tool: &str, arguments: &str) -> Scene {
    let mut scene = Scene::with(70, 36, None, Format::Anthropic);
    scene.writes(&body(tool, arguments, 9));
    scene
}

fn scene() -> Scene {
    scene_of("AskUserQuestion", FORM)
}

fn fields() -> Scene {
    scene_of("elicitation/create", FIELDS)
}

/// Writes the beginning of a form, up to and with this text.
fn begins(scene: &mut Scene, end: &str) {
    let end = FORM.find(end).unwrap() + end.len();
    scene.writes(&(started("AskUserQuestion") + &pieces(&FORM[..end], 9)));
}

const STATES: &[Case] = &[
    ("form with a growing label", |scene| begins(scene, "Redis (Recomm")),
    ("form before the flag is known", |scene| begins(scene, "by words\"}]")),
    ("form", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9));
    }),
    ("form with ticks", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("1").press(SPACE).types("3");
    }),
    ("form with words", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("w日本語, in a file").press(TAB).press(SPACE);
    }),
    ("form being written", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("wIn a file");
    }),
    ("form reviewed", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("2").press(TAB);
    }),
    ("form to leave or decline", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).press(ESC);
    }),
    ("form answered", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("2").press(TAB).waits(800).press(ENTER).ends();
    }),
    ("form declined", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).press(ESC).types("d").ends();
    }),
    ("form left unanswered", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("2").press(ESC).types("y").ends();
    }),
    ("form talked about", |scene| {
        scene.writes(&body("AskUserQuestion", FORM, 9)).types("2").press(ESC).types("c").ends();
    }),
    ("form rejected", |scene| {
        let arguments = r#"{"questions": [{"question": "Which store?", "options": [{"label": "Redis", "description":
            "fast"}, {"label": "Postgres"}]}, {"options": [{"label": "Cost"}]}]}"#;
        scene.writes(&body("AskUserQuestion", arguments, 9)).ends();
    }),
    ("form cut off", |scene| {
        begins(scene, "\"label\": \"数据");
        scene.ends();
    }),
    ("form with a countdown", |scene| {
        scene.app.countdown = Countdown::new(Some(30));
        scene.writes(&body("AskUserQuestion", FORM, 9));
    }),
    ("form with options before their question", |scene| {
        let arguments = r#"{"questions":[{"header":"Database","id":"db","options":[{"description":"no server","label":"SQLite"},{"label":"Post"#;
        scene.writes(&(started("request_user_input") + &pieces(arguments, 9)));
    }),
    ("form with fields", |scene| {
        scene.writes(&body("elicitation/create", FIELDS, 9)).press(TAB).types("80");
    }),
    ("form with a late title", |scene| {
        let (title, rest) = FIELDS.split_once(", ").unwrap();
        let arguments = format!("{{{}, {}}}", rest.strip_suffix('}').unwrap(), title.strip_prefix('{').unwrap());
        scene.writes(&body("elicitation/create", &arguments, 9));
    }),
    ("form with a required field", |scene| {
        scene.writes(&body("elicitation/create", FIELDS, 9)).press(TAB).types("80");
        scene.press(TAB).press(TAB).press(TAB).waits(800).press(ENTER);
    }),
    ("form of one question", |scene| {
        let arguments = r#"{"question": "Which port?", "choices": ["80", "8080"], "allow_freeform": false}"#;
        scene.writes(&body("ask_user", arguments, 9));
    }),
    ("hostile form", |scene| {
        let evil = "a\u{1B}]0;title\u{7}b\u{1B}[2Jc\u{202E}d\r!";
        let option = json!({"label": evil, "description": evil, "preview": evil});
        let question = json!({"question": evil, "header": evil, "options": [option, option], "multiSelect": true});
        scene.writes(&body("AskUserQuestion", &json!({"questions": [question, question]}).to_string(), 9));
        scene.press(SPACE).types("w").pastes(evil).press(TAB);
    }),
];

#[test]
fn screens_of_forms_match_the_golden_files() {
    assert_golden(STATES, Format::Anthropic);
}

#[test]
fn no_size_panics_with_a_form() {
    for (_, act) in STATES {
        for (width, height) in [(0, 0), (1, 9), (2, 3), (5, 7), (9, 1), (11, 20), (20, 8), (200, 60)] {
            let mut scene = Scene::with(width, height, None, Format::Anthropic);
            act(&mut scene);
        }
    }
}

#[test]
fn a_resized_form_equals_one_that_started_at_that_size() {
    for (name, act) in STATES {
        let [(width, height), (wide, high), _] = SIZES;
        let mut scene = Scene::with(width, height, None, Format::Anthropic);
        act(&mut scene);
        scene.becomes_answerable();
        let mut other = Scene::with(wide, high, None, Format::Anthropic);
        act(&mut other);
        other.becomes_answerable().resizes(width, height);
        assert_eq!(other.shown(), scene.shown(), "{name}");
    }
}

#[test]
fn a_form_is_answered_step_by_step_and_reviewed_before_it_is_sent() {
    let mut scene = scene();
    scene.sees("── ❯ Store  · Features  · Review ──").sees("❯( ) 1  Redis (recommended)").sees("[ ] 3  Search");
    scene.types("2").sees("✓ Store  ❯ Features").sees("(•) 2  Postgres").sees("❯[ ] 1  Login");
    scene.press(SPACE).press(KeyCode::Down).types("3").sees("[x] 1  Login").sees("❯[x] 3  Search");
    assert!(scene.replies().is_empty());
    scene.press(ENTER).sees("Send these answers?").sees("1  Store: Postgres").sees("2  Features: Login, Search");
    // A held key does not send the answers.
    scene.press(ENTER).waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(picked(&[1]), picked(&[0, 2]))]);
    scene.sees("✓ Store: Postgres").sees("✓ Features: Login, Search");
    assert!(!scene.app.has_failed);
}

/// Returns the reply of a dialogue to a call with this answer.
pub(super) fn reply_to(tool: &str, arguments: &str, answer: Answer) -> String {
    let mut dialogue = Dialogue::default();
    let handler = &mut |event: InputEvent<'_>, _| {
        if let InputEvent::Event(event) = event {
            let _ = dialogue.event(event);
        }
        Ok(())
    };
    let wire = InputFormat::Known(Format::Anthropic);
    let mut reader = BodyReader::new(wire, Arc::new(Policy::default()), Limits::default());
    reader.feed(Some(body(tool, arguments, 99).as_bytes()), handler).unwrap();
    dialogue.answer(0, answer, Vec::new()).unwrap().text
}

/// Returns the reply to `FORM` with these answers.
pub(super) fn reply(store: FormAnswer, features: FormAnswer) -> String {
    reply_to("AskUserQuestion", FORM, Answer::Form(vec![store, features]))
}

pub(super) fn picked(options: &[usize]) -> FormAnswer {
    FormAnswer::picked(options)
}

pub(super) fn written(text: &str) -> FormAnswer {
    FormAnswer::text(text)
}

#[test]
fn steps_are_left_and_entered_by_keys_and_in_the_review_by_numbers() {
    for (act, store, features) in [
        (
            (|scene| scene.press(KeyCode::Right).press(KeyCode::Left).types("1").press(TAB))
                as fn(&mut Scene) -> &mut Scene,
            &[0][..],
            &[][..],
        ),
        (|scene| scene.press(TAB).types("23").press(KeyCode::BackTab).types("l").press(TAB), &[], &[1, 2]),
        (|scene| scene.types("21").press(TAB).types("1").types("1").press(TAB), &[0], &[0]),
        (
            |scene| scene.types("2").press(TAB).press(KeyCode::Up).press(ENTER).types("12").types("1").press(ENTER),
            &[1],
            &[1],
        ),
        (|scene| scene.press(SPACE).press(KeyCode::Down).press(SPACE).press(TAB).press(TAB), &[1], &[]),
        (|scene| scene.types("2").types("/by").press(ENTER).press(ENTER), &[1], &[2]),
    ] {
        let mut scene = scene();
        act(&mut scene).sees("Send these answers?").waits(800).press(ENTER);
        assert_eq!(scene.replies(), [reply(picked(store), picked(features))]);
    }
}

#[test]
fn own_words_replace_one_answer_and_join_several() {
    let mut scene = scene();
    scene.types("1").press(KeyCode::BackTab).types("wIn a file").press(ENTER).sees("✎  In a file").sees("( ) 1  Redis");
    scene.types("1wand this").press(TAB).sees("1  Store: In a file").sees("2  Features: Login, and this");
    scene.waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(written("In a file"), FormAnswer { picked: vec![0], ..written("and this") })]);
}

#[test]
fn own_words_are_not_sent_if_an_option_is_picked_instead_or_the_tick_is_taken_away() {
    let mut scene = scene();
    scene.types("wIn a file").press(ESC).press(KeyCode::Home).types("2");
    scene.types("wand this").press(ESC).press(SPACE).press(KeyCode::Home).types("3").press(TAB).waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(picked(&[1]), picked(&[2]))]);
}

#[test]
fn editing_an_option_begins_own_words_with_its_label() {
    let mut scene = scene();
    scene.types("e 7").press(ENTER).press(TAB).sees("Store: Redis 7").waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(written("Redis 7"), picked(&[]))]);
}

#[test]
fn the_mouse_picks_at_any_question_and_sends_at_the_review() {
    let mut scene = scene();
    let row_of = |scene: &Scene, text: &str| {
        u16::try_from(scene.rows().iter().position(|row| row.contains(text)).unwrap()).unwrap()
    };
    for text in ["Search", "数据库", "Search", "there already"] {
        let row = row_of(&scene, text);
        scene.clicks(row);
    }
    assert!(scene.replies().is_empty());
    scene.sees("(•) 2  Postgres").sees("[x] 2  数据库").sees("[ ] 3  Search").press(TAB).press(TAB);
    let row = row_of(&scene, "→  Send");
    scene.clicks(row);
    assert_eq!(scene.replies(), [reply(picked(&[1]), picked(&[1]))]);
}

#[test]
fn a_form_without_any_answer_is_not_sent() {
    let mut scene = scene();
    scene.press(TAB).press(TAB).waits(800).press(ENTER).sees("Nothing is answered yet");
    assert!(scene.replies().is_empty());
}

#[test]
fn what_was_picked_is_not_lost_without_a_question() {
    let mut scene = scene();
    scene.types("2").press(ESC).sees("Leave the questions unanswered?").press(ESC).misses("Leave the questions");
    scene.control('c').sees("Ctrl-C again quits, and your answers are lost.");
    assert!(!scene.app.is_done() && scene.replies().is_empty());
    scene.press(TAB).waits(800).press(ENTER);
    assert_eq!(scene.replies(), [reply(picked(&[1]), FormAnswer::default())]);
    // Without a pick there is nothing to lose.
    let mut scene = self::scene();
    scene.control('c');
    assert!(scene.app.is_done());
    let mut scene = fields();
    scene.control('c');
    assert!(scene.app.is_done(), "a default is no pick");
    let mut scene = fields();
    scene.types("1").control('c').sees("your answers are lost").control('c');
    assert!(scene.app.is_done());
}

#[test]
fn a_form_is_left_or_declined() {
    for (keys, shown, kind) in [("y", "✗ not answered", ReplyKind::Cancelled), ("d", "✗ declined", ReplyKind::Declined)]
    {
        let mut scene = scene();
        scene.press(ESC).sees("Leave the questions unanswered?").types(keys).sees(shown);
        assert_eq!(scene.replies.iter().map(|reply| reply.kind).collect::<Vec<_>>(), [kind]);
        assert!(scene.app.has_failed);
    }
    let mut scene = scene();
    scene.types("dx").sees("❯ Store");
    assert!(scene.replies().is_empty(), "the key has to be pressed twice");
}

#[test]
fn fields_of_each_kind_are_checked_where_they_are_wrong() {
    let mut scene = fields();
    scene.sees("❯(•) 2  Test").press(TAB).sees("── Your answer").types("many").press(TAB);
    scene.press(TAB).press(TAB).sees("Which name?: not answered (required)").waits(800).press(ENTER);
    scene.sees("the answer to question 2 has to be a number").control('u').types("8080").press(ENTER);
    scene.press(TAB).press(TAB).waits(800).press(ENTER).sees("question 4 has to be answered").types("x").press(ENTER);
    scene.waits(800).press(ENTER);
    let answers = vec![picked(&[1]), written("8080"), picked(&[]), written("x")];
    assert_eq!(scene.replies(), [reply_to("elicitation/create", FIELDS, Answer::Form(answers))]);
}

#[test]
fn own_words_are_not_offered_where_the_tool_takes_none() {
    let arguments = r#"{"question": "Which?", "choices": ["80", "8080"], "allow_freeform": false}"#;
    let mut scene = scene_of("ask_user", arguments);
    scene.misses("In your own words").misses("write").types("wxe").pastes("9").misses("── Your");
    scene.press(KeyCode::Up).sees("❯( ) 2  8080").press(ENTER);
    assert_eq!(scene.replies(), [reply_to("ask_user", arguments, Answer::Suggestion(1))]);
}

#[test]
fn a_paste_where_nothing_can_be_written_is_reported() {
    let arguments = r#"{"question": "Which?", "choices": ["80", "8080"], "allow_freeform": false}"#;
    let mut scene = scene_of("ask_user", arguments);
    scene.pastes("9").sees("Nothing was pasted: this question takes only its options.").press(KeyCode::Down);
    scene.misses("Nothing was pasted");
    let mut scene = self::scene();
    scene.press(TAB).press(TAB).sees("Send these answers?").pastes("9");
    scene.sees("Nothing was pasted: here you only send the answers.").press(KeyCode::BackTab).pastes("9").press(TAB);
    scene.sees("Features: 9");
}

#[test]
fn one_question_with_one_answer_takes_one_key() {
    let arguments = r#"{"question": "Which?", "choices": ["80", "8080"]}"#;
    let mut scene = scene_of("ask_user", arguments);
    scene.types("2");
    assert_eq!(scene.replies(), [reply_to("ask_user", arguments, Answer::Suggestion(1))]);
    let mut scene = scene_of("ask_user", arguments);
    scene.press(KeyCode::Down).types("e0").press(ENTER);
    assert_eq!(scene.replies(), [reply_to("ask_user", arguments, Answer::Text("80800".into()))]);
}

#[test]
fn a_field_shows_its_hint_while_it_is_empty() {
    let arguments =
        r#"{"questions": [{"question": "Name?", "header": "Name", "type": "text", "placeholder": "my-app"}]}"#;
    let mut scene = scene_of("ask_user", arguments);
    scene.sees("── Your answer").sees("my-app").types("x").press(ENTER);
    assert_eq!(scene.replies(), [reply_to("ask_user", arguments, Answer::Text("x".into()))]);
}

/// The screen after both chunks is that after one.
#[test]
fn the_screen_of_a_form_does_not_depend_on_the_chunks() {
    let arguments = r#"{"questions":[{"question":"Größe?","header":"Gr","multiSelect":true,"options":[{"label":"a (Recommended)","description":"\u00e9"},{"label":"b"}]}]}"#;
    let body = body("AskUserQuestion", arguments, 23).into_bytes();
    let shown = |chunks: &[&[u8]]| {
        let mut scene = Scene::with(50, 16, None, Format::Anthropic);
        for chunk in chunks {
            scene.feeds(Some(chunk));
            scene.draw();
        }
        scene.becomes_answerable().shown()
    };
    let whole = shown(&[&body]);
    for at in (0..=body.len()).step_by(if is_short() { 3 } else { 1 }) {
        assert_eq!(shown(&[&body[..at], &body[at..]]), whole, "{at}");
    }
    assert_eq!(shown(&body.chunks(1).collect::<Vec<_>>()), whole);
}

#[test]
fn a_preview_is_shown_for_the_highlighted_option() {
    let mut scene = scene();
    scene.sees("── Preview of 1").sees("SET a 1").press(KeyCode::Down).misses("SET a 1");
    scene.press(KeyCode::Up).sees("SET a 1").press(TAB).misses("SET a 1");
}

#[test]
fn the_countdown_sends_what_is_chosen_at_first_or_else_the_first_options() {
    let mut scene = Scene::with(60, 30, Some(3), Format::Anthropic);
    scene.writes(&body("AskUserQuestion", FORM, 9)).sees("In 3 s: sends answers").waits(3_100);
    assert_eq!(scene.replies(), [reply(picked(&[0]), picked(&[0]))]);
    scene.sees("taken because nobody pressed a key");
    let mut scene = Scene::with(60, 30, Some(3), Format::Anthropic);
    scene.writes(&body("elicitation/create", FIELDS, 9)).waits(9_000);
    assert!(scene.replies().is_empty(), "a field has no first option");
}

/// Returns the text of a row without what marks it.
fn unmarked(row: &str) -> String {
    let mut row = row.to_owned();
    for mark in ["❯", "[ ]", "[x]", "( )", "(•)", "? ", "✓ "] {
        row = row.replace(mark, &" ".repeat(mark.chars().count()));
    }
    row.trim().trim_start_matches('?').to_owned()
}

/// What was shown is shown after each byte, further right in its row or further down.
#[test]
fn nothing_that_is_shown_while_a_form_grows_is_taken_back_or_moves_up() {
    let sorted = |arguments: &str| serde_json::from_str::<Value>(arguments).unwrap().to_string();
    let gemini = r#"{"questions": [{"question": "Deploy?", "header": "Deploy", "type": "yesno"},
        {"question": "Name?", "header": "Name", "type": "text", "placeholder": "my-app"}]}"#;
    let vscode = r#"{"questions": [{"header": "Env", "question": "Where?", "message": "See it.", "multiSelect": true,
        "options": [{"label": "Test", "recommended": true}, {"label": "(Recommended) Live"}]}]}"#;
    for (tool, arguments) in [
        ("AskUserQuestion", FORM.to_owned()),
        ("AskUserQuestion", sorted(FORM)),
        ("elicitation/create", FIELDS.to_owned()),
        ("elicitation/create", sorted(FIELDS)),
        ("ask_user", gemini.to_owned()),
        ("vscode_askQuestions", vscode.to_owned()),
        ("vscode_askQuestions", sorted(vscode)),
    ] {
        let mut scene = Scene::with(120, 70, None, Format::Anthropic);
        let mut before: Vec<String> = Vec::new();
        let all = body(tool, &arguments, if is_short() { 20 } else { 1 });
        let events = all.split_inclusive("\n\n");
        for piece in events {
            scene.feeds(Some(piece.as_bytes()));
            scene.draw();
            let mut rows: Vec<String> = scene.rows().iter().map(|row| unmarked(row)).collect();
            // The last rows are the names of the steps, and the keys.
            rows.truncate(60);
            let mut next = 0;
            for (index, row) in before.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
                let place = rows.iter().enumerate().skip(next).find(|(_, now)| holds(now, row));
                let Some((place, _)) = place.filter(|&(place, _)| place >= index) else {
                    panic!("{tool}: {row:?} moved up or is gone after {piece}:\n{}", scene.shown());
                };
                next = place + 1;
            }
            before = rows;
        }
        assert!(scene.app.open_question.is_some(), "{tool}");
    }
}

/// Returns whether a row shows all the characters of an earlier one, in order.
fn holds(now: &str, before: &str) -> bool {
    let mut chars = now.chars();
    before.chars().all(|char| chars.any(|now| now == char))
}

#[test]
fn a_form_that_is_cut_off_keeps_what_was_shown() {
    let mut scene = Scene::with(70, 30, None, Format::Anthropic);
    begins(&mut scene, "\"label\": \"数据");
    scene.ends().sees("1  Redis").sees("2  数据").sees("✗ rejected");
    assert!(scene.app.has_failed);
}

#[test]
fn every_label_is_on_the_screen_at_every_width() {
    for width in (20..=200).step_by(if is_short() { 9 } else { 1 }) {
        let mut scene = Scene::with(width, 90, None, Format::Anthropic);
        scene.writes(&body("AskUserQuestion", FORM, 99));
        let shown = scene.rows().join("").replace(' ', "");
        for text in ["Redis", "fast,butinmemory", "Postgres", "数据库", "日本語", "[]3Search", "1Login"] {
            assert!(shown.contains(text), "{width}: {text} is missing:\n{}", scene.shown());
        }
        assert!(scene.rows().iter().all(|row| unicode_width::UnicodeWidthStr::width(&**row) <= usize::from(width)));
    }
}

/// Every text that a model can put into a form.
#[test]
fn control_characters_in_a_form_are_not_drawn() {
    for evil in ["\u{1B}[2J", "\u{9B}31m", "\u{202E}", "\u{2066}", "\u{7}", "a\rb", "\u{2028}", "\u{7F}", "\u{61C}"] {
        let option = json!({"label": format!("l{evil}"), "description": format!("d{evil}"),
            "preview": format!("p{evil}"), "mode": format!("m{evil}"), "id": format!("i{evil}"), "recommended": true});
        let question = json!({"question": format!("q{evil}"), "header": format!("h{evil}"), "id": format!("i{evil}"),
            "message": format!("t{evil}"), "placeholder": format!("f{evil}"), "multiSelect": true, "multiple": true,
            "options": [option, {"label": "x"}]});
        let field = json!({"question": format!("q{evil}"), "header": format!("h{evil}"), "type": "text",
            "placeholder": format!("f{evil}")});
        let arguments = json!({"questions": [question, field]}).to_string();
        for tool in ["AskUserQuestion", "vscode_askQuestions", "question", "ask_user", "request_user_input"] {
            let mut scene = Scene::with(60, 40, None, Format::Anthropic);
            let body = body(tool, &arguments, if is_short() { 50 } else { 5 });
            for event in body.split_inclusive("\n\n") {
                scene.feeds(Some(event.as_bytes()));
                scene.draw();
                assert_visible(&scene.rows());
            }
            assert!(scene.app.open_question.is_some(), "{tool}");
            scene.becomes_answerable();
            for keys in [&[SPACE][..], &[TAB], &[KeyCode::Char('z'), TAB], &[ENTER], &[]] {
                for &key in keys {
                    scene.press(key);
                }
                assert_visible(&scene.rows());
            }
            let transcript = scene.app.document.transcript(60);
            assert_visible(&transcript.iter().map(ToString::to_string).collect::<Vec<_>>());
        }
    }
}

#[track_caller]
fn assert_visible(rows: &[String]) {
    // What `evil` has, but for isolates.
    let hidden = ['\u{1B}', '\u{9B}', '\u{202E}', '\u{7}', '\r', '\u{2028}', '\u{7F}', '\u{61C}'];
    for row in rows {
        assert!(!row.contains(hidden), "{row:?}");
        // Isolates that end in their line are kept.
        assert_eq!(row.matches('\u{2066}').count(), row.matches('\u{2069}').count(), "{row:?}");
    }
}

#[test]
fn a_countdown_answers_a_lone_question_with_its_default() {
    for (property, reply) in [
        (r#""enum": ["prod", "test"], "default": "test""#, r#"{"action":"accept","content":{"env":"test"}}"#),
        (r#""default": "here""#, r#"{"action":"accept","content":{"env":"here"}}"#),
        (r#""enum": ["prod", "test"]"#, r#"{"action":"accept","content":{"env":"prod"}}"#),
    ] {
        let mut scene = Scene::with(70, 24, Some(5), Format::Anthropic);
        let schema = format!(
            r#"{{"type": "object", "properties": {{"env": {{"type": "string", "title": "Where?", {property}}}}}}}"#
        );
        let arguments = format!(r#"{{"message": "Deployment", "requestedSchema": {schema}}}"#);
        scene.writes(&body("elicitation/create", &arguments, 9)).sees("In 5 s: sends an answer").waits(6_000);
        assert_eq!(scene.replies(), [reply]);
    }
}
