//! The reference reader of messages, as plain as possible: the oracle of the tests.
//!
//! It sees the whole stream at once: it knows no chunks, keeps no state between them, looks ahead,
//! and reads text twice where that is simpler. Each function implements one section of
//! `docs/format.md`, whose sentences are quoted in the comments. Where the page leaves something
//! open, a comment begins with `Decided:`.
#![allow(dead_code)]

use std::collections::BTreeSet;

use followup::{Envelope, Envelopes, Tools};

use super::envelopes::Prose;

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

// ------------------------------------------------------------------------------------------- words

/// A character of the stream, and the offsets of its first byte and of the byte after it.
#[derive(Clone)]
pub(super) struct Char {
    pub(super) c: char,
    start: usize,
    end: usize,
    /// Where it is in the text, which limits count.
    offset: usize,
}

/// "The stream is read as `String::from_utf8_lossy` reads it: every ill-formed sequence is one
/// U+FFFD."
fn decode(stream: &[u8]) -> Vec<Char> {
    let mut chars = Vec::new();
    let (mut at, mut offset) = (0, 0);
    for chunk in stream.utf8_chunks() {
        let ill_formed = Some((char::REPLACEMENT_CHARACTER, chunk.invalid().len())).filter(|(_, len)| *len > 0);
        for (c, len) in chunk.valid().chars().map(|c| (c, c.len_utf8())).chain(ill_formed) {
            chars.push(Char { c, start: at, end: at + len, offset });
            (at, offset) = (at + len, offset + c.len_utf8());
        }
    }
    chars
}

/// "Blank characters are those of Unicode `White_Space`."
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

/// "Tag space is space, tab, CR and LF."
pub(super) fn is_tag_space(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

/// The names that are ours; synonyms are one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Name {
    Ask,
    Question,
    FollowUp,
    Suggest,
    Options,
    Content,
    Mode,
}

impl Name {
    fn spellings(self) -> &'static [&'static str] {
        match self {
            Name::Ask => &["ask_followup_question"],
            Name::Question => &["question"],
            Name::FollowUp => &["follow_up", "suggestions"],
            Name::Suggest => &["suggest", "suggestion"],
            Name::Options => &["options"],
            Name::Content => &["content"],
            Name::Mode => &["mode"],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Open,
    Close,
}
use Side::{Close, Open};

type Wanted = (Side, Name);

/// "A parameter's tag: opening or close tag of `question`, `follow_up`, `suggest`, `options`."
const PARAMETER_TAGS: [Wanted; 8] = [
    (Open, Name::Question),
    (Close, Name::Question),
    (Open, Name::FollowUp),
    (Close, Name::FollowUp),
    (Open, Name::Suggest),
    (Close, Name::Suggest),
    (Open, Name::Options),
    (Close, Name::Options),
];

const CALL_CLOSE: [Wanted; 1] = [(Close, Name::Ask)];

// The table "What ends a value". The tags in brackets there, the repairs, are all but the first.
const QUESTION_ENDS: [Wanted; 3] = [(Close, Name::Question), (Open, Name::FollowUp), (Close, Name::Ask)];
const SUGGESTION_ENDS: [Wanted; 4] =
    [(Close, Name::Suggest), (Open, Name::Suggest), (Close, Name::FollowUp), (Close, Name::Ask)];
const OPTIONS_ENDS: [Wanted; 2] = [(Close, Name::Options), (Close, Name::Ask)];

const NESTED_OPENS: [Wanted; 2] = [(Open, Name::Content), (Open, Name::Mode)];
const NESTED_CLOSES: [Wanted; 2] = [(Close, Name::Content), (Close, Name::Mode)];

/// The text at a `<`, when one tag is expected.
pub(super) enum Shape {
    /// Not that tag.
    Text,
    /// The stream ends inside the tag, which would have been at least this many bytes long.
    Beginning(usize),
    Tag {
        end: usize,
        empty: bool,
        mode: Option<String>,
    },
}

/// The text after the name of an opening tag.
pub(super) enum Attributes {
    /// Not the rest of a tag.
    Text,
    /// The stream ends in it, and at least so many bytes are missing.
    Beginning(usize),
    /// The names and values, and the index after the `>`.
    End { end: usize, empty: bool, attributes: Vec<(String, String)> },
}

/// The text at a `<`, when several of our tags are expected.
enum Found {
    Nothing,
    Beginning(usize),
    Tag(Tag),
}

pub(super) struct Tag {
    side: Side,
    name: Name,
    /// "`/` right before `>` makes it empty."
    empty: bool,
    /// The `mode` attribute that counts, if there is one.
    mode: Option<String>,
    /// The index of the character after the tag.
    end: usize,
}

// ------------------------------------------------------------------------------------------ values

/// "&lt; &gt; &amp; &quot; &apos;, &#N; (1 to 7 digits) and &#xH; (1 to 6 digits) are decoded [..];
/// a number that is no character (0 and surrogates included) stays as it is."
/// Returns the character of an entity at the start of `text`, and the length of the entity.
///
/// Decided: the `x` is lower case, the digits after it of either case.
fn entity(text: &[char]) -> Option<(char, usize)> {
    if text.first() != Some(&'&') {
        return None;
    }
    // `&#` and `;` around 7 digits, or `&#x` and `;` around 6, are the longest: 10 characters.
    let semicolon = text.iter().take(10).position(|c| *c == ';')?;
    let name: String = text[1..semicolon].iter().collect();
    let c = match name.as_str() {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let (digits, radix, most) = if let Some(digits) = name.strip_prefix("#x") {
                (digits, 16, 6)
            } else if let Some(digits) = name.strip_prefix('#') {
                (digits, 10, 7)
            } else {
                return None;
            };
            if digits.is_empty() || digits.len() > most {
                return None;
            }
            if !digits.chars().all(|c| c.is_digit(radix)) {
                return None;
            }
            let number = u32::from_str_radix(digits, radix).ok()?;
            if number == 0 {
                return None;
            }
            char::from_u32(number)?
        }
    };
    Some((c, semicolon + 1))
}

/// Returns the text with its entities decoded.
fn decode_entities(text: &str) -> String {
    let text: Vec<char> = text.chars().collect();
    let mut decoded = String::new();
    let mut at = 0;
    while at < text.len() {
        let (c, length) = entity(&text[at..]).unwrap_or((text[at], 1));
        decoded.push(c);
        at += length;
    }
    decoded
}

/// A value as it becomes certain: trimmed at both ends, and within its limit.
pub(super) struct Value {
    /// The certain text. It begins and ends with a character that is not blank.
    pub(super) text: String,
    /// The blanks after it: part of the value if a character follows that is not blank.
    blanks: String,
    limit: usize,
}

pub(super) struct TooLong;

impl Value {
    pub(super) fn new(limit: usize) -> Value {
        Value { text: String::new(), blanks: String::new(), limit }
    }

    /// Appends a character. Returns the text that becomes certain with it.
    ///
    /// "A value passes its limit with the first character that is not blank and would end beyond
    /// it."
    pub(super) fn push(&mut self, c: char) -> Result<String, TooLong> {
        if is_blank(c) {
            if !self.text.is_empty() {
                self.blanks.push(c);
            }
            return Ok(String::new());
        }
        let mut known = std::mem::take(&mut self.blanks);
        known.push(c);
        if self.text.len() + known.len() > self.limit {
            return Err(TooLong);
        }
        self.text.push_str(&known);
        Ok(known)
    }
}

// ------------------------------------------------------------------------------------------ reader

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

// -------------------------------------------------------------------------------------------- tags

impl Reader<'_> {
    pub(super) fn peek(&self, at: usize) -> Option<char> {
        self.chars.get(at).map(|char| char.c)
    }

    /// Returns the offset of a character; the length of the stream for the index after the last
    /// one.
    pub(super) fn byte(&self, at: usize) -> usize {
        self.chars.get(at).map_or(self.bytes, |char| char.start)
    }

    /// The length of the text before the character; for the index after the last one, of all text.
    pub(super) fn offset(&self, at: usize) -> usize {
        self.chars
            .get(at)
            .or(self.chars.last())
            .map_or(0, |char| char.offset + if at < self.chars.len() { 0 } else { char.c.len_utf8() })
    }

    pub(super) fn is_after_back_tick(&self, at: usize) -> bool {
        at > 0 && self.peek(at - 1) == Some('`')
    }

    /// Returns whether the tag `<name>` (or `</name>`) is at `at`.
    ///
    /// "A tag runs from `<` to `>`, has no second `<`, and is at most 256 bytes long."
    /// "Names are exact and lower case, and a name ends at tag space, `/` or `>`."
    pub(super) fn shape(&self, at: usize, side: Side, name: &str, attributes: bool) -> Shape {
        let beginning = |missing: usize| {
            let least = self.offset(self.chars.len()) - self.offset(at) + missing;
            match least <= self.rules.tag {
                true => Shape::Beginning(least),
                false => Shape::Text,
            }
        };
        let whole = |end: usize, empty: bool, mode: Option<String>| {
            let long = self.offset(end) - self.offset(at);
            match long <= self.rules.tag {
                true => Shape::Tag { end, empty, mode },
                false => Shape::Text,
            }
        };

        let head = match side {
            Open => format!("<{name}"),
            Close => format!("</{name}"),
        };
        let mut p = at;
        for (done, c) in head.char_indices() {
            match self.peek(p) {
                None => return beginning(head.len() - done + 1),
                Some(other) if other != c => return Shape::Text,
                Some(_) => p += 1,
            }
        }

        // "tag space before `>`; no attributes, no `/`"
        if !attributes {
            loop {
                match self.peek(p) {
                    None => return beginning(1),
                    Some('>') => return whole(p + 1, false, None),
                    Some(c) if is_tag_space(c) => p += 1,
                    Some(_) => return Shape::Text,
                }
            }
        }

        // "tag space and attributes after the name; `/` right before `>` makes it empty"
        match self.peek(p) {
            None | Some('>') | Some('/') => {}
            Some(c) if is_tag_space(c) => {}
            Some(_) => return Shape::Text,
        }
        let (p, empty, attributes) = match self.attributes(p) {
            Attributes::Text => return Shape::Text,
            Attributes::Beginning(missing) => return beginning(missing),
            Attributes::End { end, empty, attributes } => (end, empty, attributes),
        };
        // "only `mode` on a suggestion counts: trimmed; blank is none; the first that is not blank,
        // as it is written". The attribute's name is exact and lower case too.
        let mode = attributes.into_iter().find(|(name, value)| name == "mode" && !value.trim().is_empty());
        let mode = mode.map(|(_, value)| match self.rules.decode_entities {
            true => decode_entities(&value),
            false => value,
        });
        let mode = mode.map(|value| value.trim().to_string()).filter(|value| !value.is_empty());
        whole(p, empty, mode)
    }

    /// Reads attributes and the `>` after them. "Attributes are read as HTML reads them."
    pub(super) fn attributes(&self, mut p: usize) -> Attributes {
        let mut attributes = Vec::new();
        loop {
            match self.peek(p) {
                None => return Attributes::Beginning(1),
                Some('<') => return Attributes::Text,
                Some('>') => return Attributes::End { end: p + 1, empty: false, attributes },
                Some('/') if self.peek(p + 1) == Some('>') => {
                    return Attributes::End { end: p + 2, empty: true, attributes };
                }
                Some('/') => p += 1,
                Some(c) if is_tag_space(c) => p += 1,
                Some(c) => {
                    // Decided: as in HTML, a `=` where a name should begin is the name's first
                    // character.
                    let mut attribute = c.to_string();
                    p += 1;
                    while let Some(c) = self.peek(p) {
                        if is_tag_space(c) || "/>=<".contains(c) {
                            break;
                        }
                        attribute.push(c);
                        p += 1;
                    }
                    while self.peek(p).is_some_and(is_tag_space) {
                        p += 1;
                    }
                    if self.peek(p) != Some('=') {
                        continue;
                    }
                    p += 1;
                    while self.peek(p).is_some_and(is_tag_space) {
                        p += 1;
                    }
                    let mut value = String::new();
                    match self.peek(p) {
                        // "a quoted value begins with `"` or `'` as the first character after the
                        // `=` (tag space may come between), runs to the same quote, and may hold
                        // `>`"
                        Some(quote) if quote == '"' || quote == '\'' => {
                            p += 1;
                            loop {
                                match self.peek(p) {
                                    None => return Attributes::Beginning(2),
                                    Some('<') => return Attributes::Text,
                                    Some(c) if c == quote => break,
                                    Some(c) => value.push(c),
                                }
                                p += 1;
                            }
                            p += 1;
                        }
                        // "an unquoted value runs to tag space or `>`"; "a `/` right before the
                        // closing `>` is never part of a value"
                        _ => {
                            while let Some(c) = self.peek(p) {
                                if is_tag_space(c) || c == '>' || c == '<' {
                                    break;
                                }
                                if c == '/' && self.peek(p + 1) == Some('>') {
                                    break;
                                }
                                value.push(c);
                                p += 1;
                            }
                        }
                    }
                    attributes.push((attribute, value));
                }
            }
        }
    }

    /// Returns which of these tags of ours is at `at`.
    fn find(&self, at: usize, wanted: &[Wanted]) -> Found {
        if self.put_in == Some(at) {
            let (side, name, empty, mode, end) = (Close, Name::FollowUp, false, None, self.chars.len());
            return match wanted.contains(&(side, name)) {
                true => Found::Tag(Tag { side, name, empty, mode, end }),
                false => Found::Nothing,
            };
        }
        let mut least: Option<usize> = None;
        for (side, name) in wanted {
            if self.put_in.is_some() && matches!(name, Name::Ask | Name::Question) {
                continue;
            }
            for spelling in name.spellings() {
                match self.shape(at, *side, spelling, *side == Open) {
                    Shape::Text => {}
                    Shape::Beginning(bytes) => {
                        least = Some(least.map_or(bytes, |least| least.min(bytes)));
                    }
                    Shape::Tag { end, empty, mode } => {
                        return Found::Tag(Tag { side: *side, name: *name, empty, mode, end });
                    }
                }
            }
        }
        match least {
            Some(bytes) => Found::Beginning(bytes),
            None => Found::Nothing,
        }
    }

    fn find_tag(&self, at: usize, wanted: &[Wanted]) -> Option<Tag> {
        match self.find(at, wanted) {
            Found::Tag(tag) => Some(tag),
            Found::Nothing | Found::Beginning(_) => None,
        }
    }

    /// `<ask_followup_question>`. "A tool's opening tag right before a back-tick is text wherever
    /// it is."
    pub(super) fn ask_open(&self, at: usize) -> Option<Tag> {
        let tag = self.find_tag(at, &[(Open, Name::Ask)])?;
        match self.peek(tag.end) {
            Some('`') => None,
            _ => Some(tag),
        }
    }

    /// Returns the name of another tool whose opening tag is at `at`, and the index after the tag.
    pub(super) fn tool_open(&self, at: usize) -> Option<(String, usize)> {
        for tool in &self.rules.tools {
            if let Shape::Tag { end, .. } = self.shape(at, Open, tool, false)
                && self.peek(end) != Some('`')
            {
                return Some((tool.clone(), end));
            }
        }
        None
    }

    fn is_beginning_of_a_tools_opening_tag(&self, at: usize) -> bool {
        let ask = self.find(at, &[(Open, Name::Ask)]);
        matches!(ask, Found::Beginning(_))
            || self.rules.tools.iter().any(|tool| matches!(self.shape(at, Open, tool, false), Shape::Beginning(_)))
    }
}

// ------------------------------------------------------------------------------------------- prose

impl Reader<'_> {
    pub(super) fn text(&mut self, from: usize, to: usize) {
        for at in from..to {
            self.shown.push(Atom::Text(self.chars[at].c));
        }
    }

    /// "Outside calls the tags are `<ask_followup_question>` and the other tools' opening tags.
    /// Everything else is text."
    ///
    /// Decided: a call of another tool does not start in code either.
    fn prose(&mut self) {
        let mut code = Code::Outside;
        // The end of the last call.
        let mut call_ends = None;
        // Before this index is text that was tried and is no header of an envelope: no call starts
        // there.
        let mut tried = 0;
        // Before this index no envelope starts.
        let mut no_envelope_before = 0;
        let mut at = 0;
        while let Some(c) = self.peek(at) {
            let is_outside = matches!(code, Code::Outside);
            // "By default calls may start anywhere."
            if c == '<' && at >= tried && (is_outside || !self.rules.outside_code) {
                // "After a call, prose continues in the middle of a line and outside code."
                if let Some(tag) = self.ask_open(at) {
                    no_envelope_before = 0;
                    let body = tag.end;
                    if let Some(end) = self.call(at, tag) {
                        at = end;
                        code = Code::Outside;
                        call_ends = Some(at);
                        continue;
                    }
                    // "None starts after an `<ask_followup_question>` that was only named, in as
                    // much text as the `unconfirmed` limit, or up to the next tool's opening tag
                    // with which a call may start." The tag is text, in which no call starts.
                    let limit = self.offset(body).saturating_add(self.rules.unconfirmed);
                    let beyond = |at: &usize| self.offset(*at) + self.chars[*at].c.len_utf8() > limit;
                    no_envelope_before = (body..self.chars.len()).find(beyond).unwrap_or(self.chars.len());
                    tried = body;
                } else if let Some((tool, end)) = self.tool_open(at) {
                    no_envelope_before = 0;
                    at = self.opaque(at, tool, end);
                    call_ends = Some(at);
                    code = Code::Outside;
                    continue;
                }
            }
            // "In prose, at its opener, but not in a code span or code fence, whatever the policy
            // says about markup, not right after a back-tick, and under `OutsideCode` not in a
            // thinking block."
            let line_begins = self.line_begins(at, call_ends);
            let is_after_back_tick = self.is_after_back_tick(at) && call_ends != Some(at);
            let may_be_envelope = at >= tried && at >= no_envelope_before && is_outside && !is_after_back_tick;
            let may_be_tag = c == '<' && at >= tried && (is_outside || !self.rules.outside_code);
            if may_be_envelope {
                match self.envelopes(at, line_begins) {
                    Prose::GoesOn => {}
                    // "Then it is `Text`, in which only back-ticks and tildes mean something"
                    Prose::After(end) => tried = end,
                    Prose::AfterCall(end, text, between) => {
                        at = end;
                        // "What follows a call is neither in code nor right after a back-tick",
                        // unless an opener ended it.
                        call_ends = between.is_none().then_some(end);
                        code = between.map_or(Code::Outside, |from| self.code_after(from, end));
                        tried = text;
                        continue;
                    }
                }
            }
            let next;
            (code, next) = self.code_step(code, at, line_begins, at >= tried);
            // "in what was an incomplete tag and is no tag"
            if may_be_tag {
                tried = tried.max(self.end_of_no_tag(at, may_be_envelope));
            }
            self.text(at, next);
            at = next;
        }
    }

    /// Returns the index up to which what begins at `at` may be an opening tag that is incomplete.
    fn end_of_no_tag(&self, at: usize, may_be_envelope: bool) -> usize {
        if self.put_in.is_some() {
            return at;
        }
        // The header of an envelope has a limit of its own.
        let header = Rules { tag: self.rules.tag.min(self.rules.unconfirmed), ..self.rules.clone() };
        let is_incomplete = |end: &usize| {
            let before = |rules| Reader { chars: self.chars[..*end].to_vec(), ..Reader::new(b"", rules) };
            before(self.rules).is_beginning_of_a_tools_opening_tag(at)
                || may_be_envelope && before(&header).is_beginning_of_an_opener(at)
        };
        (at + 1..=self.chars.len()).take_while(is_incomplete).last().unwrap_or(at)
    }

    /// Returns the code after what is at `at`, and the index after that.
    fn code_step(&self, code: Code, at: usize, line_begins: bool, may_be_tag: bool) -> (Code, usize) {
        match code {
            Code::Outside => self.code_begins(at, line_begins, may_be_tag).unwrap_or((code, at + 1)),
            // "from a run of back-ticks to a run of as many, or to a blank line"
            Code::Span { ticks } => match self.peek(at) {
                Some('`') => {
                    let run = self.run(at, '`');
                    (if run == ticks { Code::Outside } else { code }, at + run)
                }
                Some('\n') if self.is_blank_line(at + 1) => (Code::Outside, at + 1),
                _ => (code, at + 1),
            },
            // "to a line that holds nothing but one run of at least as many of the same (and tag
            // space)"
            Code::Fence { of, long } => match self.closing_fence(at, of, long) {
                Some(end) if at > 0 && self.peek(at - 1) == Some('\n') => (Code::Outside, end),
                _ => (code, at + 1),
            },
            // "from `<think>` or `<thinking>` to its own close tag"
            Code::Thinking { name } => match self.shape(at, Close, name, false) {
                Shape::Tag { end, .. } => (Code::Outside, end),
                _ => (code, at + 1),
            },
        }
    }

    /// Returns the code after text that begins in the middle of a line, outside code.
    ///
    /// Decided: no thinking block begins there.
    fn code_after(&self, from: usize, to: usize) -> Code {
        let (mut code, mut at) = (Code::Outside, from);
        while at < to {
            (code, at) = self.code_step(code, at, self.line_begins(at, Some(from)), false);
        }
        code
    }

    /// Returns whether an envelope may start after such text.
    pub(super) fn may_start_after(&self, from: usize, to: usize) -> bool {
        let is_after_back_tick = to > from && self.is_after_back_tick(to);
        matches!(self.code_after(from, to), Code::Outside) && !is_after_back_tick
    }

    /// "a line that begins (after tag space)". "After a call, prose continues
    /// in the middle of a line".
    fn line_begins(&self, at: usize, call_ends: Option<usize>) -> bool {
        for before in 0..=at {
            if at == before {
                return true;
            }
            match self.chars[at - before - 1].c {
                _ if call_ends == Some(at - before) => return false,
                '\n' => return true,
                c if is_tag_space(c) => {}
                _ => return false,
            }
        }
        true
    }

    /// Returns the code that begins here, and the index after its back-ticks, tildes or tag.
    fn code_begins(&self, at: usize, line_begins: bool, may_be_tag: bool) -> Option<(Code, usize)> {
        match self.peek(at)? {
            // "a line that begins (after tag space) with three or more back-ticks or tildes"
            '`' => {
                let run = self.run(at, '`');
                let rest_of_line = self.chars[at + run..].iter().take_while(|c| c.c != '\n');
                // "A back-tick on the opening line after back-ticks makes it a code span instead."
                let is_fence = line_begins && run >= 3 && rest_of_line.into_iter().all(|c| c.c != '`');
                let code = match is_fence {
                    true => Code::Fence { of: '`', long: run },
                    false => Code::Span { ticks: run },
                };
                Some((code, at + run))
            }
            // Decided: back-ticks after tildes change nothing, as there is no code span of tildes.
            '~' => {
                let run = self.run(at, '~');
                let fence = Code::Fence { of: '~', long: run };
                (line_begins && run >= 3).then_some((fence, at + run))
            }
            // Decided: these two have tag space before `>` at most, as other tools' tags, and are
            // tags also right before a back-tick.
            '<' if self.rules.outside_code && may_be_tag => {
                ["think", "thinking"].into_iter().find_map(|name| match self.shape(at, Open, name, false) {
                    Shape::Tag { end, .. } => Some((Code::Thinking { name }, end)),
                    _ => None,
                })
            }
            _ => None,
        }
    }

    pub(super) fn run(&self, at: usize, of: char) -> usize {
        self.chars[at..].iter().take_while(|c| c.c == of).count()
    }

    /// A blank line holds nothing but tag space.
    fn is_blank_line(&self, from: usize) -> bool {
        let mut line = self.chars[from..].iter().take_while(|c| c.c != '\n');
        let ends = self.chars[from..].iter().any(|c| c.c == '\n');
        ends && line.all(|c| is_tag_space(c.c))
    }

    /// Returns the end of this line, if the rest of it is a closing fence.
    ///
    /// Decided: the back-ticks or tildes are one run.
    fn closing_fence(&self, from: usize, of: char, long: usize) -> Option<usize> {
        let skip_spaces = |mut at: usize| {
            while matches!(self.peek(at), Some(' ' | '\t' | '\r')) {
                at += 1;
            }
            at
        };
        let fence = skip_spaces(from);
        let run = self.run(fence, of);
        let end = skip_spaces(fence + run);
        (run >= long && matches!(self.peek(end), None | Some('\n'))).then_some(end)
    }

    // --------------------------------------------------------------------------------- other tools

    /// "A call of another tool is `Opaque`, from its opening tag on."
    fn opaque(&mut self, start: usize, tool: String, after_tag: usize) -> usize {
        let mut at = after_tag;
        while let Some(c) = self.peek(at) {
            if c == '<' {
                // "Outside parameters the call ends after its own close tag, or before any tool's
                // opening tag (`ask_followup_question` and the same tool again included), or with
                // the stream."
                if self.ask_open(at).is_some() || self.tool_open(at).is_some() {
                    break;
                }
                if let Shape::Tag { end, .. } = self.shape(at, Close, &tool, false) {
                    at = end;
                    break;
                }
                if let Some(end) = self.parameter_of_other_tool(at) {
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        for c in &self.chars[start..at] {
            self.shown.push(Atom::Opaque { index: self.opaques, tool: tool.clone(), c: c.c });
        }
        self.opaques += 1;
        at
    }

    /// "Inside, a parameter's opening tag starts a value that ends at that parameter's own close
    /// tag only."
    fn parameter_of_other_tool(&self, at: usize) -> Option<usize> {
        for parameter in &self.rules.parameters {
            if let Shape::Tag { end, .. } = self.shape(at, Open, parameter, false) {
                for inside in end..self.chars.len() {
                    if let Shape::Tag { end, .. } = self.shape(inside, Close, parameter, false) {
                        return Some(end);
                    }
                }
                return Some(self.chars.len());
            }
        }
        None
    }
}

// ---------------------------------------------------------------------------------------------- a
// call

impl Reader<'_> {
    /// "A repair": a note, or under the strict policy a rejection. "After something has gone wrong
    /// nothing more is read of the call."
    ///
    /// Decided: no notes either. A repair that is a rejection leaves no note.
    fn repair(&self, call: &mut OpenCall, note: &'static str) {
        if call.wrong.is_some() {
            return;
        }
        if !self.rules.strict {
            call.notes.insert(note);
        } else if note == "StreamEnded" {
            call.wrong = Some("truncated");
        } else {
            call.wrong = Some("malformed");
        }
    }

    /// "Three notes of markup are no repairs and stay notes."
    fn remark(&self, call: &mut OpenCall, note: &'static str) {
        if call.wrong.is_none() {
            call.notes.insert(note);
        }
    }

    /// Reads a call from its `<ask_followup_question>`. Returns the index at which prose continues;
    /// `None` if the tag was only named.
    fn call(&mut self, at: usize, tag: Tag) -> Option<usize> {
        let mut call = OpenCall {
            start: self.byte(at),
            body: tag.end,
            first_tag: None,
            question: None,
            questions: 0,
            suggest: Vec::new(),
            notes: BTreeSet::new(),
            wrong: None,
            list: None,
        };
        // "`<ask_followup_question/>` is an empty call."
        if tag.empty {
            self.end(call, tag.end, By::CloseTag);
            return Some(tag.end);
        }
        Some(match self.body(tag.end) {
            Body::Certain => self.parameters(call),
            // "the opening tag was only named: it is `Text` (under the strict policy: `Rejected`,
            // malformed, with the opening tag as its span), and parsing continues right after it as
            // prose"
            Body::Named if self.rules.strict => {
                call.wrong = Some("malformed");
                self.end(call, tag.end, By::CloseTag);
                tag.end
            }
            Body::Named => return None,
            // "the call is `Rejected`, truncated"
            Body::Truncated => {
                self.end(call, self.chars.len(), By::StreamOutsideValue);
                self.chars.len()
            }
        })
    }

    /// "It is not certain to be a call until a *parameter's tag* [..] or the call's close tag has
    /// ended within the first 2048 bytes of the body."
    fn body(&self, from: usize) -> Body {
        let limit = self.offset(from).saturating_add(self.rules.unconfirmed);
        let wanted = [&PARAMETER_TAGS[..], &CALL_CLOSE[..]].concat();
        for at in from..self.chars.len() {
            if self.chars[at].c != '<' {
                continue;
            }
            if let Some(tag) = self.find_tag(at, &wanted) {
                return match self.offset(tag.end) <= limit {
                    true => Body::Certain,
                    false => Body::Named,
                };
            }
            if self.ask_open(at).is_some() || self.tool_open(at).is_some() {
                return Body::Named;
            }
        }
        // "if more than 2048 bytes pass", even if all of them are blank
        if self.offset(self.chars.len()) > limit {
            return Body::Named;
        }
        // "if the stream ends and the body is blank, or blank up to the beginning of a tag that
        // could still have been completed"
        let Some(at) = (from..self.chars.len()).find(|at| !is_blank(self.chars[*at].c)) else {
            return Body::Truncated;
        };
        if let Found::Beginning(least) = self.find(at, &wanted)
            && self.offset(at) + least <= limit
        {
            return Body::Truncated;
        }
        // Decided: a tool's opening tag is a tag as well, though the call would then have been
        // text.
        if self.is_beginning_of_a_tools_opening_tag(at) {
            return Body::Truncated;
        }
        Body::Named
    }

    /// Returns whether the text of a list ends inside a string.
    fn ends_in_string(&self, from: usize, to: usize) -> bool {
        let text: String = self.chars[from..to].iter().map(|c| c.c).collect();
        let mut inside = false;
        let mut escaped = false;
        for c in text.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if inside => escaped = true,
                '"' => inside = !inside,
                _ => {}
            }
        }
        inside
    }

    /// Reads a body, outside every value. Returns the index at which the call ends.
    fn parameters(&mut self, mut call: OpenCall) -> usize {
        let all = [&PARAMETER_TAGS[..], &CALL_CLOSE[..]].concat();
        let mut in_follow_up = false;
        let mut list = ListBody::No;
        let mut at = call.body;
        loop {
            let Some(c) = self.peek(at) else {
                // "if the stream ended inside a value (of a list as well, one that began in a
                // `follow_up` included)"
                let by = match list {
                    ListBody::Open(_) => By::StreamInsideValue,
                    ListBody::Blank | ListBody::No => By::StreamOutsideValue,
                };
                self.end(call, at, by);
                return at;
            };
            // "(and outside the strings of a list in `follow_up`)"
            let in_string = match list {
                ListBody::Open(start) => self.ends_in_string(start, at),
                ListBody::Blank | ListBody::No => false,
            };
            let tag = match c {
                '<' if in_string => self.find_tag(at, &all),
                '<' => self.find_tag(at, &all).or_else(|| self.ask_open(at)),
                _ => None,
            };
            let Some(tag) = tag else {
                // "before a tool's opening tag outside any value"
                if c == '<' && !in_string && self.tool_open(at).is_some() {
                    if let ListBody::Open(start) = list {
                        call.list = Some((start, at));
                    }
                    self.end(call, at, By::Tool);
                    return at;
                }
                // "Between parameters, text and unknown tags mean nothing." "So is [a list] the
                // body of a `follow_up` that holds no tag of ours and begins with `[`."
                if matches!(list, ListBody::Blank) && !is_blank(c) {
                    list = match c {
                        '[' => ListBody::Open(at),
                        _ => ListBody::No,
                    };
                }
                at += 1;
                continue;
            };
            if call.first_tag.is_none() {
                call.first_tag = Some(at);
            }
            // A tag of ours: an open list is none, or ends here.
            let last_list = list;
            list = ListBody::No;
            let cut = match (tag.side, tag.name) {
                // "A call ends after its close tag."
                (Close, Name::Ask) => {
                    if in_follow_up {
                        self.repair(&mut call, "UnclosedFollowUp");
                    }
                    // Decided: a list in the `follow_up` ends there too and is read, as one in
                    // `options` is.
                    if let ListBody::Open(start) = last_list {
                        self.list(&mut call, start, at);
                    }
                    self.end(call, tag.end, By::CloseTag);
                    return tag.end;
                }
                // "before a tool's opening tag outside any value"
                (Open, Name::Ask) => {
                    if let ListBody::Open(start) = last_list {
                        call.list = Some((start, at));
                    }
                    self.end(call, at, By::Tool);
                    return at;
                }
                (Open, Name::Question) => {
                    call.questions += 1;
                    if call.questions > 1 {
                        self.remark(&mut call, "RepeatedQuestion");
                    }
                    match tag.empty {
                        true => Ok(tag.end),
                        false => self.question(&mut call, tag.end),
                    }
                }
                // Decided: follow_ups do not nest. One that opens in another begins anew, the next
                // close tag closes it, and a further one closes nothing. `<follow_up/>` is
                // `<follow_up></follow_up>`.
                (Open, Name::FollowUp) => {
                    in_follow_up = !tag.empty;
                    if in_follow_up {
                        list = ListBody::Blank;
                    }
                    Ok(tag.end)
                }
                (Close, Name::FollowUp) => {
                    if in_follow_up {
                        if let ListBody::Open(start) = last_list {
                            self.list(&mut call, start, at);
                        }
                    } else {
                        self.repair(&mut call, "StrayCloseTag");
                    }
                    in_follow_up = false;
                    Ok(tag.end)
                }
                (Open, Name::Suggest) => {
                    // Decided: this holds for a blank suggestion too, as it is the tag that is out
                    // of place.
                    if !in_follow_up {
                        self.repair(&mut call, "OutsideFollowUp");
                    }
                    match tag.empty {
                        true => Ok(tag.end),
                        false => self.suggestion(&mut call, tag.end, tag.mode),
                    }
                }
                (Open, Name::Options) => match tag.empty {
                    true => {
                        self.list(&mut call, tag.end, tag.end);
                        Ok(tag.end)
                    }
                    false => self.options(&mut call, tag.end),
                },
                // "a parameter's close tag closed nothing"
                (Close, Name::Question | Name::Suggest | Name::Options) => {
                    self.repair(&mut call, "StrayCloseTag");
                    Ok(tag.end)
                }
                (_, Name::Content | Name::Mode) => unreachable!("not looked for"),
            };
            match cut {
                Ok(next) => at = next,
                Err(Cut) => {
                    let end = self.chars.len();
                    self.end(call, end, By::StreamInsideValue);
                    return end;
                }
            }
        }
    }

    /// The section "The end".
    fn end(&mut self, mut call: OpenCall, at: usize, by: By) {
        if by == By::Tool {
            self.repair(&mut call, "UnclosedCall");
            if let Some((from, to)) = call.list {
                self.list(&mut call, from, to);
            }
        }
        // "The bare question: if the call has no `<question>`, the text between the opening tag and
        // the first parameter's tag, unless it is blank. It becomes known when the call ends."
        // Decided: it is taken, and then it is a repair, so that under the strict policy it has
        // been read.
        if call.wrong.is_none()
            && call.questions == 0
            && let Some(first_tag) = call.first_tag
        {
            let mut text: String = self.chars[call.body..first_tag].iter().map(|c| c.c).collect();
            if self.rules.decode_entities {
                text = decode_entities(&text);
            }
            let text = text.trim();
            if text.len() > self.rules.question {
                call.wrong = Some("too_long");
            } else if !text.is_empty() {
                for c in text.chars() {
                    self.shown.push(Atom::Question { call: self.calls, c });
                }
                call.question = Some(text.to_string());
                self.repair(&mut call, "BareQuestion");
            }
        }
        if by == By::StreamOutsideValue && call.question.is_some() {
            self.repair(&mut call, "StreamEnded");
        }

        let by_stream = by == By::StreamOutsideValue || by == By::StreamInsideValue;
        let reason = if call.wrong.is_some() {
            // "1. `Rejected` for the first thing that went wrong"
            call.wrong
        } else if by == By::StreamInsideValue || by_stream && call.question.is_none() {
            // "2. `Rejected`, truncated, if the stream ended inside a value [..], or if it ended
            // outside any value and there is no question, not even a bare one"
            Some("truncated")
        } else if call.question.is_none() {
            // "3. `Rejected`, missing parameter, if there is no question"
            Some("missing_parameter")
        } else {
            // "4. `Complete` otherwise."
            None
        };
        let ended = EndedCall {
            call: self.calls,
            span: (call.start as u64, self.byte(at) as u64),
            question: call.question,
            suggest: call.suggest,
            notes: call.notes,
        };
        self.calls += 1;
        self.shown.push(match reason {
            Some(reason) => Atom::Rejected(reason, ended),
            None => Atom::Complete(ended),
        });
    }

    // -------------------------------------------------------------------------------------- values

    /// Returns the next character of a value (an entity is one if entities are decoded), and the
    /// index after it.
    pub(super) fn character(&self, at: usize) -> (char, usize) {
        if self.rules.decode_entities {
            let ahead: Vec<char> = self.chars[at..].iter().take(10).map(|c| c.c).collect();
            if let Some((c, length)) = entity(&ahead) {
                return (c, at + length);
            }
        }
        (self.chars[at].c, at + 1)
    }

    /// Returns the text of a value.
    fn characters(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        let mut at = from;
        while at < to {
            let (c, next) = self.character(at);
            text.push(c);
            at = next;
        }
        text
    }

    /// Reads a value up to the next of the tags `ends`. An opening tag among them right after a
    /// back-tick is text, and a repair.
    ///
    /// `put` gets the text as it becomes certain. If the stream ends, the rest is text, without an
    /// incomplete tag.
    fn stretch(
        &mut self,
        call: &mut OpenCall,
        from: usize,
        ends: &[Wanted],
        put: &mut dyn FnMut(&mut Self, &mut OpenCall, char),
    ) -> Result<(usize, Tag), Cut> {
        // The opening tags that would end the value. (`<content>` and `<mode>` end none.)
        let is_text_in_code = |wanted: &Wanted| wanted.0 == Open && !matches!(wanted.1, Name::Content | Name::Mode);
        let text_in_code: Vec<Wanted> = ends.iter().copied().filter(is_text_in_code).collect();
        let tags_in_code: Vec<Wanted> = ends.iter().copied().filter(|w| !is_text_in_code(w)).collect();
        let mut at = from;
        while at < self.chars.len() {
            if self.chars[at].c == '<' {
                let possible = if self.is_after_back_tick(at) {
                    if let Some(tag) = self.find_tag(at, &text_in_code) {
                        for c in self.characters(at, tag.end).chars() {
                            put(self, call, c);
                        }
                        self.repair(call, "TagInCode");
                        at = tag.end;
                        continue;
                    }
                    self.find(at, &tags_in_code)
                } else {
                    self.find(at, ends)
                };
                match possible {
                    Found::Tag(tag) => return Ok((at, tag)),
                    Found::Beginning(_) => return Err(Cut),
                    Found::Nothing => {}
                }
            }
            let (c, next) = self.character(at);
            put(self, call, c);
            at = next;
        }
        Err(Cut)
    }

    /// Reads a `<question>` from the index after its tag.
    fn question(&mut self, call: &mut OpenCall, from: usize) -> Result<usize, Cut> {
        // "the first that is not blank is the question"; the text of a later one is not read
        let counts = call.question.is_none();
        let mut value = Value::new(self.rules.question);
        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| {
            if !counts || call.wrong.is_some() {
                return;
            }
            match value.push(c) {
                Err(TooLong) => call.wrong = Some("too_long"),
                Ok(known) => {
                    for c in known.chars() {
                        let call_number = reader.calls;
                        reader.shown.push(Atom::Question { call: call_number, c });
                        call.question.get_or_insert_with(String::new).push(c);
                    }
                }
            }
        };
        let (at, tag) = self.stretch(call, from, &QUESTION_ENDS, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Question) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedQuestion");
        Ok(at)
    }

    /// Reads `<options>` from the index after its tag.
    fn options(&mut self, call: &mut OpenCall, from: usize) -> Result<usize, Cut> {
        let (at, tag) = self.stretch(call, from, &OPTIONS_ENDS, &mut |_, _, _| {})?;
        if (tag.side, tag.name) == (Close, Name::Options) {
            self.list(call, from, at);
            return Ok(tag.end);
        }
        // Decided: under the strict policy nothing is read after the repair, so this list is not.
        self.repair(call, "UnclosedOptions");
        self.list(call, from, at);
        Ok(at)
    }

    /// Reads a `<suggest>` from the index after its tag.
    fn suggestion(&mut self, call: &mut OpenCall, from: usize, mode: Option<String>) -> Result<usize, Cut> {
        // Decided: a suggestion beyond the limit has no limit for its answer or its mode.
        let kept = call.suggest.len() < self.rules.suggestions;
        let limit = if kept { self.rules.answer } else { usize::MAX };
        let mut suggestion = Suggestion { kept, answer: Value::new(limit), mode, i: None };

        // "A suggestion in which the first thing that is not blank is `<content>` or `<mode>` is
        // nested."
        // Decided: blank as it is written, so an entity is not. The beginning of such a tag at the
        // end of the stream is not text either.
        let mut first = from;
        while self.peek(first).is_some_and(is_blank) {
            first += 1;
        }
        if first == self.chars.len() {
            return Err(Cut);
        }
        match self.find(first, &NESTED_OPENS) {
            Found::Tag(_) => return self.nested(call, suggestion, first),
            Found::Beginning(_) => return Err(Cut),
            Found::Nothing => {}
        }

        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| reader.answer(call, &mut suggestion, c);
        let (at, tag) = self.stretch(call, from, &SUGGESTION_ENDS, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Suggest) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedSuggestion");
        Ok(at)
    }

    /// Reads a nested suggestion from its first element on.
    fn nested(&mut self, call: &mut OpenCall, mut suggestion: Suggestion, from: usize) -> Result<usize, Cut> {
        let ends = [&SUGGESTION_ENDS[..], &NESTED_OPENS[..], &NESTED_CLOSES[..]].concat();
        let mut contents = 0;
        let mut outside = String::new();
        let mut at = from;
        let next = loop {
            let mut put = |_: &mut Self, _: &mut OpenCall, c: char| outside.push(c);
            let (tag_at, tag) = self.stretch(call, at, &ends, &mut put)?;
            match (tag.side, tag.name) {
                (Close, Name::Suggest) => break tag.end,
                (Open, Name::Content) => {
                    contents += 1;
                    at = match tag.empty {
                        true => tag.end,
                        false => self.content(call, &mut suggestion, tag.end)?,
                    };
                }
                (Open, Name::Mode) => {
                    at = match tag.empty {
                        true => tag.end,
                        false => self.mode(call, &mut suggestion, tag.end)?,
                    };
                }
                // "or `</content>`, `</mode>` in a nested suggestion did"
                (Close, Name::Content | Name::Mode) => {
                    self.repair(call, "StrayCloseTag");
                    at = tag.end;
                }
                _ => {
                    self.repair(call, "UnclosedSuggestion");
                    break tag_at;
                }
            }
        };
        // "If it has no `<content>`, the text outside `<mode>` is [its answer]." It becomes known
        // only here.
        if contents == 0 {
            self.whole_answer(call, suggestion.mode, &outside);
        }
        Ok(next)
    }

    /// Reads a `<content>` from the index after its tag. "Both elements end at their own close tag,
    /// or with a repair at anything that ends the suggestion."
    fn content(&mut self, call: &mut OpenCall, suggestion: &mut Suggestion, from: usize) -> Result<usize, Cut> {
        let ends = [&[(Close, Name::Content)], &SUGGESTION_ENDS[..]].concat();
        // "its `<content>` (the first that is not blank) is its answer"
        let counts = suggestion.answer.text.is_empty();
        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| {
            if counts {
                reader.answer(call, suggestion, c);
            }
        };
        let (at, tag) = self.stretch(call, from, &ends, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Content) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedSuggestion");
        Ok(at)
    }

    /// Reads a `<mode>` from the index after its tag.
    fn mode(&mut self, call: &mut OpenCall, suggestion: &mut Suggestion, from: usize) -> Result<usize, Cut> {
        let ends = [&[(Close, Name::Mode)], &SUGGESTION_ENDS[..]].concat();
        // "Its `<mode>` (the first that is not blank, an attribute before an element) is its mode."
        let counts = suggestion.mode.is_none();
        // Decided: the limit is passed here even if the suggestion turns out to be blank.
        let mut value = Value::new(suggestion.answer.limit);
        let mut put = |_: &mut Self, call: &mut OpenCall, c: char| {
            if counts && call.wrong.is_none() && value.push(c).is_err() {
                call.wrong = Some("too_long");
            }
        };
        let (at, tag) = self.stretch(call, from, &ends, &mut put)?;
        let next = if (tag.side, tag.name) == (Close, Name::Mode) {
            tag.end
        } else {
            self.repair(call, "UnclosedSuggestion");
            at
        };
        if counts && call.wrong.is_none() && !value.text.is_empty() {
            suggestion.mode = Some(value.text.clone());
            if let Some(i) = suggestion.i {
                call.suggest[i].1 = Some(value.text.clone());
                self.shown.push(Atom::Mode { call: self.calls, i, mode: value.text });
            }
        }
        Ok(next)
    }

    /// Reads a character of an answer that becomes certain as it comes.
    fn answer(&mut self, call: &mut OpenCall, suggestion: &mut Suggestion, c: char) {
        if call.wrong.is_some() {
            return;
        }
        let known = match suggestion.answer.push(c) {
            Ok(known) => known,
            Err(TooLong) => {
                call.wrong = Some("too_long");
                return;
            }
        };
        // "A blank one does not exist."
        if known.is_empty() {
            return;
        }
        // "`SuggestionsDropped` (a suggestion beyond the limit)"
        if !suggestion.kept {
            self.remark(call, "SuggestionsDropped");
            return;
        }
        let i = match suggestion.i {
            Some(i) => i,
            None => self.new_suggestion(call, suggestion.mode.clone()),
        };
        suggestion.i = Some(i);
        self.add_to_answer(call, i, &known);
    }

    /// Reads an answer that becomes certain all at once.
    ///
    /// Decided: if it is too long, nothing of it has been certain before the character that is too
    /// much, so nothing of it is kept.
    fn whole_answer(&mut self, call: &mut OpenCall, mode: Option<String>, text: &str) {
        if call.wrong.is_some() || text.trim().is_empty() {
            return;
        }
        if call.suggest.len() >= self.rules.suggestions {
            self.remark(call, "SuggestionsDropped");
            return;
        }
        if text.trim().len() > self.rules.answer {
            call.wrong = Some("too_long");
            return;
        }
        let i = self.new_suggestion(call, mode);
        self.add_to_answer(call, i, text.trim());
    }

    fn new_suggestion(&mut self, call: &mut OpenCall, mode: Option<String>) -> usize {
        let i = call.suggest.len();
        call.suggest.push((String::new(), mode.clone()));
        if let Some(mode) = mode {
            self.shown.push(Atom::Mode { call: self.calls, i, mode });
        }
        i
    }

    fn add_to_answer(&mut self, call: &mut OpenCall, i: usize, text: &str) {
        for c in text.chars() {
            self.shown.push(Atom::Answer { call: self.calls, i, c });
        }
        call.suggest[i].0.push_str(text);
    }

    /// Reads a text as a list.
    ///
    /// "if it is JSON (RFC 8259, nested no deeper than 128) its strings, numbers and booleans are
    /// suggestions, and other elements are skipped. A list [..] that can't be read [..] is dropped
    /// with a note".
    ///
    /// Decided: it is trimmed of blanks like any value before it is measured and read; a blank one
    /// can't be read; JSON that is no array can't either.
    fn list(&mut self, call: &mut OpenCall, from: usize, to: usize) {
        if call.wrong.is_some() {
            return;
        }
        let text: String = self.chars[from..to].iter().map(|c| c.c).collect();
        let text = text.trim();
        // "The text of a list may be as long as all suggestions together (`answer` limit ×
        // `suggestions` limit); a longer one is dropped in the same way."
        let limit = self.rules.answer.saturating_mul(self.rules.suggestions);
        let items = match text.len() <= limit {
            true => json_list(text),
            false => None,
        };
        let Some(items) = items else {
            self.remark(call, "UnreadableList");
            return;
        };
        for item in items {
            let item = match self.rules.decode_entities {
                true => decode_entities(&item),
                false => item,
            };
            self.whole_answer(call, None, &item);
        }
    }
}

// -------------------------------------------------------------------------------------------- JSON

/// Returns the strings, numbers and booleans of a JSON array (RFC 8259) as text; `None` if the text
/// is no array.
fn json_list(text: &str) -> Option<Vec<String>> {
    let mut json = Json { text: text.chars().collect(), at: 0 };
    json.space();
    if json.peek() != Some('[') {
        return None;
    }
    let items = json.array(1)?;
    json.space();
    match json.peek() {
        None => Some(items),
        Some(_) => None,
    }
}

struct Json {
    text: Vec<char>,
    at: usize,
}

impl Json {
    pub(super) fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Skips this character if it is next.
    fn eat(&mut self, c: char) -> Option<()> {
        if self.peek() != Some(c) {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// `ws = *( %x20 / %x09 / %x0A / %x0D )`
    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    /// A value: `Some(Some(text))` for a string, a number or a boolean, `Some(None)` for another
    /// one.
    fn value(&mut self, depth: usize) -> Option<Option<String>> {
        match self.peek()? {
            '"' => Some(Some(self.string()?)),
            '-' | '0'..='9' => Some(Some(self.number()?)),
            't' => Some(Some(self.word("true")?)),
            'f' => Some(Some(self.word("false")?)),
            'n' => {
                self.word("null")?;
                Some(None)
            }
            '[' => {
                self.array(depth + 1)?;
                Some(None)
            }
            '{' => {
                self.object(depth + 1)?;
                Some(None)
            }
            _ => None,
        }
    }

    /// `[ value *( , value ) ]`
    fn array(&mut self, depth: usize) -> Option<Vec<String>> {
        if depth > 128 {
            return None;
        }
        let mut items = Vec::new();
        self.eat('[')?;
        self.space();
        if self.eat(']').is_some() {
            return Some(items);
        }
        loop {
            self.space();
            if let Some(item) = self.value(depth)? {
                items.push(item);
            }
            self.space();
            if self.eat(']').is_some() {
                return Some(items);
            }
            self.eat(',')?;
        }
    }

    /// `{ string : value *( , string : value ) }`
    fn object(&mut self, depth: usize) -> Option<()> {
        if depth > 128 {
            return None;
        }
        self.eat('{')?;
        self.space();
        if self.eat('}').is_some() {
            return Some(());
        }
        loop {
            self.space();
            self.string()?;
            self.space();
            self.eat(':')?;
            self.space();
            self.value(depth)?;
            self.space();
            if self.eat('}').is_some() {
                return Some(());
            }
            self.eat(',')?;
        }
    }

    fn word(&mut self, word: &str) -> Option<String> {
        for c in word.chars() {
            self.eat(c)?;
        }
        Some(word.to_string())
    }

    fn digits(&mut self) -> Option<()> {
        if !self.peek()?.is_ascii_digit() {
            return None;
        }
        while self.peek().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        Some(())
    }

    /// `[ - ] int [ . digits ] [ e digits ]`, kept as it is written.
    fn number(&mut self) -> Option<String> {
        let from = self.at;
        let _ = self.eat('-');
        if self.eat('0').is_none() {
            self.digits()?;
        }
        if self.eat('.').is_some() {
            self.digits()?;
        }
        if self.eat('e').is_some() || self.eat('E').is_some() {
            if self.eat('+').is_none() {
                let _ = self.eat('-');
            }
            self.digits()?;
        }
        Some(self.text[from..self.at].iter().collect())
    }

    fn string(&mut self) -> Option<String> {
        let mut string = String::new();
        self.eat('"')?;
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '"' => return Some(string),
                '\\' => {
                    let escape = self.peek()?;
                    self.at += 1;
                    string.push(match escape {
                        '"' | '\\' | '/' => escape,
                        'b' => '\u{8}',
                        'f' => '\u{C}',
                        'n' => '\n',
                        'r' => '\r',
                        't' => '\t',
                        'u' => self.unicode_escape()?,
                        _ => return None,
                    });
                }
                '\0'..='\u{1F}' => return None,
                c => string.push(c),
            }
        }
    }

    /// Reads an escape after its `\u`, with a second one if the two are a pair. A surrogate alone
    /// is U+FFFD.
    fn unicode_escape(&mut self) -> Option<char> {
        let unit = self.four_digits()?;
        if (0xD800..0xDC00).contains(&unit) {
            let after = self.at;
            if self.eat('\\').is_some() && self.eat('u').is_some() {
                let low = self.four_digits()?;
                if (0xDC00..0xE000).contains(&low) {
                    return char::from_u32(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                }
            }
            self.at = after;
        }
        Some(char::from_u32(unit).unwrap_or('\u{FFFD}'))
    }

    fn four_digits(&mut self) -> Option<u32> {
        let mut unit = 0;
        for _ in 0..4 {
            unit = unit * 16 + self.peek()?.to_digit(16)?;
            self.at += 1;
        }
        Some(unit)
    }
}

// ------------------------------------------------------------------------------ markup in a string

/// The suggestions of a string in JSON arguments.
pub(super) struct FollowUp {
    pub(super) shown: Vec<Atom>,
    pub(super) suggest: Vec<(String, Option<String>)>,
    pub(super) notes: BTreeSet<&'static str>,
    pub(super) wrong: Option<&'static str>,
}

/// Reads a text as the body of an open `<follow_up>`, after the suggestions that the call has
/// already. Returns `None` if the text is no markup.
///
/// "markup, if it holds an opening tag of `suggest` or `options` (or a synonym; a tag within the
/// tag limit, wherever it is)"
pub(super) fn read_follow_up(text: &str, rules: &Rules, suggest: &[(String, Option<String>)]) -> Option<FollowUp> {
    let end = text.chars().count();
    // "At its end, `</follow_up>` is inserted."
    let stream = format!("{text}</follow_up>");
    let mut reader = Reader { put_in: Some(end), ..Reader::new(stream.as_bytes(), rules) };
    let wanted = [(Open, Name::Suggest), (Open, Name::Options)];
    if !(0..end).any(|at| reader.peek(at) == Some('<') && reader.find_tag(at, &wanted).is_some()) {
        return None;
    }
    let mut call = OpenCall {
        start: 0,
        body: 0,
        first_tag: None,
        question: None,
        questions: 0,
        suggest: suggest.to_vec(),
        notes: BTreeSet::new(),
        wrong: None,
        list: None,
    };
    reader.follow_up_text(&mut call, end);
    Some(FollowUp { shown: reader.shown, suggest: call.suggest, notes: call.notes, wrong: call.wrong })
}

impl<'a> Reader<'a> {
    pub(super) fn new(stream: &[u8], rules: &'a Rules) -> Reader<'a> {
        let (chars, bytes) = (decode(stream), stream.len());
        Reader { rules, chars, bytes, shown: Vec::new(), calls: 0, opaques: 0, put_in: None }
    }

    /// "it is read as the body of an open `<follow_up>` is, with its repairs, but there are no tags
    /// but those of `follow_up`, `suggest`, `options`, `content` and `mode` in it"
    fn follow_up_text(&mut self, call: &mut OpenCall, end: usize) {
        let mut in_follow_up = true;
        let mut list = ListBody::Blank;
        let mut at = 0;
        while let Some(c) = self.peek(at) {
            // The close and opening tags of `follow_up`, `suggest` and `options`.
            let tag = match c {
                '<' => self.find_tag(at, &PARAMETER_TAGS[2..]),
                _ => None,
            };
            let Some(tag) = tag else {
                if matches!(list, ListBody::Blank) && !is_blank(c) {
                    list = match c {
                        '[' => ListBody::Open(at),
                        _ => ListBody::No,
                    };
                }
                at += 1;
                continue;
            };
            let last_list = std::mem::replace(&mut list, ListBody::No);
            at = match (tag.side, tag.name) {
                (Open, Name::FollowUp) => {
                    in_follow_up = !tag.empty;
                    if in_follow_up {
                        list = ListBody::Blank;
                    }
                    tag.end
                }
                (Close, Name::FollowUp) => {
                    match last_list {
                        ListBody::Open(start) if in_follow_up => self.list(call, start, at),
                        _ if in_follow_up => {}
                        // "which leaves no note of its own"
                        _ if at == end => {}
                        _ => self.repair(call, "StrayCloseTag"),
                    }
                    in_follow_up = false;
                    tag.end
                }
                (Open, Name::Suggest) => {
                    if !in_follow_up {
                        self.repair(call, "OutsideFollowUp");
                    }
                    match tag.empty {
                        true => tag.end,
                        false => match self.suggestion(call, tag.end, tag.mode) {
                            Ok(next) => next,
                            Err(Cut) => unreachable!("`</follow_up>` ends it"),
                        },
                    }
                }
                (Open, Name::Options) if tag.empty => {
                    self.list(call, tag.end, tag.end);
                    tag.end
                }
                (Open, Name::Options) => match self.options(call, tag.end) {
                    Ok(next) => next,
                    // Decided: `</follow_up>` ends no `options`, but the end of the text does, as
                    // the end of a call would: with a repair, and then the list is read, without
                    // the `</follow_up>` that was inserted.
                    Err(Cut) => {
                        self.repair(call, "UnclosedOptions");
                        self.list(call, tag.end, end);
                        self.chars.len()
                    }
                },
                (Close, _) => {
                    self.repair(call, "StrayCloseTag");
                    tag.end
                }
                (Open, _) => unreachable!("not looked for"),
            };
        }
    }
}
