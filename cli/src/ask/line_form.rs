//! Asks the questions of a form on the terminal, line by line.

use followup::dialogue::{Answer, Form, FormAnswer, FormQuestion};

use super::answers::{DISCUSSED, Decision};
use super::form_answers::{automatic_answers, default_answer, shown_answer, shown_in_review};
use super::label::without_mark;
use super::line_answer::{parse_line, prompt};
use super::line_terminal::{Line, LineTerminal};
use crate::error::Error;
use crate::sanitize::one_line;

/// A form that is being answered.
pub(super) struct FormPrompt<'p> {
    terminal: &'p mut LineTerminal,
    form: &'p Form,
    can_discuss: bool,
    answers: Vec<FormAnswer>,
}

/// What happened at a question.
enum Asked {
    Answered,
    /// The line was empty, so the answer is as before.
    Unchanged,
    /// Nothing was typed before the countdown ended.
    NothingTyped,
    /// There is nobody.
    End,
}

impl<'p> FormPrompt<'p> {
    /// `can_discuss`: the tool has a reply for a user who wants to talk about the questions first.
    pub(super) fn new(terminal: &'p mut LineTerminal, form: &'p Form, can_discuss: bool) -> FormPrompt<'p> {
        FormPrompt { terminal, form, can_discuss, answers: form.questions.iter().map(default_answer).collect() }
    }

    /// Asks all questions in order, and then whether to send the answers.
    pub(super) fn decide(mut self) -> Result<Decision, Error> {
        if let Some(title) = &self.form.title {
            self.terminal.write_text("", title)?;
        }
        let automatic = automatic_answers(self.form);
        for index in 0..self.form.questions.len() {
            match self.ask(index, automatic.is_some().then_some("the answers are sent"))? {
                Asked::Answered if self.is_lone() => return self.send(),
                Asked::Answered | Asked::Unchanged => {}
                Asked::End => return self.cancel(),
                Asked::NothingTyped => {
                    let Some(Answer::Form(answers)) = automatic else { return self.cancel() };
                    self.answers = answers;
                    self.write_answers("✓")?;
                    self.terminal.write_line("  taken because nobody typed")?;
                    return Ok(Decision::Answer(Answer::Form(self.answers)));
                }
            }
        }
        self.confirm()
    }

    /// Returns whether there is one question, whose answer is sent without a review.
    fn is_lone(&self) -> bool {
        self.form.questions.len() == 1
    }

    /// Sends the answers.
    fn send(self) -> Result<Decision, Error> {
        let shown = match (&*self.form.questions, &*self.answers) {
            ([question], [answer]) => shown_answer(question, answer).unwrap_or_default(),
            _ => "sent".into(),
        };
        self.terminal.write_text("✓ ", &shown)?;
        Ok(Decision::Answer(Answer::Form(self.answers)))
    }

    fn cancel(self) -> Result<Decision, Error> {
        self.terminal.write_line("✗ not answered")?;
        Ok(Decision::Cancel)
    }

    /// Shows the answers, and asks whether to send them, or which to change.
    fn confirm(mut self) -> Result<Decision, Error> {
        let count = self.form.questions.len();
        if !self.is_lone() {
            self.write_answers("-")?;
        }
        loop {
            let prompt = self.confirmation();
            let Line::Typed(line) = self.terminal.read_line(&prompt, None)? else { return self.cancel() };
            match line.trim() {
                "" if self.can_send() => return self.send(),
                "" if self.is_lone() => return self.cancel(),
                "d" => {
                    self.terminal.write_line("✗ declined")?;
                    return Ok(Decision::Decline);
                }
                "c" if self.can_discuss => {
                    self.terminal.write_line(&format!("✗ {DISCUSSED}"))?;
                    return Ok(Decision::Discuss(self.answers));
                }
                "x" => return self.cancel(),
                "" => {}
                number => {
                    let index = number.parse().ok().and_then(|number: usize| number.checked_sub(1));
                    let Some(index) = index.filter(|&index| index < count) else {
                        self.terminal.write_line(&format!("{} is none of these.", one_line(number)))?;
                        continue;
                    };
                    match self.ask(index, None)? {
                        Asked::End => return self.cancel(),
                        Asked::Answered if self.is_lone() => return self.send(),
                        _ if self.is_lone() => {}
                        _ => self.write_answers("-")?,
                    }
                }
            }
        }
    }

    /// Returns whether something is answered.
    fn can_send(&self) -> bool {
        self.answers.iter().any(FormAnswer::is_answered)
    }

    /// Returns the prompt for what to do with the answers.
    fn confirmation(&self) -> String {
        let talk = if self.can_discuss { ", c talks about it first" } else { "" };
        match (self.is_lone(), self.can_send()) {
            (true, true) => {
                format!("an empty line sends that; 1 asks again; d declines{talk}, x leaves it unanswered")
            }
            (true, false) => format!("an empty line leaves it unanswered; 1 asks again; d declines{talk}"),
            (false, can_send) => {
                let send = if can_send { "an empty line sends the answers" } else { "nothing is answered" };
                let count = self.form.questions.len();
                format!("{send}; 1 to {count} asks that question again; d declines{talk}, x leaves all unanswered")
            }
        }
    }

    fn write_answers(&mut self, mark: &str) -> Result<(), Error> {
        for (index, both) in self.form.questions.iter().zip(&self.answers).enumerate() {
            self.terminal.write_text(&format!("{mark} {}. ", index + 1), &shown_in_review(both))?;
        }
        Ok(())
    }

    /// Asks a question until its answer can be accepted.
    fn ask(&mut self, index: usize, automatic: Option<&str>) -> Result<Asked, Error> {
        let Some(question) = self.form.questions.get(index) else { return Ok(Asked::Answered) };
        let default = self.answers.get(index).cloned().unwrap_or_default();
        self.write_question(index, question)?;
        let prompt = prompt(question, &default, self.form.questions.len() == 1);
        let mut refused = None;
        let answer = loop {
            let line = match self.terminal.read_line(&prompt, automatic)? {
                Line::Typed(line) => line,
                Line::NothingTyped => return Ok(Asked::NothingTyped),
                Line::End => return Ok(Asked::End),
            };
            if line.trim().is_empty() {
                let is_missing = question.required == Some(true) && !default.is_answered();
                if !is_missing || self.is_lone() {
                    return Ok(Asked::Unchanged);
                }
                self.terminal.write_line("This question has to be answered.")?;
                continue;
            }
            match parse_line(&line, question, refused.as_deref()) {
                Ok(answer) => break answer,
                Err(why) => self.terminal.write_line(&why)?,
            }
            refused = Some(line.trim().to_owned());
        };
        if let Some(of_question) = self.answers.get_mut(index) {
            *of_question = answer;
        }
        Ok(Asked::Answered)
    }

    fn write_question(&mut self, index: usize, question: &FormQuestion) -> Result<(), Error> {
        let count = self.form.questions.len();
        let header = question.header.as_deref().map(one_line);
        match (count, header) {
            (1, None) => {}
            (1, Some(header)) => self.terminal.write_line(&header)?,
            (_, None) => self.terminal.write_line(&format!("Question {} of {count}", index + 1))?,
            (_, Some(header)) => self.terminal.write_line(&format!("Question {} of {count}: {header}", index + 1))?,
        }
        self.terminal.write_text("? ", &question.text)?;
        if let Some(detail) = &question.detail {
            self.terminal.write_text("  ", detail)?;
        }
        for (index, option) in question.options.iter().enumerate() {
            let mode = option.mode.as_deref().map_or(String::new(), |mode| format!("[{}] ", one_line(mode)));
            let recommended = if option.recommended { " (recommended)" } else { "" };
            let description = option.description.as_deref().map_or(String::new(), |text| format!(": {text}"));
            let label = without_mark(&option.label, false);
            let mark = format!("  {}. ", index + 1);
            self.terminal.write_text(&mark, &format!("{mode}{label}{recommended}{description}"))?;
            for line in option.preview.iter().flat_map(|preview| preview.lines()) {
                self.terminal.write_text("     | ", line)?;
            }
        }
        Ok(())
    }
}
