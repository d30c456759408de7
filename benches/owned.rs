//! The cost of owned events and of lent ones.
//!
//! The workloads are prose, and prose with a question every 2 KiB.
//!
//! `cargo bench --bench owned`

mod common;

use std::time::Duration;

use bytes::Bytes;
use common::{Totals, ns_each, parse_bytes, shortest};
use followup::Parser;
use followup::owned::{Event, Reader};
use followup_testing::workloads;

fn main() {
    println!("{:<12} {:>8} {:>12} {:>12} {:>12}", "workload", "chunk", "lent, ns", "owned, ns", "copies, ns");
    for workload in workloads::everyday().take(2) {
        let message = Bytes::from(workload.message.clone());
        for size in [4, 64, 512, 1024, 4096, 65_536] {
            let chunks: Vec<Bytes> =
                (0..message.len()).step_by(size).map(|at| message.slice(at..message.len().min(at + size))).collect();
            let pieces: Vec<&[u8]> = chunks.iter().map(|chunk| &chunk[..]).collect();
            let all = Totals::of(&workload);
            let [lent, owned, copies] = shortest(
                Duration::from_millis(600),
                [
                    &mut || assert_eq!(parse_bytes(&mut Parser::default(), &pieces), all),
                    &mut || assert_eq!(read_owned(&chunks), all),
                    &mut || assert_eq!(copy(&pieces), message.len()),
                ],
            );
            let [lent, owned, copies] = [lent, owned, copies].map(|time| ns_each(time, chunks.len()));
            println!("{:<12} {size:>8} {lent:>12.1} {owned:>12.1} {copies:>12.1}", workload.name);
        }
    }
}

fn read_owned(chunks: &[Bytes]) -> Totals {
    let mut reader = Reader::new(Parser::default());
    let mut read = Totals::default();
    let mut take = |event: Event| match event {
        Event::Text(text) => read.bytes += text.len() as u64,
        Event::Opaque(piece) => read.bytes += piece.raw.len() as u64,
        Event::Partial(_) => {}
        Event::Complete(call) => {
            read.questions += 1;
            read.bytes += call.span.end - call.span.start;
        }
        Event::Rejected(call) => read.bytes += call.span.end - call.span.start,
    };
    chunks.iter().for_each(|chunk| reader.feed(chunk.clone()).for_each(&mut take));
    reader.finish().for_each(&mut take);
    read
}

/// Copies each chunk, for comparison.
fn copy(chunks: &[&[u8]]) -> usize {
    chunks.iter().map(|chunk| std::hint::black_box(Bytes::copy_from_slice(chunk)).len()).sum()
}
