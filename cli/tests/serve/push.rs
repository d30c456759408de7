//! Pushed streams of every provider.

use followup_testing::literals::{MARKUP, PROVIDERS};
use serde_json::json;

use crate::client::{Events, all_events, call, get, post};
use crate::goldens;
use crate::page::Page;
use crate::service::{Service, is_short};

#[tokio::test]
async fn every_providers_stream_is_parsed_with_and_without_its_name() {
    let service = Service::start(&[]);
    for (index, (wire, path)) in goldens::all().into_iter().enumerate() {
        let meant = goldens::meaning(&wire, &path);
        let body = std::fs::read(&path).unwrap();
        for (which, named) in [&*wire, "auto"].into_iter().enumerate() {
            // By default half of the bodies, and of these one in two with its name: the tests of
            // the library read all of them.
            if is_short() && index % 4 != 3 * which {
                continue;
            }
            let id = format!("push-{index}-{named}");
            let answer = post(format!("/conversations?wire={named}&id={id}"), body.clone()).send(&service).await;
            assert_eq!(answer.status, 201);
            assert_eq!(answer.header("location"), Some(&*format!("/conversations/{id}")));
            let events = all_events(&service, &id).await;
            assert_eq!(goldens::normalized(&events), meant, "{} as {named}", path.display());
            assert_eq!(Page::of(&events), Page::of_snapshot(&answer.ok()), "{} as {named}", path.display());
        }
    }
}

#[tokio::test]
async fn a_push_whose_connection_breaks_is_cut_off() {
    let service = Service::start(&[]);
    let (to, pieces) = tokio::sync::mpsc::channel(1);
    let push = post("/conversations?id=breaks&wire=text", "").with_pieces(pieces);
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.try_open(&address).await.map(drop) });
    to.send(Ok("<ask_followup_question><question>Wh".into())).await.unwrap();
    let is_there = async || get("/conversations/breaks").send(&service).await.status == 200;
    crate::client::until(is_there).await;
    to.send(Err(std::io::Error::other("broken"))).await.unwrap();
    let _ = pushed.await.unwrap();
    let page = async || Page::of_snapshot(&get("/conversations/breaks").send(&service).await.ok());
    crate::client::until(async || page().await.turn == "cut_off").await;
    assert_eq!(page().await.all("call")[0]["state"], "rejected");
}

#[tokio::test]
async fn a_push_without_an_id_gets_a_random_one() {
    let service = Service::start(&[]);
    let mut ids = std::collections::BTreeSet::new();
    for _ in 0..20 {
        let answer = post("/conversations", "Hi").send(&service).await;
        let id = answer.ok()["conversation"].as_str().unwrap().to_owned();
        assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
        assert!(ids.insert(id));
    }
    let all = get("/conversations").send(&service).await.ok();
    assert_eq!(all["conversations"].as_array().unwrap().len(), 20);
}

/// For random streams and cuts, all readers show the same as the snapshot, whenever they connected.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_reader_of_a_random_stream_ends_with_the_same_state() {
    let service = Service::start(&["--limit-events", "300"]);
    for seed in 0..if is_short() { 30 } else { 80 } {
        let mut random = fastrand::Rng::with_seed(seed);
        let id = format!("soup-{seed}");
        let mut readers: Vec<(Events, Page)> = Vec::new();
        for turn in 0..2 {
            let mut soup = Vec::new();
            for _ in 0..random.usize(1..150) {
                soup.extend_from_slice(random.choice(if seed % 3 == 0 { PROVIDERS } else { MARKUP }).unwrap());
            }
            let (to, pieces) = tokio::sync::mpsc::channel(1);
            let wire = if seed % 3 == 0 { "auto" } else { "text" };
            let push = post(format!("/conversations?id={id}&wire={wire}"), "").with_pieces(pieces);
            let address = service.address.clone();
            let pushed = tokio::spawn(async move { push.send_to(&address).await });
            let mut rest = &soup[..];
            while !rest.is_empty() {
                let (piece, more) = rest.split_at(random.usize(1..=rest.len().min(300)));
                rest = more;
                to.send(Ok(piece.to_vec().into())).await.unwrap();
                if readers.is_empty() && turn == 0 {
                    crate::client::until(async || {
                        get(format!("/conversations/{id}")).send(&service).await.status == 200
                    })
                    .await;
                }
                if readers.is_empty() || random.u8(0..10) == 0 {
                    readers.push((Events::of(&service, &id, None).await, Page::default()));
                }
            }
            drop(to);
            let answer = pushed.await.unwrap();
            assert!(answer.status.is_success(), "{answer:?}");
        }
        let snapshot = Page::of_snapshot(&get(format!("/conversations/{id}")).send(&service).await.ok());
        for (events, page) in &mut readers {
            while page.last != snapshot.last {
                page.apply(&events.next().await.unwrap());
            }
            assert_eq!(*page, snapshot, "seed {seed}");
        }
    }
}

#[tokio::test]
async fn a_question_in_reasoning_is_found_on_request() {
    const ASK: &str = "<ask_followup_question><question>Which?</question></ask_followup_question>";
    let event = |delta: serde_json::Value| format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": delta}]}));
    let (reasoning, text) = (event(json!({"reasoning_content": ASK})), event(json!({"content": ASK})));
    let end = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    let (alone, both) = (format!("{reasoning}{end}"), format!("{reasoning}{text}{end}"));
    let states = |page: &Page| page.all("call").iter().map(|call| call["state"].clone()).collect::<Vec<_>>();
    for (args, of_alone, of_both) in
        [(&["--reasoning"][..], vec!["complete"], vec!["rejected", "complete"]), (&[], vec![], vec!["complete"])]
    {
        let service = Service::start(args);
        for (id, body, expected) in [("alone", &alone, of_alone), ("both", &both, of_both)] {
            let answer = post(format!("/conversations?wire=openai-chat&id={id}"), body.clone()).send(&service).await;
            assert_eq!(states(&Page::of_snapshot(&answer.ok())), expected, "{id} {args:?}");
            let path = format!("/conversations/{id}-in-pieces/turn?message=m&offset=0&wire=openai-chat&last=true");
            call("PATCH", path, body.clone()).send(&service).await.ok();
            let snapshot = get(format!("/conversations/{id}-in-pieces")).send(&service).await.ok();
            assert_eq!(states(&Page::of_snapshot(&snapshot)), expected, "{id} {args:?}, in pieces");
        }
    }
}
