//! Who may change a conversation, when nobody has heard who it is, or who it is has died.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, relay, replica, snapshot, two_replicas};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Events, call, chat, epoch, get, number, post, read, until};
use crate::page::Page;
use crate::pieces;
use crate::service::Service;
use crate::upstream::open_gate;

/// Returns the conversation that gets the next message, which names one.
async fn next_turn(service: &Service, id: &str, name: &str) -> String {
    let play = json!({"name": name, "body": body_of("Hello")});
    let response = chat(&play).with("x-followup-conversation", id).open(&service.address).await;
    let given = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    read(response).await;
    given
}

/// Plays a message that asks, on one replica, and waits until another one shows that it has ended.
async fn asked(owner: &Service, other: &Service, id: &str) {
    open_gate(id).await;
    relay(owner, id, &asks_and_continues(id)).await.await.unwrap();
    until(async || is_asked(other, id).await && snapshot(other, id).await["turn"] == "ended").await;
}

#[tokio::test]
async fn a_replica_that_may_begin_a_turn_and_does_not_hear_of_it_does_not_block_the_conversation() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let (owner, other) = (replica(&redis.url(), &[]), replica(&proxy.url(), &[]));
    let third = replica(&redis.url(), &[]);
    let id = "unheard";
    asked(&owner, &third, id).await;
    // So that this replica knows the time of the store.
    next_turn(&other, "unheard-before", "unheard-0").await;
    redis.tell(&format!("PEXPIRE followup:{{{id}}}:log 60000"));
    let state = format!("followup:{{{id}}}:state");
    let first = redis.ask(&format!("HGET {state} epoch"));
    // The store does what the replica asks for, and the replica does not hear of it.
    proxy.set(Passing::Requests);
    assert_ne!(next_turn(&other, id, "unheard-1").await, id, "the relay does not wait for the store");
    assert_ne!(redis.ask(&format!("HGET {state} epoch")), first);
    assert!(redis.ask(&format!("HGET {state} turn")).contains("reserved:"));
    let left = redis.ask(&format!("PTTL followup:{{{id}}}:log"));
    assert!(left[1..].parse::<u64>().unwrap() > 60_000, "the log is kept as long as the state: {left}");
    proxy.set(Passing::After(Duration::ZERO));
    // It finds out, and could do what the last writer has left to do. It also has the conversation
    // of the request.
    until(async || get("/healthz").send(&other).await.ok()["conversations"] == 3).await;
    until(async || next_turn(&owner, id, "unheard-2").await == id).await;
    until(async || snapshot(&third, id).await["items"].to_string().contains("Hello")).await;
}

#[tokio::test]
async fn a_take_that_the_store_executes_after_its_replica_has_given_up_has_no_effect() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "late";
    asked(&owner, &owner, id).await;
    // So that this replica knows the time of the store.
    next_turn(&other, "late-before", "late-0").await;
    let state = || redis.ask(&format!("HMGET followup:{{{id}}}:state epoch owner turn"));
    // The owner tells the store of the end of its turn after the caller has got it.
    until(async || state().ends_with("ended")).await;
    let before = state();
    redis.signal(Signal::STOP);
    assert_ne!(next_turn(&other, id, "late-1").await, id, "the relay does not wait for the store");
    redis.signal(Signal::CONT);
    // The store has got the take before what makes this replica ready again.
    until(async || get("/readyz").send(&other).await.status == 200).await;
    assert_eq!(state(), before);
    assert_eq!(next_turn(&other, id, "late-2").await, id);
}

#[tokio::test]
async fn a_conversation_in_which_a_request_begins_a_turn_is_not_dropped_meanwhile() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let full = replica(&redis.url(), &["--demo", "--limit-conversations", "2"]);
    let other = replica(&redis.url(), &[]);
    let id = "not-dropped";
    asked(&full, &other, id).await;
    answer(&full, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    get(format!("/conversations/{id}/replies")).send(&full).await.ok();
    post("/conversations?id=newer&wire=text", "Hi").send(&full).await.ok();
    // The request waits for the store. Meanwhile another conversation needs its place, or that of
    // the newer one.
    redis.signal(Signal::STOP);
    let play = asks_and_continues("not-dropped-1");
    let (body, _) = tokio::join!(relay(&full, id, &play), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let demo = post("/demo", r#"{"message":"database","delay":60000}"#).send(&full).await;
        redis.signal(Signal::CONT);
        demo.ok()
    });
    // Its writer is still known: otherwise this would end the turn.
    post(format!("/conversations/{id}/dismiss"), "").send(&full).await.ok_body();
    assert_eq!(snapshot(&full, id).await["turn"], "streaming");
    open_gate("not-dropped-1").await;
    body.await.unwrap();
    until(async || snapshot(&other, id).await["turn"] == "ended").await;
}

#[tokio::test]
async fn of_two_requests_at_once_for_a_conversation_that_is_elsewhere_one_begins_a_turn_in_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let third = replica(&redis.url(), &[]);
    for attempt in 0..5 {
        let id = &*format!("at-once-{attempt}");
        asked(&owner, &third, id).await;
        let send = async |name: &str| {
            let response =
                chat(&asks_and_continues(name)).with("x-followup-conversation", id).open(&other.address).await;
            let given = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
            (given, tokio::spawn(read(response)))
        };
        let gates = [1, 2].map(|gate| format!("{id}-{gate}"));
        // So that both requests find that the conversation is not in the memory of this replica.
        redis.signal(Signal::STOP);
        let stopped = Instant::now();
        let (one, two, took) = tokio::join!(send(&gates[0]), send(&gates[1]), async {
            tokio::time::sleep(Duration::from_millis(300)).await;
            redis.signal(Signal::CONT);
            stopped.elapsed()
        });
        for (gate, body) in gates.iter().zip([one.1, two.1]) {
            open_gate(gate).await;
            body.await.unwrap();
        }
        // A store that is silent for 2 s is taken for one that is away: then neither begins a turn
        // in it.
        if took > Duration::from_millis(1500) {
            continue;
        }
        assert_eq!([&one.0, &two.0].iter().filter(|given| **given == id).count(), 1, "{} and {}", one.0, two.0);
        // The owner tells the store of the end of its turn after the text.
        until(async || {
            let shown = snapshot(&third, id).await;
            shown["turn"] == "ended" && shown["items"].to_string().matches("And more.").count() == 2
        })
        .await;
        return;
    }
    panic!("the machine is too slow");
}

#[tokio::test]
async fn a_writer_that_stores_a_lost_conversation_again_begins_no_turn_in_it_at_first() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "5"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let id = "stored-again";
    asked(&owner, &other, id).await;
    redis.kill();
    redis.restart();
    until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state closed")) == ":1").await;
    // Another replica may have been the newest writer, and comes back soon.
    assert_ne!(next_turn(&owner, id, "stored-again-1").await, id);
    until(async || next_turn(&owner, id, "stored-again-2").await == id).await;
}

#[tokio::test]
async fn the_epoch_of_a_writer_is_not_used_again_after_the_store_has_lost_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, mut other) = two_replicas(&redis.url(), &[]);
    let third = replica(&redis.url(), &[]);
    let id = "epoch-once";
    asked(&owner, &third, id).await;
    let state = format!("followup:{{{id}}}:state");
    let epoch = || redis.ask(&format!("HGET {state} epoch"));
    assert_eq!(next_turn(&other, id, "epoch-once-1").await, id);
    let lost = epoch();
    other.kill();
    redis.tell(&format!("HSET {state} epoch 1 turn ended"));
    assert_eq!(next_turn(&third, id, "epoch-once-2").await, id);
    // Otherwise a reader of the first one would continue with the events of the second.
    assert_ne!(epoch(), lost);
}

#[tokio::test]
async fn a_reader_of_a_deleted_conversation_does_not_resume_in_another_one_with_its_id() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "used-again";
    asked(&owner, &other, id).await;
    let last = snapshot(&other, id).await["last"].as_str().unwrap().to_owned();
    call("DELETE", format!("/conversations/{id}"), "").send(&other).await.ok_body();
    for replica in [&owner, &other] {
        until(async || get(format!("/conversations/{id}")).send(replica).await.status == 404).await;
    }
    // As if what is left of it had expired.
    redis.tell(&format!("DEL followup:{{{id}}}:state"));
    asked(&owner, &other, id).await;
    for replica in [&owner, &other] {
        let first = Events::of(replica, id, Some(&last)).await.next().await.unwrap();
        assert_eq!(first.kind, "state", "it resumes after {last}");
    }
}

#[tokio::test]
async fn a_writer_whose_epoch_another_replica_has_got_again_follows_that() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "same-epoch";
    asked(&owner, &other, id).await;
    let last = snapshot(&owner, id).await["last"].as_str().unwrap().to_owned();
    let next = format!("{}-{}", epoch(&last), number(&last) + 1);
    // As if the store had lost that the owner became the writer, before another replica did.
    let text = r#""{\"text\":\"Theirs.\"}""#;
    redis.tell(&format!("XADD followup:{{{id}}}:log {next} < {last} text {text}"));
    redis.tell(&format!("HSET followup:{{{id}}}:state owner another last {next}"));
    until(async || snapshot(&owner, id).await["items"].to_string().contains("Theirs.")).await;
}

#[tokio::test]
async fn a_reply_that_a_dead_writer_has_accepted_after_its_turn_is_given_soon() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "1"];
    let mut took = Vec::new();
    for attempt in 0..3 {
        let (mut owner, other) = two_replicas(&redis.url(), &args);
        let id = &*format!("died-after-turn-{attempt}");
        asked(&owner, &other, id).await;
        let mut events = Events::of(&other, id, None).await;
        events.up_to(|event| event.kind == "state").await;
        // As if the writer had died between accepting it and giving it.
        owner.kill();
        let reply = r#""{\"action\":{\"cancel\":{\"number\":0}}}""#;
        redis.tell(&format!("HSET followup:{{{id}}}:state answer:0 {reply}"));
        redis.tell(&format!("SPUBLISH followup:{{{id}}}:bell answer"));
        let accepted = Instant::now();
        events.up_to(|event| event.kind == "replied" && event.data["kind"] == "cancelled").await;
        took.push(accepted.elapsed());
        if took[attempt] < Duration::from_secs(4) {
            return;
        }
    }
    panic!("{took:?}");
}

#[tokio::test]
async fn a_server_that_became_a_copy_of_an_empty_one_does_not_end_conversations_for_their_readers() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let Some(empty) = RedisServer::start(&["--repl-diskless-sync-delay", "0"]) else { return };
    // The writer has a lease to store all of them again.
    let args = ["--lease", "3"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let ids: Vec<String> = (0..10).map(|index| format!("copied-{index}")).collect();
    let (mut bodies, mut readers) = (Vec::new(), Vec::new());
    for id in &ids {
        bodies.push(relay(&owner, id, &asks_and_continues(id)).await);
        until(async || is_asked(&other, id).await).await;
        readers.push(Events::of(&other, id, None).await);
    }
    let connected = Instant::now();
    // In the first lease after the store was reached, nothing is taken for gone.
    until(async || connected.elapsed() > Duration::from_secs(4)).await;
    redis.tell(&format!("REPLICAOF 127.0.0.1 {}", empty.port));
    until(async || redis.ask("KEYS *") == "*0").await;
    redis.tell("REPLICAOF NO ONE");
    for ((id, body), reader) in ids.iter().zip(bodies).zip(&mut readers) {
        open_gate(id).await;
        body.await.unwrap();
        let seen = reader.up_to(|event| matches!(&*event.kind, "end" | "gone")).await;
        assert_eq!(seen.last().unwrap().kind, "end", "{id}: {seen:?}");
    }
}

/// Copies what the store has of a conversation from the keys with a prefix to those with another
/// one.
fn copy(redis: &RedisServer, id: &str, from: &str, to: &str) {
    for part in ["log", "state"] {
        redis.tell(&format!("COPY {from}:{{{id}}}:{part} {to}:{{{id}}}:{part} REPLACE"));
    }
}

#[tokio::test]
async fn events_that_their_dead_writer_cannot_add_again_block_no_answer() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "1"];
    let (first, mut last) = two_replicas(&redis.url(), &args);
    let third = replica(&redis.url(), &args);
    let id = "given-up";
    asked(&first, &third, id).await;
    let _reader = Events::of(&third, id, None).await;
    copy(&redis, id, "followup", "saved");
    assert_eq!(next_turn(&last, id, "given-up-1").await, id);
    until(async || snapshot(&third, id).await["items"].to_string().contains("Hello")).await;
    last.kill();
    // A copy was promoted that lacks the last turn, and names the first writer, which lives.
    copy(&redis, id, "saved", "followup");
    until(async || answer(&third, id, &json!({"number": 0, "suggestion": 0})).await.status == 200).await;
    until(async || !snapshot(&third, id).await["items"].to_string().contains("Hello")).await;
}

#[tokio::test]
async fn a_replica_that_connects_again_gives_the_last_writer_another_lease() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    const LEASE: Duration = Duration::from_secs(3);
    let args = ["--lease", "3"];
    for attempt in 0..3 {
        let proxy = TcpProxy::start(redis.port);
        let (mut first, last) = two_replicas(&redis.url(), &args);
        let third = replica(&proxy.url(), &args);
        let id = &*format!("another-lease-{attempt}");
        asked(&first, &third, id).await;
        let mut reader = Events::of(&third, id, None).await;
        copy(&redis, id, "followup", "saved");
        assert_eq!(next_turn(&last, id, &format!("{id}-1")).await, id);
        reader.up_to(|event| event.kind == "end").await;
        until(async || redis.ask(&format!("HGET followup:{{{id}}}:state turn")).contains("ended")).await;
        // A copy was promoted that lacks the last turn, and the last writer can't add it at once.
        last.signal(Signal::STOP);
        first.kill();
        copy(&redis, id, "saved", "followup");
        let lost = Instant::now();
        // The third one finds that, and compares again.
        let has_compared = async |before: u64| until(async || redis.calls("xrange") >= before + 2).await;
        let before = redis.calls("xrange");
        redis.tell(&format!("SPUBLISH followup:{{{id}}}:bell x"));
        has_compared(before).await;
        let found = Instant::now();
        proxy.set(Passing::Cut);
        until(async || get("/readyz").send(&third).await.status == 503).await;
        let is_in_time = lost.elapsed() < LEASE - Duration::from_millis(500);
        tokio::time::sleep_until((found + LEASE).into()).await;
        let (again, before) = (Instant::now(), redis.calls("xrange"));
        proxy.set(Passing::After(Duration::ZERO));
        has_compared(before).await;
        last.signal(Signal::CONT);
        until(async || redis.ask(&format!("XRANGE followup:{{{id}}}:log - +")).contains("Hello")).await;
        // Otherwise it may rightly give up.
        if !is_in_time || again.elapsed() > LEASE - Duration::from_millis(500) {
            continue;
        }
        assert_eq!(next_turn(&last, id, &format!("{id}-2")).await, id);
        let seen = reader.up_to(|event| event.kind == "end").await;
        assert!(seen.iter().all(|event| event.kind != "state"), "the turn was taken from the reader: {seen:?}");
        return;
    }
    panic!("the machine is too slow");
}

#[tokio::test]
async fn a_first_piece_that_is_sent_again_leaves_the_agent_its_conversation() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    let id = "first-piece-again";
    let push = async |service: &Service| pieces::push(service, id, "a", 0, pieces::len(), true).await.ok();
    push(&owner).await;
    relay(&owner, id, &json!({"body": body_of("Hi.")})).await.await.unwrap();
    let request = || redis.ask(&format!("HGET followup:{{{id}}}:state request"));
    until(async || request() != "$-1").await;
    let noted = request();
    for service in [&owner, &other, &other] {
        assert_eq!(push(service).await["turn"], "ended");
        assert_eq!(request(), noted);
    }
    assert_eq!(Page::of_snapshot(&snapshot(&other, id).await).all("turn").len(), 2);
}
