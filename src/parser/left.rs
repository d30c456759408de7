//! A cursor that is left between two events, and taken up again.

use super::{Events, Feed, Parser, Phase, Position};

/// Where a cursor was left. Its chunk and its parser are with whoever has it.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    /// How many bytes of the chunk stand in front of the rest as text.
    text: usize,
    /// How many bytes at the end of the chunk have not been looked at.
    rest: usize,
    position: Position,
    phase: Phase,
}

impl Default for Left {
    /// At the end of a chunk.
    fn default() -> Left {
        Left { text: 0, rest: 0, position: Position::default(), phase: Phase::Over }
    }
}

impl Left {
    /// Whether nothing more comes of the chunk.
    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }
}

impl<'a> Events<'a> {
    /// Leaves it: nothing more is read, until it is taken up.
    pub(crate) fn leave(mut self) -> Left {
        let phase = core::mem::replace(&mut self.phase, Phase::Over);
        let Feed { text, .. } = self.feed;
        Left { text: text.len(), rest: self.feed.bytes().len(), position: self.feed.position(), phase }
    }

    /// Takes it up again, with the chunk it was made of.
    ///
    /// Cost: its text is looked at again.
    pub(crate) fn take_up(parser: &'a mut Parser, chunk: &'a [u8], left: Left) -> Events<'a> {
        let Left { text, rest, position, phase } = left;
        let (before, rest) = chunk.split_at(chunk.len() - rest);
        // It was text when it was left.
        let text = core::str::from_utf8(&before[before.len() - text..]).unwrap_or_default();
        Events { parser, feed: Feed::new(text, rest, position), phase }
    }
}
