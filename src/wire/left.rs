//! Leaving a cursor between two events, and taking it up again.

use alloc::vec::Vec;

use super::body::{Input, Stage};
use super::response::{Events, ResponseParser};

/// The state of a cursor without its borrows.
///
/// The default is that of a cursor at the end of its chunk.
#[derive(Clone, Debug)]
pub struct Left {
    replay: Vec<u8>,
    /// The length of the chunk.
    chunk: usize,
    used: usize,
    stage: Stage,
}

impl Default for Left {
    fn default() -> Left {
        Left { replay: Vec::new(), chunk: 0, used: 0, stage: Stage::Continues }
    }
}

impl<'a> Events<'a> {
    /// Leaves the cursor. It consumes nothing more until it is taken up.
    pub(crate) fn leave(mut self) -> Left {
        // So that `drop` does not consume the rest.
        self.is_running = true;
        let Input { replay, chunk, used, stage } = &mut self.input;
        Left { replay: core::mem::take(replay), chunk: chunk.len(), used: *used, stage: *stage }
    }

    /// Takes a cursor up again, with the chunk it was made of.
    pub(crate) fn take_up(parser: &'a mut ResponseParser, chunk: &'a [u8], left: Left) -> Events<'a> {
        let Left { replay, chunk: len, used, stage } = left;
        Events::new(parser, Input { replay, chunk: &chunk[..len], used, stage })
    }
}
