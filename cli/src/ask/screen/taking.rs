//! What taking a choice of the open call does: it answers, or continues with the next question.

use followup::dialogue::{Answer, FormAnswer};

use super::open_question::{Action, Focus, OpenQuestion};
use super::spot::{Choice, Spot};
use super::step::Step;
use crate::ask::form_answers::automatic_answers;

impl OpenQuestion {
    /// Takes the selected choice, as Enter does.
    ///
    /// Where several options can be picked, Enter continues with the next question.
    pub(super) fn enter(&mut self) -> Action {
        let Spot { choice, .. } = self.selected();
        match self.step() {
            Some(step) if step.is_multiple && (choice < step.own_answer() || step.has_draft(choice)) => {
                self.go_to(self.current + 1);
                Action::Nothing
            }
            Some(_) => self.take(choice),
            None => self.take_in_review(choice),
        }
    }

    /// Takes a choice, as its number does: answers with it, or continues with the next question.
    pub(super) fn take(&mut self, choice: Choice) -> Action {
        let has_review = self.has_review();
        let Some(step) = self.steps.get_mut(self.current) else { return self.take_in_review(choice) };
        step.selected = choice;
        if choice >= step.own_answer() {
            self.edit(choice);
        } else if !has_review {
            let answer = match step.note_text() {
                Some(note) => Answer::Form(vec![FormAnswer { note: Some(note), ..FormAnswer::picked([choice]) }]),
                None => Answer::Suggestion(choice),
            };
            return self.answer(choice, answer, false);
        } else if step.is_multiple {
            step.toggle(choice);
        } else {
            step.pick(choice);
            self.go_to(self.current + 1);
        }
        Action::Nothing
    }

    /// Picks a choice, as the space bar and a click do, and stays at the question.
    pub(super) fn pick(&mut self, choice: Choice) -> Action {
        let has_review = self.has_review();
        match self.steps.get_mut(self.current) {
            Some(step) if has_review && (choice < step.own_answer() || step.has_draft(choice)) => {
                step.selected = choice;
                step.toggle(choice);
                Action::Nothing
            }
            _ => self.take(choice),
        }
    }

    /// Goes to a question, or sends all answers.
    fn take_in_review(&mut self, choice: Choice) -> Action {
        if choice < self.steps.len() {
            self.go_to(choice);
            return Action::Nothing;
        }
        self.review_selected = choice;
        Action::Answer(Answer::Form(self.answers_so_far()))
    }

    /// Returns the answers so far, one for each question.
    pub(super) fn answers_so_far(&self) -> Vec<FormAnswer> {
        self.steps.iter().map(Step::answer).collect()
    }

    /// Returns the answer that is given when nobody is there; `None` if there is none.
    pub(super) fn automatic_answer(&self) -> Option<Answer> {
        match &self.question.form {
            Some(form) => automatic_answers(form),
            None => (self.own_answer() > 0).then_some(Answer::Suggestion(0)),
        }
    }

    /// Returns the action that answers with the draft of this choice.
    pub(super) fn send(&mut self, choice: Choice) -> Action {
        if self.has_review() {
            self.go_to(self.current + 1);
            return Action::Nothing;
        }
        let Some(step) = self.step() else { return Action::Nothing };
        let text = step.draft_text(choice);
        let answer = match step.label(choice) {
            _ if choice >= step.own_answer() => Answer::Text(text),
            label if label == text => Answer::Suggestion(choice),
            _ => Answer::Edited { suggestion: choice, text },
        };
        self.answer(choice, answer, true)
    }

    /// Returns the action that answers, or asks first if drafts would be lost.
    fn answer(&mut self, choice: Choice, answer: Answer, is_draft: bool) -> Action {
        if !self.step().is_some_and(|step| step.would_lose_drafts(choice, is_draft)) {
            return Action::Answer(answer);
        }
        self.focus = Focus::ConfirmAnswer(answer, is_draft.then_some(choice));
        Action::Nothing
    }
}
