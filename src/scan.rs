//! Searches for delimiters, fast on short chunks.
//!
//! Most chunks are one token of a model long and contain no delimiter. For those, a call of memchr
//! costs more than the search.

/// Returns `true` if there is a `<`.
///
/// Cost: a few instructions for 4 to 16 bytes; that of memchr for more.
#[inline]
pub(crate) fn holds_bracket(bytes: &[u8]) -> bool {
    holds::<b'<'>(bytes)
}

/// Returns `true` if there is such a byte, at the same cost.
#[inline]
pub(crate) fn holds<const BYTE: u8>(bytes: &[u8]) -> bool {
    // Two overlapping words cover any length between one word and two.
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        equal(both(*first, *last), BYTE) != 0
    } else if let (9..=16, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        equal(u64::from_le_bytes(*first), BYTE) | equal(u64::from_le_bytes(*last), BYTE) != 0
    } else {
        holds_somewhere::<BYTE>(bytes)
    }
}

/// Does the same for shorter and longer text.
#[inline(never)]
fn holds_somewhere<const BYTE: u8>(bytes: &[u8]) -> bool {
    if bytes.len() < 4 { bytes.contains(&BYTE) } else { memchr::memchr(BYTE, bytes).is_some() }
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

/// Returns the index of the first mark from `from` on for which `stops` returns `true`.
///
/// The length of the text if there is none.
///
/// The marks are `<` and `{`; with `CODE`, back-ticks and `~` are, too. `stops` is called with the
/// index of each, in order. Cost: about one instruction per byte, and what `stops` costs; that of
/// memchr where marks are rare, without `CODE`.
#[inline(always)] // It is a loop around `stops`.
pub(crate) fn find_mark<const CODE: bool>(text: &[u8], from: usize, mut stops: impl FnMut(usize) -> bool) -> usize {
    let mut start = from;
    while start < text.len() {
        let mut marks = marks_of_block::<CODE>(&text[start..]);
        if marks == 0 && !CODE {
            start += find2::<b'<', b'{'>(&text[start..]);
            continue;
        }
        while marks != 0 {
            let index = start + marks.trailing_zeros() as usize;
            if stops(index) {
                return index;
            }
            marks &= marks - 1;
        }
        start = text.len().min(start + 64);
    }
    text.len()
}

/// Returns where in the first 64 bytes is a mark: bit `i` for byte `i`.
#[inline(never)] // It needs the registers.
fn marks_of_block<const CODE: bool>(text: &[u8]) -> u64 {
    // Without a branch.
    let is_mark = |byte: u8| if CODE { is_mark(byte) } else { (byte == b'<') | (byte == b'{') };
    if text.len() <= 16 {
        return text.iter().rev().fold(0, |marks, &byte| marks << 1 | u64::from(is_mark(byte)));
    }
    let mut rest = [0; 64];
    let block = text.first_chunk().unwrap_or_else(|| {
        rest[..text.len()].copy_from_slice(text);
        &rest
    });
    // The compiler makes vectors of these two loops.
    let mut flags = [0; 64];
    for i in 0..64 {
        flags[i] = u8::from(is_mark(block[i]));
    }
    if flags.iter().fold(0, |any, flag| any | flag) == 0 {
        return 0;
    }
    // The product has the first bits of all bytes in its last byte.
    let pack = |flags: &[u8; 8]| u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    flags.as_chunks().0.iter().rev().fold(0, |marks, flags| marks << 8 | pack(flags))
}

/// The number of bytes in which [`find_run`] searches at once.
pub(crate) const BLOCK: usize = 256;

/// Returns an index before which no run of three back-ticks or tildes ends.
///
/// After it, one may begin within [`BLOCK`] bytes. The length of the text if there is none.
///
/// Cost: less than half an instruction per byte.
pub(crate) fn find_run(text: &[u8]) -> usize {
    if let Some(found) = text.as_chunks().0.iter().position(may_hold_run) {
        return found * BLOCK;
    }
    match text.last_chunk() {
        Some(last) if !may_hold_run(last) => text.len(),
        last => last.map_or(0, |_| text.len() - BLOCK),
    }
}

/// Returns `true` if a run of three back-ticks or tildes is in the block.
///
/// `true` may be wrong.
#[inline(never)] // Inlined, it is not made of vectors.
fn may_hold_run(block: &[u8; BLOCK]) -> bool {
    // Of three bytes, two begin at an even index. Two tildes are more than any other two bytes of
    // ASCII, and all else is less than 0.
    let (mut backticks, mut most) = (0, 0);
    for two in block.as_chunks().0 {
        backticks |= u16::from(two == b"``");
        most = i16::from_le_bytes(*two).max(most);
    }
    backticks > 0 || most >= i16::from_le_bytes([0, b'~'])
}

/// Returns the index of the first of these bytes; the length of the text if there is none.
#[inline]
pub(crate) fn find2<const ONE: u8, const OTHER: u8>(text: &[u8]) -> usize {
    let found = if text.len() <= 16 {
        text.iter().position(|&byte| byte == ONE || byte == OTHER)
    } else {
        memchr::memchr2(ONE, OTHER, text)
    };
    found.unwrap_or(text.len())
}

/// Returns `true` for `<`, back-tick, `{` and `~`.
#[inline]
fn is_mark(byte: u8) -> bool {
    // Without a branch.
    (byte == b'<') | (byte == b'`') | (byte == b'{') | (byte == b'~')
}

/// Returns `true` if there is a `<`, a back-tick or a line end.
#[inline]
pub(crate) fn holds_code_mark(bytes: &[u8]) -> bool {
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        let word = both(*first, *last);
        equal(word, b'<') | equal(word, b'`') | equal(word, b'\n') != 0
    } else {
        plain_in_code(bytes) < bytes.len()
    }
}

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
    let holds = |word: u64| equal(word & (ONES * 0xBD), b'<') | equal(word, b'`') | equal(word, b'{') != 0;
    match (bytes, bytes.first_chunk(), bytes.last_chunk()) {
        (&[one], ..) => is_mark(one),
        (_, Some(first), Some(last)) if bytes.len() <= 8 => holds(both(*first, *last)),
        (_, None, _) => bytes.iter().any(|&byte| is_mark(byte)),
        _ => holds_mark_in_long(bytes),
    }
}

#[inline(never)] // The others would pay for its registers.
fn holds_mark_in_long(bytes: &[u8]) -> bool {
    // The compiler makes vectors of the inner loop.
    let holds = |block: &[u8; 16]| block.iter().fold(false, |any, &byte| any | is_mark(byte));
    let (blocks, rest) = bytes.as_chunks();
    blocks.iter().any(holds) || bytes.last_chunk().map_or_else(|| rest.iter().any(|&byte| is_mark(byte)), holds)
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn marks_are_found_where_they_may_stop() {
        for len in 0..150 {
            let mut bytes = vec![b' '; len];
            for index in 0..len {
                for opener in [b'<', b'{'] {
                    bytes[index] = opener;
                    for from in [0, index / 2, index] {
                        assert_eq!(find_mark::<false>(&bytes, from, |_| true), index, "{len} {index}");
                        assert_eq!(find_mark::<true>(&bytes, from, |_| true), index, "{len} {index}");
                    }
                    assert_eq!(find_mark::<false>(&bytes, index + 1, |_| true), len.max(index + 1), "{len} {index}");
                }
                bytes[index] = b' ';
            }
        }
        let found = |text: &str| find_mark::<false>(text.as_bytes(), 0, |index| index > 2);
        assert_eq!((found("<  </x{ {"), found("<  </x{"), found("{  <<")), (3, 3, 3));
        let found = |text: &str| find_mark::<true>(text.as_bytes(), 0, |index| index > 2);
        assert_eq!((found("<  `/x{ {"), found("`  ~~"), found("~  {`"), found("~``")), (3, 3, 3, 3));
    }

    #[test]
    fn a_run_of_three_is_found_at_every_index() {
        for mark in [b'`', b'~'] {
            for len in [BLOCK, 2 * BLOCK + 1, 2 * BLOCK + 77] {
                let mut bytes = vec!["é".as_bytes()[1]; len];
                assert_eq!(find_run(&bytes), len);
                for index in 0..len - 2 {
                    bytes[index..index + 3].fill(mark);
                    let found = find_run(&bytes);
                    assert!((found.saturating_sub(2)..found + BLOCK).contains(&index), "{len} {index}: {found}");
                    bytes[index..index + 3].fill(b'x');
                }
            }
        }
    }

    #[test]
    fn delimiters_are_found_at_every_index() {
        for len in (0..40).chain([63, 64, 65, 130]) {
            for filler in [b' ', b'a', b'<' - 1, b'<' + 1, b'"' - 1, b'\\' + 1, 0x80, 0x80 | b'<', 0xFF] {
                let mut bytes = vec![filler; len];
                assert!(!holds_bracket(&bytes) && bracket(&bytes).is_none(), "{filler} {len}");
                assert_eq!(plain_in_string(&bytes), len, "{filler} {len}");
                assert!(!holds_mark(&bytes), "{filler} {len}");
                for index in 0..len {
                    for mark in [b'<', b'`', b'{', b'~'] {
                        bytes[index] = mark;
                        assert!(holds_mark(&bytes), "{filler} {len} {index}");
                    }
                    bytes[index] = b'<';
                    assert!(holds_bracket(&bytes) && bracket(&bytes) == Some(index), "{filler} {len} {index}");
                    assert_eq!(plain_in_string(&bytes), len, "{filler} {len}");
                    for special in [b'"', b'\\', 0, b'\n', 0x1F] {
                        bytes[index] = special;
                        assert_eq!(plain_in_string(&bytes), index, "{filler} {len} {special}");
                    }
                    bytes[index] = filler;
                }
            }
        }
    }
}
