//! Tables, laid out in columns that fit into the width.

use pulldown_cmark::Alignment;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ask::screen::theme::Theme;
use crate::ask::screen::wrap::{columns, wrap};

/// A table whose cells are read one after the other. The first row is the head.
#[derive(Debug)]
pub(super) struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Vec<Span<'static>>>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Table {
        Table { alignments, rows: Vec::new() }
    }

    pub(super) fn start_row(&mut self) {
        self.rows.push(Vec::new());
    }

    /// Appends a cell to the last row.
    pub(super) fn push(&mut self, cell: Vec<Span<'static>>) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell);
        }
    }

    /// Returns the lines; `None` if the columns don't fit into the width.
    pub(super) fn lines(&self, width: usize, theme: Theme) -> Option<Vec<Vec<Span<'static>>>> {
        let widths = self.widths(width)?;
        let mut lines = Vec::new();
        for (i, row) in self.rows.iter().enumerate() {
            lines.extend(self.row_lines(row, &widths, theme));
            if i == 0 {
                let rule: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
                lines.push(vec![Span::styled(rule.join("─┼─"), theme.dim())]);
            }
        }
        Some(lines)
    }

    /// Returns `true` if no row of the source has more cells than the head.
    ///
    /// Markdown drops such cells.
    pub(super) fn shows_all_of(&self, source: &str) -> bool {
        source.lines().all(|line| count_cells(line) <= self.alignments.len())
    }

    /// Returns the widths of the columns, of which only the widest are narrower than their cells.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let widest = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| columns(cell)).max().unwrap_or(0).max(1)
        };
        let natural: Vec<usize> = (0..self.alignments.len()).map(widest).collect();
        let room = width.checked_sub(SEPARATOR.chars().count() * natural.len().saturating_sub(1))?;
        let narrowed = |most: usize| natural.iter().map(move |&width| width.min(most));
        let fits = |most: usize| narrowed(most).fold(0, usize::saturating_add) <= room;
        if !fits(MIN_WIDTH) {
            return None;
        }
        // The greatest width that fits, by bisection.
        let (mut fit, mut too_wide) = (MIN_WIDTH, width.max(MIN_WIDTH) + 1);
        while too_wide - fit > 1 {
            let middle = fit + (too_wide - fit) / 2;
            if fits(middle) { fit = middle } else { too_wide = middle }
        }
        Some(narrowed(fit).collect())
    }

    fn row_lines(&self, row: &[Vec<Span<'static>>], widths: &[usize], theme: Theme) -> Vec<Vec<Span<'static>>> {
        let cell =
            |(column, &width): (usize, &usize)| wrap(row.get(column).map_or(&[][..], |cell| cell), width, &[], &[]);
        let cells: Vec<Vec<Line<'static>>> = widths.iter().enumerate().map(cell).collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..height).map(|i| self.line(&cells, i, widths, theme)).collect()
    }

    /// Joins row `i` of the cells.
    fn line(&self, cells: &[Vec<Line<'static>>], i: usize, widths: &[usize], theme: Theme) -> Vec<Span<'static>> {
        let mut line: Vec<Span<'static>> = Vec::new();
        let alignments = self.alignments.iter().zip(widths);
        for (column, (cell, (alignment, &width))) in cells.iter().zip(alignments).enumerate() {
            let spans = cell.get(i).map(|row| row.spans.clone()).unwrap_or_default();
            let blank = width.saturating_sub(columns(&spans));
            let before = match alignment {
                Alignment::Right => blank,
                Alignment::Center => blank / 2,
                Alignment::None | Alignment::Left => 0,
            };
            if column > 0 {
                line.push(Span::styled(SEPARATOR, theme.dim()));
            }
            line.push(blanks(before));
            line.extend(spans);
            // Nothing follows the last cell.
            if column + 1 < cells.len() {
                line.push(blanks(blank - before));
            }
        }
        line
    }
}

fn blanks(count: usize) -> Span<'static> {
    Span::styled(" ".repeat(count), Style::new())
}

const SEPARATOR: &str = " │ ";

/// The width below which the cells of a table could not be read.
const MIN_WIDTH: usize = 4;

/// Completes the head of a table that is still being written; `None` if the block is not one.
///
/// Until the line below it has come, it would be a paragraph with bars in it.
pub(super) fn completed_head(block: &str) -> Option<String> {
    let (head, delimiters) = block.split_once('\n').unwrap_or((block, ""));
    if !head.starts_with('|') || !delimiters.chars().all(|char| matches!(char, '|' | '-' | ':' | ' ')) {
        return None;
    }
    let head = head.trim();
    let cells = head.strip_prefix('|').unwrap_or(head);
    let cells = cells.strip_suffix('|').filter(|cells| !cells.ends_with('\\')).unwrap_or(cells);
    if cells.trim().is_empty() {
        return Some(String::new());
    }
    let bars = cells.replace("\\\\", "").replace("\\|", "").matches('|').count();
    Some(format!("{head}\n|{}", "-|".repeat(bars + 1)))
}

/// Returns how many cells a row of a table has, in its source.
fn count_cells(row: &str) -> usize {
    let row = row.trim_start_matches(['>', ' ', '\t']).trim_end();
    let row = row.strip_prefix('|').unwrap_or(row);
    let bars: Vec<usize> =
        row.match_indices('|').map(|(offset, _)| offset).filter(|&offset| !is_escaped(row, offset)).collect();
    let ends_with_bar = bars.last().is_some_and(|&last| last + 1 == row.len());
    bars.len() + usize::from(!ends_with_bar)
}

/// Returns `true` if the character at `at` follows a backslash that is not escaped itself.
fn is_escaped(text: &str, offset: usize) -> bool {
    text[..offset].bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_a_table_is_completed() {
        for (block, completed) in [
            ("|", Some("")),
            ("| ", Some("")),
            ("| a", Some("| a\n|-|")),
            ("| a |", Some("| a |\n|-|")),
            ("| a | b", Some("| a | b\n|-|-|")),
            ("| a \\| b |\n|-", Some("| a \\| b |\n|-|")),
            ("| a |\nb", None),
            ("a | b", None),
        ] {
            assert_eq!(completed_head(block).as_deref(), completed, "{block}");
        }
    }
}
