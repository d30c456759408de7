//! The program `followup`: what the library does, at the command line.

#![forbid(unsafe_code)]

mod args;
mod ask;
mod bench;
mod breaking;
mod chunks;
mod dialect;
mod error;
mod parse;
mod reading;
mod serve;
mod settings;
mod stream;
mod visible;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::error::{Error, say};

fn main() -> ExitCode {
    let ended = match Args::parse().command {
        Command::Parse(args) => parse::run(&args),
        Command::Ask(args) => ask::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Bench(args) => bench::run(&args),
    };
    match ended {
        Ok(status) => status.into(),
        // Whoever read the output has seen enough: `… | head -1` is no failure, and there is nobody to tell.
        Err(Error::ClosedPipe) => ExitCode::SUCCESS,
        Err(error) => {
            say(&error);
            error.status().into()
        }
    }
}
