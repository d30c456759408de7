//! Tests of `followup parse`.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};

use crate::common::{ends, run, spawn};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Runs the program, which succeeds without a word on standard error, and returns its output.
#[track_caller]
pub(crate) fn succeeds(args: &[&str], stdin: impl AsRef<[u8]>) -> String {
    let (out, err) = ends(&run(args, stdin), 0);
    assert_eq!(err, "");
    out
}

#[track_caller]
fn events(args: &[&str], stdin: impl AsRef<[u8]>) -> Vec<Value> {
    let args: Vec<_> = ["parse", "--json"].iter().chain(args).copied().collect();
    let output = run(&args, stdin);
    assert_eq!(output.stderr, b"");
    lines(&String::from_utf8(output.stdout).unwrap())
}

pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the kind of each event.
fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["event"].as_str().unwrap()).collect()
}

pub(crate) const MESSAGE: &str = "Hm.\n<ask_followup_question><question>Which?</question><follow_up><suggest>This</suggest>\
    <suggest mode=\"code\">That</suggest></follow_up></ask_followup_question>\nDone.\n";

pub(crate) const REJECTED: &str = "<ask_followup_question></ask_followup_question>";

/// A message with every kind of event.
pub(crate) const MIXED: &str = "Prose, ünïcödé.\r\n<read_file><path>a</path></read_file>\
    <ask_followup_question>bare 日本?<suggest>A</suggest></ask_followup_question>\
    <ask_followup_question>`named`\n\n<read_file><path>b</path></read_file><ask_followup_question></ask_followup_question>\
    <ask_followup_question><question>Cut";

mod plain {
    use super::*;

    #[test]
    fn a_message_is_shown_as_text() {
        let shown = "Hm.\n? Which?\n\n  1. This\n  2. [code] That\n\nDone.\n";
        assert_eq!(succeeds(&["parse"], MESSAGE), shown);
        assert_eq!(succeeds(&["parse", "-"], MESSAGE), shown);
    }

    #[test]
    fn balanced_isolates_are_kept_others_end_in_their_line_and_overrides_are_replaced() {
        let message = "\u{2067}שלום\u{2069} a \u{2067}b\r\nc\u{2069} \u{202E}d\u{202C} \u{2066}<read_file>\
            </read_file>\n\u{2068}<ask_followup_question><question>\u{2067}איזה\u{2069}, \u{2067}where\nelse?\u{202B}\
            </question><follow_up><suggest mode=\"e\u{2067}\u{2067}f\u{2069}\">\u{2066}PostgreSQL</suggest><suggest>g\u{2069}</suggest></follow_up>\
            </ask_followup_question>\u{2067}h";
        let shown = "\u{2067}שלום\u{2069} a \u{2067}b\u{2069}\r\nc\u{FFFD} \u{FFFD}d\u{FFFD} \u{2066}<read_file>\
            </read_file>\u{2069}\n\u{2068}\u{2069}\n? \u{2067}איזה\u{2069}, \u{2067}where\u{2069}\n  else?\u{FFFD}\n\n  \
            1. [e\u{FFFD}\u{2067}f\u{2069}] \u{2066}PostgreSQL\u{2069}\n  2. g\u{FFFD}\n\u{2067}h\u{2069}";
        for chunk in ["1000", "1", "2", "3", "random:1"] {
            assert_eq!(succeeds(&["parse", "--chunk", chunk], message), shown, "{chunk}");
        }
    }

    #[test]
    fn an_isolate_that_an_error_leaves_open_is_replaced() {
        let body = "data: {\"error\":{\"message\":\"\u{2067}a\u{2069} \u{2067}b\"}}\n\n";
        let (out, _) = ends(&run(&["parse", "--wire", "openai-chat"], body), 1);
        assert_eq!(out, "✗ error: the provider reports an error: \u{2067}a\u{2069} \u{FFFD}b\n");
    }

    #[test]
    fn a_question_of_many_lines_is_indented() {
        let message = "So <ask_followup_question><question>A\n\n- b</question><follow_up><suggest>C\nd</suggest></follow_up>\
            </ask_followup_question>";
        assert_eq!(succeeds(&["parse"], message), "So \n? A\n\n  - b\n\n  1. C\n     d\n");
    }

    #[test]
    fn a_rejection_has_its_reason() {
        let (out, err) = ends(&run(&["parse"], REJECTED), 1);
        assert_eq!((&*out, &*err), ("✗ rejected: the required parameter `question` is missing\n", ""));
        let (out, _) = ends(&run(&["parse"], "<ask_followup_question><question>Cut"), 1);
        assert_eq!(out, "? Cut\n✗ rejected: the message ended inside the question\n");
    }

    #[test]
    fn a_repair_leaves_a_note() {
        let message = "<ask_followup_question><question>Which?</ask_followup_question>";
        assert_eq!(succeeds(&["parse"], message), "? Which?\n  note: the question has no close tag\n");
    }

    #[test]
    fn prose_and_other_tools_calls_are_unchanged() {
        let message = "a\tb\r\n<write_to_file><path>x</path><content>\r\n<ask_followup_question>\r\n</content></write_to_file>end";
        assert_eq!(succeeds(&["parse"], message), message);
    }

    #[test]
    fn control_characters_are_replaced() {
        let bad = "\x1B[31m\x1B]0;t\x07\u{9B}2J\r\u{202E}\x7F";
        let good = "␛[31m␛]0;t␇\u{FFFD}2J␍\u{FFFD}␡";
        let message = format!(
            "{bad}.<read_file><path>{bad}</path></read_file>\
             <ask_followup_question><question>{bad}?</question><follow_up>\
             <suggest mode=\"{bad}\">{bad}!</suggest></follow_up></ask_followup_question>"
        );
        let out = succeeds(&["parse"], message);
        assert!(!out.contains(|char: char| char.is_control() && char != '\n'), "{out:?}");
        assert_eq!(out.matches("␛[31m␛]0;t␇\u{FFFD}2J").count(), 5);
        assert_eq!(out.matches(good).count(), 4, "{out}");
    }

    #[test]
    fn colours_are_for_terminals() {
        for args in [&["parse"][..], &["parse", "--no-color"]] {
            assert!(!succeeds(args, MESSAGE).contains('\x1B'));
        }
    }

    #[test]
    fn the_text_is_independent_of_the_chunks() {
        let (whole, _) = ends(&run(&["parse"], MIXED), 1);
        for cut in ["1", "2", "7", "random:1", "random:2"] {
            assert_eq!(ends(&run(&["parse", "--chunk", cut], MIXED), 1).0, whole);
        }
    }
}

mod json {
    use super::*;

    #[test]
    fn every_event_has_its_documented_form() {
        let message = "Hm <read_file><path>a</path></read_file><ask_followup_question><question>Which?</question>\
            <follow_up><suggest>A</suggest><suggest mode=\"m\">B</suggest></ask_followup_question>\
            <ask_followup_question></ask_followup_question><ask_followup_question><question>Cut";
        let out = ends(&run(&["parse", "--json"], message), 1).0;
        let expected = [
            r#"{"event":"text","text":"Hm ","at":257}"#,
            r#"{"event":"opaque","tool":"read_file","raw":"<read_file>","start":true,"at":257}"#,
            r#"{"event":"opaque","tool":"read_file","raw":"<path>a</path></read_file>","start":false,"at":257}"#,
            r#"{"event":"partial","call":0,"field":"question","delta":"Which?","question":"Which?","suggest":[],"at":257}"#,
            r#"{"event":"partial","call":0,"field":"suggest","delta":"A","question":"Which?","suggest":[{"answer":"A"}],"at":257}"#,
            r#"{"event":"partial","call":0,"field":"suggest","delta":"B","question":"Which?","suggest":[{"answer":"A"},{"answer":"B","mode":"m"}],"at":257}"#,
            r#"{"event":"complete","call":0,"span":[40,174],"question":"Which?","suggest":[{"answer":"A"},{"answer":"B","mode":"m"}],"notes":["follow_up has no close tag"],"at":257}"#,
            r#"{"event":"rejected","call":1,"span":[174,221],"reason":"missing_parameter","message":"the required parameter `question` is missing","question":null,"suggest":[],"at":257}"#,
            r#"{"event":"partial","call":2,"field":"question","delta":"Cut","question":"Cut","suggest":[],"at":257}"#,
            r#"{"event":"rejected","call":2,"span":[221,257],"reason":"truncated","message":"the message ended inside the question","question":"Cut","suggest":[],"at":257,"end":true}"#,
        ];
        assert_eq!(message.len(), 257);
        assert_eq!(out.lines().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_suggestion_before_the_question_has_an_empty_question() {
        let message = "<ask_followup_question><follow_up><suggest>A</suggest></follow_up><question>Q</question></ask_followup_question>";
        let events = events(&[], message);
        assert_eq!(events[0]["question"], "");
        assert_eq!(events[0]["field"], "suggest");
        assert_eq!(events[1]["question"], "Q");
    }

    #[test]
    fn partials_can_be_left_out() {
        assert_eq!(kinds(&events(&["--no-partials"], MESSAGE)), ["text", "complete", "text"]);
        assert_eq!(kinds(&events(&["--no-partials", "--chunk", "100"], MESSAGE)), ["text", "complete", "text"]);
    }

    #[test]
    fn at_is_the_number_of_bytes_read() {
        let events = events(&["--chunk", "2"], "abc<");
        let expected = [
            json!({"event": "text", "text": "ab", "at": 2}),
            json!({"event": "text", "text": "c", "at": 4}),
            json!({"event": "text", "text": "<", "at": 4, "end": true}),
        ];
        assert_eq!(events, expected);
    }

    /// Joins neighbouring pieces, and removes partials and what depends on the chunks.
    fn joined(events: Vec<Value>) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        for mut event in events {
            let kind = event["event"].as_str().unwrap().to_owned();
            if kind == "partial" {
                continue;
            }
            event.as_object_mut().unwrap().retain(|key, _| key != "at" && key != "end");
            let piece = if kind == "text" { "text" } else { "raw" };
            match all.last_mut() {
                Some(last)
                    if last["event"] == kind && event["start"] != true && (kind == "text" || kind == "opaque") =>
                {
                    last[piece] = format!("{}{}", last[piece].as_str().unwrap(), event[piece].as_str().unwrap()).into();
                }
                _ => all.push(event),
            }
        }
        all
    }

    #[test]
    fn joined_events_are_independent_of_the_chunks() {
        let whole = joined(events(&[], MIXED));
        assert_eq!(kinds(&whole), ["text", "opaque", "complete", "text", "opaque", "rejected", "rejected"]);
        let cuts = (1..=40).map(|n| n.to_string()).chain((0..10).map(|seed| format!("random:{seed}")));
        for cut in cuts {
            assert_eq!(joined(events(&["--chunk", &cut], MIXED)), whole, "{cut}");
        }
        // The option does cut.
        assert!(events(&["--chunk", "1"], MIXED).len() > 2 * whole.len());
        assert_ne!(events(&["--chunk", "random:1"], MIXED), events(&["--chunk", "random:2"], MIXED));
        assert_eq!(events(&["--chunk", "random:1"], MIXED), events(&["--chunk", "random:1"], MIXED));
    }

    #[test]
    fn the_deltas_of_partials_add_up() {
        let events = events(&["--chunk", "1"], MESSAGE);
        let deltas = |field: &str| -> String {
            let of = events.iter().filter(|event| event["field"] == field);
            of.map(|event| event["delta"].as_str().unwrap()).collect()
        };
        assert_eq!((&*deltas("question"), &*deltas("suggest")), ("Which?", "ThisThat"));
    }

    #[test]
    fn events_are_printed_while_the_message_is_still_being_written() {
        let mut child = spawn(&["parse", "--json"]);
        let mut to = child.stdin.take().unwrap();
        let mut from = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut next = || serde_json::from_str::<Value>(&from.next().unwrap().unwrap()).unwrap();
        to.write_all(b"Hi <ask_").unwrap();
        assert_eq!(next(), json!({"event": "text", "text": "Hi ", "at": 8}));
        to.write_all(b"followup_question><question>Wh").unwrap();
        assert_eq!(next()["delta"], "Wh");
        to.write_all(b"y?").unwrap();
        assert_eq!(next()["question"], "Why?");
        to.write_all(b"</question></ask_followup_question>").unwrap();
        assert_eq!(next()["event"], "complete");
        drop(to);
        assert!(from.next().is_none());
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }

    #[test]
    fn ill_formed_utf8_is_replaced_wherever_it_is_cut() {
        let bytes = b"a\xFFb\xE2\x82c\xF0\x9F\x98\x80\xE2";
        for cut in [&[][..], &["--chunk", "1"], &["--chunk", "3"]] {
            let text: String =
                events(cut, bytes).iter().map(|event| event["text"].as_str().unwrap().to_owned()).collect();
            assert_eq!(text, String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn one_event_is_one_line_without_control_characters() {
        let text = "a\x1B[31m\u{85}b\u{2028}c\u{9B}\u{202E}\x7F\"\\\n";
        let out = succeeds(&["parse", "--json"], text);
        assert_eq!(out.matches('\n').count(), 1);
        assert!(!out.trim_end().contains(|char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{202E}')));
        assert_eq!(lines(&out)[0]["text"], text);
    }
}

mod reading {
    use super::*;

    fn outcome(args: &[&str], message: &str) -> Value {
        let events = events(args, message);
        let last =
            events.into_iter().rev().find(|event| ["complete", "rejected"].contains(&event["event"].as_str().unwrap()));
        last.unwrap_or_default()
    }

    #[test]
    fn strict_rejects_calls_that_need_a_repair() {
        let message = "<ask_followup_question><question>Q</ask_followup_question>";
        assert_eq!(outcome(&[], message)["event"], "complete");
        assert_eq!(outcome(&["--strict"], message)["reason"], "malformed");
        ends(&run(&["parse", "--strict"], message), 1);
    }

    #[test]
    fn outside_code_starts_no_call_inside_code() {
        let message = "```\n<ask_followup_question><question>Q</question></ask_followup_question>\n```\n";
        assert_eq!(outcome(&[], message)["event"], "complete");
        assert_eq!(outcome(&["--outside-code"], message), Value::Null);
        assert_eq!(succeeds(&["parse", "--outside-code"], message), message);
    }

    #[test]
    fn entities_are_decoded_on_request() {
        let message = "<ask_followup_question><question>a &lt; b</question></ask_followup_question>";
        assert_eq!(outcome(&[], message)["question"], "a &lt; b");
        assert_eq!(outcome(&["--decode-entities"], message)["question"], "a < b");
    }

    #[test]
    fn the_tools_can_be_read_from_a_file() {
        let dir = TempDir::new().unwrap();
        let tools = dir.path().join("tools.json");
        fs::write(&tools, r#"{"tools":["deploy"],"parameters":["target"]}"#).unwrap();
        let message = "<deploy><target>x</target></deploy><read_file></read_file>";
        let tools = tools.to_str().unwrap();
        assert_eq!(events(&[], message)[0]["event"], "text");
        let events = events(&["--other-tools", tools], message);
        assert_eq!((&events[0]["event"], &events.last().unwrap()["event"]), (&json!("opaque"), &json!("text")));
        assert_eq!(events[0]["tool"], "deploy");
    }

    #[test]
    fn an_unusable_file_of_tools_is_an_error_with_the_reason() {
        let dir = TempDir::new().unwrap();
        let wrong = |content: &str, why: &str| {
            let tools = dir.path().join("tools.json");
            fs::write(&tools, content).unwrap();
            let (out, err) = ends(&run(&["parse", "--other-tools", tools.to_str().unwrap()], "text"), 1);
            assert_eq!(out, "");
            assert!(err.contains("tools.json") && err.contains(why), "{err}");
        };
        wrong("nonsense", "line 1, column 2: this is not JSON; it should be {\"tools\":[…]");
        wrong(r#"{"tols":[]}"#, "there is no field \"tols\"; there are tools, parameters");
        wrong(r#"{"tools":["a b"]}"#, "\"a b\"");
        wrong(r#"{"tools":["a"],"parameters":["a"]}"#, "\"a\"");
        let (_, err) = ends(&run(&["parse", "--other-tools", "not/there.json"], "text"), 1);
        assert!(err.contains("not/there.json: there is no such file"), "{err}");
    }

    #[test]
    fn limits_can_be_set() {
        let message = "<ask_followup_question><question>12345</question><follow_up><suggest>123456</suggest><suggest>2</suggest>\
            </follow_up></ask_followup_question>";
        let is = |args: &[&str], what: &str| assert_eq!(outcome(args, message)["reason"], what, "{args:?}");
        assert_eq!(outcome(&[], message)["event"], "complete");
        assert_eq!(outcome(&["--limit-question", "5", "--limit-answer", "6"], message)["event"], "complete");
        is(&["--limit-question", "4"], "too_long");
        is(&["--limit-answer", "5"], "too_long");
        let few = outcome(&["--limit-suggestions", "1"], message);
        assert_eq!(few["suggest"], json!([{"answer": "123456"}]));
        assert_eq!(few["notes"].as_array().unwrap().len(), 1);
        let tag = "<ask_followup_question    ><question>Q</question></ask_followup_question>";
        assert_eq!(outcome(&["--limit-tag", "27"], tag)["event"], "complete");
        assert_eq!(outcome(&["--limit-tag", "26"], tag), Value::Null);
        let bare = "<ask_followup_question>12345</ask_followup_question>";
        assert_eq!(outcome(&[], bare)["event"], "complete");
        assert_eq!(outcome(&["--limit-unconfirmed", "5"], bare), Value::Null);
    }

    #[test]
    fn a_delay_does_not_change_the_output() {
        assert_eq!(succeeds(&["parse", "--chunk", "20", "--delay", "1"], MESSAGE), succeeds(&["parse"], MESSAGE));
        assert_eq!(succeeds(&["parse", "--delay", "1"], MESSAGE), succeeds(&["parse"], MESSAGE));
    }

    #[test]
    fn a_file_with_a_delay_comes_in_small_chunks() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("message");
        fs::write(&path, MESSAGE).unwrap();
        let events = |args: &[&str]| events(&[args, &[path.to_str().unwrap()]].concat(), "");
        assert_eq!(events(&["--delay", "1"]), events(&["--chunk", "4"]));
        assert_eq!(events(&["--delay", "1", "--chunk", "9"]), events(&["--chunk", "9"]));
        assert_eq!(events(&["--delay", "0"]), events(&[]));
    }
}

mod files {
    use super::*;

    fn file(dir: &TempDir, content: impl AsRef<[u8]>) -> String {
        let path = dir.path().join("message.txt");
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_file_is_read() {
        let dir = TempDir::new().unwrap();
        let path = file(&dir, MESSAGE);
        assert_eq!(succeeds(&["parse", &path], ""), succeeds(&["parse"], MESSAGE));
    }

    #[test]
    fn a_long_file_is_read_to_its_end() {
        let dir = TempDir::new().unwrap();
        let long = MESSAGE.repeat(5_000);
        let path = file(&dir, &long);
        let shown = succeeds(&["parse"], MESSAGE).repeat(5_000);
        assert!(succeeds(&["parse", &path], "") == shown);
        assert!(succeeds(&["parse", &path, "--chunk", "1000000"], "") == shown);
    }

    #[test]
    fn an_empty_file_has_no_output() {
        let dir = TempDir::new().unwrap();
        let path = file(&dir, "");
        for args in [&["parse", &path][..], &["parse", "--json", &path], &["parse", "--records", &path], &["parse"]] {
            assert_eq!(succeeds(args, ""), "");
        }
    }

    #[test]
    fn ill_formed_utf8_is_replaced() {
        let dir = TempDir::new().unwrap();
        let path = file(&dir, b"a\xFFb\xE2\x82");
        assert_eq!(succeeds(&["parse", &path], ""), "a\u{FFFD}b\u{FFFD}");
    }

    #[test]
    fn the_error_for_a_missing_file_names_it() {
        for mode in [&[][..], &["--json"], &["--records"]] {
            let args: Vec<_> = ["parse", "not/there.txt"].iter().chain(mode).copied().collect();
            let (out, err) = ends(&run(&args, ""), 1);
            assert_eq!(out, "");
            assert_eq!(err, "followup: can't read not/there.txt: there is no such file; check the path\n");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_directory_is_an_error() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().to_str().unwrap();
        for mode in [&[][..], &["--json"], &["--records"], &["--chunk", "3"]] {
            let args: Vec<_> = ["parse", path].iter().chain(mode).copied().collect();
            let (out, err) = ends(&run(&args, ""), 1);
            assert_eq!(out, "");
            assert!(err.starts_with(&format!("followup: can't read {path}: it is a directory; ")), "{err}");
        }
    }

    #[test]
    fn a_closed_pipe_is_no_failure() {
        let dir = TempDir::new().unwrap();
        let long = file(&dir, MESSAGE.repeat(50_000));
        let record = json!({ "content": MESSAGE }).to_string() + "\n";
        let records = dir.path().join("records.jsonl");
        fs::write(&records, record.repeat(50_000)).unwrap();
        let records = records.to_str().unwrap();
        for args in [&["parse", &long][..], &["parse", "--json", &long], &["parse", "--records", records]] {
            let mut child = spawn(args);
            let mut line = String::new();
            BufReader::with_capacity(10, child.stdout.take().unwrap()).read_line(&mut line).unwrap();
            assert!(!line.is_empty());
            let (_, err) = ends(&child.wait_with_output().unwrap(), 0);
            assert_eq!(err, "", "{args:?}");
        }
    }

    #[test]
    fn a_closed_pipe_ends_the_program_even_if_the_input_continues() {
        let record = json!({ "content": MESSAGE }).to_string() + "\n";
        for (args, piece) in [(&["parse"][..], MESSAGE), (&["parse", "--records"], &record)] {
            let mut child = spawn(args);
            drop(child.stdout.take());
            let mut to = child.stdin.take().unwrap();
            // The input is never closed. Writing fails when the program has ended.
            while to.write_all(piece.as_bytes()).is_ok() {}
            assert_eq!(child.wait().unwrap().code(), Some(0));
        }
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_an_error() {
        use std::path::Path;
        use std::process::Stdio;

        if !Path::new("/dev/full").exists() {
            return;
        }
        for args in [&["parse"][..], &["parse", "--json"], &["parse", "--records"]] {
            let mut command = crate::common::followup();
            command.args(args).stdin(Stdio::piped()).stderr(Stdio::piped());
            command.stdout(fs::OpenOptions::new().write(true).open("/dev/full").unwrap());
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(b"{\"content\":\"text\"}").unwrap();
            let (_, err) = ends(&child.wait_with_output().unwrap(), 1);
            assert!(err.starts_with("followup: can't write the output: "), "{err}");
        }
    }
}

mod usage {
    use super::*;

    #[test]
    fn a_wrong_command_line_is_a_usage_error() {
        for args in [
            &[][..],
            &["nonsense"],
            &["parse", "--nonsense"],
            &["parse", "a", "b"],
            &["parse", "--chunk", "0"],
            &["parse", "--chunk", "x"],
            &["parse", "--chunk", "random:x"],
            &["parse", "--delay", "-1"],
            &["parse", "--field", "x"],
            &["parse", "--records", "--delay", "5"],
            &["parse", "--base64"],
            &["parse", "--limit-line", "5"],
            &["parse", "--records", "--limit-line", "x"],
            &["parse", "--limit-question", "x"],
            &["parse", "--no-partials"],
            &["parse", "--records", "--json", "--no-partials"],
        ] {
            let (out, err) = ends(&run(args, ""), 2);
            assert_eq!(out, "");
            assert!(err.contains("--help") || err.contains("Usage:"), "{args:?}: {err}");
        }
    }

    #[test]
    fn an_option_that_would_have_no_effect_is_a_usage_error() {
        for command in ["parse", "ask"] {
            for option in [&["--reasoning"][..], &["--limit-event", "9"], &["--limit-arguments", "9"]] {
                for wire in [&[][..], &["--wire", "text"], &["--wire", "json"]] {
                    let (out, err) = ends(&run(&[&[command], option, wire].concat(), ""), 2);
                    let why = "is about what a provider streams: give its format with --wire, such as --wire auto";
                    assert_eq!((&*out, err), ("", format!("followup: {} {why}\n", option[0])));
                }
            }
        }
        let serve = |args: &[&str], key: Option<&str>| {
            let mut command = crate::common::followup();
            // It must not begin to listen.
            command.args(["serve", "--listen", "192.0.2.1:1"]).args(args).env_remove("FOLLOWUP_UPSTREAM_KEY");
            command.envs(key.map(|key| ("FOLLOWUP_UPSTREAM_KEY", key)));
            String::from_utf8(command.output().unwrap().stderr).unwrap()
        };
        let needs = "--upstream-key needs --upstream";
        assert!(serve(&["--upstream-key", "k"], None).contains(needs));
        assert!(serve(&["--upstream-key", "k"], Some("other")).contains(needs));
        assert!(!serve(&[], Some("k")).contains(needs));
        assert!(serve(&["--template", "AskUserQuestoin=gemini"], None).contains("is no question tool that is read"));
    }

    #[test]
    fn an_option_is_not_taken_as_a_token_or_a_key() {
        for option in ["--token", "--upstream-key"] {
            // A variable that is not set leaves no value.
            for next in ["--demo", "--continue", "--"] {
                let args = ["serve", "--listen", "192.0.2.1:1", "--upstream", "http://localhost", option, next];
                let (_, err) = ends(&run(&args, ""), 2);
                assert!(err.contains(&format!("what follows {option} begins with --")), "{err}");
                assert!(err.contains(&format!("{option}=VALUE")), "{err}");
            }
        }
    }

    #[test]
    fn help_names_every_kind_of_error() {
        use followup::wire::Error;

        let help = succeeds(&["parse", "--help"], "");
        for error in [
            Error::Provider(""),
            Error::Unreadable(""),
            Error::TooLong(0),
            Error::Corrupt(""),
            Error::Orphan(""),
            Error::Contradiction(""),
            Error::TooManyCalls(""),
            Error::Foreign(None),
            Error::Empty(followup::wire::Format::Ollama),
            Error::Binary,
        ] {
            assert!(help.contains(error.code()), "{}", error.code());
        }
    }

    #[test]
    fn help_has_every_flag_and_examples() {
        let help = succeeds(&["parse", "--help"], "");
        for flag in [
            "--json",
            "--no-partials",
            "--no-color",
            "--records",
            "--field",
            "--base64",
            "--limit-line",
            "--chunk",
            "--delay",
            "--strict",
            "--outside-code",
            "--decode-entities",
            "--envelopes",
            "--shapes",
            "--arguments-of",
            "--other-tools",
            "--limit-question",
            "--limit-answer",
            "--limit-suggestions",
            "--limit-tag",
            "--limit-unconfirmed",
            "--limit-event",
            "--limit-open-calls",
            "--limit-arguments",
            "Examples:",
            "Exit status:",
            "wrong_type",
        ] {
            assert!(help.contains(flag), "{flag}");
        }
        assert_eq!(succeeds(&["help", "parse"], ""), help);
        assert!(succeeds(&["--help"], "").contains("Examples:"));
        assert!(succeeds(&["parse", "-h"], "").len() < help.len());
        assert!(help.lines().all(|line| line.chars().count() <= 90), "{help}");
    }

    #[test]
    fn the_version_is_printed() {
        assert_eq!(succeeds(&["--version"], ""), concat!("followup ", env!("CARGO_PKG_VERSION"), "\n"));
    }

    #[test]
    fn closed_standard_streams_do_not_panic() {
        // Nothing can be printed, and nothing panics.
        let mut child = spawn(&["parse", "not/there"]);
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(1));
        let mut rest = Vec::new();
        let mut child = spawn(&["parse"]);
        drop(child.stdin.take());
        child.stdout.take().unwrap().read_to_end(&mut rest).unwrap();
        assert_eq!((child.wait().unwrap().code(), rest.len()), (Some(0), 0));
    }
}
