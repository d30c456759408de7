//! Prints the results as a table or as JSON, and a summary of them.

use serde_json::json;

use crate::measure::Measurement;

/// One reader's result for one message and chunk size.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) workload: &'static str,
    /// The length of the message in the workload's format.
    ///
    /// In another format it is a little longer or shorter.
    pub(crate) len: usize,
    /// The size of a chunk. `None` if the whole message is one chunk.
    pub(crate) chunk: Option<usize>,
    pub(crate) reader: &'static str,
    pub(crate) format: &'static str,
    pub(crate) kind: Kind,
    /// `None` if one run would take too long.
    pub(crate) measurement: Option<Measurement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Followup,
    /// The least work that is possible with the chunks. It finds no questions.
    Baseline,
    Rival,
}

/// Prints rows and keeps them for the summary.
#[derive(Debug)]
pub(crate) struct Table {
    json: bool,
    /// The rows of each message, the fastest first.
    tables: Vec<Vec<Row>>,
}

impl Table {
    pub(crate) fn new(json: bool) -> Table {
        if !json {
            println!(
                "{:<10} {:>7} {:>5}  {:<20} {:<11} {:>11} {:>7} {:>10}  {:<8} correct",
                "workload", "bytes", "chunk", "reader", "format", "ns/chunk", "MB/s", "× followup", "shows"
            );
        }
        Table { json, tables: Vec::new() }
    }

    /// Prints the rows of one message, the fastest first.
    pub(crate) fn print(&mut self, mut rows: Vec<Row>) {
        let ratio = |row: &Row| row.measurement.as_ref().map_or(f64::INFINITY, |measurement| measurement.ratio);
        rows.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
        for row in &rows {
            if self.json { print_json(row) } else { print_row(row) }
        }
        if !self.json {
            println!();
        }
        self.tables.push(rows);
    }

    /// Prints for each message the fastest rival that finds all questions.
    ///
    /// If another rival is the fastest that also shows them while they grow, it prints that too.
    pub(crate) fn summary(&self) {
        if self.json {
            return;
        }
        println!("The fastest rival that finds all questions, and how many times as long as followup it takes:\n");
        for rows in &self.tables {
            let Some((row, Measurement { ratio, .. })) = fastest(rows, |_| true) else { continue };
            let Row { workload, len, reader, format, .. } = row;
            print!("{workload:<10} {len:>7} {:>5}  {reader} ({format}): {ratio:.2}", chunk(row));
            let shows = |measurement: &Measurement| measurement.shows == "question";
            if let Some((showing, Measurement { ratio, .. })) = fastest(rows, shows)
                && (showing.reader, showing.format) != (reader, format)
            {
                print!("; and of those that show the question, {} ({}): {ratio:.2}", showing.reader, showing.format);
            }
            println!();
        }
        println!("{FOOT}");
    }
}

/// Returns the fastest rival that finds all questions and satisfies `accept`.
///
/// The rows are sorted by time.
fn fastest(rows: &[Row], accept: impl Fn(&Measurement) -> bool) -> Option<(&Row, &Measurement)> {
    rows.iter()
        .filter(|row| row.kind == Kind::Rival)
        .filter_map(|row| Some((row, row.measurement.as_ref()?)))
        .find(|(_, measurement)| measurement.verdict.finds_all && accept(measurement))
}

fn chunk(row: &Row) -> String {
    row.chunk.map_or_else(|| "whole".to_owned(), |chunk| chunk.to_string())
}

fn print_row(row: &Row) {
    let Row { workload, len, reader, format, .. } = row;
    print!("{workload:<10} {len:>7} {:>5}  {reader:<20} {format:<11} ", chunk(row));
    let Some(Measurement { cost, ratio, shows, verdict }) = &row.measurement else {
        println!("{:>11} {:>7} {:>10}", "—", "—", "—");
        return;
    };
    print!("{:>11.1} {:>7.0} {ratio:>10.2}", cost.ns_per_chunk(), cost.mb_per_s());
    if row.kind == Kind::Baseline {
        println!();
    } else {
        println!("  {shows:<8} {}", if verdict.wrong.is_empty() { "yes" } else { &verdict.wrong });
    }
}

fn print_json(row: &Row) {
    let Row { workload, len, chunk, reader, format, kind, measurement } = row;
    let is_baseline = *kind == Kind::Baseline;
    let output = measurement.as_ref().filter(|_| !is_baseline);
    let line = json!({
        "workload": workload,
        "bytes": len,
        "chunk": chunk,
        "reader": reader,
        "format": format,
        "floor": is_baseline,
        "written_bytes": measurement.as_ref().map(|measurement| measurement.cost.bytes),
        "ns_per_chunk": measurement.as_ref().map(|measurement| measurement.cost.ns_per_chunk()),
        "mb_per_s": measurement.as_ref().map(|measurement| measurement.cost.mb_per_s()),
        "times_followup": measurement.as_ref().map(|measurement| measurement.ratio),
        "shows": output.map(|measurement| measurement.shows),
        "finds_all": output.map(|measurement| measurement.verdict.finds_all),
        "wrong": output.map(|measurement| &measurement.verdict.wrong),
    });
    println!("{line}");
}

const FOOT: &str = "
Each chunk is read and all output for it is consumed. × followup: the reader's time divided by that of followup for the same
message in its own format, measured in turn; the shortest of many runs. shows: what is visible of a question while it grows.";
