//! The parameters of a call in an envelope, as text.

use super::arguments::ArgumentsReader;
use super::kinds::{Kind, Token};
use super::machine::{Context, EnvelopeMachine, TagRef};
use super::state::{After, State, Style, Value};
use super::turn::{Next, Turn};
use crate::call::Call;
use crate::config::Entities;
use crate::json::arguments::Parameter;
use crate::note::Note;
use crate::reason::Reason;
use crate::shape::reader::Written;

impl EnvelopeMachine {
    /// Begins the value of the parameter whose name is in `key`.
    fn begin_value(&mut self, is_json: bool, context: &mut Context<'_>) {
        let is_first = self.state == State::Between { is_first: true };
        let may_be_all = is_first && is_arguments(self.key.text());
        let value = match &mut self.reader {
            ArgumentsReader::None => Value::Nothing,
            ArgumentsReader::Own(_) => match Parameter::of(&self.key) {
                Parameter::Other if may_be_all => Value::Arguments,
                parameter => begin_own(parameter, is_json, context.call),
            },
            ArgumentsReader::Shape(reader) if may_be_all && !reader.knows(self.key.text()) => Value::Arguments,
            ArgumentsReader::Shape(reader) => {
                Value::Shaped(reader.begin_parameter(is_json, context.call, context.policy))
            }
        };
        self.key.clear();
        self.state = State::Value(value);
    }

    /// Appends text to the open value. Returns how many bytes were consumed: what comes after JSON
    /// is left.
    pub(super) fn push_value(&mut self, value: Value, text: &str, context: &mut Context<'_>) -> usize {
        let Context { call, policy } = context;
        match value {
            Value::Question => call.push(text, policy),
            Value::List(_) => call.push_list(text, policy),
            Value::JsonQuestion | Value::Arguments => return self.begin_json(value, text, context),
            Value::JsonString | Value::Json => {
                if self.reader.is_closed() || self.reader.is_ill_formed() {
                    return text.len();
                }
                let mut pos = 0;
                self.reader.read(text, &mut pos, call, policy);
                self.break_value(context);
                return pos;
            }
            Value::Shaped(written) => return self.push_shaped(written, text, context),
            Value::Nothing => {}
        }
        text.len()
    }

    fn push_shaped(&mut self, written: Written, text: &str, context: &mut Context<'_>) -> usize {
        let Context { call, policy } = context;
        let ArgumentsReader::Shape(reader) = &mut self.reader else { return text.len() };
        let (written, consumed) = reader.push_parameter(written, text, call, policy);
        self.state = State::Value(Value::Shaped(written));
        self.break_value(context);
        consumed
    }

    /// Rejects the call if the JSON of a value is ill-formed.
    fn break_value(&mut self, context: &mut Context<'_>) {
        if self.reader.is_ill_formed() {
            context.call.reject(Reason::Malformed(Note::IllFormedJson));
            self.state = State::Broken;
        }
    }

    /// Takes into account that the incomplete character `tail` follows in a value that a shape
    /// reads.
    pub(super) fn foresee_shaped(&mut self, written: Written, tail: &[u8], context: &mut Context<'_>) {
        let ArgumentsReader::Shape(reader) = &mut self.reader else { return };
        match written {
            Written::Text => reader.foresee_trimmed(tail, context.call, context.policy),
            Written::Json if !reader.is_parameter_closed() => {
                reader.foresee(tail, context.call, context.policy);
                // This is so only in what is no JSON.
                self.break_value(context);
            }
            Written::Json | Written::Blank { .. } | Written::Nothing => {}
        }
    }

    /// Appends to the key of a parameter.
    pub(super) fn push_key(&mut self, text: &str) {
        if !self.reader.is_none() {
            self.key.push(text);
        }
        if let ArgumentsReader::Shape(reader) = &mut self.reader {
            reader.push_key(text);
        }
    }

    fn clear_key(&mut self) {
        self.key.clear();
        if let ArgumentsReader::Shape(reader) = &mut self.reader {
            reader.clear_key();
        }
    }

    /// Consumes blanks before a value that may be JSON, and decides what it is.
    fn begin_json(&mut self, value: Value, text: &str, context: &mut Context<'_>) -> usize {
        let is_question = value == Value::JsonQuestion;
        let blanks = text.len() - text.trim_start().len();
        let next = match text.as_bytes().get(blanks) {
            None => return text.len(),
            Some(b'"') if is_question => {
                if let ArgumentsReader::Own(arguments) = &mut self.reader {
                    arguments.begin_question();
                }
                Value::JsonString
            }
            Some(_) if is_question => {
                context.call.begin_question(false);
                Value::Question
            }
            Some(b'{') => {
                context.call.set_entities(Entities::Raw);
                Value::Json
            }
            Some(_) => Value::Nothing,
        };
        self.state = State::Value(next);
        blanks
    }

    fn end_value(&mut self, value: Value, context: &mut Context<'_>) {
        let Context { call, policy } = context;
        match value {
            Value::Question => call.end_question(policy),
            Value::JsonQuestion => call.begin_question(true),
            Value::List(list) => {
                if let ArgumentsReader::Own(arguments) = &mut self.reader {
                    call.set_entities(Entities::Raw);
                    arguments.read_raw_list(list, call, policy);
                    call.set_entities(policy.entities);
                }
            }
            Value::JsonString | Value::Json => {
                if !self.reader.is_closed() {
                    call.reject(Reason::Malformed(Note::IllFormedJson));
                }
                call.set_entities(policy.entities);
            }
            Value::Shaped(written) => {
                if let ArgumentsReader::Shape(reader) = &mut self.reader {
                    reader.end_parameter(written, call, policy);
                }
            }
            Value::Arguments | Value::Nothing => {}
        }
        self.state = State::Between { is_first: false };
    }

    /// Acts on a tag in a call.
    pub(super) fn act_in_call(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Turn {
        match (self.state, tag.kind, tag.is_close) {
            (State::Key { is_first }, Kind::Key, true) => self.state = State::Between { is_first },
            (State::Value(value), Kind::Parameter { .. } | Kind::Value, true) => self.end_value(value, context),
            (State::Value(value), ..) => {
                if self.is_read() {
                    context.call.repair(Note::UnclosedParameter, context.policy);
                }
                self.end_value(value, context);
                return self.act_between(tag, context);
            }
            _ => return self.act_between(tag, context),
        }
        Turn::Stay
    }

    fn act_between(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Turn {
        match (tag.kind, tag.is_close) {
            (Kind::Parameter { json }, false) => {
                self.clear_key();
                self.push_key(tag.value);
                self.begin_value(json, context);
            }
            (Kind::Key, false) => {
                self.clear_key();
                self.state = State::Key { is_first: self.state == State::Between { is_first: true } };
            }
            (Kind::Value, false) => {
                self.key.trim();
                self.begin_value(false, context);
            }
            (Kind::CallEnd, true) | (Kind::Token(Token::CallEnd | Token::DeepseekCallEnd), _) => {
                self.end = tag.end;
                self.reader.end_parameters(context.call, context.policy);
                self.after(After { is_closed: true, ..After::default() });
            }
            (Kind::Wrapper { .. }, true) => {
                if self.style == Style::Tag {
                    self.note_unclosed(context);
                }
                self.end = tag.end;
                return self.finish(Next::Prose, context);
            }
            (Kind::Token(_), _) => {
                self.end = tag.end;
                return self.finish(Next::Prose, context);
            }
            _ => {}
        }
        Turn::Stay
    }
}

/// Begins a parameter of our tool.
fn begin_own(parameter: Parameter, is_json: bool, call: &mut Call) -> Value {
    match parameter {
        Parameter::Question if is_json => Value::JsonQuestion,
        Parameter::Question => {
            call.begin_question(false);
            Value::Question
        }
        Parameter::List(list) => {
            call.begin_list();
            Value::List(list)
        }
        Parameter::Other => Value::Nothing,
    }
}

/// Returns `true` if a parameter of this name may hold all arguments.
fn is_arguments(key: &[u8]) -> bool {
    matches!(key, b"arguments" | b"input" | b"parameters" | b"args")
}
