//! The events that are not about a question.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::Str;
use crate::record::{Record, record};

/// Prose, to be shown as it is.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Text {
    /// The text.
    #[pyo3(get)]
    pub(crate) text: Str,
}

#[pymethods]
impl Text {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "text";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["text"])
    }

    #[new]
    fn new(text: Str) -> PyClassInitializer<Text> {
        record(Text { text })
    }
}

/// A piece of another tool's call, as it was written: neither prose nor a question.
///
/// The pieces of one call add up to its markup, or to its native arguments.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Opaque {
    /// The tool's name.
    #[pyo3(get)]
    pub(crate) tool: Str,
    /// The piece.
    #[pyo3(get)]
    pub(crate) raw: Str,
    /// Whether this is the first piece of a call.
    #[pyo3(get)]
    pub(crate) start: bool,
    /// The provider's id of the call; `None` if it is not a native call.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
}

#[pymethods]
impl Opaque {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "opaque";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["tool", "raw", "start", "id"])
    }

    #[new]
    #[pyo3(signature = (tool, raw, start, id = None))]
    fn new(tool: Str, raw: Str, start: bool, id: Option<Str>) -> PyClassInitializer<Opaque> {
        record(Opaque { tool, raw, start, id })
    }
}

/// What is wrong with a provider's stream. Parsing continues after it.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Error {
    /// The kind of error as one word, such as `provider` or `unreadable`.
    #[pyo3(get)]
    pub(crate) code: Str,
    /// The provider's message, or what is wrong, as a sentence.
    #[pyo3(get)]
    pub(crate) message: Str,
    /// The data that could not be read; `None` if there is none.
    #[pyo3(get)]
    pub(crate) data: Option<Str>,
}

#[pymethods]
impl Error {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "error";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["code", "message", "data"])
    }

    #[new]
    #[pyo3(signature = (code, message, data = None))]
    fn new(code: Str, message: Str, data: Option<Str>) -> PyClassInitializer<Error> {
        record(Error { code, message, data })
    }
}
