//! What has come of a call's arguments.

use alloc::string::String;
use alloc::sync::Arc;

use super::balance::Balance;
use crate::hash::Fnv;
use crate::{Event, Parser, Policy};

/// What has come of a call's arguments, as far as it matters to what comes next.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrived {
    /// How many bytes, and what they were: to tell whether all of the arguments begin with these.
    come: usize,
    hash: Fnv,
    balance: Balance,
    /// They end in half a surrogate pair.
    pub(super) half: Option<u16>,
    /// An empty object that came first. Some servers send one before the arguments: it counts only if nothing else comes.
    pub(super) empty: String,
    /// All of them have come at once, so that more of them are the same again.
    pub(super) at_once: bool,
    /// All of them came, and were not what had come before: what they would have meant.
    doubt: Option<Meaning>,
}

/// A call's question and suggestions as a number; `None` if it can't be asked.
pub(super) type Meaning = Option<u64>;

/// How all of the arguments stand to what has come of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// They begin with it. This has not come yet.
    Text(usize),
    /// They are others.
    Others,
}

impl Arrived {
    /// More of them.
    pub(super) fn push(&mut self, text: &str) {
        self.come += text.len();
        self.hash.bytes(text.as_bytes());
        self.balance.bytes(text.as_bytes());
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.come == 0 && self.empty.is_empty() && self.half.is_none()
    }

    /// Whether they look complete. It does not make them so, but what follows is not a part of them.
    pub(super) fn is_closed(&self) -> bool {
        self.balance.is_closed()
    }

    /// Whether an empty object that comes now stands in front of the arguments, perhaps.
    pub(super) fn may_be_placeholder(&self, text: &str) -> bool {
        self.come == 0 && is_empty_object(text)
    }

    /// What of `all` has not come.
    pub(super) fn rest(&self, all: &str) -> Rest {
        let mut hash = Fnv::default();
        match all.get(..self.come) {
            Some(come) => hash.bytes(come.as_bytes()),
            None => return Rest::Others,
        }
        if hash == self.hash { Rest::Text(self.come) } else { Rest::Others }
    }

    /// Whether they are what has come, all of it.
    pub(super) fn is_all(&self, all: &str) -> bool {
        self.rest(all) == Rest::Text(all.len())
    }

    /// All of them are `all`, which is not what has come.
    pub(super) fn doubt(&mut self, all: &str, policy: &Arc<Policy>) {
        let mut parser = Parser::arguments(policy.clone());
        drop(parser.feed(all));
        self.doubt = Some(meaning(&mut parser));
    }

    /// Whether the call that was read from what has come is another than the provider says in the end.
    pub(super) fn is_wrong(&self, parser: &Parser) -> bool {
        self.doubt.is_some_and(|meant| meaning(&mut parser.clone()) != meant)
    }
}

/// Whether it is `{}`, whatever white space is around.
pub(super) fn is_empty_object(text: &str) -> bool {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"{}")
}

/// What the call means if it ends here.
fn meaning(parser: &mut Parser) -> Meaning {
    let mut events = parser.finish();
    let mut meaning = None;
    while let Some(event) = events.next() {
        if let Event::Complete(call) = event {
            let mut hash = Fnv::default();
            hash.text(call.question());
            for one in call.suggestions() {
                hash.text(one.answer);
                hash.text(one.mode.unwrap_or_default());
            }
            meaning = Some(hash.value());
        }
    }
    meaning
}
