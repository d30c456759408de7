//! What the machine does with an incomplete tag: reads it on, acts on it, or makes it text.

use nom::Streaming;

use super::lexed::{IncompleteTag, LexedTag, Tag};
use super::machine::MarkupMachine;
use super::state::MarkupState;
use crate::config::Envelope;
use crate::signal::{Piece, Signal, Source};
use crate::utf8;

impl MarkupMachine {
    /// Reads on with the incomplete tag, into a piece.
    pub(super) fn run_pending(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from, old) = (piece.text, *pos, self.pending.bytes.len());
        let new = self.pending.reach(&text[from..], self.policy.limits.tag);
        self.pending.extend(new);
        let shown = self.pending.shown;
        match self.read_pending(old) {
            LexedTag::Text => {
                let len = self.len_of_no_tag(self.pending.text()).max(old);
                *pos += len - old;
                if shown {
                    self.pending.clear();
                    return self.push_and_emit(text, from, *pos);
                }
                self.pending.bytes.truncate(len);
                self.drop_pending()
            }
            LexedTag::Tag(Tag { shown: true, .. }) | LexedTag::Incomplete(IncompleteTag { shown: true, .. })
                if !shown =>
            {
                self.pending.bytes.truncate(old);
                self.emit_pending()
            }
            LexedTag::Incomplete(incomplete) => {
                self.pending.part = incomplete.part;
                *pos += new.len() - self.take_back_prose(old);
                if shown { self.push_and_emit(text, from, *pos) } else { None }
            }
            LexedTag::Tag(tag) if shown => {
                *pos += tag.len.saturating_sub(old);
                self.pending.clear();
                let signal = self.push_and_emit(text, from, *pos);
                self.act_shown(&tag, piece.offset(*pos));
                signal
            }
            LexedTag::Tag(tag) if self.ends_before(&tag) => {
                self.pending.bytes.truncate(old);
                self.end_before(&tag, self.pending.start);
                None
            }
            LexedTag::Tag(tag) => {
                *pos += tag.len.saturating_sub(old);
                self.pending.bytes.truncate(tag.len);
                self.act_pending(&tag, piece.offset(*pos))
            }
        }
    }

    /// Reads what the incomplete tag is, of which all beyond `old` bytes is new.
    pub(super) fn read_pending(&self, old: usize) -> LexedTag {
        // A tag that begins an envelope has both limits.
        let limit = self.policy.limits.tag.min(self.policy.limits.unconfirmed);
        match self.pending.stays_incomplete(old, limit) {
            Some(incomplete) => LexedTag::Incomplete(incomplete),
            None => self.read::<Streaming>(&self.pending.bytes, self.pending.after_backtick),
        }
    }

    /// Returns how many bytes of `text` were an incomplete tag.
    ///
    /// It begins with the `<` of no tag.
    ///
    /// They are text, in which no envelope starts. Where none could, as in nearly all prose, it
    /// returns 1.
    pub(super) fn len_of_no_tag(&self, text: &str) -> usize {
        if !may_have_attributes(text.as_bytes()) || !matches!(self.state, MarkupState::Prose(_)) {
            return 1;
        }
        let families = self.policy.envelopes();
        if !families.contains(Envelope::BareJson) && !families.contains(Envelope::Mistral) {
            return 1;
        }
        let bytes = &text.as_bytes()[..text.len().min(self.policy.limits.tag)];
        let end = memchr::memchr(b'<', bytes.get(1..).unwrap_or_default()).map_or(bytes.len(), |found| found + 1);
        let is_incomplete =
            |len: usize| matches!(self.read::<Streaming>(&bytes[..len], false), LexedTag::Incomplete(_));
        let opener = memchr::memchr2(b'{', b'[', &bytes[..end]).filter(|&opener| is_incomplete(opener));
        let Some(mut incomplete) = opener else { return 1 };
        // With each byte it misses at most one byte less, so what is no tag once stays so.
        let mut decided = end + 1;
        while decided - incomplete > 1 {
            let middle = incomplete.midpoint(decided);
            *(if is_incomplete(middle) { &mut incomplete } else { &mut decided }) = middle;
        }
        utf8::floor_char_boundary(text, incomplete)
    }

    /// Acts on the complete tag in the pending bytes.
    pub(super) fn act_pending(&mut self, tag: &Tag, end: u64) -> Option<Signal> {
        let start = self.pending.start;
        if self.ends_before(tag) {
            self.end_before(tag, start);
            return None;
        }
        let pending = core::mem::take(&mut self.pending);
        let signal = self.act(tag, &pending.bytes, start, end, Source::Pending);
        if pending.has_gap {
            self.spoil_open();
        }
        self.pending = pending;
        self.lend_pending(signal)
    }

    /// Makes the incomplete tag text.
    pub(super) fn drop_pending(&mut self) -> Option<Signal> {
        let pending = core::mem::take(&mut self.pending);
        let fits = self.push(pending.text());
        let signal = if fits { self.emit(Source::Pending) } else { None };
        self.pending = pending;
        // What does not fit is read again.
        if fits { self.lend_pending(signal) } else { None }
    }

    /// Emits the text of the incomplete tag, which stays text even if it becomes a tag.
    pub(super) fn emit_pending(&mut self) -> Option<Signal> {
        let pending = core::mem::take(&mut self.pending);
        self.push(pending.text());
        self.pending = pending;
        self.pending.shown = true;
        self.emit(Source::Pending)
    }

    /// Drops the incomplete tag, at once or after the signal that borrows it.
    fn lend_pending(&mut self, signal: Option<Signal>) -> Option<Signal> {
        match signal {
            Some(Signal::Text(Source::Pending) | Signal::Opaque { from: Source::Pending, .. }) => {
                self.pending.lent = true;
            }
            _ => self.pending.clear(),
        }
        signal
    }

    fn push_and_emit(&mut self, text: &str, from: usize, to: usize) -> Option<Signal> {
        self.push(&text[from..to]);
        if to > from { self.emit(Source::Piece(from, to)) } else { None }
    }
}

/// Returns `false` if what begins with `<` can't be a tag with attributes.
///
/// It has no name of such a tag, or nothing after the name but the end of the tag. The shortest
/// name is `invoke`; some begin with a bar, which may follow space.
#[inline]
fn may_have_attributes(bytes: &[u8]) -> bool {
    let is_name = |byte: &u8| matches!(byte, b'a'..=b'z' | b'_' | b':');
    match bytes.get(1..7) {
        Some([b'|' | 0x80.., ..]) => true,
        Some([b' ' | b'\t' | b'\r' | b'\n', b' ' | b'\t' | b'\r' | b'\n' | b'|' | 0x80.., ..]) => true,
        Some(name) if name.iter().all(is_name) => {
            let after = bytes[7..].iter().find(|byte| !is_name(byte));
            after.is_some_and(|byte| !matches!(byte, b'<' | b'>'))
        }
        _ => false,
    }
}
