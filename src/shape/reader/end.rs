//! What the end of a value does.

use super::keys::text_of;
use super::{List, ListSoFar, Meaning, PendingString, Reading, Within};
use crate::call::form::{CallForm, OptionParts, OptionText, Place, QuestionText, Words};
use crate::json::lexer::Lexer;
use crate::json::list;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::shape::role::{KindWord, Level, Role};
use crate::shape::{QuestionKind, lines};
use crate::utf8;

impl Reading<'_> {
    /// Ends the innermost value. The lexer has already closed it if it is an array or object.
    pub(super) fn end(&mut self) {
        match core::mem::replace(&mut self.reader.value, Meaning::Nothing) {
            Meaning::Text(place) => {
                if let Some(form) = self.form() {
                    form.end_text();
                }
                self.end_entry(place);
            }
            Meaning::Word(role) => self.end_word(role),
            Meaning::WordItem(words) => {
                let word = core::mem::take(&mut self.reader.pending);
                self.add_word(words, &word);
            }
            Meaning::Pending(pending) => self.end_pending(pending),
            Meaning::UndecidedItem(list) => self.end_pending(PendingString::Item(list)),
            Meaning::Undecided(List::Arguments) => self.call.reject(Reason::WrongType(CallPart::Arguments)),
            Meaning::Lines => {
                let line = core::mem::take(&mut self.reader.pending);
                self.read_line(&line);
                self.close_question();
            }
            _ if self.reader.within.len() > self.depth() => self.leave(),
            _ => {}
        }
    }

    /// Adds a word to a list. One that is too long is dropped, and of names it is empty.
    pub(super) fn add_word(&mut self, words: Words, word: &str) {
        let limits = &self.policy.limits;
        let word = Some(word).filter(|word| word.len() <= limits.answer).or((words == Words::Names).then_some(""));
        // As many as there can be options or questions, and as long as these can be.
        if let Some(word) = word
            && let Some(form) = self.call.form_mut()
            && form.words(words) < limits.suggestions.max(limits.questions)
        {
            form.push_word(words, word, limits);
        }
    }

    /// Ends the option or the question that consists of a text alone.
    fn end_entry(&mut self, place: Place) {
        match (self.reader.within.last(), place) {
            (Some(Within::Array(List::Options) | Within::Entries { list: List::Options, map: true }), _) => {
                self.close_option();
            }
            (Some(Within::Question { .. } | Within::Option { .. }), _) => {}
            (Some(Within::Path { level: Level::Question, .. }), _) => {}
            // A string instead of the list of questions.
            (_, Place::Question(QuestionText::Text)) if self.reader.list != ListSoFar::None => self.close_question(),
            _ => {}
        }
    }

    fn end_word(&mut self, role: Role) {
        let word = core::mem::take(&mut self.reader.pending);
        let flag = flag(&word);
        let Some(form) = self.call.form_mut() else { return };
        if role == Role::Recommended {
            if flag == Some(true)
                && let Some(option) = form.open_option()
            {
                (option.recommended, option.has_news) = (true, true);
            }
            return;
        }
        let Some(question) = form.open_question() else { return };
        match role {
            Role::Multiple => question.multiple = question.multiple.or(flag),
            Role::Custom => question.custom = question.custom.or(flag),
            Role::Required => question.required = question.required.or(flag),
            Role::RecommendedIndex => return self.reader.recommended = index(&word),
            Role::Kind => match KindWord::of(word.as_bytes()) {
                KindWord::Is(kind) => question.kind = Some(kind),
                KindWord::Multiple => question.multiple = question.multiple.or(Some(true)),
                KindWord::TextWithoutOptions => return self.reader.is_text_without_options = true,
                KindWord::Choice => return,
            },
            _ => return,
        }
        form.note_news();
    }

    fn end_pending(&mut self, pending: PendingString) {
        let text = core::mem::take(&mut self.reader.pending);
        match pending {
            PendingString::Options => {
                self.repair(Note::SuggestionsAsText);
                text.split('\n').map(str::trim).filter(|line| !line.is_empty()).for_each(|line| self.add_option(line));
            }
            PendingString::Item(list) => {
                let is_object = text.trim_start().starts_with('{') && self.can_nest() && list::is_json(text.trim());
                if is_object {
                    self.repair(item_note(list));
                    let level = self.reader.lexers.len();
                    self.reader.lexers.push(Lexer::NEW);
                    self.reader.value = if self.is_in_entries() { Meaning::Entry(list) } else { Meaning::Item(list) };
                    self.read_all_encoded(level, text.trim());
                    self.reader.lexers.truncate(level);
                    self.reader.value = Meaning::Nothing;
                } else if list == List::Options || !text.trim().is_empty() {
                    self.reader.pending = text;
                    self.begin_item_text(list);
                    self.end();
                }
            }
        }
    }

    /// Returns `true` if the elements of the innermost list have keys.
    pub(super) fn is_in_entries(&self) -> bool {
        matches!(self.reader.within.last(), Some(Within::Entries { .. } | Within::QuestionMap))
    }

    /// Adds an option that consists of its label.
    fn add_option(&mut self, label: &str) {
        self.begin_option();
        let text = if self.shape.has(Role::Names) { OptionText::Value } else { OptionText::Label };
        self.add_text(Place::Option(text), label);
        self.close_option();
    }

    fn add_text(&mut self, place: Place, text: &str) {
        let constants = self.shape.constants();
        let limits = &self.policy.limits;
        let Some(form) = self.call.form_mut() else { return };
        form.begin_text(place);
        match form.push(text, constants.unescape, limits) {
            Ok(()) => form.end_text(),
            Err(too_long) => self.reject_too_long(place, too_long),
        }
    }

    pub(super) fn read_line(&mut self, line: &str) {
        let Some(line) = lines::meaning(line) else { return };
        match line {
            lines::Line::Question { text, multiple } => {
                self.close_question();
                self.begin_listed_question();
                self.add_text(Place::Question(QuestionText::Text), text);
                if let Some(question) = self.form().and_then(CallForm::open_question) {
                    question.multiple = Some(multiple);
                }
            }
            lines::Line::Topic(text) => {
                let question = self.form().and_then(CallForm::open_question);
                if question.is_some_and(|question| question.text(QuestionText::Header).is_empty()) {
                    self.add_text(Place::Question(QuestionText::Header), text);
                }
            }
            lines::Line::Option(text) => self.add_option(text),
        }
    }

    /// Leaves the innermost array or object that has a meaning.
    fn leave(&mut self) {
        match self.reader.within.pop() {
            Some(Within::Option { key, .. }) => {
                self.label_by_key(key);
                utf8::truncate(&mut self.reader.paths, key);
                self.close_option();
            }
            Some(Within::Path { start, .. }) => utf8::truncate(&mut self.reader.paths, start),
            Some(Within::Arguments { seen, is_question: true }) => {
                if !self.reader.kept.is_empty() {
                    self.read_kept(seen);
                }
                if !self.call.has_failed() {
                    self.close_question();
                }
            }
            Some(Within::Question { .. }) => self.close_question(),
            Some(Within::Kept { seen: with_kept }) => {
                if let Some(Within::Arguments { seen, .. }) = self.reader.within.first_mut() {
                    *seen = with_kept;
                }
            }
            _ => {}
        }
    }

    /// Makes the key of the open option its label, if it has none.
    ///
    /// The key begins there among the paths.
    fn label_by_key(&mut self, start: usize) {
        let has_label = |option: &OptionParts| !option.text(OptionText::Label).is_empty();
        if self.form().and_then(CallForm::open_option).is_none_or(|option| has_label(option)) {
            return;
        }
        let paths = core::mem::take(&mut self.reader.paths);
        if let Some(key) = paths.get(start..).filter(|key| !key.is_empty()) {
            self.set_text(Place::Option(OptionText::Label), key);
        }
        self.reader.paths = paths;
    }

    fn close_option(&mut self) {
        let waits = self.shape.has(Role::Names);
        let Some(form) = self.call.form_mut() else { return };
        for &role in self.shape.fallback(Role::Label) {
            let Some(option) = form.open_option().filter(|one| one.text(OptionText::Label).is_empty()) else { break };
            let text = if role == Role::Description { OptionText::Description } else { OptionText::Value };
            if !option.text(text).is_empty() && !waits {
                form.move_to_label(text);
            }
        }
        let waits = waits && form.open_option().is_some_and(|option| !option.text(OptionText::Value).is_empty());
        if !form.end_option(waits) {
            self.call.note(Note::UnreadableSuggestion);
        }
    }

    /// Ends the open question, if there is one: what is missing gets its value.
    pub(super) fn close_question(&mut self) {
        let constants = self.shape.constants();
        let recommended = self.reader.recommended.take();
        let Some(form) = self.call.form_mut() else { return };
        let known = form.open_question().map(|question| question.known());
        for role in [Role::Text, Role::Id] {
            let text = text_of(role);
            for &stand_in in self.shape.fallback(role) {
                let Some(question) = form.open_question() else { break };
                if question.text(text).is_empty() && !question.text(text_of(stand_in)).is_empty() {
                    form.stand_in(text, text_of(stand_in));
                }
            }
        }
        if self.shape.has(Role::Names) {
            form.name_options();
        }
        if let Some(index) = recommended {
            form.recommend(index);
        }
        let has_options = !form.open_options().is_empty();
        let Some(question) = form.open_question() else { return form.end_question() };
        let is_text = core::mem::take(&mut self.reader.is_text_without_options) && !has_options;
        if is_text {
            question.kind = question.kind.or(Some(QuestionKind::Text));
        }
        question.multiple = question.multiple.or(constants.multiple);
        question.custom = question.custom.or(constants.custom);
        // Otherwise a list at the end decides.
        if !self.shape.has(Role::RequiredIds) {
            question.required = question.required.or(constants.required);
        }
        let has_text = !question.text(QuestionText::Text).is_empty();
        // A kind that the call does not name is that of the tool.
        let yes_no = question.kind.or(constants.kind) == Some(QuestionKind::YesNo) && !has_options;
        if known != Some(question.known()) {
            form.note_news();
        }
        if yes_no {
            self.add_yes_no();
        }
        // In a generic tool it only tells whose call it is.
        let needs_options = self.shape.needs_options() && !self.shape.is_generic();
        let count = self.form().map_or(0, |form| form.open_options().len());
        if !has_text || needs_options && !has_options && count == 0 {
            return self.call.reject(Reason::MissingParameter);
        }
        if has_options && constants.options.is_some_and(|limit| !limit.allows(count)) {
            self.repair(Note::RefusedByHost);
        }
        if let Some(form) = self.form() {
            form.end_question();
        }
    }

    /// Adds the options of a question that asks for yes or no.
    fn add_yes_no(&mut self) {
        let has_values = self.shape.has(Role::QuestionMap);
        for (label, value) in [("Yes", "true"), ("No", "false")] {
            self.begin_option();
            self.add_text(Place::Option(OptionText::Label), label);
            if has_values {
                self.add_text(Place::Option(OptionText::Value), value);
            }
            self.close_option();
        }
    }
}

/// Returns the flag that a word is.
pub(super) fn flag(word: &str) -> Option<bool> {
    let is_one_of = |words: [&str; 3]| words.iter().any(|one| word.trim().eq_ignore_ascii_case(one));
    let no = is_one_of(["false", "no", "0"]).then_some(false);
    is_one_of(["true", "yes", "1"]).then_some(true).or(no)
}

/// Returns the index that a word is, also as some write whole numbers: `1.0`.
fn index(word: &str) -> Option<u32> {
    let digits = word.strip_suffix(".0").unwrap_or(word);
    // A sign is no digit, and `parse` takes it.
    digits.parse().ok().filter(|_| !digits.starts_with('+'))
}

fn item_note(list: List) -> Note {
    if list == List::Options { Note::SuggestionAsText } else { Note::QuestionAsText }
}
