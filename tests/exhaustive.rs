//! Every short sequence of pieces of markup, and of the JSON of arguments, against the whole-input reference readers.
//!
//! The pieces are the grammar's own: uniform text never opens a call, and most JSON is ill-formed after a few characters. The
//! sequences stand behind a few beginnings, so that all places of a call are reached. How far the sweep goes is said at [`LENGTH`].

mod common;

use common::reference::{Rules, describe};
use common::{atoms, oracle, policy};
use followup::testing::{Syntax, Transcript};

/// Sequences of up to so many pieces are tried, behind each beginning. `FOLLOWUP_SWEEP=4` goes further (minutes).
const LENGTH: usize = 3;

const PIECES: [&str; 27] = [
    "<ask_followup_question>",
    "</ask_followup_question>",
    "<question>",
    "</question>",
    "<follow_up>",
    "</follow_up>",
    "<suggest>",
    "</suggest>",
    "<suggest mode=\"m\">",
    "<suggestion/>",
    "<content>",
    "</content>",
    "<mode>",
    "</mode>",
    "<options>",
    "</options>",
    "[\"a\", 1]",
    "<read_file>",
    "</read_file>",
    "<path>",
    "</path>",
    "x",
    " ",
    "`",
    "<",
    "<sug",
    "é",
];

const BEGINNINGS: [&str; 8] = [
    "",
    "<ask_followup_question>",
    "<ask_followup_question><question>",
    "<ask_followup_question><question>Q</question>",
    "<ask_followup_question><question>Q</question><follow_up>",
    "<ask_followup_question><question>Q</question><follow_up><suggest>",
    "<ask_followup_question><follow_up><suggest><mode>",
    "<read_file>",
];

const JSON: [&str; 24] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "x",
    " ",
    "\n",
    "\\",
    "\\u0020",
    "\\ud83d",
    "\\ude00",
    "\"question\":",
    "\"follow_up\":",
    "\"suggest\":",
    "\"0\":",
    "\"text\":",
    "\"mode\":\"m\"",
    "1",
    "null",
    "<suggest>",
    "é",
];

const JSON_BEGINNINGS: [&str; 8] = [
    "",
    "{\"question\":\"",
    "{\"question\":\"Q\",",
    "{\"question\":\"Q\",\"follow_up\":",
    "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"",
    "{\"question\":\"Q\",\"follow_up\":{\"k\":",
    "{\"question\":\"Q\",\"follow_up\":\"[",
    "{\"question\":\"Q\"}",
];

/// What a string may hold that stands where a list was meant. It says something once it has ended.
const IN_STRING: [&str; 19] = [
    "<suggest>",
    "</suggest>",
    "<suggest mode='m'>",
    "<suggestion/>",
    "<content>",
    "</content>",
    "<mode>",
    "</mode>",
    "<options>",
    "</options>",
    "<follow_up>",
    "</follow_up>",
    "[\\\"a\\\", 1]",
    "{\\\"text\\\": \\\"b\\\", \\\"mode\\\": \\\"n\\\"}",
    "[",
    "]",
    "x",
    "\\n ",
    "`",
];

const STRING_BEGINNINGS: [&str; 4] = [
    "{\"question\":\"Q\",\"follow_up\":\"",
    "{\"question\":\"Q\",\"follow_up\":\"<suggest><content>c</content>",
    "{\"question\":\"Q\",\"follow_up\":\"<suggest><mode>",
    "{\"question\":\"Q\",\"suggest\":\"[{},",
];

/// Streams of up to so many `pieces` behind one of `beginnings`, with `end` behind them.
struct Sweep {
    syntax: Syntax,
    beginnings: &'static [&'static str],
    pieces: &'static [&'static str],
    end: &'static str,
}

const MARKUP: Sweep = Sweep { syntax: Syntax::Markup, beginnings: &BEGINNINGS, pieces: &PIECES, end: "" };
const ARGUMENTS: Sweep = Sweep { syntax: Syntax::Arguments, beginnings: &JSON_BEGINNINGS, pieces: &JSON, end: "" };
const STRINGS: Sweep =
    Sweep { syntax: Syntax::Arguments, beginnings: &STRING_BEGINNINGS, pieces: &IN_STRING, end: "\"}" };

fn sweep(Sweep { syntax, beginnings, pieces, end }: &Sweep, rules: &Rules) {
    let length = std::env::var("FOLLOWUP_SWEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(LENGTH);
    let policy = std::sync::Arc::new(policy(rules));
    let mut parser = syntax.parser(policy);
    let mut failures = 0;
    for beginning in *beginnings {
        let mut sequence = Vec::new();
        visit(pieces, length, &mut sequence, &mut |sequence| {
            let stream = format!("{beginning}{}{end}", sequence.concat());
            let meant = oracle(*syntax, stream.as_bytes(), rules);
            for size in [stream.len().max(1), 1] {
                let mut shown = Transcript::default();
                for chunk in stream.as_bytes().chunks(size) {
                    shown.take(parser.feed_bytes(chunk));
                }
                shown.take(parser.finish());
                let shown = atoms(&shown);
                if shown != meant {
                    failures += 1;
                    if failures <= 10 {
                        eprintln!(
                            "{stream:?} in chunks of {size}\n  meant {}\n  shown {}",
                            describe(&meant),
                            describe(&shown)
                        );
                    }
                }
            }
        });
    }
    assert_eq!(failures, 0);
}

fn visit<'p>(pieces: &[&'p str], length: usize, sequence: &mut Vec<&'p str>, found: &mut impl FnMut(&[&'p str])) {
    found(sequence);
    if length == 0 {
        return;
    }
    for piece in pieces {
        sequence.push(piece);
        visit(pieces, length - 1, sequence, found);
        sequence.pop();
    }
}

#[test]
fn every_short_sequence_means_what_the_reference_says() {
    sweep(&MARKUP, &Rules::default());
}

#[test]
fn every_short_sequence_under_the_strict_policy() {
    sweep(&MARKUP, &Rules { strict: true, ..Rules::default() });
}

#[test]
fn every_short_sequence_of_json_means_what_the_reference_says() {
    sweep(&ARGUMENTS, &Rules::default());
}

#[test]
fn every_short_sequence_of_json_under_the_strict_policy() {
    sweep(&ARGUMENTS, &Rules { strict: true, ..Rules::default() });
}

#[test]
fn every_short_sequence_in_a_string_means_what_the_reference_says() {
    sweep(&STRINGS, &Rules::default());
}

#[test]
fn every_short_sequence_in_a_string_near_the_limits() {
    for rules in [
        Rules { answer: 100, suggestions: 1, ..Rules::default() },
        Rules { answer: 1, suggestions: 100, ..Rules::default() },
        Rules { answer: 3, suggestions: 10, tag: 9, ..Rules::default() },
    ] {
        sweep(&STRINGS, &rules);
    }
}
