//! Limits and budgets of memory, each replica's own, while the store has more.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, relay, replica, snapshot};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Events, call, chat, get, post, read, until};
use crate::memory::metric;
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

async fn push(service: &Service, id: &str, text: &str) {
    post(format!("/conversations?id={id}&wire=text"), text.to_owned()).send(service).await.ok();
}

/// Returns `true` if a replica shows that a message has ended with this text.
async fn is_complete(service: &Service, id: &str, text: &str) -> bool {
    let answer = get(format!("/conversations/{id}")).send(service).await;
    if answer.status != 200 {
        return false;
    }
    let snapshot = answer.json();
    snapshot["turn"] == "ended" && Page::of_snapshot(&snapshot).prose() == text
}

#[tokio::test]
async fn what_a_replica_drops_at_its_limit_is_still_in_the_store() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (full, other) = (replica(&redis.url(), &["--limit-conversations", "1"]), replica(&redis.url(), &[]));
    for index in 0..30 {
        push(&full, &format!("dropped-{index}"), &format!("Text {index}.")).await;
    }
    assert_eq!(get("/healthz").send(&full).await.ok()["conversations"], 1);
    for index in 0..30 {
        let (id, text) = (format!("dropped-{index}"), format!("Text {index}."));
        until(async || is_complete(&other, &id, &text).await).await;
        // The replica that has dropped it loads it again.
        until(async || is_complete(&full, &id, &text).await).await;
    }
}

#[tokio::test]
async fn what_a_replica_drops_beyond_its_memory_is_still_in_the_store() {
    const BUDGET: u64 = 4 << 20;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (full, other) = (replica(&redis.url(), &["--max-memory", &BUDGET.to_string()]), replica(&redis.url(), &[]));
    let text = "All work and no play makes Jack a dull boy. ".repeat(1 << 13);
    for index in 0..20 {
        push(&full, &format!("large-{index}"), &text).await;
        // What was dropped is freed once the store has it.
        until(async || metric(&full, "followup_memory_bytes").await <= BUDGET).await;
    }
    for index in 0..20 {
        let id = format!("large-{index}");
        until(async || is_complete(&other, &id, &text).await).await;
        until(async || is_complete(&full, &id, &text).await).await;
    }
    // What others write is kept only for a while.
    until(async || metric(&full, "followup_memory_bytes").await <= BUDGET).await;
}

/// Relays a message of 1 MiB while the store is away. Returns the name of its conversation.
async fn relay_large(service: &Service) -> String {
    let chunk = json!({"choices": [{"delta": {"content": "word ".repeat(13_000)}}]});
    let body = format!("data: {chunk}\n\n").repeat(16) + "data: [DONE]\n\n";
    let response = chat(&json!({"name": "large", "body": body})).open(&service.address).await;
    assert_eq!(response.status(), 200);
    let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    assert_eq!(read(response).await, body);
    id
}

#[tokio::test]
async fn without_the_store_what_exceeds_the_memory_is_dropped_and_every_message_is_relayed() {
    const BUDGET: u64 = 16 << 20;
    const MESSAGES: usize = 20;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let (full, other) = (replica(&proxy.url(), &["--max-memory", &BUDGET.to_string()]), replica(&redis.url(), &[]));
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&full).await.status == 503).await;
    let mut ids = Vec::new();
    for _ in 0..MESSAGES {
        ids.push(relay_large(&full).await);
        until(async || metric(&full, "followup_memory_bytes").await <= BUDGET).await;
    }
    let dropped = metric(&full, "followup_unstored_total").await as usize;
    assert!((1..MESSAGES).contains(&dropped), "{dropped}");
    let mut here = Vec::new();
    for id in &ids[dropped..] {
        here.push(snapshot(&full, id).await);
    }
    proxy.set(Passing::After(Duration::ZERO));
    for (id, here) in ids[dropped..].iter().zip(here) {
        until(async || get(format!("/conversations/{id}")).send(&other).await.status == 200).await;
        until(async || snapshot(&other, id).await == here).await;
    }
    for id in &ids[..dropped] {
        assert_eq!(get(format!("/conversations/{id}")).send(&other).await.status, 404, "the oldest are dropped");
    }
}

#[tokio::test]
async fn a_message_that_is_dropped_before_its_end_is_stored_is_cut_off_for_readers_elsewhere() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    // The first one is not taken for dead meanwhile.
    let args = ["--lease", "60", "--max-memory", "16000000"];
    let (full, other) = (replica(&proxy.url(), &args), replica(&redis.url(), &args));
    let id = "end-unstored";
    let play = json!({"name": id, "body": body_of("Text."), "at": 60, "gate": id});
    let body = relay(&full, id, &play).await;
    until(async || get(format!("/conversations/{id}")).send(&other).await.status == 200).await;
    until(async || snapshot(&other, id).await["turn"] == "streaming").await;
    let mut events = Events::of(&other, id, None).await;
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&full).await.status == 503).await;
    open_gate(id).await;
    body.await.unwrap();
    assert_eq!(snapshot(&full, id).await["turn"], "ended");
    until(async || {
        relay_large(&full).await;
        get(format!("/conversations/{id}")).send(&full).await.status == 503
    })
    .await;
    proxy.set(Passing::After(Duration::ZERO));
    let end = events.up_to(|event| event.kind == "end").await.pop().unwrap();
    assert_eq!(end.data["cut_off"], true);
    until(async || snapshot(&full, id).await == snapshot(&other, id).await).await;
}

#[tokio::test]
async fn a_replica_whose_conversations_are_all_in_use_refuses_those_of_others() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (full, other) = (replica(&redis.url(), &["--limit-conversations", "1"]), replica(&redis.url(), &[]));
    push(&other, "elsewhere", "Hi").await;
    let id = "in-use-elsewhere";
    let body = relay(&full, id, &asks_and_continues(id)).await;
    until(async || is_asked(&other, id).await).await;
    let refused = get("/conversations/elsewhere/events").send(&full).await;
    assert_eq!(refused.error(), (503, "too_many_conversations".into()));
    open_gate(id).await;
    body.await.unwrap();
    let body = json!({"number": 0, "suggestion": 0}).to_string();
    post(format!("/conversations/{id}/answer"), body).send(&full).await.ok();
    until(async || get("/conversations/elsewhere").send(&full).await.status == 200).await;
}

#[tokio::test]
async fn what_was_dropped_and_then_deleted_elsewhere_is_not_kept_to_be_stored() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let (full, other) = (replica(&proxy.url(), &["--limit-conversations", "1"]), replica(&redis.url(), &[]));
    push(&full, "deleted-elsewhere", "Text.").await;
    until(async || is_complete(&other, "deleted-elsewhere", "Text.").await).await;
    proxy.set(Passing::Cut);
    until(async || get("/readyz").send(&full).await.status == 503).await;
    // It changes, which can't be stored, and is dropped for another one.
    let play = json!({"name": "unstored", "body": body_of("More.")});
    relay(&full, "deleted-elsewhere", &play).await.await.unwrap();
    chat(&play).send(&full).await.ok_body();
    assert_eq!(get("/conversations/deleted-elsewhere").send(&full).await.error(), (503, "store_unavailable".into()));
    assert_eq!(call("DELETE", "/conversations/deleted-elsewhere", "").send(&other).await.status, 204);
    let writes = || redis.calls("evalsha");
    proxy.set(Passing::After(Duration::ZERO));
    until(async || get("/readyz").send(&full).await.status == 200).await;
    // Otherwise its writer asks for it again every 5 ms, and never ends.
    until(async || {
        let before = writes();
        tokio::time::sleep(Duration::from_secs(1)).await;
        writes() - before < 20
    })
    .await;
}

#[tokio::test]
async fn an_answer_needs_no_room_for_a_reader() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--limit-readers", "1"];
    let replicas = [replica(&redis.url(), &args), replica(&redis.url(), &args)];
    let owner = &replicas[0];
    for (index, replica) in replicas.iter().enumerate() {
        let id = format!("read-and-answered-{index}");
        let body = relay(owner, &id, &asks_and_continues(&id)).await;
        until(async || is_asked(replica, &id).await).await;
        let mut events = Events::of(replica, &id, None).await;
        let path = format!("/conversations/{id}/events");
        assert_eq!(get(path).send(replica).await.error(), (503, "too_many_readers".into()));
        answer(replica, &id, &json!({"number": 0, "suggestion": 0})).await.ok();
        events.up_to(|event| event.kind == "replied").await;
        assert_eq!(metric(replica, "followup_readers").await, 1);
        open_gate(&id).await;
        body.await.unwrap();
    }
}

#[tokio::test]
async fn the_list_in_the_store_has_the_latest_up_to_the_limit() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--limit-conversations", "3"];
    let (one, other) = (replica(&redis.url(), &args), replica(&redis.url(), &args));
    let lists = async |service: &Service, id: &str| {
        let all = get("/conversations").send(service).await.ok();
        all["conversations"].as_array().unwrap().iter().any(|one| one["id"] == id)
    };
    for index in 0..8 {
        let id = format!("listed-{index}");
        push([&one, &other][index % 2], &id, "Hi").await;
        until(async || lists(&one, &id).await && lists(&other, &id).await).await;
        // Its last change is in the list before the next one begins.
        until(async || redis.ask(&format!("HGET followup:{{list}}:entries {id}")).contains("ended")).await;
    }
    assert_eq!(redis.ask("ZCARD followup:{list}:changes"), ":3");
    assert_eq!(redis.ask("HLEN followup:{list}:entries"), ":3");
}

#[tokio::test]
async fn an_idle_conversation_ends_in_the_store_too_unless_another_replica_has_a_reader() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--idle", "2"];
    let (owner, other) = (replica(&redis.url(), &args), replica(&redis.url(), &args));
    push(&owner, "read", "Hi").await;
    until(async || get("/conversations/read").send(&other).await.status == 200).await;
    let mut reader = Events::of(&other, "read", None).await;
    reader.next().await.unwrap();
    push(&owner, "unread", "Hi").await;
    // Others end meanwhile, three times as long as a conversation is kept.
    for index in 0..3 {
        let id = format!("meanwhile-{index}");
        push(&owner, &id, "Hi").await;
        until(async || get(format!("/conversations/{id}")).send(&owner).await.status == 404).await;
    }
    assert_eq!(get("/conversations/unread").send(&other).await.status, 404);
    assert_eq!(snapshot(&other, "read").await["turn"], "ended");
    assert_eq!(redis.ask("EXISTS followup:{read}:state"), ":1");
    drop(reader);
    until(async || redis.ask("KEYS *{read}*") == "*0").await;
}

#[tokio::test]
async fn what_has_expired_in_the_store_is_not_taken_for_lost() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let owner = replica(&redis.url(), &["--idle", "2"]);
    // It drops what is idle every 500 ms, so one of these has expired a while before.
    let ids: Vec<String> = (0..4).map(|index| format!("expired-{index}")).collect();
    for id in &ids {
        push(&owner, id, "Hi").await;
        tokio::time::sleep(Duration::from_millis(130)).await;
    }
    // Each message lets the owner compare the conversation with the store.
    let compare = |id: &str| redis.tell(&format!("SPUBLISH followup:{{{id}}}:bell x"));
    let is_stored = |id: &str| redis.ask(&format!("EXISTS followup:{{{id}}}:state")) == ":1";
    for id in &ids {
        until(async || !is_stored(id)).await;
        for _ in 0..10 {
            compare(id);
            tokio::time::sleep(Duration::from_millis(5)).await;
            assert!(!is_stored(id), "{id} was stored again");
        }
    }
    for id in &ids {
        assert_eq!(get(format!("/conversations/{id}")).send(&owner).await.status, 404);
    }
}

/// Returns the ids in the list of conversations.
async fn listed(replica: &Service) -> Vec<Value> {
    let all = get("/conversations").send(replica).await.ok();
    all["conversations"].as_array().unwrap().iter().map(|one| one["id"].clone()).collect()
}

#[tokio::test]
async fn changes_of_the_list_are_seen_after_the_store_has_lost_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    push(&owner, "before-loss", "Hi").await;
    until(async || redis.ask("HGET followup:{list}:entries before-loss").contains("ended")).await;
    assert_eq!(listed(&other).await, ["before-loss"]);
    redis.tell("DEL followup:{list}:entries followup:{list}:changes followup:{list}:ends");
    // More changes than the replica had seen before.
    for index in 0..4 {
        push(&owner, &format!("after-loss-{index}"), "Hi").await;
        until(async || redis.ask(&format!("HGET followup:{{list}}:entries after-loss-{index}")).contains("ended"))
            .await;
    }
    let ids = listed(&other).await;
    for index in 0..4 {
        assert!(ids.contains(&json!(format!("after-loss-{index}"))), "{ids:?}");
    }
}

#[tokio::test]
async fn changes_of_the_list_are_seen_after_the_clock_of_the_store_was_set_back() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    push(&owner, "before", "Hi").await;
    until(async || redis.ask("HGET followup:{list}:entries before").contains("ended")).await;
    // As if the clock had been ahead: the number of this change is later than any time.
    redis.tell("ZADD followup:{list}:changes 9007199254000000 before");
    assert_eq!(listed(&other).await, ["before"]);
    push(&owner, "after", "Hi").await;
    until(async || redis.ask("HGET followup:{list}:entries after").contains("ended")).await;
    assert!(listed(&other).await.contains(&json!("after")));
}

#[tokio::test]
async fn every_key_in_the_store_expires() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = (replica(&redis.url(), &[]), replica(&redis.url(), &[]));
    for id in ["expires", "deleted-expires"] {
        open_gate(id).await;
        relay(&owner, id, &asks_and_continues(id)).await.await.unwrap();
        until(async || is_asked(&other, id).await).await;
        answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    }
    assert_eq!(call("DELETE", "/conversations/deleted-expires", "").send(&owner).await.status, 204);
    // The record of a request is stored a moment after its beginning.
    until(async || redis.ask("KEYS *record*") != "*0").await;
    let all = redis.ask("KEYS *");
    let keys: Vec<_> = all.split("\r\n").filter(|line| line.starts_with("followup:")).collect();
    for kind in [":log", "{expires}:state", "{deleted-expires}:state", ":entries", ":changes", "replica:", "record:"] {
        assert!(keys.iter().any(|key| key.contains(kind)), "{kind} is not one of {keys:?}");
    }
    for key in keys {
        let left = redis.ask(&format!("PTTL {key}"));
        assert!(left[1..].parse::<i64>().unwrap() > 0, "{key}: {left}");
    }
}

#[tokio::test]
async fn a_conversation_that_is_taken_after_its_place_was_filled_is_left_to_others() {
    take_without_room("taken-without-room", false).await;
}

#[tokio::test]
async fn what_is_taken_without_room_is_left_to_others_even_if_the_caller_hangs_up() {
    take_without_room("taken-and-hung-up", true).await;
}

/// Lets a replica take the conversation of a dead one, while its last place is filled.
async fn take_without_room(id: &str, hangs_up: bool) {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let mut owner = replica(&redis.url(), &["--lease", "1"]);
    let full = replica(&proxy.url(), &["--demo", "--limit-conversations", "1"]);
    let _body = relay(&owner, id, &asks_and_continues(id)).await;
    until(async || redis.ask(&format!("HGET followup:{{{id}}}:state turn")).contains("streaming")).await;
    let writer = || redis.ask(&format!("HGET followup:{{{id}}}:state owner"));
    let first = writer();
    // From this the replica learns the time of the store, without which it has to ask twice.
    assert_eq!(call("DELETE", "/conversations/none", "").send(&full).await.status, 404);
    owner.kill();
    // Leases count only a while after a replica has connected.
    tokio::time::sleep(Duration::from_secs(6)).await;
    proxy.set(Passing::After(Duration::from_millis(600)));
    let address = full.address.clone();
    let dismiss = post(format!("/conversations/{id}/dismiss"), "");
    let dismissing = tokio::spawn(async move { dismiss.send_to(&address).await });
    // Before the replica hears of it.
    until(async || writer() != first).await;
    let taken = Instant::now();
    let demo = post("/demo", r#"{"message":"database","delay":60000}"#).send(&full).await.ok();
    if hangs_up {
        // When it has heard of it, and the store not yet that it is given back.
        tokio::time::sleep_until((taken + Duration::from_millis(900)).into()).await;
        dismissing.abort();
    } else {
        let refused = dismissing.await.unwrap();
        assert_eq!(refused.error(), (503, "too_many_conversations".into()), "{demo}");
    }
    // Its turn ends although that replica has no room, and lives.
    let other = replica(&redis.url(), &["--lease", "1"]);
    until(async || snapshot(&other, id).await["turn"] == "cut_off").await;
    assert_eq!(get("/healthz").send(&full).await.ok()["conversations"], 1);
}

#[tokio::test]
async fn conversations_that_were_deleted_take_no_place_in_the_list() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let one = replica(&redis.url(), &["--limit-conversations", "3"]);
    let is_listed =
        async |id: &str| redis.ask(&format!("HGET followup:{{list}}:entries listed-{id}")).contains("ended");
    for id in ["a", "b", "c"] {
        push(&one, &format!("listed-{id}"), "Hi").await;
        until(async || is_listed(id).await).await;
    }
    call("DELETE", "/conversations/listed-b", "").send(&one).await.ok_body();
    push(&one, "listed-d", "Hi").await;
    until(async || is_listed("d").await).await;
    // Another replica knows only what is in the store.
    let other = replica(&redis.url(), &[]);
    let mut all = listed(&other).await;
    all.sort_by_key(Value::to_string);
    assert_eq!(all, ["listed-a", "listed-c", "listed-d"]);
    // What was deleted long ago is forgotten, too.
    for index in 0..20 {
        let id = format!("short-{index}");
        push(&one, &format!("listed-{id}"), "Hi").await;
        until(async || is_listed(&id).await).await;
        call("DELETE", format!("/conversations/listed-{id}"), "").send(&one).await.ok_body();
    }
    let changes: usize = redis.ask("ZCARD followup:{list}:changes")[1..].parse().unwrap();
    assert!(changes <= 6, "{changes}");
}

#[tokio::test]
async fn a_list_whose_changes_the_store_has_lost_shows_what_changes_afterwards() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--limit-conversations", "3"];
    let one = replica(&redis.url(), &args);
    let push_listed = async |id: &str| {
        push(&one, id, "Hi").await;
        until(async || redis.ask(&format!("HGET followup:{{list}}:entries {id}")).contains("ended")).await;
    };
    for id in ["lost-a", "lost-b", "lost-c"] {
        push_listed(id).await;
    }
    redis.tell("DEL followup:{list}:changes");
    for id in ["kept-a", "kept-b", "kept-c"] {
        push_listed(id).await;
    }
    // Another replica knows only what is in the store.
    let all = listed(&replica(&redis.url(), &args)).await;
    // On a slow machine, a conversation from before has been listed anew meanwhile.
    assert!(all.len() == 3 && all.contains(&json!("kept-c")), "{all:?}");
    assert_eq!(redis.ask("HLEN followup:{list}:entries"), ":3");
}

/// A message that asks, and ends with a call that the service corrects. The reply to this counts,
/// too.
fn asks_and_is_corrected(name: &str) -> Value {
    let mut play = asks_and_continues(name);
    let wrong = "<ask_followup_question></ask_followup_question>";
    play["body"] = json!(play["body"].as_str().unwrap().replace(" more.", wrong));
    play
}

#[tokio::test]
async fn an_answer_that_was_accepted_is_given_although_other_replies_have_come_meanwhile() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let owner = replica(&proxy.url(), &["--limit-body", "100000"]);
    let id = "accepted-and-grown";
    let body = relay(&owner, id, &asks_and_is_corrected(id)).await;
    until(async || is_asked(&owner, id).await).await;
    proxy.set(Passing::After(Duration::from_millis(300)));
    let large = json!({"number": 0, "text": "x".repeat(99_970)});
    let (given, ()) = tokio::join!(answer(&owner, id, &large), async {
        // Before the owner hears of it.
        until(async || redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")) == ":1").await;
        open_gate(id).await;
        until(async || snapshot(&owner, id).await["turn"] == "ended").await;
        proxy.set(Passing::After(Duration::ZERO));
    });
    given.ok();
    body.await.unwrap();
}

#[tokio::test]
async fn an_answer_has_to_have_room_when_it_is_claimed() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    for attempt in 0..5 {
        let proxy = TcpProxy::start(redis.port);
        let owner = replica(&proxy.url(), &["--limit-body", "100000"]);
        let id = &*format!("grown-before-claim-{attempt}");
        let body = relay(&owner, id, &asks_and_is_corrected(id)).await;
        until(async || is_asked(&owner, id).await).await;
        // The owner compares the conversation with the store after it has found that the answer has
        // room, and claims the question only after that.
        proxy.set(Passing::After(Duration::from_millis(400)));
        let (bell, before) = (format!("SPUBLISH followup:{{{id}}}:bell x"), redis.calls("xrange"));
        let large = json!({"number": 0, "text": "x".repeat(99_970)});
        let (refused, ()) = tokio::join!(answer(&owner, id, &large), async {
            redis.tell(&bell);
            until(async || redis.calls("xrange") > before).await;
            open_gate(id).await;
            until(async || snapshot(&owner, id).await["turn"] == "ended").await;
        });
        proxy.set(Passing::After(Duration::ZERO));
        body.await.unwrap();
        // On a machine that is busy, it may be claimed before.
        if refused.status == 200 {
            continue;
        }
        assert_eq!(refused.error(), (413, "too_large".into()));
        assert_eq!(redis.ask(&format!("HEXISTS followup:{{{id}}}:state answer:0")), ":0");
        answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await.ok();
        return;
    }
    panic!("the machine is too slow");
}

#[tokio::test]
async fn what_waits_for_the_store_is_counted() {
    const LEN: usize = 2 << 20;
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let replica = replica(&proxy.url(), &["--continue"]);
    let used = async || metric(&replica, "followup_memory_bytes").await as usize;
    // What continues a conversation is its request, which is stored when the turn has ended.
    let relay = async |id: &str, is_away: bool| {
        let mut play = asks_and_continues(id);
        let at = play["body"].as_str().unwrap().len() - "data: [DONE]\n\n".len();
        play["at"] = json!(at);
        let messages = json!([{"role": "user", "content": "x".repeat(LEN)}]);
        let body = json!({"model": "m", "stream": true, "messages": messages, "play": play}).to_string();
        let request = post("/v1/chat/completions", body).with("content-type", "application/json");
        let response = request.with("x-followup-conversation", id).open(&replica.address).await;
        until(async || redis.ask(&format!("XRANGE followup:{{{id}}}:log - +")).contains("more.")).await;
        if is_away {
            // The replies of the store come in order: the replica has heard of this event, and does
            // not wait with it instead of the end.
            assert_eq!(call("DELETE", "/conversations/none", "").send(&replica).await.status, 404);
            proxy.set(Passing::Cut);
            until(async || get("/readyz").send(&replica).await.status == 503).await;
        }
        open_gate(id).await;
        read(response).await;
        until(async || snapshot(&replica, id).await["turn"] == "ended").await;
    };
    let before = used().await;
    relay("counted-stored", false).await;
    until(async || redis.ask("HSTRLEN followup:{counted-stored}:state next")[1..].parse::<usize>().unwrap() > LEN)
        .await;
    // While it is relayed, its bytes count, too.
    until(async || used().await.saturating_sub(before) < 2 * LEN).await;
    let stored = used().await;
    relay("counted-waiting", true).await;
    // It is kept as the first one is, and waits beside that.
    until(async || used().await.saturating_sub(stored) > stored - before + LEN * 9 / 10).await;
    proxy.set(Passing::After(Duration::ZERO));
    until(async || used().await.saturating_sub(stored) < stored - before + LEN / 10).await;
}
