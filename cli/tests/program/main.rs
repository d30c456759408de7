//! Tests of the program, run as people and other programs run it.

mod answers;
mod ask;
mod bench;
mod common;
mod envelopes;
mod examples;
mod forms;
mod generate;
mod hostile;
mod messages;
mod parse;
mod records;
#[cfg(unix)]
mod screen;
#[cfg(unix)]
mod screen_forms;
mod shapes;
#[cfg(unix)]
mod terminal;
mod wire;
