//! The arguments of native calls, case by case.
//!
//! `arguments.txt` has the expected events of each stream, for the parser with every cut and for
//! the reference reader, which other tests rely on.

use std::collections::BTreeSet;

use crate::common::reference::{Atom, EndedCall, Rules};
use crate::common::{atoms, oracle, parse, policy};
use followup::{Event, Parser, Policy};
use followup_testing::{Syntax, Transcript};

const CASES: &str = include_str!("arguments.txt");

/// Streams below this length are cut at every offset.
const SHORT: usize = 3000;

struct Case {
    /// Its lines in the file: rules, stream, expected events.
    lines: [&'static str; 3],
    rules: Rules,
    stream: Vec<u8>,
}

/// Returns the headings of the file, each with its cases.
fn headings() -> Vec<(&'static str, Vec<Case>)> {
    let mut headings: Vec<(_, Vec<Case>)> = Vec::new();
    for block in CASES.split("\n\n") {
        let mut lines = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("# --- ") {
                Some(heading) => headings.push((heading, Vec::new())),
                None if line.starts_with('#') || line.is_empty() => {}
                None => lines.push(line),
            }
        }
        if !lines.is_empty() {
            let lines: [_; 3] = lines.try_into().unwrap_or_else(|lines| panic!("a case has three lines: {lines:?}"));
            let (rules, stream) = (rules(lines[0]), stream(lines[1]));
            headings.last_mut().expect("a heading").1.push(Case { lines, rules, stream });
        }
    }
    headings
}

fn rules(line: &str) -> Rules {
    let mut rules = Rules::default();
    for word in line.split_whitespace() {
        let number = |n: &str| n.parse().unwrap();
        match word.split_once('=') {
            None if word == "-" => {}
            None if word == "strict" => rules.strict = true,
            None if word == "entities" => rules.decode_entities = true,
            Some(("q", n)) => rules.question = number(n),
            Some(("a", n)) => rules.answer = number(n),
            Some(("s", n)) => rules.suggestions = number(n),
            Some(("tag", n)) => rules.tag = number(n),
            _ => panic!("not a rule: {word}"),
        }
    }
    rules
}

fn stream(line: &str) -> Vec<u8> {
    if line == "(empty)" {
        return Vec::new();
    }
    let mut stream = Vec::new();
    let mut rest = line;
    while let Some((text, after)) = rest.split_once('⟨') {
        let (inside, after) = after.split_once('⟩').expect("⟨ is closed");
        stream.extend(text.bytes());
        match inside.split_once('*') {
            Some((times, repeated)) => stream.extend(repeated.repeat(times.parse().unwrap()).bytes()),
            None => stream.push(u8::from_str_radix(inside, 16).unwrap()),
        }
        rest = after;
    }
    stream.extend(rest.bytes());
    stream
}

/// Returns events as a line of the file.
fn event_line(atoms: &[Atom]) -> String {
    let mut parts: Vec<(String, String)> = Vec::new();
    for atom in atoms {
        let (label, c) = match atom {
            Atom::Question { c, .. } => ("Q".to_owned(), *c),
            Atom::Answer { i, c, .. } => (format!("A{i}"), *c),
            Atom::Mode { i, mode, .. } => {
                parts.push((format!("M{i}{mode:?}"), String::new()));
                continue;
            }
            Atom::Complete(EndedCall { notes, .. }) => {
                let notes: Vec<&str> = notes.iter().copied().collect();
                parts.push((format!("complete[{}]", notes.join(",")), String::new()));
                continue;
            }
            Atom::Rejected(reason, _) => {
                parts.push(((*reason).to_owned(), String::new()));
                continue;
            }
            Atom::Text(_) | Atom::Opaque { .. } => panic!("neither prose nor other tools: {atom:?}"),
        };
        match parts.last_mut() {
            Some((last, text)) if *last == label => text.push(c),
            _ => parts.push((label, c.to_string())),
        }
    }
    let quoted = |(label, text): (String, String)| if text.is_empty() { label } else { format!("{label}{text:?}") };
    parts.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// Checks the cases of a heading, with the reference reader and with the parser.
///
/// The parser reads the whole stream, byte by byte, and cut in two at every offset.
fn check(heading: &str) {
    let all = headings();
    let (_, cases) =
        all.iter().find(|(name, _)| *name == heading).unwrap_or_else(|| panic!("not a heading: {heading}"));
    assert!(!cases.is_empty(), "{heading}");
    let mut differences = Vec::new();
    for Case { lines: [rules_line, stream_line, expected], rules, stream } in cases {
        let mut is = |how: &str, atoms: &[Atom]| {
            let shown = event_line(atoms);
            let same = shown == *expected;
            if !same {
                differences.push(format!("{rules_line}\n{stream_line}\n  expected {expected}\n  {how} {shown}"));
            }
            same
        };
        let oracle = oracle(Syntax::Arguments, stream, rules);
        is("oracle", &oracle);
        let mut parser = Parser::arguments(policy(rules));
        let whole = parse(&mut parser, [&**stream]);
        is("parser", &whole);
        // The lines have no spans, and not the fields of the last event.
        assert_eq!(whole, oracle, "{stream_line}");
        is("byte by byte", &parse(&mut parser, stream.chunks(1)));
        let step = if stream.len() < SHORT { 1 } else { stream.len() / 10 };
        // One difference is enough.
        (0..=stream.len())
            .step_by(step)
            .all(|cut| is(&format!("cut at {cut}"), &parse(&mut parser, [&stream[..cut], &stream[cut..]])));
    }
    assert!(differences.is_empty(), "\n{}\n", differences.join("\n\n"));
}

/// Makes a test of each heading of the file.
macro_rules! headings {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(&stringify!($name).replace('_', " "));
            }
        )*

        #[test]
        fn every_heading_is_a_test() {
            let tests: BTreeSet<String> = [$(stringify!($name)),*].map(|name| name.replace('_', " ")).into();
            let headings = headings();
            let named: BTreeSet<String> = headings.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(tests, named);
            assert_eq!(headings.len(), named.len(), "a heading occurs twice");
        }
    };
}

headings! {
    the_example_of_the_page
    suggestions_as_an_array_of_text_and_mode
    a_mode_as_an_object_with_its_slug
    suggestions_as_an_array_of_answer_and_mode
    suggestions_as_an_array_of_strings_numbers_and_booleans
    suggestions_as_one_object
    suggestions_as_a_map
    suggestions_as_markup_in_a_string
    suggestions_as_json_in_a_string
    suggestions_as_lines_in_a_string
    suggestions_in_options
    suggestions_in_suggest_are_outside_follow_up
    a_mode_before_its_text
    unknown_keys_mean_nothing
    white_space_between_values_means_nothing
    suggestions_of_a_type_that_means_nothing_are_of_the_wrong_type
    suggestions_may_be_missing
    a_question_may_not_be_missing
    arguments_that_end_too_soon_are_truncated
    a_key_may_be_escaped
    a_key_may_come_twice
    a_list_that_has_given_suggestions_is_not_read_again
    half_a_surrogate_pair
    values_are_nested_128_deep_and_no_deeper
    the_question
    a_suggestion_object
    limits_of_suggestions
    strings_are_repaired
    text_that_can_not_be_json_is_malformed
    text_after_the_object_is_ignored
    arguments_that_are_no_object_are_of_the_wrong_type_whatever_follows
}

#[test]
fn the_cases_show_every_note_and_every_reason() {
    let headings = headings();
    let lines: Vec<&str> = headings.iter().flat_map(|(_, cases)| cases.iter().map(|case| case.lines[2])).collect();
    for note in [
        "IllFormedString",
        "TextAfterArguments",
        "SuggestionsAsObject",
        "SuggestionsAsText",
        "OutsideFollowUp",
        "RepeatedSuggestions",
        "UnreadableSuggestion",
        "RepeatedQuestion",
        "SuggestionsDropped",
        "UnreadableList",
    ] {
        assert!(lines.iter().any(|line| line.contains(note)), "{note}");
    }
    for reason in ["missing_parameter", "wrong_type", "too_long", "malformed", "truncated"] {
        assert!(lines.iter().any(|line| line.ends_with(reason)), "{reason}");
    }
}

#[test]
fn a_call_is_never_final_at_a_balanced_brace() {
    let (arguments, after) = (r#"{"question":"q","follow_up":[{"text":"a"}]}"#, " x}{]\u{e9}");
    for stream in [arguments.to_owned(), format!("{arguments}{after}"), "{}".to_owned(), "[]".to_owned()] {
        let mut parser = Parser::arguments(Policy::new());
        for byte in stream.as_bytes().chunks(1) {
            let mut events = parser.feed_bytes(byte);
            while let Some(event) = events.next() {
                assert!(matches!(event, Event::Partial(_)), "{event:?} in {stream:?}");
            }
        }
        let mut events = parser.finish();
        let ended = events.next();
        assert!(matches!(ended, Some(Event::Complete(_) | Event::Rejected(_))), "{ended:?} for {stream:?}");
        assert_eq!(events.next(), None);
    }
}

/// A provider that sends nothing, or only empty fragments, still gives one call.
#[test]
fn every_stream_gives_one_call_with_the_whole_stream_as_its_span() {
    let mut parser = Parser::arguments(Policy::new());
    for stream in ["", "{}", r#"{"question":"q"}  "#, r#"{"question":"q"} x"#, "[1]", "é"] {
        let mut shown = Transcript::default();
        shown.append(parser.feed(""));
        shown.append(parser.feed(stream));
        shown.append(parser.finish());
        match &atoms(&shown)[..] {
            [Atom::Question { .. }, Atom::Complete(ended)] | [Atom::Rejected(_, ended)] => {
                assert_eq!((ended.call, ended.span), (0, (0, stream.len() as u64)), "{stream:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
