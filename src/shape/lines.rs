//! Questions as the lines of one text.

/// A line that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    Question { text: &'t str, multiple: bool },
    Topic(&'t str),
    Option(&'t str),
}

/// What ends a question with several answers.
const SEVERAL: [&str; 3] = ["(multi)", "(multiple)", "(multi-select)"];

/// Returns what a line means.
pub(super) fn meaning(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    let after_number = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let after_point = after_number.strip_prefix(['.', ')']).filter(|_| after_number.len() < line.len());
    let rest = after_point.unwrap_or(line).trim_start();
    if let Some(text) = after_tag(rest, "[question]") {
        let single = SEVERAL.into_iter().find_map(|mark| before_mark(text, mark));
        return Some(Line::Question { text: single.map_or(text, str::trim_end), multiple: single.is_some() });
    }
    after_tag(rest, "[topic]").map(Line::Topic).or_else(|| after_tag(rest, "[option]").map(Line::Option))
}

/// Returns the text after a tag, in upper or lower case.
fn after_tag<'t>(line: &'t str, tag: &str) -> Option<&'t str> {
    let (start, text) = line.split_at_checked(tag.len())?;
    start.eq_ignore_ascii_case(tag).then(|| text.trim())
}

/// Returns the text before a mark at its end, in upper or lower case.
fn before_mark<'t>(text: &'t str, mark: &str) -> Option<&'t str> {
    let (before, end) = text.split_at_checked(text.len().checked_sub(mark.len())?)?;
    end.eq_ignore_ascii_case(mark).then_some(before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_a_tag_mean_nothing() {
        for (text, meant) in [
            ("1. [question] Which? (multi)", Some(Line::Question { text: "Which?", multiple: true })),
            ("2) [Question] Which? (Multiple)", Some(Line::Question { text: "Which?", multiple: true })),
            ("[QUESTION]Which?(multi-select)", Some(Line::Question { text: "Which?", multiple: true })),
            ("[question] Which?", Some(Line::Question { text: "Which?", multiple: false })),
            ("[question] é)", Some(Line::Question { text: "é)", multiple: false })),
            (" [Topic] A b ", Some(Line::Topic("A b"))),
            ("[option] A", Some(Line::Option("A"))),
            ("[OPTION] (multi)", Some(Line::Option("(multi)"))),
            (". [option] A", None),
            (") [option] A", None),
            ("1 [option] A", None),
            ("[options] A", None),
            ("[topié] A", None),
            ("Which?", None),
            ("", None),
        ] {
            assert_eq!(meaning(text), meant, "{text:?}");
        }
    }
}
