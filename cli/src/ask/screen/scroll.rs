//! The scroll position of the document.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use ratatui::layout::Rect;

use super::document::{DocumentLayout, RowRange};
use super::drawn::DrawnFrame;

/// Which rows of the document are visible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scroll {
    /// The open question; without one, the end of the document as it grows.
    ///
    /// Text that arrives after an open question moves nothing.
    Follow,
    /// Where the person scrolled to: row `top` of the `of` rows that there were at this width.
    At { top: usize, of: usize, width: u16 },
}

impl Scroll {
    /// Returns the first visible row.
    pub(super) fn top(self, layout: &DocumentLayout, area: Rect) -> usize {
        let height = usize::from(area.height);
        let last = layout.rows.saturating_sub(height);
        let top = match (self, layout.question) {
            (Scroll::At { top, width, .. }, _) if width == area.width => top,
            // The document was laid out for another width since: the position is approximate.
            (Scroll::At { top, of, .. }, _) => top.saturating_mul(layout.rows) / of.max(1),
            (Scroll::Follow, None) => last,
            (Scroll::Follow, Some(question)) => {
                let bottom = question.end.saturating_sub(height);
                match layout.selected {
                    // The beginning of the question, if the selected choice is then visible too.
                    Some(RowRange { end, .. }) if end - question.begin <= height => bottom.min(question.begin),
                    // The end of a long question, unless the selected choice is further up.
                    Some(RowRange { begin, .. }) => bottom.min(begin),
                    None => bottom,
                }
            }
        };
        top.min(last)
    }

    /// Scrolls by this many rows from the last frame.
    pub(super) fn by(&mut self, rows: isize, drawn: &DrawnFrame) {
        let DocumentLayout { rows: of, question, .. } = drawn.layout;
        let last = of.saturating_sub(usize::from(drawn.document.height));
        let top = drawn.top.saturating_add_signed(rows).min(last);
        // At the end of the document it follows again, unless a question is open.
        *self = if top == last && question.is_none() {
            Scroll::Follow
        } else {
            Scroll::At { top, of, width: drawn.document.width }
        };
    }

    /// Handles the key, and returns whether it is a key for scrolling.
    ///
    /// While a question is open, fewer keys are, because the others choose or edit.
    pub(super) fn key(&mut self, key: KeyEvent, drawn: &DrawnFrame, is_asking: bool) -> bool {
        let page = isize::try_from(drawn.document.height).unwrap_or(isize::MAX).saturating_sub(1).max(1);
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::PageUp => self.by(-page, drawn),
            KeyCode::PageDown => self.by(page, drawn),
            KeyCode::Home if control || !is_asking => self.by(isize::MIN, drawn),
            KeyCode::End if control || !is_asking => self.by(isize::MAX, drawn),
            KeyCode::Up | KeyCode::Char('k') if !is_asking => self.by(-1, drawn),
            KeyCode::Down | KeyCode::Char('j') if !is_asking => self.by(1, drawn),
            KeyCode::Char(' ') if !is_asking => self.by(page, drawn),
            _ => return false,
        }
        true
    }
}
