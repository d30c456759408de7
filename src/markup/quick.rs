//! The quick way through what nearly all of a call consists of: text without a `<`, and plain tags.
//!
//! Nothing is decided here that [`Machine::step`] would decide otherwise, and it goes on wherever this stops: at what is written in another
//! way, at what opens a call, and wherever there is something to be said.

use super::inside::Spot;
use super::name::{Name, Side};
use super::plain::{LONGEST, Plain};
use super::{Machine, State};
use crate::carry::{Begun, INLINE};
use crate::event::{Field, Part};
use crate::scan;

impl Machine {
    /// Goes on with a whole chunk, if the value that is open grows by it and nothing else happens. Gives what is then to be shown; else nothing
    /// has changed.
    #[inline]
    pub(crate) fn grow(&mut self, text: &str) -> Option<(Field, Part)> {
        let State::Call(Spot::Question | Spot::Answer) = self.state else { return None };
        if !self.carry.is_empty() || self.lent || scan::holds_bracket(text.as_bytes()) {
            return None;
        }
        let call = &mut self.busy.call;
        let grown = call.grow_plainly(text, &self.policy)?;
        call.tick = text.ends_with('`');
        Some(grown)
    }

    /// Goes on in `text`, which stands at `start` in the stream, from `at` on; says how far. What has become certain on the way is the
    /// [next part](crate::call::Call::next_delta) of the call. What was certain before must have been said.
    #[inline]
    pub(crate) fn hurry(&mut self, text: &str, mut at: usize, start: u64) -> usize {
        if self.lent || !self.has_room(start + text.len() as u64) {
            return at;
        }
        while at < text.len() {
            let from = at;
            at = if self.carry.is_empty() { self.hurry_text(text, at, start) } else { self.hurry_tag(text, at, start) };
            if at == from || at == text.len() || !self.busy.call.is_all_shown() {
                break;
            }
        }
        at
    }

    /// Goes through text to the next tag, and through that.
    fn hurry_text(&mut self, text: &str, at: usize, start: u64) -> usize {
        match self.state {
            State::Call(Spot::Nested(_) | Spot::Content(_) | Spot::Mode(_) | Spot::Options) => return at,
            State::Call(_) => {}
            _ => return at,
        }
        let bracket = scan::bracket(&text.as_bytes()[at..]).map_or(text.len(), |i| at + i);
        self.pass_inside(&text[at..bracket]);
        if bracket == text.len() {
            return bracket;
        }
        self.settle_entity();
        let behind_tick = self.busy.call.tick;
        match self.look_plain(&text.as_bytes()[bracket..], behind_tick) {
            Some(Plain::Begun) => {
                let begun = Begun { start: start + bracket as u64, behind_tick, ..Begun::default() };
                self.carry.begin(&text[bracket..], begun);
                text.len()
            }
            Some(tag) => {
                self.hurry_over(tag, &text[bracket..], start + bracket as u64).map_or(bracket, |len| bracket + len)
            }
            None => bracket,
        }
    }

    /// Goes on with a tag that has begun.
    fn hurry_tag(&mut self, text: &str, at: usize, start: u64) -> usize {
        let (old, rest) = (self.carry.len(), &text[at..]);
        if self.carry.shown {
            return at;
        }
        let end = start + text.len() as u64;
        if self.stays_in_attributes(rest.as_bytes(), self.carry.len_to(end)) {
            self.carry.extend(rest);
            return text.len();
        }
        // What fits in place, if there is room.
        let most = if old < INLINE { INLINE } else { LONGEST };
        let new = &rest[..rest.floor_char_boundary(rest.len().min(most.saturating_sub(old)))];
        if new.is_empty() {
            return at;
        }
        self.carry.extend(new);
        match self.look_plain(self.carry.bytes(), self.carry.behind_tick) {
            Some(Plain::Begun) if at + new.len() == text.len() => return text.len(),
            Some(Plain::Begun) | None => {}
            Some(tag) => {
                let start = self.carry.start;
                let taken = if tag.has_mode() {
                    // Put aside while it is acted on.
                    let carry = core::mem::take(&mut self.carry);
                    let taken = self.hurry_over(tag, carry.text(), start);
                    self.carry = carry;
                    taken
                } else {
                    self.hurry_over(tag, "", start)
                };
                if let Some(len) = taken {
                    self.carry.clear();
                    return at + len.saturating_sub(old);
                }
            }
        }
        self.carry.truncate(old);
        at
    }

    /// Goes over a tag of a call, which stands at `start` in the stream; gives its length. Nothing, if it opens a tool. If it has a mode, `text`
    /// begins with it.
    fn hurry_over(&mut self, tag: Plain, text: &str, start: u64) -> Option<usize> {
        let Plain::Tag { name, side, len, mode } = tag else { return None };
        let State::Call(_) = self.state else { return None };
        if (name, side) == (Name::Ask, Side::Open) {
            return None;
        }
        self.confirm();
        self.take(&Plain::tag(name, side, mode), text, start + u64::from(len));
        Some(len.into())
    }
}
