//! Pieces of a body, as they are sent.

use redis::streams::StreamId;

/// A piece of the body of a response. It may end anywhere, also inside a character.
///
/// A piece that is sent again must be the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The conversation that the body belongs to: the key of a partition, elsewhere.
    pub conversation: String,
    /// How many bytes of the body come before the piece.
    pub offset: u64,
    /// Whether it is the last piece of the body. Only that one may be empty.
    pub is_last: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Piece {
    /// Returns the offset of the next piece.
    pub fn end(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }

    /// Reads an entry of the stream; `None` if it is not a piece.
    pub(crate) fn from_entry(entry: &StreamId) -> Option<Piece> {
        let is_last: u8 = entry.get("last")?;
        Some(Piece {
            conversation: entry.get("conversation")?,
            offset: entry.get("offset")?,
            is_last: is_last == 1,
            bytes: entry.get("bytes")?,
        })
    }

    /// Returns the piece as it waits for its turn: whether it is the last one, and its bytes.
    pub(crate) fn to_waiting(&self) -> Vec<u8> {
        [&[u8::from(self.is_last)], &*self.bytes].concat()
    }

    /// Reads a piece that has waited.
    pub(crate) fn from_waiting(conversation: &str, offset: u64, waiting: &[u8]) -> Option<Piece> {
        let (&is_last, bytes) = waiting.split_first()?;
        Some(Piece { conversation: conversation.to_owned(), offset, is_last: is_last == 1, bytes: bytes.to_vec() })
    }
}
