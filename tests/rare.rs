//! Streams that soups of the grammar's pieces seldom make, each against the whole-input reference reader and at every cut.
//!
//! Every one stands for a line of the parser whose loss no quicker test would notice.

mod common;

use common::reference::{Rules, describe};
use common::{atoms, oracle, policy};
use followup::testing::{Stream, Syntax, Transcript, assert_chunk_invariant};

fn check(syntax: Syntax, text: &str, rules: &Rules) {
    let stream = Stream::new(syntax, text);
    let meant = describe(&oracle(syntax, &stream, rules));
    assert_chunk_invariant(&stream, |chunks| {
        let shown = Transcript::of(&mut stream.parser(policy(rules)), chunks.iter().copied());
        let said = describe(&atoms(&shown));
        assert_eq!(said, meant, "{text}");
        said
    });
}

fn call(inside: &str) -> String {
    format!("<ask_followup_question>{inside}</ask_followup_question> and on")
}

#[test]
fn in_markup() {
    for inside in [
        // In a string of a list a tool is only named; behind other text there is no list, and so no string.
        "<question>Q</question><follow_up>[\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\", \"\\\"<ask_followup_question>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"a\\\\\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up> \n [\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>x [\"<read_file>\"]</follow_up>",
        "<question>Q</question><follow_up>x\n[\"<ask_followup_question><question>R</question>",
        "<question>Q</question><follow_up>[\"<suggest>A</suggest>\", \"<read_file>\"]</follow_up>",
    ] {
        check(Syntax::Markup, &call(inside), &Rules::default());
        check(Syntax::Markup, &call(inside), &Rules { strict: true, ..Rules::default() });
    }
}

#[test]
fn in_markup_with_entities() {
    let rules = Rules { decode_entities: true, ..Rules::default() };
    for inside in [
        // A mode that is blank when it is decoded is none; blanks around one are not its own.
        "<question>Q</question><suggest mode=\"&#32;\">A</suggest>",
        "<question>Q</question><suggest mode=\"m\">A</suggest><suggest mode=\"&#32;&#9;\">B</suggest>",
        "<question>Q</question><suggest mode=\"m\">A</suggest><suggest mode=\"&#32;n&#x20;\">B</suggest>",
        "<question>Q</question><suggest><mode>&#32;</mode><content>A</content></suggest>",
        "<question>Q</question><suggest><mode>&#32;m&am</mode><content>A&l</content></suggest>",
        "<question>&#0;&#xD800;&#1114112;&#x;&#;&amp&;&#38;lt;</question>",
    ] {
        check(Syntax::Markup, &call(inside), &rules);
    }
}

/// What is code and what is not, in every short line-up of its marks.
#[test]
fn in_code() {
    const MARKS: [&str; 7] = ["`", "``", "```", "~~~", " ", "\n", "x"];
    let rules = Rules { outside_code: true, ..Rules::default() };
    let question = "<ask_followup_question><question>Q</question></ask_followup_question>";
    for length in 0..=5 {
        for nth in 0..MARKS.len().pow(length) {
            let marks = (0..length).map(|i| MARKS[nth / MARKS.len().pow(i) % MARKS.len()]);
            let text: String = marks.chain([question]).collect();
            let stream = Stream::new(Syntax::Markup, text);
            let shown = Transcript::of(&mut stream.parser(policy(&rules)), [&*stream]);
            assert_eq!(describe(&atoms(&shown)), describe(&oracle(Syntax::Markup, &stream, &rules)), "{stream:?}");
        }
    }
}

/// Where each limit falls, at every cut: a call, and what only looks like one.
#[test]
fn at_every_limit() {
    let streams = [
        call("  Bare \u{e9}?  <suggest  mode='m' >A</suggest>"),
        "<ask_followup_question > \u{e9} `<question>` <ask_followup_question><question>Q</question></ask_followup_question>".into(),
        "<think class='\u{e9}' x=\"<\" >t</think><read_file  >\u{e9}<path  a=1 >p</path ></read_file\u{e9}>".into(),
    ];
    for stream in streams {
        for limit in (0..60).chain([70, 80, 90]) {
            check(Syntax::Markup, &stream, &Rules { bare: limit, ..Rules::default() });
            check(Syntax::Markup, &stream, &Rules { tag: limit, outside_code: true, ..Rules::default() });
        }
    }
}
