//! Tests of calls with several questions, headers, descriptions and flags.

use super::*;

const CLAUDE: &str = r#"{"questions": [
    {"question": "Which store should hold the sessions?", "header": "Store", "options": [
        {"label": "Redis (Recommended)", "description": "fast, and sessions end by themselves", "preview": "a:\n  b"},
        {"label": "Postgres", "description": "there already"}], "multiSelect": true},
    {"question": "When?", "header": "Time", "options": [{"label": "Now"}, {"label": "Later"}], "multiSelect": false}]}"#;

/// The question comes last, and the description before its label.
const CODEX: &str = r#"{"questions": [{"header": "Database", "id": "db", "options": [
    {"description": "no server", "label": "SQLite"}, {"description": "a server", "label": "Postgres"}],
    "question": "Which database should the service use for all of its sessions?"}]}"#;

/// What is recommended, required and several is known last, or first.
const CALLS: &[(&str, &str)] = &[
    ("AskUserQuestion", CLAUDE),
    ("request_user_input", CODEX),
    (
        "vscode_askQuestions",
        r#"{"questions": [{"multiSelect": true, "options": [{"recommended": true, "label": "Test"},
            {"label": "Production", "recommended": true}], "message": "See the *plan*.\n\n1. a", "header": "Env",
            "question": "Where?"}, {"question": "Why?"}]}"#,
    ),
    (
        "ask",
        r#"{"questions": [{"question": "Which?", "options": [{"label": "SQLite"}, {"label": "Postgres"}], "recommended": 0},
            {"question": "And?", "options": [{"label": "日本語"}, {"label": "Yes"}], "recommended": 1}]}"#,
    ),
    (
        "elicitation/create",
        r#"{"requestedSchema": {"properties": {"n": {"type": "integer", "title": "How many?"},
            "s": {"type": "array", "title": "Size", "items": {"enum": ["s", "l"]}}}, "required": ["s", "n"]},
            "message": "Before\nall else"}"#,
    ),
    (
        "question",
        r#"{"questions": [{"question": "Next?", "options": [{"label": "Build", "mode": "code"}, {"label": "St"#,
    ),
    ("AskUserQuestion", r#"{"questions": []}"#),
    ("AskUserQuestion", r#"{"questions": [{"header": "Only a header"}]}"#),
];

fn parser(tool: &str) -> Parser {
    Parser::arguments_of(tool, Policy::new()).unwrap()
}

#[test]
fn all_questions_are_shown_below_each_other() {
    let fake = FakeTerminal::new(34, 30);
    watch_parser(&fake, parser("AskUserQuestion"), CLAUDE, 3, |_| {});
    let shown = "\
? Which store should hold the
  sessions?
  Store
  (choose several)
  1. Redis (Recommended)
     fast, and sessions end by
     themselves
     preview: a:
       b
  2. Postgres
     there already

? 2. When?
  Time

  1. Now
  2. Later";
    assert_eq!(fake.shown(), shown);
}

#[test]
fn the_screen_is_up_to_date_after_every_chunk() {
    for (tool, arguments) in CALLS {
        for columns in [11, 17, 40, 80].into_iter().step_by(if is_short() { 2 } else { 1 }) {
            let fake = FakeTerminal::new(columns, 80);
            watch_parser(&fake, parser(tool), arguments, 1, |expected| {
                assert_eq!(without_blanks(&fake.shown()), expected.text(), "{tool}, {columns} columns");
            });
        }
    }
}

#[test]
fn a_call_in_its_usual_order_only_grows() {
    // Without the hint, which comes last and is shown above.
    let arguments = CLAUDE.replace("true", "false");
    for columns in [17, 30, 80] {
        let fake = FakeTerminal::new(columns, 60);
        let mut before = String::new();
        watch_parser(&fake, parser("AskUserQuestion"), &arguments, 1, |_| {
            let now = without_blanks(&fake.shown());
            assert!(now.starts_with(&before), "{before}\nbecame\n{now}");
            before = now;
        });
    }
}

#[test]
fn a_hint_that_comes_last_moves_nothing() {
    let fake = FakeTerminal::new(80, 40);
    let (mut heights, mut has_hint) = (Vec::new(), false);
    let first = CLAUDE.split("When?").next().unwrap();
    watch_parser(&fake, parser("AskUserQuestion"), first, 1, |_| {
        let lines = fake.lines();
        has_hint |= lines[2].contains("(choose several)");
        heights.push(lines.iter().rposition(|line| !line.is_empty()));
        if heights.last().unwrap().is_some_and(|last| last > 3) {
            assert!(lines[3].starts_with("  1. Redis"), "{lines:?}");
        }
    });
    assert!(has_hint && heights.is_sorted());
}

#[test]
fn a_call_taller_than_the_screen_is_complete_in_the_end() {
    for (tool, arguments) in CALLS {
        for (columns, lines) in [(24, 3), (20, 5), (12, 1)] {
            let fake = FakeTerminal::new(columns, lines);
            let mut whole = String::new();
            watch_parser(&fake, parser(tool), arguments, 1, |expected| whole = expected.text());
            let shown = without_blanks(&fake.ever_shown());
            assert!(shown.ends_with(&whole), "{tool} {columns}×{lines}: {shown}");
        }
    }
}

#[test]
fn the_narrowest_screen_does_not_panic() {
    for (tool, arguments) in CALLS {
        for columns in 1..9 {
            watch_parser(&FakeTerminal::new(columns, 5), parser(tool), arguments, 1, |_| {});
        }
    }
}

#[test]
fn after_a_resize_the_call_is_laid_out_again() {
    let half = &CLAUDE[..CLAUDE.len() - 20];
    for reflows in [false, true] {
        for at in (40..half.len()).step_by(if is_short() { 211 } else { 17 }) {
            let fake = FakeTerminal { reflows, ..FakeTerminal::new(60, 40) };
            let mut read = 0;
            watch_parser(&fake, parser("AskUserQuestion"), half, 1, |expected| {
                read += 1;
                if read == at {
                    fake.resize(30);
                } else if read > at + 20 {
                    assert_eq!(without_blanks(&fake.shown()), expected.text(), "{at}");
                }
            });
        }
    }
}

#[test]
fn the_marks_of_all_questions_tell_how_the_call_ended() {
    for (arguments, colour) in [(CLAUDE, 2), (&CLAUDE[..CLAUDE.len() - 2], 1)] {
        let fake = FakeTerminal::new(80, 40);
        watch_parser(&fake, parser("AskUserQuestion"), arguments, 7, |_| {});
        let lines = fake.lines();
        let marks: Vec<usize> = (0..lines.len()).filter(|&i| lines[i].starts_with('?')).collect();
        assert_eq!(marks.len(), 2);
        for line in marks {
            let emulated = fake.emulated.borrow();
            assert_eq!(
                emulated.screen().cell(u16::try_from(line).unwrap(), 0).unwrap().fgcolor(),
                vt100::Color::Idx(colour)
            );
        }
    }
}

#[test]
fn control_characters_in_any_text_are_never_written() {
    let bad = r"a\u001b[31mb\u001b]0;title\u0007c\u009b2Jd\re\bf\u202eg\u2067h";
    let arguments = format!(
        r#"{{"questions": [{{"header": "{bad}", "question": "{bad}", "message": "{bad}", "options": [
            {{"label": "{bad}", "description": "{bad}", "recommended": true}}, {{"label": "{bad}"}}]}}, {{"question": "{bad}"}}]}}"#
    );
    let claude =
        format!(r#"{{"questions": [{{"question": "{bad}", "options": [{{"label": "{bad}", "preview": "{bad}"}}]}}]}}"#);
    let kilo =
        format!(r#"{{"questions": [{{"question": "{bad}", "options": [{{"label": "{bad}", "mode": "{bad}"}}]}}]}}"#);
    for (tool, arguments, times) in
        [("askQuestions", arguments, 7), ("AskUserQuestion", claude, 3), ("question", kilo, 3)]
    {
        for pieces in [1, 3, 1000] {
            let fake = FakeTerminal::new(120, 40);
            watch_parser(&fake, parser(tool), &arguments, pieces, |_| {});
            let shown = fake.shown();
            assert_eq!(shown.matches("a␛[31mb␛]0;title␇c").count(), times, "{shown}");
            let mut written = String::from_utf8(fake.written.borrow().clone()).unwrap();
            for own in ["?2026h", "?2026l", "?7h", "?7l", "0m", "1m", "2m", "31m", "32m", "33m", "35m", "36m", "K"] {
                written = written.replace(&format!("\x1B[{own}"), "");
            }
            for lines in 1..20 {
                written = written.replace(&format!("\x1B[{lines}A"), "");
            }
            let is_control =
                |char: char| crate::sanitize::is_control(char) && !"\r\n".contains(char) && !is_isolate(char);
            assert_eq!(written.find(is_control), None, "{written:?}");
            assert_balanced(&fake);
        }
    }
}

#[test]
fn a_partial_costs_the_same_however_long_the_call_is() {
    let drawn = |options: usize| {
        let mut terminal = TerminalOutput::new(Vec::new(), FakeTerminal::new(80, 24), false);
        let mut parser = parser("AskUserQuestion");
        let option = r#"{"label": "An answer", "description": "what it means"}, "#;
        for piece in [r#"{"questions": [{"question": "Which?", "header": "H", "options": ["#]
            .into_iter()
            .chain(vec![option; options])
        {
            let mut events = parser.feed(piece);
            while let Some(event) = events.next() {
                terminal.event(event, EmittedAt { offset: 0, at_end: false, format: None }).unwrap();
            }
            terminal.flush().unwrap();
        }
        terminal.out.len() / options
    };
    assert!(drawn(32) < drawn(8) * 2, "{} and {} bytes", drawn(8), drawn(32));
}
