//! Instructions per chunk, counted by valgrind.
//!
//! The count is the same in every run, however busy the machine is.
//!
//! - `cargo bench --bench instructions` prints a table.
//! - `… -- --check` compares with `benches/instructions.txt`, and fails if a figure has risen by
//!   more than 5 %.
//! - `… -- --write` accepts the present figures: it writes that file.
//!
//! `FOLLOWUP_ENVELOPES=none`, or the names of families with commas between them, reads other
//! envelopes than the default policy does: to see what a family costs.
//!
//! The program runs itself in valgrind, which emulates no vectors longer than AVX2. On machines
//! that have longer ones, memchr and the C library use fewer instructions than are counted here.

mod common;

use std::collections::BTreeMap;
use std::env;
use std::fmt::Write as _;
use std::fs;
use std::hint::black_box;
use std::io;
use std::process::{Command, ExitCode};
use std::thread;

use common::{NewParser, Stream, push_str};
use followup::{Envelopes, Event, Parser, Policy, Shape, Shapes};
use followup_testing::workloads::{self, Workload};

/// The sizes of chunks, in bytes. The last is the whole message.
const SIZES: [usize; 4] = [1, 4, 64, usize::MAX];

/// About as much of a message is read, because valgrind is slow.
///
/// It is enough to contain everything that occurs in one.
const LEN: usize = 128 << 10;

/// What is counted: the parser, and appending the chunks to a `String`.
const TASKS: [&str; 2] = ["parse", "push_str"];

/// Each task runs twice, with so many passes over the message.
///
/// The difference is the cost of the passes alone, without the start of the program, and without
/// the first pass, in which buffers grow.
const PASSES: [u64; 2] = [1, 3];

/// The committed figures.
const FIGURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.txt");

/// A figure may rise by this factor before `--check` fails.
const TOLERANCE: f64 = 1.05;

fn main() -> ExitCode {
    let args: Vec<_> = env::args().skip(1).collect();
    let has = |flag: &str| args.iter().any(|arg| arg == flag);
    // `cargo bench` passes the flag `--bench`. The process in valgrind gets no flags.
    if let [name, size, task, passes] = &args[..] {
        let (size, passes) = (size.parse().expect("a size"), passes.parse().expect("a number"));
        run(&find(name), size, task, passes);
        return ExitCode::SUCCESS;
    }
    let result = if has("--check") {
        check()
    } else if has("--write") {
        write()
    } else {
        table()
    };
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

/// Returns the workloads that are counted, and the parsers for them.
fn all() -> Vec<(Workload, NewParser)> {
    let mut all: Vec<(_, NewParser)> =
        workloads::everyday().map(|workload| (shorten(workload), Parser::new as NewParser)).collect();
    all.push((workloads::question(64 << 10), Parser::new));
    all.push((workloads::arguments(64 << 10), Parser::arguments));
    all.push((Workload { name: "shape", ..workloads::arguments(64 << 10) }, shaped));
    all
}

/// Returns a parser that reads the same arguments as those of another tool, by its shape.
fn shaped(policy: Policy) -> Parser {
    let shape = Shape::parse("shape asked\ntool asked\ntext question\noptions follow_up\nlabel text\nmode mode\n");
    let shapes = Shapes::new([shape.expect("a shape")]);
    Parser::arguments_of("asked", policy.with_shapes(shapes)).expect("a tool")
}

/// Cuts a message after a line, or before prose if it contains questions.
fn shorten(mut workload: Workload) -> Workload {
    let last = if workload.questions == 0 { "\n" } else { "\n\n" };
    let end = workload.message[..LEN].rfind(last).expect("the message is longer than LEN") + last.len();
    workload.message.truncate(end);
    workload.questions = questions(&workload);
    workload
}

/// Returns how many calls of a message are complete.
fn questions(workload: &Workload) -> usize {
    let mut parser = Parser::new(workload.policy());
    let mut events = parser.feed(&workload.message);
    let mut questions = 0;
    while let Some(event) = events.next() {
        questions += usize::from(matches!(event, Event::Complete(_)));
    }
    questions
}

/// Returns the default policy for a workload, with the envelopes that `FOLLOWUP_ENVELOPES` names.
fn policy(workload: &Workload) -> Policy {
    let family = |name: &str| name.parse().unwrap_or_else(|error| panic!("FOLLOWUP_ENVELOPES: {name}: {error}"));
    let envelopes = match env::var("FOLLOWUP_ENVELOPES") {
        Err(_) => Envelopes::default(),
        Ok(names) if names == "none" => Envelopes::none(),
        Ok(names) => names.split(',').map(family).collect(),
    };
    workload.policy().with_envelopes(envelopes)
}

fn find(name: &str) -> (Workload, NewParser) {
    all().into_iter().find(|(workload, _)| workload.name == name).expect("a workload")
}

/// Runs a task: this is what valgrind counts.
fn run((workload, new): &(Workload, NewParser), size: usize, task: &str, passes: u64) {
    let stream = Stream::new(workload, size);
    let (mut parser, mut text) = (new(policy(workload)), String::with_capacity(workload.message.len()));
    for _ in 0..passes {
        match task {
            "parse" => stream.parse(&mut parser),
            _ => push_str(&mut text, black_box(&stream.text)),
        }
    }
}

fn table() -> io::Result<ExitCode> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        // So that `cargo bench` runs everywhere.
        println!("Skipped: valgrind is not installed.");
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "{:<12} {:>9} {:>9} {:>16} {:>12} {:>12}",
        "workload", "chunk", "chunks", "instructions", "push_str", "× push_str"
    );
    for (workload, _) in all() {
        for size in SIZES {
            let chunks = chunks(&workload, size);
            let [parse, push] = TASKS.map(|task| count_pass(workload.name, size, task));
            let [parse, push] = [parse? / chunks as f64, push? / chunks as f64];
            let size = size.min(workload.message.len());
            println!("{:<12} {size:>9} {chunks:>9} {parse:>16.1} {push:>12.1} {:>12.2}", workload.name, parse / push);
        }
    }
    println!("\nInstructions per chunk: to parse it and consume every event, and to append it to a string.");
    Ok(ExitCode::SUCCESS)
}

/// Instructions per chunk by workload and size of the chunks.
type Figures = BTreeMap<(String, usize), f64>;

/// Counts what the parser takes. `usize::MAX` means the whole message, whatever its length.
fn count_all() -> io::Result<Figures> {
    let mut figures = Figures::new();
    for (workload, _) in all() {
        for size in SIZES {
            let count = count_pass(workload.name, size, "parse")? / chunks(&workload, size) as f64;
            figures.insert((workload.name.to_owned(), size), count);
        }
    }
    Ok(figures)
}

fn check() -> io::Result<ExitCode> {
    let text = fs::read_to_string(FIGURES)?;
    let committed = parse_figures(&text).ok_or_else(|| io::Error::other(format!("{FIGURES} is not readable")))?;
    let present = count_all()?;
    let mut risen = 0;
    println!("{:<12} {:>9} {:>12} {:>12} {:>8}", "workload", "chunk", "committed", "present", "ratio");
    for ((name, size), &count) in &present {
        let old = committed.get(&(name.clone(), *size)).copied();
        // A figure that is missing fails, too.
        let has_risen = old.is_none_or(|old| count > old * TOLERANCE);
        risen += usize::from(has_risen);
        let verdict = match old {
            None => "missing",
            Some(_) if has_risen => "RISEN",
            Some(old) if count * TOLERANCE < old => "fallen by more than 5 %: write the new figures",
            Some(_) => "",
        };
        let ratio = old.map_or("—".to_owned(), |old| format!("{:.3}", count / old));
        let old = old.map_or("—".to_owned(), |old| format!("{old:.1}"));
        println!("{name:<12} {:>9} {old:>12} {count:>12.1} {ratio:>8} {verdict}", size_name(*size));
    }
    if risen == 0 {
        println!("\nNo figure has risen by more than 5 %.");
        return Ok(ExitCode::SUCCESS);
    }
    let written_with = text.lines().find_map(|line| line.strip_prefix("# rustc")).unwrap_or(" unknown");
    println!(
        "\n{risen} of {} figures are missing or have risen by more than 5 % over benches/instructions.txt.\n\
         The committed figures were written with rustc{written_with}; this is {}.\n\
         If the rise is intended, accept it and say why in the commit:\n\n    \
         cargo bench --bench instructions -- --write\n",
        present.len(),
        rustc_version(),
    );
    Ok(ExitCode::FAILURE)
}

fn write() -> io::Result<ExitCode> {
    let mut text = format!(
        "# Instructions per chunk to parse each workload. `cargo bench --bench instructions -- --check`\n\
         # compares with these figures, `-- --write` writes them anew.\n# {}\n",
        rustc_version()
    );
    for ((name, size), count) in count_all()? {
        writeln!(text, "{name:<12} {:>6} {count:>12.1}", size_name(size)).expect("a string takes all");
    }
    fs::write(FIGURES, &text)?;
    print!("{text}");
    Ok(ExitCode::SUCCESS)
}

/// `None` if a line is neither a comment nor a figure.
fn parse_figures(text: &str) -> Option<Figures> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let figure = |line: &str| {
        let [name, size, count] = line.split_whitespace().collect::<Vec<_>>().try_into().ok()?;
        let size = if size == "whole" { usize::MAX } else { size.parse().ok()? };
        Some(((name.to_owned(), size), count.parse().ok()?))
    };
    lines.map(figure).collect()
}

fn size_name(size: usize) -> String {
    if size == usize::MAX { "whole".to_owned() } else { size.to_string() }
}

/// Returns the compiler that cargo uses, because another one may choose other instructions.
fn rustc_version() -> String {
    let output = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("--version").output();
    output
        .map_or_else(|_| "rustc unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn chunks(workload: &Workload, size: usize) -> usize {
    followup_testing::pieces(&workload.message, size).count()
}

/// Counts the instructions of one pass over a message.
fn count_pass(name: &str, size: usize, task: &str) -> io::Result<f64> {
    let [few, many] = thread::scope(|scope| {
        PASSES
            .map(|passes| scope.spawn(move || count(name, size, task, passes)))
            .map(|count| count.join().expect("the thread does not panic"))
    });
    Ok((many? - few?) as f64 / (PASSES[1] - PASSES[0]) as f64)
}

/// Counts the instructions of a process that runs the task.
fn count(name: &str, size: usize, task: &str, passes: u64) -> io::Result<u64> {
    let child = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // A long copy would be one instruction that is counted once for each byte.
        .env("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1000000000")
        .arg(env::current_exe()?)
        .args([name, &size.to_string(), task, &passes.to_string()])
        .output()
        .map_err(|error| io::Error::other(format!("valgrind does not run; is it installed? {error}")))?;
    let stderr = String::from_utf8_lossy(&child.stderr);
    let collected = stderr.lines().find_map(|line| line.split_once("Collected : ")?.1.parse().ok());
    collected.filter(|_| child.status.success()).ok_or_else(|| io::Error::other(format!("valgrind failed:\n{stderr}")))
}
