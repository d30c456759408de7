//! What the user did with a question, and the reply that the model gets.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::finding::from_one;
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
    /// Answered a form: one answer for each question, in order.
    Form(Vec<FormAnswer>),
}

/// The user's answer to one question of a [`Form`](super::Form). The default is no answer.
///
/// A blank text counts as none. An unknown key is an error, because a typo would be no answer.
///
/// ```
/// use followup::dialogue::{Answer, FormAnswer};
///
/// let stored = r#"{"form":[{"picked":[0,2],"text":"and tea"},{}]}"#;
/// let answer: Answer = serde_json::from_str(stored)?;
/// let first = FormAnswer { picked: vec![0, 2], text: Some("and tea".into()), note: None };
/// assert_eq!(answer, Answer::Form(vec![first, FormAnswer::default()]));
/// assert_eq!(serde_json::to_string(&answer)?, stored);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FormAnswer {
    /// The indexes of the options that were picked, in the order in which they go back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub picked: Vec<usize>,
    /// The user's own words, besides or instead of an option.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A remark on the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl FormAnswer {
    /// Returns the answer with these options.
    pub fn picked(picked: impl Into<Vec<usize>>) -> FormAnswer {
        FormAnswer { picked: picked.into(), ..FormAnswer::default() }
    }

    /// Returns the answer with this text of the user's own.
    pub fn text(text: impl Into<String>) -> FormAnswer {
        FormAnswer { text: Some(text.into()), ..FormAnswer::default() }
    }

    /// Returns `true` if an option was picked or something was written.
    pub fn is_answered(&self) -> bool {
        !self.picked.is_empty() || [&self.text, &self.note].into_iter().flatten().any(|text| !is_blank(text))
    }

    /// Returns the answer without blank texts. A note alone becomes the text.
    pub(super) fn normal(self) -> FormAnswer {
        let [text, note] = [self.text, self.note].map(|text| text.filter(|text| !is_blank(text)));
        let is_alone = self.picked.is_empty() && text.is_none();
        let answer = FormAnswer { picked: self.picked, text, note };
        if is_alone { answer.with_note_in_text() } else { answer }
    }

    /// Returns the answer with the note, if there is one, as the end of the text.
    pub(super) fn with_note_in_text(self) -> FormAnswer {
        let text = match (self.text, self.note) {
            (Some(text), Some(note)) => Some(format!("{text}\n{note}")),
            (text, note) => text.or(note),
        };
        FormAnswer { picked: self.picked, text, note: None }
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// What a reply is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// The answer to a question.
    Answer,
    /// A question was cancelled: the user did not react to it, or not in time.
    Cancelled,
    /// A question was declined: the user does not want to answer it, or to talk about it first.
    Declined,
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
    /// The text: wrapped by the dialect, or written by the [`Template`](super::Template) of another
    /// agent's tool.
    pub text: String,
    /// The images, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The mode that the agent should switch to: that of the suggestion that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether the tool's host marks such a result as an error.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_error: bool,
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

/// Why a question can't be answered, cancelled or declined. Questions are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerErrorKind {
    /// No question of this number has been asked.
    NotAsked,
    /// The question has been answered.
    AlreadyAnswered,
    /// The question has been cancelled.
    AlreadyCancelled,
    /// The question has been declined.
    AlreadyDeclined,
    /// The user wanted to talk about the question instead of answering it.
    AlreadyDiscussed,
    /// The time for an answer to the question is over.
    AlreadyTimedOut,
    /// The question waits for the answer to another.
    NotYetAsked,
    /// The question has no such suggestion.
    NoSuchSuggestion {
        /// The number of suggestions of the question.
        count: usize,
    },
    /// The tool has no reply for a user who wants to talk about the question first.
    NoDiscussion,
    /// The question is no form, and the answer is to one.
    NoForm,
    /// The form has several questions, and the answer is to one.
    SeveralQuestions {
        /// The number of questions.
        count: usize,
    },
    /// The form has more or fewer questions than there are answers.
    WrongNumberOfAnswers {
        /// The number of answers.
        answers: usize,
        /// The number of questions.
        questions: usize,
    },
    /// The question of a form has no such option.
    NoSuchOption {
        /// The index of the question.
        question: usize,
        /// The number of its options.
        count: usize,
    },
    /// An option was picked twice.
    PickedTwice {
        /// The index of the question.
        question: usize,
    },
    /// Several options were picked, and only one may be.
    OnlyOne {
        /// The index of the question.
        question: usize,
    },
    /// The question takes no text.
    NoOwnText {
        /// The index of the question.
        question: usize,
    },
    /// The question asks for a number, and the text is none.
    NotANumber {
        /// The index of the question.
        question: usize,
    },
    /// The question has to be answered.
    NotAnswered {
        /// The index of the question.
        question: usize,
    },
}

impl fmt::Display for AnswerErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            AnswerErrorKind::NotAsked => "no such question has been asked",
            AnswerErrorKind::AlreadyAnswered => "the question has been answered already",
            AnswerErrorKind::AlreadyCancelled => "the question has been cancelled",
            AnswerErrorKind::NoForm => "the question is no form: answer with a suggestion or a text",
            AnswerErrorKind::AlreadyDeclined => "the question has been declined",
            AnswerErrorKind::AlreadyDiscussed => "the user wanted to talk about the question instead",
            AnswerErrorKind::AlreadyTimedOut => "the time for an answer to the question is over",
            AnswerErrorKind::NoDiscussion => "the tool has no reply for that: answer the question, or decline it",
            AnswerErrorKind::NotYetAsked => "another question is to be answered first",
            AnswerErrorKind::NoSuchSuggestion { count: 0 } => "the question has no suggestions",
            AnswerErrorKind::NoSuchSuggestion { count } => {
                return write!(f, "the question has no such suggestion: it has {count}");
            }
            AnswerErrorKind::SeveralQuestions { count } => {
                return write!(f, "there are {count} questions: give each its answer");
            }
            AnswerErrorKind::WrongNumberOfAnswers { answers, questions } => {
                return write!(f, "the number of questions is {questions}, and that of answers {answers}");
            }
            AnswerErrorKind::NoSuchOption { question, count: 0 } => {
                return write!(f, "question {} has no options", from_one(*question));
            }
            AnswerErrorKind::NoSuchOption { question, count } => {
                return write!(f, "question {} has no such option: it has {count}", from_one(*question));
            }
            AnswerErrorKind::PickedTwice { question } => {
                return write!(f, "an option of question {} was picked twice", from_one(*question));
            }
            AnswerErrorKind::OnlyOne { question } => {
                return write!(f, "only one option of question {} may be picked", from_one(*question));
            }
            AnswerErrorKind::NoOwnText { question } => {
                return write!(f, "question {} takes no text: pick an option", from_one(*question));
            }
            AnswerErrorKind::NotANumber { question } => {
                return write!(f, "the answer to question {} has to be a number", from_one(*question));
            }
            AnswerErrorKind::NotAnswered { question } => {
                return write!(f, "question {} has to be answered", from_one(*question));
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
