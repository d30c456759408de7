//! The names of tags, and sets of them.

use crate::config::Tools;

/// What a tag's name means. Synonyms are one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
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
    /// Another tool, by its number in the policy's list.
    Tool(u16),
    /// A parameter of other tools, by its number in the policy's list.
    Parameter(u16),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Open,
    Close,
}

/// A set of our own names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set(u16);

impl Set {
    pub(super) const NONE: Set = Set(0);
    pub(super) const ASK: Set = Set(1);
    pub(super) const QUESTION: Set = Set(1 << 1);
    pub(super) const FOLLOW_UP: Set = Set(1 << 2);
    pub(super) const SUGGEST: Set = Set(1 << 3);
    pub(super) const OPTIONS: Set = Set(1 << 4);
    pub(super) const CONTENT: Set = Set(1 << 5);
    pub(super) const MODE: Set = Set(1 << 6);
    pub(super) const THINK: Set = Set(1 << 7);
    pub(super) const THINKING: Set = Set(1 << 8);

    pub(super) const fn or(self, other: Set) -> Set {
        Set(self.0 | other.0)
    }

    pub(super) const fn and(self, other: Set) -> Set {
        Set(self.0 & other.0)
    }

    pub(super) const fn without(self, other: Set) -> Set {
        Set(self.0 & !other.0)
    }

    const fn meets(self, other: Set) -> bool {
        self.0 & other.0 != 0
    }
}

/// Our names as they are written, in the order of their first characters.
const OURS: [(&str, Set, Name); 11] = [
    ("ask_followup_question", Set::ASK, Name::Ask),
    ("content", Set::CONTENT, Name::Content),
    ("follow_up", Set::FOLLOW_UP, Name::FollowUp),
    ("mode", Set::MODE, Name::Mode),
    ("options", Set::OPTIONS, Name::Options),
    ("question", Set::QUESTION, Name::Question),
    ("suggest", Set::SUGGEST, Name::Suggest),
    ("suggestion", Set::SUGGEST, Name::Suggest),
    ("suggestions", Set::FOLLOW_UP, Name::FollowUp),
    ("think", Set::THINK, Name::Think),
    ("thinking", Set::THINKING, Name::Thinking),
];

/// Returns our names that begin with that character; all of them without one.
fn ours(first: Option<u8>) -> &'static [(&'static str, Set, Name)] {
    match first {
        None => &OURS,
        Some(b'a') => &OURS[0..1],
        Some(b'c') => &OURS[1..2],
        Some(b'f') => &OURS[2..3],
        Some(b'm') => &OURS[3..4],
        Some(b'o') => &OURS[4..5],
        Some(b'q') => &OURS[5..6],
        Some(b's') => &OURS[6..9],
        Some(b't') => &OURS[9..11],
        Some(_) => &[],
    }
}

/// The names that mean something on one side of a tag, in some state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    /// Ours whose tags are no text.
    pub(super) hidden: Set,
    /// Ours whose tags mean something and are text all the same.
    pub(super) shown: Set,
    /// Those of others.
    pub(super) others: Others,
}

/// The names of other tools and their parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Others {
    None,
    /// All tools. Their tags are no text.
    Tools,
    /// All tools, and all parameters, whose tags are text.
    ToolsAndParameters,
    /// The tool or the parameter that is open. Its tag is text.
    Only(Name),
}

/// What the beginning of a tag's name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// This name, so long.
    Found { name: Name, shown: bool, len: usize },
    /// It may become a name: the fewest bytes that complete it, with the byte after it; of hidden tags
    /// and of shown ones.
    Incomplete { hidden: Option<usize>, shown: Option<usize> },
}

impl Names {
    pub(super) const NONE: Names = Names::hidden(Set::NONE);

    pub(super) const fn hidden(hidden: Set) -> Names {
        Names { hidden, shown: Set::NONE, others: Others::None }
    }

    /// Looks up the name that `text` begins with. It ends at tag space, `/` or `>`.
    pub(super) fn find(self, text: &[u8], tools: &Tools) -> Lookup {
        let first = text.first();
        let (mut hidden, mut shown) = (None, None);
        for &(spelling, set, name) in ours(first.copied()) {
            if self.hidden.or(self.shown).meets(set) {
                let is_shown = self.shown.meets(set);
                match missing(spelling, text) {
                    Some(0) => return Lookup::Found { name, shown: is_shown, len: spelling.len() },
                    more => least(if is_shown { &mut shown } else { &mut hidden }, more),
                }
            }
        }
        let mut look = |spelling: &str, name, is_shown| {
            match missing(spelling, text) {
                Some(0) => return Some(Lookup::Found { name, shown: is_shown, len: spelling.len() }),
                more => least(if is_shown { &mut shown } else { &mut hidden }, more),
            }
            None
        };
        let found = match self.others {
            Others::None => None,
            Others::Only(name @ Name::Tool(i)) => look(tools.tools.name(i), name, true),
            Others::Only(name @ Name::Parameter(i)) => look(tools.parameters.name(i), name, true),
            Others::Only(_) => None,
            Others::Tools | Others::ToolsAndParameters if first.is_none() => {
                least(&mut hidden, tools.tools.shortest().map(|len| len + 1));
                if matches!(self.others, Others::ToolsAndParameters) {
                    least(&mut shown, tools.parameters.shortest().map(|len| len + 1));
                }
                None
            }
            Others::Tools => tools.tools.candidates(first).find_map(|(i, one)| look(one, Name::Tool(i), false)),
            Others::ToolsAndParameters => {
                tools.tools.candidates(first).find_map(|(i, one)| look(one, Name::Tool(i), false)).or_else(|| {
                    tools.parameters.candidates(first).find_map(|(i, one)| look(one, Name::Parameter(i), true))
                })
            }
        };
        found.unwrap_or(Lookup::Incomplete { hidden, shown })
    }
}

/// Returns how many bytes the name lacks at the end of `text`, with the one after it; 0 if it is all
/// there; `None` if it is not that name.
#[inline]
fn missing(name: &str, text: &[u8]) -> Option<usize> {
    let name = name.as_bytes();
    // Names are so short that a call would cost more than the comparison.
    if !name.iter().zip(text).all(|(one, other)| one == other) {
        return None;
    }
    match text.get(name.len()) {
        Some(&after) => (is_space(after) || after == b'/' || after == b'>').then_some(0),
        None => Some(name.len() - text.len() + 1),
    }
}

fn least(least: &mut Option<usize>, more: Option<usize>) {
    *least = match (*least, more) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
}

/// Returns whether the byte is white space inside a tag.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_names_are_found_by_their_first_character() {
        for first in 0..=u8::MAX {
            let all = OURS.iter().filter(|(name, ..)| name.as_bytes()[0] == first);
            assert!(all.eq(ours(Some(first))), "{first}");
        }
    }
}
