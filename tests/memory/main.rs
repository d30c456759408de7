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
