//! Advances over prose: to the next byte that may begin a call, and through the code on the way.
//!
//! In long text, code is looked at only where it matters: where something may begin, and at the end
//! of the text. A blank line ends every span, so what comes before the last one is searched for
//! fences alone. In short text, one search for what begins code or a call costs less.

use super::code::{Bracket, Code, FenceLine, LINE_START};
use crate::before::Before;
use crate::scan;

/// What may begin a call in prose.
pub(super) trait Openers {
    /// Returns `true` if a `<` with this text after it may begin one.
    fn bracket(&self, rest: &[u8]) -> bool;
    /// Returns `true` if a `{` may, outside code at the start of a line.
    fn json(&self) -> bool;
    /// Returns `true` if a `[` may, outside code.
    fn marker(&self) -> bool;
}

/// The last blank line is searched for in so many bytes.
const PARAGRAPH: usize = 512;

/// Text that is no longer is read byte by byte.
const SHORT: usize = 16;

/// Text that is no longer is searched once, for openers and code.
const MEDIUM: usize = 256;

impl Code {
    /// Advances over prose from `from` to the next byte that may begin a call.
    ///
    /// Returns the index of that byte, or the length of the text if there is none.
    #[inline]
    pub(super) fn advance(&mut self, text: &[u8], from: usize, openers: &impl Openers) -> usize {
        match text.len() - from {
            len if len <= SHORT || openers.marker() => self.advance_by_bytes(text, from, text.len(), openers),
            len if len <= MEDIUM => self.advance_by_marks(text, from, openers),
            _ => self.advance_by_openers(text, from, openers),
        }
    }

    /// Does the same up to `to`.
    #[inline(never)]
    fn advance_by_bytes(&mut self, text: &[u8], from: usize, to: usize, openers: &impl Openers) -> usize {
        for index in from..to {
            let begins = match text[index] {
                b'<' => openers.bracket(&text[index + 1..]),
                b'{' => self.is_line_start() && openers.json(),
                b'[' => openers.marker() && self.at_bracket() == Bracket::Plain && !self.is_after_backtick(),
                _ => false,
            };
            if begins {
                return index;
            }
            self.step(text[index]);
        }
        to
    }

    #[inline(never)]
    fn advance_by_marks(&mut self, text: &[u8], from: usize, openers: &impl Openers) -> usize {
        let mut index = from;
        while index < text.len() {
            if let Code::Plain { before } = self {
                index = advance_plain(before, text, index, openers);
            } else if self.is_inside() {
                index += scan::plain_in_code(&text[index..]);
            }
            let next = text.len().min(index + 1);
            if self.advance_by_bytes(text, index, next, openers) < next {
                break;
            }
            index = next;
        }
        index
    }

    #[inline(never)]
    fn advance_by_openers(&mut self, text: &[u8], from: usize, openers: &impl Openers) -> usize {
        let (mut index, mut next) = (from, from);
        loop {
            next = scan::find_mark::<false>(text, next, |next| match text[next] {
                b'<' => openers.bracket(&text[next + 1..]),
                // Most come in the middle of a line.
                _ => Before::START.after(&text[index..next]).is_line_start(),
            });
            self.pass(&text[index..next]);
            index = next;
            if text.get(index) != Some(&b'{') || (self.is_line_start() && openers.json()) {
                return index;
            }
            next += 1;
        }
    }

    /// Advances over prose.
    pub(super) fn pass(&mut self, text: &[u8]) {
        if text.len() <= SHORT {
            return text.iter().for_each(|&byte| self.step(byte));
        }
        let (mut index, mut searched) = (0, 0);
        while index < text.len() {
            if index >= searched && text.len() - index >= scan::BLOCK && self.is_between_fences() {
                let found = index + scan::find_run(&text[index..]);
                if let Some(end) = end_of_last_blank_line(&text[index..found]) {
                    *self = LINE_START;
                    index += end;
                }
                searched = found + scan::BLOCK;
            }
            index += self.pass_plain(&text[index..]);
            if let Some(&byte) = text.get(index) {
                *self = self.after(byte);
                index += 1;
            }
        }
    }

    /// Advances over one byte.
    #[inline]
    fn step(&mut self, byte: u8) {
        // Most bytes change nothing else.
        match self {
            Code::Plain { before } if !matches!(byte, b'`' | b'~') => *before = before.push(byte),
            Code::Span { run: 0, blank_line: false, .. } if !matches!(byte, b'`' | b'\n') => {}
            Code::Fence { line: FenceLine::Other, .. } if byte != b'\n' => {}
            Code::Fence { line: FenceLine::Blank, .. } if byte == b' ' => {}
            code => *code = code.after(byte),
        }
    }

    /// Advances over the text before the next byte that changes more than the position in the line.
    ///
    /// Returns the length of that text.
    #[inline]
    fn pass_plain(&mut self, text: &[u8]) -> usize {
        match self {
            Code::Ignored | Code::Thinking { .. } => text.len(),
            Code::Plain { before } => {
                let len = scan::find2::<b'`', b'~'>(text);
                *before = before.after(&text[..len]);
                len
            }
            Code::Span { run: 0, blank_line: false, .. } | Code::FenceInfo { .. } => scan::find2::<b'`', b'\n'>(text),
            Code::Fence { mark, line: line @ (FenceLine::Blank | FenceLine::Other), .. } => {
                let len = memchr::memchr(mark.byte(), text).unwrap_or(text.len());
                line.pass(&text[..len]);
                len
            }
            _ => 0,
        }
    }

    /// Returns `true` outside fences and outside what may become one.
    fn is_between_fences(self) -> bool {
        matches!(self, Code::Plain { .. } | Code::Span { run: 0, .. })
    }
}

impl FenceLine {
    /// Advances over text without a mark, from a line that has none.
    fn pass(&mut self, text: &[u8]) {
        let line = match memchr::memrchr(b'\n', text) {
            Some(end) => {
                *self = FenceLine::Blank;
                &text[end + 1..]
            }
            None => text,
        };
        if !line.iter().all(|&byte| matches!(byte, b' ' | b'\t' | b'\r')) {
            *self = FenceLine::Other;
        }
    }
}

/// Advances outside code, to a byte that may begin a call or code, and returns its index.
///
/// It passes over a code span between single back-ticks on one line, if nothing may begin in it.
#[inline]
fn advance_plain(before: &mut Before, text: &[u8], from: usize, openers: &impl Openers) -> usize {
    let (mut start, mut last, mut span) = (from, *before, None);
    let stop = scan::find_mark::<true>(text, from, |index| {
        let Some((&mark, rest)) = text.get(index..).and_then(<[u8]>::split_first) else { return true };
        match (mark, span) {
            (b'<', _) => openers.bracket(rest),
            (b'`', None) => {
                span = Some(index);
                rest.first() == Some(&b'`')
            }
            (b'`', Some(open)) => {
                let ends = rest.first().is_some_and(|after| !matches!(after, b'`' | b'<'));
                if !ends || scan::holds::<b'\n'>(&text[open..index]) {
                    return true;
                }
                (span, last, start) = (None, Before::MIDDLE, index + 1);
                false
            }
            (_, Some(_)) => false,
            // Most come right after something else than space.
            _ if index > start && text[index - 1] > b' ' => false,
            (mark, None) => last.after(&text[start..index]).is_line_start() && (mark == b'~' || openers.json()),
        }
    });
    let index = span.unwrap_or(stop);
    *before = last.after(&text[start..index]);
    index
}

/// Returns the index after the last blank line, if it is near the end of the text.
fn end_of_last_blank_line(text: &[u8]) -> Option<usize> {
    let start = text.len().saturating_sub(PARAGRAPH);
    let last = text[start..].windows(2).rposition(|two| two == b"\n\n")?;
    Some(start + last + 2)
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::*;

    /// A `<` before a `t` may begin a call, and so may JSON.
    struct SomeOpeners;

    impl Openers for SomeOpeners {
        fn bracket(&self, rest: &[u8]) -> bool {
            rest.first() == Some(&b't')
        }

        fn json(&self) -> bool {
            true
        }

        fn marker(&self) -> bool {
            false
        }
    }

    /// Passes a text byte by byte. Returns the state, and the indices of what may begin a call.
    fn pass_bytes(text: &[u8]) -> (Code, Vec<usize>) {
        let (mut code, mut found) = (LINE_START, Vec::new());
        for (index, &byte) in text.iter().enumerate() {
            let begins = match byte {
                b'<' => text.get(index + 1) == Some(&b't'),
                b'{' => code.is_line_start(),
                _ => false,
            };
            if begins {
                found.push(index);
            }
            code = code.after(byte);
        }
        (code, found)
    }

    /// Returns the state, and where a line begins after so many blanks.
    fn meaning(code: Code) -> (Code, [bool; 4]) {
        let begins_line = |blanks| (0..blanks).fold(code, |code, _| code.after(b' ')).is_line_start();
        let mut middle = code;
        middle.set_before(Before::MIDDLE);
        (middle, [0, 1, 2, 3].map(begins_line))
    }

    fn check(text: &str) {
        let (expected, found) = pass_bytes(text.as_bytes());
        let mut passed = LINE_START;
        passed.pass(text.as_bytes());
        assert_eq!(meaning(passed), meaning(expected), "{text:?}");
        for advance in [Code::advance, Code::advance_by_marks, Code::advance_by_openers] {
            let (mut code, mut index) = (LINE_START, 0);
            for &expected in found.iter().chain([&text.len()]) {
                index = advance(&mut code, text.as_bytes(), index, &SomeOpeners);
                assert_eq!(index, expected, "{text:?}");
                if let Some(next) = text.get(index..index + 1) {
                    code.pass(next.as_bytes());
                    index += 1;
                }
            }
            assert_eq!(meaning(code), meaning(expected), "{text:?}");
        }
    }

    const PIECES: [&str; 15] = [
        "a",
        " ",
        "\n",
        "\n \n",
        "    ",
        "`",
        "``",
        "```",
        "~~~",
        "<",
        "<t",
        "{",
        "`code`",
        "~~~\n",
        "words, and more words, ",
    ];

    /// Returns whether `FOLLOWUP_SWEEP` is not set: see docs/testing.md.
    fn is_short() -> bool {
        std::env::var_os("FOLLOWUP_SWEEP").is_none()
    }

    #[test]
    fn text_means_the_same_whole_and_byte_by_byte() {
        let (mut indices, most) = ([0; 5], if is_short() { 4 } else { 5 });
        while let Some(rest) = indices[..most].iter().position(|&i| i + 1 < PIECES.len()) {
            indices[..rest].fill(0);
            indices[rest] += 1;
            check(&indices.map(|i| PIECES[i]).concat());
        }
    }

    #[test]
    fn long_text_means_the_same_whole_and_byte_by_byte() {
        const FILLERS: [&str; 6] = ["", "\n", "\n\n", "`a` ", "`a\n", "``\n"];
        for i in 0..PIECES.len() * PIECES.len() * FILLERS.len() {
            let (i, filler) = (i / FILLERS.len(), FILLERS[i % FILLERS.len()]);
            let (one, other) = (PIECES[i / PIECES.len()], PIECES[i % PIECES.len()]);
            // Each index in a block, and each distance to the end of the text.
            for len in (0..BLOCKS).step_by(if is_short() { 59 } else { 19 }) {
                let words = |len: usize| {
                    format!("{filler}{}", "word, ".repeat(len / 6 + 1)).chars().take(len).collect::<String>()
                };
                check(&format!("{}{one}{other}{}", words(len), words(BLOCKS - len)));
                check(&format!("{one}{}{other}{}{one}", words(len), words(BLOCKS - len)));
            }
        }
    }

    const BLOCKS: usize = 3 * scan::BLOCK;
}
