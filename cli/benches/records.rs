//! Measures the speedup of `followup parse --records` on all cores over one core.
//!
//! `cargo bench -p followup-cli --bench records`. This is a measurement, not a test: a missed goal
//! is only shown.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use followup_testing::workloads;
use serde_json::json;

/// The size of the file: about a second of work.
const LEN: usize = 400 << 20;

/// The number of questions in a record, each with its prose: a few KiB.
const QUESTIONS: usize = 3;

const RUNS: usize = 5;

/// The speedup to reach on two cores.
const GOAL: f64 = 1.7;

fn main() -> io::Result<()> {
    let cores = thread::available_parallelism()?.get();
    if cores == 1 {
        println!("There is only one core: nothing to compare.");
        return Ok(());
    }
    if Command::new("taskset").arg("--version").output().is_err() {
        println!(
            "There is no taskset, which confines a program to one core: install the package util-linux (on Linux)."
        );
        return Ok(());
    }
    let dir = tempfile::tempdir()?;
    let records = dir.path().join("records.jsonl");
    let count = generate(&records)?;
    let bytes = fs::metadata(&records)?.len();
    check(dir.path(), &records, count)?;
    let (mut one, mut all) = (Duration::MAX, Duration::MAX);
    // Both take turns, so that other load affects both. The shortest run counts, because load only
    // makes a run longer.
    for _ in 0..RUNS {
        one = one.min(time(on_one_core(&records))?);
        all = all.min(time(followup(&records))?);
    }
    let mb_per_s = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e6;
    let ratio = one.as_secs_f64() / all.as_secs_f64();
    println!("{count} records, {:.0} MB; the shortest of {RUNS} runs each\n", bytes as f64 / 1e6);
    println!("on one core     {:7.3} s  {:6.0} MB/s", one.as_secs_f64(), mb_per_s(one));
    println!("on {cores} cores      {:7.3} s  {:6.0} MB/s", all.as_secs_f64(), mb_per_s(all));
    println!("times as fast   {ratio:7.2}    (on two cores, ≥ {GOAL}: {})", if ratio >= GOAL { "ok" } else { "—" });
    Ok(())
}

/// Writes the file, and returns the number of its records.
fn generate(path: &Path) -> io::Result<usize> {
    let message = workloads::questions().message;
    let periods: Vec<_> = message.split_inclusive("</ask_followup_question>\n").collect();
    let mut out = BufWriter::new(File::create(path)?);
    let (mut written, mut count) = (0, 0);
    while written < LEN {
        for message in periods.chunks(QUESTIONS) {
            let record = json!({"id": count, "content": message.concat()}).to_string();
            writeln!(out, "{record}")?;
            written += record.len() + 1;
            count += 1;
        }
    }
    out.flush()?;
    Ok(count)
}

fn followup(records: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_followup"));
    command.args(["parse", "--records"]).arg(records);
    command
}

fn on_one_core(records: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", "0", env!("CARGO_BIN_EXE_followup"), "parse", "--records"]).arg(records);
    command
}

/// Checks that both runs write the same, and a line per record. Not measured, because disks differ.
fn check(dir: &Path, records: &Path, count: usize) -> io::Result<()> {
    let outputs = [("one", on_one_core(records)), ("all", followup(records))].map(|(name, mut command)| {
        let path = dir.join(name);
        assert!(command.stdout(File::create(&path)?).status()?.success());
        fs::read(&path)
    });
    let [one, all] = outputs;
    let (one, all) = (one?, all?);
    assert!(one == all, "the output on one core and on all is the same");
    assert_eq!(one.iter().filter(|&&byte| byte == b'\n').count(), count);
    Ok(())
}

fn time(mut command: Command) -> io::Result<Duration> {
    let begin = Instant::now();
    let status = command.stdout(Stdio::null()).status()?;
    let time = begin.elapsed();
    assert!(status.success(), "{status}");
    Ok(time)
}
