//! A part of the document whose text grows.

use ratatui::style::Style;
use ratatui::text::Span;

use super::markdown::Markdown;
use super::part::{Part, PartBody};
use super::plain_text::PlainText;

/// A part whose text grows.
#[derive(Debug)]
pub(super) struct GrowingPart {
    pub(super) part: Part,
    /// The length in bytes of the text in `part`.
    len: usize,
}

impl GrowingPart {
    pub(super) fn markdown(mark: Span<'static>) -> GrowingPart {
        GrowingPart { part: Part::beside(mark, PartBody::Markdown(Markdown::default())), len: 0 }
    }

    pub(super) fn plain(mark: Span<'static>, style: Style) -> GrowingPart {
        GrowingPart { part: Part::beside(mark, PartBody::Plain(PlainText::new("", style))), len: 0 }
    }

    /// Updates the part to a text that extends the one before.
    pub(super) fn extend_to(&mut self, text: &str) {
        if let Some(more) = text.get(self.len..).filter(|more| !more.is_empty()) {
            match &mut self.part.body {
                PartBody::Markdown(markdown) => markdown.push(more),
                PartBody::Plain(plain) => plain.push(more),
                PartBody::Line(_) => {}
            }
            self.len += more.len();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }
}
