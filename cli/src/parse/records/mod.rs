//! `followup parse --records`: many messages, or bodies of responses, one JSON object per line.
//!
//! One thread reads lines, a worker per core parses records, and the main thread writes the results
//! in order. The lines of one read make a batch. Each batch is sent to two queues: to the workers,
//! and, as the channel that will receive its result, to the writer. Both queues are short, and the
//! bytes in them are counted, so that backpressure bounds the memory.

mod batch;
mod dispatcher;
mod field_parser;
mod fields;
mod joiner;
mod lines;
mod progress;
mod record;
mod writer;

use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use followup::Policy;
use memchr::memchr;

use self::batch::{Batch, BatchResult, Buffers};
use self::dispatcher::Dispatcher;
use self::lines::LineReader;
use self::progress::Progress;
use self::record::RecordReader;
use self::writer::Writer;
use crate::args::parse::ParseArgs;
use crate::error::{Error, Status};
use crate::input::Input;

pub(super) fn run(input: Input, policy: Arc<Policy>, args: &ParseArgs) -> Result<Status, Error> {
    let Input { reader, name, length } = input;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (to_workers, batches) = sync_channel(workers);
    let (to_writer, results) = sync_channel(2 * workers);
    let (to_dispatcher, used) = channel();
    let batches = Arc::new(Mutex::new(batches));
    for _ in 0..workers {
        let (batches, record) = (batches.clone(), RecordReader::new(policy.clone(), args)?);
        thread::spawn(move || work(&batches, record));
    }
    let lines = LineReader::new(reader, args.limit_line);
    // The threads are not joined: when the output is closed, the reader may wait for input that
    // never comes.
    thread::spawn(move || Dispatcher::new(to_workers, to_writer, used).run(lines));
    Writer::new(name, args.limit_line, Progress::new(length)).run(&results, &to_dispatcher)
}

/// Parses batches until there are no more.
fn work(batches: &Mutex<Receiver<Batch>>, mut reader: RecordReader) {
    loop {
        // One worker at a time holds the lock while it waits. Nothing panics under the lock, so
        // poison carries no meaning.
        let batch = batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
        let Ok(Batch { buffers, begin, result }) = batch else { return };
        let end = begin.offset + buffers.lines.len() as u64;
        let mut done = BatchResult { buffers, unread: Vec::new(), records: 0, end };
        let Buffers { lines, out } = &mut done.buffers;
        let (mut rest, mut position) = (&lines[..], begin);
        while !rest.is_empty() {
            let (whole, after) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            // Some programs write a byte order mark at the beginning of a file.
            let line = whole.strip_prefix(b"\xEF\xBB\xBF").filter(|_| position.line == 1).unwrap_or(whole);
            if !line.trim_ascii().is_empty() {
                match reader.read(line, position.line, out) {
                    Ok(()) => done.records += 1,
                    Err(unread) => done.unread.push((position, unread)),
                }
            }
            position.line += 1;
            position.offset += whole.len() as u64 + 1;
            rest = after.get(1..).unwrap_or_default();
        }
        // Fails if the writer has given up.
        let _ = result.send(done);
    }
}
