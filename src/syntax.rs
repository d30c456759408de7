//! The seam between the parser and what it reads: calls written as markup, or as JSON.
//!
//! A syntax is given pieces of text, takes from each as much as it can decide, and answers with a small [`Signal`]; whoever runs
//! it borrows what the signal names. Nothing in a syntax depends on where one piece ends and the next begins, but for how many
//! signals there are.

use alloc::sync::Arc;

use crate::Policy;
use crate::call::Call;
use crate::event::{Field, Part, Partial};
use crate::{json, markup};

/// A piece of the stream, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) text: &'s str,
    /// Where in the stream it begins and ends. Its text is as long as that, unless it is one U+FFFD for bytes that were ill-formed.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Piece<'_> {
    /// Where in the stream the `i`th byte of the text stands.
    pub(crate) fn at(&self, i: usize) -> u64 {
        if i == self.text.len() { self.end } else { self.start.wrapping_add(i as u64) }
    }
}

/// What a syntax has decided. Plain data: what it names is borrowed afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    /// Nothing more can be said without the next piece.
    More,
    /// This is prose.
    Text(Source),
    /// This is part of another tool's call.
    Opaque { from: Source, tool: u16, start: bool },
    /// More of the open call is certain.
    Partial(Field, Part),
    /// A call has ended there.
    Ended { end: u64 },
    /// The opening tag, the first `opening` bytes of what is held, was only named: it is prose, or a call that was rejected where
    /// the tag ends. The rest of what is held is to be read again, then the carry.
    Demoted { opening: usize, rejected: Option<u64> },
}

/// Where the text of a signal is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    Piece(usize, usize),
    Carry,
}

/// What a stream is read as.
#[derive(Clone, Debug)]
pub(crate) enum Syntax {
    /// A message, with calls written as markup in it.
    Markup(markup::Machine),
    /// The arguments of one call.
    Json(json::Machine),
}

impl Syntax {
    /// Goes on in `piece` from `*pos`, to the next thing worth saying.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.step(piece, pos),
            Syntax::Json(machine) => machine.step(piece, pos),
        }
    }

    /// Whether text without a `<` is prose, between two chunks, and changes nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        match self {
            Syntax::Markup(machine) => machine.is_quiet(),
            Syntax::Json(_) => false,
        }
    }

    /// Goes on with a whole chunk, if the value that is open grows by it and nothing else happens. Gives what is then to be shown; else nothing
    /// has changed. What was certain before must have been said.
    #[inline]
    pub(crate) fn grow(&mut self, text: &str) -> Option<(Field, Part)> {
        match self {
            Syntax::Markup(machine) => machine.grow(text),
            Syntax::Json(machine) => machine.grow(text),
        }
    }

    /// Goes on in `text`, which stands at `start` in the stream, from `at` on, as far as it is quickly done; says how far. What has become
    /// certain is the [next part](Syntax::next_delta) of the call. What was certain before must have been said.
    #[inline]
    pub(crate) fn hurry(&mut self, text: &str, at: usize, start: u64) -> usize {
        match self {
            Syntax::Markup(machine) => machine.hurry(text, at, start),
            // To look at nothing takes no room.
            Syntax::Json(_) if at == text.len() => at,
            Syntax::Json(machine) => machine.hurry(text, at),
        }
    }

    /// The next part of the open call that is certain and has not been shown.
    #[inline]
    pub(crate) fn next_delta(&mut self) -> Option<(Field, Part)> {
        match self {
            Syntax::Markup(machine) if machine.is_in_call() || machine.has_ended() => machine.busy.call.next_delta(),
            Syntax::Markup(_) => None,
            Syntax::Json(machine) if machine.busy.is_fresh() => None,
            Syntax::Json(machine) => machine.busy.call.next_delta(),
        }
    }

    /// The open call, of which that part is new.
    #[inline]
    pub(crate) fn partial(&self, (field, delta): (Field, Part)) -> Partial<'_> {
        self.call().partial(self.calls(), field, delta)
    }

    /// Whether it is known that there is nothing to say without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        match self {
            Syntax::Markup(machine) => machine.is_silent(),
            Syntax::Json(machine) => !machine.busy.call.is_wrong() && machine.busy.call.is_all_shown(),
        }
    }

    /// Whether a call has ended, and that has not been said yet.
    pub(crate) fn has_ended(&self) -> bool {
        match self {
            Syntax::Markup(machine) => machine.has_ended(),
            Syntax::Json(_) => false,
        }
    }

    /// Goes on at the end of all pieces so far, where the bytes `begun` of a character have come.
    pub(crate) fn foresee(&mut self, begun: &[u8], at: u64) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.foresee(begun, at),
            Syntax::Json(machine) => machine.foresee(begun),
        }
    }

    /// Goes on at the end of the stream. `More` is the last it says.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        match self {
            Syntax::Markup(machine) => machine.finish(end),
            Syntax::Json(machine) => machine.finish(end),
        }
    }

    /// Ready for the next stream. The memory is kept.
    pub(crate) fn restart(&mut self) {
        match self {
            Syntax::Markup(machine) => machine.restart(),
            Syntax::Json(machine) => machine.restart(),
        }
    }

    /// A part of the call that is open, if there is one, was lost.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        let lost = crate::Reason::Malformed(crate::Note::PartLost);
        match self {
            Syntax::Markup(machine) if machine.is_in_call() => machine.busy.call.reject(lost),
            Syntax::Markup(_) => {}
            Syntax::Json(machine) => machine.busy.call.reject(lost),
        }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        match self {
            Syntax::Markup(machine) => &machine.policy,
            Syntax::Json(machine) => &machine.policy,
        }
    }

    /// The call that is open or has just ended.
    pub(crate) fn call(&self) -> &Call {
        match self {
            Syntax::Markup(machine) => &machine.busy.call,
            Syntax::Json(machine) => &machine.busy.call,
        }
    }

    /// How many calls have ended.
    pub(crate) fn calls(&self) -> u64 {
        match self {
            Syntax::Markup(machine) => machine.calls,
            Syntax::Json(machine) => machine.calls,
        }
    }

    /// What has begun like a tag and is not decided.
    pub(crate) fn carry(&self) -> &str {
        match self {
            Syntax::Markup(machine) => machine.carry.text(),
            Syntax::Json(_) => "",
        }
    }
}

/// What is stored of a syntax between two chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Saved {
    Markup(markup::Saved),
    Json(json::Saved),
}

impl Syntax {
    pub(crate) fn save(&self) -> Saved {
        match self {
            Syntax::Markup(machine) => Saved::Markup(machine.save()),
            Syntax::Json(machine) => Saved::Json(machine.save()),
        }
    }

    /// The syntax that was saved after `read` bytes, with those of `tail` behind them; `None` if there was none.
    pub(crate) fn resume(policy: Arc<Policy>, saved: Saved, read: u64, tail: &[u8]) -> Option<Syntax> {
        Some(match saved {
            Saved::Markup(saved) => Syntax::Markup(markup::Machine::restore(policy, saved, read, tail)?),
            Saved::Json(saved) => Syntax::Json(json::Machine::restore(policy, saved, read, tail)?),
        })
    }
}
