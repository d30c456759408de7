//! What a template is, and how it is deserialized.

use alloc::borrow::Cow;
use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize};

use crate::dialogue::placeholder_text;

/// The wording in which answers to a [`Form`](crate::dialogue::Form) go back to the model.
///
/// It is that of the tool's own host.
///
/// A template is plain data, like a [`Dialect`](crate::dialogue::Dialect), in any format that serde
/// reads. What it leaves out is as in [`Template::general`]. An unknown key or placeholder is an
/// error. docs/question-tools.md lists all placeholders and what each built-in template writes.
///
/// ```
/// use followup::dialogue::{Answer, Dialogue, FormAnswer, Setup, Template};
/// use followup::{Parser, Policy};
///
/// let json = r#"{
///     "answered": "<answers>{entries}</answers>",
///     "between_entries": "",
///     "entry": {"picked": "<a q='{number}'>{answer}</a>"}
/// }"#;
/// let setup = Setup::default().with_template("AskUserQuestion", serde_json::from_str::<Template>(json)?);
///
/// let mut dialogue = Dialogue::new(setup);
/// let mut parser = Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
/// drop(parser.feed(r#"{"questions": [{"question": "Tea?"}, {"question": "When?"}]}"#));
/// parser.finish().for_each(|event| drop(dialogue.event(event)));
/// let answers = vec![FormAnswer::text("Yes"), FormAnswer::default()];
/// let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
/// assert_eq!(reply.text, "<answers><a q='1'>Yes</a></answers>");
///
/// let error = serde_json::from_str::<Template>(r#"{"answered": "{entry}"}"#).unwrap_err().to_string();
/// assert!(error.starts_with("the placeholder {entry} is not known here: it may be {entries}"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Template {
    /// The name of the template.
    pub name: Cow<'static, str>,
    /// Whether texts are escaped as in a JSON string. Numbers and lists are JSON in any case.
    pub json: bool,
    /// The reply. Supports `{entries}`: the entries of the questions, in order.
    #[serde(deserialize_with = "with_entries")]
    pub answered: Cow<'static, str>,
    /// The reply if an answer has a text or a note of the user's own, instead of `answered`.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_entries")]
    pub answered_own: Option<Cow<'static, str>>,
    /// What stands between two entries.
    pub between_entries: Cow<'static, str>,
    /// The entry of a question.
    pub entry: TemplateEntry,
    /// The whole reply if there is one question, instead of `answered`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub one: Option<TemplateEntry>,
    /// An option that was picked, for `{picks}`. Supports `{label}`, `{value}` and `{number}`.
    #[serde(deserialize_with = "with_option")]
    pub pick: Cow<'static, str>,
    /// What stands between two options, and between the elements of a list.
    pub between_picks: Cow<'static, str>,
    /// What stands for the header of a question without one. Supports `{number}`.
    #[serde(deserialize_with = "with_number")]
    pub missing_header: Cow<'static, str>,
    /// The id of a question that has one, for `{named}` of an entry. Supports `{id}`.
    #[serde(deserialize_with = "with_id")]
    pub named: Cow<'static, str>,
    /// The user's note, for `{note}` of an entry. Supports `{note}`.
    #[serde(deserialize_with = "with_note")]
    pub note: Cow<'static, str>,
    /// The preview of the one option that was picked, for `{preview}`. Supports `{preview}`.
    #[serde(deserialize_with = "with_preview")]
    pub preview: Cow<'static, str>,
    /// The reply if no question was answered; without it, that of unanswered entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nothing: Option<TemplateOutcome>,
    /// The reply if the user dismissed the questions; without it, the dialect's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<TemplateOutcome>,
    /// The reply if the user declined to answer; without it, as if they dismissed the questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declined: Option<TemplateOutcome>,
    /// The reply if the user wants to talk about the questions instead of answering them.
    ///
    /// Without it, the user can't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discussed: Option<TemplateOutcome>,
    /// The reply if the time for an answer is over; without it, as if the user dismissed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timed_out: Option<TemplateOutcome>,
    /// What the model is told about a call that can't be asked; without it, the dialect's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<TemplateRejection>,
    /// The name of the parameter that has the questions.
    pub parameter: Cow<'static, str>,
    /// The name of the built-in template for a call with several questions or with ids.
    ///
    /// Of Hermes, also for one with a title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Cow<'static, str>>,
}

/// What a [`Template`] writes for one question, by what the user answered.
///
/// Only `picked` is required. The text of a case that is not there is that of the next in this
/// list: `several`, `yes` and `no` are `picked`; `free` is `written`, and `written` and `both` are
/// `picked`; `none_of_several` is `unanswered`. A question that is not answered has no entry if
/// neither `unanswered` nor `none_of_several` is for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TemplateEntry {
    /// An option was picked.
    #[serde(deserialize_with = "with_answer")]
    pub picked: Cow<'static, str>,
    /// An option was picked, or several, of a question that allows several.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub several: Option<Cow<'static, str>>,
    /// An option `Yes` without a value was picked, in upper or lower case.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub yes: Option<Cow<'static, str>>,
    /// An option `No` without a value was picked, in upper or lower case.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub no: Option<Cow<'static, str>>,
    /// The user wrote an own answer and picked nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub written: Option<Cow<'static, str>>,
    /// The user wrote the answer to a question without options.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub free: Option<Cow<'static, str>>,
    /// The user picked something and wrote something.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub both: Option<Cow<'static, str>>,
    /// The user did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub unanswered: Option<Cow<'static, str>>,
    /// The user did not answer a question with options of which several may be picked.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub none_of_several: Option<Cow<'static, str>>,
}

/// The reply of a [`Template`] without answers, or with those so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TemplateOutcome {
    /// The reply. Supports `{entries}`: the entries of the questions, in order.
    #[serde(deserialize_with = "with_entries")]
    pub text: Cow<'static, str>,
    /// The text that replaces `{entries}` in `text` if there is an entry.
    ///
    /// `None` if the entries alone do. Supports `{entries}`.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_entries")]
    pub entries: Option<Cow<'static, str>>,
    /// The entry of a question without an answer; without it, that of an unanswered one.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub entry: Option<Cow<'static, str>>,
    /// The entry of a question that was answered before; without it, that of the template.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "maybe_with_answer")]
    pub answered: Option<Cow<'static, str>>,
    /// What stands between two entries; without it, what the template has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_entries: Option<Cow<'static, str>>,
    /// A text that is the answer to each question without one, as if the user had written it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_answer: Option<Cow<'static, str>>,
    /// The entry of a question without an answer that has options.
    ///
    /// The one that the model recommends is picked, or else the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended: Option<TemplateEntry>,
    /// Whether the host marks the result of the call as an error.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_error: bool,
}

/// What a [`Template`] tells the model about a call that can't be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TemplateRejection {
    /// There are no questions. Supports `{tool}` and `{parameter}`.
    #[serde(deserialize_with = "with_tool_and_parameter")]
    pub missing_parameter: Cow<'static, str>,
    /// Anything else. Supports `{tool}` and `{details}`.
    #[serde(deserialize_with = "with_tool_and_details")]
    pub other: Cow<'static, str>,
    /// Whether the host marks the result of the call as an error.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_error: bool,
}

/// The placeholders of an entry.
const IN_ENTRY: [&str; 14] = [
    "{index}",
    "{number}",
    "{id}",
    "{named}",
    "{header}",
    "{question}",
    "{answer}",
    "{picks}",
    "{text}",
    "{json}",
    "{values}",
    "{options}",
    "{note}",
    "{preview}",
];

pub(super) type Text = Cow<'static, str>;

fn with_entries<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{entries}"])
}

fn maybe_with_entries<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Text>, D::Error> {
    /// A text around the entries.
    #[derive(Deserialize)]
    struct Around(#[serde(deserialize_with = "with_entries")] Text);
    Ok(Option::deserialize(from)?.map(|Around(text)| text))
}

fn with_answer<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &IN_ENTRY)
}

fn maybe_with_answer<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Text>, D::Error> {
    /// A text of an entry.
    #[derive(Deserialize)]
    struct InEntry(#[serde(deserialize_with = "with_answer")] Text);
    Ok(Option::deserialize(from)?.map(|InEntry(text)| text))
}

fn with_option<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{label}", "{value}", "{number}"])
}

fn with_number<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{number}"])
}

fn with_id<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{id}"])
}

fn with_note<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{note}"])
}

fn with_preview<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{preview}"])
}

fn with_tool_and_parameter<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{tool}", "{parameter}"])
}

fn with_tool_and_details<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    placeholder_text::deserialize(from, &["{tool}", "{details}"])
}

/// A reply, or what the model is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialogue) struct Rendered {
    pub(in crate::dialogue) text: String,
    pub(in crate::dialogue) is_error: bool,
}
