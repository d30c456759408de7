//! What is stored of a machine.

use alloc::string::String;
use alloc::sync::Arc;

use super::inside::Spot;
use super::{Machine, State};
use crate::Policy;
use crate::call::Call;
use crate::carry::Carry;

/// The state of a machine between two chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Saved {
    calls: u64,
    state: State,
    carry: Carry,
    call: Option<Call>,
    held: Option<String>,
}

impl Machine {
    pub(crate) fn save(&self) -> Saved {
        let Machine { state, carry, calls, busy, .. } = self;
        let (call, held) = match state {
            State::Call(Spot::Opened { .. }) => (Some(busy.call.clone()), Some(busy.held.clone())),
            State::Call(_) => (Some(busy.call.clone()), None),
            _ => (None, None),
        };
        Saved { calls: *calls, state: state.clone(), carry: carry.clone(), call, held }
    }

    /// The machine that was saved after `read` bytes, with those of `tail` behind them; `None` if there was none.
    pub(crate) fn restore(policy: Arc<Policy>, saved: Saved, read: u64, tail: &[u8]) -> Option<Machine> {
        let Saved { calls, state, carry, call, held } = saved;
        let in_call = matches!(state, State::Call(_));
        let opened = matches!(state, State::Call(Spot::Opened { .. }));
        if in_call != call.is_some() || opened != held.is_some() {
            return None;
        }
        let mut machine = Machine::new(policy);
        (machine.state, machine.carry, machine.calls) = (state, carry, calls);
        if let Some(call) = call {
            machine.busy.call = call;
        }
        if let Some(held) = held {
            machine.busy.held = held;
        }
        machine.is_possible(read, tail).then_some(machine)
    }
}
