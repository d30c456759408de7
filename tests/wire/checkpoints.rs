//! Checkpoints of responses: resumed after any byte, stored, damaged and forged.

use std::sync::Arc;

use followup::wire::{Checkpoint, Error, Events, Format, Limits, ResponseParser};
use followup::{Event, Malformed, Policy, ResumeError};
use serde_json::{Value, json};

use crate::encode::events::binary_frame;
use crate::golden::{Golden, goldens};
use crate::normal::lines;
use crate::stored::paths;
use crate::sweep::Sweep;

/// One event a line.
#[derive(Debug, Default, PartialEq)]
struct Lines(Vec<String>);

impl Lines {
    fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            self.0.push(format!("{event:?}"));
        }
    }
}

/// Stores a checkpoint as JSON and reads it again.
fn stored(checkpoint: &Checkpoint) -> Checkpoint {
    serde_json::from_str(&serde_json::to_string(checkpoint).unwrap()).unwrap()
}

fn resumed(policy: &Arc<Policy>, checkpoint: Checkpoint) -> ResponseParser {
    ResponseParser::resume(policy.clone(), Limits::default(), checkpoint.clone())
        .unwrap_or_else(|error| panic!("{error}: {checkpoint:?}"))
}

/// The parsers of a body: of its format, one that detects it, and one that reads its reasoning.
fn parsers(golden: &Golden, policy: &Arc<Policy>) -> [ResponseParser; 3] {
    let new = ResponseParser::new(golden.format, policy.clone());
    [new.clone(), ResponseParser::auto(policy.clone()), new.with_reasoning(true)]
}

#[test]
fn a_body_resumed_after_any_byte_has_the_same_events() {
    let (policy, mut sweep) = (Arc::new(Policy::new()), Sweep::new(1));
    for golden in goldens() {
        for new in parsers(&golden, &policy) {
            let whole = Lines(lines(&mut new.clone(), [&*golden.body]));
            let (mut parser, mut before) = (new, Vec::new());
            for (at, byte) in golden.body.iter().enumerate() {
                // One in a hundred, if not all.
                if sweep.tries(1) && sweep.tries(1) {
                    let mut resumed = resumed(&policy, stored(&parser.checkpoint()));
                    let mut all = Lines(before.clone());
                    all.take(resumed.feed(&golden.body[at..]));
                    all.take(resumed.finish());
                    assert_eq!(all, whole, "{} at {at}", golden.name);
                }
                let mut events = Lines::default();
                events.take(parser.feed(&[*byte]));
                before.extend(events.0);
            }
        }
    }
}

/// Another version may have stored another state, which this one could not read.
#[test]
fn a_stored_body_of_another_version_is_an_error_that_says_so() {
    let checkpoint = ResponseParser::new(Format::Anthropic, Policy::new()).checkpoint();
    let version = serde_json::to_value(&checkpoint).unwrap()["version"].as_u64().unwrap();
    for version in [version - 1, version + 1] {
        let stored = format!(r#"{{"version":{version},"checksum":7,"state":{{"layout":"another"}}}}"#);
        let checkpoint = serde_json::from_str::<Checkpoint>(&stored).unwrap();
        let error = ResponseParser::resume(Policy::new(), Limits::default(), checkpoint).unwrap_err();
        assert_eq!(error, ResumeError::OtherVersion);
    }
}

/// Only so many calls that are over are remembered. A whole message may repeat one that is not.
#[test]
fn a_call_that_was_forgotten_before_a_checkpoint_is_not_asked_again() {
    let (policy, limits) = (Arc::new(Policy::new()), Limits::default().with_open_calls(400));
    let call = |number: u32| {
        let arguments = format!(r#"{{"question":"{number}?"}}"#);
        let function = json!({"name": "ask_followup_question", "arguments": arguments});
        json!({"index": number, "id": format!("call-{number}"), "function": function})
    };
    let chunk = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]})).into_bytes();
    let mut parser = ResponseParser::new(Format::OpenAiChat, policy.clone()).with_limits(limits);
    let mut all = Lines::default();
    for number in 0..300 {
        all.take(parser.feed(&chunk(json!({"index": 0, "delta": {"tool_calls": [call(number)]}}))));
    }
    all.take(parser.feed(&chunk(json!({"index": 0, "delta": {}, "finish_reason": "tool_calls"}))));
    let mut parser = ResponseParser::resume(policy, limits, stored(&parser.checkpoint())).unwrap();
    let message = json!({"role": "assistant", "tool_calls": [call(0)]});
    all.take(parser.feed(&chunk(json!({"index": 0, "message": message, "finish_reason": "tool_calls"}))));
    all.take(parser.finish());
    assert_eq!(all.0.iter().filter(|line| line.contains("Complete(Complete")).count(), 300, "{:?}", all.0.last());
}

#[test]
fn a_body_resumed_after_every_byte_has_the_same_events() {
    let (policy, mut sweep) = (Arc::new(Policy::new()), Sweep::new(1));
    for golden in goldens() {
        for mut parser in parsers(&golden, &policy).into_iter().filter(|_| sweep.tries(1)) {
            let whole = Lines(lines(&mut parser.clone(), [&*golden.body]));
            let mut all = Lines::default();
            for byte in &golden.body {
                all.take(parser.feed(&[*byte]));
                parser = resumed(&policy, parser.checkpoint());
            }
            all.take(parser.finish());
            assert_eq!(all, whole, "{}", golden.name);
        }
    }
}

/// As the golden bodies, whose events a blank line divides.
#[test]
fn a_body_whose_events_one_line_end_divides_is_resumed_after_every_byte() {
    let policy = Arc::new(Policy::new());
    let content = |text: &str| format!("data: {}", json!({"choices": [{"delta": {"content": text}}]}));
    let events = ["data:".into(), content("One "), content("moment."), content(" {}"), "data: [DONE] ".into()];
    for line_end in ["\n", "\r\n", "\r"] {
        let body = events.join(line_end);
        for new in [ResponseParser::new(Format::OpenAiChat, policy.clone()), ResponseParser::auto(policy.clone())] {
            let whole = Lines(lines(&mut new.clone(), [body.as_bytes()]));
            let (mut parser, mut all) = (new.clone(), Lines::default());
            for (at, byte) in body.bytes().enumerate() {
                all.take(parser.feed(&[byte]));
                let mut at_once = new.clone();
                drop(at_once.feed(&body.as_bytes()[..=at]));
                assert_eq!(at_once.checkpoint(), parser.checkpoint(), "{body:?} after {at}");
                parser = resumed(&policy, stored(&parser.checkpoint()));
            }
            all.take(parser.finish());
            assert_eq!(all, whole, "{body:?}");
            assert!(whole.0.iter().all(|line| !line.contains("Unreadable")), "{whole:?}");
        }
    }
}

/// The arguments of a generic name are kept until they show whether the call asks.
#[test]
fn a_call_of_a_generic_name_is_resumed_after_every_byte() {
    let policy = Arc::new(Policy::new());
    for (arguments, asked) in [
        (r#"{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}"#, 1),
        (r#"{"path":"a.rs","questions":[]}"#, 0),
    ] {
        let payload = |name: Value, piece: &str| {
            let call = json!({"index": 0, "id": "c", "function": {"name": name, "arguments": piece}});
            format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
        };
        let (mut body, mut rest) = (payload("question".into(), ""), arguments);
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(rest.len().min(7));
            (body, rest) = (body + &payload(Value::Null, piece), after);
        }
        body += "data: [DONE]\n\n";
        let mut parser = ResponseParser::new(Format::OpenAiChat, policy.clone());
        let whole = Lines(lines(&mut parser.clone(), [body.as_bytes()]));
        let mut all = Lines::default();
        for byte in body.bytes() {
            all.take(parser.feed(&[byte]));
            parser = resumed(&policy, stored(&parser.checkpoint()));
        }
        all.take(parser.finish());
        assert_eq!(all, whole, "{arguments}");
        assert_eq!(all.0.iter().filter(|line| line.contains("Complete(Complete")).count(), asked, "{all:?}");
    }
}

#[test]
fn equal_bytes_make_equal_checkpoints() {
    let (policy, mut sweep) = (Arc::new(Policy::new()), Sweep::new(1));
    for golden in goldens() {
        for new in parsers(&golden, &policy) {
            let mut parser = new.clone();
            for (at, byte) in golden.body.iter().enumerate() {
                Lines::default().take(parser.feed(&[*byte]));
                if sweep.tries(1) && sweep.tries(1) {
                    let mut whole = new.clone();
                    drop(whole.feed(&golden.body[..=at]));
                    assert_eq!(whole.checkpoint(), parser.checkpoint(), "{} after {at}", golden.name);
                }
            }
        }
    }
}

#[test]
fn events_that_were_not_taken_are_not_part_of_a_checkpoint() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"one\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"two\"}}]}\n\n";
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    drop(parser.feed(body.as_bytes()));
    let taken = parser.checkpoint();
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    let mut events = parser.feed(body.as_bytes());
    assert_eq!(events.next(), Some(Ok(Event::Text("one"))));
    drop(events);
    assert_eq!(parser.checkpoint(), taken);
}

#[test]
fn a_checkpoint_of_another_policy_or_other_limits_is_an_error() {
    let checkpoint = ResponseParser::auto(Policy::new()).checkpoint();
    let strict = Policy::new().with_malformed(Malformed::Reject);
    let resume = |policy, limits| ResponseParser::resume(policy, limits, checkpoint.clone()).map(drop);
    assert_eq!(resume(Policy::new(), Limits::default()), Ok(()));
    assert_eq!(resume(strict, Limits::default()), Err(ResumeError::OtherPolicy));
    assert_eq!(resume(Policy::new(), Limits::default().with_open_calls(3)), Err(ResumeError::OtherPolicy));
}

#[test]
fn a_damaged_checkpoint_is_an_error() {
    let mut parser = ResponseParser::auto(Policy::new());
    drop(parser.feed(
        b"data: {\"choices\":[{\"delta\":{\"content\":\"<ask_followup_question><question>Wh\"}}]}\n\ndata: {\"ch",
    ));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    for path in paths(&stored) {
        for other in [json!(0), json!(1), json!(7), json!(true), json!(null), json!("x"), json!([]), json!({})] {
            let mut damaged = stored.clone();
            *damaged.pointer_mut(&path).unwrap() = other;
            let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(damaged.clone()) else { continue };
            // A value may mean the same.
            let is_damaged = checkpoint != parser.checkpoint();
            let result = ResponseParser::resume(Policy::new(), Limits::default(), checkpoint);
            assert_eq!(result.is_err(), is_damaged, "{path}: {damaged}");
        }
    }
}

#[test]
fn a_forged_checkpoint_never_panics_and_stays_within_the_limits() {
    let limits = Limits::default().with_event(300).with_open_calls(2);
    let mut sweep = Sweep::new(1);
    for golden in goldens() {
        let (start, rest) = golden.body.split_at(golden.body.len() * 2 / 3);
        for new in parsers(&golden, &Arc::new(Policy::new())) {
            let mut parser = new.with_limits(limits);
            let fresh = lines(&mut parser.clone(), [&*golden.body]);
            drop(parser.feed(start));
            let stored = serde_json::to_value(parser.checkpoint()).unwrap();
            for path in paths(&stored) {
                for other in forgeries() {
                    // One in a hundred, if not all.
                    if !sweep.tries(1) || !sweep.tries(1) {
                        continue;
                    }
                    let mut forged = stored.clone();
                    *forged.pointer_mut(&path).unwrap() = other;
                    let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
                    let checkpoint = checkpoint.with_valid_checksum();
                    let Ok(mut parser) = ResponseParser::resume(Policy::new(), limits, checkpoint) else { continue };
                    let mut events = Lines::default();
                    events.take(parser.feed(rest));
                    events.take(parser.feed("\u{e9}\n\n<\"}]".as_bytes()));
                    events.take(parser.finish());
                    if path.ends_with("/declared") || path.ends_with("/reasoning") {
                        // It is a parser for other bodies, or of other text, now.
                        continue;
                    }
                    // The parser is ready for the next body, and has forgotten this one.
                    assert_eq!(lines(&mut parser, [&*golden.body]), fresh, "{} {path}", golden.name);
                }
            }
        }
    }
}

/// Incomplete bodies of each framing, and of the parsers that keep most.
fn incomplete_bodies() -> Vec<(Option<Format>, Vec<u8>)> {
    let event = |payload: Value| format!("data: {payload}\n\n").into_bytes();
    let argument = json!({"jsonPath": "$.a", "stringValue": "x", "willContinue": true});
    let call = json!({"id": "c", "name": "lookup", "partialArgs": [argument], "willContinue": true});
    let gemini = json!({"candidates": [{"content": {"parts": [{"functionCall": call}]}}]});
    let call = json!({"index": 0, "id": "c", "function": {"name": "lookup", "arguments": "{}"}});
    let message = json!({"content": "Hm.", "reasoning_content": "So.", "tool_calls": [call]});
    let dashscope = json!({"output": {"choices": [{"message": message, "finish_reason": "null"}]}});
    let arguments = json!({"question": "Q"});
    let leaked = json!({"name": "ask_followup_question", "arguments": arguments});
    let leaked = format!("Hm. <tool_call>{leaked}</tool_call>");
    let text = json!({"choices": [{"delta": {"content": leaked, "reasoning": "Hm."}}]});
    let asking = json!({"name": "ask_followup_question", "arguments": "{\"question\":"});
    let unnamed = json!({"arguments": "{\"question\":"});
    let calls = [json!({"index": 0, "id": "c", "function": asking}), json!({"index": 1, "function": unnamed})];
    let calls = json!({"choices": [{"delta": {"tool_calls": calls}}]});
    vec![
        (None, b"data: {\"x\":1}\n\ndata:".to_vec()),
        (Some(Format::OpenAiChat), b"data: {\"x\":1}\n\n{\n".to_vec()),
        (Some(Format::Ollama), b"{\"x\":".to_vec()),
        (Some(Format::Gemini), b"[{\"x\":[".to_vec()),
        (Some(Format::Bedrock), binary_frame(&[(":message-type", "event")], b"{}")[..14].to_vec()),
        (Some(Format::Gemini), event(gemini)),
        (Some(Format::DashScope), event(dashscope)),
        (Some(Format::Json), b"{\"question\":\"Q".to_vec()),
        (Some(Format::OpenAiChat), [event(text), event(calls)].concat()),
    ]
}

/// Calls `check` with each value of a checkpoint in each incomplete body.
///
/// The last argument of `check` resumes from that checkpoint with another value there.
fn each_value(check: impl Fn(&str, &[u8], &Value, &dyn Fn(Value) -> Option<ResponseParser>)) {
    let limits = Limits::default().with_event(1_000).with_open_calls(4).with_arguments(1_000);
    for (format, body) in incomplete_bodies() {
        let parser = match format {
            Some(format) => ResponseParser::new(format, Policy::new()),
            None => ResponseParser::auto(Policy::new()),
        };
        let mut parser = parser.with_limits(limits).with_reasoning(true);
        drop(parser.feed(&body));
        let stored = serde_json::to_value(parser.checkpoint()).unwrap();
        for path in paths(&stored) {
            let resume = |other: Value| {
                let mut forged = stored.clone();
                *forged.pointer_mut(&path).unwrap() = other;
                let checkpoint = serde_json::from_value::<Checkpoint>(forged).ok()?.with_valid_checksum();
                ResponseParser::resume(Policy::new(), limits, checkpoint).ok()
            };
            check(&path, &body, stored.pointer(&path).unwrap(), &resume);
        }
    }
}

#[test]
fn a_forged_checkpoint_that_holds_more_than_the_limits_allow_is_an_error() {
    const MANY: u64 = 5_000;
    each_value(|path, _, value, resume| {
        let others = match value {
            Value::String(_) => vec!["x".repeat(MANY as usize).into()],
            Value::Array(all) => match all.first() {
                // Not bytes: hashes, all of which are different.
                Some(first) if first.as_u64() > Some(255) => vec![(0..MANY).collect()],
                Some(first) if first.is_object() => vec![vec![first.clone(); 300].into()],
                Some(first) => vec![vec![first.clone(); MANY as usize].into()],
                None => vec![vec![b'x'; MANY as usize].into(), (0..MANY).collect()],
            },
            _ => vec![],
        };
        assert!(others.into_iter().all(|other| resume(other).is_none()), "{path}");
    });
}

#[test]
fn a_parser_from_a_forged_checkpoint_has_no_more_open_calls_than_the_limit() {
    each_value(|path, _, value, resume| {
        let Some(first) = value.as_array().and_then(|all| all.first()) else { return };
        let Some(mut parser) = resume(vec![first.clone(); 50].into()) else { return };
        let mut ended = 0;
        parser.finish().for_each(|event| {
            ended += usize::from(matches!(event, Ok(Event::Complete(_) | Event::Rejected(_))));
        });
        // With the call that waits in the text.
        assert!(ended <= 4 + 1, "{path}: {ended}");
    });
}

fn check_span(event: Result<Event<'_>, Error<'_>>) {
    let span = match event {
        Ok(Event::Complete(call)) => call.span(),
        Ok(Event::Rejected(call)) => call.span(),
        event => return drop(format!("{event:?}")),
    };
    assert!(span.start <= span.end, "{span:?}");
}

#[test]
fn a_parser_from_a_forged_checkpoint_never_panics() {
    each_value(|_, body, value, resume| {
        let numbers = [u64::MAX, u64::MAX / 2, 1 << 40, 1_001, 40, 37].into_iter().filter(|_| value.is_u64());
        // `Arguments` is a kind of body.
        let others = numbers.map(Value::from).chain(["Arguments".into()]);
        for mut parser in others.filter_map(resume) {
            parser.feed(body).for_each(check_span);
            parser.feed("\u{e9}\n\n<\"}]data: {}\n\n".as_bytes()).for_each(check_span);
            parser.finish().for_each(check_span);
        }
    });
}

/// JSON in place of any value of a stored checkpoint.
fn forgeries() -> impl Iterator<Item = Value> {
    let numbers = [0, 1, 2, 60, 255, u64::from(u32::MAX), u64::MAX / 2, u64::MAX].map(|number| json!(number));
    let others = [json!(true), json!(false), json!(null), json!(""), json!("é"), json!([]), json!([0, 0]), json!({})];
    numbers.into_iter().chain(others)
}

#[test]
fn a_body_with_an_odd_event_can_be_resumed() {
    let resumes = |format, limits: Limits, body: &str| {
        let mut parser = ResponseParser::new(format, Policy::new()).with_limits(limits);
        drop(parser.feed(body.as_bytes()));
        ResponseParser::resume(Policy::new(), limits, parser.checkpoint()).map(drop)
    };
    // A path that is too deep, and one whose keys grow because they are ill-formed.
    for path in [format!("${}", ".a".repeat(129)), format!("$.{}", "\\ud800".repeat(20))] {
        let call = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"name\":\"ask_followup_question\",\
             \"willContinue\":true,\"partialArgs\":[{{\"jsonPath\":\"{path}\",\"stringValue\":\"x\",\"willContinue\":true}}]}}}}]}}}}]}}\n\n"
        );
        let limits = Limits::default().with_event(call.len());
        assert_eq!(resumes(Format::Gemini, limits, &call), Ok(()), "{path}");
    }
    // The arguments of one call, with a limit that is shorter than its tool's name.
    assert_eq!(resumes(Format::Json, Limits::default().with_event(20), "{\"question\":\"Q"), Ok(()));
}
