//! A question that is being answered: its choices, what is picked, and what was written.

use std::collections::BTreeMap;

use followup::dialogue::{FormAnswer, FormQuestion, Question};

use super::editor::Editor;
use super::spot::Choice;
use crate::ask::form_answers::{default_answer, name};

/// A question that is being answered.
#[derive(Debug, Default)]
pub(super) struct Step {
    /// A short title of the question.
    pub(super) name: String,
    options: Vec<Offer>,
    /// Whether several options can be picked.
    pub(super) is_multiple: bool,
    /// Whether the user can answer in words of their own.
    pub(super) allows_text: bool,
    pub(super) is_required: bool,
    /// Whether a note can be added to an option.
    pub(super) allows_note: bool,
    /// A hint in the empty field of the user's own answer.
    placeholder: String,
    pub(super) selected: Choice,
    /// The choices that are the answer, in order.
    picked: Vec<Choice>,
    /// The choices that were picked at first.
    defaults: Vec<Choice>,
    /// The text written for each choice, kept until the question is answered.
    drafts: BTreeMap<Choice, Editor>,
    /// The note that goes with the options that are picked.
    note: Option<Editor>,
}

/// An option of a question.
#[derive(Debug, Default)]
struct Offer {
    label: String,
    /// Other texts that a filter finds.
    mode: String,
    description: String,
}

impl Step {
    /// Returns the questions of a call.
    pub(super) fn all(question: &Question) -> Vec<Step> {
        match &question.form {
            Some(form) => form.questions.iter().map(Step::of_form).collect(),
            None => {
                let offer = |one: &followup::dialogue::Suggestion| Offer {
                    label: one.answer.clone(),
                    mode: one.mode.clone().unwrap_or_default(),
                    description: String::new(),
                };
                let options = question.suggest.iter().map(offer).collect();
                vec![Step { options, allows_text: true, ..Step::default() }]
            }
        }
    }

    fn of_form(question: &FormQuestion) -> Step {
        let offer = |one: &followup::dialogue::FormOption| Offer {
            label: one.label.clone(),
            mode: one.mode.clone().unwrap_or_default(),
            description: one.description.clone().unwrap_or_default(),
        };
        let mut step = Step {
            name: name(question),
            options: question.options.iter().map(offer).collect(),
            is_multiple: question.multiple == Some(true),
            allows_text: question.allows_text(),
            is_required: question.required == Some(true),
            allows_note: question.notes,
            placeholder: question.placeholder.clone().unwrap_or_default(),
            ..Step::default()
        };
        step.pick_all(&default_answer(question));
        step
    }

    /// Picks what is chosen at first.
    fn pick_all(&mut self, answer: &FormAnswer) {
        answer.picked.iter().for_each(|&option| self.pick(option));
        if let Some(text) = &answer.text {
            self.begin_draft(self.own_answer(), text);
            self.keep_draft(self.own_answer());
        }
        self.selected = self.picked.first().copied().unwrap_or(0);
        self.defaults.clone_from(&self.picked);
    }

    /// Returns the hint in the empty field of the user's own answer.
    pub(super) fn placeholder(&self) -> &str {
        &self.placeholder
    }

    /// Returns the choice to answer in one's own words, which follows the options.
    pub(super) fn own_answer(&self) -> Choice {
        self.options.len()
    }

    /// Returns the last choice.
    pub(super) fn last_choice(&self) -> Choice {
        if self.allows_text { self.own_answer() } else { self.own_answer().saturating_sub(1) }
    }

    /// Returns whether the choice to answer in one's own words is selected.
    pub(super) fn is_own_selected(&self) -> bool {
        self.selected == self.own_answer()
    }

    /// Returns the label of an option; nothing for an answer in one's own words.
    pub(super) fn label(&self, choice: Choice) -> &str {
        self.options.get(choice).map_or("", |option| &option.label)
    }

    pub(super) fn draft(&self, choice: Choice) -> Option<&Editor> {
        self.drafts.get(&choice)
    }

    pub(super) fn draft_mut(&mut self, choice: Choice) -> Option<&mut Editor> {
        self.drafts.get_mut(&choice)
    }

    /// Returns the text written for a choice.
    pub(super) fn draft_text(&self, choice: Choice) -> String {
        self.draft(choice).map(Editor::text).unwrap_or_default()
    }

    /// Makes sure that there is a draft for a choice, which begins with this text.
    pub(super) fn begin_draft(&mut self, choice: Choice, text: &str) {
        let is_own = choice == self.own_answer();
        let draft = self.drafts.entry(choice).or_insert_with(|| Editor::new(text));
        if is_own && draft.is_empty() && !text.is_empty() {
            *draft = Editor::new(text);
        }
        draft.set_placeholder(&self.placeholder);
    }

    /// Returns whether there is a draft for this choice that differs from its label.
    pub(super) fn has_draft(&self, choice: Choice) -> bool {
        self.draft(choice).is_some_and(|draft| !draft.is_blank() && draft.text() != self.label(choice))
    }

    pub(super) fn note(&self) -> Option<&Editor> {
        self.note.as_ref()
    }

    pub(super) fn note_mut(&mut self) -> Option<&mut Editor> {
        self.note.as_mut()
    }

    /// Makes sure that there is a note to write.
    pub(super) fn begin_note(&mut self) {
        self.note.get_or_insert_with(|| Editor::new(""));
    }

    /// Returns the note, if something is written in it.
    pub(super) fn note_text(&self) -> Option<String> {
        self.note.as_ref().filter(|note| !note.is_blank()).map(Editor::text)
    }

    /// Returns whether a draft would be lost.
    pub(super) fn has_drafts(&self) -> bool {
        self.note_text().is_some() || self.drafts.keys().any(|&choice| self.has_draft(choice))
    }

    /// Returns whether the user has picked something that would be lost.
    pub(super) fn has_picks(&self) -> bool {
        self.picked != self.defaults
    }

    /// Returns whether drafts would be lost by answering with a choice, or with its draft.
    ///
    /// The note goes with an option as it is.
    pub(super) fn would_lose_drafts(&self, answered: Choice, is_draft: bool) -> bool {
        let loses_note = is_draft && self.note_text().is_some();
        loses_note || self.drafts.keys().any(|&choice| self.has_draft(choice) && !(is_draft && choice == answered))
    }

    pub(super) fn is_picked(&self, choice: Choice) -> bool {
        self.picked.contains(&choice)
    }

    /// Picks a choice. Where one answer is possible, it replaces the one before.
    pub(super) fn pick(&mut self, choice: Choice) {
        if !self.is_multiple {
            self.picked.clear();
        }
        if let Err(place) = self.picked.binary_search(&choice) {
            self.picked.insert(place, choice);
        }
    }

    fn unpick(&mut self, choice: Choice) {
        self.picked.retain(|&picked| picked != choice);
    }

    /// Picks a choice, or the opposite if several answers are possible.
    pub(super) fn toggle(&mut self, choice: Choice) {
        if self.is_multiple && self.is_picked(choice) { self.unpick(choice) } else { self.pick(choice) }
    }

    /// Picks a draft that was written, or the opposite if it is blank.
    pub(super) fn keep_draft(&mut self, choice: Choice) {
        if self.draft(choice).is_some_and(|draft| !draft.is_blank()) { self.pick(choice) } else { self.unpick(choice) }
    }

    /// Returns the text of the user's own, if it belongs to the answer.
    pub(super) fn own_text(&self) -> Option<String> {
        let own = self.own_answer();
        self.is_picked(own).then(|| self.draft_text(own))
    }

    /// Returns the answer to the question.
    pub(super) fn answer(&self) -> FormAnswer {
        let own = self.own_answer();
        let picked = self.picked.iter().copied().filter(|&choice| choice != own).collect();
        FormAnswer { picked, text: self.own_text(), note: self.note_text() }
    }

    pub(super) fn is_answered(&self) -> bool {
        !self.picked.is_empty()
    }

    /// Returns whether an option contains this text. Upper and lower case are the same.
    pub(super) fn contains(&self, choice: Choice, wanted: &str) -> bool {
        let wanted = wanted.to_lowercase();
        let is_in = |text: &str| text.to_lowercase().contains(&wanted);
        let option = self.options.get(choice);
        option.is_some_and(|Offer { label, mode, description }| is_in(label) || is_in(mode) || is_in(description))
    }
}
