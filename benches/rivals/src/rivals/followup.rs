//! `followup` itself. A parser that was used before, as in a server.

use followup::{Event, Events, Limits, Parser, Policy};

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
        take(parser.feed(chunk), sink);
    }
    take(parser.finish(), sink);
}

#[inline]
fn take<S: Sink>(mut events: Events<'_>, sink: &mut S) {
    while let Some(event) = events.next() {
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
}
