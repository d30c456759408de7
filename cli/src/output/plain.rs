//! Events as plain text, for files and pipes: no colours, no cursor, only complete questions.

use std::io::{self, BufWriter, Write};

use followup::wire::Error;
use followup::{Event, Reason};

use super::Output;
use super::block::Block;
use super::opaque::OpaqueCalls;
use crate::events::EmittedAt;
use crate::sanitize::Sanitizer;

/// An [`Output`] as plain text.
pub(crate) struct PlainOutput<W: Write> {
    out: BufWriter<W>,
    sanitizer: Sanitizer,
    /// A buffer for sanitized text, reused by every write.
    buffer: String,
    /// Whether the last line has been ended.
    line_start: bool,
    opaque: OpaqueCalls,
}

impl<W: Write> PlainOutput<W> {
    pub(crate) fn new(out: W) -> PlainOutput<W> {
        PlainOutput {
            out: BufWriter::new(out),
            sanitizer: Sanitizer::default(),
            buffer: String::new(),
            line_start: true,
            opaque: OpaqueCalls::default(),
        }
    }

    /// Ends an incomplete line, so that something else can be written.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        // The line is ended below.
        self.opaque.finish_line(true);
        self.write(Sanitizer::finish)?;
        if !self.line_start {
            self.out.write_all(b"\n")?;
        }
        self.line_start = true;
        Ok(())
    }

    fn block(&mut self, block: &Block) -> io::Result<()> {
        self.end_line()?;
        for row in block.rows() {
            let row: String = row.cells.iter().map(|cell| cell.char).collect();
            // The row of a blank line is only an indent.
            writeln!(self.out, "{}", row.trim_end())?;
        }
        Ok(())
    }

    fn prose(&mut self, prefix: &str, text: &str) -> io::Result<()> {
        self.write(|sanitizer, buffer| {
            sanitizer.push(prefix, buffer);
            sanitizer.push(text, buffer);
        })
    }

    fn write(&mut self, fill: impl FnOnce(&mut Sanitizer, &mut String)) -> io::Result<()> {
        self.buffer.clear();
        fill(&mut self.sanitizer, &mut self.buffer);
        if let Some(last) = self.buffer.bytes().last() {
            self.line_start = last == b'\n';
        }
        self.out.write_all(self.buffer.as_bytes())
    }
}

impl<W: Write> Output for PlainOutput<W> {
    fn event(&mut self, event: Event<'_>, _: EmittedAt) -> io::Result<()> {
        // The rows of text that is not drawn on a terminal have no maximum width.
        let mut block = Block::new(usize::MAX);
        match event {
            Event::Text(text) => {
                let line_end = self.opaque.finish_line(self.line_start);
                return self.prose(line_end, text);
            }
            Event::Opaque(piece) => {
                let prefix = self.opaque.prefix(&piece, self.line_start);
                return self.prose(&prefix, piece.raw);
            }
            Event::Partial(_) => return Ok(()),
            Event::Complete(call) => block.complete(&call),
            // Nothing of it was printed, and the one that counts is.
            Event::Rejected(call) if call.reason() == Reason::Superseded => return Ok(()),
            Event::Rejected(call) => block.reject(&call),
        }
        self.block(&block)
    }

    fn error(&mut self, error: Error<'_>, _: EmittedAt) -> io::Result<()> {
        let mut block = Block::new(usize::MAX);
        block.error(&error);
        self.block(&block)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self) -> io::Result<()> {
        self.write(Sanitizer::finish)?;
        self.out.flush()
    }
}
