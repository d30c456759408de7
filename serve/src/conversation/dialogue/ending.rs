//! How a question of a conversation ends without an answer.

use std::sync::Arc;

use followup::dialogue::{AnswerErrorKind, FormAnswer, Reply};

use super::unanswered::{AnswerRefusal, Unanswered};
use super::{BoundedDialogue, OpenQuestion, PendingQuestion};
use crate::conversation::outcome::ClosedWhy;

impl BoundedDialogue {
    pub(in crate::conversation) fn cancel(&mut self, number: u64) -> Result<Arc<Reply>, AnswerRefusal> {
        let cancelled = self.dialogue.cancel(number);
        self.end_unanswered(number, Unanswered::Cancelled, cancelled)
    }

    pub(in crate::conversation) fn decline(&mut self, number: u64) -> Result<Arc<Reply>, AnswerRefusal> {
        let declined = self.dialogue.decline(number);
        self.end_unanswered(number, Unanswered::Declined, declined)
    }

    pub(in crate::conversation) fn discuss(
        &mut self,
        number: u64,
        answers: Vec<FormAnswer>,
    ) -> Result<Arc<Reply>, AnswerRefusal> {
        let discussed = self.dialogue.discuss(number, answers);
        self.end_unanswered(number, Unanswered::Discussed, discussed)
    }

    pub(in crate::conversation) fn time_out(
        &mut self,
        number: u64,
        answers: Vec<FormAnswer>,
    ) -> Result<Arc<Reply>, AnswerRefusal> {
        let timed_out = self.dialogue.time_out(number, answers);
        self.end_unanswered(number, Unanswered::TimedOut, timed_out)
    }

    fn end_unanswered(
        &mut self,
        number: u64,
        how: Unanswered,
        reply: Result<Reply, AnswerErrorKind>,
    ) -> Result<Arc<Reply>, AnswerRefusal> {
        drop(self.dialogue.take_history());
        let reply = reply.map_err(|kind| self.refine_error(number, kind))?;
        self.unanswered.push(number, how);
        Ok(self.set_reply(number, reply))
    }

    /// Closes every question that waits for an answer. Returns them in order.
    pub(in crate::conversation) fn close_all(&mut self, why: ClosedWhy) -> Vec<OpenQuestion> {
        let pending = std::mem::take(&mut self.pending);
        // From the last to the first, so that none is opened meanwhile.
        for number in pending.keys().rev() {
            // Its reply is dropped without an event.
            let _ = self.dialogue.cancel(*number);
            drop(self.dialogue.take_history());
        }
        let close = |(number, question): (u64, PendingQuestion)| {
            self.unanswered.push(number, Unanswered::Closed(why));
            OpenQuestion { number, id: question.id }
        };
        pending.into_iter().map(close).collect()
    }
}
