//! The recorded messages of `--demo`, and the script by which they are played.

mod recording;
mod recordings;

pub(crate) use self::recording::Script;
pub(crate) use self::recordings::RECORDINGS;
