//! `followup parse --records`: many messages, one JSON object per line.
//!
//! One thread reads lines, a worker per core parses messages, and the main thread writes the
//! results in order. The lines of one read make a batch. Each batch is sent to two queues: to the
//! workers, and, as the channel that will receive its result, to the writer. Both queues are short,
//! so that backpressure bounds the memory.

mod progress;
mod record;

use std::io::{self, BufWriter, Read, Write};
use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use followup::Policy;
use memchr::{memchr, memchr_iter, memrchr};

use self::progress::Progress;
use self::record::RecordReader;
use crate::args::ParseArgs;
use crate::chunks::{Cut, read_available};
use crate::error::{Error, Status, report};
use crate::input::Input;

/// The number of bytes requested at once.
///
/// A pipe holds less; for a file, the cost of the queues is negligible at this size.
const READ_SIZE: usize = 256 << 10;

/// The buffers of a batch, which are reused.
///
/// To allocate them for each batch would cost more than to parse it.
#[derive(Default)]
struct Buffers {
    /// Complete lines. Only the last line of the input may have no line feed.
    lines: Vec<u8>,
    /// The output for these lines.
    out: Vec<u8>,
}

/// Lines to be parsed.
struct Batch {
    buffers: Buffers,
    /// The number of the first line, from 1.
    first_line: u64,
    result: SyncSender<BatchResult>,
}

/// The result of a batch.
#[derive(Default)]
struct BatchResult {
    buffers: Buffers,
    /// The numbers of the lines that could not be read, and why.
    bad_lines: Vec<(u64, String)>,
    /// The number of records that were read.
    records: u64,
    /// The length of the batch in bytes.
    len: u64,
}

/// The receiver of the result of the next batch, or the error that ended the input.
type NextResult = io::Result<Receiver<BatchResult>>;

pub(super) fn run(input: Input, policy: Arc<Policy>, args: &ParseArgs) -> Result<Status, Error> {
    let Input { reader, name, length } = input;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (to_workers, batches) = sync_channel(workers);
    let (to_writer, results) = sync_channel(2 * workers);
    // As many as can be in use at once.
    let (to_spares, spares) = sync_channel(4 * workers);
    let batches = Arc::new(Mutex::new(batches));
    let cut = args.input.chunk.unwrap_or_default();
    for _ in 0..workers {
        let (batches, record) = (batches.clone(), RecordReader::new(policy.clone(), args.field.clone()));
        thread::spawn(move || work(&batches, record, cut));
    }
    // The threads are not joined: when the output is closed, the reader may wait for input that
    // never comes.
    thread::spawn(move || read(reader, &to_workers, &to_writer, &spares));
    write(&results, &to_spares, &name, Progress::new(length))
}

/// Reads lines in batches, and sends each to the workers and to the writer.
fn read(
    mut reader: impl Read,
    to_workers: &SyncSender<Batch>,
    to_writer: &SyncSender<NextResult>,
    spares: &Receiver<Buffers>,
) {
    let mut next_line = 1;
    // Returns whether the writer still receives.
    let mut send = |buffers: Buffers| {
        let (result, receiver) = sync_channel(1);
        let first_line = next_line;
        next_line += memchr_iter(b'\n', &buffers.lines).count() as u64;
        // The writer's queue comes first, so that it knows every batch that a worker has.
        to_writer.send(Ok(receiver)).is_ok() && to_workers.send(Batch { buffers, first_line, result }).is_ok()
    };
    let mut current = Buffers::default();
    loop {
        let lines = &mut current.lines;
        // The incomplete line of the last read comes first.
        let begin = lines.len();
        lines.resize(begin + READ_SIZE, 0);
        let read = read_available(&mut reader, &mut lines[begin..]);
        lines.truncate(begin + read.as_ref().copied().unwrap_or(0));
        match read {
            Err(error) => {
                let _ = to_writer.send(Err(error));
                return;
            }
            Ok(0) => {
                if !lines.is_empty() {
                    send(current);
                }
                return;
            }
            Ok(_) => {
                if let Some(end) = memrchr(b'\n', &lines[begin..]) {
                    let mut next = spares.try_recv().unwrap_or_default();
                    next.lines.extend_from_slice(&lines[begin + end + 1..]);
                    lines.truncate(begin + end + 1);
                    if !send(mem::replace(&mut current, next)) {
                        return;
                    }
                }
            }
        }
    }
}

/// Parses batches until there are no more.
fn work(batches: &Mutex<Receiver<Batch>>, mut reader: RecordReader, cut: Cut) {
    loop {
        // One worker at a time holds the lock while it waits. Nothing panics under the lock, so
        // poison carries no meaning.
        let batch = batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
        let Ok(Batch { buffers, first_line, result }) = batch else { return };
        let mut done = BatchResult { len: buffers.lines.len() as u64, buffers, ..BatchResult::default() };
        let Buffers { lines, out } = &mut done.buffers;
        let mut rest = &lines[..];
        for number in first_line.. {
            // After the last line feed there is a line only at the end of the input; otherwise it
            // is empty, and skipped as a blank line.
            let (line, after) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            if !line.trim_ascii().is_empty() {
                match reader.read(line, number, cut.for_stream(number), out) {
                    Ok(()) => done.records += 1,
                    Err(reason) => done.bad_lines.push((number, reason)),
                }
            }
            match after.get(1..) {
                Some(after) => rest = after,
                None => break,
            }
        }
        // Fails if the writer has given up.
        let _ = result.send(done);
    }
}

/// Writes the results in order.
fn write(
    results: &Receiver<NextResult>,
    to_spares: &SyncSender<Buffers>,
    name: &str,
    mut progress: Progress,
) -> Result<Status, Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut records, mut bytes, mut bad_lines) = (0, 0, 0);
    loop {
        let next = match results.try_recv() {
            Err(TryRecvError::Empty) => {
                // The input pauses, and its sender may wait for the results so far.
                out.flush()?;
                results.recv().ok()
            }
            next => next.ok(),
        };
        let Some(next) = next else { break };
        let receiver = next.map_err(|error| Error::reading(Path::new(name), &error))?;
        let Ok(mut result) = receiver.recv() else {
            // The worker has panicked, and has printed why.
            return Err(Error::Unreadable("a record could not be read: this is a bug in followup".into()));
        };
        out.write_all(&result.buffers.out)?;
        result.buffers.lines.clear();
        result.buffers.out.clear();
        // Fails if there are enough spare buffers, or if the input has ended.
        let _ = to_spares.try_send(result.buffers);
        if !result.bad_lines.is_empty() {
            bad_lines += result.bad_lines.len();
            progress.clear();
            for (line, reason) in &result.bad_lines {
                report(format_args!("{name}, line {line}: {reason}"));
            }
        }
        records += result.records;
        bytes += result.len;
        progress.update(records, bytes);
    }
    out.flush()?;
    if bad_lines == 0 {
        return Ok(Status::Success);
    }
    let lines = if bad_lines == 1 { "1 line".into() } else { format!("{bad_lines} lines") };
    Err(Error::Unreadable(format!("{lines} of {name} could not be read; {records} could")))
}
