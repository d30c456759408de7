//! A call while it is built: one arena for its texts, one for its modes, and ranges into them.
//!
//! A call knows no syntax. A machine tells it what begins, what is appended and what ends.

pub(crate) mod bounds;
mod entity;
pub(crate) mod form;
mod open;
mod value;
mod view;

use alloc::boxed::Box;
use alloc::string::String;

use smallvec::SmallVec;

use crate::config::{Entities, Malformed, Policy};
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::utf8;
use form::CallForm;
use open::Open;
use value::{Value, append_trimmed};
pub(crate) use view::View;

/// A range of an arena, in bytes.
pub(crate) type Range = (usize, usize);

/// The part of a call that a [`Partial`](crate::Partial) added to.
///
/// A call of `ask_followup_question` has a question and suggestions only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// The question.
    ///
    /// Without a delta, something became known of it that is no text that grows.
    Question,
    /// The newest suggestion.
    ///
    /// Without a delta, something became known of it that is no text that grows, such as its mode
    /// (or, in a stream of bytes, that it exists).
    Suggestion,
    /// The header of a question.
    Header,
    /// The text below a question.
    Detail,
    /// The description of a suggestion.
    Description,
    /// The preview of a suggestion.
    Preview,
    /// The text above all questions.
    Title,
}

/// What a partial added to a call.
pub(crate) type Addition = (Field, Range);

/// A suggestion as ranges of the arenas of its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Suggested {
    answer: Range,
    mode: Option<Range>,
}

/// How much of a call partials have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shown {
    question: usize,
    suggestions: usize,
    /// Bytes of the newest answer that are shown, and whether its mode is.
    newest: (usize, bool),
}

/// One call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Call {
    /// Where in the stream it begins.
    pub(crate) start: u64,
    /// The bare text first, then questions and answers in order, then what is open.
    text: String,
    modes: String,
    /// How much of `text` is the text before the first parameter.
    bare: u32,
    question: Option<Range>,
    /// There has been a `question`.
    asked: bool,
    suggestions: SmallVec<[Suggested; 4]>,
    notes: SmallVec<[Note; 4]>,
    open: Open,
    shown: Shown,
    /// A suggestion has come to exist since this was last taken.
    given: bool,
    entities: Entities,
    /// The questions, if a shape reads the call. Then the fields above have none.
    form: Option<Box<CallForm>>,
}

impl Call {
    pub(crate) const NEW: Call = Call {
        start: 0,
        text: String::new(),
        modes: String::new(),
        bare: 0,
        question: None,
        asked: false,
        suggestions: SmallVec::new_const(),
        notes: SmallVec::new_const(),
        open: Open::Nothing,
        shown: Shown { question: 0, suggestions: 0, newest: (0, false) },
        given: false,
        entities: Entities::Raw,
        form: None,
    };

    /// Makes it as new, for a call that begins at `start`. Its memory is kept.
    pub(crate) fn restart(&mut self, start: u64, entities: Entities) {
        self.text.clear();
        self.modes.clear();
        self.suggestions.clear();
        self.notes.clear();
        *self = Call {
            start,
            text: core::mem::take(&mut self.text),
            modes: core::mem::take(&mut self.modes),
            suggestions: core::mem::take(&mut self.suggestions),
            notes: core::mem::take(&mut self.notes),
            entities,
            ..Call::NEW
        };
    }

    /// Sets what entities mean from here on.
    pub(crate) fn set_entities(&mut self, entities: Entities) {
        self.entities = entities;
    }

    /// Returns the bytes of all texts.
    #[cfg(feature = "wire")]
    pub(crate) fn text_len(&self) -> usize {
        self.text.len() + self.modes.len() + self.form().map_or(0, CallForm::text_len)
    }

    // Failures and notes.

    /// Returns whether something has gone wrong, so that nothing more is read.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.open, Open::Failed(_))
    }

    /// Rejects the call: a part of it was lost.
    pub(crate) fn spoil(&mut self) {
        self.reject(Reason::Malformed(Note::PartLost));
    }

    pub(crate) fn reject(&mut self, reason: Reason) {
        if self.has_failed() {
            return;
        }
        // What is open and not shown is dropped.
        let answers = self.suggestions.last().map_or(0, |newest| newest.answer.1);
        utf8::truncate(
            &mut self.text,
            (self.bare as usize).max(answers).max(self.question.map_or(0, |question| question.1)),
        );
        let modes = self.suggestions.iter().rev().find_map(|one| one.mode);
        utf8::truncate(&mut self.modes, modes.map_or(0, |mode| mode.1));
        if let Some(form) = &mut self.form {
            form.fail();
        }
        self.open = Open::Failed(reason);
    }

    pub(crate) fn note(&mut self, note: Note) {
        if !self.has_failed() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Notes a repair; under the strict policy, rejects.
    pub(crate) fn repair(&mut self, note: Note, policy: &Policy) {
        match policy.malformed {
            Malformed::Repair => self.note(note),
            Malformed::Reject => self.reject(Reason::Malformed(note)),
        }
    }

    // Questions that a shape reads.

    /// Begins a call that a shape reads.
    pub(crate) fn begin_form(&mut self, tool: &str, shape: &str) {
        self.form = Some(Box::new(CallForm::new(tool, shape)));
    }

    /// Returns the questions, if a shape reads the call.
    pub(crate) fn form(&self) -> Option<&CallForm> {
        self.form.as_deref()
    }

    /// Returns the questions, if a shape reads the call and nothing has gone wrong.
    pub(crate) fn form_mut(&mut self) -> Option<&mut CallForm> {
        if self.has_failed() { None } else { self.form.as_deref_mut() }
    }

    // The question.

    /// Keeps the text before the first parameter, which is the question if no `question` comes.
    pub(crate) fn keep_bare(&mut self, text: &str) {
        let (start, end) = append_trimmed(&mut self.text, text, self.entities);
        // More than 4 GiB of it is no question.
        self.bare = u32::try_from(end - start).unwrap_or_default();
    }

    /// Begins a `question`, and the question's value if there is none yet and it is not `empty`.
    pub(crate) fn begin_question(&mut self, empty: bool) {
        if self.asked {
            self.note(Note::RepeatedQuestion);
        }
        self.asked = true;
        if !empty && self.question.is_none() && !self.has_failed() {
            self.open = Open::Question(Value::at(self.text.len()));
        }
    }

    pub(crate) fn has_question(&self) -> bool {
        self.question.is_some()
    }

    pub(crate) fn end_question(&mut self, policy: &Policy) {
        self.change_open(policy, Value::end);
        if matches!(self.open, Open::Question(_)) {
            self.open = Open::Nothing;
        }
    }

    // The end.

    /// Ends the call where a value is open: the stream cut it.
    pub(crate) fn cut(&mut self, part: CallPart, policy: &Policy) {
        self.flush_entity(policy);
        self.use_bare(policy);
        self.reject(Reason::Truncated(part));
    }

    /// Ends the call where no value is open. `cut`: it was the stream that ended.
    pub(crate) fn end(&mut self, cut: bool, policy: &Policy) {
        self.use_bare(policy);
        match self.question {
            None if !cut => self.reject(Reason::MissingParameter),
            None => self.reject(Reason::Truncated(CallPart::Parameters)),
            Some(_) if !cut => {}
            Some(_) => self.end_cut(policy),
        }
    }

    /// Ends a call with a question where the stream ended, and no value is open.
    pub(crate) fn end_cut(&mut self, policy: &Policy) {
        match policy.malformed {
            Malformed::Repair => self.note(Note::StreamEnded),
            Malformed::Reject => self.reject(Reason::Truncated(CallPart::Parameters)),
        }
    }

    /// Without a `question`, the text before the first parameter is the question.
    fn use_bare(&mut self, policy: &Policy) {
        if self.asked || self.bare == 0 || self.has_failed() {
            return;
        }
        let limit = policy.limits.question;
        if self.bare as usize > limit {
            return self.reject(Reason::TooLong { part: CallPart::Question, limit });
        }
        self.question = Some((0, self.bare as usize));
        self.repair(Note::BareQuestion, policy);
    }
}
