//! What of a call is known, shown and lent.

use super::form::QuestionText;
use super::open::Open;
use super::{Addition, Call, Field, Range, Shown, Suggested};
use crate::config::ASK;
use crate::note::Note;
use crate::reason::Reason;

/// How much of a call is seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// What partials have shown.
    Shown,
    /// All of it.
    Whole,
}

impl Call {
    /// Returns the next certain part of the call that has not been shown.
    ///
    /// The part counts as shown from then on.
    #[inline]
    pub(crate) fn next_delta(&mut self) -> Option<Addition> {
        if let Some(form) = &mut self.form {
            return form.next_delta();
        }
        // The bare question is the last thing that becomes known.
        if self.asked {
            self.question_delta().or_else(|| self.suggestion_delta())
        } else {
            self.suggestion_delta().or_else(|| self.question_delta())
        }
    }

    /// Returns whether everything that is certain has been shown.
    ///
    /// Of the questions that a shape reads, this is not known.
    pub(crate) fn is_all_shown(&self) -> bool {
        if self.form.is_some() {
            return false;
        }
        let Shown { question, suggestions, newest } = self.shown;
        self.question.is_none_or(|(start, end)| question == end - start)
            && suggestions == self.suggestions.len()
            && self.suggestions.last().is_none_or(|one| newest == (one.answer.1 - one.answer.0, one.mode.is_some()))
    }

    #[inline]
    fn question_delta(&mut self) -> Option<Addition> {
        let (start, end) = self.question?;
        let shown = core::mem::replace(&mut self.shown.question, end - start);
        (shown < end - start).then_some((Field::Question, (start + shown, end)))
    }

    #[inline]
    fn suggestion_delta(&mut self) -> Option<Addition> {
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

    // What the views read.

    pub(crate) fn text(&self, (start, end): Range) -> &str {
        if let Some(form) = self.form() {
            return form.slice((start, end));
        }
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the text above all questions.
    pub(crate) fn title(&self, view: View) -> Option<&str> {
        let form = self.form()?;
        form.view(form.title(), view)
    }

    /// Returns the question as far as it is seen; `None` if that is nothing.
    pub(crate) fn question(&self, view: View) -> Option<&str> {
        if let Some(form) = self.form() {
            return form.view(form.questions().first()?.text(QuestionText::Text), view);
        }
        let (start, end) = self.question?;
        let end = if view == View::Shown { start + self.shown.question } else { end };
        Some(self.text((start, end))).filter(|question| !question.is_empty())
    }

    /// Returns how many suggestions of `ask_followup_question` are seen.
    pub(crate) fn suggestions(&self, view: View) -> usize {
        match view {
            View::Shown => self.shown.suggestions,
            View::Whole => self.suggestions.len(),
        }
    }

    /// Returns the answer and the mode of a suggestion of `ask_followup_question`.
    pub(crate) fn suggestion(&self, i: usize, view: View) -> Option<(&str, Option<&str>)> {
        // Each partial has shown everything that was known of a suggestion at that time.
        let Suggested { answer, mode } = *self.suggestions.get(i).filter(|_| i < self.suggestions(view))?;
        Some((self.text(answer), mode.map(|(start, end)| self.modes.get(start..end).unwrap_or_default())))
    }

    /// Returns the tool that is called.
    pub(crate) fn tool(&self) -> &str {
        self.form().map_or(ASK, |form| &form.tool)
    }

    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Returns why it can't be asked, if it can't.
    pub(crate) fn reason(&self) -> Reason {
        if let Open::Failed(reason) = self.open { reason } else { Reason::MissingParameter }
    }
}
