//! Where a stream is cut.

use proptest::prelude::*;

/// Where to cut; taken modulo the length.
pub fn cuts() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(any::<usize>(), 0..12)
}

/// The stream, cut there.
pub fn cut<'s>(stream: &'s [u8], cuts: &[usize]) -> Vec<&'s [u8]> {
    let mut at: Vec<usize> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    at.extend([0, stream.len()]);
    at.sort_unstable();
    at.windows(2).map(|pair| &stream[pair[0]..pair[1]]).collect()
}
