//! The questions of a call of another agent's question tool, as a host keeps them.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use crate::event::Complete;
use crate::questions;
use crate::shape::QuestionKind;

/// All questions of a call of another agent's question tool. The user answers them together.
///
/// ```
/// use followup::dialogue::{Answer, Dialogue, FormAnswer};
/// use followup::{Parser, Policy};
///
/// let arguments = r#"{"questions": [
///     {"question": "Which store?", "header": "Store", "options": [{"label": "Redis"}, {"label": "Postgres"}]},
///     {"question": "Why?", "header": "Reason", "options": [{"label": "Cost"}, {"label": "Speed"}]}]}"#;
/// let (mut dialogue, mut parser) =
///     (Dialogue::default(), Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap());
/// drop(parser.feed(arguments));
/// parser.finish().for_each(|event| drop(dialogue.event(event)));
/// let form = dialogue.question().unwrap().form.as_ref().unwrap();
/// assert_eq!((&*form.shape, form.questions.len()), ("claude", 2));
///
/// let answers = vec![FormAnswer::picked([1]), FormAnswer::text("We know it")];
/// let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
/// assert_eq!(
///     reply.text,
///     "The user answered: \"Which store?\"=\"Postgres\", \"Why?\"=\"We know it\". Read the answers \
///      carefully — they may request clarification, changes, or that you not proceed — and follow what \
///      they actually say."
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Form {
    /// The name of the tool, such as `AskUserQuestion`.
    pub tool: String,
    /// The name of the [`Shape`](crate::Shape) that read the call.
    pub shape: String,
    /// A text above all questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The questions, in order. There is at least one.
    pub questions: Vec<FormQuestion>,
}

/// One question of a [`Form`]. What the call did not say is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FormQuestion {
    /// The question itself.
    pub text: String,
    /// The id under which the answer goes back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A short title of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// A text below the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// A hint in the empty field of the user's own answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// What it asks for, if it is not a choice.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "kind_name")]
    pub kind: Option<QuestionKind>,
    /// Whether several options can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple: Option<bool>,
    /// Whether the user can answer in words of their own. Without options, the user always can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<bool>,
    /// Whether it has to be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Whether the user can add a note to an option: the tool's reply has a place for one.
    ///
    /// The dialogue sets it when it asks the question, by the [`Template`](super::Template).
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub notes: bool,
    /// The answers that are chosen at first: labels or values of options, or a text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defaults: Vec<String>,
    /// The options to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<FormOption>,
    /// What the rules found in its options. The question may still be asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Finding>,
}

/// An option of a [`FormQuestion`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FormOption {
    /// What the user reads, and what goes back if there is no `value`.
    pub label: String,
    /// What the option means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What goes back to the model, if it is not the label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The mode that the agent should switch to with this option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// What the option would lead to, as Markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
    /// The model recommends it.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub recommended: bool,
}

impl Form {
    /// Returns the questions of a call; `None` for a call of `ask_followup_question`.
    pub(super) fn new(call: &Complete<'_>) -> Option<Form> {
        let shape = call.shape()?.into();
        let questions = call.questions().iter().map(FormQuestion::new).collect();
        Some(Form { tool: call.tool().into(), shape, title: call.title().map(Into::into), questions })
    }
}

impl FormQuestion {
    fn new(question: questions::Question<'_>) -> FormQuestion {
        FormQuestion {
            text: question.text.into(),
            id: question.id.map(Into::into),
            header: question.header.map(Into::into),
            detail: question.detail.map(Into::into),
            placeholder: question.placeholder.map(Into::into),
            kind: question.kind,
            multiple: question.multiple,
            custom: question.custom,
            required: question.required,
            notes: false,
            defaults: question.defaults.iter().map(Into::into).collect(),
            options: question.suggestions.iter().map(FormOption::new).collect(),
            advice: Vec::new(),
        }
    }

    /// Returns `true` if the user may answer in words of their own.
    ///
    /// Without options there is no other way to answer.
    pub fn allows_text(&self) -> bool {
        self.custom != Some(false) || self.options.is_empty()
    }
}

impl FormOption {
    /// Returns what goes back to the model: the value, or else the label.
    pub fn reply_text(&self) -> &str {
        self.value.as_deref().unwrap_or(&self.label)
    }

    fn new(option: questions::Suggestion<'_>) -> FormOption {
        FormOption {
            label: option.answer.into(),
            description: option.description.map(Into::into),
            value: option.value.map(Into::into),
            mode: option.mode.map(Into::into),
            preview: option.preview.map(Into::into),
            recommended: option.recommended,
        }
    }
}

/// Stores a kind as its [name](QuestionKind::name).
mod kind_name {
    use alloc::borrow::Cow;

    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    use super::QuestionKind;

    const KINDS: [QuestionKind; 3] = [QuestionKind::Text, QuestionKind::YesNo, QuestionKind::Number];

    // Serde passes a reference to the field.
    #[allow(clippy::ref_option)]
    pub(super) fn serialize<S: Serializer>(kind: &Option<QuestionKind>, to: S) -> Result<S::Ok, S::Error> {
        kind.map(QuestionKind::name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<QuestionKind>, D::Error> {
        let Some(name) = Option::<Cow<'de, str>>::deserialize(from)? else { return Ok(None) };
        let kind = KINDS.into_iter().find(|kind| kind.name() == name);
        kind.map(Some).ok_or_else(|| Error::unknown_variant(&name, &["text", "yesno", "number"]))
    }
}
