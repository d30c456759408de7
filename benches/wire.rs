//! The throughput of parsing providers' streams, in events and in bytes per second.
//!
//! A model writes one question in tokens of 4 characters, each of which is an event. Every run
//! checks that the question comes out.
//!
//! `cargo bench --bench wire` runs all, `cargo bench --bench wire -- anthropic` some.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::LENGTHS;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use followup::wire::{Format, ResponseParser};
use followup::{Event, Policy};
use followup_testing::pieces;
use followup_testing::workloads::{Workload, arguments, question};

/// The bytes of one read: from one byte, through about one event, to the whole body.
const READS: [usize; 6] = [1, 4, 64, 512, 4096, usize::MAX];

/// The templates of a provider's body, in the shortest form that it sends.
struct Template {
    name: &'static str,
    format: Format,
    /// The text that the model writes: a question as markup, or the arguments of a native call.
    workload: fn(usize) -> Workload,
    /// Before the tokens.
    head: &'static str,
    /// One token, in the place of `@`.
    token: &'static str,
    /// After the tokens; some providers repeat the whole text, in the place of `@`.
    tail: &'static str,
}

const TEMPLATES: [Template; 7] = [
    Template {
        name: "openai-chat",
        format: Format::OpenAiChat,
        workload: arguments,
        head: concat!(
            r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763710000,"model":"m","choices":[{"index":0,"#,
            r#""delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"ask_followup_question","#,
            r#""arguments":""}}]},"finish_reason":null}]}"#,
            "\n\n",
        ),
        token: concat!(
            r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763710000,"model":"m","choices":[{"index":0,"#,
            r#""delta":{"tool_calls":[{"index":0,"function":{"arguments":@}}]},"finish_reason":null}]}"#,
            "\n\n",
        ),
        tail: concat!(
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
            "\n\ndata: [DONE]\n\n",
        ),
    },
    Template {
        name: "openai-chat, markup",
        format: Format::OpenAiChat,
        workload: question,
        head: "",
        token: concat!(
            r#"data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1763710000,"model":"m","choices":[{"index":0,"#,
            r#""delta":{"content":@},"finish_reason":null}]}"#,
            "\n\n",
        ),
        tail: concat!(r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#, "\n\ndata: [DONE]\n\n"),
    },
    Template {
        name: "openai-responses",
        format: Format::OpenAiResponses,
        workload: arguments,
        head: concat!(
            "event: response.output_item.added\n",
            r#"data: {"type":"response.output_item.added","sequence_number":1,"output_index":0,"item":{"id":"fc_1","#,
            r#""type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"ask_followup_question"}}"#,
            "\n\n",
        ),
        token: concat!(
            "event: response.function_call_arguments.delta\n",
            r#"data: {"type":"response.function_call_arguments.delta","sequence_number":2,"item_id":"fc_1","output_index":0,"#,
            r#""delta":@,"obfuscation":"VP2gpABG1PbV"}"#,
            "\n\n",
        ),
        tail: concat!(
            "event: response.function_call_arguments.done\n",
            r#"data: {"type":"response.function_call_arguments.done","sequence_number":3,"item_id":"fc_1","output_index":0,"#,
            r#""arguments":@}"#,
            "\n\n",
        ),
    },
    Template {
        name: "anthropic",
        format: Format::Anthropic,
        workload: arguments,
        head: concat!(
            "event: content_block_start\n",
            r#"data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","#,
            r#""name":"ask_followup_question","input":{}}}"#,
            "\n\n",
        ),
        token: concat!(
            "event: content_block_delta\n",
            r#"data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":@}}"#,
            "\n\n",
        ),
        tail: concat!(
            "event: content_block_stop\n",
            r#"data: {"type":"content_block_stop","index":0}"#,
            "\n\nevent: message_stop\n",
            r#"data: {"type":"message_stop"}"#,
            "\n\n",
        ),
    },
    Template {
        name: "gemini, markup",
        format: Format::Gemini,
        workload: question,
        head: "",
        token: concat!(
            r#"data: {"candidates": [{"content": {"parts": [{"text": @}],"role": "model"},"index": 0}],"usageMetadata": "#,
            r#"{"promptTokenCount": 871},"modelVersion": "m","responseId": "1"}"#,
            "\n\n",
        ),
        tail: concat!(
            r#"data: {"candidates": [{"content": {"parts": [{"text": ""}],"role": "model"},"finishReason": "STOP","index": 0}]}"#,
            "\n\n",
        ),
    },
    Template {
        name: "bedrock",
        format: Format::Bedrock,
        workload: arguments,
        head: concat!(
            r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"tooluse_1","name":"ask_followup_question"}},"#,
            r#""contentBlockIndex":0,"p":"abcd"}}"#,
            "\n",
        ),
        token: concat!(
            r#"{"contentBlockDelta":{"delta":{"toolUse":{"input":@}},"contentBlockIndex":0,"p":"abcdefghijklm"}}"#,
            "\n",
        ),
        tail: concat!(
            r#"{"contentBlockStop":{"contentBlockIndex":0,"p":"abcd"}}"#,
            "\n",
            r#"{"messageStop":{"stopReason":"tool_use","p":"abcd"}}"#,
            "\n",
        ),
    },
    Template {
        name: "ollama, markup",
        format: Format::Ollama,
        workload: question,
        head: "",
        token: concat!(
            r#"{"model":"m","created_at":"2025-11-21T10:15:00.109172Z","message":{"role":"assistant","content":@},"done":false}"#,
            "\n",
        ),
        tail: concat!(
            r#"{"model":"m","created_at":"2025-11-21T10:15:00.109172Z","message":{"role":"assistant","content":""},"done":true,"#,
            r#""done_reason":"stop"}"#,
            "\n",
        ),
    },
];

/// The body of a response, and what is in it.
struct Body {
    format: Format,
    bytes: Vec<u8>,
    policy: Policy,
    tokens: usize,
    /// The length of the call, as the model wrote it.
    call: u64,
}

impl Body {
    fn new(template: &Template, len: usize) -> Body {
        let workload = (template.workload)(len);
        let quoted = |text: &str| serde_json::to_string(text).expect("text is JSON");
        let mut body = template.head.to_owned();
        let mut tokens = 0;
        for token in pieces(&workload.message, 4) {
            body += &template.token.replacen('@', &quoted(token), 1);
            tokens += 1;
        }
        body += &template.tail.replacen('@', &quoted(&workload.message), 1);
        let call = workload.message.len() as u64;
        Body { format: template.format, bytes: body.into_bytes(), policy: workload.policy(), tokens, call }
    }

    /// Parses the body in chunks of `size` bytes, and checks that the whole call comes out.
    fn parse(&self, parser: &mut ResponseParser, size: usize) {
        let mut calls = (0, 0);
        for chunk in black_box(&self.bytes).chunks(size) {
            let mut events = parser.feed(chunk);
            while let Some(event) = events.next() {
                match event {
                    Ok(Event::Partial(call)) => {
                        black_box(call.delta());
                    }
                    Ok(Event::Complete(call)) => calls = (calls.0 + 1, calls.1 + call.span().end - call.span().start),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(parser.finish().next().is_none());
        assert_eq!(calls, (1, self.call));
    }
}

/// Every provider, with reads of each size.
fn reads(criterion: &mut Criterion) {
    for template in &TEMPLATES {
        let body = Body::new(template, 16 << 10);
        let mut group = criterion.benchmark_group(template.name);
        for size in READS {
            let name = if size == usize::MAX { "whole".to_owned() } else { format!("reads of {size}") };
            bench(&mut group, &body, size, &name);
        }
        group.finish();
    }
}

/// Calls of several lengths: an event must cost the same in each.
fn lengths(criterion: &mut Criterion) {
    let template = &TEMPLATES[0];
    let mut group = criterion.benchmark_group(format!("{} by length, in reads of 4096", template.name));
    for len in LENGTHS {
        // Long enough for ten runs of the longest call.
        group.measurement_time(Duration::from_millis(300 + 4 * (len as u64 >> 10)));
        bench(&mut group, &Body::new(template, len), 4096, &format!("{} KiB", len >> 10));
    }
    group.finish();
}

fn bench(group: &mut BenchmarkGroup<'_, WallTime>, body: &Body, size: usize, name: &str) {
    // With equally many runs in each sample, since the longest bodies leave time for only one.
    group.sampling_mode(SamplingMode::Flat);
    let mut parser = ResponseParser::new(body.format, body.policy.clone());
    group.throughput(Throughput::ElementsAndBytes { elements: body.tokens as u64, bytes: body.bytes.len() as u64 });
    group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
        bencher.iter(|| body.parse(&mut parser, size));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .nresamples(5000)
        .warm_up_time(Duration::from_millis(50))
        .measurement_time(Duration::from_millis(300));
    targets = reads, lengths
}
criterion_main!(benches);
