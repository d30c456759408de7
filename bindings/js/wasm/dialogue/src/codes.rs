//! Errors as one word, for programs.

use followup::dialogue::AnswerErrorKind;

use crate::Failure;

impl From<AnswerErrorKind> for Failure {
    fn from(kind: AnswerErrorKind) -> Failure {
        Failure { code: code(kind), message: kind.to_string() }
    }
}

fn code(kind: AnswerErrorKind) -> &'static str {
    match kind {
        AnswerErrorKind::NotAsked => "not_asked",
        AnswerErrorKind::AlreadyAnswered => "already_answered",
        AnswerErrorKind::AlreadyCancelled => "already_cancelled",
        AnswerErrorKind::AlreadyDeclined => "already_declined",
        AnswerErrorKind::NotYetAsked => "not_yet_asked",
        AnswerErrorKind::NoSuchSuggestion { .. } => "no_such_suggestion",
        AnswerErrorKind::NoForm => "no_form",
        AnswerErrorKind::SeveralQuestions { .. } => "several_questions",
        AnswerErrorKind::WrongNumberOfAnswers { .. } => "wrong_number_of_answers",
        AnswerErrorKind::NoSuchOption { .. } => "no_such_option",
        AnswerErrorKind::PickedTwice { .. } => "picked_twice",
        AnswerErrorKind::OnlyOne { .. } => "only_one",
        AnswerErrorKind::NoOwnText { .. } => "no_own_text",
        AnswerErrorKind::NotANumber { .. } => "not_a_number",
        AnswerErrorKind::NotAnswered { .. } => "not_answered",
        _ => "other",
    }
}
