//! Every short sequence of markup pieces, against the whole-input reference reader.
//!
//! The pieces are the grammar's own: uniform text never opens a call. The sequences stand behind a few beginnings, so that
//! all places of a call are reached. How far the sweep goes is said at [`LENGTH`].

mod common;

use common::reference::{Rules, describe};
use common::{Shown, expected, policy};
use followup::Parser;

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

fn sweep(rules: &Rules, pieces: &[&str]) {
    let length = std::env::var("FOLLOWUP_SWEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(LENGTH);
    let policy = std::sync::Arc::new(policy(rules));
    let mut parser = Parser::new(policy);
    let mut failures = 0;
    for beginning in BEGINNINGS {
        let mut sequence = Vec::new();
        visit(pieces, length, &mut sequence, &mut |sequence| {
            let stream = format!("{beginning}{}", sequence.concat());
            let meant = expected(stream.as_bytes(), rules);
            for size in [stream.len().max(1), 1] {
                let mut shown = Shown::default();
                for chunk in stream.as_bytes().chunks(size) {
                    shown.take(parser.feed_bytes(chunk));
                }
                shown.take(parser.finish());
                if shown.atoms != meant {
                    failures += 1;
                    if failures <= 10 {
                        eprintln!(
                            "{stream:?} in chunks of {size}\n  meant {}\n  shown {}",
                            describe(&meant),
                            describe(&shown.atoms)
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
    sweep(&Rules::default(), &PIECES);
}

#[test]
fn every_short_sequence_under_the_strict_policy() {
    sweep(&Rules { strict: true, ..Rules::default() }, &PIECES);
}
