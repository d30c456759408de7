//! What feeds a turn: the relay of a provider's stream, the player of recordings, and the continuation of a turn that ended.

pub(crate) mod continuing;
pub(crate) mod player;
pub(crate) mod relay;
