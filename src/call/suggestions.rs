//! The suggestions of a call: each on its own, or many in a list.

use alloc::string::String;

use super::Call;
use super::open::{AnswerState, Listing, ModeState, Open, OpenSuggestion, Visibility};
use super::value::{Value, ValueTooLong, append_trimmed};
use crate::config::Policy;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::utf8;

impl Call {
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

    /// Ends the text that [`begin_content`](Call::begin_content) began. Returns whether it is the
    /// answer.
    pub(crate) fn end_content(&mut self, policy: &Policy) -> bool {
        match self.visibility() {
            Some(Visibility::TooLong) => {
                self.reject(Reason::TooLong { part: CallPart::Answer, limit: policy.limits.answer });
            }
            // What was held back is the answer.
            Some(visibility) => *visibility = Visibility::Growing,
            None => {}
        }
        self.grow(policy, Value::end);
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

    /// Returns whether a suggestion has come to exist since this was last called, one beyond the
    /// limit included.
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
        self.grow_mode(policy, |mode, arena, limit| mode.push_text(arena, text, entities, limit));
    }

    pub(crate) fn end_mode(&mut self, policy: &Policy) {
        self.grow_mode(policy, Value::end);
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

    fn grow_mode(
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

    /// Ends that text and returns it, trimmed; `None` if there is none, or if it was too long to be
    /// kept.
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
