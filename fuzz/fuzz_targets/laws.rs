//! The laws, with text, cuts, syntax and policy chosen by the fuzzer: the same events and the same state for every cut, and the same
//! from every checkpoint on.
#![no_main]

#[path = "../../tests/common/mod.rs"]
mod common;
mod input;

use std::sync::Arc;

use followup::Parser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: input::Input| {
    let policy = Arc::new(common::policy(&input.rules()));
    let syntax = input.syntax();
    let mut whole = syntax.parser(policy.clone());
    let mut shown = common::Shown::default();
    shown.take(whole.feed_bytes(&input.stream));

    let mut cut = syntax.parser(policy.clone());
    let mut shown_by_cut = common::Shown::default();
    for chunk in input.chunks() {
        shown_by_cut.take(cut.feed_bytes(chunk));
        cut = Parser::resume(policy.clone(), cut.checkpoint()).expect("a parser made it");
    }
    assert_eq!(cut.checkpoint(), whole.checkpoint());
    assert_eq!(shown_by_cut, shown);

    shown.take(whole.finish());
    shown_by_cut.take(cut.finish());
    assert_eq!(shown_by_cut, shown);
});
