//! A store that accepts commands and answers none, because it is paused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use super::redis_server::RedisServer;
use super::scene::{body_of, replica};
use crate::client::{get, post, read, until};
use crate::service::Service;

/// How long a request may wait for the store, and as much for a machine that is busy.
const BOUND: Duration = Duration::from_millis(2500 + 2000);

/// Sends a request. Returns its conversation, and how long the response's head took.
async fn send(service: &Service, messages: &Value, named: Option<&str>) -> (String, Duration) {
    let play = json!({"name": "silent", "body": body_of("Of stone?")});
    let body = json!({"model": "m", "stream": true, "messages": messages, "play": play});
    let mut request = post("/v1/chat/completions", body.to_string()).with("content-type", "application/json");
    if let Some(id) = named {
        request = request.with("x-followup-conversation", id);
    }
    let start = Instant::now();
    let response = request.open(&service.address).await;
    let took = start.elapsed();
    assert_eq!(response.status(), 200);
    let id = response.headers()["x-followup-conversation"].to_str().unwrap().to_owned();
    assert!(read(response).await.ends_with(b"data: [DONE]\n\n"));
    (id, took)
}

#[tokio::test]
async fn a_request_waits_for_a_silent_store_no_longer_than_promised() {
    let first = json!([{"role": "user", "content": "Build a bridge"}]);
    let second = json!([
        {"role": "user", "content": "Build a bridge"},
        {"role": "assistant", "content": "Of stone?"},
        {"role": "user", "content": "Of wood"},
    ]);
    for (what, messages, named) in
        [("new", &first, None), ("extends another", &second, None), ("named", &first, Some("silent-named"))]
    {
        let mut attempts = Vec::new();
        for _ in 0..3 {
            let Some(took) = wait_for_silent_store(&first, messages, named).await else { return };
            println!("{what}: {took:?}");
            attempts.push(took);
            if took.iter().all(|took| *took < BOUND) {
                break;
            }
        }
        assert!(attempts.iter().any(|took| took.iter().all(|took| *took < BOUND)), "{what}: {attempts:?}");
    }
}

/// Returns how long requests wait for a store that has just fallen silent, and for one that is
/// known to be.
async fn wait_for_silent_store(first: &Value, messages: &Value, named: Option<&'static str>) -> Option<[Duration; 2]> {
    let redis = RedisServer::start(&[])?;
    let (owner, other) = (Arc::new(replica(&redis.url(), &[])), Arc::new(replica(&redis.url(), &[])));
    let (id, _) = send(&owner, first, None).await;
    until(async || get(format!("/conversations/{id}")).send(&other).await.status == 200).await;
    redis.signal(Signal::STOP);
    // Several at once wait no longer.
    let mut sent = tokio::task::JoinSet::new();
    for service in [&owner, &other] {
        for _ in 0..5 {
            let (service, messages) = (service.clone(), messages.clone());
            sent.spawn(async move { send(&service, &messages, named).await.1 });
        }
    }
    let took = sent.join_all().await.into_iter().max().unwrap();
    // Then the store is known to be away.
    let (_, afterwards) = send(&owner, messages, named).await;
    redis.signal(Signal::CONT);
    until(async || get("/readyz").send(&owner).await.status == 200).await;
    Some([took, afterwards])
}

#[tokio::test]
async fn what_a_replica_wrote_is_read_there_from_the_moment_the_store_falls_silent() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let owner = replica(&redis.url(), &[]);
    let (id, _) = send(&owner, &json!([{"role": "user", "content": "Build a bridge"}]), None).await;
    redis.signal(Signal::STOP);
    // Nobody has noticed it yet.
    assert_eq!(get(format!("/conversations/{id}")).send(&owner).await.status, 200);
    redis.signal(Signal::CONT);
}
