//! Writes the results of the batches in order, and reports what could not be read.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};

use super::batch::{Buffers, Next};
use super::lines::Position;
use super::progress::Progress;
use super::record::{Unread, too_long};
use crate::error::{Error, Status, report};

/// Writes the results in order, and counts them.
pub(super) struct Writer {
    /// The name of the input.
    name: String,
    limit: usize,
    /// How many records were read.
    records: u64,
    /// How many lines could not be read.
    whole: u64,
    /// How many could be read only in part.
    part: u64,
    progress: Progress,
}

impl Writer {
    pub(super) fn new(name: String, limit: usize, progress: Progress) -> Writer {
        Writer { name, limit, records: 0, whole: 0, part: 0, progress }
    }

    /// Writes all results. Each batch's buffers go back to the dispatcher.
    ///
    /// # Errors
    ///
    /// Fails at the end if any line could not be read, after all others have been written.
    pub(super) fn run(mut self, results: &Receiver<Next>, used: &Sender<Buffers>) -> Result<Status, Error> {
        self.write(results, used)?;
        self.status()
    }

    fn write(&mut self, results: &Receiver<Next>, used: &Sender<Buffers>) -> Result<(), Error> {
        let mut out = BufWriter::new(io::stdout().lock());
        loop {
            let next = match results.try_recv() {
                Err(TryRecvError::Empty) => {
                    // The input pauses, and its sender may wait for the results so far.
                    out.flush()?;
                    results.recv().ok()
                }
                next => next.ok(),
            };
            let receiver = match next {
                None => return Ok(out.flush()?),
                Some(Next::Batch(receiver)) => receiver,
                Some(Next::TooLong(position)) => {
                    self.report(position, Unread::Whole(too_long(self.limit)));
                    continue;
                }
                Some(Next::Failed(error)) => {
                    out.flush()?;
                    return Err(Error::reading(Path::new(&self.name), &error));
                }
            };
            let Ok(result) = receiver.recv() else {
                // The worker has panicked, and has printed why.
                return Err(Error::Unreadable("a record could not be read: this is a bug in followup".into()));
            };
            out.write_all(&result.buffers.out)?;
            // Fails if the input has ended.
            let _ = used.send(result.buffers);
            for (position, unread) in result.unread {
                self.report(position, unread);
            }
            self.records += result.records;
            self.progress.update(self.records, result.end);
        }
    }

    /// Reports a line that could not be read.
    fn report(&mut self, Position { line, offset }: Position, unread: Unread) {
        self.progress.clear();
        let (count, reason) = match unread {
            Unread::Whole(reason) => (&mut self.whole, reason),
            Unread::Part(reason) => (&mut self.part, reason),
        };
        *count += 1;
        report(format_args!("{}, line {line}, offset {offset}: {reason}", self.name));
    }

    /// Returns the status at the end of the input: a failure if anything could not be read.
    fn status(mut self) -> Result<Status, Error> {
        self.progress.clear();
        let Writer { name, records, whole, part, .. } = &self;
        let lines = |count: &u64| if *count == 1 { "1 line".into() } else { format!("{count} lines") };
        match (whole, part) {
            (0, 0) => Ok(Status::Success),
            (_, 0) => Err(format!("{} of {name} could not be read; {records} could", lines(whole))),
            (0, _) => Err(format!("{} of {name} could be read only in part; {records} could be read", lines(part))),
            _ => Err(format!("{} of {name} could not be read, and {part} only in part; {records} could", lines(whole))),
        }
        .map_err(Error::Unreadable)
    }
}
