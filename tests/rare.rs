//! Streams that soups of the grammar's pieces seldom make, each against the whole-input reference reader and at every cut.
//!
//! Every one stands for a line of the parser that no other test would miss.

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
        // What does not begin like a list is none, whatever stands in it.
        "<question>Q</question><follow_up>x [\"</follow_up>",
        "<question>Q</question><follow_up>x\n[\"</follow_up><suggest>A</suggest>",
        "<question>Q</question><follow_up> \n [\"</follow_up>\"]</follow_up>",
        "<question>Q</question><follow_up>[\"\\\"</follow_up>\\\\\"]</follow_up>",
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
