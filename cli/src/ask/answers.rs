//! The sources of answers, and messages about answers.

use std::collections::VecDeque;
use std::fmt::Display;
use std::num::NonZeroUsize;

use followup::dialogue::{Answer, AnswerErrorKind, FormAnswer, Question, Setup};
use serde_json::Value;

use crate::error::{Error, report};
use crate::events::{EmittedAt, InputEvent};
use crate::plain_words::json_error;
use crate::sanitize::sanitize;

/// What is done about a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Answer(Answer),
    /// Tell the model that the user will not answer.
    Decline,
    /// Leave it unanswered.
    Cancel,
    /// Tell the model that the user wants to talk about it first, with the answers so far.
    Discuss(Vec<FormAnswer>),
}

/// The answer, as people read it, of a question that the user wants to talk about first.
pub(super) const DISCUSSED: &str = "not answered: to be talked about first";

/// A source of answers: a person, or the command line.
pub(super) trait Answerer {
    /// Observes an event of the input.
    fn observe(&mut self, event: &InputEvent<'_>, emitted: EmittedAt) -> Result<(), Error>;

    /// Reports what was left over, after all of the input has been read.
    fn end(&mut self) {}

    /// Decides about a question. `has_images`: there are images to send with the answer.
    fn decide(&mut self, question: &Question, has_images: bool) -> Result<Decision, Error>;

    /// Handles the refusal of the last answer. Fails if there is no point in asking again.
    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error>;
}

/// The answers of `--answer`, `--text` and `--answer-json`, one for each question.
pub(super) struct PresetAnswers {
    answers: VecDeque<Answer>,
}

impl PresetAnswers {
    /// `None` if there are no answers.
    ///
    /// # Errors
    ///
    /// If one of `json` is no [`Answer`].
    pub(super) fn new(
        numbers: &[NonZeroUsize],
        texts: &[String],
        json: &[String],
    ) -> Result<Option<PresetAnswers>, Error> {
        let json = json.iter().map(|json| parse_answer(json)).collect::<Result<Vec<_>, _>>()?;
        let numbers = numbers.iter().map(|number| Answer::Suggestion(number.get() - 1));
        let texts = texts.iter().cloned().map(Answer::Text);
        let answers: VecDeque<Answer> = numbers.chain(texts).chain(json).collect();
        Ok((!answers.is_empty()).then_some(PresetAnswers { answers }))
    }

    /// Returns the next answer, or of a form with several questions, as many as it has.
    fn next(&mut self, question: &Question) -> Option<Answer> {
        let count = question.form.as_ref().map_or(1, |form| form.questions.len());
        if count == 1 || matches!(self.answers.front(), Some(Answer::Form(_))) {
            return self.answers.pop_front();
        }
        let is_enough = self.answers.len() >= count;
        is_enough.then(|| Answer::Form(self.answers.drain(..count).map(form_answer).collect()))
    }
}

/// Parses an answer as a history has it.
fn parse_answer(json: &str) -> Result<Answer, Error> {
    // The error for a value of the wrong type is better than that for a text.
    let value = serde_json::from_str::<Value>(json);
    let answer = value.and_then(serde_json::from_value::<Answer>);
    answer.map_err(|error| {
        Error::Usage(format!("can't use --answer-json {}: {}{ANSWER_JSON}", sanitize(json), json_error(&error)))
    })
}

const ANSWER_JSON: &str = "

  followup ask --answer-json '{\"form\":[{\"picked\":[0,2]},{\"text\":\"8080\"},{}]}' …
      Options count from 0, and {} leaves a question unanswered.

`followup ask --help` has more.";

/// Returns the answer to one question of a form.
fn form_answer(answer: Answer) -> FormAnswer {
    match answer {
        Answer::Suggestion(option) => FormAnswer::picked([option]),
        Answer::Edited { text, .. } | Answer::Text(text) => FormAnswer::text(text),
        Answer::Form(answers) => answers.into_iter().next().unwrap_or_default(),
    }
}

/// Returns whether nothing is wrong with an answer but that there is nothing in it.
fn is_empty(question: &Question, answer: &Answer) -> bool {
    let count = question.form.as_ref().map_or(0, |form| form.questions.len());
    match answer {
        Answer::Suggestion(_) => false,
        Answer::Form(answers) if answers.len() != count => false,
        answer => is_blank(question, answer),
    }
}

impl Answerer for PresetAnswers {
    fn observe(&mut self, event: &InputEvent<'_>, _: EmittedAt) -> Result<(), Error> {
        if let InputEvent::Error(error) = event {
            report(error);
        }
        Ok(())
    }

    fn end(&mut self) {
        if !self.answers.is_empty() {
            report(format_args!("there were more answers than questions: {} not used", self.answers.len()));
        }
    }

    fn decide(&mut self, question: &Question, has_images: bool) -> Result<Decision, Error> {
        match self.next(question) {
            Some(answer) if !has_images && is_empty(question, &answer) => {
                return Err(Error::Unreadable(describe_refusal(question, "nothing is answered")));
            }
            Some(answer) => return Ok(Decision::Answer(answer)),
            None => {}
        }
        let number = question.number + 1;
        let count = question.form.as_ref().map_or(1, |form| form.questions.len());
        Err(Error::Unreadable(if count > 1 {
            format!(
                "call {number} was not answered: it has {count} questions, and the answers left are {}; \
                 give --answer or --text once for each, or --answer-json",
                self.answers.len()
            )
        } else {
            format!(
                "question {number} was not answered: there are more questions than answers; \
                 give --answer or --text once more"
            )
        }))
    }

    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error> {
        Err(Error::Unreadable(describe_refusal(question, kind)))
    }
}

/// Describes why an answer was refused, for people.
pub(super) fn describe_refusal(question: &Question, why: impl Display) -> String {
    // The questions of a form have numbers of their own.
    let what = if question.form.is_some() { "call" } else { "question" };
    format!("{what} {}: {why}", question.number + 1)
}

/// Returns the text of an answer to a question that is not a form.
pub(super) fn answer_text<'a>(question: &'a Question, answer: &'a Answer) -> &'a str {
    match answer {
        Answer::Suggestion(choice) => question.suggest.get(*choice).map_or("", |suggested| &suggested.answer),
        Answer::Edited { text, .. } | Answer::Text(text) => text,
        Answer::Form(_) => "",
    }
}

/// Returns whether there is nothing in an answer.
pub(super) fn is_blank(question: &Question, answer: &Answer) -> bool {
    match answer {
        Answer::Form(answers) => !answers.iter().any(FormAnswer::is_answered),
        answer => answer_text(question, answer).trim().is_empty(),
    }
}

/// Returns the warning that an answer contains the end of its own wrapping; `None` if it does not.
///
/// The answers to a form are not wrapped.
pub(super) fn early_end_warning(setup: &Setup, question: &Question, answer: &Answer) -> Option<String> {
    let reply = &setup.dialect.reply;
    let is_ended = question.form.is_none() && reply.is_ended_by(answer_text(question, answer));
    (!setup.escape && is_ended).then(|| {
        let close = reply.close.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("the answer contains {close}, which may end it early for the model; --escape prevents that")
    })
}
