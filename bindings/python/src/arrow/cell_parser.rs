//! The parser of one cell after the other: a message, the body of a response, or arguments.

use arrow_array::OffsetSizeTrait;
use followup::wire::{self, Format, ResponseParser};
use followup::{Event, Parser};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::calls::Calls;
use super::error::ColumnError;
use crate::options::{Kind, Options};
use crate::panics::inject;

/// A parser that is ready for the next cell.
#[derive(Clone, Debug)]
pub(super) enum CellParser {
    /// A message. As a body in the format `text`, it would take longer.
    Message(Box<Parser>),
    /// The arguments of a call.
    Arguments(Box<Parser>),
    Body(Box<ResponseParser>),
}

impl CellParser {
    /// Creates the parser for the keywords `wire` and `arguments_of`, and for its options.
    ///
    /// # Errors
    ///
    /// As [`Options::read`]; a `ValueError` if no format or question tool has the name.
    pub(super) fn new(
        wire: &str,
        arguments_of: Option<&str>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<CellParser> {
        let kind = if wire == "text" { Kind::Message } else { Kind::Response };
        let Options { policy, reasoning, limits } = Options::read(options, kind)?;
        let parser = match (wire, arguments_of) {
            ("text", None) => return Ok(CellParser::Message(Box::new(Parser::new(policy)))),
            ("text", Some(tool)) => {
                let parser = Parser::arguments_of(tool, policy).map(Box::new).map(CellParser::Arguments);
                return parser.ok_or_else(|| value_error(format!("arguments_of: no shape reads the tool {tool}")));
            }
            (_, Some(_)) => {
                return Err(value_error(format!("arguments_of: wire=\"text\" was expected, not \"{wire}\"")));
            }
            ("auto", None) => ResponseParser::auto(policy),
            (name, None) => {
                let format: Format = name.parse().map_err(|error| value_error(format!("wire: {error}")))?;
                ResponseParser::new(format, policy)
            }
        };
        Ok(CellParser::Body(Box::new(parser.with_limits(limits).with_reasoning(reasoning))))
    }

    /// Appends the calls of a cell, in the order in which they end.
    pub(super) fn parse<O: OffsetSizeTrait>(&mut self, cell: &[u8], calls: &mut Calls<O>) -> Result<(), ColumnError> {
        inject("cell");
        match self {
            CellParser::Message(_) if is_prose(cell) => {}
            CellParser::Message(parser) | CellParser::Arguments(parser) => {
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

/// Returns `true` if a message has none of the characters that begin a call.
///
/// `[` begins those of Mistral, `{` bare JSON, and `<` all others.
///
/// Nearly all messages are prose. To search them takes half of the time that it takes to parse
/// them.
fn is_prose(message: &[u8]) -> bool {
    memchr::memchr3(b'<', b'{', b'[', message).is_none()
}

fn append<O: OffsetSizeTrait>(
    event: Result<Event<'_>, wire::Error<'_>>,
    calls: &mut Calls<O>,
) -> Result<(), ColumnError> {
    match event {
        Ok(Event::Text(_) | Event::Opaque(_) | Event::Partial(_)) => Ok(()),
        Ok(Event::Complete(call)) => calls.complete(&call),
        Ok(Event::Rejected(call)) => calls.rejected(&call),
        Err(error) => calls.error(error),
    }
}

fn value_error(message: String) -> PyErr {
    PyValueError::new_err(message)
}
