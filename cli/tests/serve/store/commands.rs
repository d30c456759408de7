//! How much the replicas ask of the store.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, relay, replica, snapshot};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Events, chat, get, post, soon, until};
use crate::page::Page;
use crate::upstream::open_gate;

#[tokio::test]
async fn chunks_without_an_event_tell_the_store_nothing() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "no-events";
    let (pieces, body) = tokio::sync::mpsc::channel(1);
    let (push, address) = (post(format!("/conversations?id={id}&wire=openai-chat"), ""), owner.address.clone());
    let pushed = tokio::spawn(async move { push.with_pieces(body).send_to(&address).await });
    let text = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    pieces.send(Ok(text("Hm.").into())).await.unwrap();
    let is_here = async || get(format!("/conversations/{id}")).send(&other).await.status == 200;
    until(async || is_here().await && Page::of_snapshot(&snapshot(&other, id).await).prose() == "Hm.").await;
    let mut events = Events::of(&other, id, None).await;
    redis.tell("CONFIG RESETSTAT");
    for _ in 0..100 {
        pieces.send(Ok(": waiting\n\n".into())).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    pieces.send(Ok(text(" Tea?").into())).await.unwrap();
    events.up_to(|event| event.data["text"] == " Tea?").await;
    let told = redis.calls("spublish");
    assert!(told < 10, "{told} messages to the other replica");
    drop(pieces);
    pushed.await.unwrap().ok();
}

#[tokio::test]
async fn what_is_told_of_many_conversations_at_once_is_told_together() {
    // So few that a busy machine relays them before the store is taken for one that is away.
    const MANY: usize = 20;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    redis.tell("CONFIG RESETSTAT");
    // The relay does not wait for the store, which then answers all at once.
    redis.signal(Signal::STOP);
    let mut relays = tokio::task::JoinSet::new();
    for _ in 0..MANY {
        let address = owner.address.clone();
        relays.spawn(async move {
            let answer = chat(&json!({"body": body_of("Hi.")})).send_to(&address).await;
            answer.headers["x-followup-conversation"].to_str().unwrap().to_owned()
        });
    }
    let ids = soon(relays.join_all()).await;
    redis.signal(Signal::CONT);
    let entry = |id: &str| redis.ask(&format!("HGET followup:{{list}}:entries {id}"));
    for id in &ids {
        until(async || entry(id).contains("ended")).await;
        until(async || redis.ask(&format!("HGET followup:{{{id}}}:state request")) != "$-1").await;
    }
    // Each change of the list asks for the newest one before it.
    let (changes, scripts) = (redis.calls("zrevrange"), redis.calls("evalsha"));
    // Each conversation has two records.
    assert!(scripts - changes < 2 * MANY as u64, "{scripts} scripts, {changes} of them for the list");
    assert!(changes < MANY as u64 / 2, "{changes} scripts for the list");
    for id in &ids {
        assert_eq!(snapshot(&other, id).await["turn"], "ended");
    }
}

#[tokio::test]
async fn after_a_reconnect_all_conversations_are_watched_again_at_once() {
    // More than are on their way at once. One after another, they take longer than `until` waits.
    const MANY: usize = 80;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let owner = replica(&proxy.url(), &[]);
    for index in 0..MANY {
        post(format!("/conversations?id=watched-{index}&wire=text"), "Hi").send(&owner).await.ok();
    }
    let watched = || redis.ask("PUBSUB SHARDCHANNELS followup:{watched-*").lines().next().unwrap().to_owned();
    until(async || watched() == format!("*{MANY}")).await;
    let connections = redis.connections_of_replicas();
    assert!((1..=2).contains(&connections), "{connections} connections for {MANY} conversations");
    proxy.set(Passing::After(Duration::from_millis(500)));
    redis.tell("CLIENT KILL TYPE pubsub");
    until(async || watched() == "*0").await;
    until(async || watched() == format!("*{MANY}")).await;
}

#[tokio::test]
async fn a_replica_does_not_read_again_what_continues_its_own_conversations() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &["--continue"]), replica(&redis.url(), &["--continue"]));
    let id = "large-request";
    let mut play = asks_and_continues(id);
    play["unused"] = json!("x".repeat(1 << 20));
    let body = relay(&owner, id, &play).await;
    until(async || is_asked(&other, id).await).await;
    open_gate(id).await;
    body.await.unwrap();
    until(async || redis.ask(&format!("HSTRLEN followup:{{{id}}}:state next")).len() > ":999999".len()).await;
    // Nobody reads it on the other replica.
    drop(other);
    redis.tell("CONFIG RESETSTAT");
    for _ in 0..5 {
        let before = redis.calls("evalsha");
        redis.tell(&format!("SPUBLISH followup:{{{id}}}:bell x"));
        until(async || redis.calls("evalsha") > before).await;
    }
    let stats = redis.ask("INFO stats");
    let sent = stats.lines().find_map(|line| line.strip_prefix("total_net_output_bytes:")).unwrap();
    assert!(sent.trim().parse::<u64>().unwrap() < 1 << 20, "{sent} bytes were read");
    // It still continues.
    answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    until(async || snapshot(&owner, id).await["items"].as_array().unwrap().len() > 6).await;
}

/// Makes changes in a list of at most three entries, each group with one script. Returns the ids
/// and the entries that are left, oldest change first.
fn list_after(redis: &RedisServer, name: &str, groups: &[&[(&str, &str)]]) -> Vec<(String, String)> {
    let script = include_str!("../../../../serve/src/shared/scripts/list_set.lua");
    let script = script.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    for changes in groups {
        let changes: String = changes.iter().map(|(id, entry)| format!(" {id} \"{entry}\"")).collect();
        let keys = format!("{name}:entries {name}:changes {name}:ends {name}:bell");
        redis.tell(&format!("EVAL \"{script}\" 4 {keys} 60000 3{changes}"));
    }
    let changed = redis.ask(&format!("ZRANGE {name}:changes 0 -1 WITHSCORES"));
    let values: Vec<&str> = changed.lines().filter(|line| !line.starts_with(['*', '$'])).collect();
    for two in values.chunks(2).collect::<Vec<_>>().windows(2) {
        assert!(two[0][1].parse::<u64>().unwrap() < two[1][1].parse().unwrap(), "{values:?}");
    }
    let entry = |id: &str| redis.ask(&format!("HGET {name}:entries {id}")).lines().nth(1).map(str::to_owned);
    values.chunks(2).filter_map(|change| Some((change[0].to_owned(), entry(change[0])?))).collect()
}

#[test]
fn changes_of_the_list_together_leave_the_same_as_one_by_one() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let all = [("a", "1"), ("b", "1"), ("c", "1"), ("a", "2"), ("d", "1"), ("b", ""), ("e", "1"), ("a", ""), ("x", "")];
    let all = [&all[..], &[("c", "2")]].concat();
    let left = list_after(&redis, "one", &all.chunks(1).collect::<Vec<_>>());
    let expected = [("d", "1"), ("e", "1"), ("c", "2")].map(|(id, entry)| (id.to_owned(), entry.to_owned()));
    assert_eq!(left, expected);
    assert_eq!(list_after(&redis, "together", &[&all]), expected);
    assert_eq!(list_after(&redis, "groups", &all.chunks(4).collect::<Vec<_>>()), expected);
}
