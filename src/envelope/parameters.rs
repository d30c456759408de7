//! The parameters of a call in an envelope, as text.

use super::machine::{Context, EnvelopeMachine, Next, TagRef, Turn};
use super::state::{After, State, Style, Value};
use super::tag::{Kind, Token};
use crate::config::Entities;
use crate::json::arguments::Parameter;
use crate::note::Note;
use crate::reason::Reason;

impl EnvelopeMachine {
    /// Begins the value of the parameter whose name is in `key`.
    fn begin_value(&mut self, is_json: bool, context: &mut Context<'_>) {
        let is_first = !core::mem::replace(&mut self.has_parameter, true);
        let value = match Parameter::of(&self.key) {
            _ if !self.ours => Value::Nothing,
            Parameter::Question if is_json => Value::JsonQuestion,
            Parameter::Question => {
                context.call.begin_question(false);
                Value::Question
            }
            Parameter::List(list) => {
                self.list = list;
                context.call.begin_list();
                Value::List
            }
            Parameter::Other if is_first && is_arguments(self.key.text()) => Value::Arguments,
            Parameter::Other => Value::Nothing,
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
            Value::List => call.push_list(text, policy),
            Value::JsonQuestion | Value::Arguments => return self.begin_json(value, text, context),
            Value::JsonString | Value::Json => {
                if self.arguments.is_closed() || self.arguments.is_ill_formed() {
                    return text.len();
                }
                let mut pos = 0;
                self.arguments.read(text, &mut pos, call, policy);
                if self.arguments.is_ill_formed() {
                    call.reject(Reason::Malformed(Note::IllFormedJson));
                    self.state = State::Broken;
                }
                return pos;
            }
            Value::Nothing => {}
        }
        text.len()
    }

    /// Consumes blanks before a value that may be JSON, and decides what it is.
    fn begin_json(&mut self, value: Value, text: &str, context: &mut Context<'_>) -> usize {
        let is_question = value == Value::JsonQuestion;
        let blanks = text.len() - text.trim_start().len();
        let next = match text.as_bytes().get(blanks) {
            None => return text.len(),
            Some(b'"') if is_question => {
                self.arguments.begin_question();
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
            Value::List => {
                if let Some(text) = call.take_list() {
                    call.set_entities(Entities::Raw);
                    self.arguments.read_raw_list(self.list, &text, call, policy);
                    call.set_entities(policy.entities);
                }
            }
            Value::JsonString | Value::Json => {
                if !self.arguments.is_closed() {
                    call.reject(Reason::Malformed(Note::IllFormedJson));
                }
                call.set_entities(policy.entities);
            }
            Value::Arguments | Value::Nothing => {}
        }
        self.state = State::Between;
    }

    /// Acts on a tag in a call.
    pub(super) fn act_in_call(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Turn {
        match (self.state, tag.kind, tag.is_close) {
            (State::Key, Kind::Key, true) => self.state = State::Between,
            (State::Value(value), Kind::Parameter { .. } | Kind::Value, true) => self.end_value(value, context),
            (State::Value(value), ..) => {
                if self.ours {
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
                self.key.clear();
                if self.ours {
                    self.key.push(tag.value);
                }
                self.begin_value(json, context);
            }
            (Kind::Key, false) => {
                self.key.clear();
                self.state = State::Key;
            }
            (Kind::Value, false) => {
                self.key.trim();
                self.begin_value(false, context);
            }
            (Kind::CallEnd, true) | (Kind::Token(Token::CallEnd | Token::DeepseekCallEnd), _) => {
                self.end = tag.end;
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

/// Returns `true` if a parameter of this name may hold all arguments.
fn is_arguments(key: &[u8]) -> bool {
    matches!(key, b"arguments" | b"input" | b"parameters" | b"args")
}
