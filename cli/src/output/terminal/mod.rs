//! Events on a terminal: prose as it arrives, and below it the open call, which grows in place.
//!
//! Nothing flickers, because nothing is erased to be written again: text that grew is appended at
//! the cursor, and a row that changed above it is overwritten. Each frame is one synchronized
//! update, so that no terminal shows half of it. Between two frames the terminal is in its usual
//! state, so a killed program leaves it usable.

mod ansi;
mod info;
mod open_call;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use followup::{Event, wire};

use self::ansi::{push_cells, push_command};
pub(crate) use self::info::RealTerminal;
use self::info::TerminalInfo;
use self::open_call::{OpenCall, room};
use super::Output;
use super::block::Block;
use super::opaque::OpaqueCalls;
use crate::events::EmittedAt;
use crate::sanitize::Sanitizer;

/// An [`Output`] on a terminal whose cursor can be moved.
pub(crate) struct TerminalOutput<W, T> {
    out: W,
    terminal: T,
    colour: bool,
    /// The bytes of the next frame.
    frame: String,
    sanitizer: Sanitizer,
    /// Whether the cursor is at the beginning of a line.
    line_start: bool,
    open: Option<OpenCall>,
    /// What arrived while another call was open, to be shown after it.
    deferred: Vec<Deferred>,
    opaque: OpaqueCalls,
}

/// Something to be shown after the open call.
#[derive(Debug)]
enum Deferred {
    Prose(String, Style),
    /// A call that has ended.
    Block(Block),
}

impl<W: Write, T: TerminalInfo> TerminalOutput<W, T> {
    pub(crate) fn new(out: W, terminal: T, colour: bool) -> TerminalOutput<W, T> {
        TerminalOutput {
            out,
            terminal,
            colour,
            frame: String::new(),
            sanitizer: Sanitizer::default(),
            line_start: true,
            open: None,
            deferred: Vec::new(),
            opaque: OpaqueCalls::default(),
        }
    }

    fn prose(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        if self.open.is_some() {
            return self.deferred.push(Deferred::Prose(text.to_owned(), style));
        }
        let style = if self.colour { style } else { Style::new() };
        let _ = write!(self.frame, "{style}");
        self.sanitizer.push(text, &mut self.frame);
        let _ = write!(self.frame, "{style:#}");
        self.line_start = text.ends_with('\n');
    }

    /// Returns the block of a call if that call is the open one, and opens it if none is.
    ///
    /// Native calls may overlap; only one of them grows on the screen at a time.
    fn block(&mut self, call: u64) -> Option<&mut Block> {
        if self.open.is_none() {
            self.begin_line();
            let (columns, _) = self.terminal.size();
            self.open = Some(OpenCall::new(call, columns));
        }
        self.open.as_mut().filter(|open| open.call == call).map(|open| &mut open.block)
    }

    /// Returns whether the next prose will begin a line.
    fn at_line_start(&self) -> bool {
        match self.deferred.last() {
            Some(Deferred::Prose(text, _)) => text.ends_with('\n'),
            Some(Deferred::Block(_)) => true,
            None => self.open.is_some() || self.line_start,
        }
    }

    fn begin_line(&mut self) {
        self.opaque.finish_line(true);
        self.sanitizer.finish(&mut self.frame);
        if !self.line_start {
            self.frame.push_str("\r\n");
            self.line_start = true;
        }
    }

    /// Ends a call, after `update` has brought its block to the final state.
    fn end_call(&mut self, call: u64, update: impl FnOnce(&mut Block)) {
        match self.block(call) {
            Some(block) => {
                update(block);
                self.close();
            }
            None => {
                let mut block = Block::new(usize::MAX);
                update(&mut block);
                self.deferred.push(Deferred::Block(block));
            }
        }
    }

    /// Appends a block that does not grow.
    fn append(&mut self, mut block: Block) {
        self.begin_line();
        let (columns, _) = self.terminal.size();
        block.resize(room(columns));
        for row in block.rows() {
            push_cells(&mut self.frame, &row.cells, self.colour);
            self.frame.push_str("\r\n");
        }
    }

    /// Closes the open call, and appends what was deferred.
    fn close(&mut self) {
        self.draw();
        let Some(open) = self.open.take() else { return };
        if open.is_stale {
            // Some rows above are outdated and out of reach: the whole call is written again.
            for row in open.block.rows() {
                self.frame.push_str("\r\n");
                push_cells(&mut self.frame, &row.cells, self.colour);
            }
        }
        self.frame.push_str("\r\n");
        self.line_start = true;
        for deferred in std::mem::take(&mut self.deferred) {
            match deferred {
                Deferred::Prose(text, style) => self.prose(&text, style),
                Deferred::Block(block) => self.append(block),
            }
        }
    }

    /// Draws what has changed in the open call.
    fn draw(&mut self) {
        let Some(open) = &mut self.open else { return };
        let (columns, lines) = self.terminal.size();
        let frame = &mut self.frame;
        let before = frame.len();
        push_command(frame, BeginSynchronizedUpdate);
        let begin = frame.len();
        let cursor = if columns == open.columns {
            open.drawn.len().checked_sub(1)
        } else {
            open.resize(frame, columns, lines, self.terminal.reflows());
            None
        };
        open.draw(frame, cursor, lines, self.colour);
        if frame.len() == begin {
            frame.truncate(before);
            return;
        }
        push_command(frame, EndSynchronizedUpdate);
    }

    fn write_frame(&mut self) -> io::Result<()> {
        self.out.write_all(self.frame.as_bytes())?;
        self.frame.clear();
        self.out.flush()
    }
}

impl<W: Write, T: TerminalInfo> Output for TerminalOutput<W, T> {
    fn event(&mut self, event: Event<'_>, _: EmittedAt) -> io::Result<()> {
        match event {
            Event::Text(text) => {
                let line_end = self.opaque.finish_line(self.at_line_start());
                self.prose(line_end, Style::new());
                self.prose(text, Style::new());
            }
            Event::Opaque(piece) => {
                let prefix = self.opaque.prefix(&piece, self.at_line_start());
                self.prose(&prefix, Style::new().dimmed());
                self.prose(piece.raw, Style::new().dimmed());
            }
            Event::Partial(call) => {
                if let Some(block) = self.block(call.index()) {
                    block.update(call);
                }
            }
            Event::Complete(call) => {
                self.end_call(call.index(), |block| block.complete(&call));
            }
            Event::Rejected(call) => {
                self.end_call(call.index(), |block| block.reject(&call));
            }
        }
        Ok(())
    }

    fn error(&mut self, error: wire::Error<'_>, _: EmittedAt) -> io::Result<()> {
        let mut block = Block::new(usize::MAX);
        block.error(&error);
        // The error is not deferred: a stream that has failed may hang. If the open call continues
        // after all, it is shown again.
        self.close();
        self.append(block);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.draw();
        self.write_frame()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.close();
        // The prompt that follows begins a line.
        self.begin_line();
        self.write_frame()
    }
}
