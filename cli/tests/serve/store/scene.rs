//! What the tests of the store have in common: replicas, messages, readers.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::redis_server::RedisServer;
use crate::client::{Answer, Event, Events, chat, get, number, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

/// A message that asks, and then continues; the provider holds the rest back until a gate is
/// opened.
pub(super) fn asks_and_continues(name: &str) -> Value {
    let chunk = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let ask = chunk(
        "Hm.\n<ask_followup_question><question>Sure?</question><suggest>Yes</suggest><suggest>No</suggest>\
         </ask_followup_question>\nAnd",
    );
    let at = ask.len();
    json!({"name": name, "body": ask + &chunk(" more.") + "data: [DONE]\n\n", "at": at, "gate": name})
}

pub(super) fn body_of(text: &str) -> Value {
    json!(format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {"content": text}}]})))
}

/// A message of that many texts, one after each pause of some milliseconds. Each holds its time.
pub(super) fn slow_message(texts: u64, pause: u64) -> Value {
    json!({"load": {"events": texts, "pause": pause}})
}

/// The same, but of more texts until the gate of this name is opened.
pub(super) fn slow_message_until_opened(name: &str, texts: u64, pause: u64) -> Value {
    json!({"name": name, "load": {"events": texts, "pause": pause}})
}

/// Starts a replica with the store at this URL.
pub(super) fn replica(url: &str, args: &[&str]) -> Service {
    Service::relay(&[&["--store", url], args].concat())
}

/// Starts two replicas with the store at this URL.
pub(super) fn two_replicas(url: &str, args: &[&str]) -> (Service, Service) {
    (replica(url, args), replica(url, args))
}

/// Relays a request through a replica, in the background.
pub(super) async fn relay(service: &Service, id: &str, play: &Value) -> tokio::task::JoinHandle<hyper::body::Bytes> {
    let response = chat(play).with("x-followup-conversation", id).open(&service.address).await;
    assert_eq!(response.headers()["x-followup-conversation"], id);
    tokio::spawn(read(response))
}

/// Relays a message that [asks and continues](asks_and_continues), until another replica has its
/// question.
pub(super) async fn relay_question(
    owner: &Service,
    id: &str,
    other: &Service,
) -> tokio::task::JoinHandle<hyper::body::Bytes> {
    let body = relay(owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(other, id).await).await;
    body
}

/// The same, with all of the message.
pub(super) async fn relay_whole_question(owner: &Service, id: &str, other: &Service) {
    open_gate(id).await;
    relay_question(owner, id, other).await.await.unwrap();
}

pub(super) async fn snapshot(service: &Service, id: &str) -> Value {
    get(format!("/conversations/{id}")).send(service).await.ok()
}

/// Returns whether a replica has the conversation, with this text in its state.
pub(super) async fn shows(service: &Service, id: &str, text: &str) -> bool {
    let there = get(format!("/conversations/{id}")).send(service).await;
    there.status == 200 && memchr::memmem::find(&there.body, text.as_bytes()).is_some()
}

pub(super) async fn is_asked(service: &Service, id: &str) -> bool {
    let answer = get(format!("/conversations/{id}")).send(service).await;
    answer.status == 200 && Page::of_snapshot(&answer.json()).all("call").iter().any(|call| call["open"] == true)
}

pub(super) async fn answer(service: &Service, id: &str, body: &Value) -> Answer {
    post(format!("/conversations/{id}/answer"), body.to_string()).send(service).await
}

pub(super) fn is_end(event: &Event) -> bool {
    event.kind == "end"
}

/// Lets the copy of a primary miss what the provider says after the question, and kills the
/// primary.
///
/// The copy is not promoted yet when this returns. Returns what the reader on another replica saw
/// of the rest.
pub(super) async fn lose_the_tail(
    primary: &mut RedisServer,
    copy: &RedisServer,
    id: &str,
    there: &mut Events,
) -> Vec<Event> {
    // Only in a cluster a copy has to be asked to be read; others refuse this.
    let log_of_copy = || copy.ask(&format!("READONLY\r\nXRANGE followup:{{{id}}}:log - +"));
    until(async || log_of_copy().contains("Sure?")).await;
    // The primary drops the copy, so that nothing more is on its way, and the copy can't come back.
    copy.signal(Signal::STOP);
    assert_eq!(primary.ask("CLIENT KILL TYPE replica"), ":1");
    open_gate(id).await;
    // A reader elsewhere sees all of it, so it is in the primary, and the owner has nothing left to
    // write.
    let seen = there.up_to(is_end).await;
    primary.kill();
    copy.signal(Signal::CONT);
    let log = log_of_copy();
    assert!(log.contains("Sure?") && !log.contains("more."), "the copy lacks the tail, and nothing else: {log}");
    assert!(copy.ask("ROLE").contains("slave"), "the owner can't have added anything yet");
    seen
}

/// Checks that two readers saw the same, each event once and in order, with nothing missing.
///
/// Where they begin with a `state`, or get one, it may be another one.
#[track_caller]
pub(super) fn check_seen(one: &[Event], other: &[Event]) {
    let rest =
        |seen: &[Event]| seen.len() - seen.iter().rposition(|event| event.kind == "state").map_or(0, |at| at + 1);
    let common = rest(one).min(rest(other));
    assert_eq!(one[one.len() - common..], other[other.len() - common..]);
    assert_eq!(Page::of(one), Page::of(other));
    for two in one.windows(2).chain(other.windows(2)) {
        let is_next = number(&two[1].id) == number(&two[0].id) + 1;
        assert!(is_next || two[1].kind == "state", "{} does not follow {}", two[1].id, two[0].id);
    }
}
