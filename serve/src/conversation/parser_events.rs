//! What the parser's events change.

use followup::{Event, Reason, wire};

use super::dialogue::CallOutcome;
use super::event::{AskedCall, ConversationEvent};
use super::item::prefix;
use super::state::ConversationState;
use super::title::title_of;
use crate::metrics::Metrics;

/// Maximum number of bytes of a provider's error that are shown.
const MAX_ERROR: usize = 8 << 10;

impl ConversationState {
    /// Applies an event of the parser.
    pub(super) fn apply(&mut self, event: Event<'_>, metrics: &Metrics) {
        if let Some(shown) = ConversationEvent::from_parser(&event, &mut self.sent_facts) {
            if let Event::Opaque(piece) = event {
                self.dialogue.note_other_tool(piece.tool);
            }
            self.log.push(&shown, metrics);
            return;
        }
        let envelope = match &event {
            Event::Complete(call) => {
                self.sent_facts.end(call.index());
                call.envelope()
            }
            Event::Rejected(call) => {
                self.sent_facts.end(call.index());
                call.envelope()
            }
            _ => None,
        };
        if let Some(family) = envelope {
            metrics.envelope(family.name());
        }
        let (call, outcome) = match event {
            Event::Complete(call) => match self.dialogue.complete(call) {
                CallOutcome::Asked { number, open, can_discuss, form } => {
                    if self.title.is_none() {
                        self.title = title_of(call.question());
                    }
                    let asked = AskedCall { open, can_discuss, ..AskedCall::new(&call, number, form) };
                    self.log.push(&ConversationEvent::Complete(asked), metrics);
                    return;
                }
                outcome => (call.index(), outcome),
            },
            Event::Rejected(call) if call.reason() == Reason::Superseded => {
                let (call, reason, stopped) = (call.index(), call.reason(), self.dialogue.has_stopped());
                let message = &*reason.to_string();
                self.log.push(
                    &ConversationEvent::Rejected {
                        call,
                        reason: reason.code().into(),
                        message: message.into(),
                        stopped,
                    },
                    metrics,
                );
                return;
            }
            Event::Rejected(call) => (call.index(), self.dialogue.reject(call)),
            _ => return,
        };
        let (reason, message, stopped) = match &outcome {
            CallOutcome::Corrected { reason, message, stopped } => (&**reason, &**message, *stopped),
            _ => ("dropped", "too many questions of this conversation wait for an answer", self.dialogue.has_stopped()),
        };
        self.log.push(
            &ConversationEvent::Rejected { call, reason: reason.into(), message: message.into(), stopped },
            metrics,
        );
    }

    /// Applies an error of the parser.
    pub(super) fn apply_error(&mut self, error: &wire::Error<'_>, metrics: &Metrics) {
        let message = match error {
            wire::Error::Provider(message) => (*message).to_owned(),
            error => error.to_string(),
        };
        // A provider's message may be as long as an event of the stream.
        let message = prefix(&message, MAX_ERROR);
        self.log.push(&ConversationEvent::Error { kind: error.code().into(), message: message.into() }, metrics);
    }
}
