//! Splits the input into batches of whole lines, and skips lines that are too long.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

use crate::chunks::read_available;

/// The number of bytes requested at once.
///
/// A pipe holds less; for a file, the cost of the queues is negligible at this size.
const READ_SIZE: usize = 256 << 10;

/// Where a line is in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    /// The number of the line, from 1.
    pub(super) line: u64,
    /// The number of bytes before it.
    pub(super) offset: u64,
}

/// A part of the input.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum LinesPart {
    /// Whole lines, and the position of the first.
    ///
    /// Only the last line of the input may have no line feed. Each may be longer than the limit by
    /// less than a read.
    Lines(Vec<u8>, Position),
    /// A line that is longer than the limit, and is skipped.
    TooLong(Position),
}

/// A reader of lines, which holds no more of a line than the limit and one read.
#[derive(Debug)]
pub(super) struct LineReader<R> {
    reader: R,
    limit: usize,
    /// What has been read after the last line that was returned.
    pending: Vec<u8>,
    /// Where the pending bytes begin, or where the line began that is being skipped.
    position: Position,
    /// The number of bytes skipped so far of a line that is too long.
    skipped: Option<u64>,
}

impl<R: Read> LineReader<R> {
    pub(super) fn new(reader: R, limit: usize) -> LineReader<R> {
        LineReader { reader, limit, pending: Vec::new(), position: Position { line: 1, offset: 0 }, skipped: None }
    }

    /// Reads until there is a whole line, or one that is too long; `None` at the end of the input.
    ///
    /// What arrives at once is returned at once: the sender of a line may wait for its result.
    /// `spare` is an empty buffer for what follows.
    pub(super) fn next(&mut self, mut spare: Vec<u8>) -> io::Result<Option<LinesPart>> {
        loop {
            // The pending bytes of a line hold no line feed.
            let begin = self.pending.len();
            self.pending.resize(begin + READ_SIZE, 0);
            let read = read_available(&mut self.reader, &mut self.pending[begin..]);
            self.pending.truncate(begin + read.as_ref().copied().unwrap_or(0));
            if read? == 0 {
                let rest = std::mem::take(&mut self.pending);
                return Ok((!rest.is_empty()).then_some(LinesPart::Lines(rest, self.position)));
            }
            let mut begin = begin;
            if let Some(skipped) = self.skipped {
                let Some(end) = memchr(b'\n', &self.pending) else {
                    self.skipped = Some(skipped + self.pending.len() as u64);
                    self.pending.clear();
                    continue;
                };
                self.pending.drain(..=end);
                self.skipped = None;
                self.position.line += 1;
                self.position.offset += skipped + end as u64 + 1;
                begin = 0;
            }
            if let Some(end) = memrchr(b'\n', &self.pending[begin..]) {
                spare.extend_from_slice(&self.pending[begin + end + 1..]);
                self.pending.truncate(begin + end + 1);
                let lines = std::mem::replace(&mut self.pending, spare);
                let position = self.position;
                self.position.line += memchr_iter(b'\n', &lines).count() as u64;
                self.position.offset += lines.len() as u64;
                return Ok(Some(LinesPart::Lines(lines, position)));
            }
            if self.pending.len() > self.limit {
                self.skipped = Some(self.pending.len() as u64);
                // To keep the buffer would keep its memory.
                self.pending = Vec::new();
                return Ok(Some(LinesPart::TooLong(self.position)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lines of the input, with `None` for each that is too long.
    ///
    /// The input arrives in pieces of this size.
    fn read(input: &[u8], piece: usize, limit: usize) -> Vec<(Position, Option<Vec<u8>>)> {
        struct Pieces<'a>(&'a [u8], usize);

        impl Read for Pieces<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let len = self.1.min(buffer.len());
                (&mut self.0).take(len as u64).read(buffer)
            }
        }

        let mut reader = LineReader::new(Pieces(input, piece), limit);
        let mut lines = Vec::new();
        while let Some(part) = reader.next(Vec::new()).unwrap() {
            match part {
                LinesPart::TooLong(position) => lines.push((position, None)),
                LinesPart::Lines(part, mut position) => {
                    for line in part.split_inclusive(|&byte| byte == b'\n') {
                        let len = line.strip_suffix(b"\n").unwrap_or(line).len();
                        lines.push((position, (len <= limit).then(|| line.to_vec())));
                        position.line += 1;
                        position.offset += line.len() as u64;
                    }
                }
            }
        }
        lines
    }

    #[test]
    fn lines_and_their_positions_do_not_depend_on_how_the_input_arrives() {
        let long = "x".repeat(50);
        for input in [
            "".into(),
            "\n".into(),
            "a\nbb\n\nccc".into(),
            format!("{long}\na\n{long}{long}\n\n{long}"),
            format!("a\n{}\n{}\nb\n", &long[..20], &long[..21]),
        ] {
            let expected: Vec<_> = input
                .split_inclusive('\n')
                .enumerate()
                .scan(0, |offset, (index, line)| {
                    let position = Position { line: index as u64 + 1, offset: *offset };
                    *offset += line.len() as u64;
                    Some((position, (line.trim_end_matches('\n').len() <= 20).then(|| line.as_bytes().to_vec())))
                })
                .collect();
            for piece in 1..=input.len() + 1 {
                assert_eq!(read(input.as_bytes(), piece, 20), expected, "{input:?} in pieces of {piece}");
            }
        }
    }

    #[test]
    fn no_more_of_a_line_is_kept_than_the_limit_and_one_read() {
        let mut reader = LineReader::new(io::repeat(b'x').take(100 << 20).chain(&b"\nend"[..]), 1 << 20);
        assert_eq!(reader.next(Vec::new()).unwrap(), Some(LinesPart::TooLong(Position { line: 1, offset: 0 })));
        assert_eq!(reader.pending.capacity(), 0);
        let end = Position { line: 2, offset: (100 << 20) + 1 };
        assert_eq!(reader.next(Vec::new()).unwrap(), Some(LinesPart::Lines(b"end".into(), end)));
        assert_eq!(reader.next(Vec::new()).unwrap(), None);
        assert!(reader.pending.capacity() <= 2 * READ_SIZE);
    }
}
