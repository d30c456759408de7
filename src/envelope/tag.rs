//! The grammar of a tag or token of an envelope.
//!
//! As for tags of markup, a table finds the name and nom reads what comes after it.

use nom::{Err, IsStreaming, Needed};

use super::kinds::{Kind, Kinds, Tags};
use super::name::is_name;
use super::tag_names::{FoundTag, Prefix, SHORTEST_OPENER, find_name, find_token, may_open};
use crate::config::{Envelope, Envelopes};
use crate::markup::attributes::{MissingBytes, attributes, range_in, space_and_end, text_and_end, trim};
use crate::markup::lexed::{IncompleteTag, LexedTag, Name, Side, Tag, TagPart};
use crate::space::is_space;

/// Reads `input`, which begins with `<`, as one of the tags, at most `limit` bytes long.
pub(crate) fn read<S: IsStreaming>(input: &[u8], tags: &Tags, limit: usize) -> LexedTag {
    let limit = limit.min(tags.limit);
    let openers_only = tags.open_shown.or(tags.close).or(tags.close_shown).is_empty();
    if openers_only
        && tags.open.and(Kinds::PARAMETER.or(Kinds::KEY)).is_empty()
        && !may_open(input.get(1..).unwrap_or_default())
    {
        return LexedTag::Text;
    }
    let room = limit.saturating_sub(input.len());
    let incomplete = |more: usize, shown, part| {
        let may_be_tag = more <= room && S::is_streaming();
        if may_be_tag { LexedTag::Incomplete(IncompleteTag { more, shown, part }) } else { LexedTag::Text }
    };
    if openers_only && input.len() == 1 {
        return incomplete(SHORTEST_OPENER, false, TagPart::Other);
    }
    let is_close = input.get(1) == Some(&b'/');
    let (side, start) = if is_close { (Side::Close, 2) } else { (Side::Open, 1) };
    let tag = |kind, shown, value, len| match len <= limit {
        true => LexedTag::Tag(Tag { name: Name::Envelope(kind), side, shown, empty: false, value, len }),
        false => LexedTag::Text,
    };
    let rest = input.get(start..).unwrap_or_default();
    let mut missing = MissingBytes::NEVER;
    if !is_close && let Some((token, shown, len)) = find_token(rest, tags, &mut missing) {
        return tag(Kind::Token(token), shown, None, start + len);
    }
    let Some(FoundTag { name, prefix, shown, len }) = find_name(rest, is_close, tags, &mut missing) else {
        if input.len() == 1 {
            let mut close = MissingBytes::NEVER;
            find_name(b"", true, tags, &mut close);
            missing.add_close(close);
        }
        let (more, shown) = missing.least(room);
        return incomplete(more, shown, TagPart::Other);
    };
    let after = &input[start + len..];
    let read = if is_close { read_close::<S>(name, after) } else { read_open::<S>(name, prefix, tags.families, after) };
    match read {
        Ok((kind, value, rest)) => {
            tag(kind, shown, value.map(|value| range_in(input, value)), input.len() - rest.len())
        }
        Err(Err::Incomplete(Needed::Size(more))) => {
            let only_space = !is_close && matches!(name, Kinds::KEY | Kinds::VALUE);
            incomplete(more.get(), shown, if only_space { TagPart::Other } else { TagPart::Attributes })
        }
        Err(_) => LexedTag::Text,
    }
}

/// What a tag is, the name of a tool or parameter in it, and what comes after it.
type ParsedTag<'i> = Result<(Kind, Option<&'i [u8]>, &'i [u8]), Err<()>>;

/// Reads what comes after the name of a close tag.
fn read_close<S: IsStreaming>(name: Kinds, after: &[u8]) -> ParsedTag<'_> {
    let kind = match name {
        Kinds::FUNCTION | Kinds::INVOKE => Kind::CallEnd,
        Kinds::PARAMETER => Kind::Parameter { json: false },
        Kinds::KEY => Kind::Key,
        Kinds::VALUE => Kind::Value,
        _ => Kind::Wrapper { tool_call: false },
    };
    let (rest, _) = text_and_end::<S>(after)?;
    Ok((kind, None, rest))
}

/// Reads what comes after the name of an opening tag.
fn read_open<S: IsStreaming>(name: Kinds, prefix: Prefix, families: Envelopes, after: &[u8]) -> ParsedTag<'_> {
    if let Kinds::KEY | Kinds::VALUE = name {
        let (rest, ()) = space_and_end::<S>(after)?;
        return Ok((if name == Kinds::KEY { Kind::Key } else { Kind::Value }, None, rest));
    }
    // `<function=NAME>`
    if let (Kinds::FUNCTION | Kinds::PARAMETER, Some(b'=')) = (name, after.first()) {
        let (rest, value) = text_and_end::<S>(&after[1..])?;
        if value.ends_with(b"/") {
            return Err(Err::Error(()));
        }
        let value = Some(trim_space(value)).filter(|value| !value.is_empty());
        return named(name, prefix, families, value, false).map(|(kind, value)| (kind, value, rest));
    }
    let (mut value, mut json) = (None, false);
    let (rest, ()) = attributes::<S>(after, |name, found| match (name, found) {
        (b"name", Some(found)) if value.is_none() && !trim(found).is_empty() => value = Some(trim_space(found)),
        (b"string", Some(found)) if trim(found) == b"false" => json = true,
        _ => {}
    })?;
    // An empty element is no call and no parameter: it is XML.
    let is_empty = after[..after.len() - rest.len()].ends_with(b"/>");
    if is_empty && (value.is_some() || !Kinds::WRAPPERS.contains(name)) {
        return Err(Err::Error(()));
    }
    named(name, prefix, families, value, json).map(|(kind, value)| (kind, value, rest))
}

/// Removes the tag space around a name.
fn trim_space(name: &[u8]) -> &[u8] {
    let is_solid = |&byte: &u8| !is_space(byte);
    match (name.iter().position(is_solid), name.iter().rposition(is_solid)) {
        (Some(first), Some(last)) => &name[first..=last],
        _ => &[],
    }
}

/// Returns what an opening tag is that names a tool or a parameter.
fn named(
    name: Kinds,
    prefix: Prefix,
    families: Envelopes,
    value: Option<&[u8]>,
    json: bool,
) -> Result<(Kind, Option<&[u8]>), Err<()>> {
    let family = match (name, prefix) {
        (_, Prefix::Dsml) => Envelope::Dsml,
        (Kinds::FUNCTION, _) => Envelope::FunctionXml,
        (Kinds::WRAPPER | Kinds::TOOL_CALL, Prefix::Other) => Envelope::Hermes,
        _ => Envelope::Invoke,
    };
    let is_wrapper = Kinds::WRAPPERS.contains(name);
    match name {
        Kinds::PARAMETER => value.map(|key| (Kind::Parameter { json }, Some(key))).ok_or(Err::Error(())),
        _ if is_wrapper && value.is_none() => Ok((Kind::Wrapper { tool_call: name == Kinds::TOOL_CALL }, None)),
        _ if !families.contains(family) => Err(Err::Error(())),
        _ => match value {
            Some(tool) if core::str::from_utf8(tool).is_ok_and(is_name) => {
                Ok((Kind::Named { family, wrapper: is_wrapper }, Some(tool)))
            }
            _ => Err(Err::Error(())),
        },
    }
}
