//! Time is linear in the bytes, however many chunks they come in: by ratio, never by the clock alone.
//!
//! `cargo test --release --test linear -- --ignored`

mod common;

use std::time::{Duration, Instant};

use common::Syntax;
use followup::{Calls, Entities, Limits, Policy};

const ASK: &str = "<ask_followup_question>";
const QUESTION: &str = "<ask_followup_question><question>";
const ANSWER: &str = "<ask_followup_question><question>Q</question><suggest>";

/// What stands in front, and what is repeated behind it.
const STREAMS: [(&str, &str); 24] = [
    ("", "prose "),
    ("", "<<<<"),
    ("", "</</"),
    ("", "<ask_followup_questio "),
    ("", "<ask_followup_question "),
    ("", "<ask_followup_question a='"),
    ("", "<ask_followup_question>"),
    ("", "<ask_followup_question> hm "),
    ("", "<ask_followup_question>`"),
    ("", "<read_file><path>"),
    ("", "<read_file></read_file>"),
    ("", "`"),
    ("", "`` ``` \n"),
    ("", "\n```\n"),
    (ASK, " "),
    ("<read_file><path>", "</pat </path"),
    (QUESTION, "word "),
    (QUESTION, "          "),
    (QUESTION, "a         "),
    (QUESTION, "</questio "),
    (QUESTION, "&am&#0"),
    (QUESTION, "`<follow_up>"),
    (ANSWER, "x</suggest><suggest>"),
    ("<ask_followup_question><question>Q</question><options>[", "\"a\", "),
];

/// The same for the arguments of native calls, with what stands behind.
const ARGUMENTS: [(&str, &str, &str); 38] = [
    ("", " ", ""),
    ("", "[", ""),
    ("{", "\"k\":1,", ""),
    ("{\"", "key ", "\":1}"),
    ("{\"", "\\u0031", "\":1}"),
    ("{\"question\":", "1", "}"),
    ("{\"question\":1.", "0", "}"),
    ("{\"question\":\"", "word ", "\"}"),
    ("{\"question\":\"", "          ", "\"}"),
    ("{\"question\":\"", "a         ", "\"}"),
    ("{\"question\":\"", "\\n", "\"}"),
    ("{\"question\":\"", "\\u0061\\/", "\"}"),
    ("{\"question\":\"", "\\ud83d", "\"}"),
    ("{\"question\":\"", "\\ud83d\\ude00", "\"}"),
    ("{\"question\":\"", "\\ud83d\\ude0x", "\"}"),
    ("{\"question\":\"", "\\x\\u12", "\"}"),
    ("{\"question\":\"", "\n\0", "\"}"),
    ("{\"other\":\"", "a\\n\u{1}", "\"}"),
    ("{\"other\":", "1", "}"),
    ("{\"other\":[", "{\"a\":[null, -1.5e3]},", ""),
    ("{\"other\":[", "[],", ""),
    ("{\"other\":", "{\"\":", ""),
    ("{\"question\":1,", "\"question\":\"again\",", ""),
    ("{\"follow_up\":[", "\"a\",", ""),
    ("{\"follow_up\":[", "\" \",", ""),
    ("{\"follow_up\":[", "{\"mode\":\"m\",\"text\":\"a\"},", ""),
    ("{\"follow_up\":[", "{\"mode\":\"a mode\"},", ""),
    ("{\"follow_up\":[{\"text\":1,", "\"mode\":\"\",", ""),
    ("{\"follow_up\":[{\"mode\":\"", "m ", "\"}]}"),
    ("{\"follow_up\":{", "\"0\":\"a\",", ""),
    ("{\"follow_up\":{\"", "1", "\":\"a\"}}"),
    ("{\"follow_up\":\"", "line\\n", "\"}"),
    ("{\"follow_up\":\"", "<suggest mode='m'>a</suggest>", "\"}"),
    ("{\"follow_up\":\"<suggest>", "<", "\"}"),
    ("{\"follow_up\":\"[", "1,", "2]\"}"),
    ("{\"follow_up\":\"[", "{\\\"text\\\":\\\"a\\\",\\\"mode\\\":\\\"m\\\"},", "2]\"}"),
    ("{", "\"follow_up\":\"<suggest>a\",\"options\":\" \",", ""),
    ("{}", " garbage }", ""),
];

fn read(syntax: Syntax, policy: &Policy, stream: &[u8], chunk: usize) -> Duration {
    let best = (0..3).map(|_| {
        let mut parser = syntax.parser(policy.clone());
        let start = Instant::now();
        for chunk in stream.chunks(chunk) {
            let mut events = parser.feed_bytes(chunk);
            while let Some(event) = events.next() {
                std::hint::black_box(&event);
            }
        }
        drop(parser.finish());
        start.elapsed()
    });
    best.min().unwrap()
}

#[test]
#[ignore = "measures time: run it in release, on a machine that is not busy"]
fn four_times_the_bytes_take_four_times_as_long() {
    let all = Limits { question: usize::MAX, answer: usize::MAX, suggestions: usize::MAX, ..Limits::default() };
    let policies = [
        ("default", Policy::new()),
        ("without limits", Policy::new().limits(all)),
        ("outside code, decoded", Policy::new().calls(Calls::OutsideCode).entities(Entities::Decoded)),
    ];
    let mut slow = Vec::new();
    let markup = STREAMS.map(|(front, repeated)| (Syntax::Markup, front, repeated, ""));
    let arguments = ARGUMENTS.map(|(front, repeated, behind)| (Syntax::Arguments, front, repeated, behind));
    for (name, policy) in &policies {
        for &(syntax, front, repeated, behind) in markup.iter().chain(&arguments) {
            let stream = |len: usize| format!("{front}{}{behind}", repeated.repeat(len / repeated.len())).into_bytes();
            for chunk in [1, 64, usize::MAX] {
                let (small, large) = (stream(100_000), stream(400_000));
                let (one, four) = (read(syntax, policy, &small, chunk), read(syntax, policy, &large, chunk));
                let ratio = four.as_secs_f64() / one.as_secs_f64();
                let per_byte = four.as_nanos() as f64 / large.len() as f64;
                println!("{name:22} {front:?} {repeated:?} by {chunk}: {ratio:.1} times, {per_byte:.1} ns a byte");
                // Quadratic time would be 16 times.
                if ratio > 8.0 {
                    slow.push(format!("{name}: {front:?} and {repeated:?} by {chunk}: {ratio:.1}"));
                }
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
