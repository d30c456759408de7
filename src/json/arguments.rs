//! Reads the meaning of a call's arguments: which value is the question, and which are suggestions.

use alloc::sync::Arc;

use smallvec::SmallVec;

use super::key::Key;
use super::lexer::{JsonToken, Lexer, Type};
use super::list;
use crate::call::Call;
use crate::config::Policy;
use crate::markup::suggestions;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::utf8;

/// A parameter whose value is a list of suggestions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum ListParameter {
    /// `follow_up`, or `suggestions`.
    FollowUp,
    /// `options`.
    Options,
    /// `suggest`, or `suggestion`.
    Suggest,
}

/// The meaning of the value that is being read or comes next.
///
/// Open arrays and objects are in [`Container`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ValueRole {
    /// The whole value: the arguments.
    Arguments,
    Question,
    /// The value of a list parameter. While it is being read, it is a string.
    List,
    /// An element of a list. While it is being read, it is a suggestion as plain text.
    Item,
    /// A value in an object that replaces a list. `named`: its key is one of a suggestion in a map.
    Entry {
        named: bool,
    },
    Answer,
    Mode,
    /// A value without a meaning.
    Nothing,
}

/// An open array or object that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Container {
    /// The object of the arguments.
    Parameters,
    /// An array of items.
    Items,
    /// An object that replaces a list: a single suggestion, or a map. `map`: it is certainly a map.
    Entries { map: bool },
    /// A suggestion.
    Suggestion {
        /// It has an answer.
        answered: bool,
        /// It has, or may have, an answer: a `text`, `answer` or `label` that could be one.
        answerable: bool,
    },
    /// An object as the mode of a suggestion.
    Mode,
}

/// Reads the arguments of one call, or the value of one list in them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Arguments {
    pub(crate) lexer: Lexer,
    /// From the outermost to the innermost. Values that are nested deeper have no meaning.
    within: SmallVec<[Container; 4]>,
    role: ValueRole,
    key: Key,
    /// The list whose value comes next or is being read.
    list: Option<ListParameter>,
    /// Which lists have given a suggestion, by [`ListParameter`].
    given: [bool; 3],
    /// The text is complete, so that an answer is kept whole or not at all.
    ///
    /// It is `false` between two pieces of a stream.
    whole: bool,
}

impl Arguments {
    pub(crate) const NEW: Arguments = Arguments {
        lexer: Lexer::NEW,
        within: SmallVec::new_const(),
        role: ValueRole::Arguments,
        key: Key::NEW,
        list: None,
        given: [false; 3],
        whole: false,
    };

    /// Creates a reader for the value of one list, without arguments around it.
    fn of_list(list: ListParameter) -> Arguments {
        Arguments { role: ValueRole::List, list: Some(list), whole: true, ..Arguments::NEW }
    }

    /// Makes it a reader of the value of `question` alone.
    pub(crate) fn begin_question(&mut self) {
        *self = Arguments { role: ValueRole::Question, given: self.given, ..Arguments::NEW };
    }

    /// Reads from `*pos`, up to the end of the value or to something that is certain and not shown.
    ///
    /// Stops at the end of the text, too.
    pub(crate) fn read(&mut self, text: &str, pos: &mut usize, call: &mut Call, policy: &Arc<Policy>) {
        while !self.lexer.is_closed() && !self.lexer.is_ill_formed() && self.read_next(text, pos, call, policy) {}
    }

    /// Reads the next token.
    ///
    /// Returns `false` at the end of the text, or if something is certain and not shown.
    #[inline(always)] // It is the body of a loop.
    pub(super) fn read_next(&mut self, text: &str, pos: &mut usize, call: &mut Call, policy: &Arc<Policy>) -> bool {
        // Most of a stream is text, for which no token is created.
        let plain = self.lexer.plain_len(text, *pos);
        if plain > 0 {
            self.push(&text[*pos..*pos + plain], call, policy);
            *pos += plain;
            return true;
        }
        if let Some((char, len)) = self.lexer.escaped(text, *pos) {
            self.push(char.encode_utf8(&mut [0; 4]), call, policy);
            *pos += len;
            return true;
        }
        if *pos == text.len() && self.lexer.is_in_text() {
            return false;
        }
        let Some(token) = self.lexer.next(text, pos) else { return false };
        !self.act(token, call, policy) || call.is_all_shown()
    }

    /// Ends the text of a list of suggestions in the call and reads it.
    ///
    /// It is a value of its own: nothing but the list says what it is.
    pub(crate) fn read_raw_list(&mut self, list: ListParameter, call: &mut Call, policy: &Arc<Policy>) {
        if self.given[list as usize] && call.has_long_list() {
            call.drop_list();
            return call.note(Note::RepeatedSuggestions);
        }
        let Some(text) = call.take_list() else { return };
        let string = list::string(&text);
        let (text, is_ill_formed) = match &string {
            Some((text, is_ill_formed)) => (text.trim(), *is_ill_formed),
            None => (text.as_str(), false),
        };
        if text.is_empty() || text.eq_ignore_ascii_case("null") || text.eq_ignore_ascii_case("none") {
            return;
        }
        if self.given[list as usize] {
            return call.note(Note::RepeatedSuggestions);
        }
        if is_ill_formed {
            call.repair(Note::IllFormedString, policy);
        }
        if list == ListParameter::Suggest {
            call.repair(Note::OutsideFollowUp, policy);
        }
        call.take_given();
        if !suggestions::holds_suggestions(text, policy) && list::is_json(text) {
            read_json_list(text, list, call, policy);
        } else {
            read_text_list(text, list, call, policy);
        }
        self.given[list as usize] |= call.take_given();
    }

    /// Returns `true` if the contents of the innermost open array or object have no meaning.
    fn skips(&self) -> bool {
        self.lexer.depth() > self.within.len()
    }

    /// Applies a token. Returns `true` if a value has ended, so that more may be certain.
    pub(super) fn act(&mut self, token: JsonToken<'_>, call: &mut Call, policy: &Arc<Policy>) -> bool {
        match token {
            JsonToken::BeginKey => self.key.clear(),
            JsonToken::EndKey => {
                self.role = if self.skips() { ValueRole::Nothing } else { self.role_of_key(call, policy) }
            }
            JsonToken::Begin(kind) => self.begin(kind, call, policy),
            JsonToken::End => {
                self.end(call, policy);
                return true;
            }
            JsonToken::Text(text) => self.push(text, call, policy),
            JsonToken::Char(char) => self.push(char.encode_utf8(&mut [0; 4]), call, policy),
            JsonToken::Stray(char) => {
                self.push(char.encode_utf8(&mut [0; 4]), call, policy);
                call.repair(Note::IllFormedString, policy);
            }
            JsonToken::TextAfter => call.repair(Note::TextAfterArguments, policy),
            JsonToken::IllFormed => call.reject(Reason::Malformed(Note::IllFormedJson)),
        }
        false
    }

    /// Returns the meaning of the next value, after the end of its key.
    fn role_of_key(&mut self, call: &mut Call, policy: &Arc<Policy>) -> ValueRole {
        let Some(within) = self.within.last_mut() else { return ValueRole::Nothing };
        let in_suggestion = match self.key.text() {
            b"text" | b"answer" | b"label" => ValueRole::Answer,
            b"mode" => ValueRole::Mode,
            _ => ValueRole::Nothing,
        };
        match (within, Parameter::of(self.key.text())) {
            (Container::Parameters, Parameter::List(list)) => {
                self.list = Some(list);
                ValueRole::List
            }
            (Container::Parameters, parameter) => {
                self.list = None;
                if parameter == Parameter::Question { ValueRole::Question } else { ValueRole::Nothing }
            }
            (within @ Container::Entries { map: false }, _) if in_suggestion != ValueRole::Nothing => {
                *within = begin_suggestion(call, policy);
                in_suggestion
            }
            (Container::Entries { map }, parameter) => {
                let named = self.key.is_number() || parameter == Parameter::List(ListParameter::Suggest);
                *map |= named;
                ValueRole::Entry { named }
            }
            (Container::Suggestion { .. }, _) => in_suggestion,
            (Container::Mode, _) if self.key.text() == b"mode_slug" => ValueRole::Mode,
            (Container::Mode, _) => ValueRole::Nothing,
            (Container::Items, _) => ValueRole::Nothing,
        }
    }

    /// Begins a value.
    fn begin(&mut self, kind: Type, call: &mut Call, policy: &Arc<Policy>) {
        let is_open = matches!(kind, Type::Array | Type::Object);
        // The lexer has already counted an array or object that begins.
        let outside = self.lexer.depth() - usize::from(is_open);
        let role = match self.within.last() {
            _ if outside > self.within.len() => ValueRole::Nothing,
            Some(Container::Items) => ValueRole::Item,
            _ => self.role,
        };
        self.role = match role {
            ValueRole::Arguments => self.begin_arguments(kind, call),
            ValueRole::Question => begin_question(kind, call),
            ValueRole::List => self.begin_list(kind, call, policy),
            ValueRole::Item => self.begin_item(kind, call, policy),
            ValueRole::Entry { named } => self.begin_entry(named, kind, call, policy),
            ValueRole::Answer => self.begin_answer(kind, call),
            ValueRole::Mode if kind == Type::String => {
                call.begin_mode();
                ValueRole::Mode
            }
            ValueRole::Mode => {
                if kind == Type::Object && matches!(self.within.last(), Some(Container::Suggestion { .. })) {
                    self.within.push(Container::Mode);
                }
                ValueRole::Nothing
            }
            ValueRole::Nothing => ValueRole::Nothing,
        };
    }

    fn begin_arguments(&mut self, kind: Type, call: &mut Call) -> ValueRole {
        match kind {
            Type::Object => self.within.push(Container::Parameters),
            _ => call.reject(Reason::WrongType(CallPart::Arguments)),
        }
        ValueRole::Nothing
    }

    fn begin_list(&mut self, kind: Type, call: &mut Call, policy: &Arc<Policy>) -> ValueRole {
        let Some(list) = self.list else { return ValueRole::Nothing };
        if kind == Type::Null {
            return ValueRole::Nothing;
        }
        if self.given[list as usize] {
            call.note(Note::RepeatedSuggestions);
            return ValueRole::Nothing;
        }
        if list == ListParameter::Suggest {
            call.repair(Note::OutsideFollowUp, policy);
        }
        call.take_given();
        match kind {
            Type::Array => self.within.push(Container::Items),
            Type::Object => {
                call.repair(Note::SuggestionsAsObject, policy);
                self.within.push(Container::Entries { map: false });
            }
            Type::String => {
                call.begin_list();
                return ValueRole::List;
            }
            Type::Number | Type::Boolean | Type::Null => call.reject(Reason::WrongType(CallPart::Suggestions)),
        }
        ValueRole::Nothing
    }

    fn begin_item(&mut self, kind: Type, call: &mut Call, policy: &Arc<Policy>) -> ValueRole {
        match kind {
            Type::String | Type::Number | Type::Boolean => {
                call.begin_suggestion(None, policy);
                if self.whole {
                    call.hold_answer_back();
                }
                return ValueRole::Item;
            }
            Type::Object => self.within.push(begin_suggestion(call, policy)),
            Type::Array => call.note(Note::UnreadableSuggestion),
            Type::Null => {}
        }
        ValueRole::Nothing
    }

    fn begin_entry(&mut self, named: bool, kind: Type, call: &mut Call, policy: &Arc<Policy>) -> ValueRole {
        if let (Type::Array | Type::Object, Some(Container::Entries { map })) = (kind, self.within.last_mut()) {
            *map = true;
        }
        match kind {
            Type::Array => {
                self.within.push(Container::Items);
                ValueRole::Nothing
            }
            Type::Object => self.begin_item(kind, call, policy),
            _ if named => self.begin_item(kind, call, policy),
            _ => ValueRole::Nothing,
        }
    }

    fn begin_answer(&mut self, kind: Type, call: &mut Call) -> ValueRole {
        let Some(Container::Suggestion { answered, answerable }) = self.within.last_mut() else {
            return ValueRole::Nothing;
        };
        *answerable |= !matches!(kind, Type::Array | Type::Object);
        if *answered || !matches!(kind, Type::String | Type::Number | Type::Boolean) {
            return ValueRole::Nothing;
        }
        call.begin_content();
        if self.whole {
            call.hold_answer_back();
        }
        ValueRole::Answer
    }

    /// Appends text to the key or value that is being read.
    #[inline]
    pub(super) fn push(&mut self, text: &str, call: &mut Call, policy: &Arc<Policy>) {
        if self.lexer.is_in_key() {
            return self.key.push(text);
        }
        match self.role {
            ValueRole::Question | ValueRole::Item | ValueRole::Answer => call.push(text, policy),
            ValueRole::Mode => call.push_mode(text, policy),
            ValueRole::List => call.push_list(text, policy),
            ValueRole::Arguments | ValueRole::Entry { .. } | ValueRole::Nothing => {}
        }
    }

    /// Takes into account that the incomplete character `tail` follows.
    pub(crate) fn foresee(&mut self, tail: &[u8], call: &mut Call, policy: &Arc<Policy>) {
        let mut pos = 0;
        while !self.lexer.is_ill_formed() {
            if self.lexer.is_in_text() {
                let is_shown = matches!(self.role, ValueRole::Question | ValueRole::Item | ValueRole::Answer);
                if is_shown && !self.lexer.is_in_key() {
                    call.foresee_char(tail, policy);
                }
                return;
            }
            let Some(token) = self.lexer.next(utf8::SOME_CHAR, &mut pos) else { return };
            self.act(token, call, policy);
        }
    }

    /// Ends the innermost value. The lexer has already closed it if it is an array or object.
    fn end(&mut self, call: &mut Call, policy: &Arc<Policy>) {
        match core::mem::replace(&mut self.role, ValueRole::Nothing) {
            ValueRole::Question => call.end_question(policy),
            ValueRole::Item => call.end_suggestion(policy),
            ValueRole::Answer => {
                let exists = call.end_content(policy);
                if let Some(Container::Suggestion { answered, .. }) = self.within.last_mut() {
                    *answered = exists;
                }
            }
            ValueRole::Mode => call.end_mode(policy),
            ValueRole::List => {
                if let (Some(list), Some(text)) = (self.list, call.take_list()) {
                    read_text_list(&text, list, call, policy);
                }
                self.end_list(call);
            }
            ValueRole::Nothing if self.within.len() > self.lexer.depth() => self.leave(call, policy),
            ValueRole::Arguments | ValueRole::Entry { .. } | ValueRole::Nothing => {}
        }
    }

    /// Leaves the innermost array or object that has a meaning.
    fn leave(&mut self, call: &mut Call, policy: &Arc<Policy>) {
        match self.within.pop() {
            Some(Container::Suggestion { answerable, .. }) => {
                call.end_suggestion(policy);
                if !answerable {
                    call.note(Note::UnreadableSuggestion);
                }
            }
            Some(Container::Mode) => return,
            _ => {}
        }
        if self.within.len() == 1 {
            self.end_list(call);
        }
    }

    /// Ends the value of a list.
    fn end_list(&mut self, call: &mut Call) {
        // Inside a string that replaces a list, the end of the string ends the list.
        if let Some(list) = self.list.filter(|_| !self.whole) {
            self.given[list as usize] |= call.take_given();
        }
    }

    /// Returns `true` if the state can occur between two pieces of a stream.
    pub(crate) fn is_in_bounds(&self) -> bool {
        self.lexer.is_in_bounds() && !self.whole && self.key.is_in_bounds() && self.within.len() <= self.lexer.depth()
    }

    /// Returns the part of the call in which the stream is now.
    pub(crate) fn part(&self) -> CallPart {
        match self.role {
            _ if !self.lexer.is_in_value() => CallPart::Parameters,
            ValueRole::Question => CallPart::Question,
            ValueRole::Item | ValueRole::Answer => CallPart::Answer,
            ValueRole::Mode => CallPart::Mode,
            ValueRole::List => CallPart::Suggestions,
            ValueRole::Arguments | ValueRole::Entry { .. } | ValueRole::Nothing => CallPart::Parameters,
        }
    }
}

fn begin_question(kind: Type, call: &mut Call) -> ValueRole {
    let has = call.has_question();
    match kind {
        Type::String | Type::Number | Type::Boolean if !has => {
            call.begin_question(false);
            return ValueRole::Question;
        }
        Type::Array | Type::Object if !has => call.reject(Reason::WrongType(CallPart::Question)),
        _ => call.begin_question(true),
    }
    ValueRole::Nothing
}

fn begin_suggestion(call: &mut Call, policy: &Arc<Policy>) -> Container {
    call.begin_suggestion(None, policy);
    // Only the value of one of its keys is its answer.
    call.hold_answer_back();
    Container::Suggestion { answered: false, answerable: false }
}

/// Reads a string that replaces a list: markup, JSON, or lines.
///
/// The text is complete and trimmed.
fn read_text_list(text: &str, list: ListParameter, call: &mut Call, policy: &Arc<Policy>) {
    if text.is_empty() {
        return;
    }
    call.repair(Note::SuggestionsAsText, policy);
    if call.has_failed() {
        return;
    }
    if suggestions::holds_suggestions(text, policy) {
        suggestions::read_suggestions(text, call, policy);
    } else if list::is_json(text) {
        read_json_list(text, list, call, policy);
    } else {
        text.split('\n').for_each(|line| call.keep_item(line, policy));
    }
}

/// Reads a complete JSON text as the value of a list.
fn read_json_list(text: &str, list: ListParameter, call: &mut Call, policy: &Arc<Policy>) {
    let (mut arguments, mut pos) = (Arguments::of_list(list), 0);
    while !call.has_failed()
        && let Some(token) = arguments.lexer.next(text, &mut pos)
    {
        arguments.act(token, call, policy);
    }
}

/// A parameter of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    Question,
    List(ListParameter),
    Other,
}

impl Parameter {
    /// Returns the parameter that has this name.
    pub(crate) fn of(name: &[u8]) -> Parameter {
        match name {
            b"question" => Parameter::Question,
            b"follow_up" | b"suggestions" => Parameter::List(ListParameter::FollowUp),
            b"options" => Parameter::List(ListParameter::Options),
            b"suggest" | b"suggestion" => Parameter::List(ListParameter::Suggest),
            _ => Parameter::Other,
        }
    }
}
