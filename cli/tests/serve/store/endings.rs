//! Questions that end without an answer, through another replica than the one that writes.

use serde_json::{Value, json};

use super::redis_server::RedisServer;
use super::scene::{answer, is_asked, is_end, relay, snapshot, two_replicas};
use crate::client::{Events, until};
use crate::form_endings::so_far;
use crate::forms::{arguments, body};
use crate::page::Page;
use crate::upstream::open_gate;

/// A message that asks a form; the provider holds its end back until a gate is opened.
fn form(name: &str) -> Value {
    let body = body("AskUserQuestion", &arguments().to_string(), 99);
    let at = body.len() - "data: [DONE]\n\n".len();
    json!({"name": name, "body": body, "at": at, "gate": name})
}

#[tokio::test]
async fn a_talk_and_a_time_out_on_another_replica_count_once_and_are_seen_on_both() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (owner, other) = two_replicas(&redis.url(), &[]);
    for (action, kind) in [("discuss", "discussed"), ("time_out", "timed_out")] {
        let body = relay(&owner, action, &form(action)).await;
        until(async || is_asked(&other, action).await).await;
        let mut events = Events::of(&owner, action, None).await;
        let taken = answer(&other, action, &json!({"number": 0, action: true, "form": so_far()})).await.ok();
        assert_eq!(taken["messages"][0]["tool_call_id"], "call_1");
        open_gate(action).await;
        body.await.unwrap();
        events.up_to(is_end).await;
        for replica in [&owner, &other] {
            let page = Page::of_snapshot(&snapshot(replica, action).await);
            let answered = &page.all("call")[0]["answered"];
            assert_eq!((&answered["kind"], &answered["answers"]), (&json!(kind), &so_far()));
        }
        let late = answer(&owner, action, &json!({"number": 0, "cancel": true})).await;
        assert_eq!(late.error(), (409, format!("already_{kind}")));
    }
}
