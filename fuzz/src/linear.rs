//! Work is linear in the bytes.
//!
//! It is counted, not timed: a step is a load, a store (the compiler calls a counter before each,
//! see `fuzz/run`), or an allocated byte.
//!
//! The fuzzer chooses the start, the repeated part and the end of a stream, and the size of its
//! chunks. A stream with four times as many repetitions may take little more than four times the
//! steps. If it takes more, streams that are sixteen times as long decide: the beginning may cost
//! less than the rest, such as text up to the limit `unconfirmed`.

use std::sync::Arc;

use followup::wire::{Format, ResponseParser};
use followup::{CallStart, Entities, Envelopes, Parser, Policy};
use followup_testing::Syntax;

/// Ends each part of a stream.
pub const END: u8 = 0xFF;

/// About the length of the repeated part of the shorter stream.
const SHORT: usize = 4 << 10;
const TIMES: usize = 4;
/// How many times the steps the longer stream may take: one more, because buffers double.
const MOST: u64 = TIMES as u64 + 1;
/// And how many for each of its bytes, for buffers that are as large as the stream.
const ROOM: u64 = 32;
/// The most steps of a byte, however the stream is cut.
///
/// Text of a payload that is parsed in events of one byte takes the most.
const A_BYTE: u64 = 4000;

/// The bits of the second byte.
pub mod choice {
    /// Calls only outside code.
    pub const OUTSIDE_CODE: u8 = 1;
    /// Entities are decoded.
    pub const ENTITIES: u8 = 2;
    /// Parts nest.
    pub const NESTS: u8 = 4;
    /// All families of envelopes are read, not those by default.
    pub const ALL_FAMILIES: u8 = 8;
    /// All of them.
    pub const ALL: u8 = 15;
}

/// The reader of the stream, which the first byte of an input chooses.
#[derive(Clone, Copy)]
enum Reader {
    Parser(Syntax),
    Response(Format),
    Auto,
    /// Arguments of this tool.
    Tool(&'static str),
}

/// The number of the reader of the first tool.
pub const FIRST_TOOL: u8 = (Syntax::ALL.len() + Format::ALL.len() + 1) as u8;

/// Tools of different shapes: a list of questions, a text of lines, and one question.
const TOOLS: [&str; 3] = ["AskUserQuestion", "AskUser", "ask_user"];

/// Runs one input.
///
/// It has the reader, the choices [`choice`], the size of chunks, and the parts of the stream.
pub fn read(input: &[u8]) {
    let Some((&[reader, choices, size], parts)) = input.split_first_chunk() else { return };
    let mut parts = parts.splitn(4, |&byte| byte == END);
    let [start, part, end, close] = [(); 4].map(|()| parts.next().unwrap_or_default());
    if part.is_empty() {
        return;
    }
    let readers: Vec<Reader> = Syntax::ALL
        .map(Reader::Parser)
        .into_iter()
        .chain(Format::ALL.map(Reader::Response))
        .chain([Reader::Auto])
        .chain(TOOLS.map(Reader::Tool))
        .collect();
    let reader = readers[usize::from(reader) % readers.len()];
    let nests = choices & choice::NESTS != 0;
    let policy = policy_of(choices);
    // How often the part is repeated in the shorter stream. The number is even in both streams:
    // after an odd number of parts that have a back-tick each, the rest would be in a code span.
    let often = SHORT.div_ceil(part.len() + if nests { close.len() } else { 0 }).next_multiple_of(2);
    let stream = |times: usize| {
        let repeated = part.repeat(often * times);
        let closing = if nests { close.repeat(often * times) } else { close.to_vec() };
        [start, &repeated, end, &closing].concat()
    };
    let count = |times: usize| {
        let (short, long) = (stream(times), stream(times * TIMES));
        let few = steps(|| consume(reader, &policy, &short, size));
        let many = steps(|| consume(reader, &policy, &long, size));
        Counted { few, many, bytes: long.len() as u64 }
    };
    let mut counted = count(1);
    if !counted.is_linear() {
        counted = count(TIMES * TIMES);
    }
    assert!(counted.is_linear(), "super-linear: {counted:?}");
    assert!(counted.many <= A_BYTE * counted.bytes, "slow: {counted:?}");
}

/// The steps of a stream, and of one with [`TIMES`] as many repetitions, which has so many bytes.
#[derive(Debug)]
struct Counted {
    few: u64,
    many: u64,
    bytes: u64,
}

impl Counted {
    fn is_linear(&self) -> bool {
        self.many <= MOST * self.few + ROOM * self.bytes
    }
}

fn policy_of(choices: u8) -> Arc<Policy> {
    let chosen = |bit| choices & bit != 0;
    let calls = if chosen(choice::OUTSIDE_CODE) { CallStart::OutsideCode } else { CallStart::Anywhere };
    let entities = if chosen(choice::ENTITIES) { Entities::Decoded } else { Entities::Raw };
    let envelopes = if chosen(choice::ALL_FAMILIES) { Envelopes::all() } else { Envelopes::default() };
    Arc::new(Policy::new().with_call_start(calls).with_entities(entities).with_envelopes(envelopes))
}

fn consume(reader: Reader, policy: &Arc<Policy>, stream: &[u8], size: u8) {
    let size = if size == 0 { stream.len() } else { size.into() };
    match reader {
        Reader::Parser(syntax) => parse(syntax.parser(policy.clone()), stream, size),
        Reader::Response(wire) => respond(ResponseParser::new(wire, policy.clone()), stream, size),
        Reader::Auto => respond(ResponseParser::auto(policy.clone()), stream, size),
        Reader::Tool(tool) => {
            let parser = Parser::arguments_of(tool, policy.clone()).expect("a tool that asks");
            parse(parser, stream, size);
        }
    }
}

fn parse(mut parser: Parser, stream: &[u8], size: usize) {
    for chunk in stream.chunks(size) {
        let mut events = parser.feed_bytes(chunk);
        while events.next().is_some() {}
    }
    let mut events = parser.finish();
    while events.next().is_some() {}
}

fn respond(mut response: ResponseParser, stream: &[u8], size: usize) {
    for chunk in stream.chunks(size) {
        let mut events = response.feed(chunk);
        while events.next().is_some() {}
    }
    let mut events = response.finish();
    while events.next().is_some() {}
}

/// Returns the steps of some work; without the feature `steps`, only the allocated bytes.
fn steps(work: impl FnOnce()) -> u64 {
    let mut counted = 0;
    let allocated = allocation_counter::measure(|| counted = loads_and_stores(work));
    counted + allocated.bytes_total
}

#[cfg(feature = "steps")]
fn loads_and_stores(work: impl FnOnce()) -> u64 {
    let before = crate::steps::taken();
    work();
    let steps = crate::steps::taken() - before;
    assert_ne!(steps, 0, "no steps are counted: run it with `fuzz/run linear`");
    steps
}

#[cfg(not(feature = "steps"))]
fn loads_and_stores(work: impl FnOnce()) -> u64 {
    work();
    0
}
