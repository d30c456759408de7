//! Sends a body in pieces, works on pieces, or shows the events of a conversation.

use std::io::{self, Read, Write};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, process, thread};

use followup_workers::{END, Piece, Queue, Worker};

const USAGE: &str = "usage: workers send|events REDIS-URL CONVERSATION, or workers work REDIS-URL [PATIENCE-MS]";

/// After how many milliseconds a worker takes over what another one has not finished.
const PATIENCE: u64 = 10_000;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<ExitCode, Error> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["send", url, conversation] => send(url, conversation)?,
        ["events", url, conversation] => events(url, conversation)?,
        ["work", url] => work(url, PATIENCE),
        ["work", url, patience] => work(url, patience.parse()?),
        _ => {
            eprintln!("{USAGE}");
            return Ok(ExitCode::from(2));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Sends what it reads from standard input, as it arrives.
fn send(url: &str, conversation: &str) -> Result<(), Error> {
    let (mut queue, mut buffer, mut offset) = (Queue::connect(url)?, [0; 4096], 0);
    loop {
        let length = io::stdin().read(&mut buffer)?;
        let bytes = buffer[..length].to_vec();
        let piece = Piece { conversation: conversation.to_owned(), offset, is_last: length == 0, bytes };
        queue.send(&piece)?;
        offset = piece.end();
        if piece.is_last {
            return Ok(());
        }
    }
}

/// Writes the events of a conversation until its end.
fn events(url: &str, conversation: &str) -> Result<(), Error> {
    let (mut queue, mut last, mut out) = (Queue::connect(url)?, "0".to_owned(), io::stdout().lock());
    loop {
        for (id, event) in queue.events(conversation, &last)? {
            writeln!(out, "{event}")?;
            last = id;
            if event == END {
                return Ok(());
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// Works for ever. Connects again if the connection breaks.
fn work(url: &str, patience: u64) -> ! {
    let name = format!("{}-{}", env::var("HOSTNAME").unwrap_or_default(), process::id());
    loop {
        let result = Queue::connect(url)
            .map_err(Error::from)
            .and_then(|queue| Worker::new(queue, name.clone(), patience).work());
        if let Err(error) = result {
            eprintln!("{error}");
        }
        thread::sleep(Duration::from_secs(1));
    }
}
