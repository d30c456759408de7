//! A full screen that shows the growing message, and asks its questions meanwhile.
//!
//! Keys and drawing go through the terminal itself, so that standard input may be the message and
//! standard output the reply.
//!
//! [`App`] is the state of the screen, without a terminal or a clock; [`view`] draws it; [`tty`] is
//! the terminal. This file is the event loop: one thread reads the message and one the keys, and
//! the loop handles what they send.

mod answering;
mod app;
mod call_view;
mod countdown;
mod cut_line;
mod document;
mod drawn;
mod editor;
mod footer;
mod growing_part;
mod jobs;
mod markdown;
mod opaque_view;
mod open_question;
mod option_view;
mod part;
mod plain_text;
mod question_keys;
mod question_part;
mod question_view;
mod review;
mod scroll;
mod spot;
mod step;
mod steps_bar;
mod taking;
mod theme;
mod transcript;
mod tty;
mod view;
mod wrap;

#[cfg(test)]
mod tests;

use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use followup::Policy;
use followup::dialogue::Setup;
use followup::wire;

use self::app::{App, Quit};
use self::theme::Theme;
use self::tty::Tty;
use super::UNSENT_IMAGES;
use super::images::{self, AttachedImage};
#[cfg(unix)]
use super::interrupt;
use super::notice::NoQuestionNotice;
use super::replies::Replies;
use crate::args::ask::{AskArgs, ReplyFormat};
use crate::chunks::Chunks;
use crate::error::{Error, Status, report};
use crate::events::{BodyReader, InputEvent, report_detected};
use crate::input::Input;
use crate::output::colour;
use crate::plain_words::io_error;
use crate::terminal;

/// A message to the event loop.
enum Message {
    Chunk(Vec<u8>),
    /// The end of the input, or the error that ended it.
    End(io::Result<()>),
    Terminal(Event),
    /// The terminal can't be read.
    TerminalGone(io::Error),
    /// The program continues after it was stopped.
    #[cfg_attr(not(unix), expect(dead_code, reason = "programs can't be stopped on Windows"))]
    Continued,
    /// One of the [`Flags`] was set.
    FlagSet,
}

/// What the event loop must notice even if the queue is full.
#[derive(Debug, Default)]
struct Flags {
    /// The signal that ends the program, if one came.
    signal: AtomicI32,
    /// A signal to suspend the program came.
    suspend: AtomicBool,
    /// The replies can't be written.
    replies_failed: AtomicBool,
}

impl Flags {
    /// Returns whether the event loop has to end.
    fn ends_loop(&self) -> bool {
        self.signal.load(Ordering::Relaxed) != 0 || self.replies_failed.load(Ordering::Relaxed)
    }

    /// Returns the signal that ends the program.
    fn signal(&self) -> Option<i32> {
        Some(self.signal.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }
}

/// The length of the message queue. A full queue blocks its senders.
const QUEUE_LEN: usize = 64;

/// The shortest time between two frames while messages keep arriving.
const FRAME_INTERVAL: Duration = Duration::from_millis(16);

/// Opens the terminal; `None` if there is none that can show a screen.
pub(super) fn terminal() -> Option<terminal::Device> {
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") { None } else { terminal::output() }
}

/// Asks the questions of the input on the terminal.
pub(super) fn run(
    tty: terminal::Device,
    input: Input,
    policy: Arc<Policy>,
    setup: Setup,
    images: Vec<AttachedImage>,
    args: &AskArgs,
) -> Result<Status, Error> {
    let theme = Theme::new(colour(args.no_color));
    let mut app = App::new(setup, images, images::FILES, args.auto_answer.map(u64::from), theme);
    app.sends_images = args.format != ReplyFormat::Text;
    let (sender, receiver) = sync_channel(QUEUE_LEN);
    let name = input.name.clone();
    let chunks = input.chunks(&args.input);
    #[cfg(unix)]
    let rescue = tty.try_clone().map_err(unusable)?;
    let screen = Tty::enter(tty).map_err(unusable)?;
    // Only now: keys typed before the terminal is taken over belong to the shell.
    spawn_readers(chunks, &sender);
    let flags = Arc::new(Flags::default());
    let (failed, flags_of_replies) = (sender.clone(), Arc::clone(&flags));
    let replies = Arc::new(Mutex::new(Replies::beside_screen(args.format, move || {
        flags_of_replies.replies_failed.store(true, Ordering::Relaxed);
        let _ = failed.try_send(Message::FlagSet);
    })));
    #[cfg(unix)]
    spawn_signal_handler(sender.clone(), Arc::clone(&flags), Arc::clone(&replies), rescue);
    let mut event_loop = EventLoop {
        app,
        body: BodyReader::new(args.input.wire, policy, args.policy.wire_limits()).with_reasoning(args.input.reasoning),
        replies,
        detected: None,
        read_error: None,
        flags,
        notice: NoQuestionNotice::default(),
        start: Instant::now(),
    };
    let result = event_loop.run(screen, &receiver);
    event_loop.conclude(result, &name, args)
}

fn unusable(error: io::Error) -> Error {
    Error::Usage(format!("can't use the terminal: {}; --lines asks line by line", io_error(&error)))
}

/// Spawns the threads that read the input and the keys.
fn spawn_readers(chunks: Chunks<Box<dyn Read + Send>>, sender: &SyncSender<Message>) {
    let chunk_sender = sender.clone();
    thread::spawn(move || read(chunks, &chunk_sender));
    let key_sender = sender.clone();
    thread::spawn(move || {
        loop {
            let message = event::read().map_or_else(Message::TerminalGone, Message::Terminal);
            let is_gone = matches!(message, Message::TerminalGone(_));
            if key_sender.send(message).is_err() || is_gone {
                return;
            }
        }
    });
}

/// Spawns the thread that handles signals.
///
/// A killed program restores the terminal even if the event loop hangs: `rescue` is that terminal.
/// It also writes its replies, unless standard output is the terminal.
#[cfg(unix)]
fn spawn_signal_handler(
    sender: SyncSender<Message>,
    flags: Arc<Flags>,
    replies: Arc<Mutex<Replies>>,
    mut rescue: terminal::Device,
) {
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
    // Without a handler, signals end the program as usual.
    let all = [SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP];
    let Ok(mut signals) = signal_hook::iterator::Signals::new(all) else { return };
    thread::spawn(move || {
        for signal in signals.forever() {
            if signal == SIGCONT {
                let _ = sender.try_send(Message::Continued);
                continue;
            }
            if signal == SIGTSTP {
                flags.suspend.store(true, Ordering::Relaxed);
                let _ = sender.try_send(Message::FlagSet);
                continue;
            }
            flags.signal.store(signal, Ordering::Relaxed);
            let _ = sender.try_send(Message::FlagSet);
            // The event loop may be slow, or blocked. What it has written by then is not written
            // again.
            thread::sleep(SHUTDOWN_TIMEOUT / 2);
            interrupt::write_turn(&replies);
            thread::sleep(SHUTDOWN_TIMEOUT / 2);
            // The event loop should have ended the program by now: it must be blocked.
            let _ = tty::restore(&mut rescue);
            std::process::exit(128 + signal);
        }
    });
}

/// How long ending the program after a signal may take.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

fn read(mut chunks: Chunks<Box<dyn Read + Send>>, sender: &SyncSender<Message>) {
    loop {
        let message = match chunks.next() {
            Ok(Some(chunk)) => Message::Chunk(chunk.to_vec()),
            Ok(None) => Message::End(Ok(())),
            Err(error) => Message::End(Err(error)),
        };
        let is_end = matches!(message, Message::End(_));
        if sender.send(message).is_err() || is_end {
            return;
        }
    }
}

/// The state of the event loop.
struct EventLoop {
    app: App,
    body: BodyReader,
    /// Also written by the handler of signals.
    replies: Arc<Mutex<Replies>>,
    /// The detected format of the input.
    detected: Option<wire::Format>,
    /// The error that ended the input early.
    read_error: Option<io::Error>,
    flags: Arc<Flags>,
    notice: NoQuestionNotice,
    start: Instant,
}

impl EventLoop {
    fn run(&mut self, mut screen: Tty, receiver: &Receiver<Message>) -> Result<(), Error> {
        while !self.app.is_done() && !self.flags.ends_loop() {
            let now = self.start.elapsed();
            if screen.draw(&mut self.app, now).is_err() {
                self.hang_up();
                return Ok(());
            }
            let timeout = self.app.next_tick(now);
            self.receive(&mut screen, receiver, timeout)?;
            if self.flags.suspend.swap(false, Ordering::Relaxed) {
                self.unless_gone(|event_loop| event_loop.suspend(&mut screen))?;
            }
            self.app.tick(self.start.elapsed());
            self.send_replies()?;
        }
        self.app.abandon();
        if self.flags.signal().is_some() {
            // Laying out a long transcript may take longer than the program has.
            self.replies().write_turn()?;
        }
        let transcript = transcript::ansi(&self.app.document.transcript(screen.width()));
        if screen.leave(&transcript).is_err() {
            self.hang_up();
        }
        Ok(())
    }

    fn replies(&self) -> MutexGuard<'_, Replies> {
        // Nothing panics under the lock, so poison carries no meaning.
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send_replies(&mut self) -> Result<(), Error> {
        while let Some(reply) = self.app.next_reply() {
            self.replies().send(reply)?;
        }
        Ok(())
    }

    /// Ends the loop, because the terminal is gone.
    fn hang_up(&mut self) {
        let _ = self.flags.signal.compare_exchange(0, SIGHUP, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Handles messages until the next frame is due. Waits for the first one for at most `timeout`.
    fn receive(
        &mut self,
        screen: &mut Tty,
        receiver: &Receiver<Message>,
        timeout: Option<Duration>,
    ) -> Result<(), Error> {
        let timeout = timeout.unwrap_or(TERMINAL_CHECK_INTERVAL).min(TERMINAL_CHECK_INTERVAL);
        let first = receiver.recv_timeout(timeout);
        // Reading from a terminal that is gone does not always fail.
        if first.is_err() && terminal::output().is_none() {
            self.hang_up();
        }
        let frame = Instant::now();
        let mut next = first.ok();
        while let Some(message) = next {
            self.message(screen, message)?;
            // A frame is due: the effect of the next key depends on what is visible by then.
            if self.app.is_done() || self.flags.ends_loop() || frame.elapsed() > FRAME_INTERVAL {
                return Ok(());
            }
            next = receiver.try_recv().ok();
        }
        Ok(())
    }

    fn message(&mut self, screen: &mut Tty, message: Message) -> Result<(), Error> {
        match message {
            Message::Chunk(chunk) => self.chunk(Some(&chunk)),
            Message::End(result) => {
                self.read_error = result.err();
                self.chunk(None)
            }
            Message::Terminal(event) => self.unless_gone(|event_loop| event_loop.terminal_event(screen, event)),
            Message::TerminalGone(error) => self.unless_gone(|_| Err(error)),
            Message::Continued => self.unless_gone(|event_loop| event_loop.continued(screen)),
            Message::FlagSet => Ok(()),
        }
    }

    /// Restores the terminal, and stops until a shell continues the program.
    fn suspend(&mut self, screen: &mut Tty) -> io::Result<()> {
        if !jobs::can_be_continued() {
            return Ok(());
        }
        screen.restore()?;
        jobs::stop();
        self.continued(screen)
    }

    fn continued(&mut self, screen: &mut Tty) -> io::Result<()> {
        self.app.on_input();
        screen.take_over()
    }

    /// Calls `action`, and hangs up if it fails because the terminal is gone.
    fn unless_gone(&mut self, action: impl FnOnce(&mut EventLoop) -> io::Result<()>) -> Result<(), Error> {
        match action(self) {
            Err(_) if terminal::output().is_none() => self.hang_up(),
            result => return result.map_err(unusable),
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: Option<&[u8]>) -> Result<(), Error> {
        let EventLoop { app, detected, body, notice, .. } = self;
        body.feed(chunk, &mut |event, _| {
            notice.observe(&event);
            if let InputEvent::Detected(format) = event {
                *detected = Some(format);
            }
            app.input_event(event);
            Ok(())
        })
    }

    fn terminal_event(&mut self, screen: &mut Tty, event: Event) -> io::Result<()> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => {}
            Event::Key(key) if is_control(key, 'z') => {
                self.app.on_input();
                if jobs::can_be_continued() {
                    jobs::suspend();
                } else {
                    self.app.notice = Some("There is no shell that could continue the program.".into());
                }
            }
            Event::Key(key) => {
                if is_control(key, 'l') {
                    screen.clear()?;
                }
                self.app.key(key, self.start.elapsed());
            }
            Event::Mouse(mouse) => self.app.mouse(mouse),
            Event::Paste(text) => self.app.paste(&text),
            // Every frame checks the size of the terminal.
            Event::Resize(..) | Event::FocusGained | Event::FocusLost => {}
        }
        Ok(())
    }

    /// Reports what could not be reported on the screen, after it was left.
    fn conclude(self, result: Result<(), Error>, name: &str, args: &AskArgs) -> Result<Status, Error> {
        if let Some(format) = self.detected {
            report_detected(format);
        }
        // The handler of signals has no more to write.
        let replies = std::mem::replace(&mut *self.replies(), Replies::to_stdout(args.format));
        let interrupt = Some(SIGINT).filter(|_| self.app.quit == Quit::Yes);
        if let Some(signal) = self.flags.signal().or(interrupt) {
            replies.abandon(SHUTDOWN_TIMEOUT / 2);
            if interrupt.is_some() && !self.app.has_ended {
                jobs::interrupt();
            }
            return Ok(Status::Signal(signal));
        }
        replies.finish()?;
        result?;
        if let Some(error) = self.read_error {
            return Err(Error::reading(Path::new(name), &error));
        }
        self.notice.report(args.input.wire);
        if self.app.has_unsent_images() {
            report(UNSENT_IMAGES);
        }
        Ok(if self.app.has_failed { Status::Failure } else { Status::Success })
    }
}

fn is_control(key: KeyEvent, char: char) -> bool {
    key.code == KeyCode::Char(char) && key.modifiers.contains(KeyModifiers::CONTROL)
}

/// The signal that Ctrl-C sends.
const SIGINT: i32 = 2;

/// The signal for a terminal that is gone.
const SIGHUP: i32 = 1;

/// How often to check whether the terminal is gone, while no message arrives.
const TERMINAL_CHECK_INTERVAL: Duration = Duration::from_secs(1);
