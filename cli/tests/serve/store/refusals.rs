//! What a replica refuses because of another one, or of what the store has.
//!
//! The error is one for people.

use rustix::process::Signal;
use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, relay, relay_question, replica, snapshot, two_replicas};
use crate::client::{Events, call, chat, get, post, read, soon, until};
use crate::page::Page;
use crate::pieces;
use crate::upstream::open_gate;

#[tokio::test]
async fn two_prefixes_on_one_server_see_nothing_of_each_other() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let services = ["one:", "two:"].map(|prefix| replica(&redis.url(), &["--store-prefix", prefix]));
    let id = "same-id";
    for (service, text) in services.iter().zip(["First", "Second"]) {
        relay(service, id, &json!({"name": id, "body": body_of(text)})).await.await.unwrap();
        until(async || snapshot(service, id).await["turn"] == "ended").await;
    }
    for (prefix, text) in [("one:", "First"), ("two:", "Second")] {
        // One that reads all of it from the store.
        let other = replica(&redis.url(), &["--store-prefix", prefix]);
        until(async || get("/conversations").send(&other).await.ok()["conversations"].as_array().unwrap().len() == 1)
            .await;
        // It may load the conversation before all of it is stored.
        until(async || Page::of_snapshot(&snapshot(&other, id).await).prose() == text).await;
    }
    assert_eq!(call("DELETE", format!("/conversations/{id}"), "").send(&services[0]).await.status, 204);
    assert_eq!(Page::of_snapshot(&snapshot(&services[1], id).await).prose(), "Second");
    let all = redis.ask("KEYS *");
    let mut keys = all.split("\r\n").filter(|line| !line.starts_with(['*', '$']));
    assert!(keys.all(|key| key.starts_with("one:") || key.starts_with("two:")), "{all}");
}

#[tokio::test]
async fn what_only_the_writer_of_a_turn_may_do_is_refused_elsewhere_until_the_turn_has_ended() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "written-elsewhere";
    let body = relay_question(&owner, id, &other).await;
    let push = || post(format!("/conversations?id={id}&wire=text"), "More").send(&other);
    let guide = json!({"guide": "Go on"});
    for refused in [push().await, answer(&other, id, &guide).await] {
        assert_eq!(refused.error(), (503, "elsewhere".into()));
        assert_eq!(
            refused.message(),
            "the model is still writing in conversation written-elsewhere, through another replica of the service: \
             try again when the message has ended"
        );
        assert_eq!(refused.header("retry-after"), Some("1"));
    }
    // An agent is not refused: its request gets a conversation of its own.
    let play = json!({"name": "own", "body": body_of("Hello")});
    let own = chat(&play).with("x-followup-conversation", id).open(&other.address).await;
    assert_ne!(own.headers()["x-followup-conversation"], id);
    read(own).await;
    open_gate(id).await;
    body.await.unwrap();
    until(async || push().await.status == 200).await;
}

#[tokio::test]
async fn an_answer_that_its_writer_is_slow_to_give_is_pending_and_given_once() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "60"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let id = "pending";
    let body = relay_question(&owner, id, &other).await;
    owner.signal(Signal::STOP);
    let first = json!({"number": 0, "suggestion": 0});
    let (pending, late) = tokio::join!(answer(&other, id, &first), async {
        until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
        answer(&other, id, &json!({"number": 0, "suggestion": 1})).await
    });
    assert_eq!(pending.error(), (504, "answer_pending".into()));
    assert_eq!(pending.message(), "question 0: the answer was accepted, and takes longer than usual to be given");
    assert_eq!(late.error(), (409, "already_answered".into()));
    let mut events = Events::of(&other, id, None).await;
    owner.signal(Signal::CONT);
    let given = events.up_to(|event| event.kind == "replied").await.pop().unwrap();
    assert_eq!(given.data["said"], "Yes");
    open_gate(id).await;
    soon(body).await.unwrap();
}

#[tokio::test]
async fn a_conversation_of_another_version_is_shown_and_not_changed() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = two_replicas(&redis.url(), &[]);
    let id = "other-version";
    open_gate(id).await;
    relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || {
        let there = get(format!("/conversations/{id}")).send(&other).await;
        there.status == 200 && there.json()["turn"] == "ended"
    })
    .await;
    let shown = snapshot(&owner, id).await;
    owner.kill();
    let script = "local old = redis.call('HGET', KEYS[1], 'dialogue') \
                  return redis.call('HSET', KEYS[1], 'dialogue', (string.gsub(old, '^{.version.:%d+', '{\\\"version\\\":999')))";
    redis.tell(&format!("EVAL \"{script}\" 1 followup:{{{id}}}:state"));
    let third = replica(&redis.url(), &[]);
    let stored = || redis.ask(&format!("HGETALL followup:{{{id}}}:state"));
    let before = stored();
    let refused = post(format!("/conversations/{id}/dismiss"), "").send(&third).await;
    assert_eq!(refused.error(), (500, "store_unreadable".into()));
    assert_eq!(snapshot(&third, id).await["items"], shown["items"]);
    // Both replicas hear of what others do to it.
    until(async || redis.ask(&format!("PUBSUB SHARDNUMSUB followup:{{{id}}}:bell")).ends_with(":2")).await;
    let refused = answer(&third, id, &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(refused.error(), (500, "store_unreadable".into()));
    assert!(refused.message().starts_with("what the store has of the conversation can't be read: "), "{refused:?}");
    let play = json!({"name": "of-its-own", "body": body_of("Hello")});
    let own = chat(&play).with("x-followup-conversation", id).open(&third.address).await;
    assert_ne!(own.headers()["x-followup-conversation"], id);
    assert!(read(own).await.ends_with(b"data: [DONE]\n\n"));
    assert!(before.contains(r#"{"version":999"#), "{before}");
    assert_eq!(stored(), before, "it is left as it was");
    // Another version may write everything in another form.
    redis.tell(&format!("HSET followup:{{{id}}}:state pieces other"));
    let refused = pieces::push(&third, id, "a", 0, 40, false).await;
    assert_eq!(refused.error(), (500, "store_unreadable".into()));
}
