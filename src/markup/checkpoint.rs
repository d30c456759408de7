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
    buffers: Lazy<MarkupBuffers>,
}

impl SavedMarkup {
    /// `before`: what is before the next byte of prose.
    pub(crate) fn of(machine: &MarkupMachine, before: Before) -> SavedMarkup {
        let MarkupMachine { pending, calls, buffers, .. } = machine;
        let (mut state, mut used) = (machine.state, Lazy::<MarkupBuffers>::NEW);
        match &mut state {
            MarkupState::Prose(code) => {
                code.set_before(before);
                if buffers.prose_left > 0 {
                    used.prose_left = buffers.prose_left;
                }
            }
            MarkupState::Unconfirmed(_) => {
                (used.call, used.unconfirmed_text, used.code_before) =
                    (buffers.call.clone(), buffers.unconfirmed_text.clone(), buffers.code_before);
            }
            MarkupState::Inside(_) => used.call = buffers.call.clone(),
            MarkupState::Envelope(_) => {
                if buffers.envelope.is_read() {
                    used.call = buffers.call.clone();
                }
                used.envelope = buffers.envelope.clone();
            }
            MarkupState::Opaque { .. } | MarkupState::Decided(_) => {}
        }
        SavedMarkup { calls: *calls, pending: pending.clone(), state, buffers: used }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(self, policy: Arc<Policy>, read: u64) -> Option<MarkupMachine> {
        let SavedMarkup { calls, pending, state, mut buffers } = self;
        let limits = &policy.limits;
        let (opening, end) = match state {
            MarkupState::Unconfirmed(Unconfirmed { opening, end, .. }) => (opening as usize, end),
            // A cursor was leaked before its last event.
            MarkupState::Decided(_) => return None,
            _ => (0, 0),
        };
        let is_in_bounds = calls.max(end).max(buffers.call.start) <= read
            && pending.is_in_bounds(read, limits.tag)
            && opening <= limits.tag
            && buffers.unconfirmed_text.get(opening..).is_some_and(|body| body.len() <= limits.unconfirmed)
            && buffers.prose_left <= limits.unconfirmed
            && buffers.call.is_in_bounds(&policy)
            && (buffers.envelope.is_fresh() || buffers.envelope.restore(read, &policy));
        let machine = || MarkupMachine { state, pending, calls, buffers, has_news: true, ..MarkupMachine::new(policy) };
        is_in_bounds.then(machine)
    }
}
