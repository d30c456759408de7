//! Entities, decoded as they arrive.

use nom::branch::alt;
use nom::bytes::{tag, take_while_m_n};
use nom::character::char;
use nom::combinator::value;
use nom::sequence::{delimited, preceded};
use nom::{Emit, OutputM, Parser, Streaming};
use smallvec::SmallVec;

/// The beginning of an entity, from its `&` on, that the bytes so far leave open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Begun {
    /// Never longer than `&#xFFFFFF` or `&#9999999`.
    bytes: SmallVec<[u8; 12]>,
}

/// What one more byte makes of a begun entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It may still become one.
    Open,
    /// It is this character.
    Char(char),
    /// It was none: it is text, without the byte that showed it.
    Text,
}

/// What is already certain of a begun entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outlook {
    /// Whatever it becomes begins with `&`.
    pub(crate) ampersand: bool,
    /// It may become a blank.
    pub(crate) blank: bool,
    /// The most bytes its first character may have.
    pub(crate) longest: usize,
}

impl Begun {
    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn begin(&mut self) {
        self.bytes.push(b'&');
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
    }

    /// The text of it. It holds ASCII alone.
    pub(crate) fn text(&self) -> &str {
        core::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// Goes on with the next byte of the stream.
    pub(crate) fn step(&mut self, byte: u8) -> Step {
        self.bytes.push(byte);
        let read = entity().process::<OutputM<Emit, Emit, Streaming>>(&self.bytes[..]).map(|(_, c)| c);
        match read {
            Ok(Some(c)) => Step::Char(c),
            Err(nom::Err::Incomplete(_)) if self.outlook().is_some() => Step::Open,
            _ => {
                self.bytes.pop();
                Step::Text
            }
        }
    }

    /// Whether some text leads here.
    pub(crate) fn is_possible(&self) -> bool {
        let Some((first, rest)) = self.bytes.split_first() else { return true };
        let mut again = Begun::default();
        again.begin();
        *first == b'&' && rest.iter().all(|&byte| again.step(byte) == Step::Open)
    }

    /// What may become of it; `None` if nothing but text.
    pub(crate) fn outlook(&self) -> Option<Outlook> {
        let (digits, radix, most) = match &self.bytes[..] {
            [b'&', b'#', b'x', digits @ ..] => (digits, 16, 6),
            [b'&', b'#', digits @ ..] => (digits, 10, 7),
            [b'&', b'a', b'm', ..] => return Some(Outlook { ampersand: true, blank: false, longest: 1 }),
            [b'&'] => return Some(Outlook { ampersand: false, blank: true, longest: 4 }),
            _ => return Some(Outlook { ampersand: false, blank: false, longest: 1 }),
        };
        let number = digits.iter().try_fold(0, |n: u32, &d| Some(n * radix + char::from(d).to_digit(radix)?))?;
        let reach = |more: u32| {
            let scale = radix.pow(more);
            (u64::from(number) * u64::from(scale), u64::from(number) * u64::from(scale) + u64::from(scale - 1))
        };
        let more = (most - digits.len()) as u32;
        // A number needs a digit; with none yet, its first is among the digits to come.
        let ranges = || (u32::from(digits.is_empty())..=more).map(reach);
        let last = ranges().map(|(low, high)| last_char(low, high)).max().flatten()?;
        Some(Outlook {
            // The numbers that may come are one, or end in a 9 or an F, which `&` does not.
            ampersand: ranges().all(|(low, high)| last_char(low, high).is_none_or(|c| c == '&')),
            blank: ranges()
                .any(|(low, high)| BLANKS.iter().any(|&blank| (low..=high).contains(&u64::from(u32::from(blank))))),
            longest: last.len_utf8(),
        })
    }
}

fn last_char(low: u64, high: u64) -> Option<char> {
    let high = match high.min(0x10_FFFF) {
        0xD800..=0xDFFF => 0xD7FF,
        high => high,
    };
    if low > high || high == 0 { None } else { char::from_u32(high as u32) }
}

/// All characters of Unicode `White_Space`.
const BLANKS: [char; 25] = [
    '\t', '\n', '\u{B}', '\u{C}', '\r', ' ', '\u{85}', '\u{A0}', '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}',
    '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}', '\u{200A}', '\u{2028}',
    '\u{2029}', '\u{202F}', '\u{205F}', '\u{3000}',
];

/// Whether the beginning of a character's UTF-8 form may become a blank.
pub(crate) fn may_be_blank(begun: &[u8]) -> bool {
    shortest_blank(begun).is_some()
}

/// How many bytes the shortest blank has whose UTF-8 form begins so.
pub(crate) fn shortest_blank(begun: &[u8]) -> Option<usize> {
    let begins = |blank: &&char| blank.encode_utf8(&mut [0; 4]).as_bytes().starts_with(begun);
    BLANKS.iter().filter(begins).map(|blank| blank.len_utf8()).min()
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

/// Decodes all entities in `text`, of which nothing more comes.
pub(crate) fn decode(text: &str, mut out: impl FnMut(&str)) {
    let mut begun = Begun::default();
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        out(&rest[..at]);
        begun.clear();
        begun.begin();
        let mut len = 1;
        rest = &rest[at..];
        loop {
            match rest.as_bytes().get(len).map(|&b| begun.step(b)) {
                Some(Step::Open) => len += 1,
                Some(Step::Char(c)) => {
                    out(c.encode_utf8(&mut [0; 4]));
                    len += 1;
                    break;
                }
                Some(Step::Text) | None => {
                    out(&rest[..len]);
                    break;
                }
            }
        }
        rest = &rest[len..];
    }
    out(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    fn decoded(text: &str) -> String {
        let mut out = String::new();
        decode(text, |part| out.push_str(part));
        out
    }

    #[test]
    fn the_five_of_xml_and_numbers_are_decoded_and_nothing_else() {
        for (written, meant) in [
            ("&lt;&gt;&amp;&quot;&apos;", "<>&\"'"),
            ("&#60;&#x3c;&#x3C;&#039;&#x1F600;", "<<<'😀"),
            ("&amp;lt;", "&lt;"),
            ("&nbsp; &LT; &lt &; &#; &#x; &", "&nbsp; &LT; &lt &; &#; &#x; &"),
            ("&#0; &#xD800; &#x110000; &#12345678;", "&#0; &#xD800; &#x110000; &#12345678;"),
            ("&&lt;é&#x1F6 00;", "&<é&#x1F6 00;"),
        ] {
            assert_eq!(decoded(written), meant, "{written}");
        }
    }

    #[test]
    fn every_blank_is_known() {
        let all: alloc::vec::Vec<char> = ('\0'..=char::MAX).filter(|c| c.is_whitespace()).collect();
        assert_eq!(all, BLANKS);
    }

    /// The outlook, by trying every way a begun entity can go on (numbers: to the last digit but with few digits left).
    #[test]
    fn the_outlook_is_what_every_continuation_agrees_on() {
        for begun in [
            "&",
            "&a",
            "&am",
            "&amp",
            "&ap",
            "&l",
            "&q",
            "&#3",
            "&#00000",
            "&#000003",
            "&#0000038",
            "&#x0",
            "&#x00002",
            "&#x000020",
            "&#x3000",
            "&#xD80",
            "&#x00D8",
            "&#x10FFF",
            "&#1114",
            "&#111411",
            "&#55296",
            "&#x2",
            "&#x20",
            "&#x1F60",
        ] {
            let mut state = Begun::default();
            state.begin();
            let open = begun.bytes().skip(1).all(|b| state.step(b) == Step::Open);
            let mut firsts = alloc::collections::BTreeSet::new();
            let mut entities = 0;
            all_continuations(begun, &mut |whole| {
                let out = decoded(whole);
                entities += usize::from(out != whole);
                firsts.insert(out.chars().next().unwrap());
            });
            assert_eq!(open, entities > 0, "{begun}");
            let Some(outlook) = state.outlook().filter(|_| open) else { continue };
            firsts.insert('&');
            assert_eq!(outlook.ampersand, firsts.iter().all(|&c| c == '&'), "{begun}");
            assert_eq!(outlook.blank, firsts.iter().any(|c| c.is_whitespace()), "{begun}");
            assert_eq!(outlook.longest, firsts.iter().map(|c| c.len_utf8()).max().unwrap(), "{begun}");
        }
    }

    fn all_continuations(begun: &str, found: &mut impl FnMut(&str)) {
        for name in ["&lt;", "&gt;", "&amp;", "&quot;", "&apos;"] {
            if name.starts_with(begun) {
                found(name);
            }
        }
        let (digits, radix, most) = match begun.strip_prefix("&#x") {
            Some(digits) => (digits, 16_u32, 6),
            None if begun == "&" => {
                return ['\t', '\u{10FFFF}'].iter().for_each(|&c| found(&alloc::format!("&#{};", u32::from(c))));
            }
            None => (begun.strip_prefix("&#").unwrap_or("none"), 10, 7),
        };
        if digits == "none" {
            return;
        }
        for more in 0..=(most - digits.len()) as u32 {
            for n in 0..radix.pow(more) {
                let tail = match (more, radix) {
                    (0, _) => String::new(),
                    (w, 16) => alloc::format!("{n:0w$x}", w = w as usize),
                    (w, _) => alloc::format!("{n:0w$}", w = w as usize),
                };
                found(&alloc::format!("{begun}{tail};"));
            }
        }
    }
}
