//! What a stream costs, by kind and by the size of its chunks: in chunks and in bytes a second, as text and as bytes. Every run
//! checks what came out.
//!
//! `cargo bench --bench parse` runs all; `cargo bench --bench parse -- prose` some.

mod common;

use std::time::Duration;

use common::{LENGTHS, New, Stream};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use followup::Parser;
use followup_testing::workloads::{self, Workload};

/// From a byte to the whole message.
const SIZES: [usize; 6] = [1, 4, 16, 64, 4096, usize::MAX];

fn everyday(criterion: &mut Criterion) {
    for workload in workloads::everyday() {
        sizes(criterion, &workload, Parser::new);
    }
}

/// However long a call is, a chunk of it costs the same: to be read along the lengths.
fn calls(criterion: &mut Criterion) {
    lengths(criterion, workloads::question, Parser::new);
    lengths(criterion, workloads::arguments, Parser::arguments);
}

fn adversarial(criterion: &mut Criterion) {
    for workload in workloads::adversarial(64 << 10) {
        sizes(criterion, &workload, Parser::new);
    }
}

/// A workload in chunks of each size.
fn sizes(criterion: &mut Criterion, workload: &Workload, new: New) {
    let mut group = criterion.benchmark_group(workload.name);
    for size in SIZES {
        let name = if size == usize::MAX { "whole".to_owned() } else { size.to_string() };
        both(&mut group, &Stream::new(workload, size), new, &name);
    }
    group.finish();
}

/// One call of each length in chunks of 4 bytes, and one of them in chunks of each size.
fn lengths(criterion: &mut Criterion, workload: fn(usize) -> Workload, new: New) {
    sizes(criterion, &workload(64 << 10), new);
    let name = workload(0).name;
    let mut group = criterion.benchmark_group(format!("{name} by length, in chunks of 4"));
    for len in LENGTHS {
        let workload = workload(len);
        both(&mut group, &Stream::new(&workload, 4), new, &format!("{} KiB", len >> 10));
    }
    group.finish();
}

/// As text and as bytes.
fn both(group: &mut BenchmarkGroup<'_, WallTime>, stream: &Stream<'_>, new: New, name: &str) {
    let bytes = stream.workload.message.len() as u64;
    // As many runs in each sample: the longest streams have time for no more than one.
    group.sampling_mode(SamplingMode::Flat);
    let mut parser = new(stream.workload.policy());
    group.throughput(Throughput::ElementsAndBytes { elements: stream.text.len() as u64, bytes });
    group.bench_function(BenchmarkId::new("text", name), |bencher| bencher.iter(|| stream.read(&mut parser)));
    group.throughput(Throughput::ElementsAndBytes { elements: stream.bytes.len() as u64, bytes });
    group.bench_function(BenchmarkId::new("bytes", name), |bencher| bencher.iter(|| stream.read_bytes(&mut parser)));
}

criterion_group! {
    name = benches;
    // Short, because there are many; for ratios that hold there is the bench `goals`.
    config = Criterion::default()
        .sample_size(10)
        .nresamples(5000)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(300));
    targets = everyday, calls, adversarial
}
criterion_main!(benches);
