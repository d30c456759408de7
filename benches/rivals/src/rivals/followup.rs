//! `followup` itself. A parser that was used before, as in a server.

use followup::{Event, Limits, Parser, Policy};

use super::Reader;
use crate::format::Format;
use crate::message::{Asked, Suggestion};
use crate::sink::Sink;

/// Calls in a model's text.
#[derive(Debug)]
pub(crate) struct Markup(Parser);

/// The arguments of a native call.
#[derive(Debug)]
pub(crate) struct Arguments(Parser);

/// The default, but that a question may be as long as the longest that is measured.
fn policy() -> Policy {
    Policy::new().limits(Limits { question: 1 << 20, ..Limits::default() })
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
            take(event, sink);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        take(event, sink);
    }
}

#[inline]
fn take<S: Sink>(event: Event<'_>, sink: &mut S) {
    match event {
        Event::Text(text) => sink.prose(text),
        Event::Opaque(piece) => sink.prose(piece.raw),
        Event::Partial(call) => sink.question(call.question().unwrap_or_default()),
        Event::Complete(call) => sink.complete(|| Asked {
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
