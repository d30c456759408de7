//! The cells of a column as bytes, whatever the type of its strings.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BinaryArray, BinaryViewArray, LargeBinaryArray};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Fields};

use super::error::ColumnError;

/// A column of strings or bytes. Nothing is copied but the keys of a dictionary.
///
/// Strings are read as bytes: nobody has checked that a producer's strings are UTF-8.
#[derive(Debug)]
pub(super) enum Cells {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Dictionary {
        keys: Vec<usize>,
        nulls: Option<NullBuffer>,
        values: Box<Cells>,
    },
    /// A column without a type, in which each row is null: its length.
    Null(usize),
}

impl Cells {
    pub(super) fn new(column: &dyn Array) -> Result<Cells, ColumnError> {
        Ok(match column.data_type() {
            DataType::Utf8 => Cells::Small(column.as_string::<i32>().clone().into()),
            DataType::Binary => Cells::Small(column.as_binary().clone()),
            DataType::LargeUtf8 => Cells::Large(column.as_string::<i64>().clone().into()),
            DataType::LargeBinary => Cells::Large(column.as_binary().clone()),
            DataType::Utf8View => Cells::View(column.as_string_view().clone().to_binary_view()),
            DataType::BinaryView => Cells::View(column.as_binary_view().clone()),
            DataType::Dictionary(..) => {
                let column = column.as_any_dictionary();
                let values = Box::new(Cells::new(column.values())?);
                if values.len() == 0 {
                    return Ok(Cells::Null(column.len()));
                }
                Cells::Dictionary { keys: column.normalized_keys(), nulls: column.keys().nulls().cloned(), values }
            }
            DataType::Null => Cells::Null(column.len()),
            other => return Err(ColumnError::Type(other.clone())),
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Small(cells) => cells.len(),
            Cells::Large(cells) => cells.len(),
            Cells::View(cells) => cells.len(),
            Cells::Dictionary { keys, .. } => keys.len(),
            Cells::Null(len) => *len,
        }
    }

    /// Returns the bytes of a row; `None` if it is null.
    pub(super) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            Cells::Small(cells) => cells.is_valid(row).then(|| cells.value(row)),
            Cells::Large(cells) => cells.is_valid(row).then(|| cells.value(row)),
            Cells::View(cells) => cells.is_valid(row).then(|| cells.value(row)),
            Cells::Dictionary { nulls: Some(nulls), .. } if nulls.is_null(row) => None,
            Cells::Dictionary { keys, values, .. } => values.get(keys[row]),
            Cells::Null(_) => None,
        }
    }
}

/// Returns the type of the result for a column of this type.
///
/// # Errors
///
/// If the column has no strings or bytes.
pub(super) fn output_type(column: &DataType) -> Result<DataType, ColumnError> {
    Ok(list_of_calls(if has_large_output(column)? { DataType::LargeUtf8 } else { DataType::Utf8 }))
}

/// Returns whether the strings of the result have offsets of 64 bits.
///
/// Those of views always have: the size of a view says nothing about the size of the result, and a
/// type that depends on the data could not be declared in advance.
pub(super) fn has_large_output(column: &DataType) -> Result<bool, ColumnError> {
    match column {
        DataType::Utf8 | DataType::Binary | DataType::Null => Ok(false),
        DataType::LargeUtf8 | DataType::LargeBinary | DataType::Utf8View | DataType::BinaryView => Ok(true),
        DataType::Dictionary(_, values) => has_large_output(values),
        other => Err(ColumnError::Type(other.clone())),
    }
}

/// Returns whether the values of a type are bytes, which need not be text.
pub(super) fn are_bytes(column: &DataType) -> bool {
    match column {
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        DataType::Dictionary(_, values) => are_bytes(values),
        _ => false,
    }
}

fn list_of_calls(string: DataType) -> DataType {
    DataType::new_list(DataType::Struct(call_fields(&string)), true)
}

/// Returns the fields of a call, in the order of [`Calls`](super::calls::Calls).
pub(super) fn call_fields(string: &DataType) -> Fields {
    let field = |name: &str, data_type: DataType| Arc::new(Field::new(name, data_type, true));
    let suggestion = DataType::Struct(suggestion_fields(string));
    Fields::from(vec![
        field("call", DataType::UInt32),
        field("state", string.clone()),
        field("question", string.clone()),
        field("suggest", DataType::new_list(suggestion, true)),
        field("notes", DataType::new_list(string.clone(), true)),
        field("reason", string.clone()),
        field("start", DataType::Int64),
        field("end", DataType::Int64),
    ])
}

pub(super) fn suggestion_fields(string: &DataType) -> Fields {
    let field = |name: &str| Arc::new(Field::new(name, string.clone(), true));
    Fields::from(vec![field("answer"), field("mode")])
}
