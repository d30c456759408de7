//! Questions and their suggestions.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::{Str, optional, strings};
use crate::record::{Record, record};

/// A suggested answer.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Suggestion {
    /// The text of the answer.
    #[pyo3(get)]
    pub(crate) answer: Str,
    /// The mode to which the agent should change with this answer.
    #[pyo3(get)]
    pub(crate) mode: Option<Str>,
    /// What the answer means.
    #[pyo3(get)]
    pub(crate) description: Option<Str>,
    /// What the answer leads to, such as code, to be shown beside it.
    #[pyo3(get)]
    pub(crate) preview: Option<Str>,
    /// What goes back to the model, if it is not the answer.
    #[pyo3(get)]
    pub(crate) value: Option<Str>,
    /// Whether the model recommends it.
    #[pyo3(get)]
    pub(crate) recommended: bool,
}

impl Suggestion {
    /// Returns the tuple of suggestions.
    pub(super) fn tuple(py: Python<'_>, all: followup::Suggestions<'_>) -> PyResult<Py<PyTuple>> {
        let all: Vec<_> = all.iter().map(|one| Suggestion::of(py, one)).collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, all)?.unbind())
    }

    fn of<'py>(py: Python<'py>, one: followup::Suggestion<'_>) -> PyResult<Bound<'py, PyAny>> {
        let suggestion = Suggestion {
            answer: pyo3::types::PyString::new(py, one.answer).unbind(),
            mode: optional(py, one.mode),
            description: optional(py, one.description),
            preview: optional(py, one.preview),
            value: optional(py, one.value),
            recommended: one.recommended,
        };
        super::object(py, suggestion)
    }
}

#[pymethods]
impl Suggestion {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["answer", "mode", "description", "preview", "value", "recommended"])
    }

    #[new]
    #[pyo3(signature = (answer, mode = None, description = None, preview = None, value = None, recommended = false))]
    fn new(
        answer: Str,
        mode: Option<Str>,
        description: Option<Str>,
        preview: Option<Str>,
        value: Option<Str>,
        recommended: bool,
    ) -> PyClassInitializer<Suggestion> {
        record(Suggestion { answer, mode, description, preview, value, recommended })
    }
}

/// One question of a call.
///
/// In the view of an open call, `None` also means that it is not known yet.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Question {
    /// The question.
    #[pyo3(get)]
    pub(crate) text: Str,
    /// Its suggested answers: a tuple of `Suggestion`.
    #[pyo3(get)]
    pub(crate) suggestions: Py<PyTuple>,
    /// The id under which the answer goes back.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
    /// A short title of the question.
    #[pyo3(get)]
    pub(crate) header: Option<Str>,
    /// A text below the question.
    #[pyo3(get)]
    pub(crate) detail: Option<Str>,
    /// A hint in the empty field of the user's own answer.
    #[pyo3(get)]
    pub(crate) placeholder: Option<Str>,
    /// What it asks for, if it is not a choice: `text`, `yesno` or `number`.
    #[pyo3(get)]
    pub(crate) kind: Option<Str>,
    /// Whether several suggestions can be chosen.
    #[pyo3(get)]
    pub(crate) multiple: Option<bool>,
    /// Whether the user can answer in words of their own.
    #[pyo3(get)]
    pub(crate) custom: Option<bool>,
    /// Whether it has to be answered.
    #[pyo3(get)]
    pub(crate) required: Option<bool>,
    /// The answers that are chosen at first: a tuple of `str`.
    #[pyo3(get)]
    pub(crate) defaults: Py<PyTuple>,
}

impl Question {
    /// Returns the tuple of questions.
    pub(super) fn tuple(py: Python<'_>, all: followup::Questions<'_>) -> PyResult<Py<PyTuple>> {
        let all: Vec<_> = all.iter().map(|one| Question::of(py, one)).collect::<PyResult<_>>()?;
        Ok(PyTuple::new(py, all)?.unbind())
    }

    fn of<'py>(py: Python<'py>, one: followup::Question<'_>) -> PyResult<Bound<'py, PyAny>> {
        let question = Question {
            text: pyo3::types::PyString::new(py, one.text).unbind(),
            suggestions: Suggestion::tuple(py, one.suggestions)?,
            id: optional(py, one.id),
            header: optional(py, one.header),
            detail: optional(py, one.detail),
            placeholder: optional(py, one.placeholder),
            kind: optional(py, one.kind.map(followup::QuestionKind::name)),
            multiple: one.multiple,
            custom: one.custom,
            required: one.required,
            defaults: strings(py, one.defaults.iter())?,
        };
        super::object(py, question)
    }
}

#[pymethods]
impl Question {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let [texts, rest] = [
            ["text", "suggestions", "id", "header", "detail"].as_slice(),
            &["placeholder", "kind", "multiple", "custom", "required", "defaults"],
        ];
        PyTuple::new(py, [texts, rest].concat())
    }

    #[new]
    #[pyo3(signature = (text, suggestions = vec![], id = None, header = None, detail = None, placeholder = None, kind = None, multiple = None, custom = None, required = None, defaults = vec![]))]
    #[allow(clippy::too_many_arguments)] // One for each field.
    fn new(
        py: Python<'_>,
        text: Str,
        suggestions: Vec<Py<Suggestion>>,
        id: Option<Str>,
        header: Option<Str>,
        detail: Option<Str>,
        placeholder: Option<Str>,
        kind: Option<Str>,
        multiple: Option<bool>,
        custom: Option<bool>,
        required: Option<bool>,
        defaults: Vec<Str>,
    ) -> PyResult<PyClassInitializer<Question>> {
        let suggestions = PyTuple::new(py, suggestions)?.unbind();
        let defaults = PyTuple::new(py, defaults)?.unbind();
        let question =
            Question { text, suggestions, id, header, detail, placeholder, kind, multiple, custom, required, defaults };
        Ok(record(question))
    }
}
