//! A tag that was read, of markup or of an envelope, and what its name means.

use core::ops::Range;

use crate::envelope::kinds::Kind;

/// What a tag's name means. Synonyms are one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Ask,
    Question,
    FollowUp,
    Suggest,
    Options,
    Content,
    Mode,
    /// `<think>` and `<thinking>` are two: each ends at its own close tag.
    Think,
    Thinking,
    /// Another tool, by its number in the policy's list.
    Tool(u16),
    /// A parameter of other tools, by its number in the policy's list.
    Parameter(u16),
    /// A tag of an envelope.
    Envelope(Kind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Open,
    Close,
}

/// The index of a name of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct OurName(pub(super) u8);

/// A tag, without the parts that have no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: Name,
    pub(crate) side: Side,
    /// Its bytes are emitted as text, too.
    pub(crate) shown: bool,
    /// `<x/>`: opened and closed at once.
    pub(crate) empty: bool,
    /// The value of its `mode` attribute in the tag, without quotes and blanks.
    ///
    /// In an envelope, the name of the tool or of the parameter.
    pub(crate) value: Option<Range<usize>>,
    pub(crate) len: usize,
}

/// What the bytes from a `<` on are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LexedTag {
    Tag(Tag),
    /// No tag: the `<` and what follows it is text.
    Text,
    /// An incomplete tag.
    Incomplete(IncompleteTag),
}

/// How a tag is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IncompleteTag {
    /// The fewest bytes that complete it.
    ///
    /// 0: it is a tool's opening tag, and the next byte decides whether it is one.
    pub(crate) more: usize,
    /// It is text, whatever becomes of it.
    pub(crate) shown: bool,
    pub(crate) part: TagPart,
}

/// The part of a tag that its text so far ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum TagPart {
    /// The name. Nothing is decided while it grows to be that one of ours.
    Name(OurName),
    /// The attributes, where only a `<` or a `>` decides.
    Attributes,
    #[default]
    Other,
}

impl Tag {
    /// Returns what it is in an envelope, and whether it is a close tag; `None` if it is of markup.
    pub(crate) fn of_envelope(&self) -> Option<(Kind, bool)> {
        match self.name {
            Name::Envelope(kind) => Some((kind, self.side == Side::Close)),
            _ => None,
        }
    }

    pub(crate) fn opens_tool(&self) -> bool {
        self.side == Side::Open && matches!(self.name, Name::Ask | Name::Tool(_))
    }
}
