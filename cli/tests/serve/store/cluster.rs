//! The store is a cluster.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::redis_cluster::RedisCluster;
use super::redis_server::RedisServer;
use super::scene::{
    answer, asks_and_continues, check_seen, is_asked, is_end, lose_the_tail, relay, relay_question,
    relay_whole_question, replica, slow_message_until_opened, snapshot, two_replicas,
};
use super::troubles::documented_rights;
use crate::client::{Events, call, chat, get, number, soon, until};
use crate::memory::metric;
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

#[tokio::test]
async fn replicas_share_conversations_through_a_cluster() {
    let Some(store) = RedisCluster::start().await else { return };
    let (owner, other) = two_replicas(&store.url(), &[]);
    for id in (0..12).map(|index| format!("cluster-{index}")) {
        let id = &*id;
        let body = relay_question(&owner, id, &other).await;
        let mut here = Events::from_start(&owner, id).await;
        let mut there = Events::from_start(&other, id).await;
        // Some are answered while the model writes, and some afterwards.
        if id.ends_with('3') {
            answer(&other, id, &json!({"number": 0, "suggestion": 1})).await.ok();
        }
        open_gate(id).await;
        check_seen(&there.up_to(is_end).await, &here.up_to(is_end).await);
        body.await.unwrap();
        if !id.ends_with('3') {
            answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
        }
        let late = answer(&owner, id, &json!({"number": 0, "suggestion": 0})).await;
        assert_eq!(late.error(), (409, "already_answered".into()));
    }
    for node in 0..6 {
        let all = store.nodes[node].connections_of_replicas();
        println!("{all} connections of two replicas to node {node}");
        assert!(all <= 4, "{all} connections of two replicas: {}", store.nodes[node].ask("CLIENT LIST"));
    }
}

/// Prints how long after the promotion events flow again.
///
/// Mostly it is 0.3 s. The goal is 2 s, which a busy machine may miss.
pub(super) fn flows_again(promoted: Instant) {
    let pause = promoted.elapsed();
    println!("events flow again {} ms after the promotion", pause.as_millis());
    assert!(pause < Duration::from_secs(10), "{pause:?}");
}

#[tokio::test]
async fn messages_arrive_again_after_a_primary_of_a_cluster_is_lost() {
    let Some(mut store) = RedisCluster::start().await else { return };
    let (owner, other) = two_replicas(&store.url(), &[]);
    let id = "cluster-failover";
    let body = relay(&owner, id, &slow_message_until_opened(id, 100, 25)).await;
    let mut here = Events::from_start(&owner, id).await;
    let mut there = Events::from_start(&other, id).await;
    let mut seen = there.up_to(|event| number(&event.id) >= 20).await;
    let lost = store.primary_of(id);
    store.replace_soon();
    store.nodes[lost].kill();
    store.promoted(lost).await;
    let promoted = Instant::now();
    // What was on its way is not an event after the promotion.
    let written = snapshot(&owner, id).await["last"].as_str().unwrap().to_owned();
    seen.extend(there.up_to(|event| event.id == written).await);
    flows_again(promoted);
    open_gate(id).await;
    seen.extend(there.up_to(is_end).await);
    check_seen(&seen, &here.up_to(is_end).await);
    body.await.unwrap();
    // Other conversations on the same node: messages arrive there, too.
    let mut took = Vec::new();
    for id in store.ids_on(lost, "cluster-after").take(3) {
        let id = &*id;
        relay_whole_question(&owner, id, &other).await;
        let mut events = Events::of(&owner, id, None).await;
        events.up_to(|event| event.kind == "state").await;
        let asked = Instant::now();
        answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
        events.up_to(|event| event.kind == "replied").await;
        took.push(asked.elapsed());
        assert_eq!(snapshot(&owner, id).await, snapshot(&other, id).await);
    }
    println!("an answer is seen after {took:?}");
    // A message, and not a comparison every 5 s, tells of it. A busy machine may slow some down.
    assert!(took.iter().min() < Some(&Duration::from_secs(2)), "{took:?}");
}

#[tokio::test]
async fn a_cluster_is_found_again_through_servers_that_the_address_does_not_have() {
    let Some(mut store) = RedisCluster::start().await else { return };
    let lost = 1;
    let url = format!("redis+cluster://127.0.0.1:{}", store.nodes[lost].port);
    let (owner, other) = (replica(&url, &[]), replica(&url, &[]));
    let id = &*store.ids_on(lost, "cluster-address").next().unwrap();
    let body = relay_question(&owner, id, &other).await;
    store.nodes[lost].kill();
    // Both find that the shard is silent, and connect anew.
    for service in [&owner, &other] {
        until(async || readiness(service).await == (200, "degraded".into())).await;
    }
    store.promote(lost).await;
    for service in [&owner, &other] {
        until(async || readiness(service).await == (200, "up".into())).await;
    }
    open_gate(id).await;
    body.await.unwrap();
    until(async || snapshot(&other, id).await == snapshot(&owner, id).await).await;
    answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

#[tokio::test]
async fn a_stream_that_paused_while_its_primary_was_lost_flows_again() {
    let Some(mut store) = RedisCluster::start().await else { return };
    let (owner, other) = two_replicas(&store.url(), &[]);
    let id = "cluster-paused";
    let body = relay_question(&owner, id, &other).await;
    let mut there = Events::of(&other, id, None).await;
    let lost = store.primary_of(id);
    store.nodes[lost].kill();
    store.promote(lost).await;
    let promoted = Instant::now();
    open_gate(id).await;
    there.up_to(is_end).await;
    flows_again(promoted);
    body.await.unwrap();
}

#[tokio::test]
async fn the_owner_adds_what_the_promoted_copy_of_a_node_lacks() {
    let Some(mut store) = RedisCluster::start().await else { return };
    let (owner, other) = two_replicas(&store.url(), &[]);
    let id = "cluster-lost-tail";
    let body = relay_question(&owner, id, &other).await;
    let mut here = Events::from_start(&owner, id).await;
    let mut there = Events::from_start(&other, id).await;
    let lost = store.primary_of(id);
    let (primaries, copies) = store.nodes.split_at_mut(3);
    let seen = lose_the_tail(&mut primaries[lost], &copies[lost], id, &mut there).await;
    store.promote(lost).await;
    soon(body).await.unwrap();
    check_seen(&seen, &here.up_to(is_end).await);
    // A replica that knows nothing of it finds everything.
    let third = replica(&store.url(), &[]);
    until(async || is_asked(&third, id).await && snapshot(&third, id).await == snapshot(&owner, id).await).await;
}

/// Returns the keys of the leases that a node has.
fn leases(node: &RedisServer) -> Vec<String> {
    let all = node.ask("KEYS followup:replica:*");
    all.lines().filter(|line| line.starts_with("followup:")).map(str::to_owned).collect()
}

#[tokio::test]
async fn a_replica_lives_although_one_node_has_lost_its_lease() {
    let Some(store) = RedisCluster::start().await else { return };
    let args = ["--lease", "3"];
    let owner = replica(&store.url(), &args);
    // The first of its keys is the shortest.
    let found = store.nodes[..3].iter().flat_map(|node| leases(node).into_iter().map(move |key| (node, key)));
    let (node, lease) = found.min_by_key(|(_, key)| key.len()).unwrap();
    let other = replica(&store.url(), &args);
    let id = "cluster-lease";
    let body = relay_question(&owner, id, &other).await;
    let mut there = Events::of(&other, id, None).await;
    let asked = || {
        let calls = node.ask("INFO commandstats");
        let calls = calls.split_once("cmdstat_exists:calls=").map_or("0", |(_, rest)| rest);
        calls.split(',').next().unwrap().parse::<u64>().unwrap()
    };
    // As if the node had been silent for a lease, and answered others before the owner could renew
    // it.
    let (before, taken) = (asked(), async || metric(&other, "followup_taken_over_total").await);
    until(async || {
        node.tell(&format!("DEL {lease}"));
        asked() > before + 2 || taken().await > 0
    })
    .await;
    assert_eq!(taken().await, 0);
    open_gate(id).await;
    let end = there.up_to(is_end).await.pop().unwrap();
    assert_ne!(end.data["cut_off"], true);
    body.await.unwrap();
    assert_eq!(taken().await, 0);
}

/// Returns the status of a replica's readiness, and what it says of the store.
async fn readiness(service: &Service) -> (u16, String) {
    let ready = get("/readyz").send(service).await;
    (ready.status.as_u16(), ready.json()["store"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn conversations_on_other_shards_are_answered_while_one_is_silent() {
    let Some(store) = RedisCluster::start().await else { return };
    let args = ["--lease", "5"];
    let (owner, other) = two_replicas(&store.url(), &args);
    // The shard that has the list of conversations.
    let silent = store.primary_of("list");
    let lost = store.ids_on(silent, "silent-shard").next().unwrap();
    let others: Vec<String> = store.ids_on((silent + 1) % 3, "other-shard").take(3).collect();
    let mut bodies = Vec::new();
    for id in others.iter().chain([&lost]) {
        bodies.push(relay(&owner, id, &asks_and_continues(id)).await);
        until(async || is_asked(&other, id).await).await;
    }
    assert_eq!(readiness(&other).await, (200, "up".into()));
    store.nodes[silent].signal(Signal::STOP);
    let first = json!({"number": 0, "suggestion": 0});
    for (service, id) in [(&owner, &others[0]), (&other, &others[1])] {
        let refused = answer(service, &lost, &first).await;
        assert_eq!(refused.error(), (503, "store_unavailable".into()));
        assert_eq!(readiness(service).await, (200, "degraded".into()));
        assert_eq!(metric(service, "followup_store").await, 1);
        // A machine that is busy may delay the other shards, too.
        until(async || {
            let answered = answer(service, id, &first).await;
            answered.status == 200 || answered.error() != (503, "store_unavailable".into())
        })
        .await;
        assert_eq!(Page::of_snapshot(&snapshot(service, id).await).all("call")[0]["answered"]["said"], "Yes");
    }
    let deleted = call("DELETE", format!("/conversations/{}", others[2]), "").send(&other).await;
    assert_eq!(deleted.status, 204);
    // Each key of a lease is renewed on its own.
    for node in (0..3).filter(|node| *node != silent).map(|node| &store.nodes[node]) {
        for lease in leases(node) {
            node.tell(&format!("DEL {lease}"));
            until(async || node.ask(&format!("EXISTS {lease}")) == ":1").await;
        }
    }
    store.nodes[silent].signal(Signal::CONT);
    for service in [&owner, &other] {
        until(async || readiness(service).await == (200, "up".into())).await;
    }
    until(async || {
        let all = get("/conversations").send(&other).await.ok();
        !all["conversations"].as_array().unwrap().iter().any(|one| one["id"] == *others[2])
    })
    .await;
    // Both receive messages of the shard again.
    let mut events = Events::of(&owner, &lost, None).await;
    answer(&other, &lost, &first).await.ok();
    events.up_to(|event| event.kind == "replied").await;
    for (id, body) in others.iter().chain([&lost]).zip(bodies) {
        open_gate(id).await;
        soon(body).await.unwrap();
        if *id != others[2] {
            until(async || snapshot(&owner, id).await == snapshot(&other, id).await).await;
        }
    }
    for service in [&owner, &other] {
        assert_eq!(metric(service, "followup_taken_over_total").await, 0);
    }
}

#[tokio::test]
async fn what_another_replica_writes_is_shown_while_only_its_shard_is_away() {
    for _ in 0..3 {
        let Some(mut store) = RedisCluster::start().await else { return };
        let (owner, other) = two_replicas(&store.url(), &[]);
        let lost = 0;
        let id = &*store.ids_on(lost, "shard-away").next().unwrap();
        relay_whole_question(&owner, id, &other).await;
        until(async || snapshot(&other, id).await["turn"] == "ended").await;
        let shown = snapshot(&other, id).await;
        // Both compare it with the store, the other one for the last time.
        let before = store.nodes[lost].calls("xrange");
        store.nodes[lost].tell(&format!("SPUBLISH followup:{{{id}}}:bell x"));
        until(async || store.nodes[lost].calls("xrange") >= before + 2).await;
        let compared = Instant::now();
        store.nodes[lost].kill();
        let refused = answer(&other, id, &json!({"number": 0, "suggestion": 0})).await;
        assert_eq!(refused.error(), (503, "store_unavailable".into()));
        assert_eq!(readiness(&other).await, (200, "degraded".into()));
        // What nobody reads is forgotten when it is to be compared again, after 5 s.
        if compared.elapsed() > Duration::from_secs(4) {
            continue;
        }
        tokio::time::sleep_until((compared + Duration::from_secs(7)).into()).await;
        assert_eq!(snapshot(&other, id).await, shown);
        return;
    }
    panic!("the machine is too slow");
}

#[tokio::test]
async fn a_replica_that_dies_is_found_to_be_dead_in_a_cluster() {
    let Some(store) = RedisCluster::start().await else { return };
    let args = ["--lease", "1"];
    let (mut owner, other) = two_replicas(&store.url(), &args);
    let id = "cluster-dead";
    let _body = chat(&asks_and_continues(id)).with("x-followup-conversation", id).open(&owner.address).await;
    until(async || is_asked(&other, id).await).await;
    let mut there = Events::of(&other, id, None).await;
    owner.kill();
    assert_eq!(there.up_to(is_end).await.pop().unwrap().data["cut_off"], true);
    assert_eq!(metric(&other, "followup_taken_over_total").await, 1);
}

#[tokio::test]
async fn the_documented_rights_are_enough_in_a_cluster() {
    let Some(store) = RedisCluster::start().await else { return };
    for node in &store.nodes {
        node.tell(&format!("ACL SETUSER app reset on >s3cret {}", documented_rights()));
    }
    let url = store.url().replace("://", "://app:s3cret@");
    let (owner, other) = (replica(&url, &[]), replica(&url, &[]));
    for id in (0..6).map(|index| format!("cluster-rights-{index}")) {
        let id = &*id;
        relay_whole_question(&owner, id, &other).await;
        answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    }
}
