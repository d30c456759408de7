//! Questions that are closed: the agent has gone on, or the user has dismissed them.

use serde_json::json;

use crate::client::{all_events, chat, get, post};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::requests;

const ASK: &str = "<ask_followup_question><question>Sure?</question></ask_followup_question>";

async fn page(service: &Service, id: &str) -> Page {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

#[tokio::test]
async fn a_new_turn_closes_the_questions_of_the_last_one() {
    let service = Service::start(&[]);
    post("/conversations?id=closed&wire=text", ASK.repeat(2)).send(&service).await.ok();
    post("/conversations?id=closed&wire=text", "Never mind.").send(&service).await.ok();
    let events = all_events(&service, "closed").await;
    let closed: Vec<_> = events.iter().filter(|event| event.kind == "closed").map(|event| event.data.clone()).collect();
    let closing = |number: u64| json!({"number": number, "why": "answered_elsewhere"});
    assert_eq!(closed, [closing(0), closing(1)]);
    assert!(
        events.iter().rposition(|event| event.kind == "closed") < events.iter().rposition(|event| event.kind == "turn")
    );
    assert_eq!(page(&service, "closed").await, Page::of(&events));
    for body in [json!({"number": 0, "text": "Late"}), json!({"number": 1, "cancel": true})] {
        let late = post("/conversations/closed/answer", body.to_string()).send(&service).await;
        assert_eq!(late.error(), (409, "answered_elsewhere".into()));
    }
}

#[tokio::test]
async fn with_continue_a_closed_question_is_never_answered_a_second_time() {
    let service = Service::relay(&["--continue"]);
    let (id, header) = ("closed-continue", "x-followup-conversation");
    let play = json!({"name": id, "stream": "one-call"});
    chat(&play).with(header, id).send(&service).await.ok_body();
    let next = json!({"name": id, "stream": "text-only"});
    chat(&next).with(header, id).send(&service).await.ok_body();
    let late = post(format!("/conversations/{id}/answer"), r#"{"number":0,"suggestion":0}"#).send(&service).await;
    assert_eq!(late.error(), (409, "answered_elsewhere".into()));
    let retry = post(format!("/conversations/{id}/retry"), "").send(&service).await;
    assert_eq!(retry.error(), (409, "nothing_to_retry".into()));
    assert_eq!(requests(id).await.len(), 2, "only the agent has asked");
}

#[tokio::test]
async fn dismissed_questions_are_closed_and_nothing_is_sent() {
    let service = Service::relay(&["--continue"]);
    let id = "dismissed";
    chat(&json!({"name": id, "stream": "interleaved"}))
        .with("x-followup-conversation", id)
        .send(&service)
        .await
        .ok_body();
    let answer = async |number: u64| {
        let body = json!({"number": number, "text": "Yes"}).to_string();
        post(format!("/conversations/{id}/answer"), body).send(&service).await
    };
    answer(0).await.ok();
    let dismiss = async |id: &str| post(format!("/conversations/{id}/dismiss"), "").send(&service).await;
    assert_eq!(dismiss(id).await.status, 204);
    assert_eq!(dismiss(id).await.status, 204, "there is nothing left to dismiss");
    assert_eq!(dismiss("unknown").await.error(), (404, "not_found".into()));
    let page = page(&service, id).await;
    assert_eq!(page, Page::of(&all_events(&service, id).await));
    assert_eq!(page.all("call")[1]["closed"], json!({"why": "dismissed"}));
    let delivery = &page.all("call")[0]["delivery"];
    assert_eq!(delivery["state"], "pending", "the service can't send it alone");
    assert!(delivery["why"].as_str().unwrap().contains("dismissed"), "{delivery}");
    assert_eq!(answer(1).await.error(), (409, "dismissed".into()));
    assert_eq!(requests(id).await.len(), 1);
}
