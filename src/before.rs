//! The last bytes of prose: enough to know where a line begins.

/// The last four bytes of prose.
///
/// They say whether only space is before the next byte on its line: if they are a line end and
/// space after it, or nothing but space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Before(u32);

impl Before {
    /// At the start of a line.
    pub(crate) const START: Before = Before(u32::from_le_bytes(*b"\n\n\n\n"));
    /// In the middle of a line.
    pub(crate) const MIDDLE: Before = Before(0);

    /// Returns the last bytes after `text`.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Before {
        match text.last_chunk() {
            Some(last) => Before(u32::from_le_bytes(*last)),
            None => text.iter().fold(self, |before, &byte| before.push(byte)),
        }
    }

    pub(crate) fn push(self, byte: u8) -> Before {
        Before(self.0 >> 8 | u32::from(byte) << 24)
    }

    /// Returns `true` if nothing but space is before the next byte on its line.
    pub(crate) fn is_line_start(self) -> bool {
        if self.0 >> 24 > u32::from(b' ') {
            return false;
        }
        let newest_first = self.0.to_be_bytes();
        let not_space = newest_first.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r'));
        matches!(not_space, None | Some(b'\n'))
    }
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
            ("x    ", true),
            ("x   ", false),
        ] {
            for cut in 0..=text.len() {
                let (one, other) = text.as_bytes().split_at(cut);
                let before = Before::START.after(one).after(other);
                assert_eq!(before.is_line_start(), is_start, "{text:?} at {cut}");
            }
        }
    }
}
