//! `followup parse`: a message, or many, and what happens in them.

mod block;
mod flow;
mod json;
pub(crate) mod native;
pub(crate) mod plain;
mod records;
pub(crate) mod terminal;

use std::io;
use std::sync::Arc;

use followup::{Event, Policy};

use self::json::Json;
use self::plain::Plain;
use self::terminal::Terminal;
use crate::args::Parse;
use crate::error::{Error, Status};
use crate::stream::{Happened, Input, When, say_found};

/// Where events go.
pub(crate) trait Output {
    fn event(&mut self, event: Event<'_>, when: When) -> io::Result<()>;

    /// Something went wrong in a provider's stream, which goes on.
    fn error(&mut self, error: followup::wire::Error<'_>, when: When) -> io::Result<()>;

    /// A chunk has been read: what came of it is to be seen before the next is waited for.
    fn pause(&mut self) -> io::Result<()>;

    /// The message is over.
    fn end(&mut self) -> io::Result<()>;
}

pub(crate) fn run(args: &Parse) -> Result<Status, Error> {
    let policy = Arc::new(args.reading.policy()?);
    let input = Input::open(args.stream.file.as_deref(), "parse")?;
    if args.records {
        return records::run(input, policy, args);
    }
    let stdout = io::stdout().lock();
    if args.json {
        return message(input, policy, args, &mut Json::new(stdout, !args.no_partials));
    }
    match terminal::Stdout::new() {
        Some(screen) => message(input, policy, args, &mut Terminal::new(stdout, screen, colour(args.no_color))),
        None => message(input, policy, args, &mut Plain::new(stdout)),
    }
}

pub(crate) fn colour(no_color: bool) -> bool {
    // https://no-color.org: whatever its value, unless it is empty.
    !no_color && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// One message, from its first chunk to its last.
fn message(input: Input, policy: Arc<Policy>, args: &Parse, output: &mut dyn Output) -> Result<Status, Error> {
    let mut status = Status::Well;
    input.read(&args.stream, policy, args.reading.wire_limits(), |happened, when| {
        match happened {
            Happened::Found(wire) => say_found(wire),
            Happened::Event(event) => {
                if matches!(event, Event::Rejected(_)) {
                    status = Status::Wrong;
                }
                output.event(event, when)?;
            }
            Happened::Error(error) => {
                status = Status::Wrong;
                output.error(error, when)?;
            }
            Happened::Pause => output.pause()?,
            Happened::End => output.end()?,
        }
        Ok(())
    })?;
    Ok(status)
}
