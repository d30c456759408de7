//! A question that can be asked, as a host keeps it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::form::Form;
use crate::config::ASK;
use crate::event::Complete;
use crate::questions::Suggestions;

/// A question that can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Question {
    /// The number of the question in the dialogue, from 0. It is answered by this number.
    pub number: u64,
    /// The provider's id of the call, if it is a native call that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it is a native call. One with an id is, even if this is not set.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub native: bool,
    /// The question itself.
    pub question: String,
    /// The suggested answers.
    pub suggest: Vec<Suggestion>,
    /// What the rules found. The question may still be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Finding>,
    /// Whether the user can talk about it instead of answering it.
    ///
    /// The dialogue sets it when it asks: the tool has a reply for that, which
    /// [`Dialogue::discuss`](super::Dialogue::discuss) returns.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub can_discuss: bool,
    /// All questions of a call of another agent's tool; `None` for `ask_followup_question`.
    ///
    /// `question` and `suggest` are those of the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Form>,
}

/// A suggested answer, owned.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Suggestion {
    /// What the user would answer.
    pub answer: String,
    /// The mode that the agent should switch to with this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// The message to a user interface in the agents' own protocol: `ask("followup", text, partial)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AskMessage {
    /// Always `followup`.
    pub ask: String,
    /// The question so far as text while `partial`, then the whole as JSON.
    pub text: String,
    /// Whether the call is still open.
    pub partial: bool,
}

impl AskMessage {
    /// Returns the message for a call that is still open.
    pub fn partial(question: &str) -> AskMessage {
        AskMessage { ask: "followup".into(), text: question.into(), partial: true }
    }
}

impl Question {
    /// Returns the question of a call, without its number.
    pub(super) fn new(call: &Complete<'_>) -> Question {
        Question {
            number: 0,
            id: call.id().map(Into::into),
            native: call.is_native(),
            question: call.question().into(),
            suggest: owned(call.suggestions()),
            advice: Vec::new(),
            can_discuss: false,
            form: Form::new(call),
        }
    }

    /// Returns the name of the tool that was called.
    pub(super) fn tool(&self) -> &str {
        self.form.as_ref().map_or(ASK, |form| &form.tool)
    }

    /// Returns the name of the tool, if it is a native call.
    pub(super) fn native_tool(&self) -> Option<String> {
        (self.native || self.id.is_some()).then(|| self.tool().into())
    }

    /// Returns `true` if there is something to ask.
    pub(super) fn can_be_asked(&self) -> bool {
        !self.question.is_empty() && self.form.as_ref().is_none_or(|form| !form.questions.is_empty())
    }

    /// Returns the JSON for a user interface.
    ///
    /// It is exactly `{"question":…,"suggest":[{"answer":…},{"answer":…,"mode":…}]}`, and for a
    /// call of another agent's tool `{"question":…,"suggest":[…],"form":{…}}`.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Dialogue, Directive};
    ///
    /// let mut parser = Parser::default();
    /// let mut dialogue = Dialogue::default();
    /// let message = "<ask_followup_question><question>Say \"hi\"?</question>\
    ///     <follow_up><suggest>Yes</suggest>\
    ///     <suggest mode='code'>No</suggest></follow_up></ask_followup_question>";
    /// parser.feed(message).for_each(|event| {
    ///     if let Directive::Ask(question) = dialogue.event(event) {
    ///         let json = r#"{"question":"Say \"hi\"?","suggest":[{"answer":"Yes"},{"answer":"No","mode":"code"}]}"#;
    ///         assert_eq!(question.json(), json);
    ///         assert_eq!(question.ask_message().text, json);
    ///     }
    /// });
    /// ```
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct QuestionJson<'a> {
            question: &'a str,
            suggest: &'a [Suggestion],
            #[serde(skip_serializing_if = "Option::is_none")]
            form: Option<&'a Form>,
        }
        let Question { question, suggest, form, .. } = self;
        // Strings always serialize.
        serde_json::to_string(&QuestionJson { question, suggest, form: form.as_ref() }).unwrap_or_default()
    }

    /// Returns the message to a user interface in the agents' own protocol.
    pub fn ask_message(&self) -> AskMessage {
        AskMessage { ask: "followup".into(), text: self.json(), partial: false }
    }
}

fn owned(suggestions: Suggestions<'_>) -> Vec<Suggestion> {
    suggestions.iter().map(|one| Suggestion { answer: one.answer.into(), mode: one.mode.map(Into::into) }).collect()
}
