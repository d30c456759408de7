//! Calls of `ask_followup_question` as random sequences of the grammar's pieces seldom make them.

use std::sync::Arc;

use followup::wire::{self, Format, ResponseParser};
use followup::{CallPart, Checkpoint, Entities, Event, Limits, Parser, Policy, Reason, ResumeError, Shape, Shapes};
use followup_testing::{Stream, Syntax, Transcript};
use serde_json::{Value, json};

use crate::common::reference::{Atom, Rules, describe};
use crate::common::stored::paths;
use crate::common::sweep::assert_chunk_invariant;
use crate::common::within_limits::check_views;
use crate::common::{atoms, oracle, policy};

/// Asserts that a stream means what the reference reader says, however it is cut.
fn check(syntax: Syntax, text: &str, rules: &Rules) {
    let stream = Stream::new(syntax, text);
    let policy = Arc::new(policy(rules));
    let expected = oracle(syntax, &stream, rules);
    assert_chunk_invariant(&stream, |chunks| {
        assert_same(text, &expected, &Transcript::of(&mut stream.parser(policy.clone()), chunks));
    });
}

/// Asserts that it does so if its parser is stored and resumed after each byte.
fn check_resumed(syntax: Syntax, text: &str, rules: &Rules) {
    let policy = Arc::new(policy(rules));
    let (mut parser, mut shown) = (syntax.parser(policy.clone()), Transcript::default());
    for byte in text.as_bytes().chunks(1) {
        shown.append(parser.feed_bytes(byte));
        parser = Parser::resume(policy.clone(), parser.checkpoint()).expect("it is a parser's own");
    }
    shown.append(parser.finish());
    assert_same(text, &oracle(syntax, text.as_bytes(), rules), &shown);
}

fn assert_same(text: &str, expected: &[Atom], shown: &Transcript) {
    let shown = atoms(shown);
    assert!(shown == expected, "{text}\nexpected {}\nshown {}", describe(expected), describe(&shown));
}

fn call(inside: &str) -> String {
    format!("<ask_followup_question>{inside}</ask_followup_question> and on")
}

// What a call means.

#[test]
fn a_mode_that_is_empty_is_none() {
    for suggestion in ["<mode/>A", "<mode />A<mode>m</mode>", "<mode/><content>A</content>", "<mode/><mode>m</mode>A"] {
        let text = call(&format!("<question>Q</question><suggest>{suggestion}</suggest>"));
        check(Syntax::Markup, &text, &Rules::default());
        check(Syntax::Markup, &text, &Rules { strict: true, ..Rules::default() });
    }
}

/// A blank character of more than one byte is blank at each of its bytes.
#[test]
fn an_element_after_blanks_of_several_bytes_makes_a_suggestion_nested() {
    for blank in ["\u{2003}", "\u{3000}", "\u{a0}", "\u{85}\u{2028}"] {
        let text = call(&format!("<question>Q</question><suggest>{blank}<mode>m</mode>A</suggest>"));
        check(Syntax::Markup, &text, &Rules::default());
    }
}

/// The first byte of a character in a value without an answer shows no answer.
#[test]
fn a_suggestion_without_an_answer_does_not_exist_wherever_it_is_cut() {
    for suggestion in [r#"{"mode":"é"}"#, r#"{"x":"é"}"#, r#"{"mode":"é","text":"A"}"#, r#"{"mode":"é","text":" "}"#]
    {
        check(Syntax::Arguments, &format!(r#"{{"question":"Q","follow_up":[{suggestion}]}}"#), &Rules::default());
    }
}

#[test]
fn a_second_question_is_repeated_whatever_its_type_is() {
    for second in ["[]", "{}", "1", "null", r#""R""#] {
        for first in [r#""Q""#, "null", r#"" ""#] {
            let text = format!(r#"{{"question":{first},"question":{second}}}"#);
            check(Syntax::Arguments, &text, &Rules::default());
        }
    }
}

/// The lists of suggestions and the question as parameters of an envelope.
#[test]
fn lists_and_questions_as_parameters_mean_what_the_reference_says() {
    let parameter = |name: &str, is_string: bool, value: &str| {
        format!("<｜DSML｜parameter name=\"{name}\" string=\"{is_string}\">{value}</｜DSML｜parameter>")
    };
    let question = parameter("question", true, "Q");
    let first = parameter("follow_up", true, r#"["A"]"#);
    let call = |parameters: &[&str]| {
        format!("<｜DSML｜invoke name=\"ask_followup_question\">{}</｜DSML｜invoke>", parameters.concat())
    };
    for second in ["", "null", r#"["B"]"#] {
        let second = parameter("follow_up", true, second);
        for between in [&*question, &parameter("question", false, "\"Q\"")] {
            check(Syntax::Markup, &call(&[&first, between, &second]), &Rules::default());
        }
    }
    for list in [r#""[\"A\", \"\u00e9\"]""#, r#""A\nB""#, r#""say "A"""#, r#""<suggest>A</suggest>""#, r#""A"#] {
        let list = parameter("follow_up", true, list);
        check(Syntax::Markup, &call(&[&question, &list]), &Rules::default());
    }
}

/// A list that is a JSON string is decoded before anything else is said of it.
#[test]
fn a_list_that_is_a_string_means_what_it_decodes_to() {
    let parameter = |name: &str, value: &str| format!("<｜DSML｜parameter name=\"{name}\">{value}</｜DSML｜parameter>");
    let question = parameter("question", "Q");
    for list in [
        r#""null""#,
        r#""None""#,
        r#""""#,
        r#"" \t""#,
        r#""\u006eull""#,
        r#""\q""#,
        r#""A\q\nB""#,
        r#""\u00""#,
        "\"A\tB\"",
        r#""nullX""#,
    ] {
        for first in ["", &parameter("follow_up", r#"["A"]"#)] {
            for name in ["follow_up", "suggest"] {
                let list = parameter(name, list);
                let call =
                    format!("<｜DSML｜invoke name=\"ask_followup_question\">{question}{first}{list}</｜DSML｜invoke>");
                check(Syntax::Markup, &call, &Rules::default());
            }
        }
    }
}

/// Only closing brackets may be missing around the arguments, and a colon comes once.
#[test]
fn what_is_around_the_arguments_is_json() {
    let arguments = r#"{"question":"Q"}"#;
    for object in [
        r#"{"name":NAME,"arguments":ARGS,"#,
        r#"{"name":NAME,"arguments":ARGS,"x"#,
        r#"{"name":NAME,"arguments":ARGS,"x":"#,
        r#"{"name":NAME,"arguments":ARGS"#,
        r#"{"name":NAME,"arguments"::ARGS}"#,
        r#"{"name":NAME,"arguments": : ARGS}"#,
        r#"{"name":NAME,"arguments" : ARGS}"#,
    ] {
        let object = object.replace("NAME", "\"ask_followup_question\"").replace("ARGS", arguments);
        check(Syntax::Markup, &format!("<tool_call>{object}</tool_call>x"), &Rules::default());
    }
}

/// "Inside the question [...] or else between the parameters": a second question is no question.
#[test]
fn arguments_that_end_in_a_second_question_are_cut_between_the_parameters() {
    for (arguments, part) in [
        (r#"{"question":"Q"#, CallPart::Question),
        (r#"{"question":"Q","question":"R"#, CallPart::Parameters),
        (r#"{"question":"Q","question":12"#, CallPart::Parameters),
    ] {
        let mut parser = Parser::arguments(Policy::new());
        drop(parser.feed(arguments));
        match parser.finish().next() {
            Some(Event::Rejected(call)) => assert_eq!(call.reason(), Reason::Truncated(part), "{arguments}"),
            event => panic!("{event:?}"),
        };
    }
}

// Checkpoints.

/// A chunk that is empty is no byte, and only the bytes decide what the state is.
#[test]
fn an_empty_chunk_changes_no_state() {
    let call = "<ask_followup_question><question>Q</question><suggest>A</suggest></ask_followup_question>";
    for text in [
        format!("a < b <i> <ask_followup <{call}"),
        format!("<read_file><path>a</path></read_file>{call}"),
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":1}}</tool_call> x".into(),
        "<function=f><parameter=x>1</parameter></function> x".into(),
        "<tool_call>{\"name\": 1} <invoke name=x> <function=a b>".into(),
    ] {
        let mut parser = Parser::new(Policy::new());
        for (i, char) in text.char_indices() {
            drop(parser.feed(char.encode_utf8(&mut [0; 4])));
            let before = parser.checkpoint();
            drop(parser.feed(""));
            assert!(parser.checkpoint() == before, "after {:?}", &text[..=i]);
        }
    }
}

#[test]
fn arguments_resume_in_a_key_of_any_length() {
    for len in [14, 15, 16, 17, 40] {
        for key in ["x".repeat(len), "1".repeat(len), format!("{}x", "1".repeat(len))] {
            let text = format!(r#"{{"question":"Q","{key}":1,"follow_up":{{"{key}":"A"}}}}"#);
            check_resumed(Syntax::Arguments, &text, &Rules::default());
        }
    }
}

#[test]
fn a_call_that_is_not_confirmed_resumes_up_to_its_limit() {
    let rules = Rules { unconfirmed: 40, ..Rules::default() };
    let object = r#"{"name":"ask_followup_question","arguments":{"question":"Q"}}"#;
    for len in [20, 35, 39, 40, 41] {
        let text = format!("<ask_followup_question>{}", "x".repeat(len));
        check_resumed(Syntax::Markup, &text, &rules);
        check_resumed(Syntax::Markup, &format!("{text}</question>"), &rules);
        check_resumed(Syntax::Markup, &format!("{text}\n<tool_call>{object}</tool_call>"), &rules);
    }
}

/// Soon after an opening tag that was only named no envelope starts, whether it resumes or not.
#[test]
fn a_message_resumes_after_a_tag_that_was_only_named() {
    let rules = Rules { unconfirmed: 80, outside_code: true, ..Rules::default() };
    let object = r#"{"name":"ask_followup_question","arguments":{"question":"Q"}}"#;
    for before in ["", "Some text before it. "] {
        for len in [0, 60, 80] {
            let more = "x".repeat(len);
            let text = format!("{before}<ask_followup_question> `<read_file> ` {more}\n{object}\n{object}");
            check(Syntax::Markup, &text, &rules);
            check_resumed(Syntax::Markup, &text, &rules);
        }
    }
}

#[test]
fn the_call_of_another_tool_in_an_envelope_may_end_anywhere() {
    for text in [
        "<function=f><parameter=x>1</parameter></function> x",
        "<function=f><parameter=x>1</par",
        "<function=f><parameter=x>1</parameter></func",
        "<invoke name=\"f\"><parameter name=\"x\">1</parameter></inv",
        "<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"</tool_c",
        "<function=f><parameter=x>1</parameter> <ask_followup",
        "<function=f><ask_followup",
        "<invoke name=\"f\"><parameter name=\"x\">1</parameter><read_fi",
    ] {
        check(Syntax::Markup, text, &Rules::default());
    }
}

/// There, what looks like a tag is none, so it holds no other envelope back.
#[test]
fn no_envelope_starts_right_after_a_back_tick_wherever_it_is_cut() {
    let object = r#"{"name":"ask_followup_question","arguments":{"question":"Q"}}"#;
    for text in ["`<tool_call>OBJECT</tool_call>", "`a`<tool_call>OBJECT</tool_call>", "`a`<tool_call\nOBJECT"] {
        let text = text.replace("OBJECT", object);
        check(Syntax::Markup, &text, &Rules { outside_code: true, ..Rules::default() });
        check(Syntax::Markup, &text, &Rules::default());
    }
}

/// "A checkpoint depends only on the policy and on the bytes fed so far, not on how they were cut."
#[test]
fn the_state_in_the_name_of_a_parameter_does_not_depend_on_the_cut() {
    let message = "<tool_call>ask_followup_question\n<arg_key> 1a 2 b</arg_key>";
    let whole = |text: &str| {
        let mut parser = Parser::new(Policy::new());
        drop(parser.feed(text));
        parser.checkpoint()
    };
    let mut parser = Parser::new(Policy::new());
    for (i, byte) in message.char_indices() {
        drop(parser.feed(byte.encode_utf8(&mut [0; 4])));
        assert!(parser.checkpoint() == whole(&message[..=i]), "after {:?}", &message[..=i]);
    }
}

/// The chunk that ends a call was not read to its end: its last event is lost.
#[test]
fn a_checkpoint_between_the_events_of_a_leaked_cursor_is_corrupt() {
    let policy = Arc::new(Policy::new());
    let mut parser = Parser::new(policy.clone());
    let mut events = parser.feed("<ask_followup_question>Q<follow_up></follow_up></ask_followup_question>");
    assert!(matches!(events.next(), Some(Event::Partial(_))));
    std::mem::forget(events);
    assert_eq!(Parser::resume(policy, parser.checkpoint()).map(drop), Err(ResumeError::Corrupt));
}

/// Streams that end in each kind of value, under small limits.
const OPEN: [(Syntax, &str); 9] = [
    (Syntax::Markup, "<ask_followup_question>A bare text<question>Q"),
    (
        Syntax::Markup,
        "<ask_followup_question>A bare text<question>Q</question><suggest mode='m'>A</suggest><suggest>Abcdef",
    ),
    (Syntax::Markup, "<ask_followup_question><question>Q</question><suggest>A</suggest><suggest><mode>m"),
    (Syntax::Markup, "<ask_followup_question><question>Q</question><options>[\"a\""),
    (Syntax::Markup, "<ask_followup_question><question>Q&#6"),
    (Syntax::Markup, "<ask_followup_question>a <quest"),
    (Syntax::Arguments, r#"{"x":[{"follow_up_x"#),
    (Syntax::Arguments, r#"{"question":"Q","follow_up":[{"mode":"m","text":"A\u00"#),
    (Syntax::Arguments, r#"{"question":"Q","follow_up":[{"mode":"m","text":"A"},tru"#),
];

/// The parser that has read a stream, its policy, and its checkpoint as JSON.
fn stored((syntax, stream): (Syntax, &str)) -> (Arc<Policy>, Value) {
    let limits = Limits { question: 3, answer: 9, suggestions: 2, tag: 60, unconfirmed: 60, ..Limits::default() };
    let entities = if stream.contains('&') { Entities::Decoded } else { Entities::Raw };
    let policy = Arc::new(Policy::new().with_limits(limits).with_entities(entities));
    let mut parser = syntax.parser(policy.clone());
    drop(parser.feed(stream));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    (policy, stored)
}

/// Resumes from a checkpoint in which one value is another.
fn resumed(policy: &Arc<Policy>, stored: &Value, path: &str, value: Value) -> Option<Parser> {
    let mut forged = stored.clone();
    *forged.pointer_mut(path).unwrap() = value;
    let checkpoint = serde_json::from_value::<Checkpoint>(forged).ok()?;
    Parser::resume(policy.clone(), checkpoint.with_valid_checksum()).ok()
}

/// "The parser then never panics and stays within the limits."
#[test]
fn a_forged_value_of_a_call_is_an_error_or_leads_to_no_view_beyond_the_limits() {
    const RESTS: [&str; 2] =
        ["BB", "\"}]</mode>z</suggest></question></options><suggest>Z</suggest></ask_followup_question>"];
    for open in OPEN {
        let (policy, stored) = stored(open);
        let limits = policy.limits();
        let forge = |path: &str, value: Value| {
            let Some(parser) = resumed(&policy, &stored, path, value) else { return };
            for rest in RESTS {
                let mut parser = parser.clone();
                check_views(&limits, parser.feed(rest));
                check_views(&limits, parser.finish());
            }
        };
        for path in paths(&stored).iter().filter(|path| path.contains("/call/") || path.ends_with("/key/bytes")) {
            match stored.pointer(path).unwrap() {
                Value::Number(_) => {
                    for number in [0, 1, 2, 3, 5, 8, 10, 12, u64::MAX] {
                        forge(path, json!(number));
                    }
                }
                Value::Array(items) if !items.is_empty() => forge(path, json!(vec![&items[0]; 16])),
                _ => {}
            }
        }
    }
}

/// A stored text or list is no longer than the limits allow, whatever the checksum says.
#[test]
fn a_forged_text_or_list_that_is_too_long_is_refused_in_every_value() {
    for open in OPEN {
        let (policy, stored) = stored(open);
        for path in paths(&stored) {
            let value = stored.pointer(&path).unwrap();
            let long = match value {
                Value::String(text) if !text.is_empty() => json!("x".repeat(1_000)),
                Value::Array(items) if !items.is_empty() => {
                    json!(items.iter().cycle().take(60 * items.len()).collect::<Vec<_>>())
                }
                _ => continue,
            };
            assert!(resumed(&policy, &stored, &path, long).is_none(), "{path}, which was {value}, in {open:?}");
        }
    }
}

// Calls in a provider's stream.

fn chat(delta: &Value) -> String {
    format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}))
}

/// "A call that is open then, in the text or natively, is rejected, malformed (`PartLost`)."
#[test]
fn a_call_of_which_an_event_is_lost_is_rejected() {
    let text = |text: &str| chat(&json!({"content": text}));
    let native = |arguments: &str| {
        let function = json!({"name": "ask_followup_question", "arguments": arguments});
        chat(&json!({"tool_calls": [{"index": 0, "id": "i", "function": function}]}))
    };
    let more = |arguments: &str| chat(&json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]}));
    let close = "</question></ask_followup_question>";
    for (before, after) in [
        (text("<ask_followup_question><question>Q"), text(close)),
        (text("<ask_followup_question> "), text(&format!("<question>Q{close}"))),
        (native(r#"{"question":"Q"#), more(r#""}"#)),
    ] {
        for (lost, end) in [("", "complete"), ("data: {]\n\n", "rejected malformed")] {
            let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
            let shown = Transcript::of_response(&mut parser, [[&*before, lost, &after].concat()]).to_string();
            assert!(shown.contains(end), "{before}, {lost:?}: {shown}");
        }
    }
}

#[test]
fn a_part_that_is_lost_after_an_incomplete_tag_rejects_only_what_the_tag_opens() {
    let text = |text: &str| chat(&json!({"content": text}));
    let call = "<question>Q</question></ask_followup_question>";
    // With some of these limits, the first opening tag is found to be only named while the second
    // is incomplete.
    for unconfirmed in 16..80 {
        for (before, after, is_complete) in [
            ("a <", vec!["b> <ask_followup_question>", call], true),
            ("a <ask_follow", vec!["down> <ask_followup_question>", call], true),
            ("<think", vec!["ing>Hm.</thinking><ask_followup_question>", call], true),
            ("<ask_followup_question>", vec!["`: <ask_followup_question>", call], true),
            ("<ask_followup_question>Hm <ask_f", vec!["ollow", "up_question>", call], false),
            ("`<ask_followup_question>` <ask_f", vec!["ollow", "up_question>", call], false),
        ] {
            let after: String = after.into_iter().map(text).collect();
            let body = [text(before), "data: {]\n\n".into(), after].concat();
            let limits = Limits { unconfirmed, ..Limits::default() };
            let policy = Policy::new().with_limits(limits);
            let mut parser = ResponseParser::new(Format::OpenAiChat, policy);
            let transcript = Transcript::of_response(&mut parser, [body]).to_string();
            assert_eq!(transcript.contains("complete"), is_complete, "{unconfirmed}, {before:?}: {transcript}");
        }
    }
}

/// The calls that wait for the end of the body may be as long as the limit `arguments`.
///
/// Their questions, answers and modes count.
#[test]
fn calls_that_wait_for_the_end_of_a_body_count_with_their_answers_and_modes() {
    let call = |question: &str| {
        let suggestion = json!([{"text": "AA", "mode": "mmm"}]);
        let content = format!(
            "<invoke name=\"ask_followup_question\"><parameter name=\"question\">{question}</parameter>\
             <parameter name=\"follow_up\">{suggestion}</parameter></invoke>"
        );
        chat(&json!({"content": content}))
    };
    for (arguments, early) in [(20, 0), (19, 1), (10, 1), (9, 2)] {
        let limits = wire::Limits::default().with_arguments(arguments);
        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_limits(limits);
        let mut complete = 0;
        // What follows a call ends it.
        for body in [call("first"), call("other"), chat(&json!({"content": " x"}))] {
            parser
                .feed(body.as_bytes())
                .for_each(|event| complete += usize::from(matches!(event, Ok(Event::Complete(_)))));
        }
        assert_eq!(complete, early, "{arguments}");
    }
}

/// Another tool may have a name that says little: it counts as one that asks once it has asked.
#[test]
fn a_native_call_of_a_generic_name_is_another_tools_unless_it_asks() {
    let shape = Shape::parse("shape s\ngeneric\ntool t\ntext q").unwrap();
    let own = || Policy::new().with_shapes(Shapes::new([shape.clone()]));
    let form = r#"{"questions": [{"question": "Q", "options": ["A"]}]}"#;
    for (policy, tool, arguments, asks) in [
        (own(), "t", r#"{"q":"Q"}"#, true),
        (own(), "t", r#"{"x":1}"#, false),
        (Policy::new(), "ask", form, true),
        (Policy::new(), "ask", r#"{"x": 1}"#, false),
    ] {
        let function = json!({"name": tool, "arguments": arguments});
        let body = chat(&json!({"tool_calls": [{"index": 0, "id": "i", "function": function}]}));
        let (mut calls, mut opaque) = (0, 0);
        let mut count = |event: Result<Event<'_>, wire::Error<'_>>| match event.unwrap() {
            Event::Complete(_) | Event::Partial(_) | Event::Rejected(_) => calls += 1,
            Event::Opaque(_) => opaque += 1,
            Event::Text(_) => {}
        };
        let mut parser = ResponseParser::new(Format::OpenAiChat, policy);
        parser.feed(body.as_bytes()).for_each(&mut count);
        parser.finish().for_each(&mut count);
        assert_eq!((calls > 0, opaque > 0), (asks, !asks), "{tool} with {arguments}");
    }
}
