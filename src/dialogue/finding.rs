//! What is noticed about a question: rules that a host may make advice or a reason to reject.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::question::Suggested;

/// Something about a question that a host may mind. Suggestions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "finding")]
#[non_exhaustive]
pub enum Finding {
    /// There are fewer suggestions than there should be.
    TooFew {
        /// How many there are.
        suggestions: usize,
        /// How many there should be at the least.
        least: usize,
    },
    /// There are more suggestions than there should be.
    TooMany {
        /// How many there are.
        suggestions: usize,
        /// How many there should be at the most.
        most: usize,
    },
    /// A suggestion holds something that the user would have to fill in.
    Placeholder {
        /// Which one.
        suggestion: usize,
        /// What would have to be filled in.
        placeholder: String,
    },
    /// A suggestion says the same as one before it.
    Duplicate {
        /// Which one.
        suggestion: usize,
        /// The same as which.
        of: usize,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Finding::TooFew { suggestions, least } => {
                write!(f, "there are {suggestions} suggestions, and should be at least {least}")
            }
            Finding::TooMany { suggestions, most } => {
                write!(f, "there are {suggestions} suggestions, and should be at most {most}")
            }
            Finding::Placeholder { suggestion, placeholder } => {
                write!(f, "suggestion {} has a placeholder, {placeholder}", suggestion + 1)
            }
            Finding::Duplicate { suggestion, of } => {
                write!(f, "suggestion {} is the same as suggestion {}", suggestion + 1, of + 1)
            }
        }
    }
}

/// What becomes of a question about which something is noticed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// It is not looked for.
    Ignore,
    /// It is asked, with that as advice to the host. The default.
    #[default]
    Advice,
    /// It is not asked, and the model is told why.
    Reject,
}

/// Which rules a question should keep, and how strictly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rules {
    /// Whether a call without suggestions lacks a parameter; `None`: as the dialect has it.
    pub follow_up_required: Option<bool>,
    /// How many suggestions there should be at the least. None at all are no fewer. Default 2.
    pub least: usize,
    /// How many suggestions there should be at the most. Default 4.
    pub most: usize,
    /// What becomes of too few or too many. Default advice.
    pub number: Severity,
    /// What becomes of placeholders. Default advice.
    pub placeholders: Severity,
    /// What becomes of duplicates. Default advice.
    pub duplicates: Severity,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            follow_up_required: None,
            least: 2,
            most: 4,
            number: Severity::Advice,
            placeholders: Severity::Advice,
            duplicates: Severity::Advice,
        }
    }
}

impl Rules {
    /// What is noticed about these suggestions, each with what becomes of it.
    pub(super) fn findings(&self, suggest: &[Suggested]) -> Vec<(Severity, Finding)> {
        let suggestions = suggest.len();
        let mut all = Vec::new();
        let mut push = |severity, finding| {
            if severity != Severity::Ignore {
                all.push((severity, finding));
            }
        };
        if suggestions > 0 && suggestions < self.least {
            push(self.number, Finding::TooFew { suggestions, least: self.least });
        }
        if suggestions > self.most {
            push(self.number, Finding::TooMany { suggestions, most: self.most });
        }
        for (suggestion, one) in suggest.iter().enumerate() {
            if let Some(placeholder) = placeholder(&one.answer) {
                push(self.placeholders, Finding::Placeholder { suggestion, placeholder: placeholder.to_string() });
            }
            if let Some(of) = suggest[..suggestion].iter().position(|before| before.answer == one.answer) {
                push(self.duplicates, Finding::Duplicate { suggestion, of });
            }
        }
        all
    }
}

/// The first thing in an answer that a user would have to fill in. Code between back-ticks is no such thing.
fn placeholder(answer: &str) -> Option<&str> {
    let mut code = false;
    let mut before = None;
    for (at, c) in answer.char_indices() {
        let rest = &answer[at..];
        if c == '`' {
            code = !code;
        }
        if !code && let Some(len) = placeholder_at(rest, before) {
            return Some(&rest[..len]);
        }
        before = Some(c);
    }
    None
}

/// The length of the placeholder that `rest` begins with, behind the character `before`.
fn placeholder_at(rest: &str, before: Option<char>) -> Option<usize> {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let first = rest.chars().next()?;
    match first {
        '{' => rest.strip_prefix("{{")?.find("}}").filter(|&end| end > 0).map(|end| end + 4),
        // `array[0]` and `Vec<T>` belong to the word in front of them.
        '[' | '<' if in_word => None,
        '[' => {
            between(rest, ']').filter(|inside| is_blank_to_fill(inside)).map(|inside| inside.len() + 2).filter(|&len| {
                // A link of markdown.
                !rest[len..].starts_with(['(', '['])
            })
        }
        '<' => between(rest, '>')
            .filter(|inside| is_blank_to_fill(inside) && !is_html(inside))
            .map(|inside| inside.len() + 2),
        '.' | '…' if !in_word || before != Some('.') => ellipsis(rest, before),
        _ if !in_word => ["TODO", "TBD", "FIXME"].into_iter().find(|word| is_word(rest, word)).map(str::len),
        _ => None,
    }
}

/// What stands between the first character and the next `close`, in one line.
fn between(rest: &str, close: char) -> Option<&str> {
    let inside = rest.get(1..)?;
    let end = inside.find(['[', ']', '<', '>', '\n'])?;
    inside[end..].starts_with(close).then(|| &inside[..end])
}

/// Whether it names something to be filled in: words, and not a number, a type's parameter or a box to tick.
fn is_blank_to_fill(inside: &str) -> bool {
    let words = inside.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | '.' | '\''));
    let letters = inside.chars().filter(|c| c.is_alphabetic()).count();
    words && inside.trim() == inside && letters > 1
}

/// Whether a tag of HTML has that name.
fn is_html(inside: &str) -> bool {
    const TAGS: [&str; 40] = [
        "article", "aside", "audio", "body", "br", "button", "canvas", "code", "dialog", "div", "em", "footer", "form",
        "head", "header", "hr", "html", "iframe", "img", "input", "label", "li", "link", "main", "meta", "nav", "ol",
        "option", "pre", "script", "section", "select", "span", "strong", "style", "svg", "table", "template",
        "textarea", "ul",
    ];
    let name = inside.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
    TAGS.binary_search(&name).is_ok() || name.starts_with(|c: char| c.is_uppercase())
}

/// The length of an ellipsis that stands for something: not one in a name, a path or code.
fn ellipsis(rest: &str, before: Option<char>) -> Option<usize> {
    let len = if rest.starts_with("...") {
        3
    } else if rest.starts_with('…') {
        '…'.len_utf8()
    } else {
        return None;
    };
    let behind = rest[len..].chars().next();
    let alone = before.is_none_or(char::is_whitespace) && behind.is_none_or(char::is_whitespace);
    alone.then_some(len)
}

fn is_word(rest: &str, word: &str) -> bool {
    rest.strip_prefix(word).is_some_and(|behind| !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_would_have_to_fill_in_is_noticed() {
        for (answer, found) in [
            ("Use [path]", Some("[path]")),
            ("Call it [your-project name]", Some("[your-project name]")),
            ("I am <your name>", Some("<your name>")),
            ("Run <command>", Some("<command>")),
            ("Deploy to {{region}}", Some("{{region}}")),
            ("TODO", Some("TODO")),
            ("Use the key TBD.", Some("TBD")),
            ("Put it in ...", Some("...")),
            ("… and so on", Some("…")),
            ("使用 [路径]", Some("[路径]")),
        ] {
            assert_eq!(placeholder(answer), found, "{answer}");
        }
    }

    #[test]
    fn what_only_looks_like_it_is_not() {
        for answer in [
            "Yes",
            "Use Vec<T>",
            "Use a HashMap<String, Vec<u8>>",
            "Take array[0]",
            "Take items[index]",
            "See [the docs](https://example.com)",
            "See [the docs][1]",
            "[x] done",
            "[ ] not done",
            "[1]",
            "a < b and c > d",
            "Use <div> and <span class='x'>",
            "Use <Button>",
            "Spread ...args",
            "Loading...",
            "Wait… then go",
            "../src",
            "`[path]` as it is",
            "todo.md",
            "TODOLIST",
            "x = {}",
            "{{}}",
            "",
        ] {
            assert_eq!(placeholder(answer), None, "{answer}");
        }
    }

    #[test]
    fn findings_are_what_the_rules_say() {
        let suggest = |answers: &[&str]| -> Vec<Suggested> {
            answers.iter().map(|answer| Suggested { answer: (*answer).into(), mode: None }).collect()
        };
        let found = |rules: Rules, answers: &[&str]| -> Vec<String> {
            rules
                .findings(&suggest(answers))
                .iter()
                .map(|(severity, finding)| alloc::format!("{severity:?}: {finding}"))
                .collect()
        };
        let rules = Rules::default();
        assert!(found(rules, &[]).is_empty(), "none is normal");
        assert!(found(rules, &["a", "b"]).is_empty());
        assert!(found(rules, &["a", "b", "c", "d"]).is_empty());
        assert_eq!(found(rules, &["a"]), ["Advice: there are 1 suggestions, and should be at least 2"]);
        assert_eq!(
            found(rules, &["a", "b", "c", "d", "e"]),
            ["Advice: there are 5 suggestions, and should be at most 4"]
        );
        let strict = Rules { duplicates: Severity::Reject, placeholders: Severity::Ignore, ..rules };
        assert_eq!(found(strict, &["a", "[path]", "a"]), ["Reject: suggestion 3 is the same as suggestion 1"]);
        assert_eq!(found(rules, &["a", "[path]"]), ["Advice: suggestion 2 has a placeholder, [path]"]);
    }
}
