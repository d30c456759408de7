//! What is open of a call, and what changes it: text, suggestions and lists.

use alloc::string::String;

use super::value::{Value, ValueTooLong, append_trimmed};
use super::{Addition, Call, Field, Range, Suggested};
use crate::config::{Entities, Policy};
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::utf8;

/// What is open of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Open {
    Nothing,
    Question(Value),
    Suggestion(OpenSuggestion),
    /// A text that becomes suggestions once it is complete.
    ///
    /// Nothing of one that is `too_long` is kept.
    List {
        value: Value,
        too_long: bool,
    },
    /// Something went wrong. From here on nothing is read.
    Failed(Reason),
}

/// The suggestion that is open.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OpenSuggestion {
    pub(super) listing: Listing,
    pub(super) answer: AnswerState,
    pub(super) mode: ModeState,
    /// Where its modes begin in their arena.
    pub(super) modes: usize,
}

/// Whether the open suggestion is one of the call's suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Listing {
    /// It is not certain to exist.
    Uncertain,
    /// It is the last of them.
    Listed,
    /// It is beyond the limit: all that is kept is whether it would exist.
    Surplus,
}

/// The answer of the open suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum AnswerState {
    Reading(Value, Visibility),
    /// It has ended, or there was none.
    Ended,
}

/// Whether the answer that is being read is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Visibility {
    /// It is shown while it grows.
    Growing,
    /// It is not certain to be the answer, or is kept whole or not at all: it is not shown.
    Provisional,
    /// The same, and it is longer than its limit.
    TooLong,
}

/// The mode of the open suggestion.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ModeState {
    Unknown,
    /// An element that is being read into the arena of modes.
    Reading(Value),
    Known(Range),
}

impl Call {
    // Values.

    /// Appends text to the value that is open.
    #[inline]
    pub(crate) fn push(&mut self, text: &str, policy: &Policy) {
        let entities = self.entities;
        self.change_open(policy, |value, arena, limit| value.push_text(arena, text, entities, limit));
    }

    /// Takes the fast path: appends text that is certain at once to a value that is shown.
    ///
    /// Returns what is to be shown; `None` if it is not as simple as that, and then nothing has
    /// changed.
    #[inline(always)] // Returned through memory, the delta costs more than it took to find.
    pub(crate) fn push_plain(&mut self, text: &str, policy: &Policy) -> Option<Addition> {
        // Up to the spaces at its end, if there are any.
        let (end, last) = text.bytes().enumerate().rfind(|&(_, byte)| byte != b' ')?;
        if self.entities != Entities::Raw || !last.is_ascii_graphic() {
            return None;
        }
        match &mut self.open {
            Open::Question(value) => {
                let shown = value.push_plain(&mut self.text, text, end + 1, policy.limits.question)?;
                self.question = Some((value.start, value.certain));
                self.shown.question = value.certain - value.start;
                Some((Field::Question, (shown, value.certain)))
            }
            Open::Suggestion(OpenSuggestion {
                listing: Listing::Listed,
                answer: AnswerState::Reading(value, Visibility::Growing),
                ..
            }) => {
                let newest = self.suggestions.last_mut()?;
                let shown = value.push_plain(&mut self.text, text, end + 1, policy.limits.answer)?;
                newest.answer = (value.start, value.certain);
                self.shown.newest.0 = value.certain - value.start;
                Some((Field::Suggestion, (shown, value.certain)))
            }
            _ => None,
        }
    }

    /// Makes certain what does not depend on the character that `tail` becomes.
    ///
    /// `tail` is the incomplete UTF-8 sequence.
    pub(crate) fn foresee_char(&mut self, tail: &[u8], policy: &Policy) {
        self.change_open(policy, |value, arena, limit| value.foresee_char(arena, tail, limit));
    }

    /// Makes the incomplete entity that the value ends in text.
    pub(crate) fn flush_entity(&mut self, policy: &Policy) {
        self.change_open(policy, Value::flush_entity);
    }

    /// Changes the value that is open, and what is certain of the call with it.
    #[inline]
    pub(super) fn change_open(
        &mut self,
        policy: &Policy,
        change: impl FnOnce(&mut Value, &mut String, usize) -> Result<(), ValueTooLong>,
    ) {
        let (part, limit, changed) = match &mut self.open {
            Open::Question(value) => {
                let limit = policy.limits.question;
                let changed = change(value, &mut self.text, limit);
                if value.exists {
                    self.question = Some((value.start, value.certain));
                }
                (CallPart::Question, limit, changed)
            }
            Open::Suggestion(open) => {
                let limit = policy.limits.answer;
                let AnswerState::Reading(value, visibility) = &mut open.answer else { return };
                match (open.listing, *visibility) {
                    (_, Visibility::TooLong) => return,
                    (Listing::Surplus, _) => {
                        // No room: what would have to be kept exists.
                        if !value.exists && change(value, &mut self.text, 0).is_err() {
                            *value = Value::existing(value.start);
                        }
                        return;
                    }
                    (_, Visibility::Provisional) => {
                        if change(value, &mut self.text, limit).is_err() {
                            *visibility = Visibility::TooLong;
                        }
                        return;
                    }
                    (_, Visibility::Growing) => {}
                }
                let changed = change(value, &mut self.text, limit);
                let answer = (value.start, value.certain);
                match (open.listing, self.suggestions.last_mut()) {
                    (Listing::Listed, Some(newest)) => newest.answer = answer,
                    (Listing::Uncertain, _) if value.exists => {
                        open.listing = Listing::Listed;
                        self.given = true;
                        let mode = if let ModeState::Known(mode) = open.mode { Some(mode) } else { None };
                        self.suggestions.push(Suggested { answer, mode });
                    }
                    _ => {}
                }
                (CallPart::Answer, limit, changed)
            }
            _ => return,
        };
        if changed.is_err() {
            self.reject(Reason::TooLong { part, limit });
        }
    }

    // Suggestions.

    /// Begins a suggestion. `mode` is the attribute, as it is written.
    pub(crate) fn begin_suggestion(&mut self, mode: Option<&str>, policy: &Policy) {
        if self.has_failed() {
            return;
        }
        let surplus = self.suggestions.len() >= policy.limits.suggestions;
        let modes = self.modes.len();
        let mode = match mode.map(|mode| append_trimmed(&mut self.modes, mode, self.entities)) {
            Some((start, end)) if start < end => ModeState::Known((start, end)),
            _ => ModeState::Unknown,
        };
        let listing = if surplus { Listing::Surplus } else { Listing::Uncertain };
        let answer = AnswerState::Reading(Value::at(self.text.len()), Visibility::Growing);
        self.open = Open::Suggestion(OpenSuggestion { listing, answer, mode, modes });
    }

    /// Holds the answer back: it may be absent, or is known only when it is complete.
    pub(crate) fn hold_answer_back(&mut self) {
        if let Some(visibility @ Visibility::Growing) = self.visibility() {
            *visibility = Visibility::Provisional;
        }
    }

    /// Begins a text that is the answer, unless it is blank. It replaces what was held back.
    pub(crate) fn begin_content(&mut self) {
        let Open::Suggestion(OpenSuggestion { answer, .. }) = &mut self.open else { return };
        if let AnswerState::Reading(outside, _) = answer {
            utf8::truncate(&mut self.text, outside.start);
        }
        *answer = AnswerState::Reading(Value::at(self.text.len()), Visibility::Growing);
    }

    /// Ends the text that [`begin_content`](Call::begin_content) began.
    ///
    /// Returns whether it is the answer.
    pub(crate) fn end_content(&mut self, policy: &Policy) -> bool {
        match self.visibility() {
            Some(Visibility::TooLong) => {
                self.reject(Reason::TooLong { part: CallPart::Answer, limit: policy.limits.answer });
            }
            // What was held back is the answer.
            Some(visibility) => *visibility = Visibility::Growing,
            None => {}
        }
        self.change_open(policy, Value::end);
        let Open::Suggestion(OpenSuggestion { listing, answer, .. }) = &mut self.open else { return false };
        let AnswerState::Reading(Value { exists: true, .. }, _) = core::mem::replace(answer, AnswerState::Ended) else {
            return false;
        };
        if *listing == Listing::Surplus {
            self.given = true;
            self.note(Note::SuggestionsDropped);
        }
        true
    }

    /// Returns whether the answer that is being read is shown; `None` if none is being read.
    fn visibility(&mut self) -> Option<&mut Visibility> {
        match &mut self.open {
            Open::Suggestion(OpenSuggestion { answer: AnswerState::Reading(_, visibility), .. }) => Some(visibility),
            _ => None,
        }
    }

    pub(crate) fn end_suggestion(&mut self, policy: &Policy) {
        self.end_content(policy);
        if let Open::Suggestion(OpenSuggestion { listing, modes, .. }) = self.open {
            if listing != Listing::Listed {
                utf8::truncate(&mut self.modes, modes);
            }
            self.open = Open::Nothing;
        }
    }

    /// Keeps a suggestion that is known all at once, whole or not at all.
    pub(crate) fn keep_item(&mut self, item: &str, policy: &Policy) {
        self.begin_suggestion(None, policy);
        self.hold_answer_back();
        self.push(item, policy);
        self.end_suggestion(policy);
    }

    /// Returns whether a suggestion was added since this was last called.
    ///
    /// One beyond the limit counts, too.
    pub(crate) fn take_given(&mut self) -> bool {
        core::mem::take(&mut self.given)
    }

    /// Begins an element that is the mode, unless it is blank or the mode is known.
    pub(crate) fn begin_mode(&mut self) {
        if let Open::Suggestion(OpenSuggestion { mode: mode @ ModeState::Unknown, listing, .. }) = &mut self.open
            && *listing != Listing::Surplus
        {
            *mode = ModeState::Reading(Value::at(self.modes.len()));
        }
    }

    /// Appends text to the mode that is open.
    pub(crate) fn push_mode(&mut self, text: &str, policy: &Policy) {
        let entities = self.entities;
        self.change_mode(policy, |mode, arena, limit| mode.push_text(arena, text, entities, limit));
    }

    pub(crate) fn end_mode(&mut self, policy: &Policy) {
        self.change_mode(policy, Value::end);
        if let Open::Suggestion(OpenSuggestion { mode, listing, .. }) = &mut self.open
            && let ModeState::Reading(value) = mode
        {
            *mode = if value.exists { ModeState::Known((value.start, value.certain)) } else { ModeState::Unknown };
            if let (Listing::Listed, ModeState::Known(range), Some(newest)) =
                (*listing, mode, self.suggestions.last_mut())
            {
                newest.mode = Some(*range);
            }
        }
    }

    fn change_mode(
        &mut self,
        policy: &Policy,
        change: impl FnOnce(&mut Value, &mut String, usize) -> Result<(), ValueTooLong>,
    ) {
        let limit = policy.limits.answer;
        if let Open::Suggestion(OpenSuggestion { mode: ModeState::Reading(mode), .. }) = &mut self.open
            && change(mode, &mut self.modes, limit).is_err()
        {
            self.reject(Reason::TooLong { part: CallPart::Mode, limit });
        }
    }

    // Lists.

    /// Begins a text that becomes suggestions once it is complete.
    pub(crate) fn begin_list(&mut self) {
        if !self.has_failed() {
            self.open = Open::List { value: Value::at(self.text.len()), too_long: false };
        }
    }

    /// Appends to that text.
    pub(crate) fn push_list(&mut self, text: &str, policy: &Policy) {
        if let Open::List { value, too_long } = &mut self.open
            && !*too_long
            && value.push(&mut self.text, text, policy.limits.list()).is_err()
        {
            *too_long = true;
            utf8::truncate(&mut self.text, value.start);
            *value = Value::at(value.start);
        }
    }

    /// Drops that text, if there is one: it is no list.
    pub(crate) fn drop_list(&mut self) {
        if let Open::List { value, .. } = &self.open {
            utf8::truncate(&mut self.text, value.start);
            self.open = Open::Nothing;
        }
    }

    /// Returns `true` if that text is too long to be kept.
    pub(crate) fn has_long_list(&self) -> bool {
        matches!(self.open, Open::List { too_long: true, .. })
    }

    /// Ends that text and returns it, trimmed.
    ///
    /// `None` if there is none, or if it was too long to be kept.
    pub(crate) fn take_list(&mut self) -> Option<String> {
        let Open::List { value, too_long } = &self.open else { return None };
        let (start, end, too_long) = (value.start, value.certain, *too_long);
        self.open = Open::Nothing;
        if too_long {
            self.note(Note::UnreadableList);
            return None;
        }
        utf8::truncate(&mut self.text, end);
        Some(self.text.split_off(start.min(self.text.len())))
    }
}
