//! Tests of `followup parse --records`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use serde_json::{Value, json};

use crate::common::{ends, is_short, run, spawn};
use crate::parse::{MESSAGE, MIXED, REJECTED, lines, succeeds};
use crate::wire::goldens;

#[track_caller]
fn records(args: &[&str], input: impl AsRef<[u8]>) -> Vec<Value> {
    let args: Vec<_> = ["parse", "--records"].iter().chain(args).copied().collect();
    lines(&succeeds(&args, input))
}

#[test]
fn each_record_has_one_line() {
    let input = json!({"id": 1, "content": MESSAGE}).to_string() + "\n" + &json!({"content": "", "id": 2}).to_string();
    let expected = "{\"id\":1,\"events\":[{\"event\":\"text\",\"text\":\"Hm.\\n\"},{\"event\":\"complete\",\"call\":0,\"span\":[4,159],\
            \"question\":\"Which?\",\"suggest\":[{\"answer\":\"This\"},{\"answer\":\"That\",\"mode\":\"code\"}],\"notes\":[]},\
            {\"event\":\"text\",\"text\":\"\\nDone.\\n\"}]}\n{\"id\":2,\"events\":[]}\n";
    assert_eq!(succeeds(&["parse", "--records"], &input), expected);
    assert_eq!(succeeds(&["parse", "--records", "--json", "-"], &input), expected);
}

#[test]
fn the_output_is_independent_of_the_chunks() {
    let input = json!({"id": "x", "content": MIXED}).to_string();
    let whole = records(&[], &input);
    assert_eq!(whole[0]["events"].as_array().unwrap().len(), 7);
    for cut in (1..30).map(|n| n.to_string()).chain((0..10).map(|seed| format!("random:{seed}"))) {
        assert_eq!(records(&["--chunk", &cut], &input), whole, "{cut}");
    }
}

#[test]
fn thousands_of_records_keep_their_order() {
    // The lengths differ widely, so that some records take much longer than others.
    let message = |i: usize| "x".repeat(i * 7919 % 3000) + MESSAGE;
    let input: String = (0..5_000).map(|i| json!({"id": i, "content": message(i)}).to_string() + "\n").collect();
    let out = records(&[], &input);
    assert_eq!(out.len(), 5_000);
    for (i, record) in out.iter().enumerate() {
        assert_eq!(record["id"], i);
        let text = record["events"][0]["text"].as_str().unwrap();
        assert_eq!(text.len(), message(i).find('<').unwrap());
    }
}

#[test]
fn an_id_of_any_type_is_copied_verbatim() {
    for id in
        ["1", "\"a\"", "null", "true", "[1,{\"b\":[]}]", "12345678901234567890123.50", "1e400", "\"\\u00e9\\ud800\""]
    {
        let out = succeeds(&["parse", "--records"], format!("{{\"id\":{id},\"content\":\"\"}}"));
        assert_eq!(out, format!("{{\"id\":{id},\"events\":[]}}\n"));
    }
    assert_eq!(succeeds(&["parse", "--records"], r#"{"content":""}"#), "{\"id\":null,\"events\":[]}\n");
    // White space between tokens becomes a blank.
    let out = succeeds(&["parse", "--records"], "{\"id\":{\"é\":\t1},\"content\":\"\"}");
    assert_eq!(out, "{\"id\":{\"é\": 1},\"events\":[]}\n");
}

#[test]
fn a_byte_order_mark_before_a_blank_line_or_nothing_is_skipped() {
    let record = "{\"id\":null,\"events\":[]}\n";
    for (input, out) in [
        ("\u{FEFF}\n{\"content\":\"\"}", record),
        ("\u{FEFF}{\"content\":\"\"}", record),
        ("\u{FEFF}", ""),
        ("\u{FEFF} \n", ""),
    ] {
        assert_eq!(succeeds(&["parse", "--records"], input), out, "{input:?}");
    }
}

#[test]
fn the_field_of_the_message_can_be_chosen() {
    let input = r#"{"id":7,"text":"a","content":"b","more":{"text":"c"}}"#;
    assert_eq!(records(&["--field", "text"], input)[0]["events"][0]["text"], "a");
    assert_eq!(
        records(&["--field", "id"], r#"{"id":"m"}"#),
        [json!({"id":"m","events":[{"event":"text","text":"m"}]})]
    );
}

#[test]
fn bad_lines_are_reported_and_the_others_are_read() {
    let input = "{\"content\":\"1\"}\nnonsense\n{\"id\":3}\n{\"content\":4}\n[5]\n{\"content\":null}\n\n{\"content\":\"8\"} x\n\
            {\"content\":\"9\"\n{\"content\":\"10\"}\n";
    let (out, err) = ends(&run(&["parse", "--records"], input), 1);
    let texts: Vec<_> = lines(&out).iter().map(|record| record["events"][0]["text"].clone()).collect();
    assert_eq!(texts, ["1", "10"]);
    let expected = "\
followup: standard input, line 2, offset 16: not JSON: this is not JSON, at column 2
followup: standard input, line 3, offset 25: no field \"content\" (--field names another)
followup: standard input, line 4, offset 34: field \"content\" is a number, not a string
followup: standard input, line 5, offset 48: not a JSON object: it is a list, and should be an object
followup: standard input, line 6, offset 52: field \"content\" is null, not a string
followup: standard input, line 8, offset 70: not JSON: there is more after the end, at column 17
followup: standard input, line 9, offset 88: not JSON: it ends too early, at column 14
followup: 7 lines of standard input could not be read; 2 could
";
    assert_eq!(err, expected);
}

#[test]
fn line_numbers_are_correct_over_many_reads() {
    let good = json!({ "content": "x".repeat(500) }).to_string() + "\n";
    let input = (good.repeat(999) + "bad\n").repeat(5);
    let (out, err) = ends(&run(&["parse", "--records"], input), 1);
    assert_eq!(lines(&out).len(), 999 * 5);
    for line in [1000, 2000, 3000, 4000, 5000] {
        assert!(err.contains(&format!("standard input, line {line}, offset ")), "{err}");
    }
}

#[test]
fn blank_lines_crlf_and_a_byte_order_mark_are_accepted() {
    let input = "\u{FEFF}{\"content\":\"1\"}\r\n\r\n  \n{\"content\":\"2\"}";
    assert_eq!(records(&[], input).len(), 2);
}

#[test]
fn a_rejected_question_is_no_failure() {
    let input = json!({ "content": REJECTED }).to_string();
    assert_eq!(records(&[], input)[0]["events"][0]["reason"], "missing_parameter");
}

#[test]
fn invalid_characters_are_replaced() {
    let text = |input: &[u8]| records(&[], input)[0]["events"][0]["text"].as_str().unwrap().to_owned();
    assert_eq!(text(b"{\"content\":\"a\xFFb\"}"), "a\u{FFFD}b");
    assert_eq!(text(br#"{"content":"a\ud83db\ude00\ud83d\ude00\n"}"#), "a\u{FFFD}b\u{FFFD}😀\n");
}

#[test]
fn a_very_long_and_a_very_deep_line_are_read() {
    let long = "x".repeat(3_000_000);
    assert_eq!(records(&[], json!({ "content": long }).to_string())[0]["events"][0]["text"].as_str().unwrap(), long);
    let deep = format!("{{\"a\":{}{},\"content\":\"b\"}}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(records(&[], deep).len(), 1);
}

#[test]
fn one_record_is_one_line_without_control_characters() {
    let input = json!({"id": "\u{2028}\u{85}", "content": "\u{2028}\u{85}\x1B"}).to_string();
    let out = succeeds(&["parse", "--records"], &input);
    assert!(out.trim_end().chars().all(|char| !char.is_control() && char != '\u{2028}'), "{out:?}");
    assert_eq!(lines(&out)[0]["id"], "\u{2028}\u{85}");
}

#[test]
fn a_record_is_printed_before_the_next_one_arrives() {
    let mut child = spawn(&["parse", "--records"]);
    let mut to = child.stdin.take().unwrap();
    let mut from = BufReader::new(child.stdout.take().unwrap()).lines();
    for i in 0..20 {
        writeln!(to, "{}", json!({"id": i, "content": "text"})).unwrap();
        let record: Value = serde_json::from_str(&from.next().unwrap().unwrap()).unwrap();
        assert_eq!(record["id"], i);
    }
    drop(to);
    assert!(from.next().is_none());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_bad_line_is_reported_before_the_next_one_arrives() {
    let mut child = spawn(&["parse", "--records"]);
    let mut to = child.stdin.take().unwrap();
    to.write_all(b"bad\n").unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("line 1, offset 0: not JSON"), "{line}");
    drop(to);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

// Bodies of responses.

/// Returns a record with this body as text, and the same with it as base64.
fn record(id: usize, body: &[u8]) -> (String, String) {
    let line = |body: &str| json!({"id": id, "body": body}).to_string() + "\n";
    (line(&String::from_utf8_lossy(body)), line(&STANDARD.encode(body)))
}

/// Returns the calls that ended, and the kinds of errors, in order.
fn ended(events: &Value) -> Vec<(Value, Value, Value)> {
    let ends = events.as_array().unwrap().iter().filter(|event| event["event"] != "text" && event["event"] != "opaque");
    ends.map(|event| (event["event"].clone(), event["kind"].clone(), event["question"].clone())).collect()
}

/// Returns the exit status of a record: a failure if a part of its body can't be read.
fn status(events: &Value) -> i32 {
    let mut events = events.as_array().unwrap().iter();
    i32::from(events.any(|event| event["event"] == "error" && event["kind"] != "provider"))
}

#[test]
fn the_body_of_every_provider_is_read_from_text_and_base64_in_any_chunks() {
    let mut by_format: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (wire, path, meant) in goldens() {
        by_format.entry(wire).or_default().push((path, Value::from(meant)));
    }
    for (wire, bodies) in &by_format {
        let (mut text, mut base64, mut is_text) = (String::new(), String::new(), Vec::new());
        for (id, (path, _)) in bodies.iter().enumerate() {
            let body = std::fs::read(path).unwrap();
            let (as_text, as_base64) = record(id, &body);
            base64 += &as_base64;
            // A body of binary frames is no text.
            is_text.push(str::from_utf8(&body).is_ok());
            text += if is_text[id] { &as_text } else { "\n" };
        }
        let unread = bodies.iter().filter(|(_, meant)| status(meant) == 1).count();
        let read = |args: &[&str], input: &str| {
            let args: Vec<_> = ["parse", "--records", "--field", "body"].iter().chain(args).copied().collect();
            let (out, err) = ends(&run(&args, input), i32::from(unread > 0));
            assert_eq!(err.lines().filter(|line| line.contains(", offset ")).count(), unread, "{err}");
            lines(&out)
        };
        let whole = read(&["--wire", wire, "--base64"], &base64);
        assert_eq!(whole.len(), bodies.len());
        for (id, (path, meant)) in bodies.iter().enumerate() {
            let name = path.display();
            assert_eq!((&whole[id]["id"], &whole[id]["format"]), (&json!(id), &Value::Null), "{name}");
            assert_eq!(ended(&whole[id]["events"]), ended(meant), "{name}");
        }
        assert_eq!(read(&["--wire", wire, "--base64", "--chunk", "random:5"], &base64), whole);
        let texts: Vec<_> = whole.iter().zip(&is_text).filter(|(_, is_text)| **is_text).map(|(line, _)| line).collect();
        let of_texts = texts.iter().map(|line| status(&line["events"])).max().unwrap_or(0);
        let (out, _) = ends(&run(&["parse", "--records", "--field", "body", "--wire", wire], &text), of_texts);
        assert_eq!(lines(&out).iter().collect::<Vec<_>>(), texts);
        for (id, detected) in read(&["--wire", "auto", "--base64"], &base64).iter().enumerate() {
            let name = bodies[id].0.display();
            assert_eq!((&detected["events"], &detected["format"]), (&whole[id]["events"], &json!(wire)), "{name}");
        }
    }
}

#[test]
fn thousands_of_bodies_keep_their_order_with_bad_records_between_them() {
    let bodies: Vec<_> = goldens().into_iter().map(|(wire, path, _)| (wire, std::fs::read(path).unwrap())).collect();
    let many = if is_short() { 1_000 } else { 5_000 };
    let (mut input, mut bad) = (String::new(), Vec::new());
    for id in 0..many {
        if id % 7 == 0 {
            bad.push(format!("line {}, offset {}: ", input.lines().count() + 1, input.len()));
            input += ["nonsense\n", "{\"body\":5}\n", "{}\n", "{\"body\":\"%\"}\n"][id / 7 % 4];
        }
        input += &record(id, &bodies[id % bodies.len()].1).1;
    }
    let args = ["parse", "--records", "--wire", "auto", "--base64", "--field", "body"];
    let (out, err) = ends(&run(&args, &input), 1);
    let out = lines(&out);
    assert_eq!(out.len(), many);
    for (id, line) in out.iter().enumerate() {
        assert_eq!((&line["id"], &line["format"]), (&json!(id), &json!(bodies[id % bodies.len()].0)));
    }
    let mut reported = err.lines();
    for bad in &bad {
        assert!(reported.any(|line| line.contains(bad)), "{bad}");
    }
    let part = out.iter().filter(|line| status(&line["events"]) == 1).count();
    let last = format!(
        "followup: {} lines of standard input could not be read, and {part} only in part; {} could",
        bad.len(),
        many - part
    );
    assert_eq!(err.lines().last(), Some(&*last));
}

#[test]
fn what_is_not_base64_is_reported_and_padding_is_optional() {
    let message = |engine: &dyn Fn(&str) -> String, text: &str| json!({ "content": engine(text) }).to_string() + "\n";
    let padded = message(&|text| STANDARD.encode(text), "a¿");
    let unpadded = message(&|text| STANDARD_NO_PAD.encode(text), "ab¿>");
    let input = format!("{padded}{{\"content\":\"YWI%\"}}\n{{\"content\":\"YWJjZ\"}}\n{{\"content\":[1]}}\n{unpadded}");
    let (out, err) = ends(&run(&["parse", "--records", "--base64"], input), 1);
    let texts: Vec<_> = lines(&out).iter().map(|record| record["events"][0]["text"].clone()).collect();
    assert_eq!(texts, ["a¿", "ab¿>"]);
    let expected = "\
followup: standard input, line 2, offset 19: field \"content\" is not base64: the byte at offset 3 is not of its alphabet (without --base64 it is read as text)
followup: standard input, line 3, offset 38: field \"content\" is not base64: it is cut off (without --base64 it is read as text)
followup: standard input, line 4, offset 58: field \"content\" is a list, not a string
followup: 3 lines of standard input could not be read; 2 could
";
    assert_eq!(err, expected);
}

#[test]
fn bytes_that_are_not_utf8_are_read_from_base64_as_they_are() {
    let input = json!({ "content": STANDARD.encode(b"a\xFFb") }).to_string();
    assert_eq!(records(&["--base64"], input)[0]["events"][0]["text"], "a\u{FFFD}b");
}

#[test]
fn a_body_may_be_the_json_value_itself_but_a_message_may_not() {
    let body = json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hm."}}]});
    let input = json!({"id": 1, "content": body}).to_string();
    for wire in ["auto", "openai-chat"] {
        assert_eq!(records(&["--wire", wire], &input)[0]["events"], json!([{"event": "text", "text": "Hm."}]));
    }
    let (_, err) = ends(&run(&["parse", "--records"], &input), 1);
    assert!(err.contains("field \"content\" is an object, not a string"), "{err}");
}

#[test]
fn an_empty_body_has_no_events_and_no_format() {
    let out = succeeds(&["parse", "--records", "--wire", "auto"], r#"{"id":1,"content":""}"#);
    assert_eq!(out, "{\"id\":1,\"events\":[],\"format\":null}\n");
}

#[test]
fn overlapping_calls_of_other_tools_are_told_apart() {
    let delta = |index: u8, more: Value| {
        let mut call = json!({ "index": index });
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
    };
    let begin = |index, id| delta(index, json!({"id": id, "function": {"name": "read_file", "arguments": "{"}}));
    let more = |index, text| delta(index, json!({"function": {"arguments": text}}));
    let body = [begin(0, "a"), more(0, "\"x\""), begin(1, "b"), more(0, ":1}"), more(1, "}")].concat();
    let piece = |id, raw, start| json!({"event": "opaque", "tool": "read_file", "raw": raw, "start": start, "id": id});
    let expected =
        [piece("a", "{\"x\"", true), piece("b", "{", true), piece("a", ":1}", false), piece("b", "}", false)];
    let input = json!({ "content": body }).to_string();
    for chunk in ["1", "random:3", "100000"] {
        let out = records(&["--wire", "openai-chat", "--chunk", chunk], &input);
        assert_eq!(out[0]["events"], json!(expected), "{chunk}");
    }
}

#[test]
fn a_providers_error_is_data_and_a_body_that_is_read_in_part_is_a_failure() {
    let args = ["parse", "--records", "--wire", "openai-chat"];
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    let error = "data: {\"error\":{\"message\":\"Overloaded\"}}\n\n";
    let line = |body: String| json!({ "content": body }).to_string() + "\n";
    let provider = line(format!("{text}{error}"));
    let out = lines(&succeeds(&args, &provider));
    assert_eq!(out[0]["events"][1], json!({"event": "error", "kind": "provider", "message": "Overloaded"}));
    let (out, err) = ends(&run(&args, line(format!("{text}data: oops\n\ndata: more\n\n{text}")) + &provider), 1);
    let kinds = lines(&out).iter().map(|record| record["events"].as_array().unwrap().len()).collect::<Vec<_>>();
    assert_eq!(kinds, [4, 2]);
    let (first, last) = err.trim_end().split_once('\n').unwrap();
    assert!(
        first.starts_with("followup: standard input, line 1, offset 0: an event of the stream can't be read"),
        "{err}"
    );
    assert!(first.ends_with(": oops"), "the first error of the body: {err}");
    assert_eq!(last, "followup: 1 line of standard input could be read only in part; 1 could be read");
}

// Limits and backpressure.

#[test]
fn a_line_longer_than_the_limit_is_reported_and_the_others_are_read() {
    let line = |text: &str| format!("{{\"content\":\"{text}\"}}\n");
    let exact = line(&"x".repeat(100 - line("").len() + 1));
    assert_eq!(exact.len(), 101);
    for long in [101, 1_000, 1_000_000] {
        let long = line(&"y".repeat(long - line("").len() + 1));
        for input in [format!("{exact}{long}{exact}"), format!("{exact}{long}\n{exact}{}", long.trim_end())] {
            let (out, err) = ends(&run(&["parse", "--records", "--limit-line", "100"], &input), 1);
            assert_eq!(out.lines().count(), 2);
            let reason = "longer than the limit of 100 bytes; it was skipped, and --limit-line raises the limit";
            assert!(err.starts_with(&format!("followup: standard input, line 2, offset 101: {reason}\n")), "{err}");
            if input.contains("\n\n") {
                let offset = input.len() - long.trim_end().len();
                assert!(err.contains(&format!("line 5, offset {offset}: {reason}\n")), "{err}");
            }
        }
    }
}

#[test]
fn a_line_longer_than_the_limit_is_reported_before_it_ends() {
    let mut child = spawn(&["parse", "--records", "--limit-line", "1000"]);
    let mut to = child.stdin.take().unwrap();
    to.write_all(&[b'x'; 2_000]).unwrap();
    let mut line = String::new();
    BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("line 1, offset 0: longer than the limit"), "{line}");
    to.write_all(b"x\n{\"content\":\"\"}").unwrap();
    drop(to);
    let mut out = String::new();
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!((&*out, child.wait().unwrap().code()), ("{\"id\":null,\"events\":[]}\n", Some(1)));
}

#[test]
fn a_slow_output_slows_the_input_and_nothing_is_lost() {
    const RECORDS: usize = 24 << 10;
    let mut child = spawn(&["parse", "--records"]);
    let (mut to, written) = (child.stdin.take().unwrap(), Arc::new(AtomicUsize::new(0)));
    let counter = written.clone();
    let writer = thread::spawn(move || {
        for id in 0..RECORDS {
            let line = json!({"id": id, "content": "x".repeat(1000)}).to_string() + "\n";
            to.write_all(line.as_bytes()).unwrap();
            counter.fetch_add(line.len(), Ordering::Relaxed);
        }
    });
    // Nothing is read until the input has stood still for a while.
    let (mut before, begin) = (0, Instant::now());
    loop {
        thread::sleep(Duration::from_millis(500));
        let now = written.load(Ordering::Relaxed);
        if now == before {
            break;
        }
        before = now;
        assert!(begin.elapsed() < Duration::from_secs(60), "the input never stands still");
    }
    assert!(before < 16 << 20, "{before} bytes were read while nothing was");
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines();
    for id in 0..RECORDS {
        assert!(out.next().unwrap().unwrap().starts_with(&format!("{{\"id\":{id},")));
    }
    assert!(out.next().is_none());
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
