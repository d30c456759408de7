//! Measures `followup` beside the libraries that a user could choose instead: see README.md.

mod bench;
mod call;
mod cuts;
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
use crate::format::Format;
use crate::message::Message;

const HELP: &str = "\
Measures followup beside the libraries that a user could choose instead.

  --envelopes  measure only the calls in envelopes
  --json       print one JSON object per row, a row per line
  --time MS    measure each row for about that many milliseconds [default: 300]";

const KIB: usize = 1 << 10;
const ALL: usize = usize::MAX;

/// The envelopes that `followup` and the rivals read.
const ENVELOPES: [Format; 3] = [Format::Hermes, Format::QwenCoder, Format::Glm];

#[derive(Debug)]
struct Args {
    envelopes: bool,
    json: bool,
    time: Duration,
}

fn args() -> Option<Args> {
    let mut args = Args { envelopes: false, json: false, time: Duration::from_millis(300) };
    let mut given = std::env::args().skip(1);
    while let Some(arg) = given.next() {
        match &*arg {
            "--envelopes" => args.envelopes = true,
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
    cuts::print(args.json, &Message::markup(&workloads::questions(), 4 * KIB), &ENVELOPES);
    let mut bench = Bench::new(args.json, args.time);
    if !args.envelopes {
        own_formats(&mut bench);
    }
    envelopes(&mut bench);
    bench.summary();
    ExitCode::SUCCESS
}

/// Measures the same calls, each reader in its own format.
fn own_formats(bench: &mut Bench) {
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
    bench.form("form", &lengths.map(|len| Message::form(&workloads::form(len))), 4);
}

/// Measures the same calls in envelopes that `followup` reads, too: the same text for all.
fn envelopes(bench: &mut Bench) {
    let questions = [2 * KIB, 64 * KIB, ALL].map(|len| Message::markup(&workloads::questions(), len));
    for format in ENVELOPES {
        for chunk in [4, 64, ALL] {
            bench.envelope(format, &questions, chunk);
        }
    }
}
