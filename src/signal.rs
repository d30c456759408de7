//! The seam between the parser and a syntax: pieces of text go in, signals come out.
//!
//! Nothing in a syntax depends on where one piece ends and the next begins, except how many signals there
//! are.

use crate::call::Delta;

/// A piece of the stream, as text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<'s> {
    pub(crate) text: &'s str,
    /// Where in the stream it begins and ends. Its text is as long as that, unless it is one U+FFFD for
    /// bytes that were ill-formed.
    pub(crate) start: u64,
    pub(crate) end: u64,
}

impl Piece<'_> {
    /// Returns the offset in the stream of the byte `i` of the text.
    pub(crate) fn offset(&self, i: usize) -> u64 {
        if i == self.text.len() { self.end } else { self.start + i as u64 }
    }
}

/// What a syntax has decided. Plain data: what it names is borrowed afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    /// Nothing more is certain without the next piece.
    More,
    /// This is prose.
    Text(Source),
    /// This is part of another tool's call.
    Opaque { from: Source, tool: u16, start: bool },
    /// More of the open call is certain.
    Partial(Delta),
    /// A call has ended there.
    Ended { end: u64 },
}

/// Where the text of a signal is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// In the piece, from one index to the other.
    Piece(usize, usize),
    /// The incomplete tag.
    Pending,
    /// What was held back after an opening tag.
    Held,
}
