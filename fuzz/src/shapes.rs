//! The arguments of question tools: the laws, and the reference reader.
//!
//! It sees the stream at once.
//!
//! The bytes of an input: the choices [`choice`]; the index of a built-in shape, or a larger number
//! and two bytes from which a shape is drawn; the size of chunks; seven limits, if chosen (of
//! `texts`, 255 is its default); the stream, with a [`CUT`](crate::input::CUT) where it is cut.

use std::sync::Arc;

use followup::{Limits, Malformed, Parser, Policy, Shape, Shapes};

use crate::common::shapes::random::{self, Random};
use crate::common::shapes::{Rules, read as reference, view};
use crate::input::cut;

/// The bits of the first byte.
pub mod choice {
    /// The strict policy.
    pub const STRICT: u8 = 1;
    /// Seven limits follow.
    pub const LIMITS: u8 = 2;
}

pub fn read(input: &[u8]) {
    let Some((&[choices, number, size], rest)) = input.split_first_chunk() else { return };
    let Some((shape, rest)) = shape(number, rest) else { return };
    let Some((limits, rest)) = limits(choices, rest) else { return };
    let rules = Rules { limits, strict: choices & choice::STRICT != 0 };
    let malformed = if rules.strict { Malformed::Reject } else { Malformed::Repair };
    let shapes = Shapes::new([shape.clone()]);
    let policy = Arc::new(Policy::new().with_malformed(malformed).with_limits(limits).with_shapes(shapes));
    let tool = shape.tools().next().expect("a shape has a tool");
    let parser = || Parser::arguments_of(tool, policy.clone()).expect("the shape has the tool");
    let (stream, cuts) = cut(rest, size.into());

    let (mut whole, mut shown) = (parser(), view::Shown::default());
    view::append(&mut shown, whole.feed_bytes(&stream));
    let (mut resumed, mut shown_by_cut) = (parser(), view::Shown::default());
    for chunk in cuts.chunks(&stream) {
        view::append(&mut shown_by_cut, resumed.feed_bytes(chunk));
        let checkpoint = resumed.checkpoint();
        resumed = Parser::resume(policy.clone(), checkpoint.clone()).expect("it is a parser's own");
        assert_eq!(resumed.checkpoint(), checkpoint);
    }
    assert_eq!(resumed.checkpoint(), whole.checkpoint());
    assert_eq!(shown_by_cut, shown);
    let end = view::finish(&mut shown, &mut whole);
    assert_eq!(view::finish(&mut shown_by_cut, &mut resumed), end);
    assert_eq!(view::end(parser(), stream.chunks(1)), end);

    let expected = reference(shape.text(), &stream, rules).comparable();
    let text = String::from_utf8_lossy(&stream);
    assert_eq!(end.comparable(), expected, "{}\n{text}", shape.text());
}

/// Returns the shape with this number, and the bytes after those from which it is drawn.
fn shape(number: u8, rest: &[u8]) -> Option<(Shape, &[u8])> {
    if let Some(shape) = Shape::built_in_names().nth(number.into()).and_then(Shape::built_in) {
        return Some((shape, rest));
    }
    let (&[low, high], rest) = rest.split_first_chunk()?;
    // Without the first numbers, which are small.
    let mut random = Random(u64::from_le_bytes([number, low, high, 1, 2, 3, 4, 5]));
    for _ in 0..8 {
        random.below(2);
    }
    Some((random::shape(&mut random), rest))
}

fn limits(choices: u8, rest: &[u8]) -> Option<(Limits, &[u8])> {
    if choices & choice::LIMITS == 0 {
        return Some((Limits::default(), rest));
    }
    let (limits, rest) = rest.split_first_chunk()?;
    let [question, answer, suggestions, questions, header, description, texts] = limits.map(usize::from);
    let texts = if texts == 255 { Limits::default().texts } else { texts };
    let limits = Limits { question, answer, suggestions, questions, header, description, texts, ..Limits::default() };
    Some((limits, rest))
}

/// Returns arguments for every built-in shape and for drawn ones, some of them damaged.
pub fn seeds() -> impl Iterator<Item = Vec<u8>> {
    (0..400_u16).map(|i| {
        let mut random = Random(u64::from(i) * 0x9E37_79B9 + 1);
        let [low, high] = i.to_le_bytes();
        let number = (i % 24) as u8;
        let drawn = [low, high];
        let (shape, _) = shape(number, &drawn).expect("two bytes for a drawn shape");
        let table = crate::common::shapes::table::Table::new(shape.text());
        let mut stream = random::arguments(&mut random, &table);
        stream.insert(stream.len() / 2, crate::input::CUT);
        let is_built_in = usize::from(number) < Shape::built_in_names().count();
        let (drawn, limits): (&[u8], &[u8]) = (
            if is_built_in { &[] } else { &drawn },
            match i % 6 {
                0 => &[9, 6, 2, 2, 4, 6, 255],
                3 => &[90, 60, 2, 2, 40, 60, 40],
                _ => &[],
            },
        );
        let choices = u8::from(i % 5 == 0) * choice::STRICT + u8::from(i % 3 == 0) * choice::LIMITS;
        [&[choices, number, (i % 7) as u8][..], drawn, limits, &stream].concat()
    })
}
