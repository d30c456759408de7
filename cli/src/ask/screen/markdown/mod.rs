//! Markdown as models write it, laid out in rows while it grows.
//!
//! Nothing that the model wrote is lost. Markup without content becomes a style or a mark;
//! everything else is shown as written: raw HTML, the destinations of links, and link definitions,
//! because CommonMark would hide a line like `[Option A]: PostgreSQL`. A table that is too wide for
//! the screen is shown as written, too, and so is one with a row that has more cells than its head.

mod completion;
mod layout;
mod source;
mod table;
#[cfg(test)]
mod tests;

use pulldown_cmark::Event;
use ratatui::text::{Line, Span};

use self::completion::completed;
use self::layout::lay_out;
use self::source::parser;
use self::table::completed_head;
use super::theme::Theme;
use super::wrap::wrap;
use crate::isolates::open_count;
use crate::sanitize::Sanitizer;

/// Growing Markdown, laid out in rows.
///
/// A block that is followed by another one can't change any more: its rows are kept, and only the
/// last block is parsed again.
#[derive(Debug)]
pub(super) struct Markdown {
    sanitizer: Sanitizer,
    /// The text so far, sanitized, and without link definitions.
    source: String,
    is_finished: bool,
    rows: Vec<Line<'static>>,
    /// The length in bytes of the blocks that can't change any more.
    settled: usize,
    /// The number of rows of these blocks.
    settled_rows: usize,
    /// The length in bytes of the complete lines that were searched for such blocks.
    searched: usize,
    cached: Option<CacheKey>,
    /// What the first row begins with. With it, there is a row even without text.
    lead: Option<Span<'static>>,
    /// What follows the text.
    tail: Option<Span<'static>>,
}

/// What the cached rows depend on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CacheKey {
    len: usize,
    is_finished: bool,
    width: usize,
    theme: Theme,
}

impl Default for Markdown {
    fn default() -> Markdown {
        Markdown {
            sanitizer: Sanitizer::keeping_isolates(),
            source: String::new(),
            is_finished: false,
            rows: Vec::new(),
            settled: 0,
            settled_rows: 0,
            searched: 0,
            cached: None,
            lead: None,
            tail: None,
        }
    }
}

impl Markdown {
    /// Sets what the first row begins with.
    pub(super) fn set_lead(&mut self, lead: Span<'static>) {
        let lead = Some(lead);
        if self.lead != lead {
            (self.lead, self.cached) = (lead, None);
            (self.settled, self.settled_rows, self.searched) = (0, 0, 0);
        }
    }

    /// Sets what follows the text.
    pub(super) fn set_tail(&mut self, tail: Span<'static>) {
        (self.tail, self.cached) = (Some(tail), None);
    }

    /// Appends the next piece, as the model wrote it.
    pub(super) fn push(&mut self, more: &str) {
        let mut sanitized = String::new();
        self.sanitizer.push(more, &mut sanitized);
        source::push(&mut self.source, &sanitized);
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) {
        let mut sanitized = String::new();
        self.sanitizer.finish(&mut sanitized);
        source::push(&mut self.source, &sanitized);
        self.is_finished = true;
    }

    /// Returns the rows.
    pub(super) fn rows(&mut self, width: usize, theme: Theme) -> &[Line<'static>] {
        let key = CacheKey { len: self.source.len(), is_finished: self.is_finished, width, theme };
        if self.cached != Some(key) {
            if self.cached.is_none_or(|cached| (cached.width, cached.theme) != (width, theme)) {
                (self.settled, self.settled_rows, self.searched) = (0, 0, 0);
            }
            self.rows.truncate(self.settled_rows);
            self.settle(width, theme);
            self.lay_out_last(width, theme);
            self.lay_out_tail(width);
            self.cached = Some(key);
        }
        &self.rows
    }

    /// Lays out the blocks that can't change any more.
    fn settle(&mut self, width: usize, theme: Theme) {
        // A block on an incomplete line may turn out to be a part of the block above.
        let searched = self.source.rfind('\n').map_or(0, |end| end + 1);
        if searched <= self.searched {
            return;
        }
        self.searched = searched;
        let Some(lines) = self.source.get(self.settled..searched) else { return };
        let len = last_block_start(lines);
        if let Some(settled) = lines.get(..len) {
            lay_out(settled, width, theme, self.lead.as_ref(), &mut self.rows);
            self.settled += len;
            self.settled_rows = self.rows.len();
        }
    }

    fn lay_out_last(&mut self, width: usize, theme: Theme) {
        let Some(last) = self.source.get(self.settled..) else { return };
        let lead = self.lead.as_ref();
        if self.is_finished {
            lay_out(last, width, theme, lead, &mut self.rows);
        } else {
            let mut last = with_completed_head(completed(last));
            // Open isolates, too, are shown as if they were closed.
            last.extend(std::iter::repeat_n('\u{2069}', open_count(&last)));
            lay_out(&last, width, theme, lead, &mut self.rows);
        }
        if let (true, Some(lead)) = (self.rows.is_empty(), lead) {
            self.rows.push(Line::from(lead.clone()));
        }
    }

    /// Appends the tail to the last row, or where there is no room, below it.
    fn lay_out_tail(&mut self, width: usize) {
        let Some(tail) = &self.tail else { return };
        // Rows of settled blocks are kept for the next layout.
        let last = self.rows.get_mut(self.settled_rows..).and_then(<[_]>::last_mut);
        match last.filter(|last| last.width() + 1 + tail.width() <= width) {
            Some(last) => last.spans.extend([Span::raw(" "), tail.clone()]),
            None => self.rows.extend(wrap(std::slice::from_ref(tail), width, &[], &[])),
        }
    }
}

/// Completes the head of a table in the last block.
fn with_completed_head(mut source: String) -> String {
    let last = last_block_start(&source);
    if let Some(completed) = source.get(last..).and_then(completed_head) {
        source.truncate(last);
        source.push_str(&completed);
    }
    source
}

/// Returns the offset of the line on which the last block begins.
fn last_block_start(lines: &str) -> usize {
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
