//! A million open streams: the cost of a chunk outside the cache, and the memory of a parser.
//!
//! `cargo bench --bench live`

mod common;

use std::time::Duration;

use common::live::{LIVE, measure, parsers};
use common::{ns_each, ratio};
use followup::Parser;

fn main() {
    let mut live = Vec::new();
    let allocated = allocation_counter::measure(|| live = parsers()).bytes_current;
    let visits = measure(&mut live, Duration::from_secs(8));
    println!("{LIVE} live parsers, visited in random order with 4 bytes of prose each; the shortest of many rounds\n");
    println!("feeding a parser one chunk                    {:7.1} ns", ns_each(visits.parsers, LIVE));
    println!("changing a cache line in objects of its size  {:7.1} ns", ns_each(visits.lines, LIVE));
    println!("changing objects of one cache line            {:7.1} ns", ns_each(visits.dense, LIVE));
    println!("parser / cache line in objects of its size    {:7.2}", ratio(visits.parsers, visits.lines));
    println!("parser / objects of one cache line            {:7.2}", ratio(visits.parsers, visits.dense));
    println!("size of a parser                              {:7} bytes", size_of::<Parser>());
    println!("memory for each                               {:7.1} bytes", allocated as f64 / LIVE as f64);
}
