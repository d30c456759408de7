//! The least work that is possible with the same chunks: a lower bound for every reader.
//!
//! These find no questions.

use std::hint::black_box;

use super::Reader;
use crate::format::Format;
use crate::sink::Sink;

/// Appends each chunk to a `String` with enough capacity.
#[derive(Debug)]
pub(crate) struct PushStr {
    text: String,
    format: Format,
}

/// Counts the `<` in each chunk.
#[derive(Debug)]
pub(crate) struct Memchr(Format);

impl PushStr {
    pub(crate) fn new(format: Format) -> PushStr {
        PushStr { text: String::new(), format }
    }
}

impl Memchr {
    pub(crate) fn new(format: Format) -> Memchr {
        Memchr(format)
    }
}

impl Reader for PushStr {
    fn name(&self) -> &'static str {
        "String::push_str"
    }

    fn format(&self) -> Format {
        self.format
    }

    fn prepare(&mut self, chunks: &[&str]) {
        self.text.clear();
        self.text.reserve(chunks.iter().map(|chunk| chunk.len()).sum());
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], _: &mut S) {
        for chunk in chunks {
            self.text.push_str(chunk);
        }
        black_box(&self.text);
    }
}

impl Reader for Memchr {
    fn name(&self) -> &'static str {
        "memchr"
    }

    fn format(&self) -> Format {
        self.0
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], _: &mut S) {
        let count = |chunk: &&str| memchr::memchr_iter(b'<', chunk.as_bytes()).count();
        black_box(chunks.iter().map(count).sum::<usize>());
    }
}
