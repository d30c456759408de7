//! Bytes that a conversation and its parts take in addition to their texts.
//!
//! The estimate of memory needs them.

/// Bytes that a conversation takes in addition to what it keeps.
pub(super) const CONVERSATION_OVERHEAD: usize = 4 << 10;

/// Bytes that an item of a transcript takes in addition to its text.
pub(super) const ITEM_OVERHEAD: usize = 256;

/// Bytes that each part of an item takes in addition to its text: a suggestion, a note, an image.
pub(super) const PART_OVERHEAD: usize = 64;

/// Bytes that an event takes in addition to its text.
pub(super) const FRAME_OVERHEAD: usize = 64;

/// Bytes that a reply takes in addition to its text and images.
pub(super) const REPLY_OVERHEAD: usize = 128;
