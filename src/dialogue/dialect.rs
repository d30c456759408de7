//! Dialects: the wording of a family of agents and how it wraps a reply, as data.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};

use serde::{Deserialize, Deserializer, Serialize};

use super::placeholder_text;
use super::wrapping::Wrapping;
use crate::{CallPart, Reason};

/// How a family of agents talks to its model and its user: its messages, and how it wraps a reply.
///
/// A dialect is plain data, in any format that serde reads. What it leaves out is as in
/// [`Dialect::roo_code`], except that a [`Wrapping`] has both sides or none. An unknown key is an
/// error, and so is a placeholder that a message does not support: each is most likely a typo.
///
/// ```
/// use followup::dialogue::Dialect;
///
/// let json = r#"{"name": "ours", "reply": {"open": "<reply>", "close": "</reply>"}}"#;
/// let own: Dialect = serde_json::from_str(json)?;
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
    /// The name of the dialect.
    pub name: Cow<'static, str>,
    /// Whether a call without suggestions is rejected for a missing parameter.
    pub follow_up_required: bool,
    /// What a reply is wrapped in.
    pub reply: Wrapping,
    /// What the user's guidance is wrapped in, after the dialogue has stopped.
    pub guidance: Wrapping,
    /// What the model is told when the user cancels a question. Supports no placeholder.
    #[serde(deserialize_with = "plain")]
    pub cancelled: Cow<'static, str>,
    /// The messages about a call that can't be asked.
    pub messages: Messages,
}

/// The messages about a call that can't be asked.
///
/// The placeholders `{parameter}`, `{details}`, `{part}` and `{limit}` are replaced in the
/// messages that support them; a message need not use any. Deserializing fails if a message has a
/// placeholder that it does not support. Other braces are text.
///
/// ```
/// use followup::dialogue::Messages;
///
/// let json = r#"{"missing_parameter": "Where is {param}?"}"#;
/// let error = serde_json::from_str::<Messages>(json).unwrap_err().to_string();
/// assert!(error.starts_with("the placeholder {param} is not known here: it may be {parameter}"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Messages {
    /// A parameter is missing; for the user and the model. Supports `{parameter}`.
    #[serde(deserialize_with = "with_parameter")]
    pub missing_parameter: Cow<'static, str>,
    /// The call is malformed; for the user. Supports `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub malformed: Cow<'static, str>,
    /// The call is malformed; for the model. Supports `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub malformed_model: Cow<'static, str>,
    /// The call was cut off; for both. Supports `{part}`.
    #[serde(deserialize_with = "with_part")]
    pub truncated: Cow<'static, str>,
    /// A value is too long; for both. Supports `{part}` and `{limit}`, in bytes.
    #[serde(deserialize_with = "with_part_and_limit")]
    pub too_long: Cow<'static, str>,
    /// A value is of the wrong type; for both. Supports `{part}`.
    #[serde(deserialize_with = "with_part")]
    pub wrong_type: Cow<'static, str>,
    /// The call breaks a rule of the host; for both. Supports `{details}`.
    #[serde(deserialize_with = "with_details")]
    pub rule: Cow<'static, str>,
    /// The names that `{part}` is replaced by.
    pub parts: PartNames,
}

fn plain<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, str>, D::Error> {
    placeholder_text::deserialize(from, &[])
}

fn with_parameter<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, str>, D::Error> {
    placeholder_text::deserialize(from, &["{parameter}"])
}

fn with_details<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, str>, D::Error> {
    placeholder_text::deserialize(from, &["{details}"])
}

fn with_part<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, str>, D::Error> {
    placeholder_text::deserialize(from, &["{part}"])
}

fn with_part_and_limit<'de, D: Deserializer<'de>>(from: D) -> Result<Cow<'static, str>, D::Error> {
    placeholder_text::deserialize(from, &["{part}", "{limit}"])
}

/// The names of the parts of a call, as messages use them for `{part}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
#[allow(missing_docs)] // Each field is the name of the part it is called after.
pub struct PartNames {
    pub question: Cow<'static, str>,
    pub answer: Cow<'static, str>,
    pub mode: Cow<'static, str>,
    pub suggestions: Cow<'static, str>,
    pub arguments: Cow<'static, str>,
    pub call: Cow<'static, str>,
}

impl PartNames {
    fn get(&self, part: CallPart) -> &str {
        match part {
            CallPart::Question | CallPart::Questions | CallPart::Header => &self.question,
            CallPart::Description | CallPart::Answer => &self.answer,
            CallPart::Mode => &self.mode,
            CallPart::Options | CallPart::Suggestions => &self.suggestions,
            CallPart::Arguments => &self.arguments,
            CallPart::Opening | CallPart::Parameters => &self.call,
        }
    }
}

const ENGLISH: PartNames = PartNames {
    question: Cow::Borrowed("the question"),
    answer: Cow::Borrowed("a suggested answer"),
    mode: Cow::Borrowed("the mode of a suggestion"),
    suggestions: Cow::Borrowed("the list of suggestions"),
    arguments: Cow::Borrowed("the arguments"),
    call: Cow::Borrowed("the call"),
};

const CHINESE: PartNames = PartNames {
    question: Cow::Borrowed("问题"),
    answer: Cow::Borrowed("建议答案"),
    mode: Cow::Borrowed("建议的模式"),
    suggestions: Cow::Borrowed("建议列表"),
    arguments: Cow::Borrowed("参数"),
    call: Cow::Borrowed("调用"),
};

impl Default for PartNames {
    fn default() -> PartNames {
        ENGLISH
    }
}

const ROO: Messages = Messages {
    missing_parameter: Cow::Borrowed("Missing required parameter '{parameter}'"),
    malformed: Cow::Borrowed("Failed to parse operations: {details}"),
    malformed_model: Cow::Borrowed("Invalid operations xml format"),
    truncated: Cow::Borrowed("Failed to parse operations: the message ended inside {part}"),
    too_long: Cow::Borrowed("Failed to parse operations: {part} is longer than the limit of {limit} bytes"),
    wrong_type: Cow::Borrowed("Failed to parse operations: {part} is of the wrong type"),
    rule: Cow::Borrowed("Failed to parse operations: {details}"),
    parts: ENGLISH,
};

const CHINESE_MESSAGES: Messages = Messages {
    missing_parameter: Cow::Borrowed("缺少必需的参数 '{parameter}'"),
    malformed: Cow::Borrowed("无法解析操作：{details}"),
    malformed_model: Cow::Borrowed("操作 xml 格式无效"),
    truncated: Cow::Borrowed("无法解析操作：消息在{part}中结束"),
    too_long: Cow::Borrowed("无法解析操作：{part}超过 {limit} 字节的限制"),
    wrong_type: Cow::Borrowed("无法解析操作：{part}的类型错误"),
    rule: Cow::Borrowed("无法解析操作：{details}"),
    parts: CHINESE,
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

    /// The names of the built-in dialects, for [`Dialect::named`].
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

    /// The latest Roo Code.
    ///
    /// Here a reply is a user message, suggestions are required, and one message differs.
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
            truncated: "Operation parsing failed: the message ended inside {part}".into(),
            too_long: "Operation parsing failed: {part} is longer than the limit of {limit} bytes".into(),
            wrong_type: "Operation parsing failed: {part} is of the wrong type".into(),
            rule: "Operation parsing failed: {details}".into(),
            parts: ENGLISH,
        };
        Dialect { name: "vjsp".into(), messages, ..Dialect::ROO_CODE }
    }

    /// Kilo Code, in Chinese.
    pub fn kilo_code_chinese() -> Dialect {
        Dialect { name: "kilo-code-zh".into(), ..Dialect::roo_code_chinese() }
    }

    /// Returns the built-in dialect of that name, `None` if there is none.
    ///
    /// ```
    /// use followup::dialogue::Dialect;
    ///
    /// for name in Dialect::NAMES {
    ///     assert_eq!(Dialect::named(name).unwrap().name, name);
    /// }
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

    /// Returns the messages about a missing parameter.
    pub(super) fn missing(&self, parameter: &str) -> Explanation {
        Explanation::same(self.messages.missing_parameter.replace("{parameter}", parameter))
    }

    /// Returns the messages about a broken rule.
    pub(super) fn broken_rule(&self, details: &str) -> Explanation {
        Explanation::same(self.messages.rule.replace("{details}", details))
    }

    /// Returns the message about a rejected call of another tool.
    ///
    /// The parameter is the one that has its questions.
    pub(super) fn explain_tool(&self, reason: Reason, parameter: &str) -> String {
        let explanation =
            if reason == Reason::MissingParameter { self.missing(parameter) } else { self.explain(reason) };
        explanation.user
    }

    /// Returns the messages about a rejection.
    pub(super) fn explain(&self, reason: Reason) -> Explanation {
        let Messages { malformed, malformed_model, truncated, too_long, wrong_type, parts, .. } = &self.messages;
        let with_part = |template: &str, part: CallPart| template.replace("{part}", parts.get(part));
        match reason {
            Reason::MissingParameter => self.missing("question"),
            Reason::Malformed(note) => {
                let [user, model] =
                    [malformed, malformed_model].map(|template| template.replace("{details}", &note.to_string()));
                Explanation { user, model }
            }
            Reason::Truncated(part) => Explanation::same(with_part(truncated, part)),
            Reason::TooLong { part, limit } => {
                Explanation::same(with_part(too_long, part).replace("{limit}", &limit.to_string()))
            }
            Reason::WrongType(part) => Explanation::same(with_part(wrong_type, part)),
            // The dialogue tells it to no one.
            Reason::Superseded => Explanation::same(reason.to_string()),
        }
    }
}

/// Why a call can't be asked, for the user and for the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Explanation {
    pub(super) user: String,
    pub(super) model: String,
}

impl Explanation {
    fn same(text: String) -> Explanation {
        Explanation { user: text.clone(), model: text }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::Note;

    /// The sentences come from the reference systems, so none of their bytes may change.
    #[test]
    fn every_dialect_uses_exactly_these_sentences() {
        let malformed = Reason::Malformed(Note::UnclosedQuestion);
        let truncated = Reason::Truncated(CallPart::Question);
        let too_long = Reason::TooLong { part: CallPart::Answer, limit: 9 };
        let wrong_type = Reason::WrongType(CallPart::Suggestions);
        let english = |prefix: &str| {
            [
                (malformed, format!("{prefix}: the question has no close tag")),
                (truncated, format!("{prefix}: the message ended inside the question")),
                (too_long, format!("{prefix}: a suggested answer is longer than the limit of 9 bytes")),
                (wrong_type, format!("{prefix}: the list of suggestions is of the wrong type")),
            ]
        };
        let chinese = || {
            [
                (malformed, "无法解析操作：the question has no close tag".into()),
                (truncated, "无法解析操作：消息在问题中结束".into()),
                (too_long, "无法解析操作：建议答案超过 9 字节的限制".into()),
                (wrong_type, "无法解析操作：建议列表的类型错误".into()),
            ]
        };
        let roo_missing = "Missing required parameter 'question'";
        let latest_missing = "Missing value for required parameter 'question'. Please retry with complete response.";
        let vjsp_missing = "Required parameter 'question' is missing";
        let chinese_missing = "缺少必需的参数 'question'";
        let (roo, vjsp) = ("Failed to parse operations", "Operation parsing failed");
        let (roo_model, vjsp_model) = ("Invalid operations xml format", "Operation XML format is invalid");
        let chinese_model = "操作 xml 格式无效";
        for (name, missing, model, sentences) in [
            ("roo-code", roo_missing, roo_model, english(roo)),
            ("roo-code-latest", latest_missing, roo_model, english(roo)),
            ("vjsp", vjsp_missing, vjsp_model, english(vjsp)),
            ("roo-code-zh", chinese_missing, chinese_model, chinese()),
            ("kilo-code-zh", chinese_missing, chinese_model, chinese()),
        ] {
            let dialect = Dialect::named(name).unwrap();
            assert_eq!(dialect.explain(Reason::MissingParameter), Explanation::same(missing.into()), "{name}");
            for (reason, user) in sentences {
                let model = if reason == malformed { model.into() } else { user.clone() };
                assert_eq!(dialect.explain(reason), Explanation { user, model }, "{name}");
            }
            let details = "the question has no close tag";
            let user = dialect.explain(malformed).user;
            assert_eq!(dialect.broken_rule(details), Explanation::same(user), "{name}");
        }
    }

    #[test]
    fn every_part_of_a_call_has_its_name() {
        let truncated = |name: &str, part| Dialect::named(name).unwrap().explain(Reason::Truncated(part)).model;
        for (part, english, chinese) in [
            (CallPart::Opening, "the call", "调用"),
            (CallPart::Parameters, "the call", "调用"),
            (CallPart::Question, "the question", "问题"),
            (CallPart::Answer, "a suggested answer", "建议答案"),
            (CallPart::Mode, "the mode of a suggestion", "建议的模式"),
            (CallPart::Options, "the list of suggestions", "建议列表"),
            (CallPart::Suggestions, "the list of suggestions", "建议列表"),
            (CallPart::Arguments, "the arguments", "参数"),
        ] {
            let expected = format!("Failed to parse operations: the message ended inside {english}");
            assert_eq!(truncated("roo-code", part), expected);
            assert_eq!(truncated("kilo-code-zh", part), format!("无法解析操作：消息在{chinese}中结束"));
        }
    }

    #[test]
    fn every_dialect_has_its_name_its_guidance_and_its_word_for_cancelled_questions() {
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
    fn a_dialect_survives_serialization() {
        for name in Dialect::NAMES {
            let dialect = Dialect::named(name).unwrap();
            let stored = serde_json::to_string(&dialect).unwrap();
            assert_eq!(serde_json::from_str::<Dialect>(&stored).unwrap(), dialect);
        }
    }

    #[test]
    fn an_unsupported_placeholder_is_an_error_that_names_the_supported_ones() {
        let parameter = "it may be {parameter}";
        for (stored, unknown, supported) in [
            (r#"{"messages": {"missing_parameter": "No {param}, no {parameter}"}}"#, "{param}", parameter),
            (r#"{"messages": {"missing_parameter": "{ parameter }"}}"#, "{ parameter }", parameter),
            (r#"{"messages": {"missing_parameter": "{{parameters}}"}}"#, "{parameters}", parameter),
            (r#"{"messages": {"missing_parameter": "{参数}"}}"#, "{参数}", parameter),
            (r#"{"messages": {"malformed": "{part}"}}"#, "{part}", "it may be {details}"),
            (r#"{"messages": {"malformed_model": "{detail}"}}"#, "{detail}", "it may be {details}"),
            (r#"{"messages": {"truncated": "{limit}"}}"#, "{limit}", "it may be {part}"),
            (r#"{"messages": {"too_long": "{part} {limit} {max}"}}"#, "{max}", "it may be {part} or {limit}"),
            (r#"{"messages": {"wrong_type": "{type}"}}"#, "{type}", "it may be {part}"),
            (r#"{"messages": {"rule": "{rule}"}}"#, "{rule}", "it may be {details}"),
            (r#"{"cancelled": "{number}"}"#, "{number}", "there is none"),
            (r#"{"cancelled": "{a_number}"}"#, "{a_number}", "there is none"),
            (r#"{"cancelled": "{a-number}"}"#, "{a-number}", "there is none"),
        ] {
            let error = serde_json::from_str::<Dialect>(stored).unwrap_err().to_string();
            let says = format!("the placeholder {unknown} is not known here: {supported}");
            assert!(error.starts_with(&says), "{stored}: {error}");
        }
    }

    #[test]
    fn a_message_need_not_use_its_placeholders_and_other_braces_are_text() {
        for text in
            ["No.", "", "{parameter} {parameter}", "{}", "{ }", "{\"question\": 1}", "a { b", "}{", "{parameter"]
        {
            let stored = serde_json::json!({"messages": {"missing_parameter": text}}).to_string();
            assert_eq!(serde_json::from_str::<Dialect>(&stored).unwrap().messages.missing_parameter, text);
        }
    }

    #[test]
    fn the_message_to_the_model_may_have_the_details_too() {
        let stored = r#"{"messages": {"malformed_model": "Invalid: {details}"}}"#;
        let explanation =
            serde_json::from_str::<Dialect>(stored).unwrap().explain(Reason::Malformed(Note::UnclosedQuestion));
        assert_eq!(explanation.model, "Invalid: the question has no close tag");
    }
}
