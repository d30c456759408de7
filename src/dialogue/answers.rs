//! Whether the answers to a form can be accepted, and what older answers mean for one.

use alloc::string::String;
use alloc::vec::Vec;

use super::error::AnswerErrorKind;
use super::form::{Form, FormQuestion};
use super::image::Image;
use super::reply::{Answer, FormAnswer};
use super::template::{Template, is_number};
use crate::shape::QuestionKind;

/// The answer to a form for which only images were sent.
const SEE_IMAGES: &str = "(see the attached images)";

impl Form {
    /// Returns the answers, one for each question, if the form accepts them.
    ///
    /// Blank texts are left out. A note is the answer, or part of it, if there is nothing else or
    /// the reply has no place for it: nothing that the user wrote is lost. Images alone are an
    /// answer.
    pub(super) fn accept(
        &self,
        answer: &Answer,
        images: &[Image],
        template: &Template,
    ) -> Result<Vec<FormAnswer>, AnswerErrorKind> {
        let answers = match answer {
            Answer::Form(answers) => answers.clone(),
            _ if self.questions.len() != 1 => {
                return Err(AnswerErrorKind::SeveralQuestions { count: self.questions.len() });
            }
            Answer::Suggestion(index) => [FormAnswer::picked([*index])].into(),
            Answer::Edited { text, suggestion } => {
                self.questions[0].check(0, &FormAnswer::picked([*suggestion]))?;
                [FormAnswer::text(text)].into()
            }
            Answer::Text(text) => [FormAnswer::text(text)].into(),
        };
        let (answered, questions) = (answers.len(), self.questions.len());
        if answered != questions {
            return Err(AnswerErrorKind::WrongNumberOfAnswers { answers: answered, questions });
        }
        let answers = answers.into_iter().zip(&self.questions).map(|(answer, question)| {
            let answer = answer.normal();
            if template.allows_note(self, question, &answer) { answer } else { answer.with_note_in_text() }
        });
        let mut answers: Vec<FormAnswer> = answers.collect();
        if !images.is_empty() && !answers.iter().any(FormAnswer::is_answered) {
            self.point_to_images(&mut answers);
        }
        for (index, (question, answer)) in self.questions.iter().zip(&answers).enumerate() {
            question.check(index, answer)?;
            if question.required == Some(true) && !answer.is_answered() {
                return Err(AnswerErrorKind::NotAnswered { question: index });
            }
        }
        Ok(answers)
    }

    /// Answers the first question that takes any text with a text that refers to the images.
    fn point_to_images(&self, answers: &mut [FormAnswer]) {
        let takes_any = |question: &FormQuestion| {
            question.allows_text() && question.kind.is_none_or(|kind| kind == QuestionKind::Text)
        };
        if let Some((answer, _)) = answers.iter_mut().zip(&self.questions).find(|(_, question)| takes_any(question)) {
            *answer = FormAnswer::text(SEE_IMAGES);
        }
    }

    /// Returns the answers so far, none or one for each question, if the form accepts them.
    ///
    /// Nothing has to be answered. Blank texts are left out.
    pub(super) fn accept_so_far(&self, answers: &[FormAnswer]) -> Result<Vec<FormAnswer>, AnswerErrorKind> {
        let (answered, questions) = (answers.len(), self.questions.len());
        if answered != questions && answered != 0 {
            return Err(AnswerErrorKind::WrongNumberOfAnswers { answers: answered, questions });
        }
        let answers: Vec<FormAnswer> = answers.iter().cloned().map(FormAnswer::normal).collect();
        for (index, (question, answer)) in self.questions.iter().zip(&answers).enumerate() {
            question.check(index, answer)?;
        }
        Ok(answers)
    }

    /// Returns the mode of the last option that was picked, or edited, and has one.
    pub(super) fn mode(&self, answer: &Answer) -> Option<String> {
        let mode = |question: usize, option: usize| self.questions.get(question)?.options.get(option)?.mode.clone();
        match answer {
            Answer::Suggestion(option) | Answer::Edited { suggestion: option, .. } => mode(0, *option),
            Answer::Text(_) => None,
            Answer::Form(answers) => {
                let picked = answers
                    .iter()
                    .enumerate()
                    .flat_map(|(question, answer)| answer.picked.iter().map(move |&option| (question, option)));
                picked.rev().find_map(|(question, option)| mode(question, option))
            }
        }
    }
}

impl FormQuestion {
    /// Checks the answer to this question, which has this index in its form.
    fn check(&self, index: usize, answer: &FormAnswer) -> Result<(), AnswerErrorKind> {
        let count = self.options.len();
        for (place, picked) in answer.picked.iter().enumerate() {
            if *picked >= count {
                return Err(AnswerErrorKind::NoSuchOption { question: index, count });
            }
            if answer.picked[..place].contains(picked) {
                return Err(AnswerErrorKind::PickedTwice { question: index });
            }
        }
        if answer.picked.len() > 1 && self.multiple != Some(true) {
            return Err(AnswerErrorKind::OnlyOne { question: index });
        }
        match &answer.text {
            Some(_) if !self.allows_text() => Err(AnswerErrorKind::NoOwnText { question: index }),
            Some(text) if self.kind == Some(QuestionKind::Number) && !is_number(text) => {
                Err(AnswerErrorKind::NotANumber { question: index })
            }
            _ => Ok(()),
        }
    }
}
