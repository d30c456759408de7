//! The owned counterpart of [`wire::Error`](crate::wire::Error).

use core::fmt;

use bytestring::ByteString;

use crate::wire;

/// An error in a provider's stream: an owned [`wire::Error`]. The stream continues after it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The provider reports an error: its message.
    Provider(ByteString),
    /// The data of an event is not the JSON that the provider documents: the data.
    Unreadable(ByteString),
    /// An event was longer than the limit, and was skipped: the limit, in bytes.
    TooLong(usize),
    /// A frame of a binary stream is corrupt: what is wrong with it.
    Corrupt(ByteString),
    /// Arguments that belong to no call: the arguments.
    Orphan(ByteString),
    /// The provider repeats the message, and says something else than before.
    Contradiction(ByteString),
    /// Nothing in the body is what a provider of this format streams; `None` if none was detected.
    Foreign(Option<wire::Format>),
    /// The body is of this format, but breaks off before it has any event.
    Empty(wire::Format),
    /// The body is neither text nor a stream of events.
    Binary,
    /// A call that began while as many were open as the limit allows is ignored: its tool.
    TooManyCalls(ByteString),
}

impl Error {
    /// Borrows it as a [`wire::Error`], which has its `code` and its `data`.
    pub fn view(&self) -> wire::Error<'_> {
        match self {
            Error::Provider(message) => wire::Error::Provider(message),
            Error::Unreadable(data) => wire::Error::Unreadable(data),
            Error::TooLong(limit) => wire::Error::TooLong(*limit),
            Error::Corrupt(what) => wire::Error::Corrupt(what),
            Error::Orphan(arguments) => wire::Error::Orphan(arguments),
            Error::Contradiction(data) => wire::Error::Contradiction(data),
            Error::Foreign(wire) => wire::Error::Foreign(*wire),
            Error::Empty(wire) => wire::Error::Empty(*wire),
            Error::Binary => wire::Error::Binary,
            Error::TooManyCalls(tool) => wire::Error::TooManyCalls(tool),
        }
    }
}

impl From<wire::Error<'_>> for Error {
    fn from(error: wire::Error<'_>) -> Error {
        match error {
            wire::Error::Provider(message) => Error::Provider(message.into()),
            wire::Error::Unreadable(data) => Error::Unreadable(data.into()),
            wire::Error::TooLong(limit) => Error::TooLong(limit),
            wire::Error::Corrupt(what) => Error::Corrupt(what.into()),
            wire::Error::Orphan(arguments) => Error::Orphan(arguments.into()),
            wire::Error::Contradiction(data) => Error::Contradiction(data.into()),
            wire::Error::Foreign(wire) => Error::Foreign(wire),
            wire::Error::Empty(wire) => Error::Empty(wire),
            wire::Error::Binary => Error::Binary,
            wire::Error::TooManyCalls(tool) => Error::TooManyCalls(tool.into()),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl core::error::Error for Error {}
