//! The event of a call that grew.

use followup::Field;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::{Str, index, optional, optional_index, strings};
use crate::record::{Record, record};

/// More of an open call is certain. For display only: never act on it.
///
/// The deltas of a field add up to the field.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Partial {
    /// The index of the call in the stream, from 0.
    #[pyo3(get)]
    pub(crate) call: u64,
    /// The part of the call that grew.
    #[pyo3(get)]
    pub(crate) field: Str,
    /// The text to append to the field. If it is empty, something else became known.
    #[pyo3(get)]
    pub(crate) delta: Str,
    /// The index of the question that grew, or whose suggestion did.
    #[pyo3(get)]
    pub(crate) question_index: usize,
    /// The index of the suggestion that grew; `None` if its question did.
    #[pyo3(get)]
    pub(crate) suggestion_index: Option<usize>,
    /// The tool that is called, such as `ask_followup_question`.
    #[pyo3(get)]
    pub(crate) tool: Str,
    /// The provider's id of the call; `None` if it is not a native call.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
    /// What became known that does not grow; `None` if nothing did.
    #[pyo3(get)]
    pub(crate) known: Option<Py<Known>>,
}

#[pymethods]
impl Partial {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "partial";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["call", "field", "delta", "question_index", "suggestion_index", "tool", "id", "known"])
    }

    #[new]
    #[pyo3(signature = (call, field, delta, question_index = 0, suggestion_index = None, tool = None, id = None, known = None))]
    #[allow(clippy::too_many_arguments)] // One for each field.
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = index)] call: u64,
        field: Str,
        delta: Str,
        #[pyo3(from_py_with = index)] question_index: usize,
        #[pyo3(from_py_with = optional_index)] suggestion_index: Option<usize>,
        tool: Option<Str>,
        id: Option<Str>,
        known: Option<Py<Known>>,
    ) -> PyClassInitializer<Partial> {
        let tool = tool.unwrap_or_else(|| super::names::own_tool(py));
        record(Partial { call, field, delta, question_index, suggestion_index, tool, id, known })
    }
}

/// What is known of the growing suggestion, or of the growing question, that does not grow itself.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Known {
    /// Of a suggestion: the mode to which the agent should change with this answer.
    #[pyo3(get)]
    pub(crate) mode: Option<Str>,
    /// Of a suggestion: what goes back to the model, if it is not the answer.
    #[pyo3(get)]
    pub(crate) value: Option<Str>,
    /// Of a suggestion: whether the model recommends it.
    #[pyo3(get)]
    pub(crate) recommended: bool,
    /// Of a question: the id under which the answer goes back.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
    /// Of a question: a hint in the empty field of the user's own answer.
    #[pyo3(get)]
    pub(crate) placeholder: Option<Str>,
    /// Of a question: what it asks for, if it is not a choice: `text`, `yesno` or `number`.
    #[pyo3(get)]
    pub(crate) kind: Option<Str>,
    /// Of a question: whether several suggestions can be chosen.
    #[pyo3(get)]
    pub(crate) multiple: Option<bool>,
    /// Of a question: whether the user can answer in words of their own.
    #[pyo3(get)]
    pub(crate) custom: Option<bool>,
    /// Of a question: whether it has to be answered.
    #[pyo3(get)]
    pub(crate) required: Option<bool>,
    /// Of a question: the answers that are chosen at first.
    #[pyo3(get)]
    pub(crate) defaults: Py<PyTuple>,
}

impl Known {
    /// Returns the value of which nothing is known.
    pub(super) fn nothing(py: Python<'_>) -> Known {
        Known {
            mode: None,
            value: None,
            recommended: false,
            id: None,
            placeholder: None,
            kind: None,
            multiple: None,
            custom: None,
            required: None,
            defaults: PyTuple::empty(py).unbind(),
        }
    }

    /// Returns what is known of a suggestion besides its texts, if anything is.
    pub(super) fn of_suggestion(py: Python<'_>, one: followup::Suggestion<'_>) -> PyResult<Option<Py<Known>>> {
        if one.mode.is_none() && one.value.is_none() && !one.recommended {
            return Ok(None);
        }
        let known = Known {
            mode: optional(py, one.mode),
            value: optional(py, one.value),
            recommended: one.recommended,
            ..Known::nothing(py)
        };
        Py::new(py, record(known)).map(Some)
    }

    /// Returns what is known of a question besides its texts, if anything is.
    pub(super) fn of_question(py: Python<'_>, one: followup::Question<'_>) -> PyResult<Option<Py<Known>>> {
        let texts = [one.id, one.placeholder, one.kind.map(followup::QuestionKind::name)];
        let flags = [one.multiple, one.custom, one.required];
        if texts.iter().all(Option::is_none) && flags.iter().all(Option::is_none) && one.defaults.is_empty() {
            return Ok(None);
        }
        let [id, placeholder, kind] = texts.map(|text| optional(py, text));
        let [multiple, custom, required] = flags;
        let defaults = strings(py, one.defaults.iter())?;
        let known = Known { id, placeholder, kind, multiple, custom, required, defaults, ..Known::nothing(py) };
        Py::new(py, record(known)).map(Some)
    }
}

#[pymethods]
impl Known {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let of_question = ["id", "placeholder", "kind", "multiple", "custom", "required", "defaults"];
        PyTuple::new(py, ["mode", "value", "recommended"].into_iter().chain(of_question).collect::<Vec<_>>())
    }

    #[new]
    #[pyo3(signature = (mode = None, value = None, recommended = false, id = None, placeholder = None, kind = None, multiple = None, custom = None, required = None, defaults = vec![]))]
    #[allow(clippy::too_many_arguments)] // One for each field.
    fn new(
        py: Python<'_>,
        mode: Option<Str>,
        value: Option<Str>,
        recommended: bool,
        id: Option<Str>,
        placeholder: Option<Str>,
        kind: Option<Str>,
        multiple: Option<bool>,
        custom: Option<bool>,
        required: Option<bool>,
        defaults: Vec<Str>,
    ) -> PyResult<PyClassInitializer<Known>> {
        let defaults = PyTuple::new(py, defaults)?.unbind();
        Ok(record(Known { mode, value, recommended, id, placeholder, kind, multiple, custom, required, defaults }))
    }
}

/// Returns the name of a field; `None` for one that this package does not know.
pub(super) fn field<'py>(py: Python<'py>, field: Field) -> Option<&'py Bound<'py, PyString>> {
    Some(match field {
        Field::Question => intern!(py, "question"),
        Field::Suggestion => intern!(py, "suggestion"),
        Field::Header => intern!(py, "header"),
        Field::Detail => intern!(py, "detail"),
        Field::Description => intern!(py, "description"),
        Field::Preview => intern!(py, "preview"),
        Field::Title => intern!(py, "title"),
        _ => return None,
    })
}
