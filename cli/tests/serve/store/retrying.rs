//! What the provider did not accept is sent again.
//!
//! Also through another replica than the one that sent it.

use std::time::Duration;

use serde_json::json;

use super::redis_server::RedisServer;
use super::scene::{answer, asks_and_continues, body_of, is_asked, replica, snapshot, two_replicas};
use super::tcp_proxy::{Passing, TcpProxy};
use crate::client::{Answer, chat, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

/// Relays a message whose answer the provider refuses once, and waits until both replicas show
/// that.
async fn refused(owner: &Service, other: &Service, id: &str, key: Option<&str>) {
    let then = json!([{"status": "503 Busy", "body": "busy"}, {"body": body_of("Done.")}]);
    let mut request = chat(&json!([asks_and_continues(id), {"name": id, "then": then}]));
    if let Some(key) = key {
        request = request.with("authorization", key);
    }
    open_gate(id).await;
    read(request.with("x-followup-conversation", id).open(&owner.address).await).await;
    until(async || is_asked(other, id).await).await;
    answer(owner, id, &json!({"number": 0, "suggestion": 0})).await.ok();
    for replica in [owner, other] {
        until(async || is_refused(replica, id).await).await;
    }
}

async fn is_refused(service: &Service, id: &str) -> bool {
    let snapshot = snapshot(service, id).await;
    snapshot["retry"] == true && snapshot["turn"] == "cut_off"
}

async fn retry(service: &Service, id: &str) -> Answer {
    post(format!("/conversations/{id}/retry"), "").send(service).await
}

/// Waits until the provider has accepted the answer. Checks that it got the same request twice.
async fn is_sent_again(service: &Service, id: &str) {
    until(async || Page::of_snapshot(&snapshot(service, id).await).prose().ends_with("Done.")).await;
    assert_eq!(snapshot(service, id).await["retry"], false);
    let asked = requests(id).await;
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[1]["body"], asked[2]["body"]);
    assert_eq!(asked[1]["headers"]["authorization"], asked[2]["headers"]["authorization"]);
}

#[tokio::test]
async fn what_failed_can_be_sent_again_through_another_replica_even_if_the_first_has_died() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let args = ["--continue", "--upstream-key", "k"];
    let (mut owner, other) = two_replicas(&redis.url(), &args);
    let id = "retried-elsewhere";
    refused(&owner, &other, id, None).await;
    owner.kill();
    // This makes the other one the writer.
    post(format!("/conversations/{id}/dismiss"), "").send(&other).await.ok_body();
    assert!(is_refused(&other, id).await);
    assert_eq!(retry(&other, id).await.status, 202);
    is_sent_again(&other, id).await;
    assert_eq!(retry(&other, id).await.error(), (409, "nothing_to_retry".into()));
    assert_eq!(redis.ask(&format!("HEXISTS followup:{{{id}}}:state failed")), ":0");
}

#[tokio::test]
async fn what_failed_with_a_key_of_the_caller_is_sent_again_only_by_the_replica_that_knows_it() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &["--continue"]);
    let id = "retried-with-key";
    refused(&owner, &other, id, Some("Bearer sk-of-the-caller")).await;
    post(format!("/conversations/{id}/dismiss"), "").send(&other).await.ok_body();
    let refused = retry(&other, id).await;
    assert_eq!(refused.error(), (503, "elsewhere".into()));
    assert!(refused.message().contains("key"), "{refused:?}");
    assert_eq!(redis.ask(&format!("HEXISTS followup:{{{id}}}:state request")), ":1", "the agent is still recognized");
    for replica in [&owner, &other] {
        until(async || is_refused(replica, id).await).await;
    }
    assert!(!redis.ask(&format!("HGETALL followup:{{{id}}}:state")).contains("sk-of-the-caller"));
    assert_eq!(retry(&owner, id).await.status, 202);
    is_sent_again(&owner, id).await;
}

#[tokio::test]
async fn of_retries_through_two_replicas_at_once_one_is_sent() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let proxy = TcpProxy::start(redis.port);
    let args = ["--continue", "--upstream-key", "k"];
    let (owner, other) = (replica(&proxy.url(), &args), replica(&redis.url(), &args));
    let id = "retried-twice";
    refused(&owner, &other, id, None).await;
    // The store hears late of the turn that the owner begins.
    proxy.set(Passing::After(Duration::from_millis(200)));
    assert_eq!(retry(&owner, id).await.status, 202);
    let (status, code) = retry(&other, id).await.error();
    assert!([(503, "elsewhere"), (409, "nothing_to_retry")].contains(&(status, &*code)), "{status} {code}");
    proxy.set(Passing::After(Duration::ZERO));
    is_sent_again(&other, id).await;
}
