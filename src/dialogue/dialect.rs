//! What a family of agents says, and how it wraps a reply: data.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Deserializer, Serialize, de};

use super::wrapping::Wrapping;
use crate::{Place, Reason};

/// A text that is built in, or a user's own.
pub(super) type Text = Cow<'static, str>;

/// How a family of agents talks to its model and its user: the wording of its messages, and how a reply is wrapped.
///
/// Plain data. A user's own comes from any format that serde reads; what it leaves out is as in [`Dialect::roo_code`], but the two sides of a [`Wrapping`]
/// belong together. A key that does not exist is an error, because it would be a misspelt one, and so is a placeholder that a message does not know.
///
/// ```
/// use followup::dialogue::Dialect;
///
/// let own: Dialect = serde_json::from_str(r#"{"name": "ours", "reply": {"open": "<reply>", "close": "</reply>"}}"#)?;
/// assert_eq!(own.reply.wrap("Yes", false), "<reply>\nYes\n</reply>");
/// assert_eq!(own.messages, Dialect::roo_code().messages);
/// assert!(serde_json::from_str::<Dialect>(r#"{"nmae": "ours"}"#).is_err());
/// assert!(serde_json::from_str::<Dialect>(r#"{"reply": {"open": "<reply>"}}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Dialect {
    /// Its name.
    pub name: Text,
    /// Whether a call without suggestions lacks a parameter.
    pub follow_up_required: bool,
    /// What stands around a reply.
    pub reply: Wrapping,
    /// What stands around what a user says when the dialogue has stopped.
    pub guidance: Wrapping,
    /// What the model is told when the user did not answer. Knows no placeholder.
    #[serde(deserialize_with = "plain")]
    pub cancelled: Text,
    /// What is said of a call that can't be asked.
    pub messages: Messages,
}

/// What is said of a call that can't be asked.
///
/// `{parameter}`, `{details}`, `{place}` and `{limit}` stand for what they say, in the messages that know them. None is obliged to use them. Where a
/// dialect is read, one that a message does not know is an error; other braces are text.
///
/// ```
/// use followup::dialogue::Messages;
///
/// let error = serde_json::from_str::<Messages>(r#"{"missing_parameter": "Where is {param}?"}"#).unwrap_err();
/// assert!(error.to_string().starts_with("the placeholder {param} is not known here: it may be {parameter}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Messages {
    /// A parameter is missing, to both. Knows `{parameter}`.
    #[serde(deserialize_with = "with_parameter")]
    pub missing_parameter: Text,
    /// It is malformed, to the user. Knows `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub malformed: Text,
    /// It is malformed, to the model. Knows `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub malformed_model: Text,
    /// It was cut off, to both. Knows `{place}`.
    #[serde(deserialize_with = "with_place")]
    pub truncated: Text,
    /// A value is too long, to both. Knows `{place}` and `{limit}`, in bytes.
    #[serde(deserialize_with = "with_place_and_limit")]
    pub too_long: Text,
    /// A value is of the wrong type, to both. Knows `{place}`.
    #[serde(deserialize_with = "with_place")]
    pub wrong_type: Text,
    /// It breaks a rule of the host's, to both. Knows `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub rule: Text,
    /// The names of places.
    pub places: Places,
}

fn plain<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    message(from, &[])
}

fn with_parameter<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    message(from, &["{parameter}"])
}

fn with_details<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    message(from, &["{details}"])
}

fn with_place<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    message(from, &["{place}"])
}

fn with_place_and_limit<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
    message(from, &["{place}", "{limit}"])
}

/// Reads a message that knows these placeholders. Any other would be said as it stands there.
fn message<'de, D: Deserializer<'de>>(from: D, known: &[&str]) -> Result<Text, D::Error> {
    let text = Text::deserialize(from)?;
    let Some(unknown) = unknown(&text, known) else { return Ok(text) };
    let known = if known.is_empty() { "there is none".into() } else { format!("it may be {}", known.join(" or ")) };
    Err(de::Error::custom(format!("the placeholder {unknown} is not known here: {known}")))
}

/// The first word in braces that is not among the known ones.
fn unknown<'a>(text: &'a str, known: &[&str]) -> Option<&'a str> {
    text.match_indices('{').find_map(|(at, _)| {
        let inside = &text[at + 1..];
        let inside = &inside[..inside.find(['{', '}'])?];
        let whole = &text[at..at + inside.len() + 2];
        let name = inside.trim();
        let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-');
        (is_word && whole.ends_with('}') && !known.contains(&whole)).then_some(whole)
    })
}

/// The names of places in a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // They are what they are called.
pub struct Places {
    pub question: Text,
    pub answer: Text,
    pub mode: Text,
    pub suggestions: Text,
    pub arguments: Text,
    pub call: Text,
}

impl Places {
    fn name(&self, place: Place) -> &str {
        match place {
            Place::Question => &self.question,
            Place::Answer => &self.answer,
            Place::Mode => &self.mode,
            Place::Options | Place::Suggestions => &self.suggestions,
            Place::Arguments => &self.arguments,
            Place::Opening | Place::Parameters => &self.call,
        }
    }
}

const ENGLISH: Places = Places {
    question: Cow::Borrowed("the question"),
    answer: Cow::Borrowed("a suggested answer"),
    mode: Cow::Borrowed("the mode of a suggestion"),
    suggestions: Cow::Borrowed("the list of suggestions"),
    arguments: Cow::Borrowed("the arguments"),
    call: Cow::Borrowed("the call"),
};

const CHINESE: Places = Places {
    question: Cow::Borrowed("问题"),
    answer: Cow::Borrowed("建议答案"),
    mode: Cow::Borrowed("建议的模式"),
    suggestions: Cow::Borrowed("建议列表"),
    arguments: Cow::Borrowed("参数"),
    call: Cow::Borrowed("调用"),
};

impl Default for Places {
    fn default() -> Places {
        ENGLISH
    }
}

const ROO: Messages = Messages {
    missing_parameter: Cow::Borrowed("Missing required parameter '{parameter}'"),
    malformed: Cow::Borrowed("Failed to parse operations: {details}"),
    malformed_model: Cow::Borrowed("Invalid operations xml format"),
    truncated: Cow::Borrowed("Failed to parse operations: the message ended inside {place}"),
    too_long: Cow::Borrowed("Failed to parse operations: {place} is longer than the limit of {limit} bytes"),
    wrong_type: Cow::Borrowed("Failed to parse operations: {place} is of the wrong type"),
    rule: Cow::Borrowed("Failed to parse operations: {details}"),
    places: ENGLISH,
};

const CHINESE_MESSAGES: Messages = Messages {
    missing_parameter: Cow::Borrowed("缺少必需的参数 '{parameter}'"),
    malformed: Cow::Borrowed("无法解析操作：{details}"),
    malformed_model: Cow::Borrowed("操作 xml 格式无效"),
    truncated: Cow::Borrowed("无法解析操作：消息在{place}中结束"),
    too_long: Cow::Borrowed("无法解析操作：{place}超过 {limit} 字节的限制"),
    wrong_type: Cow::Borrowed("无法解析操作：{place}的类型错误"),
    rule: Cow::Borrowed("无法解析操作：{details}"),
    places: CHINESE,
};

impl Default for Messages {
    fn default() -> Messages {
        ROO
    }
}

impl Default for Dialect {
    fn default() -> Dialect {
        Dialect::roo_code()
    }
}

const ANSWER: Wrapping = Wrapping::new("<answer>", "</answer>");
const USER_MESSAGE: Wrapping = Wrapping::new("<user_message>", "</user_message>");
const FEEDBACK: Wrapping = Wrapping::new(
    "You seem to be having trouble proceeding. The user has provided the following feedback to help guide you:\n<feedback>",
    "</feedback>",
);
const CHINESE_FEEDBACK: Wrapping =
    Wrapping::new("你似乎遇到了困难。用户提供了以下反馈来帮助指导你：\n<feedback>", "</feedback>");

impl Dialect {
    const ROO_CODE: Dialect = Dialect {
        name: Cow::Borrowed("roo-code"),
        follow_up_required: false,
        reply: ANSWER,
        guidance: FEEDBACK,
        cancelled: Cow::Borrowed("The user denied this operation."),
        messages: ROO,
    };

    /// The names of those that are built in, as [`Dialect::named`] has them.
    pub const NAMES: [&str; 5] = ["roo-code", "roo-code-zh", "roo-code-latest", "vjsp", "kilo-code-zh"];

    /// Roo Code, in English.
    pub const fn roo_code() -> Dialect {
        Dialect::ROO_CODE
    }

    /// Roo Code, in Chinese.
    pub fn roo_code_chinese() -> Dialect {
        Dialect {
            name: "roo-code-zh".into(),
            guidance: CHINESE_FEEDBACK,
            cancelled: "用户拒绝了此操作。".into(),
            messages: CHINESE_MESSAGES,
            ..Dialect::ROO_CODE
        }
    }

    /// The latest Roo Code: replies are user messages, suggestions are required, and it has a wording of its own.
    pub fn roo_code_latest() -> Dialect {
        let missing = "Missing value for required parameter '{parameter}'. Please retry with complete response.";
        Dialect {
            name: "roo-code-latest".into(),
            follow_up_required: true,
            reply: USER_MESSAGE,
            messages: Messages { missing_parameter: missing.into(), ..ROO },
            ..Dialect::ROO_CODE
        }
    }

    /// VJSP.
    pub fn vjsp() -> Dialect {
        let messages = Messages {
            missing_parameter: "Required parameter '{parameter}' is missing".into(),
            malformed: "Operation parsing failed: {details}".into(),
            malformed_model: "Operation XML format is invalid".into(),
            truncated: "Operation parsing failed: the message ended inside {place}".into(),
            too_long: "Operation parsing failed: {place} is longer than the limit of {limit} bytes".into(),
            wrong_type: "Operation parsing failed: {place} is of the wrong type".into(),
            rule: "Operation parsing failed: {details}".into(),
            places: ENGLISH,
        };
        Dialect { name: "vjsp".into(), messages, ..Dialect::ROO_CODE }
    }

    /// Kilo Code, in Chinese.
    pub fn kilo_code_chinese() -> Dialect {
        Dialect { name: "kilo-code-zh".into(), ..Dialect::roo_code_chinese() }
    }

    /// The built-in dialect of that name.
    ///
    /// ```
    /// use followup::dialogue::Dialect;
    ///
    /// assert!(Dialect::NAMES.iter().all(|name| Dialect::named(name).is_some_and(|dialect| dialect.name == *name)));
    /// assert_eq!(Dialect::named("klingon"), None);
    /// ```
    pub fn named(name: &str) -> Option<Dialect> {
        Some(match name {
            "roo-code" => Dialect::roo_code(),
            "roo-code-zh" => Dialect::roo_code_chinese(),
            "roo-code-latest" => Dialect::roo_code_latest(),
            "vjsp" => Dialect::vjsp(),
            "kilo-code-zh" => Dialect::kilo_code_chinese(),
            _ => return None,
        })
    }

    /// What is said when a parameter is missing.
    pub(super) fn missing(&self, parameter: &str) -> Said {
        Said::both(self.messages.missing_parameter.replace("{parameter}", parameter))
    }

    /// What is said when a rule is broken.
    pub(super) fn broken_rule(&self, details: &str) -> Said {
        Said::both(self.messages.rule.replace("{details}", details))
    }

    /// What is said of a rejection.
    pub(super) fn said(&self, reason: Reason) -> Said {
        let Messages { malformed, malformed_model, truncated, too_long, wrong_type, places, .. } = &self.messages;
        let at = |template: &str, place: Place| template.replace("{place}", places.name(place));
        match reason {
            Reason::MissingParameter => self.missing("question"),
            Reason::Malformed(note) => {
                let [user, model] =
                    [malformed, malformed_model].map(|said| said.replace("{details}", &note.to_string()));
                Said { user, model }
            }
            Reason::Truncated(place) => Said::both(at(truncated, place)),
            Reason::TooLong { place, limit } => Said::both(at(too_long, place).replace("{limit}", &limit.to_string())),
            Reason::WrongType(place) => Said::both(at(wrong_type, place)),
        }
    }
}

/// What is said of a call that can't be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) user: String,
    pub(super) model: String,
}

impl Said {
    fn both(text: String) -> Said {
        Said { user: text.clone(), model: text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Note;

    #[test]
    fn every_dialect_says_what_it_says_literally() {
        let malformed = Reason::Malformed(Note::UnclosedQuestion);
        for (name, missing, user, model) in [
            (
                "roo-code",
                "Missing required parameter 'question'",
                "Failed to parse operations: the question has no close tag",
                "Invalid operations xml format",
            ),
            (
                "roo-code-latest",
                "Missing value for required parameter 'question'. Please retry with complete response.",
                "Failed to parse operations: the question has no close tag",
                "Invalid operations xml format",
            ),
            (
                "vjsp",
                "Required parameter 'question' is missing",
                "Operation parsing failed: the question has no close tag",
                "Operation XML format is invalid",
            ),
            (
                "roo-code-zh",
                "缺少必需的参数 'question'",
                "无法解析操作：the question has no close tag",
                "操作 xml 格式无效",
            ),
            (
                "kilo-code-zh",
                "缺少必需的参数 'question'",
                "无法解析操作：the question has no close tag",
                "操作 xml 格式无效",
            ),
        ] {
            let dialect = Dialect::named(name).unwrap();
            let said = dialect.said(Reason::MissingParameter);
            assert_eq!((&*said.user, &*said.model), (missing, missing), "{name}");
            let said = dialect.said(malformed);
            assert_eq!((&*said.user, &*said.model), (user, model), "{name}");
        }
    }

    #[test]
    fn every_dialect_has_its_name_and_says_how_a_question_that_is_not_answered_ends() {
        let english = (
            "You seem to be having trouble proceeding. The user has provided the following feedback to help guide you:",
            "The user denied this operation.",
        );
        let chinese = ("你似乎遇到了困难。用户提供了以下反馈来帮助指导你：", "用户拒绝了此操作。");
        for (name, (guidance, cancelled)) in [
            ("roo-code", english),
            ("roo-code-latest", english),
            ("vjsp", english),
            ("roo-code-zh", chinese),
            ("kilo-code-zh", chinese),
        ] {
            let dialect = Dialect::named(name).unwrap();
            assert_eq!(dialect.name, name);
            assert_eq!(dialect.cancelled, cancelled, "{name}");
            let guided = dialect.guidance.wrap("Go on", false);
            assert_eq!(guided, format!("{guidance}\n<feedback>\nGo on\n</feedback>"), "{name}");
        }
        assert_eq!(Dialect::named("klingon"), None);
    }

    #[test]
    fn what_the_other_reasons_say() {
        let said = |name: &str, reason| Dialect::named(name).unwrap().said(reason).model;
        let too_long = Reason::TooLong { place: Place::Answer, limit: 9 };
        for (name, reason, text) in [
            (
                "roo-code",
                Reason::Truncated(Place::Question),
                "Failed to parse operations: the message ended inside the question",
            ),
            (
                "vjsp",
                Reason::Truncated(Place::Parameters),
                "Operation parsing failed: the message ended inside the call",
            ),
            ("vjsp", too_long, "Operation parsing failed: a suggested answer is longer than the limit of 9 bytes"),
            ("kilo-code-zh", too_long, "无法解析操作：建议答案超过 9 字节的限制"),
            (
                "roo-code",
                Reason::WrongType(Place::Suggestions),
                "Failed to parse operations: the list of suggestions is of the wrong type",
            ),
            ("kilo-code-zh", Reason::WrongType(Place::Arguments), "无法解析操作：参数的类型错误"),
        ] {
            assert_eq!(said(name, reason), text);
        }
    }

    #[test]
    fn a_dialect_comes_back_as_it_was() {
        for name in Dialect::NAMES {
            let dialect = Dialect::named(name).unwrap();
            let stored = serde_json::to_string(&dialect).unwrap();
            assert_eq!(serde_json::from_str::<Dialect>(&stored).unwrap(), dialect);
        }
    }

    #[test]
    fn a_placeholder_that_a_message_does_not_know_is_named_with_those_it_knows() {
        let parameter = "it may be {parameter}";
        for (stored, unknown, known) in [
            (r#"{"messages": {"missing_parameter": "No {param}, no {parameter}"}}"#, "{param}", parameter),
            (r#"{"messages": {"missing_parameter": "{ parameter }"}}"#, "{ parameter }", parameter),
            (r#"{"messages": {"missing_parameter": "{{parameters}}"}}"#, "{parameters}", parameter),
            (r#"{"messages": {"missing_parameter": "{参数}"}}"#, "{参数}", parameter),
            (r#"{"messages": {"malformed": "{place}"}}"#, "{place}", "it may be {details}"),
            (r#"{"messages": {"malformed_model": "{detail}"}}"#, "{detail}", "it may be {details}"),
            (r#"{"messages": {"truncated": "{limit}"}}"#, "{limit}", "it may be {place}"),
            (r#"{"messages": {"too_long": "{place} {limit} {max}"}}"#, "{max}", "it may be {place} or {limit}"),
            (r#"{"messages": {"wrong_type": "{type}"}}"#, "{type}", "it may be {place}"),
            (r#"{"messages": {"rule": "{rule}"}}"#, "{rule}", "it may be {details}"),
            (r#"{"cancelled": "{number}"}"#, "{number}", "there is none"),
            (r#"{"cancelled": "{a_number}"}"#, "{a_number}", "there is none"),
            (r#"{"cancelled": "{a-number}"}"#, "{a-number}", "there is none"),
        ] {
            let error = serde_json::from_str::<Dialect>(stored).unwrap_err().to_string();
            let says = format!("the placeholder {unknown} is not known here: {known}");
            assert!(error.starts_with(&says), "{stored}: {error}");
        }
    }

    #[test]
    fn a_message_need_not_use_what_it_knows_and_other_braces_are_text() {
        for text in
            ["No.", "", "{parameter} {parameter}", "{}", "{ }", "{\"question\": 1}", "a { b", "}{", "{parameter"]
        {
            let stored = serde_json::json!({"messages": {"missing_parameter": text}}).to_string();
            assert_eq!(serde_json::from_str::<Dialect>(&stored).unwrap().messages.missing_parameter, text);
        }
    }

    #[test]
    fn the_model_may_be_told_the_details_too() {
        let stored = r#"{"messages": {"malformed_model": "Invalid: {details}"}}"#;
        let said = serde_json::from_str::<Dialect>(stored).unwrap().said(Reason::Malformed(Note::UnclosedQuestion));
        assert_eq!(said.model, "Invalid: the question has no close tag");
    }
}
