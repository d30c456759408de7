//! The rules that a host has for questions: advice, or a reason to reject.

use alloc::string::ToString;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::form::FormOption;
use super::placeholder::placeholder;
use super::question::Suggestion;

/// What happens to a question that breaks a rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The rule is not checked.
    Ignore,
    /// The question is asked, with the finding as advice to the host. The default.
    #[default]
    Advice,
    /// The question is not asked, and the model is told why.
    Reject,
}

/// The rules for a question, and what happens when it breaks one.
///
/// ```
/// use followup::dialogue::{Rules, Severity};
///
/// let mut rules = Rules::default();
/// rules.placeholders = Severity::Reject;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Rules {
    /// Whether a call without suggestions is rejected for a missing parameter.
    ///
    /// `None`, the default, leaves it to the dialect.
    pub follow_up_required: Option<bool>,
    /// The smallest number of suggestions, if there are any. Default 2.
    pub min_suggestions: usize,
    /// The largest number of suggestions. Default 4.
    pub max_suggestions: usize,
    /// What happens if there are too few or too many. Default advice.
    pub suggestion_count: Severity,
    /// What happens if a suggestion has a [placeholder](Finding::Placeholder). Default advice.
    pub placeholders: Severity,
    /// What happens if a suggestion is a [duplicate](Finding::Duplicate). Default advice.
    pub duplicates: Severity,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            follow_up_required: None,
            min_suggestions: 2,
            max_suggestions: 4,
            suggestion_count: Severity::Advice,
            placeholders: Severity::Advice,
            duplicates: Severity::Advice,
        }
    }
}

impl Rules {
    /// Returns what the rules find in these suggestions.
    pub(super) fn findings(&self, suggest: &[Suggestion]) -> Vec<(Severity, Finding)> {
        let suggestions = suggest.len();
        let mut all = Vec::new();
        if suggestions > 0 && suggestions < self.min_suggestions {
            all.push((self.suggestion_count, Finding::TooFew { suggestions, least: self.min_suggestions }));
        }
        if suggestions > self.max_suggestions {
            all.push((self.suggestion_count, Finding::TooMany { suggestions, most: self.max_suggestions }));
        }
        all.extend(self.findings_in_each(suggest, |one| &one.answer));
        all.retain(|(severity, _)| *severity != Severity::Ignore);
        all
    }

    /// Returns what the rules find in these options of another tool's question.
    ///
    /// How many there should be is the tool's affair.
    pub(super) fn findings_in_options(&self, options: &[FormOption]) -> Vec<(Severity, Finding)> {
        let options: Vec<_> = options.iter().map(|one| (&*one.label, &one.value, &one.mode)).collect();
        let mut all = self.findings_in_each(&options, |(label, ..)| label);
        all.retain(|(severity, _)| *severity != Severity::Ignore);
        all
    }

    fn findings_in_each<T: PartialEq>(&self, all: &[T], answer: impl Fn(&T) -> &str) -> Vec<(Severity, Finding)> {
        let mut found = Vec::new();
        for (suggestion, one) in all.iter().enumerate() {
            if let Some(placeholder) = placeholder(answer(one)) {
                let placeholder = placeholder.to_string();
                found.push((self.placeholders, Finding::Placeholder { suggestion, placeholder }));
            }
            if let Some(of) = all[..suggestion].iter().position(|before| before == one) {
                found.push((self.duplicates, Finding::Duplicate { suggestion, of }));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;

    #[test]
    fn a_rule_that_is_broken_is_found_with_its_severity() {
        let suggest = |answers: &[&str]| -> Vec<Suggestion> {
            answers.iter().map(|answer| Suggestion { answer: (*answer).into(), mode: None }).collect()
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
            let suggest = modes.map(|mode| Suggestion { answer: "Go on".into(), mode: mode.map(Into::into) });
            let duplicate = (Severity::Advice, Finding::Duplicate { suggestion: 1, of: 0 });
            let found = Rules::default().findings(&suggest);
            assert_eq!(found, if same { Vec::from([duplicate]) } else { Vec::new() }, "{modes:?}");
        }
    }
}
