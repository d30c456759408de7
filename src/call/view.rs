//! What of a call is shown, and how it is lent.

use super::Call;
use crate::event::{Complete, Event, Field, Part, Partial, Rejected, Suggested, Suggestion, View};
use crate::note::Note;
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

impl Shown {
    pub(super) const NOTHING: Shown = Shown { question: 0, suggestions: 0, newest: (0, false) };
}

impl Call {
    pub(crate) fn shown(&self) -> Shown {
        self.shown
    }

    pub(crate) fn set_shown(&mut self, shown: Shown) {
        self.shown = shown;
    }

    /// The next part of the call that is certain and has not been shown.
    #[inline]
    pub(crate) fn next_delta(&mut self) -> Option<(Field, Part)> {
        // The bare question is the last thing that becomes known.
        if self.asked {
            self.question_delta().or_else(|| self.suggestion_delta())
        } else {
            self.suggestion_delta().or_else(|| self.question_delta())
        }
    }

    /// Whether everything that is certain has been shown.
    pub(crate) fn is_all_shown(&self) -> bool {
        let Shown { question, suggestions, newest } = self.shown;
        self.question.is_none_or(|(start, end)| question == end - start)
            && suggestions == self.suggestions.len()
            && self.suggestions.last().is_none_or(|one| newest == (one.answer.1 - one.answer.0, one.mode.is_some()))
    }

    #[inline]
    fn question_delta(&mut self) -> Option<(Field, Part)> {
        let (start, end) = self.question?;
        let shown = core::mem::replace(&mut self.shown.question, end - start);
        (shown < end - start).then_some((Field::Question, (start + shown, end)))
    }

    #[inline]
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
        Partial { call: self, nth, id: None, field, delta }
    }

    /// The call's end; a rejection if anything went wrong.
    pub(crate) fn outcome(&self, nth: u64, end: u64) -> Event<'_> {
        if self.wrong.is_none() && self.question().is_some() {
            Event::Complete(Complete { call: self, nth, id: None, end })
        } else {
            Event::Rejected(Rejected { call: self, nth, id: None, end })
        }
    }

    // What the views look at.

    pub(crate) fn text(&self, (start, end): Part) -> &str {
        &self.text[start..end]
    }

    /// The question as far as partials have shown it.
    pub(crate) fn shown_question(&self) -> Option<&str> {
        let shown = Some(self.shown.question).filter(|&shown| shown > 0)?;
        self.question.map(|(start, _)| self.text((start, start + shown)))
    }

    /// The question, if it is not empty.
    pub(crate) fn question(&self) -> Option<&str> {
        self.question.map(|part| self.text(part)).filter(|question| !question.is_empty())
    }

    /// How many suggestions are seen.
    pub(crate) fn suggestions(&self, view: View) -> usize {
        match view {
            View::Shown => self.shown.suggestions,
            View::Whole => self.suggestions.len(),
        }
    }

    pub(crate) fn suggestion(&self, i: usize, view: View) -> Option<Suggestion<'_>> {
        // What has been said of a suggestion was all that was known of it then.
        let Suggested { answer, mode } = *self.suggestions.get(i).filter(|_| i < self.suggestions(view))?;
        Some(Suggestion { answer: self.text(answer), mode: mode.map(|(start, end)| &self.modes[start..end]) })
    }

    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Why it can't be asked, if it can't.
    pub(crate) fn reason(&self) -> Reason {
        self.wrong.unwrap_or(Reason::MissingParameter)
    }
}
