//! A call that can't be asked, as a host keeps it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::de::Error;
use serde::{Deserialize, Deserializer};

use super::question::Question;
use crate::event::Rejected;
use crate::note::Note;
use crate::reason::{CallPart, Reason};

/// A call that can't be asked.
///
/// It is deserialized from a `rejected` event of the packages for JavaScript and Python, where the
/// reason is its [code](Reason::code), and the code of its note or part.
///
/// ```
/// use followup::dialogue::Rejection;
/// use followup::{CallPart, Reason};
///
/// let event = r#"{"tool": "ask_followup_question", "code": "truncated", "part": "question"}"#;
/// let rejection: Rejection = serde_json::from_str(event)?;
/// assert_eq!(rejection.reason, Reason::Truncated(CallPart::Question));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "RejectedFields")]
#[non_exhaustive]
pub struct Rejection {
    /// The provider's id of the call, if it is a native call that has one.
    pub id: Option<String>,
    /// Whether it is a native call. One with an id is, even if this is not set.
    pub native: bool,
    /// The name of the tool.
    pub tool: String,
    /// The name of the [`Shape`](crate::Shape) that read the call.
    ///
    /// `None` for `ask_followup_question`.
    pub shape: Option<String>,
    /// Why it can't be asked.
    pub reason: Reason,
    /// The index of the question that has no text, if that is why.
    pub blank_question: Option<usize>,
}

impl Rejection {
    /// Returns the rejection of a call that was written in a message, and which no shape read.
    pub fn new(tool: impl Into<String>, reason: Reason) -> Rejection {
        Rejection { id: None, native: false, tool: tool.into(), shape: None, reason, blank_question: None }
    }

    /// Returns the rejection of a call without a question.
    pub(super) fn of(question: Question) -> Rejection {
        let tool = question.tool().into();
        let Question { id, native, form, .. } = question;
        let (shape, reason) = (form.map(|form| form.shape), Reason::MissingParameter);
        Rejection { id, native, tool, shape, reason, blank_question: None }
    }

    /// Returns the name of the tool, if it is a native call.
    pub(super) fn native_tool(&self) -> Option<String> {
        (self.native || self.id.is_some()).then(|| self.tool.clone())
    }
}

impl From<&Rejected<'_>> for Rejection {
    fn from(call: &Rejected<'_>) -> Rejection {
        let (id, native, shape) = (call.id().map(Into::into), call.is_native(), call.shape().map(Into::into));
        let last = call.questions().iter().last().map(|question| question.text);
        let blank_question = blank_question(call.reason(), call.questions().len(), last);
        Rejection { id, native, tool: call.tool().into(), shape, reason: call.reason(), blank_question }
    }
}

/// Returns the index of the question without a text.
///
/// It is the last, because the call was rejected there.
fn blank_question(reason: Reason, count: usize, last: Option<&str>) -> Option<usize> {
    let is_missing = reason == Reason::MissingParameter && last.is_some_and(|text| text.trim().is_empty());
    count.checked_sub(1).filter(|_| is_missing)
}

/// The fields of the event.
#[derive(Deserialize)]
struct RejectedFields {
    id: Option<String>,
    #[serde(default)]
    native: bool,
    tool: String,
    shape: Option<String>,
    #[serde(default)]
    questions: Vec<QuestionFields>,
    #[serde(flatten)]
    reason: ReasonFields,
}

#[derive(Deserialize)]
struct QuestionFields {
    text: String,
}

#[derive(Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
enum ReasonFields {
    MissingParameter,
    Malformed {
        #[serde(deserialize_with = "note")]
        note: Note,
    },
    Truncated {
        #[serde(deserialize_with = "part")]
        part: CallPart,
    },
    TooLong {
        #[serde(deserialize_with = "part")]
        part: CallPart,
        limit: usize,
    },
    WrongType {
        #[serde(deserialize_with = "part")]
        part: CallPart,
    },
    Superseded,
}

impl From<RejectedFields> for Rejection {
    fn from(fields: RejectedFields) -> Rejection {
        let reason = match fields.reason {
            ReasonFields::MissingParameter => Reason::MissingParameter,
            ReasonFields::Malformed { note } => Reason::Malformed(note),
            ReasonFields::Truncated { part } => Reason::Truncated(part),
            ReasonFields::TooLong { part, limit } => Reason::TooLong { part, limit },
            ReasonFields::WrongType { part } => Reason::WrongType(part),
            ReasonFields::Superseded => Reason::Superseded,
        };
        let last = fields.questions.last().map(|question| &*question.text);
        let blank_question = blank_question(reason, fields.questions.len(), last);
        let RejectedFields { id, native, tool, shape, .. } = fields;
        Rejection { id, native, tool, shape, reason, blank_question }
    }
}

fn note<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Note, D::Error> {
    from_code(deserializer, Note::from_code)
}

fn part<'de, D: Deserializer<'de>>(deserializer: D) -> Result<CallPart, D::Error> {
    from_code(deserializer, CallPart::from_code)
}

fn from_code<'de, D: Deserializer<'de>, T>(deserializer: D, find: fn(&str) -> Option<T>) -> Result<T, D::Error> {
    let code = String::deserialize(deserializer)?;
    find(&code).ok_or_else(|| D::Error::custom(format!("{code} is no reason of a rejection")))
}
