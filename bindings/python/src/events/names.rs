//! The names of notes and of parts of a call, for programs.

use std::fmt::Debug;

use followup::Field;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Returns the name of a variant, without its data: `stream_ended` for `Note::StreamEnded`.
pub(crate) fn name(variant: &impl Debug) -> String {
    let mut name = String::new();
    for character in format!("{variant:?}").chars().take_while(char::is_ascii_alphabetic) {
        if character.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(character.to_ascii_lowercase());
    }
    name
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
