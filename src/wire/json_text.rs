//! Text as it is written in a payload, to be decoded where it is stored.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// The text of a JSON string, or other bytes.
///
/// Most events of a stream are one short string. Decoding it into the buffer that it is stored in
/// saves two allocations for each that has an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonText<'a> {
    /// The bytes themselves.
    Plain(&'a [u8]),
    /// The inside of a JSON string with escapes, which is known to be well-formed.
    Escaped(&'a str),
}

impl Default for JsonText<'_> {
    fn default() -> Self {
        JsonText::Plain(b"")
    }
}

impl<'a> From<&'a [u8]> for JsonText<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        JsonText::Plain(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for JsonText<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        JsonText::Plain(bytes)
    }
}

impl<'a> From<&'a Cow<'_, [u8]>> for JsonText<'a> {
    fn from(bytes: &'a Cow<'_, [u8]>) -> Self {
        JsonText::Plain(bytes)
    }
}

impl<'a> JsonText<'a> {
    /// Returns the inside of a JSON string as text.
    pub(super) fn inside(inside: &'a str) -> JsonText<'a> {
        match memchr::memchr(b'\\', inside.as_bytes()) {
            None => JsonText::Plain(inside.as_bytes()),
            Some(_) => JsonText::Escaped(inside),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        match self {
            JsonText::Plain(bytes) => bytes.is_empty(),
            JsonText::Escaped(inside) => inside.is_empty(),
        }
    }

    /// Returns the most bytes that the text can have.
    pub(super) fn max_len(self) -> usize {
        match self {
            JsonText::Plain(bytes) => bytes.len(),
            JsonText::Escaped(inside) => inside.len(),
        }
    }

    /// Returns the bytes. Single surrogates are three bytes, as if UTF-8 could encode them.
    pub(super) fn bytes(self) -> Cow<'a, [u8]> {
        match self {
            JsonText::Plain(bytes) => Cow::Borrowed(bytes),
            JsonText::Escaped(inside) => {
                let mut bytes = Vec::with_capacity(inside.len());
                unescape(inside, &mut bytes);
                Cow::Owned(bytes)
            }
        }
    }
}

/// Appends the inside of a well-formed JSON string.
///
/// Returns `false`, with a part appended, if it has a single surrogate.
pub(super) fn unescape_text(mut inside: &str, out: &mut String) -> bool {
    while let Some((before, after)) = inside.split_once('\\') {
        out.push_str(before);
        match escape(after) {
            (Escaped::Char(char), rest) => {
                out.push(char);
                inside = rest;
            }
            (Escaped::Surrogate(_), _) => return false,
        }
    }
    out.push_str(inside);
    true
}

/// Appends the inside of a well-formed JSON string. Single surrogates become three bytes.
pub(super) fn unescape(mut inside: &str, out: &mut Vec<u8>) {
    while let Some((before, after)) = inside.split_once('\\') {
        out.extend_from_slice(before.as_bytes());
        let (escaped, rest) = escape(after);
        match escaped {
            Escaped::Char(char) => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Escaped::Surrogate(unit) => {
                let low_bits = |shift: u32| 0x80 | (unit >> shift & 0x3F) as u8;
                out.extend_from_slice(&[0xED, low_bits(6), low_bits(0)]);
            }
        }
        inside = rest;
    }
    out.extend_from_slice(inside.as_bytes());
}

/// What an escape means.
enum Escaped {
    Char(char),
    /// A surrogate without its other half.
    Surrogate(u16),
}

/// Decodes an escape, after its `\`. Returns what follows it.
fn escape(text: &str) -> (Escaped, &str) {
    let mut chars = text.chars();
    let char = match chars.next() {
        Some('b') => '\u{8}',
        Some('f') => '\u{C}',
        Some('n') => '\n',
        Some('r') => '\r',
        Some('t') => '\t',
        Some('u') => return unicode(chars.as_str()),
        other => other.unwrap_or('\\'),
    };
    (Escaped::Char(char), chars.as_str())
}

/// Decodes `XXXX`, or `XXXX\uXXXX`.
fn unicode(text: &str) -> (Escaped, &str) {
    let unit = |text: &str| text.get(..4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let (Some(first), Some(rest)) = (unit(text), text.get(4..)) else { return (Escaped::Char('\u{FFFD}'), "") };
    if let Some(char) = char::from_u32(first.into()) {
        return (Escaped::Char(char), rest);
    }
    let second = rest.strip_prefix("\\u").and_then(unit);
    match second.and_then(|second| char::decode_utf16([first, second]).next()?.ok()) {
        Some(pair) => (Escaped::Char(pair), rest.get(6..).unwrap_or_default()),
        None => (Escaped::Surrogate(first), rest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_as_json_defines_them() {
        for (inside, meant) in [
            ("plain é", "plain é".as_bytes()),
            (r#"\"\\\/\b\f\n\r\t"#, b"\"\\/\x08\x0C\n\r\t"),
            (r"a\u00e9\u20AC\u0000b", "aé€\0b".as_bytes()),
            (r"\ud83d\ude00", "😀".as_bytes()),
            (r"\ud83d", b"\xED\xA0\xBD"),
            (r"\ud83d\n", b"\xED\xA0\xBD\n"),
            (r"\ud83d\ud83d\ude00", b"\xED\xA0\xBD\xF0\x9F\x98\x80"),
            (r"x\ude00y", b"x\xED\xB8\x80y"),
            (r"\ud83d\u0041", b"\xED\xA0\xBDA"),
            (r"\\n", b"\\n"),
        ] {
            assert_eq!(*JsonText::inside(inside).bytes(), *meant, "{inside}");
        }
    }
}
