//! How much the tests try.
//!
//! By default a test tries as much as takes a few seconds. `FOLLOWUP_SWEEP` makes it try more,
//! `PROPTEST_CASES` sets the number of cases of each property:
//!
//! | `FOLLOWUP_SWEEP` | sequences of an exhaustive sweep | cases of a property |
//! |---|---|---|
//! | not set | all but the longest, and of those one in [`ONE_IN`] | [`FEW`] times fewer |
//! | `full` | all | all |
//! | a number | all of up to so many pieces | all |
//!
//! What is left out is chosen by a fixed seed, so a test that fails fails again.

use std::env;

/// By default one in so many of the longest sequences is tried.
const ONE_IN: u64 = 10;

/// By default a property is tried with so many times fewer cases.
const FEW: u32 = 10;

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
    seed: u64,
}

impl Sweep {
    /// A sweep of sequences of up to `full` pieces.
    pub fn new(full: usize) -> Sweep {
        let (length, one_in) = match env::var("FOLLOWUP_SWEEP").as_deref() {
            Err(_) => (full, ONE_IN),
            Ok("full") => (full, 1),
            Ok(length) => (length.parse().expect("FOLLOWUP_SWEEP is `full` or a number"), 1),
        };
        Sweep { length, one_in, seed: 0 }
    }

    /// Returns whether to try the next sequence of that length.
    pub fn tries(&mut self, length: usize) -> bool {
        if length < self.length || self.one_in == 1 {
            return true;
        }
        // The high bits of a linear congruential generator.
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33).is_multiple_of(self.one_in)
    }
}
