//! Failures: providers that stall, break and misreport, and callers that leave.

use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::client::{Events, all_events, chat, get, soon, until};
use crate::page::Page;
use crate::service::{Service, is_short};
use crate::store::free_port;
use crate::upstream::{is_left, open_gate};

async fn snapshot(service: &Service, id: &str) -> Page {
    Page::of_snapshot(&get(format!("/conversations/{id}")).send(service).await.ok())
}

async fn ended(service: &Service, id: &str) -> Page {
    until(async || snapshot(service, id).await.turn != "streaming").await;
    snapshot(service, id).await
}

/// Returns the kinds of the page's errors, in order.
fn errors(page: &Page) -> Vec<&Value> {
    page.all("error").iter().map(|error| &error["kind"]).collect()
}

#[tokio::test]
async fn a_broken_provider_connection_breaks_the_callers_and_cuts_the_turn_off() {
    let service = Service::relay(&[]);
    for behave in ["reset", "close", "long"] {
        let play = json!({"stream": "one-call", "behave": behave, "at": 5000, "gate": behave});
        let mut response = chat(&play).with("x-followup-conversation", behave).open(&service.address).await;
        let mut received = 0;
        while received < 5000 {
            received += soon(response.body_mut().frame()).await.unwrap().unwrap().data_ref().unwrap().len();
        }
        open_gate(behave).await;
        assert!(soon(response.body_mut().frame()).await.unwrap().is_err(), "{behave}");
        let page = ended(&service, behave).await;
        assert_eq!(page.turn, "cut_off", "{behave}");
        // The connection broke inside an event.
        assert_eq!(errors(&page), ["upstream", "unreadable"], "{behave}");
        // The open call is never asked.
        assert_eq!(page.all("call")[0]["reason"], "truncated", "{behave}");
    }
}

#[tokio::test]
async fn a_content_length_that_is_too_small_cuts_the_stream_there() {
    let service = Service::relay(&[]);
    let play = json!({"stream": "one-call", "behave": "short"});
    let answer = chat(&play).with("x-followup-conversation", "short").send(&service).await;
    let body =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/wire/bodies/openai-chat/one-call.sse")).unwrap();
    assert_eq!(answer.body, body[..body.len() / 2]);
    let page = ended(&service, "short").await;
    assert_eq!(page.all("call")[0]["reason"], "truncated");
}

#[tokio::test]
async fn a_stalled_provider_times_out() {
    let service = Service::relay(&["--upstream-timeout", "2"]);
    let play = json!({"name": "stall", "stream": "one-call", "behave": "stall", "at": 5000});
    let mut response = chat(&play).with("x-followup-conversation", "stall").open(&service.address).await;
    let broke = loop {
        match soon(response.body_mut().frame()).await {
            Some(Ok(_)) => {}
            other => break other,
        }
    };
    assert!(broke.unwrap().is_err());
    let page = ended(&service, "stall").await;
    assert_eq!((&*page.turn, errors(&page)[0]), ("cut_off", &json!("upstream")));
    until(async || is_left("stall").await).await;
    let silent = chat(&json!({"name": "silent", "behave": "silent"})).send(&service).await;
    assert_eq!(silent.error(), (504, "upstream_timeout".into()));
    until(async || is_left("silent").await).await;
}

#[tokio::test]
async fn an_unreachable_provider_is_reported() {
    let service = Service::start(&["--upstream", &format!("http://127.0.0.1:{}/v1", free_port())]);
    let answer = chat(&json!({})).send(&service).await;
    assert_eq!(answer.error(), (502, "upstream_unreachable".into()));
    let message = answer.message();
    assert!(message.contains("refused") && !message.contains("os error"), "{message}");
    let metrics = get("/metrics").send(&service).await;
    assert!(String::from_utf8_lossy(&metrics.body).contains("followup_upstream_errors_total 1"));
}

#[tokio::test]
async fn a_caller_that_leaves_cancels_the_request() {
    let service = Service::relay(&[]);
    for name in ["leaves-at-once", "leaves-later"] {
        let at = if name == "leaves-later" { 5000 } else { 0 };
        let play = json!({"name": name, "stream": "one-call", "behave": "stall", "at": at});
        let response = chat(&play).with("x-followup-conversation", name).open(&service.address).await;
        drop(response);
        until(async || is_left(name).await).await;
        let page = ended(&service, name).await;
        assert_eq!(page.turn, "cut_off");
        assert!(!errors(&page).contains(&&json!("upstream")), "the provider did not break");
    }
    // Also before there is a response.
    let never = json!({"name": "leaves-before", "behave": "silent"});
    let address = service.address.clone();
    let waiting = tokio::spawn(async move { chat(&never).try_open(&address).await.map(drop) });
    until(async || !crate::upstream::requests("leaves-before").await.is_empty()).await;
    waiting.abort();
    until(async || is_left("leaves-before").await).await;
}

#[tokio::test]
async fn a_caller_that_leaves_after_the_last_event_does_not_cut_the_turn_off() {
    let service = Service::relay(&[]);
    let play = json!({"name": "done", "stream": "one-call", "behave": "stall"});
    let mut response = chat(&play).with("x-followup-conversation", "done").open(&service.address).await;
    let mut body = Vec::new();
    while !body.ends_with(b"data: [DONE]\n\n") {
        body.extend_from_slice(soon(response.body_mut().frame()).await.unwrap().unwrap().data_ref().unwrap());
    }
    drop(response);
    assert_eq!(ended(&service, "done").await.turn, "ended");
}

#[tokio::test]
async fn a_stream_that_is_compressed_nevertheless_is_forwarded_unparsed() {
    let service = Service::relay(&[]);
    let headers = json!({"content-encoding": "gzip"});
    let play = json!({"body": "\u{1f}\u{8b} not really", "headers": headers});
    let answer = chat(&play).with("x-followup-conversation", "gzip").send(&service).await;
    assert_eq!(answer.body, "\u{1f}\u{8b} not really".as_bytes());
    assert_eq!(answer.header("content-encoding"), Some("gzip"));
    let page = ended(&service, "gzip").await;
    assert_eq!((errors(&page), &*page.turn, page.items.len()), (vec![&json!("encoded")], "ended", 3));
}

#[tokio::test]
async fn a_stream_with_a_wrong_content_type_is_forwarded_and_is_an_error() {
    let service = Service::relay(&[]);
    let bodies = [
        ("{\"detail\":\"Not Found\"}", "provider"),
        ("<html>502 Bad Gateway</html>", "foreign"),
        ("data: {\"type\":\"message_start\"}\n\n", "foreign"),
    ];
    for (index, (body, kind)) in bodies.into_iter().enumerate() {
        let id = format!("lies-{index}");
        let answer = chat(&json!({"body": body})).with("x-followup-conversation", &id).send(&service).await;
        assert_eq!(answer.body, body.as_bytes());
        let kinds: Vec<_> = all_events(&service, &id).await.into_iter().filter(|event| event.kind == "error").collect();
        assert_eq!(kinds.last().unwrap().data["kind"], kind, "{body}");
    }
}

#[tokio::test]
async fn deleting_a_conversation_does_not_stop_its_relay() {
    let service = Service::relay(&[]);
    let play = json!({"stream": "one-call", "at": 5000, "gate": "deleted-in-turn"});
    let response = chat(&play).with("x-followup-conversation", "deleted").open(&service.address).await;
    let mut events = Events::of(&service, "deleted", None).await;
    assert_eq!(crate::client::call("DELETE", "/conversations/deleted", "").send(&service).await.status, 204);
    let all = events.up_to(|event| event.kind == "gone").await;
    assert_eq!(all.last().unwrap().data, json!({}));
    assert!(events.next().await.is_none());
    assert_eq!(get("/conversations/deleted").send(&service).await.error(), (404, "not_found".into()));
    open_gate("deleted-in-turn").await;
    assert_eq!(crate::client::read(response).await.len(), 13_022);
    // A push under the same name creates another conversation.
    crate::client::post("/conversations?id=deleted&wire=text", "Hi").send(&service).await;
    let mut events = Events::of(&service, "deleted", Some(&all[0].id)).await;
    assert_eq!(events.next().await.unwrap().kind, "state");
}

/// Providers fail, callers and readers leave, all at random: no connection and no turn is leaked.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_fail_at_random_leak_nothing() {
    // More than the pool keeps: see below.
    let many: u64 = if is_short() { 120 } else { 200 };
    let service = std::sync::Arc::new(Service::relay(&["--upstream-timeout", "1"]));
    let files = |service: &Service| service.open_files();
    get("/healthz").send(&service).await.ok();
    let before = files(&service);
    let mut running = Vec::new();
    for seed in 0..many {
        let service = service.clone();
        running.push(tokio::spawn(async move {
            let mut random = fastrand::Rng::with_seed(seed);
            let id = format!("comes-{seed}");
            let behave = random.choice(["", "", "reset", "close", "stall", "long", "short", "silent"]).unwrap();
            let cut = format!("random:{seed}");
            let play = json!({"stream": "markup-in-text", "behave": behave, "at": random.usize(0..5000), "cut": cut});
            let Ok(mut response) = chat(&play).with("x-followup-conversation", &id).try_open(&service.address).await
            else {
                return;
            };
            let mut events = match get(format!("/conversations/{id}/events")).open(&service.address).await {
                reading if reading.status() == 200 => Some(Events::from(reading)),
                _ => None,
            };
            for _ in 0..random.usize(0..60) {
                if random.bool() {
                    match soon(response.body_mut().frame()).await {
                        Some(Ok(_)) => {}
                        _ => break,
                    }
                } else if let Some(reader) = &mut events
                    && reader.next().await.is_some_and(|event| {
                        event.kind == "end" || event.kind == "state" && event.data["turn"] != "streaming"
                    })
                {
                    events = None;
                }
            }
        }));
    }
    for one in running {
        one.await.unwrap();
    }
    until(async || {
        let all = get("/conversations").send(&service).await.ok();
        let all = all["conversations"].as_array().unwrap().clone();
        all.iter().all(|one| one["turn"] == "ended" || one["turn"] == "cut_off")
    })
    .await;
    let metrics = async || String::from_utf8(get("/metrics").send(&service).await.body.to_vec()).unwrap();
    until(async || metrics().await.contains("followup_readers 0\n")).await;
    if let Some(before) = before {
        // The pool keeps unused connections to the provider.
        until(async || files(&service).unwrap() <= before + 70).await;
    }
    // Snapshots of turns that were cut off anywhere equal their events.
    for one in get("/conversations").send(&service).await.ok()["conversations"].as_array().unwrap() {
        let id = one["id"].as_str().unwrap();
        assert_eq!(Page::of(&all_events(&service, id).await), snapshot(&service, id).await);
    }
}
