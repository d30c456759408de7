//! The dialogue of a conversation within limits: questions, and replies to the newest turn.

mod calls;
mod ending;
mod stored;
mod unanswered;

use std::collections::BTreeMap;
use std::sync::Arc;

use followup::dialogue::{
    Answer, AnswerError, AnswerErrorKind, Dialogue, GuideError, Image, MessageFormat, Question, Reply, Setup,
};
use serde::{Deserialize, Serialize};

use self::unanswered::{AnswerRefusal, UnansweredQuestions};
use super::reply_log::{Progress, ReplyLog, size_of_images};
use super::user_action::{ActionOutcome, UserAction};
use crate::error::ApiError;
use crate::settings::Limits;

pub(super) use self::calls::CallOutcome;
pub(super) use self::stored::StoredDialogue;

/// A dialogue whose memory is bounded: its history is not kept.
#[derive(Debug)]
pub(super) struct BoundedDialogue {
    dialogue: Dialogue,
    limits: Limits,
    /// Number of questions so far.
    asked: u64,
    /// The questions that wait for an answer, by number.
    pending: BTreeMap<u64, PendingQuestion>,
    unanswered: UnansweredQuestions,
    replies: ReplyLog,
    /// The calls of the newest turn, in order.
    calls: Vec<RepliedCall>,
    /// The newest turn has calls beyond the limit, which get no reply.
    overflowed: bool,
    /// Another tool that the newest turn calls, too.
    other_tool: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct PendingQuestion {
    size: usize,
    /// The provider's id of the call.
    id: Option<String>,
}

/// A question that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenQuestion {
    pub(super) number: u64,
    /// The provider's id of the call.
    pub(super) id: Option<String>,
}

/// A call of the newest turn.
#[derive(Debug)]
struct RepliedCall {
    /// The number of the question; `None` for a correction or guidance.
    number: Option<u64>,
    /// `None` while the question waits for an answer, and if it was closed.
    reply: Option<Arc<Reply>>,
}

/// Whether the conversation can continue without its user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Readiness {
    /// Nothing was asked, so nothing follows.
    Nothing,
    /// The user has to answer, or to guide, first.
    Waiting,
    /// Every call has a reply.
    Ready,
    /// The service can't continue, for this reason.
    Blocked(String),
}

impl BoundedDialogue {
    pub(super) fn new(setup: Arc<Setup>, limits: Limits) -> BoundedDialogue {
        BoundedDialogue {
            dialogue: Dialogue::new(setup),
            limits,
            asked: 0,
            pending: BTreeMap::new(),
            unanswered: UnansweredQuestions::default(),
            replies: ReplyLog::new(limits.body),
            calls: Vec::new(),
            overflowed: false,
            other_tool: None,
        }
    }

    /// Returns the approximate memory of the dialogue.
    pub(super) fn memory(&self) -> usize {
        // A question is kept here and in the dialogue.
        let pending: usize = self.pending.values().map(|question| question.size).sum();
        2 * pending + self.replies.memory()
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.dialogue.has_stopped()
    }

    pub(super) fn open_question(&self) -> Option<&Question> {
        self.dialogue.question()
    }

    /// Returns how many questions wait for an answer.
    pub(super) fn waiting(&self) -> usize {
        self.pending.len()
    }

    fn push_reply(&mut self, number: Option<u64>, reply: Arc<Reply>) {
        self.replies.push(reply.clone());
        self.calls.push(RepliedCall { number, reply: Some(reply) });
    }

    /// Returns the replies of the conversation.
    pub(super) fn reply_log(&self) -> &ReplyLog {
        &self.replies
    }

    pub(super) fn reply_log_mut(&mut self) -> &mut ReplyLog {
        &mut self.replies
    }

    /// Returns the bytes of the turn's replies.
    pub(super) fn replies_size(&self) -> usize {
        self.iter_replies().map(|reply| reply.text.len() + size_of_images(&reply.images)).sum()
    }

    fn iter_replies(&self) -> impl Iterator<Item = &Reply> {
        self.calls.iter().filter_map(|call| call.reply.as_deref())
    }

    /// Returns the turn's replies so far, in the order of its calls.
    pub(super) fn replies(&self) -> Vec<Reply> {
        self.iter_replies().cloned().collect()
    }

    pub(super) fn answer(
        &mut self,
        number: u64,
        answer: Answer,
        images: Vec<Image>,
    ) -> Result<Arc<Reply>, AnswerRefusal> {
        let answered = self.dialogue.answer(number, answer, images);
        drop(self.dialogue.take_history());
        match answered {
            Ok(reply) => Ok(self.set_reply(number, reply)),
            Err(AnswerError { kind, .. }) => Err(self.refine_error(number, kind)),
        }
    }

    /// Returns the outcome of an answer; `None` if it was not given, or is no longer kept.
    ///
    /// The messages are those of the newest turn, or only that of the answer if its turn is an
    /// earlier one.
    pub(super) fn outcome_of(&self, number: u64, format: MessageFormat) -> Option<ActionOutcome> {
        let (reply, messages) = match self.calls.iter().find(|call| call.number == Some(number)) {
            Some(call) => (call.reply.clone()?, Reply::messages_of(&self.replies(), format)),
            None => {
                let reply = self.replies.reply_to(number)?.clone();
                let messages = Reply::messages_of(std::slice::from_ref(&*reply), format);
                (reply, messages)
            }
        };
        let is_sent = self.sends(&reply);
        Some(ActionOutcome { reply, messages, waiting: self.waiting(), is_sent })
    }

    /// Returns `true` if the service sends a reply to the model itself, or tried to.
    pub(super) fn sends(&self, reply: &Reply) -> bool {
        let entry = self.replies.iter().rfind(|entry| *entry.reply == *reply);
        entry.is_some_and(|entry| {
            matches!(entry.progress, Progress::Sending | Progress::Sent | Progress::Failed { retry: true })
        })
    }

    /// Checks that the replies of the turn have room for that of an action.
    ///
    /// There is always room for what adds nothing that the user wrote. What the service adds, such
    /// as the text of a suggestion, may exceed the limit, and the turn must still come to its end.
    pub(super) fn check_room(&self, action: &UserAction, images: &[Image]) -> Result<(), ApiError> {
        let added = size_of_images(images) + action.text_len();
        let (size, limit) = (self.replies_size() + added, self.limits.body);
        if added == 0 || size <= limit {
            return Ok(());
        }
        Err(ApiError::too_large(format!(
            "the replies of this turn would have {size} bytes, and may have at most {limit}: send smaller images, or raise --limit-body"
        )))
    }

    /// Returns the reply that an action would lead to. Changes nothing.
    ///
    /// # Errors
    ///
    /// If the action is not possible now, or else if the replies of the turn would be too large.
    pub(super) fn reply_to(&self, action: &UserAction, images: &[Image]) -> Result<Reply, ApiError> {
        let reply = self.unchecked_reply_to(action, images)?;
        self.check_room(action, images)?;
        Ok(reply)
    }

    fn unchecked_reply_to(&self, action: &UserAction, images: &[Image]) -> Result<Reply, ApiError> {
        let images = || images.to_vec();
        let mut copy = self.dialogue.clone();
        let (number, reply) = match action {
            UserAction::Answer { number, answer } => {
                (*number, copy.answer(*number, answer.clone(), images()).map_err(|error| error.kind))
            }
            UserAction::Cancel { number } => (*number, copy.cancel(*number)),
            UserAction::Decline { number } => (*number, copy.decline(*number)),
            UserAction::Discuss { number, answers } => (*number, copy.discuss(*number, answers.clone())),
            UserAction::TimeOut { number, answers } => (*number, copy.time_out(*number, answers.clone())),
            UserAction::Guide { text } => {
                return copy.guide(text.clone(), images()).map_err(|error| ApiError::not_stopped(&error));
            }
        };
        reply.map_err(|kind| self.refine_error(number, kind).into_error(number))
    }

    /// Returns more precisely why a question can't be answered.
    ///
    /// Without its history the dialogue only knows the questions that wait.
    fn refine_error(&self, number: u64, kind: AnswerErrorKind) -> AnswerRefusal {
        if kind != AnswerErrorKind::NotAsked {
            return AnswerRefusal::Dialogue(kind);
        }
        let refusal = self.unanswered.refusal(number);
        refusal.unwrap_or_else(|| {
            let was_asked = number < self.asked;
            AnswerRefusal::Dialogue(if was_asked { AnswerErrorKind::AlreadyAnswered } else { kind })
        })
    }

    pub(super) fn guide(&mut self, text: String, images: Vec<Image>) -> Result<Arc<Reply>, GuideError> {
        let guided = self.dialogue.guide(text, images);
        drop(self.dialogue.take_history());
        let reply = Arc::new(guided?);
        self.push_reply(None, reply.clone());
        Ok(reply)
    }

    fn set_reply(&mut self, number: u64, reply: Reply) -> Arc<Reply> {
        let reply = Arc::new(reply);
        self.pending.remove(&number);
        let call = self.calls.iter_mut().find(|call| call.number == Some(number));
        match call {
            Some(call) => {
                call.reply = Some(reply.clone());
                self.replies.push(reply.clone());
            }
            // It was asked in an earlier turn.
            None => self.push_reply(Some(number), reply.clone()),
        }
        reply
    }

    /// Returns whether the conversation can continue. The newest turn must have ended.
    pub(super) fn readiness(&self) -> Readiness {
        if self.calls.is_empty() && !self.overflowed {
            Readiness::Nothing
        } else if self.has_stopped() || !self.pending.is_empty() {
            Readiness::Waiting
        } else if let Some(tool) = &self.other_tool {
            Readiness::Blocked(format!(
                "the message also calls {tool}, and only its sender has the result of that call"
            ))
        } else if self.overflowed {
            Readiness::Blocked(
                "the message has more calls than the service keeps, so not all of them have a reply".into(),
            )
        } else if self.calls.iter().any(|call| call.reply.is_none()) {
            Readiness::Blocked("a question of the message was dismissed, so not all of them have a reply".into())
        } else {
            Readiness::Ready
        }
    }
}
