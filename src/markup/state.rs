//! The states of the machine.

use super::code::Code;
use crate::envelope::change::Change;
use crate::reason::CallPart;

/// What the text is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum MarkupState {
    Prose(Code),
    /// Another tool's call; `parameter`: the value of that parameter.
    Opaque {
        tool: u16,
        parameter: Option<u16>,
    },
    /// An unconfirmed call: an opening tag, and the text after it.
    Unconfirmed(Unconfirmed),
    /// A call.
    Inside(Inside),
    /// A call in an envelope, or the header of one.
    ///
    /// The code is that before its header; in a call, of the text since its last tag. In a value it
    /// says only whether a back-tick is right before.
    Envelope(Code),
    /// Something is decided that is not emitted yet.
    ///
    /// Never so between two chunks, unless a cursor was leaked.
    Decided(Decided),
}

/// What is decided and not emitted yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Decided {
    /// Something has changed in an envelope. The code is that of its state.
    Change { change: Change, code: Code },
    /// A call has ended at `end`.
    ///
    /// `is_named`: only its opening tag was mentioned, and the text held back after it is prose.
    Ended { end: u64, is_named: bool },
    /// The opening tag was only named: what was held back is prose.
    ///
    /// `opening`: the length of the tag.
    Named { opening: usize },
}

impl MarkupState {
    /// Returns the state after a call that has ended at `end`.
    pub(super) fn ended(end: u64) -> MarkupState {
        MarkupState::Decided(Decided::Ended { end, is_named: false })
    }
}

/// An opening tag that may have been only named in prose. It and what follows it is held back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Unconfirmed {
    /// The length of the opening tag.
    ///
    /// [`MarkupMachine`](super::machine::MarkupMachine) limits it to this type.
    pub(super) opening: u32,
    /// Where in the stream the opening tag ends.
    pub(super) end: u64,
    /// Nothing but blanks follows the tag.
    pub(super) blank: bool,
}

/// Where in a call the text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Inside {
    pub(super) position: Position,
    /// A `follow_up` is open.
    pub(super) follow_up: bool,
    /// The character before, in a value, is a back-tick.
    pub(super) after_backtick: bool,
}

/// What of a call is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Position {
    /// Nothing, in a `follow_up` or not.
    Between(Body),
    Question,
    /// A suggestion, with nothing but blanks yet.
    Suggestion,
    /// A suggestion that is plain text.
    Answer,
    /// A nested suggestion, outside its elements. `answered`: a `<content>` was its answer.
    Nested {
        answered: bool,
    },
    /// The `<content>` of a nested suggestion.
    Content {
        answered: bool,
    },
    /// The `<mode>` of a nested suggestion.
    Mode {
        answered: bool,
    },
    Options,
}

/// The kind of text between the parameters. It decides where the call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Body {
    /// No list.
    Other,
    /// The body of a `follow_up`, blank so far.
    Blank,
    /// A list that is the body of a `follow_up`.
    List(Quotes),
}

/// Whether a position in JSON is inside a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Quotes {
    /// Outside every string.
    #[default]
    Outside,
    Inside,
    /// Inside a string, after a `\`.
    Escaped,
}

impl Quotes {
    /// Returns the state after one more character.
    pub(super) fn after(self, c: char) -> Quotes {
        match (self, c) {
            (Quotes::Outside, '"') | (Quotes::Escaped, _) => Quotes::Inside,
            (Quotes::Inside, '"') => Quotes::Outside,
            (Quotes::Inside, '\\') => Quotes::Escaped,
            (same, _) => same,
        }
    }
}

impl Body {
    pub(super) fn after(self, c: char) -> Body {
        match self {
            Body::Blank if c == '[' => Body::List(Quotes::Outside),
            Body::Blank if !c.is_whitespace() => Body::Other,
            Body::List(quotes) => Body::List(quotes.after(c)),
            Body::Blank | Body::Other => self,
        }
    }
}

impl Position {
    pub(super) const BETWEEN: Position = Position::Between(Body::Other);

    /// Returns the value that the stream cuts if it ends here.
    pub(super) fn part(self) -> Option<CallPart> {
        match self {
            Position::Between(Body::List(_)) | Position::Options => Some(CallPart::Options),
            Position::Between(_) => None,
            Position::Question => Some(CallPart::Question),
            Position::Suggestion | Position::Answer | Position::Nested { .. } | Position::Content { .. } => {
                Some(CallPart::Answer)
            }
            Position::Mode { .. } => Some(CallPart::Mode),
        }
    }
}
