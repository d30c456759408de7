//! Nothing certain is held back (G3), by brute force.
//!
//! After every prefix of every short sequence of pieces, of markup and of the JSON of arguments, what has been shown must be the
//! longest common prefix of what the reference reader makes of all short continuations (but for an incomplete entity, which may wait). That nothing is shown too early needs no test of its own: what was
//! shown is never taken back, and `exhaustive.rs` compares the end.

mod common;

use common::reference::{Atom, Rules, describe};
use common::{atoms, oracle, policy};
use followup::testing::{Syntax, Transcript};

/// The tags a continuation may complete.
const TAGS: [&str; 25] = [
    "<ask_followup_question>",
    "</ask_followup_question>",
    "<question>",
    "</question>",
    "<follow_up>",
    "</follow_up>",
    "<suggestions>",
    "</suggestions>",
    "<suggest>",
    "</suggest>",
    "<suggestion>",
    "</suggestion>",
    "<options>",
    "</options>",
    "<content>",
    "</content>",
    "<mode>",
    "</mode>",
    "<read_file>",
    "</read_file>",
    "<path>",
    "</path>",
    "<think>",
    "</think>",
    "</thinking>",
];

/// What may come next, from the likeliest to tell two readings apart.
const NEXT: [&str; 23] = [
    "",
    "x",
    "`",
    ">x",
    "\">x",
    "'>x",
    "/>x",
    "'/>x",
    "`>x",
    "></ask_followup_question>",
    " ",
    "</ask_followup_question>",
    "</suggest>",
    "</question>",
    "<question>Z</question></ask_followup_question>",
    "<suggest>Z</suggest></ask_followup_question>",
    "<content>Z</content></suggest></ask_followup_question>",
    "</content><content>Z</content></suggest>",
    "</mode>x</suggest></ask_followup_question>",
    "<read_file>",
    "\n",
    "</options><question>Z</question></ask_followup_question>",
    "]</options></follow_up></ask_followup_question>",
];

/// What may come next in JSON.
const NEXT_IN_JSON: [&str; 24] = [
    "",
    "x",
    "\"",
    " ",
    "1",
    "\"}",
    "\"}]}",
    "\"]}",
    "}",
    "]}",
    "}]}",
    "}}",
    ",",
    "\\u0020",
    "\":",
    ":",
    "\"Z\"",
    "[\"Z\"]}",
    "{\"text\":\"Z\"}",
    ",\"answer\":\"Z\",\"mode\":\"n\"}]}",
    ",\"mode\":\"n\"}",
    ",\"question\":\"Z\"}",
    "</suggest><suggest>Z\"}",
    "null",
];

/// Continuations that tell what the stream so far leaves open.
fn continuations(syntax: Syntax, stream: &[u8]) -> Vec<Vec<u8>> {
    let (mut heads, next) = match syntax {
        Syntax::Markup => (heads(stream), &NEXT[..]),
        Syntax::Arguments => (heads_in_json(stream), &NEXT_IN_JSON[..]),
    };
    // The rest of a character: of a blank, of one that is none, or nothing that fits.
    if stream.last().is_some_and(|&b| b >= 0x80) {
        heads.extend(["é", "\u{A0}", "\u{3000}", "\u{2003}", "€", "😀"].iter().flat_map(|c| {
            (1..c.len()).filter(|&n| stream.ends_with(&c.as_bytes()[..n])).map(|n| c.as_bytes()[n..].to_vec())
        }));
    }
    let mut all = Vec::new();
    for next in next {
        all.extend(heads.iter().map(|head| [head, next.as_bytes()].concat()));
    }
    for head in &heads {
        for first in next {
            all.extend(next.iter().map(|second| [head, first.as_bytes(), second.as_bytes()].concat()));
        }
    }
    all
}

/// The rests of an escape, of a pair of surrogates, or of a literal.
fn heads_in_json(stream: &[u8]) -> Vec<Vec<u8>> {
    let begun = [
        "\\n",
        "\\\\",
        "\\u0041",
        "\\u0020",
        "\\u1680",
        "\\u1200",
        "\\u3000",
        "\\ud83d\\ude00",
        "\\ud83d\\u0020",
        "\\ude00",
        "true",
        "false",
        "null",
    ];
    let rests = begun.iter().flat_map(|whole| {
        let whole = whole.as_bytes();
        (1..whole.len()).filter(|&n| stream.ends_with(&whole[..n])).map(|n| whole[n..].to_vec())
    });
    [Vec::new()].into_iter().chain(rests).collect()
}

/// The rests of a tag or of an entity.
fn heads(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut heads: Vec<Vec<u8>> = vec![Vec::new()];
    if let Some(at) = stream.iter().rposition(|&b| b == b'<') {
        let begun = &stream[at..];
        heads.extend(TAGS.iter().filter_map(|tag| tag.as_bytes().strip_prefix(begun)).map(<[u8]>::to_vec));
        heads.extend(
            TAGS.iter()
                .map(|tag| tag.trim_end_matches('>'))
                .filter_map(|tag| {
                    let rest = tag.as_bytes().strip_prefix(begun)?;
                    Some([[rest, b" x=\"\">"].concat(), [rest, b"/>"].concat()])
                })
                .flatten(),
        );
    }
    if let Some(at) = stream.iter().rposition(|&b| b == b'&') {
        let begun = &stream[at..];
        let entities = ["&lt;", "&amp;", "&apos;", "&#32;", "&#x41;", "&#x20;", "&#x3000;", "&#65;", "&#8195;"];
        heads.extend(entities.iter().filter_map(|entity| entity.as_bytes().strip_prefix(begun)).map(<[u8]>::to_vec));
    }
    // A number may end, or go on.
    if stream.rsplit(|&b| b == b'&').next().is_some_and(|begun| begun.first() == Some(&b'#')) {
        let ends = [
            ";", "0;", "2;", "5;", "8;", "20;", "32;", "65;", "032;", "0065;", "000032;", "000065;", "0000065;",
            "000;", "x41;",
        ];
        heads.extend(ends.iter().map(|end| end.as_bytes().to_vec()));
    }
    heads
}

/// How much of what is shown every continuation agrees on; the search ends where it has come down to `shown`.
fn agreed(syntax: Syntax, stream: &[u8], shown: &[Atom], rules: &Rules) -> Vec<Atom> {
    let mut agreed = oracle(syntax, stream, rules);
    for continuation in continuations(syntax, stream) {
        if agreed.len() <= shown.len() {
            break;
        }
        let atoms = oracle(syntax, &[stream, &continuation].concat(), rules);
        let same = agreed.iter().zip(&atoms).take_while(|(a, b)| a == b).count();
        agreed.truncate(same);
    }
    agreed
}

/// With few tools, so that a continuation can complete all of their tags.
fn rules() -> Rules {
    Rules { tools: vec!["read_file".into()], parameters: vec!["path".into()], ..Rules::default() }
}

fn sweep(syntax: Syntax, rules: &Rules, beginnings: &[&str], pieces: &[&[u8]], length: usize) {
    let policy = std::sync::Arc::new(policy(rules));
    let (mut failures, mut tried) = (0, 0);
    for beginning in beginnings {
        // The last piece is fed byte by byte; the shorter sequences have tried the others.
        let mut sequences: Vec<Vec<u8>> = vec![beginning.as_bytes().to_vec()];
        for _ in 0..length {
            let mut longer = Vec::new();
            for sequence in &sequences {
                for piece in pieces {
                    let mut parser = syntax.parser(policy.clone());
                    let mut shown = Transcript::default();
                    shown.take(parser.feed_bytes(sequence));
                    let mut stream = sequence.clone();
                    for &byte in *piece {
                        stream.push(byte);
                        shown.take(parser.feed_bytes(&[byte]));
                        let shown = atoms(&shown);
                        let agreed = agreed(syntax, &stream, &shown, rules);
                        tried += 1;
                        // An incomplete entity may wait until it is complete.
                        let waits = rules.decode_entities && ends_in_entity(&stream) && agreed.starts_with(&shown);
                        if agreed != shown && !waits {
                            failures += 1;
                            if failures <= 10 {
                                eprintln!(
                                    "{:?}\n  agreed {}\n  shown  {}",
                                    String::from_utf8_lossy(&stream),
                                    describe(&agreed),
                                    describe(&shown)
                                );
                            }
                        }
                    }
                    longer.push(stream);
                }
            }
            sequences = longer;
        }
    }
    assert_eq!(failures, 0, "of {tried} prefixes");
}

/// Whether the stream ends in what may be an incomplete entity.
fn ends_in_entity(stream: &[u8]) -> bool {
    let tail = &stream[stream.len().saturating_sub(10)..];
    let entity = tail.iter().rposition(|&byte| byte == b'&').map(|start| &tail[start + 1..]);
    entity.is_some_and(|rest| rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'#'))
}

/// Sequences of up to so many pieces are tried. `FOLLOWUP_SWEEP=3` goes further (minutes).
fn length() -> usize {
    std::env::var("FOLLOWUP_SWEEP").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

const BEGINNINGS: [&str; 9] = [
    "",
    "<ask_followup_question>",
    "<ask_followup_question>Bare?<suggest>A</suggest>",
    "<ask_followup_question><question>",
    "<ask_followup_question><question>Q</question>",
    "<ask_followup_question><question>Q</question><follow_up>",
    "<ask_followup_question><question>Q</question><follow_up><suggest>",
    "<ask_followup_question><follow_up><suggest mode='m'>",
    "<ask_followup_question><follow_up><suggest><mode>",
];

const MARKUP: [&[u8]; 27] = [
    b"<ask_followup_question>",
    b"</ask_followup_question>",
    b"<ask_followup_question x='>'/>",
    b"<question>",
    b"</question>",
    b"<follow_up>",
    b"</follow_up >",
    b"<suggest>",
    b"</suggest>",
    b"<suggest mode=\"m\">",
    b"<suggestion/>",
    b"<content>",
    b"</content>",
    b"<mode>",
    b"</mode>",
    b"<options>",
    b"</options>",
    b"[\"a\", 1]",
    b"<read_file>",
    b"</read_file>",
    b"<path>",
    b"</path>",
    b"x",
    b" ",
    b"`",
    b"<<",
    "é\u{3000}\u{A0}😀".as_bytes(),
];

#[test]
fn nothing_certain_is_held_back() {
    sweep(Syntax::Markup, &rules(), &BEGINNINGS, &MARKUP, length());
}

#[test]
fn nothing_certain_is_held_back_under_the_strict_policy() {
    sweep(Syntax::Markup, &Rules { strict: true, ..rules() }, &BEGINNINGS, &MARKUP, length());
}

#[test]
fn nothing_certain_is_held_back_when_entities_are_decoded() {
    let pieces: [&[u8]; 18] = [
        b"&amp;",
        b"&apos;",
        b"&lt;",
        b"&#32;",
        b"&#x3000;",
        b"&#x20",
        b"&#38;",
        b"&#0000038;",
        b"&x;",
        b" ",
        b"x",
        b"</question>",
        b"</suggest>",
        b"<suggest mode='&amp;'>",
        b"</ask_followup_question>",
        b"`",
        "é".as_bytes(),
        b"<mode>&#65;</mode>",
    ];
    let beginnings = [
        "<ask_followup_question><question>",
        "<ask_followup_question><question>a ",
        "<ask_followup_question><question>Q</question><suggest mode='m'>",
        "<ask_followup_question><question>Q</question><suggest><mode>m</mode>",
        "<ask_followup_question><question>Q</question><suggest><content>",
    ];
    sweep(Syntax::Markup, &Rules { decode_entities: true, ..rules() }, &beginnings, &pieces, length());
    let rules = Rules { decode_entities: true, question: 3, answer: 3, ..rules() };
    sweep(Syntax::Markup, &rules, &beginnings, &pieces, length());
}

#[test]
fn nothing_certain_is_held_back_outside_code() {
    let pieces: [&[u8]; 17] = [
        b"`",
        b"``",
        b"```",
        b"~~~",
        b"\n",
        b" ",
        b"x",
        b"<think>",
        b"</think>",
        b"<thinking>",
        b"</thinking>",
        b"<ask_followup_question>",
        b"</ask_followup_question>",
        b"<question>Q</question>",
        b"<read_file>",
        b"</read_file>",
        b"<",
    ];
    let beginnings = ["", "```\n", "x `a", "<ask_followup_question>", "<thinking>"];
    sweep(Syntax::Markup, &Rules { outside_code: true, ..rules() }, &beginnings, &pieces, length());
}

#[test]
fn nothing_certain_is_held_back_near_the_limits() {
    for rules in [
        Rules { tag: 12, ..rules() },
        Rules { tag: 24, ..rules() },
        Rules { bare: 12, ..rules() },
        Rules { bare: 25, ..rules() },
        Rules { bare: 0, ..rules() },
        Rules { bare: 1, ..rules() },
        Rules { bare: 2, ..rules() },
        Rules { question: 2, answer: 2, suggestions: 1, ..rules() },
        Rules { question: 0, answer: 0, suggestions: 0, ..rules() },
        Rules { tag: 26, bare: 30, question: 4, answer: 5, suggestions: 1, strict: true, ..rules() },
    ] {
        sweep(Syntax::Markup, &rules, &BEGINNINGS, &MARKUP, 1);
        sweep(
            Syntax::Markup,
            &rules,
            &["", "<ask_followup_question>", "<ask_followup_question><question>"],
            &MARKUP,
            length(),
        );
    }
}

/// In the middle of every value there is.
const JSON_BEGINNINGS: [&str; 9] = [
    "",
    "{\"question\":",
    "{\"question\":\"",
    "{\"question\":\"Q\",\"follow_up\":",
    "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a ",
    "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"m\",\"answer\":",
    "{\"follow_up\":{\"k\":1,",
    "{\"question\":\"Q\",\"suggestion\":\"[",
    "{\"options\":[\"A\"],\"follow_up\":\"<suggest",
];

const JSON: [&[u8]; 23] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"x",
    b" ",
    b"\n",
    b"\\n",
    b"\\u0020",
    b"\\u12x",
    b"\\ud83d\\ude00",
    b"\\uD83D",
    b"-0.5e+1",
    b"true",
    b"null",
    b"\"text\":",
    b"\"mode\":\"n\"",
    b"\"0\":",
    b"<suggest mode='m'>",
    "é\u{3000}\u{A0}😀".as_bytes(),
];

#[test]
fn nothing_certain_is_held_back_of_json() {
    sweep(Syntax::Arguments, &rules(), &JSON_BEGINNINGS, &JSON, length());
}

#[test]
fn nothing_certain_is_held_back_of_json_under_the_strict_policy() {
    sweep(Syntax::Arguments, &Rules { strict: true, ..rules() }, &JSON_BEGINNINGS, &JSON, length());
}

#[test]
fn nothing_certain_is_held_back_of_json_near_the_limits() {
    for rules in [
        Rules { question: 2, answer: 2, suggestions: 1, ..rules() },
        Rules { question: 0, answer: 0, suggestions: 0, ..rules() },
        Rules { question: 4, answer: 5, suggestions: 3, strict: true, ..rules() },
    ] {
        sweep(Syntax::Arguments, &rules, &JSON_BEGINNINGS, &JSON, length());
    }
}
