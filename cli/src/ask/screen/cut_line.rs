//! A single line that is cut where the screen ends.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::wrap::wrap;

/// A name, and text after it.
#[derive(Debug)]
pub(super) struct CutLine {
    name: Span<'static>,
    text: Span<'static>,
    /// The width for which the row was laid out.
    width: Option<usize>,
    row: Vec<Line<'static>>,
}

impl CutLine {
    pub(super) fn new(name: Span<'static>, style: Style) -> CutLine {
        CutLine { name, text: Span::styled("", style), width: None, row: Vec::new() }
    }

    pub(super) fn set_text(&mut self, text: String) {
        if self.text.content != text {
            (self.text.content, self.width) = (text.into(), None);
        }
    }

    /// Returns the only row.
    pub(super) fn rows(&mut self, width: usize) -> &[Line<'static>] {
        if self.width != Some(width) {
            self.width = Some(width);
            self.row = self.lay_out(width);
        }
        &self.row
    }

    fn lay_out(&self, width: usize) -> Vec<Line<'static>> {
        let between = if self.text.content.is_empty() { "" } else { " " };
        let spans = [self.name.clone(), Span::styled(between, self.text.style), self.text.clone()];
        let mut rows = wrap(&spans, width, &[], &[]);
        if rows.len() > 1 {
            rows = wrap(&spans, width.saturating_sub(1), &[], &[]);
            rows.truncate(1);
            rows.iter_mut().for_each(|row| row.push_span(Span::styled("…", self.text.style)));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_where_the_width_ends() {
        let mut line = CutLine::new("read".into(), Style::new());
        let mut row = |text: &str, width| {
            line.set_text(text.into());
            line.rows(width).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(row("", 9), ["read"]);
        assert_eq!(row("a b", 9), ["read a b"]);
        assert_eq!(row("a bcde fgh", 9), ["read a…"]);
        assert_eq!(row("a bcde fgh", 12), ["read a bcde…"]);
    }
}
