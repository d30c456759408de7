//! Which call a delta is about.

use super::deltas::{Arguments, Call, Deltas, Fragment, Part};
use super::open::{Kind, Open};

/// How long a name or an id may be. A longer one means nothing.
const LONGEST_NAME: usize = 4 << 10;

/// How a delta says which call it is about.
pub(super) struct Said {
    index: Option<u64>,
    loose: bool,
    item: Part,
    id: Part,
    pub(super) name: Part,
    /// It has something of the arguments that is not blank.
    pub(super) has_text: bool,
}

impl Said {
    pub(super) fn of(call: Call, deltas: &mut Deltas) -> Said {
        let mut short = |fragment: Fragment| {
            let part = deltas.whole(fragment);
            if part.1 - part.0 <= LONGEST_NAME { part } else { (0, 0) }
        };
        let (item, id, name) = (short(call.item), short(call.id), short(call.name));
        let has_text = !deltas.is_blank(call.arguments.fragment());
        Said { index: call.index, loose: call.loose, item, id, name, has_text }
    }

    pub(super) fn id<'t>(&self, text: &'t str) -> &'t str {
        &text[self.id.0..self.id.1]
    }

    pub(super) fn item<'t>(&self, text: &'t str) -> &'t str {
        &text[self.item.0..self.item.1]
    }

    /// It doesn't.
    pub(super) fn is_nobody(&self) -> bool {
        self.index.is_none() && is_empty(self.item) && is_empty(self.id) && is_empty(self.name)
    }

    /// The call that the provider says begins here, if it has said so before, or if something of it has come before.
    pub(super) fn find_begun(&self, open: &[Open], arguments: Arguments, deltas: &Deltas) -> Option<usize> {
        let text = &*deltas.text;
        let again = |call: &Open| match arguments {
            Arguments::All(all) => deltas.plain(all).is_some_and(|all| call.arrived.is_all(all)),
            Arguments::Nothing | Arguments::More(_) => false,
        };
        open.iter().rposition(|call| {
            let same_index = self.index.is_some() && call.index == self.index;
            let before = matches!(call.kind, Kind::Unnamed(_)) && (same(&call.item, self.item, text) || same_index);
            let named = call.name.is_empty() || same(&call.name, self.name, text);
            let same_id = named && same(&call.id, self.id, text) && !self.is_elsewhere(call);
            if call.ended { same_id && (again(call) || same(&call.item, self.item, text)) } else { same_id || before }
        })
    }

    /// The call that a delta belongs to: by its index, then by what it is called, then the last that is open.
    pub(super) fn find(&self, open: &[Open], text: &str) -> Option<usize> {
        let newest = |is: &dyn Fn(&Open) -> bool| {
            let newest = open.iter().rposition(is)?;
            Some(newest).filter(|&i| !self.is_another(&open[i], text))
        };
        let by_index = || newest(&|call| self.index.is_some() && call.index == self.index);
        let by_item = || newest(&|call| same(&call.item, self.item, text));
        let by_id = || newest(&|call| same(&call.id, self.id, text)).filter(|&i| !self.names_elsewhere(&open[i]));
        let last = || {
            // What has an index or an item of its own belongs to no other call, if that can be relied on.
            let index = self.index.is_some();
            let astray = index && self.loose && self.has_text && is_empty(self.id) && is_empty(self.name);
            let any = (!index || astray) && is_empty(self.item) && (self.has_text || self.is_nobody());
            let i = newest(&|call| any && !call.ended)?;
            let call = &open[i];
            let goes_on = !(astray && call.arrived.is_closed());
            Some(i).filter(|_| goes_on && (is_empty(self.name) || same(&call.name, self.name, text)))
        };
        by_index().or_else(by_item).or_else(by_id).or_else(last)
    }

    /// Whether it has another index than the call.
    fn is_elsewhere(&self, call: &Open) -> bool {
        self.index.is_some() && call.index.is_some() && self.index != call.index
    }

    fn names_elsewhere(&self, call: &Open) -> bool {
        !is_empty(self.name) && self.is_elsewhere(call)
    }

    /// Whether it is about another call than this, whose index or id it has.
    ///
    /// Some servers give all calls the same index, or all the same id; others a call a new id in every delta, or its name again. So only
    /// with a name can it be another: if that is another name or comes with another id; or if the call's arguments are complete and it has more.
    fn is_another(&self, call: &Open, text: &str) -> bool {
        if is_empty(self.name) || call.name.is_empty() {
            return false;
        }
        let differs = |part: Part, known: &str| !is_empty(part) && !known.is_empty() && known != &text[part.0..part.1];
        let same = same(&call.id, self.id, text) || same(&call.item, self.item, text);
        differs(self.name, &call.name)
            || differs(self.id, &call.id)
            || (!same && self.has_text && (call.ended || call.arrived.is_closed()))
    }
}

/// Whether it is known to be called that.
fn same(known: &str, part: Part, text: &str) -> bool {
    !is_empty(part) && known == &text[part.0..part.1]
}

pub(super) fn is_empty(part: Part) -> bool {
    part.0 == part.1
}
