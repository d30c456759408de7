//! Which call a delta belongs to, and what is to be done with it.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::deltas::{Arguments, Call, Delta, Deltas, Fragment};
use crate::hash::Fnv;
use crate::{Parser, Policy};

/// The tool whose calls are read.
pub(super) const TOOL: &str = "ask_followup_question";

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
    /// How many bytes of arguments have come, and what they were, to tell whether all of them begin with these.
    come: usize,
    hash: Fnv,
    /// The arguments so far end in half a surrogate pair.
    half: Option<u16>,
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
            Delta::Final => {
                for i in 0..self.open.len() {
                    self.end(i, deltas, steps);
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

    /// Forgets calls that are final, but for as many as a provider may still say something of.
    pub(super) fn forget(&mut self) {
        const KEPT: usize = 64;
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
        let said = Said {
            index: call.index,
            item: deltas.whole(call.item),
            id: deltas.whole(call.id),
            name: deltas.whole(call.name),
            goes_on: has_text(call.arguments) && !call.ends,
        };
        let text = &*deltas.text;
        let found = if call.begins { self.find_id(said.id, text) } else { self.find(&said, text) };
        let i = match found {
            Some(i) => i,
            // A block that is no call has ended, or there is nothing to it.
            None if is_empty(said.name) && !said.goes_on => return,
            None if said.is_nobody() => {
                return push(steps, deltas.whole(fragment(call.arguments)), Step::Orphan);
            }
            None if self.is_full() => return steps.push_back(Step::TooMany(said.name)),
            None => self.open(call.index),
        };
        self.learn(i, &said, deltas, steps);
        match call.arguments {
            Arguments::Nothing => {}
            Arguments::More(more) => self.push(i, more, deltas, steps),
            Arguments::All(all) => self.push_rest(i, all, deltas, steps),
        }
        if call.ends {
            self.end(i, deltas, steps);
        }
    }

    /// Takes up what the call is named. What has been said of it once stays.
    fn learn(&mut self, i: usize, said: &Said, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let open = &mut self.open[i];
        if open.id.is_empty() {
            open.id.push_str(&deltas.text[said.id.0..said.id.1]);
        }
        if open.item.is_empty() {
            open.item.push_str(&deltas.text[said.item.0..said.item.1]);
        }
        if !matches!(open.kind, Kind::Unnamed(_)) || is_empty(said.name) {
            return;
        }
        if let Some(kept) = self.name(i, &deltas.text[said.name.0..said.name.1], steps) {
            let kept = deltas.keep(kept.as_bytes());
            self.push(i, kept, deltas, steps);
        }
    }

    /// The call with that id.
    fn find_id(&self, id: Part, text: &str) -> Option<usize> {
        self.open.iter().rposition(|call| !is_empty(id) && call.id == text[id.0..id.1])
    }

    /// The call that a delta belongs to: by its index, then by what it is called, then the last that is open.
    fn find(&self, said: &Said, text: &str) -> Option<usize> {
        let (item, id) = (&text[said.item.0..said.item.1], &text[said.id.0..said.id.1]);
        // Some servers give all calls the same index, others a call a new id in every delta: only with a name is it another call.
        let other = |call: &Open| !is_empty(said.id) && !is_empty(said.name) && !call.id.is_empty() && call.id != id;
        let by_index = || {
            let index = said.index?;
            self.open.iter().rposition(|call| call.index == Some(index) && !other(call))
        };
        let by_item = || self.open.iter().rposition(|call| !item.is_empty() && call.item == item);
        let last = || {
            // What ends a block that is no call ends no other.
            let any = is_empty(said.name) && item.is_empty() && (said.goes_on || said.is_nobody());
            self.open.iter().rposition(|call| any && !matches!(call.kind, Kind::Over))
        };
        by_index().or_else(by_item).or_else(|| self.find_id(said.id, text)).or_else(last)
    }

    fn is_full(&self) -> bool {
        let open = self.open.iter().filter(|call| !matches!(call.kind, Kind::Over)).count();
        open >= self.policy.limits.open_calls
    }

    fn open(&mut self, index: Option<u64>) -> usize {
        self.open.push(Open {
            index,
            item: String::new(),
            id: String::new(),
            name: String::new(),
            kind: Kind::Unnamed(String::new()),
            come: 0,
            hash: Fnv::default(),
            half: None,
        });
        self.open.len() - 1
    }

    /// The call's tool is known; gives what had come of it.
    fn name(&mut self, i: usize, name: &str, steps: &mut VecDeque<Step>) -> Option<String> {
        let kind = if name == TOOL {
            Kind::Ask { parser: Box::new(Parser::arguments(self.policy.clone())), nth: self.number() }
        } else {
            steps.push_back(Step::Begin(i));
            Kind::Other
        };
        let open = self.open.get_mut(i)?;
        open.name.push_str(name);
        match core::mem::replace(&mut open.kind, kind) {
            Kind::Unnamed(kept) if !kept.is_empty() => {
                (open.come, open.hash) = (0, Fnv::default());
                Some(kept)
            }
            _ => None,
        }
    }

    /// More of a call's arguments.
    fn push(&mut self, i: usize, more: Fragment, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let limit = self.policy.limits.event;
        let open = &mut self.open[i];
        if matches!(open.kind, Kind::Over) {
            return;
        }
        let part = deltas.join(&mut open.half, more);
        let text = &deltas.text[part.0..part.1];
        open.come += text.len();
        open.hash.bytes(text.as_bytes());
        match &mut open.kind {
            // What can't be kept is missed when its tool is known.
            Kind::Unnamed(kept) if kept.len() + text.len() <= limit => kept.push_str(text),
            Kind::Unnamed(_) | Kind::Over => {}
            Kind::Ask { .. } | Kind::Other => push(steps, part, |part| Step::Arguments(i, part)),
        }
    }

    /// All of a call's arguments: what has not come of them yet, if they begin with what has.
    fn push_rest(&mut self, i: usize, all: Fragment, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let (start, end) = deltas.whole(all);
        let open = &self.open[i];
        let Some((come, rest)) = deltas.text[start..end].split_at_checked(open.come) else { return };
        let mut hash = Fnv::default();
        hash.bytes(come.as_bytes());
        if hash == open.hash && !rest.is_empty() {
            let rest = deltas.part((start + open.come, end));
            self.push(i, rest, deltas, steps);
        }
    }

    /// A call is final.
    fn end(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        if self.open[i].come == 0 {
            // A provider that has nothing to send means that there are no parameters.
            let none = deltas.keep(b"{}");
            self.push(i, none, deltas, steps);
        }
        self.cut(i, deltas, steps);
    }

    /// Nothing more comes of a call.
    fn cut(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        self.settle(i, deltas, steps);
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

    /// Half a surrogate pair at the end of the arguments stays alone.
    fn settle(&mut self, i: usize, deltas: &mut Deltas, steps: &mut VecDeque<Step>) {
        let rest = deltas.rest(&mut self.open[i].half);
        if rest.0 < rest.1 {
            let rest = deltas.part(rest);
            self.push(i, rest, deltas, steps);
        }
    }
}

/// How a delta says which call it is about.
struct Said {
    index: Option<u64>,
    item: Part,
    id: Part,
    name: Part,
    /// It has more of the arguments, and does not end them.
    goes_on: bool,
}

impl Said {
    /// It doesn't.
    fn is_nobody(&self) -> bool {
        self.index.is_none() && is_empty(self.item) && is_empty(self.id) && is_empty(self.name)
    }
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

fn has_text(arguments: Arguments) -> bool {
    !fragment(arguments).is_empty()
}
