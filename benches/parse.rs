//! Throughput in chunks and in bytes per second.
//!
//! It is measured for every workload and chunk size, as text and as bytes. Every run checks the
//! totals of its events.
//!
//! `cargo bench --bench parse` runs everything, `cargo bench --bench parse -- prose` a part.

mod common;

use std::time::Duration;

use common::{LENGTHS, NewParser, Stream};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use followup::Parser;
use followup_testing::workloads::{self, Workload};

/// The sizes of chunks, from one byte to the whole message.
const SIZES: [usize; 6] = [1, 4, 16, 64, 4096, usize::MAX];

fn everyday(criterion: &mut Criterion) {
    for workload in workloads::everyday() {
        sizes(criterion, &workload, Parser::new);
    }
}

/// A chunk costs the same however long the call is: compare the lengths.
fn calls(criterion: &mut Criterion) {
    lengths(criterion, workloads::question, Parser::new);
    lengths(criterion, workloads::arguments, Parser::arguments);
}

fn adversarial(criterion: &mut Criterion) {
    for workload in workloads::adversarial(64 << 10) {
        sizes(criterion, &workload, Parser::new);
    }
}

/// Measures a workload in chunks of each size.
fn sizes(criterion: &mut Criterion, workload: &Workload, new: NewParser) {
    let mut group = criterion.benchmark_group(workload.name);
    for size in SIZES {
        let name = if size == usize::MAX { "whole".to_owned() } else { size.to_string() };
        both(&mut group, &Stream::new(workload, size), new, &name);
    }
    group.finish();
}

/// Measures a call of each length in chunks of 4 bytes, and one of them in chunks of each size.
fn lengths(criterion: &mut Criterion, workload: fn(usize) -> Workload, new: NewParser) {
    sizes(criterion, &workload(64 << 10), new);
    let name = workload(0).name;
    let mut group = criterion.benchmark_group(format!("{name} by length, in chunks of 4"));
    for len in LENGTHS {
        let workload = workload(len);
        both(&mut group, &Stream::new(&workload, 4), new, &format!("{} KiB", len >> 10));
    }
    group.finish();
}

/// Measures a stream as text and as bytes.
fn both(group: &mut BenchmarkGroup<'_, WallTime>, stream: &Stream<'_>, new: NewParser, name: &str) {
    let bytes = stream.workload.message.len() as u64;
    // The same number of runs in each sample, because the longest streams have time for only one.
    group.sampling_mode(SamplingMode::Flat);
    let mut parser = new(stream.workload.policy());
    group.throughput(Throughput::ElementsAndBytes { elements: stream.text.len() as u64, bytes });
    group.bench_function(BenchmarkId::new("text", name), |bencher| bencher.iter(|| stream.parse(&mut parser)));
    group.throughput(Throughput::ElementsAndBytes { elements: stream.bytes.len() as u64, bytes });
    group.bench_function(BenchmarkId::new("bytes", name), |bencher| bencher.iter(|| stream.parse_bytes(&mut parser)));
}

criterion_group! {
    name = benches;
    // Short, because there are many of them. For reliable ratios there is the bench `goals`.
    config = Criterion::default()
        .sample_size(10)
        .nresamples(5000)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(300));
    targets = everyday, calls, adversarial
}
criterion_main!(benches);
