//! Replaces characters that a terminal would act on instead of displaying them.
//!
//! The output of a model is not trusted: an escape sequence in it could set the window title, fill
//! the clipboard or hide a line of a question. No such character is ever written to a terminal,
//! except isolates of the writing direction that end in their line.

use std::io::{self, Write};

use crate::isolates::{OpenIsolates, balanced, is_isolate};

/// Returns whether a terminal acts on the character instead of displaying it.
///
/// True for C0, DEL and C1, for the line and paragraph separators, and for characters that change
/// the writing direction. New lines and tabs are included; the caller decides what they mean.
pub(crate) fn is_control(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{2028}' | '\u{2029}' | '\u{061C}' | '\u{200E}' | '\u{200F}')
        || matches!(char, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns the visible replacement for a character for which [`is_control`] is true.
pub(crate) fn replacement(char: char) -> char {
    match char {
        '\0'..='\x1F' => char::from_u32(0x2400 + u32::from(char)).unwrap_or('\u{FFFD}'),
        '\x7F' => '\u{2421}',
        _ => '\u{FFFD}',
    }
}

/// A sanitizer for text that arrives in pieces. New lines and tabs keep their meaning.
///
/// A carriage return is kept before a line feed and replaced elsewhere, because alone it would let
/// the rest of the line overwrite its beginning. Which case it is may depend on the next piece.
///
/// An [isolate](crate::isolates) is kept at once, and ended at the end of its line if it is still
/// open there.
#[derive(Debug, Default)]
pub(crate) struct Sanitizer {
    pending_carriage_return: bool,
    keeps_isolates: bool,
    /// The isolates of the last line, unless all isolates are kept.
    isolates: OpenIsolates,
}

/// Returns the sanitized form of a whole text. Balanced [isolates](crate::isolates) are kept.
pub(crate) fn sanitize(text: &str) -> String {
    let (mut sanitizer, mut out) = (Sanitizer::keeping_isolates(), String::new());
    sanitizer.push(text, &mut out);
    sanitizer.finish(&mut out);
    replace_unbalanced(&out).unwrap_or(out)
}

/// Replaces isolates that are not balanced; `None` if there are no isolates.
pub(crate) fn replace_unbalanced(text: &str) -> Option<String> {
    if !text.contains(is_isolate) {
        return None;
    }
    let balanced = balanced(text);
    let shown = |(offset, char)| match is_isolate(char) && balanced.binary_search(&offset).is_err() {
        true => replacement(char),
        false => char,
    };
    Some(text.char_indices().map(shown).collect())
}

impl Sanitizer {
    /// Returns a sanitizer that keeps all isolates, for a caller that checks them itself.
    pub(crate) fn keeping_isolates() -> Sanitizer {
        Sanitizer { keeps_isolates: true, ..Sanitizer::default() }
    }

    /// Appends the sanitized form of the next piece to `out`.
    pub(crate) fn push(&mut self, piece: &str, out: &mut String) {
        for char in piece.chars() {
            if self.pending_carriage_return {
                self.pending_carriage_return = false;
                if char == '\n' {
                    out.extend(self.isolates.end_line());
                    out.push('\r');
                } else {
                    out.push(replacement('\r'));
                }
            }
            match char {
                '\r' => self.pending_carriage_return = true,
                '\n' => {
                    out.extend(self.isolates.end_line());
                    out.push('\n');
                }
                '\t' => out.push('\t'),
                _ if is_isolate(char) && (self.keeps_isolates || self.isolates.accept(char)) => out.push(char),
                _ if is_control(char) => out.push(replacement(char)),
                _ => out.push(char),
            }
        }
    }

    /// Appends what is still pending, and ends the open isolates: no further piece follows.
    pub(crate) fn finish(&mut self, out: &mut String) {
        if std::mem::take(&mut self.pending_carriage_return) {
            out.push(replacement('\r'));
        }
        out.extend(self.isolates.end_line());
    }
}

/// Returns the text on one line: each run of white space becomes one blank.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes a part of a JSON text with every [control character](is_control) escaped as `\uXXXX`.
///
/// Some of them end a line for readers that follow Unicode's rules for lines, so escaping them
/// keeps one JSON line one line for everyone. Tabs and line ends occur only between tokens, where
/// each becomes a blank.
pub(crate) fn escape_json(out: &mut (impl Write + ?Sized), json: &str) -> io::Result<()> {
    let mut written = 0;
    // In strings, every ASCII control character except DEL is already escaped.
    let is_plain = json.is_ascii() && memchr::memchr3(0x7F, b'\r', b'\n', json.as_bytes()).is_none();
    let mut chars = (!is_plain).then(|| json.char_indices());
    for (start, char) in chars.iter_mut().flatten().filter(|&(_, char)| is_control(char)) {
        out.write_all(&json.as_bytes()[written..start])?;
        match char {
            '\t' | '\r' | '\n' => out.write_all(b" ")?,
            _ => write!(out, "\\u{:04x}", u32::from(char))?,
        }
        written = start + char.len_utf8();
    }
    out.write_all(&json.as_bytes()[written..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sanitize_pieces(pieces: &[&str]) -> String {
        let (mut sanitizer, mut shown) = (Sanitizer::default(), String::new());
        for piece in pieces {
            sanitizer.push(piece, &mut shown);
        }
        sanitizer.finish(&mut shown);
        shown
    }

    #[test]
    fn every_control_character_is_replaced() {
        let everything: String = ('\0'..=char::MAX).collect();
        let shown = sanitize_pieces(&[&everything]);
        let kept = "\t\n\u{2066}\u{2067}\u{2068}\u{2069}";
        assert_eq!(
            shown.chars().filter(|&char| is_control(char)).collect::<String>(),
            format!("{kept}\u{2069}\u{2069}")
        );
        assert_eq!(shown.chars().count(), everything.chars().count() + 2, "two isolates are ended");
    }

    #[test]
    fn a_replacement_tells_which_character_it_replaces() {
        assert_eq!(sanitize_pieces(&["\x1B[31m\x07\x7F\u{9B}\u{202E}"]), "␛[31m␇␡\u{FFFD}\u{FFFD}");
    }

    #[test]
    fn balanced_isolates_are_kept_in_a_whole_text() {
        let text = "a \u{2067}b\u{2069} \u{202E}c\u{202C} \u{2066}d\n\u{2069}";
        let shown = "a \u{2067}b\u{2069} \u{FFFD}c\u{FFFD} \u{FFFD}d\n\u{FFFD}";
        assert_eq!(sanitize(text), shown);
    }

    #[test]
    fn an_isolate_that_arrives_in_pieces_is_kept_at_once_and_ended_in_its_line() {
        let text = "a \u{2067}b\u{2069} \u{2067}c\u{2066}d\r\n\u{2069}e \u{2068}f\n\u{2067}g\r";
        let shown =
            "a \u{2067}b\u{2069} \u{2067}c\u{2066}d\u{2069}\u{2069}\r\n\u{FFFD}e \u{2068}f\u{2069}\n\u{2067}g␍\u{2069}";
        for (offset, _) in text.char_indices() {
            assert_eq!(sanitize_pieces(&[&text[..offset], &text[offset..]]), shown, "{offset}");
        }
        let (mut sanitizer, mut first) = (Sanitizer::default(), String::new());
        sanitizer.push("\u{2067}a", &mut first);
        assert_eq!(first, "\u{2067}a");
    }

    #[test]
    fn ordinary_text_is_unchanged() {
        let text = "a\tb\n  ünïcödé 日本語 👩‍👩‍👧 e\u{301} \u{A0}\u{200B}";
        assert_eq!(sanitize(text), text);
    }

    #[test]
    fn a_lone_carriage_return_is_replaced_for_every_cut() {
        let text = "a\r\nb\rc\r\r\n\r";
        for offset in 0..=text.len() {
            assert_eq!(sanitize_pieces(&[&text[..offset], &text[offset..]]), "a\r\nb␍c␍\r\n␍", "{offset}");
        }
    }

    #[test]
    fn white_space_between_the_tokens_of_json_is_not_escaped() {
        for (json, expected) in [("{\"é\":\t1,\r\n2}", "{\"é\": 1,  2}"), ("{\"e\":\r1}", "{\"e\": 1}")] {
            let mut escaped = Vec::new();
            escape_json(&mut escaped, json).unwrap();
            assert_eq!(String::from_utf8(escaped).unwrap(), expected);
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let everything: String = ('\0'..=char::MAX).collect();
        let json = serde_json::to_string(&everything).unwrap();
        let mut escaped = Vec::new();
        escape_json(&mut escaped, &json).unwrap();
        let escaped = String::from_utf8(escaped).unwrap();
        assert!(!escaped.contains(is_control));
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), everything);
    }
}
