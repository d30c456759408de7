//! Health, metrics, and the list of conversations.

use serde_json::json;

use crate::client::{Events, chat, get, post, until};
use crate::service::Service;

#[tokio::test]
async fn health_and_metrics_report_what_happened() {
    let service = Service::relay(&[]);
    assert_eq!(get("/healthz").send(&service).await.ok(), json!({"status": "ok", "conversations": 0}));
    let relayed = chat(&json!({"stream": "one-call"})).with("x-followup-conversation", "counted").send(&service).await;
    let events = Events::of(&service, "counted", None).await;
    post("/conversations?wire=text", "Hi").send(&service).await.ok();
    post("/conversations/counted/answer", r#"{"number":0,"cancel":true}"#).send(&service).await.ok();
    assert_eq!(get("/healthz").send(&service).await.ok()["conversations"], 2);
    let metrics = get("/metrics").send(&service).await;
    assert!(metrics.header("content-type").unwrap().contains("openmetrics"));
    let text = String::from_utf8(metrics.body.to_vec()).unwrap();
    for line in [
        "followup_conversations 2",
        "followup_readers 1",
        "followup_turns_total{source=\"relay\"} 1",
        "followup_turns_total{source=\"push\"} 1",
        "followup_events_total{event=\"complete\"} 1",
        "followup_answers_total{kind=\"cancelled\"} 1",
        "followup_upstream_errors_total 0",
        "followup_turn_seconds_count 2",
        &format!("followup_bytes_total {}", relayed.body.len() + 2),
        "# EOF",
    ] {
        assert!(text.lines().any(|one| one == line), "{line} in\n{text}");
    }
    drop(events);
    let readers = async || String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    until(async || readers().await.contains("followup_readers 0")).await;
}

#[tokio::test]
async fn the_list_shows_the_latest_change_first_and_the_open_question() {
    let service = Service::start(&[]);
    let long = "ä".repeat(2000);
    for (id, question) in [("a", "Tea?"), ("b", &*long), ("c", "")] {
        let ask = format!("<ask_followup_question><question>{question}</question></ask_followup_question>");
        post(format!("/conversations?id={id}&wire=text"), ask).send(&service).await.ok();
    }
    let list = async || get("/conversations").send(&service).await.ok()["conversations"].clone();
    let all = list().await;
    let ids: Vec<_> = all.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["c", "b", "a"]);
    assert_eq!((&all[2]["open"], &all[2]["turn"], &all[0]["open"]), (&json!("Tea?"), &json!("ended"), &json!(null)));
    assert!(all[1]["open"].as_str().unwrap().ends_with('…') && all[1]["open"].as_str().unwrap().len() < 1100);
    assert!(all[0]["updated"].as_u64().unwrap() > 1_700_000_000);
    post("/conversations/a/answer", r#"{"number":0,"text":"Yes"}"#).send(&service).await.ok();
    let all = list().await;
    assert_eq!((&all[0]["id"], &all[0]["open"]), (&json!("a"), &json!(null)));
}
