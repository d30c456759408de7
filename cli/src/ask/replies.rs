//! Prints the replies in the format of `--format`.

use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use followup::dialogue::{MessageFormat, Reply};

use crate::args::ask::ReplyFormat;
use crate::error::Error;
use crate::sanitize::{escape_json, sanitize};

/// A printer of replies.
pub(super) struct Replies {
    format: ReplyFormat,
    destination: Destination,
    /// The replies of the turn so far: providers want the messages of a turn together.
    turn: Vec<Reply>,
}

/// Where replies are printed.
enum Destination {
    /// Standard output. Every reply is flushed, because its reader may be waiting.
    Stdout,
    /// Standard output, written by a thread, so that a slow reader does not block the screen.
    Thread(Sender<Vec<u8>>, JoinHandle<io::Result<()>>),
    /// Standard output that is the terminal of the screen: written after the screen is left.
    Deferred(Vec<u8>),
}

impl Replies {
    pub(super) fn to_stdout(format: ReplyFormat) -> Replies {
        Replies { format, destination: Destination::Stdout, turn: Vec::new() }
    }

    /// A printer beside a screen. Calls `failed` when a reply can't be written.
    pub(super) fn beside_screen(format: ReplyFormat, failed: impl FnOnce() + Send + 'static) -> Replies {
        let destination = if io::stdout().is_terminal() {
            Destination::Deferred(Vec::new())
        } else {
            let (sender, receiver) = channel();
            Destination::Thread(sender, thread::spawn(move || write_all(&receiver).inspect_err(|_| failed())))
        };
        Replies { format, destination, turn: Vec::new() }
    }

    pub(super) fn send(&mut self, reply: Reply) -> Result<(), Error> {
        let mut out = Vec::new();
        match self.format {
            ReplyFormat::Text => write_text(&mut out, &reply.text),
            ReplyFormat::Json => {
                serde_json::to_string(&reply).map_err(io::Error::from).and_then(|json| write_json(&mut out, &json))
            }
            _ => {
                self.turn.push(reply);
                return Ok(());
            }
        }?;
        self.write(out)
    }

    /// Ends the replies, and waits for the reader for at most `timeout`.
    pub(super) fn abandon(mut self, timeout: Duration) {
        let begin = Instant::now();
        // Errors are ignored, because the program is being ended.
        let _ = self.write_turn();
        if let Destination::Thread(sender, thread) = self.destination {
            drop(sender);
            while !thread.is_finished() && begin.elapsed() < timeout {
                thread::sleep(Duration::from_millis(10));
            }
        } else {
            let _ = self.finish();
        }
    }

    /// Ends the replies, and waits until all are written.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        self.write_turn()?;
        let written = match self.destination {
            Destination::Stdout => Ok(()),
            Destination::Thread(sender, thread) => {
                drop(sender);
                thread.join().unwrap_or_else(|_| Err(io::Error::other("the reply was not written")))
            }
            Destination::Deferred(bytes) => write_out(&bytes),
        };
        written.map_err(unwritable)
    }

    /// Writes the messages of the turn, for the formats of providers.
    pub(super) fn write_turn(&mut self) -> Result<(), Error> {
        let format = match self.format {
            ReplyFormat::Text | ReplyFormat::Json => return Ok(()),
            ReplyFormat::OpenaiChat => MessageFormat::OpenAiChat,
            ReplyFormat::OpenaiResponses => MessageFormat::OpenAiResponses,
            ReplyFormat::Anthropic => MessageFormat::Anthropic,
            ReplyFormat::Gemini => MessageFormat::Gemini,
            ReplyFormat::BedrockConverse => MessageFormat::BedrockConverse,
            ReplyFormat::Ollama => MessageFormat::Ollama,
        };
        if self.turn.is_empty() {
            // Not even a lock, which a thread holds whose reader is slow.
            return Ok(());
        }
        let mut out = Vec::new();
        for message in Reply::messages_of(&std::mem::take(&mut self.turn), format) {
            write_json(&mut out, &message.to_string())?;
        }
        self.write(out)
    }

    fn write(&mut self, bytes: Vec<u8>) -> Result<(), Error> {
        match &mut self.destination {
            Destination::Stdout => write_out(&bytes).map_err(unwritable),
            // Fails if the thread has failed, whose error `finish` returns.
            Destination::Thread(sender, _) => {
                let _ = sender.send(bytes);
                Ok(())
            }
            Destination::Deferred(deferred) => {
                deferred.extend(bytes);
                Ok(())
            }
        }
    }
}

fn write_all(receiver: &Receiver<Vec<u8>>) -> io::Result<()> {
    receiver.iter().try_for_each(|bytes| write_out(&bytes))
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

/// Unlike other output, a reply that is not read is an error, because the answer is lost.
fn unwritable(error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Error::Unreadable("the reply was not read: its reader has ended".into()),
        _ => Error::Unwritable(error),
    }
}

/// Writes the text verbatim, or sanitized on a terminal, because suggestions come from a model.
fn write_text(out: &mut Vec<u8>, text: &str) -> io::Result<()> {
    if !io::stdout().is_terminal() {
        return writeln!(out, "{text}");
    }
    writeln!(out, "{}", sanitize(text))
}

fn write_json(out: &mut Vec<u8>, json: &str) -> io::Result<()> {
    escape_json(out, json)?;
    writeln!(out)
}
