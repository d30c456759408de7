//! The writer of a conversation dies, is paused, or shuts down.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{
    answer, asks_and_continues, body_of, is_asked, is_end, relay, relay_question, replica, snapshot, two_replicas,
};
use crate::client::{Events, chat, get, post, soon, until};
use crate::memory::metric;
use crate::page::Page;
use crate::pieces;
use crate::service::{Service, is_short};
use crate::upstream::{open_gate, requests};

/// How long readers may have to wait after a writer has died, with the lease of 5 s, which is the
/// default.
const MAX_TOLD: Duration = Duration::from_secs(6);

#[tokio::test]
async fn every_reader_is_told_within_six_seconds_when_the_writer_dies_and_its_question_can_be_answered() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let mut told = Vec::new();
    // A busy machine may take longer once.
    while told.last().is_none_or(|told| *told > MAX_TOLD) {
        assert!(told.len() < 3, "{told:?}");
        told.push(told_of_death(&redis, &format!("dead-writer-{}", told.len())).await);
    }
}

/// Returns how long it takes from the death of a writer until every reader is told.
async fn told_of_death(redis: &RedisServer, id: &str) -> Duration {
    let (mut owner, others) = (replica(&redis.url(), &[]), [replica(&redis.url(), &[]), replica(&redis.url(), &[])]);
    let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
    let mut readers = Vec::new();
    for other in &others {
        until(async || is_asked(other, id).await).await;
        for _ in 0..2 {
            let mut events = Events::of(other, id, None).await;
            events.up_to(|event| event.kind == "state").await;
            readers.push(events);
        }
    }
    owner.kill();
    let killed = Instant::now();
    for events in &mut readers {
        let end = events.up_to(is_end).await.pop().unwrap();
        assert_eq!(end.data["cut_off"], true);
    }
    let told = killed.elapsed();
    println!("all readers are told {} ms after their writer was killed", told.as_millis());
    let taken_over = metric(&others[0], "followup_taken_over_total").await;
    // The second one may still take it after the first one has ended the turn.
    assert!(taken_over + metric(&others[1], "followup_taken_over_total").await >= 1);
    let taken = answer(&others[0], id, &json!({"number": 0, "text": "Maybe"})).await.ok();
    assert_eq!(taken["reply"]["text"], "<answer>\nMaybe\n</answer>");
    told
}

/// A writer is paused until it is taken for dead; at full length, for ten seconds with the lease
/// that is the default.
#[tokio::test]
async fn a_writer_that_was_paused_too_long_changes_nothing_more() {
    let (lease, pause) = if is_short() { ("1", Duration::ZERO) } else { ("5", Duration::from_secs(10)) };
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (args, id) = (["--lease", lease], "paused-writer");
    let (owner, other) = two_replicas(&redis.url(), &args);
    let body = relay_question(&owner, id, &other).await;
    let (mut at_owner, mut at_other) = (Events::of(&owner, id, None).await, Events::of(&other, id, None).await);
    at_owner.up_to(|event| event.kind == "state").await;
    owner.signal(Signal::STOP);
    let paused = Instant::now();
    let end = at_other.up_to(is_end).await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    tokio::time::sleep(pause.saturating_sub(paused.elapsed())).await;
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
async fn a_push_whose_replica_was_paused_too_long_is_refused_at_its_end() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "1"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let id = "paused-push";
    let (pieces, body) = tokio::sync::mpsc::channel(2);
    let (push, address) = (post(format!("/conversations?id={id}&wire=text"), ""), owner.address.clone());
    let pushed = tokio::spawn(async move { push.with_pieces(body).send_to(&address).await });
    pieces.send(Ok("Before.".into())).await.unwrap();
    let is_here = async || get(format!("/conversations/{id}")).send(&other).await.status == 200;
    until(async || is_here().await && Page::of_snapshot(&snapshot(&other, id).await).prose() == "Before.").await;
    let mut events = Events::of(&other, id, None).await;
    owner.signal(Signal::STOP);
    let end = events.up_to(is_end).await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
    owner.signal(Signal::CONT);
    pieces.send(Ok("After.".into())).await.unwrap();
    drop(pieces);
    let refused = pushed.await.unwrap();
    assert_eq!(refused.error(), (503, "elsewhere".into()));
    assert!(refused.message().contains("is lost"), "{refused:?}");
    until(async || snapshot(&owner, id).await == snapshot(&other, id).await).await;
    assert_eq!(Page::of_snapshot(&snapshot(&other, id).await).prose(), "Before.");
}

/// A replica dies that has taken an answer for a writer, which was paused and has not heard of it.
async fn answer_and_die(redis: &RedisServer, owner: &Service, mut other: Service, id: &str) {
    owner.signal(Signal::STOP);
    let (address, path) = (other.address.clone(), format!("/conversations/{id}/answer"));
    let body = json!({"number": 0, "suggestion": 1}).to_string();
    let waiting = tokio::spawn(async move { post(path, body).reach(&address).await });
    until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
    other.kill();
    assert!(waiting.await.unwrap().is_none(), "the user is not told that it was accepted");
}

#[tokio::test]
async fn the_writer_gives_an_answer_even_if_the_replica_that_took_it_dies() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "60"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let id = "answered-and-died";
    let body = relay_question(&owner, id, &other).await;
    let mut events = Events::of(&owner, id, None).await;
    events.up_to(|event| event.kind == "state").await;
    answer_and_die(&redis, &owner, other, id).await;
    owner.signal(Signal::CONT);
    events.up_to(|event| event.kind == "replied" && event.data["said"] == "No").await;
    let late = answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(late.error(), (409, "already_answered".into()));
    open_gate(id).await;
    soon(body).await.unwrap();
    events.up_to(is_end).await;
}

#[tokio::test]
async fn the_next_writer_gives_an_answer_if_the_writer_and_the_replica_that_took_it_die() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let start = || replica(&redis.url(), &["--lease", "3"]);
    let (mut owner, other, third) = (start(), start(), start());
    let id = "answered-and-both-died";
    let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
    until(async || is_asked(&other, id).await && is_asked(&third, id).await).await;
    let mut events = Events::of(&third, id, None).await;
    events.up_to(|event| event.kind == "state").await;
    answer_and_die(&redis, &owner, other, id).await;
    owner.kill();
    let (mut is_cut_off, mut is_given) = (false, false);
    events
        .up_to(|event| {
            is_cut_off |= is_end(event) && event.data["cut_off"] == true;
            is_given |= event.kind == "replied" && event.data["said"] == "No";
            is_cut_off && is_given
        })
        .await;
    let late = answer(&third, id, &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(late.error(), (409, "already_answered".into()));
}

/// Starts a replica that waits for no message when it shuts down, and another one.
fn one_that_shuts_down_at_once(redis: &RedisServer) -> (Service, Service) {
    (replica(&redis.url(), &["--grace", "0.2", "--lease", "600"]), replica(&redis.url(), &["--lease", "1"]))
}

/// Shuts a replica down in the middle of a message, and waits until another one has ended it.
async fn shut_down_in_a_message(owner: &mut Service, other: &Service, id: &str) {
    // It breaks off.
    let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
    until(async || is_asked(other, id).await).await;
    let mut events = Events::of(other, id, None).await;
    owner.signal(Signal::TERM);
    assert_eq!(owner.wait(), Some(0));
    let end = events.up_to(is_end).await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
}

#[tokio::test]
async fn a_replica_that_shuts_down_hands_its_conversations_over() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = one_that_shuts_down_at_once(&redis);
    let id = "handed-over";
    shut_down_in_a_message(&mut owner, &other, id).await;
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

#[tokio::test]
async fn a_turn_that_ends_while_its_replica_shuts_down_is_whole_on_others() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = (replica(&redis.url(), &["--grace", "60"]), replica(&redis.url(), &[]));
    let id = "ended-in-grace";
    let body = relay_question(&owner, id, &other).await;
    let mut events = Events::of(&other, id, None).await;
    owner.signal(Signal::TERM);
    until(async || TcpStream::connect(&owner.address).is_err()).await;
    open_gate(id).await;
    assert!(soon(body).await.unwrap().ends_with(b"data: [DONE]\n\n"));
    assert_eq!(owner.wait(), Some(0));
    let end = events.up_to(is_end).await.pop().unwrap();
    assert_ne!(end.data["cut_off"], true);
    assert!(Page::of_snapshot(&snapshot(&other, id).await).prose().ends_with("And more."));
    assert_eq!(metric(&other, "followup_taken_over_total").await, 0);
}

#[tokio::test]
async fn what_ends_while_a_replica_shuts_down_is_told_to_the_list_and_recognized() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let mut owner = replica(&redis.url(), &["--grace", "60"]);
    let (gate, mut bodies) = ("many-ends", Vec::new());
    let ids: Vec<String> = (0..50).map(|index| format!("many-ends-{index}")).collect();
    for id in &ids {
        bodies.push(relay(&owner, id, &asks_and_continues(gate)).await);
    }
    for id in &ids {
        until(async || redis.ask(&format!("HGET followup:{{list}}:entries {id}")).contains("streaming")).await;
    }
    owner.signal(Signal::TERM);
    until(async || TcpStream::connect(&owner.address).is_err()).await;
    open_gate(gate).await;
    for body in bodies {
        soon(body).await.unwrap();
    }
    assert_eq!(owner.wait(), Some(0));
    for id in ids {
        let entry = redis.ask(&format!("HGET followup:{{list}}:entries {id}"));
        assert!(entry.contains("ended"), "{id}: {entry}");
        let records = redis.ask(&format!("HGET followup:{{{id}}}:state records"));
        let key = records.lines().nth(1).and_then(|keys| keys.split(' ').next()).unwrap();
        let record = redis.ask(&format!("GET followup:record:{{{key}}}"));
        // The model's message, by which another replica recognizes the next request.
        assert!(record.contains(r#""known""#), "{id}: {record}");
    }
}

#[tokio::test]
async fn a_turn_that_was_answered_when_its_replica_shut_down_is_continued_once_by_another() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--continue", "--upstream-key", "k"];
    let start = || replica(&redis.url(), &args);
    let (mut owner, others) = (replica(&redis.url(), &[&args[..], &["--grace", "60"]].concat()), [start(), start()]);
    let id = "continued-after-shutdown";
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    let body = relay(&owner, id, &play).await;
    let mut readers = Vec::new();
    for other in &others {
        until(async || is_asked(other, id).await).await;
        readers.push(Events::of(other, id, None).await);
    }
    answer(&others[0], id, &json!({"number": 0, "suggestion": 0})).await.ok();
    owner.signal(Signal::TERM);
    until(async || TcpStream::connect(&owner.address).is_err()).await;
    // A replica that shuts down begins nothing new.
    open_gate(id).await;
    soon(body).await.unwrap();
    assert_eq!(owner.wait(), Some(0));
    for (reader, other) in readers.iter_mut().zip(&others) {
        reader.up_to(|event| event.kind == "text" && event.data["text"].to_string().contains("Done.")).await;
        until(async || snapshot(other, id).await["turn"] == "ended").await;
    }
    assert_eq!(requests(id).await.len(), 2, "the provider got the answer once");
}

#[tokio::test]
async fn a_replica_that_shuts_down_is_not_ready() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = (replica(&redis.url(), &["--grace", "60"]), replica(&redis.url(), &[]));
    let id = "not-ready";
    let body = relay_question(&owner, id, &other).await;
    // A request begins before, and ends afterwards.
    let mut early = TcpStream::connect(&owner.address).unwrap();
    early.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    early.write_all(b"GET /readyz HTTP/1.1\r\n").unwrap();
    assert_eq!(get("/readyz").send(&owner).await.status, 200);
    owner.signal(Signal::TERM);
    until(async || TcpStream::connect(&owner.address).is_err()).await;
    early.write_all(b"host: localhost\r\n\r\n").unwrap();
    let mut response = String::new();
    early.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 503 ") && response.contains(r#""status":"not ready""#), "{response}");
    open_gate(id).await;
    soon(body).await.unwrap();
    assert_eq!(owner.wait(), Some(0));
}

#[tokio::test]
async fn a_replica_that_shuts_down_hands_its_conversations_over_although_the_store_refuses_one() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = one_that_shuts_down_at_once(&redis);
    let refused = "refused-at-the-end";
    open_gate(refused).await;
    relay(&owner, refused, &asks_and_continues(refused)).await.await.unwrap();
    until(async || is_asked(&other, refused).await && snapshot(&other, refused).await["turn"] == "ended").await;
    redis.tell(&format!("SET followup:{{{refused}}}:log x"));
    relay(&owner, refused, &json!({"name": "refused-next", "body": body_of("Hello")})).await.await.unwrap();
    shut_down_in_a_message(&mut owner, &other, "handed-over-nonetheless").await;
}

#[tokio::test]
async fn a_reader_that_comes_when_the_writer_has_died_is_told_when_the_lease_ends() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let mut told = Vec::new();
    // With a lease of 1 s. A busy machine may take longer once.
    while told.last().is_none_or(|told| *told > Duration::from_secs(3)) {
        assert!(told.len() < 3, "{told:?}");
        let args = ["--lease", "1"];
        let (mut owner, other) = two_replicas(&redis.url(), &args);
        let id = &*format!("read-after-death-{}", told.len());
        let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
        until(async || is_asked(&other, id).await).await;
        owner.kill();
        let killed = Instant::now();
        let mut events = Events::of(&other, id, None).await;
        assert_eq!(events.up_to(is_end).await.pop().unwrap().data["cut_off"], true);
        told.push(killed.elapsed());
    }
    println!("a new reader is told {told:?} after the death of the writer");
}

#[tokio::test]
async fn readers_that_come_often_do_not_delay_what_others_are_told_of_a_dead_writer() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let mut told = Vec::new();
    // With a lease of 1 s. A busy machine may take longer once.
    while told.last().is_none_or(|told| *told > MAX_TOLD) {
        assert!(told.len() < 3, "{told:?}");
        let args = ["--lease", "1"];
        let (mut owner, other) = two_replicas(&redis.url(), &args);
        let id = &*format!("read-often-{}", told.len());
        let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
        until(async || is_asked(&other, id).await).await;
        let mut events = Events::of(&other, id, None).await;
        events.up_to(|event| event.kind == "state").await;
        owner.kill();
        let killed = Instant::now();
        let come_often = async {
            loop {
                drop(Events::of(&other, id, None).await);
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        let end = tokio::select! {
            end = events.up_to(is_end) => end,
            () = come_often => unreachable!("it never ends"),
        };
        assert_eq!(end.last().unwrap().data["cut_off"], true);
        told.push(killed.elapsed());
    }
    println!("a reader beside others that come is told {told:?} after the death of the writer");
}

#[tokio::test]
async fn a_replica_that_becomes_the_writer_for_a_piece_continues_what_was_answered() {
    continue_after_a_piece("continued-after-a-piece", async |other, id| {
        assert_eq!(pieces::push(other, id, "late", 40, 80, false).await.error(), (409, "gap".into()));
    })
    .await;
}

#[tokio::test]
async fn a_replica_that_becomes_the_writer_for_a_repeated_piece_continues_what_was_answered() {
    continue_after_a_piece("continued-after-a-repeated-piece", async |other, id| {
        assert_eq!(pieces::push(other, id, "first", 0, 10, true).await.ok()["offset"], 10);
    })
    .await;
}

/// Lets a replica shut down before it continues what was answered, and pushes a piece to another.
async fn continue_after_a_piece(id: &str, push: impl AsyncFn(&Service, &str)) {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--continue", "--upstream-key", "k"];
    let mut owner = replica(&redis.url(), &[&args[..], &["--grace", "60"]].concat());
    // It asks nothing.
    pieces::push(&owner, id, "first", 0, 10, true).await.ok();
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    let body = relay(&owner, id, &play).await;
    until(async || is_asked(&owner, id).await).await;
    answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    owner.signal(Signal::TERM);
    until(async || TcpStream::connect(&owner.address).is_err()).await;
    // A replica that shuts down begins nothing new.
    open_gate(id).await;
    soon(body).await.unwrap();
    assert_eq!(owner.wait(), Some(0));
    let other = replica(&redis.url(), &args);
    push(&other, id).await;
    until(async || snapshot(&other, id).await["items"].to_string().contains("Done.")).await;
    assert_eq!(requests(id).await.len(), 2, "the provider got the answer once");
}
