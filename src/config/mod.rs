//! How a stream is read: policy, limits, and the names of other tools.

mod limits;
mod policy;
mod tools;

pub use limits::Limits;
pub use policy::{Calls, Entities, Policy, Repairs};
pub use tools::{Tools, ToolsError};
