//! What keys and pasted text do to the open call.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::editor::Editor;
use super::open_question::{Action, Focus, OpenQuestion, is_combination};
use super::spot::Choice;

impl OpenQuestion {
    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let first_digit = self.first_digit.take();
        if control && key.code == KeyCode::Char('o') {
            return Action::AskForImage;
        }
        match &mut self.focus {
            Focus::Choices => self.key_among_choices(key, first_digit),
            Focus::Draft(choice) => {
                let choice = *choice;
                self.key_in_draft(key, choice)
            }
            Focus::Note => self.key_in_note(key),
            Focus::Image(..) => self.key_in_path(key),
            Focus::Filter(_) => self.key_in_filter(key),
            // A question is left only after an unmistakable key: Esc twice is none, nor is Ctrl-D.
            Focus::ConfirmCancel | Focus::ConfirmAnswer(..) if is_combination(key) => {
                self.back();
                Action::Nothing
            }
            Focus::ConfirmCancel => match key.code {
                KeyCode::Char('y') => Action::Cancel,
                KeyCode::Char('d') if self.can_decline() => Action::Decline,
                KeyCode::Char('c') if self.can_discuss() => Action::Discuss,
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
        if self.has_review() && self.key_between_steps(key) {
            return Action::Nothing;
        }
        let (selected, last) = (self.selected().choice, self.last_choice());
        // Letters would be typed on the choice after the options, so they stay among these.
        let letters = if self.is_at_review() { last + 1 } else { self.own_answer().max(1) };
        match key.code {
            KeyCode::Up => self.select(selected.checked_sub(1).unwrap_or(last)),
            KeyCode::Down => self.select((selected + 1) % (last + 1)),
            KeyCode::Char('k') => self.select((selected + letters - 1) % letters),
            KeyCode::Char('j') => self.select((selected + 1) % letters),
            KeyCode::Home => self.select(0),
            KeyCode::End => self.select(last),
            KeyCode::Enter => return self.enter(),
            KeyCode::Char(' ') if self.has_review() && !self.is_at_review() => return self.pick(selected),
            KeyCode::Char(digit @ '0'..='9') => return self.digit(digit as usize - '0' as usize, first_digit),
            KeyCode::Char('d') if self.can_decline() => self.focus = Focus::ConfirmCancel,
            KeyCode::Char('c') if self.can_discuss() => self.focus = Focus::ConfirmCancel,
            KeyCode::Char('i') => return Action::AskForImage,
            KeyCode::Esc => self.focus = Focus::ConfirmCancel,
            _ if self.is_at_review() => {}
            KeyCode::Char('e') => self.edit(selected),
            KeyCode::Char('a') => self.write_note(),
            KeyCode::Char('w') | KeyCode::Tab => self.edit(self.own_answer()),
            KeyCode::Char('/') => self.focus = Focus::Filter(Box::new(Editor::single())),
            _ => {}
        }
        Action::Nothing
    }

    /// Goes to another question, and returns whether the key does that.
    fn key_between_steps(&mut self, key: KeyEvent) -> bool {
        match key.code {
            KeyCode::Tab | KeyCode::Right | KeyCode::Char('l') => self.go_to(self.current + 1),
            KeyCode::BackTab | KeyCode::Left | KeyCode::Char('h') => self.go_to(self.current.saturating_sub(1)),
            _ => return false,
        }
        true
    }

    /// Takes the choice with the number that ends with this digit.
    ///
    /// If another digit may follow, the choice is only selected.
    fn digit(&mut self, digit: usize, first: Option<usize>) -> Action {
        let number = first.unwrap_or(0) * 10 + digit;
        let count = if self.is_at_review() { self.steps.len() } else { self.own_answer() };
        if number == 0 || number > count {
            return Action::Nothing;
        }
        if number * 10 > count {
            return self.take(number - 1);
        }
        self.select(number - 1);
        self.first_digit = Some(number);
        Action::Nothing
    }

    fn key_in_draft(&mut self, key: KeyEvent, choice: Choice) -> Action {
        let has_review = self.has_review();
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() => return self.send(choice),
            KeyCode::Tab | KeyCode::BackTab if has_review => {
                self.key_between_steps(key);
            }
            // Without options there are no choices to return to.
            KeyCode::Esc if self.own_answer() == 0 => self.focus_on(Focus::ConfirmCancel),
            KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => self.back(),
            _ => {
                if let Some(draft) = self.draft_mut() {
                    draft.key(key);
                }
            }
        }
        Action::Nothing
    }

    fn key_in_note(&mut self, key: KeyEvent) -> Action {
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() && self.has_review() => self.go_to(self.current + 1),
            KeyCode::Enter if key.modifiers.is_empty() => return self.take(self.selected().choice),
            KeyCode::Tab | KeyCode::BackTab if self.has_review() => {
                self.key_between_steps(key);
            }
            KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => self.back(),
            _ => {
                if let Some(note) = self.draft_mut() {
                    note.key(key);
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
        let selected = self.selected().choice;
        match key.code {
            KeyCode::Enter if self.is_shown(selected) => {
                self.focus = Focus::Choices;
                return self.take(selected);
            }
            KeyCode::Enter => {}
            KeyCode::Esc => self.focus = Focus::Choices,
            KeyCode::Up => self.select_shown((0..selected).rev()),
            KeyCode::Down => self.select_shown(selected + 1..self.own_answer()),
            _ => {
                if let Focus::Filter(filter) = &mut self.focus {
                    filter.key(key);
                }
                self.select_first_shown();
            }
        }
        Action::Nothing
    }

    /// Selects the first option that the filter shows, unless it shows the selected one.
    fn select_first_shown(&mut self) {
        if !self.is_shown(self.selected().choice) {
            self.select_shown(0..self.own_answer());
        }
    }

    /// Selects the first of these options that the filter shows.
    fn select_shown(&mut self, mut choices: impl Iterator<Item = Choice>) {
        if let Some(shown) = choices.find(|&choice| self.is_shown(choice)) {
            self.select(shown);
        }
    }

    /// Inserts pasted text: into the editor, or else as one's own answer. Returns `false` if the
    /// question takes no text.
    pub(super) fn paste(&mut self, text: &str) -> bool {
        if self.draft().is_none() {
            self.edit(self.own_answer());
        }
        let Some(draft) = self.draft_mut() else { return false };
        draft.paste(text);
        self.select_first_shown();
        true
    }
}
