//! Where a JSON value ends, without reading it.

/// How far a JSON value has been looked through for its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Balance {
    /// How many arrays and objects are open.
    pub(super) depth: u64,
    pub(super) in_string: bool,
    /// Behind a `\` in a string.
    escaped: bool,
    /// One has been open.
    begun: bool,
}

impl Balance {
    pub(super) fn byte(&mut self, byte: u8) {
        if self.in_string {
            match (self.escaped, byte) {
                (true, _) => self.escaped = false,
                (false, b'\\') => self.escaped = true,
                (false, b'"') => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => {
                self.depth += 1;
                self.begun = true;
            }
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.byte(byte));
    }

    /// Whether an array or object has been opened and closed again.
    pub(super) fn is_closed(self) -> bool {
        self.begun && self.depth == 0 && !self.in_string
    }
}
