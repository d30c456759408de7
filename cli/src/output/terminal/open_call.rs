//! The open call on the screen, drawn row by row as it grows.

use crossterm::terminal::{Clear, ClearType};

use super::ansi::{move_to_row, push_cells, push_command};
use crate::output::block::Block;
use crate::output::flow::Row;

/// The call at the bottom of the screen. The cursor is at its end.
#[derive(Debug)]
pub(super) struct OpenCall {
    /// The index of the call in the message.
    pub(super) call: u64,
    pub(super) block: Block,
    /// The number of columns for which it was drawn.
    pub(super) columns: usize,
    /// The width of each row on the screen.
    pub(super) drawn: Vec<usize>,
    /// Whether a row has changed after it scrolled off the top, where it can't be reached.
    pub(super) is_stale: bool,
}

impl OpenCall {
    pub(super) fn new(call: u64, columns: usize) -> OpenCall {
        OpenCall { call, block: Block::new(room(columns)), columns, drawn: Vec::new(), is_stale: false }
    }

    /// Draws the rows that have changed.
    ///
    /// `cursor` is the row at whose end the cursor is; `None` if it is where the first undrawn row
    /// begins. Rows are drawn from top to bottom, so that each is up to date before it may scroll
    /// off the screen.
    pub(super) fn draw(&mut self, frame: &mut String, mut cursor: Option<usize>, lines: usize, colour: bool) {
        self.block.invalidate_moved();
        let end = cursor;
        let top = self.drawn.len().saturating_sub(lines);
        let rows = self.block.rows().count();
        for (i, row) in self.block.rows_mut().enumerate() {
            // The last row is drawn if the cursor is elsewhere, because it has to end up there.
            let is_last = i + 1 == rows && cursor != Some(i);
            if row.is_drawn() && !(row.is_recoloured && colour) && !is_last {
                continue;
            }
            if i < top {
                self.is_stale |= !row.is_drawn();
            } else if cursor == end && end == Some(i) && !row.has_leftover && !row.is_recoloured {
                push_cells(frame, &row.cells[row.drawn..], colour);
            } else {
                move_to_row(frame, cursor, i);
                push_cells(frame, &row.cells, colour);
                if i < self.drawn.len() {
                    // A row never fills the line, so this never erases its last character.
                    push_command(frame, Clear(ClearType::UntilNewLine));
                }
                cursor = Some(i);
            }
            if self.drawn.len() <= i {
                self.drawn.resize(i + 1, 0);
            }
            self.drawn[i] = row.width();
            row.mark_drawn();
        }
        // A call only grows, and so does the number of its rows.
        debug_assert_eq!(rows, self.drawn.len());
    }

    /// Lays out the block for another width, and leaves the cursor where the block begins.
    ///
    /// `reflows`: the terminal has wrapped the rows that no longer fit.
    pub(super) fn resize(&mut self, frame: &mut String, columns: usize, lines: usize, reflows: bool) {
        let height = |&width: &usize| if reflows { width.div_ceil(columns).max(1) } else { 1 };
        let height = self.drawn.iter().map(height).sum::<usize>();
        if height > 0 {
            move_to_row(frame, Some(height.min(lines) - 1), 0);
            push_command(frame, Clear(ClearType::FromCursorDown));
        }
        self.block.resize(room(columns));
        self.block.invalidate_moved();
        self.columns = columns;
        // Rows that would scroll off at once are not drawn.
        let hidden = self.block.rows().count().saturating_sub(lines);
        self.is_stale |= hidden > 0 || height > lines;
        self.block.rows_mut().take(hidden).for_each(Row::mark_drawn);
        self.drawn = self.block.rows().take(hidden).map(Row::width).collect();
    }
}

/// Returns the maximum width of a row.
///
/// The last column stays empty, because terminals disagree on where the cursor is after it.
pub(super) fn room(columns: usize) -> usize {
    columns.saturating_sub(1).max(1)
}
