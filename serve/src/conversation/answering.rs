//! What the user does in a conversation.

use followup::dialogue::{Answer, Image, MessageFormat, Question, Reply, ReplyKind};
use serde_json::Value;

use super::happened::{Happened, Replied};
use super::{Conversation, led};
use crate::errors::Failure;

/// How many bytes of a reply's images its readers get. Larger ones are only named to them.
const SHOWN: usize = 256 << 10;

/// What the user did.
#[derive(Debug)]
pub(crate) enum Given {
    Answer { number: u64, answer: Answer },
    Cancel { number: u64 },
    Guide { text: String },
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) reply: Reply,
    /// The messages that carry all replies of the turn so far.
    pub(crate) messages: Vec<Value>,
    /// How many questions are still to be answered.
    pub(crate) waiting: usize,
}

impl Conversation {
    /// Takes what the user did. If it can't be taken, nothing has changed.
    pub(crate) fn take(&self, given: Given, images: Vec<Image>, format: MessageFormat) -> Result<Answered, Failure> {
        let labels = labels(&images);
        let mut state = self.change();
        if state.gone {
            return Err(Failure::no_conversation(&self.id));
        }
        let (before, size) = (state.led.bytes(), led::images(&images) + said_bytes(&given));
        if before.saturating_add(size) > self.limits.body {
            let limit = self.limits.body;
            return Err(Failure::too_large(format!(
                "the replies of this turn would have {} bytes, and may have {limit}: send smaller images, or raise --limit-body",
                before + size
            )));
        }
        let was_open = state.led.open_question().map(|question| question.number);
        let (reply, said, suggestion) = match given {
            Given::Answer { number, answer } => {
                let open = state.led.open_question().filter(|open| open.number == number);
                let said = open.and_then(|open| said(open, &answer));
                let suggestion = match answer {
                    Answer::Suggestion(i) | Answer::Edited { suggestion: i, .. } => Some(i),
                    Answer::Text(_) => None,
                };
                let reply = state.led.answer(number, answer, images).map_err(|kind| Failure::answer(number, kind))?;
                (reply, said.unwrap_or_default(), suggestion)
            }
            Given::Cancel { number } => {
                let reply = state.led.cancel(number).map_err(|kind| Failure::answer(number, kind))?;
                (reply, String::new(), None)
            }
            Given::Guide { text } => {
                let reply = state.led.guide(text.clone(), images).map_err(|error| Failure::not_stopped(&error))?;
                (reply, text, None)
            }
        };
        self.metrics.answer(match reply.kind {
            ReplyKind::Cancelled => "cancelled",
            ReplyKind::Guidance => "guidance",
            ReplyKind::Answer | ReplyKind::Correction => "answer",
        });
        let (number, kind, mode) = (reply.number, reply.kind, reply.mode.clone());
        let replied = Replied { number, kind, said, suggestion, images: labels, mode };
        state.log.take(&Happened::Replied(&replied), &self.metrics);
        let open = state.led.open_question().map(|question| question.number);
        if let Some(number) = open.filter(|_| open != was_open) {
            state.log.take(&Happened::Open { number }, &self.metrics);
        }
        let messages = Reply::messages_of(&state.led.all_replies(), format);
        Ok(Answered { reply, messages, waiting: state.led.waiting() })
    }
}

fn said(question: &Question, answer: &Answer) -> Option<String> {
    match answer {
        Answer::Suggestion(i) => question.suggest.get(*i).map(|one| one.answer.clone()),
        Answer::Edited { text, .. } | Answer::Text(text) => Some(text.clone()),
    }
}

fn said_bytes(given: &Given) -> usize {
    match given {
        Given::Answer { answer: Answer::Edited { text, .. } | Answer::Text(text), .. } | Given::Guide { text } => {
            text.len()
        }
        Given::Answer { answer: Answer::Suggestion(_), .. } | Given::Cancel { .. } => 0,
    }
}

/// The images as readers get them.
fn labels(images: &[Image]) -> Vec<String> {
    let mut left = SHOWN;
    let label = |image: &Image| match left.checked_sub(image.data_url().len()) {
        Some(rest) => {
            left = rest;
            image.data_url().to_owned()
        }
        None => {
            let digits = image.base64().trim_end_matches('=').len();
            format!("{}, {} bytes", image.media_type(), digits * 3 / 4)
        }
    };
    images.iter().map(label).collect()
}
