//! A part of the document: text next to a gutter.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::cut_line::CutLine;
use super::markdown::Markdown;
use super::plain_text::PlainText;
use super::theme::Theme;

/// The text of a part.
#[derive(Debug)]
pub(super) enum PartBody {
    Markdown(Markdown),
    Plain(PlainText),
    Line(CutLine),
}

/// A part of the document.
#[derive(Debug)]
pub(super) struct Part {
    /// The text in the gutter of the first row. The gutter of the other rows is blank.
    pub(super) mark: Span<'static>,
    /// The width of the gutter, at least that of the mark.
    gutter: usize,
    pub(super) body: PartBody,
}

impl Part {
    /// Returns a part without a gutter.
    pub(super) fn bare(body: PartBody) -> Part {
        Part { mark: Span::default(), gutter: 0, body }
    }

    /// Returns a part whose gutter is as wide as the mark.
    pub(super) fn beside(mark: Span<'static>, body: PartBody) -> Part {
        Part { gutter: mark.width(), mark, body }
    }

    /// Returns a part of plain text whose gutter is as wide as the mark.
    pub(super) fn plain(mark: Span<'static>, text: &str, style: Style) -> Part {
        Part::beside(mark, PartBody::Plain(PlainText::new(text, style)))
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) {
        match &mut self.body {
            PartBody::Markdown(markdown) => markdown.finish(),
            PartBody::Plain(plain) => plain.finish(),
            PartBody::Line(_) => {}
        }
    }

    /// Returns the width of the gutter, which on a narrow screen leaves room for the text.
    fn gutter(&self, width: usize) -> usize {
        self.gutter.min(width * 2 / 5)
    }

    pub(super) fn rows(&mut self, width: usize, theme: Theme) -> &[Line<'static>] {
        let width = width - self.gutter(width);
        match &mut self.body {
            PartBody::Markdown(markdown) => markdown.rows(width, theme),
            PartBody::Plain(plain) => plain.rows(width),
            PartBody::Line(line) => line.rows(width),
        }
    }

    /// Draws one row. The selected part has a different mark.
    pub(super) fn draw(&mut self, row: usize, is_selected: bool, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width);
        let gutter = self.gutter(width);
        if row == 0 {
            buffer.set_stringn(area.x, area.y, &self.mark.content, gutter, self.mark.style);
        }
        let left = u16::try_from(gutter).unwrap_or(u16::MAX);
        if let Some(line) = self.rows(width, theme).get(row) {
            // Unlike `Buffer::set_line`, this keeps characters without a width, such as isolates.
            let area =
                Rect { x: area.x.saturating_add(left), width: area.width.saturating_sub(left), height: 1, ..area };
            line.render(area, buffer);
        }
        if is_selected {
            buffer.set_style(area, theme.chosen());
            if row == 0 {
                buffer.set_stringn(area.x, area.y, "❯", 1, theme.chosen());
            }
        }
    }

    /// Returns one row with its gutter, for the transcript.
    pub(super) fn line(&mut self, row: usize, theme: Theme, width: usize) -> Line<'static> {
        let gutter = self.gutter(width);
        let mark = if row == 0 { self.mark.clone() } else { Span::default() };
        let blanks = " ".repeat(gutter.saturating_sub(mark.width()));
        let mut line = Line::from(vec![mark, Span::raw(blanks)]);
        line.spans.extend(self.rows(width, theme).get(row).into_iter().flat_map(|row| row.spans.iter().cloned()));
        line
    }
}
