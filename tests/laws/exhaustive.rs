//! Every short sequence of pieces of markup and of JSON, against the reference readers.
//!
//! The pieces are the grammar's own: uniform text never opens a call, and most JSON is malformed
//! after a few characters. The sequences come after a few beginnings, which lead to every place of
//! a call.

use std::sync::Arc;

use followup::{Envelope, Envelopes};
use followup_testing::{Cuts, Syntax, Transcript};

use crate::common::reference::{Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{atoms, oracle, policy};
use crate::exhaustive_pieces::*;

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

const JSON_BEGINNINGS: [&str; 9] = [
    "",
    "{\"question\":\"",
    "{\"question\":\"Q\",",
    "{\"question\":\"Q\",\"follow_up\":",
    "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"",
    "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"A\",\"mode\":{\"mode_slug\":\"",
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

const ENVELOPES: [Streams; 6] = [
    Streams { syntax: Syntax::Markup, beginnings: &TAGGED_BEGINNINGS, pieces: &TAGGED, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &OBJECT_BEGINNINGS, pieces: &OBJECTS, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &GLM_BEGINNINGS, pieces: &KEYS_AND_VALUES, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &TOKEN_BEGINNINGS, pieces: &TOKENS, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &LIST_BEGINNINGS, pieces: &LISTS, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &WIDE_TOKEN_BEGINNINGS, pieces: &WIDE_TOKENS, end: "" },
];

/// Few tools, and all families of envelopes.
fn all_families() -> Rules {
    Rules { envelopes: Envelopes::all(), ..Rules::with_few_tools() }
}

fn sweep(streams: &Streams, rules: &Rules) {
    sweep_of(Sweep::new(LENGTH), streams, rules);
}

/// Reads every sequence of a sweep, whole and byte by byte; those of no more than one piece are
/// also cut in two in every place.
fn sweep_of(mut sweep: Sweep, Streams { syntax, beginnings, pieces, end }: &Streams, rules: &Rules) {
    let policy = Arc::new(policy(rules));
    let mut parser = syntax.parser(policy);
    let mut failures = 0;
    for beginning in *beginnings {
        visit(pieces, &mut sweep, &mut Vec::new(), &mut |sequence| {
            let stream = format!("{beginning}{}{end}", sequence.concat());
            let expected = oracle(*syntax, stream.as_bytes(), rules);
            let in_two = if sequence.len() < 2 { 1..stream.len() } else { 0..0 };
            let all = [Cuts::new([]), Cuts::new(1..stream.len())].into_iter().chain(in_two.map(|at| Cuts::new([at])));
            for cuts in all {
                let shown = atoms(&Transcript::of(&mut parser, cuts.chunks(stream.as_bytes())));
                if shown != expected {
                    failures += 1;
                    if failures <= 10 {
                        eprintln!(
                            "{stream:?} at {cuts:?}\n  expected {}\n  shown {}",
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

/// Tries the sequences of one of [`ENVELOPES`]. There are many.
fn sweep_envelopes(of: usize, rules: &Rules) {
    sweep_of(Sweep::sampled(LENGTH, 4).thinned(4), &ENVELOPES[of], rules);
}

#[test]
fn every_short_sequence_of_envelopes_of_tags_means_what_the_reference_says() {
    sweep_envelopes(0, &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_objects_means_what_the_reference_says() {
    sweep_envelopes(1, &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_keys_and_values_means_what_the_reference_says() {
    sweep_envelopes(2, &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_tokens_means_what_the_reference_says() {
    sweep_envelopes(3, &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_lists_means_what_the_reference_says() {
    sweep_envelopes(4, &all_families());
}

#[test]
fn every_short_sequence_of_envelopes_of_wide_tokens_means_what_the_reference_says() {
    sweep_envelopes(5, &all_families());
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_outside_code() {
    let rules = Rules { outside_code: true, decode_entities: true, ..all_families() };
    ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2).thinned(10), streams, &rules));
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_near_the_limits() {
    for rules in [
        Rules { unconfirmed: 60, tag: 45, ..all_families() },
        Rules { unconfirmed: 33, ..all_families() },
        Rules { unconfirmed: 90, tag: 32, question: 1, answer: 1, suggestions: 1, ..all_families() },
        Rules { unconfirmed: 31, tag: 31, question: 0, answer: 0, suggestions: 0, ..all_families() },
    ] {
        ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2).thinned(10), streams, &rules));
    }
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_with_one_family() {
    for family in Envelope::ALL {
        let rules = Rules { envelopes: [family].into_iter().collect(), ..Rules::with_few_tools() };
        ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2).thinned(20), streams, &rules));
    }
}

#[test]
fn no_short_sequence_of_envelopes_is_read_under_the_strict_policy() {
    let rules = Rules { strict: true, envelopes: Envelopes::all(), ..Rules::with_few_tools() };
    ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2).thinned(10), streams, &rules));
}
