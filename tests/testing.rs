//! What `followup::testing` promises to other people's harnesses.

use std::collections::BTreeSet;

use arbitrary::{Arbitrary, Unstructured};
use followup::testing::{Cuts, Question, Stream, Syntax, Transcript, assert_chunk_invariant, literals};
use followup::{Parser, Policy};

/// So many things are made of bytes that depend on nothing but their number.
const MANY: u64 = 500;

fn bytes(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..400).map(|_| random.u8(..)).collect()
}

fn made<T: for<'a> Arbitrary<'a>>(seed: u64) -> T {
    T::arbitrary(&mut Unstructured::new(&bytes(seed))).expect("enough bytes")
}

#[test]
fn a_question_that_is_made_of_bytes_comes_out_as_it_is() {
    for seed in 0..MANY {
        let question: Question = made(seed);
        for syntax in Syntax::ALL {
            let stream = question.stream(syntax);
            let transcript = Transcript::of(&mut stream.parser(Policy::new()), [&*stream]);
            let complete: Vec<_> = transcript.complete().collect();
            let [complete] = complete[..] else { panic!("{question:?}\n{transcript}") };
            assert_eq!(
                (&complete.question, &complete.suggestions),
                (&Some(question.question.clone()), &question.suggestions)
            );
            assert!(complete.notes.is_empty(), "{stream:?}\n{transcript}");
        }
    }
}

#[test]
fn streams_that_are_made_of_bytes_are_worth_reading() {
    let mut reached = BTreeSet::new();
    for seed in 0..MANY {
        let stream: Stream = made(seed);
        let cuts: Cuts = made(seed + 1);
        let transcript = Transcript::of(&mut stream.parser(Policy::new()), cuts.chunks(&stream));
        reached.extend(transcript.to_string().lines().map(|line| line.split(' ').next().unwrap().to_owned()));
    }
    let all = ["complete", "mode", "opaque", "question", "rejected", "suggestion", "text"];
    assert_eq!(reached, all.map(String::from).into());
}

/// The parser's own streams, cut in all the ways there are for others.
#[test]
fn the_parser_does_not_depend_on_the_cut() {
    for seed in 0..20 {
        let stream: Stream = made(seed);
        assert_chunk_invariant(&stream, |chunks| Transcript::of(&mut stream.parser(Policy::new()), chunks));
    }
}

/// A harness that finds nothing wrong with a wrong reader is worth nothing.
#[test]
fn a_reader_that_depends_on_the_cut_is_found_out() {
    type Reader = fn(&[&[u8]]) -> usize;
    let wrong: [(&str, &str, Reader); 5] = [
        ("forgets what a chunk ends in", "a <b> c", |chunks| {
            chunks.iter().filter(|chunk| chunk.windows(3).any(|w| w == b"<b>")).count()
        }),
        ("decodes each chunk by itself", "é", |chunks| {
            chunks.iter().map(|chunk| String::from_utf8_lossy(chunk).len()).sum()
        }),
        ("counts chunks", "abc", |chunks| chunks.len()),
        ("stops at an empty chunk", "abc", |chunks| {
            chunks.iter().take_while(|chunk| !chunk.is_empty()).map(|c| c.len()).sum()
        }),
        ("loses a line feed that comes alone", "a\r\nb", |chunks| {
            chunks.iter().filter(|chunk| chunk.starts_with(b"\n")).count()
        }),
    ];
    for (how, stream, read) in wrong {
        let found = std::panic::catch_unwind(|| assert_chunk_invariant(stream.as_bytes(), read));
        assert!(found.is_err(), "a reader that {how}");
    }
}

/// The promises a transcript checks are kept or broken between streams too: each is of one stream.
#[test]
#[should_panic(expected = "call 0 grows behind its end")]
fn a_transcript_of_two_streams_is_refused() {
    let mut transcript = Transcript::default();
    for _ in 0..2 {
        let mut parser = Parser::default();
        transcript.take(parser.feed("<ask_followup_question><question>Q</question></ask_followup_question>"));
    }
}

#[test]
#[should_panic(expected = "the end is not shown")]
fn a_byte_that_is_lost_is_missed() {
    Transcript::of(&mut Parser::default(), ["Hm."]).assert_adds_up_to("Hm. And?");
}

#[test]
fn every_literal_is_in_the_dictionary_and_readable() {
    let all =
        [literals::MARKUP, literals::ARGUMENTS, literals::ILL_FORMED, literals::FRAMES, literals::PROVIDERS].concat();
    let dictionary = literals::dictionary(all.iter().copied());
    let entries: BTreeSet<&str> = dictionary.lines().collect();
    assert_eq!(entries.len(), all.iter().collect::<BTreeSet<_>>().len());
    assert!(
        entries
            .iter()
            .all(|entry| entry.is_ascii() && entry.len() > 2 && entry.starts_with('"') && entry.ends_with('"'))
    );
}
