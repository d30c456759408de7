//! Readers that come back to another replica.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::load::Latencies;
use crate::client::{Events, chat, read};
use crate::store::redis_server::RedisServer;
use crate::store::scene::{check_seen, is_end, replica, slow_message};

/// Number of texts in each stream, and the milliseconds before each.
const TEXTS: u64 = 50;
const PAUSE: u64 = 200;

#[test]
#[ignore = "a measurement"]
fn figures_of_reconnects() {
    super::run(measure());
}

async fn measure() {
    let conversations = super::conversations();
    let Some(redis) = RedisServer::start(&[]) else { return };
    let (here, there) = (Arc::new(replica(&redis.url(), &[])), Arc::new(replica(&redis.url(), &[])));
    let mut running = Vec::new();
    for index in 0..conversations {
        tokio::time::sleep(Duration::from_micros(2000 * PAUSE / conversations as u64)).await;
        let (here, there) = (here.clone(), there.clone());
        running.push(tokio::spawn(async move {
            let id = format!("back-{index}");
            let response = chat(&slow_message(TEXTS, PAUSE)).with("x-followup-conversation", &id);
            let body = tokio::spawn(read(response.open(&here.address).await));
            // It reads everything, for the comparison.
            let mut all = Events::from_start(&here, &id).await;
            let mut events = Events::from_start(&here, &id).await;
            let (mut seen, mut left) = (Vec::new(), 10);
            seen.extend(
                events
                    .up_to(|_| {
                        left -= 1;
                        left == 0
                    })
                    .await,
            );
            drop(events);
            // It misses some events.
            tokio::time::sleep(Duration::from_millis(4 * PAUSE)).await;
            let (start, last) = (Instant::now(), seen.last().unwrap().id.clone());
            let mut events = Events::of(&there, &id, Some(&last)).await;
            seen.push(events.next().await.unwrap());
            let took = start.elapsed();
            seen.extend(events.up_to(is_end).await);
            check_seen(&seen, &all.up_to(is_end).await);
            body.await.unwrap();
            (took, seen.iter().any(|event| event.kind == "state"))
        }));
    }
    let (mut took, mut states) = (Latencies::default(), 0);
    for one in running {
        let (one, has_state) = one.await.unwrap();
        took.0.push(one);
        states += usize::from(has_state);
    }
    println!("readers back on another replica  {conversations}; nothing missing, nothing twice");
    println!("until the next event             {took}");
    println!("with a `state`                   {states}");
}
