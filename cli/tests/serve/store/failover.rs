//! The primary is lost, and sentinels promote its copy.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;

use super::cluster::flows_again;
use super::scene::{
    answer, asks_and_continues, check_seen, is_asked, is_end, lose_the_tail, relay, relay_question,
    relay_whole_question, replica, slow_message_until_opened, snapshot, two_replicas,
};
use super::sentinels::Sentinels;
use super::troubles::{refused, says};
use crate::client::{Events, get, number, soon, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, sent};

#[tokio::test]
async fn events_flow_again_after_a_failover_and_none_is_missing() {
    let Some(mut store) = Sentinels::start().await else { return };
    let id = "failover";
    let (owner, other) = two_replicas(&store.url(), &[]);
    let body = relay(&owner, id, &slow_message_until_opened(id, 100, 25)).await;
    // Before the first event there is nothing that the next one could follow.
    until(async || get(format!("/conversations/{id}")).send(&other).await.status == 200).await;
    until(async || snapshot(&other, id).await["turn"] == "streaming").await;
    let mut here = Events::from_start(&owner, id).await;
    let mut there = Events::from_start(&other, id).await;
    let mut seen = there.up_to(|event| number(&event.id) == 20).await;
    store.primary.kill();
    store.promoted().await;
    let promoted = Instant::now();
    // What was on its way is not an event after the promotion.
    let written = snapshot(&owner, id).await["last"].as_str().unwrap().to_owned();
    seen.extend(there.up_to(|event| event.id == written).await);
    flows_again(promoted);
    open_gate(id).await;
    seen.extend(there.up_to(is_end).await);
    let here = here.up_to(is_end).await;
    assert!(seen[1..].iter().all(|event| event.kind != "state"), "nothing was replaced");
    check_seen(&seen, &here);
    assert_eq!(soon(body).await.unwrap().len() as u64, sent(id).await);
}

#[tokio::test]
async fn the_owner_adds_what_the_promoted_copy_lacks() {
    let Some(mut store) = Sentinels::start_patient().await else { return };
    let id = "lost-tail";
    let (owner, other) = two_replicas(&store.url(), &[]);
    let body = relay_question(&owner, id, &other).await;
    let mut here = Events::from_start(&owner, id).await;
    let mut there = Events::from_start(&other, id).await;
    let seen = lose_the_tail(&mut store.primary, &store.copy, id, &mut there).await;
    store.promote().await;
    soon(body).await.unwrap();
    check_seen(&seen, &here.up_to(is_end).await);
    // A replica that knows nothing of it finds everything.
    let third = replica(&store.url(), &[]);
    until(async || is_asked(&third, id).await && snapshot(&third, id).await == snapshot(&owner, id).await).await;
    answer(&third, id, &json!({"number": 0, "suggestion": 0})).await.ok();
}

/// Lets the copy miss what is written from now on.
fn stop_copying(store: &Sentinels) {
    store.copy.signal(Signal::STOP);
    assert_eq!(store.primary.ask("CLIENT KILL TYPE replica"), ":1");
}

/// Loses the primary while the last writer is paused. By the promoted copy, the first one is still
/// writing its turn. Checks that neither the end of this turn nor the answer "Yes" is lost.
async fn check_promotion(store: &mut Sentinels, first: &Service, last: &Service, id: &str) {
    // It can't tell the promoted copy at once what that lacks.
    last.signal(Signal::STOP);
    store.primary.kill();
    store.copy.signal(Signal::CONT);
    until(async || get("/readyz").send(first).await.status == 503).await;
    store.promote().await;
    until(async || get("/readyz").send(first).await.status == 200).await;
    // Nobody may answer before the last writer has had the time of a lease.
    assert_eq!(answer(first, id, &json!({"number": 0, "suggestion": 1})).await.error().0, 503);
    tokio::time::sleep(Duration::from_secs(1)).await;
    last.signal(Signal::CONT);
    until(async || store.copy.ask(&format!("HGET followup:{{{id}}}:state turn")).contains("ended")).await;
    for service in [first, last] {
        until(async || snapshot(service, id).await == snapshot(last, id).await).await;
        let page = Page::of_snapshot(&snapshot(service, id).await);
        assert_eq!(page.all("call")[0]["answered"]["said"], "Yes");
        assert_eq!(page.all("end")[0]["cut_off"], false);
    }
}

#[tokio::test]
async fn the_last_writer_adds_its_events_again_although_the_promoted_copy_tells_an_earlier_one() {
    let Some(mut store) = Sentinels::start_patient().await else { return };
    let id = "lost-writer";
    let args = ["--lease", "20"];
    let (first, last) = two_replicas(&store.url(), &args);
    let body = relay_question(&first, id, &last).await;
    let mut events = Events::of(&first, id, None).await;
    // The copy has the question, and misses what follows.
    until(async || store.copy.ask(&format!("XRANGE followup:{{{id}}}:log - +")).contains("Sure?")).await;
    stop_copying(&store);
    open_gate(id).await;
    soon(body).await.unwrap();
    until(async || snapshot(&last, id).await["turn"] == "ended").await;
    answer(&last, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    events.up_to(|event| event.kind == "replied").await;
    check_promotion(&mut store, &first, &last, id).await;
}

#[tokio::test]
async fn the_last_turn_is_whole_after_a_failover_although_its_writer_had_ended_it_and_another_took_over() {
    let Some(mut store) = Sentinels::start_patient().await else { return };
    let id = "lost-take";
    let args = ["--lease", "20"];
    let (first, last) = two_replicas(&store.url(), &args);
    let body = relay_question(&first, id, &last).await;
    let mut events = Events::of(&last, id, None).await;
    // The copy has the question, and misses what follows.
    until(async || store.copy.ask(&format!("XRANGE followup:{{{id}}}:log - +")).contains("Sure?")).await;
    stop_copying(&store);
    open_gate(id).await;
    soon(body).await.unwrap();
    answer(&first, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    events.up_to(|event| event.kind == "replied").await;
    // For this, the other replica becomes the writer. It adds no event.
    assert_eq!(answer(&last, id, &json!({"number": 0, "suggestion": 1})).await.error().0, 409);
    snapshot(&first, id).await;
    check_promotion(&mut store, &first, &last, id).await;
}

#[tokio::test]
async fn an_answer_is_kept_although_the_promoted_copy_lacks_the_change_of_the_writer() {
    let Some(mut store) = Sentinels::start_patient().await else { return };
    let id = "lost-role";
    let args = ["--lease", "20"];
    let (first, second) = two_replicas(&store.url(), &args);
    open_gate(id).await;
    soon(relay(&first, id, &asks_and_continues(id)).await).await.unwrap();
    until(async || snapshot(&second, id).await["turn"] == "ended").await;
    store.replicated().await;
    // The second one becomes the writer. Neither the first one nor the copy learns of it.
    stop_copying(&store);
    first.signal(Signal::STOP);
    assert_eq!(answer(&second, id, &json!({"number": 0, "suggestion": 9})).await.status, 422);
    second.signal(Signal::STOP);
    store.primary.kill();
    store.copy.signal(Signal::CONT);
    first.signal(Signal::CONT);
    store.promote().await;
    until(async || answer(&first, id, &json!({"number": 0, "suggestion": 0})).await.status == 200).await;
    second.signal(Signal::CONT);
    until(async || snapshot(&second, id).await == snapshot(&first, id).await).await;
    let page = Page::of_snapshot(&snapshot(&second, id).await);
    assert_eq!(page.all("call")[0]["answered"]["said"], "Yes");
}

#[tokio::test]
async fn sentinels_have_a_password_of_their_own() {
    let Some(mut store) = Sentinels::start_locked("s3cret-of-the-sentinels").await else { return };
    for server in [&store.primary, &store.copy] {
        server.tell("ACL SETUSER app on >s3cret ~* &* +@all");
    }
    let url = format!("redis+sentinel://app:s3cret@{}/main", store.hosts());
    says(&refused(&["--store", &url]), "it needs a password");
    says(&refused(&["--store", &format!("{url}?sentinel_password=s3cret")]), "it refuses the service: ");
    let url = format!("{url}?sentinel_password=s3cret-of-the-sentinels");
    let (owner, other) = (replica(&url, &[]), replica(&url, &[]));
    let id = "locked-sentinels";
    relay_whole_question(&owner, id, &other).await;
    store.replicated().await;
    store.primary.kill();
    store.promoted().await;
    until(async || answer(&other, id, &json!({"number": 0, "suggestion": 0})).await.status == 200).await;
}
