//! Messages that a provider sends twice, in pieces and as a whole, and entries that are odd.
//!
//! Every body is cut everywhere, and its format is declared and detected.

use std::sync::Arc;

use crate::encode::events::base64;

use crate::sweep::assert_chunk_invariant;
use followup::Policy;
use followup::wire::{Format, Limits, ResponseParser};
use followup_testing::Transcript;
use serde_json::{Value, json};

/// The steps of a body of these payloads, one a line, without spans and partials.
#[track_caller]
fn steps(format: Format, payloads: &[Value]) -> Vec<String> {
    let body: String = payloads.iter().map(|payload| format!("data: {payload}\n\n")).collect();
    let parse =
        |chunks: &[&[u8]]| Transcript::of_response(&mut ResponseParser::new(format, Policy::new()), chunks).to_string();
    assert_chunk_invariant(body.as_bytes(), parse);
    let detected = Transcript::of_response(&mut ResponseParser::auto(Policy::new()), [body.as_bytes()]).to_string();
    assert_eq!(detected, parse(&[body.as_bytes()]), "detected");
    assert_eq!(detected, resumed(format, &body), "resumed after each payload");
    let shown =
        |line: &&str| ["text", "opaque", "complete", "rejected", "error"].contains(&line.split(' ').next().unwrap());
    let without_span = |line: &str| match (line.split_once(" at "), line.split_once(": ")) {
        (Some((before, _)), Some((_, after))) => format!("{before}: {after}"),
        _ => line.to_owned(),
    };
    let kind_only = |line: String| match line.strip_prefix("error ") {
        Some(error) if !error.starts_with("provider") => format!("error {}", error.split(' ').next().unwrap()),
        _ => line,
    };
    detected.lines().filter(shown).map(without_span).map(kind_only).collect()
}

/// Returns the events of a body whose parser is resumed from a checkpoint after each payload.
fn resumed(format: Format, body: &str) -> String {
    let policy = Arc::new(Policy::new());
    let (mut parser, mut transcript) = (ResponseParser::new(format, policy.clone()), Transcript::default());
    for line in body.split_inclusive("\n\n") {
        transcript.append_response(parser.feed(line.as_bytes()));
        parser = ResponseParser::resume(policy.clone(), Limits::default(), parser.checkpoint()).unwrap();
    }
    transcript.append_response(parser.finish());
    transcript.to_string()
}

const ASKED: &str = r#"{"question":"Tea?","follow_up":[{"text":"Yes"},{"text":"No","mode":"code"}]}"#;
const COMPLETE: &str = r#": "Tea?" ["Yes", "No" code] []"#;
const MARKUP: &str = "<ask_followup_question><question>Tea?</question><follow_up><suggest>Yes</suggest></follow_up></ask_followup_question>";

mod chat {
    use super::*;

    fn steps(payloads: &[Value]) -> Vec<String> {
        super::steps(Format::OpenAiChat, payloads)
    }

    fn text(text: &str) -> Value {
        json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]})
    }

    fn call(id: Option<&str>, arguments: &str) -> Value {
        let mut call = json!({"index": 0, "function": {"name": "ask_followup_question", "arguments": arguments}});
        if let Some(id) = id {
            call["id"] = id.into();
        }
        call
    }

    fn calls(calls: &[Value]) -> Value {
        json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"tool_calls": calls}}]})
    }

    fn more(arguments: &str) -> Value {
        calls(&[json!({"index": 0, "function": {"arguments": arguments}})])
    }

    fn finish() -> Value {
        json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    }

    /// Together sends each piece as that of a chat and as that of a completion.
    #[test]
    fn a_text_in_the_delta_and_beside_it_counts_once() {
        let both = |text: &str| {
            let delta = json!({"content": text, "tool_calls": null});
            json!({"choices": [{"index": 0, "text": text, "delta": delta}]})
        };
        assert_eq!(steps(&[both("Hm"), both("."), both("")]), [r#"text "Hm.""#]);
        let beside = json!({"choices": [{"index": 0, "text": "Hm.", "delta": {"tool_calls": [7]}}]});
        assert_eq!(steps(&[beside]), ["error unreadable", r#"text "Hm.""#]);
        let beside_odd_message = json!({"choices": [{"index": 0, "text": "Hm.", "message": 7}]});
        assert_eq!(steps(&[beside_odd_message]), ["error unreadable", r#"text "Hm.""#]);
    }

    /// The last frame: the whole message.
    fn whole(content: &str, mut calls: Vec<Value>) -> Value {
        calls.iter_mut().for_each(|call| drop(call.as_object_mut().unwrap().remove("index")));
        let message = json!({"role": "assistant", "content": content, "tool_calls": calls});
        json!({"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
    }

    #[test]
    fn text_that_the_whole_message_repeats_counts_once() {
        for (deltas, content) in [
            (&["Good ", "morning"][..], "Good morning"),
            (&["Good ", "morning"], ""),
            (&["\n\nGood", " morning", "\n"], "Good morning"),
            (&["Good morning"], "\nGood morning\n\n"),
        ] {
            let payloads: Vec<Value> = deltas.iter().map(|delta| text(delta)).chain([whole(content, vec![])]).collect();
            let shown: String = deltas.concat();
            let more = if content.ends_with("\n\n") { "\n\n" } else { "" };
            assert_eq!(steps(&payloads), [format!("text {:?}", shown + more)], "{deltas:?} and {content:?}");
        }
    }

    #[test]
    fn a_question_in_the_text_is_asked_once() {
        for cut in [10, 33, MARKUP.len() - 1] {
            let (first, second) = MARKUP.split_at(cut);
            let payloads = [text(first), text(second), whole(MARKUP, vec![]), whole(MARKUP, vec![])];
            assert_eq!(steps(&payloads), [r#"complete 0: "Tea?" ["Yes"] []"#]);
        }
    }

    #[test]
    fn a_native_call_is_asked_once_whatever_its_id_is_in_the_whole_message() {
        let (first, second) = ASKED.split_at(30);
        for finishes in [false, true] {
            for id in [Some("a"), Some("b"), None] {
                let mut payloads = vec![calls(&[call(Some("a"), first)]), more(second)];
                payloads.extend(finishes.then(finish));
                payloads.push(whole("", vec![call(id, ASKED)]));
                assert_eq!(steps(&payloads), [format!("complete 0 (a){COMPLETE}")], "{id:?}, {finishes}");
                payloads.push(payloads.last().unwrap().clone());
                assert_eq!(steps(&payloads), [format!("complete 0 (a){COMPLETE}")], "{id:?}, {finishes}, twice");
                // The same arguments, written in another way.
                let written = ASKED.replace(':', ": ").replace("Tea", "\\u0054ea");
                *payloads.last_mut().unwrap() = whole("", vec![call(id, &written)]);
                assert_eq!(steps(&payloads), [format!("complete 0 (a){COMPLETE}")], "{id:?}, {finishes}");
            }
        }
    }

    #[test]
    fn what_the_whole_message_has_beyond_the_deltas_counts() {
        assert_eq!(steps(&[text("Good "), whole("Good morning", vec![])]), [r#"text "Good morning""#]);
        assert_eq!(steps(&[whole("Good morning", vec![])]), [r#"text "Good morning""#]);
        assert_eq!(
            steps(&[text(""), whole("Good morning", vec![call(None, ASKED)])]),
            [r#"text "Good morning""#.to_owned(), format!("complete 0{COMPLETE}")]
        );
        let (first, _) = ASKED.split_at(30);
        for id in [Some("a"), Some("b"), None] {
            let payloads = [calls(&[call(Some("a"), first)]), whole("", vec![call(id, ASKED)])];
            assert_eq!(steps(&payloads), [format!("complete 0 (a){COMPLETE}")], "{id:?}");
        }
        // Of two calls the second.
        let other = ASKED.replace("Tea", "Milk");
        let payloads = [calls(&[call(None, ASKED)]), whole("", vec![call(None, ASKED), call(None, &other)])];
        let second = format!("complete 1{COMPLETE}").replace("Tea", "Milk");
        assert_eq!(steps(&payloads), [format!("complete 0{COMPLETE}"), second]);
    }

    #[test]
    fn a_whole_message_that_differs_is_an_error_and_adds_nothing() {
        let contradiction = "error contradiction";
        for content in ["Good evening", "Good morn", "ood morning"] {
            let payloads = [text("Good morning"), whole(content, vec![]), whole(content, vec![])];
            assert_eq!(steps(&payloads), [r#"text "Good morning""#, contradiction], "{content}");
        }
        let other = ASKED.replace("Tea", "Milk");
        // The call is open: it is rejected. It has ended: it was asked.
        let rejected = r#"rejected malformed 0 (a): "Tea?" ["Yes", "No" code] []"#;
        for id in [Some("a"), None] {
            let open = [calls(&[call(Some("a"), ASKED)]), whole("", vec![call(id, &other)])];
            assert_eq!(steps(&open), [rejected], "{id:?}");
            let over = [calls(&[call(Some("a"), ASKED)]), finish(), whole("", vec![call(id, &other)])];
            assert_eq!(steps(&over), [&format!("complete 0 (a){COMPLETE}"), contradiction], "{id:?}");
        }
        // The text would be complete with a repair, but something in it is wrong.
        let open = MARKUP.replace("</ask_followup_question>", "");
        let payloads = [text(&open), whole(&MARKUP.replace("Yes", "Perhaps"), vec![])];
        assert_eq!(steps(&payloads), [contradiction, r#"rejected malformed 0: "Tea?" ["Yes"] []"#]);
    }

    #[test]
    fn after_a_lost_event_a_whole_message_that_differs_is_no_second_error() {
        let lost = json!({"choices": [{"index": 0, "delta": 7}]});
        let payloads = [text("Good "), lost, text("ing"), whole("Good morning", vec![])];
        assert_eq!(steps(&payloads), [r#"text "Good ""#, "error unreadable", r#"text "ing""#]);
    }

    #[test]
    fn calls_with_the_same_arguments_are_as_many_as_were_sent() {
        let twice = |id: Option<&str>| vec![call(id, ASKED), call(id, ASKED)];
        let both = [format!("complete 0{COMPLETE}"), format!("complete 1{COMPLETE}")];
        assert_eq!(steps(&[whole("", twice(None))]), both);
        let second = json!({"index": 1, "function": {"name": "ask_followup_question", "arguments": ASKED}});
        assert_eq!(steps(&[calls(&[call(None, ASKED), second]), whole("", twice(None))]), both);
    }

    #[test]
    fn a_model_that_is_invoked_on_bedrock_may_repeat_its_message_without_a_finish_reason() {
        let message = json!({"content": "Hm.", "tool_calls": [call(None, ASKED)]});
        let repeated = json!({"choices": [{"message": message}]});
        let payloads = [text("Hm."), calls(&[call(Some("a"), ASKED)]), finish(), repeated];
        let chunks = payloads.map(|payload| json!({"chunk": {"bytes": base64(payload.to_string().as_bytes())}}));
        let complete = format!("complete 0 (a){COMPLETE}");
        assert_eq!(super::steps(Format::Bedrock, &chunks), [r#"text "Hm.""#, &*complete]);
    }

    #[test]
    fn other_tools_calls_are_repeated_without_an_event() {
        let function = json!({"name": "read_file", "arguments": "{\"path\":\"a\"}"});
        let delta = json!({"index": 0, "id": "r", "function": function});
        let payloads = [calls(std::slice::from_ref(&delta)), whole("", vec![delta.clone()])];
        assert_eq!(steps(&payloads), [r#"opaque 0 read_file (r) "{\"path\":\"a\"}""#]);
    }

    #[test]
    fn the_whole_message_of_another_choice_is_not_read() {
        let other = json!({"choices": [{"index": 1, "message": {"content": "Good evening"}, "finish_reason": "stop"}]});
        assert_eq!(steps(&[text("Good morning"), other]), [r#"text "Good morning""#]);
        let message = |text: &str| json!({"content": text});
        let both = json!({"object": "chat.completion", "choices": [{"index": 1, "message": message("No")}, {"index": 0, "message": message("Yes")}]});
        assert_eq!(steps(&[both]), [r#"text "Yes""#]);
    }

    #[test]
    fn a_message_beside_a_delta_counts_only_if_the_delta_is_empty() {
        let frame = |delta: &str, message: &str| json!({"choices": [{"index": 0, "delta": {"content": delta}, "message": {"content": message}}]});
        let cumulative = [frame("Good ", "Good "), frame("morning", "Good morning"), frame("", "Good morning")];
        assert_eq!(steps(&cumulative), [r#"text "Good morning""#]);
        assert_eq!(steps(&[frame("", "Good morning")]), [r#"text "Good morning""#]);
    }

    #[test]
    fn a_refusal_is_repeated_apart_from_the_content() {
        let delta = json!({"choices": [{"index": 0, "delta": {"refusal": "I can't."}}]});
        let message = json!({"content": "Sorry. ", "refusal": "I can't."});
        let whole = json!({"choices": [{"index": 0, "message": message}]});
        assert_eq!(steps(&[text("Sorry. "), delta, whole]), [r#"text "Sorry. I can't.""#]);
    }
}

mod responses {
    use super::*;

    fn steps(payloads: &[Value]) -> Vec<String> {
        super::steps(Format::OpenAiResponses, payloads)
    }

    fn delta(index: u64, text: &str) -> Value {
        json!({"type": "response.output_text.delta", "item_id": "m", "output_index": index, "content_index": 0, "delta": text})
    }

    fn part(text: &str) -> Value {
        json!({"type": "output_text", "text": text, "annotations": []})
    }

    fn message(text: &str) -> Value {
        json!({"type": "message", "id": "m", "role": "assistant", "content": [part(text)]})
    }

    fn function(id: &str, arguments: &str) -> Value {
        json!({"type": "function_call", "id": "f", "call_id": id, "name": "ask_followup_question", "arguments": arguments})
    }

    fn text_done(index: u64, text: &str) -> Value {
        json!({"type": "response.output_text.done", "output_index": index, "content_index": 0, "text": text})
    }

    fn part_done(index: u64, text: &str) -> Value {
        json!({"type": "response.content_part.done", "output_index": index, "content_index": 0, "part": part(text)})
    }

    fn item(stage: &str, index: u64, item: Value) -> Value {
        json!({"type": format!("response.output_item.{stage}"), "output_index": index, "item": item})
    }

    fn end(kind: &str, output: Vec<Value>) -> Value {
        json!({"type": format!("response.{kind}"), "response": {"output": output, "error": null}})
    }

    #[test]
    fn text_counts_once_wherever_it_is_sent() {
        let (first, second) = (delta(0, "Good "), delta(0, "morning"));
        let whole = "Good morning";
        let wholes = [
            text_done(0, whole),
            part_done(0, whole),
            item("done", 0, message(whole)),
            end("completed", vec![message(whole)]),
        ];
        let all: Vec<Value> = [first.clone(), second].into_iter().chain(wholes.clone()).collect();
        let expected = [r#"text "Good morning""#];
        assert_eq!(steps(&all), expected);
        for one in &wholes {
            assert_eq!(steps(std::slice::from_ref(one)), expected, "{one}");
            assert_eq!(steps(&[first.clone(), one.clone()]), expected, "{one}");
        }
        assert_eq!(steps(&wholes), expected);
        // An item that has not been seen moves the numbers.
        let completed = end("completed", vec![json!({"type": "reasoning"}), json!({"type": "x"}), message(whole)]);
        assert_eq!(steps(&[first, completed]), expected);
    }

    #[test]
    fn texts_of_several_items_are_separate() {
        let again = [item("done", 0, message("A")), item("done", 1, message("A")), item("done", 2, message("B"))];
        let completed = end("completed", vec![message("A"), message("A"), message("B")]);
        let expected = [r#"text "AAB""#];
        assert_eq!(steps(&again), expected);
        assert_eq!(
            steps(&[delta(0, "A"), delta(1, "A"), text_done(1, "A"), delta(2, "B"), completed.clone()]),
            expected
        );
        let [one, two, three] = again;
        assert_eq!(steps(&[one, two, three, completed]), expected);
        let mut parts = message("A");
        parts["content"] = json!([part("A"), {"type": "refusal", "refusal": "B"}, {"type": "other", "text": "no"}]);
        assert_eq!(steps(&[delta(0, "A"), item("done", 0, parts)]), [r#"text "AB""#]);
    }

    #[test]
    fn a_refusal_that_comes_only_whole_is_text() {
        let done = json!({"type": "response.refusal.done", "output_index": 0, "content_index": 0, "refusal": "No."});
        assert_eq!(steps(&[done]), [r#"text "No.""#]);
    }

    #[test]
    fn a_text_that_differs_when_it_is_done_is_one_error() {
        let payloads = [delta(0, "Good"), text_done(0, "Bad"), part_done(0, "Bad"), item("done", 0, message("Bad"))];
        assert_eq!(steps(&payloads), [r#"text "Good""#, "error contradiction"]);
    }

    #[test]
    fn a_call_counts_once_wherever_it_is_sent() {
        let call = function("c", ASKED);
        let added = item("added", 0, function("c", ""));
        let arguments = |stage: &str, key: &str| {
            let mut event =
                json!({"type": format!("response.function_call_arguments.{stage}"), "item_id": "f", "output_index": 0});
            event[key] = ASKED.into();
            event
        };
        let (delta, done) = (arguments("delta", "delta"), arguments("done", "arguments"));
        let (item_done, completed) = (item("done", 0, call.clone()), end("completed", vec![call.clone()]));
        let expected = [format!("complete 0 (c){COMPLETE}")];
        let all = [added.clone(), delta.clone(), done, item_done.clone(), completed.clone()];
        assert_eq!(steps(&all), expected);
        for one in [&item_done, &completed, &item("added", 0, call.clone()), &end("incomplete", vec![call.clone()])] {
            assert_eq!(steps(std::slice::from_ref(one)), expected, "{one}");
        }
        let whole_when_added = item("added", 0, call.clone());
        assert_eq!(steps(&[whole_when_added, delta.clone(), item_done, completed.clone()]), expected);
        // The call ends with the response, before the text after it.
        let text = json!({"type": "response.output_text.delta", "output_index": 7, "delta": "Hm."});
        assert_eq!(steps(&[added, delta, completed, text])[1], r#"text "Hm.""#);
        // The item has another id in every event, as with Copilot.
        let mut other = call;
        other["id"] = "g".into();
        let first = item("added", 3, function("c", ""));
        assert_eq!(steps(&[first, item("done", 3, other.clone()), end("completed", vec![other])]), expected);
    }

    #[test]
    fn one_failure_is_one_error() {
        let error = json!({"type": "error", "code": "server_error", "message": "Later"});
        let failed = |message: &str| json!({"type": "response.failed", "response": {"error": {"message": message}}});
        let later = r#"error provider "the provider reports an error: Later""#;
        assert_eq!(steps(&[error.clone(), failed("Later")]), [later]);
        assert_eq!(steps(&[error.clone(), failed("Sorry")]), [later]);
        assert_eq!(steps(&[failed("Later"), error.clone()]), [later]);
        assert_eq!(steps(&[error.clone(), error]), [later]);
        let nothing = json!({"type": "response.failed", "response": {"error": null}});
        assert_eq!(steps(&[nothing]), [r#"error provider "the provider reports an error: the response failed""#]);
        let text =
            [delta(0, "Good"), json!({"type": "response.failed", "response": {"output": [message("Good morning")]}})];
        assert_eq!(steps(&text)[0], r#"text "Good morning""#);
    }

    #[test]
    fn a_response_that_is_not_streamed_has_its_text_and_its_calls() {
        let output = json!([{"type": "reasoning"}, message("Hm."), function("c", ASKED)]);
        let whole =
            json!({"object": "response", "metadata": {}, "status": "completed", "error": null, "output": output});
        assert_eq!(
            steps(std::slice::from_ref(&whole)),
            [r#"text "Hm.""#.to_owned(), format!("complete 0 (c){COMPLETE}")]
        );
        let failed = json!({"object": "response", "status": "failed", "error": {"message": "Later"}, "output": []});
        assert_eq!(steps(&[failed]), [r#"error provider "the provider reports an error: Later""#]);
    }
}

mod anthropic {
    use super::*;

    fn steps(payloads: &[Value]) -> Vec<String> {
        super::steps(Format::Anthropic, payloads)
    }

    fn start(index: u64, block: Value) -> Value {
        json!({"type": "content_block_start", "index": index, "content_block": block})
    }

    fn delta(index: u64, text: &str) -> Value {
        json!({"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": text}})
    }

    fn whole(content: Value) -> Value {
        json!({"type": "message", "role": "assistant", "content": content, "stop_reason": "end_turn"})
    }

    fn tool(input: Value) -> Value {
        json!({"type": "tool_use", "id": "t", "name": "ask_followup_question", "input": input})
    }

    #[test]
    fn a_message_at_the_end_of_a_stream_adds_only_what_has_not_come() {
        let asked: Value = serde_json::from_str(ASKED).unwrap();
        let arguments = json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ASKED}});
        let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
        let text = |text: &str| json!({"type": "text", "text": text});
        let end = json!({"type": "message_stop"});
        let expected = [r#"text "Good morning""#.to_owned(), format!("complete 0 (t){COMPLETE}")];
        let closing = whole(json!([text("Good morning"), tool(asked.clone())]));
        let streamed = [
            start(0, text("")),
            delta(0, "Good "),
            delta(0, "morning"),
            stop(0),
            start(1, tool(json!({}))),
            arguments,
            stop(1),
            closing.clone(),
            end,
        ];
        assert_eq!(steps(&streamed), expected);
        // A thought before it moves the numbers.
        let moved = whole(json!([{"type": "thinking", "thinking": "no"}, text("Good morning"), tool(asked)]));
        assert_eq!(steps(&[&streamed[..7], &[moved]].concat()), expected);
        assert_eq!(steps(&[&streamed[..2], std::slice::from_ref(&closing)].concat()), expected);
        assert_eq!(steps(std::slice::from_ref(&closing)), expected);
        assert_eq!(steps(&[delta(0, "Bad"), closing])[..2], [r#"text "Bad""#, "error contradiction"]);
    }

    #[test]
    fn text_in_the_start_of_a_block_is_not_compared_with_its_deltas() {
        let text = json!({"type": "text", "text": "Tick"});
        let payloads = [start(0, text), delta(0, "Tick"), delta(0, " tock"), json!({"type": "message_stop"})];
        assert_eq!(steps(&payloads), [r#"text "TickTick tock""#]);
    }

    #[test]
    fn content_in_the_start_of_a_message_means_nothing() {
        let message = json!({"role": "assistant", "content": [{"type": "text", "text": "no"}]});
        let payloads = [json!({"type": "message_start", "message": message}), delta(0, "Good morning")];
        assert_eq!(steps(&payloads), [r#"text "Good morning""#]);
    }
}

#[test]
fn a_last_frame_of_other_providers_adds_its_text() {
    let ollama =
        |text: &str, done: bool| json!({"model": "m", "message": {"role": "assistant", "content": text}, "done": done});
    assert_eq!(steps(Format::Ollama, &[ollama("Good ", false), ollama("morning", true)]), [r#"text "Good morning""#]);
    let gemini = |text: &str| json!({"candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}]});
    assert_eq!(steps(Format::Gemini, &[gemini("ha"), gemini("ha")]), [r#"text "haha""#]);
    let bedrock = |text: &str| json!({"contentBlockDelta": {"delta": {"text": text}, "contentBlockIndex": 0}});
    let stop = json!({"messageStop": {"stopReason": "end_turn"}});
    assert_eq!(steps(Format::Bedrock, &[bedrock("ha"), bedrock("ha"), stop]), [r#"text "haha""#]);
}

#[test]
fn an_odd_entry_of_a_list_costs_that_entry() {
    let expected = r#"text "Hm.""#;
    let unreadable = "error unreadable";
    for (odd, lines) in [
        (json!(null), &[expected][..]),
        (json!({}), &[expected]),
        (json!(7), &[unreadable, expected]),
        (json!("x"), &[unreadable, expected]),
        (json!([]), &[unreadable, expected]),
    ] {
        let delta = json!({"content": "Hm."});
        // The text is before the list in the payload, or in another entry of it.
        for (format, payload, is_after) in [
            (Format::OpenAiChat, json!({"choices": [{"delta": {"content": "Hm.", "tool_calls": [odd]}}]}), false),
            (Format::OpenAiChat, json!({"choices": [odd, {"index": 0, "delta": delta}]}), true),
            (Format::Gemini, json!({"candidates": [odd, {"index": 0, "content": {"parts": [{"text": "Hm."}]}}]}), true),
            (Format::Gemini, json!({"candidates": [{"content": {"parts": [odd, {"text": "Hm."}]}}]}), true),
            (
                Format::Ollama,
                json!({"model": "m", "message": {"content": "Hm.", "tool_calls": [odd]}, "done": true}),
                false,
            ),
            (
                Format::Anthropic,
                json!({"type": "message", "role": "assistant", "content": [odd, {"type": "text", "text": "Hm."}]}),
                true,
            ),
            (
                Format::OpenAiResponses,
                json!({"type": "response.completed", "response": {"output": [odd, {"type": "message", "content": [odd, {"type": "output_text", "text": "Hm."}]}]}}),
                true,
            ),
        ] {
            if odd == json!({}) && payload["choices"][0] == odd || payload["candidates"][0] == odd && odd == json!({}) {
                continue; // An entry without an index is the first.
            }
            let mut lines: Vec<&str> = lines.to_vec();
            if !is_after {
                lines.reverse();
            }
            if format == Format::OpenAiResponses && lines.len() > 1 {
                lines.insert(0, unreadable);
            }
            assert_eq!(steps(format, std::slice::from_ref(&payload)), lines, "{payload}");
        }
    }
}

#[test]
fn an_odd_entry_beside_a_call_costs_that_entry() {
    let call = json!({"index": 0, "id": "a", "function": {"name": "ask_followup_question", "arguments": ASKED}});
    for odd in [json!(null), json!({})] {
        let payload = json!({"choices": [{"delta": {"tool_calls": [odd, call, odd]}}]});
        assert_eq!(steps(Format::OpenAiChat, &[payload]), [format!("complete 0 (a){COMPLETE}")]);
    }
    let payload = json!({"choices": [{"delta": {"content": "Hm.", "tool_calls": 7, "function_call": []}}]});
    let expected = [r#"text "Hm.""#, "error unreadable", "error unreadable"];
    assert_eq!(steps(Format::OpenAiChat, &[payload]), expected);
}

#[test]
fn an_odd_entry_that_may_be_a_part_of_a_call_rejects_the_open_one() {
    let chat = |calls: Value| json!({"choices": [{"index": 0, "delta": {"tool_calls": calls}}]});
    let (first, second) = ASKED.split_at(30);
    let start = json!([{"index": 0, "id": "a", "function": {"name": "ask_followup_question", "arguments": first}}]);
    let odd = json!([{"index": 0, "function": "x"}]);
    let more = json!([{"index": 0, "function": {"arguments": second}}]);
    let steps = steps(Format::OpenAiChat, &[chat(start), chat(odd), chat(more)]);
    assert_eq!(steps[0], "error unreadable");
    assert!(steps[1].starts_with("rejected malformed 0 (a)"), "{steps:?}");
}
