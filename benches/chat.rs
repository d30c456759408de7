//! The cost of a provider's body, as a ratio to the least that a JSON library does with it.
//!
//! `cargo bench --bench chat`. The body is a chat completion in events of about 210 bytes, each
//! with one token of the model. serde_json reads the same fields into borrowed structs, framing
//! included. This is a measurement, not a test: a missed goal is marked, and is no failure.
//!
//! It is a program of its own because the compiler inlines less of a parser with two users, so that
//! the figures of `goals` would be others.

mod common;

use std::borrow::Cow;
use std::hint::black_box;
use std::time::Duration;

use common::{LENGTHS, Totals, ns_each, ratio, shortest};
use followup::Policy;
use followup::wire::{Format, ResponseParser};
use followup_testing::pieces;
use followup_testing::workloads::{self, Workload};
use serde::Deserialize;

/// The time to spend on each measurement.
const DURATION: Duration = Duration::from_millis(1500);

/// The most that the parser may take, as a ratio to serde_json.
const LIMIT: f64 = 1.5;

/// The bytes of one read from a connection.
const READ: usize = 4 << 10;

fn main() {
    println!("{:<40} {:>12} {:>16} {:>14}", "message", "ns an event", "ns in serde_json", "ratio");
    for workload in [workloads::prose(), workloads::questions()] {
        row(workload.name, &workload);
    }
    for len in LENGTHS {
        row(&format!("one question of {} KiB", len >> 10), &workloads::question(len));
    }
    println!("\nThe goal is a ratio of at most {LIMIT}, flat in the length of the message.");
}

fn row(name: &str, workload: &Workload) {
    let body = ChatBody::new(&workload.message, Totals::of(workload), workload.policy());
    // A short body is read several times, so that all take about the same time.
    let times = (1_usize << 20).div_ceil(workload.message.len());
    let [parse, json] = shortest(
        DURATION,
        [&mut || (0..times).for_each(|_| body.parse()), &mut || (0..times).for_each(|_| body.deserialize())],
    );
    let (ratio, events) = (ratio(parse, json), body.events * times);
    let verdict = if ratio <= LIMIT { "ok" } else { "—" };
    println!("{name:<40} {:>12.0} {:>16.0} {ratio:>14.2} {verdict}", ns_each(parse, events), ns_each(json, events));
}

/// A body of server-sent events, each with one token of the model.
struct ChatBody {
    body: String,
    /// The number of tokens, each of which is an event.
    events: usize,
    policy: Policy,
    totals: Totals,
}

/// The fields of a payload that decide something, as serde_json reads them.
#[derive(Deserialize)]
struct Chunk<'a> {
    #[serde(borrow, default)]
    choices: Vec<Choice<'a>>,
    #[serde(borrow)]
    error: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: u64,
    #[serde(borrow)]
    delta: Option<Message<'a>>,
    #[serde(borrow)]
    message: Option<Message<'a>>,
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow)]
    finish_reason: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow)]
    refusal: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_calls: Option<Vec<ToolCall<'a>>>,
    #[serde(borrow)]
    function_call: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    index: u64,
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
#[allow(dead_code)] // Reading them is what is measured.
struct Function<'a> {
    #[serde(borrow)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow)]
    arguments: Option<Cow<'a, str>>,
}

impl ChatBody {
    /// Creates a body of payloads of about 210 bytes, with `message` in tokens of 4 bytes.
    fn new(message: &str, totals: Totals, policy: Policy) -> ChatBody {
        let (mut body, mut events) = (String::new(), 0);
        for token in pieces(message, 4) {
            let token = serde_json::to_string(token).expect("text is JSON");
            body += r#"data: {"id":"chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012","object":"chat.completion.chunk","#;
            body += r#""created":1763710000,"model":"m-2025-08-07","choices":[{"index":0,"delta":{"content":"#;
            body += &token;
            body += "},\"logprobs\":null,\"finish_reason\":null}]}\n\n";
            events += 1;
            events += 1;
        }
        body += "data: [DONE]\n\n";
        ChatBody { body, events, policy, totals }
    }

    /// Parses the body, and checks what comes out.
    fn parse(&self) {
        let mut parser = ResponseParser::new(Format::OpenAiChat, self.policy.clone());
        let mut totals = Totals::default();
        for chunk in black_box(self.body.as_bytes()).chunks(READ) {
            let mut events = parser.feed(chunk);
            while let Some(event) = events.next() {
                totals.add(event.expect("the body is well-formed"));
            }
        }
        assert!(parser.finish().next().is_none());
        assert_eq!(totals, self.totals);
    }

    /// Splits the body into events, reads every field with serde_json, and sums up the content.
    fn deserialize(&self) {
        let (mut rest, mut content) = (black_box(self.body.as_bytes()), 0);
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let payload = rest[..end].strip_prefix(b"data: ").filter(|payload| payload != b"[DONE]");
            rest = &rest[end + 1..];
            let Some(payload) = payload else { continue };
            let chunk: Chunk<'_> = serde_json::from_slice(payload).expect("a payload");
            black_box(&chunk.error);
            for choice in &chunk.choices {
                black_box((choice.index, &choice.message, &choice.text, &choice.finish_reason));
                if let Some(message) = &choice.delta {
                    black_box((&message.refusal, &message.function_call));
                    for call in message.tool_calls.iter().flatten() {
                        black_box((call.index, &call.id, &call.function));
                    }
                    content += message.content.as_ref().map_or(0, |text| text.len());
                }
            }
        }
        assert_eq!(content as u64, self.totals.bytes);
    }
}
