//! The meaning of the format, case by case, as `docs/format.md` states it.

mod arguments;
mod broken_tags;
mod circles;
#[path = "../common/mod.rs"]
mod common;
mod events;
mod families;
mod golden;
mod leaked_tools;
mod limits;
mod prose;
mod question_tools_page;
mod questions;
mod rare;
mod rare_calls;
mod rare_envelopes;
mod rare_forms;
mod rare_parser;
mod rare_prose;
mod rare_shapes;
mod rare_tags;
mod readme;
mod shapes;
mod shapes_one_question;
mod shapes_rejected;
mod threads;
mod tools;
