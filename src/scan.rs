//! Searches for delimiters, fast on short chunks.
//!
//! Most chunks are one token of a model long and contain no delimiter. For those, a call of memchr
//! costs more than the search.

/// Returns `true` if there is a `<`.
///
/// Cost: a few instructions for 4 to 16 bytes; that of memchr for more.
#[inline]
pub(crate) fn holds_bracket(bytes: &[u8]) -> bool {
    // Two overlapping words cover any length between one word and two.
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        equal(both(*first, *last), b'<') != 0
    } else if let (9..=16, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        equal(u64::from_le_bytes(*first), b'<') | equal(u64::from_le_bytes(*last), b'<') != 0
    } else {
        holds_bracket_somewhere(bytes)
    }
}

/// Does the same for shorter and longer text.
#[inline(never)]
fn holds_bracket_somewhere(bytes: &[u8]) -> bool {
    if bytes.len() < 4 { bytes.contains(&b'<') } else { memchr::memchr(b'<', bytes).is_some() }
}

/// Returns the index of the first `<`.
///
/// Cost: that of [`holds_bracket`], and one step per byte of a short text that contains a `<`.
#[inline]
pub(crate) fn bracket(bytes: &[u8]) -> Option<usize> {
    match bytes {
        // One tag after another, on the same line or the next.
        [b'<', ..] => Some(0),
        [_, b'<', ..] => Some(1),
        _ if bytes.len() > 16 => memchr::memchr(b'<', bytes),
        _ if holds_bracket(bytes) => bytes.iter().position(|&byte| byte == b'<'),
        _ => None,
    }
}

/// Returns the number of bytes before the first `<`, back-tick, `{` or `~`.
///
/// `is_near`: it is likely among the next 16 bytes. Cost: one step per byte of a short text and of
/// those 16; that of memchr, twice, for more.
#[inline]
pub(crate) fn plain_in_prose(bytes: &[u8], is_near: bool) -> usize {
    let near = if is_near {
        bytes.len().min(16)
    } else if bytes.len() <= 16 {
        bytes.len()
    } else {
        0
    };
    if let Some(found) = bytes[..near].iter().position(|&byte| PROSE_MARKS[usize::from(byte)]) {
        return found;
    }
    let far = &bytes[near..];
    if far.is_empty() {
        return near;
    }
    let end = memchr::memchr3(b'<', b'`', b'{', far).unwrap_or(far.len());
    near + memchr::memchr(b'~', &far[..end]).unwrap_or(end)
}

/// The bytes that [`plain_in_prose`] finds.
static PROSE_MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    marks[b'<' as usize] = true;
    marks[b'`' as usize] = true;
    marks[b'{' as usize] = true;
    marks[b'~' as usize] = true;
    marks
};

/// Returns the number of bytes before the first `<`, back-tick or line end.
#[inline]
pub(crate) fn plain_in_code(bytes: &[u8]) -> usize {
    let found = if bytes.len() <= 16 {
        bytes.iter().position(|byte| matches!(byte, b'<' | b'`' | b'\n'))
    } else {
        memchr::memchr3(b'<', b'`', b'\n', bytes)
    };
    found.unwrap_or(bytes.len())
}

/// Returns `true` if there is a `<`, a back-tick, a `{` or a `~`.
///
/// Cost: a few instructions for 4 bytes.
#[inline]
pub(crate) fn holds_mark(bytes: &[u8]) -> bool {
    let Ok(word) = <[u8; 4]>::try_from(bytes) else { return holds_mark_somewhere(bytes) };
    let word = u32::from_le_bytes(word);
    let less = |word: u32, byte: u8| (word ^ (0x0101_0101 * u32::from(byte))).wrapping_sub(0x0101_0101);
    // `<` and `~` differ in these two bits; so do `>` and `|`, which are rare.
    let bracket_or_tilde = less(word & 0xBDBD_BDBD, b'<');
    (bracket_or_tilde | less(word, b'`') | less(word, b'{')) & !word & 0x8080_8080 != 0
}

#[inline(never)]
fn holds_mark_somewhere(bytes: &[u8]) -> bool {
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        let word = both(*first, *last);
        equal(word & (ONES * 0xBD), b'<') | equal(word, b'`') | equal(word, b'{') != 0
    } else {
        plain_in_prose(bytes, false) < bytes.len()
    }
}

/// Returns the number of bytes before the first `"`, `\` or control character of a JSON string.
///
/// Cost: one step per eight bytes.
#[inline]
pub(crate) fn plain_in_string(bytes: &[u8]) -> usize {
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk())
        && special(both(*first, *last)) == 0
    {
        return bytes.len();
    }
    plain_in_long(bytes)
}

fn plain_in_long(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    for (i, word) in words.iter().enumerate() {
        let found = special(u64::from_le_bytes(*word));
        if found != 0 {
            return 8 * i + found.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    bytes.len() - rest.len() + rest.iter().position(is_special).unwrap_or(rest.len())
}

#[inline]
fn special(word: u64) -> u64 {
    equal(word, b'"') | equal(word, b'\\') | control(word)
}

fn both(first: [u8; 4], last: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(first)) | (u64::from(u32::from_le_bytes(last)) << 32)
}

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGH: u64 = u64::from_le_bytes([0x80; 8]);

/// Returns a word with the highest bit set in the first byte that equals `byte`.
///
/// It is 0 if there is none. Bits after the first match have no meaning.
#[inline]
fn equal(word: u64, byte: u8) -> u64 {
    // A byte that matches is now zero, and the first borrow of the subtraction is at a zero.
    let word = word ^ (ONES * u64::from(byte));
    word.wrapping_sub(ONES) & !word & HIGH
}

/// Does the same for the first byte below 0x20.
#[inline]
fn control(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & HIGH
}

/// Whether a position in JSON is inside a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Quotes {
    /// Outside every string.
    #[default]
    Outside,
    Inside,
    /// Inside a string, after a `\`.
    Escaped,
}

impl Quotes {
    /// Returns the state after one more character.
    pub(crate) fn after(self, c: char) -> Quotes {
        match (self, c) {
            (Quotes::Outside, '"') | (Quotes::Escaped, _) => Quotes::Inside,
            (Quotes::Inside, '"') => Quotes::Outside,
            (Quotes::Inside, '\\') => Quotes::Escaped,
            (same, _) => same,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn delimiters_are_found_at_every_index() {
        for len in 0..40 {
            for filler in [b' ', b'a', b'<' - 1, b'<' + 1, b'"' - 1, b'\\' + 1, 0x80, 0x80 | b'<', 0xFF] {
                let mut bytes = vec![filler; len];
                assert!(!holds_bracket(&bytes) && bracket(&bytes).is_none(), "{filler} {len}");
                assert_eq!(plain_in_string(&bytes), len, "{filler} {len}");
                for at in 0..len {
                    bytes[at] = b'<';
                    assert!(holds_bracket(&bytes) && bracket(&bytes) == Some(at), "{filler} {len} {at}");
                    assert_eq!(plain_in_string(&bytes), len, "{filler} {len}");
                    for special in [b'"', b'\\', 0, b'\n', 0x1F] {
                        bytes[at] = special;
                        assert_eq!(plain_in_string(&bytes), at, "{filler} {len} {special}");
                    }
                    bytes[at] = filler;
                }
            }
        }
    }
}
