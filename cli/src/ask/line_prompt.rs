//! A prompt on the terminal, line by line: for screen readers, and where no screen can be drawn.
//!
//! Answers are read from the terminal itself, whatever standard input and output are.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use followup::dialogue::{Answer, AnswerErrorKind, Question};

use super::answers::{Answerer, describe_refusal};
use crate::error::Error;
use crate::events::{EmittedAt, InputEvent};
use crate::output::plain::PlainOutput;
use crate::output::terminal::{RealTerminal, TerminalOutput};
use crate::output::{Output, colour};
use crate::sanitize::sanitize;

/// An [`Answerer`] that prompts on the terminal.
pub(super) struct LinePrompt {
    message: Box<dyn Output>,
    out: File,
    keys: BufReader<File>,
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
        Some(LinePrompt { message, out, keys: BufReader::new(keys) })
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
        self.message.flush()?;
        let count = question.suggest.len();
        let choices = match count {
            0 => "your answer".to_owned(),
            1 => "1, or in your own words".to_owned(),
            _ => format!("1 to {count}, or in your own words"),
        };
        self.discard_typed();
        let line = loop {
            write!(self.out, "> ({choices}; an empty line leaves it unanswered) ")?;
            let mut line = Vec::new();
            let read = self
                .keys
                .read_until(b'\n', &mut line)
                .map_err(|error| Error::Unreadable(format!("can't read the terminal: {error}")))?;
            if read == 0 {
                writeln!(self.out)?;
            }
            match String::from_utf8(line) {
                Ok(line) => break line,
                // The terminal uses another encoding. The person can change that, and answer again.
                Err(_) => {
                    writeln!(self.out, "what was typed is not UTF-8: set the terminal to UTF-8, and type it again")?
                }
            }
        };
        let text = line.trim_end_matches(['\r', '\n']);
        let (answer, taken) = match text.trim().parse::<usize>() {
            Ok(number) if (1..=count).contains(&number) => {
                (Some(Answer::Suggestion(number - 1)), question.suggest.get(number - 1).map_or("", |one| &one.answer))
            }
            _ if text.trim().is_empty() => (None, "not answered"),
            _ => (Some(Answer::Text(text.to_owned())), text),
        };
        writeln!(self.out, "{} {}", if answer.is_some() { '✓' } else { '✗' }, sanitize(taken))?;
        Ok(answer)
    }

    fn refused(&mut self, question: &Question, kind: AnswerErrorKind) -> Result<(), Error> {
        writeln!(self.out, "{}", describe_refusal(question, kind))?;
        Ok(())
    }
}
