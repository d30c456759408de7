//! The terminal while the screen is on it, and afterwards as it was.

use std::fs::{File, OpenOptions};
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

type Out = BufWriter<File>;

/// The program's terminal, whatever its standard input and output are. It is given back when this is dropped.
#[derive(Debug)]
pub(super) struct Tty {
    /// Never dropped: it would complain about a terminal that is gone, to that terminal.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Out>>>,
    area: Rect,
    is_left: bool,
}

/// The program's terminal, to be written to. `None` if there is none.
pub(super) fn open() -> Option<File> {
    let path = if cfg!(windows) { "CONOUT$" } else { "/dev/tty" };
    OpenOptions::new().read(true).write(true).open(path).ok()
}

impl Tty {
    /// Takes the terminal over.
    pub(super) fn enter(tty: File) -> io::Result<Tty> {
        // Should the program panic, whoever reads why needs a terminal that works.
        let hook = std::panic::take_hook();
        let to = tty.try_clone()?;
        std::panic::set_hook(Box::new(move |panic| {
            let _ = give_back(&mut &to);
            hook(panic);
        }));
        // Its size is seen to here, so that a terminal that reports none is taken for one of the usual size.
        let (backend, area) = (CrosstermBackend::new(BufWriter::new(tty)), size());
        let terminal = Terminal::with_options(backend, TerminalOptions { viewport: Viewport::Fixed(area) })?;
        // From here on the terminal is given back whatever happens.
        let mut tty = Tty { terminal: ManuallyDrop::new(terminal), area, is_left: false };
        tty.take_over()?;
        Ok(tty)
    }

    /// Takes the terminal over: at first, and again when it was used by somebody else meanwhile.
    pub(super) fn take_over(&mut self) -> io::Result<()> {
        disable_raw_mode()?;
        enable_raw_mode()?;
        execute!(self.out(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture)?;
        self.clear()
    }

    fn out(&mut self) -> &mut CrosstermBackend<Out> {
        self.terminal.backend_mut()
    }

    /// Shows what the screen is now, all at once.
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

    /// Draws everything again: something else has written on the terminal.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        // `Terminal::clear` would ask where the cursor is: on standard output, which is the reply's.
        self.terminal.resize(self.area)
    }

    /// How wide it is.
    pub(super) fn width(&self) -> usize {
        usize::from(self.area.width)
    }

    /// Gives the terminal back, and leaves that on it.
    pub(super) fn leave(mut self, record: &str) -> io::Result<()> {
        self.is_left = true;
        let out = self.out();
        give_back(out)?;
        out.write_all(record.as_bytes())?;
        Write::flush(out)
    }
}

/// The size of the terminal. Some report none.
fn size() -> Rect {
    match crossterm::terminal::size() {
        Ok((columns @ 1.., rows @ 1..)) => Rect::new(0, 0, columns, rows),
        _ => Rect::new(0, 0, 80, 24),
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        if !self.is_left {
            let _ = give_back(self.out());
        }
    }
}

pub(super) fn give_back(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    disable_raw_mode()
}
