//! Tests of `followup parse` on a pseudo-terminal.

use std::io::{Read, Write};
use std::process::Stdio;

use pty_process::Size;
use pty_process::blocking::{Command, open};

/// Runs the program on a terminal, with the message in a pipe. Returns its output and exit status.
fn run(args: &[&str], variables: &[(&str, &str)], message: Option<&str>) -> (String, i32) {
    let (mut terminal, child_side) = open().unwrap();
    terminal.resize(Size::new(24, 50)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_followup"))
        .args(args)
        .env_remove("NO_COLOR")
        .env("TERM", "xterm-256color")
        .envs(variables.iter().copied());
    if message.is_some() {
        command = command.stdin(Stdio::piped());
    }
    let mut child = command.spawn(child_side).unwrap();
    if let Some(message) = message {
        child.stdin.take().unwrap().write_all(message.as_bytes()).unwrap();
    }
    let mut written = Vec::new();
    // Fails when the other side is closed.
    let _ = terminal.read_to_end(&mut written);
    (String::from_utf8(written).unwrap(), child.wait().unwrap().code().unwrap())
}

/// Returns the text on the screen, and whether any of it is styled.
fn screen(written: &str) -> (String, bool) {
    let mut emulated = vt100::Parser::new(24.try_into().unwrap(), 50.try_into().unwrap(), 0);
    emulated.process(written.as_bytes());
    let screen = emulated.screen();
    let coloured = (0..24).flat_map(|line| (0..50).map(move |column| (line, column))).any(|(line, column)| {
        let cell = screen.cell(line, column).unwrap();
        cell.fgcolor() != vt100::Color::Default || cell.bold() || cell.dim()
    });
    let lines: Vec<_> = screen.rows(0, 50).map(|line| line.trim_end().to_owned()).collect();
    (lines.join("\n").trim_end().to_owned(), coloured)
}

const MESSAGE: &str = "Hm. <read_file></read_file>\n<ask_followup_question><question>Which of the many databases that there are in this \
    world?</question><follow_up><suggest mode=\"code\">This</suggest></follow_up></ask_followup_question>Done.";

const SHOWN: &str = "Hm. <read_file></read_file>\n? Which of the many databases that there are in\n  this world?\n\n  1. [code] This\nDone.";

#[test]
fn a_message_is_shown_in_colour() {
    for chunks in [&["parse"][..], &["parse", "--chunk", "1"], &["parse", "--chunk", "random:3"]] {
        let (written, status) = run(chunks, &[], Some(MESSAGE));
        assert_eq!(screen(&written), (SHOWN.to_owned(), true));
        assert_eq!(status, 0);
        assert!(written.ends_with("\r\n"), "the next prompt begins a line");
    }
}

#[test]
fn an_isolate_that_crosses_the_end_of_a_row_continues_in_the_next() {
    let message = MESSAGE
        .replace("many databases that there are in this", "\u{2067}many databases that there are in this\u{2069}");
    let shown = SHOWN.replace("many", "\u{2067}many").replace("in\n  this", "in \u{2069}\n  \u{2067}this\u{2069}");
    for chunks in ["1000", "1", "7", "random:3"] {
        let (written, _) = run(&["parse", "--chunk", chunks], &[], Some(&message));
        assert_eq!(screen(&written).0, shown, "{chunks}");
    }
}

#[test]
fn colours_are_turned_off_by_an_option_or_a_variable() {
    for (args, variables) in
        [(&["parse", "--chunk", "1"][..], &[("NO_COLOR", "1")][..]), (&["parse", "--chunk", "1", "--no-color"], &[])]
    {
        let (written, _) = run(args, variables, Some(MESSAGE));
        assert_eq!(screen(&written), (SHOWN.to_owned(), false));
        assert!(!written.contains("m?"), "{written:?}");
    }
    let (written, _) = run(&["parse"], &[("NO_COLOR", "")], Some(MESSAGE));
    assert!(screen(&written).1, "an empty NO_COLOR has no effect");
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_plain_text() {
    let (written, _) = run(&["parse", "--chunk", "1"], &[("TERM", "dumb")], Some(MESSAGE));
    assert!(!written.contains('\x1B'));
    assert!(written.contains("? Which of the many databases that there are in this world?\r\n"));
}

#[test]
fn json_on_a_terminal_is_the_same() {
    let (written, _) = run(&["parse", "--json", "--no-partials"], &[], Some("text"));
    assert_eq!(written, "{\"event\":\"text\",\"text\":\"text\",\"at\":4}\r\n");
}

#[test]
fn a_rejected_question_is_shown_and_is_a_failure() {
    let (written, status) = run(&["parse"], &[], Some("<ask_followup_question><question>Cut"));
    assert!(screen(&written).0.starts_with("? Cut\n✗ rejected: "), "{written:?}");
    assert_eq!(status, 1);
}

#[test]
fn nothing_to_read_is_a_usage_error_that_says_what_to_do() {
    for args in [&["parse"][..], &["parse", "--json"], &["parse", "--records"]] {
        let (written, status) = run(args, &[], None);
        assert_eq!(status, 2);
        assert!(written.starts_with("followup: nothing to read: name a file, or pipe a message in"), "{written}");
        assert!(written.contains("followup parse message.txt"));
    }
}
