//! How a stream is split into chunks by size: as it arrives, all of one length, or at random.

use std::fmt;
use std::str::FromStr;

use crate::cuts::below;

/// Length of the longest random chunk.
///
/// Most chunks are about as long as a token; a few hold a whole tag.
const LONGEST: usize = 64;

/// How a stream is split into chunks. The default leaves the chunks as they arrive.
///
/// [`Cuts`](crate::Cuts) are offsets in one stream; a chunking needs to know no stream, not even
/// its length. It parses from what a command line says.
///
/// ```
/// use followup_testing::Chunking;
///
/// let chunking: Chunking = "3".parse()?;
/// assert_eq!(chunking.chunks(b"abcdefg").collect::<Vec<_>>(), [&b"abc"[..], b"def", b"g"]);
/// assert!("0".parse::<Chunking>().is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunking {
    /// The chunks as they arrive.
    #[default]
    AsItArrives,
    /// Chunks of this many bytes; the last may be shorter. 0 counts as 1.
    Every(usize),
    /// Chunks of random lengths, which depend on this seed only.
    Random(u64),
}

impl FromStr for Chunking {
    type Err = String;

    fn from_str(text: &str) -> Result<Chunking, String> {
        let number =
            |text: &str, what| text.parse::<u64>().map_err(|_| format!("{text:?} is not a whole number: give {what}"));
        match text.strip_prefix("random:") {
            Some(seed) => number(seed, "random: and a number, such as random:1").map(Chunking::Random),
            None => match usize::try_from(number(text, "the bytes of a chunk, such as 4, or random: and a number")?)
                .unwrap_or(usize::MAX)
            {
                0 => Err("a chunk has at least 1 byte".into()),
                n => Ok(Chunking::Every(n)),
            },
        }
    }
}

/// Writes what `FromStr` parses. [`Chunking::AsItArrives`] has no such form and writes nothing.
impl fmt::Display for Chunking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Chunking::AsItArrives => Ok(()),
            Chunking::Every(n) => write!(f, "{n}"),
            Chunking::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

impl Chunking {
    /// Returns the lengths of the chunks, one after another.
    pub fn sizes(self) -> ChunkSizes {
        ChunkSizes(self)
    }

    /// Returns the chunking of stream `n` of many: random chunks differ from stream to stream.
    #[must_use]
    pub fn for_stream(self, n: u64) -> Chunking {
        match self {
            Chunking::Random(seed) => Chunking::Random(seed.wrapping_add(n)),
            chunking => chunking,
        }
    }

    /// Splits a whole stream. No chunk is empty; joined, the chunks are the stream.
    pub fn chunks(self, mut stream: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut sizes = self.sizes();
        std::iter::from_fn(move || {
            if stream.is_empty() {
                return None;
            }
            let size = sizes.next().unwrap_or(usize::MAX).min(stream.len());
            let (chunk, rest) = stream.split_at(size);
            stream = rest;
            Some(chunk)
        })
    }
}

/// The lengths of the chunks of a [`Chunking`], one after another, without end.
#[derive(Clone, Debug)]
pub struct ChunkSizes(Chunking);

impl ChunkSizes {
    /// Returns the length of the next chunk, at least 1; `None` for all bytes that have arrived.
    #[allow(clippy::should_implement_trait)] // An iterator's `None` would mean the end.
    pub fn next(&mut self) -> Option<usize> {
        match &mut self.0 {
            Chunking::AsItArrives => None,
            Chunking::Every(n) => Some((*n).max(1)),
            Chunking::Random(seed) => {
                // Every magnitude is equally likely; evenly distributed lengths would rarely be 1.
                let longest = 1 << below(seed, LONGEST.ilog2() as usize + 1);
                Some(1 + below(seed, longest))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_stream_has_no_chunks() {
        for chunking in [Chunking::AsItArrives, Chunking::Every(1), Chunking::Random(1)] {
            assert_eq!(chunking.chunks(b"").count(), 0);
        }
    }

    #[test]
    fn random_chunks_join_to_the_stream_have_all_lengths_and_depend_on_the_seed() {
        let stream: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let chunks = |seed| Chunking::Random(seed).chunks(&stream).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!(chunks(7).concat(), stream);
        assert_eq!(chunks(7), chunks(7));
        assert_ne!(chunks(7), chunks(8));
        let lengths: std::collections::BTreeSet<_> = chunks(7).iter().map(Vec::len).collect();
        assert_eq!((lengths.first(), lengths.last()), (Some(&1), Some(&64)));
    }

    #[test]
    fn chunks_of_a_fixed_length_join_to_the_stream() {
        assert_eq!(Chunking::Every(2).chunks(b"abcde").collect::<Vec<_>>(), [&b"ab"[..], b"cd", b"e"]);
        assert_eq!(Chunking::AsItArrives.chunks(b"abcde").collect::<Vec<_>>(), [b"abcde"]);
    }

    #[test]
    fn a_chunking_parses_from_a_number_or_a_seed_and_displays_as_the_same() {
        for (text, chunking) in [("3", Chunking::Every(3)), ("random:7", Chunking::Random(7))] {
            assert_eq!(text.parse(), Ok(chunking));
            assert_eq!(chunking.to_string(), text);
        }
        for bad in ["", "0", "-1", "x", "random", "random:", "random:x", "1.5", "99999999999999999999999"] {
            assert!(bad.parse::<Chunking>().is_err(), "{bad}");
        }
    }
}
