//! The results as objects that every library of Arrow takes.

use std::mem;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, NullArray};
use arrow_schema::FieldRef;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};

use super::pylist;
use crate::panics::caught;

/// The size from which on a result is freed without the GIL, in bytes.
///
/// A smaller one is freed in less time than it may take to get the GIL back from a busy thread.
const LARGE: usize = 1 << 18;

/// Frees a result whose last reference went in Python.
fn free(arrays: Vec<ArrayRef>) {
    if arrays.iter().map(|array| array.get_buffer_memory_size()).sum::<usize>() >= LARGE {
        Python::try_attach(|py| py.detach(|| drop(arrays)));
    }
}

/// The calls of each row of an array.
#[pyclass(module = "followup.arrow", frozen)]
#[derive(Debug)]
pub(crate) struct Array {
    array: ArrayRef,
    field: FieldRef,
}

impl Array {
    pub(super) fn new(array: ArrayRef, field: FieldRef) -> Array {
        Array { array, field }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        free(vec![mem::replace(&mut self.array, Arc::new(NullArray::new(0)))]);
    }
}

#[pymethods]
impl Array {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let _ = requested_schema; // The consumer casts: the interface allows it.
        caught(|| Ok(to_array_pycapsules(py, self.field.clone(), &self.array, None)?))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        caught(|| Ok(to_schema_pycapsule(py, self.field.as_ref())?))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }

    fn __repr__(&self) -> String {
        format!("<followup.arrow.Array of {} rows>", self.array.len())
    }

    /// Returns a list with `None` or a list of dicts for each row.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        caught(|| {
            let rows = PyList::empty(py);
            pylist::extend(&rows, &self.array)?;
            Ok(rows)
        })
    }
}

/// The calls of each row of a stream of arrays, with its chunks.
#[pyclass(module = "followup.arrow", frozen)]
#[derive(Debug)]
pub(crate) struct ChunkedArray {
    chunks: Vec<ArrayRef>,
    field: FieldRef,
}

impl ChunkedArray {
    pub(super) fn new(chunks: Vec<ArrayRef>, field: FieldRef) -> ChunkedArray {
        ChunkedArray { chunks, field }
    }
}

impl Drop for ChunkedArray {
    fn drop(&mut self) {
        free(mem::take(&mut self.chunks));
    }
}

#[pymethods]
impl ChunkedArray {
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema; // The consumer casts: the interface allows it.
        caught(|| {
            let chunks = self.chunks.clone().into_iter().map(Ok);
            Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(chunks, self.field.clone())), None)?)
        })
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        caught(|| Ok(to_schema_pycapsule(py, self.field.as_ref())?))
    }

    fn __len__(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    fn __repr__(&self) -> String {
        format!("<followup.arrow.ChunkedArray of {} rows in {} chunks>", self.__len__(), self.chunks.len())
    }

    /// The chunks, which are those of the column.
    #[getter]
    fn chunks(&self) -> Vec<Array> {
        self.chunks.iter().map(|chunk| Array::new(chunk.clone(), self.field.clone())).collect()
    }

    /// Returns a list with `None` or a list of dicts for each row.
    fn to_pylist<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        caught(|| {
            let rows = PyList::empty(py);
            self.chunks.iter().try_for_each(|chunk| pylist::extend(&rows, chunk))?;
            Ok(rows)
        })
    }
}
