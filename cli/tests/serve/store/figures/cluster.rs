//! What a cluster costs: three primaries, each with a copy, on this machine.

use std::collections::BTreeMap;

use super::load::{LARGE, Load};
use super::redis_figures::{commands, cpu_time, print_sent};
use crate::store::redis_cluster::RedisCluster;
use crate::store::redis_server::RedisServer;
use crate::store::scene::two_replicas;

#[test]
#[ignore = "a measurement"]
fn figures_of_a_cluster() {
    super::run(measure());
}

async fn measure() {
    let load = Load::from_environment();
    let Some(cluster) = RedisCluster::start().await else { return };
    let (here, there) = two_replicas(&cluster.url(), &LARGE);
    Load { conversations: 20, texts: 5, ..load }.run("warm", &here, &[&here, &there]).await;
    let (primaries, copies) = cluster.nodes.split_at(3);
    primaries.iter().for_each(|node| node.tell("CONFIG RESETSTAT"));
    let cpu = |nodes: &[RedisServer]| nodes.iter().map(cpu_time).sum::<f64>();
    let (before, start) = ([cpu(primaries), cpu(copies)], std::time::Instant::now());
    let latencies = load.run("load", &here, &[&here, &there]).await;
    let (after, seconds) = ([cpu(primaries), cpu(copies)], start.elapsed().as_secs_f64());
    let events = load.events();
    println!("conversations    {}, {:.0} events per second", load.conversations, events / seconds);
    println!("readers here     {}", latencies[0]);
    println!("readers there    {}", latencies[1]);
    let mut all = BTreeMap::<String, f64>::new();
    for (name, calls) in primaries.iter().flat_map(commands) {
        *all.entry(name).or_default() += calls;
    }
    print_sent(&all, load, true);
    let used = |which: usize| (after[which] - before[which]) / events * 1e6;
    println!("the primaries    {:.0} µs per event", used(0));
    println!("their copies     {:.0} µs per event", used(1));
}
