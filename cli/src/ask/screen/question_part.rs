//! What a question is made of on the screen.

use super::part::Part;
use super::spot::Choice;

/// Whether a call is one of `ask_followup_question`, or of a tool that asks by a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Followup,
    Form,
}

/// A part of a question, and what it belongs to.
pub(super) struct QuestionPart<'p> {
    pub(super) part: &'p mut Part,
    pub(super) choice: Option<Choice>,
    /// Whether it has the mark of its choice.
    pub(super) has_mark: bool,
}
