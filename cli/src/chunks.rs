//! A stream in pieces: as they arrive, or cut on purpose.

use std::io::{self, Read};
use std::str::FromStr;
use std::time::Duration;

/// How many bytes are asked for at once. A pipe holds no more.
const READ: usize = 64 << 10;

/// The longest of the random pieces. Most are much shorter, about as long as a token; a few hold a whole tag.
const LONGEST: u32 = 64;

/// How a stream is cut. The default is no cut of our own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Cut {
    #[default]
    AsItArrives,
    Every(usize),
    /// By chance, which this number decides.
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

impl Cut {
    /// The length of each piece in turn. `None`: as much as there is.
    fn sizes(self) -> Sizes {
        match self {
            Cut::AsItArrives => Sizes::AsItArrives,
            Cut::Every(n) => Sizes::Every(n),
            Cut::Random(seed) => Sizes::Random(fastrand::Rng::with_seed(seed)),
        }
    }

    /// The same cut for the `n`th of many streams: by chance, each is cut in its own way.
    pub(crate) fn for_stream(self, n: u64) -> Cut {
        match self {
            Cut::Random(seed) => Cut::Random(seed.wrapping_add(n)),
            cut => cut,
        }
    }

    /// A stream that is all there, in pieces.
    pub(crate) fn pieces(self, mut stream: &[u8]) -> impl Iterator<Item = &[u8]> {
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

#[derive(Debug)]
enum Sizes {
    AsItArrives,
    Every(usize),
    Random(fastrand::Rng),
}

impl Sizes {
    fn next(&mut self) -> Option<usize> {
        match self {
            Sizes::AsItArrives => None,
            Sizes::Every(n) => Some(*n),
            Sizes::Random(rng) => {
                // Of all magnitudes alike: evenly spread lengths would hardly ever be 1.
                let longest = 1 << rng.u32(0..=LONGEST.ilog2());
                Some(rng.usize(1..=longest))
            }
        }
    }
}

/// The pieces of what is being read.
#[derive(Debug)]
pub(crate) struct Chunks<R> {
    from: R,
    sizes: Sizes,
    delay: Duration,
    begun: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(from: R, cut: Cut, delay: Duration) -> Chunks<R> {
        Chunks { from, sizes: cut.sizes(), delay, begun: false, buffer: Vec::new() }
    }

    /// The next piece; `None` at the end. Waits before every piece but the first, if that was wanted.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if std::mem::replace(&mut self.begun, true) && !self.delay.is_zero() {
            std::thread::sleep(self.delay);
        }
        match self.sizes.next() {
            None => {
                self.buffer.resize(READ, 0);
                let read = read_some(&mut self.from, &mut self.buffer)?;
                Ok(Some(&self.buffer[..read]).filter(|chunk| !chunk.is_empty()))
            }
            Some(size) => {
                self.buffer.clear();
                // Grows with what there is, however large the size.
                self.from.by_ref().take(size as u64).read_to_end(&mut self.buffer)?;
                Ok(Some(&*self.buffer).filter(|chunk| !chunk.is_empty()))
            }
        }
    }
}

/// Reads what is there, and waits only if nothing is.
pub(crate) fn read_some(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match from.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives what it is told to, one read at a time.
    struct Arriving(Vec<io::Result<&'static [u8]>>);

    impl Read for Arriving {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() {
                return Ok(0);
            }
            let bytes = self.0.remove(0)?;
            let (now, later) = bytes.split_at(bytes.len().min(buffer.len()));
            buffer[..now.len()].copy_from_slice(now);
            if !later.is_empty() {
                self.0.insert(0, Ok(later));
            }
            Ok(now.len())
        }
    }

    fn all(from: impl Read, cut: Cut) -> Vec<Vec<u8>> {
        let mut chunks = Chunks::new(from, cut, Duration::ZERO);
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next().unwrap() {
            all.push(chunk.to_vec());
        }
        all
    }

    #[test]
    fn chunks_come_as_they_arrive() {
        let interrupted = || Err(io::Error::from(io::ErrorKind::Interrupted));
        let from = Arriving(vec![Ok(b"ab"), interrupted(), Ok(b"c"), Ok(b"defg")]);
        assert_eq!(all(from, Cut::AsItArrives), [&b"ab"[..], b"c", b"defg"]);
    }

    #[test]
    fn fixed_chunks_do_not_depend_on_how_the_stream_arrives() {
        let interrupted = || Err(io::Error::from(io::ErrorKind::Interrupted));
        let from = || Arriving(vec![Ok(b"ab"), interrupted(), Ok(b"c"), Ok(b"defg")]);
        assert_eq!(all(from(), Cut::Every(3)), [&b"abc"[..], b"def", b"g"]);
        assert_eq!(all(from(), Cut::Every(usize::MAX)), [b"abcdefg"]);
    }

    #[test]
    fn an_empty_stream_has_no_chunks() {
        for cut in [Cut::AsItArrives, Cut::Every(1), Cut::Random(1)] {
            assert!(all(io::empty(), cut).is_empty());
            assert_eq!(cut.pieces(b"").count(), 0);
        }
    }

    #[test]
    fn a_read_error_is_passed_on() {
        let from = || Arriving(vec![Err(io::Error::from(io::ErrorKind::IsADirectory))]);
        for cut in [Cut::AsItArrives, Cut::Every(1), Cut::Random(1)] {
            let error = Chunks::new(from(), cut, Duration::ZERO).next().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        }
    }

    #[test]
    fn random_pieces_add_up_are_of_all_lengths_and_follow_the_seed() {
        let stream: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let pieces = |seed| Cut::Random(seed).pieces(&stream).map(<[u8]>::to_vec).collect::<Vec<_>>();
        assert_eq!(pieces(7).concat(), stream);
        assert_eq!(pieces(7), pieces(7));
        assert_ne!(pieces(7), pieces(8));
        assert_eq!(pieces(7), all(&*stream, Cut::Random(7)), "read or at hand");
        let lengths: std::collections::BTreeSet<_> = pieces(7).iter().map(Vec::len).collect();
        assert_eq!((lengths.first(), lengths.last()), (Some(&1), Some(&64)));
    }

    #[test]
    fn fixed_pieces_add_up() {
        assert_eq!(Cut::Every(2).pieces(b"abcde").collect::<Vec<_>>(), [&b"ab"[..], b"cd", b"e"]);
        assert_eq!(Cut::AsItArrives.pieces(b"abcde").collect::<Vec<_>>(), [b"abcde"]);
    }

    #[test]
    fn cuts_are_written_as_a_number_or_with_a_seed() {
        assert_eq!("3".parse(), Ok(Cut::Every(3)));
        assert_eq!("random:7".parse(), Ok(Cut::Random(7)));
        for bad in ["", "0", "-1", "x", "random", "random:", "random:x", "1.5", "99999999999999999999999"] {
            assert!(bad.parse::<Cut>().is_err(), "{bad}");
        }
    }
}
