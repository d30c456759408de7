//! The arguments of question tools against the reference reader.
//!
//! It sees the whole stream at once.

use followup::{Malformed, Parser, Policy, Shape, Shapes};

use crate::common::shapes::random::{self, Random};
use crate::common::shapes::table::Table;
use crate::common::shapes::{Rules, read, view};
use crate::common::sweep::cases;

/// Returns a parser of the calls of a shape's first tool.
pub fn parser(shape: &Shape, rules: Rules) -> Parser {
    let malformed = if rules.strict { Malformed::Reject } else { Malformed::Repair };
    let shapes = Shapes::new([shape.clone()]);
    let policy = Policy::new().with_malformed(malformed).with_limits(rules.limits).with_shapes(shapes);
    Parser::arguments_of(shape.tools().next().unwrap(), policy).unwrap()
}

/// Asserts that parser and reference reader agree on what becomes of a stream.
pub fn assert_same_end(shape: &Shape, stream: &[u8], rules: Rules, chunk: usize) {
    let end = view::end(parser(shape, rules), stream.chunks(chunk)).comparable();
    let expected = read(shape.text(), stream, rules).comparable();
    let context = || format!("{rules:?}\n{}\n{}", shape.text(), String::from_utf8_lossy(stream));
    assert!(end == expected, "{}\nparser    {end:?}\nreference {expected:?}", context());
}

fn each_stream(seed: u64, mut shape: impl FnMut(&mut Random) -> Shape) {
    let mut random = Random(seed);
    for _ in 0..cases(40_000) {
        let shape = shape(&mut random);
        let stream = random::arguments(&mut random, &Table::new(shape.text()));
        let rules = random::rules(&mut random);
        assert_same_end(&shape, &stream, rules, 1 + random.below(40));
    }
}

#[test]
fn the_arguments_of_a_built_in_tool_mean_what_the_page_says() {
    let shapes: Vec<Shape> = Shape::built_in_names().map(|name| Shape::built_in(name).unwrap()).collect();
    each_stream(17, |random| shapes[random.below(shapes.len())].clone());
}

#[test]
fn the_arguments_of_any_shape_mean_what_the_page_says() {
    each_stream(19, random::shape);
}
