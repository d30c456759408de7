//! Behind an opening tag, until it is certain that a call began there.
//!
//! A model that writes about the tool names its tag in prose. So nothing is shown, and everything is held, until a parameter's tag
//! or the close tag makes it a call, or it is certain that none will: then the opening tag is text.

use super::grammar::{self, Read, Tag};
use super::inside::Spot;
use super::places::{CONFIRMING, SHORTEST_CONFIRMING};
use super::{Busy, Look, Machine, State};
use crate::Repairs;
use crate::call::End;
use crate::carry::Begun;
use crate::entity;
use crate::note::Note;
use crate::reason::Reason;
use crate::scan;
use crate::syntax::{Piece, Signal};

impl Machine {
    /// The opening tag has been read; it stands from `start` to `end`.
    pub(super) fn open_call(&mut self, tag: &Tag, text: &str, start: u64, end: u64) {
        self.busy.call.read_as(self.policy.entities);
        self.busy.call.restart(start);
        self.busy.held.clear();
        if tag.empty {
            self.busy.call.end(End::Closed, &self.policy);
            self.state = State::Ended { end };
        } else {
            self.busy.held.push_str(text);
            self.state = State::Call(Spot::Opened { body: end, opening: text.len(), blank: true });
        }
    }

    /// Holds what comes, to the next tag or to where the limit for a body has passed.
    pub(super) fn run_opened(&mut self, piece: &Piece<'_>, pos: &mut usize) -> Option<Signal> {
        let (text, from) = (piece.text, *pos);
        let bracket = scan::bracket(&text.as_bytes()[from..]).map_or(text.len(), |i| from + i);
        if !self.hold(&text[from..bracket], piece.at(bracket)) {
            return None;
        }
        *pos = bracket;
        if bracket == text.len() {
            return None;
        }
        match self.look(&text.as_bytes()[bracket..], false, false, |n| piece.at(bracket + n) - piece.at(bracket)) {
            Look::Tag { tag, len, .. } if self.ends_before(&tag, piece.at(bracket + len)) => {
                self.end_before(piece.at(bracket));
                None
            }
            Look::Tag { tag, len, .. } => {
                let end = bracket + len;
                *pos = end;
                self.act_opened(&tag, &text[bracket..end], piece.at(end))
            }
            Look::Text => {
                if self.hold("<", piece.at(bracket + 1)) {
                    *pos = bracket + 1;
                }
                None
            }
            Look::Held { in_attributes } | Look::Shown { in_attributes } => {
                let begun = Begun { start: piece.at(bracket), in_attributes, ..Begun::default() };
                self.carry.begin(&text[bracket..], begun);
                *pos = text.len();
                None
            }
        }
    }

    /// Holds text that ends at `end`; not if that is too far, and then it is certain that nothing was opened.
    fn hold(&mut self, text: &str, end: u64) -> bool {
        let in_time = self.is_in_time(end);
        if in_time {
            self.pass_opened(text);
        } else {
            self.demote();
        }
        in_time
    }

    pub(super) fn pass_opened(&mut self, text: &str) {
        if let State::Call(Spot::Opened { blank, .. }) = &mut self.state {
            *blank = *blank && text.trim_start().is_empty();
            self.busy.held.push_str(text);
        }
    }

    /// The opening tag was only named.
    pub(super) fn demote(&mut self) {
        if let State::Call(Spot::Opened { opening, body, .. }) = self.state {
            self.state = State::Demoted { opening, body };
        }
    }

    /// Whether the body may be as long as to `at`.
    pub(super) fn is_in_time(&self, at: u64) -> bool {
        match self.state {
            State::Call(Spot::Opened { body, .. }) => at.saturating_sub(body) <= self.policy.limits.bare as u64,
            _ => false,
        }
    }

    /// A parameter's tag, or the close tag: this is a call, if the tag came in time.
    pub(super) fn act_opened(&mut self, tag: &Tag, text: &str, end: u64) -> Option<Signal> {
        self.confirm();
        self.act_inside(tag, text, end)
    }

    /// This is a call.
    pub(super) fn confirm(&mut self) {
        if let State::Call(Spot::Opened { opening, .. }) = self.state {
            let Busy { call, held, .. } = &mut *self.busy;
            call.keep_bare(&held[opening..]);
            held.clear();
            self.state = State::Call(Spot::Between);
        }
    }

    /// Whether at `at` there is room for any confirming tag, so that a call may still come of it: nearly always. The tag may begin with the
    /// next byte, or with the one behind it, if that must not be a back-tick.
    pub(super) fn has_room(&self, at: u64) -> bool {
        let State::Call(Spot::Opened { body, .. }) = self.state else { return true };
        (self.policy.limits.bare as u64).saturating_sub(at - body) > SHORTEST_CONFIRMING
    }

    /// Whether no continuation can make this a call any more, at `at` and with `begun` of a character there.
    pub(super) fn is_hopeless(&self, at: u64, begun: &[u8]) -> bool {
        let State::Call(Spot::Opened { body, blank, .. }) = self.state else { return false };
        let taken = at + begun.len() as u64 - body;
        let Some(room) = (self.policy.limits.bare as u64).checked_sub(taken) else { return true };
        if self.has_room(taken + body) {
            return false;
        }
        if self.carry.is_empty() {
            let rest_of_blank = entity::shortest_blank(begun).map(|len| (len - begun.len()) as u64);
            let still_blank = blank && (begun.is_empty() || rest_of_blank.is_some_and(|rest| rest <= room));
            return !still_blank && SHORTEST_CONFIRMING > room;
        }
        let limit = self.policy.limits.tag as u64;
        let have = self.carry.len_to(taken + body);
        let needed = match grammar::read(self.carry.bytes(), CONFIRMING) {
            Read::Begun(more) => Some(more as u64).filter(|more| have + more <= limit),
            _ => None,
        };
        let tool = grammar::read(self.carry.bytes(), self.tools());
        let named = tool == Read::Undecided;
        let undecided = matches!(tool, Read::Begun(more) if have + more as u64 <= limit);
        // Whatever is open, the next tag may begin with the next byte. But a tool's opening tag that is whole is one unless a back-tick follows, and only
        // then can there be more of this.
        let afresh = SHORTEST_CONFIRMING + u64::from(named);
        let possible = afresh <= room || needed.is_some_and(|needed| needed <= room);
        !(possible || blank && undecided)
    }

    /// Whether a stream that ends here cuts off a call: behind nothing but blanks, and what is carried, which is the beginning of a tag.
    pub(super) fn is_cut_off(&self) -> bool {
        matches!(self.state, State::Call(Spot::Opened { blank: true, .. }))
    }

    /// Says that the opening tag was only named.
    pub(super) fn say_demotion(&mut self, opening: usize, body: u64) -> Signal {
        self.state = self.behind_call();
        let rejected = self.policy.repairs == Repairs::Reject;
        if rejected {
            self.busy.call.reject(Reason::Malformed(Note::OnlyNamed));
            self.calls += 1;
        } else if let State::Prose(code) = &mut self.state {
            // Whatever the tag holds, it begins no code.
            code.pass("<");
        }
        Signal::Demoted { opening, rejected: rejected.then_some(body) }
    }
}
