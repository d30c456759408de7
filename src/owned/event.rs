//! The owned counterparts of [`followup::Event`](crate::Event) and of what it carries.

use alloc::vec::Vec;
use core::ops::Range;

use bytestring::ByteString;

use crate::{Envelope, Note, Reason};

/// What happened in the stream: an owned [`followup::Event`](crate::Event).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Prose, to be shown as it is.
    Text(ByteString),
    /// A piece of another tool's call: neither prose nor a question.
    Opaque(Opaque),
    /// More of the open call is certain. For display only: never act on it.
    Partial(Partial),
    /// The call is closed and valid. The only event to act on.
    Complete(Complete),
    /// The call has ended and cannot be asked.
    Rejected(Rejected),
}

/// A piece of another tool's call, as it was written: an owned [`followup::Opaque`](crate::Opaque).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// The tool's name.
    pub tool: ByteString,
    /// The piece. The pieces of one call add up to its markup, or to its native arguments.
    pub raw: ByteString,
    /// Whether this is the first piece of a call.
    pub start: bool,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
}

/// What is new in the open call. The deltas of a field add up to the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// The part of the call that the delta extends.
    pub field: Field,
    /// The text to append to it. Empty where only a suggestion's mode became known.
    pub delta: ByteString,
    /// Length of the field in bytes, with this delta.
    ///
    /// A receiver that has fewer has missed a partial.
    pub len: usize,
}

/// The part of a call that a [`Partial`] extends: an owned [`followup::Field`](crate::Field).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// The question.
    Question,
    /// The newest suggestion.
    Suggestion {
        /// Index of the suggestion, from 0.
        index: usize,
        /// Its mode. Once it is known, every partial of the suggestion carries it.
        mode: Option<ByteString>,
    },
}

/// A call that is closed and valid: an owned [`followup::Complete`](crate::Complete).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complete {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// The call's bytes in the stream.
    pub span: Range<u64>,
    /// The question: trimmed, and not empty.
    pub question: ByteString,
    /// The suggested answers. None is normal.
    pub suggestions: Vec<Suggestion>,
    /// What was repaired or dropped in the call, and advice.
    pub notes: Vec<Note>,
}

/// A call that has ended and cannot be asked: an owned [`followup::Rejected`](crate::Rejected).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// The call's bytes in the stream.
    pub span: Range<u64>,
    /// Why it cannot be asked.
    pub reason: Reason,
    /// The family of the envelope that the call came in. [`Complete`] has it among its notes.
    pub envelope: Option<Envelope>,
    /// The question, as far as it was read.
    pub question: Option<ByteString>,
    /// The suggestions, as far as they were read.
    pub suggestions: Vec<Suggestion>,
}

/// One suggested answer: an owned [`followup::Suggestion`](crate::Suggestion).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The user's answer if it is picked: trimmed, and not empty.
    pub answer: ByteString,
    /// The mode the agent should change to with this answer.
    pub mode: Option<ByteString>,
}
