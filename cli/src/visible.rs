//! Characters that a terminal would act on instead of showing them.
//!
//! What a model writes is not to be trusted: an escape sequence in it could set the title, fill the clipboard, or hide a
//! line of a question. So no such character ever reaches a terminal as it is.

use std::io::{self, Write};

/// Whether a character does something else than to be seen: C0, DEL and C1, what ends lines for some, and what turns the
/// direction of writing around. New lines and tabs too; who prints them decides what they mean.
pub(crate) fn acts(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{2028}' | '\u{2029}' | '\u{061C}' | '\u{200E}' | '\u{200F}')
        || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// What is shown for a character that [acts].
pub(crate) fn picture(char: char) -> char {
    match char {
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        _ => '\u{FFFD}',
    }
}

/// The text to be shown for text in which new lines and tabs keep their meaning.
///
/// A carriage return is part of a new line in front of a line feed, and otherwise would let the rest of the line cover its beginning.
/// Which it is may only come with the next piece.
#[derive(Debug, Default)]
pub(crate) struct Visible {
    carriage_return: bool,
}

/// What is to be shown of a whole text.
pub(crate) fn shown(text: &str) -> String {
    let (mut visible, mut shown) = (Visible::default(), String::new());
    visible.push(text, &mut shown);
    visible.end(&mut shown);
    shown
}

impl Visible {
    /// Adds what is to be shown of the next piece.
    pub(crate) fn push(&mut self, piece: &str, shown: &mut String) {
        for char in piece.chars() {
            if self.carriage_return {
                self.carriage_return = false;
                shown.push(if char == '\n' { '\r' } else { picture('\r') });
            }
            match char {
                '\r' => self.carriage_return = true,
                '\n' | '\t' => shown.push(char),
                _ if acts(char) => shown.push(picture(char)),
                _ => shown.push(char),
            }
        }
    }

    /// What was kept waiting: nothing follows it.
    pub(crate) fn end(&mut self, shown: &mut String) {
        if std::mem::take(&mut self.carriage_return) {
            shown.push(picture('\r'));
        }
    }
}

/// Writes a part of a JSON text with the characters that [act](acts) escaped, as JSON itself does with those of C0.
///
/// They can only stand in strings. Among them are some that end a line for readers that go by Unicode's lines: a line of ours has
/// only one end.
pub(crate) fn escape_json(out: &mut (impl Write + ?Sized), json: &str) -> io::Result<()> {
    let mut written = 0;
    // All others are ASCII, and those JSON escapes.
    let is_plain = json.is_ascii() && memchr::memchr(0x7F, json.as_bytes()).is_none();
    let mut look = (!is_plain).then(|| json.char_indices());
    for (at, char) in look.iter_mut().flatten().filter(|&(_, char)| acts(char)) {
        out.write_all(&json.as_bytes()[written..at])?;
        write!(out, "\\u{:04x}", u32::from(char))?;
        written = at + char.len_utf8();
    }
    out.write_all(&json.as_bytes()[written..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(pieces: &[&str]) -> String {
        let (mut visible, mut shown) = (Visible::default(), String::new());
        for piece in pieces {
            visible.push(piece, &mut shown);
        }
        visible.end(&mut shown);
        shown
    }

    #[test]
    fn nothing_that_acts_is_shown_as_it_is() {
        let everything: String = ('\0'..=char::MAX).collect();
        let shown = shown(&everything);
        assert_eq!(shown.chars().filter(|&char| acts(char)).collect::<String>(), "\t\n");
        assert_eq!(shown.chars().count(), everything.chars().count());
    }

    #[test]
    fn pictures_say_what_was_there() {
        assert_eq!(shown_of(&["\x1B[31m\x07\x7F\u{9B}\u{202E}"]), "␛[31m␇␡\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        let text = "a\tb\n  ünïcödé 日本語 👩‍👩‍👧 e\u{301} \u{A0}\u{200B}";
        assert_eq!(shown(text), text);
    }

    #[test]
    fn a_carriage_return_alone_is_shown_wherever_the_text_is_cut() {
        let text = "a\r\nb\rc\r\r\n\r";
        for at in 0..=text.len() {
            assert_eq!(shown_of(&[&text[..at], &text[at..]]), "a\r\nb␍c␍\r\n␍", "{at}");
        }
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let everything: String = ('\0'..=char::MAX).collect();
        let json = serde_json::to_string(&everything).unwrap();
        let mut escaped = Vec::new();
        escape_json(&mut escaped, &json).unwrap();
        let escaped = String::from_utf8(escaped).unwrap();
        assert!(!escaped.contains(acts));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), everything);
    }
}
