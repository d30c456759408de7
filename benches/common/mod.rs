//! What the benches share: to take every event of a stream, and to time things in turn.
#![allow(dead_code)]

pub mod live;

use std::hint::black_box;
use std::time::{Duration, Instant};

use followup::{Event, Parser, Policy};
use followup_testing::pieces;
use followup_testing::workloads::Workload;

/// What makes a parser: [`Parser::new`], or [`Parser::arguments`].
pub type New = fn(Policy) -> Parser;

/// How long questions are, from a usual one to far more than any model writes.
pub const LENGTHS: [usize; 5] = [2 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// What came out of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// How many calls were complete.
    pub questions: usize,
    /// How many bytes of the stream were in prose, other tools' calls and calls.
    pub bytes: u64,
}

impl Read {
    /// What has to come out of a workload.
    pub fn all_of(workload: &Workload) -> Read {
        Read { questions: workload.questions, bytes: workload.message.len() as u64 }
    }

    #[inline]
    pub fn take(&mut self, event: Event<'_>) {
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

    fn finish(mut self, parser: &mut Parser) -> Read {
        let mut events = parser.finish();
        while let Some(event) = events.next() {
            self.take(event);
        }
        self
    }
}

/// Reads a stream that comes as text.
pub fn read(parser: &mut Parser, pieces: &[&str]) -> Read {
    let mut read = Read::default();
    for piece in pieces {
        let mut events = parser.feed(piece);
        while let Some(event) = events.next() {
            read.take(event);
        }
    }
    read.finish(parser)
}

/// Reads a stream that comes as bytes.
pub fn read_bytes(parser: &mut Parser, pieces: &[&[u8]]) -> Read {
    let mut read = Read::default();
    for piece in pieces {
        let mut events = parser.feed_bytes(piece);
        while let Some(event) = events.next() {
            read.take(event);
        }
    }
    read.finish(parser)
}

/// The least that can be done with a stream: to keep it. The text is to have room.
pub fn push_str(text: &mut String, pieces: &[&str]) {
    text.clear();
    pieces.iter().for_each(|piece| text.push_str(piece));
    black_box(text);
}

/// A workload, cut before the clock runs.
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

    /// Has a parser read all of it as text, and checks what comes out.
    #[inline]
    pub fn read(&self, parser: &mut Parser) {
        assert_eq!(read(parser, black_box(&self.text)), Read::all_of(self.workload), "{}", self.workload.name);
    }

    /// The same, as bytes.
    #[inline]
    pub fn read_bytes(&self, parser: &mut Parser) {
        assert_eq!(read_bytes(parser, black_box(&self.bytes)), Read::all_of(self.workload), "{}", self.workload.name);
    }
}

/// How long each of these takes at least: the shortest of all its runs in so much time, for whatever else the machine does
/// only makes them longer. They run in turn, so that all see the same machine.
pub fn shortest<const N: usize>(long: Duration, mut acts: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut shortest = [Duration::MAX; N];
    let begun = Instant::now();
    for round in 0.. {
        // The first round only warms up what the machine remembers.
        if round > 1 && begun.elapsed() > long {
            break;
        }
        for (act, shortest) in acts.iter_mut().zip(&mut shortest) {
            let begun = Instant::now();
            act();
            *shortest = begun.elapsed().max(Duration::from_nanos(1)).min(*shortest);
        }
    }
    shortest
}

/// How many times as long.
pub fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// Nanoseconds for one of so many.
pub fn ns_each(time: Duration, count: usize) -> f64 {
    time.as_nanos() as f64 / count as f64
}
