//! The guarantees as laws, over soups of the grammar's own pieces, as text and as bytes, under all policies.

mod common;
#[path = "common/cuts.rs"]
mod cuts;

use std::sync::Arc;

use common::reference::{Atom, Rules, describe};
use common::{Shown, Syntax, policy, show};
use cuts::{cut, cuts};
use followup::{Parser, Policy};
use proptest::prelude::*;
use proptest::sample::select;

/// Pieces of markup, of code around it, and of text that is hard to cut.
const PIECES: &[&[u8]] = &[
    b"<ask_followup_question>",
    b"<ask_followup_question>",
    b"</ask_followup_question>",
    b"<ask_followup_question/>",
    b"<ask_followup_question a='>'>",
    b"<question>",
    b"<question>",
    b"</question>",
    b"</question >",
    b"<question/>",
    b"<follow_up>",
    b"</follow_up>",
    b"<suggestions>",
    b"</suggestions>",
    b"<suggest>",
    b"<suggest>",
    b"</suggest>",
    b"<suggestion>",
    b"</suggestion>",
    b"<suggest mode=\"code\">",
    b"<suggest mode = ' a&amp;b ' x>",
    b"<suggest mode=x/>",
    b"<content>",
    b"</content>",
    b"<mode>",
    b"</mode>",
    b"<options>",
    b"</options>",
    b"[\"a\", 1, \"\\u00e9\"]",
    b"[\"a\",",
    b"[\"a\\\"",
    b"\"",
    b"]",
    b"<read_file>",
    b"</read_file>",
    b"<write_to_file>",
    b"</write_to_file>",
    b"<path>",
    b"</path>",
    b"<content >",
    b"</content\n>",
    b"<think>",
    b"</think>",
    b"<thinking>",
    b"</thinking>",
    b"`",
    b"```",
    b"\n```\n",
    b"~~~",
    b"\n",
    b"\r\n",
    b" ",
    b"   ",
    b"\t",
    b"x",
    b"yes",
    b"Which one?",
    b"a < b",
    b"<",
    b"<<",
    b"</",
    b"<s",
    b"<sug",
    b"</ques",
    b"<ask_f",
    b"<b>",
    b"<!-- -->",
    b"<![CDATA[",
    b"&amp;",
    b"&lt;",
    b"&#32;",
    b"&#x3000;",
    b"&am",
    b"&",
    b";",
    b"&#0000038;",
    b"&#xD800;",
    "\u{3000}".as_bytes(),
    "\u{A0}".as_bytes(),
    "\u{2028}".as_bytes(),
    "é".as_bytes(),
    "数据库".as_bytes(),
    "🦀".as_bytes(),
    "שלום".as_bytes(),
    "\u{FEFF}".as_bytes(),
    "\u{FFFD}".as_bytes(),
    b"\0",
    b"\x1B[2J",
];

/// Pieces of the arguments of native calls.
const JSON: &[&[u8]] = &[
    b"{",
    b"{",
    b"}",
    b"}",
    b"[",
    b"]",
    b"]",
    b":",
    b",",
    b",",
    b"\"",
    b"\"",
    b"{\"question\":\"",
    b"\"question\":",
    b"\"\\u0071uestion\": \"",
    b"\"follow_up\":[",
    b"\"follow_up\":",
    b"\"follow_up\":\"",
    b"\"suggestions\": {",
    b"\"options\":[\"",
    b"\"suggest\":\"",
    b"\"suggestion\":",
    b"\"0\":",
    b"\"12345678901234567890\":",
    b"{\"text\":\"",
    b"\"text\":",
    b"\"answer\":\"",
    b"\"mode\":\"",
    b"\"mode\":",
    b"\"other\":{",
    b"\"other\":[",
    b"\"other key\":\"",
    b"\"A\"",
    b"\"A\",",
    b"\"B b \"",
    b"\" \"",
    b"\"},",
    b"\"}]",
    b"\"}]}",
    b"\"]",
    b"null",
    b"true",
    b"false",
    b"tru",
    b"nul",
    b"0",
    b"-12.50e+3",
    b"1",
    b"-",
    b".",
    b"e",
    b"x",
    b"Which one? ",
    b" ",
    b"   ",
    b"\n",
    b"\t",
    b"\r\n",
    b"\0",
    b"\\",
    b"\\n",
    b"\\t",
    b"\\\"",
    b"\\\\",
    b"\\/",
    b"\\b",
    b"\\x",
    b"\\u",
    b"\\u00",
    b"\\u0020",
    b"\\u3000",
    b"\\u00e9",
    b"\\ud83d",
    b"\\ude00",
    b"\\ud83d\\ude00",
    b"\\uD83D\\u",
    b"d8",
    b"3d",
    b"<suggest>",
    b"<suggest mode='m'>",
    b"</suggest>",
    b"<content>",
    b"<mode>",
    b"</mode>",
    b"<options>",
    b"</options>",
    b"</follow_up>",
    b"<follow_up>",
    b"<question>",
    b"</ask_followup_question>",
    b"<read_file>",
    b"<sugg",
    b"`",
    b"&amp;",
    b"\\n- ",
    b"[\\\"x\\\", {\\\"text\\\":\\\"y\\\",\\\"mode\\\":\\\"m\\\"}, 3]",
    b"{\\\"0\\\":\\\"x\\\"}",
    "\u{3000}".as_bytes(),
    "\u{A0}".as_bytes(),
    "é".as_bytes(),
    "数据库".as_bytes(),
    "🦀".as_bytes(),
    "\u{FEFF}".as_bytes(),
    "\u{FFFD}".as_bytes(),
];

/// Bytes that are no text.
const ILL_FORMED: &[&[u8]] = &[
    b"\xFF",
    b"\x80",
    b"\xC3",
    b"\xE2\x82",
    b"\xE3\x80",
    b"\xC2",
    b"\xF0\x9F",
    b"\xF0\x9F\xA6",
    b"\xED\xA0\x80",
    b"\xC0\xAF",
    b"\xF4\x90\x80\x80",
];

/// A stream, and what it is read as; shown readably when a law fails.
#[derive(Clone)]
struct Stream {
    bytes: Vec<u8>,
    syntax: Syntax,
}

impl Stream {
    fn parser(&self, rules: &Rules) -> Parser {
        self.syntax.parser(shared(rules))
    }

    fn meant(&self, rules: &Rules) -> Vec<Atom> {
        self.syntax.expected(&self.bytes, rules)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} \"{}\"", self.syntax, self.bytes.escape_ascii())
    }
}

impl std::ops::Deref for Stream {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

fn soup(syntax: Syntax, begin: &'static [&'static [u8]], pieces: Vec<&'static [u8]>) -> impl Strategy<Value = Stream> {
    let pieces = prop::collection::vec(select(pieces), 0..24);
    (select(begin), pieces)
        .prop_map(move |(begin, pieces)| Stream { bytes: [begin, &pieces.concat()].concat(), syntax })
}

/// Most soups of JSON are ill-formed after a few pieces, so they begin in the middle.
const BEGIN_JSON: &[&[u8]] = &[
    b"",
    b"{",
    b"{\"question\":\"",
    b"{\"question\":\"Q\",",
    b"{\"question\":\"Q\",\"follow_up\":",
    b"{\"question\":\"Q\",\"follow_up\":[",
    b"{\"question\":\"Q\",\"follow_up\":[\"",
    b"{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"m\",\"text\":\"",
    b"{\"question\":\"Q\",\"follow_up\":{",
    b"{\"question\":\"Q\",\"follow_up\":\"",
    b"{\"follow_up\":\"<suggest>",
];

/// Streams in both syntaxes, of these pieces and of those of the syntax.
fn streams(more: &'static [&'static [u8]]) -> impl Strategy<Value = Stream> {
    prop_oneof![
        soup(Syntax::Markup, &[b""], [PIECES, more].concat()),
        soup(Syntax::Arguments, BEGIN_JSON, [JSON, more].concat()),
        arguments(),
    ]
}

fn text() -> impl Strategy<Value = Stream> {
    streams(&[])
}

fn bytes() -> impl Strategy<Value = Stream> {
    streams(ILL_FORMED)
}

/// Arguments that are well-formed, or nearly.
fn arguments() -> impl Strategy<Value = Stream> {
    let string = prop::collection::vec(select(STRING), 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let scalar =
        prop_oneof![4 => string, 1 => select(&["null", "true", "false", "0", "-1.5e3"][..]).prop_map(String::from)];
    let key = select(KEYS);
    let value = scalar.prop_recursive(4, 24, 5, move |inner| {
        let entry = (key.clone(), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(entry, 0..5).prop_map(|entries| format!("{{{}}}", entries.join(" ,"))),
        ]
    });
    let entries = prop::collection::vec((select(KEYS), value), 0..5);
    (entries, any::<usize>(), 0..8_u8).prop_map(|(entries, at, damage)| {
        let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
        let mut bytes = format!("{{{}}}", entries.join(",")).into_bytes();
        let at = at % bytes.len();
        match damage {
            0 => bytes.truncate(at),
            1 => bytes.push(b'x'),
            2 => bytes[at] = b'"',
            3 => drop(bytes.remove(at)),
            _ => {}
        }
        // A cut character is no text.
        let bytes = String::from_utf8_lossy(&bytes).into_owned().into_bytes();
        Stream { bytes, syntax: Syntax::Arguments }
    })
}

const KEYS: &[&str] = &[
    "\"question\"",
    "\"follow_up\"",
    "\"follow_up\"",
    "\"suggestions\"",
    "\"options\"",
    "\"suggest\"",
    "\"text\"",
    "\"text\"",
    "\"\\u0061nswer\"",
    "\"mode\"",
    "\"mode\"",
    "\"0\"",
    "\"1\"",
    "\"\"",
    "\"something else\"",
];

const STRING: &[&str] = &[
    "a",
    "b ",
    " ",
    "x y",
    "é",
    "🦀",
    "\u{3000}",
    "\\n",
    "\\\"",
    "\\\\",
    "\\u0041",
    "\\u00a0",
    "\\ud83d\\ude00",
    "\\ud83d",
    "\\q",
    "\t",
    "<suggest>",
    "</suggest>",
    "<suggest mode=m>",
    "<content>",
    "</content>",
    "<options>",
    "[\\\"A\\\"]",
    "[1,",
    "]",
    "{\\\"0\\\":",
    "}",
    "\\n\\n- ",
    "12",
    "code",
];

fn limit(small: std::ops::Range<usize>, default: usize) -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(default), 1 => small]
}

fn rules() -> impl Strategy<Value = Rules> {
    let default = Rules::default();
    let limits = (
        limit(0..12, default.question),
        limit(0..12, default.answer),
        limit(0..3, default.suggestions),
        limit(0..40, default.tag),
        limit(0..60, default.bare),
    );
    (any::<(bool, bool, bool)>(), limits).prop_map(|((strict, outside_code, decode_entities), limits)| {
        let (question, answer, suggestions, tag, bare) = limits;
        let names = |names: [&str; 2]| names.map(String::from).to_vec();
        let (tools, parameters) = (names(["read_file", "write_to_file"]), names(["content", "path"]));
        Rules { strict, outside_code, decode_entities, tools, parameters, question, answer, suggestions, tag, bare }
    })
}

fn shared(rules: &Rules) -> Arc<Policy> {
    Arc::new(policy(rules))
}

/// The atoms as lines, so that a difference can be read.
fn lines(atoms: &[Atom]) -> String {
    describe(atoms)
}

/// So many streams a law. `PROPTEST_CASES=1000000` goes further.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_cut_gives_what_the_whole_means(stream in bytes(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(&rules);
        let meant = lines(&stream.meant(&rules));
        prop_assert_eq!(lines(&show(&mut parser, cut(&stream, &cuts))), meant.clone());
        prop_assert_eq!(lines(&show(&mut parser, stream.chunks(1))), meant, "byte by byte, with the same parser");
    }

    #[test]
    fn text_and_bytes_mean_the_same(stream in text(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(&rules);
        let mut shown = Shown::default();
        let mut rest = stream.text();
        for cut in cuts {
            let (now, later) = rest.split_at(rest.floor_char_boundary(cut % (rest.len() + 1)));
            shown.take(parser.feed(now));
            rest = later;
        }
        shown.take(parser.feed(rest));
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown.atoms), lines(&show(&mut parser, [&*stream])));
    }

    #[test]
    fn state_and_what_was_shown_are_a_function_of_the_bytes_fed(stream in bytes(), rules in rules(), one in cuts(), two in cuts()) {
        let read = |cuts: &[usize]| {
            let mut parser = stream.parser(&rules);
            let mut shown = Shown::default();
            for chunk in cut(&stream, cuts) {
                shown.take(parser.feed_bytes(chunk));
            }
            (parser.checkpoint(), lines(&shown.atoms), parser.bytes_fed())
        };
        prop_assert_eq!(read(&one), read(&two));
    }

    #[test]
    fn a_stream_goes_on_from_any_checkpoint(stream in bytes(), rules in rules(), cuts in cuts()) {
        let shared = shared(&rules);
        let mut parser = stream.syntax.parser(shared.clone());
        let mut shown = Shown::default();
        for chunk in cut(&stream, &cuts) {
            shown.take(parser.feed_bytes(chunk));
            let checkpoint = parser.checkpoint();
            parser = Parser::resume(shared.clone(), checkpoint.clone()).expect("a parser made it");
            prop_assert_eq!(parser.checkpoint(), checkpoint);
        }
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown.atoms), lines(&stream.meant(&rules)));
    }

    #[test]
    fn a_clone_is_the_same_state_and_goes_its_own_way(stream in bytes(), other in bytes(), rules in rules(), at in any::<usize>()) {
        let at = at % (stream.len() + 1);
        let mut parser = stream.parser(&rules);
        let mut shown = Shown::default();
        shown.take(parser.feed_bytes(&stream[..at]));
        let mut copy = parser.clone();
        prop_assert_eq!(copy.checkpoint(), parser.checkpoint());
        let mut shown_by_copy = shown.clone();
        shown_by_copy.take(copy.feed_bytes(&other));
        shown_by_copy.take(copy.finish());
        shown.take(parser.feed_bytes(&stream[at..]));
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown.atoms), lines(&stream.meant(&rules)));
        prop_assert_eq!(lines(&shown_by_copy.atoms), lines(&stream.syntax.expected(&[&stream[..at], &other[..]].concat(), &rules)));
    }

    #[test]
    fn an_empty_chunk_is_nothing(stream in bytes(), rules in rules(), at in any::<usize>()) {
        let mut parser = stream.parser(&rules);
        drop(parser.feed_bytes(&stream[..at % (stream.len() + 1)]));
        let before = parser.checkpoint();
        prop_assert!(parser.feed_bytes(b"").next().is_none());
        prop_assert!(parser.feed("").next().is_none());
        prop_assert_eq!(parser.checkpoint(), before);
    }

    #[test]
    fn a_cursor_dropped_early_loses_no_state(stream in bytes(), rules in rules(), take in 0..4_usize) {
        let mut parser = stream.parser(&rules);
        let mut dropped = parser.clone();
        let mut events = parser.feed_bytes(&stream);
        while events.next().is_some() {}
        drop(events);
        let mut events = dropped.feed_bytes(&stream);
        for _ in 0..take {
            events.next();
        }
        drop(events);
        prop_assert_eq!(parser.checkpoint(), dropped.checkpoint());
    }

    #[test]
    fn everything_adds_up_to_the_stream(stream in text(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(&rules);
        let mut at = 0;
        let text = stream.text();
        for atom in show(&mut parser, cut(&stream, &cuts)) {
            match atom {
                Atom::Text(c) | Atom::Opaque { c, .. } => {
                    prop_assert!(text[at..].starts_with(c), "{c:?} at {at}");
                    at += c.len_utf8();
                }
                Atom::Complete(ended) | Atom::Rejected(_, ended) => {
                    prop_assert_eq!(ended.span.0, at as u64);
                    prop_assert!(ended.span.1 > ended.span.0 || stream.is_empty());
                    at = ended.span.1 as usize;
                    prop_assert!(text.is_char_boundary(at));
                }
                Atom::Question { .. } | Atom::Answer { .. } | Atom::Mode { .. } => {}
            }
        }
        prop_assert_eq!(at, stream.len());
    }

    #[test]
    fn a_parser_is_as_new_after_finish(stream in bytes(), rules in rules()) {
        let mut parser = stream.parser(&rules);
        let new = parser.checkpoint();
        drop(parser.feed_bytes(&stream));
        drop(parser.finish());
        prop_assert_eq!(parser.checkpoint(), new);
        prop_assert_eq!(parser.bytes_fed(), 0);
    }
}

#[test]
fn what_a_service_shares_between_threads_can_be_shared() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Parser>();
    shared::<Policy>();
    shared::<followup::Checkpoint>();
    shared::<followup::Event<'static>>();
}
