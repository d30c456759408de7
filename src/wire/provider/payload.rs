//! Reading payloads leniently: fields of any type, and lists of bounded length.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

/// A field that may be missing, or of another type than documented.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// Returns the text of a string; `None` for any other type and for `null`.
///
/// A single surrogate is kept as three bytes, as if UTF-8 could encode it, because some servers cut
/// their deltas there; see [`Fragment`](crate::wire::deltas::Fragment).
pub(super) fn string<'a>(raw: Raw<'a>) -> Option<Cow<'a, [u8]>> {
    let raw = raw?.get();
    let inside = raw.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inside.as_bytes()));
    }
    // serde_json accepts single surrogates only when bytes are asked for.
    serde_json::Deserializer::from_str(raw).deserialize_bytes(StringBytes).ok().map(Cow::Owned)
}

/// Returns the text of a string; empty for any other type.
pub(super) fn text(raw: Raw<'_>) -> Cow<'_, [u8]> {
    string(raw).unwrap_or_default()
}

/// Returns whether the field is a string with that text.
pub(super) fn is_text(raw: Raw<'_>, expected: &str) -> bool {
    string(raw).is_some_and(|string| *string == *expected.as_bytes())
}

/// Returns a number, which may be written as a string.
pub(super) fn number(raw: Raw<'_>) -> Option<u64> {
    raw?.get().trim_matches('"').parse().ok()
}

/// Returns whether the field is `true`.
pub(super) fn is_true(raw: Raw<'_>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// Returns the text of a string, or the JSON of any other type; empty for `null`.
///
/// Arguments are sent as both.
pub(super) fn text_or_json<'a>(raw: Raw<'a>) -> Cow<'a, [u8]> {
    match raw.map(RawValue::get) {
        None | Some("null") => Cow::Borrowed(b""),
        Some(json) => string(raw).unwrap_or(Cow::Borrowed(json.as_bytes())),
    }
}

struct StringBytes;

impl Visitor<'_> for StringBytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }
}

/// The number of elements that a list in a payload may have. No provider comes near it.
const MAX_ELEMENTS: usize = 1 << 10;

/// Deserializes a list of at most [`MAX_ELEMENTS`], or `null`.
///
/// An element takes much more memory than the few bytes it may be written in.
pub(super) fn bounded_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    struct BoundedList<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of no more than {MAX_ELEMENTS}")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = seq.next_element()? {
                if list.len() == MAX_ELEMENTS {
                    return Err(A::Error::invalid_length(list.len(), &self));
                }
                list.push(element);
            }
            Ok(Some(list))
        }
    }

    deserializer.deserialize_any(BoundedList(PhantomData))
}

/// Parses a list that was left raw, of at most [`MAX_ELEMENTS`].
///
/// Lists inside lists are left raw until they are needed, so that only one of the inner lists takes
/// memory at a time.
///
/// # Errors
///
/// If the field is neither such a list nor `null`, or is longer.
pub(super) fn parse_list<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> serde_json::Result<Vec<T>> {
    match raw {
        None => Ok(Vec::new()),
        Some(raw) => bounded_list(&mut serde_json::Deserializer::from_str(raw.get())).map(Option::unwrap_or_default),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> &RawValue {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_string_is_borrowed_unless_it_has_escapes() {
        assert!(matches!(string(Some(raw(r#""plain é""#))), Some(Cow::Borrowed(b"plain \xC3\xA9"))));
        assert_eq!(string(Some(raw(r#""a\n\u00e9\ud83d\ude00""#))).unwrap(), "a\né😀".as_bytes());
        assert_eq!(*string(Some(raw(r#""\ud83d""#))).unwrap(), *b"\xED\xA0\xBD");
        assert_eq!(*string(Some(raw(r#""x\ude00y""#))).unwrap(), *b"x\xED\xB8\x80y");
        for other in ["null", "1", "[\"a\"]", "{}", "true"] {
            assert_eq!(string(Some(raw(other))), None);
        }
    }

    #[test]
    fn arguments_are_the_text_of_a_string_or_json() {
        assert_eq!(*text_or_json(Some(raw(r#""{\"a\":1}""#))), *b"{\"a\":1}");
        assert_eq!(*text_or_json(Some(raw(r#"{"a": 1}"#))), *b"{\"a\": 1}");
        assert_eq!(*text_or_json(Some(raw("null"))), *b"");
    }
}
