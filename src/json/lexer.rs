//! The lexer of JSON (RFC 8259) that arrives in pieces: one pass, no recursion.

use smallvec::SmallVec;

use super::grammar::{self, Matched};
use crate::scan;
use crate::space::is_space;

/// The maximum depth of nested arrays and objects.
const DEPTH: u8 = 128;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonToken<'t> {
    /// A value begins.
    Begin(Type),
    /// A key begins.
    BeginKey,
    /// More of a string, without escapes, or of a number or a literal.
    Text(&'t str),
    /// A decoded character of a string.
    Char(char),
    /// A control character, or the `\` of an invalid escape, as a character of the string.
    Stray(char),
    /// The innermost value has ended.
    End,
    /// The key has ended.
    EndKey,
    /// Text other than white space after the whole value. It is emitted once.
    TextAfter,
    /// The text is not JSON.
    IllFormed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

/// A position in the JSON.
///
/// ```text
///   Value ──► Object · Array ──► … ──► CommaOrEnd ──► After ──► Ignored
///     └─────► String · Number · Literal ──► Ended ──────┘
///   KeyOrEnd · Key ──► Key string ──► Colon ──► Value          anywhere ──► IllFormed
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Expect {
    /// Before the whole value, after a colon, or after a comma in an array.
    Value,
    /// After `[`.
    ItemOrEnd,
    /// After `{`.
    KeyOrEnd,
    /// After a comma in an object.
    Key,
    /// After a key.
    Colon,
    /// After a value in an array or object.
    CommaOrEnd,
    /// In a string, which is a key or a value.
    String { key: bool },
    /// In a number.
    Number(Number),
    /// In a literal, whose bytes so far are pending.
    Literal,
    /// After a literal whose [`JsonToken::End`] is not emitted yet.
    Ended,
    /// After the whole value.
    After,
    /// In the text after the whole value.
    Ignored,
    /// After text that is not JSON.
    ///
    /// `after_value`: only a comma or a closing bracket could have followed.
    IllFormed { after_value: bool },
}

/// The part of a number before the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Number {
    Start,
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl Number {
    /// Returns the state after one more byte; `None` if it is not part of the number.
    fn after(self, byte: u8) -> Option<Number> {
        match (self, byte) {
            (Number::Start, b'-') => Some(Number::Minus),
            (Number::Start | Number::Minus, b'0') => Some(Number::Zero),
            (Number::Start | Number::Minus | Number::Whole, b'0'..=b'9') => Some(Number::Whole),
            (Number::Zero | Number::Whole, b'.') => Some(Number::Point),
            (Number::Point | Number::Fraction, b'0'..=b'9') => Some(Number::Fraction),
            (Number::Zero | Number::Whole | Number::Fraction, b'e' | b'E') => Some(Number::E),
            (Number::E, b'+' | b'-') => Some(Number::Sign),
            (Number::E | Number::Sign | Number::Exponent, b'0'..=b'9') => Some(Number::Exponent),
            _ => None,
        }
    }

    fn is_whole(self) -> bool {
        matches!(self, Number::Zero | Number::Whole | Number::Fraction | Number::Exponent)
    }
}

/// The arrays and objects that are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Nest {
    /// One bit for each, from the outermost: 1 for an object. Higher bits are 0.
    objects: u128,
    /// At most [`DEPTH`].
    depth: u8,
}

impl Nest {
    /// Opens an array or object. Returns `false` if that is too deep.
    fn open(&mut self, object: bool) -> bool {
        let fits = self.depth < DEPTH;
        if fits {
            self.objects |= u128::from(object) << self.depth;
            self.depth += 1;
        }
        fits
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.objects &= !(1 << self.depth);
    }

    /// Returns `true` if the one at index `i`, from the outermost, is an object.
    fn is_object(self, i: u8) -> bool {
        self.objects >> i & 1 == 1
    }

    /// Returns `true` if the innermost is an object; `None` if nothing is open.
    fn innermost(self) -> Option<bool> {
        self.depth.checked_sub(1).map(|i| self.is_object(i))
    }

    /// Returns whether no bit is set for an array or object that is not open.
    ///
    /// With such a bit, a reader may never reach the end of a text.
    fn is_in_bounds(self) -> bool {
        self.depth <= DEPTH && (self.depth == DEPTH || self.objects >> self.depth == 0)
    }
}

/// The lexer of one JSON value. It keeps a token that is incomplete.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Lexer {
    expect: Expect,
    nest: Nest,
    /// An incomplete escape or literal: ASCII, at most as long as a pair of surrogates.
    pending: SmallVec<[u8; 12]>,
    /// The pending bytes turned out to be no escape, but text. `false` between two pieces.
    plain: bool,
}

impl Lexer {
    pub(crate) const NEW: Lexer = Lexer {
        expect: Expect::Value,
        nest: Nest { objects: 0, depth: 0 },
        pending: SmallVec::new_const(),
        plain: false,
    };

    /// Returns the number of open arrays and objects.
    pub(crate) fn depth(&self) -> usize {
        usize::from(self.nest.depth)
    }

    /// Returns `true` if the whole value has ended.
    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.expect, Expect::After | Expect::Ignored)
    }

    /// Returns `true` if the text is not JSON.
    pub(crate) fn is_ill_formed(&self) -> bool {
        matches!(self.expect, Expect::IllFormed { .. })
    }

    /// Returns `true` if text that is not JSON came where a comma or a closing bracket could have.
    pub(crate) fn breaks_after_value(&self) -> bool {
        self.expect == Expect::IllFormed { after_value: true }
    }

    /// Consumes what is between a key and its value.
    ///
    /// Returns the first byte of the value, which is not consumed; `None` at the end of the text,
    /// or if something else than a value follows.
    pub(crate) fn value_start(&mut self, text: &str, pos: &mut usize) -> Option<u8> {
        loop {
            let byte = *text.as_bytes().get(*pos)?;
            match byte {
                byte if is_space(byte) => {}
                b':' if self.expect == Expect::Colon => self.expect = Expect::Value,
                _ => return (self.expect == Expect::Value).then_some(byte),
            }
            *pos += 1;
        }
    }

    /// Begins the value of a key that was read elsewhere.
    pub(crate) fn begin_member(&mut self) {
        self.expect = Expect::Value;
    }

    /// Returns `true` after a value in an array or object.
    pub(crate) fn is_after_member(&self) -> bool {
        self.expect == Expect::CommaOrEnd
    }

    /// Continues after a value of an object that was read elsewhere.
    pub(crate) fn skip_read_value(&mut self) {
        self.expect = Expect::CommaOrEnd;
    }

    /// Returns `true` inside a key.
    pub(crate) fn is_in_key(&self) -> bool {
        self.expect == Expect::String { key: true }
    }

    /// Returns the length of the plain text at `index`, if a string that is a value is being read.
    #[inline]
    pub(crate) fn plain_len(&self, text: &str, index: usize) -> usize {
        let is_in_string = self.expect == Expect::String { key: false } && self.pending.is_empty();
        if is_in_string { scan::plain_in_string(&text.as_bytes()[index..]) } else { 0 }
    }

    /// Returns the character and the length of a complete escape at `index`.
    ///
    /// `None` if there is none, or if no string that is a value is being read.
    #[inline]
    pub(crate) fn escaped(&self, text: &str, index: usize) -> Option<(char, usize)> {
        let rest = text.as_bytes().get(index..).filter(|rest| rest.first() == Some(&b'\\'))?;
        if self.expect != (Expect::String { key: false }) || !self.pending.is_empty() {
            return None;
        }
        match grammar::escape(rest) {
            Matched::Whole(char, len) => Some((char, len)),
            Matched::Incomplete | Matched::Not => None,
        }
    }

    /// Returns `true` inside a string that is a value, a number or a literal.
    pub(crate) fn is_in_value(&self) -> bool {
        matches!(self.expect, Expect::String { key: false } | Expect::Number(_) | Expect::Literal | Expect::Ended)
    }

    /// Returns `true` inside a string.
    pub(crate) fn is_in_string(&self) -> bool {
        matches!(self.expect, Expect::String { .. })
    }

    /// Returns `true` if the next character is text of a string, unless it is a delimiter.
    pub(crate) fn is_in_text(&self) -> bool {
        matches!(self.expect, Expect::String { .. }) && self.pending.is_empty()
    }

    /// Returns `true` if the state can occur between two pieces of a stream.
    pub(crate) fn is_in_bounds(&self) -> bool {
        let pending = &self.pending;
        let is_incomplete = match self.expect {
            Expect::Literal => grammar::literal(pending) == Matched::Incomplete,
            Expect::String { .. } => pending.is_empty() || grammar::escape(pending) == Matched::Incomplete,
            _ => pending.is_empty(),
        };
        self.nest.is_in_bounds() && is_incomplete && !self.plain
    }

    /// Consumes the next token of `text` at `*pos`; `None` at the end of the text.
    pub(crate) fn next<'t>(&mut self, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        match self.expect {
            Expect::String { key } => self.next_in_string(key, text, pos),
            Expect::Number(number) => self.next_in_number(number, text, pos),
            Expect::Literal => self.next_in_literal(text, pos),
            Expect::Ended => Some(self.end_value()),
            Expect::Ignored | Expect::IllFormed { .. } => {
                *pos = text.len();
                None
            }
            _ => self.next_between(text, pos),
        }
    }

    fn end_value(&mut self) -> JsonToken<'static> {
        self.expect = if self.nest.depth == 0 { Expect::After } else { Expect::CommaOrEnd };
        JsonToken::End
    }

    /// Removes the first pending byte and returns it as a character.
    fn shift(&mut self) -> Option<char> {
        (!self.pending.is_empty()).then(|| char::from(self.pending.remove(0)))
    }

    fn ill_formed<'t>(&mut self) -> Option<JsonToken<'t>> {
        self.pending.clear();
        self.expect = Expect::IllFormed { after_value: self.expect == Expect::CommaOrEnd };
        Some(JsonToken::IllFormed)
    }

    /// Consumes a token between strings, numbers and literals.
    fn next_between<'t>(&mut self, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        loop {
            let byte = *text.as_bytes().get(*pos)?;
            if is_space(byte) {
                *pos += 1;
                continue;
            }
            match (self.expect, byte, self.nest.innermost()) {
                (Expect::Colon, b':', _) => self.expect = Expect::Value,
                (Expect::CommaOrEnd, b',', Some(true)) => self.expect = Expect::Key,
                (Expect::CommaOrEnd, b',', Some(false)) => self.expect = Expect::Value,
                (Expect::CommaOrEnd | Expect::KeyOrEnd, b'}', Some(true))
                | (Expect::CommaOrEnd | Expect::ItemOrEnd, b']', Some(false)) => {
                    *pos += 1;
                    self.nest.close();
                    return Some(self.end_value());
                }
                (Expect::KeyOrEnd | Expect::Key, b'"', _) => {
                    *pos += 1;
                    self.expect = Expect::String { key: true };
                    return Some(JsonToken::BeginKey);
                }
                (Expect::Value | Expect::ItemOrEnd, _, _) => return self.begin_value(byte, pos),
                (Expect::After, ..) => {
                    self.expect = Expect::Ignored;
                    return Some(JsonToken::TextAfter);
                }
                _ => return self.ill_formed(),
            }
            *pos += 1;
        }
    }

    fn begin_value<'t>(&mut self, byte: u8, pos: &mut usize) -> Option<JsonToken<'t>> {
        let (kind, expect, consumed) = match byte {
            b'{' => (Type::Object, Expect::KeyOrEnd, 1),
            b'[' => (Type::Array, Expect::ItemOrEnd, 1),
            b'"' => (Type::String, Expect::String { key: false }, 1),
            b'-' | b'0'..=b'9' => (Type::Number, Expect::Number(Number::Start), 0),
            b't' | b'f' => (Type::Boolean, Expect::Literal, 0),
            b'n' => (Type::Null, Expect::Literal, 0),
            _ => return self.ill_formed(),
        };
        if matches!(kind, Type::Object | Type::Array) && !self.nest.open(kind == Type::Object) {
            return self.ill_formed();
        }
        *pos += consumed;
        self.expect = expect;
        Some(JsonToken::Begin(kind))
    }

    fn next_in_number<'t>(&mut self, mut number: Number, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        let start = *pos;
        while let Some(after) = text.as_bytes().get(*pos).and_then(|&byte| number.after(byte)) {
            number = after;
            *pos += 1;
        }
        self.expect = Expect::Number(number);
        if *pos > start {
            Some(JsonToken::Text(&text[start..*pos]))
        } else if *pos == text.len() {
            None
        } else if number.is_whole() {
            Some(self.end_value())
        } else {
            self.ill_formed()
        }
    }

    fn next_in_literal<'t>(&mut self, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        let byte = *text.as_bytes().get(*pos)?;
        self.pending.push(byte);
        match grammar::literal(&self.pending) {
            Matched::Incomplete => {}
            Matched::Whole(..) => {
                self.pending.clear();
                self.expect = Expect::Ended;
            }
            Matched::Not => return self.ill_formed(),
        }
        *pos += 1;
        Some(JsonToken::Text(&text[*pos - 1..*pos]))
    }

    fn next_in_string<'t>(&mut self, key: bool, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        if !self.pending.is_empty() {
            return self.next_in_escape(text, pos);
        }
        let rest = &text[*pos..];
        let plain = scan::plain_in_string(rest.as_bytes());
        if plain > 0 {
            *pos += plain;
            return Some(JsonToken::Text(&rest[..plain]));
        }
        let byte = *rest.as_bytes().first()?;
        *pos += 1;
        match byte {
            b'"' if key => {
                self.expect = Expect::Colon;
                Some(JsonToken::EndKey)
            }
            b'"' => Some(self.end_value()),
            b'\\' => {
                self.pending.push(byte);
                self.next_in_escape(text, pos)
            }
            _ => Some(JsonToken::Stray(char::from(byte))),
        }
    }

    /// Continues the pending escape.
    fn next_in_escape<'t>(&mut self, text: &'t str, pos: &mut usize) -> Option<JsonToken<'t>> {
        if self.plain {
            let char = self.shift();
            self.plain = !self.pending.is_empty();
            return char.map(JsonToken::Char);
        }
        loop {
            match grammar::escape(&self.pending) {
                Matched::Incomplete => {
                    self.pending.push(*text.as_bytes().get(*pos)?);
                    *pos += 1;
                }
                Matched::Whole(char, len) => {
                    self.pending.drain(..len);
                    // The byte that decided it is consumed again. It may be in the middle of a
                    // character.
                    if self.pending.pop().is_some() {
                        *pos -= 1;
                    }
                    return Some(JsonToken::Char(char));
                }
                Matched::Not => {
                    self.pending.pop();
                    *pos -= 1;
                    let char = self.shift();
                    self.plain = !self.pending.is_empty();
                    return char.map(JsonToken::Stray);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::{String, ToString};

    #[test]
    fn a_stored_lexer_knows_nothing_of_objects_that_are_not_open() {
        let with = |objects, depth| Lexer { nest: Nest { objects, depth }, ..Lexer::NEW };
        assert!(with(0b01, 1).is_in_bounds() && with(u128::MAX, DEPTH).is_in_bounds());
        assert!(!with(0b10, 1).is_in_bounds() && !with(1, 0).is_in_bounds() && !with(0, DEPTH + 1).is_in_bounds());
    }

    /// Returns the tokens of `pieces` as one line, neighbouring text joined.
    fn tokens(pieces: &[&str]) -> String {
        let mut lexer = Lexer::NEW;
        let (mut out, mut in_text) = (String::new(), false);
        for piece in pieces {
            let mut pos = 0;
            while let Some(token) = lexer.next(piece, &mut pos) {
                let (text, shown) = match token {
                    JsonToken::Text(text) => (true, text.to_string()),
                    JsonToken::Char(char) => (true, char.to_string()),
                    JsonToken::Stray(char) => (true, format!("{char}!")),
                    JsonToken::Begin(Type::Object) => (false, "{".into()),
                    JsonToken::Begin(Type::Array) => (false, "[".into()),
                    JsonToken::Begin(kind) => (false, format!("{kind:?}")),
                    JsonToken::BeginKey => (false, "key".into()),
                    JsonToken::End => (false, ".".into()),
                    JsonToken::EndKey => (false, ":".into()),
                    JsonToken::TextAfter => (false, "after".into()),
                    JsonToken::IllFormed => (false, "ill-formed".into()),
                };
                if !out.is_empty() && (!text || !in_text) {
                    out.push(' ');
                }
                out += &shown;
                in_text = text;
            }
            assert_eq!(pos, piece.len());
        }
        out
    }

    #[test]
    fn json_is_read_the_same_however_it_is_cut() {
        for (text, read) in [
            (
                r#" {"a":"b c", "\u0061":[1, -0.5e+3,true,null]} "#,
                "{ key a : String b c . key a : [ Number 1 . Number -0.5e+3 . Boolean true . Null null . . .",
            ),
            ("[]x]", "[ . after"),
            ("{ }\n", "{ ."),
            (r#"["a\n\u00e9\ud83d\ude00\/"]"#, "[ String a\né😀/ . ."),
            (r#"["\ud83d\ud83d\ude00\ud83d\n\ud83dx\ud83d"]"#, "[ String \u{FFFD}😀\u{FFFD}\n\u{FFFD}x\u{FFFD} . ."),
            (r#"["\x\u12x\u1\n\é\ud83d\x"]"#, "[ String \\!x\\!u12x\\!u1\n\\!é\u{FFFD}\\!x . ."),
            ("[\"a\nb\0\"]", "[ String a\n!b\0! . ."),
            ("[1 2]", "[ Number 1 . ill-formed"),
            ("[01]", "[ Number 0 . ill-formed"),
            ("[1.]", "[ Number 1. ill-formed"),
            ("[-]", "[ Number - ill-formed"),
            ("[truth]", "[ Boolean tru ill-formed"),
            ("[nul]", "[ Null nul ill-formed"),
            ("[1,]", "[ Number 1 . ill-formed"),
            ("{\"a\":1,}", "{ key a : Number 1 . ill-formed"),
            ("{\"a\" 1}", "{ key a : ill-formed"),
            ("{a:1}", "{ ill-formed"),
            ("{]", "{ ill-formed"),
            ("[}", "[ ill-formed"),
            ("}", "ill-formed"),
            ("'a'", "ill-formed"),
            ("12", "Number 12"),
        ] {
            assert_eq!(tokens(&[text]), read, "{text}");
            for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                assert_eq!(tokens(&[&text[..cut], &text[cut..]]), read, "{text} at {cut}");
            }
        }
    }

    #[test]
    fn depth_is_bounded() {
        let nested = |depth: usize| tokens(&[&"[".repeat(depth), &"]".repeat(depth)]);
        assert!(nested(128).ends_with(". . ."));
        assert!(nested(129).ends_with("[ [ ill-formed"));
        assert!(nested(1_000_000).ends_with("[ [ ill-formed"));
        assert!(tokens(&[&"{\"a\":".repeat(1_000_000)]).ends_with("ill-formed"));
    }
}
