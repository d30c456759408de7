//! Cuts a stream into chunks: as it arrives, or into chunks of chosen sizes.

use std::io::{self, Read};
use std::time::Duration;

use followup_testing::{ChunkSizes, Chunking};

/// The number of bytes requested at once. A pipe holds no more.
const READ_SIZE: usize = 64 << 10;

/// The chunks of a stream.
#[derive(Debug)]
pub(crate) struct Chunks<R> {
    reader: R,
    sizes: ChunkSizes,
    delay: Duration,
    is_first: bool,
    buffer: Vec<u8>,
}

impl<R: Read> Chunks<R> {
    pub(crate) fn new(reader: R, chunking: Chunking, delay: Duration) -> Chunks<R> {
        Chunks { reader, sizes: chunking.sizes(), delay, is_first: true, buffer: Vec::new() }
    }

    /// Returns the next chunk; `None` at the end.
    ///
    /// Waits for the delay before every chunk but the first.
    pub(crate) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if !std::mem::take(&mut self.is_first) && !self.delay.is_zero() {
            std::thread::sleep(self.delay);
        }
        match self.sizes.next() {
            None => {
                self.buffer.resize(READ_SIZE, 0);
                let len = read_available(&mut self.reader, &mut self.buffer)?;
                Ok(Some(&self.buffer[..len]).filter(|chunk| !chunk.is_empty()))
            }
            Some(size) => {
                self.buffer.clear();
                // The buffer grows with the bytes that are read, however large the size is.
                self.reader.by_ref().take(size as u64).read_to_end(&mut self.buffer)?;
                Ok(Some(&*self.buffer).filter(|chunk| !chunk.is_empty()))
            }
        }
    }
}

/// Reads the bytes that are available, and blocks only if there are none.
pub(crate) fn read_available(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader whose reads return these results, one after the other.
    struct Script(Vec<io::Result<&'static [u8]>>);

    impl Read for Script {
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

    fn all(reader: impl Read, chunking: Chunking) -> Vec<Vec<u8>> {
        let mut chunks = Chunks::new(reader, chunking, Duration::ZERO);
        let mut all = Vec::new();
        while let Some(chunk) = chunks.next().unwrap() {
            all.push(chunk.to_vec());
        }
        all
    }

    #[test]
    fn chunks_come_as_they_arrive() {
        let interrupted = || Err(io::Error::from(io::ErrorKind::Interrupted));
        let script = Script(vec![Ok(b"ab"), interrupted(), Ok(b"c"), Ok(b"defg")]);
        assert_eq!(all(script, Chunking::AsItArrives), [&b"ab"[..], b"c", b"defg"]);
    }

    #[test]
    fn fixed_chunks_are_independent_of_how_the_stream_arrives() {
        let interrupted = || Err(io::Error::from(io::ErrorKind::Interrupted));
        let script = || Script(vec![Ok(b"ab"), interrupted(), Ok(b"c"), Ok(b"defg")]);
        assert_eq!(all(script(), Chunking::Every(3)), [&b"abc"[..], b"def", b"g"]);
        assert_eq!(all(script(), Chunking::Every(usize::MAX)), [b"abcdefg"]);
    }

    #[test]
    fn an_empty_stream_has_no_chunks() {
        for chunking in [Chunking::AsItArrives, Chunking::Every(1), Chunking::Random(1)] {
            assert!(all(io::empty(), chunking).is_empty());
        }
    }

    #[test]
    fn a_read_error_is_returned() {
        let script = || Script(vec![Err(io::Error::from(io::ErrorKind::IsADirectory))]);
        for chunking in [Chunking::AsItArrives, Chunking::Every(1), Chunking::Random(1)] {
            let error = Chunks::new(script(), chunking, Duration::ZERO).next().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        }
    }

    #[test]
    fn random_chunks_of_a_reader_and_of_a_slice_are_the_same() {
        let stream: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let chunks: Vec<_> = Chunking::Random(7).chunks(&stream).map(<[u8]>::to_vec).collect();
        assert_eq!(chunks, all(&*stream, Chunking::Random(7)));
    }
}
