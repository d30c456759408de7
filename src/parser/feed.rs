//! What a parser is given to read, and the index it has read to.

use crate::signal::{Piece, Signal};

/// A chunk, or the end of the stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feed<'a> {
    /// The text at hand.
    pub(crate) text: &'a str,
    /// What follows it.
    pub(super) rest: Rest<'a>,
    /// The text is read up to here. (Last: what is copied with it would have to be written as it is
    /// read.)
    pub(crate) pos: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Rest<'a> {
    Bytes(&'a [u8]),
    /// The end of the stream.
    End,
}

impl Default for Rest<'_> {
    fn default() -> Self {
        Rest::Bytes(&[])
    }
}

impl<'a> Feed<'a> {
    /// Text that is read up to `pos`, and the bytes that follow it.
    pub(crate) fn new(text: &'a str, bytes: &'a [u8], pos: usize) -> Feed<'a> {
        Feed { text, rest: Rest::Bytes(bytes), pos }
    }

    /// The end of the stream.
    pub(crate) fn end() -> Feed<'a> {
        Feed { rest: Rest::End, ..Feed::default() }
    }

    /// Returns how many bytes follow the text.
    #[cfg(feature = "wire")]
    pub(crate) fn bytes_left(&self) -> usize {
        if let Rest::Bytes(bytes) = self.rest { bytes.len() } else { 0 }
    }

    /// Returns whether nothing follows the text.
    pub(super) fn is_last(&self) -> bool {
        matches!(self.rest, Rest::Bytes([]))
    }

    /// Returns whether all of it is read.
    pub(super) fn is_read(&self) -> bool {
        self.pos == self.text.len() && self.is_last()
    }
}

/// What is to be lent next. Plain data: the event is borrowed afterwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decision {
    pub(super) signal: Signal,
    /// It was decided in the patch, not in the text of the feed.
    pub(super) in_patch: bool,
}

/// What a decision is about.
#[cfg(feature = "wire")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// No call.
    Prose,
    /// A call that is open.
    Call,
    /// The end of a call.
    CallEnd,
}

impl Decision {
    #[cfg(feature = "wire")]
    pub(crate) fn about(self) -> About {
        match self.signal {
            Signal::Partial(_) => About::Call,
            Signal::Ended { .. } => About::CallEnd,
            Signal::More | Signal::Text(_) | Signal::Opaque { .. } => About::Prose,
        }
    }
}

/// One character that is not in a chunk as it is: it was cut, or its bytes were ill-formed.
///
/// It comes right before the text of the feed, and is read before anything else is taken from the
/// feed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patch {
    /// In UTF-8, then zeros. All zeros: there is none.
    text: [u8; 4],
    /// The number of bytes of the stream that it replaces.
    bytes: u8,
    pub(super) was_read: bool,
}

impl Patch {
    /// A character that replaces up to four bytes of the stream.
    pub(super) fn new(char: char, bytes: usize) -> Patch {
        let mut text = [0; 4];
        char.encode_utf8(&mut text);
        Patch { text, bytes: bytes as u8, was_read: false }
    }

    pub(super) fn text(&self) -> &str {
        // A NUL is never cut, and never ill-formed.
        let len = self.text.iter().position(|&byte| byte == 0).unwrap_or(self.text.len());
        core::str::from_utf8(&self.text[..len]).unwrap_or_default()
    }

    /// Returns whether there is one that is not read.
    pub(super) fn is_unread(&self) -> bool {
        self.text[0] != 0 && !self.was_read
    }

    /// Returns it as a piece that ends at `end`.
    pub(super) fn piece(&self, end: u64) -> Piece<'_> {
        Piece { text: self.text(), start: end - u64::from(self.bytes), end }
    }
}
