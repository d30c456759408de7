//! The questions on a terminal of their own: the message grows on it, and the person answers while the rest still comes.
//!
//! Keys and pictures go through the terminal itself, so that standard input may be the message and standard output the reply.
//!
//! [`App`] is what the screen shows and what keys do, without a terminal or a clock; [`view`] draws it; [`tty`] is the terminal. Here is what
//! runs between them: one thread reads the message, one the keys, and what they read is taken in turn.

mod app;
mod asking;
mod call;
mod countdown;
mod document;
mod editor;
mod markdown;
mod part;
mod plain;
mod record;
mod scroll;
mod theme;
mod tty;
mod view;
mod wrap;

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use followup::Policy;
use followup::dialogue::Setup;

use self::app::{App, Quit};
use self::theme::Theme;
use self::tty::Tty;
use super::images::{self, Attached};
use super::replies::Replies;
use crate::args::Ask;
use crate::chunks::Chunks;
use crate::error::{Error, Status};
use crate::parse::colour;
use crate::stream::{Body, Happened, Input, say_found};

/// What comes from outside.
enum Message {
    Chunk(Vec<u8>),
    /// There is no more to read; or it can't be read.
    End(io::Result<()>),
    Terminal(Event),
    /// The terminal can't be read.
    Gone(io::Error),
    /// The program is to end, because of that signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are none"))]
    Signal(i32),
}

/// So many messages may wait. What reads them then waits too.
const WAITING: usize = 64;

/// A screen is not drawn more often than that while there is more to read.
const FRAME: Duration = Duration::from_millis(16);

/// Asks on the terminal. `None` if there is none on which that can be done.
pub(super) fn terminal() -> Option<std::fs::File> {
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") { None } else { tty::open() }
}

pub(super) fn run(
    tty: std::fs::File,
    input: Input,
    policy: Arc<Policy>,
    setup: Setup,
    images: Vec<Attached>,
    args: &Ask,
) -> Result<Status, Error> {
    let theme = Theme::new(colour(args.no_color));
    let app = App::new(setup, images, images::load_typed, args.auto_answer.map(u64::from), theme);
    let (to, from) = sync_channel(WAITING);
    let name = input.name.clone();
    let chunks = input.chunks(&args.stream);
    let screen = Tty::enter(tty).map_err(unusable)?;
    // Not before the terminal is ours: keys typed earlier are the shell's.
    spawn_threads(chunks, &to);
    let mut running = Running {
        app,
        body: Body::new(args.stream.wire, policy),
        replies: Replies::beside_a_screen(args.format),
        found: None,
        unread: None,
        signal: None,
        begun: Instant::now(),
    };
    let ended = running.until_done(screen, &from);
    running.conclude(ended, &name)
}

fn unusable(error: io::Error) -> Error {
    Error::Usage(format!("can't use the terminal: {error}; --lines asks line by line"))
}

fn spawn_threads(chunks: Chunks<Box<dyn Read + Send>>, to: &SyncSender<Message>) {
    let message = to.clone();
    thread::spawn(move || read(chunks, &message));
    let keys = to.clone();
    thread::spawn(move || {
        loop {
            let message = event::read().map_or_else(Message::Gone, Message::Terminal);
            let is_gone = matches!(message, Message::Gone(_));
            if keys.send(message).is_err() || is_gone {
                return;
            }
        }
    });
    #[cfg(unix)]
    spawn_signals(to.clone());
}

/// A killed program leaves a terminal that works.
#[cfg(unix)]
fn spawn_signals(to: SyncSender<Message>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    // Without them it just ends as it always would.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if to.send(Message::Signal(signal)).is_err() {
                return;
            }
        }
    });
}

fn read(mut chunks: Chunks<Box<dyn Read + Send>>, to: &SyncSender<Message>) {
    loop {
        let message = match chunks.next() {
            Ok(Some(chunk)) => Message::Chunk(chunk.to_vec()),
            Ok(None) => Message::End(Ok(())),
            Err(error) => Message::End(Err(error)),
        };
        let is_end = matches!(message, Message::End(_));
        if to.send(message).is_err() || is_end {
            return;
        }
    }
}

struct Running {
    app: App,
    body: Body,
    replies: Replies,
    /// What the input was found to be.
    found: Option<followup::wire::Wire>,
    /// Why the input could not be read to its end.
    unread: Option<io::Error>,
    signal: Option<i32>,
    begun: Instant,
}

impl Running {
    fn until_done(&mut self, mut screen: Tty, from: &Receiver<Message>) -> Result<(), Error> {
        while !self.app.is_done() && self.signal.is_none() {
            let now = self.begun.elapsed();
            screen.draw(&mut self.app, now).map_err(unusable)?;
            let next = self.app.countdown.next(now);
            self.take(&mut screen, from, next)?;
            self.app.tick(self.begun.elapsed());
            for reply in self.app.replies.drain(..) {
                self.replies.send(&reply)?;
            }
        }
        let record = record::ansi(&self.app.document.record(screen.width()));
        screen.leave(&record).map_err(unusable)
    }

    /// Takes what has come, and what comes until the next frame. Waits until then, if nothing has.
    fn take(&mut self, screen: &mut Tty, from: &Receiver<Message>, most: Option<Duration>) -> Result<(), Error> {
        let first = match most {
            Some(most) => from.recv_timeout(most),
            None => from.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let frame = Instant::now();
        let mut next = first.ok();
        while let Some(message) = next {
            self.message(screen, message)?;
            // What the next key does depends on what is seen by then.
            if self.app.is_done() || frame.elapsed() > FRAME {
                return Ok(());
            }
            next = from.try_recv().ok();
        }
        Ok(())
    }

    fn message(&mut self, screen: &mut Tty, message: Message) -> Result<(), Error> {
        match message {
            Message::Chunk(chunk) => self.chunk(Some(&chunk)),
            Message::End(read) => {
                self.unread = read.err();
                self.chunk(None)
            }
            Message::Terminal(event) => self.terminal(screen, event).map_err(unusable),
            Message::Gone(error) => Err(Error::Unreadable(format!("can't read the terminal: {error}"))),
            Message::Signal(signal) => {
                self.signal = Some(signal);
                Ok(())
            }
        }
    }

    fn chunk(&mut self, chunk: Option<&[u8]>) -> Result<(), Error> {
        let (app, found) = (&mut self.app, &mut self.found);
        self.body.take(chunk, &mut |happened, _| {
            if let Happened::Found(wire) = happened {
                *found = Some(wire);
            }
            app.happened(happened);
            Ok(())
        })
    }

    fn terminal(&mut self, screen: &mut Tty, event: Event) -> io::Result<()> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) if key.code == KeyCode::Char('l') && key.modifiers.contains(KeyModifiers::CONTROL) => {
                screen.clear()?;
            }
            Event::Key(key) => self.app.key(key),
            Event::Mouse(mouse) => self.app.mouse(mouse),
            Event::Paste(text) => self.app.paste(&text),
            // The next frame has the size of the terminal anyway.
            Event::Resize(..) | Event::FocusGained | Event::FocusLost => {}
        }
        Ok(())
    }

    /// The screen is gone. What could not be said on it is said now.
    fn conclude(mut self, ended: Result<(), Error>, name: &str) -> Result<Status, Error> {
        if let Some(wire) = self.found {
            say_found(wire);
        }
        self.replies.flush()?;
        ended?;
        match (self.signal, self.app.quit, self.unread) {
            (Some(signal), _, _) => Ok(Status::Signal(signal)),
            (None, Quit::Yes, _) => Ok(Status::Signal(INTERRUPT)),
            (None, _, Some(error)) => Err(Error::reading(Path::new(name), &error)),
            (None, _, None) if self.app.wrong => Ok(Status::Wrong),
            (None, _, None) => Ok(Status::Well),
        }
    }
}

/// What Ctrl-C means.
const INTERRUPT: i32 = 2;
