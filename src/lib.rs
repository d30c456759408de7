//! followup
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, unreachable_pub)]

extern crate alloc;

mod call;
mod carry;
mod checkpoint;
mod entity;
mod event;
mod json;
mod limits;
mod markup;
mod parser;
mod policy;
mod tools;
mod utf8;
mod value;

pub use checkpoint::{Checkpoint, ResumeError};
pub use event::{Complete, Event, Field, Note, Opaque, Partial, Place, Reason, Rejected, Suggestion, Suggestions};
pub use limits::Limits;
pub use parser::{Events, Parser};
pub use policy::{Calls, Entities, Policy, Repairs};
pub use tools::{Tools, ToolsError};
