//! The list of conversations as a stream, and what the service says of itself.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::client::{Event, Events, call, chat, get, post, until};
use crate::service::Service;
use crate::upstream::open_gate;

const ASK: &str = "<ask_followup_question><question>Tea?\nOr coffee?</question></ask_followup_question>";

async fn open(service: &Service) -> Events {
    Events::from(get("/conversations/events").open(&service.address).await)
}

/// Returns the next summary of this conversation that matches.
async fn summary(events: &mut Events, id: &str, mut matches: impl FnMut(&Value) -> bool) -> Value {
    let is_it = |event: &Event| event.kind == "conversation" && event.data["id"] == id && matches(&event.data);
    events.up_to(is_it).await.pop().unwrap().data
}

async fn listed(service: &Service) -> Value {
    get("/conversations").send(service).await.ok()["conversations"].clone()
}

#[tokio::test]
async fn the_stream_begins_with_the_list_and_goes_on_with_what_changes() {
    let service = Service::start(&["--heartbeat", "0.02"]);
    post("/conversations?id=first&wire=text", "Hi").send(&service).await.ok();
    let mut events = open(&service).await;
    let list = events.next().await.unwrap();
    assert_eq!((&*list.kind, &list.data["conversations"]), ("list", &listed(&service).await));
    assert_eq!(list.data["service"], get("/info").send(&service).await.ok()["service"]);
    assert_eq!(list.data["conversations"][0].get("title"), None);
    post("/conversations?id=second&wire=text", ASK.repeat(2)).send(&service).await.ok();
    let asked = summary(&mut events, "second", |one| one["turn"] == "ended").await;
    assert_eq!((&asked["title"], &asked["open"]), (&json!("Tea?"), &json!("Tea?\nOr coffee?")));
    assert_eq!((&asked["waiting"], &asked["stopped"]), (&json!(2), &json!(false)));
    assert_eq!(asked, listed(&service).await[0]);
    post("/conversations/second/answer", r#"{"number":0,"text":"Tea"}"#).send(&service).await.ok();
    assert_eq!(summary(&mut events, "second", |one| one["waiting"] == 1).await["open"], asked["open"]);
    post("/conversations/second/dismiss", "").send(&service).await;
    assert_eq!(summary(&mut events, "second", |one| one["waiting"] == 0).await["open"], Value::Null);
    let mistake = "<ask_followup_question></ask_followup_question>";
    post("/conversations?id=second&wire=text", mistake.repeat(3)).send(&service).await.ok();
    assert_eq!(summary(&mut events, "second", |one| one["stopped"] == true).await["title"], "Tea?");
    call("DELETE", "/conversations/first", "").send(&service).await;
    let removed = events.up_to(|event| event.kind == "removed").await.pop().unwrap();
    assert_eq!(removed.data, json!({"id": "first"}));
    events.comment().await;
}

#[tokio::test]
async fn text_changes_nothing_in_the_list_and_changes_at_once_are_one_event() {
    let service = Service::relay(&[]);
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n";
    let play = json!({"body": text, "times": 500, "cut": "100", "at": 25_000, "gate": "list-text"});
    let mut events = open(&service).await;
    events.next().await.unwrap();
    let streaming = chat(&play).with("x-followup-conversation", "text").open(&service.address).await;
    let reading = tokio::spawn(crate::client::read(streaming));
    let started = summary(&mut events, "text", |one| one["turn"] == "streaming").await;
    until(async || get("/conversations/text").send(&service).await.json()["items"][1]["text"].to_string().len() > 2000)
        .await;
    open_gate("list-text").await;
    reading.await.unwrap();
    let more = events.up_to(|event| event.data["turn"] == "ended").await;
    // The beginning of the turn may be told twice.
    assert!(more.len() <= 2 && more.iter().filter(|event| event.data != started).count() == 1, "{more:?}");
    for _ in 0..30 {
        post("/conversations?id=often&wire=text", ASK).send(&service).await.ok();
    }
    let last = listed(&service).await[0].clone();
    let all = events.up_to(|event| event.data == last).await;
    let batches: HashSet<_> = all.iter().map(|event| &event.id).collect();
    assert_eq!(batches.len(), all.len(), "a batch holds one event of each conversation");
}

#[tokio::test]
async fn conversations_that_are_dropped_are_removed_from_the_list() {
    let removed = async |events: &mut Events| events.up_to(|event| event.kind == "removed").await.pop().unwrap().data;
    let service = Service::start(&["--limit-conversations", "1"]);
    post("/conversations?id=one&wire=text", "Hi").send(&service).await.ok();
    let mut events = open(&service).await;
    events.next().await.unwrap();
    post("/conversations?id=two&wire=text", "Hi").send(&service).await.ok();
    assert_eq!(removed(&mut events).await, json!({"id": "one"}), "the limit is reached");
    let service = Service::start(&["--idle", "0.05"]);
    // A turn that streams keeps the conversation until the list is open.
    let (to, pieces) = tokio::sync::mpsc::channel(1);
    let push = post("/conversations?id=idle&wire=text", "").with_pieces(pieces);
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    to.send(Ok("Hi".into())).await.unwrap();
    until(async || get("/conversations/idle").send(&service).await.status == 200).await;
    let mut events = open(&service).await;
    events.next().await.unwrap();
    drop(to);
    pushed.await.unwrap().ok();
    assert_eq!(removed(&mut events).await, json!({"id": "idle"}));
}

#[tokio::test]
async fn the_number_of_readers_of_the_list_is_limited() {
    let service = Service::start(&["--limit-readers", "1"]);
    let one = open(&service).await;
    let refused = get("/conversations/events").send(&service).await;
    assert_eq!(refused.error(), (503, "too_many_readers".into()));
    let metrics = String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    assert!(metrics.contains("followup_list_readers 1\n"), "{metrics}");
    drop(one);
    until(async || get("/conversations/events").open(&service.address).await.status() == 200).await;
    let reserved = post("/conversations?id=events&wire=text", "Hi").send(&service).await;
    assert_eq!(reserved.error(), (400, "bad_id".into()), "its path is that of the list's events");
}

#[tokio::test]
async fn the_service_says_what_it_does_and_not_what_is_secret() {
    let service = Service::start(&["--upstream", "http://127.0.0.1:9/v1?key=secret", "--continue"]);
    let info = get("/info").send(&service).await.ok();
    assert_eq!((&info["upstream"], &info["continue"]), (&json!("http://127.0.0.1:9/v1"), &json!(true)));
    let other = Service::start(&["--demo"]);
    let other = get("/info").send(&other).await.ok();
    assert_eq!((&other["upstream"], &other["demo"]), (&Value::Null, &json!(true)));
    assert_ne!(info["service"], other["service"]);
    let guarded = Service::start(&["--token", "t0ken"]);
    for path in ["/info", "/conversations/events", "/conversations/x/replies"] {
        assert_eq!(get(path).send(&guarded).await.error(), (401, "unauthorized".into()), "{path}");
    }
}

#[tokio::test]
async fn changes_that_are_sent_together_are_in_the_order_in_which_they_happened() {
    let service = Service::start(&[]);
    let mut events = open(&service).await;
    events.next().await.unwrap();
    for index in 10..40 {
        post(format!("/conversations?id=c{index}&wire=text"), "Hi").send(&service).await.ok();
    }
    let all = events.up_to(|event| event.data["id"] == "c39" && event.data["turn"] == "ended").await;
    for two in all.windows(2).filter(|two| two[0].id == two[1].id) {
        assert!(two[0].data["id"].as_str() < two[1].data["id"].as_str(), "{two:?}");
    }
}
