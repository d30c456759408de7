//! Ill-formed UTF-8 is decoded as `String::from_utf8_lossy` decodes the whole stream.

use followup::{Parser, Policy};
use followup_testing::{Syntax, Transcript};

use crate::common::reference::Atom;
use crate::common::{atoms, parse};

/// Ill-formed sequences, and well-formed ones that are easily mistaken for them.
const ILL_FORMED: [(&str, &[u8]); 24] = [
    ("NUL", b"\0"),
    ("a continuation byte alone", b"\x80"),
    ("continuation bytes alone", b"\xBF\xBF\xBF"),
    ("a lead byte alone", b"\xC3"),
    ("a lead byte twice", b"\xE2\xE2\x82"),
    ("/ in two bytes", b"\xC0\xAF"),
    ("< in two bytes", b"\xC0\xBC"),
    ("< in three bytes", b"\xE0\x80\xBC"),
    ("< in four bytes", b"\xF0\x80\x80\xBC"),
    ("NUL in two bytes", b"\xC0\x80"),
    ("U+07FF in three bytes", b"\xE0\x9F\xBF"),
    ("U+FFFF in four bytes", b"\xF0\x8F\xBF\xBF"),
    ("the first surrogate", b"\xED\xA0\x80"),
    ("the last surrogate", b"\xED\xBF\xBF"),
    ("a pair of surrogates", b"\xED\xA0\xBD\xED\xB8\x80"),
    ("beyond U+10FFFF", b"\xF4\x90\x80\x80"),
    ("five bytes", b"\xF8\x88\x80\x80\x80"),
    ("bytes that occur in no text", b"\xFE\xFF"),
    ("a character cut off after its first byte", b"\xF0"),
    ("cut off after its second", b"\xF0\x9F"),
    ("cut off after its third", b"\xF0\x9F\x98"),
    ("a byte order mark", b"\xEF\xBB\xBF"),
    ("two byte order marks", b"\xEF\xBB\xBF\xEF\xBB\xBF"),
    ("half of a byte order mark", b"\xEF\xBB"),
];

/// Where they occur: the syntax, the text before them, and the text after them.
const PLACES: [(Syntax, &str, &str); 22] = [
    (Syntax::Markup, "", ""),
    (Syntax::Markup, "", "Hm."),
    (Syntax::Markup, "Hm.", ""),
    (Syntax::Markup, "<", "ask_followup_question><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup", "_question><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question", "><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question a='", "'><question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question>", "<question>Q</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question><question>Q", "</question></ask_followup_question>"),
    (Syntax::Markup, "<ask_followup_question><question>", "Q</quest"),
    (
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><suggest mode=\"",
        "\">A</suggest></ask_followup_question>",
    ),
    (
        Syntax::Markup,
        "<ask_followup_question><question>Q</question><options>[\"",
        "\"]</options></ask_followup_question>",
    ),
    (Syntax::Markup, "<ask_followup_question><question>Q</question></ask_followup_question", "> <read_file>"),
    (Syntax::Markup, "<read_file><path>", "</path></read_file>"),
    (Syntax::Arguments, "", "{\"question\":\"Q\"}"),
    (Syntax::Arguments, "{\"quest", "ion\":\"Q\"}"),
    (Syntax::Arguments, "{\"question\":\"Q", "\"}"),
    (Syntax::Arguments, "{\"question\":\"Q\\", "\"}"),
    (Syntax::Arguments, "{\"question\":", "1}"),
    (Syntax::Arguments, "{\"question\":\"Q\"", "}"),
    (Syntax::Arguments, "{\"question\":\"Q\"}", ""),
    (Syntax::Arguments, "{\"question\":\"Q\",\"follow_up\":\"<suggest>", "</suggest>\"}"),
];

/// Removes the spans: they count the bytes of the stream, not those of the text.
fn without_spans(mut atoms: Vec<Atom>) -> Vec<Atom> {
    for atom in &mut atoms {
        if let Atom::Complete(ended) | Atom::Rejected(_, ended) = atom {
            ended.span = (0, 0);
        }
    }
    atoms
}

#[test]
fn ill_formed_bytes_are_what_from_utf8_lossy_makes_of_them() {
    for (syntax, before, after) in PLACES {
        let mut parser = syntax.parser(Policy::new());
        for (what, bytes) in ILL_FORMED {
            let stream = [before.as_bytes(), bytes, after.as_bytes()].concat();
            let text = String::from_utf8_lossy(&stream);
            let mut expected = Transcript::default();
            expected.append(parser.feed(&text));
            expected.append(parser.finish());
            let expected = without_spans(atoms(&expected));
            for cut in 0..=stream.len() {
                let (one, two) = stream.split_at(cut);
                let shown = without_spans(parse(&mut parser, [one, two]));
                assert!(shown == expected, "{what} after {before:?}, cut at {cut}:\n{shown:?}\n{expected:?}");
            }
            assert!(
                without_spans(parse(&mut parser, stream.chunks(1))) == expected,
                "{what} after {before:?}, byte by byte"
            );
        }
    }
}

#[test]
fn prose_of_any_bytes_is_what_from_utf8_lossy_makes_of_it() {
    // Every two of them, in both orders.
    for (_, one) in ILL_FORMED {
        for (_, two) in ILL_FORMED {
            let stream = [one, two, b"!", two, one].concat();
            let mut parser = Parser::default();
            for chunk in 1..=stream.len() {
                let text: String = parse(&mut parser, stream.chunks(chunk))
                    .iter()
                    .map(|atom| match atom {
                        Atom::Text(char) => *char,
                        other => panic!("{other:?}"),
                    })
                    .collect();
                assert_eq!(text, String::from_utf8_lossy(&stream), "{}", stream.escape_ascii());
            }
        }
    }
}
