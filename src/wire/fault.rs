//! What is wrong in a body, before it is lent as an [`Error`](super::Error).

use super::deltas::TextRange;
use super::format::Format;

/// What is wrong with a payload, a part of it, or the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The provider reports an error: its message.
    Provider(TextRange),
    /// A payload, or a part of one, that can't be parsed: its data.
    Unreadable(TextRange),
    /// A payload longer than the limit.
    TooLong,
    /// A binary frame that is corrupt: what is wrong with it.
    Corrupt(&'static str),
    /// Arguments that belong to no call.
    Orphan(TextRange),
    /// A call of this tool beyond the limit.
    TooManyCalls(TextRange),
    /// A repetition of the text that differs from what has come.
    TextDiffers(TextRange),
    /// A repetition of the arguments of a call that is over, which differs from what has come.
    ArgumentsDiffer(TextRange),
    /// Nothing in the body is of the format, if it has one that is known.
    Foreign(Option<Format>),
    /// The body is of the format, but breaks off before it has any event.
    Empty(Format),
    /// The body is neither text nor a stream of events.
    Binary,
}

impl Fault {
    /// Returns whether a part of the message was lost.
    ///
    /// What never was a payload is no loss, such as the error page of a proxy.
    pub(super) fn is_loss(self, text: &str) -> bool {
        match self {
            Fault::TooLong | Fault::Corrupt(_) => true,
            Fault::Unreadable((start, end)) => text[start..end].starts_with(['{', '[']),
            _ => false,
        }
    }
}
