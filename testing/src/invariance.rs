//! The assertion that a result does not depend on where the stream is cut.

use std::fmt::{Debug, Write};

use crate::cuts::{Cuts, below};

/// The longest stream that is cut in two at every offset.
const EVERY_OFFSET: usize = 4 << 10;
/// At about how many offsets a longer stream is cut in two.
const SOME_OFFSETS: usize = 512;
/// How many sets of random cuts are tried, and how many of adversarial ones.
const RANDOM: u64 = 64;

/// Asserts that `read` returns the same for a stream however it is cut.
///
/// The stream is read whole, byte by byte, in chunks of 2 to 17, 64, 256 and 4096 bytes, cut in two
/// at every offset (of a stream longer than 4 KiB: at about 500 offsets), cut at every
/// [adversarial](Cuts::adversarial) offset, at random ones of those, and at random offsets.
///
/// `read` may be any reader: the [`Parser`](followup::Parser), a program around it, another parser.
/// Its result should be a normal form, such as a [`Transcript`](crate::Transcript): lists of events
/// differ by how text is split. It is called a few hundred times for a short stream, about 4,000
/// times for one of 4 KiB, and about 700 times for a longer one.
///
/// # Panics
///
/// If a result differs from that of the whole stream. The message has both results, and a minimal
/// set of cuts that makes the difference.
///
/// ```should_panic
/// use followup_testing::assert_chunk_invariant;
///
/// // A reader that searches each chunk for its tag.
/// assert_chunk_invariant(b"yes <ask>", |chunks| {
///     chunks.iter().any(|chunk| chunk.ends_with(b"<ask>"))
/// });
/// ```
#[track_caller]
pub fn assert_chunk_invariant<T: PartialEq + Debug>(stream: &[u8], mut read: impl FnMut(&[&[u8]]) -> T) {
    let whole = read(&[stream]);
    for cuts in ways(stream) {
        if read(&cuts.chunks(stream)) != whole {
            let cuts = fewest(&cuts, |cuts| read(&cuts.chunks(stream)) != whole);
            let chunks = cuts.chunks(stream);
            let got = read(&chunks);
            panic!("the result depends on the cuts.\nchunks: {}\ncut: {got:#?}\nwhole: {whole:#?}", quoted(&chunks));
        }
    }
}

/// Returns all cuts that are tried.
fn ways(stream: &[u8]) -> impl Iterator<Item = Cuts> {
    let len = stream.len();
    let step = if len <= EVERY_OFFSET { 1 } else { len / SOME_OFFSETS };
    let adversarial = Cuts::adversarial(stream);
    let offsets = adversarial.clone();
    let some_adversarial = move |seed| {
        let mut random = seed;
        let one_in = 2 + below(&mut random, 6);
        Cuts::new(offsets.offsets().iter().copied().filter(|_| below(&mut random, one_in) == 0))
    };
    let fixed = [1].into_iter().chain(2..18).chain([64, 256, 4096]).map(move |size| Cuts::fixed(len, size));
    let empty_chunks = Cuts::new([0, 0, len / 2, len / 2, len]);
    fixed
        .chain([empty_chunks, adversarial])
        .chain((1..len).step_by(step).map(|cut| Cuts::new([cut])))
        .chain((0..RANDOM).map(some_adversarial))
        .chain((0..RANDOM).map(move |seed| Cuts::random(len, 12, seed)))
}

/// Removes cuts as long as the result `differs`.
///
/// It removes halves first, so that thousands of cuts take about a hundred calls.
fn fewest(cuts: &Cuts, mut differs: impl FnMut(&Cuts) -> bool) -> Cuts {
    let mut offsets: Vec<usize> = cuts.offsets().to_vec();
    let mut size = offsets.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        while from < offsets.len() {
            let to = (from + size).min(offsets.len());
            let fewer = Cuts::new(offsets[..from].iter().chain(&offsets[to..]).copied());
            if differs(&fewer) {
                offsets = fewer.offsets().to_vec();
            } else {
                from = to;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Cuts::new(offsets)
}

/// Returns the chunks as they are in the message of a failure.
fn quoted(chunks: &[&[u8]]) -> String {
    let mut quoted = String::new();
    for chunk in chunks {
        let bar = if quoted.is_empty() { "" } else { " | " };
        let _ = write!(quoted, "{bar}\"{}\"", chunk.escape_ascii());
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_fewest_cuts() {
        let failed = std::panic::catch_unwind(|| {
            // Wrong only if cut both after the `<` and before the `>`.
            assert_chunk_invariant(b"one <two> three", |chunks| {
                chunks.iter().any(|chunk| chunk.ends_with(b"<")) && chunks.iter().any(|chunk| chunk.starts_with(b">"))
            });
        });
        let message = *failed.expect_err("it differs").downcast::<String>().expect("a message");
        assert!(message.contains("chunks: \"one <\" | \"two\" | \"> three\"\ncut: true\nwhole: false"), "{message}");
    }

    #[test]
    fn every_offset_is_tried() {
        for len in [0, 1, 2, 100, EVERY_OFFSET, EVERY_OFFSET + 1, 100_000] {
            let stream = [b'x'].repeat(len);
            let mut alone = Vec::new();
            assert_chunk_invariant(&stream, |chunks| {
                assert_eq!(chunks.concat(), stream);
                alone.extend((chunks.len() == 2).then(|| chunks[0].len()));
            });
            alone.sort_unstable();
            alone.dedup();
            let wanted = if len <= EVERY_OFFSET { len.saturating_sub(1) } else { SOME_OFFSETS };
            assert!(alone.iter().filter(|&&cut| 0 < cut && cut < len).count() >= wanted, "{len}");
        }
    }
}
