//! Health, metrics, and the list of conversations.

use serde_json::json;

use crate::client::{Events, all_events, chat, get, post, until};
use crate::page::Page;
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

/// A question in the envelope of Kimi.
const ENVELOPE: &str = "<|tool_call_begin|>functions.ask_followup_question:0<|tool_call_argument_begin|>\
    {\"question\": \"Tea?\"}<|tool_call_end|>\n";

#[tokio::test]
async fn a_call_that_came_as_text_has_its_envelope_in_every_view() {
    let service = Service::start(&[]);
    post("/conversations?id=text&wire=text", ENVELOPE).send(&service).await.ok();
    post("/conversations?id=text&wire=text", &ENVELOPE[..90]).send(&service).await.ok();
    let events = all_events(&service, "text").await;
    let complete = events.iter().find(|event| event.kind == "complete").unwrap();
    assert_eq!(complete.data["envelope"], "kimi");
    assert_eq!(complete.data["notes"], json!(["the call came as text, in an envelope of the family kimi"]));
    let snapshot = get("/conversations/text").send(&service).await.ok();
    assert_eq!(Page::of(&events), Page::of_snapshot(&snapshot));
    assert_eq!(Page::of(&events).all("call")[0]["envelope"], "kimi");
    let metrics = String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    let rejected = events.iter().filter(|event| event.kind == "rejected").count();
    assert_eq!(rejected, 1, "its arguments are cut off");
    assert!(metrics.contains("followup_envelopes_total{family=\"kimi\"} 2\n"), "{metrics}");
}

#[tokio::test]
async fn envelopes_that_are_not_read_are_text() {
    let service = Service::start(&["--envelopes", "none"]);
    post("/conversations?id=text&wire=text", ENVELOPE).send(&service).await.ok();
    let events = all_events(&service, "text").await;
    assert!(events.iter().all(|event| event.kind != "complete"), "{events:?}");
    let metrics = String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    assert!(!metrics.contains("followup_envelopes_total{"), "{metrics}");
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
