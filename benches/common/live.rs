//! A server with many open streams.
//!
//! Consecutive chunks go to different parsers, which are not in the cache.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use followup::{Parser, Policy};
use followup_testing::{pieces, workloads};

use super::{Totals, shortest};

/// The number of open streams.
pub const LIVE: usize = 1_000_000;

/// The size of a chunk in bytes.
const CHUNK: usize = 4;

/// The chunks that are fed to the parsers.
type Chunks<'p> = [&'p str; 64];

/// The time of one visit to every object.
#[derive(Clone, Copy, Debug)]
pub struct Visits {
    /// Feeding each parser one chunk of prose.
    pub parsers: Duration,
    /// Changing one cache line in each of as many objects of a parser's size.
    ///
    /// This is the least memory traffic of a visit.
    pub lines: Duration,
    /// Changing each of as many objects of one cache line.
    pub dense: Duration,
}

/// An object of a parser's size, which shares no cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Block([u64; size_of::<Parser>() / 8]);

/// An object of one cache line.
#[derive(Clone)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Returns [`LIVE`] parsers that share a policy.
pub fn parsers() -> Vec<Parser> {
    let policy = Arc::new(Policy::new());
    (0..LIVE).map(|_| Parser::new(policy.clone())).collect()
}

/// Visits the objects in a random order, the same every time, that no cache can predict.
pub fn measure(parsers: &mut [Parser], duration: Duration) -> Visits {
    let order = order(parsers.len());
    let prose = workloads::prose().message;
    // Few enough to stay in the cache, because only the objects are measured.
    let mut pieces = pieces(&prose, CHUNK);
    let chunks: Chunks<'_> = std::array::from_fn(|_| pieces.next().expect("the workload is long enough"));
    assert!(chunks.iter().all(|chunk| chunk.len() == CHUNK));
    let (mut blocks, mut lines) = (vec![Block([0; _]); order.len()], vec![Line([0; _]); order.len()]);
    let [parsers, lines, dense] = shortest(
        duration,
        [
            &mut || feed(parsers, &order, &chunks),
            &mut || change(&mut blocks, &order, &chunks, |object| &mut object.0[0]),
            &mut || change(&mut lines, &order, &chunks, |object| &mut object.0[0]),
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
    let mut totals = Totals::default();
    for &index in order {
        let mut events = parsers[index as usize].feed(chunks[index as usize % 64]);
        while let Some(event) = events.next() {
            totals.add(event);
        }
    }
    assert_eq!(totals, Totals { questions: 0, bytes: (order.len() * CHUNK) as u64 }, "every chunk is prose");
}

fn change<T>(objects: &mut [T], order: &[u32], chunks: &Chunks<'_>, field: impl Fn(&mut T) -> &mut u64) {
    for &index in order {
        *field(&mut objects[index as usize]) += chunks[index as usize % 64].len() as u64;
    }
    black_box(objects);
}
