//! Ways to cut a stream into chunks.

use std::fmt;
use std::str::FromStr;

/// Length of the longest random piece.
///
/// Most pieces are about as long as a token; a few hold a whole tag.
const LONGEST: u32 = 64;

/// A way to cut a stream into pieces. The default leaves the chunks as they arrive.
///
/// ```
/// use followup_serve::Cut;
///
/// let cut: Cut = "3".parse()?;
/// assert_eq!(cut.pieces(b"abcdefg").collect::<Vec<_>>(), [&b"abc"[..], b"def", b"g"]);
/// assert!("0".parse::<Cut>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The chunks as they arrive.
    #[default]
    AsItArrives,
    /// Pieces of this many bytes.
    Every(usize),
    /// Pieces of random lengths, with this seed.
    Random(u64),
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Cut, String> {
        let number = |text: &str| text.parse::<u64>().map_err(|error| format!("{text:?}: {error}"));
        match text.strip_prefix("random:") {
            Some(seed) => number(seed).map(Cut::Random),
            None => match usize::try_from(number(text)?).unwrap_or(usize::MAX) {
                0 => Err("a chunk has at least 1 byte".into()),
                n => Ok(Cut::Every(n)),
            },
        }
    }
}

/// Writes what `FromStr` parses. [`Cut::AsItArrives`] has no such form and writes nothing.
impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::AsItArrives => Ok(()),
            Cut::Every(n) => write!(f, "{n}"),
            Cut::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

impl Cut {
    /// Returns the lengths of the pieces, one after another.
    pub fn sizes(self) -> Sizes {
        match self {
            Cut::AsItArrives => Sizes::AsItArrives,
            Cut::Every(n) => Sizes::Every(n),
            Cut::Random(seed) => Sizes::Random(fastrand::Rng::with_seed(seed)),
        }
    }

    /// Returns the cut for stream `n` of many: random cuts differ from stream to stream.
    #[must_use]
    pub fn for_stream(self, n: u64) -> Cut {
        match self {
            Cut::Random(seed) => Cut::Random(seed.wrapping_add(n)),
            cut => cut,
        }
    }

    /// Cuts a complete stream. No piece is empty; joined, the pieces are the stream.
    pub fn pieces(self, mut stream: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut sizes = self.sizes();
        std::iter::from_fn(move || {
            if stream.is_empty() {
                return None;
            }
            let size = sizes.next().unwrap_or(usize::MAX).min(stream.len());
            let (piece, rest) = stream.split_at(size);
            stream = rest;
            Some(piece)
        })
    }
}

/// The lengths of the pieces, one after another, without end.
#[derive(Clone, Debug)]
pub enum Sizes {
    /// All bytes at hand.
    AsItArrives,
    /// Always this many bytes.
    Every(usize),
    /// Random lengths.
    Random(fastrand::Rng),
}

impl Sizes {
    /// Returns the length of the next piece, at least 1; `None` for all bytes at hand.
    #[allow(clippy::should_implement_trait)] // An iterator's `None` would mean the end.
    pub fn next(&mut self) -> Option<usize> {
        match self {
            Sizes::AsItArrives => None,
            Sizes::Every(n) => Some((*n).max(1)),
            Sizes::Random(rng) => {
                // Every magnitude is equally likely; evenly distributed lengths would rarely be 1.
                let longest = 1 << rng.u32(0..=LONGEST.ilog2());
                Some(rng.usize(1..=longest))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_stream_has_no_pieces() {
        for cut in [Cut::AsItArrives, Cut::Every(1), Cut::Random(1)] {
            assert_eq!(cut.pieces(b"").count(), 0);
        }
    }

    #[test]
    fn random_pieces_join_to_the_stream_have_all_lengths_and_depend_on_the_seed() {
        let stream: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let pieces = |seed| Cut::Random(seed).pieces(&stream).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!(pieces(7).concat(), stream);
        assert_eq!(pieces(7), pieces(7));
        assert_ne!(pieces(7), pieces(8));
        let lengths: std::collections::BTreeSet<_> = pieces(7).iter().map(Vec::len).collect();
        assert_eq!((lengths.first(), lengths.last()), (Some(&1), Some(&64)));
    }

    #[test]
    fn pieces_of_a_fixed_length_join_to_the_stream() {
        assert_eq!(Cut::Every(2).pieces(b"abcde").collect::<Vec<_>>(), [&b"ab"[..], b"cd", b"e"]);
        assert_eq!(Cut::AsItArrives.pieces(b"abcde").collect::<Vec<_>>(), [b"abcde"]);
    }

    #[test]
    fn a_cut_parses_from_a_number_or_a_seed_and_displays_as_the_same() {
        for (text, cut) in [("3", Cut::Every(3)), ("random:7", Cut::Random(7))] {
            assert_eq!(text.parse(), Ok(cut));
            assert_eq!(cut.to_string(), text);
        }
        for bad in ["", "0", "-1", "x", "random", "random:", "random:x", "1.5", "99999999999999999999999"] {
            assert!(bad.parse::<Cut>().is_err(), "{bad}");
        }
    }
}
