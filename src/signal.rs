//! The seam between the parser and a syntax: pieces of text go in, signals come out.
//!
//! Where one piece ends and the next begins changes only how many signals there are, not what they
//! add up to.

use crate::call::Addition;

/// A piece of the stream, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) text: &'s str,
    /// The offset in the stream of its first byte.
    pub(crate) start: u64,
    /// The offset in the stream after its last byte.
    ///
    /// `end - start` is the length of the text, unless it is one U+FFFD for ill-formed bytes.
    pub(crate) end: u64,
}

impl Piece<'_> {
    /// Returns the offset in the stream of the byte `i` of the text.
    pub(crate) fn offset(&self, i: usize) -> u64 {
        if i == self.text.len() { self.end } else { self.start + i as u64 }
    }
}

/// Which text is certain to be prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quiet {
    Never,
    /// Text without a `<`, and it changes nothing.
    WithoutBracket,
    /// Text without a `<`, a back-tick, a `{` or a `~`.
    ///
    /// It changes only what is before the next byte.
    WithoutMark,
    /// Text without a `<`, a back-tick or a line end, and it changes nothing.
    WithoutCodeMark,
    /// Some text, which may change the state.
    Unknown,
}

/// A decision of a machine. It is `Copy`; the event borrows from the parser afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    /// Nothing more is certain without the next piece.
    More,
    /// Prose.
    Text(Source),
    /// A part of another tool's call.
    Opaque { from: Source, tool: ToolRef, start: bool },
    /// More of the open call is certain.
    Partial(Addition),
    /// A call has ended, at this offset in the stream.
    Ended { end: u64 },
}

/// Which tool is called.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ToolRef {
    /// The one with this number in the policy's list.
    Listed(u16),
    /// The one that is named in the open envelope.
    Envelope,
}

/// Where the text of a signal is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// In the piece, between these indices.
    Piece(usize, usize),
    /// The incomplete tag.
    Pending,
    /// The text after the opening tag of an unconfirmed call.
    Unconfirmed,
    /// What is held back of an envelope.
    Envelope,
}
