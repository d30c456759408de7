//! `followup parse`: prints the events of one message, or of many.

mod records;

use std::io;
use std::sync::Arc;

use followup::{Event, Policy, Reason};

use crate::args::ParseArgs;
use crate::error::{Error, Status};
use crate::events::{InputEvent, report_detected};
use crate::input::Input;
use crate::output::json::JsonOutput;
use crate::output::plain::PlainOutput;
use crate::output::terminal::{RealTerminal, TerminalOutput};
use crate::output::{Output, colour};

pub(crate) fn run(args: &ParseArgs) -> Result<Status, Error> {
    let policy = Arc::new(args.policy.policy()?);
    let input = Input::open(args.input.file.as_deref(), "parse")?;
    if args.records {
        return records::run(input, policy, args);
    }
    let stdout = io::stdout().lock();
    if args.json {
        return message(input, policy, args, &mut JsonOutput::new(stdout, !args.no_partials));
    }
    match RealTerminal::stdout() {
        Some(terminal) => {
            message(input, policy, args, &mut TerminalOutput::new(stdout, terminal, colour(args.no_color)))
        }
        None => message(input, policy, args, &mut PlainOutput::new(stdout)),
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
