//! Where the elements of an array begin and end, of which some may be ill-formed.

use alloc::vec::Vec;

/// The number of arrays and objects in an element that may be open. No provider comes near it.
const MAX_DEPTH: usize = 1 << 12;

/// The state between two bytes of an array.
///
/// An element that is ill-formed ends where that shows, and what follows is skipped up to the next
/// object after a comma. So it costs no other element.
///
/// It does not use nom, which would read an incomplete element again with every chunk, and could
/// not say where an ill-formed one ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ElementScanner {
    place: ArrayState,
    /// The brackets of the element that are open.
    open: Vec<u8>,
    in_string: bool,
    after_backslash: bool,
    /// The last character outside strings that is not white space.
    last: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum ArrayState {
    #[default]
    Between,
    /// After an element that is ill-formed.
    Skipping,
    Object,
    /// In an element that is no object: of a provider's there is none.
    Other,
}

/// What a byte is in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementByte {
    Between,
    Inside,
    /// It is the last one of its element.
    Last,
    /// It is not consumed: the element has ended before it.
    After,
}

impl ElementScanner {
    /// Returns whether a `{`, if it came now, would be an element of a list in an element.
    pub(super) fn is_after_comma_in_list(&self) -> bool {
        !self.in_string && self.last == b',' && self.open.last() == Some(&b'[')
    }

    /// Returns whether no more is open than can be.
    pub(super) fn is_in_bounds(&self) -> bool {
        self.open.len() <= MAX_DEPTH
    }

    /// Consumes the next byte.
    pub(super) fn push(&mut self, byte: u8) -> ElementByte {
        if self.in_string {
            return self.push_in_string(byte);
        }
        match (self.place, byte) {
            (_, b' ' | b'\t' | b'\r') => self.here(),
            (ArrayState::Other, b'\n' | b',' | b'{' | b'[' | b']') => self.end(ArrayState::Between, ElementByte::After),
            (_, b'\n') => self.here(),
            (_, b'"') => {
                self.in_string = true;
                self.begin_other();
                self.here()
            }
            (ArrayState::Object, _) => self.push_in_object(byte),
            (ArrayState::Skipping, b'{') if self.last != b',' => self.here(),
            (ArrayState::Between | ArrayState::Skipping, b'{') => {
                self.place = ArrayState::Object;
                self.push_in_object(byte)
            }
            _ => {
                self.last = byte;
                if !matches!(byte, b',' | b'[' | b']') {
                    self.begin_other();
                }
                self.here()
            }
        }
    }

    /// Ends the element before the next byte, because it is ill-formed.
    pub(super) fn break_off(&mut self) -> ElementByte {
        self.last = b',';
        self.end(ArrayState::Skipping, ElementByte::After)
    }

    /// Consumes a byte of a string, which can't span lines.
    fn push_in_string(&mut self, byte: u8) -> ElementByte {
        match byte {
            b'\n' => {
                (self.in_string, self.after_backslash) = (false, false);
                match self.place {
                    ArrayState::Object | ArrayState::Other => return self.end(ArrayState::Skipping, ElementByte::Last),
                    ArrayState::Between | ArrayState::Skipping => {}
                }
            }
            _ if self.after_backslash => self.after_backslash = false,
            b'\\' => self.after_backslash = true,
            b'"' => (self.in_string, self.last) = (false, byte),
            _ => {}
        }
        self.here()
    }

    fn push_in_object(&mut self, byte: u8) -> ElementByte {
        match byte {
            b'{' | b'[' => {
                let is_allowed = match self.open.last() {
                    None => true,
                    Some(b'{') => self.last == b':',
                    Some(_) => matches!(self.last, b'[' | b','),
                };
                if !is_allowed || self.open.len() == MAX_DEPTH {
                    return self.break_off();
                }
                self.open.push(byte);
            }
            b'}' | b']' => {
                let is_pair = self.open.pop() == Some(if byte == b'}' { b'{' } else { b'[' });
                if !is_pair || self.open.is_empty() {
                    self.last = byte;
                    let place = if is_pair { ArrayState::Between } else { ArrayState::Skipping };
                    return self.end(place, ElementByte::Last);
                }
            }
            _ => {}
        }
        self.last = byte;
        ElementByte::Inside
    }

    fn begin_other(&mut self) {
        if self.place == ArrayState::Between {
            self.place = ArrayState::Other;
        }
    }

    fn end(&mut self, next: ArrayState, byte: ElementByte) -> ElementByte {
        self.place = next;
        self.open.clear();
        self.open.shrink_to(64);
        byte
    }

    fn here(&self) -> ElementByte {
        match self.place {
            ArrayState::Between | ArrayState::Skipping => ElementByte::Between,
            ArrayState::Object | ArrayState::Other => ElementByte::Inside,
        }
    }
}

/// Returns the beginning of an object up to its first key, without white space: `{"key"`.
pub(super) fn first_key(object: &[u8]) -> Option<Vec<u8>> {
    let inside = object.strip_prefix(b"{")?.trim_ascii_start().strip_prefix(b"\"")?;
    let end = inside.iter().take(64).position(|&byte| matches!(byte, b'"' | b'\\'))?;
    (inside[end] == b'"').then(|| [b"{\"", &inside[..=end]].concat())
}

/// Returns whether a text begins with an object whose first key is that of [`first_key`].
pub(super) fn begins_with_key(text: &[u8], key: &[u8]) -> bool {
    match (text.strip_prefix(b"{"), key.strip_prefix(b"{")) {
        (Some(inside), Some(key)) => inside.trim_ascii_start().starts_with(key),
        _ => false,
    }
}
