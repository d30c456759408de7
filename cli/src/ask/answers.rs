//! Where answers come from.

use std::collections::VecDeque;
use std::num::NonZeroUsize;

use followup::dialogue::{Answer, AnswerErrorKind, Question};

use crate::error::{Error, say};
use crate::stream::{Happened, When};

/// Whoever answers.
pub(super) trait Answers {
    /// Sees what happens.
    fn show(&mut self, happened: &Happened<'_>, when: When) -> Result<(), Error>;

    /// Answers a question, or doesn't.
    fn answer(&mut self, question: &Question) -> Result<Option<Answer>, Error>;

    /// The last answer can't be taken. Fails if there is no point in asking again.
    fn refused(&mut self, question: &Question, why: AnswerErrorKind) -> Result<(), Error>;
}

/// Answers from the command line, one for each question.
pub(super) struct Given {
    answers: VecDeque<Answer>,
}

impl Given {
    /// `None` if there are none.
    pub(super) fn new(numbers: &[NonZeroUsize], texts: &[String]) -> Option<Given> {
        let numbers = numbers.iter().map(|number| Answer::Suggestion(number.get() - 1));
        let answers: VecDeque<Answer> = numbers.chain(texts.iter().cloned().map(Answer::Text)).collect();
        (!answers.is_empty()).then_some(Given { answers })
    }
}

impl Answers for Given {
    fn show(&mut self, happened: &Happened<'_>, _: When) -> Result<(), Error> {
        match happened {
            Happened::Error(error) => say(error),
            Happened::End if !self.answers.is_empty() => {
                say(format_args!("there were more answers than questions: {} of them not needed", self.answers.len()));
            }
            _ => {}
        }
        Ok(())
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

    fn refused(&mut self, question: &Question, why: AnswerErrorKind) -> Result<(), Error> {
        Err(Error::Unreadable(super::explain(question, why)))
    }
}
