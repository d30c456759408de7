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
use crate::event::{Field, Part};
use crate::lazy::{Fresh, Lazy};
use crate::syntax::{Piece, Signal};

use arguments::Arguments;
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
        // Several things may have become certain at once. They are said before anything is read that would be said first.
        if let Some((field, part)) = self.busy.call.next_delta() {
            return Signal::Partial(field, part);
        }
        *pos = self.hurry(piece.text, *pos);
        self.rest()
    }

    /// Goes on with a whole chunk, if the value that is open grows by it and nothing else happens. Gives what is then to be shown; else nothing
    /// has changed.
    #[inline]
    pub(crate) fn grow(&mut self, text: &str) -> Option<(Field, Part)> {
        if self.busy.is_fresh() {
            return None;
        }
        let Busy { arguments, call } = &mut *self.busy;
        if arguments.reader.plain_len(text, 0) != text.len() {
            return None;
        }
        // Only what is shown while it grows is an open value that exists.
        call.grow_plainly(text, &self.policy)
    }

    /// Goes on in `text` from `at` on, to the next thing worth saying; says how far. What has become certain is the
    /// [next part](Call::next_delta) of the call. What was certain before must have been said.
    #[inline]
    pub(crate) fn hurry(&mut self, text: &str, mut at: usize) -> usize {
        let Busy { arguments, call } = &mut *self.busy;
        while !is_over(arguments, call, text, &mut at) {
            // What nearly everything is needs no token.
            let plain = arguments.reader.plain_len(text, at);
            if plain > 0 {
                arguments.push(&text[at..at + plain], call, &self.policy);
                at += plain;
                continue;
            }
            if let Some((char, len)) = arguments.reader.escaped(text, at) {
                arguments.push(char.encode_utf8(&mut [0; 4]), call, &self.policy);
                at += len;
                continue;
            }
            // In the middle of a string there is nothing behind the text.
            if at == text.len() && arguments.reader.is_in_text() {
                break;
            }
            let Some(token) = arguments.reader.next(text, &mut at) else { break };
            if arguments.act(token, call, &self.policy) && !call.is_all_shown() {
                break;
            }
        }
        at
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
        const SOME: &str = "\u{FFFD}";
        let mut pos = 0;
        let Busy { arguments, call } = &mut *self.busy;
        while !is_over(arguments, call, SOME, &mut pos) {
            if arguments.reader.is_in_text() {
                arguments.foresee(begun, call, &self.policy);
                break;
            }
            let Some(token) = arguments.reader.next(SOME, &mut pos) else { break };
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
fn is_over(arguments: &mut Arguments, call: &Call, text: &str, pos: &mut usize) -> bool {
    let over = call.is_wrong();
    if over {
        *arguments = Arguments::NEW;
        *pos = text.len();
    }
    over
}
