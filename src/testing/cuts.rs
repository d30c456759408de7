//! Where a stream is cut.

use alloc::vec::Vec;
use core::ops::Range;
use core::{iter, mem};

/// A message in pieces of that many bytes, as a stream might bring it; where that would cut a character, the piece is
/// longer by its rest. The last piece may be shorter. Pieces of 0 bytes are taken for pieces of 1.
///
/// ```
/// use followup::testing::pieces;
///
/// assert_eq!(pieces("ab über", 2).collect::<Vec<_>>(), ["ab", " ü", "be", "r"]);
/// assert_eq!(pieces("whole", usize::MAX).collect::<Vec<_>>(), ["whole"]);
/// assert_eq!(pieces("", 4).next(), None);
/// ```
pub fn pieces(message: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = message;
    iter::from_fn(move || {
        let len = rest.ceil_char_boundary(size.clamp(1, rest.len().max(1)));
        let (piece, behind) = rest.split_at_checked(len)?;
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Where a stream is cut: offsets. One behind the end wraps around, so that places that were chosen without knowing the stream cut it
/// somewhere. A place that stands twice gives an empty chunk, as streams have them.
///
/// ```
/// use followup::testing::Cuts;
///
/// let stream = "<b>é</b>";
/// assert_eq!(Cuts::new([4, 1]).chunks(stream.as_bytes()), [&b"<"[..], b"b>\xC3", b"\xA9</b>"]);
/// assert_eq!(Cuts::new([4, 1]).pieces(stream), ["<", "b>", "é</b>"], "text is cut in front of the character");
/// assert_eq!(Cuts::new([5, 8]).chunks(b"short"), [&b"sh"[..], b"ort", b""], "5 is the end, 8 is 2");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cuts(Vec<usize>);

impl Cuts {
    /// Cut at these offsets, in any order.
    pub fn new(places: impl IntoIterator<Item = usize>) -> Cuts {
        Cuts(places.into_iter().collect())
    }

    /// A stream of `len` bytes, in chunks of that many. A size of 0 is taken for 1.
    ///
    /// ```
    /// use followup::testing::Cuts;
    ///
    /// assert_eq!(Cuts::fixed(5, 2).chunks(b"abcde"), [&b"ab"[..], b"cd", b"e"]);
    /// ```
    pub fn fixed(len: usize, size: usize) -> Cuts {
        let size = size.max(1);
        Cuts((size..len).step_by(size).collect())
    }

    /// Up to so many places of a stream of `len` bytes, at random. The same seed gives the same places, on every machine.
    ///
    /// ```
    /// use followup::testing::Cuts;
    ///
    /// assert_eq!(Cuts::random(100, 5, 1), Cuts::random(100, 5, 1));
    /// assert_ne!(Cuts::random(100, 5, 1), Cuts::random(100, 5, 2));
    /// ```
    pub fn random(len: usize, most: usize, seed: u64) -> Cuts {
        let mut seed = seed;
        let many = below(&mut seed, most + 1);
        Cuts::new((0..many).map(|_| below(&mut seed, len + 1)))
    }

    /// Every place at which a careless reader goes wrong: inside characters, behind the beginning and in front of the end of tags, of close
    /// tags, of entities, of escapes, of strings, of lines and of runs of space, and twice in the middle of a word.
    ///
    /// ```
    /// use followup::testing::Cuts;
    ///
    /// let chunks = Cuts::adversarial("é\\n</s>".as_bytes()).chunks("é\\n</s>".as_bytes());
    /// assert_eq!(chunks, [&b"\xC3"[..], b"\xA9", b"\\", b"n", b"<", b"/", b"s", b">"]);
    /// ```
    pub fn adversarial(stream: &[u8]) -> Cuts {
        Cuts(
            (1..stream.len())
                .filter(|&at| {
                    let (before, behind) = (stream[at - 1], stream[at]);
                    let in_or_behind_character = !before.is_ascii();
                    let at_mark = |byte: u8| b"<>/&;#\\\"'=`{}[]:,\r\n".contains(&byte);
                    let at_space = before.is_ascii_whitespace() != behind.is_ascii_whitespace();
                    // In the middle of a name, and of the number of an escape.
                    let in_word =
                        behind == b'_' || before == b'u' || (before.is_ascii_digit() && behind.is_ascii_hexdigit());
                    at_mark(before) || at_mark(behind) || at_space || in_word || in_or_behind_character
                })
                .collect(),
        )
    }

    /// The places.
    pub fn places(&self) -> &[usize] {
        &self.0
    }

    /// The stream, cut there. There is one chunk more than there are places.
    pub fn chunks<'s>(&self, stream: &'s [u8]) -> Vec<&'s [u8]> {
        self.ranges(stream.len()).map(|range| &stream[range]).collect()
    }

    /// The text, cut there, or in front of the character that is there.
    pub fn pieces<'s>(&self, text: &'s str) -> Vec<&'s str> {
        let at = |place| text.floor_char_boundary(place);
        self.ranges(text.len()).map(|range| &text[at(range.start)..at(range.end)]).collect()
    }

    fn ranges(&self, len: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let mut places: Vec<usize> = self.0.iter().map(|place| place % (len + 1)).collect();
        places.sort_unstable();
        let mut from = 0;
        places.into_iter().chain([len]).map(move |to| mem::replace(&mut from, to)..to)
    }
}

/// The next number of the sequence (splitmix64), below `n`.
pub(super) fn below(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) % n.max(1) as u64) as usize
}
