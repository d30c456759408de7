//! Every short sequence of pieces of a question tool's arguments, and arguments of shapes drawn at
//! random, cut everywhere, against the reference reader.

use followup::{Checkpoint, Limits, Parser, Shape};

use crate::common::shapes::random::{self, Random};
use crate::common::shapes::table::Table;
use crate::common::shapes::view::{End, Shown};
use crate::common::shapes::{Rules, read, view};
use crate::common::sweep::{Sweep, cases};
use crate::oracle::parser;

/// The longest sequence.
const LENGTH: usize = 3;

/// Checks each sequence of pieces after each beginning.
fn sweep(shape: &str, beginnings: &[&str], pieces: &[&str]) {
    let (shape, mut sweep) = (Shape::built_in(shape).unwrap(), Sweep::sampled(LENGTH, 3).thinned(2));
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

/// Arguments of up to so many bytes are cut in three.
const SHORT: usize = 50;

/// Returns what has been shown, the state, and the end of a stream in these chunks.
fn read_chunks(mut parser: Parser, chunks: &[&[u8]]) -> (Shown, Checkpoint, End) {
    let mut shown = Shown::default();
    chunks.iter().for_each(|chunk| view::append(&mut shown, parser.feed_bytes(chunk)));
    let (before, checkpoint) = (shown.clone(), parser.checkpoint());
    (before, checkpoint, view::finish(&mut shown, &mut parser))
}

#[test]
fn the_arguments_of_any_shape_mean_the_same_wherever_they_are_cut() {
    let mut random = Random(29);
    for _ in 0..cases(500) {
        let shape = random::shape(&mut random);
        let stream = random::arguments(&mut random, &Table::new(shape.text()));
        let rules = random::rules(&mut random);
        let whole = read_chunks(parser(&shape, rules), &[&stream]);
        let context = || format!("{rules:?}\n{}\n{}", shape.text(), String::from_utf8_lossy(&stream));
        assert_eq!(whole.2.clone().comparable(), read(shape.text(), &stream, rules).comparable(), "{}", context());
        for first in 0..=stream.len() {
            let (before, after) = stream.split_at(first);
            assert_eq!(read_chunks(parser(&shape, rules), &[before, after]), whole, "at {first}: {}", context());
            let seconds = if stream.len() <= SHORT { 1..after.len() } else { 0..0 };
            for second in seconds {
                let (middle, after) = after.split_at(second);
                let cut = read_chunks(parser(&shape, rules), &[before, middle, after]);
                assert_eq!(cut, whole, "at {first} and {second} more: {}", context());
            }
        }
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
