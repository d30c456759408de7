//! What a stream costs, by kind and by the size of its chunks. Every run checks what came out.
//!
//! `cargo bench` runs all; `cargo bench -- prose` some.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use followup::wire::{Response, Wire};
use followup::{Event, Limits, Parser, Policy};

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

/// The lengths of a call, from a short one to far more than any model writes.
const LENGTHS: [usize; 6] = [1 << 10, 2 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// A native call's arguments of about that many bytes, and limits that let them pass.
fn arguments(len: usize) -> (String, Policy) {
    let question = filled(len, PROSE).replace('\n', "\\n");
    let arguments = format!(
        "{{\"question\": \"{question}\", \"follow_up\": [{{\"text\": \"Yes, \\u00fcberall\", \"mode\": null}}, {{\"text\": \"No\", \"mode\": \"code\"}}]}}"
    );
    let limits = Limits { question: usize::MAX, ..Limits::default() };
    (arguments, Policy::new().limits(limits))
}

/// A native call in deltas of 4 characters: the time for a delta is the same whatever the call's length.
fn native(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("native arguments, a delta of 4");
    group.sample_size(10);
    for len in LENGTHS {
        let (arguments, policy) = arguments(len);
        group.throughput(Throughput::Elements(arguments.len().div_ceil(4) as u64));
        let mut parser = Parser::arguments(policy);
        group.bench_function(BenchmarkId::from_parameter(arguments.len()), |bencher| {
            bencher.iter(|| {
                let mut deltas = 0;
                for delta in arguments.as_bytes().chunks(4) {
                    let mut events = parser.feed_bytes(delta);
                    while let Some(event) = events.next() {
                        deltas += usize::from(matches!(event, Event::Partial(_)));
                    }
                }
                assert!(deltas > len / 8);
                assert!(matches!(parser.finish().next(), Some(Event::Complete(call)) if call.suggestions().len() == 2));
            });
        });
    }
    group.finish();
}

/// The same call as a provider streams it: one server-sent event for every 4 characters, in reads of 4 KiB.
fn wire(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("openai-chat, a delta of 4");
    group.sample_size(10);
    for len in LENGTHS {
        let (arguments, policy) = arguments(len);
        let mut body = String::new();
        let mut deltas = 0;
        for delta in arguments.as_bytes().chunks(4) {
            let delta = serde_json::to_string(std::str::from_utf8(delta).unwrap()).unwrap();
            let name = if deltas == 0 { r#""id":"call_1","# } else { "" };
            let function = if deltas == 0 { r#""name":"ask_followup_question","# } else { "" };
            body += &format!(
                r#"data: {{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,{name}"function":{{{function}"arguments":{delta}}}}}]}},"logprobs":null,"finish_reason":null}}]}}"#
            );
            body += "\n\n";
            deltas += 1;
        }
        body += "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
        group.throughput(Throughput::Elements(deltas));
        let mut response = Response::new(Wire::OpenAiChat, policy);
        group.bench_function(BenchmarkId::from_parameter(arguments.len()), |bencher| {
            bencher.iter(|| {
                let mut complete = 0;
                for chunk in body.as_bytes().chunks(4 << 10) {
                    let mut events = response.feed(chunk);
                    while let Some(event) = events.next() {
                        complete +=
                            usize::from(matches!(event, Ok(Event::Complete(call)) if call.suggestions().len() == 2));
                    }
                }
                drop(response.finish());
                assert_eq!(complete, 1);
            });
        });
    }
    group.finish();
}

criterion_group!(benches, parse, native, wire);
criterion_main!(benches);
