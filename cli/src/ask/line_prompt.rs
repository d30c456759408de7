//! A prompt on the terminal, line by line: for screen readers, and where no screen can be drawn.
//!
//! Nothing that was written is changed, because a screen reader would read it again. So a question
//! is written once it is complete.

use followup::Event;
use followup::dialogue::{Answer, AnswerErrorKind, Question};

use super::answers::{Answerer, Decision, answer_text, describe_refusal};
use super::line_form::FormPrompt;
use super::line_terminal::{Line, LineTerminal, no_choice};
use crate::error::Error;
use crate::events::{EmittedAt, InputEvent};
use crate::output::Output;
use crate::output::plain::PlainOutput;
use crate::terminal;

/// An [`Answerer`] that prompts on the terminal.
pub(super) struct LinePrompt {
    message: PlainOutput<terminal::Device>,
    terminal: LineTerminal,
}

impl LinePrompt {
    /// `None` if there is no terminal.
    pub(super) fn open() -> Option<LinePrompt> {
        let terminal = LineTerminal::open()?;
        let message = PlainOutput::new(terminal.out()?);
        Some(LinePrompt { message, terminal })
    }

    /// Takes the first suggestion when nothing was typed for this long.
    pub(super) fn answer_after(&mut self, seconds: u64) -> Result<(), Error> {
        self.terminal.answer_after(seconds)
    }
}

/// What a typed line means.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Answer(Answer),
    /// An empty line.
    Nothing,
    /// A number that is not one of the choices.
    NoChoice,
}

/// Parses a line. A number that is not one of the choices is an answer if it was refused before.
fn parse_line(line: &str, count: usize, refused: Option<&str>) -> Typed {
    let text = line.trim();
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<usize>() {
        Ok(number) if (1..=count).contains(&number) => Typed::Answer(Answer::Suggestion(number - 1)),
        _ if is_number && count > 0 && refused != Some(text) => Typed::NoChoice,
        _ if text.is_empty() => Typed::Nothing,
        _ => Typed::Answer(Answer::Text(line.to_owned())),
    }
}

/// Returns the prompt for a question with this many suggestions.
fn prompt(count: usize) -> String {
    let choices = match count {
        0 => "your answer".to_owned(),
        1 => "1, or in your own words".to_owned(),
        _ => format!("1 to {count}, or in your own words"),
    };
    format!("{choices}; an empty line leaves it unanswered")
}

impl Answerer for LinePrompt {
    fn observe(&mut self, event: &InputEvent<'_>, emitted: EmittedAt) -> Result<(), Error> {
        match *event {
            InputEvent::Detected(_) => {}
            // The questions of a form are shown when they are asked.
            InputEvent::Event(Event::Partial(call)) if call.shape().is_some() => {}
            InputEvent::Event(Event::Complete(call)) if call.shape().is_some() => {}
            InputEvent::Event(event) => self.message.event(event, emitted)?,
            InputEvent::Error(error) => self.message.error(error, emitted)?,
            InputEvent::ChunkEnd => self.message.flush()?,
            InputEvent::End => self.message.finish()?,
        }
        Ok(())
    }

    fn decide(&mut self, question: &Question, _: bool) -> Result<Decision, Error> {
        self.message.end_line()?;
        self.message.flush()?;
        self.terminal.discard_typed();
        if let Some(form) = &question.form {
            return FormPrompt::new(&mut self.terminal, form, question.can_discuss).decide();
        }
        let count = question.suggest.len();
        let mut refused = None;
        let answer = loop {
            let line = match self.terminal.read_line(&prompt(count), (count > 0).then_some("1 is taken"))? {
                Line::Typed(line) => line,
                Line::End => break None,
                Line::NothingTyped => {
                    let answer = Answer::Suggestion(0);
                    self.terminal.write_text("✓ ", answer_text(question, &answer))?;
                    self.terminal.write_line("  taken because nobody typed")?;
                    return Ok(Decision::Answer(answer));
                }
            };
            match parse_line(&line, count, refused.as_deref()) {
                Typed::Answer(answer) => break Some(answer),
                Typed::Nothing => break None,
                Typed::NoChoice => {
                    self.terminal.write_line(&no_choice(line.trim(), count))?;
                    refused = Some(line.trim().to_owned());
                }
            }
        };
        let taken = answer.as_ref().map_or("not answered", |answer| answer_text(question, answer));
        self.terminal.write_text(if answer.is_some() { "✓ " } else { "✗ " }, taken)?;
        Ok(answer.map_or(Decision::Cancel, Decision::Answer))
    }

    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error> {
        self.terminal.write_line(&describe_refusal(question, kind))
    }
}
