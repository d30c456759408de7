//! The relay: bytes are forwarded unchanged, and parsed on their way.

use serde_json::{Value, json};
use std::path::Path;

use crate::client::{Events, all_events, call, chat, get, post, soon};
use crate::page::Page;
use crate::service::{Service, is_short, raise_open_files};
use crate::upstream::{open_gate, requests, sent, upstream};
use crate::{client, goldens};

#[tokio::test]
async fn every_stream_is_forwarded_unchanged_and_parsed_for_every_cut() {
    let service = Service::relay(&[]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/wire/bodies/openai-chat");
    for (number, (name, bytes)) in goldens::openai_chat().into_iter().enumerate() {
        let meant = goldens::meaning("openai-chat", &folder.join(format!("{name}.sse")));
        for (index, cut) in ["1000000", "1", "random:1", "random:2", "1000"].into_iter().enumerate() {
            // By default two of the five for each stream, in turn.
            if is_short() && (number + index) % 5 > 1 {
                continue;
            }
            let play = json!({"stream": name, "cut": cut, "sized": index == 4});
            let answer = chat(&play).send(&service).await;
            assert_eq!(answer.status, 200);
            assert!(answer.body == bytes, "{name} cut {cut}: the bytes differ");
            let id = answer.header("x-followup-conversation").unwrap();
            let events = all_events(&service, id).await;
            assert_eq!(goldens::normalized(&events), meant, "{name} cut {cut}");
            let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
            assert_eq!(Page::of(&events), Page::of_snapshot(&snapshot), "{name} cut {cut}");
            assert_eq!(snapshot["turn"], "ended");
            call("DELETE", format!("/conversations/{id}"), "").send(&service).await;
        }
    }
}

#[tokio::test]
async fn a_chunk_is_forwarded_and_shown_before_the_next_is_sent() {
    let service = Service::relay(&[]);
    let play = json!({"stream": "one-call", "at": 5000, "gate": "early"});
    let mut response = chat(&play).with("x-followup-conversation", "early").open(&service.address).await;
    let mut events = Events::of(&service, "early", None).await;
    let mut received = Vec::new();
    while received.len() < 5000 {
        use http_body_util::BodyExt;
        received.extend_from_slice(&soon(response.body_mut().frame()).await.unwrap().unwrap().into_data().unwrap());
    }
    // The question is shown as far as it has arrived; the rest has not been sent.
    let mut page = Page::default();
    while page.all("call").is_empty()
        || !page.all("call")[0]["question"].as_str().unwrap().starts_with("Which database")
    {
        page.apply(&events.next().await.unwrap());
    }
    assert_eq!((&*page.turn, &page.all("call")[0]["state"]), ("streaming", &json!("growing")));
    open_gate("early").await;
    events.up_to(|event| event.kind == "end").await;
}

#[tokio::test]
async fn a_response_that_is_no_message_is_forwarded_and_creates_no_conversation() {
    let service = Service::relay(&[]);
    for (status, kind, body) in [
        ("200 OK", "text/plain", "Hi"),
        ("500 Oops", "text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"),
        ("429 Too Many Requests", "application/json", r#"{"error":{"message":"slow down"}}"#),
        ("500 Oops", "text/html", "<h1>Oops</h1>"),
        ("302 Found", "text/plain", "elsewhere"),
        // The content type decides, even if the body is an event stream.
        ("200 OK", "application/octet-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"),
    ] {
        let headers = json!({"x-request-id": "r-1", "retry-after": "7", "location": "/x", "set-cookie": "a=b"});
        let play = json!({"status": status, "type": kind, "body": body, "sized": true, "headers": headers});
        let answer = chat(&play).send(&service).await;
        assert!(status.starts_with(answer.status.as_str()));
        assert_eq!(answer.body, body.as_bytes());
        for (name, value) in [("content-type", kind), ("x-request-id", "r-1"), ("retry-after", "7"), ("location", "/x")]
        {
            assert_eq!(answer.header(name), Some(value));
        }
        assert_eq!(answer.header("x-followup-conversation"), None);
        assert_eq!(answer.header("content-security-policy"), None, "the response is the provider's");
    }
    assert_eq!(get("/conversations").send(&service).await.ok(), json!({"conversations": []}));
}

#[tokio::test]
async fn the_callers_headers_and_body_are_forwarded_without_those_of_the_service() {
    let service = Service::relay(&[]);
    let name = "headers";
    let body = format!(r#"{{ "play" : {{"name":"{name}","stream":"text-only"}}, "messages":[ ], "x":1.50 }}"#);
    let call = post("/v1/chat/completions", body.clone())
        .with("authorization", "Bearer provider-key")
        .with("content-type", "application/json; charset=utf-8")
        .with("accept-encoding", "gzip, br")
        .with("openai-organization", "org-1")
        .with("x-followup-anything", "1")
        .with("connection", "x-hop")
        .with("x-hop", "1");
    assert_eq!(call.send(&service).await.status, 200);
    let asked = &requests(name).await[0];
    assert_eq!(asked["path"], "/v1/chat/completions");
    assert_eq!(asked["body"], serde_json::from_str::<Value>(&body).unwrap());
    let headers: Vec<String> =
        asked["headers"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_lowercase()).collect();
    for there in [
        "authorization: bearer provider-key",
        "content-type: application/json; charset=utf-8",
        "accept-encoding: identity",
        "openai-organization: org-1",
        &format!("host: {}", upstream().address),
        &format!("content-length: {}", body.len()),
    ] {
        assert!(headers.iter().any(|line| line == there), "{there} in {headers:?}");
    }
    assert!(headers.iter().all(|line| !line.starts_with("x-followup") && !line.starts_with("x-hop")), "{headers:?}");
}

#[tokio::test]
async fn turns_of_one_conversation_do_not_overlap() {
    let service = Service::relay(&[]);
    let id = "one-after-the-other";
    for index in 0..3 {
        let answer = chat(&json!({"stream": "text-only"})).with("x-followup-conversation", id).send(&service).await;
        assert_eq!(answer.header("x-followup-conversation"), Some(id));
        let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
        let page = Page::of_snapshot(&snapshot);
        assert_eq!(page.all("turn").last().unwrap()["index"], index);
    }
    let play = json!({"stream": "text-only", "at": 500, "gate": "busy"});
    let streaming = chat(&play).with("x-followup-conversation", id).open(&service.address).await;
    let again = chat(&json!({"stream": "text-only"})).with("x-followup-conversation", id).send(&service).await;
    assert_eq!(again.status, 200, "an agent is never refused");
    let other = again.header("x-followup-conversation").unwrap();
    assert_ne!(other, id, "the turn has a conversation of its own");
    let snapshot = get(format!("/conversations/{other}")).send(&service).await.ok();
    assert_eq!(Page::of_snapshot(&snapshot).all("turn").len(), 1);
    let pushed = post(format!("/conversations?id={id}"), "Hi").send(&service).await;
    assert_eq!(pushed.error(), (409, "busy".into()));
    open_gate("busy").await;
    drop(streaming);
}

#[tokio::test]
async fn without_an_upstream_there_is_no_relay() {
    let service = Service::start(&[]);
    assert_eq!(chat(&json!({})).send(&service).await.error(), (503, "no_upstream".into()));
}

#[tokio::test]
async fn the_key_is_sent_if_the_caller_sends_none() {
    let base = format!("http://{}/v1", upstream().address);
    let mut command = crate::service::command(&["--upstream", &base]);
    let service = Service::start_by(command.env("FOLLOWUP_UPSTREAM_KEY", "from-the-environment"));
    for (name, own, expected) in
        [("key-none", None, "bearer from-the-environment"), ("key-own", Some("Bearer mine"), "bearer mine")]
    {
        let mut call = chat(&json!({"name": name, "stream": "text-only"}));
        if let Some(own) = own {
            call = call.with("authorization", own);
        }
        call.send(&service).await;
        let headers = requests(name).await[0]["headers"].to_string().to_lowercase();
        assert!(headers.contains(&format!("authorization: {expected}")), "{headers}");
    }
}

#[tokio::test]
async fn the_proxy_of_the_environment_forwards_plain_requests_and_tunnels_encrypted_ones() {
    let proxy = format!("http://user:secret@{}", upstream().address);
    let start = |base: &str| {
        let mut command = crate::service::command(&["--upstream", base]);
        Service::start_by(command.env("ALL_PROXY", &proxy).env_remove("NO_PROXY").env_remove("no_proxy"))
    };
    // The test provider acts as the proxy: it answers whatever it is asked for.
    let service = start("http://provider.invalid/v1");
    let answer = chat(&json!({"name": "proxied", "stream": "text-only"})).send(&service).await;
    assert_eq!(answer.status, 200);
    let asked = &requests("proxied").await[0];
    assert_eq!(asked["path"], "http://provider.invalid/v1/chat/completions");
    let headers = asked["headers"].to_string().to_lowercase();
    assert!(headers.contains("host: provider.invalid"), "{headers}");
    assert!(headers.contains("proxy-authorization: basic dxnlcjpzzwnyzxq="), "{headers}");
    // No TLS comes out of the tunnel, so the request fails after `CONNECT`.
    let service = start("https://tunnelled.invalid/v1");
    let answer = chat(&json!({"name": "tunnelled"})).send(&service).await;
    assert_eq!(answer.error(), (502, "upstream_unreachable".into()));
    let is_tunnel = |asked: &&Value| asked["path"] == "tunnelled.invalid:443";
    let all = requests("").await;
    let tunnel = all.iter().find(is_tunnel).expect("the proxy was asked for a tunnel");
    assert!(tunnel["headers"].to_string().to_lowercase().contains("proxy-authorization"), "{tunnel}");
    assert!(requests("tunnelled").await.is_empty(), "the proxy can't see the request");
}

/// Many concurrent streams, cut differently: each reader gets exactly its own stream.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_conversations_do_not_mix() {
    let many = if is_short() { 50 } else { 1000 };
    raise_open_files();
    let service = std::sync::Arc::new(Service::relay(&[]));
    let mut running = Vec::new();
    for index in 0..many {
        let service = service.clone();
        running.push(tokio::spawn(async move {
            let id = format!("many-{index}");
            let question = format!("Question {index}?");
            let call = format!("<ask_followup_question><question>{question}</question></ask_followup_question>");
            let characters: Vec<String> = format!("Text {index}. {call}").chars().map(String::from).collect();
            let body: String = characters
                .chunks(3)
                .map(|some| format!("data: {}\n\n", json!({"choices": [{"delta": {"content": some.concat()}}]})))
                .collect();
            let play = json!({"body": body, "cut": format!("random:{index}"), "at": 1, "gate": id});
            let streaming = chat(&play).with("x-followup-conversation", &id).open(&service.address).await;
            let mut events = Events::of(&service, &id, None).await;
            let first = events.next().await.unwrap();
            assert_eq!((&*first.kind, &first.data["turn"]), ("state", &json!("streaming")));
            open_gate(&id).await;
            let body = tokio::spawn(client::read(streaming));
            let mut all = vec![first];
            all.extend(events.up_to(|event| event.kind == "end").await);
            assert!(body.await.unwrap() == play["body"].as_str().unwrap().as_bytes());
            let page = Page::of(&all);
            assert_eq!(page.prose(), format!("Text {index}. "));
            assert_eq!(page.all("call")[0]["question"], question);
        }));
    }
    for one in running {
        one.await.unwrap();
    }
    let all = get("/conversations").send(&service).await.ok();
    assert_eq!(all["conversations"].as_array().unwrap().len(), many);
}

#[tokio::test]
async fn a_long_stream_is_not_kept_in_memory() {
    let service = Service::relay(&[]);
    let event = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "x".repeat(8000)}}]}));
    let play = json!({"body": event, "times": 4000});
    let answer = chat(&play).send(&service).await;
    assert_eq!(answer.body.len(), event.len() * 4000);
    let id = answer.header("x-followup-conversation").unwrap();
    let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
    assert!(snapshot["dropped"].as_u64().unwrap() > 20 << 20);
    if let Some(peak) = service.peak_memory() {
        assert!(peak < 64 << 10, "{peak} KiB for a stream of {} KiB", answer.body.len() >> 10);
    }
}

#[tokio::test]
async fn a_slow_caller_slows_the_provider_down() {
    const LONG: u64 = 100 << 20;
    let service = Service::relay(&[]);
    let event = format!("data: {}\n\n", json!({"choices": [{"delta": {"content": "x".repeat(8000)}}]}));
    let play = json!({"name": "slowly", "body": event, "times": LONG / event.len() as u64});
    let response = chat(&play).open(&service.address).await;
    // Nobody reads the response, so the provider can only fill the buffers of the connections. Wait
    // until it stops. On a slow machine a pause may look like that; the check below is then weaker,
    // but not wrong.
    let before = std::cell::Cell::new(0);
    client::until(async || {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        let now = sent("slowly").await;
        before.replace(now) == now && now > 0
    })
    .await;
    let before = before.get();
    assert!(before < LONG / 2, "{before} bytes were taken from the provider");
    drop(response);
}
