//! A value while it grows at the end of an arena: what of it is certain, and what is not yet.

use alloc::string::String;

use super::Range;
use super::entity::{EntityStep, IncompleteEntity};
use crate::config::Entities;
use crate::utf8;

/// A text that is being read into an arena, where it is `arena[start..]`.
///
/// Blanks before it are never appended. Blanks at its end are, but they are certain only when
/// something that is not blank follows. Only new text is looked at, so the cost is linear in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Value {
    pub(super) start: usize,
    /// The end of what is certain.
    ///
    /// It is after the last character that is not blank, or after the blanks too when something
    /// that is not blank is sure to follow them.
    pub(super) certain: usize,
    /// Something that is not blank has come, or is sure to come next.
    pub(super) exists: bool,
    /// Blanks were left out because there was no room for them: anything else is too long.
    full: bool,
    /// The incomplete entity that the text so far ends in.
    entity: IncompleteEntity,
}

/// A value is longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueTooLong;

impl Value {
    pub(super) fn at(start: usize) -> Value {
        Value { start, certain: start, exists: false, full: false, entity: IncompleteEntity::default() }
    }

    /// A value that exists, of which nothing is kept.
    pub(super) fn existing(start: usize) -> Value {
        Value { exists: true, ..Value::at(start) }
    }

    /// Appends text as it is written.
    #[inline]
    pub(super) fn push(&mut self, arena: &mut String, text: &str, limit: usize) -> Result<(), ValueTooLong> {
        let text = if arena.len() == self.start { text.trim_start() } else { text };
        if text.is_empty() {
            return Ok(());
        }
        let room = if self.full { 0 } else { limit.saturating_sub(arena.len() - self.start) };
        let fits = &text[..utf8::floor_char_boundary(text, room)];
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
        utf8::truncate(arena, self.certain);
        Err(ValueTooLong)
    }

    /// Appends text, and decodes its entities if `entities` says so.
    #[inline]
    pub(super) fn push_text(
        &mut self,
        arena: &mut String,
        text: &str,
        entities: Entities,
        limit: usize,
    ) -> Result<(), ValueTooLong> {
        match entities {
            Entities::Raw => self.push(arena, text, limit),
            Entities::Decoded => self.push_decoded(arena, text, limit),
        }
    }

    /// Appends text that is `solid` up to the blanks at its end.
    ///
    /// It does so if the value exists and has room for the text. Returns the end of what was
    /// certain before.
    #[inline(always)]
    pub(super) fn push_plain(&mut self, arena: &mut String, text: &str, solid: usize, limit: usize) -> Option<usize> {
        if !self.exists || self.full || arena.len() + text.len() - self.start > limit {
            return None;
        }
        let certain = arena.len() + solid;
        arena.push_str(text);
        Some(core::mem::replace(&mut self.certain, certain))
    }

    /// Appends text in which entities are decoded.
    pub(super) fn push_decoded(&mut self, arena: &mut String, text: &str, limit: usize) -> Result<(), ValueTooLong> {
        let mut rest = text;
        while !rest.is_empty() {
            if self.entity.bytes.is_empty() {
                let start = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
                self.push(arena, &rest[..start], limit)?;
                rest = &rest[start..];
                if !rest.is_empty() {
                    self.entity.bytes.push(b'&');
                    rest = &rest[1..];
                }
                continue;
            }
            match self.entity.push(rest.as_bytes()[0]) {
                EntityStep::Incomplete => rest = &rest[1..],
                EntityStep::Char(c) => {
                    rest = &rest[1..];
                    self.entity.bytes.clear();
                    self.push(arena, c.encode_utf8(&mut [0; 4]), limit)?;
                }
                EntityStep::Text => self.flush_entity(arena, limit)?,
            }
        }
        Ok(())
    }

    /// Makes the incomplete entity text.
    pub(super) fn flush_entity(&mut self, arena: &mut String, limit: usize) -> Result<(), ValueTooLong> {
        if self.entity.bytes.is_empty() {
            return Ok(());
        }
        let entity = core::mem::take(&mut self.entity);
        self.push(arena, entity.text(), limit)
    }

    /// Makes certain what does not depend on the character that `tail` becomes.
    ///
    /// `tail` is the incomplete UTF-8 sequence.
    pub(super) fn foresee_char(&mut self, arena: &mut String, tail: &[u8], limit: usize) -> Result<(), ValueTooLong> {
        self.flush_entity(arena, limit)?;
        let len = arena.len() - self.start + utf8::longest_char(tail);
        if !utf8::may_be_blank(tail) && !self.full && len <= limit {
            self.exists = true;
            self.certain = arena.len();
        }
        Ok(())
    }

    /// Ends the value: what is not certain is no part of it.
    pub(super) fn end(&mut self, arena: &mut String, limit: usize) -> Result<(), ValueTooLong> {
        let ended = self.flush_entity(arena, limit);
        utf8::truncate(arena, self.certain);
        ended
    }

    /// Returns whether the value is one that `arena` can end in, within the limit.
    pub(super) fn is_in_bounds(&self, arena: &str, limit: usize) -> bool {
        arena.get(self.start..self.certain).is_some() && arena.len() - self.start <= limit && self.entity.is_in_bounds()
    }
}

/// Appends a complete text without the blanks around it. Returns its range.
pub(super) fn append_trimmed(arena: &mut String, text: &str, entities: Entities) -> Range {
    let mut value = Value::at(arena.len());
    // Without a limit, nothing is too long.
    let _ = value.push_text(arena, text, entities, usize::MAX);
    let _ = value.end(arena, usize::MAX);
    (value.start, arena.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pieces: &[&str], limit: usize, decode: bool) -> (String, String, bool) {
        let mut arena = String::from("before");
        let mut value = Value::at(arena.len());
        let mut push = |piece| match decode {
            true => value.push_decoded(&mut arena, piece, limit),
            false => value.push(&mut arena, piece, limit),
        };
        let mut passed = pieces.iter().any(|piece| push(piece).is_err());
        let certain = arena[value.start..value.certain].into();
        if !passed {
            passed = value.end(&mut arena, limit).is_err();
        }
        (certain, arena.split_off("before".len()), passed)
    }

    #[test]
    fn blanks_at_the_end_are_certain_only_when_something_follows() {
        assert_eq!(parse(&[" \n", " a ", " b  "], 99, false), ("a  b".into(), "a  b".into(), false));
        assert_eq!(parse(&["\u{3000}\u{A0}", "\u{85}"], 99, false), ("".into(), "".into(), false));
    }

    #[test]
    fn only_characters_that_are_not_blank_exceed_the_limit() {
        for (text, kept, passed) in [
            ("ab", "ab", false),
            ("ab   ", "ab", false),
            ("abc", "ab", true),
            ("a    b", "a", true),
            ("é", "é", false),
            ("aé", "a", true),
        ] {
            for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                let (_, have, over) = parse(&[&text[..cut], &text[cut..]], 2, false);
                assert_eq!((&*have, over), (kept, passed), "{text:?} at {cut}");
            }
        }
    }

    #[test]
    fn entities_are_decoded_wherever_they_are_cut() {
        let text = " &amp;&#32;x &amp &ampx &#38;";
        for cut in 0..=text.len() {
            assert_eq!(parse(&[&text[..cut], &text[cut..]], 99, true).1, "& x &amp &ampx &");
        }
        assert_eq!(parse(&["a &am"], 99, true).0, "a");
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
            let mut arena = String::from("before");
            assert_eq!(append_trimmed(&mut arena, written, Entities::Decoded), (6, arena.len()), "{written}");
            assert_eq!(&arena[6..], meant, "{written}");
        }
    }
}
