//! The sources of answers, and messages about answers.

use std::collections::VecDeque;
use std::num::NonZeroUsize;

use followup::dialogue::{Answer, AnswerErrorKind, Question, Setup};

use crate::error::{Error, report};
use crate::events::{EmittedAt, InputEvent};

/// A source of answers: a person, or the command line.
pub(super) trait Answerer {
    /// Observes an event of the input.
    fn observe(&mut self, event: &InputEvent<'_>, emitted: EmittedAt) -> Result<(), Error>;

    /// Reports what was left over, after all of the input has been read.
    fn end(&mut self) {}

    /// Returns the answer to a question; `None` to leave it unanswered.
    fn answer(&mut self, question: &Question) -> Result<Option<Answer>, Error>;

    /// Handles the refusal of the last answer. Fails if there is no point in asking again.
    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error>;
}

/// The answers of `--answer` and `--text`, one for each question.
pub(super) struct PresetAnswers {
    answers: VecDeque<Answer>,
}

impl PresetAnswers {
    /// `None` if there are no answers.
    pub(super) fn new(numbers: &[NonZeroUsize], texts: &[String]) -> Option<PresetAnswers> {
        let numbers = numbers.iter().map(|number| Answer::Suggestion(number.get() - 1));
        let answers: VecDeque<Answer> = numbers.chain(texts.iter().cloned().map(Answer::Text)).collect();
        (!answers.is_empty()).then_some(PresetAnswers { answers })
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

    fn answer(&mut self, question: &Question) -> Result<Option<Answer>, Error> {
        match self.answers.pop_front() {
            Some(answer) => Ok(Some(answer)),
            None => Err(Error::Unreadable(format!(
                "question {} was not answered: there are more questions than answers; give --answer or --text once more",
                question.number + 1
            ))),
        }
    }

    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error> {
        Err(Error::Unreadable(describe_refusal(question, kind)))
    }
}

/// Describes why an answer was refused, for people.
pub(super) fn describe_refusal(question: &Question, kind: AnswerErrorKind) -> String {
    format!("question {}: {kind}", question.number + 1)
}

/// Returns the text of an answer.
pub(super) fn answer_text<'a>(question: &'a Question, answer: &'a Answer) -> &'a str {
    match answer {
        Answer::Suggestion(choice) => question.suggest.get(*choice).map_or("", |suggested| &suggested.answer),
        Answer::Edited { text, .. } | Answer::Text(text) => text,
    }
}

/// Returns the warning that an answer contains the end of its own wrapping; `None` if it does not.
pub(super) fn early_end_warning(setup: &Setup, text: &str) -> Option<String> {
    let reply = &setup.dialect.reply;
    (!setup.escape && reply.is_ended_by(text)).then(|| {
        let close = reply.close.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("the answer contains {close}, which may end it early for the model; --escape prevents that")
    })
}
