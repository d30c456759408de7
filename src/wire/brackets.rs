//! Finding the end of a JSON value without parsing it.

/// A scanner that counts the open brackets of JSON text, outside of strings.
///
/// It does not use nom, which would read an incomplete value again with every chunk. Nor is it the
/// [lexer](crate::json) of arguments: that one decodes and validates text up to a depth. A payload
/// only has to be cut from bytes that are not known to be UTF-8, however deep or ill-formed it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct BracketScanner {
    /// The number of arrays and objects that are open.
    pub(super) depth: u64,
    /// The text ends inside a string.
    pub(super) in_string: bool,
    /// The text ends after a `\` inside a string.
    after_backslash: bool,
    /// A bracket has been opened.
    has_opened: bool,
}

impl BracketScanner {
    /// Returns whether it can count on.
    pub(super) fn is_in_bounds(self) -> bool {
        self.depth < u64::MAX / 2
    }

    /// Consumes the next byte.
    pub(super) fn push(&mut self, byte: u8) {
        if self.in_string {
            match (self.after_backslash, byte) {
                (true, _) => self.after_backslash = false,
                (false, b'\\') => self.after_backslash = true,
                (false, b'"') => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => {
                self.depth += 1;
                self.has_opened = true;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    /// Consumes all bytes.
    pub(super) fn push_all(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
    }

    /// Consumes the bytes up to the bracket that closes the value, or to the end of the line.
    ///
    /// Returns how many these are.
    pub(super) fn push_value_in_line(&mut self, bytes: &[u8]) -> usize {
        for (i, &byte) in bytes.iter().enumerate() {
            self.push(byte);
            if byte == b'\n' || (matches!(byte, b'}' | b']') && self.is_closed()) {
                return i + 1;
            }
        }
        bytes.len()
    }

    /// Returns whether an array or object was opened and all brackets are closed.
    pub(super) fn is_closed(self) -> bool {
        self.has_opened && self.depth == 0 && !self.in_string
    }
}
