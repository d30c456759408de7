//! The question that is open: what is selected, what has been written, and what the keys mean.

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use followup::dialogue::{Answer, Question};

use super::call::Choice;
use super::editor::Editor;

#[derive(Debug)]
pub(super) struct Asking {
    pub(super) question: Question,
    pub(super) selected: Choice,
    pub(super) focus: Focus,
    /// What has been written, by what it was to change. It is kept until the question is answered.
    drafts: BTreeMap<Choice, Editor>,
}

/// What the keys are for.
#[derive(Debug)]
pub(super) enum Focus {
    Choices,
    /// The draft for that choice.
    Draft(Choice),
    /// The path of an image; and whether a draft is gone back to.
    Image(Box<Editor>, Option<Choice>),
    /// Whether the question is really to be left unanswered.
    Leave,
}

/// What the person wants that is not for the question alone to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Wish {
    Nothing,
    Answer(Answer),
    /// Leave the question unanswered.
    Leave,
    /// Send the image at that path with the answer.
    Attach(String),
    /// Not to send the last image.
    Detach,
}

impl Asking {
    pub(super) fn new(question: Question) -> Asking {
        let mut asking = Asking { question, selected: 0, focus: Focus::Choices, drafts: BTreeMap::new() };
        if asking.own() == 0 {
            asking.write(0);
        }
        asking
    }

    /// The choice to answer in one's own words: behind the suggestions.
    pub(super) fn own(&self) -> Choice {
        self.question.suggest.len()
    }

    /// What is being written.
    pub(super) fn draft(&self) -> Option<&Editor> {
        match &self.focus {
            Focus::Draft(choice) => self.drafts.get(choice),
            Focus::Image(path, _) => Some(path),
            Focus::Choices | Focus::Leave => None,
        }
    }

    pub(super) fn draft_mut(&mut self) -> Option<&mut Editor> {
        match &mut self.focus {
            Focus::Draft(choice) => self.drafts.get_mut(choice),
            Focus::Image(path, _) => Some(path),
            Focus::Choices | Focus::Leave => None,
        }
    }

    /// Whether something has been written that would be lost.
    pub(super) fn has_drafts(&self) -> bool {
        self.drafts.keys().any(|&choice| self.is_changed(choice))
    }

    /// Whether something has been written for that choice.
    pub(super) fn is_changed(&self, choice: Choice) -> bool {
        let text = self.question.suggest.get(choice).map_or("", |suggested| &suggested.answer);
        self.drafts.get(&choice).is_some_and(|draft| !draft.is_blank() && draft.text() != text)
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> Wish {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('o') {
            self.ask_for_image();
            return Wish::Nothing;
        }
        match &mut self.focus {
            Focus::Choices => self.key_among_choices(key),
            Focus::Draft(choice) => {
                let choice = *choice;
                self.key_in_draft(key, choice)
            }
            Focus::Image(path, back) => match key.code {
                KeyCode::Enter => Wish::Attach(path.text()),
                KeyCode::Esc => {
                    self.focus = back.map_or(Focus::Choices, Focus::Draft);
                    Wish::Nothing
                }
                KeyCode::Backspace if path.is_empty() => Wish::Detach,
                _ => {
                    path.key(key);
                    Wish::Nothing
                }
            },
            Focus::Leave => match key.code {
                KeyCode::Esc | KeyCode::Char('y') => Wish::Leave,
                _ => {
                    self.back();
                    Wish::Nothing
                }
            },
        }
    }

    fn key_among_choices(&mut self, key: KeyEvent) -> Wish {
        // They mean something else.
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Wish::Nothing;
        }
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.selected = self.selected.checked_sub(1).unwrap_or(self.own()),
            KeyCode::Down | KeyCode::Char('j') => self.selected = (self.selected + 1) % (self.own() + 1),
            KeyCode::Home => self.selected = 0,
            KeyCode::End => self.selected = self.own(),
            KeyCode::Enter => return self.take(self.selected),
            KeyCode::Char(digit @ '1'..='9') => {
                let choice = digit as usize - '1' as usize;
                if choice < self.own() {
                    return self.take(choice);
                }
            }
            KeyCode::Char('e') => self.write(self.selected),
            KeyCode::Char('w') | KeyCode::Tab => self.write(self.own()),
            KeyCode::Char('i') => self.ask_for_image(),
            KeyCode::Esc => self.focus = Focus::Leave,
            _ => {}
        }
        Wish::Nothing
    }

    fn key_in_draft(&mut self, key: KeyEvent, choice: Choice) -> Wish {
        match key.code {
            KeyCode::Enter if key.modifiers.is_empty() => return self.send(choice),
            // Where there is nothing to go back to, it is the question itself that is left.
            KeyCode::Esc if self.own() == 0 => self.focus = Focus::Leave,
            KeyCode::Esc | KeyCode::Tab | KeyCode::BackTab => self.back(),
            _ => {
                if let Some(draft) = self.drafts.get_mut(&choice) {
                    draft.key(key);
                }
            }
        }
        Wish::Nothing
    }

    /// Takes a choice, as Enter or a click does.
    pub(super) fn take(&mut self, choice: Choice) -> Wish {
        self.selected = choice;
        if choice < self.own() {
            return Wish::Answer(Answer::Suggestion(choice));
        }
        self.write(choice);
        Wish::Nothing
    }

    /// Opens the draft for a choice: a suggestion to be changed, or one's own words.
    pub(super) fn write(&mut self, choice: Choice) {
        self.selected = choice;
        let text = self.question.suggest.get(choice).map_or("", |suggested| &suggested.answer);
        self.drafts.entry(choice).or_insert_with(|| Editor::new(text));
        self.focus = Focus::Draft(choice);
    }

    fn ask_for_image(&mut self) {
        let back = match self.focus {
            Focus::Draft(choice) => Some(choice),
            Focus::Image(_, back) => back,
            Focus::Choices | Focus::Leave => None,
        };
        self.focus = Focus::Image(Box::new(Editor::single()), back);
    }

    /// Goes back to the choices; or, where there are none, to what is being written.
    pub(super) fn back(&mut self) {
        self.focus = match self.focus {
            Focus::Image(_, Some(choice)) => Focus::Draft(choice),
            _ if self.own() == 0 => Focus::Draft(0),
            _ => Focus::Choices,
        };
    }

    /// The answer that a draft is.
    fn send(&self, choice: Choice) -> Wish {
        let text = self.drafts.get(&choice).map(Editor::text).unwrap_or_default();
        Wish::Answer(match self.question.suggest.get(choice) {
            Some(suggested) if suggested.answer == text => Answer::Suggestion(choice),
            Some(_) => Answer::Edited { suggestion: choice, text },
            None => Answer::Text(text),
        })
    }

    /// Puts in what was pasted: where something is being written, or else as one's own words.
    pub(super) fn paste(&mut self, text: &str) {
        if self.draft().is_none() {
            self.write(self.own());
        }
        if let Some(draft) = self.draft_mut() {
            draft.paste(text);
        }
    }
}
