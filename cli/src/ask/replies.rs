//! Prints replies, as `--format` has them.

use std::io::{self, IsTerminal, Write};

use followup::dialogue::{self, Reply};

use crate::args::Format;
use crate::error::Error;

pub(super) struct Replies {
    format: Format,
    /// What is to be printed once the screen no longer covers where it goes.
    held: Option<Vec<u8>>,
}

impl Replies {
    /// Prints each at once: whoever reads it may be waiting.
    pub(super) fn at_once(format: Format) -> Replies {
        Replies { format, held: None }
    }

    /// The same; but on a terminal only when the screen is gone.
    pub(super) fn beside_a_screen(format: Format) -> Replies {
        Replies { format, held: io::stdout().is_terminal().then(Vec::new) }
    }

    pub(super) fn send(&mut self, reply: &Reply) -> Result<(), Error> {
        match &mut self.held {
            Some(held) => print(held, reply, self.format)?,
            None => {
                let mut out = io::stdout().lock();
                print(&mut out, reply, self.format)?;
                out.flush()?;
            }
        }
        Ok(())
    }

    /// Prints what was held back.
    pub(super) fn flush(&mut self) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        out.write_all(&self.held.take().unwrap_or_default())?;
        Ok(out.flush()?)
    }
}

fn print(out: &mut dyn Write, reply: &Reply, format: Format) -> io::Result<()> {
    let format = match format {
        Format::Text => return writeln!(out, "{}", reply.text),
        Format::Json => {
            serde_json::to_writer(&mut *out, reply).map_err(io::Error::from)?;
            return writeln!(out);
        }
        Format::OpenaiChat => dialogue::Format::OpenAiChat,
        Format::OpenaiResponses => dialogue::Format::OpenAiResponses,
        Format::Anthropic => dialogue::Format::Anthropic,
    };
    reply.messages(format).iter().try_for_each(|message| writeln!(out, "{message}"))
}
