//! The questions of a conversation that ended without an answer, and why they can't be answered.

use std::collections::VecDeque;

use followup::dialogue::AnswerErrorKind;
use serde::{Deserialize, Serialize};

use crate::conversation::outcome::ClosedWhy;
use crate::error::ApiError;

/// Maximum number of questions without an answer that are remembered, to report them as such.
const MAX_UNANSWERED: usize = 1024;

/// The latest questions that ended without an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct UnansweredQuestions {
    latest: VecDeque<(u64, Unanswered)>,
}

/// How a question ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Unanswered {
    Cancelled,
    Declined,
    Discussed,
    TimedOut,
    Closed(ClosedWhy),
}

/// Why a question can't be answered or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::conversation) enum AnswerRefusal {
    Dialogue(AnswerErrorKind),
    Closed(ClosedWhy),
}

impl UnansweredQuestions {
    pub(super) fn push(&mut self, number: u64, how: Unanswered) {
        self.latest.push_back((number, how));
        if self.latest.len() > MAX_UNANSWERED {
            self.latest.pop_front();
        }
    }

    /// Returns why a question can't be answered; `None` if it is not among these.
    pub(super) fn refusal(&self, number: u64) -> Option<AnswerRefusal> {
        let (_, how) = self.latest.iter().find(|(one, _)| *one == number)?;
        Some(AnswerRefusal::Dialogue(match *how {
            Unanswered::Closed(why) => return Some(AnswerRefusal::Closed(why)),
            Unanswered::Cancelled => AnswerErrorKind::AlreadyCancelled,
            Unanswered::Declined => AnswerErrorKind::AlreadyDeclined,
            Unanswered::Discussed => AnswerErrorKind::AlreadyDiscussed,
            Unanswered::TimedOut => AnswerErrorKind::AlreadyTimedOut,
        }))
    }
}

impl AnswerRefusal {
    /// Returns the error for an answer to this question.
    pub(in crate::conversation) fn into_error(self, number: u64) -> ApiError {
        match self {
            AnswerRefusal::Dialogue(kind) => ApiError::answer(number, kind),
            AnswerRefusal::Closed(ClosedWhy::AnsweredElsewhere) => ApiError::answered_elsewhere(number),
            AnswerRefusal::Closed(ClosedWhy::Dismissed) => ApiError::dismissed(number),
        }
    }
}
