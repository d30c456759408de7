//! The memory of parsers and responses: their size, their allocations, and their bounds.
//!
//! `allocation-counter` counts the allocations of the thread that measures, so the tests run in
//! parallel.

mod allocations;
mod checkpoints;
mod endless;
mod formula;
mod limits;
mod long;
mod providers;

/// Returns whether `FOLLOWUP_SWEEP` is not set: see docs/testing.md.
fn is_short() -> bool {
    std::env::var_os("FOLLOWUP_SWEEP").is_none()
}

/// Returns a quarter of `full` in the short form.
fn sized(full: usize) -> usize {
    if is_short() { full / 4 } else { full }
}

/// How much is parsed of a stream of which at most `most` bytes may be kept: `full`, or in the
/// short form no more than twice `most`, which a parser that keeps the stream exceeds.
fn enough(full: u64, most: u64) -> u64 {
    if is_short() { full.min((2 * most).max(64 << 10)) } else { full }
}
