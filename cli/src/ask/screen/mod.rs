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
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use followup::Policy;
use followup::dialogue::Setup;

use self::app::{App, Quit};
use self::theme::Theme;
use self::tty::Tty;
use super::Noticed;
use super::images::{self, Attached};
use super::replies::Replies;
use crate::args::{Ask, Format};
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
    /// Nobody takes the replies.
    Unsent,
    /// The program is to end, because of that signal.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are none"))]
    Signal(i32),
    /// The program was stopped, and goes on.
    #[cfg_attr(not(unix), expect(dead_code, reason = "it can't be"))]
    Continued,
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
    let mut app = App::new(setup, images, images::load_typed, args.auto_answer.map(u64::from), theme);
    app.sends_images = args.format != Format::Text;
    let (to, from) = sync_channel(WAITING);
    let name = input.name.clone();
    let chunks = input.chunks(&args.stream);
    #[cfg(unix)]
    let rescue = tty.try_clone().map_err(unusable)?;
    let screen = Tty::enter(tty).map_err(unusable)?;
    // Not before the terminal is ours: keys typed earlier are the shell's.
    spawn_threads(chunks, &to);
    #[cfg(unix)]
    spawn_signals(to.clone(), rescue);
    let unsent = to.clone();
    let mut running = Running {
        app,
        body: Body::new(args.stream.wire, policy, args.reading.wire_limits()),
        replies: Replies::beside_a_screen(args.format, move || {
            let _ = unsent.send(Message::Unsent);
        }),
        found: None,
        unread: None,
        signal: None,
        is_unsent: false,
        noticed: Noticed::default(),
        begun: Instant::now(),
    };
    let ended = running.until_done(screen, &from);
    running.conclude(ended, &name, args)
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
}

/// A killed program leaves a terminal that works, even if it hangs: `rescue` is that terminal.
#[cfg(unix)]
fn spawn_signals(to: SyncSender<Message>, mut rescue: std::fs::File) {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM};
    // Without them it just ends as it always would.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGCONT, SIGHUP, SIGINT, SIGTERM]) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT {
                let _ = to.try_send(Message::Continued);
                continue;
            }
            let _ = to.try_send(Message::Signal(signal));
            thread::sleep(PATIENCE);
            // It should have ended by now: something that it waits for does not come.
            let _ = tty::give_back(&mut rescue);
            std::process::exit(128 + signal);
        }
    });
}

/// So long may the end take that a signal asks for.
const PATIENCE: Duration = Duration::from_secs(1);

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
    found: Option<followup::wire::Format>,
    /// Why the input could not be read to its end.
    unread: Option<io::Error>,
    signal: Option<i32>,
    /// Nobody takes the replies: there is no point in going on.
    is_unsent: bool,
    noticed: Noticed,
    begun: Instant,
}

impl Running {
    fn until_done(&mut self, mut screen: Tty, from: &Receiver<Message>) -> Result<(), Error> {
        while !self.app.is_done() && self.signal.is_none() && !self.is_unsent {
            let now = self.begun.elapsed();
            if screen.draw(&mut self.app, now).is_err() {
                self.hang_up();
                return Ok(());
            }
            let next = self.app.next(now);
            self.take(&mut screen, from, next)?;
            self.app.tick(self.begun.elapsed());
            self.send()?;
        }
        self.app.gone();
        let record = record::ansi(&self.app.document.record(screen.width()));
        if screen.leave(&record).is_err() {
            self.hang_up();
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), Error> {
        while let Some(reply) = self.app.next_reply() {
            self.replies.send(reply)?;
        }
        Ok(())
    }

    /// The terminal is gone.
    fn hang_up(&mut self) {
        self.signal.get_or_insert(HANG_UP);
    }

    /// Takes what has come, and what comes until the next frame. Waits until then, if nothing has.
    fn take(&mut self, screen: &mut Tty, from: &Receiver<Message>, most: Option<Duration>) -> Result<(), Error> {
        // A terminal that is gone does not always say so.
        let first = from.recv_timeout(most.unwrap_or(LOOK).min(LOOK));
        if first.is_err() && tty::open().is_none() {
            self.hang_up();
        }
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
            Message::Terminal(event) => self.unless_gone(|running| running.terminal(screen, event)),
            Message::Gone(error) => self.unless_gone(|_| Err(error)),
            Message::Unsent => {
                self.is_unsent = true;
                Ok(())
            }
            Message::Continued => self.unless_gone(|_| screen.take_over()),
            Message::Signal(signal) => {
                self.signal = Some(signal);
                Ok(())
            }
        }
    }

    /// Does something with the terminal, which may be gone.
    fn unless_gone(&mut self, act: impl FnOnce(&mut Running) -> io::Result<()>) -> Result<(), Error> {
        match act(self) {
            Err(_) if tty::open().is_none() => self.hang_up(),
            result => return result.map_err(unusable),
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: Option<&[u8]>) -> Result<(), Error> {
        let Running { app, found, body, noticed, .. } = self;
        body.take(chunk, &mut |happened, _| {
            noticed.happened(&happened);
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
            Event::Key(key) => {
                if key.code == KeyCode::Char('l') && key.modifiers.contains(KeyModifiers::CONTROL) {
                    screen.clear()?;
                }
                self.app.key(key, self.begun.elapsed());
            }
            Event::Mouse(mouse) => self.app.mouse(mouse),
            Event::Paste(text) => self.app.paste(&text),
            // The next frame has the size of the terminal anyway.
            Event::Resize(..) | Event::FocusGained | Event::FocusLost => {}
        }
        Ok(())
    }

    /// The screen is gone. What could not be said on it is said now.
    fn conclude(self, ended: Result<(), Error>, name: &str, args: &Ask) -> Result<Status, Error> {
        if let Some(wire) = self.found {
            say_found(wire);
        }
        let interrupt = Some(INTERRUPT).filter(|_| self.app.quit == Quit::Yes);
        if let Some(signal) = self.signal.or(interrupt) {
            self.replies.abandon(PATIENCE / 2);
            return Ok(Status::Signal(signal));
        }
        self.replies.finish()?;
        ended?;
        self.noticed.say(args);
        match self.unread {
            Some(error) => Err(Error::reading(Path::new(name), &error)),
            None if self.app.wrong => Ok(Status::Wrong),
            None => Ok(Status::Well),
        }
    }
}

/// What Ctrl-C means.
const INTERRUPT: i32 = 2;

/// What it means that the terminal is gone.
const HANG_UP: i32 = 1;

/// How often to look whether it is, while nothing happens.
const LOOK: Duration = Duration::from_secs(1);
