//! The events that end a call.

use followup::Note;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::question::{Question, Suggestion};
use super::{Str, index, optional, optional_index, strings};
use crate::record::{Record, record};

/// The call is closed and valid. The only event to act on.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Complete {
    /// The question, or the first one: trimmed, and not empty.
    #[pyo3(get)]
    pub(crate) question: Str,
    /// Its suggested answers: a tuple of `Suggestion`. None is normal.
    #[pyo3(get)]
    pub(crate) suggestions: Py<PyTuple>,
    /// The tool that was called, such as `ask_followup_question`.
    #[pyo3(get)]
    pub(crate) tool: Str,
    /// The index of the call in the stream, from 0.
    #[pyo3(get)]
    pub(crate) call: u64,
    /// Where the call begins in the stream, in bytes of UTF-8.
    #[pyo3(get)]
    pub(crate) start: u64,
    /// Where the call ends in the stream, in bytes of UTF-8.
    #[pyo3(get)]
    pub(crate) end: u64,
    /// The provider's id of the call; `None` if it has none.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
    /// The name of the shape that read the call; `None` for `ask_followup_question`.
    #[pyo3(get)]
    pub(crate) shape: Option<Str>,
    /// A text above all questions.
    #[pyo3(get)]
    pub(crate) title: Option<Str>,
    /// All questions: a tuple of `Question`. `ask_followup_question` has one.
    #[pyo3(get)]
    pub(crate) questions: Py<PyTuple>,
    /// What was repaired in the call or dropped from it, in words: a tuple of `str`.
    #[pyo3(get)]
    pub(crate) notes: Py<PyTuple>,
    /// The same as one word each, in the same order: a tuple of `str`.
    #[pyo3(get)]
    pub(crate) note_codes: Py<PyTuple>,
    /// The family of the envelope that the call came in as text.
    #[pyo3(get)]
    pub(crate) envelope: Option<Str>,
    /// Whether it is a native call, not one that was written in a message. Some have no id.
    #[pyo3(get)]
    pub(crate) native: bool,
}

impl Complete {
    /// Returns the event. The caller has the tool and the id as strings of Python.
    pub(super) fn of(py: Python<'_>, call: &followup::Complete<'_>, tool: Str, id: Option<Str>) -> PyResult<Complete> {
        let notes: Vec<String> = call.notes().iter().map(Note::to_string).collect();
        Ok(Complete {
            question: PyString::new(py, call.question()).unbind(),
            suggestions: Suggestion::tuple(py, call.suggestions())?,
            tool,
            call: call.index(),
            start: call.span().start,
            end: call.span().end,
            id,
            shape: optional(py, call.shape()),
            title: optional(py, call.title()),
            questions: Question::tuple(py, call.questions())?,
            notes: strings(py, notes.iter().map(|note| &**note))?,
            note_codes: strings(py, call.notes().iter().map(Note::code))?,
            envelope: optional(py, call.envelope().map(|family| family.name())),
            native: call.is_native(),
        })
    }
}

#[pymethods]
impl Complete {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "complete";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let [first, rest] = [
            ["question", "suggestions", "tool", "call", "start", "end"].as_slice(),
            &["id", "shape", "title", "questions", "notes", "note_codes", "envelope", "native"],
        ];
        PyTuple::new(py, [first, rest].concat())
    }

    #[new]
    #[pyo3(signature = (question, suggestions, tool, call, start, end, id = None, shape = None, title = None, questions = vec![], notes = vec![], note_codes = vec![], envelope = None, native = false))]
    #[allow(clippy::too_many_arguments)] // One for each field.
    fn new(
        py: Python<'_>,
        question: Str,
        suggestions: Vec<Py<Suggestion>>,
        tool: Str,
        #[pyo3(from_py_with = index)] call: u64,
        #[pyo3(from_py_with = index)] start: u64,
        #[pyo3(from_py_with = index)] end: u64,
        id: Option<Str>,
        shape: Option<Str>,
        title: Option<Str>,
        questions: Vec<Py<Question>>,
        notes: Vec<Str>,
        note_codes: Vec<Str>,
        envelope: Option<Str>,
        native: bool,
    ) -> PyResult<PyClassInitializer<Complete>> {
        let suggestions = PyTuple::new(py, suggestions)?.unbind();
        let questions = PyTuple::new(py, questions)?.unbind();
        let notes = PyTuple::new(py, notes)?.unbind();
        let note_codes = PyTuple::new(py, note_codes)?.unbind();
        let call = Complete {
            question,
            suggestions,
            tool,
            call,
            start,
            end,
            id,
            shape,
            title,
            questions,
            notes,
            note_codes,
            envelope,
            native,
        };
        Ok(record(call))
    }
}

/// The call has ended and can't be asked.
///
/// `code` says why, and which of `part`, `limit` and `note` tell more.
#[pyclass(extends = Record, frozen, module = "followup")]
pub(crate) struct Rejected {
    /// Why, as one word: `missing_parameter`, `malformed`, `truncated`, `too_long`, `wrong_type` or
    /// `superseded`.
    #[pyo3(get)]
    pub(crate) code: Str,
    /// Why, as a sentence.
    #[pyo3(get)]
    pub(crate) message: Str,
    /// The tool that was called, such as `ask_followup_question`.
    #[pyo3(get)]
    pub(crate) tool: Str,
    /// The index of the call in the stream, from 0.
    #[pyo3(get)]
    pub(crate) call: u64,
    /// Where the call begins in the stream, in bytes of UTF-8.
    #[pyo3(get)]
    pub(crate) start: u64,
    /// Where the call ends in the stream, in bytes of UTF-8.
    #[pyo3(get)]
    pub(crate) end: u64,
    /// The part of the call: of `truncated`, `too_long` and `wrong_type`.
    #[pyo3(get)]
    pub(crate) part: Option<Str>,
    /// The limit of the part, in bytes: of `too_long`.
    #[pyo3(get)]
    pub(crate) limit: Option<usize>,
    /// The code of the repair that is forbidden or can't be made: of `malformed`.
    #[pyo3(get)]
    pub(crate) note: Option<Str>,
    /// The provider's id of the call; `None` if it has none.
    #[pyo3(get)]
    pub(crate) id: Option<Str>,
    /// The name of the shape that read the call; `None` for `ask_followup_question`.
    #[pyo3(get)]
    pub(crate) shape: Option<Str>,
    /// A text above all questions, as far as it was read.
    #[pyo3(get)]
    pub(crate) title: Option<Str>,
    /// The question, as far as it was read.
    #[pyo3(get)]
    pub(crate) question: Option<Str>,
    /// Its suggested answers, as far as they were read: a tuple of `Suggestion`.
    #[pyo3(get)]
    pub(crate) suggestions: Py<PyTuple>,
    /// All questions, as far as they were read: a tuple of `Question`.
    #[pyo3(get)]
    pub(crate) questions: Py<PyTuple>,
    /// The family of the envelope that the call came in as text.
    #[pyo3(get)]
    pub(crate) envelope: Option<Str>,
    /// Whether it is a native call, not one that was written in a message. Some have no id.
    #[pyo3(get)]
    pub(crate) native: bool,
}

impl Rejected {
    /// Returns the event. The caller has the tool and the id as strings of Python.
    pub(super) fn of(py: Python<'_>, call: &followup::Rejected<'_>, tool: Str, id: Option<Str>) -> PyResult<Rejected> {
        let reason = call.reason();
        Ok(Rejected {
            code: PyString::new(py, reason.code()).unbind(),
            message: PyString::new(py, &reason.to_string()).unbind(),
            tool,
            call: call.index(),
            start: call.span().start,
            end: call.span().end,
            part: optional(py, reason.part().map(|part| part.code())),
            limit: reason.limit(),
            note: optional(py, reason.note().map(|note| note.code())),
            id,
            shape: optional(py, call.shape()),
            title: optional(py, call.title()),
            question: optional(py, call.question()),
            suggestions: Suggestion::tuple(py, call.suggestions())?,
            questions: Question::tuple(py, call.questions())?,
            envelope: optional(py, call.envelope().map(|family| family.name())),
            native: call.is_native(),
        })
    }
}

#[pymethods]
impl Rejected {
    #[classattr]
    #[pyo3(name = "type")]
    const TYPE: &'static str = "rejected";

    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        let [first, rest] = [
            ["code", "message", "tool", "call", "start", "end", "part", "limit"].as_slice(),
            &["note", "id", "shape", "title", "question", "suggestions", "questions", "envelope", "native"],
        ];
        PyTuple::new(py, [first, rest].concat())
    }

    #[new]
    #[pyo3(signature = (code, message, tool, call, start, end, part = None, limit = None, note = None, id = None, shape = None, title = None, question = None, suggestions = vec![], questions = vec![], envelope = None, native = false))]
    #[allow(clippy::too_many_arguments)] // One for each field.
    fn new(
        py: Python<'_>,
        code: Str,
        message: Str,
        tool: Str,
        #[pyo3(from_py_with = index)] call: u64,
        #[pyo3(from_py_with = index)] start: u64,
        #[pyo3(from_py_with = index)] end: u64,
        part: Option<Str>,
        #[pyo3(from_py_with = optional_index)] limit: Option<usize>,
        note: Option<Str>,
        id: Option<Str>,
        shape: Option<Str>,
        title: Option<Str>,
        question: Option<Str>,
        suggestions: Vec<Py<Suggestion>>,
        questions: Vec<Py<Question>>,
        envelope: Option<Str>,
        native: bool,
    ) -> PyResult<PyClassInitializer<Rejected>> {
        let suggestions = PyTuple::new(py, suggestions)?.unbind();
        let questions = PyTuple::new(py, questions)?.unbind();
        let call = Rejected {
            code,
            message,
            tool,
            call,
            start,
            end,
            part,
            limit,
            note,
            id,
            shape,
            title,
            question,
            suggestions,
            questions,
            envelope,
            native,
        };
        Ok(record(call))
    }
}
