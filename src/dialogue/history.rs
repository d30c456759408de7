//! What has happened in a dialogue, as data.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::image::Image;
use super::question::Question;
use super::reply::{Answer, Reply, ReplyKind};

/// Something that has happened in a dialogue. Stored, it says whose turn it was (`role`) and what it was (`turn`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Turn {
    /// The model asked.
    Asked {
        /// `assistant`.
        role: Assistant,
        /// What it asked.
        #[serde(flatten)]
        question: Question,
    },
    /// The model made a call that can't be asked.
    Corrected {
        /// `assistant`.
        role: Assistant,
        /// What is wrong with it.
        #[serde(flatten)]
        correction: Correction,
    },
    /// The user answered.
    Answered {
        /// `user`.
        role: User,
        /// Which question.
        number: u64,
        /// What the user did.
        answer: Answer,
        /// The images with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// The user did not answer.
    Cancelled {
        /// `user`.
        role: User,
        /// Which question.
        number: u64,
    },
    /// The dialogue had stopped, and the user said how to go on.
    Guided {
        /// `user`.
        role: User,
        /// What the user said.
        text: String,
        /// The images with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

/// Why a call can't be asked, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The provider's id of the call, if it was a native one and has one: the result to be sent under it is [`model`](Correction::model).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The reason as one word: that of a rejection, or `rule`.
    pub reason: String,
    /// What the user is told.
    pub user: String,
    /// What the model is told.
    pub model: String,
}

impl Correction {
    /// What the model gets: the result of its call.
    pub fn reply(&self) -> Reply {
        let (kind, number, id) = (ReplyKind::Correction, None, self.id.clone());
        Reply { kind, number, id, text: self.model.clone(), images: Vec::new(), mode: None }
    }
}

/// The role of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assistant {
    /// It has no other.
    #[default]
    Assistant,
}

/// The role of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum User {
    /// It has no other.
    #[default]
    User,
}

/// A history that can't have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// Which turn does not follow from those before it, counted from 0.
    pub turn: usize,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "turn {} of the history does not follow from those before it: it was changed, or cut", self.turn + 1)
    }
}

impl core::error::Error for ReplayError {}
