//! Why a call can't be asked.

use core::fmt;

use crate::note::Note;

/// Why a call can't be asked. The `Display` form says what was wrong, where, and which limit it was.
///
/// ```
/// use followup::{Place, Reason};
///
/// let reason = Reason::TooLong { place: Place::Question, limit: 102_400 };
/// assert_eq!(reason.to_string(), "Failed to parse operations: the question is longer than the limit of 102400 bytes");
/// assert_eq!(Reason::MissingParameter.to_string(), "Missing required parameter 'question'");
/// assert_eq!(Reason::Truncated(Place::Answer).to_string(), "Failed to parse operations: the message ended inside a suggested answer");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Reason {
    /// There is no question, or only blank ones.
    MissingParameter,
    /// It would need this repair, and the policy allows none.
    Malformed(Note),
    /// The stream ended too early.
    Truncated(Place),
    /// A value passed its limit.
    TooLong {
        /// The value.
        place: Place,
        /// The limit, in bytes.
        limit: usize,
    },
    /// A value of a native call is of a type that means nothing there.
    WrongType(Place),
}

impl Reason {
    /// The reason as one word, for programs.
    ///
    /// ```
    /// use followup::{Place, Reason};
    ///
    /// assert_eq!(Reason::MissingParameter.code(), "missing_parameter");
    /// assert_eq!(Reason::TooLong { place: Place::Answer, limit: 9 }.code(), "too_long");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            Reason::MissingParameter => "missing_parameter",
            Reason::Malformed(_) => "malformed",
            Reason::Truncated(_) => "truncated",
            Reason::TooLong { .. } => "too_long",
            Reason::WrongType(_) => "wrong_type",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::MissingParameter => f.write_str("Missing required parameter 'question'"),
            Reason::Malformed(note) => write!(f, "Failed to parse operations: {note}"),
            Reason::Truncated(place) => write!(f, "Failed to parse operations: the message ended {}", place.inside()),
            Reason::TooLong { place, limit } => {
                write!(f, "Failed to parse operations: {} is longer than the limit of {limit} bytes", place.noun())
            }
            Reason::WrongType(place) => {
                write!(
                    f,
                    "Failed to parse operations: {} is of the wrong type, {} is needed",
                    place.noun(),
                    place.kind()
                )
            }
        }
    }
}

impl core::error::Error for Reason {}

/// A place in a call, as the reasons of rejections name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Place {
    /// Right behind the opening tag.
    Opening,
    /// Between the parameters.
    Parameters,
    /// In a question.
    Question,
    /// In a suggestion.
    Answer,
    /// In the mode of a suggestion.
    Mode,
    /// In a list of options.
    Options,
    /// In the suggestions of a native call.
    Suggestions,
    /// In the arguments of a native call.
    Arguments,
}

impl Place {
    fn noun(self) -> &'static str {
        match self {
            Place::Opening => "the opening tag",
            Place::Parameters => "the list of parameters",
            Place::Question => "the question",
            Place::Answer => "a suggested answer",
            Place::Mode => "the mode of a suggestion",
            Place::Options => "the list of options",
            Place::Suggestions => "the list of suggestions",
            Place::Arguments => "the value of the arguments",
        }
    }

    fn inside(self) -> &'static str {
        match self {
            Place::Opening => "right behind the opening tag",
            Place::Parameters => "before the call was closed",
            Place::Question => "inside the question",
            Place::Answer => "inside a suggested answer",
            Place::Mode => "inside the mode of a suggestion",
            Place::Options => "inside the list of options",
            Place::Suggestions => "inside the list of suggestions",
            Place::Arguments => "inside the arguments",
        }
    }

    /// What its value should be.
    fn kind(self) -> &'static str {
        match self {
            Place::Arguments => "an object",
            Place::Suggestions | Place::Options | Place::Parameters => "an array",
            Place::Opening | Place::Question | Place::Answer | Place::Mode => "a string",
        }
    }
}
