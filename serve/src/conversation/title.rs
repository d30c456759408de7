//! The title of a conversation.

use super::item::prefix;

/// Maximum number of bytes of a title, in addition to the `…` of one that is cut.
const MAX_TITLE: usize = 200;

/// Returns the title that a text gives: its first line; `None` if it is blank.
///
/// Agents wrap the user's message in tags, such as `<task>`; they are left out.
pub(super) fn title_of(text: &str) -> Option<String> {
    let line = unwrapped(text.trim()).lines().find(|line| !line.trim().is_empty())?;
    let start = prefix(line.trim(), MAX_TITLE);
    let words: Vec<&str> = start.split_whitespace().collect();
    let cut = if start.len() < line.trim().len() { "…" } else { "" };
    Some(words.join(" ") + cut)
}

/// Returns the content of the tags that the text begins with.
///
/// The end of a long text may be missing.
fn unwrapped(text: &str) -> &str {
    let inside = || {
        let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let closed = is_name.then(|| rest.split_once(&format!("</{name}>")).map(|(content, _)| content))?;
        let content = closed.or_else(|| rest.starts_with('\n').then_some(rest))?.trim();
        (!content.is_empty()).then_some(content)
    };
    inside().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_the_first_line_without_the_tags_of_the_agent() {
        for (text, title) in [
            ("\n\n  Move  the\ttimer  \nSoon.", Some("Move the timer")),
            ("<task>\nMove the timer\n</task>\n<environment_details>", Some("Move the timer")),
            ("<user_message>Move it</user_message>", Some("Move it")),
            ("<task>\nMove the timer\nand", Some("Move the timer")),
            ("<div> or <span>?", Some("<div> or <span>?")),
            ("<task></task>", Some("<task></task>")),
            (" \n ", None),
            ("", None),
        ] {
            assert_eq!(title_of(text).as_deref(), title, "{text}");
        }
        let long = title_of(&"ä".repeat(1000)).unwrap();
        assert!(long.ends_with('…') && long.len() == MAX_TITLE + '…'.len_utf8());
    }
}
