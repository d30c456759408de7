//! The grammar of one tag, from `<` to `>`.
//!
//! A table finds the name; nom reads everything after it. The same rules serve while chunks come
//! (`Streaming`) and at the end of the stream (`Complete`). A tag that means nothing fails with its
//! first wrong byte, so that nothing is held back for it.
//!
//! `Incomplete` says more here than nom promises: its size is exactly the fewest bytes that can
//! still complete a tag. A tag near its length limit is decided by that number, not by waiting for
//! the limit to pass.

use core::ops::Range;

use nom::bytes::{take_while, take_while1};
use nom::character::char;
use nom::combinator::not;
use nom::sequence::preceded;
use nom::{Emit, Err, IsStreaming, Needed, OutputM, Parser};

use super::names::{Lookup, NEVER, Name, OurName, Side, TagNames, is_space};
use crate::config::Tools;

/// The tags that mean something in some state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed {
    pub(super) open: TagNames,
    pub(super) close: TagNames,
}

/// One tag, as far as it means anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) name: Name,
    pub(super) side: Side,
    /// It is text all the same.
    pub(super) shown: bool,
    /// `<x/>`: opened and closed at once.
    pub(super) empty: bool,
    /// The value of its `mode` attribute in the tag, without quotes and blanks.
    pub(super) mode: Option<Range<usize>>,
    pub(super) len: usize,
}

/// What the bytes from a `<` on are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Read {
    Tag(Tag),
    /// No tag: the `<` and what follows it is text.
    Text,
    /// An incomplete tag.
    Incomplete(IncompleteTag),
}

/// How a tag is incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IncompleteTag {
    /// The fewest bytes that complete it. 0: it is a tool's opening tag, and the next byte decides
    /// whether it is one.
    pub(super) more: usize,
    /// It is text, whatever becomes of it.
    pub(super) shown: bool,
    pub(super) part: Part,
}

/// The part of a tag that its text so far ends in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Part {
    /// The name. Nothing is decided while it grows to be that one of ours.
    Name(OurName),
    /// The attributes, where only a `<` or a `>` decides.
    Attributes,
    #[default]
    Other,
}

impl Tag {
    pub(super) fn opens_tool(&self) -> bool {
        self.side == Side::Open && matches!(self.name, Name::Ask | Name::Tool(_))
    }
}

/// Reads `input`, which begins with `<`, as one of the `allowed` tags, at most `limit` bytes long.
///
/// `S` is `Streaming` if more may follow, and `Complete` if nothing does.
pub(super) fn read<S: IsStreaming>(input: &[u8], allowed: &Allowed, tools: &Tools, limit: usize) -> Read {
    let room = limit.saturating_sub(input.len());
    let incomplete = |more: usize, shown, part| {
        if more <= room && more < NEVER && S::is_streaming() && input.len() <= limit {
            Read::Incomplete(IncompleteTag { more, shown, part })
        } else {
            Read::Text
        }
    };
    let (side, names, start) = match input.get(1) {
        Some(b'/') => (Side::Close, allowed.close, 2),
        _ => (Side::Open, allowed.open, 1),
    };
    let (name, shown, len) = match names.find(input.get(start..).unwrap_or_default(), tools) {
        Lookup::Found { name, shown, len } => (name, shown, len),
        Lookup::Incomplete(mut missing) => {
            if input.len() == 1
                && let Lookup::Incomplete(close) = allowed.close.find(b"", tools)
            {
                // A close tag has a `/` more.
                missing.hidden = missing.hidden.min(close.hidden.saturating_add(1));
                missing.shown = missing.shown.min(close.shown.saturating_add(1));
            }
            let shown = missing.hidden > room;
            let part = missing.name.filter(|_| !shown).map_or(Part::Other, Part::Name);
            return incomplete(if shown { missing.shown } else { missing.hidden }, shown, part);
        }
    };
    let has_attributes =
        side == Side::Open && !matches!(name, Name::Tool(_) | Name::Parameter(_) | Name::Think | Name::Thinking);
    let after = &input[start + len..];
    let (rest, mode) = match if has_attributes { attributes::<S>(after) } else { space_and_end::<S>(after) } {
        Ok(read) => read,
        Err(Err::Incomplete(Needed::Size(more))) => {
            let part = if has_attributes && !after.is_empty() { Part::Attributes } else { Part::Other };
            return incomplete(more.get(), shown, part);
        }
        Err(_) => return Read::Text,
    };
    let len = input.len() - rest.len();
    if len > limit {
        return Read::Text;
    }
    let mode = mode.map(|mode| {
        let start = mode.as_ptr() as usize - input.as_ptr() as usize;
        start..start + mode.len()
    });
    let empty = side == Side::Open && input[..len].ends_with(b"/>");
    let tag = Tag { name, side, shown, empty, mode, len };
    if tag.opens_tool() {
        // Right before a back-tick it is only named.
        match run::<S, _>(not(char('`')), rest) {
            Err(Err::Incomplete(_)) => return incomplete(0, shown, Part::Other),
            Err(_) => return Read::Text,
            Ok(_) => {}
        }
    }
    Read::Tag(tag)
}

/// What a rule leaves of its input, and what it found.
type Found<'i, T> = Result<(&'i [u8], T), Err<()>>;

/// Runs a rule of nom's in the mode `S`.
fn run<'i, S: IsStreaming, P: Parser<&'i [u8], Error = ()>>(mut rule: P, input: &'i [u8]) -> Found<'i, P::Output> {
    rule.process::<OutputM<Emit, Emit, S>>(input)
}

/// Fails at the end of the input, where at least so many bytes more make a tag.
fn missing<'i, S: IsStreaming, T>(bytes: usize) -> Found<'i, T> {
    Err(S::incomplete(Needed::new(bytes), || ()))
}

/// Reads the rest of a tag without attributes.
fn space_and_end<S: IsStreaming>(input: &[u8]) -> Found<'_, Option<&[u8]>> {
    let (rest, _) = run::<S, _>(preceded(space(), char('>')), input)?;
    Ok((rest, None))
}

/// Reads everything after an opening tag's name. Returns the value of `mode`.
fn attributes<S: IsStreaming>(mut input: &[u8]) -> Found<'_, Option<&[u8]>> {
    let mut mode = None;
    loop {
        (input, _) = run::<S, _>(take_while(|b| is_space(b) || b == b'/'), input)?;
        match input.first() {
            None => return missing::<S, _>(1),
            Some(b'>') => return Ok((&input[1..], mode)),
            Some(b'<') => return Err(Err::Error(())),
            Some(_) => {}
        }
        let (rest, (name, value)) = attribute::<S>(input)?;
        input = rest;
        if name == b"mode" && mode.is_none() {
            mode = value.map(trim).filter(|value| !value.is_empty());
        }
    }
}

/// `name`, `name=value`, `name = "value"`.
fn attribute<S: IsStreaming>(input: &[u8]) -> Found<'_, (&[u8], Option<&[u8]>)> {
    // As in HTML, a `=` where a name should begin is part of the name.
    let first = usize::from(input.first() == Some(&b'='));
    let (rest, tail) = run::<S, _>(take_while(is_in_name), &input[first..])?;
    let name = &input[..first + tail.len()];
    let (rest, _) = run::<S, _>(space(), rest)?;
    if rest.first() != Some(&b'=') {
        return if rest.is_empty() { missing::<S, _>(1) } else { Ok((rest, (name, None))) };
    }
    let (rest, _) = run::<S, _>(preceded(char('='), space()), rest)?;
    let (rest, value) = match rest.first() {
        None => return missing::<S, _>(1),
        Some(b'>') => return Ok((rest, (name, None))),
        Some(&quote @ (b'"' | b'\'')) => quoted::<S>(&rest[1..], quote)?,
        Some(_) => unquoted::<S>(rest)?,
    };
    Ok((rest, (name, Some(value))))
}

/// The rest of a value in quotes; it may hold anything but its quote and `<`.
fn quoted<S: IsStreaming>(input: &[u8], quote: u8) -> Found<'_, &[u8]> {
    match input.iter().position(|&b| b == quote || b == b'<') {
        Some(end) if input[end] == quote => Ok((&input[end + 1..], &input[..end])),
        Some(_) => Err(Err::Error(())),
        // The quote, and the `>`.
        None => missing::<S, _>(2),
    }
}

/// A value without quotes. A `/` right before the `>` belongs to the tag.
fn unquoted<S: IsStreaming>(input: &[u8]) -> Found<'_, &[u8]> {
    let (rest, value) = run::<S, _>(take_while1(|b| !is_space(b) && b != b'>' && b != b'<'), input)?;
    match rest.first() {
        Some(b'>') => Ok((rest, value.strip_suffix(b"/").unwrap_or(value))),
        _ => Ok((rest, value)),
    }
}

fn space<'i>() -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    take_while(is_space)
}

fn is_in_name(b: u8) -> bool {
    !is_space(b) && !matches!(b, b'/' | b'>' | b'=' | b'<')
}

fn trim(value: &[u8]) -> &[u8] {
    // The bytes come from a `str` and are cut at ASCII, so they are one themselves.
    core::str::from_utf8(value).map_or(value, |v| v.trim().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nom::{Complete, Streaming};

    use crate::markup::names::Set;

    const TAGS: Allowed = Allowed {
        open: TagNames::hidden(Set::ASK.or(Set::SUGGEST)),
        close: TagNames::hidden(Set::SUGGEST.or(Set::QUESTION)),
    };

    fn read_all(text: &str, last: bool) -> Read {
        let (text, none) = (text.as_bytes(), Tools::none());
        if last { read::<Complete>(text, &TAGS, &none, 256) } else { read::<Streaming>(text, &TAGS, &none, 256) }
    }

    /// The fewest bytes that complete the tag.
    fn more(text: &str) -> Option<usize> {
        if let Read::Incomplete(incomplete) = read_all(text, false) { Some(incomplete.more) } else { None }
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
            assert_eq!(read_all(incomplete, true), Read::Text, "{incomplete} at the end");
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
            assert_eq!(read_all(text, false), Read::Text, "{text}");
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
                Read::Tag(found) => {
                    let found = (found.mode.map(|range| &tag[range]), found.empty, found.len);
                    assert_eq!(found, (mode, empty, tag.len()), "{tag}");
                }
                other => panic!("{tag}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_tools_opening_tag_waits_for_the_next_character() {
        let ask = "<ask_followup_question>";
        let is_tag = |text: &str, last| matches!(read_all(text, last), Read::Tag(Tag { len: 23, .. }));
        assert_eq!(more(ask), Some(0));
        assert!(is_tag(ask, true) && is_tag("<ask_followup_question>x", false));
        assert_eq!(read_all("<ask_followup_question>`", false), Read::Text);
    }
}
