//! Values in a payload: borrowed from it where they can be, and of whatever type they turn out to be.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

use serde::Deserializer;
use serde::de::Visitor;
use serde_json::value::RawValue;

/// A value that may be missing, or of another type than documented.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// The text of a string. Half a surrogate pair in it is kept as three bytes, as if it were a character, because some servers cut
/// their deltas there; see [`Fragment`](super::deltas::Fragment). `None` for anything else, and for `null`.
pub(super) fn string<'a>(raw: Raw<'a>) -> Option<Cow<'a, [u8]>> {
    let raw = raw?.get();
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inside.as_bytes()));
    }
    // Only bytes may hold half a pair.
    serde_json::Deserializer::from_str(raw).deserialize_bytes(Bytes).ok().map(Cow::Owned)
}

/// The text of a string that is not empty, as a name or an id is.
pub(super) fn name(raw: Raw<'_>) -> Cow<'_, [u8]> {
    string(raw).unwrap_or_default()
}

/// Whether it is a string with that text.
pub(super) fn is(raw: Raw<'_>, text: &str) -> bool {
    string(raw).is_some_and(|string| *string == *text.as_bytes())
}

/// A number, perhaps written as a string.
pub(super) fn number(raw: Raw<'_>) -> Option<u64> {
    raw?.get().trim_matches('"').parse().ok()
}

/// Whether it is `true`.
pub(super) fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// The text of a string, or the JSON of anything else: arguments come as both. Nothing for `null`.
pub(super) fn arguments<'a>(raw: Raw<'a>) -> Cow<'a, [u8]> {
    match raw.map(RawValue::get) {
        None | Some("null") => Cow::Borrowed(b""),
        Some(json) => string(raw).unwrap_or(Cow::Borrowed(json.as_bytes())),
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> &RawValue {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn strings_are_borrowed_unless_something_is_escaped() {
        assert!(matches!(string(Some(raw(r#""plain é""#))), Some(Cow::Borrowed(b"plain \xC3\xA9"))));
        assert_eq!(string(Some(raw(r#""a\n\u00e9\ud83d\ude00""#))).unwrap(), "a\né😀".as_bytes());
        assert_eq!(*string(Some(raw(r#""\ud83d""#))).unwrap(), *b"\xED\xA0\xBD");
        assert_eq!(*string(Some(raw(r#""x\ude00y""#))).unwrap(), *b"x\xED\xB8\x80y");
        for other in ["null", "1", "[\"a\"]", "{}", "true"] {
            assert_eq!(string(Some(raw(other))), None);
        }
    }

    #[test]
    fn arguments_are_a_string_or_json() {
        assert_eq!(*arguments(Some(raw(r#""{\"a\":1}""#))), *b"{\"a\":1}");
        assert_eq!(*arguments(Some(raw(r#"{"a": 1}"#))), *b"{\"a\": 1}");
        assert_eq!(*arguments(Some(raw("null"))), *b"");
    }
}
