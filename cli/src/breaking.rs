//! How wide characters are on a terminal, and where a row of them may end.

use unicode_width::UnicodeWidthChar;

pub(crate) fn width(char: char) -> usize {
    char.width().unwrap_or(0)
}

/// Whether all terminals agree on how wide a character is. They don't on those that are wide among wide ones only, and
/// on what makes a picture of the character before it.
pub(crate) fn is_width_sure(char: char) -> bool {
    char.is_ascii() || (char.width() == char.width_cjk() && !matches!(char, '\u{FE0F}' | '\u{200D}'))
}

/// Whether a row may end between two characters: behind a blank, and around the characters of scripts that don't write any.
pub(crate) fn may_break(before: char, behind: char) -> bool {
    // It belongs to the character before it.
    if width(behind) == 0 || before == '\u{200D}' {
        return false;
    }
    if before == ' ' {
        return behind != ' ';
    }
    (width(before) == 2 || width(behind) == 2)
        && behind != ' '
        && !CLOSING.contains(behind)
        && !OPENING.contains(before)
}

/// Rows don't begin with these, in the scripts that are broken anywhere.
const CLOSING: &str = "、。，．・：；？！」』）】〕〉》”’,.:;?!)]}%ー々";
/// And don't end with these.
const OPENING: &str = "「『（【〔〈《“‘([{";
