//! A call as it grows: one arena for its texts, one for its modes, and ranges into them.

use alloc::string::String;
use smallvec::SmallVec;

use crate::event::{Complete, Field, Note, Partial, Place, Reason, Rejected, Suggestions};
use crate::markup::Spot;
use crate::value::{Passed, Value};
use crate::{Entities, Limits, Policy, Repairs, entity, json};

/// A range of an arena, as plain data.
pub(crate) type Part = (usize, usize);

/// A suggestion that is certain to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Suggested {
    pub(crate) answer: Part,
    pub(crate) mode: Option<Part>,
}

/// What of a call has been lent in partials.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Shown {
    question: usize,
    suggestions: usize,
    /// Bytes of the newest answer shown, and whether its mode is.
    newest: (usize, bool),
}

/// The suggestion that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Open {
    /// Its mode, once it is certain.
    mode: Option<Part>,
    /// It stands in `suggestions`, because it is certain to exist.
    listed: bool,
    /// It is one too many: nothing of it is kept but whether it would exist.
    surplus: bool,
    /// Its text is not certain to be its answer: a `<content>` may still come.
    provisional: bool,
    /// The provisional text passed the limit.
    passed: bool,
}

/// One call. What it holds is certain, but for `value`, `mode`, `bare` and `list`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Call {
    /// Where in the stream it begins.
    pub(crate) start: u64,
    /// All texts: the bare text first, then questions and answers in order.
    text: String,
    modes: String,
    /// How much of `text` is the text before the first parameter.
    bare: usize,
    question: Option<Part>,
    /// There has been a `<question>`.
    pub(crate) asked: bool,
    suggestions: SmallVec<[Suggested; 4]>,
    notes: SmallVec<[Note; 4]>,
    /// The first thing that went wrong. From then on nothing is read.
    wrong: Option<Reason>,
    /// The value that is being read: a question or an answer.
    value: Option<Value>,
    /// The nested mode that is being read, in `modes`.
    mode: Option<Value>,
    open: Option<Open>,
    /// The text of a list so far.
    pub(crate) list: List,
    /// A `follow_up` is open.
    pub(crate) follow_up: bool,
    /// The character before, in a value, is a back-tick.
    pub(crate) tick: bool,
    shown: Shown,
}

/// The text that may be a JSON list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum List {
    /// It can't be one.
    #[default]
    No,
    /// It may be one: it is a value with a text of its own.
    Text { text: String, value: Value },
    /// It began like one and is too long.
    TooLong,
}

impl Call {
    /// Makes it as new, for a call that begins at `start`. The memory is kept.
    pub(crate) fn restart(&mut self, start: u64) {
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
            ..Call::default()
        };
    }

    fn reading(&self) -> bool {
        self.wrong.is_none()
    }

    // What went wrong, and what was repaired.

    pub(crate) fn reject(&mut self, reason: Reason) {
        if self.reading() {
            self.wrong = Some(reason);
            self.value = None;
            self.mode = None;
            self.open = None;
            self.list = List::No;
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.reading() && !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    pub(crate) fn repair(&mut self, note: Note, policy: &Policy) {
        match policy.repairs {
            Repairs::Make => self.note(note),
            Repairs::Reject => self.reject(Reason::Malformed(note)),
        }
    }

    // The question.

    /// Takes the text in front of the first parameter, which is the question if no `<question>` comes.
    pub(crate) fn keep_bare(&mut self, text: &str, policy: &Policy) {
        let Call { text: arena, .. } = self;
        match policy.entities {
            Entities::Raw => arena.push_str(text),
            Entities::Decoded => entity::decode(text, |part| arena.push_str(part)),
        }
        let trimmed = arena.trim();
        let front = trimmed.as_ptr() as usize - arena.as_ptr() as usize;
        let end = front + trimmed.len();
        arena.truncate(end);
        arena.drain(..front);
        self.bare = arena.len();
    }

    pub(crate) fn begin_question(&mut self, empty: bool) {
        if self.asked {
            self.note(Note::RepeatedQuestion);
        }
        self.asked = true;
        if !empty && self.question.is_none() && self.reading() {
            self.value = Some(Value::at(self.text.len()));
        }
    }

    pub(crate) fn end_question(&mut self, policy: &Policy) {
        self.end_value(policy);
    }

    /// At the call's end: without a `<question>`, the text before the first parameter is the question.
    fn take_bare(&mut self, policy: &Policy) {
        if self.asked || self.bare == 0 || !self.reading() {
            return;
        }
        let limit = policy.limits.question;
        if self.bare > limit {
            return self.reject(Reason::TooLong { place: Place::Question, limit });
        }
        self.question = Some((0, self.bare));
        self.repair(Note::BareQuestion, policy);
    }

    // Suggestions.

    /// `mode` is the attribute, as it is written.
    pub(crate) fn begin_suggestion(&mut self, mode: Option<&str>, policy: &Policy) {
        if !self.reading() {
            return;
        }
        let surplus = self.suggestions.len() >= policy.limits.suggestions;
        let mode = mode.filter(|_| !surplus).and_then(|mode| self.keep_mode(mode, policy));
        self.open = Some(Open { mode, listed: false, surplus, provisional: false, passed: false });
        self.value = Some(Value::at(self.text.len()));
    }

    /// A mode that is complete. It stood in a tag, whose limit is its own.
    fn keep_mode(&mut self, mode: &str, policy: &Policy) -> Option<Part> {
        let start = self.modes.len();
        match policy.entities {
            Entities::Raw => self.modes.push_str(mode.trim()),
            Entities::Decoded => entity::decode(mode, |part| self.modes.push_str(part)),
        }
        let mode = self.modes[start..].trim();
        let front = mode.as_ptr() as usize - self.modes.as_ptr() as usize;
        let part = (front, front + mode.len());
        self.modes.truncate(part.1);
        (part.0 < part.1).then_some(part)
    }

    /// What is inside is nested: the text outside its elements is the answer only if there is no `<content>`.
    pub(crate) fn begin_nested(&mut self) {
        if let Some(open) = &mut self.open {
            open.provisional = true;
        }
    }

    /// A `<content>` begins that is the answer, unless it is blank.
    pub(crate) fn begin_content(&mut self) {
        if let Some(open) = &mut self.open {
            open.provisional = false;
            open.passed = false;
            if let Some(outside) = &self.value {
                self.text.truncate(outside.start);
            }
            self.value = Some(Value::at(self.text.len()));
        }
    }

    /// The `<content>` that might be the answer ends; whether it is.
    pub(crate) fn end_content(&mut self, policy: &Policy) -> bool {
        let exists = self.end_value(policy);
        self.note_surplus(exists);
        exists
    }

    pub(crate) fn begin_mode(&mut self) {
        if self.open.as_ref().is_some_and(|open| open.mode.is_none() && !open.surplus) {
            self.mode = Some(Value::at(self.modes.len()));
        }
    }

    pub(crate) fn end_mode(&mut self, policy: &Policy) {
        self.grow_mode(policy, Value::end);
        if let (Some(value), Some(open)) = (self.mode.take(), &mut self.open)
            && value.exists
        {
            open.mode = Some((value.start, value.certain));
        }
        self.sync();
    }

    pub(crate) fn end_suggestion(&mut self, policy: &Policy) {
        if let Some(open) = &mut self.open {
            open.provisional = false;
            if open.passed {
                let limit = policy.limits.answer;
                self.value = None;
                self.reject(Reason::TooLong { place: Place::Answer, limit });
            }
        }
        let exists = self.end_value(policy);
        self.note_surplus(exists);
        self.open = None;
    }

    fn note_surplus(&mut self, exists: bool) {
        if exists && self.open.as_ref().is_some_and(|open| open.surplus) {
            self.note(Note::SuggestionsDropped);
        }
    }

    // Values.

    /// The value goes on.
    pub(crate) fn push(&mut self, text: &str, policy: &Policy) {
        let decode = policy.entities == Entities::Decoded;
        self.grow(policy, |value, arena, limit| value.push(arena, text, limit, decode));
    }

    /// The bytes of a character of the value have begun to come.
    pub(crate) fn foresee_char(&mut self, begun: &[u8], policy: &Policy) {
        self.grow(policy, |value, arena, limit| value.foresee_char(arena, begun, limit));
    }

    /// What had begun like an entity in the value is text.
    pub(crate) fn settle(&mut self, policy: &Policy) {
        self.grow(policy, Value::settle);
    }

    /// The nested mode goes on.
    pub(crate) fn push_mode(&mut self, text: &str, policy: &Policy) {
        let decode = policy.entities == Entities::Decoded;
        self.grow_mode(policy, |mode, arena, limit| mode.push(arena, text, limit, decode));
    }

    /// What had begun like an entity in the nested mode is text.
    pub(crate) fn settle_mode(&mut self, policy: &Policy) {
        self.grow_mode(policy, Value::settle);
    }

    fn grow_mode(
        &mut self,
        policy: &Policy,
        change: impl FnOnce(&mut Value, &mut String, usize) -> Result<(), Passed>,
    ) {
        let limit = policy.limits.answer;
        if let Some(mode) = &mut self.mode
            && change(mode, &mut self.modes, limit).is_err()
        {
            self.reject(Reason::TooLong { place: Place::Mode, limit });
        }
    }

    /// Ends the value; whether it is more than blank.
    fn end_value(&mut self, policy: &Policy) -> bool {
        self.grow(policy, Value::end);
        self.value.take().is_some_and(|value| value.exists)
    }

    /// Lets the value change, and the view follow.
    fn grow(&mut self, policy: &Policy, change: impl FnOnce(&mut Value, &mut String, usize) -> Result<(), Passed>) {
        let Some(value) = &mut self.value else { return };
        let (limit, place) = match &self.open {
            None => (policy.limits.question, Place::Question),
            // All that matters is known.
            Some(open) if open.passed || (open.surplus && value.exists) => return,
            Some(open) if open.surplus => (0, Place::Answer),
            Some(_) => (policy.limits.answer, Place::Answer),
        };
        match (change(value, &mut self.text, limit), &mut self.open) {
            (Ok(()), _) => self.sync(),
            (Err(Passed), Some(open)) if open.surplus => *value = Value { exists: true, ..Value::at(value.start) },
            (Err(Passed), Some(open)) if open.provisional => open.passed = true,
            (Err(Passed), _) => {
                self.sync();
                self.reject(Reason::TooLong { place, limit });
            }
        }
    }

    /// Brings what the view shows to where the value is.
    fn sync(&mut self) {
        let part = self.value.as_ref().filter(|value| value.exists).map(|value| (value.start, value.certain));
        match (&mut self.open, part) {
            (None, Some(part)) => self.question = Some(part),
            (Some(open), _) if open.listed => {
                if let Some(newest) = self.suggestions.last_mut() {
                    newest.mode = open.mode;
                    newest.answer = part.unwrap_or(newest.answer);
                }
            }
            (Some(open), Some(answer)) if !open.surplus && !open.provisional => {
                open.listed = true;
                self.suggestions.push(Suggested { answer, mode: open.mode });
            }
            _ => {}
        }
    }

    // Lists.

    /// What comes may be a list.
    pub(crate) fn begin_list(&mut self) {
        if self.reading() {
            self.list = List::Text { text: String::new(), value: Value::at(0) };
        }
    }

    /// More of the text that may be a list.
    pub(crate) fn push_list(&mut self, text: &str, limits: &Limits) {
        let List::Text { text: list, value } = &mut self.list else { return };
        let begins = list.is_empty() && !text.trim_start().is_empty();
        if begins && !text.trim_start().starts_with('[') {
            self.list = List::No;
        } else if value.push(list, text, limits.list(), false).is_err() {
            self.list = List::TooLong;
        }
    }

    /// Whether a list has begun, so that the stream would cut it.
    pub(crate) fn in_list(&self) -> bool {
        match &self.list {
            List::No => false,
            List::Text { text, .. } => !text.is_empty(),
            List::TooLong => true,
        }
    }

    /// Reads `options`, whose text is complete: a list, or a mistake.
    pub(crate) fn read_options(&mut self, policy: &Policy) {
        match &self.list {
            List::Text { text, .. } if !text.is_empty() => self.read_list(policy),
            _ => self.note(Note::UnreadableList),
        }
        self.list = List::No;
    }

    /// Reads the list, if there is one, now that its text is complete.
    pub(crate) fn read_list(&mut self, policy: &Policy) {
        let items = match core::mem::take(&mut self.list) {
            List::No => return,
            List::Text { text, .. } if text.is_empty() => return,
            List::Text { text, .. } => json::list::items(&text),
            List::TooLong => None,
        };
        match items {
            None => self.note(Note::UnreadableList),
            Some(items) => items.iter().for_each(|item| self.keep_item(item, policy)),
        }
    }

    fn keep_item(&mut self, item: &str, policy: &Policy) {
        self.begin_suggestion(None, policy);
        // Known all at once, so kept whole or not at all.
        self.begin_nested();
        self.push(item, policy);
        self.end_suggestion(policy);
    }

    // The end.

    /// The stream ended in the middle of a value.
    pub(crate) fn cut(&mut self, place: Place, policy: &Policy) {
        self.settle(policy);
        if self.open.as_ref().is_some_and(|open| open.provisional) {
            self.value = None;
        }
        self.open_ended(place, policy);
    }

    fn open_ended(&mut self, place: Place, policy: &Policy) {
        self.take_bare(policy);
        self.reject(Reason::Truncated(place));
    }

    /// The call has ended outside any value.
    pub(crate) fn end(&mut self, by: End, policy: &Policy) {
        if by == End::Tool {
            self.repair(Note::UnclosedCall, policy);
            self.read_list(policy);
        }
        self.take_bare(policy);
        if self.question.is_none() {
            return self.reject(match by {
                End::Stream => Reason::Truncated(Place::Parameters),
                End::Closed | End::Tool => Reason::MissingParameter,
            });
        }
        if by == End::Stream {
            match policy.repairs {
                Repairs::Make => self.note(Note::StreamEnded),
                Repairs::Reject => self.reject(Reason::Truncated(Place::Parameters)),
            }
        }
    }

    // What a stored call must be.

    /// Whether a stream can lead to this call, with the machine at that place in it.
    pub(crate) fn is_possible(&self, spot: Spot, policy: &Policy) -> bool {
        self.are_parts_possible(policy)
            && self.is_shown()
            && self.is_open_possible(spot, policy)
            && self.notes.iter().enumerate().all(|(i, note)| !self.notes[..i].contains(note))
            && match &self.list {
                List::Text { text, value } => {
                    (text.is_empty() || text.starts_with('['))
                        && value.start == 0
                        && value.is_possible(text, policy.limits.list(), Entities::Raw)
                }
                List::No | List::TooLong => true,
            }
    }

    /// Whether the ranges lie in their arenas one behind the other, trimmed and within the limits.
    fn are_parts_possible(&self, policy: &Policy) -> bool {
        let limits = &policy.limits;
        let newest_open = self.value.as_ref().map(|value| value.start);
        let text = |(start, end): Part, limit: usize| {
            // What is still open may be known to exist without being known, or end in blanks.
            let open = newest_open == Some(start);
            self.text.get(start..end).is_some_and(|text| {
                let trimmed = if open { text.trim_start() } else { text.trim() };
                text.len() <= limit && trimmed.len() == text.len() && (open || !text.is_empty())
            })
        };
        let mode =
            |part: Part| self.modes.get(part.0..part.1).is_some_and(|mode| !mode.is_empty() && mode.trim() == mode);
        let modes: SmallVec<[Part; 4]> = self.suggestions.iter().filter_map(|one| one.mode).collect();
        let answers = self.suggestions.iter().map(|one| one.answer);
        let bare = self.text.get(..self.bare).is_some_and(|bare| bare.trim() == bare)
            && self.bare <= limits.bare.saturating_mul(3);
        bare && self
            .question
            .is_none_or(|question| self.asked && question.0 >= self.bare && text(question, limits.question))
            && self.suggestions.len() <= limits.suggestions
            && self.suggestions.iter().all(|one| one.answer.0 >= self.bare && text(one.answer, limits.answer))
            && modes.iter().all(|&part| mode(part))
            && modes.is_sorted_by(|a, b| a.1 <= b.0)
            && answers.is_sorted_by(|a, b| a.1 <= b.0)
            && self
                .question
                .is_none_or(|q| self.suggestions.iter().all(|one| one.answer.1 <= q.0 || q.1 <= one.answer.0))
    }

    /// Whether all that is certain has been shown, as it has between two chunks.
    fn is_shown(&self) -> bool {
        let len = |(start, end): Part| end - start;
        // The newest may only be known to exist, which does not show.
        let hidden = |one: &&Suggested| len(one.answer) == 0 && one.mode.is_none();
        let shown = self.suggestions.len() - usize::from(self.suggestions.last().filter(hidden).is_some());
        let newest = shown.checked_sub(1).map(|i| self.suggestions[i]);
        self.shown
            == Shown {
                question: self.question.map_or(0, len),
                suggestions: shown,
                newest: newest.map_or((0, false), |one| (len(one.answer), one.mode.is_some())),
            }
    }

    /// Whether what is open is what is open at that place.
    fn is_open_possible(&self, spot: Spot, policy: &Policy) -> bool {
        if self.wrong.is_some() {
            return self.value.is_none() && self.mode.is_none() && self.open.is_none() && matches!(self.list, List::No);
        }
        let (value, mode, open) = (self.value.is_some(), self.mode.is_some(), self.open.is_some());
        let provisional = self.open.as_ref().is_some_and(|open| open.provisional);
        let fits = match spot {
            Spot::Opened { .. } => false,
            Spot::Between | Spot::Options => !value && !mode && !open,
            Spot::Question => {
                let repeated = self.question.is_some() && self.notes.contains(&Note::RepeatedQuestion);
                !mode && !open && self.asked && (value || repeated)
            }
            Spot::Suggestion => {
                value && !mode && open && !provisional && self.value.as_ref().is_some_and(|value| !value.exists)
            }
            Spot::Answer => value && !mode && open && !provisional,
            Spot::Nested(nested) => !mode && open && value == provisional && provisional != nested.content,
            Spot::Content(nested) => !mode && open && value != nested.answered && !provisional && nested.content,
            Spot::Mode(nested) => open && value == provisional && provisional != nested.content,
        };
        let value_fits = self.value.as_ref().is_none_or(|value| {
            let limit = self
                .open
                .as_ref()
                .map_or(policy.limits.question, |open| if open.surplus { 0 } else { policy.limits.answer });
            value.is_possible(&self.text, limit, policy.entities) && value.start >= self.bare
        });
        let mode_fits =
            self.mode.as_ref().is_none_or(|mode| mode.is_possible(&self.modes, policy.limits.answer, policy.entities));
        fits && value_fits
            && mode_fits
            && self.open.as_ref().is_none_or(|open| self.is_suggestion_possible(open, policy))
    }

    fn is_suggestion_possible(&self, open: &Open, policy: &Policy) -> bool {
        let newest = self.suggestions.last().filter(|_| open.listed);
        let answer = self.value.as_ref().filter(|value| value.exists && !open.provisional && !open.surplus);
        open.listed == newest.is_some()
            && newest.is_none_or(|newest| newest.mode == open.mode)
            && answer.is_none_or(|value| newest.is_some_and(|newest| newest.answer == (value.start, value.certain)))
            && open.mode.is_none_or(|(start, end)| self.modes.get(start..end).is_some_and(|mode| !mode.is_empty()))
            && (!open.passed || open.provisional)
            && (!open.surplus
                || (!open.listed && open.mode.is_none() && self.suggestions.len() >= policy.limits.suggestions))
            && (open.listed || open.surplus || self.suggestions.len() < policy.limits.suggestions)
    }

    // Views.

    /// The next part of the call that is certain and has not been shown.
    pub(crate) fn next_delta(&mut self) -> Option<(Field, Part)> {
        // The bare question is the last thing that becomes known.
        if self.asked {
            self.question_delta().or_else(|| self.suggestion_delta())
        } else {
            self.suggestion_delta().or_else(|| self.question_delta())
        }
    }

    fn question_delta(&mut self) -> Option<(Field, Part)> {
        let (start, end) = self.question?;
        let shown = core::mem::replace(&mut self.shown.question, end - start);
        (shown < end - start).then_some((Field::Question, (start + shown, end)))
    }

    fn suggestion_delta(&mut self) -> Option<(Field, Part)> {
        let newest = self.shown.suggestions.checked_sub(1).and_then(|i| self.suggestions.get(i));
        if let Some(&Suggested { answer: (start, end), mode }) = newest
            && self.shown.newest != (end - start, mode.is_some())
        {
            let (shown, _) = core::mem::replace(&mut self.shown.newest, (end - start, mode.is_some()));
            return Some((Field::Suggestion, (start + shown, end)));
        }
        let &Suggested { answer: (start, end), mode } = self.suggestions.get(self.shown.suggestions)?;
        // One that is only known to exist has nothing to show.
        if start == end && mode.is_none() {
            return None;
        }
        self.shown.suggestions += 1;
        self.shown.newest = (end - start, mode.is_some());
        Some((Field::Suggestion, (start, end)))
    }

    pub(crate) fn partial(&self, nth: u64, field: Field, delta: Part) -> Partial<'_> {
        Partial {
            nth,
            field,
            delta: &self.text[delta.0..delta.1],
            question: self
                .question
                .filter(|_| self.shown.question > 0)
                .map(|(start, _)| &self.text[start..start + self.shown.question]),
            suggestions: Suggestions {
                text: &self.text,
                modes: &self.modes,
                all: &self.suggestions[..self.shown.suggestions],
                newest: Some(self.shown.newest),
            },
        }
    }

    /// The call's end; a rejection if anything went wrong.
    pub(crate) fn outcome(&self, nth: u64, end: u64) -> Result<Complete<'_>, Rejected<'_>> {
        let span = (self.start, end);
        let question = self.question.map(|(start, end)| &self.text[start..end]).filter(|question| !question.is_empty());
        let suggestions = Suggestions { text: &self.text, modes: &self.modes, all: &self.suggestions, newest: None };
        match (self.wrong, question) {
            (None, Some(question)) => Ok(Complete { nth, span, question, suggestions, notes: &self.notes }),
            (wrong, question) => {
                let reason = wrong.unwrap_or(Reason::MissingParameter);
                Err(Rejected { nth, span, reason, question, suggestions })
            }
        }
    }
}

/// What ended a call outside any value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Its close tag.
    Closed,
    /// A tool's opening tag.
    Tool,
    /// The stream.
    Stream,
}
