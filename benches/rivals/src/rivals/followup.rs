//! `followup` itself. The parser is reused for all messages, as in a server.

use followup::{Event, Limits, Parser, Policy};

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::Format;
use crate::sink::Sink;

/// Reads calls in a model's text.
#[derive(Debug)]
pub(crate) struct Markup(Parser);

/// Reads the arguments of a native call.
#[derive(Debug)]
pub(crate) struct Arguments(Parser);

/// Returns the default policy, with a limit that the longest question of a workload does not reach.
fn policy() -> Policy {
    Policy::new().with_limits(Limits { question: 1 << 20, ..Limits::default() })
}

impl Default for Markup {
    fn default() -> Markup {
        Markup(Parser::new(policy()))
    }
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments(Parser::arguments(policy()))
    }
}

impl Reader for Markup {
    fn name(&self) -> &'static str {
        "followup"
    }

    fn format(&self) -> Format {
        Format::Markup
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        read(&mut self.0, chunks, sink);
    }
}

impl Reader for Arguments {
    fn name(&self) -> &'static str {
        "followup"
    }

    fn format(&self) -> Format {
        Format::Arguments
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        read(&mut self.0, chunks, sink);
    }
}

fn read<S: Sink>(parser: &mut Parser, chunks: &[&str], sink: &mut S) {
    for chunk in chunks {
        let mut events = parser.feed(chunk);
        while let Some(event) = events.next() {
            forward(event, sink);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        forward(event, sink);
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
