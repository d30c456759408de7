//! The state of the machine as data.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use super::code::Code;
use super::machine::MarkupMachine;
use super::pending::Pending;
use super::state::{Inside, MarkupState, Unconfirmed};
use crate::before::Before;
use crate::call::Call;
use crate::config::Policy;
use crate::envelope::machine::EnvelopeMachine;

/// What a checkpoint holds of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedMarkup {
    calls: u64,
    pending: Pending,
    state: SavedState,
}

/// A state that the machine has between two chunks, with the buffers that it uses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedState {
    Prose {
        code: Code,
        plain_left: usize,
    },
    Opaque {
        tool: u16,
        parameter: Option<u16>,
    },
    Unconfirmed {
        unconfirmed: Unconfirmed,
        call: Box<Call>,
        held: String,
        named: Code,
    },
    Inside {
        inside: Inside,
        call: Box<Call>,
    },
    /// `call`: the one that is being read, if it is read.
    Envelope {
        code: Code,
        envelope: Box<EnvelopeMachine>,
        call: Option<Box<Call>>,
    },
    /// A cursor was leaked before its last event. It is not resumed.
    Leaked,
}

impl SavedMarkup {
    /// `before`: what is before the next byte of prose.
    pub(crate) fn of(machine: &MarkupMachine, before: Before) -> SavedMarkup {
        let MarkupMachine { state, pending, calls, busy, .. } = machine;
        let call = || Box::new(busy.call.save());
        let state = match *state {
            MarkupState::Prose(mut code) => {
                code.set_before(before);
                SavedState::Prose { code, plain_left: busy.plain_left }
            }
            MarkupState::Opaque { tool, parameter } => SavedState::Opaque { tool, parameter },
            MarkupState::Unconfirmed(unconfirmed) => {
                SavedState::Unconfirmed { unconfirmed, call: call(), held: busy.held.clone(), named: busy.named }
            }
            MarkupState::Inside(inside) => SavedState::Inside { inside, call: call() },
            MarkupState::Envelope(code) => {
                let call = busy.envelope.is_read().then(call);
                SavedState::Envelope { code, envelope: Box::new(busy.envelope.save()), call }
            }
            MarkupState::Ended { .. } | MarkupState::Named { .. } | MarkupState::Change { .. } => SavedState::Leaked,
        };
        SavedMarkup { calls: *calls, pending: pending.clone(), state }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(self, policy: Arc<Policy>, read: u64) -> Option<MarkupMachine> {
        let SavedMarkup { calls, pending, state } = self;
        let limits = policy.limits;
        let mut machine = MarkupMachine { pending, calls, has_news: true, ..MarkupMachine::new(policy) };
        let MarkupMachine { policy, busy, pending, .. } = &mut machine;
        let is_call = |call: &Call| call.start <= read && call.is_in_bounds(policy);
        let (state, is_in_bounds) = match state {
            SavedState::Prose { code, plain_left } => {
                if plain_left > 0 {
                    busy.plain_left = plain_left;
                }
                (MarkupState::Prose(code), plain_left <= limits.bare)
            }
            SavedState::Opaque { tool, parameter } => (MarkupState::Opaque { tool, parameter }, true),
            SavedState::Unconfirmed { unconfirmed, call, held, named } => {
                let opening = unconfirmed.opening as usize;
                let is_held = held.get(opening..).is_some_and(|body| body.len() <= limits.bare);
                let is_in_bounds = opening <= limits.tag && is_held && unconfirmed.end <= read && is_call(&call);
                (busy.call, busy.held, busy.named) = (*call, held, named);
                (MarkupState::Unconfirmed(unconfirmed), is_in_bounds)
            }
            SavedState::Inside { inside, call } => {
                busy.call = *call;
                (MarkupState::Inside(inside), is_call(&busy.call))
            }
            SavedState::Envelope { code, envelope, call } => {
                (busy.call, *busy.envelope) = (call.map_or(Call::NEW, |call| *call), *envelope);
                (MarkupState::Envelope(code), is_call(&busy.call) && busy.envelope.restore(read, policy))
            }
            SavedState::Leaked => return None,
        };
        let is_in_bounds = is_in_bounds && calls <= read && pending.is_in_bounds(read, limits.tag);
        machine.state = state;
        is_in_bounds.then_some(machine)
    }
}
