//! A call of another tool: one line, or all of it.

use followup::Opaque;
use ratatui::text::Span;

use super::cut_line::CutLine;
use super::part::{Part, PartBody};
use super::plain_text::PlainText;
use super::theme::Theme;
use crate::sanitize::{one_line, sanitize};

/// A call of another tool.
#[derive(Debug)]
pub(super) struct OpaqueView {
    tool: String,
    id: Option<String>,
    /// The beginning of what the model wrote.
    excerpt: String,
    line: Part,
    text: Part,
}

impl OpaqueView {
    pub(super) fn new(piece: &Opaque<'_>, theme: Theme) -> OpaqueView {
        let mut text = PlainText::new("", theme.dim());
        // The first piece of a native call is empty. Markup names its tool itself.
        if !piece.start || piece.raw.is_empty() {
            text.push(&format!("{} ", piece.tool));
        }
        let line = CutLine::new(Span::styled(sanitize(&one_line(piece.tool)), theme.strong()), theme.dim());
        OpaqueView {
            tool: piece.tool.to_owned(),
            id: piece.id.map(str::to_owned),
            excerpt: String::new(),
            line: Part::beside(Span::styled("▸ ", theme.dim()), PartBody::Line(line)),
            text: Part::bare(PartBody::Plain(text)),
        }
    }

    /// Returns whether the piece continues this call.
    pub(super) fn is_continued_by(&self, piece: &Opaque<'_>) -> bool {
        !piece.start && self.tool == piece.tool && self.id.as_deref() == piece.id
    }

    pub(super) fn push(&mut self, raw: &str) {
        if let PartBody::Plain(text) = &mut self.text.body {
            text.push(raw);
        }
        let room = MAX_EXCERPT.saturating_sub(self.excerpt.len());
        if room > 0 {
            let end = (0..=room.min(raw.len())).rev().find(|&end| raw.is_char_boundary(end)).unwrap_or(0);
            self.excerpt.push_str(raw.get(..end).unwrap_or_default());
            let shown = self.shown_excerpt();
            if let PartBody::Line(line) = &mut self.line.body {
                line.set_text(shown);
            }
        }
    }

    /// Returns the beginning of the arguments, without the tags of the tool.
    fn shown_excerpt(&self) -> String {
        let open = format!("<{}>", self.tool);
        let Some(arguments) = self.excerpt.strip_prefix(&open) else {
            // The first tag may be incomplete.
            return if open.starts_with(&self.excerpt) { String::new() } else { sanitize(&one_line(&self.excerpt)) };
        };
        let arguments = arguments.strip_suffix(&format!("</{}>", self.tool)).unwrap_or(arguments);
        sanitize(&one_line(arguments))
    }

    pub(super) fn finish(&mut self) {
        self.text.finish();
    }

    /// Returns the part to show.
    pub(super) fn part(&mut self, is_open: bool) -> &mut Part {
        if is_open { &mut self.text } else { &mut self.line }
    }
}

/// How many bytes of a call its line may show.
const MAX_EXCERPT: usize = 400;
