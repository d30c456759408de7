//! The open question: the selected choice, the drafts, and the meaning of keys.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use followup::dialogue::{Answer, Question};

use super::call_view::Choice;
use super::editor::Editor;

/// The state of the open question.
#[derive(Debug)]
pub(super) struct OpenQuestion {
    pub(super) question: Question,
    pub(super) selected: Choice,
    pub(super) focus: Focus,
    /// The text written for each choice, kept until the question is answered.
    drafts: BTreeMap<Choice, Editor>,
    /// The path of an image that was left unfinished.
    path: Option<Box<Editor>>,
    /// The first digit of the number of a suggestion, which a second digit may follow.
    pub(super) first_digit: Option<Choice>,
}

/// What keys act on.
#[derive(Debug)]
pub(super) enum Focus {
    Choices,
    /// The draft for this choice.
    Draft(Choice),
    /// The path of an image, and the draft to return to.
    Image(Box<Editor>, Option<Choice>),
    /// The text that the suggestions on the screen contain.
    Filter(Box<Editor>),
    /// The question whether to leave the question unanswered.
    ConfirmCancel,
    /// The question whether to answer although drafts would be lost, and the draft to return to.
    ConfirmAnswer(Answer, Option<Choice>),
}

/// What a key requests of the [`App`](super::app::App).
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Action {
    Nothing,
    Answer(Answer),
    /// Leave the question unanswered.
    Cancel,
    /// Send the image at this path with the answer.
    Attach(String),
    /// Complete this path of an image.
    Complete(String),
    /// Remove the last image.
    Detach,
}

impl OpenQuestion {
    pub(super) fn new(question: Question) -> OpenQuestion {
        let (focus, drafts) = (Focus::Choices, BTreeMap::new());
        let mut open = OpenQuestion { question, selected: 0, focus, drafts, path: None, first_digit: None };
        if open.own_answer() == 0 {
            open.edit(0);
        }
        open
    }

    /// Returns the choice to answer in one's own words, which follows the suggestions.
    pub(super) fn own_answer(&self) -> Choice {
        self.question.suggest.len()
    }

    /// Returns whether the choice to answer in one's own words is selected.
    pub(super) fn is_own_selected(&self) -> bool {
        self.selected == self.own_answer()
    }

    /// Returns the editor that has the focus.
    pub(super) fn draft(&self) -> Option<&Editor> {
        match &self.focus {
            Focus::Draft(choice) => self.drafts.get(choice),
            Focus::Image(text, _) | Focus::Filter(text) => Some(text),
            Focus::Choices | Focus::ConfirmCancel | Focus::ConfirmAnswer(..) => None,
        }
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut Editor> {
        match &mut self.focus {
            Focus::Draft(choice) => self.drafts.get_mut(choice),
            Focus::Image(text, _) | Focus::Filter(text) => Some(text),
            Focus::Choices | Focus::ConfirmCancel | Focus::ConfirmAnswer(..) => None,
        }
    }

    /// Returns whether a draft would be lost.
    pub(super) fn has_drafts(&self) -> bool {
        self.drafts.keys().any(|&choice| self.has_draft(choice))
    }

    /// Returns whether there is a draft for this choice that differs from the suggestion.
    pub(super) fn has_draft(&self, choice: Choice) -> bool {
        let text = self.question.suggest.get(choice).map_or("", |suggested| &suggested.answer);
        self.drafts.get(&choice).is_some_and(|draft| !draft.is_blank() && draft.text() != text)
    }

    /// Returns whether drafts would be lost by answering with a choice, or with its draft.
    fn would_lose_drafts(&self, answered: Choice, is_draft: bool) -> bool {
        self.drafts.keys().any(|&choice| self.has_draft(choice) && !(is_draft && choice == answered))
    }

    /// Returns whether the key begins an answer in one's own words, because that choice is selected.
    pub(super) fn begins_text(&self, key: KeyEvent) -> bool {
        let is_character = matches!(key.code, KeyCode::Char(_)) && !is_combination(key);
        matches!(self.focus, Focus::Choices) && self.is_own_selected() && is_character
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let first_digit = self.first_digit.take();
        if control && key.code == KeyCode::Char('o') {
            self.ask_for_image();
            return Action::Nothing;
        }
        match &mut self.focus {
            Focus::Choices => self.key_among_choices(key, first_digit),
            Focus::Draft(choice) => {
                let choice = *choice;
                self.key_in_draft(key, choice)
            }
            Focus::Image(..) => self.key_in_path(key),
            Focus::Filter(_) => self.key_in_filter(key),
            // What was written is lost only after an unmistakable key.
            Focus::ConfirmCancel => match key.code {
                KeyCode::Char('y') => Action::Cancel,
                KeyCode::Esc if !self.has_drafts() => Action::Cancel,
                _ => {
                    self.back();
                    Action::Nothing
                }
            },
            Focus::ConfirmAnswer(answer, _) => {
                let answer = answer.clone();
                self.back();
                if key.code == KeyCode::Char('y') { Action::Answer(answer) } else { Action::Nothing }
            }
        }
    }

    fn key_among_choices(&mut self, key: KeyEvent, first_digit: Option<Choice>) -> Action {
        // Combinations with Ctrl and Alt have other meanings.
        if is_combination(key) {
            return Action::Nothing;
        }
        if self.begins_text(key) {
            self.edit(self.own_answer());
            return self.key_in_draft(key, self.own_answer());
        }
        let (own_answer, suggestions) = (self.own_answer(), self.own_answer().max(1));
        match key.code {
            KeyCode::Up => self.selected = self.selected.checked_sub(1).unwrap_or(own_answer),
            KeyCode::Down => self.selected = (self.selected + 1) % (own_answer + 1),
            // Letters would be typed on the choice after the suggestions, so they stay among these.
            KeyCode::Char('k') => self.selected = (self.selected + suggestions - 1) % suggestions,
            KeyCode::Char('j') => self.selected = (self.selected + 1) % suggestions,
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = own_answer,
            KeyCode::Enter => return self.choose(self.selected),
            KeyCode::Char(digit @ '0'..='9') => return self.digit(digit as usize - '0' as usize, first_digit),
            KeyCode::Char('e') => self.edit(self.selected),
            KeyCode::Char('w') | KeyCode::Tab => self.edit(own_answer),
            KeyCode::Char('i') => self.ask_for_image(),
            KeyCode::Char('/') => self.focus = Focus::Filter(Box::new(Editor::single())),
            KeyCode::Esc => self.focus = Focus::ConfirmCancel,
            _ => {}
        }
        Action::Nothing
    }

    /// Takes the suggestion with the number that ends with this digit.
    ///
    /// If another digit may follow, the suggestion is only selected.
    fn digit(&mut self, digit: usize, first: Option<usize>) -> Action {
        let number = first.unwrap_or(0) * 10 + digit;
        if number == 0 || number > self.own_answer() {
            return Action::Nothing;
        }
        if number * 10 > self.own_answer() {
            return self.choose(number - 1);
        }
        self.selected = number - 1;
        self.first_digit = Some(number);
        Action::Nothing
    }

    fn key_in_draft(&mut self, key: KeyEvent, choice: Choice) -> Action {
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() => return self.send(choice),
            // Without suggestions there are no choices to return to.
            KeyCode::Esc if self.own_answer() == 0 => self.focus = Focus::ConfirmCancel,
            KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => self.back(),
            _ => {
                if let Some(draft) = self.drafts.get_mut(&choice) {
                    draft.key(key);
                }
            }
        }
        Action::Nothing
    }

    fn key_in_path(&mut self, key: KeyEvent) -> Action {
        let Focus::Image(path, _) = &mut self.focus else { return Action::Nothing };
        match key.code {
            KeyCode::Enter => return Action::Attach(path.text()),
            KeyCode::Tab => return Action::Complete(path.text()),
            KeyCode::Esc => self.back(),
            KeyCode::Backspace if path.is_empty() => return Action::Detach,
            _ => path.key(key),
        }
        Action::Nothing
    }

    fn key_in_filter(&mut self, key: KeyEvent) -> Action {
        match key.code {
            KeyCode::Enter if self.is_shown(self.selected) => {
                self.focus = Focus::Choices;
                return self.choose(self.selected);
            }
            KeyCode::Enter => {}
            KeyCode::Esc => self.focus = Focus::Choices,
            KeyCode::Up => self.select_shown((0..self.selected).rev()),
            KeyCode::Down => self.select_shown(self.selected + 1..self.own_answer()),
            _ => {
                if let Focus::Filter(filter) = &mut self.focus {
                    filter.key(key);
                }
                if !self.is_shown(self.selected) {
                    self.select_shown(0..self.own_answer());
                }
            }
        }
        Action::Nothing
    }

    /// Selects the first of these suggestions that the filter shows.
    fn select_shown(&mut self, mut choices: impl Iterator<Item = Choice>) {
        self.selected = choices.find(|&choice| self.is_shown(choice)).unwrap_or(self.selected);
    }

    /// Returns the suggestions that the filter shows; `None` without a filter.
    pub(super) fn filtered(&self) -> Option<Vec<Choice>> {
        let is_filtered = matches!(self.focus, Focus::Filter(_));
        is_filtered.then(|| (0..self.own_answer()).filter(|&choice| self.is_shown(choice)).collect())
    }

    /// Returns whether the filter shows a choice. Upper and lower case are the same.
    pub(super) fn is_shown(&self, choice: Choice) -> bool {
        let Focus::Filter(filter) = &self.focus else { return true };
        let wanted = filter.text().to_lowercase();
        self.question.suggest.get(choice).is_some_and(|suggested| {
            suggested.answer.to_lowercase().contains(&wanted)
                || suggested.mode.as_ref().is_some_and(|mode| mode.to_lowercase().contains(&wanted))
        })
    }

    /// Takes a choice, as Enter or a click does: answers with a suggestion, or opens the editor.
    pub(super) fn choose(&mut self, choice: Choice) -> Action {
        self.selected = choice;
        if choice < self.own_answer() {
            return self.answer(choice, Answer::Suggestion(choice), false);
        }
        self.edit(choice);
        Action::Nothing
    }

    /// Opens the draft for a choice: a changed suggestion, or one's own answer.
    pub(super) fn edit(&mut self, choice: Choice) {
        self.selected = choice;
        let text = self.question.suggest.get(choice).map_or("", |suggested| &suggested.answer);
        self.drafts.entry(choice).or_insert_with(|| Editor::new(text));
        self.focus = Focus::Draft(choice);
    }

    fn ask_for_image(&mut self) {
        let back = match self.focus {
            Focus::Draft(choice) => Some(choice),
            Focus::Image(_, back) | Focus::ConfirmAnswer(_, back) => back,
            Focus::Choices | Focus::Filter(_) | Focus::ConfirmCancel => None,
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
        if let Focus::Image(path, _) = std::mem::replace(&mut self.focus, Focus::Choices) {
            self.path = Some(path);
        }
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
            _ if self.own_answer() == 0 => Focus::Draft(0),
            _ => Focus::Choices,
        };
        if let Focus::Image(path, _) = std::mem::replace(&mut self.focus, to) {
            self.path = Some(path);
        }
    }

    /// Returns the action that answers with the draft of this choice.
    fn send(&mut self, choice: Choice) -> Action {
        let text = self.drafts.get(&choice).map(Editor::text).unwrap_or_default();
        let answer = match self.question.suggest.get(choice) {
            Some(suggested) if suggested.answer == text => Answer::Suggestion(choice),
            Some(_) => Answer::Edited { suggestion: choice, text },
            None => Answer::Text(text),
        };
        self.answer(choice, answer, true)
    }

    /// Returns the action that answers, or asks first if drafts would be lost.
    fn answer(&mut self, choice: Choice, answer: Answer, is_draft: bool) -> Action {
        if !self.would_lose_drafts(choice, is_draft) {
            return Action::Answer(answer);
        }
        self.focus = Focus::ConfirmAnswer(answer, is_draft.then_some(choice));
        Action::Nothing
    }

    /// Inserts pasted text: into the editor, or else as one's own answer.
    pub(super) fn paste(&mut self, text: &str) {
        if self.draft().is_none() {
            self.edit(self.own_answer());
        }
        if let Some(draft) = self.draft_mut() {
            draft.paste(text);
        }
        if !self.is_shown(self.selected) {
            self.select_shown(0..self.own_answer());
        }
    }
}

/// Returns whether the key is pressed together with Ctrl or Alt.
fn is_combination(key: KeyEvent) -> bool {
    key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT)
}
