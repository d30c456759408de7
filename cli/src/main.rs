//! The program `followup`: the library on the command line.

#![forbid(unsafe_code)]

mod args;
mod ask;
mod bench;
mod chunks;
mod config_file;
mod error;
mod events;
mod generate;
mod input;
mod input_format;
mod isolates;
mod line_break;
mod output;
mod parse;
mod plain_words;
mod policy;
mod sanitize;
mod serve;
mod shapes;
mod terminal;
#[cfg(test)]
mod test_size;
mod wording;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::error::{Error, report};

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Parse(args) => parse::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Shapes(args) => shapes::run(&args),
        Command::Completions(args) => generate::completions(&args),
        Command::Man(args) => generate::man(&args),
    };
    match result {
        Ok(status) => status.into(),
        // The reader of the output has stopped early, as in `… | head -1`. That is no failure.
        Err(Error::ClosedPipe) => ExitCode::SUCCESS,
        Err(error) => {
            report(&error);
            error.status().into()
        }
    }
}
