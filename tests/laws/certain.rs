//! Nothing certain is held back (G3), by brute force.
//!
//! After each byte of each short sequence of pieces, the events so far must add up to the longest
//! common prefix of what the reference reader makes of all short continuations. That nothing is
//! shown too early needs no test of its own: nothing that was shown is taken back, and
//! `exhaustive.rs` compares the end.

use std::sync::Arc;

use followup::Envelopes;
use followup_testing::{Syntax, Transcript};

use crate::common::reference::{Atom, Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{atoms, oracle, policy};

/// The tags a continuation may complete.
pub(crate) const TAGS: [&str; 25] = [
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

/// Pieces of continuations of markup.
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

/// The same for JSON.
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

/// What may follow a stream.
pub(crate) struct Continuations<'a> {
    /// Returns the rests of what a stream ends inside of.
    pub(crate) rests: fn(&[u8]) -> Vec<Vec<u8>>,
    /// The pieces that may follow these; those that tell most readings apart come first.
    pub(crate) next: &'a [&'a str],
}

/// Calls `visit` with continuations of the stream, in three parts, until it returns `false`.
///
/// Each is the rest of what the stream ends inside of, and up to two pieces.
fn continue_with(continuations: &Continuations<'_>, stream: &[u8], visit: impl FnMut([&[u8]; 3]) -> bool) {
    let (mut rests, next) = ((continuations.rests)(stream), continuations.next);
    // The rest of a character: a blank one, another one, or none that fits.
    if stream.last().is_some_and(|&b| b >= 0x80) {
        rests.extend(["é", "\u{A0}", "\u{3000}", "\u{2003}", "€", "😀"].iter().flat_map(|c| {
            (1..c.len()).filter(|&n| stream.ends_with(&c.as_bytes()[..n])).map(|n| c.as_bytes()[n..].to_vec())
        }));
    }
    let one = next.iter().flat_map(|one| rests.iter().map(move |rest| [rest, one.as_bytes(), b""]));
    let two = rests.iter().flat_map(|rest| {
        next.iter().flat_map(move |one| next.iter().map(move |two| [rest, one.as_bytes(), two.as_bytes()]))
    });
    let _ = one.chain(two).all(visit);
}

/// The rests of the escape, the surrogate pair or the literal that the stream ends inside of.
fn rests_in_json(stream: &[u8]) -> Vec<Vec<u8>> {
    let incomplete = [
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
    let rests = incomplete.iter().flat_map(|whole| {
        let whole = whole.as_bytes();
        (1..whole.len()).filter(|&n| stream.ends_with(&whole[..n])).map(|n| whole[n..].to_vec())
    });
    [Vec::new()].into_iter().chain(rests).collect()
}

/// The rests of the tag or the entity that the stream ends inside of.
pub(crate) fn rests(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut rests: Vec<Vec<u8>> = vec![Vec::new()];
    if let Some(at) = stream.iter().rposition(|&b| b == b'<') {
        let incomplete = &stream[at..];
        rests.extend(TAGS.iter().filter_map(|tag| tag.as_bytes().strip_prefix(incomplete)).map(<[u8]>::to_vec));
        rests.extend(
            TAGS.iter()
                .map(|tag| tag.trim_end_matches('>'))
                .filter_map(|tag| {
                    let rest = tag.as_bytes().strip_prefix(incomplete)?;
                    Some([[rest, b" x=\"\">"].concat(), [rest, b"/>"].concat()])
                })
                .flatten(),
        );
    }
    if let Some(at) = stream.iter().rposition(|&b| b == b'&') {
        let incomplete = &stream[at..];
        let entities = ["&lt;", "&amp;", "&apos;", "&#32;", "&#x41;", "&#x20;", "&#x3000;", "&#65;", "&#8195;"];
        rests.extend(
            entities.iter().filter_map(|entity| entity.as_bytes().strip_prefix(incomplete)).map(<[u8]>::to_vec),
        );
    }
    // A number may end or continue.
    if stream.rsplit(|&b| b == b'&').next().is_some_and(|after| after.first() == Some(&b'#')) {
        let ends = [
            ";", "0;", "2;", "5;", "8;", "20;", "32;", "65;", "032;", "0065;", "000032;", "000065;", "0000065;",
            "000;", "x41;",
        ];
        rests.extend(ends.iter().map(|end| end.as_bytes().to_vec()));
    }
    rests
}

/// What all continuations of the stream agree on.
///
/// The search ends once that is no more than `shown`.
fn agreed(
    syntax: Syntax,
    continuations: &Continuations<'_>,
    stream: &[u8],
    shown: &[Atom],
    rules: &Rules,
) -> Vec<Atom> {
    let mut agreed = oracle(syntax, stream, rules);
    if agreed.len() > shown.len() {
        continue_with(continuations, stream, |[rest, one, two]| {
            let atoms = oracle(syntax, &[stream, rest, one, two].concat(), rules);
            let same = agreed.iter().zip(&atoms).take_while(|(a, b)| a == b).count();
            agreed.truncate(same);
            agreed.len() > shown.len()
        });
    }
    agreed
}

/// With few tools, so that a continuation can complete all of their tags, and without envelopes,
/// whose tags other continuations complete.
pub(crate) fn rules() -> Rules {
    let envelopes = Envelopes::none();
    Rules { tools: vec!["read_file".into()], parameters: vec!["path".into()], envelopes, ..Rules::default() }
}

fn sweep(syntax: Syntax, rules: &Rules, beginnings: &[&str], pieces: &[&[u8]], length: usize) {
    let continuations = match syntax {
        Syntax::Markup => Continuations { rests, next: &NEXT },
        Syntax::Arguments => Continuations { rests: rests_in_json, next: &NEXT_IN_JSON },
    };
    sweep_of(Sweep::new(length).thinned(3), syntax, &continuations, rules, beginnings, pieces);
}

/// Asserts of short sequences of pieces, after each of the beginnings, that what all continuations
/// agree on is shown after each byte.
pub(crate) fn sweep_of(
    mut sweep: Sweep,
    syntax: Syntax,
    continuations: &Continuations<'_>,
    rules: &Rules,
    beginnings: &[&str],
    pieces: &[&[u8]],
) {
    let policy = Arc::new(policy(rules));
    let (mut failures, mut tried) = (0, 0);
    for beginning in beginnings {
        // The last piece is fed byte by byte; the shorter sequences have tried the others.
        let mut sequences: Vec<Vec<u8>> = vec![beginning.as_bytes().to_vec()];
        for length in 1..=sweep.length {
            let mut longer = Vec::new();
            for sequence in &sequences {
                for piece in pieces {
                    if !sweep.tries(length) {
                        continue;
                    }
                    let mut parser = syntax.parser(policy.clone());
                    let mut transcript = Transcript::default();
                    transcript.append(parser.feed_bytes(sequence));
                    let mut stream = sequence.clone();
                    for &byte in *piece {
                        stream.push(byte);
                        transcript.append(parser.feed_bytes(&[byte]));
                        let shown = atoms(&transcript);
                        let agreed = agreed(syntax, continuations, &stream, &shown, rules);
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

/// The full length of the sequences; with `FOLLOWUP_SWEEP=3` a sweep takes many minutes.
pub(crate) const LENGTH: usize = 2;

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
    sweep(Syntax::Markup, &rules(), &BEGINNINGS, &MARKUP, LENGTH);
}

#[test]
fn nothing_certain_is_held_back_under_the_strict_policy() {
    sweep(Syntax::Markup, &Rules { strict: true, ..rules() }, &BEGINNINGS, &MARKUP, LENGTH);
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
    sweep(Syntax::Markup, &Rules { decode_entities: true, ..rules() }, &beginnings, &pieces, LENGTH);
    let rules = Rules { decode_entities: true, question: 3, answer: 3, ..rules() };
    sweep(Syntax::Markup, &rules, &beginnings, &pieces, LENGTH);
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
    sweep(Syntax::Markup, &Rules { outside_code: true, ..rules() }, &beginnings, &pieces, LENGTH);
}

#[test]
fn nothing_certain_is_held_back_near_the_limits() {
    for rules in [
        Rules { tag: 12, ..rules() },
        Rules { tag: 24, ..rules() },
        Rules { unconfirmed: 12, ..rules() },
        Rules { unconfirmed: 25, ..rules() },
        Rules { unconfirmed: 0, ..rules() },
        Rules { unconfirmed: 1, ..rules() },
        Rules { unconfirmed: 2, ..rules() },
        Rules { question: 2, answer: 2, suggestions: 1, ..rules() },
        Rules { question: 0, answer: 0, suggestions: 0, ..rules() },
        Rules { tag: 26, unconfirmed: 30, question: 4, answer: 5, suggestions: 1, strict: true, ..rules() },
    ] {
        sweep(Syntax::Markup, &rules, &BEGINNINGS, &MARKUP, 1);
        sweep(
            Syntax::Markup,
            &rules,
            &["", "<ask_followup_question>", "<ask_followup_question><question>"],
            &MARKUP,
            LENGTH,
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
    sweep(Syntax::Arguments, &rules(), &JSON_BEGINNINGS, &JSON, LENGTH);
}

#[test]
fn nothing_certain_is_held_back_of_json_under_the_strict_policy() {
    sweep(Syntax::Arguments, &Rules { strict: true, ..rules() }, &JSON_BEGINNINGS, &JSON, LENGTH);
}

#[test]
fn nothing_certain_is_held_back_of_json_near_the_limits() {
    for rules in [
        Rules { question: 2, answer: 2, suggestions: 1, ..rules() },
        Rules { question: 0, answer: 0, suggestions: 0, ..rules() },
        Rules { question: 4, answer: 5, suggestions: 3, strict: true, ..rules() },
    ] {
        sweep(Syntax::Arguments, &rules, &JSON_BEGINNINGS, &JSON, LENGTH);
    }
}
