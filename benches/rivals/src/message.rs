//! What is said in a message, whatever it is written in.

use followup::{Event, Parser};
use followup_testing::workloads::Workload;
use serde_json::Value;

use crate::format::Format;

/// A question, and the answers that are suggested.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) question: String,
    pub(crate) suggestions: Vec<Suggestion>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Suggestion {
    pub(crate) text: String,
    pub(crate) mode: Option<String>,
}

impl Asked {
    /// From a call's arguments. What is not there, or something else, is empty: that differs from what was to be asked.
    pub(crate) fn from_arguments(arguments: &Value) -> Asked {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let suggestions = arguments["follow_up"].as_array().into_iter().flatten();
        Asked {
            question: text(&arguments["question"]),
            suggestions: suggestions
                .map(|one| Suggestion { text: text(&one["text"]), mode: one["mode"].as_str().map(str::to_owned) })
                .collect(),
        }
    }

    pub(crate) fn from_json(arguments: &str) -> Asked {
        Asked::from_arguments(&serde_json::from_str(arguments).unwrap_or_default())
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Prose(String),
    Question(Asked),
}

/// What a model says.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) parts: Vec<Part>,
    /// What it was read from.
    source: String,
    format: Format,
}

impl Message {
    /// What `workload` says in that many bytes, but for the last question if it does not fit: it repeats itself.
    pub(crate) fn markup(workload: &Workload, len: usize) -> Message {
        let Workload { message, questions, .. } = workload;
        let len = message.floor_char_boundary(len);
        let period = message.len().checked_div(*questions).unwrap_or(1);
        let source = &message[..len - len % period];
        Message::read(Parser::new(workload.policy()), source, Format::Markup)
    }

    /// What `workload` says in a native call's arguments.
    pub(crate) fn arguments(workload: &Workload) -> Message {
        Message::read(Parser::arguments(workload.policy()), &workload.message, Format::Arguments)
    }

    fn read(mut parser: Parser, source: &str, format: Format) -> Message {
        let mut parts = Vec::new();
        let mut take = |event: Event<'_>| match event {
            Event::Text(text) => parts.push(Part::Prose(text.to_owned())),
            Event::Complete(call) => parts.push(Part::Question(Asked {
                question: call.question().to_owned(),
                suggestions: call
                    .suggestions()
                    .iter()
                    .map(|one| Suggestion { text: one.answer.to_owned(), mode: one.mode.map(str::to_owned) })
                    .collect(),
            })),
            Event::Partial(_) => {}
            Event::Opaque(_) | Event::Rejected(_) => unreachable!("no workload has one"),
        };
        let mut events = parser.feed(source);
        while let Some(event) = events.next() {
            take(event);
        }
        drop(events);
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            take(event);
        }
        Message { parts, source: source.to_owned(), format }
    }

    /// As a model of that format writes it.
    pub(crate) fn write(&self, format: Format) -> String {
        if format == self.format { self.source.clone() } else { format.write(&self.parts) }
    }

    /// How long it is as the workload wrote it.
    pub(crate) fn len(&self) -> usize {
        self.source.len()
    }

    pub(crate) fn prose(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Prose(text) => Some(&**text),
            Part::Question(_) => None,
        })
    }

    pub(crate) fn questions(&self) -> impl Iterator<Item = &Asked> {
        self.parts.iter().filter_map(|part| match part {
            Part::Prose(_) => None,
            Part::Question(asked) => Some(asked),
        })
    }
}
