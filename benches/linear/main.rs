//! Checks that work is linear in the bytes: in instructions, counted by valgrind.
//!
//! `cargo bench --bench linear` reads each stream of `streams.rs` in chunks of 1 byte, of 64 bytes,
//! and as one chunk. It fails if a stream that is four times as long takes more than 4.5 times the
//! instructions.

mod streams;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hint::black_box;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::thread;

use followup::wire::{Format, ResponseParser};
use followup::{CallStart, Entities, Envelopes, Limits, Parser, Policy};
use followup_testing::Syntax;

use streams::{ARGUMENTS, BODIES, CALL, LEN_OF_CALLS, STREAMS, STREAMS_BY_CHOICE, TOOLS};

/// The sizes of chunks, each with the length of the shorter stream.
///
/// The longer the chunk, the longer a search in the rest of it must be to be noticed.
const CUTS: [(usize, usize); 3] = [(1, 1 << 10), (64, 4 << 10), (usize::MAX, 16 << 10)];

/// How many times as long the longer stream is.
const TIMES: usize = 4;

/// How many times the instructions it may take.
///
/// It is more than [`TIMES`], because buffers double, and because of [`CALL`].
const MOST: f64 = 4.5;

/// The processes that count at the same time.
const PROCESSES: usize = 2;

/// What the processes are started with.
const COUNT: &str = "count";

fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    if let [count, process] = &args[..]
        && count == COUNT
    {
        let process: usize = process.parse().expect("the number of a process");
        let readings = readings();
        // What is counted up to its end is the start of the program.
        counted(&readings[0], b"");
        readings.iter().skip(process).step_by(PROCESSES).for_each(Reading::run);
        return ExitCode::SUCCESS;
    }
    if Command::new("valgrind").arg("--version").output().is_err() {
        // So that `cargo bench` runs everywhere.
        println!("Skipped: valgrind is not installed.");
        return ExitCode::SUCCESS;
    }
    check().unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

/// Counts all readings. Prints the ten that are furthest from linear, and all that are too far.
fn check() -> io::Result<ExitCode> {
    let readings = readings();
    let counts = thread::scope(|scope| {
        let processes: [_; PROCESSES] = std::array::from_fn(|process| scope.spawn(move || count(process)));
        processes.map(|process| process.join().expect("the thread does not panic"))
    });
    let mut ratios = Vec::new();
    for (process, counts) in counts.into_iter().enumerate() {
        let here: Vec<_> = readings.iter().skip(process).step_by(PROCESSES).collect();
        let counts = counts?;
        if counts.len() != here.len() * 2 {
            let message = format!("valgrind counted {} of {} readings", counts.len(), here.len() * 2);
            return Err(io::Error::other(message));
        }
        ratios
            .extend(here.into_iter().zip(counts.chunks(2)).map(|(it, count)| (count[1] as f64 / count[0] as f64, it)));
    }
    ratios.sort_by(|a, b| b.0.total_cmp(&a.0));
    let failed = ratios.iter().filter(|(ratio, _)| *ratio > MOST).count();
    for (ratio, reading) in ratios.iter().take(failed.max(10)) {
        println!("{ratio:.2} {}", reading.name());
    }
    println!(
        "\n{failed} of {} readings take more than {MOST} times the instructions for a stream {TIMES} times as long.",
        ratios.len()
    );
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Counts the instructions of the readings of a process: of the shorter and of the longer stream.
fn count(process: usize) -> io::Result<Vec<u64>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("linear-{process}"));
    match fs::remove_dir_all(&folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => fs::create_dir_all(&folder)?,
    }
    let out = folder.join("out");
    let child = Command::new("valgrind")
        // After each call of `counted`, the count is written and begins anew.
        .args(["--tool=callgrind", "--dump-after=linear::counted*", "--dump-line=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        // A long copy would be one instruction that is counted once for each byte.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1000000000")
        .arg(env::current_exe()?)
        .args([COUNT, &process.to_string()])
        .output()?;
    if !child.status.success() {
        return Err(io::Error::other(format!("valgrind failed:\n{}", String::from_utf8_lossy(&child.stderr))));
    }
    let mut counts = BTreeMap::new();
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        let number = path.extension().and_then(|number| number.to_str()?.parse::<usize>().ok());
        // What is counted after the last reading is in a file without a number.
        if let Some(number) = number {
            counts.insert(number, total(&fs::read_to_string(&path)?)?);
        }
    }
    fs::remove_dir_all(&folder)?;
    // The first is not of a reading, but of the start of the program.
    Ok(counts.into_values().skip(1).collect())
}

/// Returns the count in what callgrind wrote.
fn total(text: &str) -> io::Result<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("totals: ")?.trim().parse().ok());
    line.ok_or_else(|| io::Error::other("callgrind wrote no totals"))
}

/// A stream, what reads it, and how it is cut.
struct Reading {
    reader: Reader,
    policy: (&'static str, Arc<Policy>),
    /// The start, the text that is repeated, and the end.
    parts: [&'static str; 3],
    chunk: usize,
    /// The length of the shorter stream.
    len: usize,
}

#[derive(Clone, Copy, Debug)]
enum Reader {
    Parser(Syntax),
    /// Arguments of this tool.
    Tool(&'static str),
    Response(Format),
    Auto,
}

/// Returns all readings, always in the same order.
fn readings() -> Vec<Reading> {
    let mut readings = Vec::new();
    let mut add = |reader, policy: &(&'static str, Arc<Policy>), parts| {
        readings.extend(CUTS.map(|(chunk, len)| Reading { reader, policy: policy.clone(), parts, chunk, len }));
    };
    let policies = policies();
    for policy in &policies {
        for (start, repeated) in STREAMS {
            add(Reader::Parser(Syntax::Markup), policy, [start, repeated, ""]);
        }
        let all = (policy.0, Arc::new((*policy.1).clone().with_envelopes(Envelopes::all())));
        for (start, repeated) in STREAMS_BY_CHOICE {
            add(Reader::Parser(Syntax::Markup), &all, [start, repeated, ""]);
        }
        for (start, repeated, end) in ARGUMENTS {
            add(Reader::Parser(Syntax::Arguments), policy, [start, repeated, end]);
        }
        for (tool, start, repeated, end) in TOOLS {
            add(Reader::Tool(tool), policy, [start, repeated, end]);
        }
    }
    for (format, start, repeated, end) in BODIES {
        add(Reader::Response(format), &policies[0], [start, repeated, end]);
        add(Reader::Auto, &policies[0], [start, repeated, end]);
    }
    for reader in [Reader::Response(CALL.0), Reader::Auto] {
        let (policy, parts, len) = (policies[0].clone(), ["", CALL.1, ""], LEN_OF_CALLS);
        readings.extend(CUTS.map(|(chunk, _)| Reading { reader, policy: policy.clone(), parts, chunk, len }));
    }
    readings
}

/// Returns the policies, each with its name.
fn policies() -> [(&'static str, Arc<Policy>); 3] {
    let unlimited = Limits {
        question: usize::MAX,
        answer: usize::MAX,
        suggestions: usize::MAX,
        questions: usize::MAX,
        header: usize::MAX,
        description: usize::MAX,
        texts: usize::MAX,
        ..Limits::default()
    };
    let outside = Policy::new().with_call_start(CallStart::OutsideCode).with_entities(Entities::Decoded);
    [
        ("default", Arc::new(Policy::new())),
        ("without limits", Arc::new(Policy::new().with_limits(unlimited))),
        ("outside code, decoded", Arc::new(outside)),
    ]
}

impl Reading {
    /// Reads the shorter and the longer stream.
    fn run(&self) {
        for times in [1, TIMES] {
            let [start, repeated, end] = self.parts;
            let stream = format!("{start}{}{end}", repeated.repeat(times * self.len.div_ceil(repeated.len())));
            counted(self, stream.as_bytes());
        }
    }

    fn name(&self) -> String {
        let [start, repeated, _] = self.parts;
        let chunk = if self.chunk == usize::MAX { "one chunk".to_owned() } else { format!("chunks of {}", self.chunk) };
        format!("{:?}, {}, {chunk}: {start:?} and then {repeated:?}", self.reader, self.policy.0)
    }
}

/// Reads a stream. Valgrind knows this function by its name.
#[inline(never)]
fn counted(reading: &Reading, stream: &[u8]) {
    let policy = reading.policy.1.clone();
    match reading.reader {
        Reader::Parser(syntax) => parse(syntax.parser(policy), stream, reading.chunk),
        Reader::Tool(tool) => {
            parse(Parser::arguments_of(tool, policy).expect("a tool that asks"), stream, reading.chunk)
        }
        Reader::Response(format) => respond(ResponseParser::new(format, policy), stream, reading.chunk),
        Reader::Auto => respond(ResponseParser::auto(policy), stream, reading.chunk),
    }
}

fn parse(mut parser: Parser, stream: &[u8], chunk: usize) {
    for chunk in stream.chunks(chunk) {
        parser.feed_bytes(chunk).for_each(|event| {
            black_box(&event);
        });
    }
    parser.finish().for_each(|event| {
        black_box(&event);
    });
}

fn respond(mut response: ResponseParser, stream: &[u8], chunk: usize) {
    for chunk in stream.chunks(chunk) {
        response.feed(chunk).for_each(|event| {
            black_box(&event);
        });
    }
    response.finish().for_each(|event| {
        black_box(&event);
    });
}
