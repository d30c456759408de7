//! What happens in a conversation: the events that its readers are sent.

use followup::dialogue::{ReplyKind, Suggestion};
use followup::{Complete, Event, Field, Opaque, Partial};
use serde::Serialize;

/// Something that happened. As JSON it is the event's data.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Happened<'a> {
    Turn {
        nth: u64,
    },
    Text {
        text: &'a str,
    },
    Opaque {
        tool: &'a str,
        raw: &'a str,
        start: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<&'a str>,
    },
    Partial {
        call: u64,
        #[serde(flatten)]
        grown: Grown<'a>,
        delta: &'a str,
    },
    Complete(Asked<'a>),
    Rejected {
        call: u64,
        reason: &'a str,
        message: &'a str,
        stopped: bool,
    },
    Error {
        kind: &'a str,
        message: &'a str,
    },
    End {
        nth: u64,
        cut_off: bool,
    },
    Open {
        number: u64,
    },
    Replied(&'a Replied),
    Gone {},
}

/// What of a call has grown.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "field", rename_all = "snake_case")]
pub(crate) enum Grown<'a> {
    Question,
    Suggest {
        nth: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<&'a str>,
    },
}

/// A call that may be asked, and its place in the dialogue.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Asked<'a> {
    pub(crate) call: u64,
    pub(crate) question: &'a str,
    pub(crate) suggest: Vec<Suggestion>,
    pub(crate) notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<&'a str>,
    pub(crate) number: u64,
    pub(crate) open: bool,
}

/// What the user did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Replied {
    pub(crate) number: Option<u64>,
    pub(crate) kind: ReplyKind,
    pub(crate) said: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) suggestion: Option<usize>,
    pub(crate) images: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<String>,
}

impl<'a> Happened<'a> {
    /// The event's name.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Happened::Turn { .. } => "turn",
            Happened::Text { .. } => "text",
            Happened::Opaque { .. } => "opaque",
            Happened::Partial { .. } => "partial",
            Happened::Complete(_) => "complete",
            Happened::Rejected { .. } => "rejected",
            Happened::Error { .. } => "error",
            Happened::End { .. } => "end",
            Happened::Open { .. } => "open",
            Happened::Replied(_) => "replied",
            Happened::Gone {} => "gone",
        }
    }

    /// What is shown of an event as it is. What has ended a call is a matter of the dialogue first.
    pub(crate) fn shown(event: &Event<'a>) -> Option<Happened<'a>> {
        match event {
            Event::Text(text) => Some(Happened::Text { text }),
            Event::Opaque(Opaque { tool, raw, start, id }) => {
                Some(Happened::Opaque { tool, raw, start: *start, id: *id })
            }
            Event::Partial(call) => Some(Happened::partial(call)),
            Event::Complete(_) | Event::Rejected(_) => None,
        }
    }

    fn partial(call: &Partial<'a>) -> Happened<'a> {
        let grown = match call.field() {
            Field::Question => Grown::Question,
            Field::Suggestion => {
                let all = call.suggestions();
                let nth = all.len().saturating_sub(1);
                Grown::Suggest { nth, mode: all.get(nth).and_then(|one| one.mode) }
            }
        };
        Happened::Partial { call: call.nth(), grown, delta: call.delta() }
    }
}

impl<'a> Asked<'a> {
    pub(crate) fn new(call: &Complete<'a>, number: u64, open: bool) -> Asked<'a> {
        let suggested = |one: followup::Suggestion<'_>| Suggestion {
            answer: one.answer.to_owned(),
            mode: one.mode.map(str::to_owned),
        };
        Asked {
            call: call.nth(),
            question: call.question(),
            suggest: call.suggestions().iter().map(suggested).collect(),
            notes: call.notes().iter().map(ToString::to_string).collect(),
            id: call.id(),
            number,
            open,
        }
    }
}
