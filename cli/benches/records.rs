//! Measures `followup parse --records`, of messages and of bodies, on one core and on all.
//!
//! `cargo bench -p followup-cli --bench records`. This is a measurement, not a test: a missed goal
//! is only shown.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use followup_testing::{pieces, workloads};
use serde_json::json;

/// The size of each file.
const LEN: usize = 500 << 20;

/// The number of questions in a record, each with its prose: 6 KiB of text.
const QUESTIONS: usize = 3;

/// The bytes of text in one delta of a body: about a token.
const DELTA: usize = 5;

/// What the records hold.
struct Workload {
    name: &'static str,
    args: &'static [&'static str],
    /// Returns the field for a message.
    content: fn(&str) -> String,
}

const WORKLOADS: [Workload; 3] = [
    Workload { name: "messages", args: &[], content: str::to_owned },
    Workload { name: "bodies as text", args: &["--wire", "openai-chat"], content: body },
    Workload {
        name: "bodies as base64",
        args: &["--wire", "openai-chat", "--base64"],
        content: |message| STANDARD.encode(body(message)),
    },
];

/// Returns the body of a response that streams the message, in events of about 200 bytes.
fn body(message: &str) -> String {
    let event = |delta| {
        let choices = json!([{"index": 0, "delta": {"content": delta}, "logprobs": null, "finish_reason": null}]);
        let event = json!({
            "id": "chatcmpl-0123456789", "object": "chat.completion.chunk", "created": 1_700_000_000,
            "model": "a-model", "choices": choices
        });
        format!("data: {event}\n\n")
    };
    pieces(message, DELTA).map(event).chain(["data: [DONE]\n\n".into()]).collect()
}

const RUNS: usize = 5;

/// The speedup to reach on two cores.
const GOAL: f64 = 1.7;

const PROGRAM: &str = env!("CARGO_BIN_EXE_followup");

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
    println!(
        "{:16} {:>8} {:>5}  {:>22}  {:>22}  ratio  peak",
        "",
        "records",
        "MB",
        "one core",
        format!("{cores} cores")
    );
    for workload in WORKLOADS {
        measure(&workload)?;
    }
    println!("\nThe shortest of {RUNS} runs each. The goal for two cores is a ratio of {GOAL}.");
    Ok(())
}

fn measure(workload: &Workload) -> io::Result<()> {
    let dir = tempfile::tempdir()?;
    let records = dir.path().join("records.jsonl");
    let count = generate(&records, workload.content)?;
    let bytes = fs::metadata(&records)?.len();
    let one_core = || {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", PROGRAM, "parse", "--records"]).args(workload.args).arg(&records);
        command
    };
    let all_cores = || {
        let mut command = Command::new(PROGRAM);
        command.args(["parse", "--records"]).args(workload.args).arg(&records);
        command
    };
    check(dir.path(), one_core(), all_cores(), count)?;
    let (mut one, mut all, mut peak) = (Duration::MAX, Duration::MAX, 0);
    // Both take turns, so that other load affects both. The shortest run counts, because load only
    // makes a run longer.
    for _ in 0..RUNS {
        one = one.min(run(one_core())?.0);
        let (time, memory) = run(all_cores())?;
        (all, peak) = (all.min(time), peak.max(memory));
    }
    let speed = |time: Duration| {
        let per_s = |n: f64| n / time.as_secs_f64();
        format!("{:8.0}/s {:6.0} MB/s", per_s(count as f64), per_s(bytes as f64 / 1e6))
    };
    let (ratio, name, mb) = (one.as_secs_f64() / all.as_secs_f64(), workload.name, bytes / 1_000_000);
    let mark = if ratio >= GOAL { ' ' } else { '!' };
    println!("{name:16} {count:>8} {mb:>5}  {:>22}  {:>22}  {ratio:4.2}{mark}  {peak} MiB", speed(one), speed(all));
    Ok(())
}

/// Writes the file, and returns the number of its records.
fn generate(path: &Path, content: fn(&str) -> String) -> io::Result<usize> {
    let message = workloads::questions().message;
    let periods: Vec<_> = message.split_inclusive("</ask_followup_question>\n").collect();
    let contents: Vec<_> = periods.chunks(QUESTIONS).map(|message| content(&message.concat())).collect();
    let mut out = BufWriter::new(File::create(path)?);
    let (mut written, mut count) = (0, 0);
    while written < LEN {
        let record = json!({"id": count, "content": contents[count % contents.len()]}).to_string();
        writeln!(out, "{record}")?;
        written += record.len() + 1;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}

/// Checks that both write the same, and a line per record. Not measured, because disks differ.
fn check(dir: &Path, one: Command, all: Command, count: usize) -> io::Result<()> {
    let outputs = [("one", one), ("all", all)].map(|(name, mut command)| {
        let path = dir.join(name);
        assert!(command.stdout(File::create(&path)?).status()?.success());
        io::Result::Ok(BufReader::new(File::open(&path)?).split(b'\n'))
    });
    let [one, all] = outputs;
    let (mut one, mut all) = (one?, all?);
    for _ in 0..count {
        let (one, all) = (one.next().transpose()?, all.next().transpose()?);
        assert!(one.is_some() && one == all, "the output on one core and on all is the same");
    }
    assert!(one.next().is_none() && all.next().is_none(), "each record has one line");
    Ok(())
}

/// Returns the time that the command takes, and its peak memory in MiB.
fn run(mut command: Command) -> io::Result<(Duration, u64)> {
    let begin = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    // The kernel reports the peak only while the program runs.
    let (mut peak, status) = (0, format!("/proc/{}/status", child.id()));
    let ended = loop {
        peak = peak.max(resident(&status).unwrap_or(0));
        match child.try_wait()? {
            Some(ended) => break ended,
            None => thread::sleep(Duration::from_millis(5)),
        }
    };
    assert!(ended.success(), "{ended}");
    Ok((begin.elapsed(), peak))
}

/// Returns the peak of a process's resident memory in MiB; `None` if unknown.
fn resident(status: &str) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib >> 10)
}
