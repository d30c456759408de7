//! A message of a workload, which can be written in every format.

use followup::{Event, Parser};
use followup_testing::workloads::Workload;

use crate::call::{Call, Part, Suggestion};
use crate::format::{FORM_TOOL, Format};

/// The prose and the calls of one model response.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    parts: Vec<Part>,
    /// The text that the parts were read from, in `format`.
    source: String,
    format: Format,
}

impl Message {
    /// Returns the first `len` bytes of a workload, without a question that is cut at the end.
    pub(crate) fn markup(workload: &Workload, len: usize) -> Message {
        let Workload { message, questions, .. } = workload;
        let len = (0..=len.min(message.len())).rev().find(|&len| message.is_char_boundary(len)).unwrap_or(0);
        // A workload repeats one period: some prose and a question.
        let period = message.len().checked_div(*questions).unwrap_or(1);
        let source = &message[..len - len % period];
        Message::read(Parser::new(workload.policy()), source, Format::Markup)
    }

    /// Returns a workload that consists of the arguments of one native call.
    pub(crate) fn arguments(workload: &Workload) -> Message {
        Message::read(Parser::arguments(workload.policy()), &workload.message, Format::Arguments)
    }

    /// Returns a workload that consists of the arguments of one form.
    pub(crate) fn form(workload: &Workload) -> Message {
        let parser = Parser::arguments_of(FORM_TOOL, workload.policy()).expect("a built-in tool");
        Message::read(parser, &workload.message, Format::Form)
    }

    fn read(mut parser: Parser, source: &str, format: Format) -> Message {
        let mut parts = Vec::new();
        let mut push = |event: Event<'_>| match event {
            Event::Text(text) => parts.push(Part::Prose(text.to_owned())),
            Event::Complete(call) => parts.push(Part::Call(Call {
                question: call.question().trim().to_owned(),
                suggestions: call
                    .suggestions()
                    .iter()
                    .map(|one| Suggestion { text: one.answer.to_owned(), mode: one.mode.map(str::to_owned) })
                    .collect(),
            })),
            Event::Partial(_) => {}
            Event::Opaque(_) | Event::Rejected(_) => unreachable!("no workload has one of these"),
        };
        let mut events = parser.feed(source);
        while let Some(event) = events.next() {
            push(event);
        }
        drop(events);
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            push(event);
        }
        Message { parts, source: source.to_owned(), format }
    }

    /// Returns the message as a model of that format writes it.
    pub(crate) fn write(&self, format: Format) -> String {
        if format == self.format { self.source.clone() } else { format.write(&self.parts) }
    }

    /// Returns the length of the message in the workload's own format.
    pub(crate) fn len(&self) -> usize {
        self.source.len()
    }

    pub(crate) fn prose(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Prose(text) => Some(&**text),
            Part::Call(_) => None,
        })
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.parts.iter().filter_map(|part| match part {
            Part::Prose(_) => None,
            Part::Call(call) => Some(call),
        })
    }
}

#[cfg(test)]
mod tests {
    use followup_testing::workloads;

    use super::*;

    #[test]
    fn markup_is_written_as_the_workload_writes_it() {
        let workload = workloads::questions();
        let message = Message::markup(&workload, usize::MAX);
        assert_eq!(Format::Markup.write(&message.parts), workload.message);
    }
}
