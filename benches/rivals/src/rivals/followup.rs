//! `followup` itself. The parser is reused for all messages, as in a server.

use followup::{Event, Limits, Parser, Policy};

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::{FORM_TOOL, Format};
use crate::sink::Sink;

/// Reads calls in a model's text, or the arguments of a native call.
#[derive(Debug)]
pub(crate) struct Followup {
    parser: Parser,
    format: Format,
}

/// Returns the default policy, with a limit that the longest question of a workload does not reach.
fn policy() -> Policy {
    Policy::new().with_limits(Limits { question: 1 << 20, ..Limits::default() })
}

impl Followup {
    pub(crate) fn new(format: Format) -> Followup {
        let parser = match format {
            Format::Arguments => Parser::arguments(policy()),
            Format::Form => Parser::arguments_of(FORM_TOOL, policy()).expect("a built-in tool"),
            _ => Parser::new(policy()),
        };
        Followup { parser, format }
    }
}

impl Reader for Followup {
    fn name(&self) -> &'static str {
        "followup"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        for chunk in chunks {
            let mut events = self.parser.feed(chunk);
            while let Some(event) = events.next() {
                forward(event, sink);
            }
        }
        let mut events = self.parser.finish();
        while let Some(event) = events.next() {
            forward(event, sink);
        }
    }
}

#[inline]
fn forward<S: Sink>(event: Event<'_>, sink: &mut S) {
    match event {
        Event::Text(text) => sink.prose(text),
        Event::Opaque(piece) => sink.prose(piece.raw),
        Event::Partial(call) => sink.question(call.question().unwrap_or_default()),
        Event::Complete(call) => sink.complete(|| Call {
            question: call.question().to_owned(),
            suggestions: call
                .suggestions()
                .iter()
                .map(|one| Suggestion { text: one.answer.to_owned(), mode: one.mode.map(str::to_owned) })
                .collect(),
        }),
        Event::Rejected(call) => sink.failed(call.reason()),
    }
}
