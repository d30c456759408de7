//! The names of tags, and the grammar of one tag, from `<` to `>`.
//!
//! A table finds the name; nom reads everything after it. The same rules serve while chunks come
//! (`Streaming`) and at the end of the stream (`Complete`). A tag that means nothing fails with its
//! first wrong byte, so that nothing is held back for it.
//!
//! `Incomplete` says more here than nom promises: its size is exactly the fewest bytes that can
//! still complete a tag. A tag near its length limit is decided by that number, not by waiting for
//! the limit to pass.

use nom::bytes::take_while;
use nom::character::char;
use nom::combinator::{not, value};
use nom::sequence::preceded;
use nom::{Emit, Err, IsStreaming, Needed, OutputM, Parser};

use super::attributes::{MissingBytes, NEVER, attributes, range_in, run, trim};
use super::lexed::{IncompleteTag, LexedTag, Name, OurName, Side, Tag, TagPart};
use crate::config::Tools;
use crate::envelope::kinds::Tags;
use crate::envelope::tag as envelope;
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
    /// It may become a name: the bytes that it lacks, with the one after it.
    ///
    /// `name`: one of the hidden names.
    Incomplete { missing: MissingBytes, name: Option<OurName> },
}

/// The tags that mean something in some state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    pub(super) open: TagNames,
    pub(super) close: TagNames,
    /// The tags of envelopes.
    pub(super) envelope: Tags,
}

/// Reads `input`, which begins with `<`, as one of the `allowed` tags, at most `limit` bytes long.
///
/// `S` is `Streaming` if more may follow, and `Complete` if nothing does.
pub(super) fn read_any<S: IsStreaming>(input: &[u8], allowed: &Allowed, tools: &Tools, limit: usize) -> LexedTag {
    let read = read::<S>(input, allowed, tools, limit);
    if let LexedTag::Tag(_) = read {
        return read;
    }
    let or = envelope::read::<S>(input, &allowed.envelope, limit);
    match (read, or) {
        (LexedTag::Text, or) => or,
        // A possible tag of a tool is decided before tags of envelopes are tried.
        (LexedTag::Incomplete(one), LexedTag::Incomplete(other)) => LexedTag::Incomplete(IncompleteTag {
            more: one.more.min(other.more),
            shown: one.shown && other.shown,
            ..one
        }),
        (read, _) => read,
    }
}

/// The same, of the tags of markup alone.
pub(super) fn read<S: IsStreaming>(input: &[u8], allowed: &Allowed, tools: &Tools, limit: usize) -> LexedTag {
    let room = limit.saturating_sub(input.len());
    let incomplete = |more: usize, shown, part| {
        if more <= room && S::is_streaming() && input.len() <= limit {
            LexedTag::Incomplete(IncompleteTag { more, shown, part })
        } else {
            LexedTag::Text
        }
    };
    let (side, names, start) = match input.get(1) {
        Some(b'/') => (Side::Close, allowed.close, 2),
        _ => (Side::Open, allowed.open, 1),
    };
    let (name, shown, len) = match names.find(input.get(start..).unwrap_or_default(), tools) {
        Lookup::Found { name, shown, len } => (name, shown, len),
        Lookup::Incomplete { mut missing, name } => {
            if input.len() == 1
                && let Lookup::Incomplete { missing: close, .. } = allowed.close.find(b"", tools)
            {
                missing.add_close(close);
            }
            let (more, shown) = missing.least(room);
            return incomplete(more, shown, name.filter(|_| !shown).map_or(TagPart::Other, TagPart::Name));
        }
    };
    let has_attributes =
        side == Side::Open && !matches!(name, Name::Tool(_) | Name::Parameter(_) | Name::Think | Name::Thinking);
    let after = &input[start + len..];
    let mut mode = None;
    let read = if has_attributes {
        attributes::<S>(after, |name, value| {
            if name == b"mode" && mode.is_none() {
                mode = value.map(trim).filter(|value| !value.is_empty());
            }
        })
    } else {
        preceded(take_while(is_space), value((), char('>'))).process::<OutputM<Emit, Emit, S>>(after)
    };
    let rest = match read {
        Ok((rest, ())) => rest,
        Err(Err::Incomplete(Needed::Size(more))) => {
            let part = if has_attributes { TagPart::Attributes } else { TagPart::Other };
            return incomplete(more.get(), shown, part);
        }
        Err(_) => return LexedTag::Text,
    };
    let len = input.len() - rest.len();
    if len > limit {
        return LexedTag::Text;
    }
    let value = mode.map(|mode| range_in(input, mode));
    let empty = side == Side::Open && input[..len].ends_with(b"/>");
    let tag = Tag { name, side, shown, empty, value, len };
    if tag.opens_tool() {
        // Right before a back-tick it is only named.
        match run::<S, _>(not(char('`')), rest) {
            Err(Err::Incomplete(_)) => return incomplete(0, shown, TagPart::Other),
            Err(_) => return LexedTag::Text,
            Ok(_) => {}
        }
    }
    LexedTag::Tag(tag)
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

/// Returns how many bytes the name lacks at the end of `text`, with the one after it.
///
/// 0 if it is all there, [`NEVER`] if it is not that name.
#[inline]
fn more(name: &[u8], text: &[u8]) -> usize {
    match text.get(name.len()) {
        Some(&after) if (after == b'>' || after == b'/' || is_space(after)) && text.starts_with(name) => 0,
        None if name.starts_with(text) => name.len() - text.len() + 1,
        _ => NEVER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nom::{Complete, Streaming};

    const TAGS: Allowed = Allowed {
        open: TagNames::hidden(Set::ASK.or(Set::SUGGEST)),
        close: TagNames::hidden(Set::SUGGEST.or(Set::QUESTION)),
        envelope: Tags::none(),
    };

    fn read_all(text: &str, last: bool) -> LexedTag {
        let (text, none) = (text.as_bytes(), Tools::none());
        if last { read::<Complete>(text, &TAGS, &none, 256) } else { read::<Streaming>(text, &TAGS, &none, 256) }
    }

    /// The fewest bytes that complete the tag.
    fn more(text: &str) -> Option<usize> {
        if let LexedTag::Incomplete(incomplete) = read_all(text, false) { Some(incomplete.more) } else { None }
    }

    #[test]
    fn an_incomplete_tag_says_how_many_bytes_complete_it() {
        for (incomplete, wanted) in [
            ("<", 8),             // suggest>
            ("</", 8),            // suggest>
            ("<s", 7),            // uggest>
            ("<suggest", 1),      // >
            ("<suggesti", 3),     // on>
            ("</q", 8),           // uestion>
            ("</suggest ", 1),    // >
            ("<suggest ", 1),     // >
            ("<suggest a", 1),    // >
            ("<suggest a=", 1),   // >
            ("<suggest a='>", 2), // '>
            ("<suggest a=''", 1), // >
            ("<suggest a=b /", 1),
        ] {
            assert_eq!(more(incomplete), Some(wanted), "{incomplete}");
            assert_eq!(read_all(incomplete, true), LexedTag::Text, "{incomplete} at the end");
        }
    }

    #[test]
    fn a_tag_is_text_from_its_first_wrong_byte() {
        for text in [
            "<b",
            "<S",
            "< ",
            "<<",
            "<q",
            "</ ",
            "</a",
            "</suggest x",
            "<suggestx",
            "<suggest <",
            "<suggest a='<",
            "</s<",
        ] {
            assert!(more(&text[..text.len() - 1]).is_some(), "{text} without its last byte");
            assert_eq!(read_all(text, false), LexedTag::Text, "{text}");
        }
    }

    #[test]
    fn attributes_are_read_as_html_reads_them() {
        for (tag, mode, empty) in [
            ("<suggest>", None, false),
            ("<suggest/>", None, true),
            ("<suggest / >", None, false),
            ("<suggest mode=\"code\">", Some("code"), false),
            ("<suggest mode='a > b'>", Some("a > b"), false),
            ("<suggest mode=code>", Some("code"), false),
            ("<suggest mode=code/>", Some("code"), true),
            ("<suggest mode=a/b>", Some("a/b"), false),
            ("<suggest\n\tmode = \" code \" >", Some("code"), false),
            ("<suggest x mode=code y=\"z\"/>", Some("code"), true),
            ("<suggest mode=\"\" mode=\"b\" mode=\"c\">", Some("b"), false),
            ("<suggest MODE=\"a\">", None, false),
            ("<suggest mode=>", None, false),
            ("<suggest mode>", None, false),
            ("<suggest =mode=x>", None, false),
            ("<suggest a\"b>", None, false),
            ("<suggest a=\"b\"mode='c'>", Some("c"), false),
        ] {
            match read_all(tag, false) {
                LexedTag::Tag(found) => {
                    let found = (found.value.map(|range| &tag[range]), found.empty, found.len);
                    assert_eq!(found, (mode, empty, tag.len()), "{tag}");
                }
                other => panic!("{tag}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_tools_opening_tag_waits_for_the_next_character() {
        let ask = "<ask_followup_question>";
        let is_tag = |text: &str, last| matches!(read_all(text, last), LexedTag::Tag(Tag { len: 23, .. }));
        assert_eq!(more(ask), Some(0));
        assert!(is_tag(ask, true) && is_tag("<ask_followup_question>x", false));
        assert_eq!(read_all("<ask_followup_question>`", false), LexedTag::Text);
    }
}
