//! Rare calls, and messages that come twice.
//!
//! As in `rare.rs`, each is there for a line of code whose loss no faster test would notice.

use followup::Policy;
use followup::wire::{Checkpoint, Format, Limits, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

use crate::rare::{body, call, steps, steps_of_body};
use crate::stored::paths;

const ASK: &str = "ask_followup_question";
const ASKED: &str = r#"{"question":"Q"}"#;
const OTHER: &str = r#"{"question":"R"}"#;

/// The same question, in an envelope of the text.
const LEAKED: &str = r#"<tool_call>{"name": "ask_followup_question", "arguments": {"question": "Q"}}</tool_call>"#;

fn chat(calls: &[Value]) -> Value {
    json!({"choices": [{"delta": {"tool_calls": calls}}]})
}

/// The whole message, at the end of the stream.
fn message(calls: &[Value]) -> Value {
    json!({"choices": [{"message": {"tool_calls": calls}, "finish_reason": "tool_calls"}]})
}

fn done(reason: &str) -> Value {
    json!({"choices": [{"delta": {}, "finish_reason": reason}]})
}

/// The steps of a body that is too long to be cut everywhere.
fn steps_at_once(format: Format, limits: Limits, payloads: &[Value]) -> Vec<String> {
    let mut parser = ResponseParser::new(format, Policy::new()).with_limits(limits);
    Transcript::of_response(&mut parser, [body(payloads)]).to_string().lines().map(str::to_owned).collect()
}

fn chat_steps(payloads: &[Value]) -> Vec<String> {
    steps(Format::OpenAiChat, Limits::default(), payloads)
}

fn responses(payloads: &[Value]) -> Vec<String> {
    steps(Format::OpenAiResponses, Limits::default(), payloads)
}

/// What the steps show, as one text.
fn shown(steps: &[String]) -> String {
    steps
        .iter()
        .filter_map(|step| step.strip_prefix("text "))
        .map(|text| serde_json::from_str::<String>(text).unwrap())
        .collect()
}

fn ends(steps: &[String], kind: &str) -> usize {
    steps.iter().filter(|step| step.starts_with(kind)).count()
}

#[test]
fn the_whole_message_names_a_call_that_had_no_name() {
    let payloads = [chat(&[call(Some(0), "c", "", ASKED)]), message(&[call(None, "c", ASK, ASKED)])];
    assert_eq!(chat_steps(&payloads), [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#]);
}

#[test]
fn the_whole_message_may_have_the_open_calls_in_another_order_and_under_other_ids() {
    let started = |index, id: &str, question: &str| call(Some(index), id, ASK, &format!("{{\"question\":\"{question}"));
    let whole = |id: &str, question: &str| call(None, id, ASK, &json!({"question": question}).to_string());
    let payloads =
        [chat(&[started(0, "a", "A"), started(1, "b", "B")]), message(&[whole("x", "B?"), whole("y", "A!")])];
    assert_eq!(
        chat_steps(&payloads),
        [
            r#"question 0 "A""#,
            r#"question 1 "B?""#,
            r#"question 0 "!""#,
            r#"complete 0 (a): "A!" [] []"#,
            r#"complete 1 (b): "B?" [] []"#
        ]
    );
}

#[test]
fn a_call_that_comes_only_in_the_whole_message_is_asked_beside_one_that_has_ended() {
    let payloads =
        [chat(&[call(Some(0), "c", ASK, ASKED)]), done("tool_calls"), message(&[call(None, "d", ASK, OTHER)])];
    assert_eq!(
        chat_steps(&payloads),
        [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#, r#"question 1 "R""#, r#"complete 1 (d): "R" [] []"#]
    );
}

#[test]
fn a_call_of_the_whole_message_without_a_name_is_compared_as_one_of_each_tool() {
    let list = |space: &str| format!("{{\"questions\":{space}[{{\"question\":\"Which?\"}}]}}");
    let payloads = [
        chat(&[call(Some(0), "a", ASK, ASKED), call(Some(1), "b", "AskUserQuestion", &list(""))]),
        done("tool_calls"),
        message(&[call(None, "", "", &list(" "))]),
    ];
    let steps = chat_steps(&payloads);
    assert_eq!((ends(&steps, "complete"), ends(&steps, "error")), (2, 0), "{steps:?}");
}

#[test]
fn blanks_of_no_call_belong_to_the_one_that_is_open() {
    let payloads = [chat(&[call(Some(0), "c", "read_file", r#"{"a":1}"#)]), chat(&[call(None, "", "", " ")])];
    let steps = chat_steps(&payloads);
    assert_eq!(steps.last().unwrap(), r#"opaque 0 read_file (c) "{\"a\":1} ""#);
}

/// Text that is new would show that the message went on after the call.
#[test]
fn text_that_is_repeated_does_not_end_a_call_that_waits_for_its_arguments() {
    let tool = json!({"type": "tool_use", "id": "t", "name": ASK, "input": {}});
    let text = json!({"type": "text", "text": "Hm."});
    let payloads = [
        json!({"type": "content_block_start", "index": 0, "content_block": text}),
        json!({"type": "content_block_start", "index": 1, "content_block": tool}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message", "role": "assistant", "content": [text, tool], "stop_reason": "max_tokens"}),
    ];
    assert_eq!(
        steps(Format::Anthropic, Limits::default(), &payloads),
        [r#"text "Hm.""#, "rejected truncated 0 (t): no question [] []"]
    );
}

#[test]
fn nothing_more_is_read_of_the_last_256_calls_that_have_ended() {
    let limits = Limits::default().with_open_calls(300);
    let asked = |index: u64| call(Some(index), &format!("c{index}"), ASK, ASKED);
    let all: Vec<Value> = (0..260).map(asked).collect();
    let open = call(Some(300), "open", ASK, r#"{"question":"#);
    let end = call(Some(300), "", "", r#""Q"}"#);
    for again in [4, 130, 259] {
        let payloads = [
            chat(&all),
            done("tool_calls"),
            chat(std::slice::from_ref(&open)),
            chat(&[asked(again)]),
            chat(std::slice::from_ref(&end)),
        ];
        let steps = steps_at_once(Format::OpenAiChat, limits, &payloads);
        assert_eq!(ends(&steps, "complete"), 261, "{again}: {:?}", steps.last());
    }
}

#[test]
fn a_checkpoint_does_not_grow_with_the_calls_that_have_ended() {
    let stored = |calls: u64| {
        let call = |index| chat(&[call(Some(index), &format!("c{index}"), ASK, ASKED)]);
        let payloads: Vec<Value> = (100..100 + calls).flat_map(|index| [call(index), done("tool_calls")]).collect();
        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
        drop(parser.feed(body(&payloads).as_bytes()));
        serde_json::to_string(&parser.checkpoint()).unwrap().len()
    };
    let (few, many) = (stored(260), stored(400));
    assert!(many < few + few / 10, "{few} bytes, and {many}");
}

#[test]
fn the_open_calls_that_ask_have_a_limit_of_arguments_together() {
    let limits = Limits::default().with_arguments(32);
    let part = |index, text: &str| chat(&[call(Some(index), "", "", text)]);
    let start = |index, name: &str, text: &str| chat(&[call(Some(index), &format!("c{index}"), name, text)]);
    let of = |payloads: &[Value]| {
        let steps = steps(Format::OpenAiChat, limits, payloads).into_iter();
        let ends = steps.filter(|step| !step.starts_with("question"));
        ends.map(|step| step.split([':', '"']).next().unwrap().trim().to_owned()).collect::<Vec<_>>()
    };
    // Together as many bytes as the limit, and one more in either.
    let (one, two) = (start(0, ASK, ASKED), start(1, ASK, ASKED));
    assert_eq!(of(&[one.clone(), two.clone()]), ["complete 0 (c0)", "complete 1 (c1)"]);
    let too_many = "error too_many_calls";
    let rejected = of(&[one.clone(), two.clone(), part(1, " ")]);
    assert_eq!(rejected, [too_many, "rejected malformed 1 (c1)", "complete 0 (c0)"]);
    let rejected = of(&[one.clone(), two.clone(), part(0, " "), start(3, ASK, ASKED)]);
    assert_eq!(rejected, [too_many, "rejected malformed 0 (c0)", "complete 1 (c1)", "complete 2 (c3)"]);
    // Calls of other tools, and those that have ended, do not count.
    let long = start(2, "read_file", &json!({"path": "x".repeat(100)}).to_string());
    assert_eq!(of(&[long, one.clone(), two.clone()])[1..], ["complete 0 (c0)", "complete 1 (c1)"]);
    assert_eq!(of(&[one, done("tool_calls"), two, part(1, " ")]), ["complete 0 (c0)", "complete 1 (c1)"]);
}

#[test]
fn arguments_of_a_generic_name_are_kept_up_to_a_limit() {
    let (first, second) = (r#"{"a":"1234567","#, r#""questions":[{"question":"Q"}]}"#);
    let complete = |kept: usize| {
        let limits = Limits::default().with_event(kept * 10).with_open_calls(10);
        let payloads = [chat(&[call(Some(0), "c", "question", first)]), chat(&[call(Some(0), "", "", second)])];
        ends(&steps(Format::OpenAiChat, limits, &payloads), "complete")
    };
    assert_eq!([first.len() - 1, first.len(), first.len() + 1].map(complete), [0, 1, 1]);
}

#[test]
fn arguments_that_come_again_with_every_delta_may_come_before_the_name() {
    let so_far = |name: &str, text: &str| chat(&[call(Some(0), "c", name, text)]);
    let payloads = [so_far("", "{\"que"), so_far("", "{\"question\":\""), so_far(ASK, ASKED)];
    assert_eq!(chat_steps(&payloads), [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#]);
}

fn item(kind: &str, name: &str, arguments: &str) -> Value {
    let mut item = json!({"type": kind, "id": "i", "call_id": "c", "arguments": arguments});
    if !name.is_empty() {
        item["name"] = name.into();
    }
    item
}

fn item_event(stage: &str, index: u64, item: &Value) -> Value {
    json!({"type": format!("response.output_item.{stage}"), "output_index": index, "item": item})
}

#[test]
fn a_call_that_ended_before_its_name_ends_when_it_is_named() {
    let arguments =
        json!({"type": "response.function_call_arguments.done", "item_id": "i", "output_index": 0, "arguments": ASKED});
    let payloads = [
        arguments,
        item_event("added", 0, &item("function_call", "", ASKED)),
        item_event("added", 0, &item("function_call", ASK, ASKED)),
        json!({"type": "response.output_text.delta", "output_index": 1, "delta": "Hm."}),
    ];
    assert_eq!(responses(&payloads), [r#"question 0 "Q""#, r#"complete 0 (c): "Q" [] []"#, r#"text "Hm.""#]);
}

#[test]
fn a_call_that_leaks_is_compared_with_all_native_calls_before_it() {
    let payloads = [
        chat(&[call(Some(0), "a", ASK, ASKED), call(Some(1), "b", ASK, OTHER)]),
        done("tool_calls"),
        json!({"choices": [{"delta": {"content": LEAKED}}]}),
    ];
    let steps = chat_steps(&payloads);
    assert_eq!((ends(&steps, "complete"), ends(&steps, "rejected superseded")), (2, 1), "{steps:?}");
}

mod text {
    use super::*;

    fn event(kind: &str, item: Option<u64>, field: &str, text: &str) -> Value {
        let mut event = json!({"type": format!("response.output_text.{kind}")});
        event[field] = text.into();
        if let Some(item) = item {
            event["output_index"] = item.into();
        }
        event
    }

    fn delta(item: impl Into<Option<u64>>, text: &str) -> Value {
        event("delta", item.into(), "delta", text)
    }

    fn done(item: impl Into<Option<u64>>, text: &str) -> Value {
        event("done", item.into(), "text", text)
    }

    /// The whole response; a text that is empty is an item that has none.
    fn completed(texts: &[&str]) -> Value {
        let item = |text: &&str| match *text {
            "" => json!({"type": "reasoning"}),
            text => json!({"type": "message", "content": [{"type": "output_text", "text": text}]}),
        };
        let output: Vec<Value> = texts.iter().map(item).collect();
        json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
    }

    #[test]
    fn a_repetition_adds_what_has_not_come_whatever_its_number() {
        for (payloads, expected) in [
            // Half a surrogate pair, of which all the text has both halves.
            (vec![delta(0, "a+"), done(0, "a+-b")], "a\u{1F600}b"),
            // A repetition that adds nothing, between the halves.
            (vec![delta(0, "x"), delta(1, "a+"), done(0, "x"), delta(1, "-b")], "xa\u{1F600}b"),
            // Only one of the two events has a number.
            (vec![delta(None, "Hm."), done(0, "Hm.")], "Hm."),
            (vec![delta(0, "Hm."), done(None, "Hm.")], "Hm."),
            // A part that is over is not continued.
            (vec![done(0, "Yes"), completed(&["", "Yes, really"])], "YesYes, really"),
            // Blanks do not tell that the part is the same.
            (vec![delta(1, "Hel"), delta(2, "\n"), completed(&["Hello"])], "Hel\nlo"),
            // The part that it continues is not the newest that is open.
            (vec![delta(1, "One"), delta(2, "Two"), completed(&["One more"])], "OneTwo more"),
            // White space at the beginning makes no difference.
            (vec![delta(1, "\nHel"), completed(&["Hello"])], "\nHello"),
        ] {
            let text = body(&payloads).replace('+', "\\ud83d").replace('-', "\\ude00");
            let new = || ResponseParser::new(Format::OpenAiResponses, Policy::new());
            let steps = steps_of_body(new, &text);
            assert_eq!(shown(&steps), expected, "{text}");
            assert_eq!(ends(&steps, "error"), 0, "{text}");
        }
    }

    #[test]
    fn a_message_of_more_than_256_parts_can_be_resumed() {
        let payloads: Vec<Value> = (0..257).map(|item| delta(item, "a")).collect();
        let mut parser = ResponseParser::new(Format::OpenAiResponses, Policy::new());
        drop(parser.feed(body(&payloads).as_bytes()));
        assert_eq!(ResponseParser::resume(Policy::new(), Limits::default(), parser.checkpoint()).map(drop), Ok(()));
    }

    /// What is not remembered may be a repetition.
    #[test]
    fn of_more_than_256_parts_nothing_is_shown_twice() {
        let texts: Vec<String> = (0..300).map(|item| format!("{item}.")).collect();
        let mut payloads: Vec<Value> = (0..).zip(&texts).map(|(item, text)| delta(item, text)).collect();
        payloads.push(completed(&texts.iter().map(String::as_str).collect::<Vec<_>>()));
        let new = || ResponseParser::new(Format::OpenAiResponses, Policy::new());
        let steps = steps_of_body(new, &body(&payloads));
        assert_eq!((shown(&steps), ends(&steps, "error")), (texts.concat(), 0));
    }

    #[test]
    fn two_whole_messages_that_did_not_come_in_pieces_are_both_shown() {
        let message = |text: &str| json!({"choices": [{"message": {"content": text}}]});
        assert_eq!(chat_steps(&[message("One. "), message("Two.")]), [r#"text "One. Two.""#]);
    }
}

/// Items of another type have no text of the message, whatever they hold.
#[test]
fn only_messages_have_the_text_of_a_response() {
    let content = json!([{"type": "output_text", "text": "no"}]);
    let other = json!({"type": "web_search_call", "content": content});
    let started = json!({"type": "message", "content": content});
    let refused = json!({"type": "message", "content": [{"type": "refusal", "refusal": "I won't."}]});
    let payloads = [
        item_event("added", 0, &started),
        item_event("done", 1, &other),
        json!({"type": "response.completed", "response": {"output": [other, refused]}}),
    ];
    for reads_reasoning in [false, true] {
        let new = || ResponseParser::new(Format::OpenAiResponses, Policy::new()).with_reasoning(reads_reasoning);
        assert_eq!(steps_of_body(new, &body(&payloads)), [r#"text "I won't.""#]);
    }
}

#[test]
fn a_response_that_was_cancelled_cuts_off_its_last_call() {
    let payloads = [
        item_event("done", 0, &item("function_call", ASK, "")),
        json!({"type": "response.completed", "response": {"status": "cancelled"}}),
    ];
    assert_eq!(responses(&payloads), ["rejected truncated 0 (c): no question [] []"]);
}

#[test]
fn a_call_without_arguments_is_cut_off_with_a_message_that_is_cancelled() {
    for reason in ["abort", "cancelled", "time_limit"] {
        let payloads = [chat(&[call(Some(0), "c", ASK, "")]), done(reason)];
        assert_eq!(chat_steps(&payloads), ["rejected truncated 0 (c): no question [] []"], "{reason}");
    }
}

mod anthropic {
    use super::*;

    fn steps(payloads: &[Value]) -> Vec<String> {
        super::steps(Format::Anthropic, Limits::default(), payloads)
    }

    fn tool(id: &str, question: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": ASK, "input": {"question": question}})
    }

    fn start(index: u64, block: &Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn stop(index: u64) -> Value {
        json!({"type": "content_block_stop", "index": index})
    }

    fn message(content: &[Value]) -> Value {
        json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "tool_use"})
    }

    const COMPLETE: [&str; 2] = [r#"question 0 "Q""#, r#"complete 0 (t): "Q" [] []"#];

    #[test]
    fn an_error_without_a_type_is_reported_after_other_events() {
        let payloads = [start(0, &json!({"type": "text", "text": "Hm."})), json!({"error": {"message": "Later"}})];
        let expected = [r#"text "Hm.""#, r#"error provider "the provider reports an error: Later""#];
        assert_eq!(steps(&payloads), expected);
    }

    #[test]
    fn a_block_of_another_type_is_no_call() {
        let other = json!({"type": "redacted_thinking", "data": "x"});
        let named = json!({"type": "tool_result", "id": "r", "name": ASK, "input": {"question": "R"}});
        assert_eq!(steps(&[start(1, &tool("t", "Q")), stop(1), message(&[other, tool("t", "Q")])]), COMPLETE);
        assert_eq!(steps(&[start(0, &named), stop(0), start(1, &tool("t", "Q")), stop(1)]), COMPLETE);
    }

    #[test]
    fn nothing_more_is_read_of_a_block_that_came_in_the_whole_message() {
        let delta = json!({"type": "input_json_delta", "partial_json": ASKED});
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": delta});
        assert_eq!(steps(&[message(&[tool("t", "Q")]), delta]), COMPLETE);
    }
}

#[test]
fn a_payload_of_the_format_is_no_error_whatever_fields_it_has() {
    let created = json!({"type": "response.created", "message": "Queued", "detail": "None"});
    let text = json!({"type": "response.output_text.delta", "delta": "Hm."});
    assert_eq!(responses(&[created, text]), [r#"text "Hm.""#]);
}

#[test]
fn the_error_of_a_response_is_reported_while_reasoning_is_read() {
    let new = || ResponseParser::new(Format::Ollama, Policy::new()).with_reasoning(true);
    let expected = [r#"error provider "the provider reports an error: Later""#];
    assert_eq!(steps_of_body(new, "{\"detail\":\"Later\"}\n"), expected);
}

#[test]
fn a_checkpoint_after_a_long_payload_is_small() {
    // The model's payload, in base64: a text.
    let bytes = ["eyJvdXRwdXRUZXh0Ijoi", &"YWFh".repeat(4_000), "In0="].concat();
    let mut parser = ResponseParser::new(Format::Bedrock, Policy::new());
    drop(parser.feed(format!("{}\n", json!({"chunk": {"bytes": bytes}})).as_bytes()));
    let stored = serde_json::to_string(&parser.checkpoint()).unwrap();
    assert!(stored.len() < 4_000, "{} bytes", stored.len());
    assert_eq!(serde_json::from_str::<Checkpoint>(&stored).unwrap(), parser.checkpoint());
}

/// What is lost with the cursor are events.
#[test]
fn a_checkpoint_after_a_leaked_cursor_has_all_of_its_payload() {
    let call = "<ask_followup_question><question>Q</question><suggest>A</suggest></ask_followup_question>";
    let body = body(&[json!({"choices": [{"delta": {"content": format!("{call} and {call}, and")}}]})]);
    let mut whole = ResponseParser::new(Format::OpenAiChat, Policy::new());
    drop(whole.feed(body.as_bytes()));
    for taken in 1..=8 {
        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
        let mut events = parser.feed(body.as_bytes());
        for _ in 0..taken {
            let _ = events.next();
        }
        std::mem::forget(events);
        assert_eq!(parser.checkpoint(), whole.checkpoint(), "{taken} events were taken");
    }
}

#[test]
fn blank_arguments_end_no_call_that_waits() {
    let done = |arguments: &str| {
        let item = json!({"type": "function_call", "id": "i", "call_id": "c", "name": ASK, "arguments": arguments});
        json!({"type": "response.output_item.done", "output_index": 0, "item": item})
    };
    let payloads = [done(""), done(" "), done(r#"{"question":"Q"}"#)];
    let steps = steps(Format::OpenAiResponses, Limits::default(), &payloads);
    assert!(steps.iter().any(|step| step.starts_with("complete")), "{steps:?}");
}

/// Arguments count from the moment they are known to be a question's, however they came before.
#[test]
fn arguments_beyond_the_limit_reject_a_call_at_once() {
    let list = r#"{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}"#;
    let (start, rest) = list.split_at(40);
    let whole = |name: &str, arguments: &str| vec![chat(&[call(Some(0), "c", name, arguments)])];
    let pieces = |name: &str| [whole(name, start), whole("", rest)].concat();
    let named_late = |name: &str| [whole("", list), whole(name, "")].concat();
    for name in ["AskUserQuestion", "question"] {
        for payloads in [whole(name, list), pieces(name), named_late(name)] {
            let of = |limit: usize, last: &[Value]| {
                let payloads = [&payloads[..], last].concat();
                steps(Format::OpenAiChat, Limits::default().with_arguments(limit), &payloads)
            };
            let asked = of(list.len(), &[done("tool_calls")]);
            assert!(asked.last().unwrap().starts_with("complete 0 (c)"), "{name}: {asked:?}");
            assert_eq!(ends(&asked, "error"), 0, "{name}: {asked:?}");
            // Nothing follows that could reject it.
            let refused = of(list.len() - 1, &[]);
            assert_eq!(ends(&refused, "error too_many_calls"), 1, "{name}: {refused:?}");
            assert_eq!(ends(&refused, "rejected"), 1, "{name}: {refused:?}");
            assert_eq!(ends(&refused, "complete"), 0, "{name}: {refused:?}");
        }
    }
}

#[test]
fn forged_lengths_of_arguments_never_overflow() {
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new());
    let start = |index| call(Some(index), &format!("c{index}"), ASK, "{\"question\":");
    drop(parser.feed(body(&[chat(&[start(0), start(1)])]).as_bytes()));
    let stored = serde_json::to_value(parser.checkpoint()).unwrap();
    let mut resumed = 0;
    for path in paths(&stored) {
        // A number of the first call, and the same of the second.
        let both = [path.clone(), path.replacen("/0/", "/1/", 1)];
        if both[0] == both[1] || !both.iter().all(|path| stored.pointer(path).is_some_and(Value::is_u64)) {
            continue;
        }
        let mut forged = stored.clone();
        both.iter().for_each(|path| *forged.pointer_mut(path).unwrap() = json!(usize::MAX / 2 - 1));
        let Ok(checkpoint) = serde_json::from_value::<Checkpoint>(forged) else { continue };
        let checkpoint = checkpoint.with_valid_checksum();
        let Ok(mut parser) = ResponseParser::resume(Policy::new(), Limits::default(), checkpoint) else { continue };
        drop(parser.feed(body(&[chat(&[call(Some(0), "", "", "{\"a\":1}")])]).as_bytes()));
        resumed += 1;
    }
    assert!(resumed > 0, "no forged number is accepted");
}
