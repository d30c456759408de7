//! What is before the next byte of prose on its line: whether a line, or code on it, begins there.

/// What is before the next byte of prose on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Before {
    /// Nothing but space.
    Start,
    /// Markers of list items, each with space after it.
    Item,
    /// The same, or nothing, and digits, which may begin the next marker.
    Digits,
    /// The same with a marker, which is one if space follows.
    Marker,
    /// Anything else.
    Middle,
}

/// No greater byte is space or part of a marker of a list item.
const LAST_OF_MARKERS: u8 = b'9';

impl Before {
    /// At the start of a line.
    pub(crate) const START: Before = Before::Start;
    /// In the middle of a line.
    pub(crate) const MIDDLE: Before = Before::Middle;

    /// Returns what it is after `text`.
    #[inline]
    pub(crate) fn after(self, text: &[u8]) -> Before {
        match text.last() {
            Some(&last) if last > LAST_OF_MARKERS => Before::Middle,
            _ => self.after_marks(text),
        }
    }

    /// Does the same for text that ends in space or in what may be a marker.
    fn after_marks(self, text: &[u8]) -> Before {
        match text.iter().rev().find(|&&byte| !is_space(byte)) {
            None => text.first().map_or(self, |&space| self.push(space)),
            Some(b'\n') => Before::Start,
            Some(&byte) if byte > LAST_OF_MARKERS => Before::Middle,
            Some(_) => self.after_line(text),
        }
    }

    /// Does the same byte by byte, from the last line end on.
    #[cold]
    fn after_line(self, text: &[u8]) -> Before {
        let (mut before, mut line) = (self, text);
        if let Some(end) = memchr::memrchr(b'\n', text) {
            (before, line) = (Before::Start, &text[end + 1..]);
        }
        for &byte in line {
            if before == Before::Middle {
                break;
            }
            before = before.push(byte);
        }
        before
    }

    #[inline]
    pub(crate) fn push(self, byte: u8) -> Before {
        match (self, byte) {
            (_, b'\n') => Before::Start,
            (Before::Middle, _) => Before::Middle,
            (Before::Start, _) if is_space(byte) => Before::Start,
            (Before::Item | Before::Marker, _) if is_space(byte) => Before::Item,
            (Before::Start | Before::Item, b'-' | b'*' | b'+') => Before::Marker,
            (Before::Start | Before::Item | Before::Digits, b'0'..=b'9') => Before::Digits,
            (Before::Digits, b'.' | b')') => Before::Marker,
            _ => Before::Middle,
        }
    }

    /// Returns `true` where nothing but space is before on the line.
    pub(crate) fn is_line_start(self) -> bool {
        self == Before::Start
    }

    /// Returns `true` where nothing but space and markers of list items is before on the line.
    pub(crate) fn is_item_start(self) -> bool {
        matches!(self, Before::Start | Before::Item)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_before_is_found_however_the_text_is_cut() {
        for (text, expected) in [
            ("", Before::Start),
            (" ", Before::Start),
            ("x", Before::Middle),
            ("x ", Before::Middle),
            ("x\n", Before::Start),
            ("x\n   ", Before::Start),
            ("x\r\n\t", Before::Start),
            ("x\n y", Before::Middle),
            ("long text", Before::Middle),
            ("x    ", Before::Middle),
            ("x\n          ", Before::Start),
            ("          ", Before::Start),
            ("1", Before::Digits),
            ("12.", Before::Marker),
            ("12. ", Before::Item),
            ("x\n 3)\t ", Before::Item),
            ("- + * 1. ", Before::Item),
            ("- 1", Before::Digits),
            ("--", Before::Middle),
            ("1 ", Before::Middle),
            ("1 . ", Before::Middle),
            ("x 1. ", Before::Middle),
            (". ", Before::Middle),
            ("- x - ", Before::Middle),
            ("-\n", Before::Start),
            ("-\r ", Before::Item),
            ("\u{e9}\n- ", Before::Item),
        ] {
            for cut in 0..=text.len() {
                let (one, other) = text.as_bytes().split_at(cut);
                assert_eq!(Before::START.after(one).after(other), expected, "{text:?} at {cut}");
            }
            assert_eq!(text.bytes().fold(Before::START, Before::push), expected, "{text:?}, byte by byte");
        }
    }
}
