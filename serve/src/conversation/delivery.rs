//! What becomes of the user's replies: who gets them, and what to do if they can't be delivered.

use std::borrow::Cow;

use followup::dialogue::{Reply, Wrapping};

use super::Readiness;
use super::closing::unwrapped;
use super::continuation::{Continuation, ContinuationRequest, FailedRequest};
use super::event::ConversationEvent;
use super::item::prefix;
use super::outcome::{Delivery, DeliveryState};
use super::reply_log::{LoggedReply, Progress, ReplySet};
use super::request_content::ShownReply;
use super::state::ConversationState;
use super::turn_state::TurnState;
use crate::metrics::Metrics;

/// Maximum number of bytes of another answer in an explanation.
const MAX_QUOTED: usize = 200;

impl ConversationState {
    /// Decides about the replies that the service won't send itself: the agent has to collect them.
    pub(super) fn decide_deliveries(&mut self, metrics: &Metrics) {
        let lost = self.dialogue.reply_log_mut().take_lost();
        let why = "more replies wait than the service keeps";
        self.push_delivery(lost, DeliveryState::Failed, Some(why.into()), false, metrics);
        let why = match (self.turn, &self.continuation) {
            (TurnState::Streaming, _) if self.may_continue => return,
            (TurnState::Ended, Continuation::Recording(_)) => return,
            (TurnState::Ended, Continuation::Unavailable(why)) => Some(why.to_string()),
            (TurnState::Ended, Continuation::Provider(_)) => match self.dialogue.readiness() {
                Readiness::Blocked(why) => Some(why),
                _ => return,
            },
            _ => None,
        };
        let pending = self.advance(|entry| entry.progress == Progress::Undecided, Progress::Pending);
        self.push_delivery(pending, DeliveryState::Pending, why, false, metrics);
    }

    /// Compares the replies with those that the agent's next request shows.
    pub(super) fn compare_deliveries(&mut self, shown: &[ShownReply], wrapping: &Wrapping, metrics: &Metrics) {
        self.set_failed_request(None);
        let is_undelivered = |entry: &LoggedReply| {
            matches!(entry.progress, Progress::Undecided | Progress::Pending | Progress::Failed { .. })
        };
        let is_shown = |entry: &LoggedReply| shown.iter().any(|one| shows(one, &entry.reply, wrapping));
        let collected = self.advance(|entry| is_undelivered(entry) && is_shown(entry), Progress::Collected);
        self.push_delivery(collected, DeliveryState::Collected, None, false, metrics);
        // A request that shows no replies, as a pushed turn, tells nothing about them.
        if !shown.is_empty() {
            self.fail_those_not_shown(shown, wrapping, metrics);
        }
        let pending = self.advance(|entry| entry.progress == Progress::Undecided, Progress::Pending);
        self.push_delivery(pending, DeliveryState::Pending, None, false, metrics);
        let has_failed = |entry: &LoggedReply| entry.progress == Progress::Failed { retry: true };
        let failed = self.advance(has_failed, Progress::Failed { retry: false });
        let why = "the agent has sent its next request meanwhile";
        self.push_delivery(failed, DeliveryState::Failed, Some(why.into()), false, metrics);
    }

    /// The agent has gone on without these replies to the last turn.
    fn fail_those_not_shown(&mut self, shown: &[ShownReply], wrapping: &Wrapping, metrics: &Metrics) {
        let not_shown: Vec<_> = self
            .dialogue
            .reply_log()
            .of_turn()
            .filter(|entry| !matches!(entry.progress, Progress::Collected | Progress::Sent | Progress::Sending))
            .map(|entry| (entry.sequence, why_not_shown(&entry.reply, shown, wrapping)))
            .collect();
        for (sequence, why) in not_shown {
            let failed = self.advance(|entry| entry.sequence == sequence, Progress::Failed { retry: false });
            self.push_delivery(failed, DeliveryState::Failed, Some(why), false, metrics);
        }
    }

    /// Forgets what was asked and answered in a message that broke off: it will be written again.
    pub(super) fn forget_broken_message(&mut self, metrics: &Metrics) {
        self.dismiss(metrics);
        let pending = self.advance(|entry| entry.progress == Progress::Pending, Progress::Failed { retry: false });
        let why = "the model writes the message with this question again";
        self.push_delivery(pending, DeliveryState::Failed, Some(why.into()), false, metrics);
    }

    /// The service begins to send the replies that it has kept for this.
    pub(super) fn begin_sending(&mut self) {
        let is_kept =
            |entry: &LoggedReply| matches!(entry.progress, Progress::Undecided | Progress::Failed { retry: true });
        self.advance(is_kept, Progress::Sending);
    }

    /// The provider has accepted the replies.
    pub(super) fn sent(&mut self, metrics: &Metrics) {
        // They stay in this progress until the turn has ended, because its stream may break.
        let mut sent = ReplySet::default();
        for entry in self.dialogue.reply_log().iter().filter(|entry| entry.progress == Progress::Sending) {
            sent.insert(&entry.reply);
        }
        self.push_delivery(sent, DeliveryState::Sent, None, false, metrics);
    }

    /// The replies that are being sent did not arrive, or the model's answer to them broke off.
    pub(super) fn sending_failed(&mut self, why: &str, request: Option<ContinuationRequest>, metrics: &Metrics) {
        let retry = request.is_some() && !self.gone;
        self.set_failed_request(request.filter(|_| retry).map(|request| FailedRequest { request, lacks_key: false }));
        let failed = self.advance(|entry| entry.progress == Progress::Sending, Progress::Failed { retry });
        if retry && failed == ReplySet::default() {
            // Only corrections have failed. The event says that they can be sent again.
            self.push_delivery_of_corrections(DeliveryState::Failed, Some(why.into()), retry, metrics);
        }
        self.push_delivery(failed, DeliveryState::Failed, Some(why.into()), retry, metrics);
    }

    /// The turn that answers the sent replies has ended.
    pub(super) fn end_sending(&mut self) {
        self.advance(|entry| entry.progress == Progress::Sending, Progress::Sent);
    }

    /// An agent has collected the replies after the one with this number.
    pub(super) fn collected(&mut self, after: u64, metrics: &Metrics) {
        let first = self.dialogue.reply_log().after(after).next().map_or(u64::MAX, |entry| entry.sequence);
        let is_collected = |entry: &LoggedReply| match entry.progress {
            Progress::Pending | Progress::Failed { retry: false } => entry.sequence >= first,
            // What the agent has must not be sent a second time, by the service.
            Progress::Failed { retry: true } => first != u64::MAX,
            _ => false,
        };
        let collected = self.advance(is_collected, Progress::Collected);
        let ends_retry = first != u64::MAX && self.set_failed_request(None).is_some();
        if ends_retry && collected == ReplySet::default() {
            // Only corrections had failed.
            self.push_delivery_of_corrections(DeliveryState::Collected, None, false, metrics);
        }
        self.push_delivery(collected, DeliveryState::Collected, None, false, metrics);
    }

    /// Pushes the delivery of corrections, which have no number.
    fn push_delivery_of_corrections(
        &mut self,
        state: DeliveryState,
        why: Option<String>,
        retry: bool,
        metrics: &Metrics,
    ) {
        let delivery = Cow::Owned(Delivery { state, why, retry });
        let event = ConversationEvent::Delivery { numbers: [].as_slice().into(), guidance: false, delivery };
        self.log.push(&event, metrics);
    }

    fn advance(&mut self, matches: impl Fn(&LoggedReply) -> bool, to: Progress) -> ReplySet {
        self.dialogue.reply_log_mut().advance(matches, to)
    }

    fn push_delivery(
        &mut self,
        replies: ReplySet,
        state: DeliveryState,
        why: Option<String>,
        retry: bool,
        metrics: &Metrics,
    ) {
        let ReplySet { numbers, guidance } = replies;
        let delivery = Delivery { state, why, retry };
        let mut push = |numbers: &[u64], guidance| {
            metrics.delivery(state.label());
            self.log.push(
                &ConversationEvent::Delivery { numbers: numbers.into(), guidance, delivery: Cow::Borrowed(&delivery) },
                metrics,
            );
        };
        if !numbers.is_empty() {
            push(&numbers, false);
        }
        if guidance {
            push(&[], true);
        }
    }
}

/// Returns `true` if that is this reply.
fn shows(shown: &ShownReply, reply: &Reply, wrapping: &Wrapping) -> bool {
    if shown.call_id.is_some() && shown.call_id != reply.id {
        return false;
    }
    // An agent may wrap the reply once more, or unwrap it.
    shown.text.contains(reply.text.trim())
        || (shown.call_id.is_some() && shown.text.trim() == unwrapped(&reply.text, wrapping))
}

/// Returns why a request does not show a reply, for people.
fn why_not_shown(reply: &Reply, shown: &[ShownReply], wrapping: &Wrapping) -> String {
    let other = shown.iter().find(|one| one.call_id.is_some() && one.call_id == reply.id);
    match other {
        Some(other) => {
            let text = unwrapped(&other.text, wrapping);
            let start = prefix(&text, MAX_QUOTED);
            let cut = if start.len() < text.len() { "…" } else { "" };
            format!("the agent has sent another answer: {start}{cut}")
        }
        None => "the agent has sent its next request without this answer".into(),
    }
}
