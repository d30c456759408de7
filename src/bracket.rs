//! Whether a piece of text holds a `<`. Most pieces are as short as a token, and hold none.

/// Whether there is a `<`. Cost: a few instructions for up to 16 bytes; then that of memchr.
#[inline]
pub(crate) fn is_in(bytes: &[u8]) -> bool {
    // Two words that overlap cover everything between their lengths.
    if let (4..=8, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let both = u64::from(u32::from_le_bytes(*first)) | (u64::from(u32::from_le_bytes(*last)) << 32);
        is_in_word(both)
    } else if let (9..=16, Some(first), Some(last)) = (bytes.len(), bytes.first_chunk(), bytes.last_chunk()) {
        is_in_word(u64::from_le_bytes(*first)) | is_in_word(u64::from_le_bytes(*last))
    } else if bytes.len() < 4 {
        bytes.contains(&b'<')
    } else {
        memchr::memchr(b'<', bytes).is_some()
    }
}

/// Where the first `<` is. Cost: as [`is_in`], and a step for each byte of a short text that holds one.
#[inline]
pub(crate) fn find(bytes: &[u8]) -> Option<usize> {
    match bytes {
        // One tag behind another, on the same line or the next.
        [b'<', ..] => Some(0),
        [_, b'<', ..] => Some(1),
        _ if bytes.len() > 16 => memchr::memchr(b'<', bytes),
        _ if is_in(bytes) => bytes.iter().position(|&byte| byte == b'<'),
        _ => None,
    }
}

/// Whether one of the eight bytes is a `<`.
#[inline]
fn is_in_word(word: u64) -> bool {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // A byte that was `<` is zero, and only a zero borrows from above itself first.
    let word = word ^ (ONES * b'<' as u64);
    word.wrapping_sub(ONES) & !word & HIGH != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn a_bracket_is_found_wherever_it_is() {
        for len in 0..40 {
            for filler in [0, b'a', b'<' - 1, b'<' + 1, 0x80 | b'<', 0xFF] {
                let mut bytes = vec![filler; len];
                assert!(!is_in(&bytes) && find(&bytes).is_none(), "{filler} {len}");
                for at in 0..len {
                    bytes[at] = b'<';
                    assert!(is_in(&bytes) && find(&bytes) == Some(at), "{filler} {len} {at}");
                    bytes[at] = filler;
                }
            }
        }
    }
}
