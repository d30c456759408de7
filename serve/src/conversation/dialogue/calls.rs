//! What the model's calls in a turn become: questions to the user, or corrections for the model.

use std::sync::Arc;

use followup::dialogue::{Correction, Directive, Form, Question, Reply};
use followup::{Complete, Event, Rejected};

use super::{BoundedDialogue, PendingQuestion, RepliedCall};
use crate::conversation::form_item::size_of_asked;

/// Maximum number of questions that wait for an answer, and of calls in a turn that get a reply.
const MAX_CALLS: usize = 256;

/// What becomes of a call that has ended.
#[derive(Debug)]
pub(in crate::conversation) enum CallOutcome {
    /// It is asked under this number, now (`open`) or after other questions.
    Asked { number: u64, open: bool, can_discuss: bool, form: Option<Form> },
    /// It can't be asked; the model is told why.
    Corrected { reason: String, message: String, stopped: bool },
    /// There are too many calls.
    Dropped,
}

impl BoundedDialogue {
    /// Begins a turn. The replies from now on answer its calls.
    pub(in crate::conversation) fn begin_turn(&mut self) {
        self.calls.clear();
        self.replies.begin_turn();
        self.overflowed = false;
        self.other_tool = None;
    }

    /// Records that the turn calls another tool.
    pub(in crate::conversation) fn note_other_tool(&mut self, tool: &str) {
        if self.other_tool.is_none() {
            self.other_tool = Some(tool.to_owned());
        }
    }

    /// Takes a complete call.
    pub(in crate::conversation) fn complete(&mut self, call: Complete<'_>) -> CallOutcome {
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
    pub(in crate::conversation) fn reject(&mut self, call: Rejected<'_>) -> CallOutcome {
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
}

fn asked(question: &Question, open: bool) -> CallOutcome {
    let &Question { number, can_discuss, .. } = question;
    CallOutcome::Asked { number, open, can_discuss, form: question.form.clone() }
}

fn corrected(correction: &Correction, message: &str, stopped: bool) -> CallOutcome {
    CallOutcome::Corrected { reason: correction.reason.clone(), message: message.to_owned(), stopped }
}
