//! What a stream costs, by kind and by the size of its chunks. Every run checks what came out.
//!
//! `cargo bench` runs all; `cargo bench -- prose` some.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use followup::{Event, Parser};

const MIB: usize = 1 << 20;

const PROSE: &str = "The build is **green** again. Next I would look at `src/main.rs`, where the\n\
    configuration is read twice:\n\n- once for the defaults,\n- once for the user's own file.\n\n";

const QUESTION: &str = "<ask_followup_question>\n<question>Which database should the service use?</question>\n\
    <follow_up>\n<suggest>PostgreSQL, as the other services do</suggest>\n<suggest mode=\"architect\">Compare them first</suggest>\n\
    </follow_up>\n</ask_followup_question>\n";

const TSX: &str =
    "<ul className=\"list\">{items.map((item) => <li key={item.id}><b>{item.name}</b> {a < b}</li>)}</ul>\n";

/// A stream, and how many calls are complete in it.
struct Workload {
    name: &'static str,
    stream: String,
    calls: usize,
}

fn filled(len: usize, text: &str) -> String {
    text.repeat(len / text.len())
}

fn workloads() -> Vec<Workload> {
    let with_questions = filled(MIB, &format!("{}{QUESTION}", filled(2048 - QUESTION.len(), PROSE)));
    let calls = with_questions.matches("</ask_followup_question>").count();
    let long =
        format!("<ask_followup_question><question>{}</question></ask_followup_question>", filled(64 << 10, PROSE));
    vec![
        Workload { name: "prose", stream: filled(MIB, PROSE), calls: 0 },
        Workload { name: "prose with questions", stream: with_questions, calls },
        Workload { name: "tsx", stream: filled(MIB, TSX), calls: 0 },
        Workload { name: "one long question", stream: long, calls: 1 },
        Workload { name: "almost tags", stream: filled(MIB / 8, "<ask_followup_questio </sugges "), calls: 0 },
    ]
}

fn read(parser: &mut Parser, stream: &str, chunk: usize) -> usize {
    let mut calls = 0;
    let mut rest = stream;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.ceil_char_boundary(chunk.min(rest.len())));
        let mut events = parser.feed(now);
        while let Some(event) = events.next() {
            calls += usize::from(matches!(event, Event::Complete(_)));
            black_box(&event);
        }
        rest = later;
    }
    drop(parser.finish());
    calls
}

fn parse(criterion: &mut Criterion) {
    for workload in workloads() {
        let mut group = criterion.benchmark_group(workload.name);
        group.throughput(Throughput::Bytes(workload.stream.len() as u64));
        group.sample_size(10);
        for chunk in [1, 4, 64, 4096, usize::MAX] {
            let name = if chunk == usize::MAX { "whole".to_owned() } else { chunk.to_string() };
            let mut parser = Parser::default();
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(|| assert_eq!(read(&mut parser, &workload.stream, chunk), workload.calls));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, parse);
criterion_main!(benches);
