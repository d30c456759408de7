//! An action of the user, or the host's time-out, as data.
//!
//! The user answers, cancels, declines, discusses or guides.

use std::sync::Arc;

use followup::dialogue::{Answer, FormAnswer, Image, Reply};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::event::UserReplyKind;

/// An action of the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserAction {
    Answer {
        number: u64,
        answer: Answer,
    },
    Cancel {
        number: u64,
    },
    Decline {
        number: u64,
    },
    /// The user wants to talk about the question first. The answers are those so far.
    Discuss {
        number: u64,
        answers: Vec<FormAnswer>,
    },
    /// The time for an answer is over. The answers are those so far.
    TimeOut {
        number: u64,
        answers: Vec<FormAnswer>,
    },
    Guide {
        text: String,
    },
}

impl UserAction {
    /// Returns the number of the question; `None` for guidance.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            UserAction::Answer { number, .. }
            | UserAction::Cancel { number }
            | UserAction::Decline { number }
            | UserAction::Discuss { number, .. }
            | UserAction::TimeOut { number, .. } => Some(*number),
            UserAction::Guide { .. } => None,
        }
    }

    /// Returns what readers see it as.
    pub(super) fn kind(&self) -> UserReplyKind {
        match self {
            UserAction::Answer { .. } => UserReplyKind::Answer,
            UserAction::Cancel { .. } => UserReplyKind::Cancelled,
            UserAction::Decline { .. } => UserReplyKind::Declined,
            UserAction::Discuss { .. } => UserReplyKind::Discussed,
            UserAction::TimeOut { .. } => UserReplyKind::TimedOut,
            UserAction::Guide { .. } => UserReplyKind::Guidance,
        }
    }

    /// Returns the length of the text that the user wrote.
    pub(super) fn text_len(&self) -> usize {
        match self {
            UserAction::Answer { answer: Answer::Edited { text, .. } | Answer::Text(text), .. }
            | UserAction::Guide { text } => text.len(),
            UserAction::Answer { answer: Answer::Form(answers), .. }
            | UserAction::Discuss { answers, .. }
            | UserAction::TimeOut { answers, .. } => {
                answers.iter().flat_map(|answer| [&answer.text, &answer.note]).flatten().map(String::len).sum()
            }
            UserAction::Answer { answer: Answer::Suggestion(_), .. }
            | UserAction::Cancel { .. }
            | UserAction::Decline { .. } => 0,
        }
    }
}

/// An answer as data, with its images.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredAnswer {
    pub(crate) action: UserAction,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<Image>,
    /// The request that it came with. An equal answer of another request is another one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) by: String,
}

/// The result of an action.
#[derive(Debug)]
pub(crate) struct ActionOutcome {
    pub(crate) reply: Arc<Reply>,
    /// The messages that carry all replies to the turn so far.
    pub(crate) messages: Vec<Value>,
    /// How many questions still wait for an answer.
    pub(crate) waiting: usize,
    /// The process that writes the conversation sends the reply to the model itself.
    ///
    /// Or it is about to.
    pub(crate) is_sent: bool,
}
