//! The families of envelopes as values: their names, and sets of them.

use followup::{Envelope, Envelopes, Event, Note, Parser, Policy};

use crate::questions::assert_items;

/// The names of `docs/format.md`, in its order.
const NAMES: [&str; 11] =
    ["function-xml", "hermes", "bare-json", "invoke", "dsml", "glm", "harmony", "kimi", "mistral", "deepseek", "llama"];

fn families(set: Envelopes) -> Vec<Envelope> {
    set.iter().collect()
}

#[test]
fn a_set_is_iterated_from_both_ends() {
    const MOST: Envelopes = Envelopes::all().without(Envelope::Llama);
    for set in [Envelopes::none(), Envelopes::default(), Envelopes::all(), MOST, Envelopes::none().with(Envelope::Dsml)]
    {
        let expected: Vec<_> = Envelope::ALL.into_iter().filter(|family| set.contains(*family)).collect();
        assert_items(set.iter(), &expected);
        assert_items(set.into_iter(), &expected);
    }
}

#[test]
fn a_family_is_written_and_read_by_its_name() {
    for (family, name) in Envelope::ALL.into_iter().zip(NAMES) {
        assert_eq!((family.name(), family.to_string().as_str()), (name, name));
        assert_eq!(name.parse(), Ok(family));
    }
    assert_eq!(format!("{:>6}|{:<6}|{:.2}", Envelope::Glm, Envelope::Kimi, Envelope::Llama), "   glm|kimi  |ll");
}

#[test]
fn what_is_no_name_of_a_family_is_an_error_that_lists_the_names() {
    for name in ["", "Kimi", "kim", "kimi ", "functionxml"] {
        assert!(name.parse::<Envelope>().is_err(), "{name:?}");
    }
    let error = "qwen".parse::<Envelope>().unwrap_err();
    assert_eq!(error.to_string(), format!("no family of envelopes has this name; there are: {}", NAMES.join(", ")));
}

#[test]
fn a_set_has_the_families_that_were_added_and_not_removed() {
    assert_eq!(families(Envelopes::none()), []);
    assert_eq!(families(Envelopes::all()), Envelope::ALL);
    assert_eq!(families(Envelopes::default()), Envelope::ALL[..8]);
    assert!(Envelopes::none().is_empty() && !Envelopes::all().is_empty());
    for family in Envelope::ALL {
        let one = Envelopes::none().with(family);
        assert_eq!(families(one), [family]);
        assert!(!one.is_empty());
        assert_eq!((one.with(family), one.without(family)), (one, Envelopes::none()));
        let others = Envelopes::all().without(family);
        assert_eq!((others.without(family), others.with(family)), (others, Envelopes::all()));
        for other in Envelope::ALL {
            assert_eq!((one.contains(other), others.contains(other)), (other == family, other != family));
        }
    }
}

#[test]
fn a_set_is_shown_and_stored_as_the_list_of_its_families() {
    let set: Envelopes = [Envelope::Llama, Envelope::BareJson, Envelope::Llama].into_iter().collect();
    assert_eq!(format!("{set:?}"), "{BareJson, Llama}");
    assert_eq!(format!("{:?}", Envelopes::none()), "{}");
    let stored = serde_json::to_string(&set).unwrap();
    assert_eq!(stored, "[\"bare-json\",\"llama\"]");
    assert_eq!(serde_json::from_str::<Envelopes>(&stored).unwrap(), set);
    assert_eq!(serde_json::from_str::<Envelopes>("[\"llama\",\"bare-json\",\"llama\"]").unwrap(), set);
}

/// Returns the complete calls of a message, each with its question and its notes.
fn complete(policy: Policy, message: &str) -> Vec<(String, Vec<Note>)> {
    let mut parser = Parser::new(policy);
    let mut calls = Vec::new();
    let mut add = |event: Event<'_>| {
        if let Event::Complete(call) = event {
            calls.push((call.question().to_owned(), call.notes().to_vec()));
        }
    };
    parser.feed(message).for_each(&mut add);
    parser.finish().for_each(&mut add);
    calls
}

#[test]
fn each_example_of_the_page_is_a_complete_call_of_its_family() {
    let page = include_str!("../../docs/format.md");
    let (_, page) = page.split_once("\n## Envelopes\n").expect("the section");
    let mut families = Vec::new();
    let rows = page.lines().skip_while(|line| !line.starts_with("| family | default | example"));
    for row in rows.skip(2).take_while(|line| line.starts_with('|')) {
        // A `|` in a cell is escaped.
        let row = row.replace("\\|", "\0");
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().replace('\0', "|")).collect();
        let [_, family, default, examples, _] = &cells[..] else { panic!("{row}") };
        let family: Envelope = family.trim_matches('`').parse().unwrap();
        for example in examples.split('`').skip(1).step_by(2) {
            // `[ARGS]` is a token.
            let arguments = r#"{"question": "Which?", "follow_up": [{"text": "A"}]}"#;
            let message = example
                .replace("[ARGS]", "\0")
                .replace("ARGS", arguments)
                .replace('\0', "[ARGS]")
                .replace("LIST", r#"[{"text": "A"}]"#)
                .replace("NAME", "ask_followup_question")
                .replace('␤', "\n");
            let call = ("Which?".to_owned(), vec![Note::Envelope(family)]);
            let only = Envelopes::none().with(family);
            assert_eq!(complete(Policy::new().with_envelopes(only), &message), [call], "{message}");
            let others = Envelopes::all().without(family);
            assert_eq!(complete(Policy::new().with_envelopes(others), &message), [], "{message}");
        }
        assert_eq!(default == "yes", Envelopes::default().contains(family), "{family}");
        families.push(family);
    }
    assert_eq!(families, Envelope::ALL);
}
