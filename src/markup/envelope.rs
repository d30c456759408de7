//! Envelopes: how their machine is driven by that of the text around them.

use super::code::{Code, MIDDLE};
use super::lexed::{IncompleteTag, LexedTag, Name, Side, Tag, TagPart};
use super::machine::{MarkupBuffers, MarkupMachine};
use super::state::{Decided, MarkupState};
use crate::call::Addition;
use crate::envelope::change::{AfterCall, Change};
use crate::envelope::machine::{Context, EnvelopeMachine, TagRef};
use crate::envelope::tag;
use crate::scan;
use crate::signal::{Piece, Signal, Source, ToolRef};
use crate::utf8;
use nom::Streaming;

/// The bytes of a chunk that are searched for a tag at once where an envelope reads little text.
///
/// That is in the header of a call, and between its arguments and its end.
const SHORT: usize = 64;

impl MarkupMachine {
    /// Returns the machine of envelopes, and what it builds a call in.
    pub(super) fn envelope(&mut self) -> (&mut EnvelopeMachine, Context<'_>) {
        let MarkupBuffers { call, envelope, .. } = &mut *self.buffers;
        (envelope, Context { call, policy: &self.policy })
    }

    /// Begins an envelope at text that is no tag.
    pub(super) fn begin_envelope_text(&mut self, first: u8, start: u64) {
        if let MarkupState::Prose(code) = self.state {
            self.buffers.envelope.begin_text(first == b'{', start);
            self.state = MarkupState::Envelope(code);
        }
    }

    /// Appends text. Returns how many bytes of it were consumed.
    pub(super) fn push_envelope(&mut self, code: Code, text: &str) -> usize {
        let (envelope, mut context) = self.envelope();
        let (is_between, was_in_fence) = (envelope.is_between(), envelope.is_in_fence());
        let (mut consumed, change) = envelope.push(text, &mut context);
        let mut code = code;
        if is_between {
            // The prose begins after the fence.
            let has_closed = was_in_fence && !envelope.is_in_fence();
            let prose = if has_closed { &text[consumed..] } else { text };
            code = if has_closed { MIDDLE } else { code };
            code.pass(prose.as_bytes());
            consumed = text.len();
        } else if envelope.is_in_value() {
            code = after_in_value(&text[..consumed], code);
        } else if !envelope.is_header() {
            code = MIDDLE;
        }
        self.state = MarkupState::Envelope(code);
        self.change(change, code);
        consumed
    }

    /// Takes the fast path: a chunk without a delimiter that only grows the open value.
    #[inline(never)]
    pub(super) fn push_plain_envelope(&mut self, text: &str) -> Option<Addition> {
        let is_plain = matches!(self.state, MarkupState::Envelope(_))
            && self.pending.bytes.is_empty()
            && self.buffers.envelope.is_plain_in_value(text);
        let addition = if is_plain { self.buffers.call.push_plain(text, &self.policy) } else { None };
        if addition.is_some()
            && let MarkupState::Envelope(code) = &mut self.state
            && self.buffers.envelope.is_in_value()
        {
            *code = after_in_value(text, *code);
        }
        addition
    }

    fn change(&mut self, change: Change, code: Code) {
        self.has_news |= self.buffers.envelope.is_read() || matches!(change, Change::Ended(_));
        if change != Change::Stay {
            self.state = MarkupState::Decided(Decided::Change { change, code });
        }
    }

    /// Reads on in an envelope, to the next tag or change.
    pub(super) fn run_envelope(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let MarkupState::Envelope(code) = self.state else { return None };
        let (text, from) = (piece.text, *pos);
        let to = self.end_of_envelope_text(text, from);
        let emitted = self.emit(Source::Piece(from, to));
        if to > from {
            *pos += self.push_envelope(code, &text[from..to]);
            self.buffers.envelope.set_offset(piece.offset(*pos));
            return self.after_text(emitted.is_some(), from, *pos);
        }
        // Only an open question can have an incomplete entity. A `<` ends it.
        self.buffers.call.flush_entity(&self.policy);
        self.has_news = true;
        let after_backtick = code.is_after_backtick();
        match self.read::<Streaming>(&text.as_bytes()[from..], after_backtick) {
            LexedTag::Text => {
                *pos += self.push_envelope(code, "<");
                self.after_text(emitted.is_some(), from, *pos)
            }
            LexedTag::Tag(tag) if tag.shown => {
                *pos += tag.len;
                let signal = self.after_text(emitted.is_some(), from, *pos);
                self.act_envelope(&tag, &[], code, piece.offset(*pos));
                signal
            }
            LexedTag::Tag(tag) => {
                if self.ends_before(&tag) {
                    self.end_envelope_before(&tag, code, piece.offset(from));
                    return None;
                }
                *pos += tag.len;
                self.act_envelope(&tag, &text.as_bytes()[from..*pos], code, piece.offset(*pos))
            }
            LexedTag::Incomplete(incomplete) => {
                self.pending.begin(&text[from..], piece.offset(from), after_backtick, incomplete);
                *pos = text.len();
                if !incomplete.shown {
                    return None;
                }
                self.push_envelope(code, &text[from..]);
                self.after_text(emitted.is_some(), from, *pos)
            }
        }
    }

    /// Returns up to where an envelope reads text at once: to the next `<`, if it reads tags.
    fn end_of_envelope_text(&self, text: &str, from: usize) -> usize {
        let envelope = &self.buffers.envelope;
        if !envelope.reads_tags() {
            return text.len();
        }
        // A short header must not cost a search of the whole chunk.
        let end = if envelope.is_around_call() { utf8::floor_char_boundary(text, from + SHORT) } else { text.len() };
        scan::bracket(&text.as_bytes()[from..end]).map_or(end, |bracket| from + bracket)
    }

    /// Returns the signal for text that was consumed. `is_opaque`: it is another tool's.
    fn after_text(&mut self, is_opaque: bool, from: usize, to: usize) -> Option<Signal> {
        if is_opaque && to > from {
            return Some(Signal::Opaque { from: Source::Piece(from, to), tool: ToolRef::Envelope, start: false });
        }
        if let MarkupState::Envelope(_) = self.state { self.partial() } else { None }
    }

    /// Acts on a tag in an envelope.
    pub(super) fn act_envelope(&mut self, tag: &Tag, text: &[u8], code: Code, end: u64) -> Option<Signal> {
        let tag = tag_ref(tag, text, end)?;
        let (envelope, mut context) = self.envelope();
        let change = envelope.act(&tag, &mut context);
        let code = if envelope.is_header() { code } else { MIDDLE };
        self.state = MarkupState::Envelope(code);
        self.change(change, code);
        if let MarkupState::Envelope(_) = self.state { self.partial() } else { None }
    }

    /// Ends what is open of an envelope before a tag.
    pub(super) fn end_envelope_before(&mut self, tag: &Tag, code: Code, offset: u64) {
        let kind = tag.of_envelope().map(|(kind, _)| kind);
        let (envelope, mut context) = self.envelope();
        let was_header = envelope.is_header();
        let change = envelope.end_before(kind, tag.len, offset, code.may_start_envelope(), &mut context);
        let code = if was_header && !envelope.is_header() { MIDDLE } else { code };
        self.state = MarkupState::Envelope(code);
        self.change(change, code);
    }

    /// Ends an envelope with the stream.
    pub(super) fn cut_envelope(&mut self, code: Code, end: u64) {
        let pending = core::mem::take(&mut self.pending);
        let (envelope, mut context) = self.envelope();
        let is_after = envelope.is_after();
        let limit = context.policy.limits.tag;
        let closes = envelope.awaited(context.policy).is_some_and(|tags| {
            let read = tag::read::<Streaming>(&pending.bytes, &tags, limit);
            pending.bytes.is_empty() || matches!(read, LexedTag::Incomplete(_))
        });
        if closes {
            envelope.hold(pending.text());
        }
        let change = envelope.cut(end, closes, &mut context);
        // The truncated part includes the incomplete tag, if that belongs to the envelope.
        if change == Change::NoCall || is_after && !closes {
            self.pending = pending;
        }
        self.change(change, code);
    }

    /// Emits a change in an envelope.
    pub(super) fn emit_change(&mut self, change: Change, code: Code) -> Option<Signal> {
        let has_text = !self.buffers.envelope.unconfirmed_text().is_empty();
        let opaque =
            |start| has_text.then_some(Signal::Opaque { from: Source::Envelope, tool: ToolRef::Envelope, start });
        match change {
            Change::Stay => {
                self.state = MarkupState::Envelope(code);
                None
            }
            Change::NoCall => {
                let mut code = code;
                code.pass(self.buffers.envelope.unconfirmed_text().as_bytes());
                self.state = MarkupState::Prose(code);
                self.pending.part = TagPart::Other;
                self.buffers.envelope.lend();
                has_text.then_some(Signal::Text(Source::Envelope))
            }
            Change::OpaqueStart | Change::Opaque => {
                self.state = MarkupState::Envelope(code);
                self.buffers.envelope.lend();
                opaque(change == Change::OpaqueStart)
            }
            Change::OpaqueEnd => {
                let change = Change::OtherEnded(AfterCall::Prose);
                self.state = MarkupState::Decided(Decided::Change { change, code });
                self.buffers.envelope.lend();
                opaque(false)
            }
            Change::Ended(next) => {
                if let Some(signal) = self.partial() {
                    return Some(signal);
                }
                self.calls += 1;
                self.after_envelope(next, code);
                let end = self.buffers.envelope.end;
                Some(Signal::Ended { end })
            }
            Change::OtherEnded(next) => {
                self.after_envelope(next, code);
                None
            }
        }
    }

    /// Continues after a call.
    ///
    /// `code`: in the middle of a line and outside code, unless an opener ended the call: then that
    /// of the text before it.
    fn after_envelope(&mut self, next: AfterCall, code: Code) {
        self.state = match next {
            AfterCall::Header => MarkupState::Envelope(code),
            AfterCall::Prose => MarkupState::Decided(Decided::Change { change: Change::NoCall, code }),
        };
    }

    /// Returns `true` if the incomplete tag, and what `tail` may become, may be one of an envelope.
    pub(super) fn may_be_bar(&mut self, tail: &[u8]) -> bool {
        let old = self.pending.bytes.len();
        ["｜", "‖", "▁"].iter().filter(|bar| bar.as_bytes().starts_with(tail)).any(|bar| {
            self.pending.extend(bar);
            let read = self.read_pending(old);
            self.pending.bytes.truncate(old);
            matches!(read, LexedTag::Incomplete(IncompleteTag { shown: false, .. }))
        })
    }
}

/// Returns the position in a value after more of it, where only a back-tick right before matters.
fn after_in_value(text: &str, before: Code) -> Code {
    text.as_bytes().last().map_or(before, |&last| MIDDLE.after(last))
}

/// Returns a tag as the machine of envelopes needs it; `None` if it is not a tag of an envelope.
pub(super) fn tag_ref<'t>(tag: &Tag, text: &'t [u8], end: u64) -> Option<TagRef<'t>> {
    let Name::Envelope(kind) = tag.name else { return None };
    let text = core::str::from_utf8(text).ok()?;
    let value = tag.value.clone().and_then(|value| text.get(value)).unwrap_or_default();
    Some(TagRef { kind, is_close: tag.side == Side::Close, value, text, end })
}
