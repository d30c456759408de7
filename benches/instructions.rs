//! How many instructions a chunk costs, where the machine is too busy for times to say anything: the same number in every run.
//!
//! `cargo bench --bench instructions`. The program runs itself in valgrind, which counts, and which has no vectors longer than
//! AVX2: on machines that have, memchr and the C library would choose fewer instructions than are counted here.

mod common;

use std::env;
use std::hint::black_box;
use std::io;
use std::process::{Command, ExitCode};
use std::thread;

use common::{New, Stream, push_str};
use followup::Parser;
use followup_testing::workloads::{self, Workload};

/// In chunks of that many bytes, and whole.
const SIZES: [usize; 4] = [1, 4, 64, usize::MAX];

/// How much of a message is read: a part that shows all of it, because valgrind is slow.
const LEN: usize = 128 << 10;

/// What is done with the chunks.
const ACTS: [&str; 2] = ["parse", "push_str"];

/// How often a stream is read, in two runs: what the second counts more is what the passes cost, and nothing else. Buffers
/// that grow do so in the first pass.
const PASSES: [u64; 2] = [1, 3];

fn main() -> ExitCode {
    // `cargo bench` passes flags of its own.
    let args: Vec<_> = env::args().skip(1).filter(|arg| !arg.starts_with("--")).collect();
    if let [name, size, act, passes] = &args[..] {
        let (size, passes) = (size.parse().expect("a size"), passes.parse().expect("a number"));
        act_on(&named(name), size, act, passes);
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        println!("There is no valgrind, which counts: install the package valgrind.");
        return ExitCode::SUCCESS;
    }
    match table() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The workloads that are counted, and what reads them.
fn all() -> Vec<(Workload, New)> {
    let mut all: Vec<(_, New)> = workloads::everyday().map(|long| (begun(long), Parser::new as New)).collect();
    all.push((workloads::question(64 << 10), Parser::new));
    all.push((workloads::arguments(64 << 10), Parser::arguments));
    all
}

/// The beginning of a message, up to the end of a line, and of a question if there are any.
fn begun(mut workload: Workload) -> Workload {
    let call = "</ask_followup_question>\n";
    let last = if workload.questions == 0 { "\n" } else { call };
    let end = workload.message[..LEN].rfind(last).expect("it is long") + last.len();
    workload.message.truncate(end);
    workload.questions = workload.message.matches(call).count();
    workload
}

fn named(name: &str) -> (Workload, New) {
    all().into_iter().find(|(workload, _)| workload.name == name).expect("a workload")
}

/// What is counted.
fn act_on((workload, new): &(Workload, New), size: usize, act: &str, passes: u64) {
    let stream = Stream::new(workload, size);
    let (mut parser, mut text) = (new(workload.policy()), String::with_capacity(workload.message.len()));
    for _ in 0..passes {
        match act {
            "parse" => stream.read(&mut parser),
            _ => push_str(&mut text, black_box(&stream.text)),
        }
    }
}

fn table() -> io::Result<()> {
    println!(
        "{:<12} {:>9} {:>9} {:>16} {:>12} {:>12}",
        "workload", "chunk", "chunks", "instructions", "push_str", "× push_str"
    );
    for (workload, _) in all() {
        for size in SIZES {
            let chunks = followup_testing::pieces(&workload.message, size).count();
            let [parse, push] = both(workload.name, size)?.map(|count| count / chunks as f64);
            let size = size.min(workload.message.len());
            println!("{:<12} {size:>9} {chunks:>9} {parse:>16.1} {push:>12.1} {:>12.2}", workload.name, parse / push);
        }
    }
    println!("\nInstructions for one chunk, every event taken, and to append it to a text.");
    Ok(())
}

/// How many instructions one pass takes to parse, and to append; counted at the same time, for the count is not the clock's.
fn both(name: &str, size: usize) -> io::Result<[f64; 2]> {
    thread::scope(|scope| {
        let counts = ACTS.map(|act| scope.spawn(move || pass(name, size, act)));
        let [parse, push] = counts.map(|count| count.join().expect("it does not panic"));
        Ok([parse?, push?])
    })
}

fn pass(name: &str, size: usize, act: &str) -> io::Result<f64> {
    let [few, many] = PASSES.map(|passes| count(name, size, act, passes));
    Ok((many? - few?) as f64 / (PASSES[1] - PASSES[0]) as f64)
}

/// How many instructions this program executes.
fn count(name: &str, size: usize, act: &str, passes: u64) -> io::Result<u64> {
    let child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // A long copy would be one instruction that is counted once for each byte.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1000000000")
        .arg(env::current_exe()?)
        .args([name, &size.to_string(), act, &passes.to_string()])
        .output()?;
    let said = String::from_utf8_lossy(&child.stderr);
    let counted = said.lines().find_map(|line| line.split_once("Collected : ")?.1.parse().ok());
    counted.filter(|_| child.status.success()).ok_or_else(|| io::Error::other(format!("valgrind failed:\n{said}")))
}
