//! Why a call can't be asked.

use core::fmt;

use crate::codes::codes;
use crate::note::Note;

/// Why a call can't be asked. Its `Display` is a clause for people.
///
/// The messages to the model, in the wording of a family of agents, are in the dialects of the
/// module `dialogue`.
///
/// ```
/// use followup::{CallPart, Reason};
///
/// let reason = Reason::TooLong { part: CallPart::Question, limit: 102_400 };
/// assert_eq!(reason.to_string(), "the question is longer than the limit of 102400 bytes");
/// let reason = Reason::MissingParameter;
/// assert_eq!(reason.to_string(), "the required parameter `question` is missing");
/// let reason = Reason::Truncated(CallPart::Answer);
/// assert_eq!(reason.to_string(), "the message ended inside a suggested answer");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Reason {
    /// There is no question, or only blank ones.
    MissingParameter,
    /// The call needs this repair, which the policy forbids or which can't be made.
    Malformed(Note),
    /// The stream ended before the call did.
    Truncated(CallPart),
    /// A value is longer than its limit.
    TooLong {
        /// The value.
        part: CallPart,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A value of a native call has a JSON type that means nothing there.
    WrongType(CallPart),
    /// Another call of the same response counts instead: there is nothing to tell the model.
    ///
    /// The call came in an envelope and natively, or the model wrote it while it reasoned and then
    /// asked. It occurs only in a provider's stream.
    Superseded,
}

impl Reason {
    /// Returns the reason as one word, for programs.
    ///
    /// ```
    /// use followup::{CallPart, Reason};
    ///
    /// assert_eq!(Reason::MissingParameter.code(), "missing_parameter");
    /// assert_eq!(Reason::TooLong { part: CallPart::Answer, limit: 9 }.code(), "too_long");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Reason::MissingParameter => "missing_parameter",
            Reason::Malformed(_) => "malformed",
            Reason::Truncated(_) => "truncated",
            Reason::TooLong { .. } => "too_long",
            Reason::WrongType(_) => "wrong_type",
            Reason::Superseded => "superseded",
        }
    }

    /// Returns the repair that is forbidden or can't be made; `None` unless the call is malformed.
    pub fn note(&self) -> Option<Note> {
        if let Reason::Malformed(note) = *self { Some(note) } else { None }
    }

    /// Returns the part of the call that the reason is about; `None` if it is about no part.
    ///
    /// ```
    /// use followup::{CallPart, Note, Reason};
    ///
    /// let reason = Reason::TooLong { part: CallPart::Answer, limit: 9 };
    /// assert_eq!((reason.part(), reason.limit()), (Some(CallPart::Answer), Some(9)));
    /// let reason = Reason::Malformed(Note::UnclosedQuestion);
    /// assert_eq!((reason.note(), reason.part()), (Some(Note::UnclosedQuestion), None));
    /// ```
    pub fn part(&self) -> Option<CallPart> {
        match *self {
            Reason::Truncated(part) | Reason::WrongType(part) | Reason::TooLong { part, .. } => Some(part),
            Reason::MissingParameter | Reason::Malformed(_) | Reason::Superseded => None,
        }
    }

    /// Returns the limit of the part, in bytes; `None` unless the part is too long.
    pub fn limit(&self) -> Option<usize> {
        if let Reason::TooLong { limit, .. } = *self { Some(limit) } else { None }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::MissingParameter => f.write_str("the required parameter `question` is missing"),
            Reason::Malformed(note) => note.fmt(f),
            Reason::Truncated(CallPart::Opening) => f.write_str("the message ended right after the opening tag"),
            Reason::Truncated(CallPart::Parameters) => f.write_str("the message ended before the call was closed"),
            Reason::Truncated(CallPart::Arguments) => f.write_str("the message ended inside the arguments"),
            Reason::Truncated(CallPart::Header) => f.write_str("the message ended inside the header of a question"),
            Reason::Truncated(part) => write!(f, "the message ended inside {}", part.words()),
            Reason::TooLong { part, limit } => {
                write!(f, "{} is longer than the limit of {limit} bytes", part.words())
            }
            Reason::WrongType(part) => {
                write!(f, "{} is of the wrong type: expected {}", part.words(), part.expected())
            }
            Reason::Superseded => f.write_str("another call of the same response counts instead"),
        }
    }
}

impl core::error::Error for Reason {}

/// The part of a call that a [`Reason`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum CallPart {
    /// Right after the opening tag.
    Opening,
    /// Between the parameters.
    Parameters,
    /// The question.
    Question,
    /// A suggestion.
    Answer,
    /// The mode of a suggestion.
    Mode,
    /// A list of options.
    Options,
    /// The suggestions of a native call.
    Suggestions,
    /// The arguments of a native call.
    Arguments,
    /// The questions of a native call.
    Questions,
    /// The header or the id of a question.
    Header,
    /// The description or the preview of a suggestion, or the text below a question.
    Description,
}

codes! {
    /// Returns the part as one word, for programs. Codes are unique and don't change.
    ///
    /// ```
    /// assert_eq!(followup::CallPart::Suggestions.code(), "suggestions");
    /// ```
    CallPart {
        Opening => "opening": "the opening tag",
        Parameters => "parameters": "the list of parameters",
        Question => "question": "the question",
        Answer => "answer": "a suggested answer",
        Mode => "mode": "the mode of a suggestion",
        Options => "options": "the list of options",
        Suggestions => "suggestions": "the list of suggestions",
        Arguments => "arguments": "the value of the arguments",
        Questions => "questions": "the list of questions",
        Header => "header": "the header or id of a question",
        Description => "description": "a description",
    }
}

impl CallPart {
    /// Returns the JSON type that the value should have.
    fn expected(self) -> &'static str {
        match self {
            CallPart::Arguments => "an object",
            CallPart::Suggestions | CallPart::Options | CallPart::Parameters | CallPart::Questions => "an array",
            CallPart::Opening | CallPart::Question | CallPart::Answer | CallPart::Mode => "a string",
            CallPart::Header | CallPart::Description => "a string",
        }
    }
}
