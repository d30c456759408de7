//! What a stream is read as: calls written as markup, or the arguments of one call.

use alloc::sync::Arc;

use crate::call::{Call, Delta};
use crate::config::Policy;
use crate::signal::{Piece, Signal, Source};
use crate::{json, markup};

/// What a stream is read as.
#[derive(Clone, Debug)]
pub(crate) enum Syntax {
    /// A message, with calls written as markup in it.
    Markup(markup::machine::Machine),
    /// The arguments of one call.
    Json(json::machine::Machine),
}

impl Syntax {
    pub(crate) fn markup(policy: Arc<Policy>) -> Syntax {
        Syntax::Markup(markup::machine::Machine::new(policy))
    }

    pub(crate) fn json(policy: Arc<Policy>) -> Syntax {
        Syntax::Json(json::machine::Machine::new(policy))
    }

    /// Reads on in `piece` from `*pos`, to the next signal.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.step(piece, pos),
            Syntax::Json(machine) => machine.step(piece, pos),
        }
    }

    /// Takes the fast path: a chunk without a delimiter that only grows the open value. Returns what is to
    /// be shown; `None` if it is not as simple as that, and then nothing has changed.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> Option<Delta> {
        match self {
            Syntax::Markup(machine) => machine.push_plain(text),
            Syntax::Json(machine) => machine.push_plain(text),
        }
    }

    /// Returns whether text without a `<` is prose, and changes nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Syntax::Markup(machine) => machine.is_quiet(),
            Syntax::Json(_) => false,
        }
    }

    /// Returns whether it is known that nothing is certain without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Syntax::Markup(machine) => machine.is_silent(),
            Syntax::Json(machine) => machine.is_silent(),
        }
    }

    /// Reads on at the end of all pieces so far, which is followed by the incomplete UTF-8 sequence `tail`.
    pub(crate) fn foresee(&mut self, tail: &[u8], end: u64) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.foresee(tail, end),
            Syntax::Json(machine) => machine.foresee(tail),
        }
    }

    /// Reads on at the end of the stream. `More` is the last signal.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.finish(end),
            Syntax::Json(machine) => machine.finish(end),
        }
    }

    /// Makes it ready for the next stream. Its memory is kept.
    pub(crate) fn restart(&mut self) {
        match self {
            Syntax::Markup(machine) => machine.restart(),
            Syntax::Json(machine) => machine.restart(),
        }
    }

    /// Rejects the open call, if there is one: a part of it was lost.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        let call = match self {
            Syntax::Markup(machine) => machine.open_call(),
            Syntax::Json(machine) => Some(machine.open_call()),
        };
        if let Some(call) = call {
            call.reject(crate::Reason::Malformed(crate::Note::PartLost));
        }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        match self {
            Syntax::Markup(machine) => machine.policy(),
            Syntax::Json(machine) => machine.policy(),
        }
    }

    /// Returns the call that is open or has just ended.
    pub(crate) fn call(&self) -> &Call {
        match self {
            Syntax::Markup(machine) => machine.call(),
            Syntax::Json(machine) => machine.call(),
        }
    }

    /// Returns how many calls have ended.
    pub(crate) fn calls(&self) -> u64 {
        match self {
            Syntax::Markup(machine) => machine.calls(),
            Syntax::Json(machine) => machine.calls(),
        }
    }

    /// Returns the text of a signal that is not in the piece.
    pub(crate) fn kept_text(&self, source: Source) -> &str {
        match self {
            Syntax::Markup(machine) => machine.kept_text(source),
            Syntax::Json(_) => "",
        }
    }

    pub(crate) fn save(&self) -> Saved {
        match self {
            Syntax::Markup(machine) => Saved::Markup(machine.save()),
            Syntax::Json(machine) => Saved::Json(machine.save()),
        }
    }

    /// Returns the syntax that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(policy: Arc<Policy>, saved: Saved, read: u64) -> Option<Syntax> {
        Some(match saved {
            Saved::Markup(saved) => Syntax::Markup(markup::machine::Machine::restore(policy, saved, read)?),
            Saved::Json(saved) => Syntax::Json(json::machine::Machine::restore(policy, saved)?),
        })
    }
}

/// What a checkpoint holds of a syntax.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Saved {
    Markup(markup::machine::Saved),
    Json(json::machine::Saved),
}
