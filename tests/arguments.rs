//! The arguments of native calls, case by case: `arguments.txt` says what each stream shows. The parser is held to it however the
//! stream is cut, and so is the oracle, which the other tests believe.

mod common;

use std::collections::BTreeSet;

use common::reference::{Atom, Ended, Rules};
use common::{atoms, oracle, policy, show};
use followup::testing::{Syntax, Transcript};
use followup::{Event, Parser, Policy};

const CASES: &str = include_str!("arguments.txt");

/// Streams up to this length are cut everywhere.
const SHORT: usize = 3000;

struct Case {
    /// Its lines in the file.
    said: [&'static str; 3],
    rules: Rules,
    stream: Vec<u8>,
}

/// The headings of the file, each with the cases below it.
fn headings() -> Vec<(&'static str, Vec<Case>)> {
    let mut headings: Vec<(_, Vec<Case>)> = Vec::new();
    for block in CASES.split("\n\n") {
        let mut said = Vec::new();
        for line in block.lines() {
            match line.strip_prefix("# --- ") {
                Some(heading) => headings.push((heading, Vec::new())),
                None if line.starts_with('#') || line.is_empty() => {}
                None => said.push(line),
            }
        }
        if !said.is_empty() {
            let said: [_; 3] = said.try_into().unwrap_or_else(|said| panic!("three lines a case: {said:?}"));
            let (rules, stream) = (rules(said[0]), stream(said[1]));
            headings.last_mut().expect("a heading").1.push(Case { said, rules, stream });
        }
    }
    headings
}

fn rules(said: &str) -> Rules {
    let mut rules = Rules::default();
    for word in said.split_whitespace() {
        let number = |n: &str| n.parse().unwrap();
        match word.split_once('=') {
            None if word == "-" => {}
            None if word == "strict" => rules.strict = true,
            None if word == "entities" => rules.decode_entities = true,
            Some(("q", n)) => rules.question = number(n),
            Some(("a", n)) => rules.answer = number(n),
            Some(("s", n)) => rules.suggestions = number(n),
            Some(("tag", n)) => rules.tag = number(n),
            _ => panic!("no rule: {word}"),
        }
    }
    rules
}

fn stream(said: &str) -> Vec<u8> {
    if said == "(empty)" {
        return Vec::new();
    }
    let mut stream = Vec::new();
    let mut rest = said;
    while let Some((text, behind)) = rest.split_once('⟨') {
        let (inside, behind) = behind.split_once('⟩').expect("⟨ is closed");
        stream.extend(text.bytes());
        match inside.split_once('*') {
            Some((times, repeated)) => stream.extend(repeated.repeat(times.parse().unwrap()).bytes()),
            None => stream.push(u8::from_str_radix(inside, 16).unwrap()),
        }
        rest = behind;
    }
    stream.extend(rest.bytes());
    stream
}

/// What is shown, as the file says it.
fn line(atoms: &[Atom]) -> String {
    let mut parts: Vec<(String, String)> = Vec::new();
    for atom in atoms {
        let (label, c) = match atom {
            Atom::Question { c, .. } => ("Q".to_owned(), *c),
            Atom::Answer { i, c, .. } => (format!("A{i}"), *c),
            Atom::Mode { i, mode, .. } => {
                parts.push((format!("M{i}{mode:?}"), String::new()));
                continue;
            }
            Atom::Complete(Ended { notes, .. }) => {
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
    let said = |(label, text): (String, String)| if text.is_empty() { label } else { format!("{label}{text:?}") };
    parts.into_iter().map(said).collect::<Vec<_>>().join(" ")
}

/// Reads every case below a heading: by the oracle, whole, byte by byte, and at every two-way cut.
fn check(heading: &str) {
    let all = headings();
    let (_, cases) = all.iter().find(|(name, _)| *name == heading).unwrap_or_else(|| panic!("no heading: {heading}"));
    assert!(!cases.is_empty(), "{heading}");
    let mut wrong = Vec::new();
    for Case { said: [said_rules, said_stream, meant], rules, stream } in cases {
        let mut is = |how: &str, atoms: &[Atom]| {
            let shown = line(atoms);
            let same = shown == *meant;
            if !same {
                wrong.push(format!("{said_rules}\n{said_stream}\n  meant {meant}\n  {how} {shown}"));
            }
            same
        };
        let oracle = oracle(Syntax::Arguments, stream, rules);
        is("oracle", &oracle);
        let mut parser = Parser::arguments(policy(rules));
        let whole = show(&mut parser, [&**stream]);
        is("parser", &whole);
        // The lines leave out what is carried by the end, and the span.
        assert_eq!(whole, oracle, "{said_stream}");
        is("byte by byte", &show(&mut parser, stream.chunks(1)));
        let step = if stream.len() < SHORT { 1 } else { stream.len() / 10 };
        // One that is wrong is enough.
        (0..=stream.len())
            .step_by(step)
            .all(|cut| is(&format!("cut at {cut}"), &show(&mut parser, [&stream[..cut], &stream[cut..]])));
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n\n"));
}

/// Each heading of the file is a test of that name.
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
            assert_eq!(headings.len(), named.len(), "no heading twice");
        }
    };
}

headings! {
    the_example_of_the_page
    suggestions_as_an_array_of_text_and_mode
    suggestions_as_an_array_of_answer_and_mode
    suggestions_as_an_array_of_strings_numbers_and_booleans
    suggestions_as_one_object
    suggestions_as_a_map
    suggestions_as_markup_in_a_string
    suggestions_as_json_in_a_string
    suggestions_as_lines_in_a_string
    suggestions_in_options
    suggestions_in_suggest_stand_outside
    a_mode_in_front_of_its_text
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
    what_can_not_be_json_is_malformed
    what_stands_behind_the_object_is_ignored
    arguments_that_are_no_object_are_of_the_wrong_type_whatever_follows
}

/// Every note and every reason of the page's section occurs.
#[test]
fn the_cases_show_every_note_and_every_reason() {
    let headings = headings();
    let lines: Vec<&str> = headings.iter().flat_map(|(_, cases)| cases.iter().map(|case| case.said[2])).collect();
    for note in [
        "IllFormedString",
        "TextBehindArguments",
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
fn a_call_is_never_final_at_a_brace_that_happens_to_balance() {
    let (arguments, behind) = (r#"{"question":"q","follow_up":[{"text":"a"}]}"#, " x}{]\u{e9}");
    for stream in [arguments.to_owned(), format!("{arguments}{behind}"), "{}".to_owned(), "[]".to_owned()] {
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
        shown.take(parser.feed(""));
        shown.take(parser.feed(stream));
        shown.take(parser.finish());
        match &atoms(&shown)[..] {
            [Atom::Question { .. }, Atom::Complete(ended)] | [Atom::Rejected(_, ended)] => {
                assert_eq!((ended.call, ended.span), (0, (0, stream.len() as u64)), "{stream:?}");
            }
            other => panic!("{other:?}"),
        }
    }
}
