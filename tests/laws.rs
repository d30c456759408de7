//! The guarantees as laws, over soups of the grammar's own pieces, as text and as bytes, under all policies.

mod common;

use std::sync::Arc;

use common::reference::{Rules, describe};
use common::{atoms, oracle, policy};
use followup::testing::strategies::{cuts, streams, texts};
use followup::testing::{Cuts, Step, Stream, Syntax, Transcript};
use followup::{Parser, Policy};
use proptest::prelude::*;

/// What a stream means, as lines.
fn meant(stream: &Stream, rules: &Rules) -> String {
    describe(&oracle(stream.syntax, stream, rules))
}

/// What a stream of text is.
fn text(stream: &Stream) -> &str {
    std::str::from_utf8(stream).unwrap()
}

fn limit(small: std::ops::Range<usize>, default: usize) -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(default), 1 => small]
}

fn rules() -> impl Strategy<Value = Rules> {
    let default = Rules::default();
    let limits = (
        limit(0..12, default.question),
        limit(0..12, default.answer),
        limit(0..3, default.suggestions),
        limit(0..40, default.tag),
        limit(0..60, default.bare),
    );
    (any::<(bool, bool, bool)>(), limits).prop_map(|((strict, outside_code, decode_entities), limits)| {
        let (question, answer, suggestions, tag, bare) = limits;
        let names = |names: [&str; 2]| names.map(String::from).to_vec();
        let (tools, parameters) = (names(["read_file", "write_to_file"]), names(["content", "path"]));
        Rules { strict, outside_code, decode_entities, tools, parameters, question, answer, suggestions, tag, bare }
    })
}

fn shared(rules: &Rules) -> Arc<Policy> {
    Arc::new(policy(rules))
}

/// What is shown, as lines, so that a difference can be read.
fn lines(transcript: &Transcript) -> String {
    describe(&atoms(transcript))
}

/// So many streams a law. `PROPTEST_CASES=1000000` goes further.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_cut_gives_what_the_whole_means(stream in streams(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(shared(&rules));
        let meant = meant(&stream, &rules);
        prop_assert_eq!(lines(&Transcript::of(&mut parser, cuts.chunks(&stream))), meant.clone());
        prop_assert_eq!(lines(&Transcript::of(&mut parser, stream.chunks(1))), meant, "byte by byte, with the same parser");
    }

    #[test]
    fn text_and_bytes_mean_the_same(stream in texts(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(shared(&rules));
        let mut shown = Transcript::default();
        for piece in cuts.pieces(text(&stream)) {
            shown.take(parser.feed(piece));
        }
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown), lines(&Transcript::of(&mut parser, [&*stream])));
    }

    #[test]
    fn state_and_what_was_shown_are_a_function_of_the_bytes_fed(stream in streams(), rules in rules(), one in cuts(), two in cuts()) {
        let read = |cuts: &Cuts| {
            let mut parser = stream.parser(shared(&rules));
            let mut shown = Transcript::default();
            for chunk in cuts.chunks(&stream) {
                shown.take(parser.feed_bytes(chunk));
            }
            (parser.checkpoint(), lines(&shown), parser.bytes_fed())
        };
        prop_assert_eq!(read(&one), read(&two));
    }

    #[test]
    fn a_stream_goes_on_from_any_checkpoint(stream in streams(), rules in rules(), cuts in cuts()) {
        let shared = shared(&rules);
        let mut parser = stream.syntax.parser(shared.clone());
        let mut shown = Transcript::default();
        for chunk in cuts.chunks(&stream) {
            shown.take(parser.feed_bytes(chunk));
            let checkpoint = parser.checkpoint();
            parser = Parser::resume(shared.clone(), checkpoint.clone()).expect("a parser made it");
            prop_assert_eq!(parser.checkpoint(), checkpoint);
        }
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown), meant(&stream, &rules));
    }

    #[test]
    fn a_clone_is_the_same_state_and_goes_its_own_way(stream in streams(), other in streams(), rules in rules(), at in any::<usize>()) {
        let at = at % (stream.len() + 1);
        let mut parser = stream.parser(shared(&rules));
        let mut shown = Transcript::default();
        shown.take(parser.feed_bytes(&stream[..at]));
        let mut copy = parser.clone();
        prop_assert_eq!(copy.checkpoint(), parser.checkpoint());
        let mut shown_by_copy = shown.clone();
        shown_by_copy.take(copy.feed_bytes(&other));
        shown_by_copy.take(copy.finish());
        shown.take(parser.feed_bytes(&stream[at..]));
        shown.take(parser.finish());
        prop_assert_eq!(lines(&shown), meant(&stream, &rules));
        prop_assert_eq!(lines(&shown_by_copy), describe(&oracle(stream.syntax, &[&stream[..at], &other[..]].concat(), &rules)));
    }

    #[test]
    fn an_empty_chunk_is_nothing(stream in streams(), rules in rules(), at in any::<usize>()) {
        let mut parser = stream.parser(shared(&rules));
        drop(parser.feed_bytes(&stream[..at % (stream.len() + 1)]));
        let before = parser.checkpoint();
        prop_assert!(parser.feed_bytes(b"").next().is_none());
        prop_assert!(parser.feed("").next().is_none());
        prop_assert_eq!(parser.checkpoint(), before);
    }

    #[test]
    fn a_cursor_dropped_early_loses_no_state(stream in streams(), rules in rules(), take in 0..4_usize) {
        let mut parser = stream.parser(shared(&rules));
        let mut dropped = parser.clone();
        let mut events = parser.feed_bytes(&stream);
        while events.next().is_some() {}
        drop(events);
        let mut events = dropped.feed_bytes(&stream);
        for _ in 0..take {
            events.next();
        }
        drop(events);
        prop_assert_eq!(parser.checkpoint(), dropped.checkpoint());
    }

    #[test]
    fn everything_adds_up_to_the_stream(stream in texts(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(shared(&rules));
        Transcript::of(&mut parser, cuts.chunks(&stream)).assert_adds_up_to(text(&stream));
    }

    #[test]
    fn a_cursor_that_is_leaked_breaks_nothing(stream in streams(), rules in rules(), cuts in cuts(), taken in prop::collection::vec(0..4usize, 7)) {
        let shared = shared(&rules);
        let mut parser = stream.syntax.parser(shared.clone());
        for (chunk, taken) in cuts.chunks(&stream).into_iter().zip(taken.iter().cycle()) {
            let mut events = parser.feed_bytes(chunk);
            for _ in 0..*taken {
                let _ = events.next();
            }
            std::mem::forget(events);
        }
        drop(parser.finish());
        prop_assert_eq!(lines(&Transcript::of(&mut parser, [&*stream])), meant(&stream, &rules), "the next stream");
    }

    #[test]
    fn a_parser_is_as_new_after_finish(stream in streams(), rules in rules()) {
        let mut parser = stream.parser(shared(&rules));
        let new = parser.checkpoint();
        drop(parser.feed_bytes(&stream));
        drop(parser.finish());
        prop_assert_eq!(parser.checkpoint(), new);
        prop_assert_eq!(parser.bytes_fed(), 0);
    }
}

/// Found by fuzzing: in a string of a list that never ends, in a string that stands for a list, a question's tag was one.
#[test]
fn a_string_of_suggestions_asks_no_question() {
    let rules = Rules::default();
    for list in [
        r#"[\"x]<question>h<suggest>m</suggest>"#,
        r#"[\"x<question>h</question><suggest>m"#,
        r#"[\"<question/><follow_up><suggest>m</suggest>"#,
        r#"[\"</question></ask_followup_question><suggest>m</suggest>"#,
        r#"[\"x\", <question>h<suggest>m</suggest>"#,
    ] {
        for before in ["", "\"question\": \"Q\", "] {
            let stream = Stream::new(Syntax::Arguments, format!("{{{before}\"follow_up\": \"{list}\"}}"));
            let shown = Transcript::of(&mut stream.parser(shared(&rules)), [&*stream]);
            assert_eq!(lines(&shown), meant(&stream, &rules), "{stream:?}");
            assert!(shown.steps().iter().any(|step| matches!(step, Step::Suggestion { .. })), "{shown}");
        }
    }
}

/// Found by fuzzing: bytes that are no text become longer text, so that in what is read again, counted from its end, places in front of them
/// are too early, even in front of the stream.
#[test]
fn text_that_is_read_again_may_be_longer_than_its_stream() {
    let ends = [
        "<ask_followup_question><question>Q</question></ask_followup_question>",
        "<read_file>x</read_file> y",
        " <ask_follow",
        "'><question>Q</question>",
        "<b> <ask_followup_question a='>'>Hm",
    ];
    for (bare, tag) in [(20, 40), (60, 40), (60, 256), (2048, 256)] {
        let rules = Rules { bare, tag, ..Rules::default() };
        let policy = shared(&rules);
        for begun in ["question a='", "read_file ", "ask_followup_question a=\"", "/ask_followup_question "] {
            for (ill_formed, end) in [0, 1, 12, 20, 30].into_iter().flat_map(|n| ends.map(|end| (n, end))) {
                let front = format!("<ask_followup_question>x<{begun}").into_bytes();
                let bytes = [&front, &*vec![0xFF; ill_formed], end.as_bytes()].concat();
                let stream = Stream::new(Syntax::Markup, bytes);
                let meant = meant(&stream, &rules);
                for size in [stream.len(), 1, 7] {
                    let shown = Transcript::of(&mut stream.parser(policy.clone()), stream.chunks(size));
                    assert_eq!(lines(&shown), meant, "{stream:?} in chunks of {size}");
                }
            }
        }
    }
}

#[test]
fn what_a_service_shares_between_threads_can_be_shared() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<Parser>();
    shared::<Policy>();
    shared::<followup::Checkpoint>();
    shared::<followup::Event<'static>>();
}
