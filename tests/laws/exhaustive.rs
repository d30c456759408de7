//! Every short sequence of pieces of markup and of JSON, against the reference readers.
//!
//! The pieces are the grammar's own: uniform text never opens a call, and most JSON is malformed
//! after a few characters. The sequences come after a few beginnings, which lead to every place of
//! a call.

use std::sync::Arc;

use followup_testing::{Syntax, Transcript};

use crate::common::reference::{Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{atoms, oracle, policy};

/// The full length of the sequences; with `FOLLOWUP_SWEEP=4` a sweep takes many minutes.
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

/// Pieces of a string in place of a list. Nothing of it is shown before it ends.
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

/// Streams of a beginning, a sequence of pieces, and an end.
struct Streams {
    syntax: Syntax,
    beginnings: &'static [&'static str],
    pieces: &'static [&'static str],
    end: &'static str,
}

const MARKUP: Streams = Streams { syntax: Syntax::Markup, beginnings: &BEGINNINGS, pieces: &PIECES, end: "" };
const ARGUMENTS: Streams = Streams { syntax: Syntax::Arguments, beginnings: &JSON_BEGINNINGS, pieces: &JSON, end: "" };
const STRINGS: Streams =
    Streams { syntax: Syntax::Arguments, beginnings: &STRING_BEGINNINGS, pieces: &IN_STRING, end: "\"}" };

fn sweep(Streams { syntax, beginnings, pieces, end }: &Streams, rules: &Rules) {
    let policy = Arc::new(policy(rules));
    let mut sweep = Sweep::new(LENGTH);
    let mut parser = syntax.parser(policy);
    let mut failures = 0;
    for beginning in *beginnings {
        visit(pieces, &mut sweep, &mut Vec::new(), &mut |sequence| {
            let stream = format!("{beginning}{}{end}", sequence.concat());
            let expected = oracle(*syntax, stream.as_bytes(), rules);
            for size in [stream.len().max(1), 1] {
                let mut shown = Transcript::default();
                for chunk in stream.as_bytes().chunks(size) {
                    shown.append(parser.feed_bytes(chunk));
                }
                shown.append(parser.finish());
                let shown = atoms(&shown);
                if shown != expected {
                    failures += 1;
                    if failures <= 10 {
                        eprintln!(
                            "{stream:?} in chunks of {size}\n  expected {}\n  shown {}",
                            describe(&expected),
                            describe(&shown)
                        );
                    }
                }
            }
        });
    }
    assert_eq!(failures, 0);
}

/// Calls `found` with the sequences that begin with this one.
fn visit<'p>(pieces: &[&'p str], sweep: &mut Sweep, sequence: &mut Vec<&'p str>, found: &mut impl FnMut(&[&'p str])) {
    if sweep.tries(sequence.len()) {
        found(sequence);
    }
    if sequence.len() < sweep.length {
        for piece in pieces {
            sequence.push(piece);
            visit(pieces, sweep, sequence, found);
            sequence.pop();
        }
    }
}

#[test]
fn every_short_sequence_means_what_the_reference_says() {
    sweep(&MARKUP, &Rules::default());
}

#[test]
fn every_short_sequence_means_what_the_reference_says_under_the_strict_policy() {
    sweep(&MARKUP, &Rules { strict: true, ..Rules::default() });
}

#[test]
fn every_short_sequence_of_json_means_what_the_reference_says() {
    sweep(&ARGUMENTS, &Rules::default());
}

#[test]
fn every_short_sequence_of_json_means_what_the_reference_says_under_the_strict_policy() {
    sweep(&ARGUMENTS, &Rules { strict: true, ..Rules::default() });
}

#[test]
fn every_short_sequence_in_a_string_means_what_the_reference_says() {
    sweep(&STRINGS, &Rules::default());
}

#[test]
fn every_short_sequence_in_a_string_means_what_the_reference_says_near_the_limits() {
    for rules in [
        Rules { answer: 100, suggestions: 1, ..Rules::default() },
        Rules { answer: 1, suggestions: 100, ..Rules::default() },
        Rules { answer: 3, suggestions: 10, tag: 9, ..Rules::default() },
    ] {
        sweep(&STRINGS, &rules);
    }
}
