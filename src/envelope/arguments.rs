//! What reads the arguments of a call: that depends on its tool.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::name;
use crate::call::Call;
use crate::config::Policy;
use crate::json::arguments::{Arguments, Parameter};
use crate::json::lexer::Lexer;
use crate::note::Note;
use crate::reason::{CallPart, Reason};
use crate::shape::Shape;
use crate::shape::reader::{ShapeReader, Written};
use crate::space::is_space;

/// Reads the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum ArgumentsReader {
    /// Nothing: the call is one of another tool, or it is not known yet whose it is.
    None,
    /// Those of `ask_followup_question`.
    Own(Arguments),
    /// Those of a tool that has a shape.
    Shape(Box<ShapeReader>),
}

impl ArgumentsReader {
    /// Returns the reader for a call of the tool with this name.
    pub(super) fn of(name: &str, policy: &Policy) -> ArgumentsReader {
        if name::is_ours(name) {
            return ArgumentsReader::Own(Arguments::NEW);
        }
        match policy.shapes.find_in_text(name::bare(name)) {
            Some(shape) => ArgumentsReader::Shape(Box::new(ShapeReader::without_fence(shape))),
            None => ArgumentsReader::None,
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        matches!(self, ArgumentsReader::None)
    }

    /// Begins what the call is built in.
    pub(super) fn begin(&self, name: &str, call: &mut Call) {
        if let ArgumentsReader::Shape(reader) = self {
            call.begin_form(name::bare(name), reader.shape_name());
        }
    }

    /// Reads JSON from `*pos`, up to its end or to something that is certain and not shown.
    ///
    /// Stops at the end of the text, too.
    pub(crate) fn read(&mut self, text: &str, pos: &mut usize, call: &mut Call, policy: &Arc<Policy>) {
        match self {
            ArgumentsReader::None => *pos = text.len(),
            ArgumentsReader::Own(arguments) => arguments.read(text, pos, call, policy),
            ArgumentsReader::Shape(reader) => {
                reader.read(text, pos, call, policy);
            }
        }
    }

    /// Resets the reader. A shape is kept.
    pub(crate) fn restart(&mut self) {
        match self {
            ArgumentsReader::None => {}
            ArgumentsReader::Own(arguments) => *arguments = Arguments::NEW,
            ArgumentsReader::Shape(reader) => reader.restart(),
        }
    }

    /// Begins to read the arguments out of a string, which is the whole stream of a native call.
    pub(super) fn begin_decoded(&mut self) {
        if let ArgumentsReader::Shape(reader) = self {
            reader.allow_fence();
        }
    }

    /// Reads decoded text of the arguments in a string.
    ///
    /// Stops at the end of a value of a tool that has a shape. Returns how many bytes were read,
    /// and whether such a value has ended.
    pub(super) fn read_decoded(&mut self, text: &str, call: &mut Call, policy: &Arc<Policy>) -> (usize, bool) {
        let mut pos = 0;
        match self {
            ArgumentsReader::None => {}
            ArgumentsReader::Own(arguments) => {
                while pos < text.len() && !arguments.lexer.is_closed() && !arguments.lexer.is_ill_formed() {
                    arguments.read(text, &mut pos, call, policy);
                }
                if arguments.lexer.is_ill_formed() {
                    call.reject(Reason::Malformed(Note::IllFormedJson));
                } else if text[pos..].bytes().any(|byte| !is_space(byte)) {
                    call.repair(Note::TextAfterArguments, policy);
                }
            }
            ArgumentsReader::Shape(reader) => {
                while pos < text.len() && !call.has_failed() {
                    if reader.read(text, &mut pos, call, policy) {
                        return (pos, true);
                    }
                }
            }
        }
        (text.len(), false)
    }

    /// Reads all of a decoded text of the arguments in a string.
    pub(super) fn push_decoded(&mut self, text: &str, call: &mut Call, policy: &Arc<Policy>) {
        let mut pos = 0;
        while pos < text.len() {
            pos += self.read_decoded(&text[pos..], call, policy).0;
        }
    }

    /// Takes into account that the incomplete character `tail` follows.
    pub(crate) fn foresee(&mut self, tail: &[u8], call: &mut Call, policy: &Arc<Policy>) {
        match self {
            ArgumentsReader::None => {}
            ArgumentsReader::Own(arguments) => arguments.foresee(tail, call, policy),
            ArgumentsReader::Shape(reader) => reader.foresee(tail, call, policy),
        }
    }

    /// Returns the lexer of the arguments, if they are read.
    fn lexer(&self) -> Option<&Lexer> {
        match self {
            ArgumentsReader::None => None,
            ArgumentsReader::Own(arguments) => Some(&arguments.lexer),
            ArgumentsReader::Shape(reader) => Some(reader.lexer()),
        }
    }

    /// Returns `true` if the arguments have ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.lexer().is_some_and(Lexer::is_closed)
    }

    /// Returns `true` if the arguments are not JSON.
    pub(super) fn is_ill_formed(&self) -> bool {
        self.lexer().is_some_and(Lexer::is_ill_formed)
    }

    /// Returns `true` if the text has no delimiter of the open string, and its effect is simple.
    pub(super) fn is_plain(&self, text: &str) -> bool {
        match self {
            ArgumentsReader::Own(arguments) => arguments.lexer.plain_len(text, 0) == text.len(),
            ArgumentsReader::None | ArgumentsReader::Shape(_) => false,
        }
    }

    /// Returns the part of the call in which the stream is now.
    pub(crate) fn part(&self) -> CallPart {
        match self {
            ArgumentsReader::None => CallPart::Parameters,
            ArgumentsReader::Own(arguments) => arguments.part(),
            ArgumentsReader::Shape(reader) => reader.part(),
        }
    }

    /// Returns the part of the call that the open parameter is.
    pub(super) fn part_in(&self, written: Written) -> CallPart {
        if let ArgumentsReader::Shape(reader) = self { reader.part_in(written) } else { CallPart::Parameters }
    }

    /// Returns `true` if the JSON of the open parameter has ended.
    pub(super) fn is_parameter_closed(&self) -> bool {
        if let ArgumentsReader::Shape(reader) = self { reader.is_parameter_closed() } else { false }
    }

    /// Returns `true` if this key makes bare JSON a call.
    ///
    /// It is in the arguments, with a string or a list.
    pub(super) fn is_main_key(&self, key: &[u8]) -> bool {
        match self {
            ArgumentsReader::None => false,
            ArgumentsReader::Own(_) => Parameter::of(key) != Parameter::Other,
            ArgumentsReader::Shape(reader) => reader.is_main_key(key),
        }
    }

    /// Ends the arguments after the last parameter.
    pub(super) fn end_parameters(&mut self, call: &mut Call, policy: &Arc<Policy>) {
        if let ArgumentsReader::Shape(reader) = self {
            reader.end_parameters(call, policy);
        }
    }

    /// Ends the call where no value is open. `cut`: it was the stream that ended.
    pub(crate) fn end(&mut self, cut: bool, call: &mut Call, policy: &Arc<Policy>) {
        let ArgumentsReader::Shape(reader) = self else { return call.end(cut, policy) };
        if cut && !call.form().is_some_and(|form| form.has_question()) {
            return call.reject(Reason::Truncated(CallPart::Parameters));
        }
        reader.end_parameters(call, policy);
        if !reader.lexer().is_closed() {
            return call.reject(Reason::MissingParameter);
        }
        reader.end(call, policy);
        if cut {
            call.end_cut(policy);
        }
    }

    /// Restores a state from a checkpoint. `shape`: the one that reads the calls of this tool.
    ///
    /// Returns `false` if it is out of bounds, or if it needs a shape and there is none.
    pub(crate) fn restore(&mut self, shape: Option<Shape>, policy: &Policy) -> bool {
        match self {
            ArgumentsReader::None => true,
            ArgumentsReader::Own(arguments) => arguments.is_in_bounds(),
            ArgumentsReader::Shape(reader) => shape.is_some_and(|shape| reader.restore(shape, policy)),
        }
    }
}
