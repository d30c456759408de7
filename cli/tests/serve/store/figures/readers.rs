//! Readers on the replica that relays, and on another one.

use super::load::{LARGE, Load};
use super::redis_figures::{commands, connections, cpu_time, info, memory, print_sent};
use crate::store::redis_server::RedisServer;
use crate::store::scene::two_replicas;

#[test]
#[ignore = "a measurement"]
fn figures_of_readers() {
    super::run(measure());
}

async fn measure() {
    let load = Load::from_environment();
    let node = super::number("FOLLOWUP_NODE", 4096).to_string();
    let Some(redis) = RedisServer::start(&["--stream-node-max-bytes", &node]) else { return };
    let (here, there) = two_replicas(&redis.url(), &LARGE);
    Load { conversations: 20, texts: 5, ..load }.run("warm", &here, &[&here, &there]).await;
    redis.tell("FLUSHALL");
    redis.tell("CONFIG RESETSTAT");
    let empty = info(&redis, "memory", "used_memory");
    let cpu = || (here.cpu_time().unwrap(), there.cpu_time().unwrap(), cpu_time(&redis));
    let (before, start) = (cpu(), std::time::Instant::now());
    let latencies = load.run("load", &here, &[&here, &there]).await;
    let (after, seconds) = (cpu(), start.elapsed().as_secs_f64());
    let (commands, connections) = (commands(&redis), connections(&redis));
    let moved = ["total_net_input_bytes", "total_net_output_bytes"].map(|field| info(&redis, "stats", field));
    let events = load.events();
    println!("conversations    {}, {:.0} events per second", load.conversations, events / seconds);
    println!("readers here     {}", latencies[0]);
    println!("readers there    {}", latencies[1]);
    let added = |part| latencies[1].at(part) - latencies[0].at(part);
    println!("added            p50 {:.2} ms, p99 {:.2} ms", added(0.5), added(0.99));
    print_sent(&commands, load);
    println!("connections      {:.1} per replica", connections / 2.0);
    let share = |before: f64, after: f64| {
        let used = after - before;
        format!("{:.0} µs per event, {:.0} % of a core", used / events * 1e6, used / seconds * 100.0)
    };
    println!("the relaying one {}", share(before.0, after.0));
    println!("the other one    {}", share(before.1, after.1));
    println!("redis            {}", share(before.2, after.2));
    println!("to redis         {:.0} bytes per event, from it {:.0}", moved[0] / events, moved[1] / events);
    let full = info(&redis, "memory", "used_memory");
    let memory = memory(&redis);
    let each = |bytes: f64| bytes / load.conversations as f64;
    let (all, of_events) = (memory.keys.values().sum::<usize>() as f64, memory.events as f64);
    println!("memory of keys   {:.0} bytes per conversation, {:.0} of them events", each(all), each(of_events));
    for (kind, bytes) in &memory.keys {
        println!("    {kind:<12} {:.0}", each(*bytes as f64));
    }
    println!("beside events    {:.0} bytes per conversation", each(all - of_events));
    println!("used_memory      {:.0} bytes per conversation", each(full - empty));
    for service in [&here, &there] {
        println!("peak memory      {:.1} KiB per conversation", each(service.peak_memory().unwrap() as f64));
    }
}
