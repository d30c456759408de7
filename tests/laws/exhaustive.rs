//! Every short sequence of pieces of markup and of JSON, against the reference readers.
//!
//! The pieces are the grammar's own: uniform text never opens a call, and most JSON is malformed
//! after a few characters. The sequences come after a few beginnings, which lead to every place of
//! a call.

use std::sync::Arc;

use followup::Envelopes;
use followup_testing::{Cuts, Syntax, Transcript};

use crate::common::envelopes::READ_BY_THE_ORACLE;
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

/// Pieces of the envelopes that are tags.
const TAGGED: [&str; 29] = [
    "<tool_call>",
    "</tool_call>",
    "<function=ask_followup_question>",
    "<function=f>",
    "</function>",
    "<invoke name=\"ask_followup_question\">",
    "<invoke name=f>",
    "</invoke>",
    "<parameter=question>",
    "<parameter name='follow_up'>",
    "<parameter=x>",
    "</parameter>",
    "<｜DSML｜invoke name=\"ask_followup_question\">",
    "<｜DSML｜parameter name=\"question\" string=\"false\">",
    "<xai:function_call name=\"ask_followup_question\">",
    "</xai:function_call name=\"f\">",
    "[\"a\"]",
    "\"Q\\n\"",
    "{\"question\":\"Q\"}",
    "x",
    " ",
    "\n",
    "`",
    "```json\n",
    "<",
    "</func",
    "<read_file>",
    "<ask_followup_question>",
    "é",
];

const TAGGED_BEGINNINGS: [&str; 11] = [
    "",
    "<tool_call>",
    "<tool_call>\n<function=ask_followup_question>",
    "<function=ask_followup_question><parameter=question>",
    "<function=ask_followup_question><parameter=question>Q</parameter>",
    "<function=ask_followup_question><parameter=question>Q</parameter></function>",
    "<tool_call><function=ask_followup_question><parameter=question>Q</parameter></function>",
    "<function_calls><invoke name=\"f\"><parameter name=\"p\">",
    "<invoke name=ask_followup_question><parameter name=question>Q</parameter><parameter name=options>",
    "<invoke name=ask_followup_question><parameter name=input>",
    "<tool_call name='ask_followup_question'>",
];

/// Pieces of the envelopes that are JSON objects.
const OBJECTS: [&str; 28] = [
    "<tool_call>",
    "</tool_call>",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\"name\":",
    "\"tool\":",
    "\"ask_followup_question\"",
    "\"f\"",
    "\"arguments\":",
    "\"function\":{",
    "\"id\":\"i\"",
    "\"question\":\"Q\"",
    "{\"question\":\"Q\"}",
    "\"{\\\"question\\\":\\\"Q\\\"}\"",
    "1",
    "x",
    " ",
    "\n",
    "`",
    "```json\n",
    "```",
    "<function=f>",
    "<read_file>",
];

const OBJECT_BEGINNINGS: [&str; 13] = [
    "",
    "<tool_call>",
    "{",
    "{\"name\":\"ask_followup_question\",",
    "{\"name\":\"ask_followup_question\",\"arguments\":",
    "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}",
    "<tool_call>{",
    "<tool_call>{\"name\":\"ask_followup_question\",",
    "<tool_call>```json\n{\"name\":\"ask_followup_question\",\"arguments\":",
    "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"",
    "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}",
    "<tool_call>{\"name\":\"f\",\"arguments\":{\"question\":\"Q\"}}",
    "<tool_call>{\"arguments\":{\"question\":\"Q\"}",
];

/// Pieces of the envelopes of GLM.
const KEYS_AND_VALUES: [&str; 25] = [
    "<tool_call>",
    "</tool_call>",
    "ask_followup_question",
    "f",
    "<arg_key>",
    "</arg_key>",
    "question",
    "follow_up",
    "<arg_value>",
    "</arg_value>",
    "[\"a\"]",
    "{\"question\":\"Q\"}",
    "{",
    "x",
    " ",
    "\n",
    "`",
    "```\n",
    "<",
    "</arg",
    "</function>",
    "<function=f>",
    "<read_file>",
    "<ask_followup_question>",
    "é",
];

const GLM_BEGINNINGS: [&str; 8] = [
    "",
    "<tool_call>",
    "<tool_call>ask_followup_question",
    "<tool_call>f",
    "<tool_call>ask_followup_question<arg_key>",
    "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>",
    "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>Q</arg_value>",
    "<tool_call>f<arg_key>x</arg_key><arg_value>",
];

/// Pieces of the envelopes that are tokens.
const TOKENS: [&str; 31] = [
    "<|start|>assistant",
    "<|start|>",
    "<|channel|>",
    "commentary",
    "final",
    " to=",
    "to=",
    "functions.ask_followup_question",
    "f",
    "<|constrain|>",
    "json",
    "<|message|>",
    "<|call|>",
    "<|end|>",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    ":0",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|tool_call_section_end|>",
    "{\"question\":\"Q\"}",
    "{",
    "}",
    "\"{}\"",
    "x",
    " ",
    "\n",
    "`",
    "<|",
    "<read_file>",
    "<function=f>",
];

const TOKEN_BEGINNINGS: [&str; 12] = [
    "",
    "<|start|>assistant",
    "<|channel|>commentary",
    "<|channel|>analysis to=f",
    "<|start|>assistant to=ask_followup_question",
    "<|channel|>commentary to=functions.ask_followup_question <|constrain|>",
    "<|channel|>final to=functions.ask_followup_question<|message|>",
    "<|channel|>commentary to=functions.ask_followup_question json<|message|>{\"question\":\"Q\"}",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>functions.ask_followup_question:0",
    "<|tool_calls_section_begin|><|tool_call_begin|>ask_followup_question:1<|tool_call_argument_begin|>",
    "<|tool_calls_section_begin|><|tool_call_begin|>f:1<|tool_call_argument_begin|>{}",
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

const ENVELOPES: [Streams; 4] = [
    Streams { syntax: Syntax::Markup, beginnings: &TAGGED_BEGINNINGS, pieces: &TAGGED, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &OBJECT_BEGINNINGS, pieces: &OBJECTS, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &GLM_BEGINNINGS, pieces: &KEYS_AND_VALUES, end: "" },
    Streams { syntax: Syntax::Markup, beginnings: &TOKEN_BEGINNINGS, pieces: &TOKENS, end: "" },
];

fn sweep(streams: &Streams, rules: &Rules) {
    sweep_of(Sweep::new(LENGTH), streams, rules);
}

/// Reads every sequence of a sweep, whole and byte by byte; those of no more than one piece are also
/// cut in two in every place.
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

#[test]
fn every_short_sequence_of_envelopes_of_tags_means_what_the_reference_says() {
    sweep(&ENVELOPES[0], &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_objects_means_what_the_reference_says() {
    sweep(&ENVELOPES[1], &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_keys_and_values_means_what_the_reference_says() {
    sweep(&ENVELOPES[2], &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_of_tokens_means_what_the_reference_says() {
    sweep(&ENVELOPES[3], &Rules::with_few_tools());
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_outside_code() {
    let rules = Rules { outside_code: true, decode_entities: true, ..Rules::with_few_tools() };
    ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2), streams, &rules));
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_near_the_limits() {
    for rules in [
        Rules { bare: 60, tag: 45, ..Rules::with_few_tools() },
        Rules { bare: 90, tag: 32, question: 1, answer: 1, suggestions: 1, ..Rules::with_few_tools() },
        Rules { bare: 31, tag: 31, question: 0, answer: 0, suggestions: 0, ..Rules::with_few_tools() },
    ] {
        ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2), streams, &rules));
    }
}

#[test]
fn every_short_sequence_of_envelopes_means_what_the_reference_says_with_one_family() {
    for family in READ_BY_THE_ORACLE {
        let rules = Rules { envelopes: [family].into_iter().collect(), ..Rules::with_few_tools() };
        ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2), streams, &rules));
    }
}

#[test]
fn no_short_sequence_of_envelopes_is_read_under_the_strict_policy() {
    let rules = Rules { strict: true, envelopes: Envelopes::all(), ..Rules::with_few_tools() };
    ENVELOPES.iter().for_each(|streams| sweep_of(Sweep::new(2), streams, &rules));
}
