//! The events as Python classes.

mod call;
mod convert;
mod names;
mod partial;
mod question;
mod small;
mod view;

pub(crate) use call::{Complete, Rejected};
pub(crate) use convert::Converter;
pub(crate) use partial::{Known, Partial};
pub(crate) use question::{Question, Suggestion};
pub(crate) use small::{Error, Opaque, Text};
pub(crate) use view::CallView;

use pyo3::PyClass;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::options::wrong_number;
use crate::record::{Record, record};

/// A string that Python owns.
pub(crate) type Str = Py<PyString>;

/// Returns a new object of a class of events.
fn object<T: PyClass<BaseType = Record>>(py: Python<'_>, value: T) -> PyResult<Bound<'_, PyAny>> {
    Ok(Bound::new(py, record(value))?.into_any())
}

fn optional(py: Python<'_>, text: Option<&str>) -> Option<Str> {
    text.map(|text| PyString::new(py, text).unbind())
}

/// Returns a tuple of strings.
fn strings<'a>(py: Python<'_>, texts: impl Iterator<Item = &'a str>) -> PyResult<Py<PyTuple>> {
    let texts: Vec<_> = texts.map(|text| PyString::new(py, text)).collect();
    Ok(PyTuple::new(py, texts)?.unbind())
}

/// Reads an index, an offset or a limit.
///
/// A number that is none is a `ValueError`, for which PyO3 has an `OverflowError`.
fn index<T: TryFrom<u64>>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    match value.extract::<u64>() {
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => Err(error),
        number => {
            let number = number.ok().and_then(|number| number.try_into().ok());
            number.ok_or_else(|| wrong_number("", 0, u64::MAX, value))
        }
    }
}

fn optional_index(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() { Ok(None) } else { index(value).map(Some) }
}
