//! What the user did with a question, and the reply that the model gets.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::image::Image;

/// What the user did with a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Took the suggestion with this index.
    Suggestion(usize),
    /// Took a suggestion and changed its text.
    Edited {
        /// The index of the suggestion. Its mode is kept.
        suggestion: usize,
        /// The new text.
        text: String,
    },
    /// Wrote an answer without a suggestion.
    Text(String),
}

/// What a reply is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// The answer to a question.
    Answer,
    /// A question was cancelled.
    Cancelled,
    /// What is wrong with a call.
    Correction,
    /// The user's guidance after the dialogue has stopped.
    Guidance,
}

/// What the model gets as the result of its call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reply {
    /// What the reply is about.
    pub kind: ReplyKind,
    /// The number of the question, if the reply is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The provider's id of the call, if it is a native call that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text, wrapped by the dialect.
    pub text: String,
    /// The images, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The mode that the agent should switch to: that of the suggestion that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// The error for an answer that can't be accepted. It contains the answer, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnswerError {
    /// Why the answer can't be accepted.
    pub kind: AnswerErrorKind,
    /// What the user did.
    pub answer: Answer,
    /// The images of the answer.
    pub images: Vec<Image>,
}

/// Why a question can't be answered or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerErrorKind {
    /// No question of this number has been asked.
    NotAsked,
    /// The question has been answered.
    AlreadyAnswered,
    /// The question has been cancelled.
    AlreadyCancelled,
    /// The question waits for the answer to another.
    NotYetAsked,
    /// The question has no such suggestion.
    NoSuchSuggestion {
        /// The number of suggestions of the question.
        count: usize,
    },
}

impl fmt::Display for AnswerErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            AnswerErrorKind::NotAsked => "no such question has been asked",
            AnswerErrorKind::AlreadyAnswered => "the question has been answered already",
            AnswerErrorKind::AlreadyCancelled => "the question has been cancelled",
            AnswerErrorKind::NotYetAsked => "another question is to be answered first",
            AnswerErrorKind::NoSuchSuggestion { count: 0 } => "the question has no suggestions",
            AnswerErrorKind::NoSuchSuggestion { count } => {
                return write!(f, "the question has no such suggestion: it has {count}");
            }
        };
        f.write_str(text)
    }
}

impl core::error::Error for AnswerErrorKind {}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for AnswerError {}

/// The error for guidance while the dialogue has not stopped.
///
/// It contains the guidance, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GuideError {
    /// The user's guidance.
    pub text: String,
    /// The images of the guidance.
    pub images: Vec<Image>,
}

impl fmt::Display for GuideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the dialogue has not stopped: there is nothing to guide, and a question is to be answered")
    }
}

impl core::error::Error for GuideError {}
