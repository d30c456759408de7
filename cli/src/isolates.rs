//! Isolates: characters around text that may be written in another direction.
//!
//! One that ends in its paragraph affects only what is inside, and is what a writer of Arabic or
//! Hebrew needs. Overrides, and isolates that don't end, can make a text look like another one.

/// Returns whether the character begins or ends an isolate.
pub(crate) fn is_isolate(char: char) -> bool {
    matches!(char, '\u{2066}'..='\u{2069}')
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
            '\u{2069}' => {
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
}
