//! The parsers as Python classes.

mod chunk;
mod state;

use std::sync::{Mutex, MutexGuard, TryLockError};

use followup::wire;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList};

use crate::options::{Kind, Options, text, wrong_type};
use crate::panics::{caught, inject};
use chunk::Chunk;
use state::{Engine, State, message_engine, response_engine};

/// What all parsers have in common.
#[pyclass(subclass, frozen, module = "followup._followup")]
pub(crate) struct StreamParser(Mutex<State>);

impl StreamParser {
    fn new(state: State) -> PyClassInitializer<StreamParser> {
        StreamParser(Mutex::new(state)).into()
    }

    /// Returns the state.
    ///
    /// It does not wait for another thread: a finalizer that runs meanwhile may be in this thread.
    #[inline]
    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        let state = self.0.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => {
                PyRuntimeError::new_err("the parser is in use: by another thread, or by a call that has not returned")
            }
            TryLockError::Poisoned(_) => PyRuntimeError::new_err("the parser has failed: create another one"),
        })?;
        inject("parser");
        Ok(state)
    }

    /// Returns the state of a stream that has not ended.
    #[inline]
    fn open(&self) -> PyResult<MutexGuard<'_, State>> {
        let state = self.state()?;
        state.check_open()?;
        Ok(state)
    }
}

#[pymethods]
impl StreamParser {
    /// Parses the next chunk, which may end anywhere, and returns its events.
    ///
    /// `chunk` is `str`, `bytes`, `bytearray` or `memoryview`. Bytes are UTF-8 and may end inside a
    /// character; ill-formed bytes become U+FFFD. A `str` may end inside a surrogate pair, as the
    /// JSON of some providers does; a surrogate without its other half becomes U+FFFD.
    ///
    /// Cost: linear in the chunk. A `str` and `bytes` are not copied.
    ///
    /// Raises `TypeError` for anything else, `ValueError` after `finish()`, and `RuntimeError`
    /// while another thread uses the parser.
    #[pyo3(signature = (chunk, /))]
    fn feed<'py>(&self, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        caught(|| {
            let list = PyList::empty(chunk.py());
            let chunk = Chunk::of(chunk)?;
            self.open()?.feed(chunk, &list)?;
            Ok(list)
        })
    }

    /// Ends the stream and returns the events that only its end decides.
    ///
    /// Raises `ValueError` if the stream has ended before.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        caught(|| {
            let list = PyList::empty(py);
            self.open()?.finish(&list)?;
            Ok(list)
        })
    }

    /// Returns an open call as far as it has been shown: the one with this index, or the newest.
    ///
    /// `None` if that call is not open. A parser that continues from a checkpoint knows a call that
    /// was open then from its next partial on. For display only.
    ///
    /// Cost: a copy of the call.
    #[pyo3(signature = (call = None))]
    fn view<'py>(&self, py: Python<'py>, call: Option<&Bound<'py, PyInt>>) -> PyResult<Option<Bound<'py, PyAny>>> {
        caught(|| {
            let state = self.state()?;
            match call.map(|call| call.extract()) {
                None => state.converter.view(py, None),
                Some(Ok(call)) => state.converter.view(py, Some(call)),
                // No call has this index.
                Some(Err(_)) => Ok(None),
            }
        })
    }

    /// Returns the state between two chunks as bytes, with which another parser continues.
    ///
    /// It depends only on the options and on what was fed, not on how that was cut.
    ///
    /// Raises `ValueError` after `finish()`.
    fn checkpoint<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        caught(|| Ok(PyBytes::new(py, &self.open()?.checkpoint()?)))
    }
}

/// Parses messages with calls as text: markup, and the models' own envelopes.
///
/// With `checkpoint`, which another parser with the same options returned, it continues there.
///
/// Raises `TypeError` for an option that does not exist or has another type, and `ValueError` for a
/// value without a meaning or a damaged checkpoint.
#[pyclass(extends = StreamParser, frozen, module = "followup")]
pub(crate) struct Parser;

#[pymethods]
impl Parser {
    #[new]
    #[pyo3(
        signature = (*, checkpoint = None, **options),
        text_signature = "(*, strict=False, outside_code=False, decode_entities=False, envelopes=None, tools=None, parameters=None, shapes=None, limits=None, checkpoint=None)"
    )]
    fn new(
        checkpoint: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<Parser>> {
        caught(|| {
            let policy = Options::read(options, Kind::Message)?.policy;
            let state = match checkpoint {
                Some(bytes) => State::resume(stored(bytes)?, |state| message_engine(policy, false, state))?,
                None => State::new(Engine::Message(Box::new(followup::Parser::new(policy)))),
            };
            Ok(StreamParser::new(state).add_subclass(Parser))
        })
    }
}

/// Parses the arguments of a native call of a question tool. The stream is one call.
///
/// `tool` is `ask_followup_question`, `AskUserQuestion` or another tool of the shapes. With a
/// checkpoint, it is the tool of the parser that made it.
///
/// Raises the errors of `Parser`, and `ValueError` for a tool that no shape has.
#[pyclass(extends = StreamParser, frozen, module = "followup")]
pub(crate) struct ArgumentsParser;

#[pymethods]
impl ArgumentsParser {
    #[new]
    #[pyo3(
        signature = (tool, *, checkpoint = None, **options),
        text_signature = "(tool, *, strict=False, outside_code=False, decode_entities=False, envelopes=None, tools=None, parameters=None, shapes=None, limits=None, checkpoint=None)"
    )]
    fn new(
        tool: &Bound<'_, PyAny>,
        checkpoint: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<ArgumentsParser>> {
        caught(|| {
            let tool = text("tool", tool)?;
            let policy = Options::read(options, Kind::Message)?.policy;
            let Some(parser) = followup::Parser::arguments_of(tool, policy.clone()) else {
                return Err(PyValueError::new_err(format!("tool: no shape reads the tool {tool}")));
            };
            let state = match checkpoint {
                Some(bytes) => State::resume(stored(bytes)?, |state| message_engine(policy, true, state))?,
                None => State::new(Engine::Message(Box::new(parser))),
            };
            Ok(StreamParser::new(state).add_subclass(ArgumentsParser))
        })
    }
}

/// Parses the body of a provider's response.
///
/// `format` is the name of the provider's format, such as `anthropic`; with `auto` it is detected.
/// With a checkpoint, `reasoning` is that of the parser that made it, and so is `format` with
/// `auto`.
///
/// Raises the errors of `Parser`, and `ValueError` for a format that does not exist and for a
/// checkpoint of another one.
#[pyclass(extends = StreamParser, frozen, module = "followup")]
pub(crate) struct ResponseParser;

#[pymethods]
impl ResponseParser {
    #[new]
    #[pyo3(
        signature = (format = None, *, checkpoint = None, **options),
        text_signature = "(format='auto', *, reasoning=False, strict=False, outside_code=False, decode_entities=False, envelopes=None, tools=None, parameters=None, shapes=None, limits=None, checkpoint=None)"
    )]
    fn new(
        format: Option<&Bound<'_, PyAny>>,
        checkpoint: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyClassInitializer<ResponseParser>> {
        caught(|| {
            let format = format.map_or(Ok("auto"), |format| text("format", format))?;
            let Options { policy, reasoning, limits } = Options::read(options, Kind::Response)?;
            let parser = match format {
                "auto" => wire::ResponseParser::auto(policy.clone()),
                name => wire::ResponseParser::new(format_named(name)?, policy.clone()),
            };
            let state = match checkpoint {
                Some(bytes) => {
                    let state = State::resume(stored(bytes)?, |state| response_engine(policy, limits, state))?;
                    check_format(format, state.format())?;
                    state
                }
                None => State::new(Engine::Response(Box::new(parser.with_limits(limits).with_reasoning(reasoning)))),
            };
            Ok(StreamParser::new(state).add_subclass(ResponseParser))
        })
    }

    /// The format of the body, also after its end; `None` while it is not known.
    #[getter]
    fn detected_format(slf: &Bound<'_, Self>) -> PyResult<Option<&'static str>> {
        caught(|| Ok(slf.as_super().get().state()?.format()))
    }
}

/// Returns the bytes of a checkpoint.
fn stored<'a>(checkpoint: &'a Bound<'_, PyAny>) -> PyResult<&'a [u8]> {
    let bytes = checkpoint.cast::<PyBytes>().map_err(|_| wrong_type("checkpoint", "bytes", checkpoint))?;
    Ok(bytes.as_bytes())
}

/// Returns an error if a format was given, and the checkpoint is of another one.
fn check_format(given: &str, stored: Option<&str>) -> PyResult<()> {
    match stored {
        _ if given == "auto" => Ok(()),
        Some(stored) if stored == given => Ok(()),
        Some(stored) => Err(PyValueError::new_err(format!("checkpoint: it is of a body of {stored}, not of {given}"))),
        None => Err(PyValueError::new_err("checkpoint: the format of its body is not known yet: pass format='auto'")),
    }
}

fn format_named(name: &str) -> PyResult<wire::Format> {
    name.parse().map_err(|error| PyValueError::new_err(format!("format: {error}")))
}
