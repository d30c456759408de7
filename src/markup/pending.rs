//! What the text so far ends in: an incomplete tag.

use super::lexed::{IncompleteTag, TagPart};
use smallvec::SmallVec;

use crate::scan;
use crate::utf8;

/// `<ask_followup_question>` and one more byte.
const INLINE: usize = 24;

/// An incomplete tag, from its `<` on.
///
/// It holds no second `<`: if it turns out to be no tag, all of it is text, and nothing of it is
/// read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Pending {
    /// Whole characters.
    pub(super) bytes: SmallVec<[u8; INLINE]>,
    /// Where in the stream the `<` is.
    pub(super) start: u64,
    /// The `<` comes right after a back-tick.
    pub(super) after_backtick: bool,
    /// Its text has been emitted, because it is text whatever becomes of it.
    pub(super) shown: bool,
    /// A part of the stream was lost within it, or right after it.
    pub(super) has_gap: bool,
    /// What it ends in. [`TagPart::Other`]: it is read again from its beginning.
    pub(super) part: TagPart,
    /// All of its text was emitted by the last signal, which borrows it.
    ///
    /// Never so between two chunks.
    pub(super) lent: bool,
}

impl Pending {
    /// Returns its text. It is cut between characters only, so that is all of its bytes.
    pub(super) fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// Begins with `text`, whose `<` is at `start` in the stream.
    pub(super) fn begin(&mut self, text: &str, start: u64, after_backtick: bool, incomplete: IncompleteTag) {
        self.bytes.clear();
        self.extend(text);
        (self.start, self.after_backtick) = (start, after_backtick);
        (self.shown, self.part, self.has_gap) = (incomplete.shown, incomplete.part, false);
    }

    pub(super) fn extend(&mut self, text: &str) {
        // Nearly always a few bytes, for which a copy of a slice costs twice as much.
        self.bytes.extend(text.bytes());
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        (self.start, self.part) = (0, TagPart::Other);
        (self.after_backtick, self.shown, self.has_gap, self.lent) = (false, false, false, false);
    }

    /// Returns the part of `text` that can belong to it.
    ///
    /// It reaches through the next `<`, or to just beyond the limit. While it fits in place, it is
    /// no more than has room there.
    pub(super) fn reach<'t>(&self, text: &'t str, limit: usize) -> &'t str {
        let mut most = utf8::floor_char_boundary(text, INLINE.saturating_sub(self.bytes.len()));
        if most == 0 {
            most = limit.saturating_add(1).saturating_sub(self.bytes.len()).clamp(1, text.len());
            while !text.is_char_boundary(most) {
                most += 1;
            }
        }
        match scan::bracket(&text.as_bytes()[..most]) {
            Some(bracket) => &text[..=bracket],
            None => &text[..most],
        }
    }

    /// Returns it as an incomplete tag if what follows its first `old` bytes decides nothing.
    ///
    /// Then it need not be read again. That is so for more of the name that is expected, or of the
    /// attributes, unless the limit is near.
    pub(super) fn stays_incomplete(&self, old: usize, limit: usize) -> Option<IncompleteTag> {
        let more = match self.part {
            TagPart::Attributes if memchr::memchr2(b'<', b'>', &self.bytes[old..]).is_none() => 1,
            TagPart::Attributes | TagPart::Other => return None,
            TagPart::Name(name) => name.more(&self.bytes, old)?,
        };
        let stays = self.bytes.len().saturating_add(more + 1) <= limit;
        stays.then_some(IncompleteTag { more, shown: self.shown, part: self.part })
    }

    /// Returns whether it is one that a stream of `read` bytes can end in.
    pub(super) fn is_in_bounds(&self, read: u64, limit: usize) -> bool {
        let is_tag = self.bytes.first() == Some(&b'<') && core::str::from_utf8(&self.bytes).is_ok();
        (self.bytes.is_empty() || is_tag) && self.bytes.len() <= limit && self.start <= read && !self.lent
    }
}
