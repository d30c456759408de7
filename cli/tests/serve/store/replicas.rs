//! What one replica does is seen, answered and continued on another.

use std::cell::Cell;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::redis_server::{RedisServer, free_port};
use super::scene::{
    answer, asks_and_continues, body_of, is_asked, is_end, relay, relay_question, relay_whole_question, replica,
    snapshot, two_replicas,
};
use crate::client::{Event, Events, call, chat, get, post, read, soon, until};
use crate::memory::metric;
use crate::page::Page;
use crate::pieces;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

/// A message that asks twice, and then waits until a gate is opened.
fn asks_twice(name: &str) -> Value {
    let question = |text: &str| {
        format!("<ask_followup_question><question>{text}</question><suggest>Yes</suggest></ask_followup_question>")
    };
    let chunk = |text: &str| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": text}}]}));
    let asks = chunk(&format!("{}\n{}\nAnd", question("One?"), question("Two?")));
    let at = asks.len();
    json!({"name": name, "body": asks + &chunk(" more.") + "data: [DONE]\n\n", "at": at, "gate": name})
}

#[tokio::test]
async fn a_reader_on_another_replica_sees_every_event_once() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "seen-elsewhere";
    let body = relay_question(&owner, id, &other).await;
    let first = snapshot(&other, id).await["last"].as_str().unwrap().to_owned();
    let (mut here, mut there) = (Events::from_start(&owner, id).await, Events::from_start(&other, id).await);
    open_gate(id).await;
    let (here, there) = (here.up_to(is_end).await, there.up_to(is_end).await);
    assert_eq!(here, there);
    assert_eq!(Page::of(&there), Page::of_snapshot(&snapshot(&owner, id).await));
    // A reader that resumes gets the rest.
    let mut resumed = Events::of(&other, id, Some(&first)).await;
    let seen = there.iter().position(|event| event.id == first).unwrap();
    assert_eq!(resumed.up_to(is_end).await, there[seen + 1..]);
    body.await.unwrap();
    assert_eq!(snapshot(&owner, id).await, snapshot(&other, id).await);
}

#[tokio::test]
async fn an_answer_on_another_replica_counts_once_and_is_seen_on_both() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "answered-elsewhere";
    relay_whole_question(&owner, id, &other).await;
    let mut events = Events::of(&owner, id, None).await;
    assert_eq!(events.next().await.unwrap().kind, "state");
    let taken = answer(&other, id, &json!({"number": 0, "suggestion": 1})).await.ok();
    assert_eq!(taken["reply"]["text"], "<answer>\nNo\n</answer>");
    assert_eq!(taken["messages"].as_array().unwrap().len(), 1);
    events.up_to(|event| event.kind == "replied" && event.data["said"] == "No").await;
    for replica in [&owner, &other] {
        let late = answer(replica, id, &json!({"number": 0, "suggestion": 0})).await;
        assert_eq!(late.error(), (409, "already_answered".into()));
        assert_eq!(late.json()["error"]["answer"], "No");
    }
}

#[tokio::test]
async fn an_answer_on_another_replica_is_given_while_the_model_writes() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &["--continue"]);
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
    assert_eq!(late.json()["error"]["answer"], "Yes");
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
    let (mut owner, other) = two_replicas(&redis.url(), &args);
    let id = "continued-elsewhere";
    open_gate(id).await;
    let play = json!([asks_and_continues(id), {"name": id, "body": body_of("Done.")}]);
    relay(&owner, id, &play).await.await.unwrap();
    until(async || {
        let there = get(format!("/conversations/{id}")).send(&other).await;
        there.status == 200 && there.json()["turn"] == "ended"
    })
    .await;
    owner.kill();
    let taken = answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    assert_eq!(taken["continued"], true);
    until(async || Page::of_snapshot(&snapshot(&other, id).await).prose().ends_with("Done.")).await;
    assert_eq!(requests(id).await.len(), 2);
}

#[tokio::test]
async fn without_the_store_the_relay_continues_and_everything_is_stored_afterwards() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let args = ["--lease", "5"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let id = "store-away";
    let body = relay_question(&owner, id, &other).await;
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
    // A writer that has not been heard of yet may know more.
    let body = json!({"number": 0, "suggestion": 0});
    assert_eq!(answer(&other, id, &body).await.error(), (503, "store_unavailable".into()));
    until(async || answer(&other, id, &body).await.status == 200).await;
}

#[tokio::test]
async fn a_conversation_is_deleted_everywhere() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "deleted";
    relay_whole_question(&owner, id, &other).await;
    let mut events = Events::of(&owner, id, None).await;
    assert_eq!(call("DELETE", format!("/conversations/{id}"), "").send(&other).await.status, 204);
    events.up_to(|event| event.kind == "gone").await;
    for replica in [&owner, &other] {
        assert_eq!(get(format!("/conversations/{id}")).send(replica).await.status, 404);
    }
    assert_eq!(redis.ask("EXISTS followup:{deleted}:log"), ":0");
    let state = redis.ask("HKEYS followup:{deleted}:state");
    assert!(state.contains("deleted") && !state.contains("dialogue"), "{state}");
}

#[tokio::test]
async fn the_list_shows_the_conversations_of_all_replicas_as_they_change() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let mut list = Events::from(get("/conversations/events").open(&other.address).await);
    assert_eq!(list.next().await.unwrap().data["conversations"], json!([]));
    let id = "listed";
    let body = relay(&owner, id, &asks_and_continues(id)).await;
    let is_ours = |event: &Event| event.kind == "conversation" && event.data["id"] == id;
    list.up_to(|event| is_ours(event) && event.data["open"] == "Sure?").await;
    open_gate(id).await;
    body.await.unwrap();
    list.up_to(|event| is_ours(event) && event.data["turn"] == "ended").await;
    let here = get("/conversations").send(&owner).await.ok();
    assert_eq!(get("/conversations").send(&other).await.ok(), here);
    assert_eq!(here["conversations"][0]["title"], "Hi");
    call("DELETE", format!("/conversations/{id}"), "").send(&owner).await.ok_body();
    list.up_to(|event| event.kind == "removed" && event.data["id"] == id).await;
    assert_eq!(get("/conversations").send(&other).await.ok()["conversations"], json!([]));
}

#[tokio::test]
async fn what_was_deleted_leaves_the_list_although_the_replica_that_did_it_has_died() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (mut owner, other) = two_replicas(&redis.url(), &[]);
    let listed = async || {
        let all = get("/conversations").send(&other).await.ok();
        all["conversations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect::<Vec<_>>()
    };
    let ids = ["deleted-found", "deleted-again"];
    for id in ids {
        open_gate(id).await;
        relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
        until(async || listed().await.contains(&json!(id))).await;
    }
    owner.kill();
    // As if it had died while it deleted both.
    for id in ids {
        redis.tell(&format!("HSET followup:{{{id}}}:state deleted 1"));
    }
    assert_eq!(get(format!("/conversations/{}", ids[0])).send(&other).await.status, 404);
    assert_eq!(listed().await, [ids[1]]);
    assert_eq!(call("DELETE", format!("/conversations/{}", ids[1]), "").send(&other).await.status, 404);
    assert_eq!(listed().await, Vec::<Value>::new());
}

/// Sends an agent's request, which does not name its conversation. Returns the conversation's id.
async fn send(service: &Service, messages: &Value, said: &str) -> String {
    let play = json!({"name": "recognized", "body": body_of(said)});
    let body = json!({"model": "m", "stream": true, "messages": messages, "play": play});
    let request = post("/v1/chat/completions", body.to_string()).with("content-type", "application/json");
    let response = request.open(&service.address).await;
    let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    read(response).await;
    id
}

#[tokio::test]
async fn the_next_request_of_an_agent_is_recognized_by_another_replica() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    recognize_elsewhere(&redis).await;
}

#[tokio::test]
async fn the_next_request_is_recognized_with_a_server_that_keeps_the_slots_of_keys_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (bus, file) = (free_port().to_string(), folder.path().join("nodes.conf"));
    let file = file.to_str().unwrap();
    let args = ["--cluster-enabled", "yes", "--cluster-port", &bus, "--cluster-config-file", file];
    let Some(redis) = RedisServer::start(&args) else { return };
    redis.tell("CLUSTER ADDSLOTSRANGE 0 16383");
    until(async || redis.ask("CLUSTER INFO").contains("cluster_state:ok")).await;
    recognize_elsewhere(&redis).await;
}

/// Sends the first requests of an agent to one replica, and the next one to another.
async fn recognize_elsewhere(redis: &RedisServer) {
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let user = |text: &str| json!({"role": "user", "content": text});
    let model = |text: &str| json!({"role": "assistant", "content": text});
    let first = json!([user("Build a bridge")]);
    let id = send(&owner, &first, "Of stone?").await;
    // The record of a request is stored a moment after its beginning.
    until(async || redis.ask("KEYS *record*") != "*0").await;
    let second = json!([user("Build a bridge"), model("Of stone?"), user("Of wood")]);
    assert_eq!(send(&other, &second, "Done.").await, id);
    // What was said before counts only until the next request.
    let third = json!([user("Build a bridge"), model("Of stone?"), user("Of steel")]);
    assert_ne!(send(&owner, &third, "Done, too.").await, id);
    until(async || Page::of_snapshot(&snapshot(&owner, &id).await).prose() == "Of stone?Done.").await;
}

#[tokio::test]
async fn the_record_of_a_request_is_kept_while_its_conversation_is_read_or_changes() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--idle", "12"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    let record_of = |id: &str| {
        let records = redis.ask(&format!("HGET followup:{{{id}}}:state records"));
        records.lines().nth(1).map(|key| format!("followup:record:{{{}}}", key.split(' ').next().unwrap()))
    };
    let left = |id: &str| redis.ask(&format!("PTTL {}", record_of(id).unwrap()))[1..].parse::<i64>().unwrap();
    let is_kept_longer = async |id: &str, least: Cell<i64>| {
        until(async || left(id) > least.replace(least.get().min(left(id)))).await;
    };
    let ids = ["record-read", "record-changed"];
    for id in ids {
        open_gate(id).await;
        relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
        until(async || is_asked(&other, id).await && record_of(id).is_some()).await;
    }
    // Before the change: the record may be kept longer at once.
    let [read, changed] = ids.map(|id| Cell::new(left(id)));
    answer(&owner, ids[1], &json!({"number": 0, "suggestion": 0})).await.ok();
    let _reader = Events::of(&other, ids[0], None).await;
    tokio::join!(is_kept_longer(ids[0], read), is_kept_longer(ids[1], changed));
}

#[tokio::test]
async fn a_replica_is_ready_while_it_reaches_the_store() {
    let Some(mut redis) = RedisServer::start(&[]) else { return };
    let replica = replica(&redis.url(), &[]);
    let ready = async || get("/readyz").send(&replica).await.status.as_u16();
    assert_eq!(ready().await, 200);
    assert_eq!(metric(&replica, "followup_store").await, 2);
    redis.kill();
    until(async || ready().await == 503).await;
    assert_eq!(metric(&replica, "followup_store").await, 0);
    assert_eq!(get("/healthz").send(&replica).await.status, 200);
    redis.restart();
    until(async || ready().await == 200).await;
}

#[tokio::test]
async fn each_piece_of_a_body_may_be_pushed_to_any_replica_even_if_all_others_die() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let reader = replica(&redis.url(), &[]);
    let whole = pieces::whole(&reader).await;
    let mut writers = [replica(&redis.url(), &[]), replica(&redis.url(), &[])];
    let mut offset = 0;
    while offset < pieces::len() {
        let to = (offset + 40).min(pieces::len());
        let writer = &writers[(offset / 40) % 2];
        pieces::push(writer, "p", "a", offset, to, to == pieces::len()).await.ok();
        offset = to;
        if offset == 120 {
            writers[0].kill();
            writers[0] = replica(&redis.url(), &[]);
        }
    }
    assert_eq!(snapshot(&reader, "p").await["items"], whole);
}

#[tokio::test]
async fn a_piece_that_is_sent_again_to_another_replica_is_skipped_and_a_missing_one_is_named() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let replicas = [replica(&redis.url(), &[]), replica(&redis.url(), &[])];
    let whole = pieces::whole(&replicas[0]).await;
    for (index, from) in (0..pieces::len()).step_by(40).enumerate() {
        let (to, [one, other]) = ((from + 40).min(pieces::len()), [0, 1].map(|offset| &replicas[(index + offset) % 2]));
        let is_last = to == pieces::len();
        for writer in [one, other] {
            assert_eq!(pieces::push(writer, "again", "a", from, to, is_last).await.ok()["offset"], to);
        }
        if !is_last {
            let gap = pieces::push(one, "again", "a", to + 1, pieces::len(), true).await;
            assert_eq!(gap.error(), (409, "gap".into()));
            assert_eq!(gap.json()["error"]["offset"], to);
        }
    }
    for one in &replicas {
        until(async || snapshot(one, "again").await["items"] == whole).await;
    }
}

#[tokio::test]
async fn a_piece_is_refused_by_a_replica_with_other_options_for_reading() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (writer, strict) = (replica(&redis.url(), &[]), replica(&redis.url(), &["--strict"]));
    let whole = pieces::whole(&writer).await;
    pieces::push(&writer, "other-options", "a", 0, 100, false).await.ok();
    let refused = pieces::push(&strict, "other-options", "a", 100, pieces::len(), true).await;
    assert_eq!(refused.error(), (500, "store_unreadable".into()));
    assert_eq!(pieces::push(&writer, "other-options", "a", 100, pieces::len(), true).await.ok()["turn"], "ended");
    until(async || snapshot(&writer, "other-options").await["items"] == whole).await;
}

#[tokio::test]
async fn pieces_that_go_to_two_replicas_in_turn_do_not_wait_for_each_other() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let writers = [replica(&redis.url(), &[]), replica(&redis.url(), &[])];
    let whole = pieces::whole(&writers[0]).await;
    let mut took = Vec::new();
    // Most of them complete no event.
    for (index, from) in (0..pieces::len()).step_by(20).enumerate() {
        let to = (from + 20).min(pieces::len());
        let began = Instant::now();
        pieces::push(&writers[index % 2], "in-turn", "a", from, to, to == pieces::len()).await.ok();
        took.push(began.elapsed());
    }
    // A reservation takes 3 s. If they waited for it, most of them would.
    assert!(took.iter().filter(|took| **took > Duration::from_millis(2500)).count() <= 2, "{took:?}");
    for writer in &writers {
        until(async || snapshot(writer, "in-turn").await["items"] == whole).await;
    }
}

#[tokio::test]
async fn an_agent_that_waits_on_one_replica_gets_the_reply_given_on_another() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let id = "collected-elsewhere";
    relay_whole_question(&owner, id, &other).await;
    let collect = async |replica: &Service, wait: u32| {
        get(format!("/conversations/{id}/replies?wait={wait}")).send(replica).await
    };
    let (collected, ()) = tokio::join!(collect(&owner, 50), async {
        until(async || snapshot(&owner, id).await["turn"] == "ended").await;
        let body = json!({"number": 0, "suggestion": 0});
        until(async || answer(&other, id, &body).await.status == 200).await;
    });
    assert_eq!(collected.ok()["replies"][0]["text"], "<answer>\nYes\n</answer>");
    assert_eq!(collect(&other, 0).await.ok()["last"], 1);
}

#[tokio::test]
async fn an_answer_that_makes_the_replies_of_a_turn_too_large_is_refused_by_every_replica() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--limit-body", "100000"];
    let (owner, other) = two_replicas(&redis.url(), &args);
    for (index, replica) in [&owner, &other].into_iter().enumerate() {
        let id = format!("too-large-{index}");
        let body = relay(&owner, &id, &asks_twice(&id)).await;
        until(async || is_asked(replica, &id).await).await;
        let text = "x".repeat(60_000);
        answer(replica, &id, &json!({"number": 0, "text": text})).await.ok();
        let refused = answer(replica, &id, &json!({"number": 1, "text": text})).await;
        assert_eq!(refused.error(), (413, "too_large".into()));
        // A late answer gets the first one in its error, however large it is.
        let late = answer(replica, &id, &json!({"number": 0, "text": text})).await;
        assert_eq!(late.error(), (409, "already_answered".into()));
        assert!(late.json()["error"]["answer"].is_string(), "{late:?}");
        // The question still waits.
        answer(replica, &id, &json!({"number": 1, "text": "Short"})).await.ok();
        open_gate(&id).await;
        body.await.unwrap();
        assert_eq!(Page::of_snapshot(&snapshot(&owner, &id).await).all("call")[1]["answered"]["said"], "Short");
    }
}

#[tokio::test]
async fn an_agent_is_recognized_after_a_piece_for_its_conversation_was_refused() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    let user = |text: &str| json!({"role": "user", "content": text});
    let id = send(&owner, &json!([user("Build a wall")]), "Of stone?").await;
    until(async || redis.ask("KEYS *record*") != "*0").await;
    until(async || get(format!("/conversations/{id}")).send(&other).await.status == 200).await;
    until(async || snapshot(&other, &id).await["turn"] == "ended").await;
    assert_eq!(pieces::push(&other, &id, "a", 40, 80, false).await.error(), (409, "gap".into()));
    let model = json!({"role": "assistant", "content": "Of stone?"});
    assert_eq!(send(&other, &json!([user("Build a wall"), model, user("Of wood")]), "Of stone?").await, id);
}
