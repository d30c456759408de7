//! The configuration of a parser: policy, limits, and the names of other tools.

mod limits;
mod policy;
mod tools;

pub use limits::Limits;
pub use policy::{CallStart, Entities, Malformed, Policy};
pub use tools::{Tools, ToolsError};
