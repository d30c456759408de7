//! Tests of the terminal output on an emulated terminal.

mod forms;

use std::cell::{Cell as StdCell, RefCell};
use std::rc::Rc;

use followup::wire::{Format, ResponseParser};
use followup::{Parser, Policy, QuestionKind, Questions};

use super::*;
use crate::isolates::{balanced, is_isolate};
use crate::test_size::is_short;

/// An emulated terminal, with its scrollback.
#[derive(Clone)]
struct FakeTerminal {
    emulated: Rc<RefCell<vt100::Parser>>,
    /// The same terminal, one frame ahead while a frame is drawn.
    ahead: Rc<RefCell<vt100::Parser>>,
    /// All bytes ever written to it.
    written: Rc<RefCell<Vec<u8>>>,
    /// The last frame.
    frame: Rc<RefCell<Vec<u8>>>,
    size: Rc<StdCell<(u16, u16)>>,
    reflows: bool,
}

fn emulator(columns: u16, lines: u16) -> vt100::Parser {
    vt100::Parser::new(lines.try_into().unwrap(), columns.try_into().unwrap(), 10_000)
}

impl FakeTerminal {
    fn new(columns: u16, lines: u16) -> FakeTerminal {
        FakeTerminal {
            emulated: Rc::new(RefCell::new(emulator(columns, lines))),
            ahead: Rc::new(RefCell::new(emulator(columns, lines))),
            written: Rc::default(),
            frame: Rc::default(),
            size: Rc::new(StdCell::new((columns, lines))),
            reflows: false,
        }
    }

    fn lines(&self) -> Vec<String> {
        let (columns, _) = self.size.get();
        self.emulated.borrow().screen().rows(0, columns).map(|row| row.trim_end().to_owned()).collect()
    }

    /// Returns the screen without its empty lines at the end.
    fn shown(&self) -> String {
        self.lines().join("\n").trim_end().to_owned()
    }

    /// Returns the scrollback and the screen.
    fn ever_shown(&self) -> String {
        let (columns, lines) = self.size.get();
        let mut emulated = self.emulated.borrow_mut();
        let mut all = Vec::new();
        emulated.screen_mut().set_scrollback(usize::MAX);
        let off = emulated.screen().scrollback();
        for back in (0..=off).rev() {
            emulated.screen_mut().set_scrollback(back);
            let rows = if back == 0 { usize::from(lines) } else { 1 };
            all.extend(emulated.screen().rows(0, columns).take(rows).map(|row| row.trim_end().to_owned()));
        }
        all.join("\n").trim_end().to_owned()
    }

    /// Changes the width. Lines are cut, or wrapped as modern terminals do.
    fn resize(&self, columns: u16) {
        let (_, lines) = self.size.get();
        // Nothing follows the cursor.
        let (line, column) = self.emulated.borrow().screen().cursor_position();
        let mut kept = self.lines();
        kept.truncate(usize::from(line) + 1);
        kept[usize::from(line)] = format!("{:1$}", kept[usize::from(line)], column.into());
        let text = kept.join("\r\n");
        for emulated in [&self.emulated, &self.ahead] {
            let mut emulated = emulated.borrow_mut();
            if self.reflows {
                *emulated = emulator(columns, lines);
                emulated.process(text.as_bytes());
            } else {
                emulated.screen_mut().set_size(lines.try_into().unwrap(), columns.try_into().unwrap());
            }
        }
        self.size.set((columns, lines));
    }

    fn terminal(&self, colour: bool) -> TerminalOutput<FakeTerminal, FakeTerminal> {
        TerminalOutput::new(self.clone(), self.clone(), colour)
    }
}

impl TerminalInfo for FakeTerminal {
    fn size(&self) -> (usize, usize) {
        let (columns, lines) = self.size.get();
        (columns.into(), lines.into())
    }

    fn reflows(&self) -> bool {
        self.reflows
    }
}

impl Write for FakeTerminal {
    /// Draws byte by byte, as a terminal without synchronized updates does, and checks for flicker.
    fn write(&mut self, frame: &[u8]) -> io::Result<usize> {
        // As the kernel's line discipline does.
        let written: Vec<u8> = frame
            .iter()
            .flat_map(|byte| if *byte == b'\n' { &b"\r\n"[..] } else { std::slice::from_ref(byte) })
            .copied()
            .collect();
        let (mut emulated, mut ahead) = (self.emulated.borrow_mut(), self.ahead.borrow_mut());
        ahead.process(&written);
        let (columns, lines) = self.size.get();
        // Only the first character of a cell: combining characters arrive after it.
        let seen = |from: &vt100::Parser, (line, column)| {
            from.screen().cell(line, column)?.contents().chars().next().filter(|char| !char.is_whitespace())
        };
        // Cells stay unless the screen scrolls or is laid out again.
        let stay = !String::from_utf8_lossy(frame).contains("\x1B[J") && ahead.screen().cursor_position().0 + 1 < lines;
        let used = emulated.screen().cursor_position().0 + 1;
        let cells = (0..used).flat_map(|line| (0..columns).map(move |column| (line, column)));
        let staying: Vec<_> = cells
            .filter_map(|at| Some((at, seen(&emulated, at)?)))
            .filter(|(at, cell)| stay && seen(&ahead, *at) == Some(*cell))
            .collect();
        for byte in written {
            emulated.process(&[byte]);
            for (at, cell) in &staying {
                assert_eq!(seen(&emulated, *at), Some(*cell), "flickers");
            }
        }
        self.written.borrow_mut().extend_from_slice(frame);
        *self.frame.borrow_mut() = frame.to_vec();
        Ok(frame.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The text expected on the screen, ignoring white space.
#[derive(Default)]
struct Expected {
    done: String,
    open: String,
}

impl Expected {
    fn event(&mut self, event: Event<'_>) {
        self.open.clear();
        match event {
            Event::Text(text) => self.done += text,
            Event::Opaque(piece) => self.done += piece.raw,
            Event::Partial(call) => self.open = block(call.title(), call.questions(), true),
            Event::Complete(call) => {
                self.done += &block(call.title(), call.questions(), false);
                self.done.extend(call.notes().iter().map(|note| format!("note: {note}")));
            }
            Event::Rejected(call) => {
                self.done += &block(call.title(), call.questions(), false);
                self.done += &format!("✗ rejected: {}", call.reason());
            }
        }
    }

    fn text(&self) -> String {
        without_blanks(&format!("{}{}", self.done, self.open))
    }
}

/// Returns the text of a call, of which the newest answer may still grow if it is open.
fn block(title: Option<&str>, questions: Questions<'_>, is_open: bool) -> String {
    let mut block = title.unwrap_or_default().to_owned();
    for (i, question) in questions.iter().enumerate() {
        block += &if i > 0 { format!("? {}. ", i + 1) } else { "? ".into() };
        block += question.text;
        block += question.header.unwrap_or_default();
        block += question.detail.unwrap_or_default();
        block += if question.kind == Some(QuestionKind::Number) { "(a number)" } else { "" };
        block += if question.multiple == Some(true) { "(choose several)" } else { "" };
        block += if question.required == Some(true) { "(required)" } else { "" };
        for (j, one) in question.suggestions.iter().enumerate() {
            let is_newest = is_open && i + 1 == questions.len() && j + 1 == question.suggestions.len();
            block += &format!("{}.", j + 1);
            block += &one.mode.map(|mode| format!("[{mode}]")).unwrap_or_default();
            block += one.answer;
            let says_so = one.answer.to_lowercase().contains("(recommended)");
            block += if one.recommended && !is_newest && !says_so { "(recommended)" } else { "" };
            block += one.description.unwrap_or_default();
            block += &one.preview.map(|preview| format!("preview: {preview}")).unwrap_or_default();
        }
    }
    block
}

fn without_blanks(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Writes a message chunk by chunk, and calls `check` after each.
fn watch(fake: &FakeTerminal, message: &str, chunk_size: usize, check: impl FnMut(&Expected)) {
    watch_parser(fake, Parser::default(), message, chunk_size, check);
}

/// Writes what a parser reads chunk by chunk, and calls `check` after each.
fn watch_parser(
    fake: &FakeTerminal,
    mut parser: Parser,
    message: &str,
    chunk_size: usize,
    mut check: impl FnMut(&Expected),
) {
    let mut terminal = fake.terminal(true);
    let mut expected = Expected::default();
    for piece in message.as_bytes().chunks(chunk_size) {
        let mut events = parser.feed_bytes(piece);
        while let Some(event) = events.next() {
            expected.event(event);
            terminal.event(event, EmittedAt { offset: 0, at_end: false, format: None }).unwrap();
        }
        terminal.flush().unwrap();
        check(&expected);
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        expected.event(event);
        terminal.event(event, EmittedAt { offset: 0, at_end: true, format: None }).unwrap();
    }
    terminal.finish().unwrap();
    check(&expected);
}

const QUESTION: &str = "Let me see.\n\n<ask_followup_question>\n<question>Which database should hold the sessions, and where?</question>
<follow_up><suggest>PostgreSQL, in the cluster</suggest><suggest mode=\"code\">SQLite, beside the program, as one file</suggest>
</follow_up></ask_followup_question>\nBehind it.\n";

/// A call that grows in other places than at its end.
const OUT_OF_ORDER: &str = "<ask_followup_question><follow_up><suggest>PostgreSQL, in the cluster</suggest>
<suggest><content>SQLite, beside the program</content><mode>code</mode></suggest><suggest>None</suggest></follow_up>
<question>Which database should hold the sessions of all the users, and where?</question></ask_followup_question>";

const MESSAGES: &[&str] = &[
    QUESTION,
    OUT_OF_ORDER,
    "Just prose.\n\nMore of it, no end of line",
    "<read_file><path>a.rs</path></read_file>then <ask_followup_question>A bare one?</ask_followup_question>",
    "<ask_followup_question><question>First\n\n- a list\n- of things\n\n\tcode</question></ask_followup_question>\
     <ask_followup_question><question>Second, unclosed</ask_followup_question>after",
    "どれ<ask_followup_question><question>どのデータベースを使いますか？日本語の長い質問です。</question><follow_up>\
     <suggest>ポストグレスを、クラスターで</suggest><suggest mode=\"計画\">👩‍👩‍👧 e\u{301}mojis ❤️</suggest></follow_up></ask_followup_question>後",
    "<ask_followup_question><question>Cut</question><follow_up><suggest>in the midd",
    "<ask_followup_question></ask_followup_question>",
    "<ask_followup_question><suggest>No question</suggest></ask_followup_question>",
];

#[test]
fn the_screen_is_up_to_date_after_every_chunk() {
    for message in MESSAGES {
        let all = [9, 10, 11, 13, 17, 24, 40, 79, 80, 81, 200];
        for columns in all.into_iter().step_by(if is_short() { 2 } else { 1 }) {
            let fake = FakeTerminal::new(columns, 60);
            watch(&fake, message, 1, |expected| {
                assert_eq!(without_blanks(&fake.shown()), expected.text(), "{columns} columns");
            });
        }
    }
}

#[test]
fn text_on_the_screen_never_changes() {
    for message in [QUESTION, MESSAGES[4], MESSAGES[5], MESSAGES[6]] {
        for columns in [9, 14, 30, 80] {
            let fake = FakeTerminal::new(columns, 60);
            let mut before = String::new();
            watch(&fake, message, 1, |_| {
                let now = without_blanks(&fake.shown());
                assert!(now.starts_with(&before), "{before}\nbecame\n{now}");
                before = now;
            });
        }
    }
}

#[test]
fn a_call_is_laid_out_with_indented_suggestions() {
    let fake = FakeTerminal::new(34, 20);
    watch(&fake, QUESTION, 3, |_| {});
    let shown = "\
Let me see.

? Which database should hold the
  sessions, and where?

  1. PostgreSQL, in the cluster
  2. [code] SQLite, beside the
     program, as one file

Behind it.";
    assert_eq!(fake.shown(), shown);
}

#[test]
fn growing_text_is_appended_and_nothing_else_is_written() {
    let fake = FakeTerminal::new(80, 24);
    let mut terminal = fake.terminal(false);
    let mut parser = Parser::default();
    let mut frames = Vec::new();
    for piece in ["<ask_followup_question><question>Wh", "ich", "</question><suggest>", "A", "b", "…"] {
        let mut events = parser.feed(piece);
        while let Some(event) = events.next() {
            terminal.event(event, EmittedAt { offset: 0, at_end: false, format: None }).unwrap();
        }
        fake.frame.borrow_mut().clear();
        terminal.flush().unwrap();
        let frame = String::from_utf8(fake.frame.borrow().clone()).unwrap();
        frames.push(frame.replace("\x1B[?2026h", "<").replace("\x1B[?2026l", ">"));
    }
    assert_eq!(frames, ["<? Wh>", "<ich>", "", "<\r\n\r\n  1. A>", "<b>", "<\x1B[?7l…\x1B[?7h>"]);
}

#[test]
fn a_call_taller_than_the_screen_scrolls_and_is_complete_in_the_end() {
    for message in [QUESTION, OUT_OF_ORDER, MESSAGES[4], MESSAGES[5]] {
        for (columns, lines) in [(12, 2), (12, 3), (20, 5), (9, 4), (12, 1)] {
            let fake = FakeTerminal::new(columns, lines);
            let mut whole = String::new();
            watch(&fake, message, 1, |expected| whole = expected.text());
            let shown = without_blanks(&fake.ever_shown());
            if message == OUT_OF_ORDER {
                // An outdated copy that could no longer be reached stays above.
                assert!(shown.ends_with(&whole), "{shown}");
            } else {
                assert_eq!(shown, whole, "{columns}×{lines}");
            }
        }
    }
}

#[test]
fn the_end_of_a_call_taller_than_the_screen_is_visible() {
    let fake = FakeTerminal::new(20, 4);
    watch(&fake, QUESTION.split("</follow_up>").next().unwrap(), 1, |expected| {
        let (shown, expected) = (without_blanks(&fake.shown()), expected.text());
        assert!(expected.ends_with(&shown), "{shown}\n{expected}");
    });
}

#[test]
fn the_narrowest_screen_does_not_panic() {
    for message in MESSAGES {
        for columns in 1..9 {
            watch(&FakeTerminal::new(columns, 5), message, 1, |_| {});
        }
    }
}

#[test]
fn after_a_resize_the_call_is_laid_out_again_and_the_prose_stays() {
    let message = format!("Prose.\n{}", &QUESTION[..QUESTION.len() - 12]);
    for reflows in [false, true] {
        for at in (0..message.len()).step_by(if is_short() { 150 } else { 3 }) {
            for (from, to) in [(60, 30), (30, 60), (34, 12)] {
                let fake = FakeTerminal { reflows, ..FakeTerminal::new(from, 30) };
                let mut read = 0;
                watch(&fake, &message, 1, |expected| {
                    read += 1;
                    if read == at {
                        // Until the next event, the screen is as the terminal itself left it.
                        fake.resize(to);
                        return;
                    }
                    let (shown, open) = (without_blanks(&fake.shown()), without_blanks(&expected.open));
                    if read > at && shown != expected.text() {
                        panic!("{at} {from} {to} {reflows}\n{shown}\n{open}")
                    }
                });
            }
        }
    }
}

#[test]
fn a_call_taller_than_a_resized_screen_is_complete_in_the_end() {
    for (reflows, lines) in [(false, 4), (true, 4), (false, 2), (true, 1)] {
        for at in (60..QUESTION.find("one file").unwrap()).step_by(if is_short() { 19 } else { 1 }) {
            let fake = FakeTerminal { reflows, ..FakeTerminal::new(24, lines) };
            let (mut read, mut open) = (0, String::new());
            watch(&fake, QUESTION.split("\nBehind").next().unwrap(), 1, |expected| {
                read += 1;
                if read == at {
                    fake.resize(15);
                }
                open = if expected.open.is_empty() { open.clone() } else { without_blanks(&expected.open) };
            });
            let shown = without_blanks(&fake.ever_shown());
            assert!(shown.ends_with(&open), "{at} {reflows} {lines}: {shown}");
        }
    }
}

#[test]
fn control_characters_of_a_model_are_never_written() {
    let bad = "a\x1B[31mb\x1B]0;title\x07c\u{9B}2Jd\re\x08f\u{202E}g";
    let good = "a␛[31mb␛]0;title␇c\u{FFFD}2Jd␍e␈f\u{FFFD}g";
    let message = format!(
        "{bad}<read_file><path>{bad}</path></read_file>\n<ask_followup_question><question>{bad}</question>\
         <suggest mode=\"{bad}\">{bad}</suggest></ask_followup_question>"
    );
    for pieces in [1, 2, 1000] {
        let fake = FakeTerminal::new(120, 24);
        watch(&fake, &message, pieces, |_| {});
        let shown = fake.shown();
        // The emulator omits U+FFFD.
        let good = good.replace('\u{FFFD}', "");
        assert_eq!(shown.matches(&good).count(), 4, "{shown}");
        assert!(shown.contains(&format!("[{}]", good.replace('␍', " "))), "a mode is one line");
        // Only text and these commands were written.
        let mut written = String::from_utf8(fake.written.borrow().clone()).unwrap();
        for own in ["?2026h", "?2026l", "?7h", "?7l", "0m", "1m", "2m", "31m", "32m", "33m", "35m", "36m", "K", "J"] {
            written = written.replace(&format!("\x1B[{own}"), "");
        }
        for lines in 1..9 {
            written = written.replace(&format!("\x1B[{lines}A"), "");
        }
        assert_eq!(written.replace(['\r', '\n'], "").chars().find(|&char| crate::sanitize::is_control(char)), None);
    }
}

/// A message with isolates, of which some don't end. None begins a line.
const ISOLATES: &str = "a \u{2067}שלום b\u{2069} \u{2067}c\r\nd \u{2066}<read_file><path>e\u{2069} \u{2067}f</path></read_file>\
    <ask_followup_question><question>Which \u{2067}מסד נתונים\u{2069}, and \u{2067}where, \u{2068}of all places?\n\u{2069}There?</question>\
    <suggest mode=\"x \u{2067}y\u{2069}\u{2067}\">A \u{2067}תשובה</suggest><suggest><content>B \u{2068}c\u{2069}</content><mode>z</mode>\
    </suggest></ask_followup_question>g \u{2067}h";

fn without_isolates(text: &str) -> String {
    text.chars().filter(|&char| !is_isolate(char)).collect()
}

/// Checks that every isolate that was written ends before the cursor leaves its line.
#[track_caller]
fn assert_balanced(fake: &FakeTerminal) {
    // A carriage return, which begins every movement of the cursor, ends a paragraph, too.
    let written = String::from_utf8(fake.written.borrow().clone()).unwrap();
    let isolates = written.chars().filter(|&char| is_isolate(char)).count();
    assert_eq!(balanced(&written).len(), isolates, "{written:?}");
}

#[test]
fn isolates_are_kept_and_end_in_their_line_for_every_cut() {
    for columns in [12, 17, 30, 60, 200].into_iter().step_by(if is_short() { 2 } else { 1 }) {
        let whole = FakeTerminal::new(columns, 60);
        watch(&whole, ISOLATES, 1000, |_| {});
        assert_balanced(&whole);
        assert!(whole.shown().contains("\u{2067}where"));
        for size in [1, 2, 3, 7, 50] {
            let fake = FakeTerminal::new(columns, 60);
            watch(&fake, ISOLATES, size, |expected| {
                // The emulator omits U+FFFD.
                let (shown, text) = (without_isolates(&fake.shown()), without_isolates(&expected.text()));
                assert_eq!(without_blanks(&shown), text, "{columns} columns, chunks of {size}");
                if !expected.open.is_empty() {
                    // The program may be stopped now.
                    assert_balanced(&fake);
                }
            });
            assert_balanced(&fake);
            assert_eq!(fake.shown(), whole.shown(), "{columns} columns, chunks of {size}");
        }
    }
}

#[test]
fn an_open_isolate_costs_the_same_however_much_is_in_it() {
    let drawn = |inside: &str, count: usize| {
        let mut terminal = TerminalOutput::new(Vec::new(), FakeTerminal::new(80, 24), false);
        let mut parser = Parser::default();
        for piece in ["<ask_followup_question><question>\u{2067}a"].into_iter().chain(vec![inside; count]) {
            let mut events = parser.feed(piece);
            while let Some(event) = events.next() {
                terminal.event(event, EmittedAt { offset: 0, at_end: false, format: None }).unwrap();
            }
            terminal.flush().unwrap();
        }
        terminal.out.len() / count
    };
    for inside in ["b", "b ", "\u{200B}", "b \u{301}", "\u{2066}\u{2069}"] {
        let (few, many) = (drawn(inside, 1_000), drawn(inside, 4_000));
        assert!(many < few * 2, "{inside:?}: {few} and {many} bytes");
    }
}

#[test]
fn colours_are_reset_and_can_be_turned_off() {
    for message in MESSAGES {
        let fake = FakeTerminal::new(40, 100);
        watch(&fake, message, 5, |_| {
            let emulated = fake.emulated.borrow();
            let screen = emulated.screen();
            assert_eq!((screen.fgcolor(), screen.bold(), screen.dim()), (vt100::Color::Default, false, false));
        });
        let plain = FakeTerminal::new(40, 100);
        let (mut terminal, mut parser) = (plain.terminal(false), Parser::default());
        let mut events = parser.feed(message);
        while let Some(event) = events.next() {
            terminal.event(event, EmittedAt { offset: 0, at_end: false, format: None }).unwrap();
        }
        drop(events);
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            terminal.event(event, EmittedAt { offset: 0, at_end: true, format: None }).unwrap();
        }
        terminal.finish().unwrap();
        assert_eq!(plain.shown(), fake.shown());
        assert!(!plain.written.borrow().ends_with(b"m") && !plain.written.borrow().windows(2).any(|two| two == b"0m"));
    }
}

#[test]
fn the_colour_of_the_mark_tells_how_a_call_ended() {
    let mark = |message: &str| {
        let fake = FakeTerminal::new(40, 20);
        watch(&fake, message, 7, |_| {});
        let emulated = fake.emulated.borrow();
        emulated.screen().cell(0, 0).unwrap().fgcolor()
    };
    assert_eq!(mark(OUT_OF_ORDER), vt100::Color::Idx(2));
    assert_eq!(mark(MESSAGES[6]), vt100::Color::Idx(1));
}

/// Writes a provider's stream event by event, and calls `check` after each.
fn watch_response(fake: &FakeTerminal, body: &str, mut check: impl FnMut()) {
    let mut terminal = fake.terminal(true);
    let mut response = ResponseParser::new(Format::OpenAiChat, Policy::new());
    for (piece, end) in body.split_inclusive("\n\n").map(|piece| (piece, false)).chain([("", true)]) {
        let mut events = if end { response.finish() } else { response.feed(piece.as_bytes()) };
        while let Some(event) = events.next() {
            match event {
                Ok(event) => terminal.event(event, EmittedAt { offset: 0, at_end: end, format: None }).unwrap(),
                Err(error) => terminal.error(error, EmittedAt { offset: 0, at_end: end, format: None }).unwrap(),
            }
        }
        terminal.flush().unwrap();
        check();
    }
    terminal.finish().unwrap();
}

#[test]
fn overlapping_calls_are_shown_one_after_the_other() {
    let delta = |delta: &str| format!("data: {{\"choices\":[{{\"delta\":{delta}}}]}}\n\n");
    let call = |index: usize, name: &str, arguments: &str| {
        let arguments = serde_json::to_string(arguments).unwrap();
        delta(&format!(
            "{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c{index}\",\"function\":{{\"name\":\"{name}\",\"arguments\":{arguments}}}}}]}}"
        ))
    };
    let body = [
        delta("{\"content\":\"Hm.\"}"),
        call(0, "ask_followup_question", "{\"question\":\"First"),
        call(1, "ask_followup_question", "{\"question\":\"Second"),
        call(2, "read_file", "{\"path\":"),
        delta("{\"content\":\"More.\"}"),
        call(0, "ask_followup_question", " one?\",\"options\":[\"A\"]}"),
        "data: {\"error\":\"Oops\"}\n\n".to_owned(),
        call(2, "read_file", "1}"),
        call(1, "ask_followup_question", " one?\"}"),
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n".to_owned(),
    ];
    for columns in [12, 40, 80] {
        let fake = FakeTerminal::new(columns, 40);
        let mut before = String::new();
        watch_response(&fake, &body.concat(), || {
            let now = without_blanks(&fake.shown());
            assert!(now.starts_with(&before), "{before}\nbecame\n{now}");
            before = now;
        });
        let shown = without_blanks(&fake.shown());
        // An error closes the growing call; because it completes after all, it is shown again
        // below.
        assert_eq!(
            shown,
            "Hm.?Firstone?1.Aread_file{\"path\":More.✗error:theproviderreportsanerror:Oopsread_file1}?Secondone??Firstone?1.A"
        );
    }
}
