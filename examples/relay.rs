//! A relay that can stop in the middle of a question, and continue in another process.
//!
//! ```sh
//! # Stops after 100 bytes:
//! cargo run --example relay --all-features -- examples/messages/database.md relay.json 100
//! # Continues from there:
//! cargo run --example relay --all-features -- examples/messages/database.md relay.json
//! ```
//!
//! It reads a message as a stream of chunks and prints each event as a line. If it is to stop after
//! a number of bytes, it writes a checkpoint to the file and exits with status 3. The next run
//! finds the checkpoint and continues: both runs together print what one uninterrupted run would.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::{env, error, fs};

use bytes::Bytes;
use followup::owned::{Event, Field, Reader};
use followup::{Parser, Policy};

/// The length of a chunk.
const CHUNK: usize = 7;

fn main() -> Result<ExitCode, Box<dyn error::Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [message, checkpoint, stop @ ..] = &args[..] else {
        return Err("usage: relay MESSAGE CHECKPOINT [STOP-AFTER-BYTES]".into());
    };
    let stop = stop.first().map_or(Ok(usize::MAX), |stop| stop.parse())?;
    let ended = relay(Path::new(message), Path::new(checkpoint), stop, &mut io::stdout().lock())?;
    Ok(ExitCode::from(if ended { 0 } else { 3 }))
}

/// Reads the message from the checkpoint on, or from its beginning, and writes its events.
///
/// Returns whether it read to the end.
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
    // The checkpoint has no text: the source has to continue at this offset.
    let (message, from) = (fs::read(message)?, usize::try_from(parser.bytes_fed())?);
    let to = stop.clamp(from, message.len());

    let mut reader = Reader::new(parser);
    for chunk in message[from..to].chunks(CHUNK) {
        reader.feed(Bytes::copy_from_slice(chunk)).try_for_each(|event| write(&event, out))?;
    }
    if to < message.len() {
        // All events so far are written: the reader is drained, and the checkpoint has none of
        // them.
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
        Event::Partial(call) => match &call.field {
            Field::Question => writeln!(out, "question + {:?} = {} bytes", call.delta, call.len),
            Field::Suggestion { index, mode } => {
                writeln!(out, "suggestion {index} {mode:?} + {:?} = {} bytes", call.delta, call.len)
            }
            // Other question tools have more fields.
            field => writeln!(out, "{field:?} + {:?} = {} bytes", call.delta, call.len),
        },
        Event::Complete(call) => writeln!(out, "complete {:?} {:?}", call.question, call.suggestions),
        Event::Rejected(call) => writeln!(out, "rejected {}", call.reason),
    }
}
