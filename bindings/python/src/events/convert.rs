//! From the events of the parser to those of Python.

use followup::wire;
use followup::{Event, Field};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::names::Names;
use super::view::OpenCall;
use super::{Complete, Error, Known, Opaque, Partial, Rejected, Text, object, optional, partial};
use crate::panics::inject;

/// Converts the events of one stream, and keeps what has been shown of its open calls.
#[derive(Default)]
pub(crate) struct Converter {
    names: Names,
    open: Vec<OpenCall>,
}

impl Converter {
    /// Appends an event to a list.
    pub(crate) fn event(&mut self, event: Event<'_>, list: &Bound<'_, PyList>) -> PyResult<()> {
        inject("event");
        let py = list.py();
        let event = match event {
            Event::Text(text) => object(py, Text { text: PyString::new(py, text).unbind() })?,
            Event::Opaque(piece) => {
                let (tool, id) = self.names.of(py, piece.tool, piece.id)?;
                object(py, Opaque { tool, raw: PyString::new(py, piece.raw).unbind(), start: piece.start, id })?
            }
            Event::Partial(call) => match self.partial(py, &call)? {
                Some(partial) => object(py, partial)?,
                None => return Ok(()),
            },
            Event::Complete(call) => {
                self.close(call.index());
                let (tool, id) = self.names.of(py, call.tool(), call.id())?;
                object(py, Complete::of(py, &call, tool, id)?)?
            }
            Event::Rejected(call) => {
                self.close(call.index());
                let (tool, id) = self.names.of(py, call.tool(), call.id())?;
                object(py, Rejected::of(py, &call, tool, id)?)?
            }
        };
        list.append(event)
    }

    /// Appends an event or error of a provider's stream to a list.
    pub(crate) fn result(
        &mut self,
        event: Result<Event<'_>, wire::Error<'_>>,
        list: &Bound<'_, PyList>,
    ) -> PyResult<()> {
        match event {
            Ok(event) => self.event(event, list),
            Err(error) => list.append(object(list.py(), self::error(list.py(), error))?),
        }
    }

    /// Returns the open call with this index as far as it has been shown, or the newest one.
    pub(crate) fn view<'py>(&self, py: Python<'py>, call: Option<u64>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = match call {
            Some(index) => self.open.iter().find(|one| one.index == index),
            None => self.open.last(),
        };
        open.map(|one| one.view(py)).transpose()
    }

    fn partial(&mut self, py: Python<'_>, call: &followup::Partial<'_>) -> PyResult<Option<Partial>> {
        let Some(field) = partial::field(py, call.field()) else { return Ok(None) };
        let (tool, id) = self.names.of(py, call.tool(), call.id())?;
        let known = known(py, call)?;
        match self.open.iter_mut().rfind(|one| one.index == call.index()) {
            Some(open) => open.append(call, known.as_ref().map(|known| known.clone_ref(py))),
            None => {
                let id = id.as_ref().map(|id| id.clone_ref(py));
                self.open.push(OpenCall::of(py, call, tool.clone_ref(py), id)?);
            }
        }
        Ok(Some(Partial {
            call: call.index(),
            field: field.clone().unbind(),
            delta: PyString::new(py, call.delta()).unbind(),
            question_index: call.question_index(),
            suggestion_index: call.suggestion_index(),
            tool,
            id,
            known,
        }))
    }

    fn close(&mut self, call: u64) {
        self.open.retain(|one| one.index != call);
    }
}

/// Returns what became known besides the delta.
///
/// What does not grow comes with the beginning of a text, and with a partial without a delta.
fn known(py: Python<'_>, call: &followup::Partial<'_>) -> PyResult<Option<Py<Known>>> {
    let (has_shape, suggestion) = (call.shape().is_some(), call.suggestion_index());
    // Of a question of `ask_followup_question`, everything grows.
    if call.field() == Field::Title || !has_shape && suggestion.is_none() {
        return Ok(None);
    }
    let Some(question) = call.questions().get(call.question_index()) else { return Ok(None) };
    let is_first = |text: &str| text.len() == call.delta().len() || call.delta().is_empty();
    match suggestion {
        Some(index) => match question.suggestions.get(index) {
            Some(one) if !has_shape || is_first(one.answer) => Known::of_suggestion(py, one),
            _ => Ok(None),
        },
        None if is_first(question.text) => Known::of_question(py, question),
        None => Ok(None),
    }
}

fn error(py: Python<'_>, error: wire::Error<'_>) -> Error {
    let message = match error {
        wire::Error::Provider(message) => PyString::new(py, message),
        ref error => PyString::new(py, &error.to_string()),
    };
    Error {
        code: PyString::new(py, error.code()).unbind(),
        message: message.unbind(),
        data: optional(py, error.data()),
    }
}
