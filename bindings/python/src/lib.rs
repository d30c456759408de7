//! The extension module `followup._followup`.
use pyo3::prelude::*;

#[pymodule]
mod _followup {}
