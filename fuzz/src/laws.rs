//! The guarantees as laws.
//!
//! They are: the same events and the same state for every cut and from every checkpoint, every byte
//! in one event, and nothing taken back.

use std::sync::Arc;

use followup::Parser;
use followup_testing::Transcript;

use crate::common::policy;
use crate::input::Input;

/// Streams of up to this length are also read byte by byte.
const SHORT: usize = 512;

pub fn read(input: &[u8]) {
    let Some(input) = Input::of(input) else { return };
    let policy = Arc::new(policy(&input.rules));
    let stream = &input.stream;
    let mut whole = stream.parser(policy.clone());
    let mut shown = Transcript::default();
    shown.append(whole.feed_bytes(stream));

    let mut cut = stream.parser(policy.clone());
    let mut shown_by_cut = Transcript::default();
    for chunk in input.chunks() {
        shown_by_cut.append(cut.feed_bytes(chunk));
        let checkpoint = cut.checkpoint();
        cut = Parser::resume(policy.clone(), checkpoint.clone()).expect("it is a parser's own");
        assert_eq!(cut.checkpoint(), checkpoint);
    }
    assert_eq!(cut.checkpoint(), whole.checkpoint());
    assert_eq!(shown_by_cut, shown);

    shown.append(whole.finish());
    shown_by_cut.append(cut.finish());
    assert_eq!(shown_by_cut, shown);
    assert_eq!(whole.checkpoint(), stream.parser(policy).checkpoint(), "a parser is as new after finish");

    if stream.len() <= SHORT {
        assert_eq!(Transcript::of(&mut whole, stream.chunks(1)), shown);
    }
    if let Ok(text) = std::str::from_utf8(stream) {
        shown.assert_adds_up_to(text);
        let mut as_text = Transcript::default();
        for piece in input.cuts.pieces(text) {
            as_text.append(whole.feed(piece));
        }
        as_text.append(whole.finish());
        assert_eq!(as_text, shown);
    }
}
