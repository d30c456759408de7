//! What the value after a key means.

use super::{List, ListSoFar, Meaning, Reading, Within};
use crate::call::form::{OptionText, Place, QuestionText, Words};
use crate::note::Note;
use crate::reason::Reason;
use crate::shape::FoundKey;
use crate::shape::role::{Level, Role};

impl Reading<'_> {
    /// Returns the meaning of the next value, after the end of its key.
    pub(super) fn value_of_key(&mut self) -> Meaning {
        match self.reader.within.last().copied() {
            Some(Within::Arguments { .. }) => match self.value_of(Level::Call) {
                Meaning::Nothing => self.value_in_arguments(),
                value => value,
            },
            Some(Within::Path { level, .. }) => self.value_of(level),
            Some(Within::Question { .. } | Within::Kept { .. }) => self.value_of(Level::Question),
            Some(Within::Option { .. }) => self.value_of(Level::Option),
            Some(Within::QuestionMap) => Meaning::Entry(List::Questions),
            Some(Within::Entries { list, map }) => self.value_in_entries(list, map),
            Some(Within::Array(_) | Within::Words(_)) | None => Meaning::Nothing,
        }
    }

    /// Returns the meaning of a key in arguments that may be one question themselves.
    ///
    /// Where a list is usual, such a question begins with its text: any other key may be the
    /// call's, and is kept until the text comes.
    fn value_in_arguments(&mut self) -> Meaning {
        let found = self.shape.find(Level::Question, self.reader.key.as_bytes());
        let is_text = matches!(found, FoundKey::Role { role: Role::Text, .. });
        let is_single = self.shape.constants().single;
        let begins = is_text || is_single || !self.shape.has(Role::Questions);
        let has_list = self.reader.list != ListSoFar::None;
        let has_own_list = self.shape.has(Role::QuestionMap) || self.shape.has(Role::Lines);
        // A call that may be one question has its text for its title, if it has a list.
        let is_title = self.reader.list == ListSoFar::Alone && is_single && is_text;
        if is_title && !has_own_list {
            return match self.value_of(Level::Question) {
                Meaning::Text(_) if !self.is_given(Meaning::Text(Place::Title)) => Meaning::Text(Place::Title),
                _ => Meaning::Nothing,
            };
        }
        let is_open = matches!(self.reader.within.first(), Some(Within::Arguments { is_question: true, .. }));
        if has_list || has_own_list || found == FoundKey::Nothing {
            return Meaning::Nothing;
        }
        if !(begins || is_open) {
            self.begin_keeping();
            return Meaning::Nothing;
        }
        if let Some(Within::Arguments { is_question: is_question @ false, .. }) = self.reader.within.first_mut() {
            *is_question = true;
            self.begin_question();
            if self.shape.has(Role::Questions) && !is_single {
                self.repair(Note::QuestionWithoutList);
            }
        }
        self.value_of(Level::Question)
    }

    /// Returns the meaning of a key in an object that replaces a list.
    fn value_in_entries(&mut self, list: List, map: bool) -> Meaning {
        let level = if list == List::Questions { Level::Question } else { Level::Option };
        let is_known = self.shape.find(level, self.reader.key.as_bytes()) != FoundKey::Nothing;
        if !map && is_known {
            let within = self.begin_element(list);
            if let Some(top) = self.reader.within.last_mut() {
                *top = within;
            }
            return self.value_of(level);
        }
        if let Some(Within::Entries { map, .. }) = self.reader.within.last_mut() {
            *map = true;
        }
        Meaning::Entry(list)
    }

    /// Returns the meaning of the key in an object of this level.
    ///
    /// A key that is repeated rejects the call; of several names for one thing, the first in the
    /// arguments counts.
    fn value_of(&mut self, level: Level) -> Meaning {
        let (role, entry) = match self.shape.find(level, self.reader.key.as_bytes()) {
            FoundKey::Role { role, entry } => (role, entry),
            FoundKey::Path => return Meaning::Path,
            FoundKey::Form => return Meaning::Form,
            FoundKey::Nothing => return Meaning::Nothing,
        };
        let seen = match self.reader.within.last_mut() {
            Some(Within::Arguments { seen, .. } | Within::Path { seen, .. }) => seen,
            Some(Within::Question { seen } | Within::Option { seen, .. } | Within::Kept { seen }) => seen,
            _ => return Meaning::Nothing,
        };
        if *seen >> entry & 1 == 1 {
            self.call.reject(Reason::Malformed(Note::RepeatedKey));
            return Meaning::Nothing;
        }
        *seen |= 1 << entry;
        let value = value_of_role(role);
        if self.is_given(value) { Meaning::Nothing } else { value }
    }

    /// Returns `true` if another name has given the value already.
    pub(super) fn is_given(&mut self, value: Meaning) -> bool {
        let is_text_without_options = self.reader.is_text_without_options;
        let (has_list, has_index) = (self.reader.list != ListSoFar::None, self.reader.recommended.is_some());
        let Some(form) = self.form() else { return true };
        match value {
            Meaning::Text(Place::Title) => !form.title().is_empty(),
            Meaning::List(List::Questions) | Meaning::QuestionMap | Meaning::Lines => {
                has_list && !form.questions().is_empty()
            }
            Meaning::Words(words) => form.words(words) > 0,
            Meaning::Word(Role::RecommendedIndex) => has_index,
            Meaning::Word(Role::Kind) => {
                is_text_without_options || form.open_question().is_some_and(|one| one.kind.is_some())
            }
            Meaning::Word(Role::Required) => form.open_question().is_some_and(|one| one.required.is_some()),
            Meaning::Text(Place::Question(text)) => form.open_question().is_some_and(|one| !one.text(text).is_empty()),
            Meaning::Text(Place::Option(text)) => form.open_option().is_some_and(|one| !one.text(text).is_empty()),
            Meaning::Word(Role::Multiple) => form.open_question().is_some_and(|one| one.multiple.is_some()),
            Meaning::Word(Role::Custom) => form.open_question().is_some_and(|one| one.custom.is_some()),
            Meaning::List(List::Options) => !form.open_options().is_empty(),
            _ => false,
        }
    }
}

pub(super) fn text_of(role: Role) -> QuestionText {
    match role {
        Role::Id => QuestionText::Id,
        Role::Header => QuestionText::Header,
        Role::Detail => QuestionText::Detail,
        Role::Placeholder => QuestionText::Placeholder,
        _ => QuestionText::Text,
    }
}

pub(super) fn value_of_role(role: Role) -> Meaning {
    match role {
        Role::Questions => Meaning::List(List::Questions),
        Role::QuestionMap => Meaning::QuestionMap,
        Role::Lines => Meaning::Lines,
        Role::RequiredIds => Meaning::Words(Words::RequiredIds),
        Role::Title => Meaning::Text(Place::Title),
        Role::Default => Meaning::Words(Words::Defaults),
        Role::Names => Meaning::Words(Words::Names),
        Role::Options => Meaning::List(List::Options),
        Role::Id | Role::Text | Role::Header | Role::Detail | Role::Placeholder => {
            Meaning::Text(Place::Question(text_of(role)))
        }
        Role::Label => Meaning::Text(Place::Option(OptionText::Label)),
        Role::Description => Meaning::Text(Place::Option(OptionText::Description)),
        Role::Value => Meaning::Text(Place::Option(OptionText::Value)),
        Role::Mode => Meaning::Text(Place::Option(OptionText::Mode)),
        Role::Preview => Meaning::Text(Place::Option(OptionText::Preview)),
        Role::Multiple | Role::Custom | Role::Kind | Role::Required | Role::RecommendedIndex | Role::Recommended => {
            Meaning::Word(role)
        }
    }
}
