//! The guarantees as properties of random sequences of the grammar's pieces, under all policies.

use std::sync::Arc;

use crate::common::reference::{Rules, describe};
use crate::common::sweep::cases;
use crate::common::{atoms, oracle, policy};
use followup::{Envelope, Envelopes, Parser, Policy};
use followup_testing::strategies::{cuts, envelopes, streams, texts};
use followup_testing::{Cuts, Entry, Stream, Syntax, Transcript};
use proptest::prelude::*;

/// Returns what the reference reader makes of a stream, as lines.
fn expected(stream: &Stream, rules: &Rules) -> String {
    describe(&oracle(stream.syntax, stream, rules))
}

/// Returns a stream of well-formed UTF-8 as text.
fn text(stream: &Stream) -> &str {
    std::str::from_utf8(stream).unwrap()
}

fn limit(small: std::ops::Range<usize>, default: usize) -> impl Strategy<Value = usize> {
    prop_oneof![3 => Just(default), 1 => small]
}

/// The families of envelopes that are read: mostly the default, else any.
fn families() -> impl Strategy<Value = Envelopes> {
    let any = prop::sample::subsequence(Envelope::ALL.to_vec(), 0..=Envelope::ALL.len());
    prop_oneof![2 => Just(Envelopes::default()), 1 => any.prop_map(Envelopes::from_iter)]
}

fn rules() -> impl Strategy<Value = Rules> {
    let default = Rules::default();
    let limits = (
        limit(0..12, default.question),
        limit(0..12, default.answer),
        limit(0..3, default.suggestions),
        limit(0..60, default.tag),
        limit(0..120, default.unconfirmed),
    );
    // The strict policy reads no envelopes, so it is chosen less often.
    let strict = prop::bool::weighted(0.25);
    let choices = (strict, any::<bool>(), any::<bool>(), families());
    (choices, limits).prop_map(|((strict, outside_code, decode_entities, envelopes), limits)| {
        let (question, answer, suggestions, tag, unconfirmed) = limits;
        let few_tools = Rules::with_few_tools();
        Rules {
            strict,
            outside_code,
            decode_entities,
            envelopes,
            question,
            answer,
            suggestions,
            tag,
            unconfirmed,
            ..few_tools
        }
    })
}

/// Streams and rules: one in four has pieces of all families of envelopes, which are read.
fn streams_of_any_family() -> impl Strategy<Value = (Stream, Rules)> {
    let all = rules().prop_map(|rules| Rules { envelopes: Envelopes::all(), ..rules });
    prop_oneof![3 => (texts(), rules()), 1 => (envelopes(), all)]
}

fn shared_policy(rules: &Rules) -> Arc<Policy> {
    Arc::new(policy(rules))
}

/// Returns a transcript as lines, so that a failure is readable.
fn lines(transcript: &Transcript) -> String {
    describe(&atoms(transcript))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(10_000), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_cut_gives_the_events_of_the_whole(stream in streams(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(shared_policy(&rules));
        let expected = expected(&stream, &rules);
        prop_assert_eq!(lines(&Transcript::of(&mut parser, cuts.chunks(&stream))), expected.clone());
        prop_assert_eq!(lines(&Transcript::of(&mut parser, stream.chunks(1))), expected, "byte by byte, with the same parser");
    }

    #[test]
    fn text_and_bytes_give_the_same_events(stream in texts(), rules in rules(), cuts in cuts()) {
        let mut parser = stream.parser(shared_policy(&rules));
        let mut shown = Transcript::default();
        for piece in cuts.pieces(text(&stream)) {
            shown.append(parser.feed(piece));
        }
        shown.append(parser.finish());
        prop_assert_eq!(lines(&shown), lines(&Transcript::of(&mut parser, [&*stream])));
    }

    #[test]
    fn state_and_events_are_a_function_of_the_bytes_fed(stream in streams(), rules in rules(), one in cuts(), two in cuts()) {
        let read = |cuts: &Cuts| {
            let mut parser = stream.parser(shared_policy(&rules));
            let mut shown = Transcript::default();
            for chunk in cuts.chunks(&stream) {
                shown.append(parser.feed_bytes(chunk));
            }
            (parser.checkpoint(), lines(&shown), parser.bytes_fed())
        };
        prop_assert_eq!(read(&one), read(&two));
    }

    #[test]
    fn a_stream_resumes_from_any_checkpoint(stream in streams(), rules in rules(), cuts in cuts()) {
        let policy = shared_policy(&rules);
        let mut parser = stream.syntax.parser(policy.clone());
        let mut shown = Transcript::default();
        for chunk in cuts.chunks(&stream) {
            shown.append(parser.feed_bytes(chunk));
            let checkpoint = parser.checkpoint();
            parser = Parser::resume(policy.clone(), checkpoint.clone()).expect("it is a parser's own");
            prop_assert_eq!(parser.checkpoint(), checkpoint);
        }
        shown.append(parser.finish());
        prop_assert_eq!(lines(&shown), expected(&stream, &rules));
    }

    #[test]
    fn a_call_of_any_family_means_what_the_reference_says_after_every_cut_and_checkpoint(stream in envelopes(), rules in rules(), cuts in cuts()) {
        let rules = Rules { envelopes: Envelopes::all(), ..rules };
        let policy = shared_policy(&rules);
        let mut parser = stream.parser(policy.clone());
        let whole = Transcript::of(&mut parser, [&*stream]);
        whole.assert_adds_up_to(text(&stream));
        prop_assert_eq!(lines(&whole), expected(&stream, &rules));
        prop_assert_eq!(lines(&Transcript::of(&mut parser, stream.chunks(1))), lines(&whole), "byte by byte");
        let mut shown = Transcript::default();
        for chunk in cuts.chunks(&stream) {
            shown.append(parser.feed_bytes(chunk));
            parser = Parser::resume(policy.clone(), parser.checkpoint()).expect("it is a parser's own");
        }
        shown.append(parser.finish());
        prop_assert_eq!(lines(&shown), lines(&whole), "resumed after every chunk");
    }

    #[test]
    fn a_clone_has_the_same_state_and_is_independent(stream in streams(), other in streams(), rules in rules(), at in any::<usize>()) {
        let at = at % (stream.len() + 1);
        let mut parser = stream.parser(shared_policy(&rules));
        let mut shown = Transcript::default();
        shown.append(parser.feed_bytes(&stream[..at]));
        let mut clone = parser.clone();
        prop_assert_eq!(clone.checkpoint(), parser.checkpoint());
        let mut shown_by_clone = shown.clone();
        shown_by_clone.append(clone.feed_bytes(&other));
        shown_by_clone.append(clone.finish());
        shown.append(parser.feed_bytes(&stream[at..]));
        shown.append(parser.finish());
        prop_assert_eq!(lines(&shown), expected(&stream, &rules));
        prop_assert_eq!(lines(&shown_by_clone), describe(&oracle(stream.syntax, &[&stream[..at], &other[..]].concat(), &rules)));
    }

    #[test]
    fn an_empty_chunk_changes_nothing(stream in streams(), rules in rules(), at in any::<usize>()) {
        let mut parser = stream.parser(shared_policy(&rules));
        drop(parser.feed_bytes(&stream[..at % (stream.len() + 1)]));
        let before = parser.checkpoint();
        prop_assert!(parser.feed_bytes(b"").next().is_none());
        prop_assert!(parser.feed("").next().is_none());
        prop_assert_eq!(parser.checkpoint(), before);
    }

    #[test]
    fn a_cursor_dropped_early_loses_no_state(stream in streams(), rules in rules(), taken in 0..4_usize) {
        let mut parser = stream.parser(shared_policy(&rules));
        let mut dropped = parser.clone();
        let mut events = parser.feed_bytes(&stream);
        while events.next().is_some() {}
        drop(events);
        let mut events = dropped.feed_bytes(&stream);
        for _ in 0..taken {
            events.next();
        }
        drop(events);
        prop_assert_eq!(parser.checkpoint(), dropped.checkpoint());
    }

    #[test]
    fn every_byte_belongs_to_exactly_one_event((stream, rules) in streams_of_any_family(), cuts in cuts()) {
        let mut parser = stream.parser(shared_policy(&rules));
        Transcript::of(&mut parser, cuts.chunks(&stream)).assert_adds_up_to(text(&stream));
    }

    #[test]
    fn a_leaked_cursor_breaks_nothing(stream in streams(), rules in rules(), cuts in cuts(), taken in prop::collection::vec(0..4usize, 7)) {
        let policy = shared_policy(&rules);
        let mut parser = stream.syntax.parser(policy.clone());
        for (chunk, taken) in cuts.chunks(&stream).into_iter().zip(taken.iter().cycle()) {
            let mut events = parser.feed_bytes(chunk);
            for _ in 0..*taken {
                let _ = events.next();
            }
            std::mem::forget(events);
        }
        drop(parser.finish());
        prop_assert_eq!(lines(&Transcript::of(&mut parser, [&*stream])), expected(&stream, &rules), "the next stream");
    }

    #[test]
    fn a_parser_is_as_new_after_finish(stream in streams(), rules in rules()) {
        let mut parser = stream.parser(shared_policy(&rules));
        let new = parser.checkpoint();
        drop(parser.feed_bytes(&stream));
        drop(parser.finish());
        prop_assert_eq!(parser.checkpoint(), new);
        prop_assert_eq!(parser.bytes_fed(), 0);
    }
}

/// Found by fuzzing: `<question>` was a tag in an unclosed string of a JSON list.
///
/// The list was in a string in place of a list.
#[test]
fn a_string_of_suggestions_has_no_question() {
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
            let shown = Transcript::of(&mut stream.parser(shared_policy(&rules)), [&*stream]);
            assert_eq!(lines(&shown), expected(&stream, &rules), "{stream:?}");
            assert!(shown.entries().iter().any(|entry| matches!(entry, Entry::Suggestion { .. })), "{shown}");
        }
    }
}

/// Found by fuzzing: offsets after ill-formed bytes were too small, and even negative.
///
/// They were counted back from the end of text that is parsed again, but U+FFFD is longer than the
/// byte it replaces.
#[test]
fn text_that_is_parsed_again_may_be_longer_than_its_bytes() {
    let ends = [
        "<ask_followup_question><question>Q</question></ask_followup_question>",
        "<read_file>x</read_file> y",
        " <ask_follow",
        "'><question>Q</question>",
        "<b> <ask_followup_question a='>'>Hm",
    ];
    for (unconfirmed, tag) in [(20, 40), (60, 40), (60, 256), (2048, 256)] {
        let rules = Rules { unconfirmed, tag, ..Rules::default() };
        let policy = shared_policy(&rules);
        for tag in ["question a='", "read_file ", "ask_followup_question a=\"", "/ask_followup_question "] {
            for (ill_formed, end) in [0, 1, 12, 20, 30].into_iter().flat_map(|n| ends.map(|end| (n, end))) {
                let start = format!("<ask_followup_question>x<{tag}").into_bytes();
                let bytes = [&start, &*vec![0xFF; ill_formed], end.as_bytes()].concat();
                let stream = Stream::new(Syntax::Markup, bytes);
                let expected = expected(&stream, &rules);
                for size in [stream.len(), 1, 7] {
                    let shown = Transcript::of(&mut stream.parser(policy.clone()), stream.chunks(size));
                    assert_eq!(lines(&shown), expected, "{stream:?} in chunks of {size}");
                }
            }
        }
    }
}
