//! The machine for the arguments of a native call.
//!
//! A stream is the arguments of one call, and the call ends exactly where the stream ends. Nothing
//! is read twice, and after an error the rest of the stream is skipped.

use alloc::boxed::Box;
use alloc::sync::Arc;

use super::arguments::Arguments;
use crate::call::{Addition, Call};
use crate::config::Policy;
use crate::envelope::arguments::ArgumentsReader;
use crate::lazy::{Fresh, Lazy};
use crate::shape::Shape;
use crate::shape::reader::ShapeReader;
use crate::signal::{Piece, Signal};

/// The machine for the arguments of a native call.
#[derive(Clone, Debug)]
pub(crate) struct JsonMachine {
    policy: Arc<Policy>,
    buffers: Lazy<JsonBuffers>,
    stage: Stage,
    /// The tool that is called, if it is not `ask_followup_question`.
    tool: Option<Box<ShapedTool>>,
}

/// A tool that a shape reads.
#[derive(Clone, Debug)]
struct ShapedTool {
    name: Box<str>,
    shape: Shape,
}

/// The state of a stream, allocated for the first one and reused for the next.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct JsonBuffers {
    /// Reads the arguments.
    reader: ArgumentsReader,
    call: Call,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Open,
    /// The stream and the call have ended; events may be left.
    Ending,
    /// The event of the call's end has been emitted.
    Ended,
}

impl Fresh for JsonBuffers {
    const FRESH: JsonBuffers = JsonBuffers { reader: ArgumentsReader::Own(Arguments::NEW), call: Call::NEW };
    const SEEN: &'static JsonBuffers = &JsonBuffers::FRESH;
}

impl JsonMachine {
    pub(crate) fn new(policy: Arc<Policy>) -> JsonMachine {
        JsonMachine { policy, buffers: Lazy::NEW, stage: Stage::Open, tool: None }
    }

    /// Creates a machine for the arguments of a tool that a shape reads.
    pub(crate) fn of_tool(policy: Arc<Policy>, name: &str, shape: Shape) -> JsonMachine {
        let tool = Some(Box::new(ShapedTool { name: name.into(), shape }));
        let mut machine = JsonMachine { tool, ..JsonMachine::new(policy) };
        machine.begin_form();
        machine
    }

    /// Begins the call if a shape reads it.
    fn begin_form(&mut self) {
        if let Some(tool) = &self.tool {
            self.buffers.reader = ArgumentsReader::Shape(Box::new(ShapeReader::new(tool.shape.clone())));
            self.buffers.call.begin_form(&tool.name, tool.shape.name());
        }
    }

    /// Returns the shape that reads the arguments, if one does.
    #[cfg(feature = "wire")]
    pub(crate) fn shape(&self) -> Option<&Shape> {
        self.tool.as_ref().map(|tool| &tool.shape)
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    pub(crate) fn call(&self) -> &Call {
        &self.buffers.call
    }

    /// Rejects the call: a part of it was lost.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        self.buffers.call.spoil();
    }

    /// Returns the number of calls that have ended: one, until the next stream.
    pub(crate) fn calls(&self) -> u64 {
        u64::from(self.stage == Stage::Ended)
    }

    /// Appends a chunk without a delimiter to the open value: the fast path.
    ///
    /// Returns what is to be shown; `None` if the slow path has to read the chunk, and then nothing
    /// has changed.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> Option<Addition> {
        if self.buffers.is_fresh() {
            return None;
        }
        let JsonBuffers { reader, call } = &mut *self.buffers;
        match reader {
            // This fails unless an open value is shown while it grows.
            ArgumentsReader::Own(arguments) if arguments.lexer.plain_len(text, 0) == text.len() => {
                call.push_plain(text, &self.policy)
            }
            ArgumentsReader::Shape(reader) => push_plain_shaped(reader, text, call, &self.policy),
            _ => None,
        }
    }

    /// Returns `true` if it is known that there is no event without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        !self.buffers.call.has_failed() && self.buffers.call.is_all_shown()
    }

    /// Reads `piece` from `*pos` up to the next signal.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        let text = piece.text;
        // An empty chunk allocates nothing.
        if *pos == text.len() && self.buffers.is_fresh() {
            return Signal::More;
        }
        // A token can make several things certain. Emit them before the next token.
        if let Some(delta) = self.buffers.call.next_delta() {
            return Signal::Partial(delta);
        }
        let JsonBuffers { reader, call } = &mut *self.buffers;
        let ArgumentsReader::Own(arguments) = reader else {
            return step_shaped(reader, text, pos, call, &self.policy);
        };
        while !call.has_failed() && arguments.read_next(text, pos, call, &self.policy) {}
        if call.has_failed() {
            *arguments = Arguments::NEW;
            *pos = text.len();
        }
        self.partial()
    }

    fn partial(&mut self) -> Signal {
        if self.buffers.is_fresh() {
            return Signal::More;
        }
        self.buffers.call.next_delta().map_or(Signal::More, Signal::Partial)
    }

    /// Emits what the incomplete character `tail` makes certain after all pieces so far.
    pub(crate) fn foresee(&mut self, tail: &[u8]) -> Signal {
        let JsonBuffers { reader, call } = &mut *self.buffers;
        if !call.has_failed() {
            reader.foresee(tail, call, &self.policy);
        }
        if call.has_failed() {
            reader.restart();
        }
        self.partial()
    }

    /// Reads the end of the stream, up to the next signal. `More` is the last one.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        match self.stage {
            Stage::Ended => return Signal::More,
            Stage::Ending => {}
            Stage::Open => {
                self.stage = Stage::Ending;
                let JsonBuffers { reader, call } = &mut *self.buffers;
                if reader.is_closed() {
                    reader.end(false, call, &self.policy);
                } else {
                    call.cut(reader.part(), &self.policy);
                }
            }
        }
        match self.partial() {
            Signal::More => {
                self.stage = Stage::Ended;
                Signal::Ended { end }
            }
            partial => partial,
        }
    }

    /// Resets the machine for the next stream. Its memory is kept.
    pub(crate) fn restart(&mut self) {
        self.buffers.reader = ArgumentsReader::Own(Arguments::NEW);
        self.buffers.call.restart(0, crate::config::Entities::Raw);
        self.stage = Stage::Open;
        self.begin_form();
    }

    pub(crate) fn save(&self) -> SavedJson {
        SavedJson {
            tool: self.tool.as_ref().map(|tool| tool.name.clone()),
            buffers: JsonBuffers { reader: self.buffers.reader.clone(), call: self.buffers.call.clone() },
        }
    }

    /// Returns the machine that was saved; `None` if the state is out of bounds.
    pub(crate) fn restore(policy: Arc<Policy>, saved: SavedJson) -> Option<JsonMachine> {
        let SavedJson { tool, buffers } = saved;
        let mut machine = JsonMachine::new(policy);
        if let Some(name) = tool {
            let shape = machine.policy.shapes.find(&name)?;
            machine.tool = Some(Box::new(ShapedTool { name, shape }));
        }
        *machine.buffers = buffers;
        let (policy, JsonBuffers { reader, call }) = (&machine.policy, &mut *machine.buffers);
        let shape = machine.tool.as_ref().map(|tool| tool.shape.clone());
        let is_in_bounds = !reader.is_none() && reader.restore(shape, policy);
        (is_in_bounds && call.start == 0 && call.is_in_bounds(policy)).then_some(machine)
    }
}

/// The state of the machine in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedJson {
    tool: Option<Box<str>>,
    buffers: JsonBuffers,
}

/// Appends a chunk without a delimiter to the open text of a call that a shape reads.
#[inline(never)]
fn push_plain_shaped(reader: &ShapeReader, text: &str, call: &mut Call, policy: &Policy) -> Option<Addition> {
    if !reader.is_plain_text(text) {
        return None;
    }
    call.form_mut()?.push_plain(text, &policy.limits)
}

/// Reads text of a call that a shape reads, up to the next signal.
#[inline(never)]
fn step_shaped(
    reader: &mut ArgumentsReader,
    text: &str,
    pos: &mut usize,
    call: &mut Call,
    policy: &Arc<Policy>,
) -> Signal {
    while *pos < text.len() {
        if !call.has_failed() {
            reader.read(text, pos, call, policy);
        }
        if call.has_failed() {
            reader.restart();
            *pos = text.len();
        }
        if let Some(delta) = call.next_delta() {
            return Signal::Partial(delta);
        }
    }
    Signal::More
}
