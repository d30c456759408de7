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

/// Returns a quarter of `full` if `FOLLOWUP_SWEEP` is not set: see docs/testing.md.
fn sized(full: usize) -> usize {
    if std::env::var_os("FOLLOWUP_SWEEP").is_none() { full / 4 } else { full }
}
