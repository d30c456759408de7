//! What the benches share: parse a stream and consume every event, and time several tasks in turn.
#![allow(dead_code)]

pub mod live;

use std::hint::black_box;
use std::time::{Duration, Instant};

use followup::{Event, Parser, Policy};
use followup_testing::pieces;
use followup_testing::workloads::Workload;

/// A constructor of a parser: [`Parser::new`] or [`Parser::arguments`].
pub type NewParser = fn(Policy) -> Parser;

/// Lengths of a question in bytes, from a usual one to far more than any model writes.
pub const LENGTHS: [usize; 5] = [2 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// What the events of a stream add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Complete calls.
    pub questions: usize,
    /// Bytes of the stream in prose, other tools' calls and calls.
    pub bytes: u64,
}

impl Totals {
    /// Returns the totals that a workload must have.
    pub fn of(workload: &Workload) -> Totals {
        Totals { questions: workload.questions, bytes: workload.message.len() as u64 }
    }

    #[inline]
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.bytes += text.len() as u64,
            Event::Opaque(piece) => self.bytes += piece.raw.len() as u64,
            Event::Partial(call) => {
                black_box(call.delta());
            }
            Event::Complete(call) => {
                self.questions += 1;
                self.bytes += call.span().end - call.span().start;
            }
            Event::Rejected(call) => self.bytes += call.span().end - call.span().start,
        }
    }

    fn finish(mut self, parser: &mut Parser) -> Totals {
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            self.add(event);
        }
        self
    }
}

/// Parses a stream of text.
pub fn parse(parser: &mut Parser, chunks: &[&str]) -> Totals {
    let mut totals = Totals::default();
    for chunk in chunks {
        let mut events = parser.feed(chunk);
        while let Some(event) = events.next() {
            totals.add(event);
        }
    }
    totals.finish(parser)
}

/// Parses a stream of bytes.
pub fn parse_bytes(parser: &mut Parser, chunks: &[&[u8]]) -> Totals {
    let mut totals = Totals::default();
    for chunk in chunks {
        let mut events = parser.feed_bytes(chunk);
        while let Some(event) = events.next() {
            totals.add(event);
        }
    }
    totals.finish(parser)
}

/// Appends a stream to a string, which must have the capacity: the least that can be done with it.
pub fn push_str(text: &mut String, chunks: &[&str]) {
    text.clear();
    chunks.iter().for_each(|chunk| text.push_str(chunk));
    black_box(text);
}

/// A workload, cut into chunks before the measurement.
pub struct Stream<'w> {
    pub workload: &'w Workload,
    pub text: Vec<&'w str>,
    pub bytes: Vec<&'w [u8]>,
}

impl<'w> Stream<'w> {
    pub fn new(workload: &'w Workload, size: usize) -> Stream<'w> {
        let bytes = workload.message.as_bytes().chunks(size).collect();
        Stream { workload, text: pieces(&workload.message, size).collect(), bytes }
    }

    /// Parses it as text, and checks the totals.
    #[inline]
    pub fn parse(&self, parser: &mut Parser) {
        assert_eq!(parse(parser, black_box(&self.text)), Totals::of(self.workload), "{}", self.workload.name);
    }

    /// Parses it as bytes, and checks the totals.
    #[inline]
    pub fn parse_bytes(&self, parser: &mut Parser) {
        assert_eq!(parse_bytes(parser, black_box(&self.bytes)), Totals::of(self.workload), "{}", self.workload.name);
    }
}

/// Runs the tasks in turn for `duration` and returns the shortest time of each.
///
/// In turn, so that all see the same load; the shortest, because other load only makes runs longer.
pub fn shortest<const N: usize>(duration: Duration, mut tasks: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut shortest = [Duration::MAX; N];
    let start = Instant::now();
    for round in 0.. {
        // There are two rounds at least, because the first warms up the caches.
        if round > 1 && start.elapsed() > duration {
            break;
        }
        for (task, shortest) in tasks.iter_mut().zip(&mut shortest) {
            let start = Instant::now();
            task();
            *shortest = start.elapsed().max(Duration::from_nanos(1)).min(*shortest);
        }
    }
    shortest
}

/// Returns `time / base`.
pub fn ratio(time: Duration, base: Duration) -> f64 {
    time.as_secs_f64() / base.as_secs_f64()
}

/// Returns the nanoseconds for one of `count` equal parts of `time`.
pub fn ns_each(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / count as f64
}
