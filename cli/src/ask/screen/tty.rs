//! The terminal: taken over for the screen, and restored afterwards.

use std::io::{self, BufWriter, Write};
use std::mem::ManuallyDrop;
use std::time::Duration;

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::app::App;
use super::view;
use crate::terminal;

type Out = BufWriter<terminal::Device>;

/// The program's terminal, whatever standard input and output are. It is restored on drop.
#[derive(Debug)]
pub(super) struct Tty {
    /// Never dropped: on drop it would report a terminal that is gone, to that terminal.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Out>>>,
    area: Rect,
    is_restored: bool,
}

impl Tty {
    /// Takes over the terminal.
    pub(super) fn enter(tty: terminal::Device) -> io::Result<Tty> {
        // The message of a panic needs a working terminal.
        let hook = std::panic::take_hook();
        let panic_tty = tty.try_clone()?;
        std::panic::set_hook(Box::new(move |panic| {
            let _ = panic_tty.try_clone().and_then(|mut tty| restore(&mut tty));
            hook(panic);
        }));
        // The size is set here, because ratatui would fail on a terminal that reports none.
        let (backend, area) = (CrosstermBackend::new(BufWriter::new(tty)), size());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport: Viewport::Fixed(area) })?;
        // From here on, drop restores the terminal.
        let mut tty = Tty { terminal: ManuallyDrop::new(terminal), area, is_restored: false };
        tty.take_over()?;
        Ok(tty)
    }

    /// Takes over the terminal: at the start, and again after another program has used it.
    pub(super) fn take_over(&mut self) -> io::Result<()> {
        make_raw()?;
        execute!(self.out(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture)?;
        self.clear()
    }

    fn out(&mut self) -> &mut CrosstermBackend<Out> {
        self.terminal.backend_mut()
    }

    /// Draws a frame as one synchronized update.
    pub(super) fn draw(&mut self, app: &mut App, now: Duration) -> io::Result<()> {
        crossterm::queue!(self.out(), BeginSynchronizedUpdate)?;
        let area = size();
        if area != self.area {
            self.area = area;
            self.clear()?;
        }
        self.terminal.draw(|frame| {
            let (cursor, drawn) = view::draw(app, now, frame.area(), frame.buffer_mut());
            if let Some(cursor) = cursor {
                frame.set_cursor_position(cursor);
            }
            app.was_drawn(drawn, now);
        })?;
        execute!(self.out(), EndSynchronizedUpdate)
    }

    /// Makes the next frame draw everything, because something else has written on the terminal.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask for the cursor's position on standard output, where the reply
        // goes.
        self.terminal.resize(self.area)
    }

    /// Restores the terminal for another program, until the next [`take_over`](Tty::take_over).
    pub(super) fn restore(&mut self) -> io::Result<()> {
        restore(self.out())
    }

    /// Returns the number of columns.
    pub(super) fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    /// Restores the terminal, and prints the transcript on it.
    pub(super) fn leave(mut self, transcript: &str) -> io::Result<()> {
        self.is_restored = true;
        let out = self.out();
        restore(out)?;
        out.write_all(transcript.as_bytes())?;
        Write::flush(out)
    }
}

/// Lets the terminal pass on keys as they are typed.
fn make_raw() -> io::Result<()> {
    // Keeps the mode to restore, and does nothing if there is one.
    enable_raw_mode()?;
    // A shell may have changed the mode while the program was stopped. With the old mode in
    // between, the system would change a key that is typed at that moment: Enter into a line feed.
    #[cfg(unix)]
    if let Some(tty) = terminal::output() {
        use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
        let mut mode = tcgetattr(&tty)?;
        mode.make_raw();
        tcsetattr(&tty, OptionalActions::Now, &mode)?;
    }
    Ok(())
}

/// Returns the size of the terminal. Some terminals report none, or 0.
fn size() -> Rect {
    match crossterm::terminal::size() {
        Ok((columns @ 1.., rows @ 1..)) => Rect::new(0, 0, columns, rows),
        _ => Rect::new(0, 0, 80, 24),
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        if !self.is_restored {
            let _ = restore(self.out());
        }
    }
}

/// Restores the terminal.
pub(super) fn restore(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    disable_raw_mode()
}
