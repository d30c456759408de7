//! What is read does not depend on where the stream is cut.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{Debug, Write};

use super::cuts::{Cuts, below};

/// Streams up to so many bytes are cut in two at every place, longer ones where it hurts and here and there.
const EVERYWHERE: usize = 4 << 10;
/// Longer streams are cut in two at about so many places.
const HERE_AND_THERE: usize = 512;
const RANDOM: u64 = 64;

/// Reads a stream whole, byte by byte, in chunks of 2 to 17, 64, 256 and 4096 bytes, cut in two at every place (of more than 4 KiB: at
/// about 500), cut at every [adversarial](Cuts::adversarial) place, at random ones of those, and at random places. What is read must be the
/// same as of the whole: else it panics, with the fewest cuts that it can find to make the difference, and with what was read.
///
/// `read` may be any reader: the [`Parser`](crate::Parser), a program around it, another parser. It is called a few hundred times for a
/// short stream, some 4,000 times for one of 4 KiB, and about 700 times for a longer one. What it returns should be a normal form, such as
/// a [`Transcript`](super::Transcript): a list of events differs by how text is split.
///
/// # Panics
///
/// If `read` reads something else of the same stream.
///
/// ```should_panic
/// use followup::testing::assert_chunk_invariant;
///
/// // A reader that looks for its tag in each chunk.
/// assert_chunk_invariant(b"yes <ask>", |chunks| chunks.iter().any(|chunk| chunk.ends_with(b"<ask>")));
/// ```
#[track_caller]
pub fn assert_chunk_invariant<T: PartialEq + Debug>(stream: &[u8], mut read: impl FnMut(&[&[u8]]) -> T) {
    let whole = read(&[stream]);
    for cuts in ways(stream) {
        if read(&cuts.chunks(stream)) != whole {
            let cuts = fewest(&cuts, |cuts| read(&cuts.chunks(stream)) != whole);
            let chunks = cuts.chunks(stream);
            let got = read(&chunks);
            panic!("what is read depends on the cut.\nchunks: {}\nread: {got:#?}\nwhole: {whole:#?}", said(&chunks));
        }
    }
}

/// All ways to cut it.
fn ways(stream: &[u8]) -> impl Iterator<Item = Cuts> {
    let len = stream.len();
    let step = if len <= EVERYWHERE { 1 } else { len / HERE_AND_THERE };
    let adversarial = Cuts::adversarial(stream);
    let hurting = adversarial.clone();
    let some = move |seed| {
        let mut random = seed;
        let one_in = 2 + below(&mut random, 6);
        Cuts::new(hurting.places().iter().copied().filter(|_| below(&mut random, one_in) == 0))
    };
    let fixed = [1].into_iter().chain(2..18).chain([64, 256, 4096]).map(move |size| Cuts::fixed(len, size));
    let empty_ones = Cuts::new([0, 0, len / 2, len / 2, len]);
    fixed
        .chain([empty_ones, adversarial])
        .chain((1..len).step_by(step).map(|at| Cuts::new([at])))
        .chain((0..RANDOM).map(some))
        .chain((0..RANDOM).map(move |seed| Cuts::random(len, 12, seed)))
}

/// Leaves out cuts as long as it `differs`. Halves first, so that thousands of cuts take only some hundred looks.
fn fewest(cuts: &Cuts, mut differs: impl FnMut(&Cuts) -> bool) -> Cuts {
    let mut places: Vec<usize> = cuts.places().to_vec();
    let mut size = places.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        while from < places.len() {
            let to = (from + size).min(places.len());
            let fewer = Cuts::new(places[..from].iter().chain(&places[to..]).copied());
            if differs(&fewer) {
                places = fewer.places().to_vec();
            } else {
                from = to;
            }
        }
        size = if size == 1 { 0 } else { size.div_ceil(2) };
    }
    Cuts::new(places)
}

fn said(chunks: &[&[u8]]) -> String {
    let mut said = String::new();
    for chunk in chunks {
        let bar = if said.is_empty() { "" } else { " | " };
        let _ = write!(said, "{bar}\"{}\"", chunk.escape_ascii());
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_with_the_fewest_cuts() {
        let shown = std::panic::catch_unwind(|| {
            // Wrong only if cut both behind the `<` and in front of the `>`.
            assert_chunk_invariant(b"one <two> three", |chunks| {
                chunks.iter().any(|chunk| chunk.ends_with(b"<")) && chunks.iter().any(|chunk| chunk.starts_with(b">"))
            });
        });
        let message = *shown.expect_err("it differs").downcast::<String>().expect("a message");
        assert!(message.contains("chunks: \"one <\" | \"two\" | \"> three\"\nread: true\nwhole: false"), "{message}");
    }

    #[test]
    fn every_place_is_tried() {
        for len in [0, 1, 2, 100, EVERYWHERE, EVERYWHERE + 1, 100_000] {
            let stream = [b'x'].repeat(len);
            let mut alone = Vec::new();
            assert_chunk_invariant(&stream, |chunks| {
                assert_eq!(chunks.concat(), stream);
                alone.extend((chunks.len() == 2).then(|| chunks[0].len()));
            });
            alone.sort_unstable();
            alone.dedup();
            let wanted = if len <= EVERYWHERE { len.saturating_sub(1) } else { HERE_AND_THERE };
            assert!(alone.iter().filter(|&&at| 0 < at && at < len).count() >= wanted, "{len}");
        }
    }
}
