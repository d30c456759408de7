//! What a piece of the stream ends in the middle of.

use smallvec::SmallVec;

/// So many bytes of it are kept in place: `<ask_followup_question>` and a character.
pub(crate) const INLINE: usize = 24;

/// The beginning of a tag, from its `<` on, kept until it is decided. It holds no second `<`, so if it turns out to be no
/// tag, all of it is text and nothing of it is looked at again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Carry {
    /// Whole characters.
    pub(crate) bytes: SmallVec<[u8; INLINE]>,
    /// Where in the stream the `<` stands.
    pub(crate) start: u64,
    /// The `<` stands right behind a back-tick.
    pub(crate) behind_tick: bool,
    /// Only a `<` or a `>` can decide it, unless it is near the limit: it has come to its attributes.
    pub(crate) in_attributes: bool,
    /// Its text is shown already, because it is the same whether it becomes a tag or not.
    pub(crate) shown: bool,
}

impl Carry {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Its text. It is cut between characters only, so it is always all of the bytes.
    pub(crate) fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    pub(crate) fn begin(&mut self, text: &str, begun: Carry) {
        self.clear();
        self.extend(text);
        *self = Carry { bytes: core::mem::take(&mut self.bytes), ..begun };
    }

    pub(crate) fn extend(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        *self = Carry { bytes: core::mem::take(&mut self.bytes), ..Carry::default() };
    }
}
