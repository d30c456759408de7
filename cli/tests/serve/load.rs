//! A load test, not run by default: many conversations at once, and how soon readers get events.
//!
//! `cargo test --release -p followup-cli --test serve -- --ignored --nocapture load` runs it, with
//! `FOLLOWUP_LOAD` conversations.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::client::{Events, chat, read};
use crate::service::{Service, raise_open_files};

/// Number of events in each stream, and the milliseconds between them.
const EVENTS: usize = 50;
const PAUSE: u64 = 200;

#[test]
#[ignore = "a measurement"]
fn load() {
    let many = std::env::var("FOLLOWUP_LOAD").ok().and_then(|many| many.parse().ok()).unwrap_or(1000).min(5000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(measure(many));
}

async fn measure(many: usize) {
    raise_open_files();
    let service = Arc::new(Service::relay(&["--limit-conversations", "10000", "--limit-requests", "10000"]));
    let start = Instant::now();
    let mut running = Vec::new();
    for index in 0..many {
        let service = service.clone();
        // The streams start evenly within the pause between two events.
        tokio::time::sleep(Duration::from_micros(1000 * PAUSE / many as u64)).await;
        running.push(tokio::spawn(async move {
            let id = format!("load-{index}");
            let play = json!({"load": {"events": EVENTS, "pause": PAUSE}});
            let response = chat(&play).with("x-followup-conversation", &id).open(&service.address).await;
            let body = tokio::spawn(read(response));
            let mut events = Events::of(&service, &id, None).await;
            let mut latencies = Vec::new();
            let mut count = 0;
            while let Some(event) = events.next().await {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
                count += 1;
                if event.kind == "end" {
                    break;
                }
                for stamp in event.data["text"].as_str().unwrap_or_default().split_whitespace() {
                    latencies.push(u64::try_from(now.saturating_sub(stamp.parse::<u128>().unwrap())).unwrap());
                }
            }
            body.await.unwrap();
            (latencies, count)
        }));
    }
    let (mut latencies, mut count) = (Vec::new(), 0);
    for one in running {
        let (more, events) = one.await.unwrap();
        latencies.extend(more);
        count += events;
    }
    let took = start.elapsed();
    latencies.sort_unstable();
    let percentile = |part: f64| latencies[((latencies.len() - 1) as f64 * part) as usize] as f64 / 1e6;
    println!("conversations at once  {many}, each with a caller and a reader");
    println!(
        "events read            {count} in {:.1} s: {:.0} per second",
        took.as_secs_f64(),
        count as f64 / took.as_secs_f64()
    );
    println!(
        "provider to reader     p50 {:.2} ms, p99 {:.2} ms, max {:.2} ms",
        percentile(0.5),
        percentile(0.99),
        percentile(1.0)
    );
    if let Some(peak) = service.peak_memory() {
        println!(
            "peak memory            {:.1} MiB, {:.1} KiB per conversation",
            peak as f64 / 1024.0,
            peak as f64 / many as f64
        );
    }
    assert!(latencies.len() > many * EVENTS * 9 / 10, "readers connected in time");
}
