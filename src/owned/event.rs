//! The owned counterparts of [`followup::Event`](crate::Event) and of what it carries.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use bytestring::ByteString;

use crate::{Envelope, Note, QuestionKind, Reason};

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
#[non_exhaustive]
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
#[non_exhaustive]
pub struct Partial {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// Index of the question that the delta extends, or whose suggestion it extends, from 0.
    pub question: usize,
    /// The part of the call that the delta extends.
    pub field: Field,
    /// The text to append to it. Empty where something else became known, such as a mode.
    pub delta: ByteString,
    /// Length of the field in bytes, with this delta.
    ///
    /// A receiver that has fewer has missed a partial.
    pub len: usize,
}

/// The part of a call that a [`Partial`] extends: an owned [`followup::Field`](crate::Field).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    /// The text above all questions.
    Title,
    /// The header of the question.
    Header,
    /// The text below the question.
    Detail,
    /// The description of the suggestion at this index.
    Description(usize),
    /// The preview of the suggestion at this index.
    Preview(usize),
}

/// A call that is closed and valid: an owned [`followup::Complete`](crate::Complete).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Complete {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// Whether it is a native call. Some providers' have no id.
    pub native: bool,
    /// The call's bytes in the stream.
    pub span: Range<u64>,
    /// The question: trimmed, and not empty.
    pub question: ByteString,
    /// The suggested answers. None is normal.
    pub suggestions: Vec<Suggestion>,
    /// All questions, if another question tool was called than `ask_followup_question`.
    ///
    /// Then `question` and `suggestions` are those of the first.
    pub form: Option<Box<Form>>,
    /// What was repaired or dropped in the call, and advice.
    pub notes: Vec<Note>,
}

/// A call that has ended and cannot be asked: an owned [`followup::Rejected`](crate::Rejected).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// Index of the call in the stream, from 0.
    pub index: u64,
    /// The provider's id of the call, if it is a native call in a provider's stream.
    pub id: Option<ByteString>,
    /// Whether it is a native call. Some providers' have no id.
    pub native: bool,
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
    /// All questions, as far as they were read, if another question tool was called.
    pub form: Option<Box<Form>>,
}

/// The call of another question tool than `ask_followup_question`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Form {
    /// The tool that was called.
    pub tool: ByteString,
    /// A text above all questions.
    pub title: Option<ByteString>,
    /// Its questions, in order.
    pub questions: Vec<Question>,
}

/// One question of a call: an owned [`followup::Question`](crate::Question).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Question {
    /// The question.
    pub text: ByteString,
    /// The id under which the answer goes back.
    pub id: Option<ByteString>,
    /// A short title of the question.
    pub header: Option<ByteString>,
    /// A text below the question.
    pub detail: Option<ByteString>,
    /// A hint in the empty field of the user's own answer.
    pub placeholder: Option<ByteString>,
    /// What it asks for, if it is not a choice.
    pub kind: Option<QuestionKind>,
    /// Whether several suggestions can be chosen.
    pub multiple: Option<bool>,
    /// Whether the user can answer in words of their own.
    pub custom: Option<bool>,
    /// Whether it has to be answered, if the tool says so.
    pub required: Option<bool>,
    /// The answers that are chosen at first.
    pub defaults: Vec<ByteString>,
    /// Its suggested answers.
    pub suggestions: Vec<QuestionOption>,
}

/// One suggested answer of a [`Question`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuestionOption {
    /// The answer.
    pub answer: ByteString,
    /// The mode the agent should change to with this answer.
    pub mode: Option<ByteString>,
    /// What the answer means.
    pub description: Option<ByteString>,
    /// What goes back to the model, if it is not the answer.
    pub value: Option<ByteString>,
    /// What the answer would lead to, as Markdown.
    pub preview: Option<ByteString>,
    /// The model recommends it.
    pub recommended: bool,
}

/// One suggested answer: an owned [`followup::Suggestion`](crate::Suggestion).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Suggestion {
    /// The user's answer if it is picked: trimmed, and not empty.
    pub answer: ByteString,
    /// The mode the agent should change to with this answer.
    pub mode: Option<ByteString>,
}
