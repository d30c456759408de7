//! The replies of a conversation, for an agent that collects them.

use followup::dialogue::{MessageFormat, Reply};
use serde::Serialize;
use serde_json::Value;

use super::event_id::EventId;
use super::role::Role;
use super::state::ConversationState;
use super::{Conversation, Reader};
use crate::error::ApiError;

/// What an agent gets when it collects the replies.
#[derive(Serialize)]
struct CollectedReplies<'a> {
    replies: Vec<NumberedReply<'a>>,
    /// The messages that carry all replies to the newest turn.
    messages: Vec<Value>,
    /// How many replies the user still has to give: answers, or guidance.
    missing: usize,
    /// The number of the last reply.
    last: u64,
}

#[derive(Serialize)]
struct NumberedReply<'a> {
    sequence: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<u64>,
    reply: &'a Reply,
    text: &'a str,
}

impl Conversation {
    /// Returns the replies after the one with this number, as JSON. They are collected now.
    ///
    /// # Errors
    ///
    /// If the conversation is gone.
    pub(crate) fn collect_replies(&self, after: u64, format: MessageFormat) -> Result<Vec<u8>, ApiError> {
        let mut state = self.lock_for_change();
        if state.gone {
            return Err(ApiError::no_conversation(&self.id));
        }
        let log = state.dialogue.reply_log();
        let numbered = log.after(after).map(|entry| {
            let reply = &*entry.reply;
            NumberedReply { sequence: entry.sequence, number: reply.number, reply, text: &reply.text }
        });
        let collected = CollectedReplies {
            replies: numbered.collect(),
            messages: Reply::messages_of(&state.dialogue.replies(), format),
            missing: state.missing_replies(),
            last: log.count(),
        };
        // All of it serializes to JSON.
        let json = serde_json::to_vec(&collected).unwrap_or_default();
        state.collected(after, &self.metrics);
        Ok(json)
    }
}

impl ConversationState {
    /// Returns how many replies the user still has to give: answers, or guidance.
    fn missing_replies(&self) -> usize {
        self.dialogue.waiting() + usize::from(self.dialogue.has_stopped())
    }
}

impl Reader {
    /// Waits until this event or a later one is here, or the conversation is gone.
    pub(crate) async fn reached(&mut self, last: EventId) {
        loop {
            {
                let state = self.conversation.state.lock();
                if state.gone || state.log.buffer.last() >= last {
                    return;
                }
            }
            self.changed().await;
        }
    }

    /// Waits until a question has been answered, or the conversation is gone.
    pub(crate) async fn replied(&mut self, number: u64) {
        loop {
            {
                let state = self.conversation.state.lock();
                if state.gone || !state.log.transcript.awaits_answer(number) {
                    return;
                }
            }
            self.changed().await;
        }
    }

    /// Waits for a reply after the one with this number.
    ///
    /// Also returns when the user has nothing to reply to any more, or the conversation is gone.
    pub(crate) async fn reply_after(&mut self, sequence: u64) {
        let mut most = 0;
        loop {
            {
                let state = self.conversation.state.lock();
                let facts = state.facts();
                let missing = facts.waiting + usize::from(facts.stopped);
                let is_over = match &state.role {
                    // The process that writes the conversation has the replies.
                    Role::Follower(_) => missing < most,
                    Role::Alone | Role::Writer(_) => {
                        missing == 0 && most > 0 || state.dialogue.reply_log().after(sequence).next().is_some()
                    }
                };
                if state.gone || is_over {
                    return;
                }
                most = most.max(missing);
            }
            self.changed().await;
        }
    }
}
