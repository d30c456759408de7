//! How long things take: each the shortest of many runs, for whatever else the machine does only makes them longer.

use std::hint::black_box;
use std::time::{Duration, Instant};

use followup::{Event, Parser};
use followup_testing::pieces;

use super::Workload;

/// What a workload costs in pieces of one size, and what the least costs that could be done with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cost {
    /// How long the pieces are, in bytes; the message, if that is shorter.
    pub(super) size: usize,
    pub(super) pieces: usize,
    pub(super) bytes: usize,
    /// To parse them, and take every event.
    pub(super) parse: Duration,
    /// To append them to a text, which has room.
    pub(super) push_str: Duration,
    /// To count the `<` in them.
    pub(super) memchr: Duration,
}

impl Cost {
    pub(super) fn ns_per_piece(&self, time: Duration) -> f64 {
        time.as_nanos() as f64 / self.pieces as f64
    }

    pub(super) fn mb_per_s(&self, time: Duration) -> f64 {
        self.bytes as f64 / time.as_nanos().max(1) as f64 * 1e3
    }
}

/// Measures a workload in pieces of about that many bytes, cut between characters, for about that long.
pub(super) fn measure(workload: &Workload, size: usize, long: Duration) -> Cost {
    let pieces: Vec<_> = pieces(&workload.message, size).collect();
    let mut parser = Parser::default();
    // A parser that was used before, as in a server. What came out is checked outside the clock.
    let expected = read(&mut parser, &pieces);
    assert_eq!(expected.questions, workload.questions, "{}", workload.name);
    assert_eq!(expected.bytes, workload.message.len() as u64, "every byte is in one event");
    let mut text = String::with_capacity(workload.message.len());
    let mut cost = Cost {
        size: size.min(workload.message.len()),
        pieces: pieces.len(),
        bytes: workload.message.len(),
        parse: Duration::MAX,
        push_str: Duration::MAX,
        memchr: Duration::MAX,
    };
    let begun = Instant::now();
    // In turn, so that all see the same machine.
    while cost.parse == Duration::MAX || begun.elapsed() < long {
        shortest(&mut cost.parse, || {
            black_box(read(&mut parser, black_box(&pieces)));
        });
        shortest(&mut cost.push_str, || {
            text.clear();
            black_box(&pieces).iter().for_each(|piece| text.push_str(piece));
            black_box(&text);
        });
        shortest(&mut cost.memchr, || {
            let count = |piece: &&str| memchr::memchr_iter(b'<', piece.as_bytes()).count();
            black_box(black_box(&pieces).iter().map(count).sum::<usize>());
        });
    }
    cost
}

fn shortest(so_far: &mut Duration, act: impl FnOnce()) {
    let begun = Instant::now();
    act();
    *so_far = begun.elapsed().max(Duration::from_nanos(1)).min(*so_far);
}

/// What came out of a message.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    questions: usize,
    /// Of the message, in prose, other tools' calls and calls.
    bytes: u64,
}

impl Read {
    #[inline]
    fn take(&mut self, event: Event<'_>) {
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
}

fn read(parser: &mut Parser, pieces: &[&str]) -> Read {
    let mut read = Read::default();
    for piece in pieces {
        let mut events = parser.feed(piece);
        while let Some(event) = events.next() {
            read.take(event);
        }
    }
    let mut events = parser.finish();
    while let Some(event) = events.next() {
        read.take(event);
    }
    read
}

/// How many questions there are in a message.
pub(super) fn questions(message: &str) -> usize {
    read(&mut Parser::default(), &[message]).questions
}
