//! A part of the document: text beside a gutter.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::markdown::Markdown;
use super::plain::Plain;
use super::theme::Theme;

#[derive(Debug)]
pub(super) enum Body {
    Markdown(Markdown),
    Plain(Plain),
}

#[derive(Debug)]
pub(super) struct Part {
    /// Stands beside the first row; beside the others the gutter is blank.
    pub(super) mark: Span<'static>,
    /// How many columns the gutter has. The mark is not wider.
    gutter: usize,
    pub(super) body: Body,
}

impl Part {
    /// Text without a gutter.
    pub(super) fn bare(body: Body) -> Part {
        Part { mark: Span::default(), gutter: 0, body }
    }

    pub(super) fn beside(mark: Span<'static>, body: Body) -> Part {
        Part { gutter: mark.width(), mark, body }
    }

    pub(super) fn plain(mark: Span<'static>, text: &str, style: Style) -> Part {
        Part::beside(mark, Body::Plain(Plain::new(text, style)))
    }

    /// Nothing follows in it.
    pub(super) fn finish(&mut self) {
        match &mut self.body {
            Body::Markdown(markdown) => markdown.finish(),
            Body::Plain(plain) => plain.finish(),
        }
    }

    /// On a narrow screen the gutter must leave room.
    fn gutter(&self, width: usize) -> usize {
        self.gutter.min(width / 3)
    }

    pub(super) fn rows(&mut self, width: usize, theme: Theme) -> &[Line<'static>] {
        let width = width - self.gutter(width);
        match &mut self.body {
            Body::Markdown(markdown) => markdown.rows(width, theme),
            Body::Plain(plain) => plain.rows(width),
        }
    }

    /// Draws one of its rows. The selected part has a mark of its own.
    pub(super) fn draw(&mut self, row: usize, is_selected: bool, theme: Theme, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width);
        let gutter = self.gutter(width);
        if row == 0 {
            buffer.set_stringn(area.x, area.y, &self.mark.content, gutter, self.mark.style);
        }
        let left = u16::try_from(gutter).unwrap_or(u16::MAX);
        if let Some(line) = self.rows(width, theme).get(row) {
            buffer.set_line(area.x.saturating_add(left), area.y, line, area.width.saturating_sub(left));
        }
        if is_selected {
            buffer.set_style(area, theme.chosen());
            if row == 0 {
                buffer.set_stringn(area.x, area.y, "❯", 1, theme.chosen());
            }
        }
    }

    /// One of its rows on its own, for the record.
    pub(super) fn line(&mut self, row: usize, theme: Theme, width: usize) -> Line<'static> {
        let gutter = self.gutter(width);
        let mark = if row == 0 { self.mark.clone() } else { Span::default() };
        let blanks = " ".repeat(gutter.saturating_sub(mark.width()));
        let mut line = Line::from(vec![mark, Span::raw(blanks)]);
        line.spans.extend(self.rows(width, theme).get(row).into_iter().flat_map(|row| row.spans.iter().cloned()));
        line
    }
}
