//! How many conversations a service holds, and how soon their readers see what happens. It measures, and is not run by default:
//!
//! `cargo test --release -p followup-cli --test serve -- --ignored --nocapture load`; `FOLLOWUP_LOAD` says how many.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::json;

use crate::client::{Events, chat, read};
use crate::service::{Service, raise_open_files};

/// How many events each stream has, and how many milliseconds are between them.
const EVENTS: usize = 50;
const PAUSE: u64 = 200;

#[test]
#[ignore = "it measures"]
fn load() {
    let many = std::env::var("FOLLOWUP_LOAD").ok().and_then(|many| many.parse().ok()).unwrap_or(1000).min(5000);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(measure(many));
}

async fn measure(many: usize) {
    raise_open_files();
    let service = Arc::new(Service::relay(&["--limit-conversations", "10000"]));
    let begun = Instant::now();
    let mut running = Vec::new();
    for nth in 0..many {
        let service = service.clone();
        // They begin one after the other, within the pause between two events.
        tokio::time::sleep(Duration::from_micros(1000 * PAUSE / many as u64)).await;
        running.push(tokio::spawn(async move {
            let id = format!("load-{nth}");
            let play = json!({"load": {"events": EVENTS, "pause": PAUSE}});
            let response = chat(&play).with("x-followup-conversation", &id).open(&service.address).await;
            let body = tokio::spawn(read(response));
            let mut events = Events::of(&service, &id, None).await;
            let mut late = Vec::new();
            let mut count = 0;
            while let Some(event) = events.next().await {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos();
                count += 1;
                if event.kind == "end" {
                    break;
                }
                for stamp in event.data["text"].as_str().unwrap_or_default().split_whitespace() {
                    late.push(u64::try_from(now.saturating_sub(stamp.parse::<u128>().unwrap())).unwrap());
                }
            }
            body.await.unwrap();
            (late, count)
        }));
    }
    let (mut late, mut count) = (Vec::new(), 0);
    for one in running {
        let (more, events) = one.await.unwrap();
        late.extend(more);
        count += events;
    }
    let took = begun.elapsed();
    late.sort_unstable();
    let at = |part: f64| late[((late.len() - 1) as f64 * part) as usize] as f64 / 1e6;
    println!("conversations at once  {many}, each with a caller and a reader");
    println!(
        "events read            {count} in {:.1} s: {:.0} a second",
        took.as_secs_f64(),
        count as f64 / took.as_secs_f64()
    );
    println!("provider to reader     p50 {:.2} ms, p99 {:.2} ms, most {:.2} ms", at(0.5), at(0.99), at(1.0));
    if let Some(peak) = service.peak_memory() {
        println!(
            "peak memory            {:.1} MiB, {:.1} KiB a conversation",
            peak as f64 / 1024.0,
            peak as f64 / many as f64
        );
    }
    assert!(late.len() > many * EVENTS * 9 / 10, "readers came in time");
}
