//! The extension module `followup._followup`.
use pyo3::prelude::*;

mod arrow;

#[pymodule]
mod _followup {
    #[pymodule_export]
    use super::arrow::{Array, ChunkedArray, questions};
}
