//! The goals for speed and the measured values, as ratios to the least work with the same bytes.
//!
//! `cargo bench --bench goals`. This is a measurement, not a test: a missed goal is marked, and is
//! no failure.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{LENGTHS, NewParser, Stream, live, ns_each, push_str, ratio, shortest};
use followup::Parser;
use followup_testing::workloads::{self, Workload};
use memchr::{memchr, memchr_iter};

/// The time to spend on each goal.
const DURATION: Duration = Duration::from_millis(1500);

/// The size of a short chunk in bytes.
const SHORT: usize = 4;

fn main() {
    println!("{:<62} {:>8} {:>9}", "goal", "limit", "measured");
    prose();
    questions();
    tsx();
    let lengths = [lengths("question", workloads::question, Parser::new), arguments(), form()];
    let visits = live::measure(&mut live::parsers(), 3 * DURATION);
    at_most("a million live parsers, a chunk each: × one cache line each", 2.5, ratio(visits.parsers, visits.lines));
    print_lengths(&lengths);
}

fn at_most(goal: &str, limit: f64, measured: f64) {
    row(goal, &format!("≤ {limit}"), measured, measured <= limit);
}

fn at_least(goal: &str, limit: f64, measured: f64) {
    row(goal, &format!("≥ {limit}"), measured, measured >= limit);
}

fn row(goal: &str, limit: &str, measured: f64, is_met: bool) {
    println!("{goal:<62} {limit:>8} {measured:>9.3} {}", if is_met { "ok" } else { "—" });
}

fn prose() {
    let workload = workloads::prose();
    at_most("prose, 4 bytes of text: × push_str", 2.0, parse_over_push_str(&workload, Parser::new));
    at_least("prose, whole: × the speed of memchr for `<`", 0.8, memchr_over_parse(&workload));
}

fn questions() {
    let workload = workloads::questions();
    at_most("questions, 4 bytes of text: × push_str", 4.0, parse_over_push_str(&workload, Parser::new));
    at_least("questions, whole: × the speed of memchr for `<`", 0.075, memchr_over_parse(&workload));
    at_most("questions, 4 bytes: × the same as text", 1.5, bytes_over_text(&workload));
}

fn tsx() {
    let workload = workloads::tsx();
    at_least("tsx, whole: × the speed of memchr restarted at each `<`", 2.0, restarted_memchr_over_parse(&workload));
}

fn arguments() -> Lengths {
    let workload = workloads::arguments(64 << 10);
    at_most("native arguments, 4 bytes of text: × push_str", 10.0, parse_over_push_str(&workload, Parser::arguments));
    lengths("native arguments", workloads::arguments, Parser::arguments)
}

fn form() -> Lengths {
    let new: NewParser = |policy| Parser::arguments_of("AskUserQuestion", policy).expect("a built-in tool");
    let workload = workloads::form(64 << 10);
    at_most("arguments of a form, 4 bytes of text: × push_str", 10.0, parse_over_push_str(&workload, new));
    lengths("arguments of a form", workloads::form, new)
}

fn parse_over_push_str(workload: &Workload, new: NewParser) -> f64 {
    let stream = Stream::new(workload, SHORT);
    let (mut parser, mut text) = (new(workload.policy()), String::with_capacity(workload.message.len()));
    let [parse, push] =
        shortest(DURATION, [&mut || stream.parse(&mut parser), &mut || push_str(&mut text, black_box(&stream.text))]);
    ratio(parse, push)
}

fn memchr_over_parse(workload: &Workload) -> f64 {
    let count = |message: &[u8]| memchr_iter(b'<', message).count();
    search_over_parse(workload, count)
}

fn restarted_memchr_over_parse(workload: &Workload) -> f64 {
    let count = |message: &[u8]| {
        let (mut rest, mut count) = (message, 0);
        while let Some(index) = memchr(b'<', rest) {
            rest = &rest[index + 1..];
            count += 1;
        }
        count
    };
    search_over_parse(workload, count)
}

/// Returns the time of a search divided by the time to parse the message as one chunk.
fn search_over_parse(workload: &Workload, count: impl Fn(&[u8]) -> usize) -> f64 {
    let stream = Stream::new(workload, usize::MAX);
    let mut parser = Parser::new(workload.policy());
    let brackets = workload.message.matches('<').count();
    let [parse, search] = shortest(
        DURATION,
        [&mut || stream.parse(&mut parser), &mut || {
            assert_eq!(count(black_box(workload.message.as_bytes())), brackets);
        }],
    );
    ratio(search, parse)
}

fn bytes_over_text(workload: &Workload) -> f64 {
    let stream = Stream::new(workload, SHORT);
    let [mut one, mut other] = [0, 1].map(|_| Parser::new(workload.policy()));
    let [text, bytes] = shortest(DURATION, [&mut || stream.parse(&mut one), &mut || stream.parse_bytes(&mut other)]);
    ratio(bytes, text)
}

/// Nanoseconds for a short chunk, in calls of each length.
struct Lengths {
    name: &'static str,
    parse: [f64; LENGTHS.len()],
    push_str: [f64; LENGTHS.len()],
}

fn lengths(name: &'static str, workload: fn(usize) -> Workload, new: NewParser) -> Lengths {
    let workloads = LENGTHS.map(workload);
    let streams = workloads.each_ref().map(|workload| Stream::new(workload, SHORT));
    let parse = ns_per_chunk(&streams, |stream| {
        let mut parser = new(stream.workload.policy());
        move || stream.parse(&mut parser)
    });
    let push_str = ns_per_chunk(&streams, |stream| {
        let mut text = String::with_capacity(stream.workload.message.len());
        move || push_str(&mut text, black_box(&stream.text))
    });
    let (max, min) = (parse.into_iter().fold(0.0, f64::max), parse.into_iter().fold(f64::MAX, f64::min));
    at_most(&format!("{name}, 4 bytes of text, 2 KiB to 1 MiB: slowest / fastest"), 1.2, max / min);
    Lengths { name, parse, push_str }
}

/// Returns the nanoseconds for a chunk of each stream.
///
/// A short stream is repeated, so that all take the same time, and each finds the caches in its own
/// state.
fn ns_per_chunk<'s, Task: FnMut()>(
    streams: &'s [Stream<'s>; LENGTHS.len()],
    task: impl Fn(&'s Stream<'s>) -> Task,
) -> [f64; LENGTHS.len()] {
    let repeats = |stream: &Stream<'_>| LENGTHS[LENGTHS.len() - 1].div_ceil(stream.workload.message.len());
    let mut tasks = streams.each_ref().map(|stream| {
        let (mut task, repeats) = (task(stream), repeats(stream));
        move || (0..repeats).for_each(|_| task())
    });
    let shortest = shortest(3 * DURATION, tasks.each_mut().map(|task| task as &mut dyn FnMut()));
    let mut chunks = streams.iter().map(|stream| repeats(stream) * stream.text.len());
    shortest.map(|time| ns_each(time, chunks.next().expect("one for each stream")))
}

fn print_lengths(lengths: &[Lengths]) {
    println!(
        "\n{:<42}{}",
        "ns for 4 bytes, in a question of",
        LENGTHS.map(|len| format!("{:>6} KiB", len >> 10)).concat()
    );
    for Lengths { name, parse, push_str } in lengths {
        println!("{name:<42}{}", parse.map(|ns| format!("{ns:>10.2}")).concat());
        println!("{:<42}{}", "  appended to a string", push_str.map(|ns| format!("{ns:>10.2}")).concat());
    }
}
