//! The bounds that a call from a checkpoint must keep.
//!
//! Within them, reading on neither panics nor exceeds the limits.

use super::open::{AnswerState, ModeState, Open, OpenSuggestion};
use super::{Call, Range, Shown};
use crate::config::{Limits, Policy};

/// More notes than there are kinds.
const NOTES: usize = 48;

impl Call {
    /// Returns `true` if each counted range is in its arena, and each text within its limit.
    pub(crate) fn is_in_bounds(&self, policy: &Policy) -> bool {
        let limits = &policy.limits;
        let text = |(start, end): Range, limit| self.text.get(start..end).is_some_and(|text| text.len() <= limit);
        let len = |(start, end): Range| end - start;
        // The bare text, the question, the answers, and one text that is open.
        let texts = [self.bare as usize, limits.question, limits.answer, limits.list(), limits.list()];
        let mode = limits.answer.saturating_add(limits.tag);
        let Shown { question, suggestions, newest } = self.shown;
        self.notes.len() <= NOTES
            && self.suggestions.len() <= limits.suggestions
            && self.bare as usize <= limits.unconfirmed.saturating_mul(3)
            && self.question.is_none_or(|range| text(range, limits.question))
            && self.suggestions.iter().all(|one| text(one.answer, limits.answer))
            && question <= self.question.map_or(0, len)
            && suggestions <= self.suggestions.len()
            && newest.0 <= suggestions.checked_sub(1).map_or(0, |i| len(self.suggestions[i].answer))
            && self.text.len() <= texts.into_iter().fold(0, usize::saturating_add)
            && self.modes.len() < limits.suggestions.saturating_add(1).saturating_mul(mode.saturating_add(1))
            && self.is_open_in_bounds(limits)
            && self.form.as_deref().is_none_or(|form| form.is_in_bounds(policy))
    }

    fn is_open_in_bounds(&self, limits: &Limits) -> bool {
        match &self.open {
            Open::Nothing | Open::Failed(_) => true,
            Open::Question(value) => value.is_in_bounds(&self.text, limits.question),
            Open::List { value, .. } => value.is_in_bounds(&self.text, limits.list()),
            Open::Suggestion(OpenSuggestion { answer, mode, .. }) => {
                !matches!(answer, AnswerState::Reading(value, _) if !value.is_in_bounds(&self.text, limits.answer))
                    && !matches!(mode, ModeState::Reading(value) if !value.is_in_bounds(&self.modes, limits.answer))
            }
        }
    }
}
