//! The guarantees G1 to G5 as laws: stated once, tested on every stream that a test can make.

mod certain;
mod certain_drawn;
mod certain_envelopes;
mod certain_shapes;
mod checkpoints;
#[path = "../common/mod.rs"]
mod common;
mod exhaustive;
mod exhaustive_pieces;
mod exhaustive_shapes;
mod leaked_at_random;
mod leaked_tools;
mod oracle;
mod order;
mod properties;
mod shapes;
mod states;
mod utf8;
