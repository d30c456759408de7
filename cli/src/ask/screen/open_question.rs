//! The open call: its questions, the one that is being answered, and what has the focus.
//!
//! A call of `ask_followup_question` has one question, and so have many others: one key answers it.
//! Several questions, or one that takes several options, are steps: each is answered, and the last
//! step is a review of the answers, which sends them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use followup::dialogue::{Answer, Question};

use super::editor::Editor;
use super::spot::{Choice, Spot};
use super::step::Step;
use crate::ask::label::without_mark;

/// The state of the open call.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) question: Question,
    /// The questions.
    pub(super) steps: Vec<Step>,
    /// The index of the question that is being answered; after the last one, the review.
    pub(super) current: usize,
    /// The selected row of the review.
    pub(super) review_selected: Choice,
    pub(super) focus: Focus,
    /// The path of an image that was left unfinished.
    path: Option<Box<Editor>>,
    /// The first digit of the number of an option, which a second digit may follow.
    pub(super) first_digit: Option<Choice>,
}

/// What keys act on.
#[derive(Debug)]
pub(super) enum Focus {
    Choices,
    /// The draft for this choice of the current question.
    Draft(Choice),
    /// The note to the answer of the current question.
    Note,
    /// The path of an image, and the draft to return to.
    Image(Box<Editor>, Option<Choice>),
    /// The text that the options on the screen contain.
    Filter(Box<Editor>),
    /// The question whether to leave the call unanswered, to decline it, or to talk about it.
    ConfirmCancel,
    /// The question whether to answer although drafts would be lost, and the draft to return to.
    ConfirmAnswer(Answer, Option<Choice>),
}

/// What a key requests of the [`App`](super::app::App).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    Answer(Answer),
    /// Leave the call unanswered.
    Cancel,
    /// Tell the model that the user will not answer.
    Decline,
    /// Tell the model that the user wants to talk about it first.
    Discuss,
    /// Ask for the path of an image.
    AskForImage,
    /// Send the image at this path with the answer.
    Attach(String),
    /// Complete this path of an image.
    Complete(String),
    /// Remove the last image.
    Detach,
}

impl OpenQuestion {
    pub(super) fn new(question: Question) -> OpenQuestion {
        let steps = Step::all(&question);
        let mut open = OpenQuestion {
            question,
            review_selected: steps.len(),
            steps,
            current: 0,
            focus: Focus::Choices,
            path: None,
            first_digit: None,
        };
        open.enter_step();
        open
    }

    /// Returns whether the answers are reviewed before they are sent.
    pub(super) fn has_review(&self) -> bool {
        self.steps.len() > 1 || self.steps.iter().any(|step| step.is_multiple)
    }

    /// Returns whether the review is the current step.
    pub(super) fn is_at_review(&self) -> bool {
        self.current >= self.steps.len()
    }

    /// Returns whether the user can decline to answer: `ask_followup_question` can only be left.
    pub(super) fn can_decline(&self) -> bool {
        self.question.form.is_some()
    }

    /// Returns whether the user can talk about the questions instead.
    ///
    /// That is so if the tool has a reply for it.
    pub(super) fn can_discuss(&self) -> bool {
        self.question.can_discuss
    }

    /// Returns the question that is being answered; `None` at the review.
    pub(super) fn step(&self) -> Option<&Step> {
        self.steps.get(self.current)
    }

    /// Returns the choice to answer in one's own words, which follows the options.
    pub(super) fn own_answer(&self) -> Choice {
        self.step().map_or(0, Step::own_answer)
    }

    /// Returns the last choice of the current step.
    pub(super) fn last_choice(&self) -> Choice {
        self.step().map_or(self.steps.len(), Step::last_choice)
    }

    /// Returns the selected choice.
    pub(super) fn selected(&self) -> Spot {
        let choice = self.step().map_or(self.review_selected, |step| step.selected);
        Spot { step: self.current, choice }
    }

    pub(super) fn select(&mut self, choice: Choice) {
        match self.steps.get_mut(self.current) {
            Some(step) => step.selected = choice,
            None => self.review_selected = choice,
        }
    }

    /// Returns whether the choice to answer in one's own words is selected.
    pub(super) fn is_own_selected(&self) -> bool {
        self.step().is_some_and(|step| step.allows_text && step.is_own_selected())
    }

    /// Returns whether the current question has nothing but a field to write in.
    fn is_field(&self) -> bool {
        self.step().is_some_and(|step| step.own_answer() == 0)
    }

    /// Returns the editor that has the focus.
    pub(super) fn draft(&self) -> Option<&Editor> {
        match &self.focus {
            Focus::Draft(choice) => self.step()?.draft(*choice),
            Focus::Note => self.step()?.note(),
            Focus::Image(text, _) | Focus::Filter(text) => Some(text),
            Focus::Choices | Focus::ConfirmCancel | Focus::ConfirmAnswer(..) => None,
        }
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut Editor> {
        match &mut self.focus {
            Focus::Draft(choice) => self.steps.get_mut(self.current)?.draft_mut(*choice),
            Focus::Note => self.steps.get_mut(self.current)?.note_mut(),
            Focus::Image(text, _) | Focus::Filter(text) => Some(text),
            Focus::Choices | Focus::ConfirmCancel | Focus::ConfirmAnswer(..) => None,
        }
    }

    /// Returns whether a draft would be lost.
    pub(super) fn has_drafts(&self) -> bool {
        self.steps.iter().any(Step::has_drafts)
    }

    /// Returns whether something that the user has picked would be lost.
    pub(super) fn has_picks(&self) -> bool {
        self.steps.iter().any(Step::has_picks)
    }

    /// Returns whether this choice of the current question has a draft that differs from it.
    pub(super) fn has_draft(&self, choice: Choice) -> bool {
        self.step().is_some_and(|step| step.has_draft(choice))
    }

    /// Returns whether the key begins an answer in one's own words.
    ///
    /// It does if that choice is selected.
    pub(super) fn begins_text(&self, key: KeyEvent) -> bool {
        let is_character = match key.code {
            // Among several options, the space bar picks.
            KeyCode::Char(' ') => !self.has_review(),
            KeyCode::Char(_) => !is_combination(key),
            _ => false,
        };
        matches!(self.focus, Focus::Choices) && self.is_own_selected() && is_character
    }

    /// Returns the options that the filter shows; `None` without a filter.
    pub(super) fn filtered(&self) -> Option<Vec<Choice>> {
        let is_filtered = matches!(self.focus, Focus::Filter(_));
        is_filtered.then(|| (0..self.own_answer()).filter(|&choice| self.is_shown(choice)).collect())
    }

    /// Returns whether the filter shows a choice.
    pub(super) fn is_shown(&self, choice: Choice) -> bool {
        let Focus::Filter(filter) = &self.focus else { return true };
        self.step().is_some_and(|step| step.contains(choice, &filter.text()))
    }

    /// Goes to a question, or after the last one, to the review. What was written is kept.
    pub(super) fn go_to(&mut self, step: usize) {
        self.leave_editor();
        self.current = step.min(if self.has_review() { self.steps.len() } else { 0 });
        self.review_selected = self.steps.len();
        self.first_digit = None;
        self.enter_step();
    }

    /// Selects a choice of any question.
    pub(super) fn go_to_spot(&mut self, spot: Spot) {
        if spot.step != self.current {
            self.go_to(spot.step);
        }
        self.select(spot.choice);
    }

    /// Opens the field of a question that has no options.
    fn enter_step(&mut self) {
        if self.is_field() {
            self.edit(0);
        }
    }

    /// Opens the draft for a choice: a changed suggestion, or one's own answer.
    ///
    /// Where the answers are reviewed, a changed option is one's own answer.
    pub(super) fn edit(&mut self, choice: Choice) {
        let has_review = self.has_review();
        let Some(step) = self.steps.get_mut(self.current).filter(|step| step.allows_text) else { return };
        let text = step.label(choice).to_owned();
        let (draft, text) = if has_review { (step.own_answer(), without_mark(&text, false)) } else { (choice, &*text) };
        step.selected = draft;
        step.begin_draft(draft, text);
        self.focus = Focus::Draft(draft);
    }

    /// Opens the note to the answer, where the tool's reply has a place for one.
    ///
    /// It goes with an option, so where the answers are reviewed, the selected one is picked.
    pub(super) fn write_note(&mut self) {
        let has_review = self.has_review();
        let Some(step) = self.steps.get_mut(self.current).filter(|step| step.allows_note) else { return };
        if has_review && !(step.is_multiple && step.is_answered()) {
            step.pick(step.selected);
        }
        step.begin_note();
        self.focus = Focus::Note;
    }

    pub(super) fn ask_for_image(&mut self) {
        let back = match self.focus {
            Focus::Draft(choice) => Some(choice),
            Focus::Image(_, back) | Focus::ConfirmAnswer(_, back) => back,
            Focus::Choices | Focus::Note | Focus::Filter(_) | Focus::ConfirmCancel => None,
        };
        if !matches!(self.focus, Focus::Image(..)) {
            let path = self.path.take().unwrap_or_else(|| Box::new(Editor::single()));
            self.focus = Focus::Image(path, back);
        }
    }

    /// Replaces the path of an image by its completion.
    pub(super) fn complete_path(&mut self, completed: &str) {
        if let Focus::Image(path, _) = &mut self.focus
            && path.text() != completed
        {
            **path = Editor::single();
            path.paste(completed);
        }
    }

    /// Returns to the choices from anywhere. Drafts and the path of an image are kept.
    pub(super) fn leave_editor(&mut self) {
        self.focus_on(Focus::Choices);
    }

    /// Returns from the path of an image that has been attached.
    pub(super) fn attached(&mut self) {
        self.back();
        self.path = None;
    }

    /// Returns to the draft or to the choices. The path of an image is kept.
    pub(super) fn back(&mut self) {
        let to = match self.focus {
            Focus::Image(_, Some(choice)) | Focus::ConfirmAnswer(_, Some(choice)) => Focus::Draft(choice),
            _ if self.is_field() => Focus::Draft(0),
            _ => Focus::Choices,
        };
        self.focus_on(to);
    }

    /// Leaves what has the focus, whose draft is kept, for something else.
    pub(super) fn focus_on(&mut self, to: Focus) {
        let left = match std::mem::replace(&mut self.focus, to) {
            Focus::Draft(choice) => Some(choice),
            Focus::Image(path, choice) => {
                self.path = Some(path);
                choice
            }
            _ => None,
        };
        if let (true, Some(choice), Some(step)) = (self.has_review(), left, self.steps.get_mut(self.current)) {
            step.keep_draft(choice);
        }
    }
}

/// Returns whether the key is pressed together with Ctrl or Alt.
pub(super) fn is_combination(key: KeyEvent) -> bool {
    key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}
