//! Errors of the dialogue.

use followup::dialogue::AnswerErrorKind;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

/// Returns the error of an answer that the dialogue does not accept.
pub(super) fn refused(py: Python<'_>, kind: AnswerErrorKind) -> PyErr {
    dialogue_error(py, kind.code(), &kind.to_string())
}

/// Returns a `followup.DialogueError`.
pub(super) fn dialogue_error(py: Python<'_>, code: &str, message: &str) -> PyErr {
    let create = || py.import("followup._dialogue_error")?.getattr("DialogueError")?.call1((code, message));
    create().map_or_else(|error| error, PyErr::from_value)
}

/// Returns the error of data that is not what it should be.
pub(super) fn unreadable(what: &str, error: &serde_json::Error) -> PyErr {
    let message = error.to_string();
    // The place in a text that the caller has not seen says nothing.
    let message = message.rfind(" at line ").map_or(&*message, |end| &message[..end]);
    let mut message = message.to_owned();
    for number in ["usize", "u64", "u32"] {
        message = message.replace(&format!("expected {number}"), "expected a whole number");
    }
    PyTypeError::new_err(format!("{what}: {message}"))
}
