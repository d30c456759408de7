//! Reads the body of a response chunk by chunk, and passes its events to a handler.

use std::sync::Arc;

use followup::wire::{self, Format, ResponseParser};
use followup::{Event, Policy};

use crate::error::{Error, report};
use crate::input_format::InputFormat;

/// When an event was emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EmittedAt {
    /// The number of bytes read before it.
    pub(crate) offset: u64,
    /// Whether it was emitted only at the end of the message.
    pub(crate) at_end: bool,
    /// The format of the input; `None` while it is not known.
    pub(crate) format: Option<Format>,
}

/// An event of the input.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InputEvent<'a> {
    /// The format of the input was detected.
    Detected(Format),
    /// An event of the parser.
    Event(Event<'a>),
    /// An error in a provider's stream, which continues.
    Error(wire::Error<'a>),
    /// The end of a chunk: its events should be visible before the next chunk is waited for.
    ChunkEnd,
    /// The end of the input.
    End,
}

/// A handler of the events of the input.
pub(crate) type Handler<'h> = dyn FnMut(InputEvent<'_>, EmittedAt) -> Result<(), Error> + 'h;

/// Describes the format of the input, for people.
fn describe(format: Format) -> String {
    match format {
        Format::Text => "this is a message as plain text (text)".into(),
        Format::Json => "these are the arguments of a native call (json)".into(),
        format => format!("this is what {format} streams"),
    }
}

/// Reports the detected format of the input on standard error.
pub(crate) fn report_detected(format: Format) {
    report(describe(format));
}

/// A parser of the body of a response that passes what it reads to a [`Handler`].
pub(crate) struct BodyReader {
    response: ResponseParser,
    /// Whether the format is known, or has been reported.
    is_detected: bool,
    emitted: EmittedAt,
}

impl BodyReader {
    pub(crate) fn new(format: InputFormat, policy: Arc<Policy>, limits: wire::Limits) -> BodyReader {
        let response = match format {
            InputFormat::Known(format) => ResponseParser::new(format, policy),
            InputFormat::Auto => ResponseParser::auto(policy),
        };
        let is_detected = format != InputFormat::Auto;
        let response = response.with_limits(limits);
        BodyReader { response, is_detected, emitted: EmittedAt { offset: 0, at_end: false, format: None } }
    }

    /// Sets whether calls are read in the model's reasoning as well.
    pub(crate) fn with_reasoning(self, reads_reasoning: bool) -> BodyReader {
        BodyReader { response: self.response.with_reasoning(reads_reasoning), ..self }
    }

    /// Consumes the next chunk, or with `None` the end of the body.
    pub(crate) fn feed(&mut self, chunk: Option<&[u8]>, handler: &mut Handler<'_>) -> Result<(), Error> {
        let mut events = match chunk {
            Some(chunk) => {
                self.emitted.offset += chunk.len() as u64;
                self.response.feed(chunk)
            }
            None => {
                self.emitted.at_end = true;
                self.response.finish()
            }
        };
        self.emitted.format = events.format();
        // The format of an empty body is not reported.
        if let (false, Some(format), 1..) = (self.is_detected, events.format(), self.emitted.offset) {
            self.is_detected = true;
            handler(InputEvent::Detected(format), self.emitted)?;
        }
        while let Some(event) = events.next() {
            handler(event.map_or_else(InputEvent::Error, InputEvent::Event), self.emitted)?;
        }
        handler(if self.emitted.at_end { InputEvent::End } else { InputEvent::ChunkEnd }, self.emitted)
    }
}
