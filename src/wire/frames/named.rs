//! Server-sent events whose name matters, because their data is text: as JSON objects.

use alloc::vec::Vec;

/// The key of an event `output` in the object that is made of it. No provider sends such a key.
pub(in crate::wire) const OUTPUT_EVENT: &str = "event: output";

/// Which events are lent under their name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum NamedEvents {
    #[default]
    None,
    /// Those named `output` whose data is no JSON: they show a format that has such events.
    Output,
    All,
}

impl NamedEvents {
    /// Returns whether an event is lent under its name.
    pub(super) fn include(self, name: &[u8], data: &[u8]) -> bool {
        match self {
            NamedEvents::None => false,
            NamedEvents::Output => name == b"output" && !matches!(data.trim_ascii().first(), Some(b'{' | b'[')),
            NamedEvents::All => matches!(name, b"output" | b"error" | b"done"),
        }
    }

    /// Returns whether an event means nothing because of its name.
    pub(super) fn ignore(self, name: &[u8], data: &[u8]) -> bool {
        self == NamedEvents::All && !name.is_empty() && !self.include(name, data)
    }
}

/// Writes an event as an object: its name with `event: ` is the key, its data the value, a text.
///
/// The name must be one that is included.
pub(super) fn write_object(name: &[u8], data: &[u8], json: &mut Vec<u8>) {
    json.clear();
    json.extend_from_slice(b"{\"event: ");
    json.extend_from_slice(name);
    json.extend_from_slice(b"\":\"");
    for &byte in data {
        match byte {
            b'"' | b'\\' => json.extend_from_slice(&[b'\\', byte]),
            0..b' ' => {
                const DIGITS: &[u8; 16] = b"0123456789abcdef";
                json.extend_from_slice(b"\\u00");
                json.push(DIGITS[usize::from(byte >> 4)]);
                json.push(DIGITS[usize::from(byte & 15)]);
            }
            _ => json.push(byte),
        }
    }
    json.extend_from_slice(b"\"}");
}
