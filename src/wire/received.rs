//! What is known about the arguments received of a call.

use core::hash::{Hash, Hasher};

use alloc::string::String;
use alloc::sync::Arc;

use super::brackets::BracketScanner;
use super::prefix_hashes::{HashedText, PrefixHashes};
use crate::hash::Fnv;
use crate::{Event, Parser, Policy};

/// The arguments received of a call, without their text: enough to judge what comes next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    contradiction: Option<ArgumentsMeaning>,
}

/// What the arguments of a call mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum ArgumentsMeaning {
    /// The call can't be asked.
    Nothing,
    /// A hash of the questions and their suggestions.
    Asked(u64),
}

impl ReceivedArguments {
    /// Appends text.
    pub(super) fn push(&mut self, text: &str) {
        self.len += text.len();
        self.hash.write(text.as_bytes());
        self.brackets.push_all(text.as_bytes());
    }

    /// Returns whether it is what a body with that limit can say.
    pub(super) fn is_in_bounds(&self, event: usize) -> bool {
        self.len < usize::MAX / 2 && self.brackets.is_in_bounds() && self.placeholder.len() <= event
    }

    pub(super) fn len(&self) -> usize {
        self.len
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

    /// Returns whether a piece is no continuation of the text, but begins with all of it.
    ///
    /// In JSON, a piece that begins like the text can continue it only as a value, after a `:`, `[`
    /// or `,`, or as the rest of a key (`{"` and `{":1}`), which two bytes may be.
    pub(super) fn are_repeated_by(&self, piece: &str) -> bool {
        let may_be_value = |len| !self.brackets.in_string && piece[..len].trim_ascii_end().ends_with([':', '[', ',']);
        self.len > 2 && piece.starts_with('{') && self.prefix_len(piece).is_some_and(|len| !may_be_value(len))
    }

    /// Returns whether the text is `all`.
    pub(super) fn equal(&self, all: &HashedText<'_>) -> bool {
        all.is(self.len, self.hash)
    }

    /// Returns whether a text with these beginnings begins with the text.
    pub(super) fn begin(&self, beginnings: &PrefixHashes) -> bool {
        beginnings.contain(self.len, self.hash)
    }

    /// Notes what the complete arguments mean, which do not begin with the text.
    pub(super) fn contradict(&mut self, meaning: ArgumentsMeaning) {
        self.contradiction = Some(meaning);
    }

    /// Returns whether complete arguments came that do not begin with the text.
    pub(super) fn is_contradicted(&self) -> bool {
        self.contradiction.is_some()
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

/// Returns the meaning of a call of this tool with these arguments.
pub(super) fn meaning_of(tool: &str, all: &str, policy: &Arc<Policy>) -> ArgumentsMeaning {
    let Some(mut parser) = Parser::arguments_of(tool, policy.clone()) else { return ArgumentsMeaning::Nothing };
    drop(parser.feed(all));
    meaning(&mut parser)
}

/// Returns the meaning of the call if it ends here.
pub(super) fn meaning(parser: &mut Parser) -> ArgumentsMeaning {
    let mut events = parser.finish();
    let mut meaning = ArgumentsMeaning::Nothing;
    while let Some(event) = events.next() {
        if let Event::Complete(call) = event {
            let mut hash = Fnv::default();
            call.questions().iter().for_each(|question| question.hash(&mut hash));
            meaning = ArgumentsMeaning::Asked(hash.finish());
        }
    }
    meaning
}
