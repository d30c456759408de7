//! What the machine does with an incomplete tag: reads it on, acts on it, or makes it text.

use nom::Streaming;

use super::lexed::{IncompleteTag, LexedTag, Tag};
use super::machine::MarkupMachine;
use crate::signal::{Piece, Signal, Source};

impl MarkupMachine {
    /// Reads on with the incomplete tag, into a piece.
    pub(super) fn run_pending(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from, old) = (piece.text, *pos, self.pending.bytes.len());
        let new = self.pending.reach(&text[from..], self.policy.limits.tag);
        self.pending.extend(new);
        let shown = self.pending.shown;
        match self.read_pending(old) {
            LexedTag::Text => {
                self.pending.bytes.truncate(old);
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
                *pos += new.len();
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

    /// Acts on the complete tag in the pending bytes.
    pub(super) fn act_pending(&mut self, tag: &Tag, end: u64) -> Option<Signal> {
        let start = self.pending.start;
        if self.ends_before(tag) {
            self.end_before(tag, start);
            return None;
        }
        let pending = core::mem::take(&mut self.pending);
        let signal = self.act(tag, &pending.bytes, start, end, Source::Pending);
        self.pending = pending;
        self.lend_pending(signal)
    }

    /// Makes the incomplete tag text.
    pub(super) fn drop_pending(&mut self) -> Option<Signal> {
        let pending = core::mem::take(&mut self.pending);
        let fits = pending.shown || self.push(pending.text());
        let signal = if pending.shown || !fits { None } else { self.emit(Source::Pending) };
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
