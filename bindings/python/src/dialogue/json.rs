//! Directives and other data as JSON.

use followup::dialogue::Directive;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde_json::{Value, json};

/// Returns a value as JSON.
pub(super) fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the type of a directive, and what it is about.
pub(super) fn directive(directive: Directive<'_>) -> Value {
    match directive {
        Directive::Ask(question) => json!(["ask", question]),
        Directive::Later(question) => json!(["later", question]),
        Directive::Tell(correction) => json!(["tell", correction]),
        Directive::Stop(correction) => json!(["stop", correction]),
        // A call that grows is shown by Python.
        Directive::Nothing | Directive::Show(_) => json!(["nothing", null]),
    }
}
