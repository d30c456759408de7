//! How many events a replica takes: with and without a store, and of another build.

use std::time::Instant;

use serde_json::{Value, json};

use super::redis_figures::commands;
use crate::client::{Events, chat, get, number, read};
use crate::service::{Service, command_of};
use crate::store::redis_server::RedisServer;
use crate::store::scene::{is_end, replica};

const CONVERSATIONS: usize = 32;
const TEXTS: usize = 3000;
const ROUNDS: usize = 5;

#[test]
#[ignore = "a measurement"]
fn figures_of_throughput() {
    super::run(measure());
}

/// What a service took for one event, in microseconds: on the clock, and of the processor.
type Cost = [f64; 2];

async fn measure() {
    let Some(redis) = RedisServer::start(&[]) else { return };
    let other = std::env::var("FOLLOWUP_OTHER").ok();
    let mut costs: [(&str, Vec<Cost>); 3] = [("memory", vec![]), ("store", vec![]), ("other build", vec![])];
    for _ in 0..ROUNDS {
        costs[0].1.push(cost(&Service::relay(&[])).await);
        redis.tell("CONFIG RESETSTAT");
        costs[1].1.push(cost(&replica(&redis.url(), &[])).await);
        if let Some(program) = &other {
            let base = format!("http://{}/v1", crate::upstream::upstream().address);
            let mut command = command_of(program, &["--upstream", &base]);
            costs[2].1.push(cost(&Service::start_by(&mut command)).await);
        }
    }
    let (scripts, events) = (commands(&redis)["evalsha"], (CONVERSATIONS + 2) * TEXTS);
    println!("scripts      {:.2} per event", scripts / events as f64);
    let memory = medians(&costs[0].1);
    for (name, costs) in costs.iter().filter(|(_, costs)| !costs.is_empty()) {
        let cost = medians(costs);
        println!(
            "{name:<12} {:.0} events per second ({:.0} % of memory), {:.1} µs of the processor per event ({:.2} × memory)",
            1e6 / cost[0],
            memory[0] / cost[0] * 100.0,
            cost[1],
            cost[1] / memory[1]
        );
    }
}

fn medians(costs: &[Cost]) -> Cost {
    [0, 1].map(|which| {
        let mut sorted: Vec<f64> = costs.iter().map(|cost| cost[which]).collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    })
}

/// Streams messages as fast as the service takes them, each to a caller and a reader.
async fn cost(service: &Service) -> Cost {
    stream(service, "warm", 2).await;
    let (before, start) = (service.cpu_time().unwrap(), Instant::now());
    let events = stream(service, "fast", CONVERSATIONS).await as f64;
    let (took, used) = (start.elapsed().as_secs_f64(), service.cpu_time().unwrap() - before);
    [took, used].map(|seconds| seconds / events * 1e6)
}

/// Returns the number of events.
async fn stream(service: &Service, name: &str, conversations: usize) -> u64 {
    let mut running = Vec::new();
    for index in 0..conversations {
        let address = service.address.clone();
        let id = format!("{name}-{index}");
        running.push(tokio::spawn(async move {
            let response = chat(&message()).with("x-followup-conversation", &id).open(&address).await;
            let body = tokio::spawn(read(response));
            let mut events = Events::from(get(format!("/conversations/{id}/events")).open(&address).await);
            let end = loop {
                let event = events.next().await.unwrap();
                // A reader that is too slow gets a `state`.
                if is_end(&event) || event.data["turn"] == "ended" {
                    break event;
                }
            };
            body.await.unwrap();
            number(&end.id)
        }));
    }
    let mut events = 0;
    for one in running {
        events += one.await.unwrap();
    }
    events
}

/// A message of many short texts, in pieces of one each.
fn message() -> Value {
    let text = format!("data: {}\n\n", json!({"choices": [{"index": 0, "delta": {"content": "some words "}}]}));
    json!({"body": text, "times": TEXTS, "cut": text.len().to_string()})
}
