//! A server with many streams open: each chunk goes to another parser than the one before, which is not in the cache.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use followup::{Parser, Policy};
use followup_testing::{pieces, workloads};

use super::{Read, shortest};

/// How many streams are open.
pub const LIVE: usize = 1_000_000;

/// How long a chunk is.
const CHUNK: usize = 4;

/// What the parsers are fed.
type Chunks<'p> = [&'p str; 64];

/// What it costs to visit each of so many things once.
#[derive(Clone, Copy, Debug)]
pub struct Visits {
    /// Parsers, to feed each one chunk of prose.
    pub parsers: Duration,
    /// Things of a parser's size, to change one cache line of each: that much must come from memory, and go back.
    pub lines: Duration,
    /// The same for things of one cache line.
    pub dense: Duration,
}

/// As long as a parser, and a cache line has nothing else in it.
#[derive(Clone)]
#[repr(align(64))]
struct Same([u64; size_of::<Parser>() / 8]);

/// One cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Line([u64; 8]);

/// That many parsers, which share a policy.
pub fn parsers() -> Vec<Parser> {
    let policy = Arc::new(Policy::new());
    (0..LIVE).map(|_| Parser::new(policy.clone())).collect()
}

/// Visits them in an order that no cache can foresee, the same every time.
pub fn measure(parsers: &mut [Parser], long: Duration) -> Visits {
    let order = order(parsers.len());
    let prose = workloads::prose().message;
    // Few enough to stay in the cache: the chunks are not what is measured.
    let mut pieces = pieces(&prose, CHUNK);
    let chunks: Chunks<'_> = std::array::from_fn(|_| pieces.next().expect("it is long"));
    assert!(chunks.iter().all(|chunk| chunk.len() == CHUNK));
    let (mut same, mut lines) = (vec![Same([0; _]); order.len()], vec![Line([0; _]); order.len()]);
    let [parsers, lines, dense] = shortest(
        long,
        [
            &mut || feed(parsers, &order, &chunks),
            &mut || change(&mut same, &order, &chunks, |one| &mut one.0[0]),
            &mut || change(&mut lines, &order, &chunks, |one| &mut one.0[0]),
        ],
    );
    Visits { parsers, lines, dense }
}

fn order(len: usize) -> Vec<u32> {
    let mut order: Vec<_> = (0..).take(len).collect();
    fastrand::Rng::with_seed(7).shuffle(&mut order);
    order
}

fn feed(parsers: &mut [Parser], order: &[u32], chunks: &Chunks<'_>) {
    let mut read = Read::default();
    for &at in order {
        let mut events = parsers[at as usize].feed(chunks[at as usize % 64]);
        while let Some(event) = events.next() {
            read.take(event);
        }
    }
    assert_eq!(read, Read { questions: 0, bytes: (order.len() * CHUNK) as u64 }, "every chunk is prose");
}

fn change<T>(all: &mut [T], order: &[u32], chunks: &Chunks<'_>, number: impl Fn(&mut T) -> &mut u64) {
    for &at in order {
        *number(&mut all[at as usize]) += chunks[at as usize % 64].len() as u64;
    }
    black_box(all);
}
