//! JSON in envelopes: the arguments of a call, and the object around them.

use super::change::{AfterCall, Change};
use super::machine::{Context, EnvelopeMachine};
use super::object::ObjectPart;
use super::state::{After, EnvelopeState, Fence, Json, Style};
use crate::note::Note;
use crate::reason::Reason;
use crate::utf8::SOME_CHAR;

impl EnvelopeMachine {
    /// Consumes text of JSON.
    pub(super) fn push_json(&mut self, json: Json, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        match json {
            Json::Arguments { in_object } => self.push_arguments(in_object, text, context),
            Json::Object => self.push_around(text, context),
            Json::Text => self.push_text(text, context),
        }
    }

    fn push_arguments(&mut self, in_object: bool, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        let mut pos = 0;
        self.reader.read(text, &mut pos, context.call, context.policy);
        if self.reader.is_ill_formed() {
            return (pos, self.break_off(context));
        }
        if !self.reader.is_closed() {
            return (pos, Change::Stay);
        }
        if in_object {
            self.object.skip_read_arguments();
            self.state = EnvelopeState::Json(Json::Object);
            return (pos, Change::Stay);
        }
        (pos, self.end_json(context))
    }

    /// Consumes text of the object around the arguments, or of the arguments of another tool.
    fn push_around(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        let mut pos = 0;
        loop {
            // The name of the call is known: no other one counts.
            match self.object.next(text, &mut pos, &mut self.name, context.policy) {
                None => return (text.len(), Change::Stay),
                Some(ObjectPart::Arguments(_)) if !self.is_read() => self.object.skip_arguments(),
                Some(ObjectPart::Arguments(b'"')) => {
                    self.object.has_arguments = true;
                    self.reader.begin_decoded();
                    self.state = EnvelopeState::Json(Json::Text);
                    return (pos, Change::Stay);
                }
                Some(ObjectPart::Arguments(_)) => {
                    self.state = EnvelopeState::Json(Json::Arguments { in_object: true });
                    return (pos, Change::Stay);
                }
                Some(ObjectPart::End) => return (pos, self.end_json(context)),
                Some(ObjectPart::IllFormed) => {
                    let is_tag = text.as_bytes().get(pos) == Some(&b'<');
                    let is_object = matches!(self.style, Style::Object | Style::Llama | Style::MistralList);
                    // A closing bracket is missing before a tag.
                    if is_tag && is_object && self.object.lacks_end() {
                        self.note_unclosed(context);
                        return (pos, self.end_json(context));
                    }
                    return (pos, self.break_off(context));
                }
                Some(_) => {}
            }
        }
    }

    /// Takes into account that the incomplete character `tail` follows.
    ///
    /// It follows in the arguments in a string.
    pub(super) fn foresee_text(&mut self, tail: &[u8], context: &mut Context<'_>) {
        let Context { call, policy } = &mut *context;
        let mut pos = 0;
        // It ends an escape, and is no part of it.
        while !self.object.lexer.is_in_text()
            && let Some(ObjectPart::Char(char)) = self.object.next(SOME_CHAR, &mut pos, &mut self.name, policy)
        {
            self.reader.push_decoded(char.encode_utf8(&mut [0; 4]), call, policy);
        }
        self.reader.foresee(tail, call, policy);
    }

    /// Consumes text of the arguments in a string.
    fn push_text(&mut self, text: &str, context: &mut Context<'_>) -> (usize, Change) {
        let mut pos = 0;
        loop {
            let Context { call, policy } = &mut *context;
            match self.object.next(text, &mut pos, &mut self.name, policy) {
                None => return (text.len(), Change::Stay),
                Some(ObjectPart::Text(len)) => {
                    let (read, has_ended) = self.reader.read_decoded(&text[pos - len..pos], call, policy);
                    if has_ended {
                        // More may be certain. The rest of the text is read again.
                        return (pos - (len - read), Change::Stay);
                    }
                }
                Some(ObjectPart::Char(char)) => {
                    let mut buffer = [0; 4];
                    let char = char.encode_utf8(&mut buffer);
                    let (read, has_ended) = self.reader.read_decoded(char, call, policy);
                    self.reader.push_decoded(&char[read..], call, policy);
                    if has_ended {
                        return (pos, Change::Stay);
                    }
                }
                Some(ObjectPart::TextEnd) => {
                    if !self.reader.is_closed() {
                        call.cut(self.reader.part(), policy);
                    }
                    self.state = EnvelopeState::Json(Json::Object);
                    return (pos, Change::Stay);
                }
                Some(_) => {}
            }
        }
    }

    /// The JSON has ended.
    fn end_json(&mut self, context: &mut Context<'_>) -> Change {
        self.ends_here = true;
        match self.style {
            Style::Bare | Style::Mistral => self.finish(AfterCall::Prose, context),
            _ => {
                self.after(After::default());
                Change::Stay
            }
        }
    }

    /// Consumes text after ill-formed JSON, up to the end of its fence. Returns how many bytes.
    pub(super) fn push_broken(&mut self, text: &str) -> usize {
        if self.fence == Fence::None {
            return text.len();
        }
        for (i, byte) in text.bytes().enumerate() {
            self.fence = match (self.fence, byte) {
                (_, b'\n') | (Fence::Closing(0), b' ' | b'\t' | b'\r') => Fence::Closing(0),
                (Fence::Closing(2..), b'`') => {
                    self.fence = Fence::None;
                    return i + 1;
                }
                (Fence::Closing(ticks), b'`') => Fence::Closing(ticks + 1),
                _ => Fence::Open,
            };
        }
        text.len()
    }

    /// The JSON is ill-formed from here on.
    pub(super) fn break_off(&mut self, context: &mut Context<'_>) -> Change {
        if self.is_read() {
            context.call.reject(Reason::Malformed(Note::IllFormedJson));
        }
        self.state = EnvelopeState::Broken;
        if self.fence != Fence::None {
            self.fence = Fence::Closing(0);
        }
        if let Style::Bare | Style::Mistral | Style::MistralList | Style::Llama = self.style {
            self.ends_here = true;
            return self.finish(AfterCall::Prose, context);
        }
        Change::Stay
    }
}
