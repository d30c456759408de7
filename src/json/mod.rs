//! Calls made natively: the machine that reads their arguments, and JSON where markup holds some.
//!
//! ```text
//!   text ──► Reader: tokens ──► Arguments: what each value is ──► Call
//!              └── nom: one escape, one literal
//! ```
//!
//! Every stream is the arguments of one call. Whatever comes, the call ends with its stream, not before; so nothing is
//! ever read twice, and what went wrong needs no way back.

mod arguments;
mod begun;
mod grammar;
mod key;
pub(crate) mod list;
mod reader;
mod saved;
mod written;

use alloc::boxed::Box;
use alloc::sync::Arc;

use crate::call::{Call, End};
use crate::syntax::{Piece, Signal};
use crate::{Entities, Policy};

use arguments::Arguments;
pub(crate) use saved::Saved;

/// Reads the arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) policy: Arc<Policy>,
    arguments: Arguments,
    /// How many calls have ended: one, between the call's end and the next stream.
    pub(crate) calls: u64,
    pub(crate) call: Box<Call>,
    /// The stream has ended, and the call with it.
    ended: bool,
}

impl Machine {
    pub(crate) fn new(policy: Arc<Policy>) -> Machine {
        let call = Box::new(Call::of(Entities::Raw));
        Machine { policy, arguments: Arguments::default(), calls: 0, call, ended: false }
    }

    /// Goes on in `piece` from `*pos`, to the next thing worth saying.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        while !self.is_over(piece, pos) {
            let Some(token) = self.arguments.reader.next(piece.text, pos) else { break };
            if self.arguments.act(token, &mut self.call, &self.policy)
                && let Some((field, part)) = self.call.next_delta()
            {
                return Signal::Partial(field, part);
            }
        }
        self.rest()
    }

    /// Whether something has gone wrong: then nothing more is read.
    fn is_over(&mut self, piece: &Piece<'_>, pos: &mut usize) -> bool {
        let over = self.call.is_wrong();
        if over {
            self.arguments = Arguments::default();
            *pos = piece.text.len();
        }
        over
    }

    fn rest(&mut self) -> Signal {
        self.call.next_delta().map_or(Signal::More, |(field, part)| Signal::Partial(field, part))
    }

    /// Goes on at the end of all pieces so far, where the bytes `begun` of a character have come.
    pub(crate) fn foresee(&mut self, begun: &[u8]) -> Signal {
        // Whatever character it becomes, it is none that has a meaning.
        const SOME: Piece<'_> = Piece { text: "\u{FFFD}", start: 0, end: 0 };
        let mut pos = 0;
        while !self.is_over(&SOME, &mut pos) {
            if self.arguments.reader.is_in_text() {
                self.arguments.foresee(begun, &mut self.call, &self.policy);
                break;
            }
            let Some(token) = self.arguments.reader.next(SOME.text, &mut pos) else { break };
            self.arguments.act(token, &mut self.call, &self.policy);
        }
        self.rest()
    }

    /// Goes on at the end of the stream. `More` is the last it says.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        if self.calls > 0 {
            return Signal::More;
        }
        if !core::mem::replace(&mut self.ended, true) {
            if self.arguments.reader.is_closed() {
                self.call.end(End::Closed, &self.policy);
            } else {
                self.call.cut(self.arguments.place(), &self.policy);
            }
        }
        match self.rest() {
            Signal::More => {
                self.calls = 1;
                Signal::Ended { end }
            }
            partial => partial,
        }
    }

    /// Ready for the next stream. The memory is kept.
    pub(crate) fn restart(&mut self) {
        self.arguments = Arguments::default();
        self.call.restart(0);
        self.calls = 0;
        self.ended = false;
    }
}
