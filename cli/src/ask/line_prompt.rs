//! A prompt on the terminal, line by line: for screen readers, and where no screen can be drawn.
//!
//! Answers are read from the terminal itself, whatever standard input and output are.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

use followup::dialogue::{Answer, AnswerErrorKind, Question};

use super::answers::{Answerer, answer_text, describe_refusal};
use super::typing::{self, Typing};
use crate::error::Error;
use crate::events::{EmittedAt, InputEvent};
use crate::output::plain::PlainOutput;
use crate::output::terminal::{RealTerminal, TerminalOutput};
use crate::output::{Output, colour};
use crate::plain_words::io_error;
use crate::sanitize::sanitize;

/// An [`Answerer`] that prompts on the terminal.
pub(super) struct LinePrompt {
    message: Box<dyn Output>,
    out: File,
    keys: BufReader<File>,
    /// The seconds after which the first suggestion is taken; `None` once a person is there.
    auto_answer: Option<u64>,
}

impl LinePrompt {
    /// `None` if there is no terminal.
    pub(super) fn open(no_color: bool) -> Option<LinePrompt> {
        let (keys, out) = if cfg!(windows) { ("CONIN$", "CONOUT$") } else { ("/dev/tty", "/dev/tty") };
        let open = |path| OpenOptions::new().read(true).write(true).open(path).ok();
        let (keys, out) = (open(keys)?, open(out)?);
        let message_out = out.try_clone().ok()?;
        let message: Box<dyn Output> = match RealTerminal::controlling() {
            Some(terminal) => Box::new(TerminalOutput::new(message_out, terminal, colour(no_color))),
            None => Box::new(PlainOutput::new(message_out)),
        };
        Some(LinePrompt { message, out, keys: BufReader::new(keys), auto_answer: None })
    }

    /// Takes the first suggestion when nothing was typed for this long.
    pub(super) fn answer_after(&mut self, seconds: u64) -> Result<(), Error> {
        if !typing::can_wait(self.keys.get_ref()) {
            return Err(Error::Usage("--auto-answer needs the screen here: leave out --lines".into()));
        }
        self.auto_answer = Some(seconds);
        Ok(())
    }

    /// Waits for a person, and returns whether there is none.
    ///
    /// A user who starts to type stops the countdown for good, as on the screen.
    fn nobody_types(&mut self) -> Result<bool, Error> {
        let Some(seconds) = self.auto_answer else { return Ok(false) };
        self.out.flush()?;
        let typing = typing::wait(self.keys.get_ref(), Duration::from_secs(seconds)).map_err(unreadable)?;
        if typing == Typing::Nothing {
            writeln!(self.out)?;
            return Ok(true);
        }
        self.auto_answer = None;
        if typing == Typing::Begun {
            write!(self.out, "\n(nothing is taken by itself any more: type on) ")?;
        }
        Ok(false)
    }

    /// Asks for a line until it is UTF-8, and returns it without its end.
    ///
    /// Returns `None` if the user typed nothing before the countdown ended.
    fn read_line(&mut self, count: usize) -> Result<Option<String>, Error> {
        loop {
            write!(self.out, "{}", prompt(count, self.auto_answer))?;
            if count > 0 && self.nobody_types()? {
                return Ok(None);
            }
            let mut line = Vec::new();
            let read = self.keys.read_until(b'\n', &mut line).map_err(unreadable)?;
            if read == 0 {
                writeln!(self.out)?;
            }
            match String::from_utf8(line) {
                Ok(line) => return Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned())),
                // The terminal uses another encoding. The person can change that, and answer again.
                Err(_) => {
                    writeln!(self.out, "what was typed is not UTF-8: set the terminal to UTF-8, and type it again")?
                }
            }
        }
    }

    /// Discards what was typed before the question was shown.
    fn discard_typed(&mut self) {
        let buffered = self.keys.buffer().len();
        self.keys.consume(buffered);
        // On other systems, what was typed early is taken as the answer, as with most programs.
        #[cfg(unix)]
        let _ = rustix::termios::tcflush(self.keys.get_ref(), rustix::termios::QueueSelector::IFlush);
    }
}

/// What a typed line means.
#[derive(Debug, PartialEq, Eq)]
enum Typed {
    Answer(Answer),
    /// An empty line.
    Nothing,
    /// A number that is none of the choices.
    NoChoice,
}

/// Parses a line. A number that is none of the choices is an answer if it was refused before.
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

fn unreadable(error: std::io::Error) -> Error {
    Error::Unreadable(format!("can't read the terminal: {}", io_error(&error)))
}

/// Returns the prompt for a question with this many suggestions.
fn prompt(count: usize, auto_answer: Option<u64>) -> String {
    let choices = match count {
        0 => "your answer".to_owned(),
        1 => "1, or in your own words".to_owned(),
        _ => format!("1 to {count}, or in your own words"),
    };
    let countdown = match auto_answer {
        Some(seconds) if count > 0 => format!("; in {seconds} s 1 is taken, unless you begin to type"),
        _ => String::new(),
    };
    format!("> ({choices}; an empty line leaves it unanswered{countdown}) ")
}

/// Says that a number is none of the choices, and how to answer with it all the same.
fn no_choice(number: &str, count: usize) -> String {
    let choices = if count == 1 { "the only one is 1".to_owned() } else { format!("they are 1 to {count}") };
    format!("{number} is none of the choices: {choices}. To answer with {number} itself, type it again.")
}

impl Answerer for LinePrompt {
    fn observe(&mut self, event: &InputEvent<'_>, emitted: EmittedAt) -> Result<(), Error> {
        match *event {
            InputEvent::Detected(_) => {}
            InputEvent::Event(event) => self.message.event(event, emitted)?,
            InputEvent::Error(error) => self.message.error(error, emitted)?,
            InputEvent::ChunkEnd => self.message.flush()?,
            InputEvent::End => self.message.finish()?,
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Option<Answer>, Error> {
        // Prose that came during the question follows it.
        self.message.finish()?;
        let count = question.suggest.len();
        self.discard_typed();
        let mut refused = None;
        let answer = loop {
            let Some(line) = self.read_line(count)? else {
                let answer = Answer::Suggestion(0);
                let taken = sanitize(answer_text(question, &answer));
                writeln!(self.out, "✓ {taken}\n  taken because nobody typed")?;
                return Ok(Some(answer));
            };
            match parse_line(&line, count, refused.as_deref()) {
                Typed::Answer(answer) => break Some(answer),
                Typed::Nothing => break None,
                Typed::NoChoice => {
                    writeln!(self.out, "{}", no_choice(line.trim(), count))?;
                    refused = Some(line.trim().to_owned());
                }
            }
        };
        let taken = answer.as_ref().map_or("not answered", |answer| answer_text(question, answer));
        writeln!(self.out, "{} {}", if answer.is_some() { '✓' } else { '✗' }, sanitize(taken))?;
        Ok(answer)
    }

    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error> {
        writeln!(self.out, "{}", describe_refusal(question, kind))?;
        Ok(())
    }
}
