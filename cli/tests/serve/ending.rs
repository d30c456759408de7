//! Shutdown: running relays get time to finish, and the program exits with 0.

use rustix::process::Signal;
use serde_json::json;
use tokio::net::TcpStream;

use crate::client::{Events, chat, get, post, read, until};
use crate::service::Service;
use crate::upstream::open_gate;

#[tokio::test]
async fn a_relay_runs_to_its_end_and_event_streams_end_at_once() {
    for (name, signal) in [("ends-term", Signal::TERM), ("ends-int", Signal::INT)] {
        let mut service = Service::relay(&["--grace", "50"]);
        let play = json!({"stream": "one-call", "at": 5000, "gate": name});
        let response = chat(&play).with("x-followup-conversation", name).open(&service.address).await;
        let mut events = Events::of(&service, name, None).await;
        events.next().await.unwrap();
        service.signal(signal);
        while events.next().await.is_some() {}
        assert!(events.comments >= 1, "a last comment");
        until(async || TcpStream::connect(&service.address).await.is_err()).await;
        open_gate(name).await;
        assert_eq!(read(response).await.len(), 13_022);
        assert_eq!(service.wait(), Some(0));
    }
}

#[tokio::test]
async fn a_relay_that_exceeds_the_grace_period_is_cut_off() {
    let mut service = Service::relay(&["--grace", "0.05"]);
    let play = json!({"stream": "one-call", "behave": "stall", "at": 5000});
    let _response = chat(&play).open(&service.address).await;
    service.signal(Signal::TERM);
    assert_eq!(service.wait(), Some(0));
}

#[tokio::test]
async fn a_second_signal_ends_the_service_at_once() {
    let mut service = Service::relay(&["--grace", "1000"]);
    let play = json!({"stream": "one-call", "behave": "stall", "at": 5000});
    let _response = chat(&play).open(&service.address).await;
    service.signal(Signal::INT);
    until(async || TcpStream::connect(&service.address).await.is_err()).await;
    service.signal(Signal::INT);
    assert_eq!(service.wait(), Some(0));
}

#[tokio::test]
async fn without_running_relays_the_service_ends_at_once() {
    let mut service = Service::start(&["--demo", "--grace", "1000", "--delay", "60000"]);
    get("/healthz").send(&service).await.ok();
    // The shutdown does not wait for a recording.
    post("/demo", json!({"message": "database"}).to_string()).send(&service).await.ok();
    service.signal(Signal::TERM);
    assert_eq!(service.wait(), Some(0));
}

#[tokio::test]
async fn the_service_runs_though_the_reader_of_its_output_has_gone() {
    let service = Service::start_unread(&[]);
    assert_eq!(get("/healthz").send(&service).await.status, 200);
}
