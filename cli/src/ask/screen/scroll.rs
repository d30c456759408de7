//! Which rows of the document are seen.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use ratatui::layout::Rect;

use super::app::Drawn;
use super::document::{Layout, Rows};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scroll {
    /// The end of the document, as it grows; or, while a question is open, that question: what comes behind it moves nothing.
    Follow,
    /// Where the person has gone: so many rows are above what is seen, of so many that there were, at that width.
    At { top: usize, of: usize, width: u16 },
}

impl Scroll {
    /// The first row that is seen, of a screen of that height.
    pub(super) fn top(self, layout: &Layout, area: Rect) -> usize {
        let height = usize::from(area.height);
        let last = layout.rows.saturating_sub(height);
        let top = match (self, layout.question) {
            (Scroll::At { top, width, .. }, _) if width == area.width => top,
            // It has been laid out for another width: about there.
            (Scroll::At { top, of, .. }, _) => top.saturating_mul(layout.rows) / of.max(1),
            (Scroll::Follow, None) => last,
            (Scroll::Follow, Some(question)) => {
                let bottom = question.end.saturating_sub(height);
                match layout.selected {
                    // From its beginning as long as what is selected is seen too.
                    Some(Rows { end, .. }) if end - question.begin <= height => bottom.min(question.begin),
                    // A long question is seen from its end, unless what is selected is further above.
                    Some(Rows { begin, .. }) => bottom.min(begin),
                    None => bottom,
                }
            }
        };
        top.min(last)
    }

    /// Moves by that many rows from what was seen.
    pub(super) fn by(&mut self, rows: isize, drawn: &Drawn) {
        let Layout { rows: of, question, .. } = drawn.layout;
        let last = of.saturating_sub(usize::from(drawn.document.height));
        let top = drawn.top.saturating_add_signed(rows).min(last);
        // At the end of a document in which nothing is asked it follows again.
        *self = if top == last && question.is_none() {
            Scroll::Follow
        } else {
            Scroll::At { top, of, width: drawn.document.width }
        };
    }

    /// Whether that key is for scrolling. While a question is open some are for choosing, or for what is being written.
    pub(super) fn key(&mut self, key: KeyEvent, drawn: &Drawn, is_asking: bool) -> bool {
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
