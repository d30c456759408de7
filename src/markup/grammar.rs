//! One tag, from `<` to `>`, as a nom grammar.
//!
//! The same rules serve while chunks come (`Streaming`) and at the stream's end (`Complete`).
//! Which tags exist depends on where the machine stands ([`Tags`]); a tag that does not exist
//! there fails with its first wrong byte, so that nothing is held back for it.
//!
//! `Incomplete` says more here than nom promises: its size is exactly the fewest bytes that can
//! still complete a tag. A tag near its length limit is decided by that number, not by waiting for
//! the limit to pass.

use nom::bytes::{take_while, take_while1};
use nom::character::char;
use nom::combinator::not;
use nom::sequence::preceded;
use nom::{Complete, Emit, Err, Input, IsStreaming, Needed, OutputM, OutputMode, PResult, Parser, Streaming};

use super::name::{Candidates, Name, Side};

/// The tags that exist at some place of the stream.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tags<'p> {
    pub(crate) open: Candidates<'p>,
    pub(crate) close: Candidates<'p>,
}

/// One tag, as far as it means anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) name: Name,
    pub(crate) side: Side,
    /// `<x/>`: opened and closed at once.
    pub(crate) empty: bool,
    /// Where in the tag the value of its `mode` attribute stands, quotes and blanks left out.
    pub(crate) mode: Option<(usize, usize)>,
}

/// What the bytes from a `<` on are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// A tag, that many bytes long.
    Tag(Tag, usize),
    /// No tag: the `<` and what stands behind it is text.
    Text,
    /// The beginning of a tag; that many bytes, at the least, complete it.
    Begun(usize),
    /// A whole tool's opening tag. The next character decides: before a back-tick it is text.
    Undecided,
}

/// Reads `input`, which begins with `<`, as one of `tags`; more bytes may follow.
pub(crate) fn read(input: &[u8], tags: Tags<'_>) -> Read {
    read_mode::<Streaming>(input, tags)
}

/// Reads `input`, which begins with `<`, as one of `tags`; nothing follows it.
pub(crate) fn read_last(input: &[u8], tags: Tags<'_>) -> Read {
    read_mode::<Complete>(input, tags)
}

fn read_mode<S: IsStreaming>(input: &[u8], tags: Tags<'_>) -> Read {
    let (rest, tag) = match (TagRule { tags, all: input }).process::<OutputM<Emit, Emit, S>>(input) {
        Ok(done) => done,
        Err(Err::Incomplete(Needed::Size(n))) => return Read::Begun(n.get()),
        Err(_) => return Read::Text,
    };
    let len = input.len() - rest.len();
    if !tag.opens_tool() {
        return Read::Tag(tag, len);
    }
    match named_in_code::<S>(rest) {
        Some(true) => Read::Text,
        Some(false) => Read::Tag(tag, len),
        None => Read::Undecided,
    }
}

/// Whether a tool's opening tag, with `rest` behind it, only names the tool in code; `None` if that is still open.
fn named_in_code<S: IsStreaming>(rest: &[u8]) -> Option<bool> {
    match not(char::<_, ()>('`')).process::<OutputM<Emit, Emit, S>>(rest) {
        Ok(_) => Some(false),
        Err(Err::Incomplete(_)) => None,
        Err(_) => Some(true),
    }
}

/// The fewest bytes that make up any of `tags`.
pub(crate) fn shortest(tags: Tags<'_>) -> Option<usize> {
    match read(b"<", tags) {
        Read::Begun(n) => Some(n + 1),
        _ => None,
    }
}

impl Tag {
    pub(crate) fn opens_tool(&self) -> bool {
        self.side == Side::Open && matches!(self.name, Name::Ask | Name::Tool(_))
    }
}

/// `<name …>`, `<name …/>` or `</name >`.
struct TagRule<'p, 'i> {
    tags: Tags<'p>,
    /// The whole tag, to say where in it the mode stands.
    all: &'i [u8],
}

impl<'i> Parser<&'i [u8]> for TagRule<'_, 'i> {
    type Output = Tag;
    type Error = ();

    fn process<OM: OutputMode>(&mut self, input: &'i [u8]) -> PResult<OM, &'i [u8], Tag, ()> {
        let (rest, _) = char('<').process::<OM>(input)?;
        match rest.first() {
            None => incomplete::<OM, _>(self.shortest_behind_bracket()),
            Some(b'/') => {
                let mut rule = preceded(char('/'), NameRule { of: self.tags.close });
                let (rest, name) = emitted::<OM, _>(&mut rule, rest)?;
                let (rest, _) = preceded(space(), char('>')).process::<OM>(rest)?;
                Ok((
                    rest,
                    <OM::Output as nom::Mode>::bind(|| Tag { name, side: Side::Close, empty: false, mode: None }),
                ))
            }
            Some(_) => {
                let (rest, name) = emitted::<OM, _>(&mut NameRule { of: self.tags.open }, rest)?;
                let (rest, mode) = if name.takes_attributes() {
                    emitted::<OM, _>(&mut AttributesRule, rest)?
                } else {
                    (emitted::<OM, _>(&mut space(), rest)?.0, None)
                };
                let slash = self.all[..self.all.len() - rest.len()].ends_with(b"/");
                let (rest, _) = char('>').process::<OM>(rest)?;
                let tag = Tag { name, side: Side::Open, empty: slash, mode: mode.map(|m| within(self.all, m)) };
                Ok((rest, <OM::Output as nom::Mode>::bind(|| tag)))
            }
        }
    }
}

impl TagRule<'_, '_> {
    fn shortest_behind_bracket(&self) -> Option<usize> {
        let open = self.tags.open.shortest_rest(b"");
        let close = self.tags.close.shortest_rest(b"").map(|n| n + 1);
        open.into_iter().chain(close).min().map(|n| n + 1)
    }
}

/// Where `part` stands in `whole`, of which it is a slice.
fn within(whole: &[u8], part: &[u8]) -> (usize, usize) {
    let start = part.as_ptr() as usize - whole.as_ptr() as usize;
    (start, start + part.len())
}

/// Runs a rule for its value, whatever the caller wants of its own: a decision needs the value.
fn emitted<'i, OM: OutputMode, P: Parser<&'i [u8], Error = ()>>(
    rule: &mut P,
    input: &'i [u8],
) -> Result<(&'i [u8], P::Output), Err<(), <OM::Error as nom::Mode>::Output<()>>> {
    rule.process::<OutputM<Emit, OM::Error, OM::Incomplete>>(input)
}

/// More input may make a tag with `needed` further bytes; without a number nothing can.
fn incomplete<OM: OutputMode, T>(needed: Option<usize>) -> Result<T, Err<(), <OM::Error as nom::Mode>::Output<()>>> {
    match needed {
        Some(n) if OM::Incomplete::is_streaming() => Err(Err::Incomplete(Needed::new(n))),
        _ => Err(Err::Error(<OM::Error as nom::Mode>::bind(|| ()))),
    }
}

/// A name of the candidates, up to the byte that ends it, which is left.
struct NameRule<'p> {
    of: Candidates<'p>,
}

impl<'i> Parser<&'i [u8]> for NameRule<'_> {
    type Output = Name;
    type Error = ();

    fn process<OM: OutputMode>(&mut self, input: &'i [u8]) -> PResult<OM, &'i [u8], Name, ()> {
        // No name is longer than the longest: what goes on without an end is none.
        let within_reach = &input[..input.len().min(self.of.longest() + 1)];
        match within_reach.iter().position(|&b| is_space(b) || b == b'/' || b == b'>') {
            Some(end) => match self.of.find(&input[..end]) {
                Some(name) => Ok((&input[end..], <OM::Output as nom::Mode>::bind(|| name))),
                None => incomplete::<OM, _>(None),
            },
            // One byte beyond the name: the `>`.
            None => incomplete::<OM, _>(self.of.shortest_rest(within_reach).map(|n| n + 1)),
        }
    }
}

/// Everything between an opening tag's name and its `>`; gives the value of `mode`.
struct AttributesRule;

impl<'i> Parser<&'i [u8]> for AttributesRule {
    type Output = Option<&'i [u8]>;
    type Error = ();

    fn process<OM: OutputMode>(&mut self, mut input: &'i [u8]) -> PResult<OM, &'i [u8], Self::Output, ()> {
        let mut mode = None;
        loop {
            (input, _) = emitted::<OM, _>(&mut take_while(|b| is_space(b) || b == b'/'), input)?;
            match input.first() {
                None => return incomplete::<OM, _>(Some(1)),
                Some(b'>') => return Ok((input, <OM::Output as nom::Mode>::bind(|| mode))),
                Some(b'<') => return incomplete::<OM, _>(None),
                Some(_) => {}
            }
            let (rest, (name, value)) = emitted::<OM, _>(&mut AttributeRule, input)?;
            input = rest;
            if name == b"mode" && mode.is_none() {
                mode = value.map(trim_blanks).filter(|v| !v.is_empty());
            }
        }
    }
}

/// `name`, `name=value`, `name = "value"`.
struct AttributeRule;

impl<'i> Parser<&'i [u8]> for AttributeRule {
    type Output = (&'i [u8], Option<&'i [u8]>);
    type Error = ();

    fn process<OM: OutputMode>(&mut self, input: &'i [u8]) -> PResult<OM, &'i [u8], Self::Output, ()> {
        // As in HTML, a `=` where a name should begin is part of the name.
        let first = usize::from(input[0] == b'=');
        let (rest, tail) = emitted::<OM, _>(&mut take_while(|b| is_in_name(b)), &input[first..])?;
        let name = &input[..first + tail.len()];
        let (rest, _) = emitted::<OM, _>(&mut space(), rest)?;
        let value = match rest.first() {
            None => return incomplete::<OM, _>(Some(1)),
            Some(b'=') => {
                let (rest, _) = emitted::<OM, _>(&mut preceded(char('='), space()), rest)?;
                match rest.first() {
                    None => return incomplete::<OM, _>(Some(1)),
                    Some(b'>') => (rest, None),
                    Some(&quote @ (b'"' | b'\'')) => emitted::<OM, _>(&mut Quoted { quote }.map(Some), rest)?,
                    Some(_) => emitted::<OM, _>(&mut unquoted().map(Some), rest)?,
                }
            }
            Some(_) => (rest, None),
        };
        Ok((value.0, <OM::Output as nom::Mode>::bind(|| (name, value.1))))
    }
}

/// A value in quotes; it may hold anything but its quote and `<`.
struct Quoted {
    quote: u8,
}

impl<'i> Parser<&'i [u8]> for Quoted {
    type Output = &'i [u8];
    type Error = ();

    fn process<OM: OutputMode>(&mut self, input: &'i [u8]) -> PResult<OM, &'i [u8], Self::Output, ()> {
        let quote = self.quote;
        let inside = &input[1..];
        match inside.iter().position(|&b| b == quote || b == b'<') {
            Some(end) if inside[end] == quote => {
                Ok((inside.take_from(end + 1), <OM::Output as nom::Mode>::bind(|| inside.take(end))))
            }
            Some(_) => incomplete::<OM, _>(None),
            // The quote, and the `>`.
            None => incomplete::<OM, _>(Some(2)),
        }
    }
}

/// A value without quotes. A `/` right before the `>` belongs to the tag.
fn unquoted<'i>() -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    UnquotedRule
}

struct UnquotedRule;

impl<'i> Parser<&'i [u8]> for UnquotedRule {
    type Output = &'i [u8];
    type Error = ();

    fn process<OM: OutputMode>(&mut self, input: &'i [u8]) -> PResult<OM, &'i [u8], Self::Output, ()> {
        let (rest, value) = emitted::<OM, _>(&mut take_while1(|b| !is_space(b) && b != b'>' && b != b'<'), input)?;
        let cut = match rest.first() {
            Some(b'>') => value.strip_suffix(b"/").unwrap_or(value),
            _ => value,
        };
        Ok((rest, <OM::Output as nom::Mode>::bind(|| cut)))
    }
}

fn space<'i>() -> impl Parser<&'i [u8], Output = &'i [u8], Error = ()> {
    take_while(is_space)
}

/// White space inside a tag.
pub(crate) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

fn is_in_name(b: u8) -> bool {
    !is_space(b) && !matches!(b, b'/' | b'>' | b'=' | b'<')
}

fn trim_blanks(value: &[u8]) -> &[u8] {
    // The bytes come from a `str` and are cut at ASCII, so they are one themselves.
    core::str::from_utf8(value).map_or(value, |v| v.trim().as_bytes())
}
