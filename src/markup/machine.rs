//! The machine: text and tags, one after the other.
//!
//! ```text
//!              opening tag of a tool                close tag · another tool's opening tag
//!   ┌─ Prose ───────────────────────► Opaque ─────────────────────────────────────────────► Prose
//!   │    ▲ ▲
//!   │    │ └── Named ◄── it was only named ──── Unconfirmed ◄─┐
//!   │    │                                        │           │ <ask_followup_question>
//!   │    │                          a parameter's │           │
//!   │    └── Ended ◄── close tag ── Between ◄─────┘           │
//!   │                                 ▲ ▼                     │
//!   │                  Question · Suggestion · Options        │
//!   └─────────────────────────────────────────────────────────┘
//! ```
//!
//! `Named` and `Ended` are values of `Decided`. Envelopes, which begin in prose as well, have a
//! state of their own (`envelope.rs`).

use super::lexed::{IncompleteTag, LexedTag, Tag};
use alloc::string::String;
use alloc::sync::Arc;

use nom::{Complete, IsStreaming, Streaming};

use super::allowed::{self, NOTHING, OPENING};
use super::code::{Code, LINE_START, MIDDLE};
use super::inside::{self, BETWEEN, CallReader};
use super::pending::Pending;
use super::state::{Decided, Inside, MarkupState, Position};
use super::tag::{self, Allowed};
use crate::call::{Addition, Call};
use crate::config::{CallStart, Envelopes, Policy};
use crate::envelope::change::Change;
use crate::envelope::machine::EnvelopeMachine;
use crate::envelope::tag_names::may_open;
use crate::lazy::{Fresh, Lazy};
use crate::scan;
use crate::signal::{Piece, Signal, Source, ToolRef};

/// Reads a message, with calls written as markup in it.
#[derive(Clone, Debug)]
pub(crate) struct MarkupMachine {
    pub(super) policy: Arc<Policy>,
    pub(super) state: MarkupState,
    pub(super) pending: Pending,
    /// How many calls have ended.
    pub(super) calls: u64,
    pub(super) buffers: Lazy<MarkupBuffers>,
    /// It reads prose again in which no envelope starts.
    pub(super) is_passing: bool,
    /// Something of the call may be certain that has not been shown.
    pub(super) has_news: bool,
}

/// What the machine needs once a call begins; kept for the next call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MarkupBuffers {
    pub(super) call: Call,
    /// An opening tag and the text after it, until it is certain to be a call.
    pub(super) unconfirmed_text: String,
    pub(super) envelope: Lazy<EnvelopeMachine>,
    /// In so many bytes of prose, after an opening tag that was only named, no envelope starts.
    pub(super) prose_left: usize,
    /// The code before an opening tag that may have been only named.
    pub(super) code_before: Code,
}

impl Fresh for MarkupBuffers {
    const FRESH: MarkupBuffers = MarkupBuffers {
        call: Call::NEW,
        unconfirmed_text: String::new(),
        envelope: Lazy::NEW,
        prose_left: 0,
        code_before: Code::Ignored,
    };
    const SEEN: &'static MarkupBuffers = &MarkupBuffers::FRESH;
}

impl MarkupMachine {
    pub(crate) fn new(policy: Arc<Policy>) -> MarkupMachine {
        let state = MarkupState::Prose(tracked(LINE_START, &policy));
        MarkupMachine {
            policy,
            state,
            pending: Pending::default(),
            calls: 0,
            buffers: Lazy::NEW,
            is_passing: false,
            has_news: false,
        }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Returns the call that is open or has just ended.
    pub(crate) fn call(&self) -> &Call {
        &self.buffers.call
    }

    /// Rejects the call that is open, or that the text so far may begin: a part was lost.
    ///
    /// An incomplete tag and the header of an envelope may begin one.
    #[cfg(feature = "wire")]
    pub(crate) fn spoil(&mut self) {
        self.pending.has_gap = !self.pending.bytes.is_empty();
        self.spoil_open();
    }

    /// Rejects the call that is open, or that the header of an envelope may begin.
    pub(super) fn spoil_open(&mut self) {
        match self.state {
            MarkupState::Inside(_) | MarkupState::Unconfirmed(_) => {
                self.buffers.call.spoil();
            }
            MarkupState::Envelope(_) => {
                let MarkupBuffers { call, envelope, .. } = &mut *self.buffers;
                envelope.spoil(call);
            }
            _ => {}
        }
    }

    /// Returns the reader of the open call, if one is open and confirmed. It may make more certain.
    #[inline]
    pub(super) fn inside(&mut self) -> Option<CallReader<'_>> {
        let MarkupState::Inside(inside) = &mut self.state else { return None };
        self.has_news = true;
        Some(CallReader { inside, call: &mut self.buffers.call, policy: &self.policy })
    }

    /// Returns how many calls have ended.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the text of a signal that is not in the piece.
    pub(crate) fn kept_text(&self, source: Source) -> &str {
        match source {
            Source::Pending => self.pending.text(),
            Source::Unconfirmed => &self.buffers.unconfirmed_text,
            Source::Envelope => self.buffers.envelope.unconfirmed_text(),
            Source::Piece(..) => "",
        }
    }

    /// Returns the name of another tool that is called.
    pub(crate) fn tool(&self, tool: ToolRef) -> &str {
        match tool {
            ToolRef::Listed(tool) => self.policy.tools.tools.name(tool),
            ToolRef::Envelope => self.buffers.envelope.tool(),
        }
    }

    /// Takes the fast path: a chunk without a tag that only grows the open value.
    ///
    /// Returns what is to be shown; `None` if it is not as simple as that, and then nothing has
    /// changed.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> Option<Addition> {
        let MarkupState::Inside(Inside { position: Position::Question | Position::Answer, after_backtick, .. }) =
            &mut self.state
        else {
            return self.push_plain_envelope(text);
        };
        if !self.pending.bytes.is_empty() || scan::holds_bracket(text.as_bytes()) {
            return None;
        }
        let delta = self.buffers.call.push_plain(text, &self.policy)?;
        *after_backtick = text.ends_with('`');
        Some(delta)
    }

    /// Returns whether it is known that nothing is certain without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        !self.pending.lent
            && match self.state {
                MarkupState::Prose(_) | MarkupState::Opaque { .. } => true,
                MarkupState::Unconfirmed(_) | MarkupState::Decided(_) => false,
                MarkupState::Inside(_) => self.buffers.call.is_all_shown(),
                MarkupState::Envelope(_) => !self.has_news && !self.buffers.envelope.is_lent(),
            }
    }

    /// Reads on in `piece` from `*pos`, to the next signal.
    #[inline(never)] // The loop of native arguments would pay for it.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        // Several things may have become certain at once. They come before what is read next.
        if let MarkupState::Inside(_) | MarkupState::Envelope(_) = self.state
            && let Some(signal) = self.partial()
        {
            return signal;
        }
        loop {
            self.drop_lent();
            let signal = match self.state {
                MarkupState::Decided(decided) => self.emit_decided(decided),
                _ if *pos == piece.text.len() => return self.at_end_of_piece(&[]).unwrap_or(Signal::More),
                _ if !self.pending.bytes.is_empty() => self.run_pending(piece, pos),
                MarkupState::Envelope(_) => self.run_envelope(piece, pos),
                _ => self.run(piece, pos),
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Reads on at the end of all pieces so far.
    ///
    /// The incomplete UTF-8 sequence `tail` follows them.
    pub(crate) fn foresee(&mut self, tail: &[u8], end: u64) -> Signal {
        loop {
            self.drop_lent();
            let waits = !self.pending.bytes.is_empty() && !self.pending.shown;
            let waits_for_bar = waits && self.may_be_bar(tail);
            let signal = match self.state {
                MarkupState::Decided(decided) => self.emit_decided(decided),
                _ if waits_for_bar => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                _ if waits => {
                    // The shortest character that it may become; it is no part of a name.
                    let old = self.pending.bytes.len();
                    self.pending.extend(if crate::utf8::shortest_char(tail) == 2 { "é" } else { "\u{FFFD}" });
                    let read = self.read_pending(old);
                    self.pending.bytes.truncate(old);
                    match read {
                        // Only a tool's opening tag waits for the character after it.
                        LexedTag::Tag(tag) => self.act_pending(&tag, end),
                        LexedTag::Text => self.drop_pending(),
                        LexedTag::Incomplete(IncompleteTag { shown: true, .. }) => self.emit_pending(),
                        LexedTag::Incomplete(_) => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                    }
                }
                MarkupState::Envelope(code) => {
                    self.has_news |= self.buffers.envelope.is_read();
                    let (envelope, mut context) = self.envelope();
                    match envelope.foresee(tail, end, &mut context) {
                        Change::Stay => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                        change => self.state = MarkupState::Decided(Decided::Change { change, code }),
                    }
                    None
                }
                _ => {
                    if let Some(mut inside) = self.inside() {
                        inside.foresee(tail);
                    }
                    return self.at_end_of_piece(tail).unwrap_or(Signal::More);
                }
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Reads on at the end of the stream. `More` is the last signal.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        loop {
            self.drop_lent();
            let waits = !self.pending.bytes.is_empty() && !self.pending.shown;
            let signal = match (self.state, waits) {
                (MarkupState::Decided(decided), _) => self.emit_decided(decided),
                (MarkupState::Prose(_) | MarkupState::Opaque { .. }, false) => return Signal::More,
                (_, false) => self.cut(end),
                (state, true) => match self.read::<Complete>(&self.pending.bytes, self.pending.after_backtick) {
                    LexedTag::Tag(tag) => self.act_pending(&tag, end),
                    // An incomplete tag is no part of a value that is cut.
                    _ => match state {
                        MarkupState::Inside(_) | MarkupState::Unconfirmed(_) => self.cut(end),
                        MarkupState::Envelope(_) if !self.buffers.envelope.is_opaque() => self.cut(end),
                        _ => self.drop_pending(),
                    },
                },
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Makes it ready for the next stream. Its memory is kept.
    pub(crate) fn restart(&mut self) {
        self.state = MarkupState::Prose(tracked(LINE_START, &self.policy));
        self.pending.clear();
        self.calls = 0;
        if self.buffers.prose_left > 0 {
            self.buffers.prose_left = 0;
        }
    }

    /// Ends what the end of the stream cuts.
    fn cut(&mut self, end: u64) -> Option<Signal> {
        match self.state {
            MarkupState::Unconfirmed(unconfirmed) => self.cut_unconfirmed(unconfirmed, end),
            MarkupState::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.cut();
                }
                self.pending.clear();
                self.state = MarkupState::ended(end);
            }
            MarkupState::Envelope(code) => self.cut_envelope(code, end),
            _ => {}
        }
        None
    }

    // Text and tags.

    /// Reads on in a piece, through text to the next tag that is none.
    fn run(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from) = (piece.text, *pos);
        let shown_to = loop {
            let bracket = match self.state {
                MarkupState::Prose(mut code) if code != Code::Ignored => {
                    let to = self.end_of_prose_left(text, *pos);
                    let bracket = code.advance(&text.as_bytes()[..to], *pos, self);
                    self.state = MarkupState::Prose(code);
                    self.spend_prose(bracket - *pos);
                    if bracket == to && to < text.len() {
                        *pos = bracket;
                        continue;
                    }
                    bracket
                }
                ref state => {
                    let bracket = match state {
                        MarkupState::Prose(_) => self.policy.tools.next_tag(text.as_bytes(), *pos),
                        _ => scan::bracket(&text.as_bytes()[*pos..]).map_or(text.len(), |found| *pos + found),
                    };
                    if !self.push(&text[*pos..bracket]) {
                        return None;
                    }
                    bracket
                }
            };
            *pos = bracket;
            if bracket == text.len() {
                break bracket;
            }
            let byte = text.as_bytes()[bracket];
            if byte != b'<' {
                if bracket > from {
                    break bracket;
                }
                self.begin_envelope_text(byte, piece.offset(bracket));
                return None;
            }
            let after_backtick = self.inside().is_some_and(|mut inside| inside.before_bracket());
            match self.read::<Streaming>(&text.as_bytes()[bracket..], after_backtick) {
                LexedTag::Text => {
                    let end = bracket + self.len_of_no_tag(&text[bracket..]);
                    if !self.push(&text[bracket..end]) {
                        return None;
                    }
                    *pos = end;
                }
                LexedTag::Tag(tag) if tag.shown => {
                    *pos = bracket + tag.len;
                    self.push(&text[bracket..*pos]);
                    let signal = self.emit(Source::Piece(from, *pos));
                    // What follows another tool's call is emitted as something else.
                    if self.act_shown(&tag, piece.offset(*pos)) {
                        return signal;
                    }
                }
                LexedTag::Tag(tag) => {
                    if bracket > from && matches!(self.state, MarkupState::Prose(_) | MarkupState::Opaque { .. }) {
                        break bracket;
                    }
                    if self.ends_before(&tag) {
                        self.end_before(&tag, piece.offset(bracket));
                        return None;
                    }
                    *pos = bracket + tag.len;
                    let (start, end) = (piece.offset(bracket), piece.offset(*pos));
                    return self.act(&tag, &text.as_bytes()[bracket..*pos], start, end, Source::Piece(bracket, *pos));
                }
                LexedTag::Incomplete(incomplete) => {
                    self.pending.begin(&text[bracket..], piece.offset(bracket), after_backtick, incomplete);
                    *pos = text.len() - self.take_back_prose(0);
                    if incomplete.shown {
                        self.push(&text[bracket..]);
                        break text.len();
                    }
                    break bracket;
                }
            }
        };
        if shown_to > from { self.emit(Source::Piece(from, shown_to)) } else { None }
    }

    /// Reads text that holds no call as prose.
    pub(super) fn pass_prose(&mut self, text: &str, start: u64) {
        let was_passing = core::mem::replace(&mut self.is_passing, true);
        let (piece, mut pos) = (Piece { text, start, end: start + text.len() as u64 }, 0);
        while pos < text.len() {
            self.run(&piece, &mut pos);
        }
        self.is_passing = was_passing;
    }

    /// Reads what the bytes from a `<` on are in this state.
    pub(super) fn read<S: IsStreaming>(&self, bytes: &[u8], after_backtick: bool) -> LexedTag {
        if let MarkupState::Prose(_) = self.state
            && let Some(read) = self.read_in_prose::<S>(bytes)
        {
            return read;
        }
        let allowed = match self.state {
            MarkupState::Prose(code) => {
                // The code is that after a pending tag whose text has been emitted.
                let starts = !self.pending.shown && may_open(bytes.get(1..).unwrap_or_default());
                let families = if starts { self.envelopes() } else { Envelopes::none() };
                allowed::in_prose(code, families, &self.policy)
            }
            MarkupState::Opaque { tool, parameter } => allowed::in_opaque(tool, parameter),
            MarkupState::Unconfirmed(_) => BETWEEN,
            MarkupState::Inside(inside) => inside::in_call(inside, after_backtick),
            MarkupState::Envelope(_) => {
                let open = if self.buffers.envelope.is_between() { OPENING } else { NOTHING };
                Allowed { envelope: self.buffers.envelope.tags(after_backtick, &self.policy), ..open }
            }
            MarkupState::Decided(_) => NOTHING,
        };
        let (tools, limit) = (&self.policy.tools, self.policy.limits.tag.min(u32::MAX as usize));
        match allowed.envelope.is_empty() {
            true => tag::read::<S>(bytes, &allowed, tools, limit),
            false => tag::read_any::<S>(bytes, &allowed, tools, limit),
        }
    }

    /// Appends text that is no tag to what is open.
    ///
    /// Returns `false` if it does not fit, which decides what is open; then nothing was appended.
    pub(super) fn push(&mut self, text: &str) -> bool {
        if let MarkupState::Envelope(code) = self.state {
            return self.push_envelope(code, text) == text.len();
        }
        if let MarkupState::Prose(_) = self.state {
            self.spend_prose(text.len());
        }
        match &mut self.state {
            // Calls may start anywhere, and there are no envelopes: code does not matter.
            MarkupState::Prose(Code::Ignored) => {}
            MarkupState::Prose(code) => code.pass(text.as_bytes()),
            MarkupState::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.push(text);
                }
            }
            MarkupState::Unconfirmed(_) => return self.hold(text),
            MarkupState::Opaque { .. } | MarkupState::Envelope(_) | MarkupState::Decided(_) => {}
        }
        true
    }

    /// Returns the signal that text is emitted with; `None` in a call, whose partials show it.
    pub(super) fn emit(&self, from: Source) -> Option<Signal> {
        match self.state {
            MarkupState::Prose(_) => Some(Signal::Text(from)),
            MarkupState::Opaque { tool, .. } => {
                Some(Signal::Opaque { from, tool: ToolRef::Listed(tool), start: false })
            }
            MarkupState::Envelope(_) if self.buffers.envelope.is_opaque() => {
                Some(Signal::Opaque { from, tool: ToolRef::Envelope, start: false })
            }
            _ => None,
        }
    }

    /// Returns the signal for the next part of the call that is certain and has not been shown.
    #[inline]
    pub(super) fn partial(&mut self) -> Option<Signal> {
        if !self.has_news {
            return None;
        }
        let delta = self.buffers.call.next_delta();
        self.has_news = delta.is_some();
        delta.map(Signal::Partial)
    }

    /// Returns what is certain at the end of a piece.
    ///
    /// The incomplete UTF-8 sequence `tail` follows it.
    fn at_end_of_piece(&mut self, tail: &[u8]) -> Option<Signal> {
        match self.state {
            MarkupState::Unconfirmed(unconfirmed) if self.is_hopeless(&unconfirmed, tail) => {
                self.demote(&unconfirmed);
                self.at_end_of_piece(tail)
            }
            MarkupState::Decided(decided) => self.emit_decided(decided),
            MarkupState::Inside(_) | MarkupState::Envelope(_) => self.partial(),
            _ => None,
        }
    }

    // The incomplete tag.

    fn drop_lent(&mut self) {
        if self.pending.lent {
            self.pending.clear();
        }
        if self.buffers.envelope.is_lent() {
            self.buffers.envelope.drop_lent();
        }
    }

    // Tags.

    /// Returns whether a tag is no part of what is open, which ends before it.
    pub(super) fn ends_before(&self, tag: &Tag) -> bool {
        match &self.state {
            MarkupState::Unconfirmed(unconfirmed) => tag.opens_tool() || self.room(unconfirmed) < tag.len,
            MarkupState::Opaque { .. } | MarkupState::Inside(_) => tag.opens_tool(),
            MarkupState::Envelope(_) => self.buffers.envelope.ends_before(tag.of_envelope(), tag.len, &self.policy),
            MarkupState::Prose(_) | MarkupState::Decided(_) => false,
        }
    }

    /// Ends what is open before a tag, which begins at `end` and is read again.
    pub(super) fn end_before(&mut self, tag: &Tag, end: u64) {
        match self.state {
            MarkupState::Envelope(code) => self.end_envelope_before(tag, code, end),
            MarkupState::Unconfirmed(unconfirmed) => self.demote(&unconfirmed),
            MarkupState::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.end_by_tool();
                }
                self.state = MarkupState::ended(end);
            }
            _ => self.state = self.after_call(),
        }
    }

    /// Acts on a tag that is no text.
    pub(super) fn act(&mut self, tag: &Tag, text: &[u8], start: u64, end: u64, from: Source) -> Option<Signal> {
        match self.state {
            MarkupState::Prose(_) | MarkupState::Opaque { .. } => {
                return self.act_outside(tag, text, start, end, from);
            }
            MarkupState::Envelope(code) => return self.act_envelope(tag, text, code, end),
            MarkupState::Unconfirmed(unconfirmed) => self.confirm(&unconfirmed),
            MarkupState::Inside(_) | MarkupState::Decided(_) => {}
        }
        if self.inside()?.act(tag, text) {
            self.state = MarkupState::ended(end);
        }
        self.partial()
    }

    pub(super) fn after_call(&self) -> MarkupState {
        MarkupState::Prose(self.code_after_call())
    }

    pub(super) fn code_after_call(&self) -> Code {
        tracked(MIDDLE, &self.policy)
    }

    /// Emits what has been decided.
    fn emit_decided(&mut self, decided: Decided) -> Option<Signal> {
        match decided {
            Decided::Ended { end, is_named } => Some(self.partial().unwrap_or_else(|| {
                self.calls += 1;
                let code = self.code_after_call();
                self.state = MarkupState::Prose(code);
                if is_named {
                    self.buffers.code_before = code;
                    self.state = MarkupState::Decided(Decided::Named { opening: 0 });
                }
                Signal::Ended { end }
            })),
            Decided::Named { opening } => self.emit_named(opening),
            Decided::Change { change, code } => self.emit_change(change, code),
        }
    }
}

/// Returns a position in prose, if it matters what of the prose is code.
fn tracked(code: Code, policy: &Policy) -> Code {
    let matters = policy.call_start != CallStart::Anywhere || !policy.envelopes().is_empty();
    if matters { code } else { Code::Ignored }
}
