//! The replies that an agent collects.

use followup::dialogue::MessageFormat;
use serde_json::{Value, json};

use crate::client::{Events, all_events, call, get, post, soon, until};
use crate::page::Page;
use crate::service::Service;

const ASK: &str = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
const MISTAKE: &str = "<ask_followup_question></ask_followup_question>";

async fn push(service: &Service, id: &str, body: &str) {
    post(format!("/conversations?id={id}"), body.to_owned()).send(service).await.ok();
}

async fn answer(service: &Service, id: &str, body: Value) -> Value {
    post(format!("/conversations/{id}/answer"), body.to_string()).send(service).await.ok()
}

async fn replies(service: &Service, id: &str, query: &str) -> Value {
    get(format!("/conversations/{id}/replies{query}")).send(service).await.ok()
}

async fn deliveries(service: &Service, id: &str) -> Vec<Value> {
    let snapshot = get(format!("/conversations/{id}")).send(service).await.ok();
    let page = Page::of_snapshot(&snapshot);
    assert_eq!(page, Page::of(&all_events(service, id).await));
    page.items.iter().filter_map(|item| item.get("delivery").map(|delivery| delivery["state"].clone())).collect()
}

#[tokio::test]
async fn replies_are_collected_in_every_format() {
    let service = Service::start(&[]);
    let native = include_str!("../../../tests/wire/bodies/openai-chat/interleaved.sse");
    for format in MessageFormat::ALL.map(MessageFormat::name) {
        push(&service, format, native).await;
        let none = replies(&service, format, "").await;
        assert_eq!(none, json!({"replies": [], "messages": [], "missing": 2, "last": 0}));
        answer(&service, format, json!({"number": 0, "text": "One"})).await;
        assert_eq!(deliveries(&service, format).await, ["pending"]);
        let first = replies(&service, format, &format!("?format={format}")).await;
        assert_eq!((&first["missing"], &first["last"]), (&json!(1), &json!(1)));
        assert_eq!(first["replies"].as_array().unwrap().len(), 1);
        let reply = &first["replies"][0];
        assert_eq!((&reply["sequence"], &reply["number"]), (&json!(1), &json!(0)));
        assert_eq!((&reply["text"], &reply["reply"]["text"]), (&json!("<answer>\nOne\n</answer>"), &reply["text"]));
        assert_eq!(deliveries(&service, format).await, ["collected"]);
        let taken = answer(&service, format, json!({"number": 1, "text": "Two", "format": format})).await;
        let second = replies(&service, format, &format!("?after=1&format={format}")).await;
        assert_eq!((&second["replies"][0]["sequence"], &second["replies"][0]["number"]), (&json!(2), &json!(1)));
        assert_eq!((&second["messages"], &second["missing"]), (&taken["messages"], &json!(0)));
        assert_eq!(deliveries(&service, format).await, ["collected", "collected"]);
        // Once more, because the connection may have broken.
        assert_eq!(replies(&service, format, "").await["replies"].as_array().unwrap().len(), 2);
        assert_eq!(replies(&service, format, "?after=2").await["replies"], json!([]));
        assert_eq!(replies(&service, format, "?after=9").await["replies"].as_array().unwrap().len(), 2);
    }
}

#[tokio::test]
async fn a_request_waits_for_the_next_reply() {
    let service = Service::start(&[]);
    push(&service, "poll", &ASK.repeat(2)).await;
    let poll = |query: &str| {
        let (call, address) = (get(format!("/conversations/poll/replies{query}")), service.address.clone());
        tokio::spawn(async move { call.send_to(&address).await })
    };
    let waits = async || {
        let metrics = get("/metrics").send(&service).await;
        String::from_utf8(metrics.body.to_vec()).unwrap().contains("followup_readers 1\n")
    };
    let waiting = poll("?wait=60");
    until(waits).await;
    answer(&service, "poll", json!({"number": 0, "text": "Yes"})).await;
    assert_eq!(soon(waiting).await.unwrap().ok()["replies"][0]["number"], 0);
    let waiting = poll("?wait=60&after=1");
    until(waits).await;
    post("/conversations/poll/dismiss", "").send(&service).await;
    let empty = soon(waiting).await.unwrap().ok();
    assert_eq!((&empty["replies"], &empty["missing"]), (&json!([]), &json!(0)), "no question waits any more");
    let waiting = poll("?wait=60&after=1");
    until(waits).await;
    call("DELETE", "/conversations/poll", "").send(&service).await;
    assert_eq!(soon(waiting).await.unwrap().error(), (404, "not_found".into()));
    push(&service, "time", ASK).await;
    assert_eq!(replies(&service, "time", "?wait=0.01").await["replies"], json!([]), "the time has passed");
}

#[tokio::test]
async fn corrections_and_guidance_are_replies_too() {
    let service = Service::start(&[]);
    push(&service, "guided", &MISTAKE.repeat(2)).await;
    let corrected = replies(&service, "guided", "").await;
    assert_eq!((&corrected["missing"], &corrected["last"]), (&json!(0), &json!(2)));
    assert_eq!(corrected["replies"][0]["reply"]["kind"], "correction");
    assert_eq!(corrected["messages"].as_array().unwrap().len(), 2);
    push(&service, "guided", MISTAKE).await;
    assert_eq!(replies(&service, "guided", "?after=2").await["missing"], 1, "the user has to guide the model");
    let mut events = Events::of(&service, "guided", None).await;
    events.next().await.unwrap();
    answer(&service, "guided", json!({"guide": "Write a question"})).await;
    let delivery = events.up_to(|event| event.kind == "delivery").await.pop().unwrap();
    assert_eq!((&delivery.data["numbers"], &delivery.data["guidance"]), (&json!([]), &json!(true)));
    let guided = replies(&service, "guided", "?after=3").await;
    assert_eq!((&guided["replies"][0]["reply"]["kind"], &guided["missing"]), (&json!("guidance"), &json!(0)));
    assert_eq!(deliveries(&service, "guided").await, ["collected"]);
}

#[tokio::test]
async fn with_continue_an_answer_that_only_the_agent_can_send_waits_for_it() {
    let service = Service::relay(&["--continue"]);
    let id = "left-to-the-agent";
    let play = json!({"name": id, "stream": "beside-another-tool"});
    crate::client::chat(&play).with("x-followup-conversation", id).send(&service).await.ok_body();
    let asked = Page::of_snapshot(&get(format!("/conversations/{id}")).send(&service).await.ok());
    let number = asked.all("call")[0]["number"].clone();
    let taken = answer(&service, id, json!({"number": number, "text": "x"})).await;
    let page = Page::of_snapshot(&get(format!("/conversations/{id}")).send(&service).await.ok());
    let delivery = &page.all("call")[0]["delivery"];
    assert_eq!((&delivery["state"], &delivery["why"]), (&json!("pending"), &taken["why"]));
    assert_eq!(replies(&service, id, "").await["replies"][0]["number"], number);
    assert_eq!(deliveries(&service, id).await, ["collected"]);
}

#[tokio::test]
async fn replies_beyond_the_limit_are_dropped_and_readers_are_told() {
    let service = Service::start(&["--limit-body", "10000"]);
    for number in 0..4 {
        push(&service, "many", ASK).await;
        answer(&service, "many", json!({"number": number, "text": "x".repeat(4000)})).await;
    }
    assert_eq!(deliveries(&service, "many").await, ["failed", "failed", "pending", "pending"]);
    let left = replies(&service, "many", "").await;
    let sequences: Vec<_> = left["replies"].as_array().unwrap().iter().map(|reply| reply["sequence"].clone()).collect();
    assert_eq!(sequences, [3, 4]);
}

#[tokio::test]
async fn a_page_of_another_site_collects_nothing() {
    let service = Service::start(&[]);
    push(&service, "site", ASK).await;
    answer(&service, "site", json!({"number": 0, "text": "Yes"})).await;
    let request = |site: &str| get("/conversations/site/replies").with("sec-fetch-site", site);
    for site in ["cross-site", "same-site"] {
        assert_eq!(request(site).send(&service).await.error(), (403, "forbidden".into()));
    }
    assert_eq!(deliveries(&service, "site").await, ["pending"]);
    request("same-origin").send(&service).await.ok();
    assert_eq!(deliveries(&service, "site").await, ["collected"]);
}

#[tokio::test]
async fn a_request_for_the_head_collects_nothing() {
    let service = Service::start(&[]);
    push(&service, "head", ASK).await;
    answer(&service, "head", json!({"number": 0, "text": "Yes"})).await;
    let head = call("HEAD", "/conversations/head/replies?wait=60", "").send(&service).await;
    assert_eq!((head.status.as_u16(), head.header("content-type")), (200, Some("application/json")));
    assert_eq!(deliveries(&service, "head").await, ["pending"]);
    assert_eq!(call("HEAD", "/conversations/no/replies", "").send(&service).await.status, 404);
}

#[tokio::test]
async fn a_wrong_query_says_what_is_wrong() {
    let service = Service::start(&["--limit-readers", "1"]);
    push(&service, "wrong", ASK).await;
    for query in ["?wait=61", "?wait=-1", "?wait=x", "?wait=NaN", "?after=-1", "?format=mistral", "?wiat=1"] {
        let refused = get(format!("/conversations/wrong/replies{query}")).send(&service).await;
        assert_eq!(refused.error(), (400, "bad_request".into()), "{query}");
    }
    assert_eq!(get("/conversations/no/replies").send(&service).await.error(), (404, "not_found".into()));
    let _reader = Events::of(&service, "wrong", None).await;
    let refused = get("/conversations/wrong/replies?wait=1").send(&service).await;
    assert_eq!(refused.error(), (503, "too_many_readers".into()));
}
