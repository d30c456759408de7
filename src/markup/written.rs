//! The markup of suggestions in a text of its own, as some models write it into a native call.

use alloc::sync::Arc;

use super::grammar::{self, Read, Tag, Tags};
use super::inside::Spot;
use super::name::{Candidates, Name, Ours, Side};
use super::{Machine, State};
use crate::Policy;
use crate::call::Call;
use crate::syntax::{Piece, Signal};

/// Whether an opening tag of a suggestion or of options stands in the text.
pub(crate) fn holds_suggestions(text: &str, policy: &Policy) -> bool {
    let tags = Tags { open: Candidates::ours(Ours::SUGGEST.with(Ours::OPTIONS)), close: Candidates::NONE };
    memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
        let rest = &text.as_bytes()[at..];
        let near = &rest[..rest.len().min(policy.limits.tag)];
        matches!(grammar::read_last(near, tags), Read::Tag(..))
    })
}

/// Reads the text as the body of an open `follow_up`, and ends that.
pub(crate) fn read_suggestions(text: &str, call: &mut Call, policy: &Arc<Policy>) {
    let shown = call.shown();
    let mut machine = Machine::new(policy.clone());
    machine.listing = true;
    machine.state = State::Call(Spot::Between);
    machine.busy.call = core::mem::replace(call, Call::NEW);
    machine.busy.call.read_as(policy.entities);
    machine.busy.call.begin_follow_up();
    machine.read_body(text);
    *call = core::mem::replace(&mut machine.busy.call, Call::NEW);
    call.read_as(crate::Entities::Raw);
    // Nobody has seen what was said.
    call.set_shown(shown);
}

impl Machine {
    fn read_body(&mut self, text: &str) {
        let end = text.len() as u64;
        let (piece, mut pos) = (Piece { text, start: 0, end }, 0);
        while !matches!(self.step(&piece, &mut pos), Signal::More) {}
        // No tag of a list waits for what follows it: what has only begun is none.
        if !self.carry.is_empty() {
            self.drop_carry();
        }
        self.busy.call.follow_up = true;
        let close = Tag::plain(Name::FollowUp, Side::Close);
        self.act_inside(&close, "", end);
    }
}
