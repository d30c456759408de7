//! A question that can be asked, as a host keeps it.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use crate::event::{Complete, Suggestions};

/// A question that can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Question {
    /// Which question of the dialogue it is, counted from 0. It is answered by this number.
    pub number: u64,
    /// The provider's id of the call, if it was a native one and has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The question itself.
    pub question: String,
    /// The suggested answers.
    pub suggest: Vec<Suggested>,
    /// What was noticed about it. It does not keep it from being asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Finding>,
}

/// A suggested answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggested {
    /// What the user would answer.
    pub answer: String,
    /// The mode the agent should change to with this answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
}

/// What an interface is sent, in the protocol of the agents this format comes from: `ask("followup", text, partial)`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskMessage {
    /// `followup`.
    pub ask: String,
    /// While partial the question so far, as text; then the JSON of the whole.
    pub text: String,
    /// Whether the call is still open.
    pub partial: bool,
}

impl AskMessage {
    /// Of a call that is still open.
    pub fn partial(question: &str) -> AskMessage {
        AskMessage { ask: "followup".into(), text: question.into(), partial: true }
    }
}

impl Question {
    pub(super) fn new(number: u64, call: &Complete<'_>) -> Question {
        Question {
            number,
            id: call.id().map(Into::into),
            question: call.question().into(),
            suggest: suggested(call.suggestions()),
            advice: Vec::new(),
        }
    }

    /// The interface's JSON, exactly `{"question":…,"suggest":[{"answer":…},{"answer":…,"mode":…}]}`.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Dialogue, Directive};
    ///
    /// let mut parser = Parser::default();
    /// let mut dialogue = Dialogue::default();
    /// let message = "<ask_followup_question><question>Say \"hi\"?</question><follow_up><suggest>Yes</suggest>\
    ///     <suggest mode='code'>No</suggest></follow_up></ask_followup_question>";
    /// let mut events = parser.feed(message);
    /// while let Some(event) = events.next() {
    ///     if let Directive::Ask(question) = dialogue.event(event) {
    ///         let json = r#"{"question":"Say \"hi\"?","suggest":[{"answer":"Yes"},{"answer":"No","mode":"code"}]}"#;
    ///         assert_eq!(question.json(), json);
    ///         assert_eq!(question.ask_message().text, json);
    ///     }
    /// }
    /// ```
    pub fn json(&self) -> String {
        #[derive(Serialize)]
        struct Json<'a> {
            question: &'a str,
            suggest: &'a [Suggested],
        }
        // Strings are always JSON.
        serde_json::to_string(&Json { question: &self.question, suggest: &self.suggest }).unwrap_or_default()
    }

    /// What an interface is sent, in the protocol of the agents this format comes from.
    pub fn ask_message(&self) -> AskMessage {
        AskMessage { ask: "followup".into(), text: self.json(), partial: false }
    }
}

pub(super) fn suggested(suggestions: Suggestions<'_>) -> Vec<Suggested> {
    suggestions.iter().map(|one| Suggested { answer: one.answer.into(), mode: one.mode.map(Into::into) }).collect()
}
