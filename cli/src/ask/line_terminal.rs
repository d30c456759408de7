//! The terminal, line by line.
//!
//! Lines are read from it and written to it, whatever standard input and output are.

use std::io::{BufRead, Write};
use std::time::Duration;

use unicode_width::UnicodeWidthStr;

use super::typing::{self, Typing};
use crate::error::Error;
use crate::plain_words::io_error;
use crate::sanitize::sanitize;
use crate::terminal;

/// The terminal.
pub(super) struct LineTerminal {
    out: terminal::Device,
    keys: terminal::TypedInput,
    /// `None` once a person is there.
    countdown: Option<LineCountdown>,
}

/// The time after which the first suggestion is taken.
struct LineCountdown {
    seconds: u64,
    continued: typing::Continued,
}

/// What a person typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A line, without its end.
    Typed(String),
    /// Nothing before the countdown ended.
    NothingTyped,
    /// There is nobody: the terminal has ended.
    End,
}

impl LineTerminal {
    /// `None` if there is no terminal.
    pub(super) fn open() -> Option<LineTerminal> {
        let (keys, out) = (terminal::input()?, terminal::output()?);
        Some(LineTerminal { keys, out, countdown: None })
    }

    /// Returns another handle to write to.
    pub(super) fn out(&self) -> Option<terminal::Device> {
        self.out.try_clone().ok()
    }

    /// Answers when nothing was typed for this long.
    pub(super) fn answer_after(&mut self, seconds: u64) -> Result<(), Error> {
        if !typing::can_wait(self.keys.get_ref()) {
            return Err(Error::Usage("--auto-answer needs the screen here: leave out --lines".into()));
        }
        let continued = typing::watch_continued().map_err(unreadable)?;
        self.countdown = Some(LineCountdown { seconds, continued });
        Ok(())
    }

    /// Waits for a person, and returns whether there is none.
    ///
    /// A user who starts to type, or stops the program, stops the countdown for good, as on the
    /// screen.
    fn nobody_types(&mut self) -> Result<bool, Error> {
        let Some(LineCountdown { seconds, continued }) = &self.countdown else { return Ok(false) };
        self.out.flush()?;
        let time = Duration::from_secs(*seconds);
        match typing::wait(self.keys.get_ref(), time, continued).map_err(unreadable)? {
            Typing::Nothing => {
                writeln!(self.out)?;
                return Ok(true);
            }
            Typing::Begun => write!(self.out, "\n(the countdown has stopped: type your answer again) ")?,
            Typing::Continued => write!(self.out, "\n(the countdown has stopped: type your answer) ")?,
            Typing::Line => {}
        }
        self.countdown = None;
        Ok(false)
    }

    /// Asks for a line until it is UTF-8, and the only one.
    ///
    /// The further lines of a pasted text would answer what is asked next, or be run by a shell.
    ///
    /// A countdown runs while nothing is typed, if there is something that is `automatic` after it.
    pub(super) fn read_line(&mut self, prompt: &str, automatic: Option<&str>) -> Result<Line, Error> {
        loop {
            self.countdown.take_if(|countdown| typing::was_continued(&countdown.continued));
            let countdown = self.countdown.as_ref().zip(automatic).map_or(String::new(), |(countdown, automatic)| {
                let seconds = countdown.seconds;
                format!("; in {seconds} s {automatic}, unless you begin to type")
            });
            write!(self.out, "> ({}{countdown}) ", sanitize(prompt))?;
            if automatic.is_some() && self.nobody_types()? {
                return Ok(Line::NothingTyped);
            }
            let mut line = Vec::new();
            let read = self.keys.read_until(b'\n', &mut line).map_err(unreadable)?;
            if read == 0 {
                writeln!(self.out)?;
                return Ok(Line::End);
            }
            if typing::discard_rest(self.keys.get_ref()).map_err(unreadable)? {
                writeln!(self.out, "\n(several lines came at once, and none of them is taken: answer in one line)")?;
                continue;
            }
            match String::from_utf8(line) {
                Ok(line) => return Ok(Line::Typed(line.trim_end_matches(['\r', '\n']).to_owned())),
                // The terminal uses another encoding. The person can change that, and answer again.
                Err(_) => writeln!(self.out, "{NOT_UTF8}")?,
            }
        }
    }

    /// Writes a line.
    ///
    /// A model's text in it must have no line ends: [`LineTerminal::write_text`] indents them.
    pub(super) fn write_line(&mut self, line: &str) -> Result<(), Error> {
        self.write_text("", line)
    }

    /// Writes a text after a mark. Its further lines are indented, so that none looks like a mark.
    pub(super) fn write_text(&mut self, mark: &str, text: &str) -> Result<(), Error> {
        let indent = format!("\n{}", " ".repeat(mark.width()));
        let text = sanitize(text).replace("\r\n", "\n").replace('\n', &indent);
        Ok(writeln!(self.out, "{mark}{text}")?)
    }

    /// Discards what was typed before the question was shown.
    pub(super) fn discard_typed(&mut self) {
        let buffered = self.keys.buffer().len();
        self.keys.consume(buffered);
        // On other systems, what was typed early is taken as the answer, as with most programs.
        // A key in the very moment of the flush is discarded before the terminal makes a signal of
        // it: Ctrl-C, too.
        #[cfg(unix)]
        let _ = rustix::termios::tcflush(self.keys.get_ref(), rustix::termios::QueueSelector::IFlush);
    }
}

const NOT_UTF8: &str = if cfg!(windows) {
    "only ASCII can be typed here while the message is piped in: name its file instead"
} else {
    "what was typed is not UTF-8: set the terminal to UTF-8, and type it again"
};

fn unreadable(error: std::io::Error) -> Error {
    Error::Unreadable(format!("can't read the terminal: {}", io_error(&error)))
}

/// Returns the message that a number is not one of the choices, and how to answer with it anyway.
pub(super) fn no_choice(number: &str, count: usize) -> String {
    let choices = if count == 1 { "the only one is 1".to_owned() } else { format!("they are 1 to {count}") };
    format!("{number} is not one of the choices: {choices}. To answer with {number} itself, type it again.")
}
