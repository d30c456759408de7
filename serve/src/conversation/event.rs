//! The events of a conversation, as its readers receive them.

use std::borrow::Cow;

use followup::dialogue::{Form, FormAnswer, Suggestion};
use followup::{Complete, Envelope, Event, Field, Opaque, Partial};
use serde::{Deserialize, Serialize};

use super::form_event::{FormPartial, SentFacts};
use super::outcome::{Closing, Delivery};

/// An event of a conversation.
///
/// It serializes to an object with one field: the event's name, and the `data` of the server-sent
/// event as its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ConversationEvent<'a> {
    Turn {
        index: u64,
    },
    Text {
        text: Cow<'a, str>,
    },
    Opaque {
        tool: Cow<'a, str>,
        raw: Cow<'a, str>,
        start: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<Cow<'a, str>>,
    },
    Partial {
        call: u64,
        #[serde(flatten)]
        field: GrownField<'a>,
        delta: Cow<'a, str>,
    },
    FormPartial(Box<FormPartial<'a>>),
    Complete(AskedCall<'a>),
    Rejected {
        call: u64,
        reason: Cow<'a, str>,
        message: Cow<'a, str>,
        stopped: bool,
    },
    Error {
        kind: Cow<'a, str>,
        message: Cow<'a, str>,
    },
    End {
        index: u64,
        cut_off: bool,
    },
    Open {
        number: u64,
    },
    Replied(Cow<'a, UserReply>),
    Closed {
        number: u64,
        #[serde(flatten)]
        closing: Cow<'a, Closing>,
    },
    Delivery {
        numbers: Cow<'a, [u64]>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        guidance: bool,
        #[serde(flatten)]
        delivery: Cow<'a, Delivery>,
    },
    Gone {},
}

/// The field of a call that has grown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "field", rename_all = "snake_case")]
pub(crate) enum GrownField<'a> {
    Question,
    Suggest {
        #[serde(rename = "suggestion")]
        index: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<Cow<'a, str>>,
    },
}

/// A call that can be asked, with its number in the dialogue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskedCall<'a> {
    pub(crate) call: u64,
    pub(crate) question: Cow<'a, str>,
    pub(crate) suggest: Vec<Suggestion>,
    pub(crate) notes: Vec<String>,
    /// The family of the envelope that the call came in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) envelope: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<Cow<'a, str>>,
    pub(crate) number: u64,
    pub(crate) open: bool,
    /// Whether the user can talk about it instead of answering it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) can_discuss: bool,
    /// All questions of a call of another agent's tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<Box<Form>>,
}

/// What the user did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum UserReplyKind {
    Answer,
    Cancelled,
    Declined,
    Discussed,
    TimedOut,
    Guidance,
}

impl UserReplyKind {
    /// Returns the label of the kind in the metrics.
    pub(crate) fn label(self) -> &'static str {
        match self {
            UserReplyKind::Answer => "answer",
            UserReplyKind::Cancelled => "cancelled",
            UserReplyKind::Declined => "declined",
            UserReplyKind::Discussed => "discussed",
            UserReplyKind::TimedOut => "timed_out",
            UserReplyKind::Guidance => "guidance",
        }
    }
}

/// A reply of the user: an answer, another end of a question, or guidance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserReply {
    pub(crate) number: Option<u64>,
    pub(crate) kind: UserReplyKind,
    pub(crate) said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<usize>,
    /// The answers to the questions of a form.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) answers: Vec<FormAnswer>,
    pub(crate) images: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
}

impl<'a> ConversationEvent<'a> {
    /// Returns the event's name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            ConversationEvent::Turn { .. } => "turn",
            ConversationEvent::Text { .. } => "text",
            ConversationEvent::Opaque { .. } => "opaque",
            ConversationEvent::Partial { .. } => "partial",
            ConversationEvent::FormPartial(_) => "form_partial",
            ConversationEvent::Complete(_) => "complete",
            ConversationEvent::Rejected { .. } => "rejected",
            ConversationEvent::Error { .. } => "error",
            ConversationEvent::End { .. } => "end",
            ConversationEvent::Open { .. } => "open",
            ConversationEvent::Replied(_) => "replied",
            ConversationEvent::Closed { .. } => "closed",
            ConversationEvent::Delivery { .. } => "delivery",
            ConversationEvent::Gone {} => "gone",
        }
    }

    /// Returns `true` if the event only lets a text grow: the dialogue is the same after it.
    pub(super) fn is_growth(&self) -> bool {
        matches!(
            self,
            ConversationEvent::Text { .. }
                | ConversationEvent::Opaque { .. }
                | ConversationEvent::Partial { .. }
                | ConversationEvent::FormPartial(_)
        )
    }

    /// Converts a parser's event; `None` if it ends a call.
    ///
    /// The dialogue decides what becomes of such a call.
    pub(super) fn from_parser(event: &Event<'a>, sent: &mut SentFacts) -> Option<ConversationEvent<'a>> {
        match event {
            Event::Text(text) => Some(ConversationEvent::Text { text: (*text).into() }),
            Event::Opaque(Opaque { tool, raw, start, id }) => {
                let (tool, raw, id) = ((*tool).into(), (*raw).into(), id.map(Cow::Borrowed));
                Some(ConversationEvent::Opaque { tool, raw, start: *start, id })
            }
            Event::Partial(call) if call.shape().is_some() => {
                Some(ConversationEvent::FormPartial(Box::new(sent.partial(call))))
            }
            Event::Partial(call) => Some(ConversationEvent::partial(call)),
            Event::Complete(_) | Event::Rejected(_) => None,
        }
    }

    fn partial(call: &Partial<'a>) -> ConversationEvent<'a> {
        let field = match call.field() {
            Field::Suggestion => {
                let all = call.suggestions();
                let index = all.len().saturating_sub(1);
                let mode = all.get(index).and_then(|suggestion| suggestion.mode);
                GrownField::Suggest { index, mode: mode.map(Cow::Borrowed) }
            }
            // A call of `ask_followup_question` has no other fields.
            _ => GrownField::Question,
        };
        ConversationEvent::Partial { call: call.index(), field, delta: call.delta().into() }
    }
}

impl<'a> AskedCall<'a> {
    /// Returns the call as the question with this number. The dialogue decides the rest.
    pub(crate) fn new(call: &Complete<'a>, number: u64, form: Option<Form>) -> AskedCall<'a> {
        let suggested = |suggestion: followup::Suggestion<'_>| Suggestion {
            answer: suggestion.answer.to_owned(),
            mode: suggestion.mode.map(str::to_owned),
        };
        AskedCall {
            call: call.index(),
            question: call.question().into(),
            suggest: call.suggestions().iter().map(suggested).collect(),
            notes: call.notes().iter().map(ToString::to_string).collect(),
            envelope: call.envelope().map(Envelope::name).map(Cow::Borrowed),
            id: call.id().map(Cow::Borrowed),
            number,
            open: false,
            can_discuss: false,
            form: form.map(Box::new),
        }
    }
}
