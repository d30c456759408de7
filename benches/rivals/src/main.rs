//! Measures `followup` beside the libraries that a user could choose instead: see README.md.

mod bench;
mod call;
mod format;
mod measure;
mod message;
mod rivals;
mod sink;
mod table;

use std::process::ExitCode;
use std::time::Duration;

use followup_testing::workloads;

use crate::bench::Bench;
use crate::message::Message;

const HELP: &str = "\
Measures followup beside the libraries that a user could choose instead.

  --json       print one JSON object per row, a row per line
  --time MS    measure each row for about that many milliseconds [default: 300]";

const KIB: usize = 1 << 10;
const ALL: usize = usize::MAX;

#[derive(Debug)]
struct Args {
    json: bool,
    time: Duration,
}

fn args() -> Option<Args> {
    let mut args = Args { json: false, time: Duration::from_millis(300) };
    let mut given = std::env::args().skip(1);
    while let Some(arg) = given.next() {
        match &*arg {
            "--json" => args.json = true,
            "--time" => args.time = Duration::from_millis(given.next()?.parse().ok()?),
            _ => return None,
        }
    }
    Some(args)
}

fn main() -> ExitCode {
    let Some(args) = args() else {
        eprintln!("{HELP}");
        return ExitCode::from(2);
    };
    let mut bench = Bench::new(args.json, args.time);

    // Several lengths show which readers are not linear: in the length of a message,
    let prose = [64 * KIB, ALL].map(|len| Message::markup(&workloads::prose(), len));
    bench.markup("prose", &prose, 4);
    bench.markup("prose", &prose, ALL);
    let questions = [2 * KIB, 64 * KIB, ALL].map(|len| Message::markup(&workloads::questions(), len));
    bench.markup("questions", &questions, 4);
    bench.markup("questions", &questions, ALL);

    // and in the length of a call.
    let lengths = [2 * KIB, 16 * KIB, 64 * KIB];
    bench.markup("question", &lengths.map(|len| Message::markup(&workloads::question(len), ALL)), 4);
    bench.arguments("arguments", &lengths.map(|len| Message::arguments(&workloads::arguments(len))), 4);

    bench.summary();
    ExitCode::SUCCESS
}
