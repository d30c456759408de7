//! What comes before the text of a question that may be the arguments themselves.
//!
//! Where a list of questions is usual, a key before the text may be the call's. Its member is held, as it
//! is written, and read again once the text begins: then it is the question's.

use super::texts::push_within;
use super::{Meaning, Reading, ShapeReader, Within};
use crate::call::form::{Place, QuestionText};
use crate::json::lexer::Lexer;
use crate::reason::{CallPart, Reason};

impl ShapeReader {
    /// Drops the members that are held, of which the last is about to begin: only JSON can be held.
    pub(super) fn drop_held(&mut self) {
        if core::mem::take(&mut self.is_holding) {
            self.held.clear();
        }
    }
}

impl Reading<'_> {
    /// Holds the key that has ended, and the value that comes next.
    pub(super) fn begin_holding(&mut self) {
        self.reader.is_holding = true;
        let key = core::mem::take(&mut self.reader.key);
        self.keep(",\"");
        for char in key.chars() {
            if matches!(char, '"' | '\\') {
                self.keep("\\");
            }
            self.keep(char.encode_utf8(&mut [0; 4]));
        }
        self.keep("\"");
        self.reader.key = key;
    }

    /// Holds text of the innermost lexer, if it is part of a member that is held.
    pub(super) fn hold(&mut self, level: usize, text: &str) {
        if self.reader.is_holding && level + 1 == self.reader.lexers.len() {
            self.keep(text);
        }
    }

    /// Ends the value that is held, if the value that has ended is not inside it.
    pub(super) fn end_holding(&mut self) {
        if self.reader.is_holding && self.depth() == self.reader.within.len() {
            self.reader.is_holding = false;
        }
    }

    /// Keeps text. One byte more than allowed says that it is too long.
    fn keep(&mut self, text: &str) {
        let room = self.policy.limits.list().saturating_add(1);
        push_within(&mut self.reader.held, text, room);
    }

    /// Reads what was held, since the text of the question that the arguments are begins. Returns `true`
    /// if that had a text.
    pub(super) fn reads_held_before_text(&mut self) -> bool {
        let is_own = matches!(self.reader.within.last(), Some(Within::Arguments { is_question: true, .. }));
        if !is_own || self.reader.held.is_empty() {
            return false;
        }
        let mut held = core::mem::take(&mut self.reader.held);
        let limit = self.policy.limits.list();
        if held.len() > limit {
            self.call.reject(Reason::TooLong { part: CallPart::Suggestions, limit });
            return true;
        }
        held.replace_range(..1, "{");
        held.push('}');
        let level = self.reader.lexers.len();
        self.reader.lexers.push(Lexer::NEW);
        (self.reader.value, self.reads_held) = (Meaning::Held, true);
        self.read_all_encoded(level, &held);
        self.reads_held = false;
        self.reader.lexers.truncate(level);
        self.call.has_failed() || self.is_given(Meaning::Text(Place::Question(QuestionText::Text)))
    }

    /// Begins the object of what was held.
    pub(super) fn begin_held(&mut self) -> Meaning {
        let seen = match self.reader.within.first() {
            Some(Within::Arguments { seen, .. }) => *seen,
            _ => 0,
        };
        self.reader.within.push(Within::Held { seen });
        Meaning::Nothing
    }
}
