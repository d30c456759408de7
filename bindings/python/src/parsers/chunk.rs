//! Chunks: text or bytes.

use pyo3::exceptions::PyUnicodeEncodeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use crate::options::wrong_type;

/// A chunk, as far as it is read without a copy.
pub(super) enum Chunk<'a> {
    Text(&'a str),
    /// A text with surrogates, each encoded as if it were a character.
    Surrogates(Vec<u8>),
    Bytes(&'a [u8]),
    /// A copy of bytes that can change while they are parsed.
    Copy(Vec<u8>),
}

impl<'a> Chunk<'a> {
    /// Reads a chunk.
    ///
    /// # Errors
    ///
    /// A `TypeError` if it is neither text nor bytes.
    #[inline]
    pub(super) fn of(chunk: &'a Bound<'_, PyAny>) -> PyResult<Chunk<'a>> {
        if let Ok(text) = chunk.cast::<PyString>() {
            return match text.to_str() {
                Ok(text) => Ok(Chunk::Text(text)),
                Err(error) => encode(text, error),
            };
        }
        if let Ok(bytes) = chunk.cast::<PyBytes>() {
            return Ok(Chunk::Bytes(bytes.as_bytes()));
        }
        if let Ok(bytes) = chunk.cast::<PyByteArray>() {
            return Ok(Chunk::Copy(bytes.to_vec()));
        }
        if chunk.is_instance_of::<PyMemoryView>() {
            let bytes = chunk.py().get_type::<PyBytes>().call1((chunk,))?.cast_into::<PyBytes>()?;
            return Ok(Chunk::Copy(bytes.as_bytes().to_vec()));
        }
        Err(wrong_type("chunk", "str, bytes, bytearray or memoryview", chunk))
    }
}

/// Encodes a text that Rust's strings can't have.
fn encode<'a>(text: &Bound<'_, PyString>, error: PyErr) -> PyResult<Chunk<'a>> {
    let py = text.py();
    if !error.is_instance_of::<PyUnicodeEncodeError>(py) {
        return Err(error);
    }
    // The method of `str`, whatever a subclass has.
    let bytes = py.get_type::<PyString>().call_method1(intern!(py, "encode"), (text, "utf-8", "surrogatepass"))?;
    Ok(Chunk::Surrogates(bytes.cast::<PyBytes>()?.as_bytes().to_vec()))
}

/// Decodes a text with surrogates after the high surrogate in which the text before it ended.
///
/// A high surrogate with a low one after it is one character, also across two texts. Any other
/// surrogate is U+FFFD. Returns the text, and the high surrogate in which it ends.
pub(super) fn join(pending: Option<u16>, encoded: &[u8]) -> (String, Option<u16>) {
    let mut units: Vec<u16> = pending.into_iter().collect();
    let mut rest = encoded;
    while let Some(found) = rest.windows(3).position(is_surrogate) {
        // What is between surrogates is UTF-8.
        units.extend(String::from_utf8_lossy(&rest[..found]).encode_utf16());
        units.push(0xd000 | u16::from(rest[found + 1] & 0x3f) << 6 | u16::from(rest[found + 2] & 0x3f));
        rest = &rest[found + 3..];
    }
    units.extend(String::from_utf8_lossy(rest).encode_utf16());
    let last = units.pop_if(|unit| (0xd800..0xdc00).contains(unit));
    (String::from_utf16_lossy(&units), last)
}

/// Returns whether the bytes are the encoding of a surrogate.
fn is_surrogate(bytes: &[u8]) -> bool {
    bytes[0] == 0xed && bytes[1] >= 0xa0
}
