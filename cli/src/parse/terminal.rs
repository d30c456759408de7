//! Events on a terminal: prose as it comes, and below it the open call, which grows in place.
//!
//! Nothing flickers, because nothing is wiped to be written again: what grew is appended where the cursor already is, and where
//! something above has changed, its row is written over. Each frame is one synchronized update, so that no terminal shows half of it.
//! Between two frames the terminal is in its usual state: whoever kills this program leaves nothing behind.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};

use anstyle::Style;
use crossterm::Command;
use crossterm::cursor::MoveUp;
use crossterm::terminal::{
    BeginSynchronizedUpdate, Clear, ClearType, DisableLineWrap, EnableLineWrap, EndSynchronizedUpdate,
};
use followup::Event;
use followup::wire::Error;

use super::Output;
use super::block::Block;
use super::flow::{Cell, Row};
use super::native::Last;
use crate::breaking::is_width_sure;
use crate::stream::When;
use crate::visible::Visible;

pub(crate) struct Terminal<W, S> {
    out: W,
    screen: S,
    colour: bool,
    /// What will be written next, at once.
    frame: String,
    visible: Visible,
    /// Whether the cursor is at the beginning of a line.
    line_start: bool,
    open: Option<Open>,
    /// What came while another call was open: it is shown once that is closed.
    waiting: Vec<Waiting>,
    native: Last,
}

/// Something that comes below the call that is open.
#[derive(Debug)]
enum Waiting {
    Prose(String, Style),
    /// A call that has ended.
    Block(Block),
}

/// What a terminal is like. It may change at any time.
pub(crate) trait Screen {
    /// Columns and lines.
    fn size(&self) -> (usize, usize);

    /// Whether lines that no longer fit are wrapped when it is made narrower, or cut.
    fn reflows(&self) -> bool;
}

/// The call that is on the screen, the last thing there. The cursor is at its end.
#[derive(Debug)]
struct Open {
    /// Which call it is.
    nth: u64,
    block: Block,
    /// The width it was drawn for.
    columns: usize,
    /// How wide each row of it is on the screen.
    drawn: Vec<usize>,
    /// Something has changed in a row that had left the screen at its top, where it can't be reached.
    stale: bool,
}

impl<W: Write, S: Screen> Terminal<W, S> {
    pub(crate) fn new(out: W, screen: S, colour: bool) -> Terminal<W, S> {
        Terminal {
            out,
            screen,
            colour,
            frame: String::new(),
            visible: Visible::default(),
            line_start: true,
            open: None,
            waiting: Vec::new(),
            native: Last::default(),
        }
    }

    fn prose(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if self.open.is_some() {
            return self.waiting.push(Waiting::Prose(text.to_owned(), style));
        }
        let style = if self.colour { style } else { Style::new() };
        let _ = write!(self.frame, "{style}");
        self.visible.push(text, &mut self.frame);
        let _ = write!(self.frame, "{style:#}");
        self.line_start = text.ends_with('\n');
    }

    /// The block of a call, if it is the one that is open: native calls may overlap, and only one grows at a time.
    fn block(&mut self, nth: u64) -> Option<&mut Block> {
        if self.open.is_none() {
            self.begin_line();
            let (columns, _) = self.screen.size();
            self.open = Some(Open { nth, block: Block::new(room(columns)), columns, drawn: Vec::new(), stale: false });
        }
        self.open.as_mut().filter(|open| open.nth == nth).map(|open| &mut open.block)
    }

    /// Whether prose that comes now will begin a line.
    fn at_line_start(&self) -> bool {
        match self.waiting.last() {
            Some(Waiting::Prose(text, _)) => text.ends_with('\n'),
            Some(Waiting::Block(_)) => true,
            None => self.open.is_some() || self.line_start,
        }
    }

    fn begin_line(&mut self) {
        self.native.end(true);
        self.visible.end(&mut self.frame);
        if !self.line_start {
            self.frame.push_str("\r\n");
            self.line_start = true;
        }
    }

    /// A call has ended.
    fn end_call(&mut self, nth: u64, show: impl FnOnce(&mut Block)) {
        match self.block(nth) {
            Some(block) => {
                show(block);
                self.close();
            }
            None => {
                let mut block = Block::new(usize::MAX);
                show(&mut block);
                self.waiting.push(Waiting::Block(block));
            }
        }
    }

    /// Shows what ends at once.
    fn show(&mut self, mut block: Block) {
        self.begin_line();
        let (columns, _) = self.screen.size();
        block.resize(room(columns));
        for row in block.rows() {
            cells(&mut self.frame, &row.cells, self.colour);
            self.frame.push_str("\r\n");
        }
    }

    /// Nothing more comes of the open call.
    fn close(&mut self) {
        self.draw();
        let Some(open) = self.open.take() else { return };
        if open.stale {
            // Above is what it was once; here is what it is.
            for row in open.block.rows() {
                self.frame.push_str("\r\n");
                cells(&mut self.frame, &row.cells, self.colour);
            }
        }
        self.frame.push_str("\r\n");
        self.line_start = true;
        for waiting in std::mem::take(&mut self.waiting) {
            match waiting {
                Waiting::Prose(text, style) => self.prose(&text, style),
                Waiting::Block(block) => self.show(block),
            }
        }
    }

    /// Draws what has changed of the open call.
    fn draw(&mut self) {
        let Some(open) = &mut self.open else { return };
        let (columns, lines) = self.screen.size();
        let frame = &mut self.frame;
        let before = frame.len();
        ansi(frame, BeginSynchronizedUpdate);
        let begun = frame.len();
        let cursor = if columns == open.columns {
            open.drawn.len().checked_sub(1)
        } else {
            open.resize(frame, columns, lines, self.screen.reflows());
            None
        };
        open.draw(frame, cursor, lines, self.colour);
        if frame.len() == begun {
            frame.truncate(before);
            return;
        }
        ansi(frame, EndSynchronizedUpdate);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.frame.as_bytes())?;
        self.frame.clear();
        self.out.flush()
    }
}

impl<W: Write, S: Screen> Output for Terminal<W, S> {
    fn event(&mut self, event: Event<'_>, _: When) -> io::Result<()> {
        match event {
            Event::Text(text) => {
                let end = self.native.end(self.at_line_start());
                self.prose(end, Style::new());
                self.prose(text, Style::new());
            }
            Event::Opaque(piece) => {
                let before = self.native.before(&piece, self.at_line_start());
                self.prose(&before, Style::new().dimmed());
                self.prose(piece.raw, Style::new().dimmed());
            }
            Event::Partial(call) => {
                if let Some(block) = self.block(call.nth()) {
                    block.grow(call.question(), call.suggestions());
                }
            }
            Event::Complete(call) => self.end_call(call.nth(), |block| {
                block.grow(Some(call.question()), call.suggestions());
                block.complete(call.notes());
            }),
            Event::Rejected(call) => self.end_call(call.nth(), |block| {
                block.grow(call.question(), call.suggestions());
                block.reject(&call.reason());
            }),
        }
        Ok(())
    }

    fn error(&mut self, error: Error<'_>, _: When) -> io::Result<()> {
        let mut block = Block::new(usize::MAX);
        block.error(&error);
        // A stream that has failed may hang: this is not for later. Should the call go on all the same, it is shown again.
        self.close();
        self.show(block);
        Ok(())
    }

    fn pause(&mut self) -> io::Result<()> {
        self.draw();
        self.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.close();
        self.visible.end(&mut self.frame);
        if !self.line_start {
            // For the shell's prompt.
            self.frame.push_str("\r\n");
            self.line_start = true;
        }
        self.flush()
    }
}

impl Open {
    /// Draws what has changed, from top to bottom, so that every row is right before it may leave the screen. The cursor is at the end
    /// of that row; or where the first row that is not drawn belongs.
    fn draw(&mut self, frame: &mut String, mut cursor: Option<usize>, lines: usize, colour: bool) {
        self.block.settle();
        let end = cursor;
        let top = self.drawn.len().saturating_sub(lines);
        let rows = self.block.rows().count();
        for (i, row) in self.block.rows_mut().enumerate() {
            // The cursor is to be left at the end of the last row.
            let last = i + 1 == rows && cursor != Some(i);
            if row.is_drawn() && !(row.recoloured && colour) && !last {
                continue;
            }
            if i < top {
                self.stale |= !row.is_drawn();
            } else if cursor == end && end == Some(i) && !row.leftover && !row.recoloured {
                cells(frame, &row.cells[row.drawn..], colour);
            } else {
                go(frame, cursor, i);
                cells(frame, &row.cells, colour);
                if i < self.drawn.len() {
                    // There is always room behind a row, so this never wipes its last character.
                    ansi(frame, Clear(ClearType::UntilNewLine));
                }
                cursor = Some(i);
            }
            if self.drawn.len() <= i {
                self.drawn.resize(i + 1, 0);
            }
            self.drawn[i] = row.width();
            row.draw();
        }
        // A call only grows, and so does the number of its rows.
        debug_assert_eq!(rows, self.drawn.len());
    }

    /// The screen has another width. Lays the block out again, and leaves the cursor where it is to be drawn.
    fn resize(&mut self, frame: &mut String, columns: usize, lines: usize, reflows: bool) {
        // What the terminal has made of the rows meanwhile.
        let height = |&width: &usize| if reflows { width.div_ceil(columns).max(1) } else { 1 };
        let height = self.drawn.iter().map(height).sum::<usize>();
        if height > 0 {
            go(frame, Some(height.min(lines) - 1), 0);
            ansi(frame, Clear(ClearType::FromCursorDown));
        }
        self.block.resize(room(columns));
        self.block.settle();
        self.columns = columns;
        // Rows that would leave the screen at once are not drawn.
        let hidden = self.block.rows().count().saturating_sub(lines);
        self.stale |= hidden > 0 || height > lines;
        self.block.rows_mut().take(hidden).for_each(Row::draw);
        self.drawn = self.block.rows().take(hidden).map(Row::width).collect();
    }
}

/// How much of a line rows may take. Behind the last column terminals differ in where the cursor is, so nothing is drawn there.
fn room(columns: usize) -> usize {
    columns.saturating_sub(1).max(1)
}

/// Moves the cursor to the beginning of a row. If it is in none, it is already there.
fn go(frame: &mut String, from: Option<usize>, to: usize) {
    let Some(from) = from else { return };
    if to > from {
        (from..to).for_each(|_| frame.push_str("\r\n"));
        return;
    }
    frame.push('\r');
    if to < from {
        ansi(frame, MoveUp(u16::try_from(from - to).unwrap_or(u16::MAX)));
    }
}

fn cells(frame: &mut String, cells: &[Cell], colour: bool) {
    // Should a terminal take a character for wider than we do, this row is cut, and the rows below stay where they belong. Not
    // always: while it is being resized, rows may still be drawn for the old width, and then should be wrapped and not cut.
    let unsure = cells.iter().any(|cell| !is_width_sure(cell.char));
    if unsure {
        ansi(frame, DisableLineWrap);
    }
    for alike in cells.chunk_by(|one, next| one.look == next.look) {
        let style = alike.first().filter(|_| colour).map_or(Style::new(), |cell| cell.look.style());
        let _ = write!(frame, "{style}");
        frame.extend(alike.iter().map(|cell| cell.char));
        let _ = write!(frame, "{style:#}");
    }
    if unsure {
        ansi(frame, EnableLineWrap);
    }
}

fn ansi(frame: &mut String, command: impl Command) {
    // A string takes everything.
    let _ = command.write_ansi(frame);
}

/// The terminal that standard output is.
#[derive(Debug)]
pub(crate) struct Stdout {
    reflows: bool,
}

impl Stdout {
    /// Standard output, if it is one on which the cursor can be moved.
    pub(crate) fn new() -> Option<Stdout> {
        if io::stdout().is_terminal() { Stdout::of_terminal() } else { None }
    }

    /// The terminal the program was started on, whatever standard output is.
    pub(crate) fn of_terminal() -> Option<Stdout> {
        #[cfg(windows)]
        if !crossterm::ansi_support::supports_ansi() {
            return None;
        }
        let variable = |name| std::env::var(name).unwrap_or_default();
        let term = variable("TERM");
        if term == "dumb" {
            return None;
        }
        // Nearly all wrap lines that no longer fit. These cut them; there is no way to ask.
        let cuts = ["linux", "rxvt", "st-", "screen"].iter().any(|cuts| term.starts_with(cuts))
            || !variable("XTERM_VERSION").is_empty();
        let tmux = !variable("TMUX").is_empty();
        Some(Stdout { reflows: tmux || !cuts })
    }
}

impl Screen for Stdout {
    fn size(&self) -> (usize, usize) {
        match crossterm::terminal::size() {
            // Some report no size instead of failing.
            Ok((columns @ 1.., lines @ 1..)) => (columns.into(), lines.into()),
            _ => (80, 24),
        }
    }

    fn reflows(&self) -> bool {
        self.reflows
    }
}
