//! The state of a parser: what is parsed, and what has been shown.

use std::sync::Arc;

use followup::Parser;
use followup::wire::ResponseParser;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::chunk::{Chunk, join};
use crate::events::Converter;
use crate::panics::inject;

/// What parses. In boxes, because objects of Python are aligned to 16 bytes only.
pub(super) enum Engine {
    Message(Box<Parser>),
    Response(Box<ResponseParser>),
}

/// The state of one stream.
pub(super) struct State {
    engine: Engine,
    /// The high surrogate in which the last text ended.
    surrogate: Option<u16>,
    pub(super) converter: Converter,
    is_finished: bool,
    /// The format of a response that has ended.
    ended: Option<&'static str>,
}

/// The bytes of the surrogate before the rest of a checkpoint, as in the package for JavaScript.
const SURROGATE_LEN: usize = 2;

impl State {
    pub(super) fn new(engine: Engine) -> State {
        State { engine, surrogate: None, converter: Converter::default(), is_finished: false, ended: None }
    }

    /// Returns the state that a checkpoint has.
    ///
    /// # Errors
    ///
    /// A `ValueError` if the bytes are no checkpoint of such a parser.
    pub(super) fn resume(checkpoint: &[u8], engine: impl FnOnce(&[u8]) -> PyResult<Engine>) -> PyResult<State> {
        inject("resume");
        let Some((surrogate, stored)) = checkpoint.split_first_chunk::<SURROGATE_LEN>() else {
            return Err(no_checkpoint());
        };
        let surrogate = u16::from_be_bytes(*surrogate);
        if surrogate != 0 && !(0xd800..0xdc00).contains(&surrogate) {
            return Err(no_checkpoint());
        }
        let surrogate = Some(surrogate).filter(|&unit| unit != 0);
        Ok(State { surrogate, ..State::new(engine(stored)?) })
    }

    pub(super) fn checkpoint(&self) -> PyResult<Vec<u8>> {
        let stored = match &self.engine {
            Engine::Message(parser) => postcard::to_allocvec(&parser.checkpoint()),
            Engine::Response(parser) => postcard::to_allocvec(&parser.checkpoint()),
        };
        let stored = stored.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut bytes = self.surrogate.unwrap_or(0).to_be_bytes().to_vec();
        bytes.extend(stored);
        Ok(bytes)
    }

    /// Returns an error if the stream has ended.
    pub(super) fn check_open(&self) -> PyResult<()> {
        if self.is_finished {
            return Err(PyValueError::new_err("the parser is finished: create another one for the next stream"));
        }
        Ok(())
    }

    pub(super) fn feed(&mut self, chunk: Chunk<'_>, list: &Bound<'_, PyList>) -> PyResult<()> {
        match chunk {
            Chunk::Surrogates(encoded) => {
                let (text, last) = join(self.surrogate, &encoded);
                self.surrogate = last;
                self.engine.feed(text.as_bytes(), &mut self.converter, list)
            }
            Chunk::Text(text) => {
                self.flush(!text.is_empty(), list)?;
                self.engine.feed_text(text, &mut self.converter, list)
            }
            Chunk::Bytes(bytes) => {
                self.flush(!bytes.is_empty(), list)?;
                self.engine.feed(bytes, &mut self.converter, list)
            }
            Chunk::Copy(bytes) => self.feed(Chunk::Bytes(&bytes), list),
        }
    }

    pub(super) fn finish(&mut self, list: &Bound<'_, PyList>) -> PyResult<()> {
        self.flush(true, list)?;
        self.is_finished = true;
        let converter = &mut self.converter;
        match &mut self.engine {
            Engine::Message(parser) => {
                let mut events = parser.finish();
                while let Some(event) = events.next() {
                    converter.event(event, list)?;
                }
            }
            Engine::Response(parser) => {
                let mut events = parser.finish();
                self.ended = events.format().map(|format| format.name());
                while let Some(event) = events.next() {
                    converter.result(event, list)?;
                }
            }
        }
        Ok(())
    }

    /// Feeds a high surrogate that nothing completes, once more of the stream is there.
    #[inline]
    fn flush(&mut self, has_more: bool, list: &Bound<'_, PyList>) -> PyResult<()> {
        if has_more && self.surrogate.take().is_some() {
            self.engine.feed("\u{fffd}".as_bytes(), &mut self.converter, list)?;
        }
        Ok(())
    }

    /// Returns the name of the format of a response; `None` while it is not known.
    pub(super) fn format(&self) -> Option<&'static str> {
        match &self.engine {
            Engine::Message(_) => None,
            Engine::Response(parser) => parser.format().map(|format| format.name()).or(self.ended),
        }
    }
}

impl Engine {
    #[inline]
    fn feed_text(&mut self, text: &str, converter: &mut Converter, list: &Bound<'_, PyList>) -> PyResult<()> {
        let Engine::Message(parser) = self else { return self.feed(text.as_bytes(), converter, list) };
        let mut events = parser.feed(text);
        while let Some(event) = events.next() {
            converter.event(event, list)?;
        }
        Ok(())
    }

    fn feed(&mut self, bytes: &[u8], converter: &mut Converter, list: &Bound<'_, PyList>) -> PyResult<()> {
        match self {
            Engine::Message(parser) => {
                let mut events = parser.feed_bytes(bytes);
                while let Some(event) = events.next() {
                    converter.event(event, list)?;
                }
            }
            Engine::Response(parser) => {
                let mut events = parser.feed(bytes);
                while let Some(event) = events.next() {
                    converter.result(event, list)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the engine of the bytes of a checkpoint: that of arguments, or of a message.
pub(super) fn message_engine(policy: Arc<followup::Policy>, is_arguments: bool, stored: &[u8]) -> PyResult<Engine> {
    let (stored, rest) = checkpoint(stored)?;
    let parser = Parser::resume(policy, stored).map_err(|error| PyValueError::new_err(error.to_string()))?;
    nothing_follows(rest)?;
    if parser.is_arguments() != is_arguments {
        return Err(no_checkpoint());
    }
    Ok(Engine::Message(Box::new(parser)))
}

/// Returns the engine of the bytes of a checkpoint.
pub(super) fn response_engine(
    policy: Arc<followup::Policy>,
    limits: followup::wire::Limits,
    stored: &[u8],
) -> PyResult<Engine> {
    let (stored, rest) = checkpoint(stored)?;
    let parser = ResponseParser::resume(policy, limits, stored);
    let parser = parser.map_err(|error| PyValueError::new_err(error.to_string()))?;
    nothing_follows(rest)?;
    Ok(Engine::Response(Box::new(parser)))
}

/// Returns what the bytes hold, and what follows it.
fn checkpoint<T: serde::de::DeserializeOwned>(stored: &[u8]) -> PyResult<(T, &[u8])> {
    postcard::take_from_bytes(stored).map_err(|_| no_checkpoint())
}

/// Fails if something follows a checkpoint.
///
/// In one of another version that is the state, which can't be read.
fn nothing_follows(rest: &[u8]) -> PyResult<()> {
    if rest.is_empty() { Ok(()) } else { Err(no_checkpoint()) }
}

fn no_checkpoint() -> PyErr {
    PyValueError::new_err("checkpoint: the bytes are no checkpoint of such a parser")
}
