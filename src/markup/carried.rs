//! Going on with what a piece ended in the middle of.

use super::grammar::Tag;
use super::{Look, Machine};
use crate::scan;
use crate::syntax::{Piece, Signal, Source};

impl Machine {
    /// What the carry is, now that it has grown beyond its `old` bytes.
    fn look_again(&self, old: usize, len: impl Fn(usize) -> u64) -> Look {
        if self.stays_in_attributes(&self.carry.bytes()[old..], len(self.carry.len())) {
            let in_attributes = true;
            return if self.carry.shown { Look::Shown { in_attributes } } else { Look::Held { in_attributes } };
        }
        self.look(self.carry.bytes(), self.carry.behind_tick, false, len)
    }

    /// Whether the carry, which `new` makes `len` bytes long in the stream, is still among its attributes. There nothing but a bracket decides,
    /// unless the limit is near, so that nothing is read twice.
    pub(super) fn stays_in_attributes(&self, new: &[u8], len: u64) -> bool {
        self.carry.in_attributes
            && len.saturating_add(2) <= self.policy.limits.tag as u64
            && memchr::memchr2(b'<', b'>', new).is_none()
    }

    /// Goes on with the carry, into `piece`.
    pub(super) fn resume(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let old = self.carry.len();
        let new = self.reach(&piece.text[*pos..]);
        self.carry.extend(new);
        let (from, start, to) = (*pos, self.carry.start, *pos + new.len());
        // Behind the carried bytes, the piece says where in the stream a byte stands.
        let len = |n: usize| self.carry.len_to(piece.at(from + n.saturating_sub(old)));
        match self.look_again(old, len) {
            Look::Tag { tag, len, shown: true } => {
                let was_shown = self.carry.shown;
                self.carry.truncate(old);
                if !was_shown {
                    return self.show_carry();
                }
                self.carry.clear();
                *pos = from + (len - old);
                self.pass(&piece.text[from..*pos]);
                let said = if *pos > from { self.shown_as(Source::Piece(from, *pos)) } else { None };
                self.act_shown(&tag);
                said
            }
            Look::Tag { tag, len, shown: false } => {
                if self.ends_before(&tag, piece.at(from + len.saturating_sub(old))) {
                    self.carry.truncate(old);
                    self.end_before(start);
                    return None;
                }
                *pos = from + len.saturating_sub(old);
                self.carry.truncate(len);
                self.act_carried(&tag, piece.at(*pos))
            }
            Look::Text => {
                self.carry.truncate(old);
                self.drop_carry()
            }
            Look::Held { in_attributes } => {
                self.carry.in_attributes = in_attributes;
                *pos = to;
                None
            }
            Look::Shown { in_attributes } if self.carry.shown => {
                self.carry.in_attributes = in_attributes;
                *pos = to;
                self.pass(&piece.text[from..to]);
                self.shown_as(Source::Piece(from, to))
            }
            Look::Shown { .. } => {
                self.carry.truncate(old);
                self.show_carry()
            }
        }
    }

    /// As much of `text` as can matter to the carry: through the next `<`, or to just beyond the limit.
    fn reach<'t>(&self, text: &'t str) -> &'t str {
        let most = self.policy.limits.tag.saturating_add(1).saturating_sub(self.carry.len()).clamp(1, text.len());
        let near = &text[..text.ceil_char_boundary(most)];
        match scan::bracket(near.as_bytes()) {
            Some(at) => &near[..=at],
            None => near,
        }
    }

    /// Acts on the tag that is the carry.
    pub(super) fn act_carried(&mut self, tag: &Tag, end: u64) -> Option<Signal> {
        let start = self.carry.start;
        if self.ends_before(tag, end) {
            self.end_before(start);
            return None;
        }
        let carry = core::mem::take(&mut self.carry);
        let signal = self.act(tag, carry.text(), start, end, Source::Carry);
        self.carry = carry;
        match signal {
            Some(Signal::Opaque { from: Source::Carry, .. }) => self.lent = true,
            _ => self.carry.clear(),
        }
        signal
    }

    /// The carry is no tag: it is text.
    pub(super) fn drop_carry(&mut self) -> Option<Signal> {
        if self.carry.shown {
            self.carry.clear();
            return None;
        }
        let carry = core::mem::take(&mut self.carry);
        self.pass(carry.text());
        self.carry = carry;
        let said = self.shown_as(Source::Carry);
        match said {
            Some(_) => self.lent = true,
            None => self.carry.clear(),
        }
        said
    }

    /// The carry may still become a tag, but shows in any case.
    pub(super) fn show_carry(&mut self) -> Option<Signal> {
        let carry = core::mem::take(&mut self.carry);
        self.pass(carry.text());
        self.carry = carry;
        self.carry.shown = true;
        self.shown_as(Source::Carry)
    }
}
