//! Prints replies, as `--format` has them.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use followup::dialogue::{MessageFormat, Reply};

use crate::args::Format;
use crate::error::Error;
use crate::visible::{escape_json, shown};

/// Where replies go.
pub(super) struct Replies {
    format: Format,
    to: To,
    /// Replies whose messages belong together: a provider wants those of one turn at once.
    turn: Vec<Reply>,
}

enum To {
    /// At once: whoever reads it may be waiting.
    Stdout,
    /// The same, but whoever shows a screen doesn't wait until it has been read.
    Thread(Sender<Vec<u8>>, JoinHandle<io::Result<()>>),
    /// The terminal the screen is on, once that is gone.
    Held(Vec<u8>),
}

impl Replies {
    pub(super) fn at_once(format: Format) -> Replies {
        Replies { format, to: To::Stdout, turn: Vec::new() }
    }

    /// For whoever shows a screen. Calls `failed` if they can't be written any more.
    pub(super) fn beside_a_screen(format: Format, failed: impl FnOnce() + Send + 'static) -> Replies {
        let to = if io::stdout().is_terminal() {
            To::Held(Vec::new())
        } else {
            let (to, from) = channel();
            To::Thread(to, thread::spawn(move || write_all(&from).inspect_err(|_| failed())))
        };
        Replies { format, to, turn: Vec::new() }
    }

    pub(super) fn send(&mut self, reply: Reply) -> Result<(), Error> {
        let mut out = Vec::new();
        match self.format {
            Format::Text => write_text(&mut out, &reply.text),
            Format::Json => {
                serde_json::to_string(&reply).map_err(io::Error::from).and_then(|json| line(&mut out, &json))
            }
            Format::OpenaiChat | Format::OpenaiResponses | Format::Anthropic => {
                self.turn.push(reply);
                return Ok(());
            }
        }?;
        self.write(out)
    }

    /// There are no more, and nobody waits any longer until they have been read than that.
    pub(super) fn abandon(mut self, patience: Duration) {
        let begun = Instant::now();
        // Should that fail, there is nobody to be told.
        let _ = self.write_turn();
        if let To::Thread(to, thread) = self.to {
            drop(to);
            while !thread.is_finished() && begun.elapsed() < patience {
                thread::sleep(Duration::from_millis(10));
            }
        } else {
            // The same, on a terminal.
            let _ = self.finish();
        }
    }

    /// There are no more. Waits until they have been read.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.write_turn()?;
        let written = match self.to {
            To::Stdout => Ok(()),
            To::Thread(to, thread) => {
                drop(to);
                thread.join().unwrap_or_else(|_| Err(io::Error::other("the reply was not written")))
            }
            To::Held(held) => write_out(&held),
        };
        written.map_err(unwritable)
    }

    /// Writes the messages of the turn, if there are any.
    fn write_turn(&mut self) -> Result<(), Error> {
        let format = match self.format {
            Format::Text | Format::Json => return Ok(()),
            Format::OpenaiChat => MessageFormat::OpenAiChat,
            Format::OpenaiResponses => MessageFormat::OpenAiResponses,
            Format::Anthropic => MessageFormat::Anthropic,
        };
        let mut out = Vec::new();
        for message in Reply::messages_of(&std::mem::take(&mut self.turn), format) {
            line(&mut out, &message.to_string())?;
        }
        self.write(out)
    }

    fn write(&mut self, bytes: Vec<u8>) -> Result<(), Error> {
        match &mut self.to {
            To::Stdout => write_out(&bytes).map_err(unwritable),
            // Should it have failed, the thread knows why.
            To::Thread(to, _) => {
                let _ = to.send(bytes);
                Ok(())
            }
            To::Held(held) => {
                held.extend(bytes);
                Ok(())
            }
        }
    }
}

fn write_all(from: &Receiver<Vec<u8>>) -> io::Result<()> {
    from.iter().try_for_each(|bytes| write_out(&bytes))
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// An answer that nobody takes is lost, so it is no success.
fn unwritable(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Error::Unreadable("nobody has taken the reply: what read it has ended".into()),
        _ => Error::Unwritable(error),
    }
}

/// The text as it is; on a terminal without anything in it that a terminal acts on, for suggestions are a model's.
fn write_text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return writeln!(out, "{text}");
    }
    writeln!(out, "{}", shown(text))
}

fn line(out: &mut Vec<u8>, json: &str) -> io::Result<()> {
    escape_json(out, json)?;
    writeln!(out)
}
