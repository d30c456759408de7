//! Reading payloads leniently: fields of any type, and lists of bounded length.

use alloc::borrow::Cow;
use core::fmt;
use core::iter;
use core::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
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

/// The visitor of a list of at most `max`, or of `null`.
///
/// An element takes much more memory than the few bytes it may be written in.
struct BoundedList<T> {
    max: usize,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
    type Value = Option<Elements<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of no more than {}", self.max)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut list = Elements::new();
        while let Some(element) = seq.next_element()? {
            if list.len() == self.max {
                return Err(A::Error::invalid_length(list.len(), &self));
            }
            list.push(element);
        }
        Ok(Some(list))
    }
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
        Some(raw) => serde_json::Deserializer::from_str(raw.get())
            .deserialize_any(BoundedList { max: MAX_ELEMENTS, of: PhantomData })
            .map(Option::unwrap_or_default),
    }
}

/// A list of objects in a payload, of which one of another shape costs only itself.
///
/// A payload is first parsed with [`Few`] in its lists, because it takes an allocation to skip an
/// object inside a list. Where that fails, it is parsed again with lists that are left raw.
pub(super) trait ListField<'a, T> {
    /// Returns the entries.
    ///
    /// `null` is no entry. Any other entry, or a field that is no list, is
    /// [skipped](Delta::Unreadable).
    ///
    /// # Errors
    ///
    /// If the list is longer than [`MAX_ELEMENTS`].
    fn entries(self, deltas: &mut Deltas) -> serde_json::Result<Elements<T>>;

    /// Returns the error that [`entries`](ListField::entries) will give.
    fn check_len(&self) -> serde_json::Result<()>;
}

impl<'a, T: Deserialize<'a>> ListField<'a, T> for &'a RawValue {
    fn entries(self, deltas: &mut Deltas) -> serde_json::Result<Elements<T>> {
        if self.get() == "null" {
            return Ok(Elements::new());
        }
        if !self.get().starts_with('[') {
            push_unreadable(self, deltas);
            return Ok(Elements::new());
        }
        if let Ok(all) = parse_list(Some(self)) {
            return Ok(all);
        }
        let raw: Elements<&RawValue> = parse_list(Some(self))?;
        Ok(raw.into_iter().filter_map(|entry| object(Some(entry), deltas)).collect())
    }

    fn check_len(&self) -> serde_json::Result<()> {
        match self.get().starts_with('[') {
            true => parse_list::<IgnoredAny>(Some(self)).map(drop),
            false => Ok(()),
        }
    }
}

/// A list of at most [`MAX_FEW`] objects, all of the same shape.
///
/// So few that lists in lists in lists take no more memory than a payload may.
pub(super) struct Few<T>(Elements<T>);

/// The number of elements of [`Few`].
const MAX_FEW: usize = 16;

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Few<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_seq(BoundedList { max: MAX_FEW, of: PhantomData })
            .map(|list| Few(list.unwrap_or_default()))
    }
}

impl<T> Few<T> {
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<'a, T> ListField<'a, T> for Few<T> {
    fn entries(self, _: &mut Deltas) -> serde_json::Result<Elements<T>> {
        Ok(self.0)
    }

    fn check_len(&self) -> serde_json::Result<()> {
        Ok(())
    }
}

/// Returns the [entries](ListField::entries) of a list that may be missing.
pub(super) fn entries<'a, T>(
    list: Option<impl ListField<'a, T>>,
    deltas: &mut Deltas,
) -> serde_json::Result<Elements<T>> {
    list.map_or(Ok(Elements::new()), |list| list.entries(deltas))
}

/// The same as [`Few`], or one object.
pub(super) struct OneOrFew<T>(Elements<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrFew<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrList<T>(BoundedList<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrList<T> {
            type Value = Elements<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object, or ")?;
                self.0.expecting(f)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|one| iter::once(one).collect())
            }

            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                self.0.visit_seq(seq).map(Option::unwrap_or_default)
            }
        }

        deserializer.deserialize_any(OneOrList(BoundedList { max: MAX_FEW, of: PhantomData })).map(OneOrFew)
    }
}

impl<'a, T> ListField<'a, T> for OneOrFew<T> {
    fn entries(self, _: &mut Deltas) -> serde_json::Result<Elements<T>> {
        Ok(self.0)
    }

    fn check_len(&self) -> serde_json::Result<()> {
        Ok(())
    }
}

/// A list that is left raw, or one object.
#[derive(Deserialize)]
#[serde(transparent)]
pub(super) struct OneOrMany<'a>(#[serde(borrow)] pub(super) &'a RawValue);

impl<'a, T: Deserialize<'a>> ListField<'a, T> for OneOrMany<'a> {
    fn entries(self, deltas: &mut Deltas) -> serde_json::Result<Elements<T>> {
        match self.0.get().starts_with('{') {
            true => Ok(object(Some(self.0), deltas).into_iter().collect()),
            false => self.0.entries(deltas),
        }
    }

    fn check_len(&self) -> serde_json::Result<()> {
        ListField::<T>::check_len(&self.0)
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

/// Stores arguments that come in pieces. A string is the next piece, and an object is all of them.
pub(super) fn store_arguments(raw: Raw<'_>, deltas: &mut Deltas) -> ArgumentsDelta {
    let arguments = deltas.store(raw_text_or_json(raw));
    match raw.is_some_and(|raw| raw.get().starts_with('{')) {
        true => ArgumentsDelta::All(arguments),
        false => ArgumentsDelta::More(arguments),
    }
}

/// Stores the arguments that a call has where it begins, or where its message is cut off.
///
/// An empty object means that the arguments come in deltas, or have not come.
pub(super) fn arguments_unless_empty(raw: Raw<'_>, deltas: &mut Deltas) -> ArgumentsDelta {
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
