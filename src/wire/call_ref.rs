//! Finding the call that a delta is about.

use super::call::{CallState, NativeCall};
use super::deltas::{ArgumentsDelta, CallDelta, Deltas, Fragment, TextRange};
use super::prefix_hashes::{HashedText, PrefixHashes};

/// The number of bytes a name or an id may have. A longer one is ignored.
pub(super) const MAX_NAME_LEN: usize = 4 << 10;

/// How a delta refers to its call. Empty ranges are unknown.
pub(super) struct CallRef {
    index: Option<u64>,
    loose_index: bool,
    item_id: TextRange,
    id: TextRange,
    name: TextRange,
    /// The delta has arguments that are not white space.
    has_arguments: bool,
    /// The delta has arguments, but nothing else than white space.
    has_space: bool,
}

impl CallRef {
    pub(super) fn new(call: CallDelta, deltas: &mut Deltas) -> CallRef {
        let mut resolve = |fragment: Fragment| {
            let range = deltas.resolve(fragment);
            if range.1 - range.0 <= MAX_NAME_LEN { range } else { (0, 0) }
        };
        let (item_id, id, name) = (resolve(call.item_id), resolve(call.id), resolve(call.name));
        let arguments = call.arguments.fragment();
        let has_arguments = !deltas.is_blank(arguments);
        let has_space = !has_arguments && !arguments.is_empty();
        CallRef { index: call.index, loose_index: call.loose_index, item_id, id, name, has_arguments, has_space }
    }

    pub(super) fn id<'t>(&self, text: &'t str) -> &'t str {
        &text[self.id.0..self.id.1]
    }

    pub(super) fn item_id<'t>(&self, text: &'t str) -> &'t str {
        &text[self.item_id.0..self.item_id.1]
    }

    pub(super) fn name(&self) -> TextRange {
        self.name
    }

    pub(super) fn has_name(&self) -> bool {
        !is_empty(self.name)
    }

    pub(super) fn has_id(&self) -> bool {
        !is_empty(self.id)
    }

    pub(super) fn has_arguments(&self) -> bool {
        self.has_arguments
    }

    /// Returns whether the delta refers to no call.
    pub(super) fn is_anonymous(&self) -> bool {
        self.index.is_none() && is_empty(self.item_id) && is_empty(self.id) && is_empty(self.name)
    }

    /// Returns the call that starts here, if its start or parts of it have arrived before.
    pub(super) fn find_started(
        &self,
        calls: &[NativeCall],
        arguments: ArgumentsDelta,
        deltas: &Deltas,
    ) -> Option<usize> {
        let text = &*deltas.text;
        let all = match arguments {
            ArgumentsDelta::All(all) => deltas.plain_text(all).map(HashedText::new),
            ArgumentsDelta::None | ArgumentsDelta::More(_) => None,
        };
        let is_repeated = |call: &NativeCall| all.as_ref().is_some_and(|all| call.received.equal(all));
        calls.iter().rposition(|call| {
            // An id that is only the call's may come twice: some models choose it themselves.
            let same_item = same(&call.item_id, self.item_id, text) && call.item_id != call.id;
            let same_index = self.index.is_some() && call.index == self.index;
            let same_name = call.name.is_empty() || same(&call.name, self.name, text);
            let same_id = same_name && same(&call.id, self.id, text) && !self.has_other_index(call);
            if call.has_ended() {
                same_id && (same_item || is_repeated(call))
            } else {
                same_id || (matches!(call.state, CallState::Unnamed(_)) && (same_item || same_index))
            }
        })
    }

    /// Returns the call that a call of the whole message repeats.
    ///
    /// Some servers leave out the ids there, or make new ones. So it is the call with its id, else
    /// one that `is_equal`, else one whose arguments `all` continue, else one of the same tool
    /// that is open or has no other id. Each is repeated once.
    pub(super) fn find_repeated(
        &self,
        calls: &[NativeCall],
        repetition: u64,
        all: &str,
        is_equal: &dyn Fn(&NativeCall) -> bool,
        text: &str,
    ) -> Option<usize> {
        let first = |is_match: &dyn Fn(&NativeCall) -> bool| {
            calls.iter().position(|call| {
                let may_be_same_tool = call.name.is_empty() || is_empty(self.name) || same(&call.name, self.name, text);
                call.repeated_in != repetition && may_be_same_tool && is_match(call)
            })
        };
        let has_other_id = |call: &NativeCall| differs(self.id, &call.id, text);
        let first_continued = || {
            let lens = calls.iter().filter(|call| !call.is_closed).map(|call| call.received.len());
            let beginnings = PrefixHashes::new(all, lens);
            first(&|call| !call.is_closed && call.received.begin(&beginnings))
        };
        first(&|call| same(&call.id, self.id, text))
            .or_else(|| first(&|call| same(&call.item_id, self.item_id, text)))
            .or_else(|| first(is_equal))
            .or_else(first_continued)
            .or_else(|| first(&|call| !call.is_closed || !has_other_id(call)))
    }

    /// Returns the call that a delta belongs to.
    ///
    /// It is found by its index and item id, else by one of them, else by its id; else it is the
    /// last open one.
    pub(super) fn find(&self, calls: &[NativeCall], text: &str) -> Option<usize> {
        let newest = |is_match: &dyn Fn(&NativeCall) -> bool| {
            let newest = calls.iter().rposition(is_match)?;
            Some(newest).filter(|&i| !self.is_another_call(&calls[i], text))
        };
        let by_both = || {
            newest(&|call| self.index.is_some() && call.index == self.index && same(&call.item_id, self.item_id, text))
        };
        let by_index = || newest(&|call| self.index.is_some() && call.index == self.index);
        let by_item_id = || newest(&|call| same(&call.item_id, self.item_id, text));
        let by_id = || {
            let names_another = |call: &NativeCall| self.has_name() && self.has_other_index(call);
            newest(&|call| same(&call.id, self.id, text)).filter(|&i| !names_another(&calls[i]))
        };
        let last_open = || {
            // A delta with an index or an item id belongs to no other call, unless its index is
            // unreliable.
            let has_index = self.index.is_some();
            let distrusts_index =
                has_index && self.loose_index && self.has_arguments && !self.has_id() && !self.has_name();
            let is_open_to = (!has_index || distrusts_index)
                && is_empty(self.item_id)
                && (self.has_arguments || self.has_space || self.is_anonymous());
            let i = newest(&|call| is_open_to && !call.has_ended())?;
            let call = &calls[i];
            let may_begin_next = distrusts_index || (self.has_space && self.has_name());
            let accepts_more = !(may_begin_next && call.received.look_complete());
            Some(i).filter(|_| accepts_more && (!self.has_name() || same(&call.name, self.name, text)))
        };
        by_both().or_else(by_index).or_else(by_item_id).or_else(by_id).or_else(last_open)
    }

    fn has_other_index(&self, call: &NativeCall) -> bool {
        self.index.is_some() && call.index.is_some() && self.index != call.index
    }

    /// Returns whether the delta is about another call with the same index or id.
    ///
    /// Some servers give all calls one index or one id; others give a call a new id in every delta,
    /// or repeat its name. So the delta is about another call only if it has a name, and either the
    /// name or the id differs, or the call's arguments are complete and the delta has more.
    fn is_another_call(&self, call: &NativeCall, text: &str) -> bool {
        if !self.has_name() || call.name.is_empty() {
            return false;
        }
        let same_id = same(&call.id, self.id, text) || same(&call.item_id, self.item_id, text);
        let is_complete = call.has_ended() || call.received.look_complete();
        differs(self.name, &call.name, text)
            || differs(self.id, &call.id, text)
            || (!same_id && self.has_arguments && is_complete)
    }
}

/// Returns whether the text in the range is the known one. An empty range never is.
fn same(known: &str, range: TextRange, text: &str) -> bool {
    !is_empty(range) && known == &text[range.0..range.1]
}

/// Returns whether both texts are known, and differ.
fn differs(range: TextRange, known: &str, text: &str) -> bool {
    !is_empty(range) && !known.is_empty() && !same(known, range, text)
}

fn is_empty(range: TextRange) -> bool {
    range.0 == range.1
}
