//! A call that can't be asked, as a host keeps it.

use alloc::string::String;

use super::question::Question;
use crate::event::Rejected;
use crate::reason::Reason;

/// A call that can't be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejection {
    /// The provider's id of the call, if it is a native call that has one.
    pub id: Option<String>,
    /// The name of the tool.
    pub tool: String,
    /// The name of the [`Shape`](crate::Shape) that read the call; `None` for
    /// `ask_followup_question`.
    pub shape: Option<String>,
    /// Why it can't be asked.
    pub reason: Reason,
}

impl Rejection {
    /// Returns the rejection of a call without an id, which no shape read.
    pub fn new(tool: impl Into<String>, reason: Reason) -> Rejection {
        Rejection { id: None, tool: tool.into(), shape: None, reason }
    }

    /// Returns the rejection of a call without a question.
    pub(super) fn of(Question { id, form, .. }: Question) -> Rejection {
        let (tool, shape) = match form {
            Some(form) => (form.tool, Some(form.shape)),
            None => ("ask_followup_question".into(), None),
        };
        Rejection { id, tool, shape, reason: Reason::MissingParameter }
    }
}

impl From<&Rejected<'_>> for Rejection {
    fn from(call: &Rejected<'_>) -> Rejection {
        let (id, shape) = (call.id().map(Into::into), call.shape().map(Into::into));
        Rejection { id, tool: call.tool().into(), shape, reason: call.reason() }
    }
}
