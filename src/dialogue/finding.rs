//! What is noticed about a question: rules that a host may make advice or a reason to reject.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::placeholder::placeholder;
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
    /// A suggestion says the same as one before it, with the same mode.
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
                write!(f, "{}, and should be at least {least}", counted(*suggestions))
            }
            Finding::TooMany { suggestions, most } => {
                write!(f, "{}, and should be at most {most}", counted(*suggestions))
            }
            Finding::Placeholder { suggestion, placeholder } => {
                write!(f, "suggestion {} has a placeholder, {placeholder}", from_one(*suggestion))
            }
            Finding::Duplicate { suggestion, of } => {
                write!(f, "suggestion {} is the same as suggestion {}", from_one(*suggestion), from_one(*of))
            }
        }
    }
}

fn counted(suggestions: usize) -> String {
    match suggestions {
        1 => "there is 1 suggestion".into(),
        _ => format!("there are {suggestions} suggestions"),
    }
}

/// As people count. It may be any number: findings are stored with their question.
fn from_one(suggestion: usize) -> usize {
    suggestion.saturating_add(1)
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
            if let Some(of) = suggest[..suggestion].iter().position(|before| before == one) {
                push(self.duplicates, Finding::Duplicate { suggestion, of });
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(found(rules, &["a"]), ["Advice: there is 1 suggestion, and should be at least 2"]);
        assert_eq!(
            found(rules, &["a", "b", "c", "d", "e"]),
            ["Advice: there are 5 suggestions, and should be at most 4"]
        );
        let strict = Rules { duplicates: Severity::Reject, placeholders: Severity::Ignore, ..rules };
        assert_eq!(found(strict, &["a", "[path]", "a"]), ["Reject: suggestion 3 is the same as suggestion 1"]);
        assert_eq!(found(rules, &["a", "[path]"]), ["Advice: suggestion 2 has a placeholder, [path]"]);
    }

    #[test]
    fn the_same_answer_with_another_mode_is_another_suggestion() {
        for (modes, same) in [
            ([None, None], true),
            ([Some("code"), Some("code")], true),
            ([Some("code"), Some("ask")], false),
            ([None, Some("code")], false),
        ] {
            let suggest = modes.map(|mode| Suggested { answer: "Go on".into(), mode: mode.map(Into::into) });
            let duplicate = (Severity::Advice, Finding::Duplicate { suggestion: 1, of: 0 });
            let found = Rules::default().findings(&suggest);
            assert_eq!(found, if same { Vec::from([duplicate]) } else { Vec::new() }, "{modes:?}");
        }
    }
}
