//! JSON as `docs/format.md` has it, with its repairs in strings, seen at once.

use followup::{CallPart, Note, Reason};

/// Reading continues, or this rejects the call: "nothing more is read of the call".
pub type Parsed<T> = Result<T, Reason>;

pub const ILL_FORMED: Reason = Reason::Malformed(Note::IllFormedJson);

/// "JSON is nested no deeper than 128."
const DEPTH: usize = 128;

/// The kind of a value, by its first character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Boolean,
    Null,
    Array,
    Object,
}

/// A character of a text, and whether it is there by a repair (`IllFormedString`): before it, since
/// an escape began so, or after it.
#[derive(Clone, Copy, Debug)]
pub struct Char {
    pub c: char,
    pub before: bool,
    pub after: bool,
}

/// "a `\` that begins no escape is text, and so is what follows it"
const STRAY: Char = Char { c: '\\', before: false, after: true };

/// Returns the characters of a text without repairs.
pub fn plain(text: &str) -> Vec<Char> {
    text.chars().map(|c| Char { c, before: false, after: false }).collect()
}

/// A string, a number or a literal: its characters, and what comes after them.
#[derive(Clone, Debug)]
pub struct Scalar {
    pub chars: Vec<Char>,
    /// `false` if the text ends before it does.
    pub is_closed: bool,
    /// Why it is none; after its characters.
    pub wrong: bool,
}

impl Scalar {
    pub fn text(&self) -> String {
        self.chars.iter().map(|one| one.c).collect()
    }
}

/// A text of JSON.
#[derive(Clone, Debug)]
pub struct Json {
    chars: Vec<Char>,
    index: usize,
    /// Whether what follows the last character is the end of the text, not of the stream.
    pub ends: bool,
    depth: usize,
}

impl Json {
    pub fn new(chars: Vec<Char>, ends: bool) -> Json {
        Json { chars, index: 0, ends, depth: 0 }
    }

    pub fn position(&self) -> usize {
        self.index
    }

    /// Returns the characters from a position on.
    pub fn since(&self, start: usize) -> &[Char] {
        &self.chars[start..self.index]
    }

    pub fn peek(&self) -> Option<char> {
        self.chars.get(self.index).map(|one| one.c)
    }

    pub fn next(&mut self) -> Option<Char> {
        let next = self.chars.get(self.index).copied();
        self.index += usize::from(next.is_some());
        next
    }

    /// "If it is broken [...] the call is rejected"; "the stream ends before the arguments are
    /// closed".
    pub fn missing(&self, part: CallPart) -> Reason {
        if self.ends { ILL_FORMED } else { Reason::Truncated(part) }
    }

    pub fn deeper(&mut self) -> Parsed<()> {
        self.depth += 1;
        if self.depth > DEPTH { Err(ILL_FORMED) } else { Ok(()) }
    }

    pub fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// Reads a string after its first quote.
    pub fn string(&mut self) -> Scalar {
        let mut chars: Vec<Char> = Vec::new();
        loop {
            let Some(next) = self.next() else { return Scalar { chars, is_closed: false, wrong: false } };
            match next.c {
                '"' => return Scalar { chars, is_closed: true, wrong: false },
                '\\' => match self.escape() {
                    Some(Char { c, before, after }) => {
                        chars.push(Char { c, before: before || next.before || next.after, after });
                    }
                    None => return Scalar { chars, is_closed: false, wrong: false },
                },
                // "a control character below U+0020 that is not escaped means itself"
                c => chars.push(Char { c, after: next.after || c < ' ', ..next }),
            }
        }
    }

    /// Reads an escape after its `\`. Returns its character, and whether there is a repair before
    /// or after that is decided; `None` if the text ends before.
    fn escape(&mut self) -> Option<Char> {
        let simple = match self.peek()? {
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            c @ ('"' | '\\' | '/') => c,
            'u' => return self.unicode(),
            _ => return Some(STRAY),
        };
        self.next().map(|next| Char { c: simple, before: false, after: next.before || next.after })
    }

    /// Returns the number of an escape whose `u` is at `at`: `Some(None)` if it is none, `None` if
    /// the text ends before it is decided.
    fn unit(&self, index: usize) -> Option<Option<u32>> {
        let mut number = 0;
        for i in 1..=4 {
            match self.chars.get(index + i)?.c.to_digit(16) {
                Some(digit) => number = number * 16 + digit,
                None => return Some(None),
            }
        }
        Some(Some(number))
    }

    fn unicode(&mut self) -> Option<Char> {
        let Some(first) = self.unit(self.index)? else { return Some(STRAY) };
        self.index += 5;
        let char = |c: Option<char>| Char { c: c.unwrap_or('\u{FFFD}'), before: false, after: false };
        if !(0xD800..0xDC00).contains(&first) {
            // "A surrogate without its other half is one U+FFFD."
            return Some(char(char::from_u32(first)));
        }
        // "a first half of a surrogate pair [is decided] when what follows it can't be its second
        // half any more", which begins with `d` and one of `c` to `f`. So the repairs that are made
        // until then come before it.
        let digits = "0123456789abcdefABCDEF";
        let mut before = false;
        for (i, allowed) in ["\\", "u", "dD", "cdefCDEF", digits, digits].into_iter().enumerate() {
            let next = *self.chars.get(self.index + i)?;
            if !allowed.contains(next.c) {
                return Some(Char { before: before || next.before, ..char(None) });
            }
            before |= next.before || next.after;
        }
        let second = self.unit(self.index + 1)??;
        self.index += 6;
        let both = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        Some(Char { before, ..char(char::from_u32(both)) })
    }

    /// Reads a number, a literal or a string.
    pub fn scalar(&mut self, kind: Kind) -> Scalar {
        match kind {
            Kind::Text => {
                self.next();
                self.string()
            }
            Kind::Number => self.number(),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) -> Scalar {
        let word = ["true", "false", "null"].into_iter().find(|word| word.starts_with(self.peek().unwrap_or('n')));
        let mut chars = Vec::new();
        for c in word.unwrap_or_default().chars() {
            match self.peek() {
                None => return Scalar { chars, is_closed: false, wrong: false },
                Some(next) if next == c => chars.extend(self.next()),
                Some(_) => return Scalar { chars, is_closed: true, wrong: true },
            }
        }
        Scalar { chars, is_closed: true, wrong: false }
    }

    /// "Of an ill-formed number or literal it has what could be the beginning of one."
    fn number(&mut self) -> Scalar {
        let mut chars: Vec<Char> = Vec::new();
        loop {
            let mut longer: String = chars.iter().map(|one| one.c).collect();
            let whole = longer.clone();
            let Some(c) = self.peek() else { return Scalar { chars, is_closed: false, wrong: false } };
            longer.push(c);
            if !begins_number(&longer) {
                return Scalar { chars, is_closed: true, wrong: !is_number(&whole) };
            }
            chars.extend(self.next());
        }
    }
}

fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text).is_ok() || is_large_number(text)
}

/// `serde_json` refuses numbers beyond those of a double.
fn is_large_number(text: &str) -> bool {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && digits(fraction) && digits(exponent)
}

/// Whether this could be the beginning of a number: with one of these ends it is one.
fn begins_number(text: &str) -> bool {
    ["", "0", "1", "+1"].iter().any(|end| is_large_number(&format!("{text}{end}")))
}
