//! The budget of memory that all conversations have together.

use serde_json::json;
use tokio::sync::mpsc;

use crate::client::{Events, call, chat, get, post, read, until};
use crate::service::Service;
use crate::upstream::open_gate;

/// Returns a metric.
pub(crate) async fn metric(service: &Service, name: &str) -> u64 {
    let text = get("/metrics").send(service).await;
    let text = String::from_utf8(text.body.to_vec()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.unwrap().parse().unwrap()
}

async fn ids(service: &Service) -> Vec<String> {
    let all = get("/conversations").send(service).await.ok();
    all["conversations"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_conversations_unused_for_longest_are_dropped_beyond_the_budget() {
    const MIB: u64 = 1 << 20;
    let service = Service::start(&["--max-memory", &(32 * MIB).to_string()]);
    let text = "All work and no play makes Jack a dull boy. ".repeat(1 << 15);
    let reader = {
        post("/conversations?id=read&wire=text", "Hi").send(&service).await.ok();
        Events::of(&service, "read", None).await
    };
    for index in 0..50 {
        post(format!("/conversations?id=long-{index}&wire=text"), text.clone()).send(&service).await.ok();
    }
    let used = metric(&service, "followup_memory_bytes").await;
    assert!((20 * MIB..=32 * MIB).contains(&used), "{used}");
    let ids = ids(&service).await;
    assert!(ids.contains(&"long-49".to_owned()) && ids.contains(&"read".to_owned()), "{ids:?}");
    assert!((5..32).contains(&ids.len()) && !ids.contains(&"long-0".to_owned()), "{ids:?}");
    if let Some(peak) = service.peak_memory() {
        println!("peak {} KiB, counted {} KiB", peak, used >> 10);
        assert!(peak < 96 << 10, "{peak} KiB for a budget of 32 MiB");
    }
    for id in ids {
        call("DELETE", format!("/conversations/{id}"), "").send(&service).await;
    }
    drop(reader);
    until(async || metric(&service, "followup_memory_bytes").await == 0).await;
}

#[tokio::test]
async fn when_all_are_in_use_a_turn_is_refused() {
    let service = Service::relay(&["--max-memory", "100000"]);
    let play = json!({"stream": "text-only", "at": 100, "gate": "memory"});
    let one = chat(&play).open(&service.address).await;
    let two = chat(&play).open(&service.address).await;
    let refused = [chat(&json!({"stream": "text-only"})), post("/conversations?wire=text", "Hi")];
    for refused in refused {
        let refused = refused.send(&service).await;
        assert_eq!(refused.error(), (503, "memory_full".into()));
        assert_eq!(refused.header("retry-after"), Some("5"));
    }
    assert_eq!(get("/v1/models").send(&service).await.status, 200, "what keeps nothing passes");
    open_gate("memory").await;
    read(one).await;
    read(two).await;
    until(async || chat(&json!({"stream": "text-only"})).send(&service).await.status == 200).await;
}

#[tokio::test]
async fn bodies_are_counted_while_they_arrive_and_refused_beyond_the_budget() {
    const FIRST: usize = 1 << 20;
    const SECOND: usize = 256 << 10;
    let service = Service::relay(&["--max-memory", &(FIRST + SECOND - 1).to_string()]);
    let begin = |path: &str| {
        let (to, pieces) = mpsc::channel(1);
        (to, post(path, "").with_pieces(pieces))
    };
    let paths = ["/v1/chat/completions", "/conversations/asks/answer"];
    // The budget has no room for a conversation besides, so this one is small.
    post("/conversations?id=asks&wire=text", "Hi").send(&service).await.ok();
    let _reader = Events::of(&service, "asks", None).await;
    let before = metric(&service, "followup_memory_bytes").await;
    for path in paths {
        // Neither body ends.
        let (first, call) = begin(path);
        let address = service.address.clone();
        let sending = tokio::spawn(async move { call.try_open(&address).await.is_err() });
        first.send(Ok(vec![b' '; FIRST - before as usize].into())).await.unwrap();
        until(async || metric(&service, "followup_memory_bytes").await == FIRST as u64).await;
        for path in paths {
            let (second, call) = begin(path);
            // The last of these bytes are too many.
            second.send(Ok(vec![b' '; SECOND].into())).await.unwrap();
            assert_eq!(call.send(&service).await.error(), (503, "memory_full".into()), "{path}");
            assert_eq!(metric(&service, "followup_memory_bytes").await, FIRST as u64);
        }
        first.send(Err(std::io::Error::other("the client breaks off"))).await.unwrap();
        assert!(sending.await.unwrap());
        until(async || metric(&service, "followup_memory_bytes").await == before).await;
    }
}

#[tokio::test]
async fn what_is_kept_between_two_pieces_is_counted() {
    const LEN: usize = 4 << 20;
    let service = Service::start(&[]);
    let piece = async |offset: usize, body: String, last: bool| {
        let path = format!("/conversations/p/turn?message=a&offset={offset}&wire=openai-chat&last={last}");
        call("PATCH", path, body).send(&service).await.ok();
        metric(&service, "followup_memory_bytes").await
    };
    // An event that has not ended yet.
    let open = piece(0, format!("data: {}", "x".repeat(LEN)), false).await;
    assert!((LEN as u64..3 * LEN as u64).contains(&open), "{open}");
    let ended = piece(LEN + 6, "\n\n".into(), true).await;
    assert!(ended < 64 << 10, "{ended}");
}
