//! Every short sequence of pieces of a question tool's arguments, cut everywhere.
//!
//! The reference reader is the oracle. Arguments of shapes drawn at random are read, too.

use followup::{Checkpoint, Limits, Parser, Shape};

use crate::common::shapes::random::{self, Random};
use crate::common::shapes::table::Table;
use crate::common::shapes::view::{End, Shown};
use crate::common::shapes::{Rules, read, view};
use crate::common::sweep::{Sweep, cases};
use crate::oracle::parser;

/// The longest sequence.
const LENGTH: usize = 3;

/// Checks each sequence of pieces after each beginning. A `|` separates two pieces.
fn sweep(shape: &str, beginnings: &[&str], pieces: &str) {
    let pieces: Vec<&str> = pieces.split('|').collect();
    let (shape, mut sweep) = (Shape::built_in(shape).unwrap(), Sweep::sampled(LENGTH, 3).thinned(6));
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

/// Returns the examples of docs/question-tools.md, each with the shapes that may read it.
fn examples() -> Vec<(Vec<Shape>, &'static str)> {
    let page = include_str!("../../docs/question-tools.md");
    let (_, page) = page.split_once("\n## The built-in shapes\n").unwrap();
    let (page, _) = page.split_once("\n## ").unwrap();
    let mut examples = Vec::new();
    for section in page.split("\n### ").skip(1) {
        let (heading, text) = section.split_once('\n').unwrap();
        let shapes: Vec<Shape> = heading.split(", ").filter_map(Shape::built_in).collect();
        let lines = text.lines().map(|line| line.trim_matches('`')).filter(|line| line.starts_with("{\""));
        examples.extend(lines.map(|line| (shapes.clone(), line)));
    }
    examples
}

#[test]
fn the_examples_of_the_page_mean_the_same_wherever_they_are_cut() {
    let mut sweep = Sweep::sampled(1, 8).thinned(4);
    let (rules, mut read_by) = (Rules { limits: Limits::default(), strict: false }, Vec::new());
    for (shapes, example) in examples() {
        for shape in shapes {
            let expected = read(shape.text(), example.as_bytes(), rules).comparable();
            let is_read = expected.reason.is_none() && expected.notes.is_empty();
            read_by.extend(is_read.then(|| shape.name().to_owned()));
            let whole = read_chunks(parser(&shape, rules), &[example.as_bytes()]);
            assert_eq!(whole.2.clone().comparable(), expected, "{example}");
            for first in 0..=example.len() {
                let (before, after) = example.as_bytes().split_at(first);
                assert_eq!(read_chunks(parser(&shape, rules), &[before, after]), whole, "{example} at {first}");
                for second in 1..after.len() {
                    if sweep.tries(1) {
                        let (middle, after) = after.split_at(second);
                        let cut = read_chunks(parser(&shape, rules), &[before, middle, after]);
                        assert_eq!(cut, whole, "{example} at {first} and {second} more");
                    }
                }
            }
        }
    }
    for name in Shape::built_in_names() {
        assert!(read_by.iter().any(|one| one == name), "no example of {name} is read");
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
    let pieces = r#"{|}|[|]|,|"|x|\|\n| |1|null|"question":|"header":"H"|"options":|"label":"L"|"multiSelect":"#;
    sweep("claude", &beginnings, pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_ask_user() {
    let beginnings = ["{", r#"{"question":"Q","choices":["#, r#"{"choices":{"#, r#"{"questions":[{"type":""#];
    let pieces = concat!(
        r#"}|]|,|"|x|\u0041|{|[|1|"question":|"questions":|"choices":|"value":"v"|"requestedSchema":{|"#,
        r#"yesno|"allow_freeform":"no""#
    );
    sweep("ask_user", &beginnings, pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_mcp() {
    let beginnings = [
        r#"{"requestedSchema":{"#,
        r#"{"requestedSchema":{"properties":{"a":{"#,
        r#"{"requestedSchema":{"properties":{"a":{"enum":["v","w"],"#,
        r#"{"requestedSchema":{"properties":{"a":{"items":{"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|1|"title":"T"|"type":|"boolean"|"array"|"enumNames":["n"," "|"#,
        r#""oneOf":[{"const":"c"}]|"anyOf":["o"]|"required":["a"]|"default":["v"]|"properties":{"#
    );
    sweep("mcp", &beginnings, pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_droid() {
    let beginnings = [r#"{"questionnaire":""#, r#"{"questionnaire":"[question] Q\n"#];
    let pieces = "[question]|[topic]|[option]|(multi)|\\n| |x|1.|\"|\"}|\\|\n|é|\\u005b|(recommended)";
    sweep("droid", &beginnings, pieces);
}

/// Keys in the order of sorted maps: the question and the label come last.
#[test]
fn every_short_sequence_of_arguments_of_codex() {
    let beginnings = ["", r#"{"questions":[{"#, r#"{"questions":[{"options":[{"description":"D","#];
    let pieces = r#"}|]|,|"|x|{|null|"id":"i"|"header":"H"|"label":"L (Recommended)"|"options":[|"question":"Q""#;
    sweep("codex", &beginnings, pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_cursor() {
    let beginnings = [r#"{"title":"T","#, r#"{"questions":[{"prompt":"Q","#, r#"{"questions":[{"options":[{"#];
    let pieces = concat!(
        r#"}|]|,|"|x|{|1|"title":"T"|"id":"i"|"prompt":"P"|"label":"L"|"allow_multiple":"yes"|"#,
        r#""options":["#
    );
    sweep("cursor", &beginnings, pieces);
}

#[test]
fn every_short_sequence_of_arguments_of_opencode() {
    let beginnings = [r#"{"questions":""#, r#"{"questions":[{"question":"Q","#, r#"{"questions":[{"options":[{"#];
    let pieces = concat!(
        r#"}|]|,|"|x|[{\"question\":\"Q\"}]|"type":"yes_no"|"label":"L"|"mode":"code"|"id":1|"#,
        r#""choices":[|"multiple":|true"#
    );
    sweep("opencode", &beginnings, pieces);
}

/// An option that its index recommends, or its label, and a preview of it.
#[test]
fn every_short_sequence_of_arguments_of_omp() {
    let beginnings = [
        r#"{"questions":[{"question":"Q","options":["A",{"label":"B"}],"recommended":1"#,
        r#"{"questions":[{"question":"Q","recommended":"1","options":["A","#,
        r#"{"questions":[{"question":"Q","options":[{"label":"L","#,
        r#"{"questions":[{"options":[{"preview":"P"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|0|1|1.0|null|"recommended":|"options":[|"label":"(Recommended) L"|"description":"D"|"#,
        r#""preview":|"multi":true"#
    );
    sweep("omp", &beginnings, pieces);
}

/// A header that is the id, too, a text below the question, and an option that its key recommends.
#[test]
fn every_short_sequence_of_arguments_of_vscode() {
    let beginnings = [
        r#"{"questions":[{"header":"H","#,
        r#"{"questions":[{"message":"M","question":"Q"#,
        r#"{"questions":[{"question":"Q","options":[{"label":"A","recommended":"#,
        r#"{"questions":[{"options":[{"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|null|true|"message":|"header":"H"|"recommended":|"label":"L"|"description":"D"|"#,
        r#""options":[|"allowFreeformInput":"no"|"question":"Q""#
    );
    sweep("vscode", &beginnings, pieces);
}

/// A question beside a list, in either order.
#[test]
fn every_short_sequence_of_arguments_of_hermes() {
    let beginnings = ["{", r#"{"question":"Q","#, r#"{"questions":[{"question":"Q"}],"#];
    let pieces = concat!(
        r#"}|]|,|"|null|"question":"R"|"questions":[|{"question":"S"}|"choices":[|{"description":"D"}|"#,
        r#""multi_select":1|"id":"i""#
    );
    sweep("hermes", &beginnings, pieces);
}

/// A kind of each question, and two characters that are a line end.
#[test]
fn every_short_sequence_of_arguments_of_gemini() {
    let beginnings = [
        r#"{"questions":[{"question":"Q"#,
        r#"{"questions":[{"question":"Q","type":""#,
        r#"{"options":["A"],"type":"yesno","#,
        r#"{"question":null,"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|\\|n|yesno|null|"type":"text"|"question":"R"|"header":"H\\n"|"#,
        r#""options":[{"label":"L"|"multiSelect":"maybe"|"placeholder":"P""#
    );
    sweep("gemini", &beginnings, pieces);
}

/// A text in a path, and options that have to be there.
#[test]
fn every_short_sequence_of_arguments_of_acp() {
    let beginnings = ["{", r#"{"toolCall":{"#, r#"{"toolCall":"{\"title\":\"Q"#, r#"{"options":[{"#];
    let pieces = concat!(
        r#"}|]|,|"|x|{|null|\"|"title":"T"|"toolCall":|"toolCall.title":"U"|"options":[|"name":"N"|"#,
        r#""optionId":1"#
    );
    sweep("acp", &beginnings, pieces);
}

/// A kind that the shape fixes.
#[test]
fn every_short_sequence_of_arguments_of_confirm() {
    let beginnings = ["", "{", r#"{"message":"Q"#];
    let pieces = r#"{|}|,|"|x|[|]|1|null|\u00e9|"message":|"R"|"options":["A"]"#;
    sweep("confirm", &beginnings, pieces);
}

/// One flag with two names, and the limit of two options.
#[test]
fn every_short_sequence_of_arguments_of_cursor_tool() {
    let beginnings = ["{", r#"{"title":"T","questions":[{"prompt":"Q","#, r#"{"questions":[{"options":[{"#];
    let pieces = concat!(
        r#"}|]|,|"|x|{|null|"allow_multiple":true|"allowMultiple":false|"prompt":"P"|"id":|"label":"L"|"#,
        r#""options":["#
    );
    sweep("cursor-tool", &beginnings, pieces);
}

/// A form of another shape in the place of the question.
#[test]
fn every_short_sequence_of_arguments_of_copilot() {
    let beginnings =
        ["{", r#"{"message":"M","requestedSchema":{"#, r#"{"choices":["A","#, r#"{"question":"Q","allow_freeform":"#];
    let pieces = concat!(
        r#"}|]|,|"|x|{|false|null|"question":"R"|"message":|"choices":[|"requestedSchema":{|"#,
        r#""properties":{|"a":{"enum":["v"]}"#
    );
    sweep("copilot", &beginnings, pieces);
}

/// A question that is beside its options, or the only one of a list.
#[test]
fn every_short_sequence_of_arguments_of_cline() {
    let beginnings =
        ["{", r#"{"question":"Q","options":["A","#, r#"{"questions":[{"question":"Q","#, r#"{"options":[{"#];
    let pieces = concat!(
        r#"}|]|,|"|x|{|1|"question":"R"|"questions":[|"options":[|"label":"L"|"description":"D"|"#,
        r#""is_multi_select":"yes""#
    );
    sweep("cline", &beginnings, pieces);
}

/// A header that is the question if there is no other, and previews.
#[test]
fn every_short_sequence_of_arguments_of_qwen() {
    let beginnings = [
        r#"{"questions":[{"header":"H"#,
        r#"{"questions":[{"header":"H","question":"#,
        r#"{"questions":[{"question":"Q","options":[{"preview":"P"#,
        r#"{"questions":[{"options":[{"label":"L","#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|null|\n|"header":"I"|"question":"Q"|"options":[|"preview":|"description":"D"|"#,
        r#""multi_select":1"#
    );
    sweep("qwen", &beginnings, pieces);
}

/// A key that is the header of a question and the label of an option.
#[test]
fn every_short_sequence_of_arguments_of_pi() {
    let beginnings = [
        "{",
        r#"{"questions":[{"label":"H"#,
        r#"{"questions":[{"prompt":"Q","options":[{"#,
        r#"{"questions":[{"id":"i","allowOther":"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|false|null|"label":"L"|"prompt":"P"|"questions":[|"options":[|"value":"v"|"#,
        r#""description":"D""#
    );
    sweep("pi", &beginnings, pieces);
}

/// Options that are strings only, after a topic that may be the question.
#[test]
fn every_short_sequence_of_arguments_of_droid_request() {
    let beginnings = [
        "{",
        r#"{"questions":[{"topic":"T"#,
        r#"{"questions":[{"question":"Q","options":["A","#,
        r#"{"questions":[{"topic":"T","question":"#,
    ];
    let pieces = concat!(
        r#"}|]|,|"|x|{|null|1|"topic":"U"|"question":"R"|"options":[|"multiSelect":true|"label":"L"|"#,
        r#""questions":["#
    );
    sweep("droid-request", &beginnings, pieces);
}

#[test]
fn every_built_in_shape_has_a_sweep() {
    let here = include_str!("exhaustive_shapes.rs");
    let missing = Shape::built_in_names().filter(|name| !here.contains(&format!("sweep(\"{name}\", ")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&str>::new());
}
