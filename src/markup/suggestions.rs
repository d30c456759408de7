//! The markup of suggestions in a text of its own, as some models write it into a native call.

use alloc::sync::Arc;

use nom::Complete;

use super::allowed::NOTHING;
use super::machine::MarkupMachine;
use super::names::{Name, Set, Side, TagNames};
use super::state::{Inside, Spot, State};
use super::tag::{self, Allowed, Read, Tag};
use crate::call::Call;
use crate::config::{Entities, Policy};
use crate::signal::{Piece, Signal};

/// Returns whether an opening tag of a suggestion or of options is in the text.
pub(crate) fn holds_suggestions(text: &str, policy: &Policy) -> bool {
    let open = TagNames::hidden(Set::SUGGEST.or(Set::OPTIONS));
    let allowed = Allowed { open, ..NOTHING };
    let limit = policy.limits.tag;
    memchr::memchr_iter(b'<', text.as_bytes()).any(|bracket| {
        let rest = &text.as_bytes()[bracket..];
        let near = &rest[..rest.len().min(limit)];
        matches!(tag::read::<Complete>(near, &allowed, &policy.tools, limit), Read::Tag(_))
    })
}

/// Reads the text as the body of an open `follow_up`, and ends that.
pub(crate) fn read_suggestions(text: &str, call: &mut Call, policy: &Arc<Policy>) {
    let shown = call.shown();
    let mut machine = MarkupMachine::new(policy.clone());
    machine.listing = true;
    machine.state = State::Inside(Inside { spot: Spot::BETWEEN, follow_up: true, after_backtick: false });
    machine.busy.call = core::mem::replace(call, Call::NEW);
    machine.busy.call.set_entities(policy.entities);
    machine.begin_follow_up(false);
    machine.read_body(text);
    *call = core::mem::replace(&mut machine.busy.call, Call::NEW);
    call.set_entities(Entities::Raw);
    // Nobody has seen its partials.
    call.set_shown(shown);
}

impl MarkupMachine {
    fn read_body(&mut self, text: &str) {
        let end = text.len() as u64;
        let (piece, mut pos) = (Piece { text, start: 0, end }, 0);
        while !matches!(self.step(&piece, &mut pos), Signal::More) {}
        // No tag of a list waits for what follows it: an incomplete one is none.
        if !self.pending.is_empty() {
            self.drop_pending();
        }
        self.set_follow_up(true);
        let close = Tag { name: Name::FollowUp, side: Side::Close, shown: false, empty: false, value: None, len: 0 };
        self.act_inside(&close, b"", end);
    }
}
