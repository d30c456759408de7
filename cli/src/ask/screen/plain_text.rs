//! Growing text in one style, shown verbatim.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::wrap::wrap;
use crate::sanitize::Sanitizer;

/// Growing text, laid out in rows.
#[derive(Debug, Default)]
pub(super) struct PlainText {
    text: String,
    style: Style,
    sanitizer: Sanitizer,
    /// The width of the rows; `None` if everything has to be laid out again.
    width: Option<usize>,
    /// The bytes of complete lines, and the number of their rows. Those rows can't change any more.
    settled: (usize, usize),
    /// Whether the text has grown since the last layout.
    has_grown: bool,
    rows: Vec<Line<'static>>,
}

impl PlainText {
    pub(super) fn new(text: &str, style: Style) -> PlainText {
        let mut plain =
            PlainText { style, has_grown: true, sanitizer: Sanitizer::keeping_isolates(), ..PlainText::default() };
        plain.push(text);
        plain
    }

    pub(super) fn push(&mut self, more: &str) {
        self.sanitizer.push(more, &mut self.text);
        self.has_grown |= !more.is_empty();
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) {
        self.sanitizer.finish(&mut self.text);
        self.has_grown = true;
    }

    /// Returns the rows.
    ///
    /// The cost is that of the text since the last call, and of its incomplete line.
    pub(super) fn rows(&mut self, width: usize) -> &[Line<'static>] {
        if self.width != Some(width) {
            (self.width, self.settled, self.has_grown) = (Some(width), (0, 0), true);
        }
        if std::mem::take(&mut self.has_grown) {
            self.rows.truncate(self.settled.1);
            self.lay_out(width);
        }
        &self.rows
    }

    fn lay_out(&mut self, width: usize) {
        let (begin, _) = self.settled;
        let mut rest = self.text.get(begin..).unwrap_or_default();
        loop {
            let (line, next) = match rest.split_once('\n') {
                Some((line, next)) => (line, Some(next)),
                None => (rest, None),
            };
            // A carriage return here is part of the line feed.
            let line = line.trim_end_matches('\r');
            self.rows.extend(wrap(&[Span::styled(line, self.style)], width, &[], &[]));
            let Some(next) = next else { return };
            self.settled = (self.text.len() - next.len(), self.rows.len());
            rest = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(plain: &mut PlainText, width: usize) -> Vec<String> {
        plain.rows(width).iter().map(Line::to_string).collect()
    }

    #[test]
    fn lines_are_kept_and_wrapped() {
        let mut plain = PlainText::new("one two\r\n\nthree\tfour\x1B", Style::new());
        assert_eq!(rows(&mut plain, 5), ["one", "two", "", "three", "four␛"]);
        assert_eq!(rows(&mut plain, 20), ["one two", "", "three   four␛"]);
    }

    #[test]
    fn rows_are_independent_of_how_the_text_arrived() {
        let text = "ab cd\r\nef\n\ngh ij kl\r";
        for width in 0..9 {
            let mut whole = PlainText::new(text, Style::new());
            whole.finish();
            let mut grown = PlainText::new("", Style::new());
            for (at, char) in text.char_indices() {
                grown.push(&text[at..at + char.len_utf8()]);
                grown.rows(width);
            }
            grown.finish();
            assert_eq!(rows(&mut grown, width), rows(&mut whole, width), "{width}");
        }
    }
}
