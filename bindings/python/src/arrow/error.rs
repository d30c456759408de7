//! What can go wrong with a column as a whole. What is wrong with a row is a value.

use arrow_schema::{ArrowError, DataType};
use pyo3::PyErr;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};

/// Why a column has no result.
#[derive(Debug)]
pub(super) enum ColumnError {
    /// The column has no strings or bytes.
    Type(DataType),
    /// The column has bytes of an extension type: its name.
    Extension(String),
    /// The result of a chunk does not fit into offsets of 32 bits.
    TooLarge,
    /// The producer of the column failed, or gave an array that does not match its type.
    Producer(ArrowError),
    /// The producer of the column failed without a message, or gave an array that can't be read.
    Unexplained,
}

impl From<ArrowError> for ColumnError {
    fn from(error: ArrowError) -> ColumnError {
        match error {
            ArrowError::OffsetOverflowError(_) => ColumnError::TooLarge,
            error => ColumnError::Producer(error),
        }
    }
}

impl From<ColumnError> for PyErr {
    fn from(error: ColumnError) -> PyErr {
        match error {
            ColumnError::Type(DataType::Struct(fields)) => {
                let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
                PyTypeError::new_err(format!(
                    "column: one column was expected, not a table or struct of: {}",
                    names.join(", ")
                ))
            }
            ColumnError::Type(data_type) => PyTypeError::new_err(format!(
                "column: strings or bytes were expected (utf8, large_utf8, utf8_view, binary, large_binary, \
                 binary_view, or a dictionary of one of them), not {data_type}"
            )),
            ColumnError::Extension(name) => PyTypeError::new_err(format!(
                "column: strings or bytes were expected, not bytes of the extension type {name}: cast it first"
            )),
            ColumnError::TooLarge => PyValueError::new_err(
                "column: the result of one chunk has 2 GiB or more, too much for offsets of 32 bits: \
                 cast the column to large_utf8 or large_binary, or pass smaller chunks",
            ),
            ColumnError::Producer(error) => PyOSError::new_err(format!("column: its producer failed: {error}")),
            ColumnError::Unexplained => PyOSError::new_err(
                "column: its producer failed without a message, or gave an array that does not match its type",
            ),
        }
    }
}
