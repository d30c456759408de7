//! The meaning of the format, case by case, as `docs/format.md` states it.

mod arguments;
#[path = "../common/mod.rs"]
mod common;
mod events;
mod golden;
mod limits;
mod prose;
mod rare;
mod readme;
mod tools;
