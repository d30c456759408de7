//! The configuration of a parser: policy, limits, and the names of other tools.

mod envelopes;
mod limits;
mod policy;
mod tools;

pub use envelopes::{Envelope, Envelopes, EnvelopesIter, UnknownEnvelope};
pub use limits::Limits;
pub use policy::{CallStart, Entities, Malformed, Policy};
pub(crate) use tools::ASK;
pub use tools::{Tools, ToolsError};
