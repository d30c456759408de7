//! The state of the machine as data.

use alloc::sync::Arc;

use super::machine::{MarkupBuffers, MarkupMachine};
use super::pending::Pending;
use super::state::{MarkupState, Unconfirmed};
use crate::before::Before;
use crate::config::Policy;
use crate::lazy::Lazy;

/// What a checkpoint holds of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedMarkup {
    calls: u64,
    pending: Pending,
    state: MarkupState,
    /// The buffers that the state uses. All others are as new.
    busy: Lazy<MarkupBuffers>,
}

impl SavedMarkup {
    /// `before`: what is before the next byte of prose.
    pub(crate) fn of(machine: &MarkupMachine, before: Before) -> SavedMarkup {
        let MarkupMachine { pending, calls, busy, .. } = machine;
        let (mut state, mut used) = (machine.state, Lazy::<MarkupBuffers>::NEW);
        match &mut state {
            MarkupState::Prose(code) => {
                code.set_before(before);
                if busy.plain_left > 0 {
                    used.plain_left = busy.plain_left;
                }
            }
            MarkupState::Unconfirmed(_) => {
                (used.call, used.held, used.named) = (busy.call.save(), busy.held.clone(), busy.named);
            }
            MarkupState::Inside(_) => used.call = busy.call.save(),
            MarkupState::Envelope(_) => {
                if busy.envelope.is_read() {
                    used.call = busy.call.save();
                }
                *used.envelope = busy.envelope.save();
            }
            MarkupState::Opaque { .. } | MarkupState::Decided(_) => {}
        }
        SavedMarkup { calls: *calls, pending: pending.clone(), state, busy: used }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(self, policy: Arc<Policy>, read: u64) -> Option<MarkupMachine> {
        let SavedMarkup { calls, pending, state, mut busy } = self;
        let limits = &policy.limits;
        let (opening, end) = match state {
            MarkupState::Unconfirmed(Unconfirmed { opening, end, .. }) => (opening as usize, end),
            // A cursor was leaked before its last event.
            MarkupState::Decided(_) => return None,
            _ => (0, 0),
        };
        let is_in_bounds = calls.max(end).max(busy.call.start) <= read
            && pending.is_in_bounds(read, limits.tag)
            && opening <= limits.tag
            && busy.held.get(opening..).is_some_and(|body| body.len() <= limits.unconfirmed)
            && busy.plain_left <= limits.unconfirmed
            && busy.call.is_in_bounds(&policy)
            && (busy.envelope.is_fresh() || busy.envelope.restore(read, &policy));
        let machine = || MarkupMachine { state, pending, calls, busy, has_news: true, ..MarkupMachine::new(policy) };
        is_in_bounds.then(machine)
    }
}
