//! The Markdown source and its parser. Link definitions are kept visible.

use pulldown_cmark::{Options, Parser};

/// Appends sanitized text to a source, so that nothing in it is a link definition.
pub(super) fn push(source: &mut String, sanitized: &str) {
    for char in sanitized.chars() {
        match char {
            // The sanitizer keeps it only before a line feed.
            '\r' => {}
            ':' if source.ends_with(']') => source.push(COLON),
            _ => source.push(char),
        }
    }
}

/// Replaces the colon in `]:`, so that nothing is a link definition, which would be invisible.
///
/// Markdown treats it as any other punctuation.
const COLON: char = '\u{FE13}';

/// Returns a piece of the source as it is displayed.
pub(super) fn display(source: &str) -> String {
    source.replace(COLON, ":")
}

/// Returns whether a line is a link definition, which stays a line of its own.
pub(super) fn is_definition(line: &str) -> bool {
    let line = line.trim_start_matches(|char: char| " >-*+.)".contains(char) || char.is_ascii_digit());
    line.starts_with('[') && line.contains(&format!("]{COLON}"))
}

/// Returns the events of a source.
pub(super) fn parser(source: &str) -> Parser<'_> {
    Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS)
}
