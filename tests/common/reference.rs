//! The reference reader of messages, as plain as possible: the oracle of the tests.
//!
//! It sees the whole stream at once: it knows no chunks, keeps no state between them, looks ahead,
//! and reads text twice where that is simpler. Each function implements one section of
//! `docs/format.md`, whose sentences are quoted in the comments. Where the page leaves something
//! open, a comment begins with `Decided:`.
#![allow(dead_code)]

use std::collections::BTreeSet;

use followup::{Envelope, Envelopes, Tools};

mod call;
mod follow_up;
mod json;
mod prose;
mod tags;
mod values;
mod words;

pub(super) use self::follow_up::read_follow_up;
pub(super) use self::values::{TooLong, Value};
pub(super) use self::words::{Attributes, Char, Shape, Side, is_tag_space};

/// A policy and its limits.
#[derive(Clone, Debug)]
pub struct Rules {
    pub strict: bool,
    pub outside_code: bool,
    pub decode_entities: bool,
    /// The families of envelopes that are read, unless the policy is strict.
    pub envelopes: Envelopes,
    /// Names of the other tools.
    pub tools: Vec<String>,
    /// Names of the other tools' parameters.
    pub parameters: Vec<String>,
    pub question: usize,
    pub answer: usize,
    pub suggestions: usize,
    pub tag: usize,
    pub unconfirmed: usize,
}

impl Default for Rules {
    fn default() -> Self {
        let tools = Tools::default();
        Rules {
            strict: false,
            outside_code: false,
            decode_entities: false,
            envelopes: Envelopes::default(),
            tools: tools.tools().map(String::from).collect(),
            parameters: tools.parameters().map(String::from).collect(),
            question: 100 * 1024,
            answer: 16 * 1024,
            suggestions: 32,
            tag: 256,
            unconfirmed: 2 * 1024,
        }
    }
}

impl Rules {
    /// Returns whether envelopes of a family are read. "The strict policy reads none."
    pub fn reads(&self, family: Envelope) -> bool {
        !self.strict && self.envelopes.contains(family)
    }

    /// The default rules with two tools, of two parameters.
    pub fn with_few_tools() -> Rules {
        let names = |names: [&str; 2]| names.map(String::from).to_vec();
        Rules {
            tools: names(["read_file", "write_to_file"]),
            parameters: names(["content", "path"]),
            ..Rules::default()
        }
    }
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedCall {
    /// The index of the call among those that are `Complete` or `Rejected`.
    pub call: usize,
    pub span: (u64, u64),
    pub question: Option<String>,
    /// Each answer, with its mode.
    pub suggest: Vec<(String, Option<String>)>,
    pub notes: BTreeSet<&'static str>,
}

/// The smallest thing that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    Text(char),
    /// A character of the call of another tool with this index.
    Opaque {
        index: usize,
        tool: String,
        c: char,
    },
    Question {
        call: usize,
        c: char,
    },
    Answer {
        call: usize,
        i: usize,
        c: char,
    },
    Mode {
        call: usize,
        i: usize,
        mode: String,
    },
    Complete(EndedCall),
    /// "missing_parameter", "malformed", "truncated" or "too_long".
    Rejected(&'static str, EndedCall),
}

/// Returns everything that is shown of the stream, in the order in which it becomes certain.
pub fn read(stream: &[u8], rules: &Rules) -> Vec<Atom> {
    let mut reader = Reader::new(stream, rules);
    reader.prose();
    reader.shown
}

/// Returns the atoms as lines, neighbours joined, for the messages of failing tests.
pub fn describe(atoms: &[Atom]) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for atom in atoms {
        let (label, c) = match atom {
            Atom::Text(c) => ("text".to_string(), *c),
            Atom::Opaque { index, tool, c } => (format!("opaque {index} {tool}"), *c),
            Atom::Question { call, c } => (format!("question {call}"), *c),
            Atom::Answer { call, i, c } => (format!("answer {call}.{i}"), *c),
            Atom::Mode { call, i, mode } => {
                lines.push((format!("mode {call}.{i} {mode:?}"), String::new()));
                continue;
            }
            Atom::Complete(ended) => {
                lines.push((format!("complete {ended:?}"), String::new()));
                continue;
            }
            Atom::Rejected(reason, ended) => {
                lines.push((format!("rejected {reason} {ended:?}"), String::new()));
                continue;
            }
        };
        match lines.last_mut() {
            Some((last, text)) if *last == label && !text.is_empty() => text.push(c),
            _ => lines.push((label, c.to_string())),
        }
    }
    lines
        .into_iter()
        .map(|(label, text)| match text.is_empty() {
            true => format!("{label}\n"),
            false => format!("{label} {text:?}\n"),
        })
        .collect()
}

pub(super) struct Reader<'a> {
    pub(super) rules: &'a Rules,
    pub(super) chars: Vec<Char>,
    /// The length of the stream.
    bytes: usize,
    pub(super) shown: Vec<Atom>,
    /// The number of calls that are `Complete` or `Rejected`.
    pub(super) calls: usize,
    /// The number of calls of other tools.
    pub(super) opaques: usize,
    /// Where a `</follow_up>` was inserted, if the stream is the text of a `follow_up` (see
    /// `read_follow_up`).
    put_in: Option<usize>,
}

/// Whether the body of a `follow_up` is a list.
#[derive(Clone, Copy)]
enum ListBody {
    /// Only blanks so far.
    Blank,
    /// It begins with the `[` at this index, and no tag of ours has followed.
    Open(usize),
    /// It is no list.
    No,
}

/// An open call.
struct OpenCall {
    /// The offset of its first byte.
    start: usize,
    /// The index of the first character of its body.
    body: usize,
    /// The index of the `<` of the first parameter's tag, or of the call's close tag.
    first_tag: Option<usize>,
    question: Option<String>,
    /// The number of `<question>` tags.
    questions: usize,
    suggest: Vec<(String, Option<String>)>,
    notes: BTreeSet<&'static str>,
    /// The first reason for a rejection.
    wrong: Option<&'static str>,
    /// The span of a list that ends at a tool's opening tag.
    list: Option<(usize, usize)>,
}

/// An open suggestion.
struct Suggestion {
    /// Whether it is within the limit of suggestions.
    kept: bool,
    answer: Value,
    mode: Option<String>,
    /// Its index, once it is certain to exist.
    i: Option<usize>,
}

/// The stream ended inside a value.
struct Cut;

/// What ended a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    CloseTag,
    Tool,
    StreamOutsideValue,
    StreamInsideValue,
}

/// What follows `<ask_followup_question>`.
enum Body {
    /// It is a call.
    Certain,
    /// It is text.
    Named,
    /// The stream ends after blanks or an incomplete tag.
    Truncated,
}

/// The code around a character of prose; thinking blocks only under `OutsideCode`.
#[derive(Clone, Copy)]
enum Code {
    Outside,
    Span { ticks: usize },
    Fence { of: char, long: usize },
    Thinking { name: &'static str },
}
