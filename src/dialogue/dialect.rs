//! What a family of agents says, and how it wraps a reply: data.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use serde::{Deserialize, Serialize};

use crate::{Place, Reason};

/// A text that is built in, or a user's own.
type Text = Cow<'static, str>;

/// How a family of agents talks to its model and its user: the wording of its messages, and how a reply is wrapped.
///
/// Plain data. A user's own comes from any format that serde reads; what it leaves out is as in [`Dialect::roo_code`], and a key
/// that does not exist is an error, because it would be a misspelt one.
///
/// ```
/// use followup::dialogue::Dialect;
///
/// let own: Dialect = serde_json::from_str(r#"{"name": "ours", "reply": {"open": "<reply>", "close": "</reply>"}}"#)?;
/// assert_eq!(own.reply.wrap("Yes", false), "<reply>\nYes\n</reply>");
/// assert_eq!(own.messages, Dialect::roo_code().messages);
/// assert!(serde_json::from_str::<Dialect>(r#"{"nmae": "ours"}"#).is_err());
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
    /// What the model is told when the user did not answer.
    pub cancelled: Text,
    /// What is said of a call that can't be asked.
    pub messages: Messages,
}

/// What stands around a text, on lines of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wrapping {
    /// In front of it.
    pub open: Text,
    /// Behind it.
    pub close: Text,
}

impl Wrapping {
    const fn new(open: &'static str, close: &'static str) -> Wrapping {
        Wrapping { open: Cow::Borrowed(open), close: Cow::Borrowed(close) }
    }

    /// The text, wrapped. It is untouched; only if that is wanted, what looks like the end of the wrapping in it is escaped (its `<` as `&lt;`).
    pub fn wrap(&self, text: &str, escape: bool) -> String {
        let close = self.close.trim();
        if escape && !close.is_empty() && text.contains(close) {
            let escaped = close.replacen('<', "&lt;", 1);
            return format!("{}\n{}\n{}", self.open, text.replace(close, &escaped), self.close);
        }
        format!("{}\n{text}\n{}", self.open, self.close)
    }
}

/// What is said of a call that can't be asked. In each, `{parameter}`, `{details}`, `{place}` and `{limit}` stand for what they say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Messages {
    /// A parameter is missing, to both. Knows `{parameter}`.
    pub missing_parameter: Text,
    /// It is malformed, to the user. Knows `{details}`.
    pub malformed: Text,
    /// It is malformed, to the model.
    pub malformed_model: Text,
    /// It was cut off, to both. Knows `{place}`.
    pub truncated: Text,
    /// A value is too long, to both. Knows `{place}` and `{limit}`, in bytes.
    pub too_long: Text,
    /// A value is of the wrong type, to both. Knows `{place}`.
    pub wrong_type: Text,
    /// It breaks a rule of the host's, to both. Knows `{details}`.
    pub rule: Text,
    /// The names of places.
    pub places: Places,
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
                Said { user: malformed.replace("{details}", &note.to_string()), model: malformed_model.to_string() }
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
    fn a_reply_is_wrapped_and_its_text_is_untouched_unless_that_is_wanted() {
        let answer = Dialect::roo_code().reply;
        for (text, wrapped, escaped) in [
            ("Yes", "<answer>\nYes\n</answer>", "<answer>\nYes\n</answer>"),
            (" a\n\n b \n", "<answer>\n a\n\n b \n\n</answer>", "<answer>\n a\n\n b \n\n</answer>"),
            ("", "<answer>\n\n</answer>", "<answer>\n\n</answer>"),
            ("x</answer>y", "<answer>\nx</answer>y\n</answer>", "<answer>\nx&lt;/answer>y\n</answer>"),
            ("<answer>&lt;", "<answer>\n<answer>&lt;\n</answer>", "<answer>\n<answer>&lt;\n</answer>"),
        ] {
            assert_eq!((answer.wrap(text, false), answer.wrap(text, true)), (wrapped.into(), escaped.into()));
        }
        assert_eq!(Dialect::roo_code_latest().reply.wrap("Yes", false), "<user_message>\nYes\n</user_message>");
    }

    #[test]
    fn a_dialect_comes_back_as_it_was() {
        for name in Dialect::NAMES {
            let dialect = Dialect::named(name).unwrap();
            let stored = serde_json::to_string(&dialect).unwrap();
            assert_eq!(serde_json::from_str::<Dialect>(&stored).unwrap(), dialect);
        }
    }
}
