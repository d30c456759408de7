//! A worker: takes pieces from the stream, and keeps nothing between two of them.

use std::sync::Arc;

use followup::Policy;
use followup::wire::{Limits, ResponseParser};
use redis::streams::StreamId;

use crate::queue::Turn;
use crate::{END, Piece, Queue, to_json};

type Error = Box<dyn std::error::Error>;

/// A worker.
#[expect(missing_debug_implementations, reason = "a connection has none")]
pub struct Worker {
    queue: Queue,
    name: String,
    /// After how many milliseconds it takes over what another worker has not finished.
    patience: u64,
    policy: Arc<Policy>,
}

impl Worker {
    /// Returns a worker. Its name must differ from those of all other workers.
    pub fn new(queue: Queue, name: String, patience: u64) -> Worker {
        Worker { queue, name, patience, policy: Arc::default() }
    }

    /// Works until Redis can't be reached.
    ///
    /// # Errors
    ///
    /// If Redis can't be reached, or a checkpoint can't be read.
    pub fn work(&mut self) -> Result<(), Error> {
        loop {
            let abandoned = self.queue.receive_again(&self.name, self.patience)?;
            self.apply_all(&abandoned)?;
            let new = self.queue.receive(&self.name)?;
            self.apply_all(&new)?;
        }
    }

    fn apply_all(&mut self, entries: &[StreamId]) -> Result<(), Error> {
        for entry in entries {
            match Piece::from_entry(entry) {
                Some(piece) if piece.is_last || !piece.bytes.is_empty() => self.apply(&piece)?,
                _ => eprintln!("{} is not a piece", entry.id),
            }
            // Not before everything that follows from it is done: otherwise nobody does it if this
            // worker dies.
            self.queue.finish(&entry.id)?;
        }
        Ok(())
    }

    /// Applies a piece, if it is its turn, and those that have waited for it.
    fn apply(&mut self, arrived: &Piece) -> Result<(), Error> {
        let mut next = self.queue.arrive(arrived)?;
        while let Some(Turn { checkpoint, piece }) = next {
            let mut parser = match checkpoint {
                Some(checkpoint) => ResponseParser::resume(self.policy.clone(), Limits::default(), checkpoint)?,
                None => ResponseParser::auto(self.policy.clone()),
            };
            let mut events = Vec::new();
            parser.feed(&piece.bytes).for_each(|event| events.push(to_json(event)));
            if piece.is_last {
                parser.finish().for_each(|event| events.push(to_json(event)));
                events.push(END.to_owned());
            }
            let checkpoint = (!piece.is_last).then(|| parser.checkpoint());
            next = self.queue.commit(&piece, &events, checkpoint.as_ref())?;
        }
        Ok(())
    }
}
