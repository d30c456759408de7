//! What the parser shows, against the reference reader of the syntax, which sees the whole stream at once.

use crate::common::reference::describe;
use crate::common::{oracle, policy, show};
use crate::input::Input;

pub fn read(input: &[u8]) {
    let Some(input) = Input::of(input) else { return };
    let mut parser = input.stream.parser(policy(&input.rules));
    let shown = show(&mut parser, input.chunks());
    let meant = oracle(input.stream.syntax, &input.stream, &input.rules);
    assert!(shown == meant, "{:?}\nmeant {}\nshown {}", input.stream, describe(&meant), describe(&shown));
}
