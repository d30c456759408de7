//! What reading is to cost beside the least that could be done with the same bytes: each goal and what was measured.
//!
//! `cargo bench --bench goals`. It is a measurement, not a test: a goal that is missed is shown as that.

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{LENGTHS, New, Stream, live, ns_each, push_str, ratio, shortest};
use followup::Parser;
use followup_testing::workloads::{self, Workload};
use memchr::{memchr, memchr_iter};

/// How long each goal is measured.
const LONG: Duration = Duration::from_millis(1500);

/// What a short chunk is.
const SHORT: usize = 4;

fn main() {
    println!("{:<62} {:>8} {:>9}", "goal", "limit", "measured");
    prose();
    questions();
    tsx();
    let lengths = [lengths("question", workloads::question, Parser::new), arguments()];
    let visits = live::measure(&mut live::parsers(), 3 * LONG);
    at_most("a million live parsers, a chunk each: × one cache line each", 2.5, ratio(visits.parsers, visits.lines));
    show(&lengths);
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
    at_most("prose, 4 bytes of text: × push_str", 2.0, beside_push_str(&workload, Parser::new));
    at_least("prose, whole: × the speed of memchr for `<`", 0.8, beside_memchr(&workload));
}

fn questions() {
    let workload = workloads::questions();
    at_most("questions, 4 bytes of text: × push_str", 4.0, beside_push_str(&workload, Parser::new));
    at_least("questions, whole: × the speed of memchr for `<`", 0.075, beside_memchr(&workload));
    at_most("questions, 4 bytes: × the same as text", 1.5, bytes_beside_text(&workload));
}

fn tsx() {
    let workload = workloads::tsx();
    at_least("tsx, whole: × the speed of memchr begun anew at each `<`", 2.0, beside_restarts(&workload));
}

fn arguments() -> Lengths {
    let workload = workloads::arguments(64 << 10);
    at_most("native arguments, 4 bytes of text: × push_str", 10.0, beside_push_str(&workload, Parser::arguments));
    lengths("native arguments", workloads::arguments, Parser::arguments)
}

fn beside_push_str(workload: &Workload, new: New) -> f64 {
    let stream = Stream::new(workload, SHORT);
    let (mut parser, mut text) = (new(workload.policy()), String::with_capacity(workload.message.len()));
    let [parse, push] =
        shortest(LONG, [&mut || stream.read(&mut parser), &mut || push_str(&mut text, black_box(&stream.text))]);
    ratio(parse, push)
}

fn beside_memchr(workload: &Workload) -> f64 {
    let count = |message: &[u8]| memchr_iter(b'<', message).count();
    beside_search(workload, count)
}

fn beside_restarts(workload: &Workload) -> f64 {
    let count = |message: &[u8]| {
        let (mut rest, mut count) = (message, 0);
        while let Some(at) = memchr(b'<', rest) {
            rest = &rest[at + 1..];
            count += 1;
        }
        count
    };
    beside_search(workload, count)
}

/// How fast the message is read whole, beside a search.
fn beside_search(workload: &Workload, count: impl Fn(&[u8]) -> usize) -> f64 {
    let stream = Stream::new(workload, usize::MAX);
    let mut parser = Parser::new(workload.policy());
    let brackets = workload.message.matches('<').count();
    let [parse, search] = shortest(
        LONG,
        [&mut || stream.read(&mut parser), &mut || {
            assert_eq!(count(black_box(workload.message.as_bytes())), brackets);
        }],
    );
    ratio(search, parse)
}

fn bytes_beside_text(workload: &Workload) -> f64 {
    let stream = Stream::new(workload, SHORT);
    let (mut one, mut other) = (Parser::new(workload.policy()), Parser::new(workload.policy()));
    let [text, bytes] = shortest(LONG, [&mut || stream.read(&mut one), &mut || stream.read_bytes(&mut other)]);
    ratio(bytes, text)
}

/// Nanoseconds for a short chunk in questions of each length.
struct Lengths {
    name: &'static str,
    parse: [f64; LENGTHS.len()],
    push_str: [f64; LENGTHS.len()],
}

fn lengths(name: &'static str, workload: fn(usize) -> Workload, new: New) -> Lengths {
    let workloads = LENGTHS.map(workload);
    let streams = workloads.each_ref().map(|workload| Stream::new(workload, SHORT));
    let parse = each(&streams, |stream| {
        let mut parser = new(stream.workload.policy());
        move || stream.read(&mut parser)
    });
    let push_str = each(&streams, |stream| {
        let mut text = String::with_capacity(stream.workload.message.len());
        move || push_str(&mut text, black_box(&stream.text))
    });
    let (most, least) = (parse.into_iter().fold(0.0, f64::max), parse.into_iter().fold(f64::MAX, f64::min));
    at_most(&format!("{name}, 4 bytes of text, 2 KiB to 1 MiB: most / least"), 1.2, most / least);
    Lengths { name, parse, push_str }
}

/// Nanoseconds for a chunk of each stream. A short stream is read again and again, so that all take as long, and none finds
/// the cache as another has left it.
fn each<'s, Act: FnMut()>(
    streams: &'s [Stream<'s>; LENGTHS.len()],
    act: impl Fn(&'s Stream<'s>) -> Act,
) -> [f64; LENGTHS.len()] {
    let times = |stream: &Stream<'_>| LENGTHS[LENGTHS.len() - 1].div_ceil(stream.workload.message.len());
    let mut acts = streams.each_ref().map(|stream| {
        let (mut act, times) = (act(stream), times(stream));
        move || (0..times).for_each(|_| act())
    });
    let shortest = shortest(3 * LONG, acts.each_mut().map(|act| act as &mut dyn FnMut()));
    let mut chunks = streams.iter().map(|stream| times(stream) * stream.text.len());
    shortest.map(|time| ns_each(time, chunks.next().expect("one for each")))
}

fn show(lengths: &[Lengths]) {
    println!(
        "\n{:<42}{}",
        "ns for 4 bytes, in a question of",
        LENGTHS.map(|len| format!("{:>6} KiB", len >> 10)).concat()
    );
    for Lengths { name, parse, push_str } in lengths {
        println!("{name:<42}{}", parse.map(|ns| format!("{ns:>10.2}")).concat());
        println!("{:<42}{}", "  appended to a text", push_str.map(|ns| format!("{ns:>10.2}")).concat());
    }
}
