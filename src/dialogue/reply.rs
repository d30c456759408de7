//! What the user did with a question, and the reply that the model gets.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

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

    /// Returns `true` if there is a text or a note.
    ///
    /// Neither is blank after [`normal`](Self::normal).
    pub(super) fn has_own_words(&self) -> bool {
        self.text.is_some() || self.note.is_some()
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
#[non_exhaustive]
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
    /// The name of the tool, if the call is a native one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The text, as the model gets it.
    ///
    /// It is wrapped by the dialect, or written by the [`Template`](super::Template) of another
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
