//! Strategies of proptest for streams, questions and cuts.
//!
//! ```
//! use followup_testing::{Syntax, Transcript, strategies};
//! use followup::Policy;
//! use proptest::prelude::*;
//!
//! let all = (strategies::questions(), strategies::cuts(), strategies::syntaxes());
//! proptest!(ProptestConfig::with_cases(50), |((question, cuts, syntax) in all)| {
//!     let stream = question.stream(syntax);
//!     let transcript = Transcript::of(&mut stream.parser(Policy::new()), cuts.chunks(&stream));
//!     let complete = transcript.complete().next().expect("it is complete");
//!     prop_assert_eq!(&complete.question, &Some(question.question));
//!     prop_assert_eq!(&complete.suggestions, &question.suggestions);
//! });
//! ```

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::literals::{
    ARGUMENTS, ARGUMENTS_BEGINNINGS, ENVELOPE_BEGINNINGS, ENVELOPES, ILL_FORMED, KEYS, MARKUP, MODES,
    MORE_ENVELOPE_BEGINNINGS, MORE_ENVELOPES, STRING, WORDS,
};
use crate::{Cuts, Question, Stream, Suggestion, Syntax};

/// Generates either syntax.
pub fn syntaxes() -> impl Strategy<Value = Syntax> {
    select(&Syntax::ALL[..])
}

/// Generates up to twelve cuts, anywhere in a stream.
pub fn cuts() -> impl Strategy<Value = Cuts> {
    vec(any::<usize>(), 0..12).prop_map(Cuts::new)
}

/// Generates streams of well-formed UTF-8 in both syntaxes.
///
/// They are random sequences of the grammar's pieces (those of envelopes in messages of their own),
/// and JSON arguments with at most one error.
pub fn texts() -> impl Strategy<Value = Stream> {
    of(&[])
}

/// Generates the same streams as [`texts`], with ill-formed UTF-8 in them.
pub fn streams() -> impl Strategy<Value = Stream> {
    of(ILL_FORMED)
}

/// Generates messages of well-formed UTF-8 with pieces of envelopes of every family.
pub fn envelopes() -> impl Strategy<Value = Stream> {
    let beginnings = [ENVELOPE_BEGINNINGS, MORE_ENVELOPE_BEGINNINGS].concat();
    let pieces = [ENVELOPES, MORE_ENVELOPES].concat();
    soup(Syntax::Markup, beginnings, pieces)
}

/// Generates questions that come out as they are in both syntaxes.
pub fn questions() -> impl Strategy<Value = Question> {
    let suggested = (words(), option::of(select(MODES)))
        .prop_map(|(answer, mode)| Suggestion { answer, mode: mode.map(String::from) });
    (words(), vec(suggested, 0..5)).prop_map(|(question, suggestions)| Question { question, suggestions })
}

fn words() -> impl Strategy<Value = String> {
    vec(select(WORDS), 1..8).prop_map(|words| crate::stream::trimmed(&words.concat()))
}

fn of(more: &'static [&'static [u8]]) -> impl Strategy<Value = Stream> {
    prop_oneof![
        soup(Syntax::Markup, vec![b""], [MARKUP, more].concat()),
        soup(Syntax::Markup, ENVELOPE_BEGINNINGS.to_vec(), [ENVELOPES, more].concat()),
        soup(Syntax::Arguments, ARGUMENTS_BEGINNINGS.to_vec(), [ARGUMENTS, more].concat()),
        arguments(),
    ]
}

fn soup(syntax: Syntax, begin: Vec<&'static [u8]>, pieces: Vec<&'static [u8]>) -> impl Strategy<Value = Stream> {
    (select(begin), vec(select(pieces), 0..24))
        .prop_map(move |(begin, pieces)| Stream::new(syntax, [begin, &pieces.concat()].concat()))
}

/// Generates arguments that are well-formed, or have one error.
fn arguments() -> impl Strategy<Value = Stream> {
    let string = vec(select(STRING), 0..5).prop_map(|pieces| format!("\"{}\"", pieces.concat()));
    let scalar =
        prop_oneof![4 => string, 1 => select(&["null", "true", "false", "0", "-1.5e3"][..]).prop_map(String::from)];
    let value = scalar.prop_recursive(4, 24, 5, move |inner| {
        let entry = (select(KEYS), inner.clone()).prop_map(|(key, value)| format!("{key}:{value}"));
        prop_oneof![
            vec(inner, 0..5).prop_map(|items| format!("[{}]", items.join(", "))),
            vec(entry, 0..5).prop_map(|entries| format!("{{{}}}", entries.join(" ,"))),
        ]
    });
    let entries = vec((select(KEYS), value), 0..5);
    (entries, any::<usize>(), 0..8_u8).prop_map(|(entries, offset, error)| {
        let entries: Vec<String> = entries.into_iter().map(|(key, value)| format!("{key}: {value}")).collect();
        let mut bytes = format!("{{{}}}", entries.join(",")).into_bytes();
        let offset = offset % bytes.len();
        match error {
            0 => bytes.truncate(offset),
            1 => bytes.push(b'x'),
            2 => bytes[offset] = b'"',
            3 => drop(bytes.remove(offset)),
            _ => {}
        }
        // The error may cut a character.
        Stream::new(Syntax::Arguments, String::from_utf8_lossy(&bytes).into_owned())
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn most_arguments_are_well_formed_and_some_have_each_error() {
        let mut runner = TestRunner::deterministic();
        let all: Vec<Vec<u8>> =
            (0..4_000).map(|_| arguments().new_tree(&mut runner).unwrap().current().bytes).collect();
        let objects = all.iter().filter(|bytes| bytes.starts_with(b"{") && bytes.ends_with(b"}")).count();
        assert!(objects > all.len() / 2, "{objects}");
        // The strings of some are malformed.
        let well_formed = all.iter().filter(|bytes| serde_json::from_slice::<serde_json::Value>(bytes).is_ok()).count();
        assert!(well_formed > all.len() / 4, "{well_formed}");
        let all: BTreeSet<&[u8]> = all.iter().map(Vec::as_slice).collect();
        // Whole; cut off; with a byte after them; with a quote in place of a byte; without a byte.
        for generated in ["{}", "", "{", "{}x", "\"}", "{\"", "}"] {
            assert!(all.contains(generated.as_bytes()), "{generated:?}");
        }
    }

    #[test]
    fn questions_come_out_as_they_are_in_either_syntax() {
        let mut runner = TestRunner::deterministic();
        for _ in 0..300 {
            let (question, syntax) = (questions(), syntaxes()).new_tree(&mut runner).unwrap().current();
            let stream = question.stream(syntax);
            let transcript = crate::Transcript::of(&mut stream.parser(followup::Policy::new()), [&*stream]);
            let complete: Vec<_> = transcript.complete().collect();
            let [complete] = complete[..] else { panic!("{question:?}\n{transcript}") };
            assert_eq!(
                (complete.question.as_ref(), &complete.suggestions),
                (Some(&question.question), &question.suggestions)
            );
        }
    }
}
