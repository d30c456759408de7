//! The input of a cursor: bytes of the body, and the stage of its end.

use alloc::vec::Vec;

/// The input of a cursor.
#[derive(Debug)]
pub(super) struct BodyInput<'a> {
    /// The body up to this chunk, if its format was not known before, with this chunk at its end.
    pub(super) replay: Vec<u8>,
    pub(super) chunk: &'a [u8],
    /// The number of bytes consumed of the replay, or of the chunk if there is no replay.
    pub(super) used: usize,
    pub(super) stage: BodyStage,
}

/// The stage of the end of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BodyStage {
    /// The body continues after the input.
    Continues,
    /// The body ends with the input.
    Ends,
    /// Next: the end of the text of the deltas.
    TextOfDeltas,
    /// Next: the end of the text parser's stream.
    TextParser,
    /// Next: the end of the stream of the parser of reasoning.
    ReasoningParser,
    /// Next: the calls that are still open.
    OpenCalls,
    /// Next: the calls whose end waits.
    HeldCalls,
    /// Nothing more comes.
    Done,
}

impl<'a> BodyInput<'a> {
    pub(super) fn new(replay: Vec<u8>, chunk: &'a [u8], stage: BodyStage) -> BodyInput<'a> {
        BodyInput { replay, chunk, used: 0, stage }
    }

    /// Returns the replay, or the chunk if there is no replay.
    pub(super) fn bytes(&self) -> &[u8] {
        if self.replay.is_empty() { self.chunk } else { &self.replay }
    }

    /// Returns the bytes that are not consumed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.bytes()[self.used..]
    }

    /// Moves on to the chunk once the replay is consumed. Returns whether bytes are left.
    pub(super) fn advance(&mut self) -> bool {
        if self.rest().is_empty() && !self.replay.is_empty() {
            (self.replay, self.used) = (Vec::new(), 0);
        }
        !self.rest().is_empty()
    }
}
