//! Isolates: characters around text that may be written in another direction.
//!
//! One that ends in its paragraph affects only what is inside, and is what a writer of Arabic or
//! Hebrew needs. Overrides, and isolates that don't end, can make a text look like another one.

/// Returns whether the character begins or ends an isolate.
pub(crate) fn is_isolate(char: char) -> bool {
    matches!(char, '\u{2066}'..='\u{2069}')
}

/// The character that ends an isolate.
pub(crate) const END: char = '\u{2069}';

/// The maximum depth of isolates in a line that grows. Text needs two or three.
const MAX_DEPTH: usize = 8;

/// The isolates that are open in a line that grows.
///
/// An isolate is shown before it is known to end. One that is still open at the end of the line is
/// ended there, so that all isolates are balanced in their line.
#[derive(Debug, Default)]
pub(crate) struct OpenIsolates {
    /// The number of open isolates, with those that are too deep.
    count: usize,
}

impl OpenIsolates {
    /// Consumes a character for which [`is_isolate`] is true. Returns whether it is shown.
    ///
    /// It is not if it is the end of no isolate, or the beginning or the end of one that is too
    /// deep.
    pub(crate) fn accept(&mut self, char: char) -> bool {
        let before = self.count;
        self.count = if char == END { before.saturating_sub(1) } else { before.saturating_add(1) };
        (1..=MAX_DEPTH).contains(&before.max(self.count))
    }

    /// Returns the number of isolates that are shown and still open.
    pub(crate) fn depth(&self) -> usize {
        self.count.min(MAX_DEPTH)
    }

    /// Ends all isolates. Returns the characters that end them.
    pub(crate) fn end_line(&mut self) -> impl Iterator<Item = char> + use<> {
        std::iter::repeat_n(END, std::mem::take(self).depth())
    }
}

/// Returns the number of isolates that are open at the end of the text.
pub(crate) fn open_count(text: &str) -> usize {
    scan(text, |_, _| {})
}

/// Returns the offsets of the isolates, and of their ends, that are balanced in their paragraph.
pub(crate) fn balanced(text: &str) -> Vec<usize> {
    let mut offsets = Vec::new();
    scan(text, |begin, end| offsets.extend([begin, end]));
    offsets.sort_unstable();
    offsets
}

/// Calls `pair` with the offsets of each pair. Returns the number of isolates that are still open.
fn scan(text: &str, mut pair: impl FnMut(usize, usize)) -> usize {
    let mut open = Vec::new();
    for (at, char) in text.char_indices() {
        match char {
            '\u{2066}'..='\u{2068}' => open.push(at),
            END => {
                if let Some(begin) = open.pop() {
                    pair(begin, at);
                }
            }
            // These end a paragraph.
            '\n' | '\r' | '\u{1C}'..='\u{1E}' | '\u{85}' | '\u{2029}' => open.clear(),
            _ => {}
        }
    }
    open.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isolates_are_balanced_in_a_paragraph() {
        for (text, offsets, open) in [
            ("plain", &[][..], 0),
            ("\u{2067}a\u{2069}b", &[0, 4], 0),
            ("\u{2069}\u{2066}\u{2068}\u{2069}", &[6, 9], 1),
            ("\u{2066}a\n\u{2069}", &[], 0),
            ("\u{2066}a\u{2029}\u{2069}", &[], 0),
            ("\u{202E}\u{2066}", &[], 1),
        ] {
            assert_eq!((&*balanced(text), open_count(text)), (offsets, open), "{text:?}");
        }
    }
    #[test]
    fn isolates_of_a_line_that_grows_are_ended_at_its_end() {
        for (line, shown) in [
            ("a\u{2067}b\u{2069}c", "a\u{2067}b\u{2069}c"),
            ("\u{2069}a\u{2067}b\u{2069}\u{2069}", "-a\u{2067}b\u{2069}-"),
            ("a\u{2067}b\u{2068}c", "a\u{2067}b\u{2068}c\u{2069}\u{2069}"),
        ] {
            assert_eq!(as_shown(line), shown);
        }
    }

    #[test]
    fn isolates_that_are_too_deep_are_not_shown_and_nor_are_their_ends() {
        let nested = |depth| format!("{}a{}", "\u{2067}".repeat(depth), "\u{2069}".repeat(depth));
        assert_eq!(as_shown(&nested(8)), nested(8));
        assert_eq!(as_shown(&nested(10)), nested(8).replace('a', "--a--"));
        assert_eq!(as_shown(&"\u{2067}".repeat(10)), nested(8).replace('a', "--"));
    }

    /// Returns the line as it is shown, with `-` for what is not.
    fn as_shown(line: &str) -> String {
        let mut isolates = OpenIsolates::default();
        let accepted = |char| if !is_isolate(char) || isolates.accept(char) { char } else { '-' };
        let mut shown: String = line.chars().map(accepted).collect();
        shown.extend(isolates.end_line());
        assert_eq!(isolates.depth(), 0);
        shown
    }
}
