//! A person at a terminal that is only written to, line by line: for screen readers, and where nothing can be drawn. What is typed comes
//! from the terminal itself, whatever standard input and output are.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};

use followup::dialogue::{Answer, AnswerErrorKind, Question};

use super::answers::Answers;
use crate::error::Error;
use crate::parse::plain::Plain;
use crate::parse::terminal::{Stdout, Terminal};
use crate::parse::{Output, colour};
use crate::stream::{Happened, When};
use crate::visible::Visible;

pub(super) struct Lines {
    screen: Box<dyn Output>,
    out: File,
    keys: BufReader<File>,
}

impl Lines {
    /// `None` if there is no terminal.
    pub(super) fn open(no_color: bool) -> Option<Lines> {
        let (keys, out) = if cfg!(windows) { ("CONIN$", "CONOUT$") } else { ("/dev/tty", "/dev/tty") };
        let open = |path| OpenOptions::new().read(true).write(true).open(path).ok();
        let (keys, out) = (open(keys)?, open(out)?);
        let to = out.try_clone().ok()?;
        let screen: Box<dyn Output> = match Stdout::of_terminal() {
            Some(screen) => Box::new(Terminal::new(to, screen, colour(no_color))),
            None => Box::new(Plain::new(to)),
        };
        Some(Lines { screen, out, keys: BufReader::new(keys) })
    }
}

impl Lines {
    /// What was typed before a question was seen is no answer to it.
    fn forget_typed(&mut self) {
        let read = self.keys.buffer().len();
        self.keys.consume(read);
        // Without it an answer may come too early, as with any program that asks.
        #[cfg(unix)]
        let _ = rustix::termios::tcflush(self.keys.get_ref(), rustix::termios::QueueSelector::IFlush);
    }
}

impl Answers for Lines {
    fn show(&mut self, happened: &Happened<'_>, when: When) -> Result<(), Error> {
        match *happened {
            Happened::Found(_) => {}
            Happened::Event(event) => self.screen.event(event, when)?,
            Happened::Error(error) => self.screen.error(error, when)?,
            Happened::Pause => self.screen.pause()?,
            Happened::End => self.screen.end()?,
        }
        Ok(())
    }

    fn answer(&mut self, question: &Question) -> Result<Option<Answer>, Error> {
        self.screen.pause()?;
        let of = question.suggest.len();
        let ways = match of {
            0 => "your answer".to_owned(),
            1 => "1, or in your own words".to_owned(),
            _ => format!("1 to {of}, or in your own words"),
        };
        self.forget_typed();
        let line = loop {
            write!(self.out, "> ({ways}; an empty line leaves it unanswered) ")?;
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
                // A terminal of another encoding: whoever types can change that, and the question is still there.
                Err(_) => {
                    writeln!(self.out, "what was typed is no UTF-8: set the terminal to UTF-8, and type it again")?
                }
            }
        };
        let text = line.trim_end_matches(['\r', '\n']);
        let (answer, taken) = match text.trim().parse::<usize>() {
            Ok(number) if (1..=of).contains(&number) => {
                (Some(Answer::Suggestion(number - 1)), question.suggest.get(number - 1).map_or("", |one| &one.answer))
            }
            _ if text.trim().is_empty() => (None, "not answered"),
            _ => (Some(Answer::Text(text.to_owned())), text),
        };
        let (mut visible, mut shown) = (Visible::default(), String::new());
        visible.push(taken, &mut shown);
        writeln!(self.out, "{} {shown}", if answer.is_some() { '✓' } else { '✗' })?;
        Ok(answer)
    }

    fn refused(&mut self, question: &Question, why: AnswerErrorKind) -> Result<(), Error> {
        writeln!(self.out, "{}", super::explain(question, why))?;
        Ok(())
    }
}
