//! The names of tools in envelopes.

use alloc::string::String;

use crate::config::{ASK, Policy};
use crate::space;

/// The length of the longest name.
const LONGEST: usize = 128;

/// What some families write before a name.
const NAMESPACE: &str = "functions.";

/// Returns `true` if a name may have this character, as its first or a later one.
fn is_part(char: char, is_first: bool) -> bool {
    match char {
        'a'..='z' | 'A'..='Z' | '_' => true,
        '0'..='9' | '-' | '.' | ':' | '/' => !is_first,
        _ => false,
    }
}

/// Returns `true` if the text is a name.
pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.len() <= LONGEST && text.chars().enumerate().all(|(i, char)| is_part(char, i == 0))
}

/// Returns the name without its namespace and its index.
pub(super) fn bare(name: &str) -> &str {
    let name = name.strip_prefix(NAMESPACE).unwrap_or(name);
    match name.rsplit_once(':') {
        Some((bare, index)) if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => name,
    }
}

/// Returns `true` if it is the name of our tool.
pub(super) fn is_ours(name: &str) -> bool {
    bare(name) == ASK
}

/// Returns `true` if it is the name of a tool whose calls are read.
pub(super) fn is_read(name: &str, policy: &Policy) -> bool {
    is_ours(name) || policy.shapes.reads_in_text(bare(name))
}

/// Returns `true` if a name that begins with this text may be that of a tool whose calls are read.
pub(super) fn may_be_read(text: &str, policy: &Policy) -> bool {
    may_be(text, ASK) || policy.shapes.is_name_in_text(|tool| may_be(text, tool))
}

/// Returns `true` if a name that begins with this text may be that of the tool.
fn may_be(text: &str, tool: &str) -> bool {
    if NAMESPACE.starts_with(text) || tool.starts_with(text) {
        return true;
    }
    let name = text.strip_prefix(NAMESPACE).unwrap_or(text);
    match name.strip_prefix(tool) {
        Some(index) => {
            index.is_empty() || index.strip_prefix(':').is_some_and(|index| index.bytes().all(|b| b.is_ascii_digit()))
        }
        None => tool.starts_with(name),
    }
}

/// A name that arrives in pieces, with space around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct NameText {
    text: String,
    /// Space has come after it.
    has_ended: bool,
}

impl NameText {
    pub(super) const NEW: NameText = NameText { text: String::new(), has_ended: false };

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.has_ended = false;
    }

    pub(super) fn set(&mut self, name: &str) {
        self.clear();
        self.text.push_str(name);
    }

    /// Appends a character. Returns `false` if it can't be one of a name or of the space around it.
    pub(super) fn push(&mut self, char: char) -> bool {
        if is_space(char) {
            self.has_ended = !self.text.is_empty();
            return true;
        }
        let is_part = !self.has_ended && self.text.len() < LONGEST && is_part(char, self.text.is_empty());
        if is_part {
            self.text.push(char);
        }
        is_part
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub(super) fn is_in_bounds(&self) -> bool {
        self.is_empty() || is_name(&self.text)
    }
}

/// Returns `true` if the character is space in a header.
pub(super) fn is_space(char: char) -> bool {
    u8::try_from(char).is_ok_and(space::is_space)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{Shape, Shapes};

    #[test]
    fn a_name_is_ours_with_a_namespace_or_an_index() {
        for name in ["ask_followup_question", "functions.ask_followup_question", "ask_followup_question:0"] {
            assert!(is_ours(name), "{name}");
            for end in 0..=name.len() {
                assert!(may_be(&name[..end], ASK), "{}", &name[..end]);
            }
        }
        for name in ["ask", "ask_followup_questions", "ask_followup_question:", "ask_followup_question:x", "x.ask"] {
            assert!(!is_ours(name), "{name}");
        }
        for text in ["ask_followup_question:x", "b", "functions.b"] {
            assert!(!may_be(text, ASK), "{text}");
        }
    }

    #[test]
    fn a_generic_name_counts_only_in_shapes_that_were_chosen() {
        let policy = Policy::new();
        assert!(is_read("functions.AskUserQuestion:0", &policy) && may_be_read("request_u", &policy));
        assert!(!is_read("ask_user", &policy) && !is_read("question", &policy) && !may_be_read("q", &policy));
        let chosen = policy.with_shapes(Shapes::new([Shape::built_in("gemini").unwrap()]));
        assert!(is_read("ask_user", &chosen) && may_be_read("functions.ask_u", &chosen));
        assert!(!is_read("AskUserQuestion", &chosen) && is_read(ASK, &chosen));
    }

    #[test]
    fn a_name_in_pieces_has_space_around_it_only() {
        let read = |text: &str| {
            let mut name = NameText::NEW;
            text.chars().all(|char| name.push(char)).then(|| String::from(name.text()))
        };
        assert_eq!(read(" \nread_file\t ").as_deref(), Some("read_file"));
        assert_eq!(read("mcp/a.b-c:0").as_deref(), Some("mcp/a.b-c:0"));
        for text in ["a b", "1a", "{a", "é", "a>"] {
            assert_eq!(read(text), None, "{text}");
        }
        assert!(read(&"a".repeat(128)).is_some() && read(&"a".repeat(129)).is_none());
    }
}
