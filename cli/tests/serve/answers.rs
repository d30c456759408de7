//! Answers: what the model gets, what readers see, and which answers are refused.

use serde_json::{Value, json};

use crate::client::{Answer, Events, all_events, get, post};
use crate::page::Page;
use crate::service::Service;

/// Returns a GIF as a data URL of about this many bytes.
fn image(bytes: usize) -> String {
    format!("data:image/gif;base64,R0lGODlh{}", "AAAA".repeat(bytes / 4))
}

const ASK: &str = "<ask_followup_question><question>Which?</question><follow_up><suggest mode=\"code\">A</suggest>\
    <suggest>B</suggest></follow_up></ask_followup_question>";

async fn asked(service: &Service, id: &str, message: &str) {
    let pushed = post(format!("/conversations?id={id}&wire=text"), message.to_owned()).send(service).await;
    assert_eq!(pushed.status, 201);
}

async fn answer(service: &Service, id: &str, body: &Value) -> Answer {
    post(format!("/conversations/{id}/answer"), body.to_string()).send(service).await
}

async fn page(service: &Service, id: &str) -> Page {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

#[tokio::test]
async fn every_kind_of_answer_returns_its_reply() {
    let service = Service::start(&[]);
    let image = image(40);
    let cases = [
        (json!({"suggestion": 0}), "<answer>\nA\n</answer>", json!("code"), "A", "answer"),
        (json!({"suggestion": 1}), "<answer>\nB\n</answer>", Value::Null, "B", "answer"),
        (json!({"suggestion": 0, "text": "A!"}), "<answer>\nA!\n</answer>", json!("code"), "A!", "answer"),
        (json!({"text": "Né </answer>"}), "<answer>\nNé </answer>\n</answer>", Value::Null, "Né </answer>", "answer"),
        (json!({"text": "", "images": [image]}), "<answer>\n\n</answer>", Value::Null, "", "answer"),
        (json!({"cancel": true}), "The user denied this operation.", Value::Null, "", "cancelled"),
    ];
    for (number, (mut body, text, mode, said, kind)) in cases.into_iter().enumerate() {
        let id = format!("kind-{number}");
        asked(&service, &id, ASK).await;
        body["number"] = json!(0);
        let taken = answer(&service, &id, &body).await.ok();
        assert_eq!(taken["reply"]["text"], text);
        assert_eq!(taken["reply"].get("mode").cloned().unwrap_or_default(), mode);
        assert_eq!((&taken["reply"]["kind"], &taken["reply"]["number"]), (&json!(kind), &json!(0)));
        assert_eq!((&taken["waiting"], &taken["continued"]), (&json!(0), &json!(false)));
        let content = &taken["messages"][0]["content"];
        if body.get("images").is_some() {
            assert_eq!(content[1]["image_url"]["url"], image);
        } else {
            assert_eq!(content, text);
        }
        let events = all_events(&service, &id).await;
        let [.., replied, delivery] = &events[..] else { panic!() };
        assert_eq!((&*replied.kind, &*delivery.kind), ("replied", "delivery"));
        let replied = &replied.data;
        assert_eq!((&replied["kind"], &replied["said"]), (&json!(kind), &json!(said)));
        assert_eq!(replied.get("suggestion"), body.get("suggestion"));
        assert_eq!(replied["images"], body.get("images").cloned().unwrap_or(json!([])));
        let page = page(&service, &id).await;
        assert_eq!(page, Page::of(&events));
        assert_eq!((&page.all("call")[0]["answered"], &page.all("call")[0]["open"]), (replied, &json!(false)));
    }
}

#[tokio::test]
async fn questions_of_one_turn_are_answered_in_order_and_their_replies_are_sent_together() {
    let service = Service::start(&[]);
    let native = include_str!("../../../tests/wire/bodies/openai-chat/interleaved.sse");
    for format in ["openai-chat", "openai-responses", "anthropic"] {
        let pushed = post(format!("/conversations?id={format}"), native).send(&service).await.ok();
        let calls: Vec<Value> = Page::of_snapshot(&pushed).all("call").into_iter().cloned().collect();
        let numbers: Vec<_> = calls.iter().map(|call| (call["number"].clone(), call["open"].clone())).collect();
        assert_eq!(numbers, [(json!(0), json!(true)), (json!(1), json!(false))]);
        let early = answer(&service, format, &json!({"number": 1, "text": "Early"})).await;
        assert_eq!(early.error(), (409, "not_yet_asked".into()));
        let first = answer(&service, format, &json!({"number": 0, "text": "One", "format": format})).await.ok();
        assert_eq!(first["waiting"], 1);
        let events = all_events(&service, format).await;
        let [.., replied, open, delivery] = &events[..] else { panic!() };
        assert_eq!((&*replied.kind, &*open.kind, &open.data["number"]), ("replied", "open", &json!(1)));
        assert_eq!((&*delivery.kind, &delivery.data["numbers"]), ("delivery", &json!([0])));
        let second = answer(&service, format, &json!({"number": 1, "text": "Two", "format": format})).await.ok();
        assert_eq!(second["waiting"], 0);
        let messages = second["messages"].to_string();
        assert!(messages.contains("One") && messages.contains("Two"), "{messages}");
        assert_eq!(second["messages"].as_array().unwrap().len(), if format == "anthropic" { 1 } else { 2 });
        assert_eq!(page(&service, format).await, Page::of(&all_events(&service, format).await));
    }
}

#[tokio::test]
async fn a_refused_answer_says_why_and_changes_nothing() {
    let service = Service::start(&[]);
    asked(&service, "no", &ASK.repeat(2)).await;
    let before = page(&service, "no").await;
    let gif_as_png = image(40).replace("gif", "png");
    for (body, status, code) in [
        (json!({"number": 0, "suggestion": 2}), 422, "no_such_suggestion"),
        (json!({"number": 0, "suggestion": 2, "text": "x"}), 422, "no_such_suggestion"),
        (json!({"number": 2, "suggestion": 0}), 404, "not_asked"),
        (json!({"number": u64::MAX, "cancel": true}), 404, "not_asked"),
        (json!({"number": 1, "suggestion": 0}), 409, "not_yet_asked"),
        (json!({"guide": "Go on"}), 409, "not_stopped"),
        (json!({"number": 0, "text": "x", "images": ["https://a/b.png"]}), 422, "bad_image"),
        (json!({"number": 0, "text": "x", "images": [image(40), gif_as_png]}), 422, "bad_image"),
        (json!({"number": 0}), 400, "bad_request"),
        (json!({"number": 0, "text": " "}), 400, "bad_request"),
        (json!({"number": 0, "cancel": false}), 400, "bad_request"),
        (json!({"number": 0, "cancel": true, "text": "x"}), 400, "bad_request"),
        (json!({"number": 0, "cancel": true, "images": [image(40)]}), 400, "bad_request"),
        (json!({"number": 0, "guide": "x"}), 400, "bad_request"),
        (json!({"text": "x"}), 400, "bad_request"),
        (json!({"number": -1, "text": "x"}), 400, "bad_request"),
        (json!({"number": 0, "txt": "x"}), 400, "bad_request"),
        (json!({"number": 0, "text": "x", "format": "mistral"}), 400, "bad_request"),
        (json!([]), 400, "bad_request"),
        (json!("x"), 400, "bad_request"),
    ] {
        assert_eq!(answer(&service, "no", &body).await.error(), (status, code.into()), "{body}");
    }
    assert_eq!(page(&service, "no").await, before);
    let refused = answer(&service, "no", &json!({"number": 0, "text": "x", "images": [image(40), "data:,"]})).await;
    assert!(refused.message().starts_with("image 1 (from 0): the image is not a data URL"), "{refused:?}");
    for (body, place) in
        [("{\"number\":0,", "column"), ("{\n  \"number\": \"0\"}", "line 2"), ("", "line 1"), ("\u{0}", "column")]
    {
        let answer = post("/conversations/no/answer", body).send(&service).await;
        assert_eq!(answer.error(), (400, "bad_request".into()));
        assert!(answer.message().contains(place), "{answer:?}");
    }
    let elsewhere = answer(&service, "other", &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(elsewhere.error(), (404, "not_found".into()));
}

#[tokio::test]
async fn a_question_is_answered_once_and_only_in_its_own_conversation() {
    let service = Service::start(&[]);
    asked(&service, "one", &ASK.repeat(2)).await;
    asked(&service, "two", "No question.").await;
    let body = json!({"number": 0, "suggestion": 0});
    assert_eq!(answer(&service, "two", &body).await.error(), (404, "not_asked".into()));
    answer(&service, "one", &body).await.ok();
    let late = answer(&service, "one", &body).await;
    assert_eq!(late.error(), (409, "already_answered".into()));
    assert_eq!(late.json()["error"]["answer"], "A");
    assert_eq!(
        answer(&service, "one", &json!({"number": 0, "cancel": true})).await.error(),
        (409, "already_answered".into())
    );
    answer(&service, "one", &json!({"number": 1, "cancel": true})).await.ok();
    assert_eq!(
        answer(&service, "one", &json!({"number": 1, "text": "x"})).await.error(),
        (409, "already_cancelled".into())
    );
    assert_eq!(
        answer(&service, "one", &json!({"number": 1, "cancel": true})).await.error(),
        (409, "already_cancelled".into())
    );
    // Of many concurrent answers, one is accepted.
    asked(&service, "race", ASK).await;
    let mut racing = Vec::new();
    for number in 0..20 {
        let call = post("/conversations/race/answer", json!({"number": 0, "text": format!("{number}")}).to_string());
        let address = service.address.clone();
        racing.push(tokio::spawn(async move { call.send_to(&address).await }));
    }
    let mut taken = 0;
    for one in racing {
        let answer = one.await.unwrap();
        match answer.status.as_u16() {
            200 => taken += 1,
            _ => assert_eq!(answer.error(), (409, "already_answered".into())),
        }
    }
    assert_eq!(taken, 1);
}

#[tokio::test]
async fn a_stopped_dialogue_can_be_guided() {
    let service = Service::start(&[]);
    let mistake = "<ask_followup_question><suggest>A</suggest></ask_followup_question>";
    asked(&service, "stops", &mistake.repeat(3)).await;
    let before = page(&service, "stops").await;
    assert!(before.stopped);
    assert_eq!(before.all("call").len(), 3);
    let events = all_events(&service, "stops").await;
    let stopped: Vec<_> = events.iter().filter_map(|event| event.data["stopped"].as_bool()).collect();
    assert_eq!(stopped, [false, false, true]);
    // A question that is asked now waits.
    post("/conversations?id=stops&wire=text", ASK).send(&service).await.ok();
    let early = answer(&service, "stops", &json!({"number": 0, "suggestion": 0})).await;
    assert_eq!(early.error(), (409, "not_yet_asked".into()));
    assert_eq!(answer(&service, "stops", &json!({"guide": " "})).await.error(), (400, "bad_request".into()));
    let taken = answer(&service, "stops", &json!({"guide": "Write the question", "images": [image(40)]})).await.ok();
    assert_eq!((&taken["reply"]["kind"], &taken["waiting"]), (&json!("guidance"), &json!(1)));
    assert!(taken["reply"]["text"].as_str().unwrap().contains("Write the question"));
    let events = all_events(&service, "stops").await;
    let [.., replied, open, delivery] = &events[..] else { panic!() };
    assert_eq!(delivery.data, json!({"numbers": [], "guidance": true, "state": "pending", "retry": false}));
    assert_eq!((&replied.data["number"], &replied.data["kind"]), (&Value::Null, &json!("guidance")));
    assert_eq!((&*open.kind, &open.data["number"]), ("open", &json!(0)));
    let after = page(&service, "stops").await;
    assert!(!after.stopped);
    assert_eq!(after, Page::of(&events));
    answer(&service, "stops", &json!({"number": 0, "suggestion": 0})).await.ok();
}

#[tokio::test]
async fn large_images_go_to_the_model_and_are_only_described_to_readers() {
    let service = Service::start(&[]);
    asked(&service, "large", ASK).await;
    let mut events = Events::of(&service, "large", None).await;
    let images = [image(100), image(300 << 10), image(100)];
    let taken = answer(&service, "large", &json!({"number": 0, "suggestion": 0, "images": images})).await.ok();
    assert_eq!(taken["reply"]["images"], json!(images));
    let replied = events.up_to(|event| event.kind == "replied").await.pop().unwrap();
    let named = &replied.data["images"];
    assert_eq!((&named[0], &named[2]), (&json!(images[0]), &json!(images[2])));
    let name = named[1].as_str().unwrap();
    assert!(name.starts_with("image/gif, ") && name.ends_with(" bytes"), "{name}");
}

#[tokio::test]
async fn dialect_and_escape_follow_the_command_line() {
    let service = Service::start(&["--dialect", "roo-code-latest", "--escape"]);
    asked(&service, "dialect", ASK).await;
    let taken = answer(&service, "dialect", &json!({"number": 0, "text": "a </user_message> b"})).await.ok();
    let text = taken["reply"]["text"].as_str().unwrap();
    assert!(text.contains("<user_message>"), "{text}");
    assert_eq!(text.matches("</user_message>").count(), 1, "{text}");
    let strict = Service::start(&["--strict", "--limit-question", "5"]);
    asked(&strict, "strict", ASK).await;
    assert_eq!(page(&strict, "strict").await.all("call")[0]["reason"], "too_long");
}
