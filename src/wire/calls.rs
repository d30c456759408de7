//! Which call a delta belongs to, and what is to be done with it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::arrived::Rest;
use super::deltas::{Arguments, Call, Delta, Deltas, Fragment, Part};
use super::open::{Kind, Open};
use super::said::{Said, is_empty};
use crate::wire::Limits;
use crate::{Parser, Policy};

/// The tool whose calls are read.
pub(super) const TOOL: &str = "ask_followup_question";

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

/// The calls of a message that are open.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    policy: Arc<Policy>,
    limits: Limits,
    /// In the order in which they began.
    pub(super) open: Vec<Open>,
    /// How many calls of the tool have begun, in the text as well.
    pub(super) begun: u64,
    /// The prose so far ends in half a surrogate pair.
    half: Option<u16>,
}

impl Calls {
    pub(super) fn new(policy: Arc<Policy>, limits: Limits) -> Calls {
        Calls { policy, limits, open: Vec::new(), begun: 0, half: None }
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
        let found =
            if call.begins { said.find_begun(&self.open, call.arguments, deltas) } else { said.find(&self.open, text) };
        let i = match found {
            Some(i) => i,
            // A block that is no call has ended, or there is nothing to it.
            None if is_empty(said.name) && !said.has_text && (call.ends || said.id(text).is_empty()) => return,
            None if said.is_nobody() => {
                return push(steps, deltas.whole(call.arguments.fragment()), Step::Orphan);
            }
            None if self.is_full() => {
                // It is kept in mind, so that what comes of it goes to no other call.
                let i = self.open(call.index);
                let open = &mut self.open[i];
                open.learn_ids(said.id(&deltas.text), said.item(&deltas.text));
                // With its name, so that another call in its place is known to be one.
                open.name.push_str(&deltas.text[said.name.0..said.name.1]);
                (open.kind, open.ended) = (Kind::Over, true);
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
            open.learn_ids(said.id(&deltas.text), said.item(&deltas.text));
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

    fn is_full(&self) -> bool {
        let open = self.open.iter().filter(|call| !call.ended).count();
        open >= self.limits.open_calls
    }

    fn open(&mut self, index: Option<u64>) -> usize {
        self.open.push(Open::new(index));
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
        let most = self.kept();
        let open = &mut self.open[i];
        if open.ended || open.arrived.at_once {
            return;
        }
        let part = deltas.join(&mut open.arrived.half, more);
        let text = &deltas.text[part.0..part.1];
        // Of white space without end not all is kept.
        let has_room = open.arrived.empty.len().saturating_add(text.len()) <= most;
        if has_room && open.arrived.may_be_placeholder(text) {
            open.arrived.empty.clear();
            open.arrived.empty.push_str(text);
            return;
        }
        if has_room && !open.arrived.empty.is_empty() && text.trim_ascii().is_empty() {
            // Still nothing else.
            return open.arrived.empty.push_str(text);
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

    /// How much of the arguments of a call may be kept: of all that are open, together, no more than one event may have.
    fn kept(&self) -> usize {
        self.limits.event / self.limits.open_calls.max(1)
    }

    fn deliver(&mut self, i: usize, part: Part, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let most = self.kept();
        let open = &mut self.open[i];
        let text = &deltas.text[part.0..part.1];
        open.arrived.push(text);
        match &mut open.kind {
            Kind::Unnamed(kept) => {
                kept.push_str(text);
                if kept.len() > most {
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
        if all.is_empty() || open.ended {
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

fn push(steps: &mut VecDeque<Step>, part: Part, step: impl FnOnce(Part) -> Step) {
    if part.0 < part.1 {
        steps.push_back(step(part));
    }
}
