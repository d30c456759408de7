//! Reading payloads leniently: fields of any type, and lists of bounded length.

use alloc::borrow::Cow;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use smallvec::SmallVec;

use crate::wire::deltas::{ArgumentsDelta, Delta, Deltas};
use crate::wire::json_text::JsonText;

/// A field that may be missing, or of another type than documented.
pub(super) type Raw<'a> = Option<&'a RawValue>;

/// Returns the text of a string; `None` for any other type and for `null`.
///
/// A single surrogate is kept as three bytes, as if UTF-8 could encode it, because some servers cut
/// their deltas there; see [`Fragment`](crate::wire::deltas::Fragment).
pub(super) fn string<'a>(raw: Raw<'a>) -> Option<Cow<'a, [u8]>> {
    json_string(raw).map(JsonText::bytes)
}

/// Returns a string as it is written, to be decoded where it is stored; `None` for any other type.
fn json_string(raw: Raw<'_>) -> Option<JsonText<'_>> {
    raw?.get().strip_prefix('"')?.strip_suffix('"').map(JsonText::inside)
}

/// Returns a string as it is written, to be decoded where it is stored; empty for any other type.
pub(super) fn raw_text(raw: Raw<'_>) -> JsonText<'_> {
    json_string(raw).unwrap_or_default()
}

/// Does the same for arguments, which are sent as the text of a string, or as JSON of another type.
pub(super) fn raw_text_or_json(raw: Raw<'_>) -> JsonText<'_> {
    match raw.map(RawValue::get) {
        None | Some("null") => JsonText::default(),
        Some(json) => json_string(raw).unwrap_or(JsonText::Plain(json.as_bytes())),
    }
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
    raw_text_or_json(raw).bytes()
}

/// A list in a payload. Most have one element, for which nothing is allocated.
pub(super) type Elements<T> = SmallVec<[T; 1]>;

/// The number of elements that a list in a payload may have. No provider comes near it.
const MAX_ELEMENTS: usize = 1 << 10;

/// Deserializes a list of at most [`MAX_ELEMENTS`], or `null`.
///
/// An element takes much more memory than the few bytes it may be written in.
pub(super) fn bounded_list<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<Elements<T>>, D::Error> {
    struct BoundedList<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
        type Value = Option<Elements<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of no more than {MAX_ELEMENTS}")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut list = Elements::new();
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
pub(super) fn parse_list<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> serde_json::Result<Elements<T>> {
    match raw {
        None => Ok(Elements::new()),
        Some(raw) => bounded_list(&mut serde_json::Deserializer::from_str(raw.get())).map(Option::unwrap_or_default),
    }
}

/// Parses the entries of a list that was left raw. One of another shape costs only itself.
///
/// `null` is no entry. Any other entry, or a field that is no list, is [skipped].
///
/// # Errors
///
/// If the list is longer than [`MAX_ELEMENTS`].
///
/// [skipped]: Delta::Unreadable
pub(super) fn entries<'a, T: Deserialize<'a>>(raw: Raw<'a>, deltas: &mut Deltas) -> serde_json::Result<Elements<T>> {
    let Some(list) = raw.filter(|raw| raw.get() != "null") else { return Ok(Elements::new()) };
    if !list.get().starts_with('[') {
        push_unreadable(list, deltas);
        return Ok(Elements::new());
    }
    if let Ok(all) = parse_list(raw) {
        return Ok(all);
    }
    let raw: Elements<&RawValue> = parse_list(raw)?;
    Ok(raw.into_iter().filter_map(|entry| object(Some(entry), deltas)).collect())
}

/// Parses one object that was left raw, or the [`entries`] of a list.
///
/// # Errors
///
/// If the list is longer than [`MAX_ELEMENTS`].
pub(super) fn one_or_list<'a, T: Deserialize<'a>>(
    raw: Raw<'a>,
    deltas: &mut Deltas,
) -> serde_json::Result<Elements<T>> {
    match raw {
        Some(one) if one.get().starts_with('{') => Ok(object(raw, deltas).into_iter().collect()),
        _ => entries(raw, deltas),
    }
}

/// Parses an object that was left raw. One of another shape is [skipped](Delta::Unreadable).
pub(super) fn object<'a, T: Deserialize<'a>>(raw: Raw<'a>, deltas: &mut Deltas) -> Option<T> {
    let raw = raw.filter(|raw| raw.get() != "null")?;
    let object = serde_json::from_str(raw.get()).ok();
    if object.is_none() {
        push_unreadable(raw, deltas);
    }
    object
}

/// Stores the arguments that a call has where it begins.
///
/// An empty object means that the arguments come in deltas.
pub(super) fn arguments_at_start(raw: Raw<'_>, deltas: &mut Deltas) -> ArgumentsDelta {
    let arguments = text_or_json(raw);
    let is_empty = arguments.iter().filter(|byte| !byte.is_ascii_whitespace()).eq(b"{}");
    match is_empty || arguments.is_empty() {
        true => ArgumentsDelta::None,
        false => ArgumentsDelta::All(deltas.store(&arguments)),
    }
}

fn push_unreadable(raw: &RawValue, deltas: &mut Deltas) {
    let data = deltas.store(raw.get().as_bytes());
    deltas.push(Delta::Unreadable(data));
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
