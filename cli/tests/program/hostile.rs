//! Tests with hostile streams: exit status, peak memory, and that no control sequence gets through.
//!
//! The sizes are small by default. `cargo test --release -p followup-cli --test program hostile --
//! --ignored` reads a GiB of each stream.

use std::io::{Read, Write};
use std::process::ChildStdin;
use std::thread;

use crate::common::{is_short, run, spawn};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// The length of each endless stream by default.
fn usual() -> u64 {
    if is_short() { MIB / 2 } else { 2 * MIB }
}

/// The memory allowed where no event is long: code, buffers, one call.
const SMALL: u64 = 24 * MIB;

/// The memory allowed with an event at the limit (8 MiB), or where all cores parse records.
const LONG_EVENT: u64 = 64 * MIB;

/// The memory allowed with a line of records at the limit (32 MiB).
const LONG_LINE: u64 = 64 * MIB;

/// The result of a run, with only the end of its output.
#[derive(Debug)]
struct Ran {
    status: i32,
    /// The number of bytes printed.
    printed: u64,
    tail: String,
    err: String,
    /// The peak of resident memory in bytes.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "it is measured on Linux only"))]
    peak: u64,
}

/// The number of bytes of output to keep.
const TAIL: usize = 200;

/// Runs the program with the input that `write` writes.
fn fed(args: &[&str], write: impl FnOnce(&mut ChildStdin) + Send + 'static) -> Ran {
    let mut child = spawn(args);
    let (mut to, mut out, mut err) =
        (child.stdin.take().unwrap(), child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let writer = thread::spawn(move || write(&mut to));
    let errors = thread::spawn(move || end_of(&mut err).1);
    let reader = thread::spawn(move || end_of(&mut out));
    // The kernel reports the peak only while the program runs.
    let (mut peak, status) = (0, format!("/proc/{}/status", child.id()));
    let ended = loop {
        peak = peak.max(resident(&status).unwrap_or(0));
        match child.try_wait().unwrap() {
            Some(ended) => break ended,
            None => thread::sleep(std::time::Duration::from_millis(4)),
        }
    };
    writer.join().unwrap();
    let ((printed, tail), err) = (reader.join().unwrap(), errors.join().unwrap());
    Ran { status: ended.code().expect("no signal has ended it"), printed, tail, err, peak }
}

/// Reads to the end, and returns the length and the last bytes.
fn end_of(from: &mut impl Read) -> (u64, String) {
    let (mut read, mut tail, mut buffer) = (0, Vec::new(), vec![0; 64 << 10]);
    while let Ok(now @ 1..) = from.read(&mut buffer) {
        read += now as u64;
        tail.extend_from_slice(&buffer[..now]);
        tail.drain(..tail.len().saturating_sub(TAIL));
    }
    (read, String::from_utf8_lossy(&tail).into_owned())
}

/// Returns the peak of a process's resident memory; `None` if unknown.
fn resident(status: &str) -> Option<u64> {
    let status = std::fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// A stream of any length.
#[derive(Clone, Debug)]
struct Endless {
    prefix: String,
    repeated: String,
    suffix: String,
}

fn endless(prefix: &str, repeated: &str, suffix: &str) -> Endless {
    Endless { prefix: prefix.into(), repeated: repeated.into(), suffix: suffix.into() }
}

impl Endless {
    fn times(&self, bytes: u64) -> u64 {
        bytes / self.repeated.len() as u64
    }

    /// Returns the length without prefix and suffix.
    fn repeated_len(&self, bytes: u64) -> u64 {
        self.times(bytes) * self.repeated.len() as u64
    }

    fn write(&self, bytes: u64, to: &mut impl Write) {
        let block = 1 + (64 << 10) / self.repeated.len();
        let many = self.repeated.repeat(block);
        // Fails if the program ends before it has read everything.
        let _ = (|| {
            to.write_all(self.prefix.as_bytes())?;
            let mut left = usize::try_from(self.times(bytes)).expect("a GiB is enough");
            while left > 0 {
                let now = left.min(block);
                to.write_all(&many.as_bytes()[..now * self.repeated.len()])?;
                left -= now;
            }
            to.write_all(self.suffix.as_bytes())
        })();
    }
}

#[track_caller]
fn within(what: &str, ran: &Ran, most: u64) {
    #[cfg(target_os = "linux")]
    {
        println!("{:>10} bytes of {most:>10} at the most: {what}", ran.peak);
        assert!(ran.peak > 0, "{what}: the peak is known");
        assert!(ran.peak <= most, "{what} takes {} bytes, and may take {most}", ran.peak);
    }
    let _ = (what, ran, most);
}

// Memory.

const ASK: &str = "<ask_followup_question>";
const QUESTION: &str = "<ask_followup_question><question>";
const WELL: &str = "<ask_followup_question><question>Well?</question><follow_up><suggest>A</suggest></follow_up></ask_followup_question>";
const CHAT: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Prose, and so on.\\n\"}}]}\n\n";

fn endless_streams(bytes: u64) {
    let well = format!("\n{WELL}");
    let too_long = format!("</question></ask_followup_question>{WELL}");
    let deep = "[".repeat(1000);
    let record = json!({"id": 1, "content": format!("Prose. {WELL}")}).to_string() + "\n";
    let bad = "no record, ".repeat(100) + "\n";
    let shown = "? Well?\n\n  1. A\n";
    // An event longer than 8 MiB is skipped with an error.
    let long = i32::from(bytes > 8 * MIB);
    // The arguments, the input, the exit status, the end of the output, and the allowed memory.
    for (args, stream, status, tail, most) in [
        (&["parse"][..], endless("", "Prose, 日本 and a < b.\n", &well), 0, shown, SMALL),
        (&["parse"], endless("", "\x1B[2J\x07\r", &well), 0, shown, SMALL),
        (&["parse"], endless(QUESTION, "Which of them? ", &too_long), 1, shown, SMALL),
        (
            &["parse"],
            endless("<read_file><path>", "any/where ", "</path></read_file>"),
            0,
            "</path></read_file>",
            SMALL,
        ),
        (&["parse"], endless("", "<ask_followup_question a='", &well), 0, shown, SMALL),
        (
            &["parse"],
            endless(ASK, "<options>[\"a\"]</options>", "</ask_followup_question>"),
            1,
            "`question` is missing\n",
            SMALL,
        ),
        (
            &["parse"],
            endless(&format!("{QUESTION}Q</question>"), "<suggest>A</suggest>", "</ask_followup_question>"),
            0,
            "  note: there are too many suggestions; the last were dropped\n",
            SMALL,
        ),
        (
            &["parse"],
            endless(&format!("{QUESTION}Q</question><options>"), &deep, "</options></ask_followup_question>"),
            0,
            "  note: a list of options is not a JSON list and was dropped\n",
            SMALL,
        ),
        (&["parse"], endless("", WELL, ""), 0, shown, SMALL),
        (&["parse", "--json", "--no-partials"], endless("", "Prose, 日本 and a < b.\n", ""), 0, "}\n", SMALL),
        (&["parse", "--json", "--no-partials"], endless(QUESTION, "Which of them? ", ""), 1, "\"end\":true}\n", SMALL),
        (&["parse", "--wire", "json"], endless("{\"other\":", &deep, ""), 1, "the arguments are not JSON\n", SMALL),
        (
            &["parse", "--arguments-of", "AskUserQuestion"],
            endless("{\"questions\":[", "{\"question\":\"Q\"},", "null]}"),
            0,
            "\n",
            SMALL,
        ),
        (
            &["parse", "--arguments-of", "AskUserQuestion"],
            endless(
                "{\"questions\":[{\"question\":\"Q\",\"options\":[{\"label\":\"A\",\"description\":\"",
                "what ",
                "",
            ),
            1,
            "\n",
            SMALL,
        ),
        (&["parse", "--wire", "auto"], endless("", CHAT, ""), 0, "Prose, and so on.\n", SMALL),
        (&["parse", "--wire", "auto"], endless(&format!("{CHAT}data: {{\"other\":"), &deep, "\n\n"), 1, "", LONG_EVENT),
        (
            &["parse", "--wire", "openai-chat"],
            endless("data: {\"choices\":[{\"delta\":{\"content\":\"", "x ", &format!("\"}}}}]}}\n\n{CHAT}")),
            long,
            "Prose, and so on.\n",
            LONG_EVENT,
        ),
        (&["parse", "--records"], endless("", &record, ""), 0, "}]}\n", LONG_EVENT),
        (&["parse", "--records"], endless("", &bad, ""), 1, "", LONG_EVENT),
        (&["ask", "--answer", "1"], endless("", "Prose, and so on.\n", &well), 0, "<answer>\nA\n</answer>\n", SMALL),
        (
            &["ask", "--text", "B"],
            endless(QUESTION, "Which of them? ", &too_long),
            1,
            "<answer>\nB\n</answer>\n",
            SMALL,
        ),
        (
            &["ask", "--text", "B"],
            endless("", "<ask_followup_question></ask_followup_question>", ""),
            1,
            "Missing required parameter 'question'\n",
            SMALL,
        ),
    ] {
        let what = format!("{args:?} of {:?}", &stream.repeated[..stream.repeated.len().min(30)]);
        let ran = fed(args, move |to| stream.write(bytes, to));
        within(&what, &ran, most);
        assert_eq!(ran.status, status, "{what}: {}", ran.err);
        assert!(ran.tail.ends_with(tail), "{what}: {:?}", ran.tail);
    }
}

#[test]
fn memory_is_bounded_for_endless_streams() {
    endless_streams(usual());
}

#[test]
#[ignore = "a GiB of each stream: run it in release"]
fn memory_is_bounded_for_a_gib() {
    endless_streams(GIB);
}

/// A line of this many bytes, between two records that are read.
fn long_line(bytes: u64) {
    // "SG0u" is a message, and base64 of another.
    let good = json!({"id": 1, "content": "SG0u"}).to_string();
    let stream = endless(&format!("{good}\n{{\"content\":\""), "Prose, and so on. ", &format!("\"}}\n{good}"));
    for args in [&["parse", "--records"][..], &["parse", "--records", "--wire", "auto", "--base64"]] {
        let stream = stream.clone();
        let ran = fed(args, move |to| stream.write(bytes, to));
        within(&format!("{args:?} of a line of {bytes} bytes"), &ran, LONG_LINE);
        assert_eq!(ran.status, 1, "{}", ran.err);
        let reason = "longer than the limit of 33554432 bytes; it was skipped, and --limit-line raises the limit\n";
        let end = "followup: 1 line of standard input could not be read; 2 could\n";
        assert!(ran.err.ends_with(&format!("{reason}{end}")), "{}", ran.err);
    }
}

#[test]
fn memory_is_bounded_for_a_long_line_of_records() {
    long_line(48 * MIB);
}

#[test]
#[ignore = "a line of a GiB: run it in release"]
fn memory_is_bounded_for_a_line_of_a_gib() {
    long_line(GIB);
}

/// Each chunk of one byte is an event, and is written.
#[test]
fn hundreds_of_thousands_of_chunks_take_no_more_memory_than_one() {
    let stream = endless("", "Prose. ", &format!("\n{WELL}"));
    // A kept chunk would take 80 bytes or more.
    let bytes = if is_short() { 250_000 } else { 500_000 };
    let whole = stream.repeated_len(bytes);
    let ran = fed(&["parse", "--chunk", "1"], move |to| stream.write(bytes, to));
    within("chunks of one byte", &ran, SMALL);
    assert_eq!((ran.status, ran.printed), (0, whole + "\n? Well?\n\n  1. A\n".len() as u64), "{}", ran.err);
}

// Terminals.

/// Sequences that a terminal would act on, or that would mislead people. None has a line end.
const CONTROLS: [(&str, &str); 34] = [
    ("a colour", "\x1B[31m"),
    ("the screen wiped", "\x1B[2J\x1B[H"),
    ("the line wiped", "\x1B[1A\x1B[2K"),
    ("another screen", "\x1B[?1049h"),
    ("the cursor hidden", "\x1B[?25l"),
    ("the mouse", "\x1B[?1003h"),
    ("pasting", "\x1B[?2004h"),
    ("a report asked for", "\x1B[6n\x1B[c\x1B[>q"),
    ("a reset", "\x1Bc"),
    ("another character set", "\x1B(0"),
    ("scrolling", "\x1BM\x1B[5S"),
    ("the title", "\x1B]0;owned\x07"),
    ("the title, ended otherwise", "\x1B]2;owned\x1B\\"),
    ("the clipboard", "\x1B]52;c;b3duZWQ=\x07"),
    ("the clipboard asked for", "\x1B]52;c;?\x07"),
    ("a link", "\x1B]8;;https://evil.example\x1B\\click\x1B]8;;\x1B\\"),
    ("a palette", "\x1B]4;1;?\x07"),
    ("a device control string", "\x1BP$q\"p\x1B\\"),
    ("a picture", "\x1BPq#0;2;0;0;0~~\x1B\\"),
    ("an application's command", "\x1B_Ga=T;AAAA\x1B\\"),
    ("a private message", "\x1B^owned\x1B\\"),
    ("a start of string", "\x1BXowned\x1B\\"),
    ("C1: CSI", "\u{9B}31m\u{9B}2J"),
    ("C1: OSC", "\u{9D}0;owned\u{9C}"),
    ("C1: DCS and APC", "\u{90}q\u{9C}\u{9F}G\u{9C}"),
    ("C1: next line, index", "\u{85}\u{84}\u{8D}"),
    ("a bell", "\x07\x07"),
    ("back-spaces", "safe\x08\x08\x08\x08evil"),
    ("a carriage return", "safe\revil"),
    ("other controls", "\0\x01\x05\x0B\x0C\x0E\x0F\x11\x13\x18\x1A\x7F"),
    ("writing turned around", "\u{202E}live\u{202C}\u{202D}\u{202A}\u{202B}"),
    ("isolates and marks", "\u{2069}\u{2066}\u{2067}\u{2068}\u{200E}\u{200F}\u{61C}"),
    ("lines for some", "\u{2028}\u{2029}"),
    // Must be the last, because nothing ends it.
    ("a string that never ends", "\x1B]0;owned"),
];

/// Returns whether a terminal would act on the character, or change the writing direction.
fn is_control(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{2028}' | '\u{2029}' | '\u{061C}' | '\u{200E}' | '\u{200F}')
        || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Replaces control characters as the program does. The beginnings of isolates are kept.
fn harmless(text: &str) -> String {
    let replacement = |char: char| match char {
        '\u{2066}'..='\u{2068}' => char,
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(char)).unwrap(),
        '\x7F' => '␡',
        _ if is_control(char) => '\u{FFFD}',
        _ => char,
    };
    text.chars().map(replacement).collect()
}

/// Replaces each run of white space with a blank.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    for char in text.chars() {
        match char.is_whitespace() {
            true if line.ends_with(' ') => {}
            true => line.push(' '),
            false => line.push(char),
        }
    }
    line
}

/// Returns a message with this text in it.
type Place = fn(&str) -> String;

/// Where a message may hold such a text: the name, the format of the input, and the input.
const PLACES: [(&str, &str, Place); 20] = [
    ("prose", "text", |evil| format!("a{evil}b {WELL}")),
    ("a question", "text", |evil| {
        format!("<ask_followup_question><question>a{evil}b?</question></ask_followup_question>{WELL}")
    }),
    ("a question without a tag", "text", |evil| {
        format!("<ask_followup_question>a{evil}b?</ask_followup_question>{WELL}")
    }),
    ("a suggestion", "text", |evil| {
        format!(
            "<ask_followup_question><question>Q</question><suggest>a{evil}b</suggest></ask_followup_question>{WELL}"
        )
    }),
    ("a mode", "text", |evil| {
        format!(
            "<ask_followup_question><question>Q</question><suggest><mode>a{evil}b</mode>A</suggest></ask_followup_question>{WELL}"
        )
    }),
    (IN_A_TAG, "text", |evil| {
        format!(
            "<ask_followup_question><question>Q</question><suggest mode='a{evil}b'>A</suggest></ask_followup_question>{WELL}"
        )
    }),
    ("a call that is cut off", "text", |evil| format!("{WELL}<ask_followup_question><question>a{evil}b")),
    ("another tool's call", "text", |evil| format!("<read_file><path>a{evil}b</path></read_file>{WELL}")),
    ("native: text", "openai-chat", |evil| chat(&json!({"content": format!("a{evil}b")}))),
    ("native: a question", "openai-chat", |evil| {
        chat(&call("id", "ask_followup_question", &json!({"question": format!("a{evil}b")})))
    }),
    ("native: a suggestion", "openai-chat", |evil| {
        chat(&call(
            "id",
            "ask_followup_question",
            &json!({"question": "Q", "follow_up": [{"text": format!("a{evil}b")}]}),
        ))
    }),
    ("native: a mode", "openai-chat", |evil| {
        let suggestions = json!([{"text": "A", "mode": format!("a{evil}b")}]);
        chat(&call("id", "ask_followup_question", &json!({"question": "Q", "follow_up": suggestions})))
    }),
    ("native: an id", "openai-chat", |evil| {
        chat(&call(&format!("a{evil}b"), "ask_followup_question", &json!({"question": "Q"})))
    }),
    ("native: another tool's name", "openai-chat", |evil| chat(&call("id", &format!("a{evil}b"), &json!({"p": 1})))),
    ("native: another tool's id", "openai-chat", |evil| chat(&call(&format!("a{evil}b"), "lookup", &json!({"p": 1})))),
    // Verbatim: a provider may send arguments that are not JSON.
    ("native: another tool's arguments", "openai-chat", |evil| {
        chat(
            &json!({"tool_calls": [{"index": 0, "id": "id", "function": {"name": "lookup", "arguments": format!("a{evil}b")}}]}),
        )
    }),
    ("an error's message", "openai-chat", |evil| sse(&json!({"error": {"message": format!("a{evil}b")}}).to_string())),
    ("what can't be read", "openai-chat", |evil| sse(&format!("oops a{}b", evil.replace('\r', "\x0B")))),
    ("arguments of no call", "anthropic", |evil| {
        sse(&json!({"type": "content_block_delta", "index": 7, "delta": {"type": "input_json_delta", "partial_json": format!("a{evil}b")}}).to_string())
    }),
    ("too many calls", "openai-chat", |evil| {
        let calls: Vec<_> = (0..65)
            .map(|i| json!({"index": i, "id": format!("{i}"), "function": {"name": format!("a{evil}b")}}))
            .collect();
        sse(&json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]}).to_string())
    }),
];

fn sse(data: &str) -> String {
    format!("data: {data}\n\n")
}

fn chat(delta: &Value) -> String {
    let end = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#;
    sse(&json!({"choices": [{"index": 0, "delta": delta}]}).to_string()) + &sse(end)
}

fn call(id: &str, name: &str, arguments: &Value) -> Value {
    json!({"tool_calls": [{"index": 0, "id": id, "function": {"name": name, "arguments": arguments.to_string()}}]})
}

/// A tag has no room for all sequences at once.
const IN_A_TAG: &str = "a mode in a tag";

/// Returns every place with all sequences in it, and with each alone.
fn hostile_inputs() -> impl Iterator<Item = (String, &'static str, String, String)> {
    let all = CONTROLS.map(|(_, evil)| evil).join(" ");
    let alone = CONTROLS.iter().map(|&(what, evil)| (what, evil.to_owned()));
    let each: Vec<_> = [("all", all)].into_iter().chain(alone).collect();
    PLACES.iter().flat_map(move |&(place, wire, write)| {
        let input = move |(what, evil): (&str, String)| {
            // A mode is shown on one line.
            let shown = if place.contains("mode") { one_line(&evil) } else { evil.clone() };
            (format!("{what} in {place}"), wire, write(&evil), write(&harmless(&shown)))
        };
        each.clone().into_iter().filter(move |&(what, _)| what != "all" || place != IN_A_TAG).map(input)
    })
}

/// Returns whether an input is in the selection used where all inputs would take too long.
fn is_selected(what: &str) -> bool {
    what.starts_with("all in ") || what.ends_with(IN_A_TAG)
}

/// Checks that line feeds and tabs are the only control characters, beside balanced isolates.
#[track_caller]
fn assert_harmless(what: &str, shown: &[u8]) {
    let shown = std::str::from_utf8(shown).unwrap_or_else(|error| panic!("{what}: {error}"));
    for line in shown.lines() {
        let bad = without_isolates(line).chars().find(|&char| is_control(char) && char != '\t');
        assert_eq!(bad, None, "{what}: {line:?}");
    }
}

fn is_isolate(char: char) -> bool {
    matches!(char, '\u{2066}'..='\u{2069}')
}

/// Returns the line without its balanced isolates.
fn without_isolates(line: &str) -> String {
    let mut rest = String::new();
    for char in line.chars() {
        let open = rest.rfind(|char| matches!(char, '\u{2066}'..='\u{2068}')).filter(|_| char == '\u{2069}');
        match open {
            Some(open) => drop(rest.remove(open)),
            None => rest.push(char),
        }
    }
    rest
}

#[test]
fn no_control_character_is_printed() {
    let all = hostile_inputs().filter(|(what, ..)| is_selected(what));
    for (what, wire, evil, _) in all.step_by(if is_short() { 7 } else { 1 }) {
        for args in [
            &["parse", "--wire", wire][..],
            &["parse", "--wire", wire, "--chunk", "1"],
            &["parse", "--wire", wire, "--json"],
            &["parse", "--wire", "auto"],
            &["ask", "--wire", wire, "--text", "B", "--text", "B"],
            &["ask", "--wire", wire, "--text", "B", "--text", "B", "--format", "json"],
            &["ask", "--wire", wire, "--answer", "1", "--format", "openai-chat"],
        ] {
            let output = run(args, &evil);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{what}: {args:?}");
            assert_harmless(&format!("{what}: {args:?}, standard output"), &output.stdout);
            assert_harmless(&format!("{what}: {args:?}, standard error"), &output.stderr);
        }
    }
}

/// Returns the arguments of a call with this text in them.
type Arguments = fn(&str) -> Value;

/// Each text of a question tool's call that is shown: its name, the tool, and the arguments.
const TEXTS: [(&str, &str, Arguments); 8] = [
    ("a question", "ask", |evil| json!({"questions": [{"question": evil}]})),
    ("a second question", "ask", |evil| json!({"questions": [{"question": "Q"}, {"question": evil}]})),
    ("a header", "AskUserQuestion", |evil| json!({"questions": [{"question": "Q", "header": evil}]})),
    ("a detail", "askQuestions", |evil| json!({"questions": [{"question": "Q", "message": evil}]})),
    ("an answer", "clarify", |evil| json!({"question": "Q", "choices": [evil, "B"]})),
    (
        "a description",
        "ask",
        |evil| json!({"questions": [{"question": "Q", "options": [{"label": "A", "description": evil}]}]}),
    ),
    (
        "a preview",
        "AskUserQuestion",
        |evil| json!({"questions": [{"question": "Q", "options": [{"label": "A", "preview": evil}]}]}),
    ),
    ("a mode", "question", |evil| json!({"questions": [{"question": "Q", "options": [{"label": "A", "mode": evil}]}]})),
];

/// Returns the arguments of calls with all sequences in one text, and with their replacements.
fn hostile_calls() -> impl Iterator<Item = (&'static str, &'static str, String, String)> {
    let all = format!("a{}b", CONTROLS.map(|(_, evil)| evil).join(" "));
    TEXTS.into_iter().map(move |(what, tool, write)| {
        let shown = if what == "a mode" { one_line(&all) } else { all.clone() };
        (what, tool, write(&all).to_string(), write(&harmless(&shown)).to_string())
    })
}

#[test]
fn no_control_character_in_a_question_tools_call_is_printed() {
    for (i, (what, tool, evil, _)) in hostile_calls().enumerate() {
        let all = [&["--chunk", "1"][..], &["--json"], &[], &["--json", "--chunk", "7"]];
        for options in all.iter().cycle().skip(i).take(if is_short() { 1 } else { 4 }) {
            let args: Vec<_> = ["parse", "--arguments-of", tool].iter().chain(*options).copied().collect();
            let output = run(&args, &evil);
            assert_eq!(output.status.code(), Some(0), "{what}");
            assert_harmless(what, &output.stdout);
            let shown = String::from_utf8(output.stdout).unwrap();
            assert!(shown.contains("safe"), "{what} is shown: {shown}");
        }
    }
}

#[cfg(unix)]
mod on_a_terminal {
    use std::process::Stdio;

    use pty_process::Size;
    use pty_process::blocking::{Command, open};

    use super::*;

    /// Commands to a terminal other than text, cursor movements and colours.
    #[derive(Debug, Default, PartialEq)]
    struct Told(Vec<String>);

    impl vt100::Callbacks for Told {
        fn audible_bell(&mut self, _: &mut vt100::Screen) {
            self.0.push("bell".into());
        }

        fn visual_bell(&mut self, _: &mut vt100::Screen) {
            self.0.push("visual bell".into());
        }

        fn set_window_icon_name(&mut self, _: &mut vt100::Screen, name: &[u8]) {
            self.0.push(format!("icon {}", name.escape_ascii()));
        }

        fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
            self.0.push(format!("title {}", title.escape_ascii()));
        }

        fn copy_to_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8], data: &[u8]) {
            self.0.push(format!("clipboard {}", data.escape_ascii()));
        }

        fn paste_from_clipboard(&mut self, _: &mut vt100::Screen, _: &[u8]) {
            self.0.push("clipboard asked for".into());
        }

        fn unhandled_control(&mut self, _: &mut vt100::Screen, control: u8) {
            self.0.push(format!("control {control:#x}"));
        }

        fn unhandled_escape(&mut self, _: &mut vt100::Screen, one: Option<u8>, two: Option<u8>, last: u8) {
            self.0.push(format!("escape {one:?} {two:?} {last:#x}"));
        }

        fn unhandled_osc(&mut self, _: &mut vt100::Screen, parameters: &[&[u8]]) {
            self.0.push(format!("OSC {parameters:?}"));
        }
    }

    /// Runs the program on a terminal with this input, and returns what it wrote to the terminal.
    fn written(args: &[&str], input: &str) -> String {
        let (mut terminal, child_side) = open().unwrap();
        terminal.resize(Size::new(24, 80)).unwrap();
        let command = Command::new(env!("CARGO_BIN_EXE_followup")).args(args).env_remove("NO_COLOR");
        let mut child = command.env("TERM", "xterm-256color").stdin(Stdio::piped()).spawn(child_side).unwrap();
        let (mut to, input) = (child.stdin.take().unwrap(), input.as_bytes().to_vec());
        let writer = thread::spawn(move || drop(to.write_all(&input)));
        let mut written = Vec::new();
        // Fails when the other side is closed.
        let _ = terminal.read_to_end(&mut written);
        writer.join().unwrap();
        child.wait().unwrap();
        String::from_utf8(written).unwrap()
    }

    /// Returns the text on the terminal, and the commands to it.
    fn screen(written: &str) -> (String, Told) {
        let mut emulated =
            vt100::Parser::new_with_callbacks(24.try_into().unwrap(), 80.try_into().unwrap(), 1000, Told::default());
        emulated.process(written.as_bytes());
        let contents = emulated.screen().contents();
        let screen = emulated.screen();
        let is_usual = !screen.alternate_screen()
            && !screen.hide_cursor()
            && !screen.bracketed_paste()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None;
        assert!(is_usual, "the terminal is restored");
        (contents, std::mem::take(emulated.callbacks_mut()))
    }

    /// A message with control characters is written like one with their replacements.
    #[test]
    fn control_characters_are_written_as_their_replacements() {
        let alone = |what: &str| what.ends_with(" in a question") || what.starts_with("a string that never ends in ");
        let all = hostile_inputs().filter(|(what, ..)| is_selected(what) || alone(what));
        for (what, wire, evil, harmless) in all.step_by(if is_short() { 5 } else { 1 }) {
            // One chunk, so that both runs draw at the same times.
            let args = ["parse", "--wire", wire, "--chunk", "1000000"];
            let shown = written(&args, &evil);
            // Of unreadable data a limited number of bytes is shown, and replacements are longer.
            if !["all in what can't be read", "all in arguments of no call"].contains(&&*what) {
                assert_eq!(shown, written(&args, &harmless), "{what}");
            }
            assert_eq!(screen(&shown).1, Told::default(), "{what}");
            for row in shown.split(['\r', '\n']) {
                assert!(!without_isolates(row).contains(is_isolate), "{what}: {row:?}");
            }
        }
    }

    #[test]
    fn control_characters_of_a_question_tools_call_are_written_as_their_replacements() {
        for (what, tool, evil, harmless) in hostile_calls() {
            let args = ["parse", "--arguments-of", tool, "--chunk", "1000000"];
            let shown = written(&args, &evil);
            assert_eq!(shown, written(&args, &harmless), "{what}");
            assert_eq!(screen(&shown).1, Told::default(), "{what}");
            assert!(shown.contains("␛[31m"), "{what} is shown");
        }
    }

    /// The frames depend on the clock, but the transcript does not.
    #[test]
    fn the_transcript_of_the_screen_has_replacements_only() {
        let all = CONTROLS.map(|(_, evil)| evil).join(" ");
        let check = |wire: &str, write: fn(&str, &str) -> String| {
            let args = ["ask", "--wire", wire, "--auto-answer", "1"];
            let pictures = write(&harmless(&all), &harmless(&one_line(&all)));
            // Each waits for the end of a countdown.
            let (evil, pictures) = thread::scope(|scope| {
                let pictures = scope.spawn(|| written(&args, &pictures));
                (written(&args, &write(&all, &one_line(&all))), pictures.join().unwrap())
            });
            let (evil, told) = screen(&evil);
            assert_eq!(told, Told::default(), "{wire}");
            assert!(evil.contains("␛[31m") && evil.contains("✓ A"), "{evil}");
            assert_eq!(evil, screen(&pictures).0, "{wire}");
        };
        thread::scope(|scope| {
            scope.spawn(|| check("text", in_text));
            scope.spawn(|| check("openai-chat", in_a_body));
        });
    }

    /// Returns a message with the text in every place before and inside a question.
    fn in_text(evil: &str, mode: &str) -> String {
        format!(
            "a{evil}b <read_file><path>a{evil}b</path></read_file>\n<ask_followup_question><question>a{evil}b?</question><follow_up>\
             <suggest>A</suggest><suggest><mode>a{mode}b</mode>a{evil}b</suggest></follow_up></ask_followup_question>"
        )
    }

    fn in_a_body(evil: &str, mode: &str) -> String {
        let ask = json!({"question": format!("a{evil}b?"), "follow_up": ["A", {"text": format!("a{evil}b"), "mode": format!("a{mode}b")}]});
        [
            sse(&json!({"error": {"message": format!("a{evil}b")}}).to_string()),
            chat(&call("1", &format!("a{mode}b"), &json!({"p": 1}))),
            chat(&call(&format!("a{evil}b"), "ask_followup_question", &ask)),
        ]
        .concat()
    }
}
