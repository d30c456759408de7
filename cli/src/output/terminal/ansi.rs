//! Appends cells, cursor movements and commands to a frame.

use std::fmt::Write as _;

use anstyle::Style;
use crossterm::Command;
use crossterm::cursor::MoveUp;
use crossterm::terminal::{DisableLineWrap, EnableLineWrap};

use crate::line_break::is_width_certain;
use crate::output::flow::Cell;

/// Appends the movement of the cursor to the beginning of row `to`.
///
/// `from` is the row of the cursor; `None` if it is already there.
pub(super) fn move_to_row(frame: &mut String, from: Option<usize>, to: usize) {
    let Some(from) = from else { return };
    if to > from {
        (from..to).for_each(|_| frame.push_str("\r\n"));
        return;
    }
    frame.push('\r');
    if to < from {
        push_command(frame, MoveUp(u16::try_from(from - to).unwrap_or(u16::MAX)));
    }
}

/// Appends cells in their colours.
pub(super) fn push_cells(frame: &mut String, cells: &[Cell], colour: bool) {
    // If a terminal draws a character wider than expected, cutting the row keeps the rows below in
    // place. Wrapping is off only for such rows: while the terminal is being resized, rows are
    // still drawn for the old width, and those should be wrapped rather than cut.
    let is_uncertain = cells.iter().any(|cell| !is_width_certain(cell.char));
    if is_uncertain {
        push_command(frame, DisableLineWrap);
    }
    for run in cells.chunk_by(|one, next| one.role == next.role) {
        let style = run.first().filter(|_| colour).map_or(Style::new(), |cell| cell.role.style());
        let _ = write!(frame, "{style}");
        frame.extend(run.iter().map(|cell| cell.char));
        let _ = write!(frame, "{style:#}");
    }
    if is_uncertain {
        push_command(frame, EnableLineWrap);
    }
}

/// Appends a terminal command.
pub(super) fn push_command(frame: &mut String, command: impl Command) {
    // Writing to a string never fails.
    let _ = command.write_ansi(frame);
}
