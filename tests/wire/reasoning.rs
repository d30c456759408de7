//! Calls that a model writes in its reasoning.

use std::sync::Arc;

use followup::wire::{Format, Limits, ResponseParser};
use followup::{Envelope, Event, Note, Policy};
use serde_json::{Value, json};

use crate::normal::lines;
use crate::reasoning_shapes;
use crate::sweep::{Sweep, assert_chunk_invariant};

const ASK: &str = "<ask_followup_question><question>Which one?</question></ask_followup_question>";
const OTHER: &str = "<read_file><path>a.rs</path></read_file>";

/// A summary of every event but partials, of a body that is cut and resumed in every way.
pub fn summaries(format: Format, body: &str, limits: Limits) -> Vec<String> {
    let policy = Arc::new(Policy::new());
    let new = || ResponseParser::new(format, policy.clone()).with_limits(limits).with_reasoning(true);
    assert_chunk_invariant(body.as_bytes(), |chunks| lines(&mut new(), chunks.iter().copied()));
    let (mut parser, mut all) = (new(), Vec::new());
    // In the short form it is resumed after one byte in five, of each body other ones.
    let step = if Sweep::is_short() { 5 } else { 1 };
    for (at, byte) in body.bytes().enumerate() {
        take(parser.feed(&[byte]), &mut all);
        if !(at + body.len()).is_multiple_of(step) {
            continue;
        }
        let stored = serde_json::to_string(&parser.checkpoint()).unwrap();
        let checkpoint = serde_json::from_str(&stored).unwrap();
        parser = ResponseParser::resume(policy.clone(), limits, checkpoint).unwrap();
    }
    take(parser.finish(), &mut all);
    let mut whole = Vec::new();
    let mut parser = new();
    for _ in 0..2 {
        whole.clear();
        take(parser.feed(body.as_bytes()), &mut whole);
        take(parser.finish(), &mut whole);
        assert_eq!(whole, all, "resumed byte by byte, and in a parser that was used");
    }
    whole
}

pub fn take(mut events: followup::wire::Events<'_>, all: &mut Vec<String>) {
    while let Some(event) = events.next() {
        let line = match event {
            Ok(Event::Partial(_)) => continue,
            Ok(Event::Text(text)) => match all.last_mut() {
                Some(last) if last.starts_with("text ") => {
                    last.push_str(text);
                    continue;
                }
                _ => format!("text {text}"),
            },
            Ok(Event::Opaque(piece)) if piece.start => format!("{} begins", piece.tool),
            Ok(Event::Opaque(_)) => continue,
            Ok(Event::Complete(call)) => {
                let leaked = call.notes().iter().any(|note| matches!(note, Note::Envelope(_)));
                let place = match (call.notes().contains(&Note::InReasoning), leaked) {
                    (true, _) => "in reasoning ",
                    (false, true) => "leaked ",
                    (false, false) => "",
                };
                format!("{place}{} asks {} {:?}", call.index(), call.question(), call.span())
            }
            Ok(Event::Rejected(call)) => format!("{} is rejected: {}", call.index(), call.reason().code()),
            Err(error) => format!("error {}", error.code()),
        };
        all.push(line);
    }
}

pub fn events(payloads: &[Value]) -> String {
    payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect()
}

pub fn json_lines(payloads: &[Value]) -> String {
    payloads.iter().map(|payload| format!("{payload}\n")).collect()
}

pub fn chat(delta: &Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta}]})
}

pub fn native(question: &str) -> Value {
    let arguments = json!({"question": question}).to_string();
    chat(
        &json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "ask_followup_question", "arguments": arguments}}]}),
    )
}

pub fn chat_end() -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
}

/// Chat completions with this reasoning, and these deltas after it.
fn chat_body(reasoning: &str, after: &[Value]) -> String {
    let first = chat(&json!({"reasoning_content": reasoning}));
    events(&[&[first], after, &[chat_end()]].concat())
}

fn chat_summaries(reasoning: &str, after: &[Value]) -> Vec<String> {
    summaries(Format::OpenAiChat, &chat_body(reasoning, after), Limits::default())
}

/// Bodies in which `Hm. `, a call in two pieces, and ` So.` are reasoning, and `Done.` is text.
fn bodies() -> Vec<(Format, &'static str, String)> {
    let (start, end) = ASK.split_at(40);
    let pieces = [format!("Hm. {start}"), format!("{end} So.")];
    let whole = pieces.concat();
    let each = |payload: &dyn Fn(&str) -> Value| pieces.iter().map(|piece| payload(piece)).collect::<Vec<_>>();
    let chat_of = |field: &str| {
        let pieces = each(&|piece| chat(&json!({field: piece})));
        events(&[&pieces[..], &[chat(&json!({"content": "Done."})), chat_end()]].concat())
    };
    let responses = |events_: &[&str]| {
        let item = json!({"type": "reasoning", "id": "rs", "summary": [], "content": [{"type": "reasoning_text", "text": whole}]});
        let text = json!({"type": "message", "content": [{"type": "output_text", "text": "Done."}]});
        let mut all = Vec::new();
        for event in events_ {
            let typed = format!("response.{event}");
            let at = |mut payload: Value| {
                payload["type"] = typed.clone().into();
                payload["output_index"] = 0.into();
                payload["content_index"] = 0.into();
                payload
            };
            match *event {
                "reasoning_text.delta" => all.extend(each(&|piece| at(json!({"item_id": "rs", "delta": piece})))),
                "reasoning_text.done" => all.push(at(json!({"item_id": "rs", "text": whole}))),
                "content_part.done" => all.push(at(json!({"part": {"type": "reasoning_text", "text": whole}}))),
                "output_item.done" => all.push(at(json!({"item": item}))),
                _ => all.push(at(json!({"response": {"status": "completed", "output": [item, text]}}))),
            }
        }
        if !events_.contains(&"completed") {
            all.push(
                json!({"type": "response.output_text.delta", "output_index": 1, "content_index": 0, "delta": "Done."}),
            );
        }
        events(&all)
    };
    let block = |index: u64, start: Value, deltas: Vec<Value>| {
        let deltas =
            deltas.into_iter().map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
        let start = json!({"type": "content_block_start", "index": index, "content_block": start});
        let stop = json!({"type": "content_block_stop", "index": index});
        [start].into_iter().chain(deltas).chain([stop]).collect::<Vec<_>>()
    };
    let thinking = each(&|piece| json!({"type": "thinking_delta", "thinking": piece}));
    let thinking = block(0, json!({"type": "thinking", "thinking": "", "signature": ""}), thinking);
    let text = json!({"type": "text_delta", "text": "Done."});
    let text = block(1, json!({"type": "text", "text": ""}), vec![text]);
    let stop = json!({"type": "message_stop"});
    let message = json!({"type": "message", "role": "assistant", "stop_reason": "end_turn", "content": [
        {"type": "thinking", "thinking": whole, "signature": "x"}, {"type": "text", "text": "Done."}]});
    let ollama = |message: Value, done: bool| json!({"model": "m", "message": message, "done": done});
    let gemini = |parts: Value| json!({"candidates": [{"content": {"parts": parts, "role": "model"}, "index": 0}]});
    let delta = |index: u64, delta: Value| json!({"contentBlockDelta": {"delta": delta, "contentBlockIndex": index}});
    let cohere =
        |content: Value| json!({"type": "content-delta", "index": 0, "delta": {"message": {"content": content}}});
    let dashscope = |message: Value, reason: &str| json!({"output": {"choices": [{"message": message, "finish_reason": reason}]}, "request_id": "r"});
    let so_far = [pieces[0].clone(), whole.clone()];
    let mut bodies = vec![
        (Format::OpenAiChat, "reasoning_content", chat_of("reasoning_content")),
        (Format::OpenAiChat, "reasoning", chat_of("reasoning")),
        (
            Format::OpenAiChat,
            "under both names, and all of it again",
            events(
                &[
                    &each(&|piece| chat(&json!({"reasoning_content": piece, "reasoning": piece, "content": null})))[..],
                    &[chat(&json!({"content": "Done."}))],
                    &[json!({"choices": [{"index": 0, "finish_reason": "stop", "message": {"reasoning": whole, "content": "Done."}}]})],
                ]
                .concat(),
            ),
        ),
        (Format::OpenAiResponses, "deltas", responses(&["reasoning_text.delta"])),
        (Format::OpenAiResponses, "the end only", responses(&["completed"])),
        (
            Format::OpenAiResponses,
            "up to five times",
            responses(&[
                "reasoning_text.delta",
                "reasoning_text.done",
                "content_part.done",
                "output_item.done",
                "completed",
            ]),
        ),
        (Format::Anthropic, "blocks", events(&[thinking, text, vec![stop]].concat())),
        (Format::Anthropic, "not streamed", message.to_string()),
        (
            Format::Ollama,
            "chat",
            json_lines(
                &[
                    &each(&|piece| ollama(json!({"role": "assistant", "content": "", "thinking": piece}), false))[..],
                    &[ollama(json!({"role": "assistant", "content": "Done."}), true)],
                ]
                .concat(),
            ),
        ),
        (
            Format::Ollama,
            "generate",
            json_lines(
                &[
                    &each(&|piece| json!({"model": "m", "response": "", "thinking": piece, "done": false}))[..],
                    &[json!({"model": "m", "response": "Done.", "done": true})],
                ]
                .concat(),
            ),
        ),
        (
            Format::Gemini,
            "thoughts",
            events(
                &[&each(&|piece| gemini(json!([{"text": piece, "thought": true}])))[..], &[gemini(json!([{"text": "Done."}]))]]
                    .concat(),
            ),
        ),
        (
            Format::Bedrock,
            "deltas",
            json_lines(
                &[
                    &each(&|piece| delta(0, json!({"reasoningContent": {"text": piece}})))[..],
                    &[delta(0, json!({"reasoningContent": {"signature": "x"}})), delta(1, json!({"text": "Done."}))],
                    &[json!({"messageStop": {"stopReason": "end_turn"}})],
                ]
                .concat(),
            ),
        ),
        (
            Format::Bedrock,
            "not streamed",
            json!({"output": {"message": {"role": "assistant", "content": [
                {"reasoningContent": {"reasoningText": {"text": whole, "signature": "x"}}}, {"text": "Done."}]}}, "stopReason": "end_turn"})
            .to_string(),
        ),
        (
            Format::Cohere,
            "thinking",
            events(
                &[
                    &each(&|piece| cohere(json!({"thinking": piece})))[..],
                    &[cohere(json!({"text": "Done."})), json!({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}})],
                ]
                .concat(),
            ),
        ),
        (
            Format::DashScope,
            "pieces",
            events(
                &[
                    &each(&|piece| dashscope(json!({"content": "", "reasoning_content": piece}), "null"))[..],
                    &[dashscope(json!({"content": "Done.", "reasoning_content": ""}), "stop")],
                ]
                .concat(),
            ),
        ),
        (
            Format::DashScope,
            "all so far",
            events(
                &[
                    &so_far.each_ref().map(|all| dashscope(json!({"content": "", "reasoning_content": all}), "null"))[..],
                    &[dashscope(json!({"content": "Done.", "reasoning_content": whole}), "stop")],
                ]
                .concat(),
            ),
        ),
    ];
    bodies.extend(reasoning_shapes::bodies(&pieces));
    bodies
}

#[test]
fn a_call_in_reasoning_comes_out_on_request() {
    for (format, what, body) in bodies() {
        let expected = ["text Done.", &format!("in reasoning 0 asks Which one? 4..{}", 4 + ASK.len())];
        assert_eq!(summaries(format, &body, Limits::default()), expected, "{format}, {what}");
    }
}

#[test]
fn reasoning_is_not_read_by_default() {
    for (format, what, body) in bodies() {
        let mut parser = ResponseParser::new(format, Policy::new());
        let mut all = Vec::new();
        take(parser.feed(body.as_bytes()), &mut all);
        take(parser.finish(), &mut all);
        assert_eq!(all, ["text Done."], "{format}, {what}");
        assert_eq!(lines(&mut parser, [body.as_bytes()]), [r#"Ok(Text("Done."))"#], "{format}, {what}");
    }
}

#[test]
fn reasoning_stays_read_with_other_limits_and_in_the_next_body() {
    let parser = ResponseParser::auto(Policy::new()).with_reasoning(true).with_limits(Limits::default());
    let mut parser = parser;
    for (format, what, body) in bodies() {
        let mut all = Vec::new();
        take(parser.feed(body.as_bytes()), &mut all);
        take(parser.finish(), &mut all);
        assert!(matches!(&*all, [.., last] if last.starts_with("in reasoning 0 asks")), "{format}, {what}: {all:?}");
    }
    let mut off = parser.with_reasoning(false);
    let (.., body) = bodies().swap_remove(0);
    assert_eq!(lines(&mut off, [body.as_bytes()]), [r#"Ok(Text("Done."))"#]);
}

#[test]
fn a_call_in_reasoning_is_shown_while_it_streams() {
    let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_reasoning(true);
    let body = events(&[chat(&json!({"reasoning_content": "Hm. <ask_followup_question><question>Which o"}))]);
    let mut cursor = parser.feed(body.as_bytes());
    match cursor.next() {
        Some(Ok(Event::Partial(call))) => assert_eq!((call.index(), call.question()), (0, Some("Which o"))),
        other => panic!("{other:?}"),
    }
    assert!(cursor.next().is_none(), "the prose does not come out");
}

#[test]
fn a_call_in_an_envelope_of_the_reasoning_is_shown_while_it_streams_and_asked_with_both_notes() {
    let kimi = [
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.ask_followup_question:0\
         <|tool_call_argument_begin|>{\"question\": \"Which o",
        "ne?\", \"follow_up\": [{\"text\": \"This\"}]}<|tool_call_end|><|tool_calls_section_end|>",
    ];
    let function = [
        "<tool_call>\n<function=ask_followup_question>\n<parameter=question>\nWhich o",
        "ne?\n</parameter>\n<parameter=follow_up>\n[{\"text\": \"This\"}]\n</parameter>\n</function>\n</tool_call>",
    ];
    for (family, [start, end]) in [(Envelope::Kimi, kimi), (Envelope::FunctionXml, function)] {
        let reasoning = |text: String| events(&[chat(&json!({"reasoning_content": text}))]);
        let bodies = [
            reasoning(format!("Hm. {start}")),
            reasoning(format!("{end} So.")) + &events(&[chat(&json!({"content": "Done."})), chat_end()]),
        ];
        let span = 4..4 + start.len() + end.len();
        let asked = format!("in reasoning 0 asks Which one? {span:?}");
        assert_eq!(summaries(Format::OpenAiChat, &bodies.concat(), Limits::default()), ["text Done.", &*asked]);

        let mut parser = ResponseParser::new(Format::OpenAiChat, Policy::new()).with_reasoning(true);
        let mut cursor = parser.feed(bodies[0].as_bytes());
        match cursor.next() {
            Some(Ok(Event::Partial(call))) => assert_eq!((call.index(), call.question()), (0, Some("Which o"))),
            other => panic!("{family}: {other:?}"),
        }
        assert!(cursor.next().is_none(), "{family}: nothing else comes out");
        drop(cursor);
        let mut shown = Vec::new();
        let mut cursor = parser.feed(bodies[1].as_bytes());
        while let Some(event) = cursor.next() {
            match event {
                Ok(Event::Partial(call)) => shown.push(call.delta().to_owned()),
                Ok(Event::Text(text)) => shown.push(text.to_owned()),
                other => panic!("{family}: the end waits, and not {other:?}"),
            }
        }
        assert_eq!(shown, ["ne?", "This", "Done."], "{family}");
        drop(cursor);
        let mut cursor = parser.finish();
        match cursor.next() {
            Some(Ok(Event::Complete(call))) => {
                let answers: Vec<&str> = call.suggestions().iter().map(|one| one.answer).collect();
                assert_eq!((call.question(), &*answers), ("Which one?", &["This"][..]), "{family}");
                assert_eq!(call.notes().to_vec(), [Note::Envelope(family), Note::InReasoning]);
            }
            other => panic!("{family}: {other:?}"),
        }
    }
}

#[test]
fn other_tools_in_reasoning_do_not_come_out() {
    assert_eq!(chat_summaries(&format!("{OTHER} {ASK}"), &[]), ["in reasoning 0 asks Which one? 41..119"]);
    assert_eq!(chat_summaries(OTHER, &[chat(&json!({"content": "Hm."}))]), ["text Hm."]);
}

#[test]
fn a_call_in_reasoning_is_superseded_as_soon_as_the_message_asks() {
    let text = chat(&json!({"content": format!("{ASK} Done.")}));
    let length = ASK.len();
    assert_eq!(
        chat_summaries(ASK, &[text]),
        [&*format!("1 asks Which one? 0..{length}"), "0 is rejected: superseded", "text  Done."]
    );
    assert_eq!(chat_summaries(ASK, &[native("Another?")]), ["1 asks Another? 0..23", "0 is rejected: superseded"]);
    // Before the reasoning, too.
    let reasoning = chat(&json!({"reasoning": ASK}));
    let text = chat(&json!({"content": ASK}));
    let body = events(&[text, reasoning, chat_end()]);
    assert_eq!(
        summaries(Format::OpenAiChat, &body, Limits::default()),
        [&*format!("0 asks Which one? 0..{length}"), "1 is rejected: superseded"]
    );
}

#[test]
fn a_call_in_reasoning_that_cannot_be_asked_is_superseded_as_well() {
    let cut = "<ask_followup_question><question>Which";
    assert_eq!(chat_summaries(cut, &[]), ["0 is rejected: truncated"]);
    assert_eq!(chat_summaries(cut, &[native("Q?")]), ["1 asks Q? 0..17", "0 is rejected: superseded"]);
}

#[test]
fn a_rejected_call_and_another_tool_supersede_nothing() {
    let rejected = chat(&json!({"content": "<ask_followup_question><question>Which"}));
    let expected = format!("in reasoning 0 asks Which one? 0..{}", ASK.len());
    assert_eq!(chat_summaries(ASK, &[rejected]), ["1 is rejected: truncated", &expected]);
    let other = chat(&json!({"content": OTHER}));
    assert_eq!(chat_summaries(ASK, &[other]), ["read_file begins", &expected]);
}

#[test]
fn two_calls_in_reasoning_are_both_asked() {
    let length = ASK.len();
    assert_eq!(
        chat_summaries(&ASK.repeat(2), &[]),
        [
            format!("in reasoning 0 asks Which one? 0..{length}"),
            format!("in reasoning 1 asks Which one? {length}..{}", 2 * length)
        ]
    );
}

/// The first ones come out: too many wait.
#[test]
fn no_more_calls_wait_than_the_limits_allow() {
    let body = chat_body(&ASK.repeat(3), &[chat(&json!({"content": "Done."})), native("Q?")]);
    let limits = Limits::default();
    for (limits, early) in [
        (limits, 0),
        (limits.with_open_calls(2), 1),
        (limits.with_open_calls(1), 2),
        (limits.with_arguments(20), 1),
        (limits.with_arguments(19), 2),
    ] {
        let all = summaries(Format::OpenAiChat, &body, limits);
        let done = all.iter().position(|line| line == "text Done.").unwrap();
        assert_eq!(done, early, "{limits:?}: {all:?}");
        let superseded = all.iter().filter(|line| line.ends_with("superseded")).count();
        assert_eq!(superseded, 3 - early, "{limits:?}: {all:?}");
    }
}

#[test]
fn a_lost_event_rejects_the_call_that_is_open_in_reasoning() {
    let first = chat(&json!({"reasoning_content": "<ask_followup_question><question>Wh"}));
    let last = chat(&json!({"reasoning_content": "ich?</question></ask_followup_question>"}));
    let body = format!("{}data: {{\"choices\n\n{}", events(&[first]), events(&[last, chat_end()]));
    assert_eq!(
        summaries(Format::OpenAiChat, &body, Limits::default()),
        ["error unreadable", "0 is rejected: malformed"]
    );
}

/// It is no event of the body, as if reasoning were not read.
#[test]
fn a_body_that_breaks_off_in_its_reasoning_is_empty() {
    let body = events(&[chat(&json!({"reasoning_content": "Hm."}))]);
    assert_eq!(summaries(Format::OpenAiChat, &body, Limits::default()), ["error empty"]);
}

#[test]
fn half_a_surrogate_pair_at_the_end_of_a_delta_goes_with_the_next_one() {
    let text = r#"data: {"choices":[{"delta":{"content":"x"}}]}"#;
    let [first, second] = [r"<ask_followup_question><question>\ud83d", r"\ude00</question></ask_followup_question>"]
        .map(|piece| format!("data: {{\"choices\":[{{\"delta\":{{\"reasoning\":\"{piece}\"}}}}]}}\n\n"));
    let body = format!("{first}{text}\n\n{second}");
    assert_eq!(summaries(Format::OpenAiChat, &body, Limits::default()), ["text x", "in reasoning 0 asks 😀 0..72"]);
}
