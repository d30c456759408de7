//! Entities, decoded as they arrive.

use nom::branch::alt;
use nom::bytes::{tag, take_while_m_n};
use nom::character::char;
use nom::combinator::value;
use nom::sequence::{delimited, preceded};
use nom::{Emit, OutputM, Parser, Streaming};
use smallvec::SmallVec;

/// The longest incomplete entity: `&#xFFFFFF` or `&#9999999`.
const LONGEST: usize = 9;

/// An incomplete entity, from its `&` on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct IncompleteEntity {
    pub(super) bytes: SmallVec<[u8; 12]>,
}

/// What one more byte makes of an incomplete entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntityStep {
    Incomplete,
    /// It is this character.
    Char(char),
    /// It was none: it is text, without the byte that decided it.
    Text,
}

impl IncompleteEntity {
    /// Its text. It is ASCII.
    pub(super) fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    pub(super) fn push(&mut self, byte: u8) -> EntityStep {
        self.bytes.push(byte);
        let read = entity().process::<OutputM<Emit, Emit, Streaming>>(&self.bytes[..]).map(|(_, c)| c);
        match read {
            Ok(Some(c)) => EntityStep::Char(c),
            Err(nom::Err::Incomplete(_)) => EntityStep::Incomplete,
            Ok(None) | Err(_) => {
                self.bytes.pop();
                EntityStep::Text
            }
        }
    }

    pub(super) fn is_in_bounds(&self) -> bool {
        self.bytes.len() <= LONGEST
    }
}

/// `None` for a number that is no character.
fn entity<'i>() -> impl Parser<&'i [u8], Output = Option<char>, Error = ()> {
    delimited(char('&'), alt((preceded(char('#'), number()), named().map(Some))), char(';'))
}

fn named<'i>() -> impl Parser<&'i [u8], Output = char, Error = ()> {
    alt((
        value('<', tag("lt")),
        value('>', tag("gt")),
        value('&', tag("amp")),
        value('\'', tag("apos")),
        value('"', tag("quot")),
    ))
}

fn number<'i>() -> impl Parser<&'i [u8], Output = Option<char>, Error = ()> {
    alt((
        preceded(char('x'), take_while_m_n(1, 6, |b: u8| b.is_ascii_hexdigit()))
            .map(|digits: &[u8]| character(digits, 16)),
        take_while_m_n(1, 7, |b: u8| b.is_ascii_digit()).map(|digits: &[u8]| character(digits, 10)),
    ))
}

fn character(digits: &[u8], radix: u32) -> Option<char> {
    let number = u32::from_str_radix(core::str::from_utf8(digits).ok()?, radix).ok()?;
    char::from_u32(number).filter(|&c| c != '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_incomplete_entity_has_at_most_ten_bytes() {
        for text in ["&quot;", "&#x00003c;", "&#0000060;", "&#x10FFFF;", "&amp ", "&#12345678", "&#x1234567"] {
            let mut entity = IncompleteEntity::default();
            entity.bytes.push(b'&');
            let whole = text.bytes().skip(1).find_map(|byte| match entity.push(byte) {
                EntityStep::Incomplete => None,
                step => Some(step),
            });
            assert!(entity.bytes.len() <= 10 && whole.is_some(), "{text}");
            assert_eq!(matches!(whole, Some(EntityStep::Char(_))), text.ends_with(';'), "{text}");
        }
    }
}
