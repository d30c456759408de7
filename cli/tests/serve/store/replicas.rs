//! What one replica does is seen, answered and continued on another.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, is_end, relay, replica, snapshot};
use crate::client::{Events, call, chat, get, read, soon, until};
use crate::page::Page;
use crate::upstream::{open_gate, requests};

#[tokio::test]
async fn a_reader_on_another_replica_sees_every_event_once() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "seen-elsewhere";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(&other, id).await).await;
    let first = snapshot(&other, id).await["last"].as_str().unwrap().to_owned();
    let (mut here, mut there) = (Events::of(&owner, id, Some("1-0")).await, Events::of(&other, id, Some("1-0")).await);
    open_gate(id).await;
    let (here, there) = (here.up_to(is_end).await, there.up_to(is_end).await);
    assert_eq!(here, there);
    assert_eq!(Page::of(&there), Page::of_snapshot(&snapshot(&owner, id).await));
    // A reader that goes on where it was gets the rest.
    let mut resumed = Events::of(&other, id, Some(&first)).await;
    let seen = there.iter().position(|event| event.id == first).unwrap();
    assert_eq!(resumed.up_to(is_end).await, there[seen + 1..]);
    body.await.unwrap();
    assert_eq!(snapshot(&owner, id).await, snapshot(&other, id).await);
}

#[tokio::test]
async fn an_answer_on_another_replica_counts_once_and_is_seen_on_both() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "answered-elsewhere";
    open_gate(id).await;
    relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&owner, id, None).await;
    let taken = answer(&other, id, &json!({"number": 0, "suggestion": 1})).await.ok();
    assert_eq!(taken["reply"]["text"], "<answer>\nNo\n</answer>");
    assert_eq!(taken["messages"].as_array().unwrap().len(), 1);
    events.up_to(|event| event.kind == "replied" && event.data["said"] == "No").await;
    for replica in [&owner, &other] {
        let late = answer(replica, id, &json!({"number": 0, "suggestion": 0})).await;
        assert_eq!(late.error(), (409, "already_answered".into()));
    }
}

#[tokio::test]
async fn an_answer_on_another_replica_is_given_while_the_model_writes() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &["--continue"]), replica(&redis.url(), &["--continue"]));
    let id = "answered-meanwhile";
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    let body = relay(&owner, id, &play).await;
    until(async || is_asked(&other, id).await).await;
    let wrong = answer(&other, id, &json!({"number": 0, "suggestion": 7})).await;
    assert_eq!(wrong.error(), (422, "no_such_suggestion".into()));
    let taken = answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    assert_eq!((&taken["reply"]["text"], &taken["waiting"]), (&json!("<answer>\nYes\n</answer>"), &json!(0)));
    let late = answer(&owner, id, &json!({"number": 0, "suggestion": 1})).await;
    assert_eq!(late.error(), (409, "already_answered".into()));
    open_gate(id).await;
    body.await.unwrap();
    until(async || Page::of_snapshot(&snapshot(&other, id).await).prose().ends_with("Done.")).await;
    let asked = requests(id).await;
    assert_eq!(asked.len(), 2, "the provider got the answer once");
    assert_eq!(asked[1]["body"]["messages"][2]["content"], "<answer>\nYes\n</answer>");
}

#[tokio::test]
async fn the_replica_that_took_the_answer_continues() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--continue", "--upstream-key", "k"];
    let (mut owner, other) = (replica(&redis.url(), &args), replica(&redis.url(), &args));
    let id = "continued-elsewhere";
    open_gate(id).await;
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    relay(&owner, id, &play).await.await.unwrap();
    until(async || is_asked(&other, id).await).await;
    owner.kill();
    let taken = answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    assert_eq!(taken["continued"], true);
    until(async || Page::of_snapshot(&snapshot(&other, id).await).prose().ends_with("Done.")).await;
    assert_eq!(requests(id).await.len(), 2);
}

#[tokio::test]
async fn a_reader_is_told_when_the_writer_dies_and_its_question_can_be_answered() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "dead-writer";
    drop(relay(&owner, id, &asks_and_continues(id)).await);
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&other, id, None).await;
    let killed = Instant::now();
    owner.kill();
    let end = events.up_to(is_end).await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
    assert!(killed.elapsed() < Duration::from_secs(6), "{:?}", killed.elapsed());
    let taken = answer(&other, id, &json!({"number": 0, "text": "Maybe"})).await.ok();
    assert_eq!(taken["reply"]["text"], "<answer>\nMaybe\n</answer>");
}

#[tokio::test]
async fn a_writer_that_was_paused_too_long_changes_nothing_more() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "1"];
    let (owner, other) = (replica(&redis.url(), &args), replica(&redis.url(), &args));
    let id = "paused-writer";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(&other, id).await).await;
    let (mut at_owner, mut at_other) = (Events::of(&owner, id, None).await, Events::of(&other, id, None).await);
    at_owner.up_to(|event| event.kind == "state").await;
    owner.signal(Signal::STOP);
    let end = at_other.up_to(is_end).await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    owner.signal(Signal::CONT);
    open_gate(id).await;
    // The relay is not disturbed.
    let relayed = soon(body).await.unwrap();
    assert!(relayed.ends_with(b"data: [DONE]\n\n"));
    at_owner.up_to(is_end).await;
    until(async || snapshot(&owner, id).await == snapshot(&other, id).await).await;
    assert!(!Page::of_snapshot(&snapshot(&other, id).await).prose().contains("And more."));
}

#[tokio::test]
async fn without_the_store_the_relay_goes_on_and_everything_is_stored_afterwards() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "store-away";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&owner, id, None).await;
    redis.kill();
    open_gate(id).await;
    let relayed = soon(body).await.unwrap();
    assert!(relayed.ends_with(b"data: [DONE]\n\n"));
    events.up_to(is_end).await;
    let refused = answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(refused.error(), (503, "store_unavailable".into()));
    // A conversation that may be in the store can't be continued, but its request is relayed.
    let play = json!({"name": "named", "body": body_of("Hello")});
    let new = chat(&play).with("x-followup-conversation", "named").open(&owner.address).await;
    assert_ne!(new.headers()["x-followup-conversation"], "named");
    assert!(read(new).await.ends_with(b"data: [DONE]\n\n"));
    redis.restart();
    until(async || {
        let there = get(format!("/conversations/{id}")).send(&other).await;
        there.status == 200 && there.json() == snapshot(&owner, id).await
    })
    .await;
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

#[tokio::test]
async fn a_conversation_is_deleted_everywhere() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "deleted";
    open_gate(id).await;
    relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&owner, id, None).await;
    assert_eq!(call("DELETE", format!("/conversations/{id}"), "").send(&other).await.status, 204);
    events.up_to(|event| event.kind == "gone").await;
    for replica in [&owner, &other] {
        assert_eq!(get(format!("/conversations/{id}")).send(replica).await.status, 404);
    }
    assert_eq!(redis.ask("KEYS *deleted*"), "*0");
}

#[tokio::test]
async fn a_store_that_has_lost_everything_gets_the_events_of_all_writers_again() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = (replica(&redis.url(), &["--lease", "1"]), replica(&redis.url(), &["--lease", "1"]));
    let id = "two-writers";
    drop(relay(&owner, id, &asks_and_continues(id)).await);
    until(async || is_asked(&other, id).await).await;
    let mut events = Events::of(&other, id, None).await;
    owner.kill();
    events.up_to(is_end).await;
    redis.kill();
    redis.restart();
    let third = replica(&redis.url(), &[]);
    until(async || is_asked(&third, id).await).await;
    assert_eq!(snapshot(&third, id).await, snapshot(&other, id).await);
    assert_eq!(answer(&third, id, &json!({"number": 0, "suggestion": 0})).await.ok()["waiting"], 0);
}
