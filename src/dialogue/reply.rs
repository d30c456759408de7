//! What the user did, and what the model gets of it.

use alloc::string::String;
use alloc::vec::Vec;
use core::{fmt, slice};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::format::{self, Format};
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

impl Reply {
    /// The messages (for OpenAI Responses: the input items) that carry this reply: the result of a native call under its id, or what the user says.
    ///
    /// It is the only reply of its turn: of several, [`messages_of`](Reply::messages_of) makes the messages.
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
        Reply::messages_of(slice::from_ref(self), format)
    }

    /// The messages that carry all replies of one turn: of the calls in one message of the model's. They come right behind that message.
    ///
    /// The APIs refuse a conversation in which the results of a turn's native calls are not together, or one is missing, so collect the replies until every
    /// call has its own, and the results of other tools with them. Whatever the order of the replies, the results of native calls come first, in
    /// their order, and then what the user says to calls without an id, in theirs:
    ///
    /// * OpenAI chat completions: a `tool` message for each result, all of them before any message of the user's. Such a message has no images, so
    ///   those follow in one of the user's.
    /// * OpenAI Responses: a `function_call_output` for each, with its images, and then the messages.
    /// * Anthropic: one message of the user's, with a `tool_result` for each, its images in it, and then the rest. A blank text is an error there,
    ///   and left out; if nothing is left, there is no message.
    ///
    /// Images are sent in the order they have, OpenAI's as the data URLs they are. Cost: linear; a copy of the texts and images.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, Format, Reply};
    ///
    /// let call = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    /// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
    /// let message = call.repeat(2);
    /// let mut events = parser.feed(&message);
    /// while let Some(event) = events.next() {
    ///     dialogue.event(event);
    /// }
    /// let mut replies = Vec::new();
    /// while let Some(number) = dialogue.question().map(|open| open.number) {
    ///     replies.push(dialogue.answer(number, Answer::Text("Yes".into()), Vec::new())?);
    /// }
    /// let messages = Reply::messages_of(&replies, Format::Anthropic);
    /// assert_eq!((messages.len(), messages[0]["content"].as_array().map(Vec::len)), (1, Some(2)));
    /// # Ok::<(), followup::dialogue::AnswerError>(())
    /// ```
    pub fn messages_of(replies: &[Reply], format: Format) -> Vec<Value> {
        format::messages(replies, format)
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

/// Guidance that can't be given, because the dialogue has not stopped. It is given back, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideError {
    /// What the user said.
    pub text: String,
    /// The images with it.
    pub images: Vec<Image>,
}

impl fmt::Display for GuideError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the dialogue has not stopped: there is nothing to guide, and a question is to be answered")
    }
}

impl core::error::Error for GuideError {}
