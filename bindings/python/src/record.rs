//! The base of all values that Python gets: immutable, compared and pickled by their fields.

use pyo3::PyClass;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple, PyType};

/// An immutable value, whose fields are named by `__match_args__`.
#[pyclass(subclass, frozen, module = "followup._followup")]
pub(crate) struct Record;

/// Returns what creates an object of a class of values.
#[inline]
pub(crate) fn record<T: PyClass<BaseType = Record>>(value: T) -> PyClassInitializer<T> {
    PyClassInitializer::from(Record).add_subclass(value)
}

#[pymethods]
impl Record {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let mut repr = slf.get_type().name()?.to_string() + "(";
        let mut separator = "";
        for (name, value) in fields(slf)? {
            if is_default(&value)? {
                continue;
            }
            repr += &format!("{separator}{name}={}", value.repr()?);
            separator = ", ";
        }
        Ok(repr + ")")
    }

    /// Lets `other` decide if it is none of these classes, such as `unittest.mock.ANY`.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let Ok(other) = other.cast::<Record>() else { return Ok(py.NotImplemented()) };
        let is_equal = slf.get_type().is(other.get_type()) && values(slf)?.eq(values(other)?)?;
        Ok(PyBool::new(py, is_equal).to_owned().into_any().unbind())
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        (slf.get_type(), values(slf)?).into_pyobject(slf.py())?.hash()
    }

    fn __getnewargs_ex__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((values(slf)?, PyDict::new(slf.py())))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }
}

/// Returns the names of the fields of a class, in the order of its parameters.
fn names<'py>(class: &Bound<'py, PyType>) -> PyResult<Bound<'py, PyTuple>> {
    Ok(class.getattr(intern!(class.py(), "__match_args__"))?.cast_into()?)
}

fn fields<'py>(record: &Bound<'py, Record>) -> PyResult<Vec<(Bound<'py, PyString>, Bound<'py, PyAny>)>> {
    let names = names(&record.get_type())?;
    names
        .iter()
        .map(|name| {
            let name = name.cast_into::<PyString>()?;
            let value = record.getattr(&name)?;
            Ok((name, value))
        })
        .collect()
}

fn values<'py>(record: &Bound<'py, Record>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(record.py(), fields(record)?.into_iter().map(|(_, value)| value))
}

/// Returns whether a field says nothing: `None`, or an empty tuple.
fn is_default(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(value.is_none() || value.cast::<PyTuple>().is_ok_and(|tuple| tuple.is_empty()))
}
