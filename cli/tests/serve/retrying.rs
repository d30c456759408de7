//! With `--continue`: answers that the provider did not accept are sent again.

use serde_json::{Value, json};

use crate::client::{Answer, Events, all_events, chat, get, post, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

const ASK: &str = "<ask_followup_question><question>Sure?</question></ask_followup_question>";

fn body_of(text: &str) -> String {
    format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {"content": text}}]}))
}

/// A turn with a question; the answer to it gets these responses, the last one again and again.
async fn asked(service: &Service, id: &str, then: &Value) {
    let play = json!([{"name": id, "body": body_of(ASK)}, {"name": id, "then": then}]);
    chat(&play).with("x-followup-conversation", id).send(service).await.ok_body();
    let answer = json!({"number": 0, "text": "Yes"}).to_string();
    assert_eq!(post(format!("/conversations/{id}/answer"), answer).send(service).await.ok()["continued"], true);
}

async fn page(service: &Service, id: &str) -> Page {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

async fn retry(service: &Service, id: &str) -> Answer {
    post(format!("/conversations/{id}/retry"), "").send(service).await
}

async fn delivery(service: &Service, id: &str) -> Value {
    page(service, id).await.all("call")[0]["delivery"].clone()
}

#[tokio::test]
async fn an_answer_is_sent_and_then_there_is_nothing_to_retry() {
    let service = Service::relay(&["--continue"]);
    let id = "sent";
    asked(&service, id, &json!([{"body": body_of("Done.")}])).await;
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
    assert_eq!(delivery(&service, id).await, json!({"state": "sent", "retry": false}));
    assert_eq!(retry(&service, id).await.error(), (409, "nothing_to_retry".into()));
    assert_eq!(retry(&service, "unknown").await.error(), (404, "not_found".into()));
    until(async || page(&service, id).await.turn == "ended").await;
    assert_eq!(page(&service, id).await, Page::of(&all_events(&service, id).await));
}

#[tokio::test]
async fn a_refused_answer_is_sent_again_until_the_provider_accepts_it() {
    let service = Service::relay(&["--continue"]);
    let id = "refused";
    let json = "application/json";
    let then = json!([
        {"status": "401 Unauthorized", "type": json, "body": "{\"error\":{\"message\":\"Bad key\"}}"},
        {"status": "429 Too Many", "type": json, "body": "{\"error\":\"slow down\"}"},
        {"status": "500 Oops", "type": "text/html", "body": "<h1>Oops</h1>"},
        {"body": body_of("Done.")},
    ]);
    asked(&service, id, &then).await;
    for (errors, says) in [(1, "does not accept the key (401): Bad key"), (2, "(429): slow down"), (3, "(500): Oops")] {
        until(async || {
            page(&service, id).await.all("error").len() == errors && page(&service, id).await.turn == "cut_off"
        })
        .await;
        let failed = delivery(&service, id).await;
        assert_eq!((&failed["state"], &failed["retry"]), (&json!("failed"), &json!(true)));
        assert!(failed["why"].as_str().unwrap().ends_with(says), "{failed}");
        assert_eq!(get(format!("/conversations/{id}")).send(&service).await.ok()["retry"], true);
        let tried = retry(&service, id).await;
        assert_eq!((tried.status.as_u16(), tried.json()), (202, json!({})));
    }
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
    assert_eq!(delivery(&service, id).await, json!({"state": "sent", "retry": false}));
    assert_eq!(get(format!("/conversations/{id}")).send(&service).await.ok()["retry"], false);
    let asked = requests(id).await;
    assert_eq!(asked.len(), 5);
    assert!(asked[2..].iter().all(|one| one["body"] == asked[1]["body"]), "each is the same request");
    let text = String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    for line in [
        "followup_retries_total 3",
        "followup_deliveries_total{state=\"failed\"} 3",
        "followup_deliveries_total{state=\"sent\"} 1",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
    }
}

#[tokio::test]
async fn an_answer_to_a_provider_that_is_gone_can_be_sent_again() {
    let service = Service::relay(&["--continue"]);
    let id = "breaks";
    let half = body_of(ASK).replace("data: [DONE]\n\n", "");
    asked(&service, id, &json!([{"body": half, "behave": "close"}, {"body": body_of("Done.")}])).await;
    until(async || page(&service, id).await.turn == "cut_off").await;
    let mut events = Events::of(&service, id, None).await;
    events.next().await.unwrap();
    let failed = delivery(&service, id).await;
    assert_eq!((&failed["state"], &failed["retry"]), (&json!("failed"), &json!(true)), "the model's message broke off");
    assert!(failed["why"].as_str().unwrap().contains("broke"), "{failed}");
    assert_eq!(retry(&service, id).await.status, 202);
    let events = events.up_to(|event| event.kind == "end").await;
    let closed = events.iter().find(|event| event.kind == "closed").unwrap();
    assert_eq!(closed.data, json!({"number": 1, "why": "dismissed"}), "the question of the broken message");
    assert!(page(&service, id).await.prose().ends_with("Done."));
}

#[tokio::test]
async fn the_agents_next_request_or_collection_ends_the_retry() {
    let service = Service::relay(&["--continue"]);
    let fails = json!([{"status": "503 Busy", "body": "busy"}]);
    asked(&service, "agent-goes-on", &fails).await;
    until(async || page(&service, "agent-goes-on").await.turn == "cut_off").await;
    let next = json!({"name": "agent-goes-on", "body": body_of("Fine.")});
    chat(&next).with("x-followup-conversation", "agent-goes-on").send(&service).await.ok_body();
    assert_eq!(delivery(&service, "agent-goes-on").await["retry"], false);
    asked(&service, "agent-collects", &fails).await;
    until(async || page(&service, "agent-collects").await.turn == "cut_off").await;
    let collected = get("/conversations/agent-collects/replies").send(&service).await.ok();
    assert_eq!(collected["replies"][0]["number"], 0);
    assert_eq!(delivery(&service, "agent-collects").await, json!({"state": "collected", "retry": false}));
    for id in ["agent-goes-on", "agent-collects"] {
        assert_eq!(retry(&service, id).await.error(), (409, "nothing_to_retry".into()));
    }
}

#[tokio::test]
async fn of_many_retries_at_once_one_is_sent() {
    let service = Service::relay(&["--continue"]);
    let id = "retries";
    asked(
        &service,
        id,
        &json!([{"status": "503 Busy", "body": "busy"}, {"body": body_of("Done."), "at": 0, "gate": id}]),
    )
    .await;
    until(async || page(&service, id).await.turn == "cut_off").await;
    let mut statuses = Vec::new();
    for _ in 0..5 {
        statuses.push(retry(&service, id).await.status.as_u16());
    }
    assert_eq!(statuses, [202, 409, 409, 409, 409]);
    open_gate(id).await;
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
    assert_eq!(requests(id).await.len(), 3);
}

#[tokio::test]
async fn what_can_never_be_sent_is_not_tried_again() {
    let service = Service::relay(&["--continue", "--limit-body", "3000"]);
    let id = "too-large";
    let play = json!({"name": id, "body": body_of(&format!("{}{ASK}", "x".repeat(1500)))});
    chat(&play).with("x-followup-conversation", id).send(&service).await.ok_body();
    let answer = json!({"number": 0, "text": "Yes"}).to_string();
    post(format!("/conversations/{id}/answer"), answer).send(&service).await.ok();
    until(async || page(&service, id).await.turn == "cut_off").await;
    let failed = delivery(&service, id).await;
    assert_eq!((&failed["state"], &failed["retry"]), (&json!("failed"), &json!(false)));
    assert!(failed["why"].as_str().unwrap().contains("too large"), "{failed}");
    assert_eq!(retry(&service, id).await.error(), (409, "nothing_to_retry".into()));
}

#[tokio::test]
async fn a_correction_that_failed_can_be_sent_again() {
    let service = Service::relay(&["--continue"]);
    let id = "correction";
    let mistake = "<ask_followup_question></ask_followup_question>";
    let then = json!([{"status": "503 Busy", "body": "busy"}, {"body": body_of("Done.")}]);
    let play = json!([{"name": id, "body": body_of(mistake)}, {"name": id, "then": then}]);
    chat(&play).with("x-followup-conversation", id).send(&service).await.ok_body();
    until(async || page(&service, id).await.turn == "cut_off").await;
    let events = all_events(&service, id).await;
    let failed = &events.iter().find(|event| event.kind == "delivery").unwrap().data;
    assert_eq!((&failed["numbers"], &failed["state"], &failed["retry"]), (&json!([]), &json!("failed"), &json!(true)));
    assert_eq!(failed.get("guidance"), None);
    assert_eq!(retry(&service, id).await.status, 202);
    until(async || page(&service, id).await.prose().ends_with("Done.")).await;
}

#[tokio::test]
async fn an_agent_that_collects_a_correction_ends_its_retry() {
    let service = Service::relay(&["--continue"]);
    let id = "correction-collected";
    let mistake = "<ask_followup_question></ask_followup_question>";
    let then = json!([{"status": "503 Busy", "body": "busy"}]);
    let play = json!([{"name": id, "body": body_of(mistake)}, {"name": id, "then": then}]);
    chat(&play).with("x-followup-conversation", id).send(&service).await.ok_body();
    until(async || page(&service, id).await.turn == "cut_off").await;
    let collected = get(format!("/conversations/{id}/replies")).send(&service).await.ok();
    assert_eq!(collected["replies"].as_array().unwrap().len(), 1);
    assert_eq!(get(format!("/conversations/{id}")).send(&service).await.ok()["retry"], false);
    let told = all_events(&service, id).await.pop().unwrap();
    assert_eq!((&*told.kind, told.data), ("delivery", json!({"numbers": [], "state": "collected", "retry": false})));
    assert_eq!(retry(&service, id).await.error(), (409, "nothing_to_retry".into()));
    get(format!("/conversations/{id}/replies")).send(&service).await.ok();
    assert_eq!(all_events(&service, id).await.iter().filter(|event| event.kind == "delivery").count(), 2, "told once");
    assert_eq!(requests(id).await.len(), 2);
}
