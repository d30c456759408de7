//! Characters, the names of tags, and which tags end what.

/// A character of the stream, and the offsets of its first byte and of the byte after it.
#[derive(Clone)]
pub struct Char {
    pub c: char,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where it is in the text, which limits count.
    pub(super) offset: usize,
}

/// "The stream is read as `String::from_utf8_lossy` reads it: every ill-formed sequence is one
/// U+FFFD."
pub(super) fn decode(stream: &[u8]) -> Vec<Char> {
    let mut chars = Vec::new();
    let (mut index, mut offset) = (0, 0);
    for chunk in stream.utf8_chunks() {
        let ill_formed = Some((char::REPLACEMENT_CHARACTER, chunk.invalid().len())).filter(|(_, len)| *len > 0);
        for (c, len) in chunk.valid().chars().map(|c| (c, c.len_utf8())).chain(ill_formed) {
            chars.push(Char { c, start: index, end: index + len, offset });
            (index, offset) = (index + len, offset + c.len_utf8());
        }
    }
    chars
}

/// "Blank characters are those of Unicode `White_Space`."
pub fn is_blank(c: char) -> bool {
    c.is_whitespace()
}

/// "Tag space is space, tab, CR and LF."
pub fn is_tag_space(c: char) -> bool {
    c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

/// The names that are ours; synonyms are one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Name {
    Ask,
    Question,
    FollowUp,
    Suggest,
    Options,
    Content,
    Mode,
}

impl Name {
    pub(super) fn spellings(self) -> &'static [&'static str] {
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
pub enum Side {
    Open,
    Close,
}
use Side::{Close, Open};

pub(super) type Wanted = (Side, Name);

/// "A parameter's tag: opening or close tag of `question`, `follow_up`, `suggest`, `options`."
pub(super) const PARAMETER_TAGS: [Wanted; 8] = [
    (Open, Name::Question),
    (Close, Name::Question),
    (Open, Name::FollowUp),
    (Close, Name::FollowUp),
    (Open, Name::Suggest),
    (Close, Name::Suggest),
    (Open, Name::Options),
    (Close, Name::Options),
];

pub(super) const CALL_CLOSE: [Wanted; 1] = [(Close, Name::Ask)];

// The table "What ends a value". The tags in brackets there, the repairs, are all but the first.
pub(super) const QUESTION_ENDS: [Wanted; 3] = [(Close, Name::Question), (Open, Name::FollowUp), (Close, Name::Ask)];
pub(super) const SUGGESTION_ENDS: [Wanted; 4] =
    [(Close, Name::Suggest), (Open, Name::Suggest), (Close, Name::FollowUp), (Close, Name::Ask)];
pub(super) const OPTIONS_ENDS: [Wanted; 2] = [(Close, Name::Options), (Close, Name::Ask)];

pub(super) const NESTED_OPENS: [Wanted; 2] = [(Open, Name::Content), (Open, Name::Mode)];
pub(super) const NESTED_CLOSES: [Wanted; 2] = [(Close, Name::Content), (Close, Name::Mode)];

/// The text at a `<`, when one tag is expected.
pub enum Shape {
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
pub enum Attributes {
    /// Not the rest of a tag.
    Text,
    /// The stream ends in it, and at least so many bytes are missing.
    Beginning(usize),
    /// The names and values, and the index after the `>`.
    End { end: usize, empty: bool, attributes: Vec<(String, String)> },
}

/// The text at a `<`, when several of our tags are expected.
pub(super) enum Found {
    Nothing,
    Beginning(usize),
    Tag(Tag),
}

pub struct Tag {
    pub(super) side: Side,
    pub(super) name: Name,
    /// "`/` right before `>` makes it empty."
    pub(super) empty: bool,
    /// The `mode` attribute that counts, if there is one.
    pub(super) mode: Option<String>,
    /// The index of the character after the tag.
    pub(super) end: usize,
}
