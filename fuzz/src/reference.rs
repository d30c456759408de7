//! The parser against the reference reader of the syntax, which sees the whole stream at once.

use followup::Shapes;

use crate::common::reference::describe;
use crate::common::{oracle, parse, policy};
use crate::input::Input;

pub fn read(input: &[u8]) {
    let Some(input) = Input::of(input) else { return };
    // The reference reader of envelopes knows no other question tool.
    let policy = policy(&input.rules).with_shapes(Shapes::none());
    let mut parser = input.stream.parser(policy);
    let shown = parse(&mut parser, input.chunks());
    let expected = oracle(input.stream.syntax, &input.stream, &input.rules);
    assert!(shown == expected, "{:?}\nexpected {}\nshown {}", input.stream, describe(&expected), describe(&shown));
}
