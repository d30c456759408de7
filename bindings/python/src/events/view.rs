//! The views of open calls, rebuilt from their partials.

use followup::Field;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::partial::Known;
use super::question::{Question, Suggestion};
use super::{Str, index, optional};
use crate::record::{Record, record};

/// An open call as far as it has been shown: the sum of its partials. For display only.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct CallView {
    /// The index of the call in the stream, from 0.
    #[pyo3(get)]
    call: u64,
    /// The tool that is called, such as `ask_followup_question`.
    #[pyo3(get)]
    tool: Str,
    /// The provider's id of the call; `None` if it is not a native call.
    #[pyo3(get)]
    id: Option<Str>,
    /// The text above all questions so far.
    #[pyo3(get)]
    title: Option<Str>,
    /// The questions so far: a tuple of `Question`. Only the last one may still change.
    #[pyo3(get)]
    questions: Py<PyTuple>,
}

#[pymethods]
impl CallView {
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, ["call", "tool", "id", "title", "questions"])
    }

    #[new]
    #[pyo3(signature = (call, tool, id = None, title = None, questions = vec![]))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = index)] call: u64,
        tool: Str,
        id: Option<Str>,
        title: Option<Str>,
        questions: Vec<Py<Question>>,
    ) -> PyResult<PyClassInitializer<CallView>> {
        let questions = PyTuple::new(py, questions)?.unbind();
        Ok(record(CallView { call, tool, id, title, questions }))
    }
}

/// An open call that is being shown.
pub(super) struct OpenCall {
    pub(super) index: u64,
    tool: Str,
    id: Option<Str>,
    title: String,
    questions: Vec<OpenQuestion>,
}

#[derive(Default)]
struct OpenQuestion {
    text: String,
    header: String,
    detail: String,
    known: Option<Py<Known>>,
    suggestions: Vec<OpenSuggestion>,
}

#[derive(Default)]
struct OpenSuggestion {
    answer: String,
    description: String,
    preview: String,
    known: Option<Py<Known>>,
}

impl OpenCall {
    /// Returns the call as far as it has been shown, with what this partial shows. Cost: a copy.
    ///
    /// Of a call that was open at a checkpoint, that is more than the partial.
    pub(super) fn of(py: Python<'_>, call: &followup::Partial<'_>, tool: Str, id: Option<Str>) -> PyResult<OpenCall> {
        let title = call.title().unwrap_or_default().to_owned();
        let has_shape = call.shape().is_some();
        let questions = call.questions().iter().map(|one| OpenQuestion::of(py, one, has_shape));
        Ok(OpenCall { index: call.index(), tool, id, title, questions: questions.collect::<PyResult<_>>()? })
    }

    /// Appends the delta of a partial. Cost: a copy of the delta.
    pub(super) fn append(&mut self, call: &followup::Partial<'_>, known: Option<Py<Known>>) {
        if call.field() == Field::Title {
            return self.title.push_str(call.delta());
        }
        let question = element(&mut self.questions, call.question_index());
        let text = match call.suggestion_index() {
            Some(index) => element(&mut question.suggestions, index).append(call.field(), known),
            None => question.append(call.field(), known),
        };
        text.push_str(call.delta());
    }

    /// Returns the view. Cost: a copy of the call.
    pub(super) fn view<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let questions: Vec<_> = self.questions.iter().map(|one| one.question(py)).collect::<PyResult<_>>()?;
        let view = CallView {
            call: self.index,
            tool: self.tool.clone_ref(py),
            id: self.id.as_ref().map(|id| id.clone_ref(py)),
            title: not_empty(py, &self.title),
            questions: PyTuple::new(py, questions)?.unbind(),
        };
        super::object(py, view)
    }
}

impl OpenQuestion {
    fn of(py: Python<'_>, one: followup::Question<'_>, has_shape: bool) -> PyResult<OpenQuestion> {
        let suggestions = one.suggestions.iter().map(|one| OpenSuggestion::of(py, one));
        Ok(OpenQuestion {
            text: one.text.to_owned(),
            header: one.header.unwrap_or_default().to_owned(),
            detail: one.detail.unwrap_or_default().to_owned(),
            // Of a question of `ask_followup_question`, everything grows.
            known: if has_shape { Known::of_question(py, one)? } else { None },
            suggestions: suggestions.collect::<PyResult<_>>()?,
        })
    }

    /// Returns the text of a field.
    fn append(&mut self, field: Field, known: Option<Py<Known>>) -> &mut String {
        self.known = known.or(self.known.take());
        match field {
            Field::Header => &mut self.header,
            Field::Detail => &mut self.detail,
            _ => &mut self.text,
        }
    }

    fn question<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let suggestions: Vec<_> = self.suggestions.iter().map(|one| one.suggestion(py)).collect::<PyResult<_>>()?;
        let known = self.known.as_ref().map(Py::get);
        let text = |text: fn(&Known) -> &Option<Str>| text(known?).as_ref().map(|text| text.clone_ref(py));
        let question = Question {
            text: PyString::new(py, &self.text).unbind(),
            suggestions: PyTuple::new(py, suggestions)?.unbind(),
            id: text(|known| &known.id),
            header: not_empty(py, &self.header),
            detail: not_empty(py, &self.detail),
            placeholder: text(|known| &known.placeholder),
            kind: text(|known| &known.kind),
            multiple: known.and_then(|known| known.multiple),
            custom: known.and_then(|known| known.custom),
            required: known.and_then(|known| known.required),
            defaults: known.map_or_else(|| PyTuple::empty(py).unbind(), |known| known.defaults.clone_ref(py)),
        };
        super::object(py, question)
    }
}

impl OpenSuggestion {
    fn of(py: Python<'_>, one: followup::Suggestion<'_>) -> PyResult<OpenSuggestion> {
        Ok(OpenSuggestion {
            answer: one.answer.to_owned(),
            description: one.description.unwrap_or_default().to_owned(),
            preview: one.preview.unwrap_or_default().to_owned(),
            known: Known::of_suggestion(py, one)?,
        })
    }

    /// Returns the text of a field.
    fn append(&mut self, field: Field, known: Option<Py<Known>>) -> &mut String {
        self.known = known.or(self.known.take());
        match field {
            Field::Description => &mut self.description,
            Field::Preview => &mut self.preview,
            _ => &mut self.answer,
        }
    }

    fn suggestion<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let known = self.known.as_ref().map(Py::get);
        let text = |text: fn(&Known) -> &Option<Str>| text(known?).as_ref().map(|text| text.clone_ref(py));
        let suggestion = Suggestion {
            answer: PyString::new(py, &self.answer).unbind(),
            mode: text(|known| &known.mode),
            description: not_empty(py, &self.description),
            preview: not_empty(py, &self.preview),
            value: text(|known| &known.value),
            recommended: known.is_some_and(|known| known.recommended),
        };
        super::object(py, suggestion)
    }
}

/// Returns the element at this index, which is created with all before it if it is new.
fn element<T: Default>(elements: &mut Vec<T>, index: usize) -> &mut T {
    if elements.len() <= index {
        elements.resize_with(index + 1, T::default);
    }
    &mut elements[index]
}

fn not_empty(py: Python<'_>, text: &str) -> Option<Str> {
    optional(py, Some(text).filter(|text| !text.is_empty()))
}
