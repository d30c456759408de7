//! A million streams open at once: what a chunk costs whose parser is not in the cache, and how much memory they take.
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
    println!("a chunk for a parser                          {:7.1} ns", ns_each(visits.parsers, LIVE));
    println!("one cache line of as many things of its size  {:7.1} ns", ns_each(visits.lines, LIVE));
    println!("one cache line of as many that are no longer  {:7.1} ns", ns_each(visits.dense, LIVE));
    println!("times as long as a cache line                 {:7.2}", ratio(visits.parsers, visits.lines));
    println!("  … of things that are no longer              {:7.2}", ratio(visits.parsers, visits.dense));
    println!("a parser                                      {:7} bytes", size_of::<Parser>());
    println!("allocated for each                            {:7.1} bytes", allocated as f64 / LIVE as f64);
}
