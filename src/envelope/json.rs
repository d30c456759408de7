//! JSON in envelopes: the arguments of a call, and the object around them.

use super::machine::{Context, EnvelopeMachine, Next, Turn};
use super::name::NameText;
use super::object::Found;
use super::state::{After, Json, State, Style};
use crate::note::Note;
use crate::reason::Reason;

impl EnvelopeMachine {
    /// Consumes text of JSON.
    pub(super) fn push_json(&mut self, json: Json, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        match json {
            Json::Arguments { in_object } => self.push_arguments(in_object, text, context),
            Json::Object => self.push_object_of_ours(text, context),
            Json::Text => self.push_text(text, context),
            Json::Other => self.push_other(text, context),
        }
    }

    fn push_arguments(&mut self, in_object: bool, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        let mut pos = 0;
        self.arguments.read(text, &mut pos, context.call, context.policy);
        if self.arguments.is_ill_formed() {
            return (pos, self.break_off(context));
        }
        if !self.arguments.is_closed() {
            return (pos, Turn::Stay);
        }
        if in_object {
            self.object.skip_read_arguments();
            self.state = State::Json(Json::Object);
            return (pos, Turn::Stay);
        }
        (pos, self.end_json(context))
    }

    /// Consumes text of the object around the arguments of our tool.
    fn push_object_of_ours(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        let mut pos = 0;
        loop {
            match self.object.next(text, &mut pos, &mut self.name) {
                None => return (text.len(), Turn::Stay),
                Some(Found::Arguments(b'"')) => {
                    self.object.read_arguments_as_text();
                    self.state = State::Json(Json::Text);
                    return (pos, Turn::Stay);
                }
                Some(Found::Arguments(_)) => {
                    self.state = State::Json(Json::Arguments { in_object: true });
                    return (pos, Turn::Stay);
                }
                Some(Found::End) => return (pos, self.end_json(context)),
                Some(Found::IllFormed) => {
                    let is_tag = text.as_bytes().get(pos) == Some(&b'<');
                    // A closing bracket is missing before a tag.
                    if self.object.lacks_end() && is_tag && self.style != Style::Bare {
                        self.note_unclosed(context);
                        return (pos, self.end_json(context));
                    }
                    return (pos, self.break_off(context));
                }
                Some(_) => {}
            }
        }
    }

    /// Consumes text of the arguments in a string.
    fn push_text(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        let mut pos = 0;
        loop {
            match self.object.next(text, &mut pos, &mut self.name) {
                None => return (text.len(), Turn::Stay),
                Some(Found::Text(len)) => self.push_decoded(&text[pos - len..pos], context),
                Some(Found::Char(char)) => self.push_decoded(char.encode_utf8(&mut [0; 4]), context),
                Some(Found::TextEnd) => {
                    if !self.arguments.is_closed() {
                        context.call.cut(self.arguments.place(), context.policy);
                    }
                    self.state = State::Json(Json::Object);
                    return (pos, Turn::Stay);
                }
                Some(_) => {}
            }
        }
    }

    fn push_decoded(&mut self, text: &str, context: &mut Context<'_>) {
        let mut pos = 0;
        while pos < text.len() && !self.arguments.is_closed() && !self.arguments.is_ill_formed() {
            self.arguments.read(text, &mut pos, context.call, context.policy);
        }
        if self.arguments.is_ill_formed() {
            context.call.reject(Reason::Malformed(Note::IllFormedJson));
        } else if text[pos..].bytes().any(|byte| !byte.is_ascii_whitespace()) {
            context.call.repair(Note::TextAfterArguments, context.policy);
        }
    }

    /// Consumes the JSON of another tool's call.
    fn push_other(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Turn) {
        // The name of the call is known: no other one counts.
        let (mut pos, mut unused) = (0, NameText::NEW);
        loop {
            match self.object.next(text, &mut pos, &mut unused) {
                None => return (text.len(), Turn::Stay),
                Some(Found::Arguments(_)) => self.object.skip_arguments(),
                Some(Found::End) => return (pos, self.end_json(context)),
                Some(Found::IllFormed) => {
                    let is_tag = text.as_bytes().get(pos) == Some(&b'<');
                    if self.has_object && self.object.lacks_end() && is_tag && self.object.depth() == 1 {
                        return (pos, self.end_json(context));
                    }
                    return (pos, self.break_off(context));
                }
                Some(_) => {}
            }
        }
    }

    /// The JSON has ended.
    fn end_json(&mut self, context: &mut Context<'_>) -> Turn {
        self.ends_here = true;
        match self.style {
            Style::Bare | Style::Mistral => self.finish(Next::Prose, context),
            _ => {
                self.after(After::default());
                Turn::Stay
            }
        }
    }

    /// The JSON is ill-formed from here on.
    fn break_off(&mut self, context: &mut Context<'_>) -> Turn {
        if self.ours {
            context.call.reject(Reason::Malformed(Note::IllFormedJson));
        }
        self.state = State::Broken;
        if let Style::Bare | Style::Mistral | Style::MistralList | Style::Llama = self.style {
            self.ends_here = true;
            return self.finish(Next::Prose, context);
        }
        Turn::Stay
    }
}
