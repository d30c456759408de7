//! Checkpoints as stored data: they come back as they were, and what no parser could have made is refused.

use std::sync::Arc;

use followup::{Calls, Checkpoint, Entities, Event, Parser, Policy, Repairs, ResumeError};
use serde_json::{Value, json};

const MESSAGE: &str = "Hm `x` <b> <read_file><path>a.rs</path> </read_file>\
    <ask_followup_question a='>'>\n<question>Which &amp; why? </question>\n<follow_up>\n\
    <suggest mode=\"code\"> A `<suggest>` &lt; é </suggest><suggest><mode> ask</mode><content>B </content></suggest>\
    <suggest><mode>m</mode>text</suggest></follow_up><options>[\"x\", 1]</options></ask_followup_question> \
    <ask_followup_question> Bare? <";

fn policies() -> [Arc<Policy>; 3] {
    [
        Arc::new(Policy::new()),
        Arc::new(Policy::new().repairs(Repairs::Reject).calls(Calls::OutsideCode)),
        Arc::new(Policy::new().entities(Entities::Decoded)),
    ]
}

/// What comes out of the rest of a stream, as text.
fn rest(parser: &mut Parser, rest: &[u8]) -> String {
    let mut out = String::new();
    let mut take = |mut events: followup::Events<'_>| {
        while let Some(event) = events.next() {
            match event {
                Event::Text(text) => out.push_str(text),
                other => out.push_str(&format!("{other:?}")),
            }
        }
    };
    take(parser.feed_bytes(rest));
    take(parser.finish());
    out
}

fn stored(checkpoint: &Checkpoint) -> Value {
    serde_json::to_value(checkpoint).unwrap()
}

#[test]
fn a_stored_checkpoint_comes_back_as_it_was() {
    for policy in policies() {
        for at in 0..=MESSAGE.len() {
            let (before, after) = MESSAGE.as_bytes().split_at(at);
            let mut parser = Parser::new(policy.clone());
            drop(parser.feed_bytes(before));
            let text = serde_json::to_string(&parser.checkpoint()).unwrap();
            let back: Checkpoint = serde_json::from_str(&text).unwrap();
            assert_eq!(back, parser.checkpoint());
            let mut resumed = Parser::resume(policy.clone(), back).unwrap();
            assert_eq!(rest(&mut resumed, after), rest(&mut parser, after), "at {at}");
        }
    }
}

#[test]
fn a_policy_comes_back_as_it_was() {
    for policy in policies() {
        let text = serde_json::to_string(&*policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), *policy);
    }
    assert_eq!(serde_json::from_str::<Policy>("{}").unwrap(), Policy::default());
    assert!(serde_json::from_str::<Policy>(r#"{"tools": {"tools": ["a b"], "parameters": []}}"#).is_err());
}

#[test]
fn a_checkpoint_of_another_policy_is_refused() {
    let [one, two, three] = policies();
    let checkpoint = Parser::new(one.clone()).checkpoint();
    for other in [two, three, Arc::new(Policy::new().tools(followup::Tools::none()))] {
        assert_eq!(Parser::resume(other, checkpoint.clone()).unwrap_err(), ResumeError::OtherPolicy);
    }
    assert!(Parser::resume((*one).clone(), checkpoint).is_ok());
}

/// The checkpoint behind `stream` with the value at `path` replaced.
fn damaged(stream: &str, path: &str, value: Value) -> Result<(), ResumeError> {
    let policy = Arc::new(Policy::new());
    let mut parser = Parser::new(policy.clone());
    drop(parser.feed_bytes(stream.as_bytes()));
    let mut stored = stored(&parser.checkpoint());
    *stored.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
    let checkpoint = serde_json::from_value(stored).unwrap_or_else(|error| panic!("{path}: {error}"));
    Parser::resume(policy, checkpoint).map(|_| ())
}

#[test]
fn what_no_parser_could_have_made_is_refused() {
    let question = "<ask_followup_question><question>Which";
    let answer = "<ask_followup_question><question>Q</question><suggest mode='m'>Yes";
    let nested = "<ask_followup_question><question>Q</question><suggest><mode>m</mode>Ye";
    let second = "<ask_followup_question><suggest>A</suggest><suggest>";
    let behind = "<ask_followup_question><suggest><content>AB</content>";
    let opened = "x <ask_followup_question> hm";
    let cases = [
        ("a <as", "/carry/bytes", json!([97])),
        ("a <as", "/carry/bytes", json!([60, 60])),
        ("a <as", "/carry/bytes", json!([60, 255])),
        ("a <as", "/carry/bytes", json!(b"<ask_followup_question>x")),
        ("a <as", "/carry/start", json!(9)),
        ("a <as", "/carry/shown", json!(true)),
        ("a <as", "/carry/behind_tick", json!(true)),
        ("a", "/carry/start", json!(1)),
        ("a", "/tail", json!({"bytes": [226, 130, 0], "len": 9})),
        ("a", "/tail", json!({"bytes": [97, 0, 0], "len": 1})),
        ("a", "/tail", json!({"bytes": [1, 0, 0], "len": 0})),
        ("a", "/calls", json!(7)),
        ("a", "/state", json!({"Ended": {"end": 1}})),
        ("a", "/state", json!({"Demoted": {"opening": 1, "body": 1}})),
        ("a", "/state", json!({"Prose": {"Plain": {"line_start": true}}})),
        ("a", "/state", json!({"Opaque": {"tool": 999, "parameter": null}})),
        ("a", "/state", json!({"Call": "Question"})),
        ("<read_file> ", "/state/Opaque/parameter", json!(999)),
        (question, "/call", json!(null)),
        (question, "/state/Call", json!("Between")),
        (question, "/state/Call", json!("Answer")),
        (question, "/held", json!("x")),
        (question, "/call/start", json!(38)),
        (question, "/call/text", json!("")),
        (question, "/call/text", json!(" Which")),
        (question, "/call/question", json!([0, 99])),
        (question, "/call/question", json!([3, 2])),
        (question, "/call/asked", json!(false)),
        (question, "/call/bare", json!(99)),
        (question, "/call/value/start", json!(99)),
        (question, "/call/value/certain", json!(99)),
        (question, "/call/value/certain", json!(2)),
        (question, "/call/value/exists", json!(false)),
        (question, "/call/value", json!(null)),
        (question, "/call/value/begun", json!({"bytes": [38]})),
        (question, "/call/value/ampersand", json!(true)),
        (question, "/call/wrong", json!("MissingParameter")),
        (question, "/call/shown/question", json!(0)),
        (question, "/call/shown/question", json!(99)),
        (question, "/call/shown/suggestions", json!(1)),
        (question, "/call/notes", json!(["StrayCloseTag", "StrayCloseTag"])),
        (
            question,
            "/call/list",
            json!({"Text": {"text": "x", "value": {"start": 0, "certain": 1, "exists": true, "full": false, "begun": {"bytes": []}, "ampersand": false}}}),
        ),
        (answer, "/call/suggestions", json!([])),
        (answer, "/call/suggestions/0/mode", json!([0, 9])),
        (answer, "/call/suggestions/0/mode", json!(null)),
        (answer, "/call/suggestions/0/answer", json!([0, 1])),
        (answer, "/call/open/listed", json!(false)),
        (answer, "/call/open/surplus", json!(true)),
        (answer, "/call/open/passed", json!(true)),
        (answer, "/call/open/provisional", json!(true)),
        (answer, "/call/open", json!(null)),
        (answer, "/call/modes", json!(" ")),
        (nested, "/call/open/provisional", json!(false)),
        (nested, "/state/Call", json!({"Nested": {"content": true, "answered": true}})),
        (nested, "/state/Call", json!("Suggestion")),
        (question, "/call/value/start", json!(1)),
        (question, "/call/text", json!("Which one")),
        (question, "/call/modes", json!("m")),
        (question, "/call/notes", json!(["OnlyNamed"])),
        (question, "/call/notes", json!(["BareQuestion"])),
        (question, "/call/wrong", json!({"TooLong": {"place": "Question", "limit": 0}})),
        (question, "/call/body", json!("List")),
        (question, "/read", json!(27)),
        (question, "/calls", json!(2)),
        (answer, "/call/open/modes", json!(1)),
        (second, "/call/open/listed", json!(true)),
        (second, "/call/value/exists", json!(true)),
        (behind, "/state/Call/Nested/answered", json!(false)),
        (opened, "/held", json!("<ask_followup_question>")),
        (opened, "/held", json!("")),
        (opened, "/held", json!("<ask_followup_question> éé")),
        (opened, "/held", json!("<ask_followup_quest!on> hm")),
        (opened, "/state/Call/Opened/blank", json!(true)),
        (opened, "/state/Call/Opened/opening", json!(22)),
        (opened, "/state/Call/Opened/opening", json!(999)),
        (opened, "/state/Call/Opened/body", json!(0)),
        (opened, "/state/Call/Opened/body", json!(u64::MAX)),
        (opened, "/call/asked", json!(true)),
        (opened, "/read", json!(u64::MAX)),
        (opened, "/read", json!(0)),
    ];
    let accepted = cases
        .iter()
        .filter(|(stream, path, value)| damaged(stream, path, value.clone()) != Err(ResumeError::Impossible));
    let accepted: Vec<String> =
        accepted.map(|(stream, path, value)| format!("{path} = {value} behind {stream:?}")).collect();
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// Every leaf of every checkpoint, replaced by what a hostile hand might write. Whatever is resumed reads on without a panic,
/// and is what it was made from.
#[test]
fn a_hostile_checkpoint_is_refused_or_reads_on() {
    let hostile = [
        json!(0),
        json!(1),
        json!(2),
        json!(60),
        json!(255),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(true),
        json!(false),
        json!(null),
        json!(""),
        json!("é"),
        json!("<"),
        json!("["),
        json!([]),
        json!([0, 0]),
        json!([1, 0]),
        json!([0, u64::MAX]),
        json!("Between"),
        json!("Options"),
        json!("No"),
        json!("TooLong"),
    ];
    let (mut tried, mut resumed) = (0, 0);
    for policy in policies() {
        for at in (0..=MESSAGE.len()).step_by(3) {
            let mut parser = Parser::new(policy.clone());
            drop(parser.feed_bytes(&MESSAGE.as_bytes()[..at]));
            let whole = stored(&parser.checkpoint());
            for path in leaves(&whole) {
                for value in &hostile {
                    let mut changed = whole.clone();
                    *changed.pointer_mut(&path).unwrap() = value.clone();
                    let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(changed) else { continue };
                    tried += 1;
                    if let Ok(mut parser) = Parser::resume(policy.clone(), checkpoint.clone()) {
                        resumed += 1;
                        assert_eq!(parser.checkpoint(), checkpoint);
                        for next in [
                            &b"\xE3"[..],
                            "é\u{3000}".as_bytes(),
                            b"<content>x</content><mode>m",
                            b"<suggest mode='x'>&am",
                            b"\"],",
                        ] {
                            rest(&mut parser.clone(), next);
                        }
                        rest(&mut parser, b"`>\xE2\x82 x\"></mode></content></suggest></question><suggest>Z</suggest></ask_followup_question>");
                    }
                }
            }
        }
    }
    assert!(tried > 10_000 && resumed > 0 && resumed < tried / 2, "{resumed} of {tried}");
}

fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let inside = fields
                .iter()
                .flat_map(|(key, value)| leaves(value).into_iter().map(move |path| format!("/{key}{path}")));
            inside.chain([String::new()]).collect()
        }
        Value::Array(items) => {
            let inside = items
                .iter()
                .enumerate()
                .flat_map(|(i, value)| leaves(value).into_iter().map(move |path| format!("/{i}{path}")));
            inside.chain([String::new()]).collect()
        }
        _ => vec![String::new()],
    }
}

#[test]
fn an_open_call_holds_no_more_than_its_limits_however_long_it_goes_on() {
    let limits = followup::Limits { question: 64, answer: 64, suggestions: 4, ..Default::default() };
    for repeated in [
        "<suggest mode='a mode of some length'> </suggest>",
        "<suggest mode='a mode of some length'>A</suggest>",
        "<suggest><mode>a mode of some length</mode></suggest>",
        "<suggest><content> </content><mode>a mode of some length</mode></suggest>",
        "<suggest><mode>m</mode>some text<content></content></suggest>",
        "<question>Which?</question>",
        "<question> </question>",
        "<options>[\"a\", \"b\"]</options>",
        "<follow_up>[\"a\", </follow_up>",
        "<follow_up> some text </follow_up></suggest></question>",
    ] {
        let mut parser = Parser::new(Policy::new().limits(limits));
        drop(parser.feed("<ask_followup_question><follow_up>"));
        let mut most = 0;
        for _ in 0..1000 {
            for chunk in repeated.as_bytes().chunks(7) {
                drop(parser.feed_bytes(chunk));
                most = most.max(serde_json::to_string(&parser.checkpoint()).unwrap().len());
            }
        }
        assert!(most < 2500, "{repeated}: {most} bytes");
    }
}
