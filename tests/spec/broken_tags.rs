//! What begins like a tag and is none is text, in which no call starts, wherever it is cut.

use followup::{Envelope, Envelopes};

use crate::common::reference::{Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{markup, parse, policy};

const JSON: &str = r#"{"name": "ask_followup_question", "arguments": {"question": "Q"}}"#;
const MARKER: &str = r#"[TOOL_CALLS]ask_followup_question[ARGS]{"question": "Q"}"#;

const BEGINNINGS: [&str; 14] = [
    "<tool_call",
    "<tool_calls a=\">",
    "<｜DSML｜tool_calls",
    "<function=a",
    "<function=",
    "<function name=\"a b\"",
    "<invoke",
    "<invoke name=\"a\" b='",
    "<ask_followup_question",
    "<ask_followup_question a=\"",
    "<arg_key",
    "<think",
    "</tool_call",
    "`<tool_call",
];
const BEFORE: [&str; 4] = ["\n", "\": b\n", "é'>'\n", " `a\n\n"];
const AFTER: [&str; 9] = ["", " x", "<x", ">", "/> x", "\n> x", "\n</tool_call>", "\n<tool_call>", "\n>`"];

fn rules() -> Vec<Rules> {
    let json = [Envelope::BareJson, Envelope::Glm].into_iter().collect();
    vec![
        Rules::default(),
        Rules { envelopes: Envelopes::all(), ..Rules::default() },
        Rules { envelopes: json, outside_code: true, ..Rules::with_few_tools() },
        Rules { tag: 40, ..Rules::with_few_tools() },
        Rules { unconfirmed: 30, envelopes: Envelopes::all(), ..Rules::with_few_tools() },
    ]
}

/// Checks that a message means the same whole, byte by byte, and cut in two anywhere.
fn check(message: &str, rules: &Rules, step: usize) {
    let expected = markup(message.as_bytes(), rules);
    let check = |chunks: &[&[u8]]| {
        let shown = parse(&mut followup::Parser::new(policy(rules)), chunks.iter().copied());
        let (envelopes, tag, unconfirmed) = (rules.envelopes, rules.tag, rules.unconfirmed);
        let policy = format!("{envelopes:?}, limits {tag} and {unconfirmed}, {} chunks", chunks.len());
        assert!(
            shown == expected,
            "{message:?}: {policy}\nexpected {}\nshown {}",
            describe(&expected),
            describe(&shown)
        );
    };
    let bytes = message.as_bytes();
    check(&[bytes]);
    check(&bytes.chunks(1).collect::<Vec<_>>());
    check(&bytes.chunks(3).collect::<Vec<_>>());
    for cut in (1..bytes.len()).step_by(step) {
        check(&[&bytes[..cut], &bytes[cut..]]);
    }
}

#[test]
fn no_call_starts_in_what_begins_like_a_tag_and_is_none() {
    // By default one in four is also cut in two.
    let mut sweep = Sweep::new(2).thinned(4);
    for (index, rules) in rules().iter().enumerate() {
        for beginning in BEGINNINGS {
            for before in BEFORE {
                for after in AFTER {
                    for call in [JSON, MARKER] {
                        let step = if sweep.tries(1) { 11 + index } else { usize::MAX };
                        check(&format!("{beginning}{before}{call}{after}"), rules, step);
                    }
                }
            }
        }
    }
}

#[test]
fn a_call_after_what_is_no_tag_starts() {
    for rules in rules() {
        for end in ["<", ">", "/>", "<tool_call<"] {
            check(&format!("<function=a b{end}\n{JSON} x"), &rules, 1);
            check(&format!("<tool_call {}{end}\n{JSON} x", "a".repeat(40)), &rules, 1);
        }
    }
}
