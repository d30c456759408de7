//! What of a form is known, shown and lent.

use super::{CallForm, OptionParts, OptionText, QuestionParts, QuestionText, Slot};
use crate::call::{Addition, Field, Range, View};

impl CallForm {
    /// Returns the bytes of all texts.
    #[cfg(feature = "wire")]
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn title(&self) -> Slot {
        self.title
    }

    pub(crate) fn questions(&self) -> &[QuestionParts] {
        &self.questions
    }

    /// Returns the options of a question.
    pub(crate) fn options(&self, question: usize) -> &[OptionParts] {
        let first = self.questions.get(question).map_or(usize::MAX, |one| one.first_option);
        let end = self.questions.get(question + 1).map_or(self.options.len(), |one| one.first_option);
        self.options.get(first..end).unwrap_or_default()
    }

    pub(crate) fn slice(&self, (start, end): Range) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the part of a text that is shown, or all that is certain of it.
    ///
    /// `None` if that is nothing.
    pub(crate) fn view(&self, slot: Slot, view: View) -> Option<&str> {
        let end = if view == View::Shown { slot.start + slot.shown } else { slot.end };
        Some(self.slice((slot.start, end))).filter(|text| !text.is_empty())
    }

    /// Returns `true` if there is a question with a text.
    pub(crate) fn has_question(&self) -> bool {
        self.questions.iter().any(|question| !question.text(QuestionText::Text).is_empty())
    }

    pub(crate) fn defaults(&self, question: usize) -> &[Range] {
        self.questions.get(question).map_or(&[], |question| &question.defaults)
    }

    /// Returns the number of questions that are shown, or of all.
    pub(crate) fn question_count(&self, view: View) -> usize {
        match view {
            View::Whole => self.questions.len(),
            View::Shown => self.cursor + usize::from(self.questions.get(self.cursor).is_some_and(|one| one.is_shown)),
        }
    }

    /// Returns the number of a question's options that are shown, or of all.
    pub(crate) fn option_count(&self, question: usize, view: View) -> usize {
        match view {
            View::Whole => self.options(question).len(),
            View::Shown => self.questions.get(question).map_or(0, |one| one.shown_options),
        }
    }

    /// Returns the question, and the option in it, that the last partial was about.
    pub(crate) fn last_place(&self) -> (usize, Option<usize>) {
        self.last.0
    }

    /// Returns the next part that is certain and has not been shown, and counts it as shown.
    #[inline(never)] // The calls of `ask_followup_question` do not pay for it.
    pub(crate) fn next_delta(&mut self) -> Option<Addition> {
        if let Some(delta) = self.title.next_delta() {
            self.last.0 = (0, None);
            return Some((Field::Title, delta));
        }
        loop {
            let end = self.questions.get(self.cursor + 1).map_or(self.options.len(), |next| next.first_option);
            let question = self.questions.get_mut(self.cursor)?;
            if let Some(delta) = question.next_delta() {
                (question.is_shown, self.last.0) = (true, (self.cursor, None));
                return Some(delta);
            }
            let options = self.options.get_mut(question.first_option..end).unwrap_or_default();
            // Of the options that are shown only the last can have changed, unless a flag of the
            // question changes them when it ends.
            let last = question.shown_options.saturating_sub(1);
            let first = if question.is_closed { question.settled_options } else { last };
            for (i, option) in options.iter_mut().enumerate().skip(first) {
                // One that waits for its label holds those after it back.
                if option.text(OptionText::Label).is_empty() {
                    break;
                }
                if question.is_closed {
                    question.settled_options = i;
                }
                if let Some(delta) = option.next_delta() {
                    question.is_shown = true;
                    question.shown_options = question.shown_options.max(i + 1);
                    self.last.0 = (self.cursor, Some(i));
                    return Some(delta);
                }
            }
            if core::mem::take(&mut question.has_news) && question.is_shown {
                self.last.0 = (self.cursor, None);
                let start = question.text(QuestionText::Text).start;
                return Some((Field::Question, (start, start)));
            }
            if !question.is_closed {
                return None;
            }
            self.cursor += 1;
        }
    }

    /// Returns whether two questions from an index on have the same text.
    ///
    /// Then their answers can't be told apart.
    pub(crate) fn has_equal_questions(&self, first: usize) -> bool {
        let text = |question: &QuestionParts| self.slice(question.text(QuestionText::Text).range());
        let is_repeated = |i: usize| self.questions[first..i].iter().any(|one| text(one) == text(&self.questions[i]));
        (first..self.questions.len()).any(is_repeated)
    }
}
