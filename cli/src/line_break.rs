//! The width of characters on a terminal, and where a row of them may be broken.

use unicode_width::UnicodeWidthChar;

/// Returns the number of columns that the character takes.
pub(crate) fn width(char: char) -> usize {
    char.width().unwrap_or(0)
}

/// Returns whether all terminals agree on the width of the character.
///
/// They disagree on characters whose width depends on the locale, and on those that turn the
/// character before them into a picture.
pub(crate) fn is_width_certain(char: char) -> bool {
    char.is_ascii() || (char.width() == char.width_cjk() && !matches!(char, '\u{FE0F}' | '\u{200D}'))
}

/// Returns whether a row may be broken between two characters.
///
/// It may after a blank, and around the characters of scripts that are written without blanks.
pub(crate) fn can_break(before: char, after: char) -> bool {
    // A character of no width belongs to the character before it.
    if width(after) == 0 || before == '\u{200D}' {
        return false;
    }
    if before == ' ' {
        return after != ' ';
    }
    (width(before) == 2 || width(after) == 2) && after != ' ' && !CLOSING.contains(after) && !OPENING.contains(before)
}

/// In scripts without blanks, no row begins with one of these.
const CLOSING: &str = "、。，．・：；？！」』）】〕〉》”’,.:;?!)]}%ー々";
/// In scripts without blanks, no row ends with one of these.
const OPENING: &str = "「『（【〔〈《“‘([{";
