//! What is before the next byte of prose: whether a line begins there.

/// Whether nothing but space is before the next byte of prose on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Before {
    is_line_start: bool,
}

impl Before {
    /// At the start of a line.
    pub(crate) const START: Before = Before { is_line_start: true };
    /// In the middle of a line.
    pub(crate) const MIDDLE: Before = Before { is_line_start: false };

    /// Returns what it is after `text`.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Before {
        match text.last() {
            Some(&last) if last > b' ' => Before::MIDDLE,
            _ => self.after_space(text),
        }
    }

    /// Does the same for text that ends in space.
    fn after_space(self, text: &[u8]) -> Before {
        let not_space = text.iter().rev().find(|&&byte| !is_space(byte));
        not_space.map_or(self, |&byte| Before { is_line_start: byte == b'\n' })
    }

    #[inline]
    pub(crate) fn push(self, byte: u8) -> Before {
        if is_space(byte) { self } else { Before { is_line_start: byte == b'\n' } }
    }

    pub(crate) fn is_line_start(self) -> bool {
        self.is_line_start
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_start_is_found_however_the_text_is_cut() {
        for (text, is_start) in [
            ("", true),
            (" ", true),
            ("x", false),
            ("x ", false),
            ("x\n", true),
            ("x\n   ", true),
            ("x\r\n\t", true),
            ("x\n y", false),
            ("long text", false),
            ("x    ", false),
            ("x\n          ", true),
            ("          ", true),
        ] {
            for cut in 0..=text.len() {
                let (one, other) = text.as_bytes().split_at(cut);
                let before = Before::START.after(one).after(other);
                assert_eq!(before.is_line_start(), is_start, "{text:?} at {cut}");
                assert_eq!(before, Before::START.after(text.as_bytes()), "{text:?} at {cut}");
            }
        }
    }
}
