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

use alloc::boxed::Box;
use alloc::string::String;
use alloc::sync::Arc;

use nom::{Complete, IsStreaming, Streaming};

use super::allowed::{self, NOTHING, allowed};
use super::code::Code;
use super::inside::CallReader;
use super::lexer::Pending;
use super::pass::Openers;
use super::state::{Inside, Spot, State};
use super::tag::{self, Allowed, IncompleteTag, Part, Read, Tag};
use crate::before::Before;
use crate::call::{Addition, Call};
use crate::config::{ASK, CallStart, Envelope, Envelopes, Policy};
use crate::envelope;
use crate::envelope::machine::EnvelopeMachine;
use crate::envelope::turn::Turn;
use crate::lazy::{Fresh, Lazy};
use crate::scan;
use crate::signal::{Piece, Quiet, Signal, Source, ToolRef};

/// Reads a message, with calls written as markup in it.
#[derive(Clone, Debug)]
pub(crate) struct MarkupMachine {
    pub(super) policy: Arc<Policy>,
    pub(super) state: State,
    pub(super) pending: Pending,
    /// How many calls have ended.
    pub(super) calls: u64,
    pub(super) busy: Lazy<MarkupBuffers>,
    /// It reads prose again in which no envelope starts.
    pub(super) is_passing: bool,
    /// Something of the call may be certain that has not been shown.
    pub(super) has_news: bool,
}

/// What the machine needs once a call begins; kept for the next call.
#[derive(Clone, Debug)]
pub(super) struct MarkupBuffers {
    pub(super) call: Call,
    /// An opening tag and the text after it, until it is certain to be a call.
    pub(super) held: String,
    pub(super) envelope: Lazy<EnvelopeMachine>,
    /// In so many bytes of prose, after an opening tag that was only named, no envelope starts.
    pub(super) plain_left: usize,
}

impl Fresh for MarkupBuffers {
    const FRESH: MarkupBuffers =
        MarkupBuffers { call: Call::NEW, held: String::new(), envelope: Lazy::NEW, plain_left: 0 };
    const SEEN: &'static MarkupBuffers = &MarkupBuffers::FRESH;
}

impl MarkupMachine {
    pub(crate) fn new(policy: Arc<Policy>) -> MarkupMachine {
        let state = State::Prose(Code::at_start(!tracks_code(&policy)));
        MarkupMachine {
            policy,
            state,
            pending: Pending::default(),
            calls: 0,
            busy: Lazy::NEW,
            is_passing: false,
            has_news: false,
        }
    }

    pub(crate) fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }

    /// Returns the call that is open or has just ended.
    pub(crate) fn call(&self) -> &Call {
        &self.busy.call
    }

    /// Returns the open call, if one is open and confirmed.
    #[cfg(feature = "wire")]
    pub(crate) fn open_call(&mut self) -> Option<&mut Call> {
        let is_open = match self.state {
            State::Inside(_) | State::Unconfirmed(_) => true,
            State::Envelope(_) => self.busy.envelope.is_read(),
            _ => false,
        };
        is_open.then(|| &mut self.busy.call)
    }

    /// Returns the reader of the open call, if one is open and confirmed. It may make more certain.
    #[inline]
    pub(super) fn inside(&mut self) -> Option<CallReader<'_>> {
        let State::Inside(inside) = &mut self.state else { return None };
        self.has_news = true;
        Some(CallReader { inside, call: &mut self.busy.call, policy: &self.policy })
    }

    /// Returns how many calls have ended.
    pub(crate) fn calls(&self) -> u64 {
        self.calls
    }

    /// Returns the text of a signal that is not in the piece.
    pub(crate) fn kept_text(&self, source: Source) -> &str {
        match source {
            Source::Pending => self.pending.text(),
            Source::Held => &self.busy.held,
            Source::Envelope => &self.busy.envelope.held,
            Source::Piece(..) => "",
        }
    }

    /// Takes the fast path: a chunk without a tag that only grows the open value.
    ///
    /// Returns what is to be shown; `None` if it is not as simple as that, and then nothing has
    /// changed.
    #[inline]
    pub(crate) fn push_plain(&mut self, text: &str) -> Option<Addition> {
        let State::Inside(Inside { spot: Spot::Question | Spot::Answer, after_backtick, .. }) = &mut self.state else {
            return self.push_plain_envelope(text);
        };
        if !self.pending.is_empty() || scan::holds_bracket(text.as_bytes()) {
            return None;
        }
        let delta = self.busy.call.push_plain(text, &self.policy)?;
        *after_backtick = text.ends_with('`');
        Some(delta)
    }

    /// Returns which text is certain to be prose.
    #[inline]
    pub(crate) fn quiet(&self) -> Quiet {
        match self.state {
            State::Prose(code) if self.pending.is_empty() && self.busy.plain_left == 0 => self.quiet_in(code),
            _ => Quiet::Never,
        }
    }

    /// Does the same in prose without an incomplete tag.
    #[inline]
    fn quiet_in(&self, code: Code) -> Quiet {
        match code {
            Code::Ignored => Quiet::WithoutBracket,
            _ if self.reads_markers() => Quiet::Unknown,
            Code::Plain { .. } => Quiet::WithoutMark,
            _ if code.is_inside() => Quiet::WithoutCodeMark,
            _ => Quiet::Unknown,
        }
    }

    /// Returns the last bytes of prose.
    pub(crate) fn before(&self) -> Before {
        if let State::Prose(code) = self.state { code.before() } else { Before::MIDDLE }
    }

    /// Sets the last bytes of prose.
    pub(crate) fn set_before(&mut self, last: Before) {
        if let State::Prose(code) = &mut self.state {
            code.set_before(last);
        }
    }

    /// Reads text that is all prose and begins nothing, where some text is certain to be prose.
    ///
    /// `before`: the last bytes of prose. Returns which text is certain to be prose after it; `None`
    /// if it is not as simple as that, and then nothing has changed.
    pub(crate) fn pass_quiet(&mut self, text: &str, before: &mut Before) -> Option<Quiet> {
        let State::Prose(mut code) = self.state else { return None };
        code.set_before(*before);
        if self.advance(&mut code, text.as_bytes(), 0) < text.len() {
            return None;
        }
        self.state = State::Prose(code);
        *before = code.before();
        Some(self.quiet_in(code))
    }

    /// Returns where in the text the prose ends in which no envelope starts; the end of the text if
    /// one may start already.
    fn end_of_plain(&self, text: &str, from: usize) -> usize {
        let left = self.busy.plain_left;
        if self.is_passing || left == 0 {
            return text.len();
        }
        let mut to = from.saturating_add(left).min(text.len());
        while !text.is_char_boundary(to) {
            to += 1;
        }
        to
    }

    /// Counts prose in which no envelope starts.
    pub(super) fn pass_plain(&mut self, len: usize) {
        if !self.is_passing && self.busy.plain_left > 0 {
            self.busy.plain_left = self.busy.plain_left.saturating_sub(len);
        }
    }

    /// Returns the envelopes that may start here.
    fn envelopes(&self) -> Envelopes {
        // Without room for a header, there is none.
        let starts = !self.is_passing && self.busy.plain_left == 0 && self.policy.limits.bare > 0;
        if starts { self.policy.envelopes() } else { Envelopes::NONE }
    }

    /// Returns `true` if a `[` may begin an envelope.
    fn reads_markers(&self) -> bool {
        self.policy.envelopes().contains(Envelope::Mistral)
    }

    /// Advances over prose to the next byte that may begin something, and returns its index.
    fn advance(&self, code: &mut Code, text: &[u8], from: usize) -> usize {
        code.advance(text, from, self)
    }

    /// Returns whether it is known that nothing is certain without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        !self.pending.lent
            && match self.state {
                State::Prose(_) | State::Opaque { .. } => true,
                State::Unconfirmed(_) | State::Ended { .. } | State::Named { .. } | State::Turn { .. } => false,
                State::Inside(_) => self.busy.call.is_all_shown(),
                State::Envelope(_) => !self.has_news && !self.busy.envelope.lent,
            }
    }

    /// Reads on in `piece` from `*pos`, to the next signal.
    #[inline(never)] // The loop of native arguments would pay for it.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        // Several things may have become certain at once. They come before what is read next.
        if let State::Inside(_) | State::Envelope(_) = self.state
            && let Some(signal) = self.partial()
        {
            return signal;
        }
        loop {
            self.drop_lent();
            let signal = match self.state {
                State::Ended { .. } | State::Named { .. } | State::Turn { .. } => self.emit_end(),
                _ if *pos == piece.text.len() => return self.at_end_of_piece(&[]).unwrap_or(Signal::More),
                _ if !self.pending.is_empty() => self.run_pending(piece, pos),
                State::Envelope(_) => self.run_envelope(piece, pos),
                _ => self.run(piece, pos),
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Reads on at the end of all pieces so far, which is followed by the incomplete UTF-8 sequence
    /// `tail`.
    pub(crate) fn foresee(&mut self, tail: &[u8], end: u64) -> Signal {
        loop {
            self.drop_lent();
            let waits = !self.pending.is_empty() && !self.pending.shown;
            let waits_for_bar = waits && self.may_be_bar(tail);
            let signal = match self.state {
                State::Ended { .. } | State::Named { .. } | State::Turn { .. } => self.emit_end(),
                _ if waits_for_bar => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                _ if waits => {
                    // The shortest character that it may become; it is no part of a name.
                    let old = self.pending.len();
                    self.pending.extend(if crate::utf8::shortest_char(tail) == 2 { "é" } else { "\u{FFFD}" });
                    let read = self.read_pending(old);
                    self.pending.truncate(old);
                    match read {
                        // Only a tool's opening tag waits for the character after it.
                        Read::Tag(tag) => self.act_pending(&tag, end),
                        Read::Text => self.drop_pending(),
                        Read::Incomplete(IncompleteTag { shown: true, .. }) => self.show_pending(),
                        Read::Incomplete(_) => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                    }
                }
                State::Envelope(code) => {
                    self.has_news |= self.busy.envelope.is_read();
                    let (envelope, mut context) = self.envelope();
                    match envelope.foresee(tail, end, &mut context) {
                        Turn::Stay => return self.at_end_of_piece(tail).unwrap_or(Signal::More),
                        turn => self.state = State::Turn { turn, code },
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
            let waits = !self.pending.is_empty() && !self.pending.shown;
            let signal = match (&self.state, waits) {
                (State::Ended { .. } | State::Named { .. } | State::Turn { .. }, _) => self.emit_end(),
                (State::Prose(_) | State::Opaque { .. }, false) => return Signal::More,
                (State::Envelope(_), false) => self.cut(end),
                (_, true) => match self.read::<Complete>(self.pending.bytes(), self.pending.after_backtick) {
                    Read::Tag(tag) => self.act_pending(&tag, end),
                    // An incomplete tag is no part of a value that is cut.
                    _ if matches!(self.state, State::Inside(_) | State::Unconfirmed(_)) => self.cut(end),
                    _ if self.is_envelope_cut() => self.cut(end),
                    _ => self.drop_pending(),
                },
                (State::Inside(_) | State::Unconfirmed(_), false) => self.cut(end),
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Makes it ready for the next stream. Its memory is kept.
    pub(crate) fn restart(&mut self) {
        self.state = State::Prose(Code::at_start(!tracks_code(&self.policy)));
        self.pending.clear();
        self.calls = 0;
        if self.busy.plain_left > 0 {
            self.busy.plain_left = 0;
        }
    }

    /// Ends what the end of the stream cuts.
    fn cut(&mut self, end: u64) -> Option<Signal> {
        match self.state {
            State::Unconfirmed(unconfirmed) => self.cut_unconfirmed(unconfirmed, end),
            State::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.cut();
                }
                self.pending.clear();
                self.state = State::Ended { end, is_named: false };
            }
            State::Envelope(code) => self.cut_envelope(code, end),
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
                State::Prose(mut code) if code != Code::Ignored => {
                    let to = self.end_of_plain(text, *pos);
                    let bracket = self.advance(&mut code, &text.as_bytes()[..to], *pos);
                    self.state = State::Prose(code);
                    self.pass_plain(bracket - *pos);
                    if bracket == to && to < text.len() {
                        *pos = bracket;
                        continue;
                    }
                    bracket
                }
                _ => {
                    let bracket = self.next_bracket(text.as_bytes(), *pos);
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
                Read::Text => {
                    if !self.push("<") {
                        return None;
                    }
                    *pos = bracket + 1;
                }
                Read::Tag(tag) if tag.shown => {
                    *pos = bracket + tag.len;
                    self.push(&text[bracket..*pos]);
                    let signal = self.emit(Source::Piece(from, *pos));
                    // What follows another tool's call is emitted as something else.
                    if self.act_shown(&tag, piece.offset(*pos)) {
                        return signal;
                    }
                }
                Read::Tag(tag) => {
                    if bracket > from && matches!(self.state, State::Prose(_) | State::Opaque { .. }) {
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
                Read::Incomplete(incomplete) => {
                    self.pending.begin(&text[bracket..], piece.offset(bracket), after_backtick, incomplete);
                    *pos = text.len();
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

    /// Reads on with the incomplete tag, into a piece.
    fn run_pending(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from, old) = (piece.text, *pos, self.pending.len());
        let new = self.pending.reach(&text[from..], self.policy.limits.tag);
        self.pending.extend(new);
        let shown = self.pending.shown;
        match self.read_pending(old) {
            Read::Text => {
                self.pending.truncate(old);
                self.drop_pending()
            }
            Read::Tag(Tag { shown: true, .. }) | Read::Incomplete(IncompleteTag { shown: true, .. }) if !shown => {
                self.pending.truncate(old);
                self.show_pending()
            }
            Read::Incomplete(incomplete) => {
                self.pending.set_incomplete(incomplete);
                *pos += new.len();
                if shown { self.push_and_emit(text, from, *pos) } else { None }
            }
            Read::Tag(tag) if shown => {
                *pos += tag.len - old;
                self.pending.clear();
                let signal = self.push_and_emit(text, from, *pos);
                self.act_shown(&tag, piece.offset(*pos));
                signal
            }
            Read::Tag(tag) if self.ends_before(&tag) => {
                self.pending.truncate(old);
                self.end_before(&tag, self.pending.start);
                None
            }
            Read::Tag(tag) => {
                *pos += tag.len.saturating_sub(old);
                self.pending.truncate(tag.len);
                self.act_pending(&tag, piece.offset(*pos))
            }
        }
    }

    fn push_and_emit(&mut self, text: &str, from: usize, to: usize) -> Option<Signal> {
        self.push(&text[from..to]);
        if to > from { self.emit(Source::Piece(from, to)) } else { None }
    }

    /// Returns where the next `<` is that may mean something; the end of the text if there is none.
    fn next_bracket(&self, text: &[u8], from: usize) -> usize {
        if let State::Prose(Code::Ignored) = self.state {
            return self.policy.tools.next_tag(text, from);
        }
        scan::bracket(&text[from..]).map_or(text.len(), |found| from + found)
    }

    /// Reads what the bytes from a `<` on are in this state.
    pub(super) fn read<S: IsStreaming>(&self, bytes: &[u8], after_backtick: bool) -> Read {
        if let State::Prose(_) = self.state
            && let Some(read) = self.read_plain::<S>(bytes)
        {
            return read;
        }
        let allowed = match &self.state {
            State::Prose(code) => {
                let may_open = envelope::tag::may_open(bytes.get(1..).unwrap_or_default());
                // The code is that after a pending tag whose text has been emitted.
                let starts = may_open && !self.pending.shown;
                let envelopes = if starts { self.envelopes() } else { Envelopes::NONE };
                allowed::in_prose(
                    *code,
                    self.policy.call_start == CallStart::Anywhere,
                    envelopes,
                    self.policy.limits.bare,
                )
            }
            State::Envelope(_) => {
                let open = if self.busy.envelope.allows_tools() { allowed::OPENING } else { NOTHING };
                Allowed { envelope: self.busy.envelope.tags(&self.policy), ..open }
            }
            state => allowed(state, after_backtick),
        };
        tag::read::<S>(bytes, &allowed, &self.policy.tools, self.policy.limits.tag.min(u32::MAX as usize))
    }

    /// Does the same in prose, if it is as simple as that: a `<` that is the last byte, or begins
    /// nothing.
    #[inline]
    fn read_plain<S: IsStreaming>(&self, bytes: &[u8]) -> Option<Read> {
        let rest = bytes.get(1..)?;
        if self.policy.call_start != CallStart::Anywhere {
            return None;
        }
        // Our tag may begin here, and fits.
        if rest.is_empty() && S::is_streaming() && self.policy.limits.tag > ASK.len() + 1 {
            return Some(Read::Incomplete(IncompleteTag { more: 1, shown: false, part: Part::Other }));
        }
        (!rest.is_empty() && !self.bracket(rest)).then_some(Read::Text)
    }

    /// Reads what the incomplete tag is, of which all beyond `old` bytes is new.
    pub(super) fn read_pending(&self, old: usize) -> Read {
        // A tag that begins an envelope has both limits.
        let limit = self.policy.limits.tag.min(self.policy.limits.bare);
        match self.pending.stays_incomplete(old, limit) {
            Some(incomplete) => Read::Incomplete(incomplete),
            None => self.read::<Streaming>(self.pending.bytes(), self.pending.after_backtick),
        }
    }

    /// Appends text that is no tag to what is open.
    ///
    /// Returns `false` if it does not fit, which decides what is open; then nothing was appended.
    pub(super) fn push(&mut self, text: &str) -> bool {
        if let State::Envelope(code) = self.state {
            return self.push_envelope(code, text) == text.len();
        }
        if let State::Prose(_) = self.state {
            self.pass_plain(text.len());
        }
        match &mut self.state {
            State::Prose(code) => code.pass(text.as_bytes()),
            State::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.push(text);
                }
            }
            State::Unconfirmed(_) => return self.hold(text),
            State::Opaque { .. }
            | State::Envelope(_)
            | State::Turn { .. }
            | State::Ended { .. }
            | State::Named { .. } => {}
        }
        true
    }

    /// Returns the signal that text is emitted with; `None` in a call, whose partials show it.
    pub(super) fn emit(&self, from: Source) -> Option<Signal> {
        match self.state {
            State::Prose(_) => Some(Signal::Text(from)),
            State::Opaque { tool, .. } => Some(Signal::Opaque { from, tool: ToolRef::Listed(tool), start: false }),
            State::Envelope(_) if self.busy.envelope.is_opaque() => {
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
        let delta = self.busy.call.next_delta();
        self.has_news = delta.is_some();
        delta.map(Signal::Partial)
    }

    /// Returns what is certain at the end of a piece, which is followed by the incomplete UTF-8
    /// sequence `tail`.
    fn at_end_of_piece(&mut self, tail: &[u8]) -> Option<Signal> {
        match self.state {
            State::Unconfirmed(unconfirmed) if self.is_hopeless(&unconfirmed, tail) => {
                self.demote(&unconfirmed);
                self.emit_end()
            }
            State::Inside(_) | State::Envelope(_) => self.partial(),
            _ => None,
        }
    }

    // The incomplete tag.

    /// Acts on the tag that the pending bytes are.
    fn act_pending(&mut self, tag: &Tag, end: u64) -> Option<Signal> {
        let start = self.pending.start;
        if self.ends_before(tag) {
            self.end_before(tag, start);
            return None;
        }
        let pending = core::mem::take(&mut self.pending);
        let signal = self.act(tag, pending.bytes(), start, end, Source::Pending);
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

    /// Emits the text of the incomplete tag, which may still become one that is text all the same.
    fn show_pending(&mut self) -> Option<Signal> {
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

    fn drop_lent(&mut self) {
        if self.pending.lent {
            self.pending.clear();
        }
        if self.busy.envelope.lent {
            self.busy.envelope.held.clear();
            self.busy.envelope.lent = false;
        }
    }

    // Tags.

    /// Returns whether a tag is no part of what is open, which ends before it.
    pub(super) fn ends_before(&self, tag: &Tag) -> bool {
        match &self.state {
            State::Unconfirmed(unconfirmed) => tag.opens_tool() || self.room(unconfirmed) < tag.len,
            State::Opaque { .. } | State::Inside(_) => tag.opens_tool(),
            State::Envelope(_) => self.busy.envelope.ends_before(tag.of_envelope(), tag.len, &self.policy),
            State::Turn { .. } | State::Prose(_) | State::Ended { .. } | State::Named { .. } => false,
        }
    }

    /// Ends what is open before a tag, which begins at `end` and is read again.
    fn end_before(&mut self, tag: &Tag, end: u64) {
        match self.state {
            State::Envelope(code) => self.end_envelope_before(tag, code, end),
            State::Unconfirmed(unconfirmed) => self.demote(&unconfirmed),
            State::Inside(_) => {
                if let Some(mut inside) = self.inside() {
                    inside.end_by_tool();
                }
                self.state = State::Ended { end, is_named: false };
            }
            _ => self.state = self.after_call(),
        }
    }

    /// Acts on a tag that is no text.
    fn act(&mut self, tag: &Tag, text: &[u8], start: u64, end: u64, from: Source) -> Option<Signal> {
        match self.state {
            State::Prose(_) | State::Opaque { .. } => self.act_outside(tag, text, start, end, from),
            State::Unconfirmed(unconfirmed) => {
                self.confirm(&unconfirmed);
                self.act_inside(tag, text, end)
            }
            State::Envelope(code) => self.act_envelope(tag, text, code, end),
            State::Inside(_) | State::Ended { .. } | State::Named { .. } | State::Turn { .. } => {
                self.act_inside(tag, text, end)
            }
        }
    }

    /// Acts on a tag in a call.
    fn act_inside(&mut self, tag: &Tag, text: &[u8], end: u64) -> Option<Signal> {
        if self.inside()?.act(tag, text) {
            self.state = State::Ended { end, is_named: false };
        }
        self.partial()
    }

    pub(super) fn after_call(&self) -> State {
        State::Prose(Code::after_call(!tracks_code(&self.policy)))
    }

    /// Emits what has been decided and not been emitted yet.
    fn emit_end(&mut self) -> Option<Signal> {
        match self.state {
            State::Ended { end, is_named } => Some(self.partial().unwrap_or_else(|| {
                self.calls += 1;
                self.state = if is_named { State::Named { opening: 0 } } else { self.after_call() };
                Signal::Ended { end }
            })),
            State::Named { opening } => self.emit_named(opening),
            State::Turn { turn, code } => self.emit_turn(turn, code),
            _ => None,
        }
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
}

impl Openers for MarkupMachine {
    #[inline(always)] // Nearly always, the tables of `may_open` say no.
    fn bracket(&self, rest: &[u8]) -> bool {
        self.policy.call_start != CallStart::Anywhere
            || self.policy.tools.may_open(rest)
            || envelope::tag::may_open(rest) && !self.envelopes().is_empty()
    }

    fn json(&self) -> bool {
        self.envelopes().contains(Envelope::BareJson)
    }

    fn marker(&self) -> bool {
        self.envelopes().contains(Envelope::Mistral)
    }
}

/// Returns `true` if it matters what of the prose is code.
fn tracks_code(policy: &Policy) -> bool {
    policy.call_start != CallStart::Anywhere || !policy.envelopes().is_empty()
}

/// What a checkpoint holds of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SavedMarkup {
    calls: u64,
    state: State,
    pending: Pending,
    call: Option<Call>,
    held: Option<String>,
    envelope: Option<Box<EnvelopeMachine>>,
    plain_left: usize,
}

impl SavedMarkup {
    /// Sets the last bytes of prose.
    pub(crate) fn set_before(&mut self, last: Before) {
        if let State::Prose(code) = &mut self.state {
            code.set_before(last);
        }
    }
}

impl MarkupMachine {
    pub(crate) fn save(&self) -> SavedMarkup {
        let MarkupMachine { state, pending, calls, busy, .. } = self;
        let (call, held) = match state {
            State::Unconfirmed(_) => (Some(busy.call.clone()), Some(busy.held.clone())),
            State::Inside(_) => (Some(busy.call.clone()), None),
            State::Envelope(_) if busy.envelope.is_read() => (Some(busy.call.save()), None),
            _ => (None, None),
        };
        let envelope = matches!(state, State::Envelope(_)).then(|| Box::new(busy.envelope.save()));
        let plain_left = if let State::Prose(_) = state { busy.plain_left } else { 0 };
        SavedMarkup { calls: *calls, state: state.clone(), pending: pending.clone(), call, held, envelope, plain_left }
    }

    /// Returns the machine that was saved after `read` bytes; `None` if it is out of bounds.
    pub(crate) fn restore(policy: Arc<Policy>, saved: SavedMarkup, read: u64) -> Option<MarkupMachine> {
        let SavedMarkup { calls, state, pending, call, held, envelope, plain_left } = saved;
        let (limits, tools) = (policy.limits, &policy.tools);
        let state_is_in_bounds = match &state {
            State::Prose(_) => call.is_none() && held.is_none(),
            State::Opaque { tool, parameter } => {
                let is_known = parameter.is_none_or(|parameter| !tools.parameters.name(parameter).is_empty());
                call.is_none() && held.is_none() && is_known && !tools.tools.name(*tool).is_empty()
            }
            State::Unconfirmed(unconfirmed) => held.as_ref().is_some_and(|held| {
                let body = held.get(unconfirmed.opening as usize..);
                let fits =
                    unconfirmed.opening as usize <= limits.tag && body.is_some_and(|body| body.len() <= limits.bare);
                fits && call.is_some() && unconfirmed.end <= read
            }),
            State::Inside(_) => call.is_some() && held.is_none(),
            State::Envelope(_) => envelope.as_ref().is_some_and(|envelope| {
                let has_form = call.as_ref().is_some_and(|call| call.form().is_some());
                held.is_none()
                    && call.is_some() == envelope.is_read()
                    && has_form == envelope.is_shaped()
                    && envelope.is_in_bounds(read, &policy)
            }),
            State::Ended { .. } | State::Named { .. } | State::Turn { .. } => false,
        };
        let state_is_in_bounds = state_is_in_bounds && matches!(state, State::Envelope(_)) == envelope.is_some();
        let call_is_in_bounds = call.as_ref().is_none_or(|call| call.start <= read && call.is_in_bounds(&limits));
        let is_plain_in_bounds = plain_left <= limits.bare;
        if calls > read
            || !is_plain_in_bounds
            || !pending.is_in_bounds(read, limits.tag)
            || !state_is_in_bounds
            || !call_is_in_bounds
        {
            return None;
        }
        let mut machine = MarkupMachine { state, pending, calls, has_news: true, ..MarkupMachine::new(policy) };
        if plain_left > 0 {
            machine.busy.plain_left = plain_left;
        }
        if let Some(mut envelope) = envelope {
            if !envelope.restore(&machine.policy) {
                return None;
            }
            machine.busy.call = call.unwrap_or(Call::NEW);
            *machine.busy.envelope = *envelope;
        } else if let Some(call) = call {
            machine.busy.call = call;
            machine.busy.held = held.unwrap_or_default();
        }
        Some(machine)
    }
}
