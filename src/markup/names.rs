//! The names of tags, and sets of them.

use super::attributes::{MissingBytes, NEVER};
use super::lexed::{Name, OurName};
use crate::config::Tools;
use crate::space::is_space;

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

/// Our names as they are written. One that another one begins with is before it.
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

/// The names that mean something on one side of a tag, in some state.
#[derive(Clone, Copy, Debug)]
pub(super) struct TagNames {
    /// Ours whose tags are no text.
    pub(super) hidden: Set,
    /// Our tags that have a meaning and are emitted as text, too.
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
    /// It may become a name: the bytes that it lacks, with the one after it. `name`: one of the
    /// hidden names.
    Incomplete { missing: MissingBytes, name: Option<OurName> },
}

impl OurName {
    /// Returns how many bytes are missing from a tag of this name, of which `tag` is the beginning.
    ///
    /// Its first `old` bytes are known to be. `None` if the bytes after them do not continue the
    /// name.
    #[inline]
    pub(super) fn more(self, tag: &[u8], old: usize) -> Option<usize> {
        let (name, ..) = OURS.get(usize::from(self.0))?;
        let start = if tag.get(1) == Some(&b'/') { 2 } else { 1 };
        let (rest, new) = (name.as_bytes().get(old.checked_sub(start)?..)?, tag.get(old..)?);
        let continues = new.len() <= rest.len() && new.iter().zip(rest).all(|(one, other)| one == other);
        continues.then(|| rest.len() - new.len() + 1)
    }
}

impl TagNames {
    pub(super) const NONE: TagNames = TagNames::hidden(Set::NONE);

    pub(super) const fn hidden(hidden: Set) -> TagNames {
        TagNames { hidden, shown: Set::NONE, others: Others::None }
    }

    /// Looks up the name that `text` begins with. It ends at tag space, `/` or `>`.
    pub(super) fn find(self, text: &[u8], tools: &Tools) -> Lookup {
        let (mut missing, mut incomplete) = (MissingBytes::NEVER, None);
        let all = self.hidden.or(self.shown);
        for (i, &(spelling, set, name)) in OURS.iter().enumerate() {
            if all.meets(set) {
                let shown = self.shown.meets(set);
                match more(spelling.as_bytes(), text) {
                    0 => return Lookup::Found { name, shown, len: spelling.len() },
                    NEVER => {}
                    more => {
                        missing.add(more, shown);
                        // Sorted by length, except where no byte tells them apart yet.
                        if !text.is_empty() && !shown {
                            incomplete = Some(OurName(i as u8));
                            break;
                        }
                    }
                }
            }
        }
        if !matches!(self.others, Others::None)
            && let Some(found) = self.find_other(text, tools, &mut missing)
        {
            return found;
        }
        Lookup::Incomplete { missing, name: incomplete }
    }

    /// Looks up the name of another tool or of a parameter.
    fn find_other(self, text: &[u8], tools: &Tools, missing: &mut MissingBytes) -> Option<Lookup> {
        let mut find = |spelling: &str, name, shown| match more(spelling.as_bytes(), text) {
            0 => Some(Lookup::Found { name, shown, len: spelling.len() }),
            more => {
                missing.add(more, shown);
                None
            }
        };
        let parameters = match self.others {
            Others::Only(name @ Name::Tool(i)) => return find(tools.tools.name(i), name, true),
            Others::Only(name @ Name::Parameter(i)) => return find(tools.parameters.name(i), name, true),
            Others::None | Others::Only(_) => return None,
            Others::Tools => None,
            Others::ToolsAndParameters => Some(&tools.parameters),
        };
        let Some(first) = text.first() else {
            // Any of them: the shortest is enough.
            missing.add(tools.tools.shortest().map_or(NEVER, |len| len + 1), false);
            missing.add(parameters.and_then(|names| names.shortest()).map_or(NEVER, |len| len + 1), true);
            return None;
        };
        let tool = tools.tools.candidates(first).find_map(|(i, spelling)| find(spelling, Name::Tool(i), false));
        tool.or_else(|| {
            parameters?.candidates(first).find_map(|(i, spelling)| find(spelling, Name::Parameter(i), true))
        })
    }
}

/// Returns how many bytes the name lacks at the end of `text`, with the one after it: 0 if it is
/// all there, [`NEVER`] if it is not that name.
#[inline]
fn more(name: &[u8], text: &[u8]) -> usize {
    match text.get(name.len()) {
        Some(&after) if (after == b'>' || after == b'/' || is_space(after)) && text.starts_with(name) => 0,
        None if name.starts_with(text) => name.len() - text.len() + 1,
        _ => NEVER,
    }
}
