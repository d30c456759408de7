//! Questions in bulk: a column of messages, bodies or arguments in, the calls of each row out.

mod batch;
mod calls;
mod cell_parser;
mod cells;
mod classes;
mod codes;
mod error;
mod pylist;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_schema::{Field, FieldRef};
use followup::Policy;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyArray;

use self::batch::Settings;
use self::cell_parser::CellParser;
pub(crate) use self::classes::{Array, ChunkedArray};
use self::error::Error;

/// Parses each row of a column; `followup.arrow.questions` has the documentation.
#[pyfunction]
#[pyo3(signature = (column, *, wire = "text", arguments_of = None, threads = 1))]
pub(crate) fn questions<'py>(
    column: &Bound<'py, PyAny>,
    wire: &str,
    arguments_of: Option<&str>,
    threads: usize,
) -> PyResult<Bound<'py, PyAny>> {
    if threads == 0 {
        return Err(PyValueError::new_err("threads: a number from 1 was expected, not 0"));
    }
    let parser = CellParser::new(wire, arguments_of, Arc::new(Policy::new()))?;
    let settings = Settings { parser, threads };
    let py = column.py();
    match input(column)? {
        AnyArray::Array(array) => {
            let (array, field) = array.into_inner();
            let field = output_field(&field)?;
            let result = detached(py, || batch::questions(&array, &settings))?;
            Ok(Bound::new(py, Array::new(result, field))?.into_any())
        }
        AnyArray::Stream(stream) => {
            let stream = stream.into_reader()?;
            let field = output_field(&stream.field())?;
            let chunks = detached(py, || stream.map(|chunk| batch::questions(&chunk?, &settings)).collect())?;
            Ok(Bound::new(py, ChunkedArray::new(chunks, field))?.into_any())
        }
    }
}

/// Returns the column, whose buffers belong to Rust from now on.
fn input(column: &Bound<'_, PyAny>) -> PyResult<AnyArray> {
    let is_arrow = column.hasattr("__arrow_c_array__")? || column.hasattr("__arrow_c_stream__")?;
    if !is_arrow {
        return Err(PyTypeError::new_err(format!(
            "column: an object with __arrow_c_array__ or __arrow_c_stream__ was expected, such as an array of pyarrow \
             or a Series of Polars, not {}",
            column.get_type().fully_qualified_name()?
        )));
    }
    column.extract()
}

/// Returns the field of the result: it has the name of the column.
fn output_field(column: &Field) -> PyResult<FieldRef> {
    let data_type = cells::output_type(column.data_type())?;
    Ok(Arc::new(Field::new(column.name(), data_type, true)))
}

/// Runs `work` without the GIL. A panic is an error like any other.
fn detached<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Error> + Send) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    Ok(result.unwrap_or(Err(Error::Panic))?)
}
