//! A turn: one message of the model, from a response's bytes to a conversation's events.

use std::sync::Arc;
use std::time::Instant;

use followup::dialogue::Reply;
use followup::wire;

use super::change::ChangeGuard;
use super::continuation::{Continuation, ContinuationRequest, PendingContinuation};
use super::event::ConversationEvent;
use super::request_content::RequestContent;
use super::state::ConversationState;
use super::turn_state::TurnState;
use super::{Conversation, Readiness};
use crate::error::ApiError;
use crate::metrics::Metrics;

/// Where a turn's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TurnSource {
    Relay,
    Push,
    Demo,
    Continue,
}

impl TurnSource {
    /// Returns the label of the source in the metrics.
    fn label(self) -> &'static str {
        match self {
            TurnSource::Relay => "relay",
            TurnSource::Push => "push",
            TurnSource::Demo => "demo",
            TurnSource::Continue => "continue",
        }
    }
}

/// The data of the last event in an OpenAI-compatible stream.
///
/// A caller that has read it may disconnect: it missed nothing.
const DONE: &[u8] = b"[DONE]";

/// How many bytes at the end of the stream are kept to look for [`DONE`].
const TAIL: usize = 32;

/// A turn that is streaming.
///
/// It ends with [`Turn::end`]; if it is dropped before its last event, it is cut off.
pub(crate) struct Turn {
    conversation: Arc<Conversation>,
    /// The epoch in which it began. In another one, another process writes the conversation.
    epoch: Option<u64>,
    /// `None` if the body can't be parsed.
    response: Option<wire::ResponseParser>,
    /// The last bytes of the body.
    tail: Vec<u8>,
    started: Instant,
    has_ended: bool,
    continuation: PendingContinuation,
}

impl ConversationState {
    /// Checks that a request has failed which this process can try again.
    fn check_retry(&self) -> Result<(), ApiError> {
        match &self.failed_request {
            Some(failed) if failed.lacks_key => Err(ApiError::key_elsewhere()),
            Some(_) => Ok(()),
            None => Err(ApiError::nothing_to_retry()),
        }
    }
}

impl Conversation {
    /// Checks that [`Turn::begin_retry`] would begin a turn.
    ///
    /// # Errors
    ///
    /// The same as [`Turn::begin_retry`].
    pub(crate) fn check_retry(&self) -> Result<(), ApiError> {
        self.lock_to_write()?.check_retry()
    }
}

impl Turn {
    /// Begins the next turn of a conversation. Without a wire format, the parser detects it.
    ///
    /// # Errors
    ///
    /// If another turn is still streaming, the conversation is gone, or another process writes it.
    pub(crate) fn begin(
        conversation: &Arc<Conversation>,
        wire: Option<wire::Format>,
        source: TurnSource,
        content: RequestContent,
    ) -> Result<Turn, ApiError> {
        let mut state = conversation.lock_to_write()?;
        if state.turn == TurnState::Streaming {
            return Err(ApiError::busy(&conversation.id));
        }
        state.supersede(&content, &conversation.settings.setup, &conversation.metrics);
        state.begin_turn(source.label(), &conversation.metrics);
        Ok(Turn::new(conversation, state.role.epoch(), wire))
    }

    /// Begins the turn that follows the last one, if everything in that has been answered.
    ///
    /// Returns the continuation that feeds it, and the replies.
    ///
    /// # Errors
    ///
    /// If the conversation can't continue, or not yet.
    pub(crate) fn begin_continuation(
        conversation: &Arc<Conversation>,
    ) -> Result<(Turn, Continuation, Vec<Reply>), Readiness> {
        let mut state = conversation.lock_to_write().map_err(|_| Readiness::Nothing)?;
        let (continuation, replies) = state.take_continuation()?;
        let source = match continuation {
            Continuation::Recording(_) => TurnSource::Demo,
            Continuation::Nothing | Continuation::Unavailable(_) | Continuation::Provider(_) => TurnSource::Continue,
        };
        state.begin_sending();
        if source == TurnSource::Demo {
            // A recording accepts every reply.
            state.sent(&conversation.metrics);
        }
        state.begin_turn(source.label(), &conversation.metrics);
        let turn = Turn::new(conversation, state.role.epoch(), Some(continuation.wire()));
        Ok((turn, continuation, replies))
    }

    /// Begins the turn that tries again what failed. Returns the request to send.
    ///
    /// # Errors
    ///
    /// If nothing has failed that can be tried again, the conversation is gone, another process
    /// writes it, or only another process has the key of the request.
    pub(crate) fn begin_retry(conversation: &Arc<Conversation>) -> Result<(Turn, ContinuationRequest), ApiError> {
        let mut state = conversation.lock_to_write()?;
        state.check_retry()?;
        let request = state.set_failed_request(None).ok_or_else(ApiError::nothing_to_retry)?.request;
        state.forget_broken_message(&conversation.metrics);
        state.begin_sending();
        state.begin_turn(TurnSource::Continue.label(), &conversation.metrics);
        Ok((Turn::new(conversation, state.role.epoch(), Some(wire::Format::OpenAiChat)), request))
    }

    fn new(conversation: &Arc<Conversation>, epoch: Option<u64>, wire: Option<wire::Format>) -> Turn {
        Turn {
            conversation: conversation.clone(),
            epoch,
            response: Some(conversation.settings.response_parser(wire)),
            tail: Vec::new(),
            started: Instant::now(),
            has_ended: false,
            continuation: PendingContinuation::Nothing,
        }
    }

    /// Returns the conversation to which the turn belongs.
    pub(crate) fn conversation(&self) -> &Arc<Conversation> {
        &self.conversation
    }

    /// Waits until the store has what has happened so far, the beginning of the turn included.
    ///
    /// Returns `false` if another process writes the conversation meanwhile.
    pub(crate) async fn is_stored(&self) -> bool {
        self.conversation.flushed().await && self.conversation.epoch() == self.epoch
    }

    /// Returns `true` if the conversation was deleted or dropped, so that nobody can see the turn.
    pub(crate) fn is_gone(&self) -> bool {
        self.conversation.is_gone()
    }

    /// Sets what follows the turn. The continuation is fed the chunks from now on.
    pub(crate) fn set_continuation(&mut self, continuation: PendingContinuation) {
        self.conversation.state.lock().may_continue = !matches!(continuation, PendingContinuation::Nothing);
        self.continuation = continuation;
    }

    /// Consumes the next chunk of the body. Its events are in the conversation when this returns.
    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        self.conversation.metrics.bytes(chunk.len());
        self.continuation.feed(chunk);
        self.tail.extend_from_slice(&chunk[chunk.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        if let (Some(response), Some(mut state)) = (&mut self.response, self.conversation.lock_in(self.epoch)) {
            state.apply_all(response.feed(chunk), &self.conversation.metrics);
        }
    }

    /// Returns `true` if the continuation has seen the last event of the body.
    pub(crate) fn is_done(&self) -> bool {
        self.continuation.is_done()
    }

    /// The provider has accepted the replies that the turn answers.
    pub(crate) fn sent(&mut self) {
        if let Some(mut state) = self.conversation.lock_in(self.epoch) {
            state.sent(&self.conversation.metrics);
        }
    }

    /// Ends the turn, because the replies that it answers did not arrive or its stream broke.
    ///
    /// The request is kept to be tried again.
    pub(crate) fn fail(mut self, why: &str, request: Option<ContinuationRequest>) {
        self.error("upstream", why);
        self.finish(true, |state, metrics| state.sending_failed(why, request, metrics));
    }

    /// Adds an error to the conversation.
    pub(crate) fn error(&mut self, kind: &str, message: &str) {
        if let Some(mut state) = self.conversation.lock_in(self.epoch) {
            let event = ConversationEvent::Error { kind: kind.into(), message: message.into() };
            state.log.push(&event, &self.conversation.metrics);
        }
    }

    /// Adds the error that the body can't be parsed. The turn continues without events.
    pub(crate) fn set_unreadable(&mut self, kind: &str, message: &str) {
        self.error(kind, message);
        self.response = None;
    }

    /// Ends the turn.
    pub(crate) fn end(mut self, cut_off: bool) {
        self.finish(cut_off, |_, _| {});
    }

    /// Ends the turn, whose message is whole.
    ///
    /// # Errors
    ///
    /// If another process has become the writer meanwhile. It has cut the turn off, and the rest is
    /// lost.
    pub(crate) fn end_whole(mut self) -> Result<(), ApiError> {
        if self.finish(false, |_, _| {}) { Ok(()) } else { Err(ApiError::taken_over(&self.conversation.id)) }
    }

    /// Ends the turn.
    ///
    /// What happens before its end happens under the same lock, so that no turn begins in between.
    ///
    /// Returns `false` if another process writes the conversation meanwhile.
    fn finish(&mut self, cut_off: bool, before_end: impl FnOnce(&mut ConversationState, &Metrics)) -> bool {
        if std::mem::replace(&mut self.has_ended, true) {
            return true;
        }
        let conversation = &self.conversation;
        conversation.metrics.turn_ended(self.started.elapsed());
        let Some(mut state) = conversation.lock_in(self.epoch) else { return false };
        before_end(&mut state, &conversation.metrics);
        if let Some(mut response) = self.response.take() {
            state.apply_all(response.finish(), &conversation.metrics);
        }
        let pending = std::mem::replace(&mut self.continuation, PendingContinuation::Nothing);
        let continuation = if cut_off { Continuation::Nothing } else { pending.finish() };
        let may_continue = state.end_turn(cut_off, continuation, &conversation.metrics);
        drop(state);
        if may_continue {
            // Nobody receives it when the service is shutting down.
            let _ = conversation.ended_turns.send(conversation.clone());
        }
        true
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let is_complete = self.tail.trim_ascii_end().ends_with(DONE);
        self.finish(!is_complete, |_, _| {});
    }
}

impl Conversation {
    /// Locks the state for a change; `None` if another process writes the conversation meanwhile.
    fn lock_in(&self, epoch: Option<u64>) -> Option<ChangeGuard<'_>> {
        Some(self.lock_for_change()).filter(|state| state.role.epoch() == epoch)
    }
}

impl ConversationState {
    pub(super) fn apply_all(&mut self, mut events: wire::Events<'_>, metrics: &Metrics) {
        while let Some(event) = events.next() {
            match event {
                Ok(event) => self.apply(event, metrics),
                Err(error) => self.apply_error(&error, metrics),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use axum::http::HeaderMap;
    use serde_json::Value;

    use followup::dialogue::{Answer, MessageFormat};

    use super::*;
    use crate::chat::{AssistantMessage, ChatRequest};
    use crate::conversation::StoredConversation;
    use crate::conversation::superseding_tests::conversation;
    use crate::conversation::user_action::UserAction;

    #[test]
    fn a_retry_begins_only_after_the_turn_that_failed_has_ended() {
        let both = Barrier::new(2);
        for _ in 0..100 {
            let conversation = conversation();
            let request = ContinuationRequest { headers: HeaderMap::new(), body: "{}".into() };
            let turn = Turn::begin(&conversation, None, TurnSource::Continue, RequestContent::default()).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    both.wait();
                    while Turn::begin_retry(&conversation).is_err() {}
                });
                both.wait();
                turn.fail("broken", Some(request));
            });
            let snapshot: Value = serde_json::from_slice(&conversation.snapshot()).unwrap();
            let kinds: Vec<_> = snapshot["items"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
            assert_eq!(kinds, ["turn", "error", "end", "turn", "end"]);
        }
    }

    #[test]
    fn a_turn_tells_at_its_end_that_another_process_has_become_the_writer() {
        let conversation = conversation();
        let begin = || Turn::begin(&conversation, None, TurnSource::Push, RequestContent::default()).unwrap();
        assert!(begin().end_whole().is_ok());
        conversation.take_over(1, StoredConversation::default()).unwrap();
        let turn = begin();
        conversation.take_over(2, StoredConversation::default()).unwrap();
        assert_eq!(turn.end_whole().unwrap_err().code(), "elsewhere");
    }

    #[test]
    fn a_reply_counts_as_sent_by_the_service_from_the_turn_that_continues_it() {
        let conversation = conversation();
        let content = RequestContent::default();
        let mut turn = Turn::begin(&conversation, Some(wire::Format::OpenAiChat), TurnSource::Relay, content).unwrap();
        turn.set_continuation(PendingContinuation::Provider {
            headers: HeaderMap::new(),
            request: Arc::new(ChatRequest::parse(br#"{"messages":[]}"#).unwrap()),
            message: Box::new(AssistantMessage::new(1000)),
        });
        turn.feed(
            br#"data: {"choices":[{"delta":{"content":"<ask_followup_question><question>Tea?</question></ask_followup_question>"}}]}

data: [DONE]

"#,
        );
        turn.end(false);
        let action = UserAction::Answer { number: 0, answer: Answer::Text("Yes".into()) };
        let reply = conversation.perform(action, Vec::new(), MessageFormat::OpenAiChat).unwrap().reply;
        assert!(!conversation.sends(&reply));
        let (turn, ..) = Turn::begin_continuation(&conversation).ok().unwrap();
        assert!(Turn::begin_continuation(&conversation).is_err(), "the answer comes too late to begin it");
        assert!(conversation.sends(&reply));
        turn.fail("broken", Some(ContinuationRequest { headers: HeaderMap::new(), body: "{}".into() }));
        assert!(conversation.sends(&reply));
        conversation.collect_replies(0, MessageFormat::OpenAiChat).unwrap();
        assert!(!conversation.sends(&reply), "an agent has it now");
    }
}
