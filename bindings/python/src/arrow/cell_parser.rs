//! The parser of one cell after the other: a message, the body of a response, or the arguments of a call.

use std::sync::Arc;

use arrow_array::OffsetSizeTrait;
use followup::wire::{self, ResponseParser};
use followup::{Event, Parser, Policy};
use pyo3::PyResult;
use pyo3::exceptions::PyValueError;

use super::calls::Calls;
use super::error::Error;

/// A parser that is ready for the next cell.
#[derive(Clone, Debug)]
pub(super) enum CellParser {
    /// A message, or the arguments of a call. As a body in the format `text`, a message would take longer.
    Message(Parser),
    Body(Box<ResponseParser>),
}

impl CellParser {
    pub(super) fn new(wire: &str, arguments_of: Option<&str>, policy: Arc<Policy>) -> PyResult<CellParser> {
        match (wire, arguments_of) {
            ("text", None) => Ok(CellParser::Message(Parser::new(policy))),
            ("text", Some(tool)) => Parser::arguments_of(tool, policy)
                .map(CellParser::Message)
                .ok_or_else(|| PyValueError::new_err(format!("arguments_of: {tool} is no question tool"))),
            (_, Some(_)) => Err(PyValueError::new_err("arguments_of: only for wire=\"text\"")),
            ("auto", None) => Ok(CellParser::Body(Box::new(ResponseParser::auto(policy)))),
            (name, None) => {
                let format = name.parse().map_err(|error| PyValueError::new_err(format!("wire: {error}")))?;
                Ok(CellParser::Body(Box::new(ResponseParser::new(format, policy))))
            }
        }
    }

    /// Appends the calls of a cell, in the order in which they end.
    pub(super) fn parse<O: OffsetSizeTrait>(&mut self, cell: &[u8], calls: &mut Calls<O>) -> Result<(), Error> {
        match self {
            CellParser::Message(parser) => {
                let mut events = parser.feed_bytes(cell);
                while let Some(event) = events.next() {
                    append(Ok(event), calls)?;
                }
                drop(events);
                let mut events = parser.finish();
                while let Some(event) = events.next() {
                    append(Ok(event), calls)?;
                }
            }
            CellParser::Body(parser) => {
                let mut events = parser.feed(cell);
                while let Some(event) = events.next() {
                    append(event, calls)?;
                }
                drop(events);
                let mut events = parser.finish();
                while let Some(event) = events.next() {
                    append(event, calls)?;
                }
            }
        }
        Ok(())
    }
}

fn append<O: OffsetSizeTrait>(event: Result<Event<'_>, wire::Error<'_>>, calls: &mut Calls<O>) -> Result<(), Error> {
    match event {
        Ok(Event::Text(_) | Event::Opaque(_) | Event::Partial(_)) => Ok(()),
        Ok(Event::Complete(call)) => calls.complete(&call),
        Ok(Event::Rejected(call)) => calls.rejected(&call),
        Err(error) => calls.error(error),
    }
}
