//! What of a call is shown, and how it is lent.

use super::Call;
use crate::event::{Complete, Event, Field, Part, Partial, Rejected, Suggested, Suggestions};
use crate::reason::Reason;

/// What of a call has been lent in partials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shown {
    pub(super) question: usize,
    pub(super) suggestions: usize,
    /// Bytes of the newest answer shown, and whether its mode is.
    pub(super) newest: (usize, bool),
}

impl Call {
    pub(crate) fn shown(&self) -> Shown {
        self.shown
    }

    pub(crate) fn set_shown(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// The next part of the call that is certain and has not been shown.
    pub(crate) fn next_delta(&mut self) -> Option<(Field, Part)> {
        // The bare question is the last thing that becomes known.
        if self.asked {
            self.question_delta().or_else(|| self.suggestion_delta())
        } else {
            self.suggestion_delta().or_else(|| self.question_delta())
        }
    }

    fn question_delta(&mut self) -> Option<(Field, Part)> {
        let (start, end) = self.question?;
        let shown = core::mem::replace(&mut self.shown.question, end - start);
        (shown < end - start).then_some((Field::Question, (start + shown, end)))
    }

    fn suggestion_delta(&mut self) -> Option<(Field, Part)> {
        let newest = self.shown.suggestions.checked_sub(1).and_then(|i| self.suggestions.get(i));
        if let Some(&Suggested { answer: (start, end), mode }) = newest
            && self.shown.newest != (end - start, mode.is_some())
        {
            let (shown, _) = core::mem::replace(&mut self.shown.newest, (end - start, mode.is_some()));
            return Some((Field::Suggestion, (start + shown, end)));
        }
        let &Suggested { answer: (start, end), mode } = self.suggestions.get(self.shown.suggestions)?;
        // One that is only known to exist has nothing to show.
        if start == end && mode.is_none() {
            return None;
        }
        self.shown.suggestions += 1;
        self.shown.newest = (end - start, mode.is_some());
        Some((Field::Suggestion, (start, end)))
    }

    pub(crate) fn partial(&self, nth: u64, field: Field, delta: Part) -> Partial<'_> {
        Partial {
            nth,
            id: None,
            field,
            delta: &self.text[delta.0..delta.1],
            question: self
                .question
                .filter(|_| self.shown.question > 0)
                .map(|(start, _)| &self.text[start..start + self.shown.question]),
            suggestions: Suggestions {
                text: &self.text,
                modes: &self.modes,
                all: &self.suggestions[..self.shown.suggestions],
                newest: Some(self.shown.newest),
            },
        }
    }

    /// The call's end; a rejection if anything went wrong.
    pub(crate) fn outcome(&self, nth: u64, end: u64) -> Event<'_> {
        let (id, span) = (None, (self.start, end));
        let question = self.question.map(|(start, end)| &self.text[start..end]).filter(|question| !question.is_empty());
        let suggestions = Suggestions { text: &self.text, modes: &self.modes, all: &self.suggestions, newest: None };
        match (self.wrong, question) {
            (None, Some(question)) => {
                Event::Complete(Complete { nth, id, span, question, suggestions, notes: &self.notes })
            }
            (wrong, question) => {
                let reason = wrong.unwrap_or(Reason::MissingParameter);
                Event::Rejected(Rejected { nth, id, span, reason, question, suggestions })
            }
        }
    }
}
