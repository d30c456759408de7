//! Writes a reply by a template.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::model::{Rendered, Template, TemplateEntry, TemplateOutcome, Text};
use crate::dialogue::form::{Form, FormOption, FormQuestion};
use crate::dialogue::placeholder_text::fill;
use crate::dialogue::reply::FormAnswer;
use crate::shape::QuestionKind;

impl Template {
    /// Returns the reply with these answers, one for each question of the form.
    pub(in crate::dialogue) fn answered(&self, form: &Form, answers: &[FormAnswer]) -> Rendered {
        if let Some(nothing) = self.nothing.as_ref().filter(|_| !answers.iter().any(FormAnswer::is_answered)) {
            return self.outcome(nothing, form, &[]);
        }
        let (entry, is_whole) = self.entry_for(form);
        let entries = form.questions.iter().zip(answers).enumerate().filter_map(|(index, (question, answer))| {
            let place = Answered { template: self, index, question, answer };
            Some(place.fill(entry.case(question, answer)?))
        });
        let entries = entries.collect::<Vec<_>>().join(&self.between_entries);
        let own = self.answered_own.as_ref().filter(|_| answers.iter().any(FormAnswer::has_own_words));
        let text = if is_whole { entries } else { fill_entries(own.unwrap_or(&self.answered), &entries) };
        Rendered { text, is_error: false }
    }

    /// Returns the reply without answers, or with those so far: none, or one for each question.
    pub(in crate::dialogue) fn outcome(
        &self,
        outcome: &TemplateOutcome,
        form: &Form,
        answers: &[FormAnswer],
    ) -> Rendered {
        let entry = self.entry_for(form).0;
        let entries = form.questions.iter().enumerate().filter_map(|(index, question)| {
            let (case, answer) = match answers.get(index).filter(|answer| answer.is_answered()) {
                Some(given) => self.given(outcome, entry, question, given),
                None => outcome.missing(entry, question),
            };
            Some(Answered { template: self, index, question, answer: &answer }.fill(case?))
        });
        let between = outcome.between_entries.as_ref().unwrap_or(&self.between_entries);
        let entries: Vec<_> = entries.collect();
        let frame = outcome.entries.as_ref().filter(|_| !entries.is_empty());
        let entries = entries.join(between);
        let entries = frame.map_or_else(|| entries.as_str().into(), |frame| fill_entries(frame, &entries));
        Rendered { text: fill_entries(&outcome.text, &entries), is_error: outcome.is_error }
    }

    /// Returns the text for a question that was answered, and the answer. A note is never lost.
    fn given<'t>(
        &self,
        outcome: &'t TemplateOutcome,
        entry: &'t TemplateEntry,
        question: &FormQuestion,
        answer: &FormAnswer,
    ) -> (Option<&'t str>, FormAnswer) {
        let case = |answer: &FormAnswer| outcome.answered.as_deref().or_else(|| entry.case(question, answer));
        let has_note = case(answer).is_some_and(|case| self.has_note(case));
        let answer = if has_note { answer.clone() } else { answer.clone().with_note_in_text() };
        (case(&answer), answer)
    }

    /// Returns what the model is told about a call of this tool that can't be asked.
    ///
    /// Without details, the parameter with the questions is missing.
    pub(in crate::dialogue) fn rejection(&self, tool: &str, details: Option<&str>) -> Option<Rendered> {
        let rejected = self.rejected.as_ref()?;
        let text = if details.is_none() { &rejected.missing_parameter } else { &rejected.other };
        let text = fill(text, |name| match name {
            "tool" => Some(tool.into()),
            "parameter" => Some(Cow::Borrowed(&*self.parameter)),
            "details" => details.map(Cow::Borrowed),
            _ => None,
        });
        Some(Rendered { text, is_error: rejected.is_error })
    }

    /// Returns a text as it is, or as it is in a JSON string.
    fn escape<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if !self.json {
            return text.into();
        }
        let quoted = json_string(text);
        quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_string().into()
    }

    /// Returns the elements as a JSON list.
    fn list(&self, elements: impl Iterator<Item = String>) -> String {
        format!("[{}]", elements.collect::<Vec<_>>().join(&self.between_picks))
    }
}

fn fill_entries(text: &str, entries: &str) -> String {
    fill(text, |name| (name == "entries").then_some(entries.into()))
}

impl TemplateOutcome {
    /// Returns the text for a question without an answer, and what stands for the answer.
    fn missing<'t>(&'t self, entry: &'t TemplateEntry, question: &FormQuestion) -> (Option<&'t str>, FormAnswer) {
        if let Some(text) = &self.default_answer {
            let answer = FormAnswer::text(&**text);
            return (entry.case(question, &answer), answer);
        }
        if let Some(entry) = self.recommended.as_ref().filter(|_| !question.options.is_empty()) {
            let option = question.options.iter().position(|option| option.recommended).unwrap_or(0);
            let answer = FormAnswer::picked([option]);
            return (entry.case(question, &answer), answer);
        }
        (self.entry.as_ref().or_else(|| entry.unanswered(question)).map(|text| &**text), FormAnswer::default())
    }
}

impl TemplateEntry {
    /// Returns the text for a question that was not answered.
    fn unanswered(&self, question: &FormQuestion) -> Option<&Text> {
        let is_several = question.multiple == Some(true) && !question.options.is_empty();
        self.none_of_several.as_ref().filter(|_| is_several).or(self.unanswered.as_ref())
    }

    /// Returns the text for what the user answered.
    pub(super) fn case(&self, question: &FormQuestion, answer: &FormAnswer) -> Option<&str> {
        let written = || self.written.as_ref().unwrap_or(&self.picked);
        let case = match (&answer.picked[..], &answer.text) {
            ([], None) => self.unanswered(question)?,
            ([], Some(_)) if question.options.is_empty() => self.free.as_ref().unwrap_or_else(written),
            ([], Some(_)) => written(),
            (_, Some(_)) => self.both.as_ref().unwrap_or(&self.picked),
            ([picked], None) => {
                let option = question.options.get(*picked).filter(|option| option.value.is_none());
                let is = |word| option.is_some_and(|option| option.label.eq_ignore_ascii_case(word));
                let yes_or_no = if is("yes") { &self.yes } else { &self.no };
                let several = self.several.as_ref().filter(|_| question.multiple == Some(true));
                yes_or_no.as_ref().filter(|_| is("yes") || is("no")).or(several).unwrap_or(&self.picked)
            }
            (_, None) => self.several.as_ref().unwrap_or(&self.picked),
        };
        Some(case)
    }
}

/// A question with its answer, in its place in a reply.
#[derive(Clone, Copy)]
struct Answered<'a> {
    template: &'a Template,
    index: usize,
    question: &'a FormQuestion,
    answer: &'a FormAnswer,
}

impl<'a> Answered<'a> {
    fn fill(self, text: &str) -> String {
        fill(text, |name| self.value(name))
    }

    /// Returns the value of a placeholder of an entry.
    fn value(self, name: &str) -> Option<Cow<'a, str>> {
        let Answered { template, index, question, answer } = self;
        let header = question.header.as_deref().filter(|header| !header.trim().is_empty());
        let text = answer.text.as_deref();
        Some(match name {
            "index" => index.to_string().into(),
            "number" => (index + 1).to_string().into(),
            "id" => template.escape(question.id.as_deref().or(header).unwrap_or(&question.text)),
            "named" => self.part(&template.named, "id", question.id.as_deref()),
            "header" => match header {
                Some(header) => template.escape(header),
                None => {
                    fill(&template.missing_header, |name| (name == "number").then(|| (index + 1).to_string().into()))
                        .into()
                }
            },
            "question" => template.escape(&question.text),
            "text" => template.escape(text.unwrap_or_default()),
            "answer" => {
                let all = self.picked().map(|(_, option)| option.reply_text()).chain(text);
                all.map(|one| template.escape(one)).collect::<Vec<_>>().join(&template.between_picks).into()
            }
            "picks" => {
                self.picked().map(|pick| self.pick(pick)).collect::<Vec<_>>().join(&template.between_picks).into()
            }
            "json" => self.json().into(),
            "values" => template.list(self.picked().map(|(_, option)| json_string(option.reply_text()))).into(),
            "options" if question.options.is_empty() => "null".into(),
            "options" => template.list(question.options.iter().map(|option| json_string(&option.label))).into(),
            "note" => self.part(&template.note, "note", answer.note.as_deref()),
            "preview" => {
                let mut picked = self.picked();
                let only = picked.next().filter(|_| picked.next().is_none());
                self.part(&template.preview, "preview", only.and_then(|(_, option)| option.preview.as_deref()))
            }
            _ => return None,
        })
    }

    /// Returns the options that were picked, with their indexes.
    fn picked(self) -> impl Iterator<Item = (usize, &'a FormOption)> {
        self.answer.picked.iter().filter_map(move |&picked| Some((picked, self.question.options.get(picked)?)))
    }

    fn pick(self, (index, option): (usize, &FormOption)) -> String {
        fill(&self.template.pick, |name| match name {
            "label" => Some(self.template.escape(&option.label)),
            "value" => Some(self.template.escape(option.reply_text())),
            "number" => Some((index + 1).to_string().into()),
            _ => None,
        })
    }

    /// Returns a part of an entry; nothing without its text.
    fn part(self, part: &str, placeholder: &str, text: Option<&str>) -> Cow<'a, str> {
        let Some(text) = text else { return "".into() };
        fill(part, |name| (name == placeholder).then(|| self.template.escape(text))).into()
    }

    /// Returns the answer as a JSON value: of its kind, and a list if several could be picked.
    fn json(self) -> String {
        let text = self.answer.text.as_deref();
        let mut all = self.picked().map(|(_, option)| option.reply_text()).chain(text);
        if self.question.multiple == Some(true) {
            return self.template.list(all.map(json_string));
        }
        match (all.next(), all.next()) {
            (Some(one), None) => self.question.json(one),
            (None, _) => "null".into(),
            (Some(_), Some(_)) => {
                self.template.list(self.picked().map(|(_, option)| option.reply_text()).chain(text).map(json_string))
            }
        }
    }
}

impl FormQuestion {
    /// Returns an answer as the JSON value that its kind asks for.
    fn json(&self, answer: &str) -> String {
        match self.kind {
            Some(QuestionKind::Number) if is_number(answer) => answer.trim().into(),
            Some(QuestionKind::YesNo) if matches!(answer, "true" | "false") => answer.into(),
            _ => json_string(answer),
        }
    }
}

/// Returns `true` if the text is a number as JSON writes it.
pub(in crate::dialogue) fn is_number(text: &str) -> bool {
    serde_json::from_str::<serde_json::Number>(text.trim()).is_ok()
}

fn json_string(text: &str) -> String {
    // A string always serializes.
    serde_json::to_string(text).unwrap_or_default()
}
