//! The terminal while the screen is on it, and afterwards as it was.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::time::Duration;

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

use super::app::App;
use super::view;

type Out = BufWriter<File>;

/// The program's terminal, whatever its standard input and output are. It is given back when this is dropped.
#[derive(Debug)]
pub(super) struct Tty {
    terminal: Terminal<CrosstermBackend<Out>>,
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
        enable_raw_mode()?;
        let terminal = Terminal::new(CrosstermBackend::new(BufWriter::new(tty)));
        // From here on the terminal is given back whatever happens.
        let mut tty = match terminal {
            Ok(terminal) => Tty { terminal, is_left: false },
            Err(error) => {
                disable_raw_mode()?;
                return Err(error);
            }
        };
        execute!(tty.out(), EnterAlternateScreen, EnableBracketedPaste, EnableMouseCapture)?;
        tty.clear()?;
        Ok(tty)
    }

    fn out(&mut self) -> &mut CrosstermBackend<Out> {
        self.terminal.backend_mut()
    }

    /// Shows what the screen is now, all at once.
    pub(super) fn draw(&mut self, app: &mut App, now: Duration) -> io::Result<()> {
        crossterm::queue!(self.out(), BeginSynchronizedUpdate)?;
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
        let area = self.terminal.size()?.into();
        self.terminal.resize(area)
    }

    /// How wide it is.
    pub(super) fn width(&self) -> usize {
        self.terminal.size().map_or(80, |size| usize::from(size.width).max(1))
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

impl Drop for Tty {
    fn drop(&mut self) {
        if !self.is_left {
            let _ = give_back(self.out());
        }
    }
}

fn give_back(out: &mut impl Write) -> io::Result<()> {
    execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show)?;
    disable_raw_mode()
}
