//! `followup bench`: what reading costs, beside the least that could be done with the same pieces.

mod measure;

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use followup_testing::workloads;
use serde::Serialize;

use self::measure::{Cost, measure};
use crate::args::Bench;
use crate::error::{Error, Status};
use crate::parse::colour;
use crate::stream::Input;

/// In pieces of that many bytes, and whole.
const SIZES: [usize; 6] = [1, 4, 16, 64, 4096, usize::MAX];

pub(crate) fn run(args: &Bench) -> Result<Status, Error> {
    let workloads = match &args.file {
        Some(path) => vec![own(path)?],
        None => workloads::everyday().map(Workload::from).collect(),
    };
    let colour = io::stdout().is_terminal() && colour(args.no_color);
    let mut out = io::stdout().lock();
    if !args.json {
        header(&mut out, colour)?;
    }
    for workload in &workloads {
        for size in SIZES {
            // The same again would be no news.
            let is_new = size == usize::MAX || size < workload.message.len();
            if is_new {
                let cost = measure(workload, size, Duration::from_millis(args.time.into()));
                let write = if args.json { json } else { row };
                write(&mut out, &workload.name, &cost, colour)?;
                out.flush()?;
            }
        }
    }
    if !args.json {
        writeln!(out, "{FOOT}")?;
    }
    Ok(Status::Well)
}

/// A message, and how many questions there are in it to be asked.
struct Workload {
    name: String,
    message: String,
    questions: usize,
}

impl From<workloads::Workload> for Workload {
    fn from(built_in: workloads::Workload) -> Self {
        Workload { name: built_in.name.into(), message: built_in.message, questions: built_in.questions }
    }
}

/// The user's own message.
fn own(path: &Path) -> Result<Workload, Error> {
    let mut input = Input::open(Some(path), "bench")?;
    let mut bytes = Vec::new();
    input.from.read_to_end(&mut bytes).map_err(|error| Error::reading(path, &error))?;
    let message = String::from_utf8_lossy(&bytes).into_owned();
    if message.is_empty() {
        return Err(Error::Unreadable(format!("{} is empty: there is nothing to measure", input.name)));
    }
    let questions = measure::questions(&message);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Workload { name, message, questions })
}

#[derive(Serialize)]
struct Line<'a> {
    workload: &'a str,
    chunk: usize,
    ns_per_chunk: f64,
    mb_per_s: f64,
    push_str_ns: f64,
    memchr_mb_per_s: f64,
}

fn json(out: &mut dyn Write, workload: &str, cost: &Cost, _: bool) -> io::Result<()> {
    let line = Line {
        workload,
        chunk: cost.size,
        ns_per_chunk: cost.ns_per_piece(cost.parse),
        mb_per_s: cost.mb_per_s(cost.parse),
        push_str_ns: cost.ns_per_piece(cost.push_str),
        memchr_mb_per_s: cost.mb_per_s(cost.memchr),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn header(out: &mut dyn Write, colour: bool) -> io::Result<()> {
    let bold = if colour { Style::new().bold() } else { Style::new() };
    writeln!(
        out,
        "{bold}{:<12} {:>9} {:>12} {:>10} {:>10} {:>9}{bold:#}",
        "workload", "chunk", "ns/chunk", "MB/s", "× push_str", "× memchr"
    )
}

fn row(out: &mut dyn Write, workload: &str, cost: &Cost, colour: bool) -> io::Result<()> {
    let share = cost.memchr.as_secs_f64() / cost.parse.as_secs_f64();
    let name: String =
        workload.chars().take(12).map(|char| if crate::visible::acts(char) { '\u{FFFD}' } else { char }).collect();
    let green = if colour { AnsiColor::Green.on_default() } else { Style::new() };
    writeln!(
        out,
        "{name:<12} {:>9} {:>12.1} {:>10.0} {:>10.2} {:>9.2} {green}{}{green:#}",
        cost.size,
        cost.ns_per_piece(cost.parse),
        cost.mb_per_s(cost.parse),
        cost.parse.as_secs_f64() / cost.push_str.as_secs_f64(),
        share,
        bar(share)
    )
}

/// How long the bar of what is as fast as memchr is.
const BAR: f64 = 24.0;

/// A bar in eighths of a column. What is faster than memchr goes no further.
fn bar(share: f64) -> String {
    let eighths = (share.min(1.0) * BAR * 8.0).round() as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}

const FOOT: &str = "\
A chunk is parsed and its events are taken. × push_str: times as long as it takes to append the
chunks to a text. × memchr: times as fast as counting the `<` in them. The shortest of many runs.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0), "█".repeat(24));
        assert_eq!(bar(9.0), bar(1.0));
        assert_eq!(bar(1.0 / 24.0 / 2.0), "▌");
    }
}
