//! Where a stream is cut.

use std::ops::Range;
use std::{iter, mem};

/// Splits a message into pieces of `size` bytes.
///
/// A piece that would end inside a character is longer by the rest of the character; the last piece
/// may be shorter. A size of 0 counts as 1.
///
/// ```
/// use followup_testing::pieces;
///
/// assert_eq!(pieces("ab über", 2).collect::<Vec<_>>(), ["ab", " ü", "be", "r"]);
/// assert_eq!(pieces("whole", usize::MAX).collect::<Vec<_>>(), ["whole"]);
/// assert_eq!(pieces("", 4).next(), None);
/// ```
pub fn pieces(message: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = message;
    iter::from_fn(move || {
        let least = size.clamp(1, rest.len().max(1));
        let len = (least..rest.len()).find(|&len| rest.is_char_boundary(len)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at_checked(len)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// The offsets at which a stream is cut.
///
/// An offset after the end wraps around, so that offsets chosen without knowing the stream cut it
/// somewhere. An offset that occurs twice makes an empty chunk.
///
/// ```
/// use followup_testing::Cuts;
///
/// let stream = "<b>é</b>";
/// assert_eq!(Cuts::new([4, 1]).chunks(stream.as_bytes()), [&b"<"[..], b"b>\xC3", b"\xA9</b>"]);
/// // Text is cut before the character.
/// assert_eq!(Cuts::new([4, 1]).pieces(stream), ["<", "b>", "é</b>"]);
/// // 5 is the end, and 8 wraps around to 2.
/// assert_eq!(Cuts::new([5, 8]).chunks(b"short"), [&b"sh"[..], b"ort", b""]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cuts(Vec<usize>);

impl Cuts {
    /// Creates cuts at these offsets, in any order.
    pub fn new(offsets: impl IntoIterator<Item = usize>) -> Cuts {
        Cuts(offsets.into_iter().collect())
    }

    /// Cuts a stream of `len` bytes into chunks of `size` bytes. A size of 0 counts as 1.
    ///
    /// ```
    /// use followup_testing::Cuts;
    ///
    /// assert_eq!(Cuts::fixed(5, 2).chunks(b"abcde"), [&b"ab"[..], b"cd", b"e"]);
    /// ```
    pub fn fixed(len: usize, size: usize) -> Cuts {
        let size = size.max(1);
        Cuts((size..len).step_by(size).collect())
    }

    /// Returns up to `most` random offsets in a stream of `len` bytes.
    ///
    /// Equal seeds give equal offsets on every machine.
    ///
    /// ```
    /// use followup_testing::Cuts;
    ///
    /// assert_eq!(Cuts::random(100, 5, 1), Cuts::random(100, 5, 1));
    /// assert_ne!(Cuts::random(100, 5, 1), Cuts::random(100, 5, 2));
    /// ```
    pub fn random(len: usize, most: usize, seed: u64) -> Cuts {
        let mut seed = seed;
        let many = below(&mut seed, most + 1);
        Cuts::new((0..many).map(|_| below(&mut seed, len + 1)))
    }

    /// Returns every offset at which careless parsers fail.
    ///
    /// These are offsets inside characters, after the start and before the end of tags, entities,
    /// escapes, strings, lines and runs of white space, and inside names and numbers of escapes.
    ///
    /// ```
    /// use followup_testing::Cuts;
    ///
    /// let chunks = Cuts::adversarial("é\\n</s>".as_bytes()).chunks("é\\n</s>".as_bytes());
    /// assert_eq!(chunks, [&b"\xC3"[..], b"\xA9", b"\\", b"n", b"<", b"/", b"s", b">"]);
    /// ```
    pub fn adversarial(stream: &[u8]) -> Cuts {
        Cuts(
            (1..stream.len())
                .filter(|&offset| {
                    let (before, after) = (stream[offset - 1], stream[offset]);
                    let is_delimiter = |byte: u8| b"<>/&;#\\\"'=`{}[]:,\r\n".contains(&byte);
                    let in_or_after_character = !before.is_ascii();
                    let at_space = before.is_ascii_whitespace() != after.is_ascii_whitespace();
                    // Inside a name or the number of an escape.
                    let in_word =
                        after == b'_' || before == b'u' || (before.is_ascii_digit() && after.is_ascii_hexdigit());
                    is_delimiter(before) || is_delimiter(after) || at_space || in_word || in_or_after_character
                })
                .collect(),
        )
    }

    /// Returns the offsets, in the order in which they were given.
    pub fn offsets(&self) -> &[usize] {
        &self.0
    }

    /// Splits a stream into chunks, one more than there are offsets.
    pub fn chunks<'s>(&self, stream: &'s [u8]) -> Vec<&'s [u8]> {
        self.ranges(stream.len()).map(|range| &stream[range]).collect()
    }

    /// Splits a text into pieces; an offset inside a character cuts before the character.
    pub fn pieces<'s>(&self, text: &'s str) -> Vec<&'s str> {
        let boundary = |offset: usize| (0..=offset).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
        self.ranges(text.len()).map(|range| &text[boundary(range.start)..boundary(range.end)]).collect()
    }

    fn ranges(&self, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let mut offsets: Vec<usize> = self.0.iter().map(|offset| offset % (len + 1)).collect();
        offsets.sort_unstable();
        let mut from = 0;
        offsets.into_iter().chain([len]).map(move |to| mem::replace(&mut from, to)..to)
    }
}

/// Returns the next number of the sequence (splitmix64), below `n`.
pub(crate) fn below(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) % n.max(1) as u64) as usize
}
