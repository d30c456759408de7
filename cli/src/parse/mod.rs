//! `followup parse`: a message, or many, and what happens in them.

mod block;
mod flow;
mod json;
mod native;
mod plain;
mod records;
mod terminal;

use std::fs::File;
use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use followup::wire::{Response, Wire};
use followup::{Event, Policy};

use self::json::Json;
use self::plain::Plain;
use self::terminal::Terminal;
use crate::args::{Parse, Source};
use crate::chunks::Chunks;
use crate::error::{Error, Status};

/// Where events go.
trait Output {
    fn event(&mut self, event: Event<'_>, when: When) -> io::Result<()>;

    /// Something went wrong in a provider's stream, which goes on.
    fn error(&mut self, error: followup::wire::Error<'_>, when: When) -> io::Result<()>;

    /// A chunk has been read: what came of it is to be seen before the next is waited for.
    fn pause(&mut self) -> io::Result<()>;

    /// The message is over.
    fn end(&mut self) -> io::Result<()>;
}

/// When an event came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct When {
    /// How many bytes had been read.
    at: u64,
    /// Whether only the end of the message let it out.
    end: bool,
}

pub(crate) fn run(args: &Parse) -> Result<Status, Error> {
    let policy = Arc::new(args.reading.policy()?);
    let input = Input::open(args.file.as_deref())?;
    if args.records {
        return records::run(input, policy, args);
    }
    let stdout = io::stdout().lock();
    if args.json {
        return message(input, policy, args, &mut Json::new(stdout, !args.no_partials));
    }
    match terminal::Stdout::new() {
        Some(screen) => message(input, policy, args, &mut Terminal::new(stdout, screen, colour(args))),
        None => message(input, policy, args, &mut Plain::new(stdout)),
    }
}

fn colour(args: &Parse) -> bool {
    // https://no-color.org: whatever its value, unless it is empty.
    !args.no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// One message, from its first chunk to its last.
fn message(input: Input, policy: Arc<Policy>, args: &Parse, output: &mut dyn Output) -> Result<Status, Error> {
    let delay = Duration::from_millis(args.delay.unwrap_or(0));
    let Input { from, name, .. } = input;
    let mut chunks = Chunks::new(from, args.chunk.unwrap_or_default(), delay);
    let mut response = match args.wire {
        Source::Known(wire) => Response::new(wire, policy),
        Source::Auto => Response::auto(policy),
    };
    let mut found = args.wire != Source::Auto;
    let mut status = Status::Well;
    let mut when = When { at: 0, end: false };
    loop {
        let read = chunks.next();
        // What had been read before it failed is still worth showing, so the message is ended all the same.
        let chunk = read.as_ref().ok().copied().flatten();
        let mut events = match chunk {
            Some(chunk) => {
                when.at += chunk.len() as u64;
                response.feed(chunk)
            }
            None => {
                when.end = true;
                response.finish()
            }
        };
        // Of nothing there is nothing to say.
        if let (false, Some(wire), 1..) = (found, events.wire(), when.at) {
            found = true;
            say(wire);
        }
        while let Some(event) = events.next() {
            if matches!(event, Ok(Event::Rejected(_)) | Err(_)) {
                status = Status::Wrong;
            }
            match event {
                Ok(event) => output.event(event, when)?,
                Err(error) => output.error(error, when)?,
            }
        }
        if !when.end {
            output.pause()?;
            continue;
        }
        output.end()?;
        return match read {
            Ok(_) => Ok(status),
            Err(error) => Err(Error::reading(Path::new(&name), &error)),
        };
    }
}

/// Says what the input was found to be.
fn say(wire: Wire) {
    let what = match wire {
        Wire::Text => "this is a message as it stands (text)".into(),
        Wire::Json => "these are the arguments of a native call (json)".into(),
        wire => format!("this is what {wire} streams"),
    };
    // `eprintln!` would panic where standard error is closed.
    let _ = writeln!(io::stderr(), "followup: {what}");
}

/// What is read.
struct Input {
    from: Box<dyn Read + Send>,
    /// For people.
    name: String,
    /// How many bytes it has, if that is known.
    length: Option<u64>,
}

impl Input {
    fn open(file: Option<&Path>) -> Result<Input, Error> {
        match file {
            None if io::stdin().is_terminal() => Err(Error::Usage(NOTHING.into())),
            None => Ok(Input::stdin()),
            Some(path) if path == Path::new("-") => Ok(Input::stdin()),
            Some(path) => match File::open(path) {
                Ok(file) => {
                    let length = file.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
                    Ok(Input { from: Box::new(file), name: path.display().to_string(), length })
                }
                Err(error) => Err(Error::reading(path, &error)),
            },
        }
    }

    fn stdin() -> Input {
        Input { from: Box::new(io::stdin()), name: "standard input".into(), length: None }
    }
}

const NOTHING: &str = "\
nothing to read: name a file, or pipe a message in

  followup parse message.txt
  cat message.txt | followup parse
  followup parse -              to type a message here, ended with Ctrl-D

`followup parse --help` has more.";
