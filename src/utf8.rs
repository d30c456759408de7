//! Decodes UTF-8 that arrives in chunks, as `String::from_utf8_lossy` decodes the whole stream.

use alloc::string::String;

/// The incomplete character at the end of the bytes so far: none to three bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Tail {
    bytes: [u8; 3],
    len: u8,
}

/// All characters with the Unicode property `White_Space`.
const BLANKS: [char; 25] = [
    '\t', '\n', '\u{B}', '\u{C}', '\r', ' ', '\u{85}', '\u{A0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}',
    '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200A}', '\u{2028}',
    '\u{2029}', '\u{202F}', '\u{205F}', '\u{3000}',
];

/// Returns `true` if the incomplete UTF-8 sequence may become a blank.
pub(crate) fn may_be_blank(tail: &[u8]) -> bool {
    shortest_blank(tail).is_some()
}

/// Returns the length of the shortest blank that begins with the incomplete UTF-8 sequence.
pub(crate) fn shortest_blank(tail: &[u8]) -> Option<usize> {
    let begins = |blank: &&char| blank.encode_utf8(&mut [0; 4]).as_bytes().starts_with(tail);
    BLANKS.iter().filter(begins).map(|blank| blank.len_utf8()).min()
}

/// A text in place of an incomplete character.
///
/// Whatever that becomes, it is no delimiter, no space and no part of a name.
pub(crate) const SOME_CHAR: &str = "\u{FFFD}";

/// Returns the length of the longest character that the incomplete UTF-8 sequence may become.
///
/// U+FFFD counts, too: an ill-formed sequence becomes that.
pub(crate) fn longest_char(tail: &[u8]) -> usize {
    if tail.first().is_some_and(|&byte| byte >= 0xF0) { 4 } else { 3 }
}

/// Returns the length of the shortest text that the incomplete UTF-8 sequence may become.
///
/// This is a character, or U+FFFD if the sequence turns out to be ill-formed.
pub(crate) fn shortest_char(tail: &[u8]) -> usize {
    match tail {
        [] => 0,
        [first, ..] if *first < 0xE0 => 2,
        _ => 3,
    }
}

/// Shortens a text to at most `len` bytes, at a character boundary.
pub(crate) fn truncate(text: &mut String, len: usize) {
    text.truncate(floor_char_boundary(text, len));
}

/// Returns the last character boundary of `text` at or before `index`.
#[inline]
pub(crate) fn floor_char_boundary(text: &str, index: usize) -> usize {
    if index >= text.len() {
        return text.len();
    }
    (0..=index).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

/// The next part of a stream of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next<'c> {
    /// Well-formed text at the start of the chunk.
    Text(&'c str),
    /// A character that was cut. Its last `consumed` bytes are in the chunk.
    Char { char: char, consumed: usize },
    /// Ill-formed `bytes` of the stream, the last `consumed` of them in the chunk: one U+FFFD.
    Replacement { bytes: usize, consumed: usize },
    /// Nothing: the chunk is consumed.
    End,
}

impl Tail {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns `true` if the bytes are one incomplete character, or none.
    pub(crate) fn is_in_bounds(&self) -> bool {
        let mut again = Tail::default();
        again.next(self.bytes()) == Next::End && again == *self
    }

    pub(crate) fn clear(&mut self) {
        *self = Tail::default();
    }

    fn keep(&mut self, incomplete: &[u8]) {
        self.clear();
        for (slot, &byte) in self.bytes.iter_mut().zip(incomplete) {
            *slot = byte;
            self.len += 1;
        }
    }

    /// Decodes the next part of the chunk, after the incomplete character if there is one.
    pub(crate) fn next<'c>(&mut self, chunk: &'c [u8]) -> Next<'c> {
        if chunk.is_empty() {
            return Next::End;
        }
        if !self.is_empty() {
            return self.next_of_char(chunk);
        }
        let Some(first) = chunk.utf8_chunks().next() else { return Next::End };
        if !first.valid().is_empty() {
            return Next::Text(first.valid());
        }
        let bytes = first.invalid().len();
        match core::str::from_utf8(first.invalid()) {
            Err(error) if error.error_len().is_none() && bytes == chunk.len() => {
                self.keep(chunk);
                Next::End
            }
            _ => Next::Replacement { bytes, consumed: bytes },
        }
    }

    /// Completes the incomplete character with the first bytes of the chunk.
    fn next_of_char<'c>(&mut self, chunk: &'c [u8]) -> Next<'c> {
        let had = usize::from(self.len);
        let mut whole = [0; 4];
        whole[..had].copy_from_slice(self.bytes());
        for consumed in 1..=chunk.len().min(4 - had) {
            whole[had + consumed - 1] = chunk[consumed - 1];
            match core::str::from_utf8(&whole[..had + consumed]) {
                Ok(text) => {
                    self.clear();
                    let char = text.chars().next().unwrap_or(char::REPLACEMENT_CHARACTER);
                    return Next::Char { char, consumed };
                }
                Err(error) => {
                    if let Some(bytes) = error.error_len() {
                        self.clear();
                        return Next::Replacement { bytes, consumed: bytes - had };
                    }
                }
            }
        }
        self.keep(&whole[..had + chunk.len().min(4 - had)]);
        Next::End
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_the_white_space_of_unicode() {
        let all: alloc::vec::Vec<char> = ('\0'..=char::MAX).filter(|c| c.is_whitespace()).collect();
        assert_eq!(all, BLANKS);
    }

    fn read(chunks: &[&[u8]]) -> String {
        let (mut tail, mut out, mut bytes) = (Tail::default(), String::new(), 0);
        for chunk in chunks {
            let mut pos = 0;
            loop {
                match tail.next(&chunk[pos..]) {
                    Next::Text(text) => {
                        out.push_str(text);
                        pos += text.len();
                        bytes += text.len();
                    }
                    Next::Char { char, consumed } => {
                        out.push(char);
                        pos += consumed;
                        bytes += char.len_utf8();
                    }
                    Next::Replacement { bytes: len, consumed } => {
                        out.push('\u{FFFD}');
                        pos += consumed;
                        bytes += len;
                    }
                    Next::End => break,
                }
            }
        }
        if !tail.is_empty() {
            out.push('\u{FFFD}');
            bytes += tail.bytes().len();
        }
        assert_eq!(bytes, chunks.iter().map(|chunk| chunk.len()).sum::<usize>());
        out
    }

    #[test]
    fn bytes_decode_the_same_wherever_they_are_cut() {
        let pieces: [&[u8]; 12] = [
            b"a",
            b"\xC3\xA9",
            "€".as_bytes(),
            "😀".as_bytes(),
            b"\xC3",
            b"\xE2\x82",
            b"\xF0\x9F\x98",
            b"\x80",
            b"\xFF",
            b"\xC0\xAF",
            b"\xED\xA0\x80",
            b"\xF4\x90",
        ];
        for a in pieces {
            for b in pieces {
                for c in pieces {
                    let all = [a, b, c].concat();
                    let meant = String::from_utf8_lossy(&all);
                    for i in 0..=all.len() {
                        for j in i..=all.len() {
                            assert_eq!(read(&[&all[..i], &all[i..j], &all[j..]]), meant, "{all:x?} at {i} and {j}");
                        }
                    }
                }
            }
        }
    }
}
