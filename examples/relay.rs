//! A relay that can stop in the middle of a question, and go on in another process.
//!
//! ```sh
//! cargo run --example relay --all-features -- examples/messages/database.md relay.json 100   # stops behind 100 bytes
//! cargo run --example relay --all-features -- examples/messages/database.md relay.json       # goes on from there
//! ```
//!
//! It reads a message as a stream of chunks, and prints each event as a line. If it is to stop behind so many bytes, it writes a checkpoint to the file
//! and exits with status 3. The next run finds the checkpoint, and goes on as if nothing had happened: both together print what one would have.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, error, fs};

use bytes::Bytes;
use followup::owned::{Event, Grown, Reader};
use followup::{Parser, Policy};

/// How much a read of the message gives.
const CHUNK: usize = 7;

fn main() -> Result<ExitCode, Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [message, checkpoint, stop @ ..] = &args[..] else {
        return Err("usage: relay MESSAGE CHECKPOINT [STOP-BEHIND-SO-MANY-BYTES]".into());
    };
    let stop = stop.first().map_or(Ok(usize::MAX), |stop| stop.parse())?;
    let ended = relay(Path::new(message), Path::new(checkpoint), stop, &mut io::stdout().lock())?;
    Ok(ExitCode::from(if ended { 0 } else { 3 }))
}

/// Reads the message from where the checkpoint is, or from its beginning, and writes its events. Says whether it came to the end.
pub fn relay(
    message: &Path,
    checkpoint: &Path,
    stop: usize,
    out: &mut dyn Write,
) -> Result<bool, Box<dyn error::Error>> {
    let parser = if checkpoint.exists() {
        Parser::resume(Policy::new(), serde_json::from_slice(&fs::read(checkpoint)?)?)?
    } else {
        Parser::default()
    };
    // Where the stream goes on is for its source to know; this one can be read from anywhere.
    let (message, from) = (fs::read(message)?, usize::try_from(parser.bytes_fed())?);
    let to = stop.clamp(from, message.len());

    let mut reader = Reader::new(parser);
    for chunk in message[from..to].chunks(CHUNK) {
        reader.feed(Bytes::copy_from_slice(chunk)).try_for_each(|event| write(&event, out))?;
    }
    if to < message.len() {
        // All events so far are out: none of them is in the checkpoint.
        fs::write(checkpoint, serde_json::to_vec(&reader.parser().checkpoint())?)?;
        return Ok(false);
    }
    reader.finish().try_for_each(|event| write(&event, out))?;
    if checkpoint.exists() {
        fs::remove_file(checkpoint)?;
    }
    Ok(true)
}

fn write(event: &Event, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::Text(text) => writeln!(out, "text {text:?}"),
        Event::Opaque(piece) => writeln!(out, "{} {:?}", piece.tool, piece.raw),
        Event::Partial(call) => match &call.grown {
            Grown::Question => writeln!(out, "question + {:?} = {} bytes", call.delta, call.len),
            Grown::Suggestion { nth, mode } => {
                writeln!(out, "suggestion {nth} {mode:?} + {:?} = {} bytes", call.delta, call.len)
            }
        },
        Event::Complete(call) => writeln!(out, "complete {:?} {:?}", call.question, call.suggestions),
        Event::Rejected(call) => writeln!(out, "rejected {}", call.reason),
    }
}
