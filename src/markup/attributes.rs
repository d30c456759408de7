//! The grammar of what follows a tag's name: attributes, and the end of the tag.
//!
//! Tags of markup and of envelopes share it.

use core::ops::Range;

use nom::bytes::{take_till, take_while, take_while1};
use nom::character::char;
use nom::sequence::{preceded, terminated};
use nom::{Emit, Err, IsStreaming, Needed, OutputM, Parser};

use crate::space::is_space;

/// What a rule leaves of its input, and what it found.
pub(crate) type Parsed<'i, T> = Result<(&'i [u8], T), Err<()>>;

/// Runs a rule of nom's in the mode `S`.
pub(crate) fn run<'i, S: IsStreaming, P: Parser<&'i [u8], Error = ()>>(
    mut rule: P,
    input: &'i [u8],
) -> Parsed<'i, P::Output> {
    rule.process::<OutputM<Emit, Emit, S>>(input)
}

/// Fails at the end of the input, where at least so many bytes more make a tag.
pub(crate) fn missing<'i, S: IsStreaming, T>(bytes: usize) -> Parsed<'i, T> {
    Err(S::incomplete(Needed::new(bytes), || ()))
}

/// The fewest bytes that complete a tag.
///
/// For tags that are hidden, and for tags that are also shown.
///
/// [`NEVER`]: none does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MissingBytes {
    pub(crate) hidden: usize,
    pub(crate) shown: usize,
}

/// More bytes than any tag has.
pub(crate) const NEVER: usize = usize::MAX;

impl MissingBytes {
    pub(crate) const NEVER: MissingBytes = MissingBytes { hidden: NEVER, shown: NEVER };

    pub(crate) fn add(&mut self, more: usize, shown: bool) {
        let least = if shown { &mut self.shown } else { &mut self.hidden };
        *least = more.min(*least);
    }

    /// Adds those of close tags, which have a `/` more.
    pub(crate) fn add_close(&mut self, close: MissingBytes) {
        self.add(close.hidden.saturating_add(1), false);
        self.add(close.shown.saturating_add(1), true);
    }

    /// Returns the fewest, and whether only a tag that is shown has room.
    pub(crate) fn least(self, room: usize) -> (usize, bool) {
        let shown = self.hidden > room;
        (if shown { self.shown } else { self.hidden }, shown)
    }
}

/// Returns where in `input` its part `part` is.
pub(crate) fn range_in(input: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr() as usize - input.as_ptr() as usize;
    start..start + part.len()
}

/// Reads the rest of a tag without attributes.
pub(crate) fn space_and_end<S: IsStreaming>(input: &[u8]) -> Parsed<'_, ()> {
    let (rest, _) = run::<S, _>(preceded(space(), char('>')), input)?;
    Ok((rest, ()))
}

/// Reads the rest of a tag up to its `>`, of whatever there is before it but `<`.
pub(crate) fn text_and_end<S: IsStreaming>(input: &[u8]) -> Parsed<'_, &[u8]> {
    run::<S, _>(terminated(take_till(|b| matches!(b, b'<' | b'>')), char('>')), input)
}

/// Reads everything after an opening tag's name. Calls `found` with each attribute.
#[inline]
pub(crate) fn attributes<'i, S: IsStreaming>(
    mut input: &'i [u8],
    mut found: impl FnMut(&'i [u8], Option<&'i [u8]>),
) -> Parsed<'i, ()> {
    loop {
        (input, _) = run::<S, _>(take_while(|b| is_space(b) || b == b'/'), input)?;
        match input.first() {
            None => return missing::<S, _>(1),
            Some(b'>') => return Ok((&input[1..], ())),
            Some(b'<') => return Err(Err::Error(())),
            Some(_) => {}
        }
        let (rest, (name, value)) = attribute::<S>(input)?;
        input = rest;
        found(name, value);
    }
}

/// `name`, `name=value`, `name = "value"`.
fn attribute<S: IsStreaming>(input: &[u8]) -> Parsed<'_, (&[u8], Option<&[u8]>)> {
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
fn quoted<S: IsStreaming>(input: &[u8], quote: u8) -> Parsed<'_, &[u8]> {
    match input.iter().position(|&b| b == quote || b == b'<') {
        Some(end) if input[end] == quote => Ok((&input[end + 1..], &input[..end])),
        Some(_) => Err(Err::Error(())),
        // The quote, and the `>`.
        None => missing::<S, _>(2),
    }
}

/// A value without quotes. A `/` right before the `>` belongs to the tag.
fn unquoted<S: IsStreaming>(input: &[u8]) -> Parsed<'_, &[u8]> {
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

/// Trims a value of blanks.
pub(crate) fn trim(value: &[u8]) -> &[u8] {
    // The bytes come from a `str` and are cut at ASCII, so they are one themselves.
    core::str::from_utf8(value).map_or(value, |v| v.trim().as_bytes())
}
