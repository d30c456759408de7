//! What text in a value does.

use alloc::string::String;

use super::{LONGEST_KEY, LONGEST_WORD, List, Meaning, PendingString, Reading};
use crate::call::form::{OptionText, Place, QuestionText, TooLong};
use crate::json::lexer::Lexer;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::shape::role::Role;
use crate::utf8;

impl Reading<'_> {
    pub(super) fn push(&mut self, text: &str) {
        if self.reader.is_in_key() {
            return push_within(&mut self.reader.key, text, LONGEST_KEY);
        }
        match self.reader.value {
            Meaning::Text(place) => self.push_text(place, text),
            Meaning::Word(_) => push_within(&mut self.reader.pending, text, LONGEST_WORD),
            Meaning::WordItem(_) | Meaning::Pending(_) => self.push_pending(text),
            Meaning::Lines => self.push_lines(text),
            Meaning::Undecided(list) => self.decide(list, text),
            Meaning::UndecidedItem(list) => self.decide_item(list, text),
            Meaning::UndecidedPath => self.decide_object(Meaning::Path, text),
            Meaning::UndecidedForm => self.decide_object(Meaning::Form, text),
            _ => {}
        }
    }

    fn push_lines(&mut self, text: &str) {
        for piece in text.split_inclusive('\n') {
            self.push_pending(piece);
            if piece.ends_with('\n') {
                let line = core::mem::take(&mut self.reader.pending);
                self.read_line(&line);
            }
        }
    }

    /// Decides what a string in a list is, by its first character.
    ///
    /// It is text, unless it may be an object.
    fn decide_item(&mut self, list: List, text: &str) {
        let rest = text.trim_start();
        self.push_pending(&text[..text.len() - rest.len()]);
        if rest.is_empty() {
            return;
        }
        if rest.starts_with('{') && self.can_nest() {
            self.reader.value = Meaning::Pending(PendingString::Item(list));
            return self.push_pending(rest);
        }
        self.begin_item_text(list);
        if let Meaning::Text(place) = self.reader.value {
            self.push_text(place, rest);
        }
    }

    /// Takes into account that the incomplete character `tail` follows.
    ///
    /// It follows in the string that is being read.
    pub(super) fn foresee_text(&mut self, tail: &[u8]) {
        if !utf8::may_be_blank(tail) {
            match self.reader.value {
                Meaning::UndecidedItem(list) => self.begin_item_text(list),
                Meaning::Undecided(List::Questions) => self.begin_questions_text(),
                _ => {}
            }
        }
        // Nothing else than a text is open in the form.
        if let Some(form) = self.call.form_mut() {
            form.foresee_char(tail, &self.policy.limits);
        }
    }

    /// Begins the one question that a string in place of the list is.
    fn begin_questions_text(&mut self) {
        self.repair(Note::QuestionsAsText);
        self.begin_listed_question();
        self.reader.value = self.open_text(Place::Question(QuestionText::Text));
    }

    /// Begins the option or the question that a string in a list is.
    pub(super) fn begin_item_text(&mut self, list: List) {
        let place = if list == List::Options {
            if !self.shape.constants().strings {
                self.repair(Note::SuggestionAsText);
            }
            self.begin_option();
            Place::Option(if self.shape.has(Role::Names) { OptionText::Value } else { OptionText::Label })
        } else {
            self.repair(Note::QuestionAsText);
            self.begin_listed_question();
            if self.is_in_entries() {
                self.set_id();
            }
            Place::Question(QuestionText::Text)
        };
        self.reader.value = self.open_text(place);
        let blank = core::mem::take(&mut self.reader.pending);
        self.push_text(place, &blank);
    }

    pub(super) fn push_text(&mut self, place: Place, text: &str) {
        let (unescape, limits) = (self.shape.constants().unescape, &self.policy.limits);
        if let Some(form) = self.call.form_mut()
            && let Err(too_long) = form.push(text, unescape, limits)
        {
            self.reject_too_long(place, too_long);
        }
    }

    pub(super) fn reject_too_long(&mut self, place: Place, too_long: TooLong) {
        if too_long == TooLong::Texts {
            return self.call.reject(Reason::TooLong { part: CallPart::Arguments, limit: self.policy.limits.texts });
        }
        let part = match place {
            Place::Question(QuestionText::Text) => CallPart::Question,
            Place::Question(QuestionText::Header | QuestionText::Id) => CallPart::Header,
            Place::Option(OptionText::Label | OptionText::Value) => CallPart::Answer,
            Place::Option(OptionText::Mode) => CallPart::Mode,
            _ => CallPart::Description,
        };
        self.call.reject(Reason::TooLong { part, limit: place.limit(&self.policy.limits) });
    }

    /// Keeps more of a string that counts when it has ended.
    fn push_pending(&mut self, text: &str) {
        let limit = self.policy.limits.list();
        if self.reader.pending.len() + text.len() > limit {
            return self.call.reject(Reason::TooLong { part: CallPart::Suggestions, limit });
        }
        self.reader.pending.push_str(text);
    }

    /// Decides what a string is where the object of a path or of a form belongs.
    ///
    /// Its first character decides.
    fn decide_object(&mut self, object: Meaning, text: &str) {
        let text = text.trim_start();
        if text.is_empty() {
            return;
        }
        if !text.starts_with('{') || !self.can_nest() {
            self.reader.value = Meaning::Nothing;
            return;
        }
        self.repair(Note::ArgumentsAsText);
        self.reader.lexers.push(Lexer::NEW);
        self.reader.value = object;
        self.read_all_encoded(self.reader.lexers.len() - 1, text);
    }

    /// Decides what a string is where a list or the arguments belong, by its first character.
    pub(super) fn decide(&mut self, list: List, text: &str) {
        let text = text.trim_start();
        let Some(&first) = text.as_bytes().first() else { return };
        if matches!(first, b'[' | b'{') && self.can_nest() {
            self.repair(match list {
                List::Questions => Note::QuestionsAsText,
                List::Options => Note::SuggestionsAsText,
                List::Arguments => Note::ArgumentsAsText,
            });
            self.reader.lexers.push(Lexer::NEW);
            self.reader.value = match list {
                List::Arguments => Meaning::Arguments,
                // `begin` then begins the list inside the string.
                list => Meaning::List(list),
            };
            // There is no key in it yet, since a key is in quotes, and these are escaped: nothing
            // in it can come in another order.
            self.read_all_encoded(self.reader.lexers.len() - 1, text);
            return;
        }
        match list {
            List::Arguments => self.call.reject(Reason::WrongType(CallPart::Arguments)),
            List::Questions => {
                self.begin_questions_text();
                self.push_text(Place::Question(QuestionText::Text), text);
            }
            List::Options => {
                self.reader.value = Meaning::Pending(PendingString::Options);
                self.push_pending(text);
            }
        }
    }
}

/// Appends text as long as there is room: where it is cut does not depend on the pieces.
pub(super) fn push_within(kept: &mut String, text: &str, room: usize) {
    for char in text.chars() {
        if kept.len() >= room {
            break;
        }
        kept.push(char);
    }
}
