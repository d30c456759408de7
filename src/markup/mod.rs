//! Calls written as markup in the text: the machine that reads them.
//!
//! ```text
//!              opening tag of a tool                close tag · another tool's opening tag
//!   ┌─ Prose ───────────────────────► Opaque ─────────────────────────────────────────────► Prose
//!   │    ▲ ▲
//!   │    │ └── Demoted ◄── it was only named ── Opened ◄─┐
//!   │    │                                        │      │ <ask_followup_question>
//!   │    │                          a parameter's │      │
//!   │    └── Ended ◄── close tag ── Between ◄─────┘      │
//!   │                                 ▲ ▼                │
//!   │                  Question · Suggestion · Options   │
//!   └────────────────────────────────────────────────────┘
//! ```
//!
//! What can't be decided yet stays in the [`Carry`].

mod carried;
mod code;
pub(crate) mod grammar;
mod inside;
mod name;
mod opened;
mod outside;
mod places;
mod plain;
mod possible;
mod quick;
mod saved;
mod written;

use alloc::string::String;
use alloc::sync::Arc;

use crate::Policy;
use crate::call::{Call, End};
use crate::carry::Carry;
use crate::lazy::{Fresh, Lazy};
use crate::reason::Place;
use crate::syntax::{Piece, Signal, Source};

use code::Code;
use grammar::{Read, Tag};
use inside::Spot;
use name::Name;
use plain::Plain;
pub(crate) use saved::Saved;
pub(crate) use written::{holds_suggestions, read_suggestions};

/// Where in the stream the machine stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum State {
    /// Outside every call.
    Prose(Code),
    /// In another tool's call; `parameter`: in the value of that parameter.
    Opaque { tool: u16, parameter: Option<u16> },
    /// In a call.
    Call(Spot),
    /// A call has ended at `end`, and that has not been said yet.
    Ended { end: u64 },
    /// The opening tag of what looked like a call was only named, and that has not been said yet. It is the first
    /// `opening` bytes of what is held, and ends at `body` in the stream.
    Demoted { opening: usize, body: u64 },
}

/// What the machine needs once a call has begun; kept for the next call.
#[derive(Clone, Debug)]
pub(crate) struct Busy {
    pub(crate) call: Call,
    /// An opening tag and the text behind it, until it is certain to be a call.
    pub(crate) held: String,
    pub(crate) again: Again,
}

/// Text that is read again, because the opening tag in front of it began no call. Empty between two feeds.
#[derive(Clone, Debug)]
pub(crate) struct Again {
    /// What had been held, the opening tag in front.
    pub(crate) held: String,
    pub(crate) held_pos: usize,
    /// The carry behind it. Only its first byte may begin a call, so only its place in the stream needs to be known.
    pub(crate) carry: String,
    pub(crate) carry_pos: usize,
    /// Where in the stream the held text and the carry end.
    pub(crate) ends: (u64, u64),
}

impl Fresh for Busy {
    const FRESH: Busy = Busy { call: Call::NEW, held: String::new(), again: Again::NEW };
    const SEEN: &'static Busy = &Busy::FRESH;
}

impl Again {
    pub(crate) const NEW: Again =
        Again { held: String::new(), held_pos: 0, carry: String::new(), carry_pos: 0, ends: (0, 0) };

    pub(crate) fn held_piece(&self) -> Piece<'_> {
        // Counted from its end, the places are right behind the last U+FFFD that stands for fewer bytes. In front of it they are too early, and
        // with many of them in front of the stream; but what began there was found to be no tag when it was read first, and seeming
        // longer it is found to be none the sooner.
        Piece { text: &self.held, start: self.ends.0.wrapping_sub(self.held.len() as u64), end: self.ends.0 }
    }

    pub(crate) fn carry_piece(&self) -> Piece<'_> {
        Piece { text: &self.carry, start: self.ends.0, end: self.ends.1 }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) policy: Arc<Policy>,
    pub(crate) state: State,
    pub(crate) carry: Carry,
    /// How many calls have ended.
    pub(crate) calls: u64,
    pub(crate) busy: Lazy<Busy>,
    /// The carry was lent by the last signal, and is done with.
    pub(crate) lent: bool,
    /// It reads a list that stands alone: there are no tags but those of suggestions.
    listing: bool,
}

/// What the bytes from a `<` on are, at the place where the machine stands.
enum Look {
    Tag {
        tag: Tag,
        len: usize,
        /// Its text is shown like any other.
        shown: bool,
    },
    Text,
    /// It may become a tag, and then it does not show.
    Held {
        in_attributes: bool,
    },
    /// It may become a tag, and shows in any case.
    Shown {
        in_attributes: bool,
    },
}

impl Machine {
    pub(crate) fn new(policy: Arc<Policy>) -> Machine {
        let state = State::Prose(Code::at_start(policy.calls == crate::Calls::Anywhere));
        Machine { policy, state, carry: Carry::default(), calls: 0, busy: Lazy::NEW, lent: false, listing: false }
    }

    /// Goes on in `piece` from `*pos`, to the next thing worth saying.
    pub(crate) fn step(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Signal {
        // Several things may have become certain at once. They are said before anything is read that would be said first.
        if let State::Call(_) = self.state
            && let Some(signal) = self.partial()
        {
            return signal;
        }
        loop {
            self.settle();
            let signal = match self.state {
                State::Ended { .. } | State::Demoted { .. } => self.say_pending(),
                _ if *pos == piece.text.len() => return self.rest(piece.end, &[]).unwrap_or(Signal::More),
                _ if !self.carry.is_empty() => self.resume(piece, pos),
                State::Call(Spot::Opened { .. }) => self.run_opened(piece, pos),
                State::Call(_) => self.run_inside(piece, pos),
                State::Prose(_) | State::Opaque { .. } => self.run_outside(piece, pos),
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Goes on at the end of all pieces so far, where the bytes `begun` of a character have come.
    pub(crate) fn foresee(&mut self, begun: &[u8], at: u64) -> Signal {
        loop {
            self.settle();
            let signal = match self.state {
                State::Ended { .. } | State::Demoted { .. } => self.say_pending(),
                _ if !self.carry.is_empty() && !self.carry.shown => {
                    let mut then = self.carry.clone();
                    then.extend("\u{FFFD}");
                    let whole = then.len();
                    let len = |n: usize| then.len_to(if n < whole { at } else { at + begun.len() as u64 });
                    match self.look(then.bytes(), then.behind_tick, false, len) {
                        // Only a tool's opening tag waits for the character behind it.
                        Look::Tag { tag, .. } => self.act_carried(&tag, at),
                        Look::Text => self.drop_carry(),
                        Look::Shown { .. } => self.show_carry(),
                        Look::Held { .. } => return self.foresee_value(begun, at),
                    }
                }
                _ => return self.foresee_value(begun, at),
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    fn foresee_value(&mut self, begun: &[u8], at: u64) -> Signal {
        if self.carry.is_empty() {
            self.foresee_inside(begun);
        }
        self.rest(at, begun).unwrap_or(Signal::More)
    }

    /// Goes on at the end of the stream. `More` is the last it says.
    pub(crate) fn finish(&mut self, end: u64) -> Signal {
        loop {
            self.settle();
            let signal = match self.state {
                State::Ended { .. } | State::Demoted { .. } => self.say_pending(),
                _ if !self.carry.is_empty() && !self.carry.shown => {
                    let len = self.carry.len_to(end);
                    match self.look(self.carry.bytes(), self.carry.behind_tick, true, |_| len) {
                        Look::Tag { tag, .. } => self.act_carried(&tag, end),
                        // The beginning of a tag is no part of a value that was cut off.
                        _ if matches!(self.state, State::Call(_)) => self.cut_off(end),
                        _ => self.drop_carry(),
                    }
                }
                State::Call(_) => self.cut_off(end),
                State::Prose(_) | State::Opaque { .. } => return Signal::More,
            };
            if let Some(signal) = signal {
                return signal;
            }
        }
    }

    /// Whether a call is open, or what may become one.
    pub(crate) fn is_in_call(&self) -> bool {
        matches!(self.state, State::Call(_))
    }

    /// Whether text without a `<` is prose, between two pieces, and changes nothing.
    pub(crate) fn is_quiet(&self) -> bool {
        self.state == State::Prose(Code::Ignored) && self.carry.is_empty() && !self.lent
    }

    /// Whether it is known that there is nothing to say without more text.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        let is_silent = match self.state {
            State::Prose(_) | State::Opaque { .. } => true,
            State::Call(Spot::Opened { .. }) | State::Ended { .. } | State::Demoted { .. } => false,
            State::Call(_) => self.busy.call.is_all_shown(),
        };
        is_silent && !self.lent
    }

    /// Whether a call has ended, and that has not been said yet.
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended { .. })
    }

    /// Ready for the next stream. The memory is kept.
    pub(crate) fn restart(&mut self) {
        self.state = State::Prose(Code::at_start(self.policy.calls == crate::Calls::Anywhere));
        self.carry.clear();
        self.calls = 0;
        self.lent = false;
    }

    fn settle(&mut self) {
        if core::mem::take(&mut self.lent) {
            self.carry.clear();
        }
    }

    // What is said of a call.

    /// The next part of the call that is certain and has not been shown.
    fn partial(&mut self) -> Option<Signal> {
        self.busy.call.next_delta().map(|(field, part)| Signal::Partial(field, part))
    }

    /// What has been decided and not been said yet.
    fn say_pending(&mut self) -> Option<Signal> {
        match self.state {
            State::Ended { end } => Some(self.say_end(end)),
            State::Demoted { opening, body } => Some(self.say_demotion(opening, body)),
            State::Prose(_) | State::Opaque { .. } | State::Call(_) => None,
        }
    }

    fn say_end(&mut self, end: u64) -> Signal {
        self.partial().unwrap_or_else(|| {
            self.state = self.behind_call();
            self.calls += 1;
            Signal::Ended { end }
        })
    }

    fn behind_call(&self) -> State {
        State::Prose(Code::behind_call(self.policy.calls == crate::Calls::Anywhere))
    }

    /// The stream has ended in a call.
    fn cut_off(&mut self, end: u64) -> Option<Signal> {
        let State::Call(spot) = self.state else { return None };
        if matches!(spot, Spot::Opened { .. }) && !self.is_cut_off() {
            self.demote();
            return None;
        }
        let call = &mut self.busy.call;
        match spot.place() {
            Some(place) => call.cut(place, &self.policy),
            None if call.in_list() => call.cut(Place::Options, &self.policy),
            None => call.end(End::Stream, &self.policy),
        }
        self.carry.clear();
        self.state = State::Ended { end };
        None
    }

    /// Nothing more can be decided at `at`, with `begun` of a character there.
    fn rest(&mut self, at: u64, begun: &[u8]) -> Option<Signal> {
        match &self.state {
            &State::Call(Spot::Opened { opening, body, .. }) if self.is_hopeless(at, begun) => {
                Some(self.say_demotion(opening, body))
            }
            State::Call(_) => self.partial(),
            _ => None,
        }
    }

    // Tags.

    /// What `bytes`, from a `<` on, are here. `len` gives the length in the stream of so many of them.
    fn look(&self, bytes: &[u8], behind_tick: bool, last: bool, len: impl Fn(usize) -> u64) -> Look {
        match self.look_plain(bytes, behind_tick) {
            Some(Plain::Tag { name, side, len, mode }) => {
                Look::Tag { tag: Plain::tag(name, side, mode), len: len.into(), shown: false }
            }
            Some(Plain::Begun) if !last => Look::Held { in_attributes: false },
            _ => self.look_closely(bytes, behind_tick, last, len),
        }
    }

    /// The same, without the grammar: where a plain tag stands, or begins.
    fn look_plain(&self, bytes: &[u8], behind_tick: bool) -> Option<Plain> {
        if self.policy.limits.tag < plain::LONGEST {
            return None;
        }
        let ours = self.ours(behind_tick);
        debug_assert!({
            let hidden = self.places(behind_tick).hidden;
            ours.open.without(hidden.open.ours).is_empty() && ours.close.without(hidden.close.ours).is_empty()
        });
        plain::read(bytes, ours)
    }

    /// The same, as the grammar has it.
    fn look_closely(&self, bytes: &[u8], behind_tick: bool, last: bool, len: impl Fn(usize) -> u64) -> Look {
        let here = self.places(behind_tick);
        let limit = self.policy.limits.tag as u64;
        let read = |tags| if last { grammar::read_last(bytes, tags) } else { grammar::read(bytes, tags) };
        let begun = |more: usize| len(bytes.len()) + more as u64 <= limit;
        match read(here.hidden) {
            Read::Tag(tag, n) if len(n) <= limit => return Look::Tag { tag, len: n, shown: false },
            Read::Begun(more) if begun(more) => {
                return Look::Held { in_attributes: grammar::is_in_attributes(bytes, here.hidden.open.ours) };
            }
            Read::Undecided if begun(0) => return Look::Held { in_attributes: false },
            _ => {}
        }
        let Some(shown) = here.shown else { return Look::Text };
        match read(shown) {
            Read::Tag(tag, n) if len(n) <= limit => Look::Tag { tag, len: n, shown: true },
            Read::Begun(more) if begun(more) => {
                Look::Shown { in_attributes: grammar::is_in_attributes(bytes, shown.open.ours) }
            }
            _ => Look::Text,
        }
    }

    /// Goes through text that is no tag.
    fn pass(&mut self, text: &str) {
        match &mut self.state {
            State::Prose(code) => code.pass(text),
            State::Call(_) => self.pass_inside(text),
            State::Opaque { .. } | State::Ended { .. } | State::Demoted { .. } => {}
        }
    }

    /// What text is shown as here; nothing in a call, whose view shows it.
    fn shown_as(&self, from: Source) -> Option<Signal> {
        match self.state {
            State::Prose(_) => Some(Signal::Text(from)),
            State::Opaque { tool, .. } => Some(Signal::Opaque { from, tool, start: false }),
            State::Call(_) | State::Ended { .. } | State::Demoted { .. } => None,
        }
    }

    /// Whether the tag, which ends at `end`, is no part of what is open here, so that that ends in front of it.
    fn ends_before(&self, tag: &Tag, end: u64) -> bool {
        match &self.state {
            State::Call(Spot::Opened { .. }) => tag.opens_tool() || !self.is_in_time(end),
            State::Opaque { .. } | State::Call(_) => tag.opens_tool(),
            State::Prose(_) | State::Ended { .. } | State::Demoted { .. } => false,
        }
    }

    /// Ends what is open at `end`, in front of a tag that is read again.
    fn end_before(&mut self, end: u64) {
        match self.state {
            State::Call(Spot::Opened { .. }) => self.demote(),
            State::Call(_) => {
                self.busy.call.end(End::Tool, &self.policy);
                self.state = State::Ended { end };
            }
            _ => self.state = self.behind_call(),
        }
    }

    /// Acts on a tag that stands from `start` to `end` in the stream, and that shows, if at all, by what the action says.
    fn act(&mut self, tag: &Tag, text: &str, start: u64, end: u64, from: Source) -> Option<Signal> {
        match (&self.state, tag.name) {
            (State::Prose(_), Name::Tool(tool)) => {
                self.state = State::Opaque { tool, parameter: None };
                Some(Signal::Opaque { from, tool, start: true })
            }
            (State::Prose(_), _) => {
                self.open_call(tag, text, start, end);
                None
            }
            (State::Call(Spot::Opened { .. }), _) => self.act_opened(tag, text, end),
            _ => self.act_inside(tag, text, end),
        }
    }
}
