//! The dialogue of a conversation within limits: questions, and replies to the newest turn.

mod stored;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use followup::dialogue::{
    Answer, AnswerError, AnswerErrorKind, Correction, Dialogue, Directive, Form, GuideError, Image, MessageFormat,
    Question, Reply, Setup,
};
use followup::{Complete, Event, Rejected};
use serde::{Deserialize, Serialize};

use super::action::{ActionOutcome, StoredAnswer, UserAction};
use super::form_item::size_of_asked;
use super::outcome::ClosedWhy;
use super::reply_log::{ReplyLog, size_of_images};
use crate::error::ApiError;
use crate::settings::Limits;

pub(super) use self::stored::StoredDialogue;

/// Maximum number of questions that wait for an answer, and of calls in a turn that get a reply.
const MAX_CALLS: usize = 256;

/// Maximum number of questions without an answer that are remembered, to report them as such.
const MAX_UNANSWERED: usize = 1024;

/// A dialogue whose memory is bounded: its history is not kept.
#[derive(Debug)]
pub(super) struct BoundedDialogue {
    dialogue: Dialogue,
    limits: Limits,
    /// Number of questions so far.
    asked: u64,
    /// The questions that wait for an answer, by number.
    pending: BTreeMap<u64, PendingQuestion>,
    /// The latest questions that were closed or cancelled.
    unanswered: VecDeque<(u64, Unanswered)>,
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

/// How a question ended without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Unanswered {
    Cancelled,
    Declined,
    Closed(ClosedWhy),
}

/// Why a question can't be answered or cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerRefusal {
    Dialogue(AnswerErrorKind),
    Closed(ClosedWhy),
}

/// A call of the newest turn.
#[derive(Debug)]
struct RepliedCall {
    /// The number of the question; `None` for a correction or guidance.
    number: Option<u64>,
    /// `None` while the question waits for an answer, and if it was closed.
    reply: Option<Arc<Reply>>,
}

/// What becomes of a call that has ended.
#[derive(Debug)]
pub(super) enum CallOutcome {
    /// It is asked under this number, now (`open`) or after other questions.
    Asked { number: u64, open: bool, form: Option<Form> },
    /// It can't be asked; the model is told why.
    Corrected { reason: String, message: String, stopped: bool },
    /// There are too many calls.
    Dropped,
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
            unanswered: VecDeque::new(),
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

    /// Begins a turn. The replies from now on answer its calls.
    pub(super) fn begin_turn(&mut self) {
        self.calls.clear();
        self.replies.begin_turn();
        self.overflowed = false;
        self.other_tool = None;
    }

    /// Records that the turn calls another tool.
    pub(super) fn note_other_tool(&mut self, tool: &str) {
        if self.other_tool.is_none() {
            self.other_tool = Some(tool.to_owned());
        }
    }

    /// Takes a complete call.
    pub(super) fn complete(&mut self, call: Complete<'_>) -> CallOutcome {
        let size: usize = call.questions().iter().map(|question| size_of_asked(&question)).sum();
        let total = self.pending.values().map(|question| question.size).sum::<usize>().saturating_add(size);
        if self.pending.len() >= MAX_CALLS
            || self.calls.len() >= MAX_CALLS
            || ((!self.pending.is_empty() || call.questions().len() > 1) && total > self.limits.kept)
        {
            self.overflowed = true;
            return CallOutcome::Dropped;
        }
        let (outcome, correction) = match self.dialogue.event(Event::Complete(call)) {
            Directive::Ask(question) => (asked(question, true), None),
            Directive::Later(question) => (asked(question, false), None),
            Directive::Tell(correction) => (corrected(correction, &correction.user, false), Some(correction.reply())),
            Directive::Stop(correction) => (corrected(correction, &correction.user, true), Some(correction.reply())),
            Directive::Nothing | Directive::Show(_) => (CallOutcome::Dropped, None),
        };
        drop(self.dialogue.take_history());
        if let &CallOutcome::Asked { number, .. } = &outcome {
            self.asked = number + 1;
            self.pending.insert(number, PendingQuestion { size, id: call.id().map(str::to_owned) });
            self.calls.push(RepliedCall { number: Some(number), reply: None });
        }
        self.push_correction(correction);
        outcome
    }

    /// Takes a rejected call.
    pub(super) fn reject(&mut self, call: Rejected<'_>) -> CallOutcome {
        let message = call.reason().to_string();
        let (outcome, correction) = match self.dialogue.event(Event::Rejected(call)) {
            Directive::Tell(correction) => (corrected(correction, &message, false), Some(correction.reply())),
            Directive::Stop(correction) => (corrected(correction, &message, true), Some(correction.reply())),
            _ => (CallOutcome::Dropped, None),
        };
        drop(self.dialogue.take_history());
        self.push_correction(correction);
        outcome
    }

    fn push_correction(&mut self, correction: Option<Reply>) {
        let Some(reply) = correction else { return };
        if self.calls.len() >= MAX_CALLS || self.replies_size() > self.limits.kept {
            self.overflowed = true;
        } else {
            self.push_reply(None, Arc::new(reply));
        }
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

    /// Returns the outcome of an answer to the newest turn; `None` if it was not given.
    pub(super) fn outcome_of(&self, number: u64, format: MessageFormat) -> Option<ActionOutcome> {
        let call = self.calls.iter().find(|call| call.number == Some(number))?;
        let (reply, messages) = (call.reply.clone()?, Reply::messages_of(&self.replies(), format));
        Some(ActionOutcome { reply, messages, waiting: self.waiting() })
    }

    /// Returns the reply that an action would lead to. Changes nothing.
    ///
    /// # Errors
    ///
    /// If the action is not possible now.
    pub(super) fn reply_to(&self, answer: &StoredAnswer) -> Result<Reply, ApiError> {
        let StoredAnswer { action, images } = answer;
        let mut copy = self.dialogue.clone();
        let (number, reply) = match action {
            UserAction::Answer { number, answer } => {
                (*number, copy.answer(*number, answer.clone(), images.clone()).map_err(|error| error.kind))
            }
            UserAction::Cancel { number } => (*number, copy.cancel(*number)),
            UserAction::Decline { number } => (*number, copy.decline(*number)),
            UserAction::Guide { text } => {
                return copy.guide(text.clone(), images.clone()).map_err(|error| ApiError::not_stopped(&error));
            }
        };
        reply.map_err(|kind| self.refine_error(number, kind).into_error(number))
    }

    pub(super) fn cancel(&mut self, number: u64) -> Result<Arc<Reply>, AnswerRefusal> {
        let cancelled = self.dialogue.cancel(number);
        self.end_unanswered(number, Unanswered::Cancelled, cancelled)
    }

    pub(super) fn decline(&mut self, number: u64) -> Result<Arc<Reply>, AnswerRefusal> {
        let declined = self.dialogue.decline(number);
        self.end_unanswered(number, Unanswered::Declined, declined)
    }

    fn end_unanswered(
        &mut self,
        number: u64,
        how: Unanswered,
        reply: Result<Reply, AnswerErrorKind>,
    ) -> Result<Arc<Reply>, AnswerRefusal> {
        drop(self.dialogue.take_history());
        let reply = reply.map_err(|kind| self.refine_error(number, kind))?;
        self.remember(number, how);
        Ok(self.set_reply(number, reply))
    }

    /// Closes every question that waits for an answer. Returns them in order.
    pub(super) fn close_all(&mut self, why: ClosedWhy) -> Vec<OpenQuestion> {
        let pending = std::mem::take(&mut self.pending);
        // From the last to the first, so that none is opened meanwhile.
        for number in pending.keys().rev() {
            // Its reply is dropped without an event.
            let _ = self.dialogue.cancel(*number);
            drop(self.dialogue.take_history());
        }
        let close = |(number, question): (u64, PendingQuestion)| {
            self.remember(number, Unanswered::Closed(why));
            OpenQuestion { number, id: question.id }
        };
        pending.into_iter().map(close).collect()
    }

    fn remember(&mut self, number: u64, how: Unanswered) {
        self.unanswered.push_back((number, how));
        if self.unanswered.len() > MAX_UNANSWERED {
            self.unanswered.pop_front();
        }
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

    /// Returns more precisely why a question can't be answered.
    ///
    /// Without its history the dialogue only knows the questions that wait.
    fn refine_error(&self, number: u64, kind: AnswerErrorKind) -> AnswerRefusal {
        let unanswered = self.unanswered.iter().find(|(one, _)| *one == number).map(|(_, how)| *how);
        match (kind, unanswered) {
            (AnswerErrorKind::NotAsked, Some(Unanswered::Closed(why))) => AnswerRefusal::Closed(why),
            (AnswerErrorKind::NotAsked, Some(Unanswered::Cancelled)) => {
                AnswerRefusal::Dialogue(AnswerErrorKind::AlreadyCancelled)
            }
            (AnswerErrorKind::NotAsked, Some(Unanswered::Declined)) => {
                AnswerRefusal::Dialogue(AnswerErrorKind::AlreadyDeclined)
            }
            (AnswerErrorKind::NotAsked, None) if number < self.asked => {
                AnswerRefusal::Dialogue(AnswerErrorKind::AlreadyAnswered)
            }
            (kind, _) => AnswerRefusal::Dialogue(kind),
        }
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

fn asked(question: &Question, open: bool) -> CallOutcome {
    CallOutcome::Asked { number: question.number, open, form: question.form.clone() }
}

fn corrected(correction: &Correction, message: &str, stopped: bool) -> CallOutcome {
    CallOutcome::Corrected { reason: correction.reason.clone(), message: message.to_owned(), stopped }
}
