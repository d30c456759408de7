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

use alloc::sync::Arc;

use crate::Policy;
use crate::call::{Call, End};
use crate::lazy::{Fresh, Lazy};
use crate::syntax::{Piece, Signal};

use arguments::Arguments;
use reader::Token;
pub(crate) use saved::Saved;

/// Reads the arguments of a call.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) policy: Arc<Policy>,
    /// How many calls have ended: one, between the call's end and the next stream.
    pub(crate) calls: u64,
    pub(crate) busy: Lazy<Busy>,
    /// The stream has ended, and the call with it.
    ended: bool,
}

/// What the machine needs once a stream has begun; kept for the next one.
#[derive(Clone, Debug)]
pub(crate) struct Busy {
    arguments: Arguments,
    pub(crate) call: Call,
}

impl Fresh for Busy {
    const FRESH: Busy = Busy { arguments: Arguments::NEW, call: Call::NEW };
    const SEEN: &'static Busy = &Busy::FRESH;
}

impl Machine {
    pub(crate) fn new(policy: Arc<Policy>) -> Machine {
        Machine { policy, calls: 0, busy: Lazy::NEW, ended: false }
    }

    /// Goes on in `piece` from `*pos`, to the next thing worth saying.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        // To look at nothing takes no room.
        if *pos == piece.text.len() && self.busy.is_fresh() {
            return Signal::More;
        }
        let Busy { arguments, call } = &mut *self.busy;
        // Several things may have become certain at once. They are said before anything is read that would be said first.
        if let Some((field, part)) = call.next_delta() {
            return Signal::Partial(field, part);
        }
        while !is_over(arguments, call, piece, pos) {
            let Some(token) = arguments.reader.next(piece.text, pos) else { break };
            if arguments.act(token, call, &self.policy)
                && let Some((field, part)) = call.next_delta()
            {
                return Signal::Partial(field, part);
            }
        }
        self.rest()
    }

    /// Goes on in `text` from `at` on, if it only adds to a string that is open; says how far. What has become certain is the
    /// [next part](Call::next_delta) of the call.
    #[inline]
    pub(crate) fn hurry(&mut self, text: &str, at: usize) -> usize {
        if self.busy.is_fresh() || self.ended || at == text.len() {
            return at;
        }
        let Busy { arguments, call } = &mut *self.busy;
        if call.is_wrong() || !arguments.reader.takes(&text[at..]) {
            return at;
        }
        arguments.act(Token::Text(&text[at..]), call, &self.policy);
        if call.is_wrong() {
            *arguments = Arguments::NEW;
        }
        text.len()
    }

    fn rest(&mut self) -> Signal {
        if self.busy.is_fresh() {
            return Signal::More;
        }
        self.busy.call.next_delta().map_or(Signal::More, |(field, part)| Signal::Partial(field, part))
    }

    /// Goes on at the end of all pieces so far, where the bytes `begun` of a character have come.
    pub(crate) fn foresee(&mut self, begun: &[u8]) -> Signal {
        // Whatever character it becomes, it is none that has a meaning.
        const SOME: Piece<'_> = Piece { text: "\u{FFFD}", start: 0, end: 0 };
        let mut pos = 0;
        let Busy { arguments, call } = &mut *self.busy;
        while !is_over(arguments, call, &SOME, &mut pos) {
            if arguments.reader.is_in_text() {
                arguments.foresee(begun, call, &self.policy);
                break;
            }
            let Some(token) = arguments.reader.next(SOME.text, &mut pos) else { break };
            arguments.act(token, call, &self.policy);
        }
        self.rest()
    }

    /// Goes on at the end of the stream. `More` is the last it says.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        if self.calls > 0 {
            return Signal::More;
        }
        if !core::mem::replace(&mut self.ended, true) {
            let Busy { arguments, call } = &mut *self.busy;
            if arguments.reader.is_closed() {
                call.end(End::Closed, &self.policy);
            } else {
                call.cut(arguments.place(), &self.policy);
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
        self.busy.arguments = Arguments::NEW;
        self.busy.call.restart(0);
        self.calls = 0;
        self.ended = false;
    }
}

/// Whether something has gone wrong: then nothing more is read.
fn is_over(arguments: &mut Arguments, call: &Call, piece: &Piece<'_>, pos: &mut usize) -> bool {
    let over = call.is_wrong();
    if over {
        *arguments = Arguments::NEW;
        *pos = piece.text.len();
    }
    over
}
