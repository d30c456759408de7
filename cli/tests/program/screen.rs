//! Tests of `followup ask` on a pseudo-terminal, with the message and the reply in pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::num::NonZero;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};

/// A run of the program on a terminal.
pub(crate) struct Session {
    terminal: Arc<Pty>,
    child: Child,
    message: Option<ChildStdin>,
    screen: Arc<Screen>,
    watching: JoinHandle<()>,
    stdout: JoinHandle<String>,
}

/// The emulated terminal.
struct Screen {
    emulated: Mutex<vt100::Parser<Seen>>,
    changed: Condvar,
}

/// Commands to the terminal other than text.
#[derive(Default)]
struct Seen {
    /// Whether the title was set, which the program never does itself.
    is_title_set: bool,
    /// The bytes that were written.
    written: Vec<u8>,
}

impl vt100::Callbacks for Seen {
    fn set_window_title(&mut self, _: &mut vt100::Screen, _: &[u8]) {
        self.is_title_set = true;
    }
}

/// The result of a run.
pub(crate) struct Ended {
    pub(crate) stdout: String,
    pub(crate) status: i32,
    /// The text on the terminal at the end.
    pub(crate) screen: String,
}

/// The deadline for everything a test waits for. Only a failing test reaches it.
const DEADLINE: Duration = Duration::from_secs(20);

/// Where the reply goes.
#[derive(Clone, Copy, PartialEq)]
enum ReplyTo {
    Pipe,
    Terminal,
}

impl Session {
    pub(crate) fn new(args: &[&str], size: (u16, u16)) -> Session {
        Session::with(args, size, ReplyTo::Pipe, "xterm-256color")
    }

    fn with(args: &[&str], (rows, columns): (u16, u16), to: ReplyTo, term: &str) -> Session {
        let (terminal, child_side) = open().unwrap();
        terminal.resize(Size::new(rows, columns)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_followup"))
            .arg("ask")
            .args(args)
            .env_remove("NO_COLOR")
            .env("TERM", term)
            .stdin(Stdio::piped());
        if to == ReplyTo::Pipe {
            command = command.stdout(Stdio::piped());
        }
        let mut child = command.spawn(child_side).unwrap();
        let (message, out) = (child.stdin.take(), child.stdout.take());
        Session::watch(terminal, child, message, out, (rows, columns))
    }

    /// Begins a session with a program that runs on this terminal.
    fn watch(
        terminal: Pty,
        child: Child,
        message: Option<ChildStdin>,
        out: Option<ChildStdout>,
        (rows, columns): (u16, u16),
    ) -> Session {
        let terminal = Arc::new(terminal);
        let emulated = vt100::Parser::new_with_callbacks(some(rows), some(columns), 1000, Seen::default());
        let screen = Arc::new(Screen { emulated: Mutex::new(emulated), changed: Condvar::new() });
        let (from, to) = (Arc::clone(&terminal), Arc::clone(&screen));
        let watching = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // Fails when the other side is closed.
            while let Ok(read @ 1..) = (&*from).read(&mut buffer) {
                let mut emulated = to.emulated.lock().unwrap();
                emulated.process(&buffer[..read]);
                emulated.callbacks_mut().written.extend_from_slice(&buffer[..read]);
                drop(emulated);
                to.changed.notify_all();
            }
        });
        let stdout = std::thread::spawn(move || {
            let mut text = String::new();
            if let Some(mut out) = out {
                out.read_to_string(&mut text).unwrap();
            }
            text
        });
        Session { terminal, message, child, screen, watching, stdout }
    }

    /// The model writes a text.
    pub(crate) fn writes(&mut self, text: &str) -> &mut Session {
        self.message.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
        self
    }

    /// The message ends.
    pub(crate) fn ends(&mut self) -> &mut Session {
        self.message = None;
        self
    }

    /// The person types.
    pub(crate) fn types(&mut self, keys: &str) -> &mut Session {
        (&*self.terminal).write_all(keys.as_bytes()).unwrap();
        self
    }

    fn resizes(&mut self, (rows, columns): (u16, u16)) -> &mut Session {
        self.screen.emulated.lock().unwrap().screen_mut().set_size(some(rows), some(columns));
        self.terminal.resize(Size::new(rows, columns)).unwrap();
        self
    }

    /// Waits until all of these are on the screen.
    #[track_caller]
    pub(crate) fn sees(&mut self, wanted: &[&str]) -> &mut Session {
        self.waits(&format!("{wanted:?}"), |screen| wanted.iter().all(|wanted| screen.contains(wanted)))
    }

    /// Waits until this is no longer on the screen.
    #[track_caller]
    fn misses(&mut self, gone: &str) -> &mut Session {
        self.waits(&format!("no {gone:?}"), |screen| !screen.contains(gone))
    }

    #[track_caller]
    pub(crate) fn waits(&mut self, what: &str, is_there: impl Fn(&str) -> bool) -> &mut Session {
        let emulated = self.screen.emulated.lock().unwrap();
        let waited =
            self.screen.changed.wait_timeout_while(emulated, DEADLINE, |now| !is_there(&now.screen().contents()));
        let (emulated, timeout) = waited.unwrap();
        assert!(!timeout.timed_out(), "{what} should be on the screen:\n{}", emulated.screen().contents());
        drop(emulated);
        self
    }

    /// Returns whether the title was set, which the program never does itself.
    pub(crate) fn is_title_set(&self) -> bool {
        self.screen.emulated.lock().unwrap().callbacks().is_title_set
    }

    /// The person clicks.
    fn clicks(&mut self, row: u16, column: u16) -> &mut Session {
        self.types(&format!("\x1B[<0;{column};{row}M\x1B[<0;{column};{row}m"))
    }

    /// Returns the row with this text, from 1.
    fn row_of(&self, text: &str) -> u16 {
        let emulated = self.screen.emulated.lock().unwrap();
        let row = emulated.screen().rows(0, 500).position(|row| row.contains(text)).unwrap();
        u16::try_from(row).unwrap() + 1
    }

    pub(crate) fn concludes(mut self) -> Ended {
        drop(self.message);
        let status = ends(&mut self.child);
        let stdout = self.stdout.join().unwrap();
        drop(self.terminal);
        self.watching.join().unwrap();
        let screen = self.screen.emulated.lock().unwrap().screen().contents();
        let is_given_back = {
            let emulated = self.screen.emulated.lock().unwrap();
            let screen = emulated.screen();
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && !screen.bracketed_paste()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        };
        assert!(is_given_back, "the terminal is restored");
        // A signal that ends the program has a status in shells.
        let status = status.code().or_else(|| Some(128 + status.signal()?)).unwrap();
        Ended { stdout, status, screen }
    }
}

/// Runs the program on a terminal of 24 rows. The caller keeps the pipes.
fn spawn(args: &[&str]) -> (Pty, Child) {
    let (terminal, child_side) = open().unwrap();
    terminal.resize(Size::new(24, 60)).unwrap();
    let command = Command::new(env!("CARGO_BIN_EXE_followup")).arg("ask").args(args);
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn(child_side).unwrap();
    (terminal, child)
}

/// Waits for the end of the program.
fn ends(child: &mut Child) -> ExitStatus {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begin.elapsed() > DEADLINE {
            child.kill().unwrap();
            panic!("it should have ended");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn some(size: u16) -> NonZero<u16> {
    NonZero::new(size).unwrap()
}

const QUESTION: &str = "<ask_followup_question><question>Which **database**?</question><follow_up>";
const SUGGESTIONS: &str = "<suggest>PostgreSQL</suggest><suggest mode=\"code\">SQLite</suggest>";
const END: &str = "</follow_up></ask_followup_question>";

fn call() -> String {
    [QUESTION, SUGGESTIONS, END].concat()
}

#[test]
fn a_question_is_shown_while_it_grows_and_answered_while_the_message_continues() {
    let mut session = Session::new(&[], (24, 60));
    session.writes("Let me *see*.\n").sees(&["Let me see.", "being written"]);
    session.writes("<ask_followup_question><question>Which data").sees(&["? Which data"]);
    session.writes("base?</question><follow_up><suggest>Postgre").sees(&["? Which database?", "1  Postgre"]);
    // The question is still being written, so the number does nothing.
    session.types("1?").sees(&["── Keys"]).types("x").misses("── Keys");
    session.writes("SQL</suggest><suggest mode=\"code\">SQLite</suggest></follow_up></ask_followup_question> And");
    session.sees(&["❯ 1  PostgreSQL", "  2  [code] SQLite", "In your own words", "And"]);
    session.types("\x1B[B").sees(&["❯ 2  [code] SQLite"]).types("\r").sees(&["✓ SQLite"]);
    session.writes(" so on.").ends();
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("<answer>\nSQLite\n</answer>\n", 0));
    let left = "Let me see.\n\n? Which database?\n\n  1  PostgreSQL\n  2  [code] SQLite\n✓ SQLite\n\nAnd so on.";
    assert_eq!(ended.screen.trim_end(), left);
}

#[test]
fn an_answer_has_several_lines_pasted_text_and_survives_a_resize() {
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).ends().sees(&["❯ 1  PostgreSQL"]);
    session.types("w").sees(&["── Your answer"]).types("Neither:\x1B\r日本").sees(&["日本"]);
    session.types("\x7F語").sees(&["日語"]).types("\x1B[200~ and\rthis\x1B[201~").sees(&[" and", "this"]);
    session
        .resizes((12, 24))
        .sees(&["── Your answer", "日語", "Enter send"])
        .resizes((30, 100))
        .sees(&["Alt-Enter new line"]);
    session.types("!\r");
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("<answer>\nNeither:\n日語 and\nthis!\n</answer>\n", 0));
}

#[test]
fn an_edited_suggestion_is_sent_in_the_format_of_the_provider() {
    let mut session = Session::new(&["--format", "anthropic"], (24, 60));
    session.writes(&call()).ends().sees(&["❯", "SQLite"]).types("\x1B[Be").sees(&["── Suggestion 2, changed"]);
    session.types(" 3\r");
    let ended = session.concludes();
    let content =
        "{\"content\":[{\"text\":\"<answer>\\nSQLite 3\\n</answer>\",\"type\":\"text\"}],\"role\":\"user\"}\n";
    assert_eq!((&*ended.stdout, ended.status), (content, 0));
}

#[test]
fn a_click_takes_a_suggestion() {
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).sees(&["❯", "2  [code] SQLite"]);
    let row = session.row_of("SQLite");
    session.clicks(row, 10).sees(&["✓ SQLite"]).ends();
    assert_eq!(session.concludes().stdout, "<answer>\nSQLite\n</answer>\n");
}

#[test]
fn images_are_sent_with_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a b.gif");
    std::fs::write(&image, b"GIF89a").unwrap();
    let image = image.to_str().unwrap();
    let mut session = Session::new(&["--format", "json", "--image", image], (24, 200));
    session.writes(&call()).ends().sees(&["❯ 1", "+ a b.gif (GIF, 6 bytes)"]).types("i").sees(&["── Path of an image"]);
    // Terminals insert the path of a dropped file like this.
    session
        .types(&format!("\x1B[200~'{image}' \x1B[201~"))
        .types("\r")
        .waits("both", |screen| screen.matches("+ a b.gif").count() == 2);
    session.types("1");
    let ended = session.concludes();
    let url = "\"data:image/gif;base64,R0lGODlh\"";
    assert!(ended.stdout.contains(&format!("\"images\":[{url},{url}]")), "{}", ended.stdout);
}

#[test]
fn a_question_can_be_left_unanswered_and_the_next_one_answered() {
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).writes(&call().replace("database", "language")).ends().sees(&["❯", "1 more question"]);
    session.types("\x1B").sees(&["Leave the question unanswered?"]).types("y").sees(&["Which language?", "❯ 1"]);
    session.types("2");
    let ended = session.concludes();
    let replies = "The user denied this operation.\n<answer>\nSQLite\n</answer>\n";
    assert_eq!((&*ended.stdout, ended.status), (replies, 1));
    assert!(ended.screen.contains("✗ not answered"), "{}", ended.screen);
}

#[test]
fn on_a_terminal_the_reply_is_printed_below_the_transcript() {
    let mut session = Session::with(&[], (24, 60), ReplyTo::Terminal, "xterm-256color");
    session.writes(&call()).ends().sees(&["❯ 1"]).types("1");
    let ended = session.concludes();
    assert!(ended.screen.trim_end().ends_with("✓ PostgreSQL\n<answer>\nPostgreSQL\n</answer>"), "{}", ended.screen);
}

#[test]
fn the_first_suggestion_is_taken_after_the_countdown() {
    let mut session = Session::new(&["--auto-answer", "1"], (24, 60));
    session.writes(&call()).ends();
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("<answer>\nPostgreSQL\n</answer>\n", 0));
    let mut session = Session::new(&["--auto-answer", "3600"], (24, 60));
    session.writes(&call()).ends().sees(&[": takes suggestion 1.", "Any key stops that."]);
    session.types("x").misses("Any key stops that.").sees(&["❯"]).types("2");
    assert_eq!(session.concludes().stdout, "<answer>\nSQLite\n</answer>\n");
}

#[test]
fn control_c_and_a_signal_restore_the_terminal() {
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).sees(&["❯ 1"]).types("\x03");
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("", 130));
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).sees(&["❯ 1"]);
    let id = session.child.id().to_string();
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    assert_eq!(session.concludes().status, 143);
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).writes(&call().replace("database", "language")).sees(&["❯ 1"]).types("2");
    session.sees(&["✓ SQLite", "Which language?"]);
    let program = rustix::process::Pid::from_child(&session.child);
    rustix::process::kill_process(program, rustix::process::Signal::QUIT).unwrap();
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("<answer>\nSQLite\n</answer>\n", 131));
}

#[test]
fn answers_before_control_c_are_printed_in_every_format() {
    for format in ["text", "json", "openai-chat", "openai-responses", "anthropic", "gemini"] {
        let mut session = Session::new(&["--format", format], (24, 60));
        session.writes(&call()).writes(&call().replace("database", "language")).ends().sees(&["❯ 1"]).types("2");
        session.sees(&["✓ SQLite", "Which language?"]).types("\x03");
        let ended = session.concludes();
        assert!(ended.status == 130 && ended.stdout.contains("SQLite"), "{format}: {}", ended.stdout);
    }
}

#[test]
fn answers_before_control_c_are_printed_without_a_screen_too() {
    for format in ["text", "json", "openai-chat", "openai-responses", "anthropic", "gemini"] {
        let mut session = Session::new(&["--lines", "--format", format], (24, 60));
        session.writes(&call()).writes(&call().replace("database", "language")).sees(&["> (1 to 2"]).types("2\n");
        // Before a prompt, the terminal discards what is being typed, a signal as well.
        session.waits("the next prompt", |screen| screen.matches("> (1 to 2").count() == 2);
        session.sees(&["✓ SQLite", "**language**"]).types("\x03");
        let ended = session.concludes();
        assert!(ended.status == 130 && ended.stdout.contains("SQLite"), "{format}: {}", ended.stdout);
    }
}

#[test]
fn answers_before_a_signal_are_printed_while_the_model_writes_fast() {
    let mut session = Session::new(&["--format", "anthropic"], (24, 60));
    session.writes(&call()).sees(&["❯ 1"]).types("2").sees(&["✓ SQLite"]);
    let mut message = session.message.take().unwrap();
    let flood = std::thread::spawn(move || while message.write_all(&b"Prose, and more prose. ".repeat(200)).is_ok() {});
    session.sees(&["Prose"]);
    let id = session.child.id().to_string();
    assert!(std::process::Command::new("kill").arg(id).status().unwrap().success());
    let ended = session.concludes();
    flood.join().unwrap();
    assert!(ended.status == 143 && ended.stdout.contains("SQLite"), "{} {}", ended.status, ended.stdout);
}

#[test]
fn answers_before_a_signal_are_printed_though_the_terminal_takes_nothing_more() {
    let (terminal, mut child) = spawn(&["--format", "anthropic"]);
    let mut message = child.stdin.take().unwrap();
    message.write_all(call().as_bytes()).unwrap();
    let reads = |wanted: &str| {
        let (mut written, mut buffer) = (Vec::new(), [0; 4096]);
        while !String::from_utf8_lossy(&written).contains(wanted) {
            let read = (&terminal).read(&mut buffer).unwrap();
            written.extend_from_slice(&buffer[..read]);
        }
    };
    reads("❯");
    (&terminal).write_all(b"2").unwrap();
    reads("✓");
    let flooded = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&flooded);
    let flood = std::thread::spawn(move || {
        // Each frame differs from the one before.
        while message.write_all(format!("{} ", count.load(Ordering::Relaxed)).repeat(700).as_bytes()).is_ok() {
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    // When it takes no more of the message, it is blocked.
    let mut before = 0;
    while before == 0 || before != flooded.load(Ordering::Relaxed) {
        before = flooded.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(std::process::Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let (sender, printed) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = sender.send(out.read_line(&mut line).map(|_| line));
    });
    assert!(printed.recv_timeout(DEADLINE).unwrap().unwrap().contains("SQLite"));
    drop(terminal);
    ends(&mut child);
    flood.join().unwrap();
}

#[test]
fn images_without_a_question_are_reported_by_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("a.gif");
    std::fs::write(&image, b"GIF89a").unwrap();
    let mut session = Session::new(&["--format", "json", "--image", image.to_str().unwrap()], (24, 80));
    session.writes("No question.").ends();
    let ended = session.concludes();
    assert!(ended.screen.contains("followup: there was no question to send the images with"), "{}", ended.screen);
}

#[test]
fn a_message_without_a_question_is_left_on_the_terminal() {
    let mut session = Session::new(&[], (24, 60));
    session.writes("Just **this**, and\x1B[31m no question.").ends();
    let ended = session.concludes();
    assert_eq!(
        (&*ended.stdout, ended.status, ended.screen.trim_end()),
        ("", 0, "Just this, and␛[31m no question.\nfollowup: there was no question in it")
    );
}

#[test]
fn a_rejected_call_is_shown_and_has_a_reply() {
    let mut session = Session::new(&["--dialect", "vjsp"], (24, 60));
    session.writes("<ask_followup_question><question></question></ask_followup_question>").ends();
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("Required parameter 'question' is missing\n", 1));
    assert!(ended.screen.contains("✗ rejected"), "{}", ended.screen);
}

#[test]
fn without_a_screen_questions_are_asked_line_by_line() {
    for (args, term) in [(&["--lines"][..], "xterm"), (&[], "dumb")] {
        for (keys, reply) in [
            ("2\n", "<answer>\nSQLite\n</answer>\n"),
            ("Neither\n", "<answer>\nNeither\n</answer>\n"),
            ("\n", "The user denied this operation.\n"),
        ] {
            let mut session = Session::with(args, (24, 80), ReplyTo::Pipe, term);
            session.writes(&call()).ends().sees(&["1. PostgreSQL", "> (1 to 2"]).types(keys);
            assert_eq!(session.concludes().stdout, reply);
        }
    }
}

#[test]
fn a_number_that_is_none_of_the_choices_is_asked_for_again() {
    for (args, term) in [(&["--lines"][..], "xterm"), (&[], "dumb")] {
        for (keys, reply) in [("2\n", "SQLite"), ("7\n", "7"), ("Neither\n", "Neither")] {
            let mut session = Session::with(args, (24, 100), ReplyTo::Pipe, term);
            session.writes(&call()).ends().sees(&["> (1 to 2"]).types("7\n");
            session.sees(&["7 is not one of the choices: they are 1 to 2. To answer with 7 itself, type it again."]);
            session.waits("the next prompt", |screen| screen.matches("> (1 to 2").count() == 2).types(keys);
            assert_eq!(session.concludes().stdout, format!("<answer>\n{reply}\n</answer>\n"));
        }
    }
    // Without choices, a number is an answer.
    let question = "<ask_followup_question><question>How many?</question></ask_followup_question>";
    let mut session = Session::new(&["--lines"], (24, 80));
    session.writes(question).ends().sees(&["> (your answer"]).types("7\n");
    assert_eq!(session.concludes().stdout, "<answer>\n7\n</answer>\n");
}

#[test]
fn the_first_suggestion_is_taken_line_by_line() {
    let told = "in 1 s 1 is taken, unless you begin to type";
    let mut session = Session::new(&["--lines", "--auto-answer", "1"], (24, 120));
    session.writes(&call()).writes(&call()).ends().sees(&[told]);
    let ended = session.concludes();
    assert_eq!(ended.stdout, "<answer>\nPostgreSQL\n</answer>\n".repeat(2));
    assert_eq!(ended.screen.matches("taken because nobody typed").count(), 2);
}

#[test]
fn no_suggestion_is_taken_line_by_line_if_somebody_types() {
    // A discarded line can be typed again and edited. Later questions have no countdown.
    let mut session = Session::new(&["--lines", "--auto-answer", "3"], (24, 120));
    session
        .writes(&call())
        .writes(&call())
        .ends()
        .sees(&["in 3 s 1 is taken"])
        .types("maybe x")
        .sees(&["the countdown has stopped: type your answer again) "]);
    session
        .types("not\x7F\x7F\x7FNeither\n")
        .sees(&["✓ Neither", "> (1 to 2, or in your own words; an empty line leaves it unanswered) "]);
    session.types("2\n");
    assert_eq!(session.concludes().stdout, "<answer>\nNeither\n</answer>\n<answer>\nSQLite\n</answer>\n");
}

#[test]
fn lines_pasted_at_once_are_no_answer_and_do_not_reach_the_shell_line_by_line() {
    // A terminal keeps 4 KiB, and the rest of a longer paste comes once there is room for it.
    let long = format!("Neither\n{}\n{}", "x".repeat(3000), "y".repeat(3000));
    for pasted in ["Neither\necho pasted\n", "Neither\necho pasted", "\n\n", &long] {
        let folder = tempfile::tempdir().unwrap();
        let mut session = shell(&folder, "\"$0\" ask --lines message > reply; read line; echo \"the shell: $line\"");
        session.sees(&["> (1 to 2"]).types(pasted).waits("the next prompt", |screen| {
            let refusal = "several lines came at once, and none of them is taken";
            screen.rsplit_once(refusal).is_some_and(|(_, after)| after.contains("> (1 to 2"))
        });
        session.types("2\n");
        session.sees(&["✓ SQLite"]).types("typed\n").sees(&["the shell: typed"]);
        session.concludes();
        let reply = std::fs::read_to_string(folder.path().join("reply")).unwrap();
        assert_eq!(reply, "<answer>\nSQLite\n</answer>\n", "{pasted:?}");
    }
}

#[test]
fn typing_on_ones_own_words_types_and_a_draft_is_kept_until_it_is_given_up() {
    let mut session = Session::new(&[], (24, 80));
    session
        .writes(&call())
        .ends()
        .sees(&["❯ 1"])
        .types("\x1B[F")
        .sees(&["❯ ✎"])
        .types("no")
        .sees(&["── Your answer", "no"]);
    session.types("\x1B").sees(&["You have begun an answer of your own"]).types("\x1B[H").sees(&["❯ 1"]).types("2");
    session.sees(&["Take suggestion 2, and lose what you have written?"]).types("\x1B").misses("Take suggestion");
    session.types("w").sees(&["── Your answer"]).types("ne\r");
    assert_eq!(session.concludes().stdout, "<answer>\nnone\n</answer>\n");
}

#[test]
fn questions_and_suggestions_are_markdown_and_answers_are_not() {
    let question = "It may\nbe one of\n\n| Name | Size |\n|---|--:|\n| `SQLite` | *1* |\n\n```sh\nls\n```";
    let message = format!(
        "<ask_followup_question><question>{question}</question><follow_up><suggest>**Use** `SQLite`</suggest>{END}"
    );
    let mut session = Session::new(&[], (24, 60));
    session.writes(&message).ends().sees(&["? It may be one of", "Name   │ Size", "SQLite │    1", "── sh", "    ls"]);
    session.sees(&["❯ 1  Use SQLite"]).types("1");
    let ended = session.concludes();
    assert_eq!(ended.stdout, "<answer>\n**Use** `SQLite`\n</answer>\n");
    assert!(ended.screen.contains("✓ **Use** `SQLite`"), "what is sent is shown as it is: {}", ended.screen);
}

#[test]
fn notes_and_calls_of_other_tools_are_shown_by_keys() {
    let mut session = Session::new(&[], (24, 60));
    session.writes("<read_file>\n<path>a.rs</path>\n</read_file>").writes(&call().replace("PostgreSQL", "In [path]"));
    session.sees(&["▸ read_file <path>a.rs</path>", "▸ 1 note: n shows it", "❯ 1"]).types("n").sees(&["advice: "]);
    session.types("o").sees(&["<read_file>"]).types("o").misses("<read_file>").types("n").misses("advice: ");
    session.types("2").ends();
    let ended = session.concludes();
    assert!(ended.screen.starts_with("▸ read_file <path>a.rs</path>\n\n? Which database?"), "{}", ended.screen);
}

/// Runs a script of a shell, in which `$0` is the program and `message` is a message.
fn shell(folder: &tempfile::TempDir, script: &str) -> Session {
    std::fs::write(folder.path().join("message"), call()).unwrap();
    let (terminal, child_side) = open().unwrap();
    terminal.resize(Size::new(24, 60)).unwrap();
    let command = Command::new("sh").args(["-c", script, env!("CARGO_BIN_EXE_followup")]);
    let child = command.env("TERM", "xterm-256color").current_dir(folder.path()).spawn(child_side).unwrap();
    Session::watch(terminal, child, None, None, (24, 60))
}

#[test]
fn control_z_suspends_the_program_until_the_shell_continues_it() {
    let folder = tempfile::tempdir().unwrap();
    let script = "set -m; \"$0\" ask message > reply; echo back in the shell; read line; fg > /dev/null; \
        echo back again; read line; fg > /dev/null; echo ended with $?";
    let mut session = shell(&folder, script);
    session.sees(&["❯ 1"]).types("wmine").sees(&["── Your answer", "mine"]).types("\x1A");
    session.sees(&["back in the shell"]).misses("── Your answer").types("\n").sees(&["── Your answer", "mine"]);
    // And once more, with what has been typed since.
    session.types("!").sees(&["mine!"]).types("\x1A").sees(&["back again"]).misses("── Your answer").types("\n");
    session.sees(&["── Your answer", "mine!"]).types("\r").sees(&["ended with 0"]);
    session.concludes();
    assert_eq!(std::fs::read_to_string(folder.path().join("reply")).unwrap(), "<answer>\nmine!\n</answer>\n");
}

#[test]
fn no_suggestion_is_taken_line_by_line_after_the_program_was_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let script = "set -m; \"$0\" ask --lines --auto-answer 3600 message > reply; echo back in the shell; \
        read line; fg > /dev/null; echo ended with $?";
    let mut session = shell(&folder, script);
    session.sees(&["in 3600 s 1 is taken"]).types("\x1A").sees(&["back in the shell"]).types("\n");
    session.sees(&["the countdown has stopped: type your answer) "]).types("2\n").sees(&["ended with 0"]);
    session.concludes();
    assert_eq!(std::fs::read_to_string(folder.path().join("reply")).unwrap(), "<answer>\nSQLite\n</answer>\n");
}

#[test]
fn keys_reach_the_program_as_typed_while_it_is_continued() {
    use rustix::termios::{InputModes, LocalModes, tcgetattr};
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).ends().sees(&["❯ 1"]);
    // What the system would do to a key typed now: Enter would be a line feed, Ctrl-C a signal.
    let terminal = Arc::clone(&session.terminal);
    let (done, is_done) = std::sync::mpsc::channel::<()>();
    let watching = std::thread::spawn(move || {
        let mut never_cooked = true;
        while is_done.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
            let modes = tcgetattr(&*terminal).unwrap();
            never_cooked &= !modes.input_modes.contains(InputModes::ICRNL);
            never_cooked &= !modes.local_modes.intersects(LocalModes::ICANON | LocalModes::ISIG | LocalModes::ECHO);
        }
        never_cooked
    });
    let program = rustix::process::Pid::from_child(&session.child);
    for _ in 0..500 {
        rustix::process::kill_process(program, rustix::process::Signal::CONT).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(done);
    assert!(watching.join().unwrap(), "the terminal was not raw for a moment");
    session.types("2");
    assert_eq!(session.concludes().stdout, "<answer>\nSQLite\n</answer>\n");
}

#[test]
fn a_program_that_no_shell_can_continue_is_not_suspended() {
    let mut session = Session::new(&[], (24, 60));
    session.writes(&call()).ends().sees(&["❯ 1"]).types("\x1A").sees(&["There is no shell that could continue"]);
    assert!(
        std::process::Command::new("kill").args(["-TSTP", &session.child.id().to_string()]).status().unwrap().success()
    );
    session.types("2");
    assert_eq!(session.concludes().stdout, "<answer>\nSQLite\n</answer>\n");
}

#[test]
fn control_c_also_ends_a_producer_that_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // A shell may swallow the signal between two commands, so the producer is one program.
    let mut session = shell(&folder, "tail -f message | \"$0\" ask");
    session.sees(&["❯ 1"]).types("\x03");
    // Some shells end by the signal, others with its status.
    let status = ends(&mut session.child);
    let is_interrupted = status.code() == Some(130) || ExitStatusExt::signal(&status) == Some(2);
    assert!(is_interrupted, "{status}");
}

#[test]
fn tab_completes_the_path_of_an_image() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("pictures")).unwrap();
    for name in ["one.gif", "two.gif", "two.txt"] {
        std::fs::write(folder.path().join("pictures").join(name), b"GIF89a").unwrap();
    }
    let mut session = shell(&folder, "\"$0\" ask --format json message > reply");
    session.sees(&["❯ 1"]).types("ipic\t").sees(&["pictures/"]).types("\t").sees(&["one.gif  two.gif"]);
    session.types("t\t").sees(&["pictures/two.gif"]).types("\r").sees(&["+ two.gif (GIF, 6 bytes)"]).types("1");
    session.concludes();
    assert!(std::fs::read_to_string(folder.path().join("reply")).unwrap().contains("R0lGODlh"));
}

/// The program has no controlling terminal.
#[test]
fn no_terminal_to_ask_on_is_a_usage_error_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("message"), call()).unwrap();
    let (terminal, child_side) = open().unwrap();
    // Another test that starts a program may keep the terminal open for a moment. Once it can't be
    // opened, its signal has been sent.
    let script = "trap '' HUP; touch ready; while (: < /dev/tty) 2> /dev/null; do sleep 0.02; done; \
        \"$0\" ask message > out 2> err < message; echo $? > status";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_followup")])
        .current_dir(folder.path())
        .spawn(child_side)
        .unwrap();
    while !folder.path().join("ready").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(terminal);
    ends(&mut child);
    let text = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let (status, out, err) = (text("status"), text("out"), text("err"));
    assert_eq!((status.trim(), &*out), ("2", ""), "{err}");
    assert!(err.contains("there is no terminal to ask on") && err.contains("followup ask --answer 1"), "{err}");
}

#[test]
fn a_message_can_not_be_typed_on_the_terminal_of_the_answers() {
    let (mut terminal, child_side) = open().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_followup")).args(["ask", "-"]).spawn(child_side).unwrap();
    let mut written = Vec::new();
    let _ = terminal.read_to_end(&mut written);
    assert_eq!(ends(&mut child).code(), Some(2));
    assert!(String::from_utf8_lossy(&written).contains("cat message.txt | followup ask"));
}

#[test]
fn control_sequences_of_a_model_do_not_reach_the_terminal() {
    let hostile = call().replace("PostgreSQL", "A\x1B]0;HOSTILE\x07\u{9B}31m\u{202E}B");
    for args in [&[][..], &["--lines"], &["--format", "json"]] {
        let mut session = Session::with(args, (24, 100), ReplyTo::Terminal, "xterm-256color");
        session
            .writes(&hostile)
            .ends()
            .waits("the question", |screen| screen.contains('❯') || screen.contains("> (1"))
            .types("1\n");
        let written = Arc::clone(&session.screen);
        let ended = session.concludes();
        assert!(!written.emulated.lock().unwrap().callbacks().is_title_set, "{}", ended.screen);
    }
}

#[test]
fn balanced_isolates_are_kept_and_overrides_are_visible() {
    let message = call().replace("PostgreSQL", "\u{2067}שלום\u{2069} A\u{202E}B \u{2066}C");
    let mut session = Session::new(&[], (24, 60));
    // The emulated terminal leaves out replacement characters.
    session.writes(&message).ends().sees(&["❯ 1  \u{2067}שלום\u{2069} AB C"]).types("1");
    assert_eq!(session.concludes().stdout, "<answer>\n\u{2067}שלום\u{2069} A\u{202E}B \u{2066}C\n</answer>\n");
}

#[test]
fn isolates_are_kept_and_end_in_their_line_line_by_line() {
    let message = format!(
        "- \u{2067}שלום\u{2069} \u{2067}a\n{}",
        call().replace("SQLite", "\u{2067}ב\u{2069} C\u{202E}D \u{2066}E")
    );
    for term in ["xterm", "dumb"] {
        let mut session = Session::with(&["--lines"], (24, 60), ReplyTo::Pipe, term);
        // The emulated terminal leaves out replacement characters, and an isolate that begins a
        // line.
        let shown = [
            "- \u{2067}שלום\u{2069} \u{2067}a\u{2069}\n",
            "  2. [code] \u{2067}ב\u{2069} CD \u{2066}E\u{2069}\n",
            "> (1 to 2",
        ];
        session.writes(&message).ends().sees(&shown).types("2\n").sees(&["✓ \u{2067}ב\u{2069} CD E"]);
        assert_eq!(session.concludes().status, 0);
    }
}

#[test]
fn nothing_is_written_twice_and_no_cursor_is_moved_line_by_line() {
    let message = format!("Prose. {}More.", call().replace("SQLite", &"A long suggestion. ".repeat(20)));
    let mut session = Session::new(&["--lines", "--chunk", "3"], (24, 60));
    session.writes(&message).ends().sees(&["> (1 to 2"]).types("1\n");
    let screen = Arc::clone(&session.screen);
    assert_eq!(session.concludes().status, 0);
    let written = String::from_utf8(screen.emulated.lock().unwrap().callbacks().written.clone()).unwrap();
    assert!(!written.contains('\x1B'), "{written:?}");
    assert_eq!((written.matches("Which").count(), written.matches("A long suggestion.").count()), (1, 20), "{written}");
}

#[test]
fn a_question_and_its_prompt_begin_lines_after_prose_that_came_during_the_question() {
    let delta = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let arguments = |arguments: &str| {
        delta(&format!("{{\"tool_calls\":[{{\"index\":0,\"id\":\"1\",\"function\":{{{arguments}}}}}]}}"))
    };
    let body = [
        arguments(r#""name":"ask_followup_question","arguments":"{\"question\":\"Which?\",""#),
        delta("{\"content\":\"Prose \u{2067}a\"}"),
        arguments(r#""arguments":"\"follow_up\":[\"A\"]}""#),
        "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n".into(),
    ];
    let mut session = Session::new(&["--lines", "--wire", "openai-chat"], (24, 60));
    session.writes(&body.concat()).ends().sees(&["Prose \u{2067}a\u{2069}\n? Which?\n\n  1. A\n> (1, or"]).types("1\n");
    assert_eq!(session.concludes().status, 0);
}

#[test]
fn a_slow_reader_does_not_block_the_screen() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("large.gif");
    std::fs::write(&image, [&b"GIF89a"[..], &[0; 300_000]].concat()).unwrap();
    let (terminal, mut child) = spawn(&["--format", "json", "--image", image.to_str().unwrap()]);
    // Never read.
    let _stdout = child.stdout.take().unwrap();
    let message = child.stdin.take();
    let mut session = Session::watch(terminal, child, message, None, (24, 60));
    session.writes(&call()).writes(&call().replace("database", "language")).sees(&["❯ 1"]).types("1");
    session.sees(&["Which language?"]).types("?").sees(&["── Keys"]).types("x").types("\x03");
    assert_eq!(session.concludes().status, 130);
}

#[test]
fn a_reply_that_is_not_read_is_an_error_and_stays_on_the_terminal() {
    let (terminal, mut child) = spawn(&[]);
    drop(child.stdout.take());
    let message = child.stdin.take();
    let mut session = Session::watch(terminal, child, message, None, (24, 60));
    session.writes(&call()).writes(&call()).sees(&["❯ 1"]).types("1");
    let ended = session.concludes();
    assert_eq!(ended.status, 1);
    assert!(
        ended.screen.contains("✓ PostgreSQL") && ended.screen.contains("the reply was not read"),
        "{}",
        ended.screen
    );
}

#[test]
fn a_terminal_that_is_gone_ends_the_program() {
    let (terminal, mut child) = spawn(&[]);
    child.stdin.as_mut().unwrap().write_all(call().as_bytes()).unwrap();
    // Wait until the program has taken over the terminal.
    let (mut written, mut buffer) = (String::new(), [0; 4096]);
    while !written.contains("database") {
        let read = (&terminal).read(&mut buffer).unwrap();
        written += &String::from_utf8_lossy(&buffer[..read]);
    }
    drop(terminal);
    assert_eq!(ends(&mut child).code(), Some(129));
}

#[test]
fn a_pipe_is_refused_as_an_image_without_blocking() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut session = Session::new(&["--format", "anthropic"], (24, 200));
    session.writes(&call()).ends().sees(&["❯ 1"]).types("i").sees(&["── Path"]).types(pipe.to_str().unwrap());
    session.types("\r").sees(&["it is not a regular file"]).types("\x1B").misses("── Path").types("2");
    assert!(session.concludes().stdout.contains("SQLite"));
}

#[test]
fn keys_typed_before_a_question_are_no_answer_line_by_line() {
    let mut session = Session::new(&["--lines"], (24, 60));
    session.writes("Hm.").sees(&["Hm."]).types("\n2\n").sees(&["2"]).writes(&call());
    session.ends().sees(&["> (1 to 2"]).types("1\n");
    assert_eq!(session.concludes().stdout, "<answer>\nPostgreSQL\n</answer>\n");
}

#[test]
fn an_answer_that_ends_its_wrapping_is_reported_on_the_screen() {
    let mut session = Session::new(&[], (24, 120));
    let told = "the answer contains </answer>, which may end it early for the model; --escape prevents that";
    session.writes(&call().replace("PostgreSQL", "A</answer >B")).ends().sees(&["❯ 1"]).types("1").sees(&[told]);
    assert_eq!(session.concludes().stdout, "<answer>\nA</answer >B\n</answer>\n");
}

#[test]
fn input_in_another_encoding_is_asked_for_again() {
    let mut session = Session::new(&["--lines"], (24, 80));
    session.writes(&call()).ends().sees(&["> (1 to 2"]);
    (&*session.terminal).write_all(b"Caf\xE9\n").unwrap();
    session.sees(&["what was typed is not UTF-8: set the terminal to UTF-8, and type it again"]).types("Café\n");
    let ended = session.concludes();
    assert_eq!((&*ended.stdout, ended.status), ("<answer>\nCafé\n</answer>\n", 0));
}
