//! Measures durations, each as the shortest of many runs.
//!
//! Other load only makes a run longer.

use std::hint::black_box;
use std::time::{Duration, Instant};

use followup::{Event, Parser};

use super::workload::{Workload, pieces};

/// The cost of a workload in chunks of one size, and of the least work possible on the same chunks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measurement {
    /// The size of a chunk in bytes, at most that of the message.
    pub(super) size: usize,
    pub(super) chunks: usize,
    pub(super) bytes: usize,
    /// The time to parse the chunks and consume all events.
    pub(super) parse: Duration,
    /// The time to append the chunks to a string with enough capacity.
    pub(super) push_str: Duration,
    /// The time to count the `<` in the chunks.
    pub(super) memchr: Duration,
}

impl Measurement {
    pub(super) fn ns_per_chunk(&self, time: Duration) -> f64 {
        time.as_nanos() as f64 / self.chunks as f64
    }

    pub(super) fn ns_per_byte(&self, time: Duration) -> f64 {
        time.as_nanos() as f64 / self.bytes.max(1) as f64
    }

    pub(super) fn mb_per_s(&self, time: Duration) -> f64 {
        self.bytes as f64 / time.as_nanos().max(1) as f64 * 1e3
    }
}

/// Measures a workload in chunks of about `size` bytes, cut between characters, for about `time`.
pub(super) fn measure(workload: &mut Workload, size: usize, time: Duration) -> Measurement {
    let Workload { name, message, calls, parser } = workload;
    let chunks: Vec<_> = pieces(message, size).collect();
    // This run warms the parser up, as in a server, and its results are checked.
    let expected = read(parser, &chunks);
    assert_eq!(expected.calls, *calls, "{name}");
    assert_eq!(expected.bytes, message.len() as u64, "every byte is in one event");
    let mut text = String::with_capacity(message.len());
    let mut measurement = Measurement {
        size: size.min(message.len()),
        chunks: chunks.len(),
        bytes: message.len(),
        parse: Duration::MAX,
        push_str: Duration::MAX,
        memchr: Duration::MAX,
    };
    let begin = Instant::now();
    // The three take turns, so that other load affects all of them.
    while measurement.parse == Duration::MAX || begin.elapsed() < time {
        shorten(&mut measurement.parse, || {
            black_box(read(parser, black_box(&chunks)));
        });
        shorten(&mut measurement.push_str, || {
            text.clear();
            black_box(&chunks).iter().for_each(|chunk| text.push_str(chunk));
            black_box(&text);
        });
        shorten(&mut measurement.memchr, || {
            let count = |chunk: &&str| memchr::memchr_iter(b'<', chunk.as_bytes()).count();
            black_box(black_box(&chunks).iter().map(count).sum::<usize>());
        });
    }
    measurement
}

/// Runs `work`, and lowers `shortest` to its duration.
fn shorten(shortest: &mut Duration, work: impl FnOnce()) {
    let begin = Instant::now();
    work();
    *shortest = begin.elapsed().max(Duration::from_nanos(1)).min(*shortest);
}

/// What a message adds up to.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    /// The complete ones.
    calls: usize,
    /// The bytes of the message in all events.
    bytes: u64,
}

impl Totals {
    #[inline]
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.bytes += text.len() as u64,
            Event::Opaque(piece) => self.bytes += piece.raw.len() as u64,
            Event::Partial(call) => {
                black_box(call.delta());
            }
            Event::Complete(call) => {
                self.calls += 1;
                self.bytes += call.span().end - call.span().start;
            }
            Event::Rejected(call) => self.bytes += call.span().end - call.span().start,
        }
    }
}

fn read(parser: &mut Parser, chunks: &[&str]) -> Totals {
    let mut totals = Totals::default();
    for chunk in chunks {
        let mut events = parser.feed(chunk);
        while let Some(event) = events.next() {
            totals.add(event);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        totals.add(event);
    }
    totals
}

/// Counts the complete calls in a message.
pub(super) fn count_calls(parser: &mut Parser, message: &str) -> usize {
    read(parser, &[message]).calls
}
