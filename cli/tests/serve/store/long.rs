//! Long conversations: their log is trimmed, and the items are stored beside it.

use std::time::Duration;

use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::redis_server::RedisServer;
use super::scene::{check_seen, is_end, relay, replica, shows, snapshot, two_replicas};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Events, chat, get, number, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

/// A message of many texts. The provider holds back the last ones until a gate is opened.
fn long(name: &str, texts: usize, text: &str, held_back: usize) -> Value {
    let chunk = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let body: String = (0..texts).map(|index| chunk(&format!("{index} {text}"))).collect();
    let rest: String = (texts - held_back..texts).map(|index| chunk(&format!("{index} {text}"))).collect();
    let cut = chunk(text).len().to_string();
    json!({"name": name, "at": body.len() - rest.len(), "body": body + "data: [DONE]\n\n", "gate": name, "cut": cut})
}

/// Relays a long message. Checks that another replica has the same, at its end and before.
async fn is_the_same_elsewhere(redis: &RedisServer, id: &str, play: &Value) {
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let response = chat(play).with("x-followup-conversation", id).open(&owner.address).await;
    let body = tokio::spawn(read(response));
    let last = async |service: &Service| {
        let answer = get(format!("/conversations/{id}")).send(service).await;
        if answer.status == 200 { answer.json()["last"].as_str().map(str::to_owned) } else { None }
    };
    // It has read all but the rest once the last event does not change any more.
    let sent = play["at"].as_u64().unwrap();
    until(async || crate::upstream::sent(id).await >= sent).await;
    until(async || {
        let there = last(&other).await;
        there.is_some() && there == last(&owner).await
    })
    .await;
    let (mut here, mut there) = (Events::of(&owner, id, None).await, Events::of(&other, id, None).await);
    open_gate(id).await;
    let (here, there) = (here.up_to(is_end).await, there.up_to(is_end).await);
    check_seen(&here, &there);
    body.await.unwrap();
    let whole = snapshot(&owner, id).await;
    until(async || snapshot(&other, id).await == whole).await;
    // A replica that has not seen anything of it loads the items and the rest of the log.
    let third = replica(&redis.url(), &[]);
    assert_eq!(snapshot(&third, id).await, whole);
    assert_eq!(Page::of(&there), Page::of_snapshot(&whole));
    // An event that is still in its log can be continued from. Another gives a `state`.
    let end = whole["last"].as_str().unwrap();
    let (epoch, count) = (end.split('-').next().unwrap(), number(end));
    let mut resumed = Events::of(&third, id, Some(&format!("{epoch}-{}", count - 5))).await;
    let rest = resumed.up_to(is_end).await;
    assert_eq!(rest, there[there.len() - 5..]);
    let mut resumed = Events::of(&third, id, Some(&format!("{epoch}-1"))).await;
    let state = resumed.next().await.unwrap();
    assert_eq!((&*state.kind, &state.data), ("state", &whole));
}

/// Checks that the log is shorter than the conversation, and that the items are beside it.
///
/// How much shorter depends on what was written together. However long a conversation is, the log
/// has no more than what was new since the items were stored, up to as much as they had, what was
/// in the buffer of the writer then, and the rest of an entry.
fn is_trimmed(redis: &RedisServer, id: &str, events: usize) {
    let log = format!("followup:{{{id}}}:log");
    let kept = redis.ask(&format!("XRANGE {log} - +")).matches("text\r\n").count();
    let bytes: usize = redis.ask(&format!("MEMORY USAGE {log} SAMPLES 0"))[1..].parse().unwrap();
    println!("{kept} of {events} events, and {bytes} bytes, are in the log");
    assert!(kept < events.min(MAX_EVENTS), "{kept}");
    assert!(bytes < MAX_BYTES, "{bytes}");
    assert_eq!(redis.ask(&format!("HEXISTS followup:{{{id}}}:state view")), ":1");
}

/// What is new since the items were stored (512), the buffer of the writer (1024), and an entry
/// (1000).
const MAX_EVENTS: usize = 512 + 1024 + 1000;

/// As many as the items have (4 MiB, and their names), the buffer of the writer (1 MiB), and an
/// entry (1 MiB).
const MAX_BYTES: usize = 7 << 20;

#[tokio::test]
async fn a_conversation_of_many_events_is_the_same_on_another_replica() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let id = "many-events";
    is_the_same_elsewhere(&redis, id, &long(id, 5000, "word ", 100)).await;
    is_trimmed(&redis, id, 5000);
}

#[tokio::test]
async fn a_conversation_of_many_bytes_is_the_same_on_another_replica() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let id = "many-bytes";
    is_the_same_elsewhere(&redis, id, &long(id, 900, &"many words ".repeat(1000), 20)).await;
    is_trimmed(&redis, id, 900);
}

#[tokio::test]
async fn what_is_long_and_was_written_without_the_store_is_the_same_on_another_replica_afterwards() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    // The owner is not taken for dead meanwhile.
    let args = ["--lease", "60"];
    let (owner, other) = (replica(&proxy.url(), &args), replica(&redis.url(), &args));
    let id = "long-away";
    let body = relay(&owner, id, &long(id, 3000, &"many words ".repeat(50), 2990)).await;
    until(async || shows(&other, id, "many words").await).await;
    let mut events = Events::of(&other, id, None).await;
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&owner).await.status == 503).await;
    open_gate(id).await;
    body.await.unwrap();
    let whole = snapshot(&owner, id).await;
    // Neither all events nor all bytes are in the buffer of the writer any more.
    let prose = Page::of_snapshot(&whole).prose();
    assert!(prose.len() > 1 << 20 && number(whole["last"].as_str().unwrap()) >= 3000);
    assert_ne!(snapshot(&other, id).await["turn"], "ended");
    proxy.set(Passing::After(Duration::ZERO));
    until(async || snapshot(&other, id).await == whole).await;
    let last = &whole["last"];
    let seen = events.up_to(|event| event.id == *last).await;
    assert_eq!(Page::of(&seen), Page::of_snapshot(&whole));
    assert_eq!(snapshot(&replica(&redis.url(), &[]), id).await, whole);
}

/// A server ends the connection of a subscriber that has more than this to read.
const OUTPUT_LIMIT: [&str; 2] = ["--client-output-buffer-limit", "pubsub 6mb 0 0"];

/// Returns how many connections were made to a server.
fn connections(redis: &RedisServer) -> usize {
    let stats = redis.ask("INFO stats");
    let count = stats.split_once("total_connections_received:").unwrap().1;
    count.split("\r\n").next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn many_large_conversations_are_read_in_replies_that_the_server_does_not_refuse() {
    const MANY: usize = 30;
    let Some(redis) = RedisServer::start(&OUTPUT_LIMIT) else { return };
    let proxy = TcpProxy::start(redis.port);
    let (owner, other) = (replica(&redis.url(), &[]), replica(&proxy.url(), &[]));
    let push = async |index: usize, text: &str| {
        let path = format!("/conversations?id=large-{index}&wire=text");
        post(path, text.to_owned()).send(&owner).await.ok();
    };
    let shows =
        async |service: &Service, index: usize, text: &str| shows(service, &format!("large-{index}"), text).await;
    let mut readers = Vec::new();
    for index in 0..MANY {
        push(index, &"many words ".repeat(20_000)).await;
        until(async || shows(&other, index, "many words").await).await;
        readers.push(Events::of(&other, &format!("large-{index}"), None).await);
    }
    let before = connections(&redis);
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&other).await.status == 503).await;
    proxy.set(Passing::After(Duration::ZERO));
    // Everything is compared at once, and on a new replica everything is read at once.
    let third = replica(&redis.url(), &[]);
    let reads = (0..MANY).map(|index| {
        let (address, path) = (third.address.clone(), format!("/conversations/large-{index}"));
        tokio::spawn(async move { get(path).send_to(&address).await.status })
    });
    for read in reads.collect::<Vec<_>>() {
        assert_eq!(read.await.unwrap(), 200);
    }
    for index in 0..MANY {
        push(index, "And more.").await;
        for service in [&other, &third] {
            until(async || shows(service, index, "And more.").await).await;
        }
    }
    let made = connections(&redis) - before;
    assert!(made < 6, "{made} connections were made");
}

#[tokio::test]
async fn many_large_conversations_of_a_dead_writer_are_taken_in_replies_that_the_server_does_not_refuse() {
    const MANY: usize = 40;
    let Some(redis) = RedisServer::start(&OUTPUT_LIMIT) else { return };
    let proxy = TcpProxy::start(redis.port);
    let args = ["--lease", "1"];
    let (mut owner, other) = (replica(&redis.url(), &args), replica(&proxy.url(), &args));
    let mut readers = Vec::new();
    for index in 0..MANY {
        let id = &*format!("large-dead-{index}");
        // The last of these texts is held back, so the message does not end.
        let play = long(id, 21, &"many words ".repeat(1000), 1);
        let response = chat(&play).with("x-followup-conversation", id).open(&owner.address).await;
        // It breaks off.
        tokio::spawn(response.into_body().collect());
        until(async || shows(&other, id, "19 many words").await).await;
        readers.push(Events::of(&other, id, None).await);
    }
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&other).await.status == 503).await;
    owner.kill();
    until(async || redis.ask("KEYS followup:replica:*") == "*0").await;
    let before = connections(&redis);
    proxy.set(Passing::After(Duration::ZERO));
    // All are compared at once, and taken at once.
    for events in &mut readers {
        assert_eq!(events.up_to(is_end).await.pop().unwrap().data["cut_off"], true);
    }
    let made = connections(&redis) - before;
    assert!(made < 5, "{made} connections were made");
}
