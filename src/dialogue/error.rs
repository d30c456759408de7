//! Why an answer, another end of a question, or guidance can't be accepted.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::finding::from_one;
use super::image::Image;
use super::reply::Answer;

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

/// Why a question can't be answered, or ended without an answer. Questions are counted from 0.
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

impl AnswerErrorKind {
    /// Returns the error as one word, for programs. Codes are unique and don't change.
    ///
    /// ```
    /// use followup::dialogue::AnswerErrorKind;
    ///
    /// assert_eq!(AnswerErrorKind::NoSuchSuggestion { count: 2 }.code(), "no_such_suggestion");
    /// ```
    pub fn code(&self) -> &'static str {
        match self {
            AnswerErrorKind::NotAsked => "not_asked",
            AnswerErrorKind::AlreadyAnswered => "already_answered",
            AnswerErrorKind::AlreadyCancelled => "already_cancelled",
            AnswerErrorKind::AlreadyDeclined => "already_declined",
            AnswerErrorKind::AlreadyDiscussed => "already_discussed",
            AnswerErrorKind::AlreadyTimedOut => "already_timed_out",
            AnswerErrorKind::NotYetAsked => "not_yet_asked",
            AnswerErrorKind::NoSuchSuggestion { .. } => "no_such_suggestion",
            AnswerErrorKind::NoDiscussion => "no_discussion",
            AnswerErrorKind::NoForm => "no_form",
            AnswerErrorKind::SeveralQuestions { .. } => "several_questions",
            AnswerErrorKind::WrongNumberOfAnswers { .. } => "wrong_number_of_answers",
            AnswerErrorKind::NoSuchOption { .. } => "no_such_option",
            AnswerErrorKind::PickedTwice { .. } => "picked_twice",
            AnswerErrorKind::OnlyOne { .. } => "only_one",
            AnswerErrorKind::NoOwnText { .. } => "no_own_text",
            AnswerErrorKind::NotANumber { .. } => "not_a_number",
            AnswerErrorKind::NotAnswered { .. } => "not_answered",
        }
    }
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

#[cfg(test)]
mod tests {
    use super::AnswerErrorKind::*;

    #[test]
    fn codes_are_those_that_programs_know() {
        for (kind, code) in [
            (NotAsked, "not_asked"),
            (AlreadyAnswered, "already_answered"),
            (AlreadyCancelled, "already_cancelled"),
            (AlreadyDeclined, "already_declined"),
            (AlreadyDiscussed, "already_discussed"),
            (AlreadyTimedOut, "already_timed_out"),
            (NotYetAsked, "not_yet_asked"),
            (NoSuchSuggestion { count: 1 }, "no_such_suggestion"),
            (NoDiscussion, "no_discussion"),
            (NoForm, "no_form"),
            (SeveralQuestions { count: 2 }, "several_questions"),
            (WrongNumberOfAnswers { answers: 1, questions: 2 }, "wrong_number_of_answers"),
            (NoSuchOption { question: 0, count: 1 }, "no_such_option"),
            (PickedTwice { question: 0 }, "picked_twice"),
            (OnlyOne { question: 0 }, "only_one"),
            (NoOwnText { question: 0 }, "no_own_text"),
            (NotANumber { question: 0 }, "not_a_number"),
            (NotAnswered { question: 0 }, "not_answered"),
        ] {
            assert_eq!(kind.code(), code);
        }
    }
}
