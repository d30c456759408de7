//! Markdown as models write it, shown in rows while it grows.
//!
//! Nothing that the model wrote vanishes: markup that says nothing is shown as a style or a mark, and all else as it
//! is written – raw HTML, tables, where a link leads, and what CommonMark takes as the definition of a link, which
//! would be an invisible `[Option A]: PostgreSQL`.

mod growing;
mod layout;
#[cfg(test)]
mod tests;

use pulldown_cmark::{Event, Options, Parser};
use ratatui::text::Line;

use self::growing::completed;
use self::layout::lay_out;
use super::theme::Theme;
use crate::visible::Visible;

/// Markdown that grows at its end, laid out in rows.
///
/// A block that another one follows does not change any more: its rows are kept, and only the last block is looked at again.
#[derive(Debug, Default)]
pub(super) struct Markdown {
    visible: Visible,
    /// All of it, with nothing in it that a terminal would act on, nor that defines a link.
    source: String,
    finished: bool,
    rows: Vec<Line<'static>>,
    /// So much of the source is in so many rows that don't change any more.
    settled: usize,
    settled_rows: usize,
    /// How much of the source has been looked through for more of that: whole lines.
    searched: usize,
    laid: Option<Laid>,
}

/// What the rows were made of.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Laid {
    len: usize,
    finished: bool,
    look: (usize, Theme),
}

impl Markdown {
    /// Adds the next piece, as the model wrote it.
    pub(super) fn push(&mut self, more: &str) {
        let mut shown = String::new();
        self.visible.push(more, &mut shown);
        self.add(&shown);
    }

    /// Nothing follows.
    pub(super) fn finish(&mut self) {
        let mut shown = String::new();
        self.visible.end(&mut shown);
        self.add(&shown);
        self.finished = true;
    }

    pub(super) fn rows(&mut self, width: usize, theme: Theme) -> &[Line<'static>] {
        let laid = Laid { len: self.source.len(), finished: self.finished, look: (width, theme) };
        if self.laid != Some(laid) {
            if self.laid.is_none_or(|before| before.look != laid.look) {
                (self.settled, self.settled_rows, self.searched) = (0, 0, 0);
            }
            self.rows.truncate(self.settled_rows);
            self.settle(width, theme);
            self.lay_out_last(width, theme);
            self.laid = Some(laid);
        }
        &self.rows
    }

    fn add(&mut self, shown: &str) {
        for char in shown.chars() {
            match char {
                // Only ever in front of a line feed.
                '\r' => {}
                ':' if self.source.ends_with(']') => self.source.push(COLON),
                _ => self.source.push(char),
            }
        }
    }

    /// Lays out what does not change any more.
    fn settle(&mut self, width: usize, theme: Theme) {
        // What begins on a line that is not whole may still turn out to be more of what is above it.
        let searched = self.source.rfind('\n').map_or(0, |end| end + 1);
        if searched <= self.searched {
            return;
        }
        self.searched = searched;
        let Some(lines) = self.source.get(self.settled..searched) else { return };
        let len = last_block(lines);
        if let Some(settled) = lines.get(..len) {
            lay_out(settled, width, theme, &mut self.rows);
            self.settled += len;
            self.settled_rows = self.rows.len();
        }
    }

    fn lay_out_last(&mut self, width: usize, theme: Theme) {
        let Some(last) = self.source.get(self.settled..) else { return };
        if self.finished {
            lay_out(last, width, theme, &mut self.rows);
        } else {
            lay_out(&completed(last), width, theme, &mut self.rows);
        }
    }
}

/// Stands for the colon in `]:`, so that nothing defines a link. To all rules of Markdown but that it is punctuation like any other.
const COLON: char = '\u{FE13}';

/// A piece of the source as it is shown.
fn shown(source: &str) -> String {
    source.replace(COLON, ":")
}

fn parser(source: &str) -> Parser<'_> {
    Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
}

/// Where the line begins on which the last of the blocks does.
fn last_block(lines: &str) -> usize {
    let (mut last, mut depth) = (0, 0_usize);
    for (event, range) in parser(lines).into_offset_iter() {
        match event {
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => last = range.start,
            _ => {}
        }
        depth += usize::from(matches!(event, Event::Start(_)));
    }
    lines.get(..last).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1)
}
