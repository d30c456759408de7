//! The machine for the arguments of a native call.
//!
//! A stream is the arguments of one call, and the call ends exactly where the stream ends. Nothing
//! is read twice, and after an error the rest of the stream is skipped.

use alloc::sync::Arc;

use super::arguments::Arguments;
use crate::call::{Addition, Call};
use crate::config::Policy;
use crate::lazy::{Fresh, Lazy};
use crate::signal::{Piece, Signal};

/// The machine for the arguments of a native call.
#[derive(Clone, Debug)]
pub(crate) struct JsonMachine {
    policy: Arc<Policy>,
    busy: Lazy<JsonBuffers>,
    stage: Stage,
}

/// The state of a stream, allocated for the first one and reused for the next.
#[derive(Clone, Debug)]
struct JsonBuffers {
    arguments: Arguments,
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
    const FRESH: JsonBuffers = JsonBuffers { arguments: Arguments::NEW, call: Call::NEW };
    const SEEN: &'static JsonBuffers = &JsonBuffers::FRESH;
}

impl JsonMachine {
    pub(crate) fn new(policy: Arc<Policy>) -> JsonMachine {
        JsonMachine { policy, busy: Lazy::NEW, stage: Stage::Open }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    pub(crate) fn call(&self) -> &Call {
        &self.busy.call
    }

    #[cfg(feature = "wire")]
    pub(crate) fn open_call(&mut self) -> &mut Call {
        &mut self.busy.call
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
        if self.busy.is_fresh() {
            return None;
        }
        let JsonBuffers { arguments, call } = &mut *self.busy;
        if arguments.lexer.plain_len(text, 0) != text.len() {
            return None;
        }
        // This fails unless an open value is shown while it grows.
        call.push_plain(text, &self.policy)
    }

    /// Returns `true` if it is known that there is no event without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        !self.busy.call.has_failed() && self.busy.call.is_all_shown()
    }

    /// Reads `piece` from `*pos` up to the next signal.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        let text = piece.text;
        // An empty chunk allocates nothing.
        if *pos == text.len() && self.busy.is_fresh() {
            return Signal::More;
        }
        // A token can make several things certain. Emit them before the next token.
        if let Some(delta) = self.busy.call.next_delta() {
            return Signal::Partial(delta);
        }
        let JsonBuffers { arguments, call } = &mut *self.busy;
        while !is_over(arguments, call, text, pos) {
            // Most of a stream is text, for which no token is created.
            let plain = arguments.lexer.plain_len(text, *pos);
            if plain > 0 {
                arguments.push(&text[*pos..*pos + plain], call, &self.policy);
                *pos += plain;
                continue;
            }
            if let Some((char, len)) = arguments.lexer.escaped(text, *pos) {
                arguments.push(char.encode_utf8(&mut [0; 4]), call, &self.policy);
                *pos += len;
                continue;
            }
            if *pos == text.len() && arguments.lexer.is_in_text() {
                break;
            }
            let Some(token) = arguments.lexer.next(text, pos) else { break };
            if arguments.act(token, call, &self.policy) && !call.is_all_shown() {
                break;
            }
        }
        self.partial()
    }

    fn partial(&mut self) -> Signal {
        if self.busy.is_fresh() {
            return Signal::More;
        }
        self.busy.call.next_delta().map_or(Signal::More, Signal::Partial)
    }

    /// Emits what the incomplete character `tail` makes certain after all pieces so far.
    pub(crate) fn foresee(&mut self, tail: &[u8]) -> Signal {
        // Whatever character it becomes, it is not a delimiter. U+FFFD acts the same.
        const SOME: &str = "\u{FFFD}";
        let mut pos = 0;
        let JsonBuffers { arguments, call } = &mut *self.busy;
        while !is_over(arguments, call, SOME, &mut pos) {
            if arguments.lexer.is_in_text() {
                arguments.foresee(tail, call, &self.policy);
                break;
            }
            let Some(token) = arguments.lexer.next(SOME, &mut pos) else { break };
            arguments.act(token, call, &self.policy);
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
                let JsonBuffers { arguments, call } = &mut *self.busy;
                if arguments.lexer.is_closed() {
                    call.end(false, &self.policy);
                } else {
                    call.cut(arguments.place(), &self.policy);
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
        self.busy.arguments = Arguments::NEW;
        self.busy.call.restart(0, crate::config::Entities::Raw);
        self.stage = Stage::Open;
    }

    pub(crate) fn save(&self) -> SavedJson {
        SavedJson { arguments: self.busy.arguments.clone(), call: self.busy.call.clone() }
    }

    /// Returns the machine that was saved; `None` if the state is out of bounds.
    pub(crate) fn restore(policy: Arc<Policy>, saved: SavedJson) -> Option<JsonMachine> {
        let SavedJson { arguments, call } = saved;
        let is_in_bounds = arguments.is_in_bounds() && call.start == 0 && call.is_in_bounds(&policy.limits);
        let mut machine = JsonMachine::new(policy);
        *machine.busy = JsonBuffers { arguments, call };
        is_in_bounds.then_some(machine)
    }
}

/// The state of the machine in a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedJson {
    arguments: Arguments,
    call: Call,
}

/// Returns `true` if the call has failed, and then skips the rest of the text.
fn is_over(arguments: &mut Arguments, call: &Call, text: &str, pos: &mut usize) -> bool {
    let is_over = call.has_failed();
    if is_over {
        *arguments = Arguments::NEW;
        *pos = text.len();
    }
    is_over
}
