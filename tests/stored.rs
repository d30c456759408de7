//! Checkpoints as stored data: they come back as they were, and what no parser could have made is refused.

mod common;

use std::sync::Arc;

use followup::testing::Syntax;
use followup::{Calls, Checkpoint, Entities, Event, Field, Limits, Parser, Policy, Repairs, ResumeError, Suggestions};
use serde_json::{Value, json};

const MESSAGE: &str = "Hm `x` <b> <read_file><path>a.rs</path> </read_file>\
    <ask_followup_question a='>'>\n<question>Which &amp; why? </question>\n<follow_up>\n\
    <suggest mode=\"code\"> A `<suggest>` &lt; é </suggest><suggest><mode> ask</mode><content>B </content></suggest>\
    <suggest><mode>m</mode>text</suggest></follow_up><options>[\"x\", 1]</options></ask_followup_question> \
    <ask_followup_question> Bare? <";

/// Values that begin with what may be an entity.
const ENTITIES: &str = "<ask_followup_question><question> &#38; &amp &#x1F600;</question><suggest>&lt;a&gt;</suggest>\
    <suggest><mode>&#109;</mode>&#32;A&#x</suggest><suggest>\u{e9}</suggest><suggest><mode>\u{e9}</mode><content>\u{e9}</content>\u{e9}</suggest><suggest>&am";

/// Much that begins like a tag and is none, in every place.
const NO_TAGS: &str = "<ask_followup_question a='>\u{e9}' a <q<questio <</ <\u{e9}<question \u{e9}<question!\
    <ask_followup_question> a <q<questio <</ <\u{e9}<quest\u{e9}<question!<ask_followup_questio\u{e9}> \
    <read_file> </read_fi\u{e9} <path a='>' \u{e9}> <pat\u{e9} </path a> <path a=\"\u{e9}\"></pat\u{e9} </path \u{e9}></path></read_file \u{e9}";

/// Arguments with everything that is repaired, with nothing that is, and with lists that are objects and strings.
const ARGUMENTS: [&str; 3] = [
    "{\"question\": \" W\\u0068ich é\\ud83d\\ude00 \\q?\n \", \"other\": {\"a\": [1, {\"b\": \"c\"}]}, \"question\": \"again\",
        \"follow_up\": [\" A b \", -12.5e+3, true, [\"x\"], {\"mode\": \"m\", \"text\": \" B\", \"answer\": \"no\"}, {\"mode\": \" \"}, {}],
        \"suggestions\": [\"again\"], \"suggest\": \" <suggest mode='m'>F</suggest>\\n\"} behind",
    r#" {"question":"Why?","follow_up":[{"text":"é","mode":"\ud83d"},null,{"text":"C","mode":"co de"},false],"x":[[]]} "#,
    r#"{"follow_up": "[1, {\"text\":\"x\"}]", "options": {"k": 1, "0": {"text": "D"}, "list": ["E", {"mode": "n"}]},
        "suggestion": {"y": null, "mode": "m", "x": [{}], "text": 1.5, "text": ""}, "question": nul"#,
];

fn policies() -> [Arc<Policy>; 4] {
    let small = Limits { question: 4, answer: 2, suggestions: 2, ..Limits::default() };
    [
        Arc::new(Policy::new()),
        Arc::new(Policy::new().repairs(Repairs::Reject).calls(Calls::OutsideCode)),
        Arc::new(Policy::new().entities(Entities::Decoded)),
        Arc::new(Policy::new().limits(small)),
    ]
}

/// What is read, and as what.
fn messages() -> impl Iterator<Item = (Syntax, &'static str)> {
    let arguments = ARGUMENTS.map(|stream| (Syntax::Arguments, stream));
    [MESSAGE, ENTITIES, NO_TAGS].map(|stream| (Syntax::Markup, stream)).into_iter().chain(arguments)
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

/// A key is kept only as far as it can matter.
const LONG_KEYS: &str = "{\"follow_up\": {\"123456789012345\": \"A\", \"1234567890123456\": \"B\", \"12345678901234567890\": \"C\", \
    \"123456789012345x\": \"D\", \"12345678901234567890x\": \"E\", \"x12345678901234567890\": \"F\"}, \"question\": \"Q\"}";

/// Objects in which nothing means anything.
const SKIPPED: &str = "{\"x\": {\"question\": {\"k\": {}}}, \"follow_up\": [{\"x\": {\"text\": {}}, \"text\": \"A\", \"y\": {\"mode\": {\"k\": 1}}}, \
    {\"y\": [{}]}, {\"text\": {\"k\": {}}}], \"question\": \"Q\"}";

#[test]
fn a_stored_checkpoint_comes_back_as_it_was() {
    for policy in policies() {
        for (syntax, message) in messages().chain([(Syntax::Arguments, LONG_KEYS), (Syntax::Arguments, SKIPPED)]) {
            for at in 0..=message.len() {
                let (before, after) = message.as_bytes().split_at(at);
                let mut parser = syntax.parser(policy.clone());
                drop(parser.feed_bytes(before));
                let text = serde_json::to_string(&parser.checkpoint()).unwrap();
                let back: Checkpoint = serde_json::from_str(&text).unwrap();
                assert_eq!(back, parser.checkpoint());
                let mut resumed =
                    Parser::resume(policy.clone(), back).unwrap_or_else(|error| panic!("{error} at {at}: {text}"));
                assert_eq!(rest(&mut resumed, after), rest(&mut parser, after), "{message} at {at}");
            }
        }
    }
}

/// A parser that looks for code in prose is somewhere in it after every byte.
#[test]
fn code_that_is_open_comes_back_as_it_was() {
    let prose = "a `b` ``c\n d`\n \n e\n```\n f\n ``` \n~~~~ rust `\ng\n~~~\n\n~~~~~\n<think> `h` </think> <thinking>\n`i\n`j\n\n``````k";
    let policy = Arc::new(Policy::new().calls(Calls::OutsideCode));
    let mut whole = Parser::new(policy.clone());
    for (at, byte) in prose.bytes().enumerate() {
        drop(whole.feed_bytes(&[byte]));
        let checkpoint: Checkpoint = serde_json::from_value(stored(&whole.checkpoint())).unwrap();
        let resumed = Parser::resume(policy.clone(), checkpoint).unwrap_or_else(|error| panic!("{error} at {at}"));
        assert_eq!(resumed.checkpoint(), whole.checkpoint());
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
    let [one, others @ ..] = policies();
    let more = Arc::new(Policy::new().tools(followup::Tools::none()));
    for syntax in [Syntax::Markup, Syntax::Arguments] {
        let checkpoint = syntax.parser(one.clone()).checkpoint();
        for other in others.iter().chain([&more]) {
            assert_eq!(Parser::resume(other.clone(), checkpoint.clone()).unwrap_err(), ResumeError::OtherPolicy);
        }
        assert!(Parser::resume((*one).clone(), checkpoint).is_ok());
    }
}

#[test]
fn a_checkpoint_knows_what_its_stream_is_read_as() {
    let [policy, ..] = policies();
    let resumed = |syntax: Syntax| Parser::resume(policy.clone(), syntax.parser(policy.clone()).checkpoint()).unwrap();
    assert!(rest(&mut resumed(Syntax::Arguments), b"{}").starts_with("Rejected"));
    assert_eq!(rest(&mut resumed(Syntax::Markup), b"{}"), "{}");
}

/// The checkpoint behind `stream` with the value at `path` replaced; with several paths, each by its element of a list.
fn damaged(policy: &Policy, syntax: Syntax, stream: &str, path: &str, value: Value) -> Result<(), ResumeError> {
    let policy = Arc::new(policy.clone());
    let mut parser = syntax.parser(policy.clone());
    drop(parser.feed_bytes(stream.as_bytes()));
    let mut stored = stored(&parser.checkpoint());
    let inside = match syntax {
        Syntax::Markup => "/syntax/Markup",
        Syntax::Arguments => "/syntax/Json",
    };
    let values = if path.contains(' ') { value.as_array().unwrap().clone() } else { vec![value] };
    for (path, value) in path.split(' ').zip(values) {
        let path = if stored.pointer(path).is_some() { path.to_owned() } else { format!("{inside}{path}") };
        *stored.pointer_mut(&path).unwrap_or_else(|| panic!("no {path}")) = value;
    }
    let checkpoint = serde_json::from_value(stored).unwrap_or_else(|error| panic!("{path}: {error}"));
    Parser::resume(policy, checkpoint).map(|_| ())
}

/// An open value at that place of which nothing has come, as it is stored.
fn value(start: usize) -> Value {
    let begun = json!({"bytes": []});
    json!({"start": start, "certain": start, "exists": false, "full": false, "begun": begun, "ampersand": false})
}

/// An open suggestion of which nothing has come.
fn open() -> Value {
    json!({"mode": null, "modes": 0, "listed": false, "surplus": false, "provisional": false, "passed": false})
}

/// The cases (a stream, a path, and what stands there instead) that are resumed all the same.
fn accepted(policy: &Policy, syntax: Syntax, cases: &[(&str, &str, Value)]) -> Vec<String> {
    let is_accepted = |(stream, path, value): &&(&str, &str, Value)| {
        damaged(policy, syntax, stream, path, value.clone()) != Err(ResumeError::Impossible)
    };
    let accepted = cases.iter().filter(is_accepted);
    accepted.map(|(stream, path, value)| format!("{path} = {value} behind {stream:?}")).collect()
}

#[test]
fn what_no_parser_could_have_made_is_refused() {
    let question = "<ask_followup_question><question>Which";
    let answer = "<ask_followup_question><question>Q</question><suggest mode='m'>Yes";
    let nested = "<ask_followup_question><question>Q</question><suggest><mode>m</mode>Ye";
    let second = "<ask_followup_question><suggest>A</suggest><suggest>";
    let behind = "<ask_followup_question><suggest><content>AB</content>";
    let opened = "x <ask_followup_question> hm";
    let asked = "<ask_followup_question><question>Which</question>";
    let bare = "<ask_followup_question>Bare text<question>Q";
    let asking = "<ask_followup_question><question>";
    let moded = "<ask_followup_question><suggest><mode>";
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
        ("a", "/tail", json!({"bytes": [255, 0, 0], "len": 1})),
        ("a", "/tail", json!({"bytes": [97, 195, 0], "len": 2})),
        (answer, "/read", json!(27)),
        (question, "/call/notes", json!(["IllFormedString"])),
        (asked, "/call/text", json!(" hich")),
        (asked, "/call/text", json!("Whic ")),
        (bare, "/call/text", json!("Bare tex Q")),
        (bare, "/call/text", json!(" are textQ")),
        (asking, "/call/value/exists /call/question", json!([true, [0, 0]])),
        (moded, "/call/mode/exists", json!(true)),
        ("Hm <ask_followup_question><question>Which", "/read", json!(27)),
        (question, "/call/start", json!(99)),
        (opened, "/held", json!("<read_file            > hm")),
        (opened, "/held", json!("</read_file           > hm")),
        ("x <ask_followup_question > hm", "/held", json!("<ask_followup_question/> hm")),
        ("x <ask_followup_question>xx hm", "/state/Call/Opened/opening /state/Call/Opened/body", json!([25, 27])),
        ("<ask_followup_question> <quest!on> hm", "/held", json!("<ask_followup_question> <question> hm")),
        ("<ask_followup_question> <quest!on> <", "/held", json!("<ask_followup_question> <question> ")),
        ("<ask_followup_question> <q<quest!on", "/held", json!("<ask_followup_question> <q<question")),
        ("<read_file> </read_fi", "/carry/shown", json!(false)),
        ("<read_file> </read_fi", "/carry/bytes", json!(b"</read_xx")),
        ("<ask_followup_question a", "/carry/in_attributes", json!(false)),
        ("<read_file> <path ", "/carry/in_attributes", json!(true)),
        (asked, "/call/body /call/list", json!(["Blank", {"Text": {"text": "", "value": value(0)}}])),
        ("<ask_followup_question><follow_up>", "/call/list", json!("No")),
        (nested, "/state/Call", json!({"Nested": {"content": false, "answered": true}})),
    ];
    let accepted = accepted(&Policy::new(), Syntax::Markup, &cases);
    assert!(accepted.is_empty(), "{accepted:#?}");
}

/// Every place of a call has what is open there, and nothing else.
#[test]
fn what_is_open_elsewhere_is_refused() {
    let nested = |content, answered| json!({"content": content, "answered": answered});
    let list = json!({"Text": {"text": "", "value": value(0)}});
    let between = "<ask_followup_question><question>Q</question>";
    let options = "<ask_followup_question><options>";
    let question = "<ask_followup_question><question>";
    let suggestion = "<ask_followup_question><suggest>";
    let answer = "<ask_followup_question><suggest mode='m'>Yes";
    let element = "<ask_followup_question><suggest><mode>m</mode>Ye";
    let content = "<ask_followup_question><suggest><content>";
    let blank = "<ask_followup_question><suggest><content> </content>";
    let answered = "<ask_followup_question><suggest><content>A</content>";
    let cases = [
        (between, "/call/value", value(1)),
        (between, "/call/open", open()),
        (between, "/call/tick", json!(true)),
        (options, "/call/body", json!("Blank")),
        (options, "/call/value", value(0)),
        (options, "/call/open", open()),
        (question, "/call/open", open()),
        (question, "/call/asked", json!(false)),
        (question, "/call/value", json!(null)),
        (question, "/call/list", list),
        (suggestion, "/call/value", json!(null)),
        (suggestion, "/call/mode", value(0)),
        (suggestion, "/call/open", json!(null)),
        (suggestion, "/call/open/provisional", json!(true)),
        (
            suggestion,
            "/call/open/listed /call/suggestions /call/given",
            json!([true, [{"answer": [0, 0], "mode": null}], true]),
        ),
        (answer, "/call/value", json!(null)),
        (answer, "/call/mode", value(1)),
        (element, "/call/mode", value(1)),
        (element, "/call/open", json!(null)),
        (element, "/state/Call/Nested", nested(true, false)),
        (element, "/state/Call/Nested", nested(false, true)),
        (blank, "/state/Call/Nested", nested(true, true)),
        (blank, "/state/Call/Nested", nested(false, false)),
        (blank, "/call/open", json!(null)),
        (answered, "/state/Call/Nested", nested(true, false)),
        (answered, "/state/Call/Nested", nested(false, false)),
        (content, "/call/mode", value(0)),
        (content, "/call/open", json!(null)),
        (content, "/call/value", json!(null)),
        (content, "/call/open/provisional", json!(true)),
        (content, "/state/Call/Content", nested(false, false)),
        (content, "/state/Call/Content /call/value", json!([nested(true, true), null])),
    ];
    let accepted = accepted(&Policy::new(), Syntax::Markup, &cases);
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn marks_of_code_that_no_stream_is_long_enough_for_are_refused() {
    let cases = [
        ("", "/state/Prose/Plain/line_start", json!(false)),
        ("`", "/state/Prose/Opening/run", json!(0)),
        ("`", "/state/Prose/Opening/run", json!(2)),
        ("x`", "/state/Prose/Opening/mark", json!("Tilde")),
        ("`a", "/state/Prose/Span/ticks", json!(0)),
        ("`a", "/state/Prose/Span/ticks", json!(2)),
        ("`a", "/state/Prose/Span/run", json!(1)),
        ("`a\n", "/state/Prose/Span/run", json!(1)),
        ("```r", "/state/Prose/FenceInfo/run", json!(2)),
        ("```r", "/state/Prose/FenceInfo/run", json!(5)),
        ("```\n", "/state/Prose/Fence/least", json!(2)),
        ("```\n", "/state/Prose/Fence/least", json!(4)),
        ("```\n", "/state/Prose/Fence/line", json!({"Marks": 0})),
        ("```\n", "/state/Prose/Fence/line", json!({"Marks": 5})),
        ("<think>", "/read", json!(6)),
        ("x", "/state/Prose", json!("Ignored")),
    ];
    let accepted = accepted(&Policy::new().calls(Calls::OutsideCode), Syntax::Markup, &cases);
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn arguments_that_no_parser_could_have_read_are_refused() {
    let question = "{\"question\": \"Which";
    let escape = "{\"question\": \"Which\\u00";
    let answer = "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"m\",\"text\":\"Yes";
    let mode = "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"Yes\",\"mode\":\"co";
    let between = "{\"question\":\"Q\",\"follow_up\":[\"A\"],";
    let list = "{\"question\":\"Q\",\"follow_up\":\"a line";
    let map = "{\"question\":\"Q\",\"follow_up\":{\"k\":1,\"0\":";
    let literal = "{\"other\": [tru";
    let number = "{\"question\": -1.5";
    let closed = "{\"question\":\"Q\"}";
    let wrong = "{\"question\":[";
    let key = "{\"follow";
    let string = |key| json!({"String": {"key": key}});
    let number_at = |number| json!({"Number": number});
    let entries = |map| json!(["Parameters", {"Entries": {"map": map}}]);
    let suggestion = |answered, answerable| json!({"Suggestion": {"answered": answered, "answerable": answerable}});
    let cases = [
        // What is read fits the key it stands behind.
        ("{\"follow_up\"", "/arguments/role", json!("Nothing")),
        ("{\"follow_up\"", "/arguments/list", json!(null)),
        ("{\"follow_up\"", "/arguments/list", json!("Options")),
        (question, "/arguments/key/bytes", json!(b"k")),
        // Nothing of markup is open.
        (question, "/call/tick", json!(true)),
        (question, "/call/bare", json!(1)),
        ("{\"other\":1,", "/call/bare /call/text", json!([1, "x"])),
        (between, "/call/tick", json!(true)),
        (between, "/call/body", json!("Blank")),
        // What is open in what.
        ("{\"other\":{\"x\":", "/arguments/within", json!(["Parameters", "Parameters"])),
        ("{\"other\":{", "/arguments/within", json!(["Parameters", "Parameters"])),
        ("{\"follow_up\":[{\"x\":1", "/arguments/within", json!(["Parameters", "Items", suggestion(true, false)])),
        ("{\"follow_up\":{", "/arguments/within", json!(["Parameters", "Parameters"])),
        ("", "/arguments/role", json!("Nothing")),
        ("{\"question\":\"Q\"", "/arguments/reader/expect", json!("Behind")),
        ("{\"question\":\"Q\"", "/arguments/reader/expect", json!("Ignored")),
        ("{\"other\":1,", "/arguments/reader/expect", json!("Behind")),
        (question, "/call/asked", json!(false)),
        // An item is being read, in a suggestion of its own.
        ("{\"follow_up\":[\"", "/call/value", json!(null)),
        ("{\"follow_up\":[\"", "/call/open", json!(null)),
        ("{\"follow_up\":[\"", "/call/open/provisional", json!(true)),
        ("{\"follow_up\":[\"A", "/call/value", json!(null)),
        // A key that has something else than digits is seen to have it, but for one that is longer than what is kept of it.
        ("{\"follow_up\":{\"12x", "/arguments/key/bytes", json!(b"123")),
        ("{\"follow_up\":{\"12345678901234x", "/arguments/key/bytes", json!(b"123456789012345")),
        ("{\"follow_up\":{\"12", "/arguments/key/bytes", json!(b"1x")),
        (list, "/arguments/list", json!(null)),
        (map, "/arguments/role", json!({"Entry": {"named": false}})),
        // Nothing is known before the first key.
        ("", "/call/asked", json!(true)),
        ("{", "/call/asked", json!(true)),
        ("{", "/call/notes", json!(["RepeatedQuestion"])),
        ("{", "/arguments/list", json!("Options")),
        ("{", "/arguments/given/options", json!(true)),
        ("{", "/arguments/key/bytes", json!(b"1")),
        // What a list has given is remembered, and what a list is has been said.
        ("{\"follow_up\":[\"A\",", "/call/given", json!(false)),
        (closed, "/call/given", json!(true)),
        ("{\"follow_up\":[\"A\"]", "/call/given", json!(true)),
        ("{\"follow_up\":[\"A\"]", "/arguments/given/follow_up", json!(false)),
        ("{\"follow_up\":\"[1]\"", "/arguments/given/follow_up", json!(false)),
        (map, "/call/notes", json!([])),
        (answer, "/arguments/whole", json!(true)),
        (closed, "/call/notes", json!(["TextBehindArguments"])),
        ("{} x", "/call/notes", json!([])),
        ("{\"follow_up\":[{", "/arguments/within", json!(["Parameters", "Items", suggestion(false, true)])),
        ("[", "/call/notes", json!(["RepeatedQuestion"])),
        ("[", "/call/asked", json!(true)),
        ("{\"follow_up\":\"a ", "/call/list/Text/value/certain", json!(2)),
        (question, "/read", json!(0)),
        (question, "/read", json!(4)),
        (question, "/read", json!(u64::MAX)),
        (question, "/tail", json!({"bytes": [97, 0, 0], "len": 1})),
        (question, "/arguments/reader/expect", json!("Value")),
        (question, "/arguments/reader/expect", json!("ItemOrEnd")),
        (question, "/arguments/reader/expect", json!("Ended")),
        (question, "/arguments/reader/expect", json!("Behind")),
        (question, "/arguments/reader/expect", json!("IllFormed")),
        (question, "/arguments/reader/expect", json!("Literal")),
        (question, "/arguments/reader/expect", string(true)),
        (question, "/arguments/reader/expect", number_at("Start")),
        (question, "/arguments/reader/nest/depth", json!(0)),
        (question, "/arguments/reader/nest/depth", json!(2)),
        (question, "/arguments/reader/nest/depth", json!(129)),
        (question, "/arguments/reader/nest/depth", json!(255)),
        (question, "/arguments/reader/nest/objects", json!(0)),
        (question, "/arguments/reader/nest/objects", json!(3)),
        (question, "/arguments/reader/plain", json!(true)),
        (question, "/arguments/reader/begun/bytes", json!(b"x")),
        (question, "/arguments/reader/begun/bytes", json!(b"\\n")),
        (question, "/arguments/reader/begun/bytes", json!(b"\\x")),
        (question, "/arguments/reader/begun/bytes", json!([92, 255])),
        (question, "/arguments/within", json!([])),
        (question, "/arguments/within", json!(["Items"])),
        (question, "/arguments/within", json!(["Parameters", "Items"])),
        (question, "/arguments/within", json!(["Parameters", "Parameters"])),
        (question, "/arguments/role", json!("Arguments")),
        (question, "/arguments/role", json!("List")),
        (question, "/arguments/role", json!("Item")),
        (question, "/arguments/role", json!("Answer")),
        (question, "/arguments/role", json!("Mode")),
        (question, "/arguments/role", json!("Nothing")),
        (question, "/arguments/role", json!({"Entry": {"named": true}})),
        (question, "/arguments/key/bytes", json!(b"a key that is far too long")),
        (question, "/arguments/key/no_number", json!(false)),
        (question, "/arguments/given/follow_up", json!(true)),
        (question, "/call/value", json!(null)),
        (question, "/call/value/exists", json!(false)),
        (question, "/call/value/certain", json!(2)),
        (question, "/call/asked", json!(false)),
        (question, "/call/text", json!("")),
        (question, "/call/text", json!(" Which")),
        (question, "/call/shown/question", json!(0)),
        (question, "/call/start", json!(1)),
        (question, "/call/entities", json!("Decoded")),
        (question, "/call/wrong", json!({"WrongType": "Mode"})),
        (question, "/call/wrong", json!({"WrongType": "Question"})),
        (question, "/call/notes", json!(["UnclosedQuestion"])),
        (question, "/call/notes", json!(["IllFormedJson"])),
        (question, "/call/notes", json!(["IllFormedString", "IllFormedString"])),
        (question, "/call/follow_up", json!(true)),
        (question, "/call/given", json!(true)),
        (question, "/call/bare", json!(1)),
        (escape, "/arguments/reader/begun/bytes", json!(b"\\u00e9")),
        (escape, "/arguments/reader/begun/bytes", json!(b"\\ud83d\\ude00")),
        (escape, "/arguments/reader/expect", number_at("Whole")),
        (answer, "/arguments/within/2", suggestion(true, true)),
        (answer, "/arguments/within/2", suggestion(true, false)),
        (answer, "/arguments/within/2", suggestion(false, false)),
        (answer, "/arguments/within/2", json!("Items")),
        (answer, "/arguments/within/1", json!("Parameters")),
        (answer, "/arguments/role", json!("Item")),
        (answer, "/arguments/role", json!("Mode")),
        (answer, "/arguments/role", json!("Question")),
        (answer, "/arguments/list", json!(null)),
        (answer, "/call/open", json!(null)),
        (answer, "/call/open/provisional", json!(true)),
        (answer, "/call/open/listed", json!(false)),
        (answer, "/call/open/surplus", json!(true)),
        (answer, "/call/open/mode", json!(null)),
        (answer, "/call/suggestions", json!([])),
        (answer, "/call/suggestions/0/mode", json!(null)),
        (answer, "/call/modes", json!("n ")),
        (mode, "/call/mode", json!(null)),
        (mode, "/call/mode/certain", json!(9)),
        (mode, "/arguments/role", json!("Answer")),
        (mode, "/arguments/role", json!("Nothing")),
        (mode, "/arguments/within/2", suggestion(false, true)),
        (mode, "/arguments/reader/expect", number_at("Whole")),
        (between, "/arguments/role", json!("Question")),
        (between, "/arguments/role", json!("Item")),
        (between, "/call/list", json!("TooLong")),
        (between, "/call/suggestions", json!([])),
        (list, "/call/list", json!("No")),
        (list, "/call/list/Text/value/certain", json!(99)),
        (list, "/call/list/Text/text", json!("")),
        (list, "/arguments/role", json!("Question")),
        (list, "/arguments/role", json!("Nothing")),
        (list, "/arguments/given/follow_up", json!(true)),
        (map, "/arguments/role", json!("Answer")),
        (map, "/arguments/role", json!("Item")),
        (map, "/arguments/within", entries(false)),
        (map, "/arguments/within", json!(["Parameters", "Items"])),
        (map, "/arguments/within", json!(["Parameters", suggestion(false, false)])),
        (map, "/arguments/key/bytes", json!(b"k")),
        (literal, "/arguments/reader/begun/bytes", json!([])),
        (literal, "/arguments/reader/begun/bytes", json!(b"true")),
        (literal, "/arguments/reader/begun/bytes", json!(b"trx")),
        (literal, "/arguments/reader/begun/bytes", json!(b"\\u")),
        (literal, "/arguments/reader/expect", string(false)),
        (literal, "/arguments/role", json!("Question")),
        (number, "/arguments/reader/expect", number_at("Start")),
        (number, "/arguments/reader/expect", json!("Literal")),
        (number, "/arguments/reader/expect", json!("Ended")),
        (closed, "/arguments/reader/expect", json!("Value")),
        (closed, "/arguments/reader/expect", json!("CommaOrEnd")),
        (closed, "/arguments/role", json!("Arguments")),
        (closed, "/arguments/within", json!(["Parameters"])),
        (wrong, "/call/wrong", json!("MissingParameter")),
        (wrong, "/call/wrong", json!({"Truncated": "Question"})),
        (wrong, "/call/wrong", json!({"Malformed": "SuggestionsAsText"})),
        (wrong, "/call/wrong", json!({"TooLong": {"place": "Question", "limit": 1}})),
        (wrong, "/arguments/role", json!("Nothing")),
        (wrong, "/arguments/reader/expect", json!("Key")),
        (key, "/arguments/role", json!("Question")),
        (key, "/arguments/key/no_number", json!(false)),
        (key, "/call/value", value(0)),
    ];
    let accepted = accepted(&Policy::new(), Syntax::Arguments, &cases);
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn what_no_parser_with_that_policy_could_have_made_is_refused() {
    // The question is too long.
    let long = "<ask_followup_question><question>Which one";
    let long_arguments = "{\"question\":\"Which one";
    let small = Policy::new().limits(Limits { question: 2, ..Limits::default() });
    let strict = small.clone().repairs(Repairs::Reject);
    let malformed = |note| json!({"Malformed": note});
    let nothing_is_open = [
        (long, "/call/value", value(0)),
        (long, "/call/mode", value(0)),
        (long, "/call/open", open()),
        (long, "/call/list", json!("TooLong")),
        (long, "/call/wrong", malformed("OnlyNamed")),
        (long, "/call/wrong", json!({"TooLong": {"place": "Question", "limit": 3}})),
        (long, "/call/wrong", json!({"TooLong": {"place": "Answer", "limit": 2}})),
    ];
    let arguments = [
        (long_arguments, "/call/value", value(0)),
        (long_arguments, "/call/open", open()),
        (long_arguments, "/call/list", json!("TooLong")),
        (long_arguments, "/call/wrong", malformed("StrayCloseTag")),
        (long_arguments, "/call/wrong", json!({"TooLong": {"place": "Mode", "limit": 2}})),
    ];
    for policy in [&small, &strict] {
        let accepted =
            [accepted(policy, Syntax::Markup, &nothing_is_open), accepted(policy, Syntax::Arguments, &arguments)];
        assert!(accepted.concat().is_empty(), "{accepted:#?}");
    }
    // What is repaired is no reason, and what is a reason is no repair.
    let of_strict = [
        ("<ask_followup_question><question>Q", "/call/notes", json!(["UnclosedQuestion"])),
        ("<ask_followup_question><question>Q", "/call/notes", json!(["StrayCloseTag"])),
    ];
    let of_strict_arguments = [("{\"question\":\"Q", "/call/notes", json!(["IllFormedString"]))];
    let of_others = [(long, "/call/wrong", malformed("StrayCloseTag"))];
    let of_other_arguments = [(long_arguments, "/call/wrong", malformed("IllFormedString"))];
    // Of a suggestion that is one too many nothing is kept.
    let few = Policy::new().limits(Limits { suggestions: 1, ..Limits::default() });
    let surplus = "<ask_followup_question><suggest>A</suggest><suggest>B";
    let of_few = [
        (surplus, "/call/text /call/value/certain", json!(["AB", 2])),
        (surplus, "/call/open/listed", json!(true)),
        (surplus, "/call/open/mode", json!([0, 0])),
        (surplus, "/call/suggestions", json!([])),
        (surplus, "/call/open/provisional", json!(true)),
        ("<ask_followup_question><suggest>A</suggest><suggest>", "/call/open/surplus", json!(false)),
        ("<ask_followup_question><suggest>A</suggest><suggest><content>B</content><content>", "/call/value", value(1)),
    ];
    // As long as a tag may be, but for the character that has begun to come.
    let short = Policy::new().limits(Limits { tag: 25, ..Limits::default() });
    let of_short = [("<ask_followup_question a", "/tail", json!({"bytes": [195, 0, 0], "len": 1}))];
    let entity = "<ask_followup_question><question>Which &#3";
    let ampersand = "<ask_followup_question><question>Which &am";
    let decoding = [
        (entity, "/call/value/begun/bytes", json!(b"&x")),
        (entity, "/call/value/begun/bytes", json!(b"x#3")),
        (entity, "/call/value/ampersand", json!(true)),
        (ampersand, "/call/value/begun/bytes", json!([])),
    ];
    let accepted = [
        accepted(&strict, Syntax::Markup, &of_strict),
        accepted(&strict, Syntax::Arguments, &of_strict_arguments),
        accepted(&small, Syntax::Markup, &of_others),
        accepted(&few, Syntax::Markup, &of_few),
        accepted(&short, Syntax::Markup, &of_short),
        accepted(&small, Syntax::Arguments, &of_other_arguments),
        accepted(&Policy::new().entities(Entities::Decoded), Syntax::Markup, &decoding),
    ];
    assert!(accepted.concat().is_empty(), "{accepted:#?}");
}

/// What an event shows of a call.
type View = (String, Vec<(String, Option<String>)>);

fn view(question: Option<&str>, suggestions: Suggestions<'_>) -> View {
    let suggestions = suggestions.iter().map(|one| (one.answer.to_owned(), one.mode.map(str::to_owned)));
    (question.unwrap_or_default().to_owned(), suggestions.collect())
}

/// Whether `now` has all that was shown `before`, and more of what was open at most.
fn grows((question, suggestions): &View, now: &View) -> bool {
    let same = |i: usize, one: &(String, Option<String>)| {
        let (answer, mode) = &now.1[i];
        answer.starts_with(&one.0) && (one.1.is_none() || one.1 == *mode)
    };
    now.0.starts_with(question)
        && now.1.len() >= suggestions.len()
        && suggestions.iter().enumerate().all(|(i, one)| same(i, one))
}

/// Reads the rest of a stream. Wherever the stream was resumed, each event extends the last, as it would from the start.
fn read_on(syntax: Syntax, parser: &mut Parser, rest: &[u8]) {
    let (mut shown, mut ended): (Option<View>, usize) = (None, 0);
    let mut take = |mut events: followup::Events<'_>| {
        while let Some(event) = events.next() {
            match event {
                Event::Text(_) | Event::Opaque(_) => assert!(syntax == Syntax::Markup && shown.is_none()),
                Event::Partial(partial) => {
                    let now = view(partial.question(), partial.suggestions());
                    assert!(shown.as_ref().is_none_or(|before| grows(before, &now)), "{shown:?} and then {now:?}");
                    let newest = match partial.field() {
                        Field::Question => &now.0,
                        Field::Suggestion => &now.1.last().expect("a suggestion").0,
                    };
                    assert!(newest.ends_with(partial.delta()));
                    shown = Some(now);
                }
                Event::Complete(call) => {
                    let last = view(Some(call.question()), call.suggestions());
                    assert_eq!(shown.take().unwrap_or_else(|| last.clone()), last);
                    ended += 1;
                }
                Event::Rejected(call) => {
                    let last = view(call.question(), call.suggestions());
                    assert_eq!(shown.take().unwrap_or_else(|| last.clone()), last);
                    ended += 1;
                }
            }
        }
    };
    take(parser.feed_bytes(rest));
    take(parser.finish());
    assert!(shown.is_none(), "a call ends with its stream");
    assert!(syntax == Syntax::Markup || ended == 1);
}

/// Every value in the checkpoints behind `streams` of a syntax, replaced by each of `hostile`. Whatever is resumed reads on
/// through each of `next`, and is what it was made from. How many were tried, and how many of them resumed.
fn damage(
    syntax: Syntax,
    policy: &Arc<Policy>,
    streams: impl Iterator<Item = &'static [u8]>,
    hostile: &[Value],
    next: &[&[u8]],
) -> (usize, usize) {
    let (mut tried, mut resumed) = (0, 0);
    for stream in streams {
        let mut parser = syntax.parser(policy.clone());
        drop(parser.feed_bytes(stream));
        let whole = stored(&parser.checkpoint());
        for path in leaves(&whole) {
            let old = whole.pointer(&path).unwrap();
            for value in hostile.iter().filter(|value| may_stand_for(value, old)) {
                let mut changed = whole.clone();
                *changed.pointer_mut(&path).unwrap() = value.clone();
                let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(changed) else { continue };
                tried += 1;
                if let Ok(parser) = Parser::resume(policy.clone(), checkpoint.clone()) {
                    resumed += 1;
                    assert_eq!(parser.checkpoint(), checkpoint);
                    for next in next {
                        read_on(syntax, &mut parser.clone(), next);
                    }
                }
            }
        }
    }
    (tried, resumed)
}

/// Whether it is worth trying: a number where there is a string, and the like, is no checkpoint.
fn may_stand_for(value: &Value, old: &Value) -> bool {
    let plain = |value: &Value| (value.is_number(), value.is_boolean());
    value.is_null() || old.is_null() || plain(value) == plain(old)
}

/// What a hostile hand might write.
fn hostile() -> Vec<Value> {
    vec![
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
        json!([]),
        json!([0, 0]),
        json!([1, 0]),
        json!([0, u64::MAX]),
        json!("No"),
        json!("TooLong"),
    ]
}

#[test]
fn a_hostile_checkpoint_is_refused_or_reads_on() {
    let hostile = [hostile(), vec![json!("<"), json!("["), json!("Between"), json!("Options")]].concat();
    let next = [
        &b"\xE3"[..],
        "é\u{3000}".as_bytes(),
        b"<content>x</content><mode>m",
        b"<suggest mode='x'>&am",
        b"\"],",
        b"`>\xE2\x82 x\"></mode></content></suggest></question><suggest>Z</suggest></ask_followup_question>",
    ];
    for policy in policies() {
        let streams = (0..=MESSAGE.len()).step_by(3).map(|at| &MESSAGE.as_bytes()[..at]);
        let (tried, resumed) = damage(Syntax::Markup, &policy, streams, &hostile, &next);
        assert!(tried > 10_000 && resumed > 0 && resumed < tried / 2, "{resumed} of {tried}");
    }
}

#[test]
fn hostile_checkpoints_of_arguments_are_refused_or_read_on() {
    let string = |key| json!({"String": {"key": key}});
    let entry = |named| json!({"Entry": {"named": named}});
    let suggestion = |(answered, answerable)| json!({"Suggestion": {"answered": answered, "answerable": answerable}});
    let mut hostile = hostile();
    // Wherever the JSON may stand, and whatever may be open in it.
    hostile.extend(["Value", "ItemOrEnd", "KeyOrEnd", "Key", "Colon", "CommaOrEnd", "Literal"].map(Value::from));
    hostile.extend(["Ended", "Behind", "Ignored", "IllFormed"].map(Value::from));
    hostile.extend(["Start", "Whole", "Point"].map(|number| json!({"Number": number})));
    hostile.extend([false, true].map(string));
    hostile.extend(["Arguments", "Question", "List", "Item", "Answer", "Mode", "Nothing"].map(Value::from));
    hostile.extend([false, true].map(entry));
    hostile.extend(["FollowUp", "Options", "Suggest", "Parameters", "Items"].map(Value::from));
    hostile.extend([false, true].map(|map| json!({"Entries": {"map": map}})));
    hostile.extend([(false, false), (false, true), (true, false), (true, true)].map(suggestion));
    hostile.extend([
        json!(["Parameters"]),
        json!(["Parameters", "Items"]),
        json!(["Parameters", suggestion((true, true))]),
    ]);
    // What may have begun.
    hostile.extend(
        ["\\", "\\u00", "\\ud83d", "\\ud83d\\ude", "t", "nul", "null", "x"].map(|begun| json!(begun.as_bytes())),
    );
    let next = [
        &b"\xE3"[..],
        "é\u{3000}".as_bytes(),
        b"\\ud83d\\ude00\\u12x\"",
        b"ull,",
        b".5e+1]",
        b": \"a\", \"mode\": \"m\", \"text\": \"t\", \"0\": {\"text\": \"u\"",
        b"\"}]}",
        b"}, \"question\": \"z\", \"options\": [\"o\", {\"mode\": \"n\", \"answer\": \"p\"}], \"suggest\": {\"text\": \"t\"}} ",
        b"], \"follow_up\": \"<suggest>a</suggest>\", \"options\": \"[1, 2]\", \"suggest\": \"l\\nm\"} ",
        b"[{\"text\": \"a\"}, \"b\"",
    ];
    for (i, policy) in policies().into_iter().enumerate() {
        // Every byte under the first policy.
        let step = if i == 0 { 1 } else { 7 };
        let streams = ARGUMENTS
            .into_iter()
            .flat_map(|stream| (0..=stream.len()).step_by(step).map(|at| &stream.as_bytes()[..at]));
        let (tried, resumed) = damage(Syntax::Arguments, &policy, streams, &hostile, &next);
        assert!(tried > 10_000 && resumed > 0 && resumed < tried / 2, "{resumed} of {tried}");
    }
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

#[test]
fn arguments_hold_no_more_than_their_limits_however_long_they_go_on() {
    let limits = Limits { question: 64, answer: 64, suggestions: 4, ..Default::default() };
    for (front, repeated) in [
        ("{", "\"question\":\"Which?\","),
        ("{\"", "a very long key "),
        ("{\"", "1234567890"),
        ("{\"question\":\"", " \\n\\u3000"),
        ("{\"question\":\"", "Which? "),
        ("{\"question\":", "12345"),
        ("{\"other\":[", "{\"a\":[\"a string\", -12.5e3]},"),
        ("{\"other\":\"", "a string "),
        ("{\"other\":", "[[[["),
        ("{\"follow_up\":[", "\"an answer\","),
        ("{\"follow_up\":[", "{\"text\":\"an answer\",\"mode\":\"a mode of some length\"},"),
        ("{\"follow_up\":[", "{\"text\":\" \",\"mode\":\"a mode of some length\"},"),
        ("{\"follow_up\":[{", "\"text\":\" \",\"mode\":\"a mode of some length\","),
        ("{\"follow_up\":{", "\"0\":[\"an answer\",{\"mode\":\"a mode of some length\"}],"),
        ("{\"follow_up\":\"", "<suggest mode='m'>a</suggest>"),
        ("{\"follow_up\":\"", "\\n "),
        ("{", "\"follow_up\":\"a\\nb\",\"options\":\"[1]\",\"suggest\":\"<suggest> \","),
        ("{}", " and more"),
    ] {
        let mut parser = Parser::arguments(Policy::new().limits(limits));
        drop(parser.feed(front));
        let mut most = 0;
        for _ in 0..1000 {
            for chunk in repeated.as_bytes().chunks(7) {
                drop(parser.feed_bytes(chunk));
                most = most.max(serde_json::to_string(&parser.checkpoint()).unwrap().len());
            }
        }
        assert!(most < 2500, "{front}{repeated}: {most} bytes");
    }
}
