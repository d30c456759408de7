//! Limits: what exceeds one is refused or dropped.

use serde_json::{Value, json};

use crate::client::{Events, call, chat, get, post, read, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::{open_gate, requests};

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_with_and_without_a_content_length() {
    let service = Service::relay(&["--limit-body", "1000"]);
    let large = "x".repeat(1001);
    for path in ["/v1/chat/completions", "/conversations/body/answer"] {
        post("/conversations?id=body&wire=text", large.clone()).send(&service).await.ok();
        assert_eq!(post(path, large.clone()).send(&service).await.error(), (413, "too_large".into()), "{path}");
        let (to, pieces) = tokio::sync::mpsc::channel(1);
        let unsized_request = post(path, "").with_pieces(pieces);
        let address = service.address.clone();
        let answer = tokio::spawn(async move { unsized_request.send_to(&address).await });
        // The last piece is one too many. The body does not end: the service closes the connection,
        // so nothing more can be written.
        for _ in 0..11 {
            to.send(Ok(vec![b'x'; 100].into())).await.unwrap();
        }
        assert_eq!(answer.await.unwrap().error(), (413, "too_large".into()), "{path}");
        drop(to);
    }
    let piece = call("PATCH", "/conversations/body/turn?message=a&offset=0", large).send(&service).await;
    assert_eq!(piece.error(), (413, "too_large".into()));
    // A push is not kept, so it has no limit.
    post("/conversations?wire=text", "x".repeat(100_000)).send(&service).await.ok();
}

#[tokio::test]
async fn a_turn_whose_replies_are_as_large_as_they_may_be_can_be_completed() {
    let service = Service::start(&["--limit-body", "100000"]);
    let ask = "<ask_followup_question><question>Sure?</question><suggest>Yes</suggest></ask_followup_question>";
    post("/conversations?id=full&wire=text", ask.repeat(4)).send(&service).await.ok();
    let answer = async |body: Value| post("/conversations/full/answer", body.to_string()).send(&service).await;
    let large = |number: u64| json!({"number": number, "text": "x".repeat(99_960)});
    answer(large(0)).await.ok();
    assert_eq!(answer(large(1)).await.error(), (413, "too_large".into()));
    // It comes too late, whatever its size.
    assert_eq!(answer(large(0)).await.error(), (409, "already_answered".into()));
    // Only what the user wrote is refused: a suggestion adds a text, too.
    answer(json!({"number": 1, "suggestion": 0})).await.ok();
    answer(json!({"number": 2, "suggestion": 0})).await.ok();
    assert_eq!(answer(json!({"number": 3, "text": "x"})).await.error(), (413, "too_large".into()));
    assert_eq!(answer(json!({"number": 3, "decline": true})).await.ok()["waiting"], 0);
}

#[tokio::test]
async fn the_replies_to_one_turn_share_a_limit() {
    let service = Service::start(&["--limit-body", "4000"]);
    let ask = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    post("/conversations?id=all&wire=text", ask.repeat(3)).send(&service).await.ok();
    for (number, status) in [(0, 200), (1, 413), (1, 413)] {
        let body = json!({"number": number, "text": "x".repeat(2500)}).to_string();
        assert_eq!(post("/conversations/all/answer", body).send(&service).await.status, status);
    }
    let body = json!({"number": 1, "text": "short"}).to_string();
    post("/conversations/all/answer", body).send(&service).await.ok();
}

#[tokio::test]
async fn at_the_limit_a_new_conversation_replaces_the_oldest_unused_one() {
    let service = Service::relay(&["--limit-conversations", "3"]);
    let ask = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    let push = async |id: &str, body: &str| {
        post(format!("/conversations?id={id}&wire=text"), body.to_owned()).send(&service).await
    };
    let ids = async || {
        let all = get("/conversations").send(&service).await.ok();
        let mut ids: Vec<_> =
            all["conversations"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids.join(" ")
    };
    push("asks", ask).await.ok();
    push("b", "Hi").await.ok();
    push("c", "Hi").await.ok();
    assert_eq!(push("d", "Hi").await.status, 201);
    assert_eq!(ids().await, "asks c d", "the oldest without an open question");
    let reader = Events::of(&service, "c", None).await;
    push("e", "Hi").await.ok();
    assert_eq!(ids().await, "asks c e", "c has a reader");
    let play = json!({"stream": "one-call", "at": 500, "gate": "limit"});
    let streaming = chat(&play).with("x-followup-conversation", "e").open(&service.address).await;
    let mut second = Events::of(&service, "asks", None).await;
    second.next().await.unwrap();
    let refused = push("f", "Hi").await;
    assert_eq!(refused.error(), (503, "too_many_conversations".into()));
    assert_eq!(refused.header("retry-after"), Some("5"));
    let relayed = chat(&json!({"stream": "text-only"})).send(&service).await;
    assert_eq!(relayed.error(), (503, "too_many_conversations".into()));
    assert_eq!(push("c", "More").await.status, 200, "the conversation exists already");
    drop(reader);
    until(async || push("f", "Hi").await.status == 201).await;
    assert_eq!(ids().await, "asks e f");
    open_gate("limit").await;
    drop(streaming);
}

#[tokio::test]
async fn a_turn_without_room_for_its_conversation_is_refused_before_the_provider_is_asked() {
    let service = Service::relay(&["--limit-conversations", "1"]);
    let body = format!("data: {}\n\ndata: [DONE]\n\n", json!({"choices": [{"delta": {"content": "Hello"}}]}));
    let play = |name: &str| json!({"name": name, "body": body});
    let first = json!({"body": body, "at": 1, "gate": "room"});
    let streaming = chat(&first).with("x-followup-conversation", "only").open(&service.address).await;
    for new in [chat(&play("no-room")), chat(&play("no-room")).with("x-followup-conversation", "other")] {
        assert_eq!(new.send(&service).await.error(), (503, "too_many_conversations".into()));
    }
    assert_eq!(requests("no-room").await, [] as [Value; 0]);

    // The conversation is here, but busy. The provider's answer is not thrown away.
    let busy = chat(&play("busy")).with("x-followup-conversation", "only").send(&service).await;
    assert_eq!((busy.ok_body(), busy.header("x-followup-conversation")), (&body.clone().into(), None));

    open_gate("room").await;
    read(streaming).await;
    let _reader = Events::of(&service, "only", None).await;
    let named = chat(&play("named")).with("x-followup-conversation", "only").send(&service).await;
    assert_eq!((named.ok_body(), named.header("x-followup-conversation")), (&body.clone().into(), Some("only")));
    let messages = json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "More"}]);
    let request = json!({"messages": messages, "play": play("extends")}).to_string();
    let extends = post("/v1/chat/completions", request).send(&service).await;
    assert_eq!((extends.ok_body(), extends.header("x-followup-conversation")), (&body.clone().into(), Some("only")));
}

#[tokio::test]
async fn of_a_long_conversation_the_newest_items_and_open_questions_are_kept() {
    let service = Service::start(&["--limit-kept", "10000"]);
    let ask = "<ask_followup_question><question>Still there?</question></ask_followup_question>";
    for _ in 0..20 {
        post("/conversations?id=long&wire=text", "0123456789".repeat(200)).send(&service).await.ok();
    }
    let last = format!("{ask}{}", "0123456789".repeat(4000));
    post("/conversations?id=long&wire=text", last).send(&service).await.ok();
    let snapshot = get("/conversations/long").send(&service).await.ok();
    assert!(snapshot["dropped"].as_u64().unwrap() > 20_000);
    assert!(snapshot.to_string().len() < 20_000);
    let page = Page::of_snapshot(&snapshot);
    assert_eq!(
        (&page.all("call")[0]["question"], &page.all("call")[0]["open"]),
        (&json!("Still there?"), &json!(true))
    );
    post("/conversations/long/answer", json!({"number": 0, "text": "Yes"}).to_string()).send(&service).await.ok();
}

#[tokio::test]
async fn too_many_questions_and_too_many_rejected_calls_are_dropped() {
    let service = Service::start(&["--limit-kept", "100000"]);
    let ask = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    let pushed = post("/conversations?id=many&wire=text", ask.repeat(5000)).send(&service).await.ok();
    let page = Page::of_snapshot(&pushed);
    let asked = page.all("call").iter().filter(|call| call["state"] == "complete").count();
    assert!((100..=256).contains(&asked), "{asked}");
    assert_eq!(page.all("call").last().unwrap()["reason"], "dropped");
    let bad = "<ask_followup_question></ask_followup_question>";
    let pushed = post("/conversations?id=bad&wire=text", bad.repeat(5000)).send(&service).await.ok();
    assert!(pushed["dropped"].as_u64().unwrap() > 0 && pushed["stopped"] == true);
    let guided = post("/conversations/bad/answer", json!({"guide": "Stop"}).to_string()).send(&service).await.ok();
    assert!(guided["messages"].as_array().unwrap().len() <= 257);
}

#[tokio::test]
async fn the_number_of_readers_of_a_conversation_is_limited() {
    let service = Service::start(&["--limit-readers", "2"]);
    post("/conversations?id=read&wire=text", "Hi").send(&service).await.ok();
    post("/conversations?id=other&wire=text", "Hi").send(&service).await.ok();
    let one = Events::of(&service, "read", None).await;
    let two = Events::of(&service, "read", None).await;
    let three = get("/conversations/read/events").send(&service).await;
    assert_eq!(three.error(), (503, "too_many_readers".into()));
    let _other = Events::of(&service, "other", None).await;
    drop(one);
    until(async || get("/conversations/read/events").open(&service.address).await.status() == 200).await;
    drop(two);
}

#[tokio::test]
async fn an_idle_conversation_is_dropped() {
    let service = Service::start(&["--idle", "0.05"]);
    post("/conversations?id=idle&wire=text", "Hi").send(&service).await.ok();
    until(async || get("/conversations/idle").send(&service).await.status == 404).await;
    // A conversation with a reader is not idle.
    let (to, pieces) = tokio::sync::mpsc::channel(1);
    let push = post("/conversations?id=used&wire=text", "").with_pieces(pieces);
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    to.send(Ok("Hi".into())).await.unwrap();
    until(async || get("/conversations/used").send(&service).await.status == 200).await;
    let mut events = Events::of(&service, "used", None).await;
    events.next().await.unwrap();
    drop(to);
    pushed.await.unwrap().ok();
    events.up_to(|event| event.kind == "end").await;
    // Others are created and dropped meanwhile.
    for index in 0..3 {
        post(format!("/conversations?id=meanwhile-{index}&wire=text"), "Hi").send(&service).await.ok();
        until(async || get(format!("/conversations/meanwhile-{index}")).send(&service).await.status == 404).await;
    }
    assert_eq!(get("/conversations/used").send(&service).await.status, 200);
    drop(events);
    until(async || get("/conversations/used").send(&service).await.status == 404).await;
    let all = call("GET", "/conversations", "").send(&service).await.ok();
    assert_eq!(all, json!({"conversations": []}));
}
