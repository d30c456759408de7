//! The parser of the bytes in a record's field: a message, or the body of a response.

use std::io;
use std::sync::Arc;

use followup::wire::{Format, ResponseParser};
use followup::{Parser, Policy};

use super::joiner::EventJoiner;
use crate::args::parse::ParseArgs;
use crate::error::Error;
use crate::input_format::InputFormat;
use crate::shapes::arguments_parser;

/// A parser for one field after the other.
#[derive(Debug)]
pub(super) enum FieldParser {
    /// A message, or the arguments of a call.
    ///
    /// A message could be read as a body in the format `text`, but only at two thirds of the speed.
    Message(Parser),
    Body(Box<ResponseParser>),
}

impl FieldParser {
    /// Fails if `--arguments-of` names no question tool.
    pub(super) fn new(args: &ParseArgs, policy: Arc<Policy>) -> Result<FieldParser, Error> {
        if let Some(tool) = &args.arguments_of {
            return arguments_parser(tool, policy).map(FieldParser::Message);
        }
        let parser = match args.input.wire {
            InputFormat::Known(Format::Text) => return Ok(FieldParser::Message(Parser::new(policy))),
            InputFormat::Known(format) => ResponseParser::new(format, policy),
            InputFormat::Auto => ResponseParser::auto(policy),
        };
        let parser = parser.with_limits(args.policy.wire_limits()).with_reasoning(args.input.reasoning);
        Ok(FieldParser::Body(Box::new(parser)))
    }

    /// Passes on the events of the next chunk.
    pub(super) fn feed(&mut self, chunk: &[u8], events: &mut EventJoiner<'_>) -> io::Result<()> {
        match self {
            FieldParser::Message(parser) => {
                let mut new = parser.feed_bytes(chunk);
                while let Some(event) = new.next() {
                    events.event(Ok(event))?;
                }
            }
            FieldParser::Body(parser) => {
                let mut new = parser.feed(chunk);
                while let Some(event) = new.next() {
                    events.event(event)?;
                }
            }
        }
        Ok(())
    }

    /// Passes on the events of the end, and returns the format, if there is one.
    pub(super) fn finish(&mut self, events: &mut EventJoiner<'_>) -> io::Result<Option<Format>> {
        match self {
            FieldParser::Message(parser) => {
                let mut new = parser.finish();
                while let Some(event) = new.next() {
                    events.event(Ok(event))?;
                }
                Ok(Some(Format::Text))
            }
            FieldParser::Body(parser) => {
                let mut new = parser.finish();
                // The end of a body may reveal its format.
                let format = new.format();
                while let Some(event) = new.next() {
                    events.event(event)?;
                }
                Ok(format)
            }
        }
    }
}
