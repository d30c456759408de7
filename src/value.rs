//! A value as it grows at the end of an arena: what of it is certain, and what is not yet.

use alloc::string::String;

use crate::Entities;
use crate::entity::{self, Begun, Step};

/// A question or an answer that is being read into an arena. Its text is `arena[start..]`.
///
/// Blanks in front are never taken in. Blanks at the end are, but they are certain only when something that
/// is not blank follows. Only new text is looked at, so the cost is linear in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Value {
    pub(crate) start: usize,
    /// The end of what is certain: behind the last character that is not blank, or behind the blanks
    /// too when something that is not blank is sure to follow them.
    pub(crate) certain: usize,
    /// Something that is not blank has come, or is sure to come next.
    pub(crate) exists: bool,
    /// Blanks were left out because there was no room for them: anything else passes the limit.
    pub(crate) full: bool,
    /// The beginning of an entity, behind the text. Empty unless entities are decoded.
    pub(crate) begun: Begun,
    /// The `&` of `begun` is certain, and already in the text.
    pub(crate) ampersand: bool,
}

/// A value went over its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passed;

impl Value {
    pub(crate) fn at(start: usize) -> Value {
        Value { start, certain: start, exists: false, full: false, begun: Begun::default(), ampersand: false }
    }

    /// Takes in more of the value as it is written.
    #[inline]
    pub(crate) fn push(&mut self, arena: &mut String, text: &str, limit: usize, decode: bool) -> Result<(), Passed> {
        if decode { self.push_decoded(arena, text, limit) } else { self.push_plain(arena, text, limit) }
    }

    #[inline]
    fn push_plain(&mut self, arena: &mut String, text: &str, limit: usize) -> Result<(), Passed> {
        let text = if arena.len() == self.start { text.trim_start() } else { text };
        if text.is_empty() {
            return Ok(());
        }
        let room = if self.full { 0 } else { limit - (arena.len() - self.start) };
        let fits = &text[..text.floor_char_boundary(room.min(text.len()))];
        let solid = fits.trim_end().len();
        if solid > 0 {
            self.exists = true;
            self.certain = arena.len() + solid;
        }
        arena.push_str(fits);
        if fits.len() == text.len() {
            return Ok(());
        }
        self.full = true;
        if text[fits.len()..].trim_start().is_empty() {
            return Ok(());
        }
        arena.truncate(self.certain);
        Err(Passed)
    }

    /// Takes in plain text that ends in blanks behind the first `solid` bytes, if there is more of the value already, and room. Gives to where it was
    /// certain before.
    #[inline]
    pub(crate) fn grow_plainly(&mut self, arena: &mut String, text: &str, solid: usize, limit: usize) -> Option<usize> {
        let len = arena.len() + text.len();
        if !self.exists || self.full || len - self.start > limit {
            return None;
        }
        let certain = arena.len() + solid;
        arena.push_str(text);
        Some(core::mem::replace(&mut self.certain, certain))
    }

    fn push_decoded(&mut self, arena: &mut String, text: &str, limit: usize) -> Result<(), Passed> {
        let mut rest = text;
        while !rest.is_empty() {
            if self.begun.is_empty() {
                let at = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
                self.push_plain(arena, &rest[..at], limit)?;
                rest = &rest[at..];
                if !rest.is_empty() {
                    self.begun.begin();
                    rest = &rest[1..];
                }
                continue;
            }
            match self.begun.step(rest.as_bytes()[0]) {
                Step::Open => {
                    rest = &rest[1..];
                    self.foresee_entity(arena, limit)?;
                }
                Step::Char(c) => {
                    rest = &rest[1..];
                    self.begun.clear();
                    if !core::mem::take(&mut self.ampersand) {
                        self.push_plain(arena, c.encode_utf8(&mut [0; 4]), limit)?;
                    }
                }
                Step::Text => self.settle(arena, limit)?,
            }
        }
        if self.begun.is_empty() { Ok(()) } else { self.foresee_entity(arena, limit) }
    }

    /// Shows of a begun entity what is certain whatever becomes of it.
    fn foresee_entity(&mut self, arena: &mut String, limit: usize) -> Result<(), Passed> {
        match self.begun.outlook() {
            Some(outlook) if outlook.ampersand && !self.ampersand => {
                self.ampersand = true;
                self.push_plain(arena, "&", limit)
            }
            Some(outlook) if !outlook.blank && !self.ampersand => {
                self.foresee(arena, outlook.longest, limit);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The entity that had begun is none, it is text.
    pub(crate) fn settle(&mut self, arena: &mut String, limit: usize) -> Result<(), Passed> {
        if self.begun.is_empty() {
            return Ok(());
        }
        let begun = core::mem::take(&mut self.begun);
        let shown = usize::from(core::mem::take(&mut self.ampersand));
        self.push_plain(arena, begun.text().get(shown..).unwrap_or_default(), limit)
    }

    /// A character that is not blank is sure to come next, of that many bytes at the most.
    pub(crate) fn foresee(&mut self, arena: &str, longest: usize, limit: usize) {
        let fits = (arena.len() - self.start).checked_add(longest).is_some_and(|len| len <= limit);
        if fits && !self.full {
            self.exists = true;
            self.certain = arena.len();
        }
    }

    /// The bytes of a character's UTF-8 form have begun to come.
    pub(crate) fn foresee_char(&mut self, arena: &mut String, begun: &[u8], limit: usize) -> Result<(), Passed> {
        self.settle(arena, limit)?;
        if !entity::may_be_blank(begun) {
            // An ill-formed sequence becomes U+FFFD, of three bytes.
            let longest = if begun[0] >= 0xF0 { 4 } else { 3 };
            self.foresee(arena, longest, limit);
        }
        Ok(())
    }

    /// Whether a stream can lead to this value, at the end of this arena.
    pub(crate) fn is_possible(&self, arena: &str, limit: usize, entities: Entities) -> bool {
        let Some(text) = arena.get(self.start..) else { return false };
        let certain = self.certain.checked_sub(self.start).and_then(|len| text.split_at_checked(len));
        let entity = match entities {
            Entities::Raw => self.begun == Begun::default() && !self.ampersand,
            Entities::Decoded => {
                let ampersand = self.begun.outlook().is_some_and(|outlook| outlook.ampersand);
                self.begun.is_possible() && self.ampersand == ampersand
            }
        };
        entity
            && text.trim_start().len() == text.len()
            && text.len() <= limit
            && certain
                .is_some_and(|(certain, rest)| rest.trim_start().is_empty() && (self.exists || certain.is_empty()))
    }

    /// The value has ended: what is not certain is no part of it.
    pub(crate) fn end(&mut self, arena: &mut String, limit: usize) -> Result<(), Passed> {
        let passed = self.settle(arena, limit);
        arena.truncate(self.certain);
        passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pieces: &[&str], limit: usize, decode: bool) -> (String, String, bool) {
        let mut arena = String::from("before");
        let mut value = Value::at(arena.len());
        let mut passed = pieces.iter().any(|piece| value.push(&mut arena, piece, limit, decode).is_err());
        let certain = arena[value.start..value.certain].into();
        if !passed {
            passed = value.end(&mut arena, limit).is_err();
        }
        (certain, arena.split_off("before".len()), passed)
    }

    #[test]
    fn a_value_is_trimmed_and_its_end_is_not_certain_while_it_is_blank() {
        assert_eq!(read(&[" \n", " a ", " b  "], 99, false), ("a  b".into(), "a  b".into(), false));
        assert_eq!(read(&["\u{3000}\u{A0}", "\u{85}"], 99, false), ("".into(), "".into(), false));
    }

    #[test]
    fn only_what_is_not_blank_passes_the_limit_however_it_is_cut() {
        for (text, kept, passed) in [
            ("ab", "ab", false),
            ("ab   ", "ab", false),
            ("abc", "ab", true),
            ("a    b", "a", true),
            ("é", "é", false),
            ("aé", "a", true),
        ] {
            for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                let (_, have, over) = read(&[&text[..cut], &text[cut..]], 2, false);
                assert_eq!((&*have, over), (kept, passed), "{text:?} at {cut}");
            }
        }
    }

    #[test]
    fn entities_cut_anywhere_are_decoded_and_what_is_certain_of_them_shows_early() {
        let text = " &amp;&#32;x &amp &ampx &#38;";
        for cut in 0..=text.len() {
            assert_eq!(read(&[&text[..cut], &text[cut..]], 99, true).1, "& x &amp &ampx &");
        }
        assert_eq!(read(&["a &am"], 99, true).0, "a &");
        assert_eq!(read(&["a &a"], 99, true).0, "a ");
        assert_eq!(read(&["a &"], 99, true).0, "a");
    }
}
