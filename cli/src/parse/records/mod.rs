//! Many messages, one JSON object a line.
//!
//! One thread reads lines, all cores read messages, and this one writes, in order. The lines that one read brought make a batch.
//! Each batch is put into two queues: for whichever worker is free, and, as the place where its answer will be, for the writer.
//! Both queues are short, so that whoever is slowest sets the pace and little is held.

mod record;

use std::io::{self, BufWriter, IsTerminal, Read, Write};
use std::mem;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;

use followup::Policy;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memchr::{memchr, memchr_iter, memrchr};

use self::record::Record;
use crate::args::Parse;
use crate::chunks::{Cut, read_some};
use crate::error::{Error, Status, say};
use crate::stream::Input;

/// How much is asked for at once. A pipe holds less; of a file, it is enough work for the queues not to matter.
const READ: usize = 256 << 10;

/// Memory that goes around: made anew for each batch, it would come from the system and go back to it, which costs more than what is done with it.
#[derive(Default)]
struct Buffers {
    /// Whole lines. The last of all may have no line feed.
    lines: Vec<u8>,
    /// What is to be written.
    out: Vec<u8>,
}

/// Lines to be read.
struct Batch {
    buffers: Buffers,
    /// The number of the first line, from 1.
    first: u64,
    answer: SyncSender<Answer>,
}

/// What came of a batch.
#[derive(Default)]
struct Answer {
    buffers: Buffers,
    /// Line numbers, and what was wrong.
    bad: Vec<(u64, String)>,
    records: u64,
    /// How long the batch was.
    read: u64,
}

/// Where the answer to the next batch will be, or why there are no more.
type Next = io::Result<Receiver<Answer>>;

pub(super) fn run(input: Input, policy: Arc<Policy>, args: &Parse) -> Result<Status, Error> {
    let Input { from, name, length } = input;
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (batch, batches) = sync_channel(workers);
    let (next, in_order) = sync_channel(2 * workers);
    // As many as can be anywhere at once.
    let (spare, spares) = sync_channel(4 * workers);
    let batches = Arc::new(Mutex::new(batches));
    let cut = args.stream.chunk.unwrap_or_default();
    for _ in 0..workers {
        let (batches, record) = (batches.clone(), Record::new(policy.clone(), args.field.clone()));
        thread::spawn(move || work(&batches, record, cut));
    }
    // Nobody joins these threads: when the output is closed, the reader may be waiting for input that never comes.
    thread::spawn(move || read(from, &batch, &next, &spares));
    write(&in_order, &spare, &name, &progress(length))
}

fn read(mut from: impl Read, batches: &SyncSender<Batch>, next: &SyncSender<Next>, spares: &Receiver<Buffers>) {
    let mut first = 1;
    // Fails when the writer has given up.
    let mut send = |buffers: Buffers| {
        let (answer, answered) = sync_channel(1);
        let begins = first;
        first += memchr_iter(b'\n', &buffers.lines).count() as u64;
        // Its place first: a batch in work always has one.
        next.send(Ok(answered)).is_ok() && batches.send(Batch { buffers, first: begins, answer }).is_ok()
    };
    let mut now = Buffers::default();
    loop {
        let line = &mut now.lines;
        // The beginning of a line whose end has not been read yet.
        let begun = line.len();
        line.resize(begun + READ, 0);
        let read = read_some(&mut from, &mut line[begun..]);
        line.truncate(begun + read.as_ref().copied().unwrap_or(0));
        match read {
            Err(error) => {
                let _ = next.send(Err(error));
                return;
            }
            Ok(0) => {
                if !line.is_empty() {
                    send(now);
                }
                return;
            }
            Ok(_) => {
                if let Some(end) = memrchr(b'\n', &line[begun..]) {
                    let mut then = spares.try_recv().unwrap_or_default();
                    then.lines.extend_from_slice(&line[begun + end + 1..]);
                    line.truncate(begun + end + 1);
                    if !send(mem::replace(&mut now, then)) {
                        return;
                    }
                }
            }
        }
    }
}

fn work(batches: &Mutex<Receiver<Batch>>, mut record: Record, cut: Cut) {
    loop {
        // Held while waiting, by one worker at a time; a panic can't come in between, so poison means nothing.
        let batch = batches.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).recv();
        let Ok(Batch { buffers, first, answer }) = batch else { return };
        let mut done = Answer { read: buffers.lines.len() as u64, buffers, ..Answer::default() };
        let Buffers { lines, out } = &mut done.buffers;
        let mut rest = &lines[..];
        for number in first.. {
            // What follows the last line feed is a line only at the end of the input, if it is not empty: and then not blank.
            let (line, behind) = rest.split_at(memchr(b'\n', rest).unwrap_or(rest.len()));
            if !line.trim_ascii().is_empty() {
                match record.read(line, number, cut.for_stream(number), out) {
                    Ok(()) => done.records += 1,
                    Err(wrong) => done.bad.push((number, wrong)),
                }
            }
            match behind.get(1..) {
                Some(behind) => rest = behind,
                None => break,
            }
        }
        // Nobody waits for it if the writer has given up.
        let _ = answer.send(done);
    }
}

fn write(
    in_order: &Receiver<Next>,
    spare: &SyncSender<Buffers>,
    name: &str,
    progress: &ProgressBar,
) -> Result<Status, Error> {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut records, mut bad) = (0, 0);
    loop {
        let next = match in_order.try_recv() {
            Err(TryRecvError::Empty) => {
                // The input pauses: whoever sent what has been read so far may be waiting for this.
                out.flush()?;
                in_order.recv().ok()
            }
            next => next.ok(),
        };
        let Some(next) = next else { break };
        let answer = next.map_err(|error| Error::reading(Path::new(name), &error))?;
        let Ok(mut answer) = answer.recv() else {
            // Its thread has panicked, and said so.
            return Err(Error::Unreadable("a record could not be read: this is a bug in followup".into()));
        };
        out.write_all(&answer.buffers.out)?;
        answer.buffers.lines.clear();
        answer.buffers.out.clear();
        // Nobody needs it if there are enough, or nothing more to read.
        let _ = spare.try_send(answer.buffers);
        if !answer.bad.is_empty() {
            bad += answer.bad.len();
            progress.suspend(|| {
                for (line, wrong) in &answer.bad {
                    say(format_args!("{name}, line {line}: {wrong}"));
                }
            });
        }
        records += answer.records;
        progress.inc(answer.read);
        progress.set_message(format!("{records} records"));
    }
    out.flush()?;
    progress.finish_and_clear();
    if bad == 0 {
        return Ok(Status::Well);
    }
    let lines = if bad == 1 { "1 line".into() } else { format!("{bad} lines") };
    Err(Error::Unreadable(format!("{lines} of {name} could not be read; {records} could")))
}

/// How far it is, on standard error: where that is a terminal, and the records don't go to the same.
fn progress(length: Option<u64>) -> ProgressBar {
    if io::stdout().is_terminal() {
        return ProgressBar::hidden();
    }
    let (bar, template) = match length {
        Some(length) => (ProgressBar::new(length), "{msg}, {bytes} of {total_bytes} ({bytes_per_sec}, {eta} to go)"),
        None => (ProgressBar::no_length(), "{msg}, {bytes} ({bytes_per_sec})"),
    };
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}
