//! What feeds a turn: a relayed stream, a recording, or the continuation of an answered turn.

pub(crate) mod continuing;
pub(crate) mod player;
mod problem;
pub(crate) mod relay;
