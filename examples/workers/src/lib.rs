//! Workers that keep nothing parse the bodies of streamed responses, from a Redis Stream of pieces.
//!
//! See the README for why the events are the same, each once and in order, whichever worker gets a
//! piece, and whichever worker dies.

mod event;
mod piece;
mod queue;
mod worker;

pub use event::{END, to_json};
pub use piece::Piece;
pub use queue::{Queue, Turn};
pub use worker::Worker;
