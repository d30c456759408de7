//! Results as Python's own lists and dicts.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, UInt32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::panics::inject;

/// Appends the values of an array to a list.
pub(super) fn extend(list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    inject("pylist");
    (0..array.len()).try_for_each(|i| list.append(value(list.py(), array, i)?))
}

/// Returns a value. There are the types of a result, and no others.
fn value<'py>(py: Python<'py>, array: &ArrayRef, i: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(i) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(i).into_bound_py_any(py),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(i).into_bound_py_any(py),
        DataType::Utf8 => array.as_string::<i32>().value(i).into_bound_py_any(py),
        DataType::LargeUtf8 => array.as_string::<i64>().value(i).into_bound_py_any(py),
        DataType::Struct(fields) => {
            let dict = PyDict::new(py);
            for (field, column) in fields.iter().zip(array.as_struct().columns()) {
                dict.set_item(field.name(), value(py, column, i)?)?;
            }
            Ok(dict.into_any())
        }
        _ => {
            let list = PyList::empty(py);
            extend(&list, &array.as_list::<i32>().value(i))?;
            Ok(list.into_any())
        }
    }
}
