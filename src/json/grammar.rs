//! The grammar of JSON's escapes and literals (RFC 8259), which may be incomplete, in nom.

use nom::branch::alt;
use nom::bytes::tag;
use nom::character::{char, satisfy};
use nom::combinator::{map_opt, verify};
use nom::number::u8;
use nom::sequence::preceded;
use nom::{Emit, Err, OutputM, Parser, Streaming};

/// The result of parsing an escape or a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Matched<T> {
    /// The value, and its length in bytes.
    Whole(T, usize),
    /// More bytes may complete it.
    Incomplete,
    /// No more bytes can make it valid.
    Not,
}

fn run<'i, T>(mut rule: impl Parser<&'i [u8], Output = T, Error = ()>, input: &'i [u8]) -> Matched<T> {
    match rule.process::<OutputM<Emit, Emit, Streaming>>(input) {
        Ok((rest, found)) => Matched::Whole(found, input.len() - rest.len()),
        Err(Err::Incomplete(_)) => Matched::Incomplete,
        Err(_) => Matched::Not,
    }
}

/// Parses an escape to its character. A surrogate without its other half is U+FFFD.
pub(super) fn escape(input: &[u8]) -> Matched<char> {
    run(preceded(char('\\'), alt((simple(), preceded(char('u'), unicode())))), input)
}

fn simple<'i>() -> impl Parser<&'i [u8], Output = char, Error = ()> {
    map_opt(u8(), |byte| {
        Some(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{C}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            _ => return None,
        })
    })
}

fn unicode<'i>() -> impl Parser<&'i [u8], Output = char, Error = ()> {
    let pair = (verify(unit(), |unit| (0xD800..0xDC00).contains(unit)), preceded(tag("\\u"), low()))
        .map(|(high, low)| (u32::from(high - 0xD800) << 10 | u32::from(low - 0xDC00)) + 0x1_0000);
    alt((pair, unit().map(u32::from))).map(|code| char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// Four hexadecimal digits. (A single rule for all four would wait for the byte after them.)
fn unit<'i>() -> impl Parser<&'i [u8], Output = u16, Error = ()> {
    (digit(), digit(), digit(), digit()).map(|(a, b, c, d)| a << 12 | b << 8 | c << 4 | d)
}

/// The second half of a surrogate pair. It fails at the first digit that shows that it is none.
fn low<'i>() -> impl Parser<&'i [u8], Output = u16, Error = ()> {
    let first = verify(digit(), |&a| a == 0xD);
    let second = verify(digit(), |&b| b >= 0xC);
    (first, second, digit(), digit()).map(|(a, b, c, d)| a << 12 | b << 8 | c << 4 | d)
}

fn digit<'i>() -> impl Parser<&'i [u8], Output = u16, Error = ()> {
    satisfy(|c| c.is_ascii_hexdigit()).map(|c| c.to_digit(16).unwrap_or_default() as u16)
}

/// Parses `true`, `false` or `null`.
pub(super) fn literal(input: &[u8]) -> Matched<()> {
    run(alt((tag("true"), tag("false"), tag("null"))).map(|_| ()), input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_decided_by_its_last_character_and_not_later() {
        for (text, read) in [
            ("\\", Matched::Incomplete),
            ("\\n", Matched::Whole('\n', 2)),
            ("\\/", Matched::Whole('/', 2)),
            ("\\x", Matched::Not),
            ("\\N", Matched::Not),
            ("\\u", Matched::Incomplete),
            ("\\u00e", Matched::Incomplete),
            ("\\u00E9", Matched::Whole('é', 6)),
            ("\\u00g", Matched::Not),
            ("\\ude00", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d", Matched::Incomplete),
            ("\\ud83d\\", Matched::Incomplete),
            ("\\ud83dx", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d\\n", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d\\u", Matched::Incomplete),
            ("\\ud83d\\u0", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d\\ud", Matched::Incomplete),
            ("\\ud83d\\ud8", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d\\uDE", Matched::Incomplete),
            ("\\ud83d\\ude0x", Matched::Whole('\u{FFFD}', 6)),
            ("\\ud83d\\ude00", Matched::Whole('😀', 12)),
            ("\\uDBFF\\uDFFF", Matched::Whole('\u{10FFFF}', 12)),
            ("\\u0000", Matched::Whole('\0', 6)),
        ] {
            assert_eq!(escape(text.as_bytes()), read, "{text}");
        }
    }

    #[test]
    fn a_literal_is_one_of_three() {
        for (text, read) in [
            ("t", Matched::Incomplete),
            ("tru", Matched::Incomplete),
            ("true", Matched::Whole((), 4)),
            ("fals", Matched::Incomplete),
            ("null", Matched::Whole((), 4)),
            ("nul ", Matched::Not),
            ("T", Matched::Not),
            ("tn", Matched::Not),
        ] {
            assert_eq!(literal(text.as_bytes()), read, "{text}");
        }
    }
}
