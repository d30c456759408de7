//! The fields of a record: a line with a JSON object, its id, and the bytes in one of its fields.

use std::borrow::Cow;
use std::fmt;

use base64::DecodeError;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;

use crate::plain_words::json_error;

/// Base64 with its usual alphabet, padded or not.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// How the field holds a message or a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// A string.
    Text,
    /// A string, or the object or list that the body is.
    TextOrJson,
    /// A string of base64.
    Base64,
}

/// The fields of a record that matter, as raw JSON.
#[derive(Debug, Default)]
pub(super) struct Fields<'a> {
    pub(super) id: Option<&'a RawValue>,
    /// The field that holds the message or the body.
    pub(super) body: Option<&'a RawValue>,
}

/// Reads a line, with the body in this field.
pub(super) fn fields<'a>(line: &'a str, field: &str) -> Result<Fields<'a>, String> {
    let mut json = serde_json::Deserializer::from_str(line);
    let fields = FieldsSeed { field }.deserialize(&mut json).and_then(|fields| json.end().map(|()| fields));
    fields.map_err(|error| {
        let message = json_error(&error);
        match error.classify() {
            Category::Data => format!("not a JSON object: {message}"),
            // To the deserializer every line is line 1.
            _ => format!("not JSON: {message}, at column {}", error.column()),
        }
    })
}

/// Deserializes [`Fields`], with the body in `field`.
struct FieldsSeed<'f> {
    field: &'f str,
}

impl<'a> DeserializeSeed<'a> for FieldsSeed<'_> {
    type Value = Fields<'a>;

    fn deserialize<D: Deserializer<'a>>(self, json: D) -> Result<Fields<'a>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'a> Visitor<'a> for FieldsSeed<'_> {
    type Value = Fields<'a>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<Fields<'a>, A::Error> {
        let mut fields = Fields::default();
        while let Some(Key(key)) = map.next_key()? {
            let (is_id, is_body) = (key == "id", key == self.field);
            if !is_id && !is_body {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = Some(map.next_value::<&RawValue>()?);
            if is_id {
                fields.id = value;
            }
            if is_body {
                fields.body = value;
            }
        }
        Ok(fields)
    }
}

/// A key, borrowed where possible: serde deserializes a plain `Cow` as owned.
#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

/// Returns the bytes of the body.
pub(super) fn body<'a>(value: Option<&'a RawValue>, field: &str, encoding: Encoding) -> Result<Cow<'a, [u8]>, String> {
    let Some(value) = value else {
        return Err(format!("no field {field:?} (--field names another)"));
    };
    let value = value.get();
    let kind = match (value.as_bytes().first(), encoding) {
        (Some(b'"'), Encoding::Base64) => return decoded(&text(value, field)?, field).map(Cow::Owned),
        (Some(b'"'), _) => return text(value, field),
        (Some(b'{' | b'['), Encoding::TextOrJson) => return Ok(Cow::Borrowed(value.as_bytes())),
        (Some(b'{'), _) => "an object",
        (Some(b'['), _) => "a list",
        (Some(b't' | b'f'), _) => "true or false",
        (Some(b'n'), _) => "null",
        _ => "a number",
    };
    Err(format!("field {field:?} is {kind}, not a string"))
}

/// Returns the text of a JSON string, in UTF-8.
fn text<'a>(string: &'a str, field: &str) -> Result<Cow<'a, [u8]>, String> {
    if let Ok(Key(text)) = serde_json::from_str(string) {
        return Ok(match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        });
    }
    // A lone surrogate is valid JSON; JavaScript writes it when it cuts a string.
    match serde_json::from_str(string) {
        Ok(LossyString(bytes)) => Ok(Cow::Owned(bytes)),
        Err(error) => Err(format!("field {field:?} can't be read: {}", json_error(&error))),
    }
}

fn decoded(text: &[u8], field: &str) -> Result<Vec<u8>, String> {
    BASE64.decode(text).map_err(|error| {
        let reason = match error {
            DecodeError::InvalidByte(offset, _) => format!("the byte at offset {offset} is not of its alphabet"),
            DecodeError::InvalidPadding => "its padding is wrong".into(),
            DecodeError::InvalidLength(_) | DecodeError::InvalidLastSymbol { .. } => "it is cut off".into(),
        };
        format!("field {field:?} is not base64: {reason} (without --base64 it is read as text)")
    })
}

/// A string in which each lone surrogate becomes U+FFFD.
struct LossyString(Vec<u8>);

impl<'a> Deserialize<'a> for LossyString {
    fn deserialize<D: Deserializer<'a>>(json: D) -> Result<LossyString, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = LossyString;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<LossyString, E> {
                let mut text = Vec::with_capacity(bytes.len());
                let mut rest = bytes;
                // serde_json encodes a lone surrogate as three bytes that begin like this; nothing
                // else does.
                while let Some(start) = rest.windows(3).position(|three| three[0] == 0xED && three[1] >= 0xA0) {
                    text.extend_from_slice(&rest[..start]);
                    text.extend_from_slice("\u{FFFD}".as_bytes());
                    rest = &rest[start + 3..];
                }
                text.extend_from_slice(rest);
                Ok(LossyString(text))
            }
        }

        json.deserialize_bytes(Bytes)
    }
}
