//! Inconsistent bodies: in any order of events, no call is complete with parts of another.

use followup::wire::{self, Format, ResponseParser};
use followup::{Event, Policy};

use crate::sweep::Sweep;

/// An event of a call; the number is its index in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallEvent {
    Begins(usize),
    /// The first part of its arguments.
    First(usize),
    Middle(usize),
    Last(usize),
    Ends(usize),
}

const EVENTS: [CallEvent; 10] = [
    CallEvent::Begins(0),
    CallEvent::First(0),
    CallEvent::Middle(0),
    CallEvent::Last(0),
    CallEvent::Ends(0),
    CallEvent::Begins(1),
    CallEvent::First(1),
    CallEvent::Middle(1),
    CallEvent::Last(1),
    CallEvent::Ends(1),
];

/// Writes payloads, so that the arguments of each call consist of a letter of its own.
#[derive(Clone, Copy, Default)]
struct Writer {
    /// The number of calls that began at each index.
    calls: [usize; 2],
}

impl Writer {
    fn call(&mut self, event: CallEvent) -> (usize, usize, char) {
        let i = match event {
            CallEvent::Begins(i)
            | CallEvent::First(i)
            | CallEvent::Middle(i)
            | CallEvent::Last(i)
            | CallEvent::Ends(i) => i,
        };
        self.calls[i] += usize::from(matches!(event, CallEvent::Begins(_)));
        // Parts before the first beginning belong to the first call.
        let number = self.calls[i].max(1);
        (i, number, (b'a' + (2 * number + i) as u8) as char)
    }

    fn payload(&mut self, wire: Format, event: CallEvent) -> String {
        let (i, number, letter) = self.call(event);
        let id = format!("call_{i}_{number}");
        let more = match event {
            CallEvent::First(_) => format!("{{\\\"question\\\":\\\"{letter}"),
            CallEvent::Middle(_) => letter.to_string(),
            CallEvent::Last(_) => format!("{letter}\\\"}}"),
            CallEvent::Begins(_) | CallEvent::Ends(_) => String::new(),
        };
        match (wire, event) {
            (Format::Anthropic, CallEvent::Begins(_)) => format!(
                r#"{{"type":"content_block_start","index":{i},"content_block":{{"type":"tool_use","id":"{id}","name":"ask_followup_question","input":{{}}}}}}"#
            ),
            (Format::Anthropic, CallEvent::Ends(_)) => format!(r#"{{"type":"content_block_stop","index":{i}}}"#),
            (Format::Anthropic, _) => format!(
                r#"{{"type":"content_block_delta","index":{i},"delta":{{"type":"input_json_delta","partial_json":"{more}"}}}}"#
            ),
            (Format::Bedrock, CallEvent::Begins(_)) => format!(
                r#"{{"contentBlockStart":{{"contentBlockIndex":{i},"start":{{"toolUse":{{"toolUseId":"{id}","name":"ask_followup_question"}}}}}}}}"#
            ),
            (Format::Bedrock, CallEvent::Ends(_)) => format!(r#"{{"contentBlockStop":{{"contentBlockIndex":{i}}}}}"#),
            (Format::Bedrock, _) => format!(
                r#"{{"contentBlockDelta":{{"contentBlockIndex":{i},"delta":{{"toolUse":{{"input":"{more}"}}}}}}}}"#
            ),
            (Format::OpenAiResponses, CallEvent::Begins(_)) => format!(
                r#"{{"type":"response.output_item.added","output_index":{i},"item":{{"type":"function_call","id":"item_{id}","call_id":"{id}","name":"ask_followup_question","arguments":""}}}}"#
            ),
            (Format::OpenAiResponses, CallEvent::Ends(_)) => format!(
                r#"{{"type":"response.output_item.done","output_index":{i},"item":{{"type":"function_call","id":"item_{id}","call_id":"{id}","name":"ask_followup_question","arguments":""}}}}"#
            ),
            (Format::OpenAiResponses, _) => format!(
                r#"{{"type":"response.function_call_arguments.delta","item_id":"item_{id}","output_index":{i},"delta":"{more}"}}"#
            ),
            (Format::OpenAiChat, CallEvent::Begins(_)) => format!(
                r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"{id}","function":{{"name":"ask_followup_question","arguments":""}}}}]}}}}]}}"#
            ),
            (Format::OpenAiChat, CallEvent::Ends(_)) => {
                r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned()
            }
            (Format::OpenAiChat, _) => format!(
                r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":{i},"id":"{id}","function":{{"arguments":"{more}"}}}}]}}}}]}}"#
            ),
            _ => unreachable!("its calls have no parts"),
        }
    }
}

fn framed(wire: Format, payload: &str) -> String {
    if wire == Format::Bedrock { format!("{payload}\n") } else { format!("data: {payload}\n\n") }
}

/// Writes all events to `out`, in a few words. Panics if a question has letters of two calls.
fn parse(response: &mut ResponseParser, body: &[u8], chunk: usize, out: &mut String) {
    use std::fmt::Write;
    out.clear();
    let mut append = |mut events: wire::Events<'_>| {
        while let Some(event) = events.next() {
            match event {
                Ok(Event::Partial(call)) => {
                    let question = call.question().unwrap_or_default();
                    assert!(of_one_call(question), "shown: {question:?} of {}", body.escape_ascii());
                    write!(out, "{} {question}… ", call.index()).unwrap();
                }
                Ok(Event::Complete(call)) => {
                    let question = call.question();
                    assert!(of_one_call(question), "complete: {question:?} of {}", body.escape_ascii());
                    write!(out, "{} {:?} {question} ", call.index(), call.id()).unwrap();
                }
                Ok(Event::Rejected(call)) => write!(out, "{} {} ", call.index(), call.reason().code()).unwrap(),
                Ok(other) => panic!("{other:?}"),
                Err(error) => write!(out, "{} ", error.code()).unwrap(),
            }
        }
    };
    body.chunks(chunk).for_each(|chunk| append(response.feed(chunk)));
    append(response.finish());
}

/// Returns whether all letters are of one call. A part that is repeated may leave a bracket.
fn of_one_call(question: &str) -> bool {
    let mut letters = question.chars().filter(char::is_ascii_alphabetic);
    letters.next().is_none_or(|first| letters.all(|letter| letter == first))
}

/// Parses one in `step` of the sequences of this many events.
///
/// Among them are ends before beginnings, parts after ends, and everything twice.
fn sequences(length: u32, step: usize) {
    for wire in [Format::OpenAiChat, Format::OpenAiResponses, Format::Anthropic, Format::Bedrock] {
        let mut response = ResponseParser::new(wire, Policy::new());
        let (mut body, mut whole, mut cut) = (String::new(), String::new(), String::new());
        let mut complete = 0;
        for n in (0..EVENTS.len().pow(length)).step_by(step) {
            let mut writer = Writer::default();
            body.clear();
            for at in 0..length {
                let event = EVENTS[n / EVENTS.len().pow(at) % EVENTS.len()];
                body += &framed(wire, &writer.payload(wire, event));
            }
            parse(&mut response, body.as_bytes(), usize::MAX, &mut whole);
            complete += usize::from(whole.contains("Some"));
            if n % 16 == 0 {
                parse(&mut response, body.as_bytes(), 7, &mut cut);
                assert_eq!(cut, whole, "{body}");
            }
        }
        assert!(complete > 0, "{wire}: some have a complete call");
    }
}

#[test]
fn no_call_is_complete_with_parts_of_another_in_any_order() {
    sequences(4, if Sweep::is_short() { 3 } else { 1 });
}

#[test]
#[ignore = "a million bodies for each provider: run it in release"]
fn no_call_is_complete_with_parts_of_another_in_any_longer_order() {
    sequences(6, 1);
}
