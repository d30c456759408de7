//! `followup bench`: measures the cost of parsing, and of the least work on the same chunks.

mod arguments;
mod measure;
mod workload;

use std::io::{self, IsTerminal, Read, Write};
use std::path::Path;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use followup::{Parser, Policy};
use serde::Serialize;

use self::measure::{Measurement, measure};
use self::workload::{Workload, calls, messages};
use crate::args::bench::BenchArgs;
use crate::error::{Error, Status};
use crate::input::Input;
use crate::output::colour;
use crate::sanitize::is_control;
use crate::shapes;

/// The chunk sizes in bytes. The last is the whole message.
const SIZES: [usize; 6] = [1, 4, 16, 64, 4096, usize::MAX];

pub(crate) fn run(args: &BenchArgs) -> Result<Status, Error> {
    let workloads = match &args.file {
        Some(path) => vec![load(path, args)?],
        None if args.shapes.is_empty() => messages(),
        None => calls(&shapes::named(&args.shapes)?)?,
    };
    let colour = io::stdout().is_terminal() && colour(args.no_color);
    let mut out = io::stdout().lock();
    if !args.json {
        write_header(&mut out, colour)?;
    }
    for mut workload in workloads {
        for size in SIZES {
            // A chunk size beyond the message would measure the whole message again.
            let is_new = size == usize::MAX || size < workload.message.len();
            if is_new {
                let measurement = measure(&mut workload, size, Duration::from_millis(args.time.into()));
                let write = if args.json { write_json } else { write_row };
                write(&mut out, &workload.name, &measurement, colour)?;
                out.flush()?;
            }
        }
    }
    if !args.json {
        writeln!(out, "{LEGEND}")?;
    }
    Ok(Status::Success)
}

/// Loads the user's message, or the arguments of a call.
fn load(path: &Path, args: &BenchArgs) -> Result<Workload, Error> {
    let mut parser = parser(args)?;
    let mut input = Input::open(Some(path), "bench")?;
    let mut bytes = Vec::new();
    input.reader.read_to_end(&mut bytes).map_err(|error| Error::reading(path, &error))?;
    let message = String::from_utf8_lossy(&bytes).into_owned();
    if message.is_empty() {
        return Err(Error::Unreadable(format!("{} is empty: there is nothing to measure", input.name)));
    }
    let calls = measure::count_calls(&mut parser, &message);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok(Workload { name, message, calls, parser })
}

/// Returns the parser of the user's file.
fn parser(args: &BenchArgs) -> Result<Parser, Error> {
    match &args.arguments_of {
        Some(tool) if args.shapes.is_empty() => shapes::arguments_parser(tool, Policy::new().into()),
        Some(tool) => {
            let policy = Policy::new().with_shapes(shapes::named(&args.shapes)?);
            shapes::arguments_parser(tool, policy.into())
        }
        None if args.shapes.is_empty() => Ok(Parser::default()),
        None => Err(Error::Usage("--shapes does not say which tool the file calls: add --arguments-of TOOL".into())),
    }
}

/// A measurement as one line of `--json`.
#[derive(Serialize)]
struct JsonLine<'a> {
    workload: &'a str,
    chunk: usize,
    ns_per_chunk: f64,
    mb_per_s: f64,
    push_str_ns: f64,
    memchr_mb_per_s: f64,
}

fn write_json(out: &mut dyn Write, workload: &str, measurement: &Measurement, _: bool) -> io::Result<()> {
    let line = JsonLine {
        workload,
        chunk: measurement.size,
        ns_per_chunk: measurement.ns_per_chunk(measurement.parse),
        mb_per_s: measurement.mb_per_s(measurement.parse),
        push_str_ns: measurement.ns_per_chunk(measurement.push_str),
        memchr_mb_per_s: measurement.mb_per_s(measurement.memchr),
    };
    serde_json::to_writer(&mut *out, &line)?;
    writeln!(out)
}

fn write_header(out: &mut dyn Write, colour: bool) -> io::Result<()> {
    let bold = if colour { Style::new().bold() } else { Style::new() };
    writeln!(
        out,
        "{bold}{:<12} {:>9} {:>12} {:>10} {:>10} {:>9} × memchr: shorter is better{bold:#}",
        "workload", "chunk", "ns/chunk", "ns/byte", "× push_str", "× memchr"
    )
}

/// Writes the figures of a measurement. All are times: less is better.
fn write_row(out: &mut dyn Write, workload: &str, measurement: &Measurement, colour: bool) -> io::Result<()> {
    let parse = measurement.parse.as_secs_f64();
    let times = parse / measurement.memchr.as_secs_f64();
    let name: String = workload.chars().take(12).map(|char| if is_control(char) { '\u{FFFD}' } else { char }).collect();
    let green = if colour { AnsiColor::Green.on_default() } else { Style::new() };
    writeln!(
        out,
        "{name:<12} {:>9} {:>12.1} {:>10.2} {:>10.2} {:>9.2} {green}{}{green:#}",
        measurement.size,
        measurement.ns_per_chunk(measurement.parse),
        measurement.ns_per_byte(measurement.parse),
        parse / measurement.push_str.as_secs_f64(),
        times,
        bar(times)
    )
}

/// The length in columns of a bar for "as long as".
const BAR_UNIT: f64 = 2.0;

/// The greatest length of a bar. One that would be longer is marked.
const BAR_LENGTH: f64 = 24.0;

/// Returns a bar with a resolution of an eighth of a column.
fn bar(times: f64) -> String {
    if times * BAR_UNIT > BAR_LENGTH {
        return "█".repeat(BAR_LENGTH as usize) + "…";
    }
    let eighths = (times * BAR_UNIT * 8.0).round() as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    "█".repeat(eighths / 8) + part
}

const LEGEND: &str = "\
Everything is a time, and less is better. Each chunk is parsed and its events are consumed.
× push_str, × memchr: so many times as long as it takes to append the chunks to a text, or to count
the `<` in them. The shortest of many runs.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_the_time() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0), "██");
        assert_eq!(bar(2.25), "████▌");
        assert_eq!(bar(12.0), "█".repeat(24));
        assert_eq!(bar(900.0), "█".repeat(24) + "…");
    }
}
