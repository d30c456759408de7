//! What the user did, and what the model gets of it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::image::Image;

/// What the user did with a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Took a suggestion as it is: which, from 0.
    Suggestion(usize),
    /// Took a suggestion, and changed it.
    Edited {
        /// Which, from 0. Its mode counts.
        suggestion: usize,
        /// What it was changed to.
        text: String,
    },
    /// Wrote something else.
    Text(String),
}

/// What a reply is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReplyKind {
    /// The answer to a question.
    Answer,
    /// A question was not answered.
    Cancelled,
    /// What was wrong with a call.
    Correction,
    /// What the user said when the dialogue had stopped.
    Guidance,
}

/// What the model gets: the result of its call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// What it is.
    pub kind: ReplyKind,
    /// The number of the question, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The provider's id of the call, if it was a native one and has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text, wrapped as the dialect has it.
    pub text: String,
    /// The images, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// The mode the agent should change to: that of the suggestion that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// For whom messages are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// OpenAI chat completions.
    OpenAiChat,
    /// OpenAI Responses.
    OpenAiResponses,
    /// Anthropic messages.
    Anthropic,
}

impl Reply {
    /// The messages (for OpenAI Responses: the input items) that carry this reply: the result of a native call under its id, or what the user says.
    ///
    /// OpenAI chat completions have no images in the result of a call, so there they follow in a message of the user's.
    ///
    /// ```
    /// use followup::dialogue::{Format, Reply, ReplyKind};
    ///
    /// let reply = Reply {
    ///     kind: ReplyKind::Answer,
    ///     number: Some(0),
    ///     id: Some("call_1".into()),
    ///     text: "<answer>\nYes\n</answer>".into(),
    ///     images: Vec::new(),
    ///     mode: None,
    /// };
    /// let message = r#"{"content":"<answer>\nYes\n</answer>","role":"tool","tool_call_id":"call_1"}"#;
    /// assert_eq!(reply.messages(Format::OpenAiChat)[0].to_string(), message);
    /// ```
    pub fn messages(&self, format: Format) -> Vec<Value> {
        match format {
            Format::OpenAiChat => self.openai_chat(),
            Format::OpenAiResponses => self.openai_responses(),
            Format::Anthropic => self.anthropic(),
        }
    }

    fn openai_chat(&self) -> Vec<Value> {
        let images =
            || self.images.iter().map(|image| json!({"type": "image_url", "image_url": {"url": image.data_url()}}));
        let user = |content: Vec<Value>| json!({"role": "user", "content": content});
        match &self.id {
            Some(id) => {
                let result = json!({"role": "tool", "tool_call_id": id, "content": self.text});
                let images: Vec<Value> = images().collect();
                let more = (!images.is_empty()).then(|| user(images));
                core::iter::once(result).chain(more).collect()
            }
            None if self.images.is_empty() => [json!({"role": "user", "content": self.text})].into(),
            None => {
                let text = json!({"type": "text", "text": self.text});
                [user(core::iter::once(text).chain(images()).collect())].into()
            }
        }
    }

    fn openai_responses(&self) -> Vec<Value> {
        let images = self.images.iter().map(|image| json!({"type": "input_image", "image_url": image.data_url()}));
        let text = json!({"type": "input_text", "text": self.text});
        let content: Vec<Value> = core::iter::once(text).chain(images).collect();
        let output = if self.images.is_empty() { Value::from(&*self.text) } else { Value::from(content) };
        [match &self.id {
            Some(id) => json!({"type": "function_call_output", "call_id": id, "output": output}),
            None => json!({"type": "message", "role": "user", "content": output}),
        }]
        .into()
    }

    fn anthropic(&self) -> Vec<Value> {
        let images = self.images.iter().map(|image| {
            let source = json!({"type": "base64", "media_type": image.media_type(), "data": image.base64()});
            json!({"type": "image", "source": source})
        });
        let text = json!({"type": "text", "text": self.text});
        let content: Vec<Value> = core::iter::once(text).chain(images).collect();
        let content = match &self.id {
            Some(id) => [json!({"type": "tool_result", "tool_use_id": id, "content": content})].into(),
            None => content,
        };
        [json!({"role": "user", "content": content})].into()
    }
}

/// An answer that can't be taken. It is given back, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerError {
    /// Why.
    pub kind: AnswerErrorKind,
    /// What the user did.
    pub answer: Answer,
    /// The images with it.
    pub images: Vec<Image>,
}

/// Why an answer can't be taken, or a question not cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AnswerErrorKind {
    /// No such question has been asked.
    NotAsked,
    /// The question has been answered.
    AlreadyAnswered,
    /// The question has been cancelled.
    AlreadyCancelled,
    /// The question waits until another has been answered.
    NotYetAsked,
    /// The question has no such suggestion.
    NoSuchSuggestion {
        /// How many it has.
        of: usize,
    },
}

impl fmt::Display for AnswerErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            AnswerErrorKind::NotAsked => "no such question has been asked",
            AnswerErrorKind::AlreadyAnswered => "the question has been answered already",
            AnswerErrorKind::AlreadyCancelled => "the question has been cancelled",
            AnswerErrorKind::NotYetAsked => "another question is to be answered first",
            AnswerErrorKind::NoSuchSuggestion { of: 0 } => "the question has no suggestions",
            AnswerErrorKind::NoSuchSuggestion { of } => {
                return write!(f, "the question has no such suggestion: it has {of}");
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
