//! Questions in bulk: a column of messages, bodies or arguments in, the calls of each row out.

mod batch;
mod calls;
mod cell_parser;
mod cells;
mod classes;
mod error;
mod pylist;

use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{Field, FieldRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt};
use pyo3_arrow::ffi::ArrayReader;
use pyo3_arrow::input::AnyArray;

use self::batch::Settings;
use self::cell_parser::CellParser;
pub(crate) use self::classes::{Array, ChunkedArray};
use self::error::ColumnError;
use crate::options::{text, wrong_number, wrong_type};
use crate::panics::caught;

/// The largest number of threads.
const MAX_THREADS: usize = 1024;

/// Returns the calls of each row of a column.
///
/// `column` is an array, or a stream of arrays: anything with `__arrow_c_array__` or
/// `__arrow_c_stream__`, such as arrays of pyarrow and Series of Polars and pandas 3. A row is a
/// message, or with `wire` the body of a response (`auto`, or the name of a format), or with
/// `arguments_of` the arguments of a native call of this tool. Its type is utf8, large_utf8,
/// utf8_view, binary, large_binary, binary_view or a dictionary of one of them; ill-formed UTF-8
/// is replaced. The other options are those of `Parser`, and with `wire` those of `ResponseParser`.
///
/// The result is an `Array` for an array, and a `ChunkedArray` with the same chunks for a stream. A
/// row has a list of the calls in the order in which they end, and null is null:
///
/// | field | type | |
/// |---|---|---|
/// | `call` | uint32 | the index of the call in its row, from 0 |
/// | `state` | utf8 | `complete`, `rejected`, or `error` for an error in a body, also of a message that failed or was filtered |
/// | `question` | utf8 | the first question, as far as it was read |
/// | `suggest` | list of struct of `answer` and `mode`, both utf8 | its suggested answers |
/// | `notes` | list of utf8 | what was repaired in a complete call, as in `Complete.note_codes` |
/// | `reason` | utf8 | why not: the code, and after `: ` the part, the note, or the provider's message |
/// | `start`, `end` | int64 | where the call is in the row, in bytes of UTF-8 |
///
/// Of an error, `call`, `question`, `start` and `end` are null. Strings have offsets of 64 bits
/// (large_utf8) if those of the column do, or if it has views; otherwise of 32 bits. They are never
/// views.
///
/// Cost: linear in the bytes. The GIL is released for the whole column. With `threads` above 1, as
/// many threads share the rows of each array; fewer if the rows are few, or the system refuses
/// some.
///
/// Raises `TypeError` for a column of another type and for unknown options, `ValueError` for
/// options without a meaning and if a chunk has a result of 2 GiB or more with offsets of 32 bits,
/// `OSError` if the producer of the column fails. A row never raises.
#[pyfunction]
#[pyo3(
    signature = (column, *, wire = None, arguments_of = None, threads = None, **options),
    text_signature = "(column, *, wire='text', arguments_of=None, threads=1, **options)"
)]
pub(crate) fn questions<'py>(
    column: &Bound<'py, PyAny>,
    wire: Option<&Bound<'py, PyAny>>,
    arguments_of: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    caught(|| {
        let threads = threads.map_or(Ok(1), thread_count)?;
        let wire = wire.map_or(Ok("text"), |wire| text("wire", wire))?;
        let arguments_of = arguments_of.map(|tool| text("arguments_of", tool)).transpose()?;
        let parser = CellParser::new(wire, arguments_of, options)?;
        questions_of(column, Settings { parser, threads })
    })
}

/// Parses a column without the GIL, and frees without it what is not needed any more.
fn questions_of<'py>(column: &Bound<'py, PyAny>, settings: Settings) -> PyResult<Bound<'py, PyAny>> {
    let py = column.py();
    match input(column)? {
        AnyArray::Array(array) => {
            let (array, field) = array.into_inner();
            let field = output_field(&field)?;
            let result = py.detach(move || batch::questions(&array, &settings))?;
            Ok(Bound::new(py, Array::new(result, field))?.into_any())
        }
        AnyArray::Stream(stream) => {
            let stream = stream.into_reader()?;
            let field = output_field(&stream.field())?;
            let chunks = produced(stream);
            let parsed =
                move || chunks.map(|chunk| batch::questions(&chunk?, &settings)).collect::<Result<_, ColumnError>>();
            let chunks = py.detach(parsed)?;
            Ok(Bound::new(py, ChunkedArray::new(chunks, field))?.into_any())
        }
    }
}

/// Returns the arrays of a stream.
///
/// Where a producer fails without a message, as the C interface allows, `pyo3-arrow` 0.20 panics
/// (`last_error.unwrap()` in `ArrowArrayStreamReader::next`), and so does `arrow` for some arrays
/// that don't match their type. What panics here is not this package.
fn produced(mut stream: Box<dyn ArrayReader + Send>) -> impl Iterator<Item = Result<ArrayRef, ColumnError>> {
    iter::from_fn(move || match catch_unwind(AssertUnwindSafe(|| stream.next())) {
        Ok(chunk) => chunk.map(|chunk| chunk.map_err(ColumnError::Producer)),
        Err(_) => Some(Err(ColumnError::Unexplained)),
    })
}

fn thread_count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    if !value.is_instance_of::<PyInt>() {
        return Err(wrong_type("threads", "a whole number", value));
    }
    let count = value.extract().ok().filter(|count| (1..=MAX_THREADS).contains(count));
    count.ok_or_else(|| wrong_number("threads: ", 1, MAX_THREADS as u64, value))
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
    // What panics here is as in `produced`.
    catch_unwind(AssertUnwindSafe(|| column.extract())).unwrap_or_else(|_| Err(ColumnError::Unexplained.into()))
}

/// Returns the field of the result: it has the name of the column.
fn output_field(column: &Field) -> PyResult<FieldRef> {
    let data_type = cells::output_type(column.data_type())?;
    // Text under another name is text; bytes may be anything: Daft and Ray keep pickled objects so.
    if let Some(name) = column.extension_type_name()
        && cells::are_bytes(column.data_type())
    {
        return Err(ColumnError::Extension(name.to_owned()).into());
    }
    Ok(Arc::new(Field::new(column.name(), data_type, true)))
}
