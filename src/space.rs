//! Space between the parts of a tag, of a header, and of JSON.

/// Returns `true` for space: the same four characters in all of them.
#[inline]
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}
