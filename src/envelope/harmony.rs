//! The text in the headers of Harmony: roles, channels and recipients.

use super::name::is_name;

const ROLE: &str = "assistant";
const CHANNELS: [&str; 3] = ["analysis", "commentary", "final"];

/// The length of the longest text between two tokens.
const LONGEST: usize = 160;

/// What the text between two tokens says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct HeaderText<'t> {
    /// The recipient: the name of a tool.
    pub(super) to: Option<&'t str>,
}

/// Which text it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum HeaderPart {
    /// After `<|start|>`.
    Role,
    /// After `<|channel|>`.
    Channel,
    /// After `<|constrain|>`.
    Type,
}

/// Reads the text as far as it has come; `None` if it can't be one of this part.
///
/// `is_whole`: a token follows it. `may_name`: no recipient has come before it.
pub(super) fn read(text: &str, part: HeaderPart, is_whole: bool, may_name: bool) -> Option<HeaderText<'_>> {
    if text.len() > LONGEST {
        return None;
    }
    let mut words = HeaderText { to: None };
    let (mut rest, mut has_type) = (text, false);
    match part {
        HeaderPart::Role => match rest.strip_prefix(ROLE) {
            Some(after) => rest = after,
            None => return (!is_whole && ROLE.starts_with(rest)).then_some(words),
        },
        HeaderPart::Channel => {
            rest = rest.trim_start_matches(is_blank);
            match CHANNELS.iter().find_map(|channel| rest.strip_prefix(channel)) {
                Some(after) => rest = after,
                None => {
                    let may_be = CHANNELS.iter().any(|channel| channel.starts_with(rest));
                    return (!is_whole && may_be).then_some(words);
                }
            }
        }
        HeaderPart::Type => {}
    }
    if part != HeaderPart::Type && !rest.is_empty() && !rest.starts_with(is_blank) {
        return None;
    }
    loop {
        rest = rest.trim_start_matches(is_blank);
        if rest.is_empty() {
            return Some(words);
        }
        let end = rest.find(is_blank).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let is_last = after.is_empty() && !is_whole;
        let has_recipient = !may_name || words.to.is_some();
        match word.strip_prefix("to=") {
            Some(name) if may_name && part != HeaderPart::Type && words.to.is_none() && !has_type => {
                if !(is_name(name) || is_last && name.is_empty()) {
                    return None;
                }
                words.to = Some(name).filter(|name| !name.is_empty());
            }
            None if is_last
                && may_name
                && part != HeaderPart::Type
                && words.to.is_none()
                && !has_type
                && "to=".starts_with(word) => {}
            None if part != HeaderPart::Role && has_recipient && !has_type && is_type(word) => has_type = true,
            _ => return None,
        }
        rest = after;
    }
}

/// Returns `true` if the word may say what type the message has.
fn is_type(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_blank(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recipient_is_found_wherever_it_may_be() {
        for (text, part, to) in [
            ("assistant", HeaderPart::Role, None),
            ("assistant to=functions.ask ", HeaderPart::Role, Some("functions.ask")),
            ("commentary to=functions.ask ", HeaderPart::Channel, Some("functions.ask")),
            ("commentary to=functions.ask json", HeaderPart::Channel, Some("functions.ask")),
            (" final", HeaderPart::Channel, None),
            ("json", HeaderPart::Type, None),
            ("", HeaderPart::Type, None),
        ] {
            assert_eq!(read(text, part, true, part != HeaderPart::Type).map(|words| words.to), Some(to), "{text}");
            for end in 0..text.len() {
                assert!(read(&text[..end], part, false, part != HeaderPart::Type).is_some(), "{}", &text[..end]);
            }
        }
    }

    #[test]
    fn other_text_is_no_header() {
        for (text, part) in [
            ("user", HeaderPart::Role),
            ("assistant json", HeaderPart::Role),
            ("assistantx", HeaderPart::Role),
            ("side", HeaderPart::Channel),
            ("commentary\n", HeaderPart::Channel),
            ("commentary to=1", HeaderPart::Channel),
            ("commentary to=a json json", HeaderPart::Channel),
            ("commentary json", HeaderPart::Channel),
            ("commentary json to=a", HeaderPart::Channel),
            ("commentary to=a to=b", HeaderPart::Channel),
            ("json xml", HeaderPart::Type),
        ] {
            assert_eq!(read(text, part, true, true), None, "{text}");
        }
        assert_eq!(read("assist", HeaderPart::Role, true, true), None);
        assert_eq!(read("commentary to=", HeaderPart::Channel, true, true), None);
    }
}
