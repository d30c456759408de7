//! Where the parts of the screen were drawn, for the mouse and for scrolling.

use ratatui::layout::Rect;

use super::document::{DocumentLayout, RowRange};

/// The positions in the last frame.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DrawnFrame {
    /// The area of the document.
    pub(super) document: Rect,
    /// The first visible row of the document.
    pub(super) top: usize,
    pub(super) layout: DocumentLayout,
    /// The area of the editor.
    pub(super) draft: Rect,
    /// Whether the countdown is visible.
    pub(super) countdown: bool,
}

impl DrawnFrame {
    /// Returns whether any row of the open question is visible.
    pub(super) fn is_question_visible(&self) -> bool {
        let bottom = self.top + usize::from(self.document.height);
        let is_visible = |rows: RowRange| rows.begin < bottom && rows.end > self.top;
        !self.document.is_empty() && self.layout.question.is_some_and(is_visible)
    }
}
