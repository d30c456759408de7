//! The guarantees G1 to G5 as laws: stated once, tested on every stream that a test can make.

mod certain;
mod checkpoints;
#[path = "../common/mod.rs"]
mod common;
mod exhaustive;
mod linear;
mod order;
mod properties;
mod states;
mod utf8;
