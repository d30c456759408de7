//! JSON's own tokens (RFC 8259), as nom rules over text that is complete.

use alloc::string::String;

use nom::branch::alt;
use nom::bytes::{tag, take_while, take_while_m_n, take_while1};
use nom::character::{char, one_of};
use nom::combinator::{opt, recognize, value};
use nom::sequence::preceded;
use nom::{Complete, Emit, OutputM, Parser};

/// What a rule leaves, and what it found; `None` if it found nothing.
pub(super) type Found<'i, T> = Option<(&'i str, T)>;

/// Runs a rule over text that is complete.
pub(super) fn run<'i, T>(mut rule: impl Parser<&'i str, Output = T, Error = ()>, input: &'i str) -> Found<'i, T> {
    rule.process::<OutputM<Emit, Emit, Complete>>(input).ok()
}

pub(super) fn space<'i>() -> impl Parser<&'i str, Output = &'i str, Error = ()> {
    take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}

pub(super) fn punctuation<'i>(c: char) -> impl Parser<&'i str, Output = char, Error = ()> {
    preceded(space(), char(c))
}

/// A number as it is written.
pub(super) fn number<'i>() -> impl Parser<&'i str, Output = &'i str, Error = ()> {
    let digits = || take_while1(|c: char| c.is_ascii_digit());
    let whole = alt((tag("0"), recognize((one_of("123456789"), take_while(|c: char| c.is_ascii_digit())))));
    let exponent = (one_of("eE"), opt(one_of("+-")), digits());
    recognize((opt(char('-')), whole, opt((char('.'), digits())), opt(exponent)))
}

/// `true`, `false` or `null`.
pub(super) fn literal<'i>() -> impl Parser<&'i str, Output = &'i str, Error = ()> {
    alt((tag("true"), tag("false"), tag("null")))
}

/// What one piece of a string stands for.
#[derive(Clone, Copy)]
enum Piece<'i> {
    Text(&'i str),
    Char(char),
    /// A UTF-16 unit, perhaps half of a character.
    Unit(u16),
}

fn piece<'i>() -> impl Parser<&'i str, Output = Piece<'i>, Error = ()> {
    alt((take_while1(|c| c != '"' && c != '\\' && c >= ' ').map(Piece::Text), preceded(char('\\'), escape())))
}

fn escape<'i>() -> impl Parser<&'i str, Output = Piece<'i>, Error = ()> {
    let unit = take_while_m_n(4, 4, |c: char| c.is_ascii_hexdigit());
    alt((
        one_of("\"\\/").map(Piece::Char),
        value(Piece::Char('\u{8}'), char('b')),
        value(Piece::Char('\u{C}'), char('f')),
        value(Piece::Char('\n'), char('n')),
        value(Piece::Char('\r'), char('r')),
        value(Piece::Char('\t'), char('t')),
        // Four hexadecimal digits always fit.
        preceded(char('u'), unit).map(|digits| Piece::Unit(u16::from_str_radix(digits, 16).unwrap_or(0xFFFD))),
    ))
}

/// A string, decoded. Half a surrogate pair is U+FFFD.
pub(super) fn string(input: &str) -> Found<'_, String> {
    let (mut rest, _) = run(char('"'), input)?;
    let mut out = String::new();
    let mut high = None;
    loop {
        if let Some((behind, _)) = run(char('"'), rest) {
            out.extend(high.map(|_| char::REPLACEMENT_CHARACTER));
            return Some((behind, out));
        }
        let (behind, piece) = run(piece(), rest)?;
        rest = behind;
        if let Some(first) = high.take() {
            match piece {
                Piece::Unit(second @ 0xDC00..=0xDFFF) => {
                    out.extend(char::decode_utf16([first, second]).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
                    continue;
                }
                _ => out.push(char::REPLACEMENT_CHARACTER),
            }
        }
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Char(c) => out.push(c),
            Piece::Unit(unit @ 0xD800..=0xDBFF) => high = Some(unit),
            Piece::Unit(unit) => out.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }
}
