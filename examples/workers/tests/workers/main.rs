//! Workers that are killed at random, with a real Redis.
//!
//! `FOLLOWUP_WORKERS_SEED=N` repeats a run, which is printed when it fails.
#![cfg(unix)]

mod redis_server;

use std::collections::HashMap;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use followup::Policy;
use followup::wire::ResponseParser;
use followup_workers::{END, Piece, Queue, to_json};
use redis::Commands;
use rustix::process::{Pid, Signal, kill_process};

use crate::redis_server::RedisServer;

/// After how many milliseconds the workers take over what another one has not finished.
const PATIENCE: &str = "100";

const WORKERS: usize = 4;

/// A worker in a process of its own. It is killed when dropped.
struct Worker(Child);

impl Worker {
    fn start(url: &str) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_workers"));
        Worker(command.args(["work", url, PATIENCE]).stdin(Stdio::null()).spawn().unwrap())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns recorded bodies of providers, by their names.
fn bodies() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/wire/bodies");
    let mut bodies = Vec::new();
    for provider in ["openai-chat", "anthropic", "gemini"] {
        for entry in std::fs::read_dir(format!("{folder}/{provider}")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "sse") {
                let name = path.file_stem().unwrap().to_str().unwrap();
                bodies.push((format!("{provider}-{name}"), std::fs::read(&path).unwrap()));
            }
        }
    }
    bodies.sort();
    bodies
}

/// Cuts a body into random pieces, of which the last may be empty.
fn cut(conversation: &str, body: &[u8], random: &mut fastrand::Rng) -> Vec<Piece> {
    let (mut pieces, mut offset) = (Vec::new(), 0);
    while offset < body.len() {
        let end = (offset + random.usize(1..200)).min(body.len());
        let is_last = end == body.len() && random.bool();
        let (conversation, bytes) = (conversation.to_owned(), body[offset..end].to_vec());
        pieces.push(Piece { conversation, offset: offset as u64, is_last, bytes });
        offset = end;
    }
    if !pieces.last().is_some_and(|last| last.is_last) {
        let conversation = conversation.to_owned();
        pieces.push(Piece { conversation, offset: offset as u64, is_last: true, bytes: Vec::new() });
    }
    pieces
}

/// Returns the events of the pieces, parsed by one parser.
fn parsed_alone(pieces: &[Piece]) -> Vec<String> {
    let (mut parser, mut events) = (ResponseParser::auto(Policy::new()), Vec::new());
    for piece in pieces {
        parser.feed(&piece.bytes).for_each(|event| events.push(to_json(event)));
    }
    parser.finish().for_each(|event| events.push(to_json(event)));
    events.push(END.to_owned());
    events
}

/// Waits until a conversation has ended. Returns its events.
fn events(queue: &mut Queue, conversation: &str) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let events: Vec<String> =
            queue.events(conversation, "0").unwrap().into_iter().map(|(_, event)| event).collect();
        if events.last().is_some_and(|last| last == END) {
            return events;
        }
        assert!(Instant::now() < deadline, "{conversation} has not ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends all pieces, and some of them twice, in any order.
///
/// Those of each conversation are in order. Disturbs the workers meanwhile.
fn send_all(queue: &mut Queue, url: &str, sent: &HashMap<String, Vec<Piece>>, random: &mut fastrand::Rng) -> [u32; 2] {
    let mut workers: Vec<Worker> = (0..WORKERS).map(|_| Worker::start(url)).collect();
    let mut left: Vec<(&[Piece], usize)> = sent.values().map(|pieces| (&**pieces, 0)).collect();
    left.sort_by_key(|(pieces, _)| &pieces[0].conversation);
    let ([mut killed, mut paused], mut stopped) = ([0, 0], None);
    while !left.is_empty() {
        let index = random.usize(..left.len());
        let (pieces, next) = &mut left[index];
        queue.send(&pieces[*next]).unwrap();
        if random.u8(..10) == 0 {
            queue.send(&pieces[random.usize(..=*next)]).unwrap();
        }
        *next += 1;
        if *next == pieces.len() {
            left.swap_remove(index);
        }
        let worker = random.usize(..WORKERS);
        match random.u8(..50) {
            // What it had got is left to the others.
            0 => {
                killed += 1;
                workers[worker] = Worker::start(url);
            }
            // It wakes up after the others have done its work.
            1 if stopped.is_none() => {
                paused += 1;
                workers[worker].signal(Signal::STOP);
                stopped = Some((worker, Instant::now() + Duration::from_millis(random.u64(..300))));
            }
            _ => {}
        }
        if let Some((worker, until)) = stopped
            && Instant::now() > until
        {
            workers[worker].signal(Signal::CONT);
            stopped = None;
        }
    }
    if let Some((worker, _)) = stopped {
        workers[worker].signal(Signal::CONT);
    }
    // The last ones are killed only when everything is done.
    let ids: Vec<&String> = sent.keys().collect();
    ids.iter().for_each(|id| drop(events(queue, id)));
    let mut redis = redis::Client::open(url).unwrap().get_connection().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while redis.xlen::<_, usize>("workers:pieces").unwrap() > 0 {
        assert!(Instant::now() < deadline, "pieces were never finished");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(redis.keys::<_, Vec<String>>("*:waiting").unwrap(), Vec::<String>::new());
    [killed, paused]
}

#[test]
fn the_events_are_those_of_one_parser_while_workers_are_killed_and_paused() {
    let Some(server) = RedisServer::start() else { return };
    let seed = std::env::var("FOLLOWUP_WORKERS_SEED").map_or_else(|_| fastrand::u64(..), |seed| seed.parse().unwrap());
    println!("FOLLOWUP_WORKERS_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let mut queue = Queue::connect(&server.url).unwrap();
    let sent: HashMap<String, Vec<Piece>> =
        bodies().into_iter().map(|(name, body)| (name.clone(), cut(&name, &body, &mut random))).collect();
    let [killed, paused] = send_all(&mut queue, &server.url, &sent, &mut random);
    let pieces: usize = sent.values().map(Vec::len).sum();
    println!("{} bodies, {pieces} pieces, {killed} workers killed, {paused} paused", sent.len());
    for (conversation, pieces) in &sent {
        assert_eq!(events(&mut queue, conversation), parsed_alone(pieces), "{conversation}");
    }
}

#[test]
fn a_piece_that_arrives_early_waits_for_its_turn() {
    let Some(server) = RedisServer::start() else { return };
    let mut queue = Queue::connect(&server.url).unwrap();
    let (name, body) = bodies().into_iter().find(|(name, _)| name == "openai-chat-one-call").unwrap();
    let mut pieces = cut(&name, &body, &mut fastrand::Rng::with_seed(1));
    let expected = parsed_alone(&pieces);
    assert!(pieces.len() > 3);
    pieces.reverse();
    pieces.iter().for_each(|piece| queue.send(piece).unwrap());
    let _worker = Worker::start(&server.url);
    assert_eq!(events(&mut queue, &name), expected);
}
