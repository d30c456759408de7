//! Reads lines in batches, and sends each to the workers and to the writer.

use std::io::Read;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::batch::{Batch, Buffers, Next};
use super::lines::{LineReader, LinesPart, Position};

/// The bytes of lines that may be in the queues at once. A longer batch waits until it is alone.
const IN_FLIGHT: usize = 32 << 20;

/// The capacity from which on a buffer is dropped after use instead of being kept.
const LARGE: usize = 2 << 20;

/// The sender of batches to the workers and to the writer.
pub(super) struct Dispatcher {
    to_workers: SyncSender<Batch>,
    to_writer: SyncSender<Next>,
    /// The buffers of batches that have been written.
    used: Receiver<Buffers>,
    spare: Vec<Buffers>,
    /// The number of bytes of lines that were sent and have not come back.
    in_flight: usize,
}

impl Dispatcher {
    pub(super) fn new(
        to_workers: SyncSender<Batch>,
        to_writer: SyncSender<Next>,
        used: Receiver<Buffers>,
    ) -> Dispatcher {
        Dispatcher { to_workers, to_writer, used, spare: Vec::new(), in_flight: 0 }
    }

    /// Runs to the end of the input, or until the writer has gone.
    pub(super) fn run(mut self, mut lines: LineReader<impl Read>) {
        loop {
            while let Ok(buffers) = self.used.try_recv() {
                self.take_back(buffers);
            }
            let Buffers { lines: spare, out } = self.spare.pop().unwrap_or_default();
            let is_sent = match lines.next(spare) {
                Ok(Some(LinesPart::Lines(lines, begin))) => self.send(Buffers { lines, out }, begin),
                Ok(Some(LinesPart::TooLong(position))) => self.to_writer.send(Next::TooLong(position)).is_ok(),
                Ok(None) => return,
                Err(error) => {
                    let _ = self.to_writer.send(Next::Failed(error));
                    return;
                }
            };
            if !is_sent {
                return;
            }
        }
    }

    /// Returns whether the writer still receives.
    fn send(&mut self, buffers: Buffers, begin: Position) -> bool {
        while self.in_flight > 0 && self.in_flight + buffers.lines.len() > IN_FLIGHT {
            let Ok(used) = self.used.recv() else { return false };
            self.take_back(used);
        }
        self.in_flight += buffers.lines.len();
        let (result, receiver) = sync_channel(1);
        // The writer's queue comes first, so that it knows every batch that a worker has.
        self.to_writer.send(Next::Batch(receiver)).is_ok()
            && self.to_workers.send(Batch { buffers, begin, result }).is_ok()
    }

    fn take_back(&mut self, mut buffers: Buffers) {
        self.in_flight -= buffers.lines.len();
        for buffer in [&mut buffers.lines, &mut buffers.out] {
            buffer.clear();
            if buffer.capacity() > LARGE {
                *buffer = Vec::new();
            }
        }
        self.spare.push(buffers);
    }
}
