//! The names of tags, and sets of them.

use crate::tools::{Names, begins_with, is_same};

/// What a tag's name means. Synonyms are one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    Ask,
    Question,
    FollowUp,
    Suggest,
    Options,
    Content,
    Mode,
    /// `<think>` and `<thinking>` are two: each ends at its own close tag.
    Think,
    Thinking,
    /// Another tool, by its place in the policy's list.
    Tool(u16),
    /// A parameter of other tools, by its place in the policy's list.
    Parameter(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Open,
    Close,
}

impl Name {
    /// Attributes are for our own tags; those of other tools have none.
    pub(crate) fn takes_attributes(self) -> bool {
        !matches!(self, Name::Tool(_) | Name::Parameter(_) | Name::Think | Name::Thinking)
    }
}

/// A set of our own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ours(u16);

impl Ours {
    pub(crate) const NONE: Ours = Ours(0);
    pub(crate) const ASK: Ours = Ours(1);
    pub(crate) const QUESTION: Ours = Ours(1 << 1);
    pub(crate) const FOLLOW_UP: Ours = Ours(1 << 2);
    pub(crate) const SUGGEST: Ours = Ours(1 << 3);
    pub(crate) const OPTIONS: Ours = Ours(1 << 4);
    pub(crate) const CONTENT: Ours = Ours(1 << 5);
    pub(crate) const MODE: Ours = Ours(1 << 6);
    pub(crate) const THINK: Ours = Ours(1 << 7);
    pub(crate) const THINKING: Ours = Ours(1 << 8);

    pub(crate) const fn with(self, other: Ours) -> Ours {
        Ours(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Ours) -> Ours {
        Ours(self.0 & !other.0)
    }

    pub(crate) const fn both(self, other: Ours) -> Ours {
        Ours(self.0 & other.0)
    }

    pub(crate) const fn has(self, other: Ours) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// How a name is written, the set it is in, and what it means.
pub(super) type Spelled = (&'static str, Ours, Name);

pub(super) const SPELLED: [Spelled; 11] = [
    ("ask_followup_question", Ours::ASK, Name::Ask),
    ("question", Ours::QUESTION, Name::Question),
    ("follow_up", Ours::FOLLOW_UP, Name::FollowUp),
    ("suggestions", Ours::FOLLOW_UP, Name::FollowUp),
    ("suggest", Ours::SUGGEST, Name::Suggest),
    ("suggestion", Ours::SUGGEST, Name::Suggest),
    ("options", Ours::OPTIONS, Name::Options),
    ("content", Ours::CONTENT, Name::Content),
    ("mode", Ours::MODE, Name::Mode),
    ("think", Ours::THINK, Name::Think),
    ("thinking", Ours::THINKING, Name::Thinking),
];

/// Those that begin with that character.
fn beginning(first: u8) -> &'static [Spelled] {
    match first {
        b'a' => &SPELLED[0..1],
        b'q' => &SPELLED[1..2],
        b'f' => &SPELLED[2..3],
        b's' => &SPELLED[3..6],
        b'o' => &SPELLED[6..7],
        b'c' => &SPELLED[7..8],
        b'm' => &SPELLED[8..9],
        b't' => &SPELLED[9..11],
        _ => &[],
    }
}

/// The length of `ask_followup_question`, the longest name of ours.
const LONGEST: usize = 21;

/// The names that may stand at some place, on one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidates<'p> {
    pub(crate) ours: Ours,
    pub(crate) tools: Option<&'p Names>,
    pub(crate) parameters: Option<&'p Names>,
    /// One name alone, of a tool or a parameter that is open.
    pub(crate) only: Option<(&'p str, Name)>,
}

impl<'p> Candidates<'p> {
    pub(crate) const fn ours(ours: Ours) -> Self {
        Candidates { ours, tools: None, parameters: None, only: None }
    }

    pub(crate) const NONE: Candidates<'static> = Candidates::ours(Ours::NONE);

    pub(crate) fn tools(self, tools: &'p Names) -> Self {
        Candidates { tools: Some(tools), ..self }
    }

    pub(crate) fn parameters(self, parameters: &'p Names) -> Self {
        Candidates { parameters: Some(parameters), ..self }
    }

    pub(crate) fn only(name: &'p str, means: Name) -> Self {
        Candidates { only: Some((name, means)), ..Candidates::ours(Ours::NONE) }
    }

    /// Those of ours that begin with that character; all, if there is none.
    fn spelled(&self, first: Option<&u8>) -> impl Iterator<Item = &'static Spelled> {
        let (ours, from) = (self.ours, first.map_or(&SPELLED[..], |&first| beginning(first)));
        from.iter().filter(move |(_, set, _)| ours.has(*set))
    }

    pub(crate) fn longest(&self) -> usize {
        let lists = self.tools.map_or(0, Names::longest).max(self.parameters.map_or(0, Names::longest));
        lists.max(self.only.map_or(0, |(name, _)| name.len())).max(LONGEST)
    }

    /// What the whole name means here.
    pub(crate) fn find(&self, name: &[u8]) -> Option<Name> {
        let mut ours = self.spelled(name.first());
        if let Some((_, _, found)) = ours.find(|(spelled, ..)| is_same(spelled.as_bytes(), name)) {
            return Some(*found);
        }
        if let Some((only, means)) = self.only
            && is_same(only.as_bytes(), name)
        {
            return Some(means);
        }
        let tool = self.tools.and_then(|names| names.find(name)).map(Name::Tool);
        tool.or_else(|| self.parameters.and_then(|names| names.find(name)).map(Name::Parameter))
    }

    /// The fewest bytes that complete `begun` to a name.
    pub(crate) fn shortest_rest(&self, begun: &[u8]) -> Option<usize> {
        let begins = |name: &&str| begins_with(name.as_bytes(), begun);
        let ours = self.spelled(begun.first()).map(|(name, ..)| *name).filter(begins).map(str::len);
        let only = self.only.map(|(name, _)| name).filter(begins).map(str::len);
        let lists = [self.tools, self.parameters].into_iter().flatten().filter_map(|names| names.shortest(begun));
        ours.chain(only).chain(lists).min().map(|len| len - begun.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_their_first_character() {
        for first in 0..=u8::MAX {
            let all: alloc::vec::Vec<_> = SPELLED.iter().filter(|(name, ..)| name.as_bytes()[0] == first).collect();
            assert_eq!(all, beginning(first).iter().collect::<alloc::vec::Vec<_>>(), "{first}");
        }
    }
}
