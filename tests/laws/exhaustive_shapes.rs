//! Every short sequence of pieces of a question tool's arguments, cut everywhere, against the
//! reference reader.

use followup::{Limits, Shape};

use crate::common::shapes::{Rules, read, view};
use crate::common::sweep::Sweep;
use crate::oracle::parser;

/// The longest sequence.
const LENGTH: usize = 3;

/// Checks each sequence of pieces after each beginning.
fn sweep(shape: &str, beginnings: &[&str], pieces: &[&str]) {
    let (shape, mut sweep) = (Shape::built_in(shape).unwrap(), Sweep::sampled(LENGTH, 3));
    let mut stack: Vec<Vec<usize>> = vec![Vec::new()];
    while let Some(sequence) = stack.pop() {
        if sequence.len() < sweep.length {
            stack.extend((0..pieces.len()).map(|piece| [&sequence[..], &[piece]].concat()));
        }
        for beginning in beginnings {
            if sweep.tries(sequence.len()) {
                let pieces = sequence.iter().map(|&piece| pieces[piece]);
                check(&shape, &[beginning].into_iter().copied().chain(pieces).collect::<String>(), sequence.len());
            }
        }
    }
}

/// Compares the end of a stream, however it is cut in two.
fn check(shape: &Shape, stream: &str, length: usize) {
    let limits = Limits { question: 5, header: 3, description: 3, suggestions: 2, questions: 2, ..Limits::default() };
    let limits = if length.is_multiple_of(2) { Limits::default() } else { limits };
    let rules = Rules { limits, strict: false };
    let expected = read(shape.text(), stream.as_bytes(), rules).comparable();
    for cut in 0..=stream.len() {
        let (before, after) = stream.as_bytes().split_at(cut);
        let end = view::end(parser(shape, rules), [before, after]).comparable();
        assert!(end == expected, "{}: {stream} at {cut}\nparser    {end:?}\nreference {expected:?}", shape.name());
    }
}

#[test]
fn every_short_sequence_of_arguments_of_claude() {
    let beginnings = [
        "",
        r#"{"questions":[{"#,
        r#"{"questions":[{"question":"Q","options":["#,
        r#"{"questions":"[{\"question\":\"Q"#,
        r#"{"questions":{"#,
    ];
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"",
        "x",
        "\\",
        "\\n",
        " ",
        "1",
        "null",
        "\"question\":",
        "\"header\":\"H\"",
        "\"options\":",
        "\"label\":\"L\"",
        "\"multiSelect\":",
    ];
    sweep("claude", &beginnings, &pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_ask_user() {
    let beginnings = ["{", r#"{"question":"Q","choices":["#, r#"{"choices":{"#, r#"{"questions":[{"type":""#];
    let pieces = [
        "}",
        "]",
        ",",
        "\"",
        "x",
        "\\u0041",
        "{",
        "[",
        "1",
        "\"question\":",
        "\"questions\":",
        "\"choices\":",
        "\"value\":\"v\"",
        "\"requestedSchema\":{",
        "yesno",
        "\"allow_freeform\":\"no\"",
    ];
    sweep("ask_user", &beginnings, &pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_mcp() {
    let beginnings = [
        r#"{"requestedSchema":{"#,
        r#"{"requestedSchema":{"properties":{"a":{"#,
        r#"{"requestedSchema":{"properties":{"a":{"enum":["v","w"],"#,
        r#"{"requestedSchema":{"properties":{"a":{"items":{"#,
    ];
    let pieces = [
        "}",
        "]",
        ",",
        "\"",
        "x",
        "{",
        "1",
        "\"title\":\"T\"",
        "\"type\":",
        "\"boolean\"",
        "\"array\"",
        "\"enumNames\":[\"n\",\" \"",
        "\"oneOf\":[{\"const\":\"c\"}]",
        "\"anyOf\":[\"o\"]",
        "\"required\":[\"a\"]",
        "\"default\":[\"v\"]",
        "\"properties\":{",
    ];
    sweep("mcp", &beginnings, &pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_droid() {
    let beginnings = [r#"{"questionnaire":""#, r#"{"questionnaire":"[question] Q\n"#];
    let pieces = [
        "[question]",
        "[topic]",
        "[option]",
        "(multi)",
        "\\n",
        " ",
        "x",
        "1.",
        "\"",
        "\"}",
        "\\",
        "\n",
        "é",
        "\\u005b",
        "(recommended)",
    ];
    sweep("droid", &beginnings, &pieces);
}
