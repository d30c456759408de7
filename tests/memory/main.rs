//! What parsers and responses cost in memory: their size, their allocations, and the bounds that
//! the limits set.
//!
//! `allocation-counter` counts the allocations of the thread that measures, so the tests run in parallel.

mod allocations;
mod checkpoints;
mod endless;
mod formula;
mod limits;
mod long;
mod providers;
