//! A call as it grows: one arena for its texts, one for its modes, and ranges into them.

mod possible;
mod view;

use alloc::string::String;
use smallvec::SmallVec;

use crate::event::{Field, Part, Suggested};
use crate::note::Note;
use crate::reason::{Place, Reason};
use crate::value::{Passed, Value};
use crate::{Entities, Limits, Policy, Repairs, entity, json};

pub(crate) use possible::{Openness, Written};
use view::Shown;

/// The suggestion that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Open {
    /// Its mode, once it is certain.
    mode: Option<Part>,
    /// Where its modes begin in their arena.
    modes: usize,
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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    body: Body,
    /// The character before, in a value, is a back-tick.
    pub(crate) tick: bool,
    shown: Shown,
    /// A suggestion has come to exist since this was last asked.
    given: bool,
    /// What entities mean where it is being read.
    entities: Entities,
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

/// What the body of a `follow_up` is, as far as it matters to where the call ends. Unlike [`List`], it is known even when nothing
/// is read any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Body {
    /// No list.
    #[default]
    Other,
    /// Blank so far.
    Blank,
    /// A list, so far outside its strings.
    List,
    /// A list, inside a string.
    InString,
    /// A list, inside a string and behind a `\\`.
    Escaped,
}

impl Body {
    fn after(self, c: char) -> Body {
        match (self, c) {
            (Body::Blank, '[') => Body::List,
            (Body::Blank, c) if !c.is_whitespace() => Body::Other,
            (Body::List, '"') | (Body::Escaped, _) => Body::InString,
            (Body::InString, '"') => Body::List,
            (Body::InString, '\\') => Body::Escaped,
            (same, _) => same,
        }
    }
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
        wrong: None,
        value: None,
        mode: None,
        open: None,
        list: List::No,
        follow_up: false,
        body: Body::Other,
        tick: false,
        shown: Shown::NOTHING,
        given: false,
        entities: Entities::Raw,
    };

    /// One that is read with that meaning of entities.
    pub(crate) fn of(entities: Entities) -> Call {
        Call { entities, ..Call::NEW }
    }

    /// Reads on with that meaning of entities.
    pub(crate) fn read_as(&mut self, entities: Entities) {
        self.entities = entities;
    }

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
            ..Call::of(self.entities)
        };
    }

    fn reading(&self) -> bool {
        self.wrong.is_none()
    }

    /// Whether something has gone wrong, so that nothing more is read.
    pub(crate) fn is_wrong(&self) -> bool {
        self.wrong.is_some()
    }

    // What went wrong, and what was repaired.

    pub(crate) fn reject(&mut self, reason: Reason) {
        if self.reading() {
            self.wrong = Some(reason);
            self.value = None;
            self.mode = None;
            self.open = None;
            self.list = List::No;
            let (text, modes) = self.used();
            self.text.truncate(text);
            self.modes.truncate(modes);
        }
    }

    /// How much of the arenas is spoken for, but for what is open.
    fn used(&self) -> (usize, usize) {
        let answers = self.suggestions.last().map_or(0, |newest| newest.answer.1);
        let text = self.bare.max(answers).max(self.question.map_or(0, |question| question.1));
        let modes = self.suggestions.iter().rev().find_map(|one| one.mode).map_or(0, |mode| mode.1);
        (text, modes)
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
    pub(crate) fn keep_bare(&mut self, text: &str) {
        let Call { text: arena, entities, .. } = self;
        match entities {
            Entities::Raw => arena.push_str(text),
            Entities::Decoded => entity::decode(text, |part| arena.push_str(part)),
        }
        arena.truncate(arena.trim_end().len());
        arena.drain(..arena.len() - arena.trim_start().len());
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

    pub(crate) fn has_question(&self) -> bool {
        self.question.is_some()
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
        let modes = self.modes.len();
        let mode = mode.filter(|_| !surplus).and_then(|mode| self.keep_mode(mode));
        self.open = Some(Open { mode, modes, listed: false, surplus, provisional: false, passed: false });
        self.value = Some(Value::at(self.text.len()));
    }

    /// A mode that is complete. It stood in a tag, whose limit is its own.
    fn keep_mode(&mut self, mode: &str) -> Option<Part> {
        let start = self.modes.len();
        match self.entities {
            Entities::Raw => self.modes.push_str(mode.trim()),
            Entities::Decoded => entity::decode(mode, |part| self.modes.push_str(part)),
        }
        let (blanks, mode) = {
            let trimmed = self.modes[start..].trim_start();
            (self.modes.len() - start - trimmed.len(), trimmed.trim_end().len())
        };
        self.modes.drain(start..start + blanks);
        self.modes.truncate(start + mode);
        (mode > 0).then_some((start, start + mode))
    }

    /// Its text is not certain to be the answer, or not until it is complete: nothing of it is shown before that.
    pub(crate) fn hold_back(&mut self) {
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
        self.let_go(policy);
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

    /// What was held back is the answer.
    fn let_go(&mut self, policy: &Policy) {
        if let Some(open) = &mut self.open {
            open.provisional = false;
            if open.passed {
                let limit = policy.limits.answer;
                self.value = None;
                self.reject(Reason::TooLong { place: Place::Answer, limit });
            }
        }
    }

    pub(crate) fn end_suggestion(&mut self, policy: &Policy) {
        self.let_go(policy);
        let exists = self.end_value(policy);
        self.note_surplus(exists);
        if let Some(open) = self.open.take()
            && !open.listed
        {
            self.modes.truncate(open.modes);
        }
    }

    fn note_surplus(&mut self, exists: bool) {
        if exists && self.open.as_ref().is_some_and(|open| open.surplus) {
            self.given = true;
            self.note(Note::SuggestionsDropped);
        }
    }

    /// Whether a suggestion has come to exist since this was last asked, one too many included.
    pub(crate) fn take_given(&mut self) -> bool {
        core::mem::take(&mut self.given)
    }

    // Values.

    /// The value goes on.
    #[inline]
    pub(crate) fn push(&mut self, text: &str, policy: &Policy) {
        let decode = self.entities == Entities::Decoded;
        self.grow(policy, |value, arena, limit| value.push(arena, text, limit, decode));
    }

    /// What nearly every chunk of a call is: the value goes on with text that is certain at once, and nothing else is left to show. Gives what is
    /// then [new](Call::next_delta), shown already; nothing, if it is not as simple as that, and then nothing has changed.
    #[inline(always)] // Else what it gives goes through memory.
    pub(crate) fn grow_plainly(&mut self, text: &str, policy: &Policy) -> Option<(Field, Part)> {
        let limits = &policy.limits;
        // Up to the blanks at its end, if there are any.
        let solid = 1 + text.bytes().rposition(|byte| byte != b' ')?;
        if self.entities != Entities::Raw || !text.as_bytes()[solid - 1].is_ascii_graphic() {
            return None;
        }
        let value = self.value.as_mut()?;
        match &self.open {
            None => {
                let shown = value.grow_plainly(&mut self.text, text, solid, limits.question)?;
                let part = (value.start, value.certain);
                (self.question, self.shown.question) = (Some(part), part.1 - part.0);
                Some((Field::Question, (shown, part.1)))
            }
            Some(open) if open.listed => {
                let newest = self.suggestions.last_mut()?;
                let shown = value.grow_plainly(&mut self.text, text, solid, limits.answer)?;
                newest.answer = (value.start, value.certain);
                self.shown.newest.0 = value.certain - value.start;
                Some((Field::Suggestion, (shown, value.certain)))
            }
            Some(_) => None,
        }
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
        let decode = self.entities == Entities::Decoded;
        self.grow_mode(policy, |mode, arena, limit| mode.push(arena, text, limit, decode));
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
    #[inline]
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
    #[inline]
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
                self.given = true;
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

    /// More of a text that means suggestions, whatever it looks like.
    pub(crate) fn push_written(&mut self, text: &str, limits: &Limits) {
        let List::Text { text: list, value } = &mut self.list else { return };
        if value.push(list, text, limits.list(), false).is_err() {
            self.list = List::TooLong;
        }
    }

    /// That text, trimmed, now that it is complete.
    pub(crate) fn take_written(&mut self, limits: &Limits) -> Option<String> {
        match core::mem::take(&mut self.list) {
            List::No => None,
            List::Text { mut text, mut value } => value.end(&mut text, limits.list()).is_ok().then_some(text),
            List::TooLong => {
                self.note(Note::UnreadableList);
                None
            }
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

    /// More text of a call between its parameters.
    pub(crate) fn pass_between(&mut self, text: &str, limits: &Limits) {
        if self.body != Body::Other {
            self.body = text.chars().fold(self.body, Body::after);
            self.push_list(text, limits);
        }
    }

    /// A `follow_up` begins.
    pub(crate) fn begin_follow_up(&mut self) {
        self.follow_up = true;
        self.body = Body::Blank;
        self.begin_list();
    }

    /// A tag of ours has come: what holds it is no list.
    pub(crate) fn end_list(&mut self) {
        self.body = Body::Other;
        self.list = List::No;
    }

    /// Whether a list in a `follow_up` has come to the inside of a string.
    pub(crate) fn in_list_string(&self) -> bool {
        matches!(self.body, Body::InString | Body::Escaped)
    }

    /// Whether a list has begun in a `follow_up`, so that the stream would cut it.
    pub(crate) fn in_list(&self) -> bool {
        matches!(self.body, Body::List | Body::InString | Body::Escaped)
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
        let read = match core::mem::take(&mut self.list) {
            List::No => return,
            List::Text { text, .. } if text.is_empty() => return,
            List::Text { text, .. } => json::list::read(&text, &mut |item| self.keep_item(item, policy)),
            List::TooLong => false,
        };
        if !read {
            self.note(Note::UnreadableList);
        }
    }

    /// A suggestion that is known all at once.
    pub(crate) fn keep_item(&mut self, item: &str, policy: &Policy) {
        self.begin_suggestion(None, policy);
        // Known all at once, so kept whole or not at all.
        self.hold_back();
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
