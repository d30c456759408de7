//! `followup parse`: prints the events of one message, or of many.

mod records;

use std::io;
use std::path::Path;
use std::sync::Arc;

use followup::{Event, Parser, Policy, Reason};

use crate::args::parse::ParseArgs;
use crate::error::{Error, Status};
use crate::events::{EmittedAt, InputEvent, report_detected};
use crate::input::Input;
use crate::output::json::JsonOutput;
use crate::output::plain::PlainOutput;
use crate::output::terminal::{RealTerminal, TerminalOutput};
use crate::output::{Output, colour};
use crate::shapes::arguments_parser;

pub(crate) fn run(args: &ParseArgs) -> Result<Status, Error> {
    args.input.check()?;
    args.policy.check(args.input.wire)?;
    let policy = Arc::new(args.policy.policy()?);
    let input = Input::open(args.input.file.as_deref(), "parse")?;
    if args.records {
        return records::run(input, policy, args);
    }
    let stdout = io::stdout().lock();
    let mut output: Box<dyn Output> = if args.json {
        Box::new(JsonOutput::new(stdout, !args.no_partials))
    } else if let Some(terminal) = RealTerminal::stdout() {
        Box::new(TerminalOutput::new(stdout, terminal, colour(args.no_color)))
    } else {
        Box::new(PlainOutput::new(stdout))
    };
    match &args.arguments_of {
        Some(tool) => arguments(input, arguments_parser(tool, policy)?, args, &mut *output),
        None => message(input, policy, args, &mut *output),
    }
}

/// Writes the events of the arguments of one call.
fn arguments(input: Input, mut parser: Parser, args: &ParseArgs, output: &mut dyn Output) -> Result<Status, Error> {
    let (mut status, mut offset) = (Status::Success, 0);
    let name = input.name.clone();
    let mut chunks = input.chunks(&args.input);
    loop {
        let read = chunks.next();
        let chunk = read.as_ref().ok().copied().flatten();
        offset += chunk.map_or(0, |chunk| chunk.len() as u64);
        let emitted = EmittedAt { offset, at_end: chunk.is_none(), format: None };
        let mut events = match chunk {
            Some(chunk) => parser.feed_bytes(chunk),
            None => parser.finish(),
        };
        while let Some(event) = events.next() {
            if matches!(event, Event::Rejected(_)) {
                status = Status::Failure;
            }
            output.event(event, emitted)?;
        }
        output.flush()?;
        if chunk.is_none() {
            output.finish()?;
            return read.map(|_| status).map_err(|error| Error::reading(Path::new(&name), &error));
        }
    }
}

/// Writes the events of one message.
fn message(input: Input, policy: Arc<Policy>, args: &ParseArgs, output: &mut dyn Output) -> Result<Status, Error> {
    let mut status = Status::Success;
    input.read(&args.input, policy, args.policy.wire_limits(), |event, emitted| {
        match event {
            InputEvent::Detected(format) => report_detected(format),
            InputEvent::Event(event) => {
                if matches!(event, Event::Rejected(call) if call.reason() != Reason::Superseded) {
                    status = Status::Failure;
                }
                output.event(event, emitted)?;
            }
            InputEvent::Error(error) => {
                status = Status::Failure;
                output.error(error, emitted)?;
            }
            InputEvent::ChunkEnd => output.flush()?,
            InputEvent::End => output.finish()?,
        }
        Ok(())
    })?;
    Ok(status)
}
