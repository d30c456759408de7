//! The settings of a dialogue, and what they say about a call.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

use super::dialect::{Dialect, Explanation};
use super::error::AnswerErrorKind;
use super::finding::Finding;
use super::form::Form;
use super::history::Correction;
use super::question::Question;
use super::rejection::Rejection;
use super::reply::{FormAnswer, ReplyKind};
use super::rules::{Rules, Severity};
use super::template::{Rendered, Template};
use crate::reason::Reason;
use crate::shape::Shape;

/// The settings of a dialogue. Plain data, which many dialogues can share.
///
/// ```
/// use followup::dialogue::{Dialect, Dialogue, Setup};
///
/// let setup = Setup::default().with_dialect(Dialect::vjsp()).with_mistake_limit(5);
/// let dialogue = Dialogue::new(setup);
/// # assert_eq!(dialogue.setup().dialect.name, "vjsp");
/// # assert_eq!(dialogue.setup().mistake_limit, 5);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Setup {
    /// The messages, and how replies are wrapped. Default [`Dialect::roo_code`].
    pub dialect: Dialect,
    /// The rules for questions.
    pub rules: Rules,
    /// The number of mistakes in a row that stops the dialogue; 0 for no limit. Default 3.
    pub mistake_limit: u32,
    /// Whether to [escape](super::Wrapping::wrap) the user's text in the dialect's wrapping.
    ///
    /// Default no: the text is unchanged.
    pub escape: bool,
    /// The templates for answers to other agents' tools, by the tool's name. Default none.
    ///
    /// Without one, the built-in template with the name of the call's shape is used, or else
    /// [`Template::general`].
    pub templates: BTreeMap<String, Template>,
}

/// How a question ends without an answer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The user dismissed it.
    Cancelled,
    /// The user does not want to answer it.
    Declined,
    /// The user wants to talk about it first.
    Discussed,
    /// The time for an answer is over.
    TimedOut,
}

impl Ending {
    /// Returns the kind of the reply.
    pub(super) fn kind(self) -> ReplyKind {
        match self {
            Ending::Cancelled | Ending::TimedOut => ReplyKind::Cancelled,
            Ending::Declined | Ending::Discussed => ReplyKind::Declined,
        }
    }
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            dialect: Dialect::roo_code(),
            rules: Rules::default(),
            mistake_limit: 3,
            escape: false,
            templates: BTreeMap::new(),
        }
    }
}

impl Setup {
    /// Sets the dialect.
    #[must_use]
    pub fn with_dialect(self, dialect: Dialect) -> Setup {
        Setup { dialect, ..self }
    }

    /// Sets the rules for questions.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Setup {
        Setup { rules, ..self }
    }

    /// Sets the number of mistakes in a row that stops the dialogue; 0 for no limit.
    #[must_use]
    pub fn with_mistake_limit(self, mistake_limit: u32) -> Setup {
        Setup { mistake_limit, ..self }
    }

    /// Sets whether to [escape](super::Wrapping::wrap) the user's text.
    #[must_use]
    pub fn with_escape(self, escape: bool) -> Setup {
        Setup { escape, ..self }
    }

    /// Sets the template for the answers to a tool.
    ///
    /// Several agents have a tool named `ask_user`, each with its own wording, so set the template
    /// of the one that you serve:
    ///
    /// ```
    /// use followup::dialogue::{Setup, Template};
    ///
    /// let setup = Setup::default().with_template("ask_user", Template::named("gemini").unwrap());
    /// assert_eq!(setup.templates["ask_user"].name, "gemini");
    /// ```
    #[must_use]
    pub fn with_template(mut self, tool: impl Into<String>, template: Template) -> Setup {
        self.templates.insert(tool.into(), template);
        self
    }

    /// Returns the template for the answers to a form.
    pub(super) fn template_for(&self, form: &Form) -> Template {
        self.template(&form.tool, &form.shape).unwrap_or_default().for_form(form)
    }

    /// Returns the template for a tool; `None` for an own one without its template.
    fn template(&self, tool: &str, shape: &str) -> Option<Template> {
        self.templates.get(tool).cloned().or_else(|| Template::named(shape))
    }

    /// Returns what the model is told about a question that has ended.
    ///
    /// `answers` are those so far.
    pub(super) fn ended(
        &self,
        question: &Question,
        ending: Ending,
        answers: &[FormAnswer],
    ) -> Result<Rendered, AnswerErrorKind> {
        let cancelled = || Rendered { text: self.dialect.cancelled.to_string(), is_error: false };
        let Some(form) = &question.form else {
            return match ending {
                Ending::Discussed => Err(AnswerErrorKind::NoDiscussion),
                _ if !answers.is_empty() => Err(AnswerErrorKind::NoForm),
                _ => Ok(cancelled()),
            };
        };
        let template = self.template_for(form);
        let outcome = match ending {
            Ending::Cancelled => &None,
            Ending::Declined => &template.declined,
            Ending::Discussed if template.discussed.is_none() => return Err(AnswerErrorKind::NoDiscussion),
            Ending::Discussed => &template.discussed,
            Ending::TimedOut => &template.timed_out,
        };
        let answers = form.accept_so_far(answers)?;
        let outcome = outcome.as_ref().or(template.cancelled.as_ref());
        Ok(outcome.map_or_else(cancelled, |outcome| template.outcome(outcome, form, &answers)))
    }

    /// Returns what is wrong with a rejected call.
    pub(super) fn explain(&self, call: &Rejection) -> Correction {
        let (reason, id, tool) = (call.reason, call.id.clone(), call.native_tool());
        let Some(shape) = &call.shape else {
            return Correction { id, tool, ..correction(reason.code(), self.dialect.explain(reason)) };
        };
        let template = self.template(&call.tool, shape).unwrap_or_else(|| {
            let mut template = Template::default();
            if !Shape::built_in_names().any(|name| name == shape) {
                // The key of the questions is not known, nor whether they are what is missing.
                template.parameter = "a question, its text or its options".into();
            }
            template
        });
        let (user, details) = match call.blank_question {
            Some(index) => {
                let parameter = format!("text of question {}", index + 1);
                (self.dialect.explain_tool(reason, &parameter), Some(format!("the {parameter} is missing")))
            }
            None => {
                let details = (reason != Reason::MissingParameter).then(|| reason.to_string());
                (self.dialect.explain_tool(reason, &template.parameter), details)
            }
        };
        Correction { id, tool, ..told(reason.code(), user, template.rejection(&call.tool, details.as_deref())) }
    }

    /// Adds the advice of the rules to a question, or returns why it can't be asked.
    pub(super) fn examine(&self, question: &mut Question) -> Option<Correction> {
        let Setup { dialect, rules, .. } = self;
        question.can_discuss = false;
        if let Some(form) = &mut question.form {
            question.can_discuss = self.template_for(form).discussed.is_some();
            return self.examine_form(form);
        }
        if rules.follow_up_required.unwrap_or(dialect.follow_up_required) && question.suggest.is_empty() {
            return Some(correction("missing_parameter", dialect.missing("follow_up")));
        }
        let findings = rules.findings(&question.suggest);
        let broken = first_broken(&findings).map(|broken| correction("rule", dialect.broken_rule(&broken.to_string())));
        question.advice = findings.into_iter().map(|(_, finding)| finding).collect();
        broken
    }

    /// Adds to each question the advice of the rules and what the reply has a place for.
    ///
    /// Returns the correction if the questions can't be asked.
    fn examine_form(&self, form: &mut Form) -> Option<Correction> {
        let takes_notes = self.template_for(form).takes_notes(form);
        for question in &mut form.questions {
            question.notes = takes_notes && !question.options.is_empty();
        }
        for index in 0..form.questions.len() {
            let findings = self.rules.findings_in_options(&form.questions[index].options);
            if let Some(broken) = first_broken(&findings) {
                let details = format!("question {}: {broken}", index + 1);
                let model = self.template_for(form).rejection(&form.tool, Some(&details));
                return Some(told("rule", self.dialect.broken_rule(&details).user, model));
            }
            form.questions[index].advice = findings.into_iter().map(|(_, finding)| finding).collect();
        }
        None
    }
}

fn correction(reason: &str, Explanation { user, model }: Explanation) -> Correction {
    Correction { id: None, tool: None, reason: reason.into(), user, model, is_error: false }
}

/// Returns a correction in which the model is told this, or else the same as the user.
fn told(reason: &str, user: String, model: Option<Rendered>) -> Correction {
    let Rendered { text: model, is_error } = model.unwrap_or_else(|| Rendered { text: user.clone(), is_error: false });
    Correction { id: None, tool: None, reason: reason.into(), user, model, is_error }
}

/// Returns the first finding for which a question is rejected.
fn first_broken(findings: &[(Severity, Finding)]) -> Option<&Finding> {
    findings.iter().find(|(severity, _)| *severity == Severity::Reject).map(|(_, finding)| finding)
}
