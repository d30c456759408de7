//! Events as plain text, for files and pipes: no colours, no cursor, and a question only once it is whole.

use std::io::{self, BufWriter, Write};

use followup::Event;
use followup::wire::Error;

use super::Output;
use super::block::Block;
use super::native::Last;
use crate::stream::When;
use crate::visible::Visible;

pub(crate) struct Plain<W: Write> {
    out: BufWriter<W>,
    visible: Visible,
    /// To be filled again and again.
    shown: String,
    /// Whether the last line has been ended.
    line_start: bool,
    native: Last,
}

impl<W: Write> Plain<W> {
    pub(crate) fn new(out: W) -> Plain<W> {
        Plain {
            out: BufWriter::new(out),
            visible: Visible::default(),
            shown: String::new(),
            line_start: true,
            native: Last::default(),
        }
    }

    fn block(&mut self, block: &Block) -> io::Result<()> {
        // Its line is ended below.
        self.native.end(true);
        self.write(|visible, shown| visible.end(shown))?;
        if !self.line_start {
            self.out.write_all(b"\n")?;
        }
        for row in block.rows() {
            let row: String = row.cells.iter().map(|cell| cell.char).collect();
            // A blank line in a question is only an indent.
            writeln!(self.out, "{}", row.trim_end())?;
        }
        self.line_start = true;
        Ok(())
    }

    fn prose(&mut self, before: &str, text: &str) -> io::Result<()> {
        self.write(|visible, shown| {
            visible.push(before, shown);
            visible.push(text, shown);
        })
    }

    fn write(&mut self, show: impl FnOnce(&mut Visible, &mut String)) -> io::Result<()> {
        self.shown.clear();
        show(&mut self.visible, &mut self.shown);
        if let Some(last) = self.shown.bytes().last() {
            self.line_start = last == b'\n';
        }
        self.out.write_all(self.shown.as_bytes())
    }
}

impl<W: Write> Output for Plain<W> {
    fn event(&mut self, event: Event<'_>, _: When) -> io::Result<()> {
        // No row is ever too long.
        let mut block = Block::new(usize::MAX);
        match event {
            Event::Text(text) => {
                let end = self.native.end(self.line_start);
                return self.prose(end, text);
            }
            Event::Opaque(piece) => {
                let before = self.native.before(&piece, self.line_start);
                return self.prose(&before, piece.raw);
            }
            Event::Partial(_) => return Ok(()),
            Event::Complete(call) => {
                block.grow(Some(call.question()), call.suggestions());
                block.complete(call.notes());
            }
            Event::Rejected(call) => {
                block.grow(call.question(), call.suggestions());
                block.reject(&call.reason());
            }
        }
        self.block(&block)
    }

    fn error(&mut self, error: Error<'_>, _: When) -> io::Result<()> {
        let mut block = Block::new(usize::MAX);
        block.error(&error);
        self.block(&block)
    }

    fn pause(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn end(&mut self) -> io::Result<()> {
        self.write(|visible, shown| visible.end(shown))?;
        self.out.flush()
    }
}
