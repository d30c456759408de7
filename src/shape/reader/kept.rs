//! What comes before the text of a question that may be the arguments themselves.
//!
//! Where a list of questions is usual, a key before the text may be the call's. Its member is kept,
//! as it is written, and read again once the text begins, or at the end of a question whose text is
//! `null`: then it is the question's.

use alloc::format;

use super::texts::push_within;
use super::{Meaning, Reading, Within};
use crate::call::form::{Place, QuestionText};
use crate::config::Policy;
use crate::json::lexer::Lexer;
use crate::reason::{CallPart, Reason};

impl Reading<'_> {
    /// Keeps the key that has ended, and the value that comes next.
    pub(super) fn begin_keeping(&mut self) {
        self.reader.is_keeping = true;
        let key = core::mem::take(&mut self.reader.key);
        self.keep(",");
        self.keep_string(&key);
        self.reader.key = key;
    }

    /// Keeps a string.
    pub(super) fn keep_string(&mut self, text: &str) {
        self.keep("\"");
        for char in text.chars() {
            match char {
                '"' => self.keep("\\\""),
                '\\' => self.keep("\\\\"),
                '\n' => self.keep("\\n"),
                '\0'..' ' => self.keep(&format!("\\u{:04x}", u32::from(char))),
                _ => self.keep(char.encode_utf8(&mut [0; 4])),
            }
        }
        self.keep("\"");
    }

    /// Keeps text of the innermost lexer, if it is part of a member that is kept.
    pub(super) fn keep_json(&mut self, level: usize, text: &str) {
        if self.reader.is_keeping && level + 1 == self.reader.lexers.len() {
            self.keep(text);
        }
    }

    /// Ends the value that is kept, if the value that has ended is not inside it.
    pub(super) fn end_keeping(&mut self) {
        if self.reader.is_keeping && self.depth() == self.reader.within.len() {
            self.reader.is_keeping = false;
        }
    }

    /// Keeps text. One byte more than allowed says that it is too long.
    pub(super) fn keep(&mut self, text: &str) {
        let room = most_kept(self.policy).saturating_add(1);
        push_within(&mut self.reader.kept, text, room);
    }

    /// Reads what was kept, since the text of the question that the arguments are begins.
    ///
    /// Returns `true` if that had a text.
    pub(super) fn read_kept_before_text(&mut self) -> bool {
        match self.reader.within.last() {
            Some(&Within::Arguments { seen, is_question: true }) if !self.reader.kept.is_empty() => {
                self.read_kept(seen);
                self.call.has_failed() || self.is_given(Meaning::Text(Place::Question(QuestionText::Text)))
            }
            _ => false,
        }
    }

    /// Reads what was kept into the open question. `seen`: the keys that were read since.
    pub(super) fn read_kept(&mut self, seen: u64) {
        let mut kept = core::mem::take(&mut self.reader.kept);
        let limit = most_kept(self.policy);
        if kept.len() > limit {
            return self.call.reject(Reason::TooLong { part: CallPart::Suggestions, limit });
        }
        kept.replace_range(..1, "{");
        kept.push('}');
        let (level, depth) = (self.reader.lexers.len(), self.reader.within.len());
        self.reader.lexers.push(Lexer::NEW);
        (self.reader.value, self.reads_kept) = (Meaning::Kept, Some(seen));
        self.read_all_encoded(level, &kept);
        self.reads_kept = None;
        self.reader.lexers.truncate(level);
        // Only a forged checkpoint leaves something open.
        self.reader.within.truncate(depth);
    }

    /// Begins the object of what was kept.
    pub(super) fn begin_kept(&mut self) -> Meaning {
        self.reader.within.push(Within::Kept { seen: self.reads_kept.unwrap_or(0) });
        Meaning::Nothing
    }
}

/// Returns how many bytes can be kept.
///
/// With a string in them that is kept until its end, they are as many as those of a list.
pub(super) fn most_kept(policy: &Policy) -> usize {
    policy.limits.list() / 2
}
