//! The parameters of a call in an envelope, as text.

use super::arguments::ArgumentsReader;
use super::change::{AfterCall, Change};
use super::kinds::{Kind, Token};
use super::machine::{Context, EnvelopeMachine, TagRef};
use super::object::ARGUMENTS_KEYS;
use super::state::{After, EnvelopeState, Fence, ParameterValue, Style};
use crate::call::Call;
use crate::config::Entities;
use crate::json::arguments::Parameter;
use crate::note::Note;
use crate::reason::Reason;
use crate::shape::reader::Written;

impl EnvelopeMachine {
    /// Begins the value of the parameter whose name is in `key`.
    fn begin_value(&mut self, is_json: bool, context: &mut Context<'_>) {
        let is_first = self.state == EnvelopeState::Between { is_first: true };
        let may_be_all = is_first && ARGUMENTS_KEYS.iter().any(|key| key.as_bytes() == self.key.text());
        let value = match &mut self.reader {
            ArgumentsReader::None => ParameterValue::Nothing,
            ArgumentsReader::Own(_) => match Parameter::of(self.key.text()) {
                Parameter::Other if may_be_all => ParameterValue::Arguments,
                parameter => begin_own(parameter, is_json, context.call),
            },
            ArgumentsReader::Shape(reader) if may_be_all && !reader.knows(self.key.text()) => ParameterValue::Arguments,
            ArgumentsReader::Shape(reader) => {
                ParameterValue::Shaped(reader.begin_parameter(is_json, context.call, context.policy))
            }
        };
        self.key.clear();
        self.state = EnvelopeState::Value(value);
    }

    /// Appends text to the open value.
    ///
    /// Returns how many bytes were consumed: what follows JSON is left.
    pub(super) fn push_value(&mut self, value: ParameterValue, text: &str, context: &mut Context<'_>) -> usize {
        let Context { call, policy } = context;
        match value {
            ParameterValue::Question => call.push(text, policy),
            ParameterValue::List(_) => call.push_list(text, policy),
            ParameterValue::JsonQuestion | ParameterValue::Arguments => return self.begin_json(value, text, context),
            ParameterValue::JsonString | ParameterValue::Json => {
                if self.reader.is_closed() || self.reader.is_ill_formed() {
                    return text.len();
                }
                let mut pos = 0;
                self.reader.read(text, &mut pos, call, policy);
                self.break_value(context);
                return pos;
            }
            ParameterValue::Shaped(written) => return self.push_shaped(written, text, context),
            ParameterValue::Nothing => {}
        }
        text.len()
    }

    fn push_shaped(&mut self, written: Written, text: &str, context: &mut Context<'_>) -> usize {
        let Context { call, policy } = context;
        let ArgumentsReader::Shape(reader) = &mut self.reader else { return text.len() };
        let (written, consumed) = reader.push_parameter(written, text, call, policy);
        self.state = EnvelopeState::Value(ParameterValue::Shaped(written));
        self.break_value(context);
        consumed
    }

    /// Rejects the call if the JSON of a value is ill-formed.
    pub(super) fn break_value(&mut self, context: &mut Context<'_>) {
        if self.reader.is_ill_formed() {
            context.call.reject(Reason::Malformed(Note::IllFormedJson));
            self.state = EnvelopeState::Broken;
        }
    }

    /// Takes into account that the incomplete character `tail` follows.
    ///
    /// It follows in a value that a shape reads.
    pub(super) fn foresee_shaped(&mut self, written: Written, tail: &[u8], context: &mut Context<'_>) {
        let ArgumentsReader::Shape(reader) = &mut self.reader else { return };
        match written {
            Written::Text => reader.foresee_trimmed(tail, context.call, context.policy),
            Written::Json if !reader.is_parameter_closed() => {
                reader.foresee(tail, context.call, context.policy);
                // This is so only in what is no JSON.
                self.break_value(context);
            }
            Written::Blank { is_json } => {
                let written = reader.foresee_written(is_json, tail, context.call, context.policy);
                self.state = EnvelopeState::Value(ParameterValue::Shaped(written));
            }
            Written::Json | Written::Kept | Written::Nothing => {}
        }
    }

    /// Appends to the key of a parameter.
    pub(super) fn push_key(&mut self, text: &str) {
        if !self.reader.is_none() {
            self.key.push_untrimmed(text);
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
    fn begin_json(&mut self, value: ParameterValue, text: &str, context: &mut Context<'_>) -> usize {
        let is_question = value == ParameterValue::JsonQuestion;
        let blanks = text.len() - text.trim_start().len();
        let next = match text.as_bytes().get(blanks) {
            None => return text.len(),
            Some(b'"') if is_question => {
                if let ArgumentsReader::Own(arguments) = &mut self.reader {
                    arguments.begin_question();
                }
                ParameterValue::JsonString
            }
            Some(_) if is_question => {
                context.call.begin_question(false);
                ParameterValue::Question
            }
            Some(b'{') => {
                context.call.set_entities(Entities::Raw);
                ParameterValue::Json
            }
            Some(_) => ParameterValue::Nothing,
        };
        self.state = EnvelopeState::Value(next);
        blanks
    }

    fn end_value(&mut self, value: ParameterValue, context: &mut Context<'_>) {
        let Context { call, policy } = context;
        match value {
            ParameterValue::Question => call.end_question(policy),
            ParameterValue::JsonQuestion => call.begin_question(true),
            ParameterValue::List(list) => {
                if let ArgumentsReader::Own(arguments) = &mut self.reader {
                    call.set_entities(Entities::Raw);
                    arguments.read_raw_list(list, call, policy);
                    call.set_entities(policy.entities);
                }
            }
            ParameterValue::JsonString | ParameterValue::Json => {
                if !self.reader.is_closed() {
                    call.reject(Reason::Malformed(Note::IllFormedJson));
                }
                call.set_entities(policy.entities);
            }
            ParameterValue::Shaped(written) => {
                if let ArgumentsReader::Shape(reader) = &mut self.reader {
                    reader.end_parameter(written, call, policy);
                }
            }
            ParameterValue::Arguments | ParameterValue::Nothing => {}
        }
        self.state = EnvelopeState::Between { is_first: false };
    }

    /// Acts on a tag in a call.
    pub(super) fn act_in_call(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Change {
        match (self.state, tag.kind, tag.is_close) {
            (EnvelopeState::Key { is_first }, Kind::Key, true) => self.state = EnvelopeState::Between { is_first },
            (EnvelopeState::Value(value), Kind::Parameter { .. } | Kind::Value, true) => self.end_value(value, context),
            (EnvelopeState::Value(value), ..) => {
                if self.is_read() {
                    context.call.repair(Note::UnclosedParameter, context.policy);
                }
                self.end_value(value, context);
                return self.act_between(tag, context);
            }
            _ => return self.act_between(tag, context),
        }
        Change::Stay
    }

    fn act_between(&mut self, tag: &TagRef<'_>, context: &mut Context<'_>) -> Change {
        match (tag.kind, tag.is_close) {
            (Kind::Parameter { json }, false) => {
                self.clear_key();
                self.push_key(tag.value);
                self.begin_value(json, context);
            }
            (Kind::Key, false) => {
                self.clear_key();
                self.state = EnvelopeState::Key { is_first: self.state == EnvelopeState::Between { is_first: true } };
            }
            (Kind::Value, false) => {
                self.key.trim_end();
                self.begin_value(false, context);
            }
            (Kind::CallEnd, true) | (Kind::Token(Token::CallEnd | Token::DeepseekCallEnd), _) => {
                self.end = tag.end;
                self.reader.end_parameters(context.call, context.policy);
                self.fence = Fence::None;
                self.after(After { is_closed: true, ..After::default() });
            }
            (Kind::Wrapper { .. }, true) => {
                if self.style == Style::Tag {
                    self.note_unclosed(context);
                }
                self.end = tag.end;
                return self.finish(AfterCall::Prose, context);
            }
            (Kind::Token(_), _) => {
                self.end = tag.end;
                return self.finish(AfterCall::Prose, context);
            }
            _ => {}
        }
        Change::Stay
    }
}

/// Begins a parameter of our tool.
fn begin_own(parameter: Parameter, is_json: bool, call: &mut Call) -> ParameterValue {
    match parameter {
        Parameter::Question if is_json => ParameterValue::JsonQuestion,
        Parameter::Question => {
            call.begin_question(false);
            ParameterValue::Question
        }
        Parameter::List(list) => {
            call.begin_list();
            ParameterValue::List(list)
        }
        Parameter::Other => ParameterValue::Nothing,
    }
}
