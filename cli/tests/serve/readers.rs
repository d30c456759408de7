//! Readers that connect, leave, return, and lag.

use std::time::Duration;

use serde_json::json;

use crate::client::{Event, Events, all_events, call, chat, get, number, post, until};
use crate::page::Page;
use crate::service::Service;
use crate::upstream::open_gate;

#[tokio::test]
async fn a_reader_that_leaves_and_returns_gets_every_event_once() {
    let service = Service::relay(&[]);
    for (index, leave_after) in [1, 2, 3, 5, 8, 13, 1000].into_iter().enumerate() {
        let id = format!("returns-{index}");
        let play = json!({"stream": "markup-in-text", "cut": "random:5", "at": 2000, "gate": id});
        let relay = chat(&play).with("x-followup-conversation", &id).open(&service.address).await;
        let body = tokio::spawn(crate::client::read(relay));
        let mut seen: Vec<Event> = Vec::new();
        let mut visits = 0;
        while seen.last().is_none_or(|event| event.kind != "end") {
            let last = seen.last().map(|event| event.id.clone());
            let mut events = Events::of(&service, &id, last.as_deref()).await;
            for _ in 0..leave_after {
                seen.push(events.next().await.unwrap());
                if seen.len() == 1 {
                    open_gate(&id).await;
                }
                if seen.last().unwrap().kind == "end" {
                    break;
                }
            }
            visits += 1;
        }
        assert_eq!(visits, seen.len().div_ceil(leave_after));
        let numbers: Vec<_> = seen.iter().map(|event| number(&event.id)).collect();
        let expected: Vec<_> = (numbers[0]..).take(numbers.len()).collect();
        assert_eq!(numbers, expected, "state first, then every event once");
        assert_eq!(seen.iter().filter(|event| event.kind == "state").count(), 1);
        let snapshot = get(format!("/conversations/{id}")).send(&service).await.ok();
        assert_eq!(Page::of(&seen), Page::of_snapshot(&snapshot));
        body.await.unwrap();
    }
}

#[tokio::test]
async fn a_reader_reaches_the_same_state_whenever_it_connects() {
    let service = Service::start(&[]);
    let body = "Hm. <ask_followup_question><question>Which?</question><suggest mode=\"code\">A</suggest><suggest>B</suggest>\
        </ask_followup_question> <read_file><path>x</path></read_file> And <ask_followup_question></ask_followup_question>";
    let (to, pieces) = tokio::sync::mpsc::channel(1);
    let push = post("/conversations?id=comes&wire=text", "").with_pieces(pieces);
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    let mut readers: Vec<(Events, Page)> = Vec::new();
    for (index, piece) in body.as_bytes().chunks(9).enumerate() {
        to.send(Ok(piece.to_vec().into())).await.unwrap();
        if index == 0 {
            until(async || get("/conversations/comes").send(&service).await.status == 200).await;
        }
        let mut events = Events::of(&service, "comes", None).await;
        let state = events.next().await.unwrap();
        readers.push((events, Page::of(&[state])));
    }
    drop(to);
    let snapshot = pushed.await.unwrap().ok();
    for (events, page) in &mut readers {
        while page.last != snapshot["last"] {
            page.apply(&events.next().await.unwrap());
        }
        assert_eq!(*page, Page::of_snapshot(&snapshot));
    }
}

#[tokio::test]
async fn an_unknown_event_id_gets_the_whole_state() {
    let service = Service::start(&[]);
    let last =
        post("/conversations?id=ids&wire=text", "Hi").send(&service).await.ok()["last"].as_str().unwrap().to_owned();
    let (epoch, _) = last.rsplit_once('-').unwrap();
    for odd in ["", "1", "nonsense", "00000000-1", &format!("{epoch}-99"), &format!("{epoch}--1"), &"9".repeat(5000)] {
        let mut events = Events::of(&service, "ids", Some(odd)).await;
        let state = events.next().await.unwrap();
        assert_eq!((&*state.kind, &state.id), ("state", &last), "{odd:.20}");
    }
    // The query parameter is for clients that can't set headers.
    let response = get(format!("/conversations/ids/events?last-event-id={epoch}-1")).open(&service.address).await;
    assert_eq!(number(&Events::from(response).next().await.unwrap().id), 2);
}

#[tokio::test]
async fn a_slow_reader_gets_the_state_in_place_of_dropped_events() {
    let service = Service::start(&["--limit-events", "50", "--limit-kept", "100000"]);
    post("/conversations?id=slow&wire=text", "Begin. ").send(&service).await;
    let mut events = Events::of(&service, "slow", None).await;
    let mut seen = vec![events.next().await.unwrap()];
    // More than the connection buffers; nobody reads it yet.
    let text = "0123456789 ".repeat(6_000);
    for _ in 0..400 {
        let pushed = post("/conversations?id=slow&wire=text", text.clone()).send(&service).await;
        assert_eq!(pushed.status, 200);
    }
    let snapshot = get("/conversations/slow").send(&service).await.ok();
    let last = snapshot["last"].as_str().unwrap().to_owned();
    seen.extend(events.up_to(|event| event.id == last).await);
    let states = seen.iter().filter(|event| event.kind == "state").count();
    assert!(states >= 2, "{states}");
    assert!(
        events.bytes < 400 * text.len() * 3 / 4,
        "{} bytes were received of {} that were pushed",
        events.bytes,
        400 * text.len()
    );
    let numbers: Vec<_> = seen.iter().map(|event| number(&event.id)).collect();
    assert!(numbers.is_sorted(), "numbers never decrease");
    let from = seen.iter().rposition(|event| event.kind == "state").unwrap();
    let page = Page::of(&seen[from..]);
    let whole = Page::of_snapshot(&snapshot);
    // A reader that was connected may show more of what the service has dropped.
    assert!(page.prose().ends_with(&whole.prose()) && (page.turn, page.last) == (whole.turn, whole.last));
    if let Some(peak) = service.peak_memory() {
        assert!(peak < 64 << 10, "{peak} KiB");
    }
}

#[tokio::test]
async fn an_idle_event_stream_gets_heartbeats() {
    let service = Service::start(&["--heartbeat", "0.01"]);
    post("/conversations?id=quiet&wire=text", "Hi").send(&service).await;
    let mut events = Events::of(&service, "quiet", None).await;
    events.next().await.unwrap();
    for _ in 0..3 {
        events.comment().await;
    }
}

#[tokio::test]
async fn an_event_stream_gets_heartbeats_while_chunks_without_an_event_arrive() {
    let service = Service::start(&["--heartbeat", "0.2"]);
    let (to, pieces) = tokio::sync::mpsc::channel(1);
    let push = post("/conversations?id=thinks&wire=openai-chat", "").with_pieces(pieces);
    let address = service.address.clone();
    let pushed = tokio::spawn(async move { push.send_to(&address).await });
    // As a provider does while its model thinks: far more often than heartbeats are due.
    let thinks = tokio::spawn(async move {
        while to.send(Ok(": thinking\n\n".into())).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    until(async || get("/conversations/thinks").send(&service).await.status == 200).await;
    let mut events = Events::of(&service, "thinks", None).await;
    events.next().await.unwrap();
    for _ in 0..3 {
        events.comment().await;
    }
    thinks.abort();
    pushed.await.unwrap();
}

#[tokio::test]
async fn readers_get_an_event_when_a_conversation_is_deleted() {
    let service = Service::start(&[]);
    post("/conversations?id=gone&wire=text", "Hi").send(&service).await;
    let mut readers = Vec::new();
    for _ in 0..5 {
        readers.push(Events::of(&service, "gone", None).await);
    }
    assert_eq!(call("DELETE", "/conversations/gone", "").send(&service).await.status, 204);
    for reader in &mut readers {
        let all = reader.up_to(|event| event.kind == "gone").await;
        assert!(all.len() <= 2 && reader.next().await.is_none());
    }
    assert_eq!(call("DELETE", "/conversations/gone", "").send(&service).await.error(), (404, "not_found".into()));
    assert_eq!(get("/conversations/gone/events").send(&service).await.error(), (404, "not_found".into()));
}

#[tokio::test]
async fn event_numbers_continue_across_turns_and_answers() {
    let service = Service::start(&[]);
    let ask = "<ask_followup_question><question>Sure?</question></ask_followup_question>";
    for number in 0..3 {
        post("/conversations?id=on&wire=text", ask).send(&service).await;
        let answer = post("/conversations/on/answer", json!({"number": number, "text": "Yes"}).to_string());
        answer.send(&service).await.ok();
    }
    let events = all_events(&service, "on").await;
    let numbers: Vec<_> = events.iter().map(|event| number(&event.id)).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    let snapshot = get("/conversations/on").send(&service).await.ok();
    assert_eq!(Page::of(&events), Page::of_snapshot(&snapshot));
}
