//! A conversation is found again without a header: by what a request shows of it.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Call, chat, get, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

const FORMATS: [&str; 3] = ["openai-chat", "openai-responses", "anthropic"];

/// A request in a format; the test provider plays `play`.
fn ask(format: &str, messages: &Value, play: &Value) -> Call {
    let (path, list) = match format {
        "openai-chat" => ("/v1/chat/completions", "messages"),
        "openai-responses" => ("/v1/responses", "input"),
        _ => ("/v1/messages", "messages"),
    };
    post(path, json!({list: messages, "play": play}).to_string())
}

/// Sends a request. Returns the id of its conversation.
async fn conversation(service: &Service, call: Call) -> String {
    let answer = call.send(service).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("x-followup-conversation").expect("it is a turn").to_owned()
}

async fn turns(service: &Service, id: &str) -> usize {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok()).all("turn").len()
}

/// A message of the model with that text and a call, as the provider sends it.
fn answer(format: &str, text: &str, streamed: bool) -> Value {
    let (name, arguments) = ("read", r#"{"path":"a","line":1.0}"#);
    let input: Value = serde_json::from_str(arguments).unwrap();
    let call = json!({"index": 0, "id": "c", "type": "function", "function": {"name": name, "arguments": arguments}});
    let items = json!([
        {"type": "message", "id": format!("m-{text}"), "role": "assistant", "content": [{"type": "output_text", "text": text}]},
        {"type": "function_call", "id": format!("f-{text}"), "call_id": "c", "name": name, "arguments": arguments},
    ]);
    let response = json!({"id": format!("resp-{text}"), "object": "response", "status": "completed", "output": items});
    let events = match (format, streamed) {
        ("openai-chat", true) => vec![
            json!({"choices": [{"delta": {"role": "assistant", "content": text}}]}),
            json!({"choices": [{"delta": {"tool_calls": [call]}}]}),
        ],
        ("openai-responses", true) => vec![
            json!({"type": "response.output_item.done", "output_index": 0, "item": items[0]}),
            json!({"type": "response.output_item.done", "output_index": 1, "item": items[1]}),
            json!({"type": "response.completed", "response": response}),
        ],
        ("anthropic", true) => vec![
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": text}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c", "name": name, "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": arguments}}),
            json!({"type": "message_stop"}),
        ],
        ("openai-chat", false) => vec![json!({"choices": [{"index": 0, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": text, "tool_calls": [call]}}]})],
        ("openai-responses", false) => vec![response],
        _ => vec![json!({"role": "assistant", "type": "message", "content": [
            {"type": "text", "text": text}, {"type": "tool_use", "id": "c", "name": name, "input": input}]})],
    };
    if !streamed {
        return json!({"body": events[0].to_string(), "type": "application/json"});
    }
    let done = if format == "openai-chat" { "data: [DONE]\n\n" } else { "" };
    let body: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    json!({"body": body + done, "cut": "random:3"})
}

/// The messages with which an agent shows that answer, and the result of the call.
fn shown(format: &str, text: &str, result: &str) -> Vec<Value> {
    // As an agent writes them: in another order, with other ids, with white space.
    let arguments = r#"{ "line": 1, "path": "a" }"#;
    let input: Value = serde_json::from_str(arguments).unwrap();
    match format {
        "openai-chat" => vec![
            json!({"role": "assistant", "content": format!("{text}\n"),
                "tool_calls": [{"id": "own", "type": "function", "function": {"name": "read", "arguments": arguments}}]}),
            json!({"role": "tool", "tool_call_id": "own", "content": result}),
        ],
        "openai-responses" => vec![
            json!({"role": "assistant", "content": [{"type": "output_text", "text": text}]}),
            json!({"type": "function_call", "call_id": "own", "name": "read", "arguments": arguments}),
            json!({"type": "function_call_output", "call_id": "own", "output": result}),
        ],
        _ => vec![
            json!({"role": "assistant", "content": [
                {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}},
                {"type": "tool_use", "id": "own", "name": "read", "input": input}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "own", "content": result}]}),
        ],
    }
}

fn user(text: &str) -> Vec<Value> {
    vec![json!({"role": "user", "content": text})]
}

#[tokio::test]
async fn a_request_that_extends_a_conversation_belongs_to_it() {
    let service = Service::relay(&[]);
    for format in FORMATS {
        for streamed in [true, false] {
            let start = user(&format!("Build {format} {streamed}"));
            let first = conversation(&service, ask(format, &json!(start), &answer(format, "One", streamed))).await;
            let second = [start.clone(), shown(format, "One", "yes")].concat();
            let id = conversation(&service, ask(format, &json!(second), &answer(format, "Two", streamed))).await;
            assert_eq!(id, first, "{format} {streamed}");
            let third = [second.clone(), shown(format, "Two", "no")].concat();
            let id = conversation(&service, ask(format, &json!(third), &answer(format, "Three", streamed))).await;
            assert_eq!((id, turns(&service, &first).await), (first.clone(), 3), "{format} {streamed}");
            // Edits, and answers to what the model has not said, are other conversations.
            let edited = [second.clone(), shown(format, "Two", "yes")].concat();
            let forked = [third.clone(), shown(format, "Four", "yes")].concat();
            let repeated = third.clone();
            let renamed = [user("Build something else"), second[start.len()..].to_vec()].concat();
            for other in [edited, forked, repeated, renamed] {
                let id = conversation(&service, ask(format, &json!(other), &answer(format, "Five", streamed))).await;
                assert_ne!(id, first, "{format} {streamed}: {other:?}");
                assert_eq!(turns(&service, &id).await, 1, "{format} {streamed}: {other:?}");
            }
        }
    }
}

#[tokio::test]
async fn conversations_that_begin_alike_are_told_apart_by_the_answer() {
    let service = Service::relay(&[]);
    let start = user("Hi");
    let mut ids = Vec::new();
    for text in ["Red", "Green", "Blue"] {
        ids.push(conversation(&service, ask("anthropic", &json!(start), &answer("anthropic", text, true))).await);
    }
    for (index, text) in ["Red", "Green", "Blue"].into_iter().enumerate() {
        let next = [start.clone(), shown("anthropic", text, "ok")].concat();
        let id = conversation(&service, ask("anthropic", &json!(next), &answer("anthropic", "Next", true))).await;
        assert_eq!(id, ids[index]);
    }
}

#[tokio::test]
async fn a_long_conversation_is_found_again() {
    let service = Service::relay(&[]);
    let format = "openai-chat";
    let mut all = user(&"A long file. ".repeat(100_000));
    let first = conversation(&service, ask(format, &json!(all), &answer(format, "0", true))).await;
    for index in 0..10 {
        all.extend(shown(format, &index.to_string(), &"x".repeat(10_000)));
        let play = answer(format, &(index + 1).to_string(), index % 2 == 0);
        assert_eq!(conversation(&service, ask(format, &json!(all), &play)).await, first, "{index}");
    }
}

#[tokio::test]
async fn the_header_is_stronger_than_what_a_request_shows() {
    let service = Service::relay(&[]);
    let format = "openai-chat";
    let start = user("Who wins?");
    let first = conversation(&service, ask(format, &json!(start), &answer(format, "One", true))).await;
    let next = json!([start, shown(format, "One", "ok")].concat());
    let named = ask(format, &next, &answer(format, "Two", true)).with("x-followup-conversation", "named");
    assert_eq!(conversation(&service, named).await, "named");
    assert_eq!((turns(&service, &first).await, turns(&service, "named").await), (1, 1));
}

#[tokio::test]
async fn a_conversation_that_the_provider_keeps_is_found_by_its_ids() {
    let service = Service::relay(&[]);
    let format = "openai-responses";
    let first = conversation(&service, ask(format, &json!("Keep it"), &answer(format, "One", true))).await;
    let output = json!([{"type": "function_call_output", "call_id": "c", "output": "ok"}]);
    let next = |previous: &str, text: &str| {
        let body = json!({"previous_response_id": previous, "input": output, "play": answer(format, text, false)});
        post("/v1/responses", body.to_string())
    };
    assert_eq!(conversation(&service, next("resp-One", "Two")).await, first);
    assert_eq!(conversation(&service, next("resp-Two", "Three")).await, first);
    assert_ne!(conversation(&service, next("resp-One", "Four")).await, first, "a fork");
    // An agent may name items instead of sending them.
    let start = user("Name them");
    let first = conversation(&service, ask(format, &json!(start), &answer(format, "Five", true))).await;
    let named = |text: &str| {
        let item = |kind: &str| json!({"type": "item_reference", "id": format!("{kind}-{text}")});
        json!([start.clone(), vec![item("m"), item("f")], output.as_array().unwrap().clone()].concat())
    };
    assert_ne!(conversation(&service, ask(format, &named("Other"), &answer(format, "Six", true))).await, first);
    assert_eq!(conversation(&service, ask(format, &named("Five"), &answer(format, "Six", true))).await, first);
}

#[tokio::test]
async fn a_message_that_was_cut_off_is_answered_in_its_conversation() {
    let service = Service::relay(&[]);
    let format = "openai-chat";
    let start = user("Interrupt me");
    let mut play = answer(format, "A long answer", true);
    (play["at"], play["behave"]) = (json!(40), json!("close"));
    let broken = ask(format, &json!(start), &play).open(&service.address).await;
    let id = broken.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    until(async || get(format!("/conversations/{id}")).send(&service).await.ok()["turn"] == "cut_off").await;
    let next = [start, vec![json!({"role": "assistant", "content": "A lo"})], user("Shorter!")].concat();
    assert_eq!(conversation(&service, ask(format, &json!(next), &answer(format, "Ok", true))).await, id);
}

#[tokio::test]
async fn messages_that_callers_do_not_read_to_the_end_are_told_apart() {
    let service = Service::relay(&[]);
    let format = "openai-chat";
    let start = user("Leave early");
    let mut ids = Vec::new();
    for text in ["Red", "Green", "Blue"] {
        let mut play = answer(format, text, true);
        let body = play["body"].as_str().unwrap().replace("data: [DONE]\n\n", "");
        (play["body"], play["behave"]) = (json!(body), json!("stall"));
        let response = ask(format, &json!(start), &play).open(&service.address).await;
        let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
        let shows_call = async || {
            let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
            let page = Page::of_snapshot(&snapshot);
            page.all("opaque").first().is_some_and(|call| call["raw"].as_str().unwrap().ends_with('}'))
        };
        until(shows_call).await;
        drop(response);
        until(async || get(format!("/conversations/{id}")).send(&service).await.ok()["turn"] == "cut_off").await;
        ids.push(id);
    }
    for (id, text) in ids.iter().zip(["Red", "Green", "Blue"]).rev() {
        let next = json!([start.clone(), shown(format, text, "ok")].concat());
        assert_eq!(conversation(&service, ask(format, &next, &answer(format, "Next", true))).await, *id, "{text}");
    }
}

/// The longest time between a request and the end of the message that it waits for, up to 2 s.
const IN_TIME: Duration = Duration::from_millis(1500);

#[tokio::test]
async fn a_request_that_overlaps_is_a_fork_unless_it_answers_the_message() {
    let service = Service::relay(&[]);
    for named in [false, true] {
        let mut attempts = 0..5;
        while !overlaps(&service, named, attempts.next().expect("the machine is too slow")).await {}
    }
}

/// Sends requests while a message streams. Returns `false` if the machine was too slow for it.
async fn overlaps(service: &Service, named: bool, attempt: u32) -> bool {
    let with_header = |call: Call, id: &str| if named { call.with("x-followup-conversation", id) } else { call };
    let own = format!("overlap-{named}-{attempt}");
    let format = "openai-chat";
    let start = user(&format!("Overlap {named} {attempt}"));
    // Everything has arrived except for the end of the body, and there is no `[DONE]`.
    let mut play = answer(format, "One", true);
    let body = play["body"].as_str().unwrap().replace("data: [DONE]\n\n", "");
    (play["body"], play["gate"]) = (json!(body), json!(own));
    let streaming = with_header(ask(format, &json!(start), &play), &own).open(&service.address).await;
    let id = streaming.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    let mut events = crate::client::Events::of(service, &id, None).await;
    let mut page = Page::default();
    while page.all("opaque").is_empty() {
        page.apply(&events.next().await.unwrap());
    }
    // The same request again answers nothing.
    let again = with_header(ask(format, &json!(start), &answer(format, "Two", true)), &id);
    assert_ne!(conversation(service, again).await, id, "a fork");
    // A request that answers the message waits for its end, and is the next turn.
    let next = json!([start, shown(format, "One", "ok")].concat());
    let mut play = answer(format, "Three", true);
    play["name"] = json!(own);
    let next = with_header(ask(format, &next, &play), &id);
    let (address, sent) = (service.address.clone(), Instant::now());
    let next = tokio::spawn(async move { next.send_to(&address).await });
    until(async || !requests(&own).await.is_empty()).await;
    open_gate(&own).await;
    let is_in_time = sent.elapsed() < IN_TIME;
    let next = next.await.unwrap();
    read(streaming).await;
    if is_in_time {
        assert_eq!(next.header("x-followup-conversation"), Some(&*id), "a turn in order");
        assert_eq!(turns(service, &id).await, 2);
    }
    is_in_time
}

#[tokio::test]
async fn the_last_event_of_a_stream_ends_the_turn_before_the_body_ends() {
    let service = Service::relay(&[]);
    for format in FORMATS {
        let mut play = answer(format, "One", true);
        // The end of the body never comes.
        play["behave"] = json!("stall");
        let streaming = ask(format, &json!(user("Done?")), &play).open(&service.address).await;
        let id = streaming.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
        until(async || get(format!("/conversations/{id}")).send(&service).await.ok()["turn"] == "ended").await;
        let next = json!([user("Done?"), shown(format, "One", "ok")].concat());
        assert_eq!(conversation(&service, ask(format, &next, &answer(format, "Two", true))).await, id, "{format}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_gone_is_not_found() {
    let service = Service::relay(&[]);
    let format = "anthropic";
    let start = user("Forget me");
    let first = conversation(&service, ask(format, &json!(start), &answer(format, "One", true))).await;
    crate::client::call("DELETE", format!("/conversations/{first}"), "").send(&service).await;
    let next = json!([start, shown(format, "One", "ok")].concat());
    assert_ne!(conversation(&service, ask(format, &next, &answer(format, "Two", true))).await, first);
    // Requests that show nothing are conversations of their own.
    let ids = [chat(&json!({"stream": "text-only"})), chat(&json!({"stream": "text-only"}))];
    let [one, two] = ids.map(|call| conversation(&service, call));
    assert_ne!(one.await, two.await);
}

#[tokio::test]
async fn a_message_that_streams_on_does_not_hide_the_end_of_another_one() {
    let service = Service::relay(&[]);
    let mut attempts = 0..5;
    while !streams_on(&service, attempts.next().expect("the machine is too slow")).await {}
}

/// Plays two messages at once. Returns `false` if the machine was too slow for it.
async fn streams_on(service: &Service, attempt: u32) -> bool {
    let first = json!([{"role": "user", "content": format!("Twice {attempt}")}]);
    let own = |name: &str| format!("{name}-{attempt}");
    let open = async |name: &str, text: &str| {
        let body = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
        let play = json!({"body": format!("{body}data: [DONE]\n\n"), "at": body.len(), "gate": own(name)});
        let response = ask("openai-chat", &first, &play).open(&service.address).await;
        let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
        (tokio::spawn(read(response)), id)
    };
    let (one, _) = open("streams-on", "One").await;
    let (two, id) = open("ends", "Two").await;
    let shown = json!([first[0], {"role": "assistant", "content": "Two"}, {"role": "user", "content": "Next"}]);
    let next = ask("openai-chat", &shown, &json!({"name": own("next-of-two"), "stream": "text-only"}));
    let sent = Instant::now();
    let (found, is_in_time) = tokio::join!(conversation(service, next), async {
        until(async || !requests(&own("next-of-two")).await.is_empty()).await;
        open_gate(&own("ends")).await;
        sent.elapsed() < IN_TIME
    });
    open_gate(&own("streams-on")).await;
    one.await.unwrap();
    two.await.unwrap();
    if is_in_time {
        assert_eq!(found, id);
    }
    is_in_time
}
