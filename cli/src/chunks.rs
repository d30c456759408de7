//! A stream in pieces: as they arrive, or cut on purpose.

use std::io::{self, Read};
use std::time::Duration;

pub(crate) use followup_serve::Cut;
use followup_serve::Sizes;

/// How many bytes are asked for at once. A pipe holds no more.
const READ: usize = 64 << 10;

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
    fn random_pieces_are_the_same_read_or_at_hand() {
        let stream: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let pieces: Vec<_> = Cut::Random(7).pieces(&stream).map(<[u8]>::to_vec).collect();
        assert_eq!(pieces, all(&*stream, Cut::Random(7)));
    }
}
