//! The dialogue of a conversation as data, for a process that continues it.

use std::sync::Arc;

use followup::ResumeError;
use followup::dialogue::{Checkpoint, Dialogue, Reply, Setup};
use serde::{Deserialize, Serialize};

use super::unanswered::UnansweredQuestions;
use super::{BoundedDialogue, PendingQuestion, RepliedCall};
use crate::conversation::reply_log::{ReplyLog, StoredReplies};
use crate::settings::Limits;

/// The dialogue of a conversation as data.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::conversation) struct StoredDialogue {
    dialogue: Checkpoint,
    asked: u64,
    pending: Vec<(u64, PendingQuestion)>,
    unanswered: UnansweredQuestions,
    replies: StoredReplies,
    calls: Vec<StoredCall>,
    overflowed: bool,
    other_tool: Option<String>,
}

/// A call of the newest turn.
#[derive(Debug, Serialize, Deserialize)]
struct StoredCall {
    number: Option<u64>,
    reply: Option<StoredReply>,
}

/// The reply to a call. One that is kept for agents is stored with those.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StoredReply {
    Kept(u64),
    Own(Reply),
}

impl BoundedDialogue {
    /// Returns the dialogue as data.
    pub(in crate::conversation) fn stored(&self) -> StoredDialogue {
        let reply = |reply: &Arc<Reply>| match self.replies.number_of(reply) {
            Some(sequence) => StoredReply::Kept(sequence),
            None => StoredReply::Own((**reply).clone()),
        };
        let call = |call: &RepliedCall| StoredCall { number: call.number, reply: call.reply.as_ref().map(reply) };
        StoredDialogue {
            dialogue: self.dialogue.checkpoint(),
            asked: self.asked,
            pending: self.pending.iter().map(|(number, question)| (*number, question.clone())).collect(),
            unanswered: self.unanswered.clone(),
            replies: self.replies.stored(),
            calls: self.calls.iter().map(call).collect(),
            overflowed: self.overflowed,
            other_tool: self.other_tool.clone(),
        }
    }

    /// Returns the dialogue that was stored.
    ///
    /// # Errors
    ///
    /// If its format is of another version, or it was damaged.
    pub(in crate::conversation) fn restore(
        stored: StoredDialogue,
        setup: Arc<Setup>,
        limits: Limits,
    ) -> Result<BoundedDialogue, ResumeError> {
        let replies = ReplyLog::restore(stored.replies, limits.body);
        let kept = |sequence| replies.iter().find(|entry| entry.sequence == sequence).map(|entry| entry.reply.clone());
        let call = |StoredCall { number, reply }| RepliedCall {
            number,
            reply: reply.and_then(|reply| match reply {
                StoredReply::Kept(sequence) => kept(sequence),
                StoredReply::Own(reply) => Some(Arc::new(reply)),
            }),
        };
        let calls = stored.calls.into_iter().map(call).collect();
        Ok(BoundedDialogue {
            dialogue: Dialogue::resume(setup, stored.dialogue)?,
            limits,
            asked: stored.asked,
            pending: stored.pending.into_iter().collect(),
            unanswered: stored.unanswered,
            replies,
            calls,
            overflowed: stored.overflowed,
            other_tool: stored.other_tool,
        })
    }

    /// Returns the numbers of the questions that wait for an answer.
    pub(in crate::conversation) fn pending(&self) -> impl Iterator<Item = u64> {
        self.pending.keys().copied()
    }
}
