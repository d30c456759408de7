//! How much the tests try.
//!
//! By default a test tries as much as takes a few seconds. `FOLLOWUP_SWEEP` makes it try more,
//! `PROPTEST_CASES` sets the number of cases of each property:
//!
//! | `FOLLOWUP_SWEEP` | sequences of an exhaustive sweep | cases of a property |
//! |---|---|---|
//! | not set | all but the longest, and of those [`FEW`] times fewer than `full`; still fewer where a sweep is [`thinned`](Sweep::thinned) | [`FEW`] times fewer |
//! | `full` | all; of a sampled sweep, one in so many of the longest | all |
//! | a number | all of up to so many pieces | all |
//!
//! What is left out is chosen by a fixed seed, so a test that fails fails again.
//! Streams are also cut in fewer ways: see [`assert_chunk_invariant`].

use std::cmp::Ordering;
use std::env;
use std::fmt::Debug;

use followup_testing::Cuts;

/// By default so many times fewer of the longest sequences, and cases of a property, are tried.
const FEW: u32 = 60;

/// How many cases a property is tried with that has so many at the full length.
pub fn cases(full: u32) -> u32 {
    let wanted = env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    wanted.unwrap_or(if env::var_os("FOLLOWUP_SWEEP").is_some() { full } else { full / FEW })
}

/// The sequences that a sweep tries.
pub struct Sweep {
    /// The length of the longest.
    pub length: usize,
    /// How many of the longest are tried: one in so many.
    one_in: u64,
    /// How many of the others.
    one_in_of_shorter: u64,
    seed: u64,
}

impl Sweep {
    /// A sweep of sequences of up to `full` pieces.
    pub fn new(full: usize) -> Sweep {
        Sweep::sampled(full, 1)
    }

    /// Returns whether `FOLLOWUP_SWEEP` is not set.
    pub fn is_short() -> bool {
        env::var_os("FOLLOWUP_SWEEP").is_none()
    }

    /// A sweep of sequences of up to `full` pieces, too many to try more than one in `one_in` of
    /// the longest at the full length.
    pub fn sampled(full: usize, one_in: u64) -> Sweep {
        let (length, one_in) = match env::var("FOLLOWUP_SWEEP").as_deref() {
            Err(_) => (full, one_in * u64::from(FEW)),
            Ok("full") => (full, one_in),
            Ok(length) => (length.parse().expect("FOLLOWUP_SWEEP is `full` or a number"), 1),
        };
        Sweep { length, one_in, one_in_of_shorter: 1, seed: 0 }
    }

    /// By default, tries only one in `one_in` of the shorter sequences, and of what is left of the
    /// longest.
    pub fn thinned(mut self, one_in: u64) -> Sweep {
        if Sweep::is_short() {
            self.one_in_of_shorter = one_in;
            self.one_in *= one_in;
        }
        self
    }

    /// Returns whether to try the next sequence of that length.
    pub fn tries(&mut self, length: usize) -> bool {
        let one_in = match length.cmp(&self.length) {
            Ordering::Less => self.one_in_of_shorter,
            Ordering::Equal => self.one_in,
            Ordering::Greater => return false,
        };
        if one_in == 1 {
            return true;
        }
        // The high bits of a linear congruential generator.
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33).is_multiple_of(one_in)
    }
}

/// Asserts that `read` returns the same however the stream is cut.
///
/// By default, that is in equal pieces, in all places at once where a cut is likely to matter, and
/// in two at one byte in three; else in all ways of [`followup_testing`].
pub fn assert_chunk_invariant<T: PartialEq + Debug>(stream: &[u8], mut read: impl FnMut(&[&[u8]]) -> T) {
    if !Sweep::is_short() {
        return followup_testing::assert_chunk_invariant(stream, read);
    }
    let (len, whole) = (stream.len(), read(&[stream]));
    let fixed = [1, 2, 3, 5, 7, 16, 64].map(|size| Cuts::fixed(len, size));
    let random = (0..8).map(|seed| Cuts::random(len, 12, seed));
    let in_two = (1 + len % 3..len).step_by(3.max(len / 256)).map(|index| Cuts::new([index]));
    let mut all = fixed.into_iter().chain([Cuts::adversarial(stream)]).chain(random).chain(in_two);
    if let Some(cuts) = all.find(|cuts| read(&cuts.chunks(stream)) != whole) {
        // It finds the fewest cuts, most often.
        followup_testing::assert_chunk_invariant(stream, read);
        panic!("the result depends on {cuts:?}");
    }
}
