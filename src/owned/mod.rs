//! Events that own what they say, for tasks, channels and streams.
//!
//! The events of a [`Parser`](crate::Parser) borrow it: nothing is copied, and none outlives the cursor. What is sent to another task has to own its text. A
//! [`Reader`] makes such events, of a parser or of a [`ResponseParser`](crate::wire::ResponseParser): `Send + Sync + 'static`, and cheap to clone, since their text
//! is a [`ByteString`], which is [`Bytes`](bytes::Bytes) known to be UTF-8.
//!
//! ```
//! use bytes::Bytes;
//! use followup::Parser;
//! use followup::owned::{Event, Reader, View};
//!
//! let mut reader = Reader::new(Parser::default());
//! let (sender, receiver) = std::sync::mpsc::channel();
//! for chunk in ["Hm. <ask_followup_question><question>Which ", "one?</question></ask_followup_question>"] {
//!     for event in reader.feed(Bytes::from(chunk)) {
//!         sender.send(event).unwrap(); // it borrows nothing
//!     }
//! }
//! drop(sender);
//! let mut view = View::default();
//! std::thread::spawn(move || {
//!     for event in receiver {
//!         match event {
//!             Event::Partial(call) => view.grow(&call),
//!             Event::Complete(call) => assert_eq!((view.question(), &*call.question), (Some("Which one?"), "Which one?")),
//!             Event::Text(_) | Event::Opaque(_) | Event::Rejected(_) => {}
//!         }
//!     }
//! })
//! .join()
//! .unwrap();
//! ```
//!
//! A [`Partial`] says what is new, and not the whole: the wholes of n partials would be n² bytes. Whoever wants the whole keeps a [`View`].

mod own;
mod reader;
mod view;

use alloc::vec::Vec;
use core::ops::Range;

pub use bytestring::ByteString;

use crate::{Note, Reason};

pub use reader::{Drain, Read, Reader};
pub use view::View;

/// What happened in the stream, as [`followup::Event`](crate::Event) says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Prose, to be shown as it is. Of a chunk that is mostly this prose it is a part, and no copy.
    Text(ByteString),
    /// A piece of another tool's call: not prose, and not ours.
    Opaque(Opaque),
    /// More of the open call is certain. For the eye only: never act on it.
    Partial(Partial),
    /// The call is closed and valid. The one event to act on.
    Complete(Complete),
    /// The call has ended and can't be asked.
    Rejected(Rejected),
}

/// A piece of another tool's call, as it was written; see [`followup::Opaque`](crate::Opaque).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The tool's name.
    pub tool: ByteString,
    /// The piece.
    pub raw: ByteString,
    /// Whether a call begins with this piece.
    pub start: bool,
    /// The provider's id of the call, of a native call in a provider's stream.
    pub id: Option<ByteString>,
}

/// What is new of the open call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// Which call of the stream this is, counted from 0.
    pub nth: u64,
    /// The provider's id of the call, of a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// What grew.
    pub grown: Grown,
    /// What was added to it.
    pub delta: ByteString,
    /// How many bytes it has with that. Whoever has fewer has missed a partial.
    pub len: usize,
}

/// The part of a call that a [`Partial`] added to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grown {
    /// The question.
    Question,
    /// The newest suggestion.
    Suggestion {
        /// Which it is, from 0.
        nth: usize,
        /// Its mode, as soon as it is known; then every partial of the suggestion has it.
        mode: Option<ByteString>,
    },
}

/// A call that is closed and valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Which call of the stream this is, counted from 0.
    pub nth: u64,
    /// The provider's id of the call, of a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// The bytes of the stream this call stands in.
    pub span: Range<u64>,
    /// The question: trimmed, and not empty.
    pub question: ByteString,
    /// The suggested answers; none is normal.
    pub suggestions: Vec<Suggestion>,
    /// What was repaired or dropped to make sense of the call.
    pub notes: Vec<Note>,
}

/// A call that has ended and can't be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Which call of the stream this is, counted from 0.
    pub nth: u64,
    /// The provider's id of the call, of a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// The bytes of the stream this call stands in.
    pub span: Range<u64>,
    /// Why it can't be asked.
    pub reason: Reason,
    /// The question, as far as it had been read.
    pub question: Option<ByteString>,
    /// The suggestions, as far as they had been read.
    pub suggestions: Vec<Suggestion>,
}

/// One suggested answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What the user would answer; trimmed, and not empty.
    pub answer: ByteString,
    /// The mode the agent should change to with this answer.
    pub mode: Option<ByteString>,
}

/// Something went wrong in a provider's stream, as [`wire::Error`](crate::wire::Error) says it. The stream goes on behind it.
#[cfg(feature = "wire")]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The provider says so: its message.
    Provider(ByteString),
    /// An event whose data is not the JSON that the provider documents: the data.
    Unreadable(ByteString),
    /// An event was longer than the limit for one, and was skipped: the limit, in bytes.
    TooLong(usize),
    /// Arguments that belong to no call: these.
    Orphan(ByteString),
    /// Nothing in the body is what this provider streams.
    Foreign(crate::wire::Format),
    /// A call began while as many as the limit allows were open, and is ignored: its tool.
    TooManyCalls(ByteString),
}

#[cfg(feature = "wire")]
impl Error {
    /// The same, borrowed: with its `code` and its `data`.
    pub fn view(&self) -> crate::wire::Error<'_> {
        use crate::wire::Error as View;
        match self {
            Error::Provider(message) => View::Provider(message),
            Error::Unreadable(data) => View::Unreadable(data),
            Error::TooLong(limit) => View::TooLong(*limit),
            Error::Orphan(arguments) => View::Orphan(arguments),
            Error::Foreign(wire) => View::Foreign(*wire),
            Error::TooManyCalls(tool) => View::TooManyCalls(tool),
        }
    }
}

#[cfg(feature = "wire")]
impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.view().fmt(f)
    }
}

#[cfg(feature = "wire")]
impl core::error::Error for Error {}
