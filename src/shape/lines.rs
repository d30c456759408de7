//! Questions as the lines of one text.

/// A line that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Line<'t> {
    Question { text: &'t str, multiple: bool },
    Topic(&'t str),
    Option(&'t str),
}

/// Returns what a line means.
pub(super) fn meaning(line: &str) -> Option<Line<'_>> {
    let line = line.trim();
    let after_number = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let rest = after_number.strip_prefix('.').filter(|_| after_number.len() < line.len()).unwrap_or(line).trim_start();
    if let Some(text) = rest.strip_prefix("[question]") {
        let text = text.trim();
        let single = text.strip_suffix("(multi)");
        return Some(Line::Question { text: single.map_or(text, str::trim_end), multiple: single.is_some() });
    }
    let topic = rest.strip_prefix("[topic]").map(|text| Line::Topic(text.trim()));
    topic.or_else(|| rest.strip_prefix("[option]").map(|text| Line::Option(text.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_a_tag_mean_nothing() {
        for (text, meant) in [
            ("1. [question] Which? (multi)", Some(Line::Question { text: "Which?", multiple: true })),
            ("[question] Which?", Some(Line::Question { text: "Which?", multiple: false })),
            (" [topic] A b ", Some(Line::Topic("A b"))),
            ("[option] A", Some(Line::Option("A"))),
            (". [option] A", None),
            ("Which?", None),
            ("", None),
        ] {
            assert_eq!(meaning(text), meant, "{text:?}");
        }
    }
}
