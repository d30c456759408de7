//! The state of the machine as data.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use super::code::Code;
use super::lexer::Pending;
use super::machine::MarkupMachine;
use super::state::MarkupState;
use crate::before::Before;
use crate::call::Call;
use crate::config::Policy;
use crate::envelope::machine::EnvelopeMachine;

/// What a checkpoint holds of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedMarkup {
    calls: u64,
    state: MarkupState,
    pending: Pending,
    call: Option<Call>,
    held: Option<String>,
    envelope: Option<Box<EnvelopeMachine>>,
    plain_left: usize,
    named: Option<Code>,
}

impl SavedMarkup {
    pub(crate) fn of(machine: &MarkupMachine) -> SavedMarkup {
        let MarkupMachine { state, pending, calls, busy, .. } = machine;
        let (call, held) = match state {
            MarkupState::Unconfirmed(_) => (Some(busy.call.clone()), Some(busy.held.clone())),
            MarkupState::Inside(_) => (Some(busy.call.clone()), None),
            MarkupState::Envelope(_) if busy.envelope.is_read() => (Some(busy.call.save()), None),
            _ => (None, None),
        };
        let envelope = matches!(state, MarkupState::Envelope(_)).then(|| Box::new(busy.envelope.save()));
        let plain_left = if let MarkupState::Prose(_) = state { busy.plain_left } else { 0 };
        let named = matches!(state, MarkupState::Unconfirmed(_)).then_some(busy.named);
        let (state, pending) = (state.clone(), pending.clone());
        SavedMarkup { calls: *calls, state, pending, call, held, envelope, plain_left, named }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(self, policy: Arc<Policy>, read: u64) -> Option<MarkupMachine> {
        let SavedMarkup { calls, state, pending, call, held, envelope, plain_left, named } = self;
        let (limits, tools) = (policy.limits, &policy.tools);
        let state_is_in_bounds = match &state {
            MarkupState::Prose(_) => call.is_none() && held.is_none(),
            MarkupState::Opaque { tool, parameter } => {
                let is_known = parameter.is_none_or(|parameter| !tools.parameters.name(parameter).is_empty());
                call.is_none() && held.is_none() && is_known && !tools.tools.name(*tool).is_empty()
            }
            MarkupState::Unconfirmed(unconfirmed) => held.as_ref().is_some_and(|held| {
                let body = held.get(unconfirmed.opening as usize..);
                let fits =
                    unconfirmed.opening as usize <= limits.tag && body.is_some_and(|body| body.len() <= limits.bare);
                fits && call.is_some() && unconfirmed.end <= read
            }),
            MarkupState::Inside(_) => call.is_some() && held.is_none(),
            MarkupState::Envelope(_) => envelope.as_ref().is_some_and(|envelope| {
                let has_form = call.as_ref().is_some_and(|call| call.form().is_some());
                held.is_none()
                    && call.is_some() == envelope.is_read()
                    && has_form == envelope.is_shaped()
                    && envelope.is_in_bounds(read, &policy)
            }),
            MarkupState::Ended { .. } | MarkupState::Named { .. } | MarkupState::Change { .. } => false,
        };
        let state_is_in_bounds = state_is_in_bounds
            && matches!(state, MarkupState::Envelope(_)) == envelope.is_some()
            && matches!(state, MarkupState::Unconfirmed(_)) == named.is_some();
        let call_is_in_bounds = call.as_ref().is_none_or(|call| call.start <= read && call.is_in_bounds(&policy));
        let is_plain_in_bounds = plain_left <= limits.bare;
        if calls > read
            || !is_plain_in_bounds
            || !pending.is_in_bounds(read, limits.tag)
            || !state_is_in_bounds
            || !call_is_in_bounds
        {
            return None;
        }
        let mut machine = MarkupMachine { state, pending, calls, has_news: true, ..MarkupMachine::new(policy) };
        if plain_left > 0 {
            machine.busy.plain_left = plain_left;
        }
        if let Some(named) = named {
            machine.busy.named = named;
        }
        if let Some(mut envelope) = envelope {
            if !envelope.restore(&machine.policy) {
                return None;
            }
            machine.busy.call = call.unwrap_or(Call::NEW);
            *machine.busy.envelope = *envelope;
        } else if let Some(call) = call {
            machine.busy.call = call;
            machine.busy.held = held.unwrap_or_default();
        }
        Some(machine)
    }

    /// Sets what is before the next byte of prose.
    pub(crate) fn set_before(&mut self, before: Before) {
        self.state.set_before(before);
    }
}
