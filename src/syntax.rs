//! The syntax of a stream: a message with calls as markup, or the arguments of one native call.

use alloc::boxed::Box;
use alloc::sync::Arc;

use crate::before::Before;
use crate::call::{Addition, Call};
use crate::config::Policy;
use crate::json::machine::{JsonMachine, SavedJson};
use crate::markup::checkpoint::SavedMarkup;
use crate::markup::machine::MarkupMachine;
#[cfg(feature = "wire")]
use crate::shape::Shape;
use crate::signal::{Piece, Quiet, Signal, Source, ToolRef};

/// The machine for the syntax of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Syntax {
    /// A message, with calls as markup.
    Markup(MarkupMachine),
    /// The arguments of one native call.
    Json(JsonMachine),
}

/// Calls the same method of whichever machine it is.
macro_rules! each {
    ($syntax:expr, $machine:ident => $call:expr) => {
        match $syntax {
            Syntax::Markup($machine) => $call,
            Syntax::Json($machine) => $call,
        }
    };
}

impl Syntax {
    /// Returns `true` if it reads the arguments of a native call.
    pub(crate) fn is_arguments(&self) -> bool {
        matches!(self, Syntax::Json(_))
    }

    /// Reads `piece` from `*pos` up to the next signal.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        each!(self, machine => machine.step(piece, pos))
    }

    /// Appends a chunk without a delimiter to the open value: the fast path.
    ///
    /// Returns what is to be shown; `None` if the slow path has to read the chunk, and then nothing
    /// has changed.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> Option<Addition> {
        // Taken apart, so that it stays in registers.
        let (field, range) = each!(self, machine => machine.push_plain(text))?;
        Some((field, range))
    }

    /// Returns which text is certain to be prose, and what is before the next byte of prose.
    #[inline]
    pub(crate) fn quiet(&self) -> (Quiet, Before) {
        match self {
            Syntax::Markup(machine) => machine.quiet(),
            Syntax::Json(_) => (Quiet::Never, Before::MIDDLE),
        }
    }

    /// Sets what is before the next byte of prose.
    pub(crate) fn set_before(&mut self, before: Before) {
        if let Syntax::Markup(machine) = self {
            machine.set_before(before);
        }
    }

    /// Reads text that is all prose and begins nothing, where some text is certain to be prose.
    ///
    /// `before`: what is before the text. Returns which text is certain to be prose after it;
    /// `None`, with nothing changed, if the slow path has to read it.
    pub(crate) fn pass_quiet(&mut self, text: &str, before: &mut Before) -> Option<Quiet> {
        match self {
            Syntax::Markup(machine) => machine.pass_quiet(text, before),
            Syntax::Json(_) => None,
        }
    }

    /// Returns `true` if it is known that there is no event without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        each!(self, machine => machine.is_silent())
    }

    /// Emits what the incomplete character `tail` makes certain after all pieces so far.
    pub(crate) fn foresee(&mut self, tail: &[u8], end: u64) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.foresee(tail, end),
            Syntax::Json(machine) => machine.foresee(tail),
        }
    }

    /// Reads the end of the stream, up to the next signal. `More` is the last one.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        each!(self, machine => machine.finish(end))
    }

    /// Resets the machine for the next stream. Its memory is kept.
    pub(crate) fn restart(&mut self) {
        each!(self, machine => machine.restart())
    }

    /// Rejects the open call, if there is one, because a part of it was lost.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        each!(self, machine => machine.spoil())
    }

    /// Returns the shape that reads the arguments, if one does.
    #[cfg(feature = "wire")]
    pub(crate) fn shape(&self) -> Option<&Shape> {
        match self {
            Syntax::Markup(_) => None,
            Syntax::Json(machine) => machine.shape(),
        }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        each!(self, machine => machine.policy())
    }

    /// Returns the call that is open or has just ended.
    pub(crate) fn call(&self) -> &Call {
        each!(self, machine => machine.call())
    }

    /// Returns the number of calls that have ended.
    pub(crate) fn calls(&self) -> u64 {
        each!(self, machine => machine.calls())
    }

    /// Returns the text of a signal if it is not in the piece.
    pub(crate) fn kept_text(&self, source: Source) -> &str {
        match self {
            Syntax::Markup(machine) => machine.kept_text(source),
            Syntax::Json(_) => "",
        }
    }

    /// Returns the name of another tool that is called.
    pub(crate) fn tool(&self, tool: ToolRef) -> &str {
        match self {
            Syntax::Markup(machine) => machine.tool(tool),
            Syntax::Json(_) => "",
        }
    }

    /// Returns the state as data. `before`: what is before the next byte of prose.
    pub(crate) fn save(&self, before: Before) -> SavedSyntax {
        match self {
            Syntax::Markup(machine) => SavedSyntax::Markup(SavedMarkup::of(machine, before)),
            Syntax::Json(machine) => SavedSyntax::Json(Box::new(machine.save())),
        }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if the state is out of bounds.
    pub(crate) fn restore(policy: Arc<Policy>, saved: SavedSyntax, read: u64) -> Option<Syntax> {
        Some(match saved {
            SavedSyntax::Markup(saved) => Syntax::Markup(saved.restore(policy, read)?),
            SavedSyntax::Json(saved) => Syntax::Json(JsonMachine::restore(policy, *saved)?),
        })
    }
}

/// The state of the machine in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum SavedSyntax {
    Markup(SavedMarkup),
    Json(Box<SavedJson>),
}
