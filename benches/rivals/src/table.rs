//! The rows, and what they say in short.

use serde_json::json;

use crate::measure::Cost;
use crate::sink::Verdict;

/// What reading a message in some format cost.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) workload: &'static str,
    /// How long the message is as the workload has it; in another format it is a little longer or shorter.
    pub(crate) len: usize,
    /// How long a chunk is, if the message is not read whole.
    pub(crate) chunk: Option<usize>,
    pub(crate) reader: &'static str,
    pub(crate) format: &'static str,
    pub(crate) kind: Kind,
    /// If it did not take too long.
    pub(crate) measured: Option<Measured>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Followup,
    /// No reader at all.
    Floor,
    Rival,
}

#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) cost: Cost,
    /// How many times as long as `followup` it takes.
    pub(crate) times: f64,
    pub(crate) shows: &'static str,
    pub(crate) verdict: Verdict,
}

/// Prints rows, and keeps them for the summary.
#[derive(Debug)]
pub(crate) struct Table {
    json: bool,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(json: bool) -> Table {
        if !json {
            println!(
                "{:<10} {:>7} {:>5}  {:<20} {:<11} {:>11} {:>7} {:>10}  {:<8} right",
                "workload", "bytes", "chunk", "reader", "format", "ns/chunk", "MB/s", "× followup", "shows"
            );
        }
        Table { json, rows: Vec::new() }
    }

    /// The rows of one message, the fastest first.
    pub(crate) fn print(&mut self, mut rows: Vec<Row>) {
        let times = |row: &Row| row.measured.as_ref().map_or(f64::INFINITY, |measured| measured.times);
        rows.sort_by(|one, other| times(one).total_cmp(&times(other)));
        for row in &rows {
            if self.json { print_json(row) } else { print_row(row) }
        }
        if !self.json {
            println!();
        }
        self.rows.append(&mut rows);
    }

    /// The fastest rival that finds all questions of each message; and the fastest that shows them while they grow, if it is another.
    pub(crate) fn summary(&self) {
        if self.json {
            return;
        }
        println!("The fastest rival that finds all questions, and how many times as long as followup it takes:\n");
        for rows in self.rows.chunk_by(|one, other| message(one) == message(other)) {
            let Some((row, Measured { times, .. })) = fastest(rows, |_| true) else { continue };
            let Row { workload, len, reader, format, .. } = row;
            print!("{workload:<10} {len:>7} {:>5}  {reader} ({format}): {times:.2}", chunk(row));
            let shows = |measured: &Measured| measured.shows == "question";
            if let Some((showing, Measured { times, .. })) = fastest(rows, shows)
                && (showing.reader, showing.format) != (reader, format)
            {
                print!("; and of those that show the question, {} ({}): {times:.2}", showing.reader, showing.format);
            }
            println!();
        }
        println!("{FOOT}");
    }
}

/// The first of the rivals that finds all questions, and is as asked.
fn fastest(rows: &[Row], is: impl Fn(&Measured) -> bool) -> Option<(&Row, &Measured)> {
    rows.iter()
        .filter(|row| row.kind == Kind::Rival)
        .filter_map(|row| Some((row, row.measured.as_ref()?)))
        .find(|(_, measured)| measured.verdict.finds_all && is(measured))
}

/// The rows of a message follow each other.
fn message(row: &Row) -> (&str, usize, Option<usize>) {
    (row.workload, row.len, row.chunk)
}

fn chunk(row: &Row) -> String {
    row.chunk.map_or_else(|| "whole".to_owned(), |chunk| chunk.to_string())
}

fn print_row(row: &Row) {
    let Row { workload, len, reader, format, .. } = row;
    print!("{workload:<10} {len:>7} {:>5}  {reader:<20} {format:<11} ", chunk(row));
    let Some(Measured { cost, times, shows, verdict }) = &row.measured else {
        println!("{:>11} {:>7} {:>10}", "—", "—", "—");
        return;
    };
    print!("{:>11.1} {:>7.0} {times:>10.2}", cost.ns_per_chunk(), cost.mb_per_s());
    if row.kind == Kind::Floor {
        println!();
    } else {
        println!("  {shows:<8} {}", if verdict.wrong.is_empty() { "yes" } else { &verdict.wrong });
    }
}

fn print_json(row: &Row) {
    let Row { workload, len, chunk, reader, format, kind, measured } = row;
    let is_floor = *kind == Kind::Floor;
    let seen = measured.as_ref().filter(|_| !is_floor);
    let line = json!({
        "workload": workload,
        "bytes": len,
        "chunk": chunk,
        "reader": reader,
        "format": format,
        "floor": is_floor,
        "written_bytes": measured.as_ref().map(|measured| measured.cost.bytes),
        "ns_per_chunk": measured.as_ref().map(|measured| measured.cost.ns_per_chunk()),
        "mb_per_s": measured.as_ref().map(|measured| measured.cost.mb_per_s()),
        "times_followup": measured.as_ref().map(|measured| measured.times),
        "shows": seen.map(|measured| measured.shows),
        "finds_all": seen.map(|measured| measured.verdict.finds_all),
        "wrong": seen.map(|measured| &measured.verdict.wrong),
    });
    println!("{line}");
}

const FOOT: &str = "
A chunk is read and all that comes out is taken. × followup: times as long as followup takes for the same message in its own
format, measured in turn. shows: what is seen of a question while it grows. The shortest of many runs.";
