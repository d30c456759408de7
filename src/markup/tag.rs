//! The grammar of one tag, from `<` to `>`.
//!
//! A table finds the name; nom reads everything after it. The same rules serve while chunks come
//! (`Streaming`) and at the end of the stream (`Complete`). A tag that means nothing fails with its
//! first wrong byte, so that nothing is held back for it.
//!
//! `Incomplete` says more here than nom promises: its size is exactly the fewest bytes that can
//! still complete a tag. A tag near its length limit is decided by that number, not by waiting for
//! the limit to pass.

use nom::character::char;
use nom::combinator::not;
use nom::{Err, IsStreaming, Needed};

use super::attributes::{NEVER, attributes, range_in, run, space_and_end, trim};
use super::lexed::{IncompleteTag, LexedTag, Name, Side, Tag, TagPart};
use super::names::{Lookup, TagNames};
use crate::config::Tools;
use crate::envelope::kinds::Tags;
use crate::envelope::tag as envelope;

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
#[inline]
pub(super) fn read<S: IsStreaming>(input: &[u8], allowed: &Allowed, tools: &Tools, limit: usize) -> LexedTag {
    let read = read_markup::<S>(input, allowed, tools, limit);
    if allowed.envelope.is_empty() || matches!(read, LexedTag::Tag(_)) {
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

fn read_markup<S: IsStreaming>(input: &[u8], allowed: &Allowed, tools: &Tools, limit: usize) -> LexedTag {
    let room = limit.saturating_sub(input.len());
    let incomplete = |more: usize, shown, part| {
        if more <= room && more < NEVER && S::is_streaming() && input.len() <= limit {
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
        space_and_end::<S>(after)
    };
    let rest = match read {
        Ok((rest, ())) => rest,
        Err(Err::Incomplete(Needed::Size(more))) => {
            let part = if has_attributes && !after.is_empty() { TagPart::Attributes } else { TagPart::Other };
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

#[cfg(test)]
mod tests {
    use super::*;
    use nom::{Complete, Streaming};

    use crate::markup::names::Set;

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
