//! Which call a delta belongs to, and what is to be done with it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::arrived::{Arrived, Rest};
use super::deltas::{Arguments, Call, Delta, Deltas, Fragment};
use crate::{Parser, Policy};

/// The tool whose calls are read.
pub(super) const TOOL: &str = "ask_followup_question";

/// How long a name or an id may be. A longer one means nothing.
const LONGEST_NAME: usize = 4 << 10;

/// A range of the text of the payload's deltas.
pub(super) type Part = (usize, usize);

/// What is to be done next. Calls are named by where they stand among those that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// More prose.
    Text(Part),
    /// Another tool's call has begun.
    Begin(usize),
    /// More of a call's arguments.
    Arguments(usize, Part),
    /// A call is final.
    End(usize),
    /// The provider says that something went wrong.
    Error(Part),
    /// Arguments that belong to no call.
    Orphan(Part),
    /// There are too many calls open for another.
    TooMany(Part),
}

/// What becomes of a call's arguments.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// Nobody has said yet which tool is called: they are kept until then.
    Unnamed(String),
    /// They are read.
    Ask { parser: Box<Parser>, nth: u64 },
    /// They are another tool's.
    Other,
    /// It is final. Kept for a while, because some providers say everything again then.
    Over,
}

/// A call of the message.
#[derive(Clone, Debug)]
pub(super) struct Open {
    index: Option<u64>,
    item: String,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) arrived: Arrived,
    /// The provider has said that it is final. It ends then, if it is known whose it is.
    done: bool,
    /// An event was lost while it was open, which may have been a part of it.
    pub(super) holed: bool,
    /// Nothing more comes of it.
    ended: bool,
}

/// The calls of a message that are open.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    policy: Arc<Policy>,
    /// In the order in which they began.
    pub(super) open: Vec<Open>,
    /// How many calls of the tool have begun, in the text as well.
    pub(super) begun: u64,
    /// The prose so far ends in half a surrogate pair.
    half: Option<u16>,
}

impl Calls {
    pub(super) fn new(policy: Arc<Policy>) -> Calls {
        Calls { policy, open: Vec::new(), begun: 0, half: None }
    }

    pub(super) fn restart(&mut self) {
        self.open.clear();
        (self.begun, self.half) = (0, None);
    }

    /// The number of a call that begins.
    pub(super) fn number(&mut self) -> u64 {
        self.begun += 1;
        self.begun - 1
    }

    /// A call whose stream is not a provider's.
    pub(super) fn open_alone(&mut self) {
        let call = self.open(None);
        self.name(call, TOOL, &mut VecDeque::new());
    }

    /// What a delta says is to be done.
    pub(super) fn act(&mut self, delta: Delta, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        match delta {
            Delta::Text(text) => {
                let part = deltas.join(&mut self.half, text);
                push(steps, part, Step::Text);
            }
            Delta::Call(call) => self.act_on_call(call, deltas, steps),
            Delta::Final { cut } => {
                for i in 0..self.open.len() {
                    if cut { self.cut(i, deltas, steps) } else { self.end(i, deltas, steps) }
                }
            }
            Delta::Error(message) => steps.push_back(Step::Error(deltas.whole(message))),
        }
    }

    /// What the end of the message says is to be done.
    pub(super) fn finish(&mut self, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let part = deltas.rest(&mut self.half);
        push(steps, part, Step::Text);
    }

    /// What the end of the message says is to be done with the calls that are open.
    pub(super) fn finish_open(&mut self, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        for i in 0..self.open.len() {
            self.cut(i, deltas, steps);
        }
    }

    /// An event was lost, and nobody knows of which call.
    pub(super) fn lose(&mut self) {
        let open = |call: &&mut Open| !call.ended && !call.arrived.is_closed();
        self.open.iter_mut().filter(open).for_each(|call| call.holed = true);
    }

    /// Forgets calls that are final, but for as many as a provider may still say something of.
    pub(super) fn forget(&mut self) {
        const KEPT: usize = 256;
        let over = self.open.iter().filter(|call| matches!(call.kind, Kind::Over)).count();
        let mut old = over.saturating_sub(KEPT);
        if old > 0 {
            self.open.retain(|call| {
                let forgotten = old > 0 && matches!(call.kind, Kind::Over);
                old -= usize::from(forgotten);
                !forgotten
            });
        }
    }

    fn act_on_call(&mut self, call: Call, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let said = Said::of(call, deltas);
        let text = &*deltas.text;
        let found = if call.begins { self.find_begun(&said, call.arguments, deltas) } else { self.find(&said, text) };
        let i = match found {
            Some(i) => i,
            // A block that is no call has ended, or there is nothing to it.
            None if is_empty(said.name) && !said.has_text && (call.ends || is_empty(said.id)) => return,
            None if said.is_nobody() => {
                return push(steps, deltas.whole(fragment(call.arguments)), Step::Orphan);
            }
            None if self.is_full() => {
                // It is kept in mind, so that what comes of it goes to no other call.
                let i = self.open(call.index);
                self.open[i].learn(&said, &deltas.text);
                (self.open[i].kind, self.open[i].ended) = (Kind::Over, true);
                return steps.push_back(Step::TooMany(said.name));
            }
            None => self.open(call.index),
        };
        self.learn(i, &said, deltas, steps);
        match call.arguments {
            Arguments::Nothing => {}
            Arguments::More(more) => self.push(i, more, deltas, steps),
            Arguments::All(all) => {
                self.push_all(i, all, deltas, steps);
                // An empty object is there whether more is to come or not.
                let arrived = &mut self.open[i].arrived;
                arrived.at_once |= call.begins && arrived.empty.is_empty();
            }
        }
        if call.ends {
            self.end(i, deltas, steps);
        }
    }

    /// Takes up what the call is named. What has been said of it once stays.
    fn learn(&mut self, i: usize, said: &Said, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let open = &mut self.open[i];
        // The pieces of another tool's call are told apart by its id: it has the same for all of them.
        if !matches!(open.kind, Kind::Other) {
            open.learn(said, &deltas.text);
        }
        if !matches!(open.kind, Kind::Unnamed(_)) || is_empty(said.name) {
            return;
        }
        let kept = self.name(i, &deltas.text[said.name.0..said.name.1], steps);
        let kept = deltas.keep(kept.as_bytes());
        push(steps, deltas.whole(kept), |part| Step::Arguments(i, part));
        if self.open[i].done {
            self.end(i, deltas, steps);
        }
    }

    /// The call that the provider says begins here, if it has said so before, or if something of it has come before.
    fn find_begun(&self, said: &Said, arguments: Arguments, deltas: &Deltas) -> Option<usize> {
        let text = &*deltas.text;
        let again = |call: &Open| match arguments {
            Arguments::All(all) => deltas.plain(all).is_some_and(|all| call.arrived.is_all(all)),
            Arguments::Nothing | Arguments::More(_) => false,
        };
        self.open.iter().rposition(|call| {
            let same_index = said.index.is_some() && call.index == said.index;
            let before = matches!(call.kind, Kind::Unnamed(_)) && (same(&call.item, said.item, text) || same_index);
            let named = call.name.is_empty() || same(&call.name, said.name, text);
            let same_id = named && same(&call.id, said.id, text) && !said.is_elsewhere(call);
            if call.ended { same_id && (again(call) || same(&call.item, said.item, text)) } else { same_id || before }
        })
    }

    /// The call that a delta belongs to: by its index, then by what it is called, then the last that is open.
    fn find(&self, said: &Said, text: &str) -> Option<usize> {
        let newest = |is: &dyn Fn(&Open) -> bool| {
            let newest = self.open.iter().rposition(is)?;
            Some(newest).filter(|&i| !said.is_another(&self.open[i], text))
        };
        let by_index = || newest(&|call| said.index.is_some() && call.index == said.index);
        let by_item = || newest(&|call| same(&call.item, said.item, text));
        let by_id = || newest(&|call| same(&call.id, said.id, text)).filter(|&i| !said.names_elsewhere(&self.open[i]));
        let last = || {
            // What has an index or an item of its own belongs to no other call, if that can be relied on.
            let index = said.index.is_some();
            let astray = index && said.loose && said.has_text && is_empty(said.id) && is_empty(said.name);
            let any = (!index || astray) && is_empty(said.item) && (said.has_text || said.is_nobody());
            let i = newest(&|call| any && !call.ended)?;
            let call = &self.open[i];
            let goes_on = !(astray && call.arrived.is_closed());
            Some(i).filter(|_| goes_on && (is_empty(said.name) || same(&call.name, said.name, text)))
        };
        by_index().or_else(by_item).or_else(by_id).or_else(last)
    }

    fn is_full(&self) -> bool {
        let open = self.open.iter().filter(|call| !call.ended).count();
        open >= self.policy.limits.open_calls
    }

    fn open(&mut self, index: Option<u64>) -> usize {
        self.open.push(Open {
            index,
            item: String::new(),
            id: String::new(),
            name: String::new(),
            kind: Kind::Unnamed(String::new()),
            arrived: Arrived::default(),
            done: false,
            holed: false,
            ended: false,
        });
        self.open.len() - 1
    }

    /// The call's tool is known; gives what had come of it.
    fn name(&mut self, i: usize, name: &str, steps: &mut VecDeque<Step>) -> String {
        let kind = if name == TOOL {
            Kind::Ask { parser: Box::new(Parser::arguments(self.policy.clone())), nth: self.number() }
        } else {
            steps.push_back(Step::Begin(i));
            Kind::Other
        };
        let open = &mut self.open[i];
        open.name.push_str(name);
        match core::mem::replace(&mut open.kind, kind) {
            Kind::Unnamed(kept) => kept,
            Kind::Ask { .. } | Kind::Other | Kind::Over => String::new(),
        }
    }

    /// More of a call's arguments.
    fn push(&mut self, i: usize, more: Fragment, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let open = &mut self.open[i];
        if open.ended || open.arrived.at_once {
            return;
        }
        let part = deltas.join(&mut open.arrived.half, more);
        let text = &deltas.text[part.0..part.1];
        if open.arrived.may_be_placeholder(text) {
            open.arrived.empty.clear();
            open.arrived.empty.push_str(text);
            return;
        }
        if text.trim_ascii_start().starts_with('{') {
            open.arrived.empty.clear();
        } else if !text.is_empty() {
            self.settle_empty(i, deltas, steps);
        }
        self.deliver(i, part, deltas, steps);
    }

    /// The empty object that came first is all there is of the arguments so far.
    fn settle_empty(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let empty = core::mem::take(&mut self.open[i].arrived.empty);
        let empty = deltas.keep(empty.as_bytes());
        self.deliver(i, deltas.whole(empty), deltas, steps);
    }

    fn deliver(&mut self, i: usize, part: Part, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        // All that are unnamed keep no more than one event may have.
        let limit = self.policy.limits.event / self.policy.limits.open_calls.max(1);
        let open = &mut self.open[i];
        let text = &deltas.text[part.0..part.1];
        open.arrived.push(text);
        match &mut open.kind {
            Kind::Unnamed(kept) => {
                kept.push_str(text);
                if kept.len() > limit {
                    self.cut(i, deltas, steps);
                }
            }
            Kind::Ask { .. } | Kind::Other => push(steps, part, |part| Step::Arguments(i, part)),
            Kind::Over => {}
        }
    }

    /// All of a call's arguments: what has not come of them yet.
    fn push_all(&mut self, i: usize, all: Fragment, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let open = &mut self.open[i];
        if all.is_empty() || open.ended || open.arrived.at_once {
            return;
        }
        let (start, end) = deltas.whole(all);
        match open.arrived.rest(&deltas.text[start..end]) {
            Rest::Text(come) => {
                open.holed = false;
                // The whole of the pair is among the rest.
                open.arrived.half = None;
                let rest = deltas.part((start + come, end));
                self.push(i, rest, deltas, steps);
            }
            // Something was lost, or it is only written in another way.
            Rest::Others => open.arrived.doubt(&deltas.text[start..end], &self.policy),
        }
    }

    /// The provider says that a call is final.
    fn end(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        self.open[i].done = true;
        if matches!(self.open[i].kind, Kind::Unnamed(_)) {
            return;
        }
        if self.open[i].arrived.is_nothing() {
            // A provider that has nothing to send means that there are no parameters.
            self.open[i].arrived.empty.push_str("{}");
        }
        self.cut(i, deltas, steps);
    }

    /// Nothing more comes of a call.
    fn cut(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        if self.open[i].ended {
            return;
        }
        self.open[i].ended = true;
        self.settle_empty(i, deltas, steps);
        // Half a surrogate pair at the end of the arguments stays alone.
        let rest = deltas.rest(&mut self.open[i].arrived.half);
        self.deliver(i, rest, deltas, steps);
        let open = &mut self.open[i];
        match &mut open.kind {
            Kind::Over => {}
            // Nobody has said whose they are.
            Kind::Unnamed(kept) => {
                let kept = deltas.keep(kept.as_bytes());
                open.kind = Kind::Over;
                push(steps, deltas.whole(kept), Step::Orphan);
            }
            Kind::Ask { .. } | Kind::Other => steps.push_back(Step::End(i)),
        }
    }
}

impl Open {
    fn learn(&mut self, said: &Said, text: &str) {
        if self.id.is_empty() {
            self.id.push_str(&text[said.id.0..said.id.1]);
        }
        if self.item.is_empty() {
            self.item.push_str(&text[said.item.0..said.item.1]);
        }
    }
}

/// How a delta says which call it is about.
struct Said {
    index: Option<u64>,
    loose: bool,
    item: Part,
    id: Part,
    name: Part,
    /// It has something of the arguments that is not blank.
    has_text: bool,
}

impl Said {
    fn of(call: Call, deltas: &mut Deltas) -> Said {
        let mut short = |fragment: Fragment| {
            let part = deltas.whole(fragment);
            if part.1 - part.0 <= LONGEST_NAME { part } else { (0, 0) }
        };
        let (item, id, name) = (short(call.item), short(call.id), short(call.name));
        let has_text = !deltas.is_blank(fragment(call.arguments));
        Said { index: call.index, loose: call.loose, item, id, name, has_text }
    }

    /// It doesn't.
    fn is_nobody(&self) -> bool {
        self.index.is_none() && is_empty(self.item) && is_empty(self.id) && is_empty(self.name)
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

fn is_empty(part: Part) -> bool {
    part.0 == part.1
}

fn push(steps: &mut VecDeque<Step>, part: Part, step: impl FnOnce(Part) -> Step) {
    if part.0 < part.1 {
        steps.push_back(step(part));
    }
}

fn fragment(arguments: Arguments) -> Fragment {
    match arguments {
        Arguments::Nothing => Fragment::default(),
        Arguments::More(fragment) | Arguments::All(fragment) => fragment,
    }
}
