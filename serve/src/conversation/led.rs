//! The dialogue of a conversation, within limits: its questions, and the replies of the newest turn.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use followup::dialogue::{
    Answer, AnswerError, AnswerErrorKind, Correction, Dialogue, Directive, GuideError, Image, Question, Reply, Setup,
};
use followup::{Complete, Event, Rejected};

use crate::settings::Limits;

/// How many questions may wait at once, and how many calls of a turn get a reply.
const MOST: usize = 256;

/// How many cancelled questions are remembered, to say so.
const CANCELLED: usize = 1024;

/// A dialogue, and what is to be known of it.
#[derive(Debug)]
pub(super) struct Led {
    dialogue: Dialogue,
    limits: Limits,
    /// How many questions there have been.
    asked: u64,
    /// Those to be answered, and their size.
    pending: BTreeMap<u64, usize>,
    cancelled: VecDeque<u64>,
    /// The calls of the newest turn, in order: the number of the question, and the reply when there is one.
    calls: Vec<(Option<u64>, Option<Reply>)>,
    /// Some of them were too many.
    lost: bool,
    /// The newest turn calls this tool too.
    other_tool: Option<String>,
}

/// What becomes of a call that has ended.
#[derive(Debug)]
pub(super) enum Ended {
    /// It is a question of that number, open or to be asked later.
    Asked { number: u64, open: bool },
    /// It can't be asked.
    Told { reason: String, message: String, stopped: bool },
    /// There are too many.
    Dropped,
}

/// What comes after a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// There is nothing to go on from.
    Nothing,
    /// The user is to answer, or to guide, first.
    Waits,
    /// Everything has a reply.
    Ready,
    /// The service can't go on: why.
    Cannot(String),
}

impl Led {
    pub(super) fn new(setup: Arc<Setup>, limits: Limits) -> Led {
        Led {
            dialogue: Dialogue::new(setup),
            limits,
            asked: 0,
            pending: BTreeMap::new(),
            cancelled: VecDeque::new(),
            calls: Vec::new(),
            lost: false,
            other_tool: None,
        }
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.dialogue.has_stopped()
    }

    /// The text of the question that is open.
    pub(super) fn open(&self) -> Option<&str> {
        self.dialogue.question().map(|question| &*question.question)
    }

    pub(super) fn open_question(&self) -> Option<&Question> {
        self.dialogue.question()
    }

    /// How many questions are to be answered.
    pub(super) fn waiting(&self) -> usize {
        self.pending.len()
    }

    /// A new turn begins: replies are to its calls.
    pub(super) fn begin(&mut self) {
        self.calls.clear();
        self.lost = false;
        self.other_tool = None;
    }

    /// The turn calls another tool.
    pub(super) fn calls_other(&mut self, tool: &str) {
        if self.other_tool.is_none() {
            self.other_tool = Some(tool.to_owned());
        }
    }

    pub(super) fn complete(&mut self, call: Complete<'_>) -> Ended {
        let size = call.question().len()
            + call.suggestions().iter().map(|one| 64 + one.answer.len() + one.mode.map_or(0, str::len)).sum::<usize>();
        let all = self.pending.values().sum::<usize>().saturating_add(size);
        if self.pending.len() >= MOST
            || self.calls.len() >= MOST
            || (!self.pending.is_empty() && all > self.limits.kept)
        {
            self.lost = true;
            return Ended::Dropped;
        }
        let (ended, correction) = match self.dialogue.event(Event::Complete(call)) {
            Directive::Ask(question) => (Ended::Asked { number: question.number, open: true }, None),
            Directive::Later(question) => (Ended::Asked { number: question.number, open: false }, None),
            Directive::Tell(correction) => (told(correction, &correction.user, false), Some(correction.reply())),
            Directive::Stop(correction) => (told(correction, &correction.user, true), Some(correction.reply())),
            Directive::Nothing | Directive::Show(_) => (Ended::Dropped, None),
        };
        drop(self.dialogue.take_history());
        if let Ended::Asked { number, .. } = ended {
            self.asked = number + 1;
            self.pending.insert(number, size);
            self.calls.push((Some(number), None));
        }
        self.correct(correction);
        ended
    }

    pub(super) fn rejected(&mut self, call: Rejected<'_>) -> Ended {
        let message = call.reason().to_string();
        let (ended, correction) = match self.dialogue.event(Event::Rejected(call)) {
            Directive::Tell(correction) => (told(correction, &message, false), Some(correction.reply())),
            Directive::Stop(correction) => (told(correction, &message, true), Some(correction.reply())),
            _ => (Ended::Dropped, None),
        };
        drop(self.dialogue.take_history());
        self.correct(correction);
        ended
    }

    fn correct(&mut self, correction: Option<Reply>) {
        let Some(reply) = correction else { return };
        if self.calls.len() >= MOST || self.bytes() > self.limits.kept {
            self.lost = true;
        } else {
            self.calls.push((None, Some(reply)));
        }
    }

    /// How many bytes the replies of the turn have.
    pub(super) fn bytes(&self) -> usize {
        self.replies().map(|reply| reply.text.len() + images(&reply.images)).sum()
    }

    fn replies(&self) -> impl Iterator<Item = &Reply> {
        self.calls.iter().filter_map(|(_, reply)| reply.as_ref())
    }

    /// The replies of the turn so far, in the order of its calls.
    pub(super) fn all_replies(&self) -> Vec<Reply> {
        self.replies().cloned().collect()
    }

    pub(super) fn answer(&mut self, number: u64, answer: Answer, images: Vec<Image>) -> Result<Reply, AnswerErrorKind> {
        let answered = self.dialogue.answer(number, answer, images);
        drop(self.dialogue.take_history());
        match answered {
            Ok(reply) => Ok(self.replied(number, reply)),
            Err(AnswerError { kind, .. }) => Err(self.why_not(number, kind)),
        }
    }

    pub(super) fn cancel(&mut self, number: u64) -> Result<Reply, AnswerErrorKind> {
        let cancelled = self.dialogue.cancel(number);
        drop(self.dialogue.take_history());
        let reply = cancelled.map_err(|kind| self.why_not(number, kind))?;
        self.cancelled.push_back(number);
        if self.cancelled.len() > CANCELLED {
            self.cancelled.pop_front();
        }
        Ok(self.replied(number, reply))
    }

    pub(super) fn guide(&mut self, text: String, images: Vec<Image>) -> Result<Reply, GuideError> {
        let guided = self.dialogue.guide(text, images);
        drop(self.dialogue.take_history());
        let reply = guided?;
        self.calls.push((None, Some(reply.clone())));
        Ok(reply)
    }

    fn replied(&mut self, number: u64, reply: Reply) -> Reply {
        self.pending.remove(&number);
        let call = self.calls.iter_mut().find(|(one, _)| *one == Some(number));
        match call {
            Some((_, place)) => *place = Some(reply.clone()),
            // It was asked in an earlier turn.
            None => self.calls.push((Some(number), Some(reply.clone()))),
        }
        reply
    }

    /// Why a question can't be answered: the dialogue's history is not kept, so it does not know of those that have been.
    fn why_not(&self, number: u64, kind: AnswerErrorKind) -> AnswerErrorKind {
        match kind {
            AnswerErrorKind::NotAsked if self.cancelled.contains(&number) => AnswerErrorKind::AlreadyCancelled,
            AnswerErrorKind::NotAsked if number < self.asked => AnswerErrorKind::AlreadyAnswered,
            kind => kind,
        }
    }

    /// What comes after the turn, now that it has ended.
    pub(super) fn next(&self) -> Next {
        if self.calls.is_empty() && !self.lost {
            Next::Nothing
        } else if self.has_stopped() || !self.pending.is_empty() {
            Next::Waits
        } else if let Some(tool) = &self.other_tool {
            Next::Cannot(format!("the message also calls {tool}, and only its sender has the result of that"))
        } else if self.lost {
            Next::Cannot("the message has more calls than are kept, so that not all have a reply".into())
        } else {
            Next::Ready
        }
    }
}

fn told(correction: &Correction, message: &str, stopped: bool) -> Ended {
    Ended::Told { reason: correction.reason.clone(), message: message.to_owned(), stopped }
}

/// How many bytes images have.
pub(super) fn images(images: &[Image]) -> usize {
    images.iter().map(|image| image.data_url().len()).sum()
}
