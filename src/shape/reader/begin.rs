//! What the beginning of a value does.

use alloc::string::String;

use super::keys::text_of;
use super::{LONGEST_KEY, List, ListSoFar, Meaning, PendingString, Reading, Within};
use crate::call::form::{CallForm, OptionText, Place, QuestionText, TooLong, Words};
use crate::json::lexer::Type;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::shape::FoundKey;
use crate::shape::role::{Level, Role};

impl Reading<'_> {
    /// Begins a value.
    pub(super) fn begin(&mut self, kind: Type) {
        let is_open = matches!(kind, Type::Array | Type::Object);
        // The lexer has already counted an array or object that begins.
        let outside = self.depth() - usize::from(is_open);
        let value = match self.reader.within.last() {
            _ if outside > self.reader.within.len() => Meaning::Nothing,
            Some(Within::Array(list)) => Meaning::Item(*list),
            Some(Within::Words(words)) => Meaning::WordItem(*words),
            _ => self.reader.value,
        };
        self.reader.pending.clear();
        self.reader.value = match value {
            Meaning::Arguments => self.begin_arguments(kind),
            Meaning::List(list) => self.begin_list(list, kind),
            Meaning::Item(list) => self.begin_item(list, kind),
            Meaning::QuestionMap => self.begin_question_map(kind),
            Meaning::Entry(list) => self.begin_entry(list, kind),
            Meaning::Text(place) => self.begin_text(place, kind),
            Meaning::Words(words) => self.begin_words(words, kind),
            Meaning::Path if kind == Type::Object => self.begin_path(),
            Meaning::Path if kind == Type::String => Meaning::UndecidedPath,
            Meaning::Form if kind == Type::Object => self.begin_form(),
            Meaning::Kept if kind == Type::Object => self.begin_kept(),
            Meaning::Form if kind == Type::String => Meaning::UndecidedForm,
            Meaning::Lines if kind == Type::String => {
                self.begin_list_alone();
                Meaning::Lines
            }
            Meaning::Word(role) if matches!(kind, Type::String | Type::Number | Type::Boolean) => {
                if kind != Type::Boolean && matches!(role, Role::Multiple | Role::Custom | Role::Required) {
                    self.repair(Note::FlagAsText);
                }
                Meaning::Word(role)
            }
            Meaning::WordItem(words) if matches!(kind, Type::String | Type::Number | Type::Boolean) => {
                Meaning::WordItem(words)
            }
            Meaning::WordItem(Words::Names) => {
                self.add_word(Words::Names, "");
                Meaning::Nothing
            }
            _ => Meaning::Nothing,
        };
    }

    fn begin_arguments(&mut self, kind: Type) -> Meaning {
        match kind {
            Type::Object => {
                self.reader.within.push(Within::Arguments { seen: 0, is_question: false });
                Meaning::Nothing
            }
            Type::Array => {
                self.repair(Note::ListAsArguments);
                self.begin_list(List::Questions, kind)
            }
            Type::String => Meaning::Undecided(List::Arguments),
            _ => {
                self.call.reject(Reason::WrongType(CallPart::Arguments));
                Meaning::Nothing
            }
        }
    }

    fn begin_list(&mut self, list: List, kind: Type) -> Meaning {
        if kind == Type::Null {
            return Meaning::Nothing;
        }
        if list == List::Questions && !self.can_begin_questions(kind) {
            self.call.note(Note::RepeatedQuestion);
            return Meaning::Nothing;
        }
        match kind {
            Type::Array => self.reader.within.push(Within::Array(list)),
            Type::Object => {
                self.repair(if list == List::Questions { Note::QuestionsAsObject } else { Note::SuggestionsAsObject });
                self.reader.within.push(Within::Entries { list, map: false });
            }
            Type::String => return Meaning::Undecided(list),
            _ => {
                let part = if list == List::Questions { CallPart::Questions } else { CallPart::Suggestions };
                self.call.reject(Reason::WrongType(part));
            }
        }
        Meaning::Nothing
    }

    /// Returns `true` if questions of a list can follow.
    ///
    /// If the arguments are one question already, it has to end before these, and so needs its
    /// text; or nothing of it was read.
    fn can_begin_questions(&mut self, kind: Type) -> bool {
        let Some(Within::Arguments { is_question: true, .. }) = self.reader.within.first() else { return true };
        let Some(form) = self.call.form_mut() else { return true };
        if form.can_drop_question() {
            return true;
        }
        let mut texts = core::iter::once(&Role::Text).chain(self.shape.fallback(Role::Text));
        let can_end =
            form.open_question().is_some_and(|question| texts.any(|&role| !question.text(text_of(role)).is_empty()));
        can_end && matches!(kind, Type::Array | Type::Object | Type::String)
    }

    fn begin_question_map(&mut self, kind: Type) -> Meaning {
        match kind {
            Type::Object => {
                self.begin_list_alone();
                self.reader.within.push(Within::QuestionMap);
                Meaning::Nothing
            }
            _ => self.begin_list(List::Questions, kind),
        }
    }

    fn begin_item(&mut self, list: List, kind: Type) -> Meaning {
        if list == List::Options
            && matches!(kind, Type::Null | Type::Array)
            && let Some(form) = self.form()
        {
            form.skip_option();
        }
        match (list, kind) {
            (_, Type::Object) => {
                let within = self.begin_element(list);
                self.reader.within.push(within);
            }
            (List::Questions, Type::String) if self.is_in_listed_entry() => self.call.note(Note::UnreadableQuestion),
            (_, Type::String) => return Meaning::UndecidedItem(list),
            (List::Options, Type::Number | Type::Boolean) => return Meaning::Pending(PendingString::Item(list)),
            (List::Questions, Type::Number | Type::Boolean | Type::Array) => self.call.note(Note::UnreadableQuestion),
            (_, Type::Array) => self.call.note(Note::UnreadableSuggestion),
            _ => {}
        }
        Meaning::Nothing
    }

    /// Begins the value of a key in an object that replaces a list.
    fn begin_entry(&mut self, list: List, kind: Type) -> Meaning {
        match (list, kind) {
            (List::Questions, Type::Object) => {
                let within = self.begin_element(list);
                self.set_id();
                self.reader.within.push(within);
                Meaning::Nothing
            }
            (List::Options, Type::Object) if !self.is_index() => {
                self.begin_item(list, kind);
                // The key is the label if the object has none.
                self.reader.paths.push_str(&self.reader.key);
                Meaning::Nothing
            }
            (List::Options, Type::String | Type::Number | Type::Boolean) if !self.is_index() => {
                self.begin_option();
                self.set_key(Place::Option(OptionText::Label));
                self.open_text(Place::Option(OptionText::Description))
            }
            (_, Type::Array) if self.reader.within.last() != Some(&Within::QuestionMap) => {
                self.reader.within.push(Within::Array(list));
                Meaning::Nothing
            }
            _ => self.begin_item(list, kind),
        }
    }

    /// Returns `true` in a list that is the value of a key in an object that replaces a list.
    fn is_in_listed_entry(&self) -> bool {
        matches!(self.reader.within[..], [.., Within::Entries { .. }, Within::Array(_)])
    }

    /// Begins a question or an option that is an object.
    pub(super) fn begin_element(&mut self, list: List) -> Within {
        if list == List::Options {
            self.begin_option();
            return Within::Option { seen: 0, key: self.reader.paths.len() };
        }
        self.begin_listed_question();
        Within::Question { seen: 0 }
    }

    /// Returns `true` if the key only counts the elements of an object that replaces a list.
    fn is_index(&self) -> bool {
        self.reader.key.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Makes the key the id of the open question, unless it only counts.
    pub(super) fn set_id(&mut self) {
        if self.reader.within.last() == Some(&Within::QuestionMap) || !self.is_index() {
            self.set_key(Place::Question(QuestionText::Id));
        }
    }

    /// Makes the key a text.
    fn set_key(&mut self, place: Place) {
        let key = core::mem::take(&mut self.reader.key);
        self.set_text(place, &key);
        self.reader.key = key;
    }

    /// Makes a key, which is cut if it is too long, a text.
    pub(super) fn set_text(&mut self, place: Place, key: &str) {
        let limits = &self.policy.limits;
        let Some(form) = self.call.form_mut() else { return };
        form.begin_text(place);
        match form.push(key, false, limits) {
            Ok(()) if key.len() < LONGEST_KEY => form.end_text(),
            Ok(()) => self.reject_too_long(place, TooLong::Text),
            Err(too_long) => self.reject_too_long(place, too_long),
        }
    }

    fn begin_text(&mut self, place: Place, kind: Type) -> Meaning {
        match kind {
            // A mode is a name: a number is none.
            Type::Number | Type::Boolean if place == Place::Option(OptionText::Mode) => {}
            Type::String | Type::Number | Type::Boolean => {
                if place == Place::Question(QuestionText::Text) && self.read_kept_before_text() {
                    return Meaning::Nothing;
                }
                return self.open_text(place);
            }
            Type::Array | Type::Object if place == Place::Question(QuestionText::Text) => {
                self.call.reject(Reason::WrongType(CallPart::Question));
            }
            Type::Array | Type::Object | Type::Null => {}
        }
        Meaning::Nothing
    }

    /// Begins a text of the call, or of the open question or option.
    pub(super) fn open_text(&mut self, place: Place) -> Meaning {
        if let Some(form) = self.form() {
            form.begin_text(place);
        }
        Meaning::Text(place)
    }

    fn begin_words(&mut self, words: Words, kind: Type) -> Meaning {
        match kind {
            Type::Array => {
                self.reader.within.push(Within::Words(words));
                Meaning::Nothing
            }
            Type::String | Type::Number | Type::Boolean => Meaning::WordItem(words),
            Type::Object | Type::Null => Meaning::Nothing,
        }
    }

    fn begin_path(&mut self) -> Meaning {
        let is_of_call = || self.shape.find(Level::Call, self.reader.key.as_bytes()) != FoundKey::Nothing;
        let level = match self.reader.within.last() {
            Some(Within::Path { level, .. }) => *level,
            Some(Within::Arguments { .. }) if is_of_call() => Level::Call,
            _ => Level::Question,
        };
        let start = self.reader.paths.len();
        self.reader.paths.push_str(&self.reader.key);
        self.reader.paths.push('.');
        self.reader.within.push(Within::Path { level, seen: 0, start });
        Meaning::Nothing
    }

    /// Lets the shape of a form read the value, which is an object, and all that follows.
    fn begin_form(&mut self) -> Meaning {
        let Some(shape) = self.shape.form() else { return Meaning::Nothing };
        if let Some(Within::Arguments { is_question: is_question @ true, .. }) = self.reader.within.first_mut() {
            if !self.call.form_mut().is_some_and(CallForm::drop_question) {
                self.call.note(Note::RepeatedQuestion);
                return Meaning::Nothing;
            }
            *is_question = false;
        }
        self.begin_list_alone();
        (self.shape, self.reader.is_form) = (shape, true);
        self.begin_path()
    }

    /// Begins a question of a list. The question that the arguments are ends before the first.
    pub(super) fn begin_listed_question(&mut self) {
        let is_question = match self.reader.within.first_mut() {
            Some(Within::Arguments { is_question, .. }) => core::mem::take(is_question),
            _ => false,
        };
        let is_dropped = is_question && self.call.form_mut().is_some_and(CallForm::drop_question);
        if is_question && !is_dropped {
            self.close_question();
            self.reader.list = ListSoFar::AfterQuestion;
        }
        self.begin_list_alone();
        self.begin_question();
    }

    /// From here on the arguments are no question themselves.
    fn begin_list_alone(&mut self) {
        self.reader.kept = String::new();
        if self.reader.list == ListSoFar::None {
            self.reader.list = ListSoFar::Alone;
        }
    }

    pub(super) fn begin_question(&mut self) {
        (self.reader.recommended, self.reader.is_text_without_options) = (None, false);
        let (constants, limits) = (self.shape.constants(), &self.policy.limits);
        let Some(form) = self.call.form_mut() else { return };
        if !form.begin_question(limits) {
            return self.call.note(Note::QuestionsDropped);
        }
        // Facts that no key decides are known at once.
        let decides = |role| !self.shape.has(role);
        if let Some(question) = form.open_question() {
            let is_kind_open = self.shape.has(Role::Kind);
            question.multiple = constants.multiple.filter(|_| decides(Role::Multiple) && !is_kind_open);
            question.custom = constants.custom.filter(|_| decides(Role::Custom));
        }
    }

    pub(super) fn begin_option(&mut self) {
        let limits = &self.policy.limits;
        if let Some(form) = self.call.form_mut()
            && !form.begin_option(limits)
        {
            self.call.note(Note::SuggestionsDropped);
        }
    }
}
