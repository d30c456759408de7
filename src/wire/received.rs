//! What is known about the arguments received of a call.

use core::hash::{Hash, Hasher};

use alloc::string::String;
use alloc::sync::Arc;

use super::brackets::BracketScanner;
use crate::hash::Fnv;
use crate::{Event, Parser, Policy};

/// The arguments received of a call, without their text: enough to judge what comes next.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedArguments {
    /// Length and hash of the text, to tell whether complete arguments begin with it.
    len: usize,
    hash: Fnv,
    brackets: BracketScanner,
    /// The high surrogate that the text ends in.
    pub(super) pending_surrogate: Option<u16>,
    /// An empty object that came first, and is not part of the text yet.
    ///
    /// Some servers send one before the arguments: it counts only if nothing else comes.
    pub(super) placeholder: String,
    /// All arguments came with the start of the call, so that pieces repeat them.
    pub(super) came_at_once: bool,
    /// The provider sent complete arguments that do not begin with the text: what they mean.
    contradiction: Option<Meaning>,
}

/// A hash of a call's question and suggestions; `None` if the call can't be asked.
type Meaning = Option<u64>;

impl ReceivedArguments {
    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        self.len += text.len();
        self.hash.write(text.as_bytes());
        self.brackets.push_all(text.as_bytes());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0 && self.placeholder.is_empty() && self.pending_surrogate.is_none()
    }

    /// Returns whether the text looks complete, so that what follows is no part of it.
    ///
    /// It takes the provider to make the call final.
    pub(super) fn look_complete(&self) -> bool {
        self.brackets.is_closed()
    }

    /// Returns whether `text`, if it comes now, may be a placeholder before the arguments.
    pub(super) fn may_be_placeholder(&self, text: &str) -> bool {
        self.len == 0 && is_empty_object(text)
    }

    /// Returns the length of the text, if the complete arguments `all` begin with it; else `None`.
    pub(super) fn prefix_len(&self, all: &str) -> Option<usize> {
        let mut hash = Fnv::default();
        hash.write(all.get(..self.len)?.as_bytes());
        (hash == self.hash).then_some(self.len)
    }

    /// Returns whether the text is `all`.
    pub(super) fn equal(&self, all: &str) -> bool {
        self.prefix_len(all) == Some(all.len())
    }

    /// Notes that the complete arguments are `all`, which do not begin with the text.
    pub(super) fn contradict(&mut self, all: &str, policy: &Arc<Policy>) {
        let mut parser = Parser::arguments(policy.clone());
        drop(parser.feed(all));
        self.contradiction = Some(meaning(&mut parser));
    }

    /// Returns whether the call in `parser` means something else than the complete arguments.
    pub(super) fn are_contradicted(&self, parser: &Parser) -> bool {
        self.contradiction.is_some_and(|meant| meaning(&mut parser.clone()) != meant)
    }
}

/// Returns whether the text is `{}`, with any white space.
fn is_empty_object(text: &str) -> bool {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"{}")
}

/// Returns the meaning of the call if it ends here.
fn meaning(parser: &mut Parser) -> Meaning {
    let mut events = parser.finish();
    let mut meaning = None;
    while let Some(event) = events.next() {
        if let Event::Complete(call) = event {
            let mut hash = Fnv::default();
            call.question().hash(&mut hash);
            for suggestion in call.suggestions() {
                suggestion.answer.hash(&mut hash);
                suggestion.mode.hash(&mut hash);
            }
            meaning = Some(hash.finish());
        }
    }
    meaning
}
