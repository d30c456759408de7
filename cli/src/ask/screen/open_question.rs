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
}

/// What keys act on.
#[derive(Debug)]
pub(super) enum Focus {
    Choices,
    /// The draft for this choice.
    Draft(Choice),
    /// The path of an image, and the draft to return to.
    Image(Box<Editor>, Option<Choice>),
    /// The question whether to leave the question unanswered.
    ConfirmCancel,
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
    /// Remove the last image.
    Detach,
}

impl OpenQuestion {
    pub(super) fn new(question: Question) -> OpenQuestion {
        let mut open = OpenQuestion { question, selected: 0, focus: Focus::Choices, drafts: BTreeMap::new() };
        if open.own_answer() == 0 {
            open.edit(0);
        }
        open
    }

    /// Returns the choice to answer in one's own words, which follows the suggestions.
    pub(super) fn own_answer(&self) -> Choice {
        self.question.suggest.len()
    }

    /// Returns the editor that has the focus.
    pub(super) fn draft(&self) -> Option<&Editor> {
        match &self.focus {
            Focus::Draft(choice) => self.drafts.get(choice),
            Focus::Image(path, _) => Some(path),
            Focus::Choices | Focus::ConfirmCancel => None,
        }
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut Editor> {
        match &mut self.focus {
            Focus::Draft(choice) => self.drafts.get_mut(choice),
            Focus::Image(path, _) => Some(path),
            Focus::Choices | Focus::ConfirmCancel => None,
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

    pub(super) fn key(&mut self, key: KeyEvent) -> Action {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('o') {
            self.ask_for_image();
            return Action::Nothing;
        }
        match &mut self.focus {
            Focus::Choices => self.key_among_choices(key),
            Focus::Draft(choice) => {
                let choice = *choice;
                self.key_in_draft(key, choice)
            }
            Focus::Image(path, back) => match key.code {
                KeyCode::Enter => Action::Attach(path.text()),
                KeyCode::Esc => {
                    self.focus = back.map_or(Focus::Choices, Focus::Draft);
                    Action::Nothing
                }
                KeyCode::Backspace if path.is_empty() => Action::Detach,
                _ => {
                    path.key(key);
                    Action::Nothing
                }
            },
            Focus::ConfirmCancel => match key.code {
                KeyCode::Esc | KeyCode::Char('y') => Action::Cancel,
                _ => {
                    self.back();
                    Action::Nothing
                }
            },
        }
    }

    fn key_among_choices(&mut self, key: KeyEvent) -> Action {
        // Combinations with Ctrl and Alt have other meanings.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Action::Nothing;
        }
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => {
                self.selected = self.selected.checked_sub(1).unwrap_or(self.own_answer())
            }
            KeyCode::Down | KeyCode::Char('j') => self.selected = (self.selected + 1) % (self.own_answer() + 1),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = self.own_answer(),
            KeyCode::Enter => return self.choose(self.selected),
            KeyCode::Char(digit @ '1'..='9') => {
                let choice = digit as usize - '1' as usize;
                if choice < self.own_answer() {
                    return self.choose(choice);
                }
            }
            KeyCode::Char('e') => self.edit(self.selected),
            KeyCode::Char('w') | KeyCode::Tab => self.edit(self.own_answer()),
            KeyCode::Char('i') => self.ask_for_image(),
            KeyCode::Esc => self.focus = Focus::ConfirmCancel,
            _ => {}
        }
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

    /// Takes a choice, as Enter or a click does: answers with a suggestion, or opens the editor.
    pub(super) fn choose(&mut self, choice: Choice) -> Action {
        self.selected = choice;
        if choice < self.own_answer() {
            return Action::Answer(Answer::Suggestion(choice));
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
            Focus::Image(_, back) => back,
            Focus::Choices | Focus::ConfirmCancel => None,
        };
        self.focus = Focus::Image(Box::new(Editor::single()), back);
    }

    /// Returns to the draft or to the choices.
    pub(super) fn back(&mut self) {
        self.focus = match self.focus {
            Focus::Image(_, Some(choice)) => Focus::Draft(choice),
            _ if self.own_answer() == 0 => Focus::Draft(0),
            _ => Focus::Choices,
        };
    }

    /// Returns the action that answers with the draft of this choice.
    fn send(&self, choice: Choice) -> Action {
        let text = self.drafts.get(&choice).map(Editor::text).unwrap_or_default();
        Action::Answer(match self.question.suggest.get(choice) {
            Some(suggested) if suggested.answer == text => Answer::Suggestion(choice),
            Some(_) => Answer::Edited { suggestion: choice, text },
            None => Answer::Text(text),
        })
    }

    /// Inserts pasted text: into the editor, or else as one's own answer.
    pub(super) fn paste(&mut self, text: &str) {
        if self.draft().is_none() {
            self.edit(self.own_answer());
        }
        if let Some(draft) = self.draft_mut() {
            draft.paste(text);
        }
    }
}
