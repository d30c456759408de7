//! Batches of lines, and what the threads send to each other.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender};

use super::lines::Position;
use super::record::Unread;

/// The buffers of a batch, which are reused.
///
/// To allocate them for each batch would cost more than to parse it.
#[derive(Default)]
pub(super) struct Buffers {
    /// Complete lines. Only the last line of the input may have no line feed.
    pub(super) lines: Vec<u8>,
    /// The output for these lines.
    pub(super) out: Vec<u8>,
}

/// Lines to be parsed.
pub(super) struct Batch {
    pub(super) buffers: Buffers,
    /// The position of the first line.
    pub(super) begin: Position,
    pub(super) result: SyncSender<BatchResult>,
}

/// The result of a batch.
pub(super) struct BatchResult {
    pub(super) buffers: Buffers,
    /// The lines that could not be read, or only in part.
    pub(super) unread: Vec<(Position, Unread)>,
    /// The number of records that were read.
    pub(super) records: u64,
    /// The number of bytes of the input up to the end of the batch.
    pub(super) end: u64,
}

/// What the writer receives, in the order of the input.
pub(super) enum Next {
    /// The receiver of the result of a batch.
    Batch(Receiver<BatchResult>),
    /// A line that is longer than the limit.
    TooLong(Position),
    /// The error that ended the input.
    Failed(io::Error),
}
