//! The parser around its states: how it finds marks, checkpoints, and what it returns of itself.

use std::sync::Arc;

use followup::wire::{self, Format, ResponseParser};
use followup::{
    CallPart, CallStart, Checkpoint, Entities, Envelopes, Event, Field, Limits, Malformed, Note, Parser, Policy,
    Reason, ResumeError, Tools,
};
use followup_testing::{Syntax, Transcript};
use serde_json::{Value, json};

use crate::common::atoms;
use crate::common::stored::paths;

const CALL: &str = "<ask_followup_question><question>Q</question></ask_followup_question>";

// What a parser, its policy and its events return.

#[test]
fn a_policy_returns_what_was_set() {
    let tools = Tools::new(["read_it"], ["where"]).unwrap();
    let limits = Limits { question: 7, ..Limits::default() };
    let policy = Policy::new()
        .with_malformed(Malformed::Reject)
        .with_call_start(CallStart::OutsideCode)
        .with_entities(Entities::Decoded)
        .with_tools(tools.clone())
        .with_limits(limits);
    assert_eq!(policy.malformed(), Malformed::Reject);
    assert_eq!(policy.call_start(), CallStart::OutsideCode);
    assert_eq!(policy.entities(), Entities::Decoded);
    assert_eq!(policy.tools(), &tools);
    assert_eq!(policy.limits(), limits);
}

#[test]
fn a_parser_says_whether_it_reads_arguments() {
    assert!(!Parser::default().is_arguments());
    assert!(Parser::arguments(Policy::new()).is_arguments());
    assert!(Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap().is_arguments());
}

#[test]
fn a_call_is_native_if_its_arguments_were_read_alone() {
    for (mut parser, stream, expected) in [
        (Parser::default(), CALL, "complete false"),
        (Parser::default(), "<ask_followup_question><question>Q", "rejected false"),
        (Parser::arguments(Policy::new()), r#"{"question": "Q"}"#, "complete true"),
        (Parser::arguments(Policy::new()), r#"{"question": "Q"#, "rejected true"),
    ] {
        let mut ends = Vec::new();
        let mut keep = |event: Event<'_>| match event {
            Event::Complete(call) => ends.push(format!("complete {}", call.is_native())),
            Event::Rejected(call) => ends.push(format!("rejected {}", call.is_native())),
            _ => {}
        };
        parser.feed(stream).for_each(&mut keep);
        parser.finish().for_each(&mut keep);
        assert_eq!(ends, [expected], "{stream}");
    }
}

#[test]
fn a_partial_says_which_suggestion_grew_or_that_its_question_did() {
    let markup = "<ask_followup_question><question>Q</question><suggest>A</suggest><suggest>B</suggest>";
    let arguments = r#"{"options": ["A", "B"], "question": "Q"}"#;
    let question = (Field::Question, "Q", None);
    let suggestions = [(Field::Suggestion, "A", Some(0)), (Field::Suggestion, "B", Some(1))];
    for (mut parser, stream, expected) in [
        (Parser::default(), markup, [question, suggestions[0], suggestions[1]]),
        (Parser::arguments(Policy::new()), arguments, [suggestions[0], suggestions[1], question]),
    ] {
        let mut grown = Vec::new();
        let mut keep = |event: Event<'_>| match event {
            Event::Partial(call) if !call.delta().is_empty() => {
                grown.push((call.field(), call.delta().to_owned(), call.suggestion_index()));
            }
            _ => {}
        };
        parser.feed(stream).for_each(&mut keep);
        parser.finish().for_each(&mut keep);
        assert_eq!(grown, expected.map(|(field, delta, index)| (field, delta.to_owned(), index)), "{stream}");
    }
}

#[test]
fn a_reason_has_the_note_the_part_and_the_limit_that_it_is_about() {
    for (reason, note, part, limit) in [
        (Reason::MissingParameter, None, None, None),
        (Reason::Superseded, None, None, None),
        (Reason::Malformed(Note::UnclosedQuestion), Some(Note::UnclosedQuestion), None, None),
        (Reason::Truncated(CallPart::Mode), None, Some(CallPart::Mode), None),
        (Reason::WrongType(CallPart::Question), None, Some(CallPart::Question), None),
        (Reason::TooLong { part: CallPart::Answer, limit: 9 }, None, Some(CallPart::Answer), Some(9)),
    ] {
        assert_eq!((reason.note(), reason.part(), reason.limit()), (note, part, limit), "{reason:?}");
    }
}

// Responses.

#[test]
fn every_event_of_a_call_in_a_response_has_its_index_and_the_providers_id() {
    let function = |arguments: &str| json!({"name": "ask_followup_question", "arguments": arguments});
    let native = |index: u64, arguments: &str| {
        let call = json!({"index": index, "id": format!("id {index}"), "function": function(arguments)});
        json!({"tool_calls": [call]})
    };
    let deltas = [native(0, r#"{"question": "Q"}"#), native(1, r#"{"question": ["#), json!({"content": CALL})];
    let body: String =
        deltas.iter().map(|delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}))).collect();
    let mut calls = Vec::new();
    let mut keep = |event: Result<Event<'_>, wire::Error<'_>>| {
        let (kind, index, id) = match event.unwrap() {
            Event::Partial(call) => ("partial", call.index(), call.id()),
            Event::Complete(call) => ("complete", call.index(), call.id()),
            Event::Rejected(call) => ("rejected", call.index(), call.id()),
            Event::Text(_) | Event::Opaque(_) => return,
        };
        calls.push(format!("{kind} {index} {}", id.unwrap_or("-")));
    };
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    parser.feed(body.as_bytes()).for_each(&mut keep);
    parser.finish().for_each(&mut keep);
    calls.sort();
    assert_eq!(calls, ["complete 0 id 0", "complete 2 -", "partial 0 id 0", "partial 2 -", "rejected 1 id 1"]);
}

#[test]
fn a_body_of_plain_text_is_read_to_its_end_whatever_bytes_it_has() {
    let body = [b"Well:\xFF \xE2 ", CALL.as_bytes(), b" x\xFF y"].concat();
    let expected = Transcript::of(&mut Parser::default(), [&body]);
    let shown = Transcript::of_response(&mut ResponseParser::auto(Policy::new()), [&body]);
    assert_eq!(shown.entries(), expected.entries());
}

// Checkpoints.

/// Parsers in the middle of streams that have, together, all kinds of numbers in their states.
fn parsers() -> Vec<Parser> {
    let policy = || Policy::new().with_envelopes(Envelopes::all()).with_call_start(CallStart::OutsideCode);
    let messages = [
        "text `` x",
        "````\nx",
        "<ask_followup_question>x",
        "<ask_followup_question><question>Q</question><suggest mode='m'>A",
        "<read_file><path>p",
        "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q",
    ];
    let mut parsers = vec![Parser::arguments(policy()), Parser::arguments_of("AskUserQuestion", policy()).unwrap()];
    drop(parsers[0].feed(r#"{"x": [{"y": [1, {"#));
    drop(parsers[1].feed(r#"{"questions": [{"question": "Q", "options": [{"label": "L"#));
    parsers.extend(messages.map(|message| {
        let mut parser = Parser::new(policy());
        drop(parser.feed(message));
        parser
    }));
    parsers
}

#[test]
fn a_checkpoint_in_which_a_number_was_changed_is_an_error() {
    for parser in parsers() {
        let policy = Arc::new(parser.policy().clone());
        let stored = serde_json::to_value(parser.checkpoint()).unwrap();
        let mut changed = 0;
        for path in paths(&stored) {
            let Some(number) = stored.pointer(&path).and_then(Value::as_u64) else { continue };
            let mut forged = stored.clone();
            *forged.pointer_mut(&path).unwrap() = json!(number ^ 1);
            let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
            assert!(Parser::resume(policy.clone(), checkpoint).is_err(), "{path} in {stored}");
            changed += 1;
        }
        assert!(changed > 3, "{stored}");
    }
}

/// "A forged checkpoint with a valid checksum may be accepted; the parser then never panics"
#[test]
fn a_forged_checkpoint_with_the_largest_numbers_is_an_error_or_a_parser_that_reads_on() {
    for parser in parsers() {
        let policy = Arc::new(parser.policy().clone());
        let stored = serde_json::to_value(parser.checkpoint()).unwrap();
        for path in paths(&stored).iter().filter(|path| stored.pointer(path).is_some_and(Value::is_u64)) {
            for number in [u64::MAX, u64::MAX - 1, u64::from(u32::MAX)] {
                let mut forged = stored.clone();
                *forged.pointer_mut(path).unwrap() = json!(number);
                let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                let Ok(mut parser) = Parser::resume(policy.clone(), checkpoint.with_valid_checksum()) else { continue };
                drop(parser.feed("xy"));
                drop(parser.finish());
            }
        }
    }
}

#[test]
fn a_checkpoint_of_a_policy_that_differs_in_one_setting_is_of_another_policy() {
    let limits = Limits::default();
    let policy = || Policy::new();
    let others = [
        policy().with_malformed(Malformed::Reject),
        policy().with_call_start(CallStart::OutsideCode),
        policy().with_entities(Entities::Decoded),
        policy().with_envelopes(Envelopes::none()),
        policy().with_envelopes(Envelopes::all()),
        policy().with_tools(Tools::none()),
        policy().with_limits(Limits { question: limits.question + 1, ..limits }),
        policy().with_limits(Limits { answer: limits.answer + 1, ..limits }),
        policy().with_limits(Limits { suggestions: limits.suggestions + 1, ..limits }),
        policy().with_limits(Limits { tag: limits.tag + 1, ..limits }),
        policy().with_limits(Limits { unconfirmed: limits.unconfirmed + 1, ..limits }),
        policy().with_limits(Limits { questions: limits.questions + 1, ..limits }),
        policy().with_limits(Limits { header: limits.header + 1, ..limits }),
        policy().with_limits(Limits { description: limits.description + 1, ..limits }),
        policy().with_limits(Limits { texts: limits.texts + 1, ..limits }),
    ];
    let checkpoint = Parser::new(policy()).checkpoint();
    assert!(Parser::resume(policy(), checkpoint.clone()).is_ok());
    for other in others {
        let error = Parser::resume(other.clone(), checkpoint.clone()).unwrap_err();
        assert_eq!(error, ResumeError::OtherPolicy, "{other:?}");
    }
}

/// What is before a byte on its line decides whether code or bare JSON begins there.
#[test]
fn a_message_resumes_at_the_start_and_in_the_middle_of_a_line() {
    let json = r#"{"name": "ask_followup_question", "arguments": {"question": "Q"}}"#;
    let call = format!("<tool_call>{json}</tool_call>");
    for message in [
        format!("a\n~~~\n{call}\n~~~\n"),
        format!("a ~~~\n{call}\n"),
        format!("a\n \t{json}\n"),
        format!("a \t{json}\n"),
    ] {
        let policy = Arc::new(Policy::new().with_envelopes(Envelopes::all()));
        let expected = Transcript::of(&mut Parser::new(policy.clone()), [&message]);
        for cut in 0..6 {
            let (before, after) = message.split_at(cut);
            let (mut parser, mut shown) = (Parser::new(policy.clone()), Transcript::default());
            shown.append(parser.feed(before));
            let mut resumed = Parser::resume(policy.clone(), parser.checkpoint()).unwrap();
            shown.append(resumed.feed(after));
            shown.append(resumed.finish());
            assert_eq!(atoms(&shown), atoms(&expected), "{before:?} and {after:?}");
        }
    }
}

#[test]
fn a_stored_checkpoint_without_one_of_its_fields_is_an_error() {
    let stored = serde_json::to_value(Parser::default().checkpoint()).unwrap();
    for field in ["version", "checksum", "state"] {
        let mut damaged = stored.clone();
        damaged.as_object_mut().unwrap().remove(field).unwrap();
        assert!(serde_json::from_value::<Checkpoint>(damaged).is_err(), "without {field}");
    }
}

#[test]
fn a_stored_checkpoint_with_a_damaged_state_is_an_error_whatever_follows_it() {
    let stored = serde_json::to_value(Parser::default().checkpoint()).unwrap();
    let with =
        |states: &str| format!(r#"{{"version":{},"checksum":{},{states}}}"#, stored["version"], stored["checksum"]);
    let whole = format!(r#""state":{}"#, stored["state"]);
    assert!(serde_json::from_str::<Checkpoint>(&with(&whole)).is_ok());
    for damaged in ["7", "{}", "[]", "null"] {
        let states = format!(r#""state":{damaged},{whole}"#);
        assert!(serde_json::from_str::<Checkpoint>(&with(&states)).is_err(), "{damaged}");
    }
}

#[test]
fn what_is_no_checkpoint_is_refused_in_words_that_say_what_was_expected() {
    for stored in ["7", "\"text\"", "null"] {
        let error = serde_json::from_str::<Checkpoint>(stored).unwrap_err().to_string();
        assert!(error.contains("expected a checkpoint"), "{error}");
    }
}

// What becomes certain at an incomplete character.

/// Feeds a message byte by byte. Returns after how many bytes of its end the first event came.
fn first_event(limits: Limits, begin: &str, end: &[u8]) -> Option<usize> {
    let mut parser = Parser::new(Policy::new().with_limits(limits));
    assert!(parser.feed(begin).next().is_none());
    (1..=end.len()).find(|&fed| parser.feed_bytes(&end[fed - 1..fed]).next().is_some())
}

#[test]
fn an_incomplete_character_of_three_bytes_counts_as_three_bytes() {
    // Each begins with a byte that begins characters of three bytes alone.
    for char in ["\u{905}", "\u{4e2d}", "\u{fb01}"] {
        let stream = |letters: usize, after: &str| ["x".repeat(letters).as_str(), char, after].concat();
        // `<suggest>`, the shortest tag that confirms a call, has no room after the character.
        for (letters, expected) in [(8, 12), (9, 10), (10, 11)] {
            let limits = Limits { unconfirmed: 20, ..Limits::default() };
            let first = first_event(limits, "<ask_followup_question>", stream(letters, "yyyyyyyyy").as_bytes());
            assert_eq!(first, Some(expected), "{letters} letters before {char}");
        }
        // The character and a `>` have no room in the tag.
        for (letters, expected) in [(3, 7), (4, 5), (5, 6)] {
            let limits = Limits { tag: 30, ..Limits::default() };
            let first = first_event(limits, "<ask_followup_question ", stream(letters, "yyyyyyyyy").as_bytes());
            assert_eq!(first, Some(expected), "{letters} letters before {char}");
        }
    }
}

/// Text begins with a whole character, so an incomplete one before it is ill-formed.
#[test]
fn text_after_an_incomplete_character_is_read_in_every_state() {
    let markup = "a `b` <ask_followup_question> x <question a='b'>Quest</question> y <suggest mode = \"m\">A</suggest>\
        </ask_followup_question> <read_file><path>p</path></read_file>\n<tool_call>{\"name\": \"f\"}</tool_call> z";
    let arguments = r#"{"x": [1], "question": "Q\n", "options": ["A", {"text": "B"}]} "#;
    for (syntax, stream) in [(Syntax::Markup, markup), (Syntax::Arguments, arguments)] {
        for offset in 0..=stream.len() {
            let (before, after) = stream.split_at(offset);
            let incomplete = [before.as_bytes(), b"\xE2"].concat();
            let whole = [incomplete.as_slice(), after.as_bytes()].concat();
            let expected = Transcript::of(&mut syntax.parser(Policy::new()), [whole]);
            for cut in [after.len(), 1.min(after.len())] {
                let mut shown = Transcript::default();
                let mut parser = syntax.parser(Policy::new());
                shown.append(parser.feed_bytes(&incomplete));
                shown.append(parser.feed(&after[..cut]));
                shown.append(parser.feed(&after[cut..]));
                shown.append(parser.finish());
                assert_eq!(atoms(&shown), atoms(&expected), "{before:?} and {cut} bytes");
            }
        }
    }
}

// Marks.

/// Returns how many calls are complete in a message that is fed in these chunks.
fn calls(policy: &Arc<Policy>, chunks: &[&str]) -> usize {
    Transcript::of(&mut Parser::new(policy.clone()), chunks).complete().count()
}

fn outside_code() -> Arc<Policy> {
    Arc::new(Policy::new().with_call_start(CallStart::OutsideCode).with_envelopes(Envelopes::none()))
}

#[test]
fn code_begins_at_a_back_tick_or_a_tilde_after_text_of_any_length() {
    let policy = outside_code();
    for len in (0..140).step_by(3).chain([63, 64, 65, 180, 185, 186, 187, 188, 200, 255, 256, 257, 300, 600]) {
        let text = "x".repeat(len);
        assert_eq!(calls(&policy, &[&format!("{text}{CALL}")]), 1, "after {len} bytes");
        assert_eq!(calls(&policy, &[&format!("{text}`{CALL}`.")]), 0, "after {len} bytes");
        assert_eq!(calls(&policy, &[&format!("{text}\n~~~\n{CALL}\n~~~\n")]), 0, "after {len} bytes");
    }
}

#[test]
fn code_begins_and_ends_soon_after_other_marks() {
    let policy = outside_code();
    for before in [20, 50, 300] {
        for between in (0..20).chain([40, 47, 48, 49, 56, 62, 63, 64, 70, 76, 77, 78, 79]) {
            let (before, between) = ("x".repeat(before), "y".repeat(between));
            for (mark, code, expected) in [
                ("< ", "", 1),
                ("<", "`", 0),
                ("`z` ", "", 1),
                ("`z` ", "`", 0),
                ("`z\n", "\n\n", 1),
                ("{ ", "\n~~~\n", 0),
                ("~", "~~", 1),
                ("``` ", "``` ", 1),
            ] {
                let text = format!("{before}{mark}{between}{code}");
                assert_eq!(calls(&policy, &[&text]), 0, "{text}");
                assert_eq!(calls(&policy, &[&format!("{text}{CALL}`")]), expected, "{text}");
                let start = format!("{text}{}", &CALL[..5]);
                assert_eq!(calls(&policy, &[&start, &CALL[5..], "`"]), expected, "{text}");
                assert_eq!(calls(&policy, &[&text, CALL, "`"]), expected, "{text}");
            }
        }
    }
}

#[test]
fn code_ends_in_a_chunk_of_any_length() {
    let policy = outside_code();
    for len in 1..20 {
        for offset in 0..len {
            for mark in ["` ", "\n\n"] {
                let chunk = ["x".repeat(offset).as_str(), mark, &"x".repeat(len - offset - 1)].concat();
                assert_eq!(calls(&policy, &["`a", &chunk, CALL]), 1, "{chunk:?}");
            }
            // By default, a call may start in code too.
            let begin = &CALL[..len - offset];
            let chunk = ["x".repeat(offset).as_str(), begin].concat();
            let chunks = ["`a", &chunk, &CALL[begin.len()..]];
            assert_eq!(calls(&Arc::new(Policy::new()), &chunks), 1, "{chunk:?}");
            assert_eq!(calls(&policy, &chunks), 0, "{chunk:?}");
        }
    }
}
