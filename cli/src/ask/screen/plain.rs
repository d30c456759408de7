//! Text that is shown as it is, in one style, and may grow at its end.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::wrap::wrap;
use crate::visible::Visible;

#[derive(Debug, Default)]
pub(super) struct Plain {
    /// What stands in front of it, in a style of its own.
    lead: Option<(String, Style)>,
    text: String,
    style: Style,
    visible: Visible,
    /// What it was laid out for. `None`: it must be done again from the start.
    width: Option<usize>,
    /// So much of the text has been laid out, in that many rows, and ends with a line: it can't change any more.
    settled: (usize, usize),
    /// Whether more has come since.
    grown: bool,
    rows: Vec<Line<'static>>,
}

impl Plain {
    pub(super) fn new(text: &str, style: Style) -> Plain {
        let mut plain = Plain { style, grown: true, ..Plain::default() };
        plain.push(text);
        plain
    }

    pub(super) fn push(&mut self, more: &str) {
        self.visible.push(more, &mut self.text);
        self.grown |= !more.is_empty();
    }

    /// Nothing follows.
    pub(super) fn finish(&mut self) {
        self.visible.end(&mut self.text);
        self.grown = true;
    }

    /// Changes what stands in front of it.
    pub(super) fn lead(&mut self, lead: Option<(String, Style)>) {
        if self.lead != lead {
            self.lead = lead;
            self.width = None;
        }
    }

    /// Costs what has come since the last time, and the line it has come to.
    pub(super) fn rows(&mut self, width: usize) -> &[Line<'static>] {
        if self.width != Some(width) {
            (self.width, self.settled, self.grown) = (Some(width), (0, 0), true);
        }
        if std::mem::take(&mut self.grown) {
            self.rows.truncate(self.settled.1);
            self.lay_out(width);
        }
        &self.rows
    }

    fn lay_out(&mut self, width: usize) {
        let (begin, _) = self.settled;
        let mut rest = self.text.get(begin..).unwrap_or_default();
        let mut lead = self.lead.as_ref().filter(|_| begin == 0);
        loop {
            let (line, next) = match rest.split_once('\n') {
                Some((line, next)) => (line, Some(next)),
                None => (rest, None),
            };
            // In front of a line feed it is part of it.
            let line = line.trim_end_matches('\r');
            let spans: Vec<Span<'_>> = lead
                .take()
                .map(|(lead, style)| Span::styled(&**lead, *style))
                .into_iter()
                .chain([Span::styled(line, self.style)])
                .collect();
            self.rows.extend(wrap(&spans, width, &[], &[]));
            let Some(next) = next else { return };
            self.settled = (self.text.len() - next.len(), self.rows.len());
            rest = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(plain: &mut Plain, width: usize) -> Vec<String> {
        plain.rows(width).iter().map(Line::to_string).collect()
    }

    #[test]
    fn lines_are_kept_and_wrapped() {
        let mut plain = Plain::new("one two\r\n\nthree\tfour\x1B", Style::new());
        assert_eq!(rows(&mut plain, 5), ["one", "two", "", "three", "four␛"]);
        plain.lead(Some(("[a] ".into(), Style::new())));
        assert_eq!(rows(&mut plain, 20), ["[a] one two", "", "three   four␛"]);
    }

    #[test]
    fn rows_do_not_depend_on_how_the_text_came() {
        let text = "ab cd\r\nef\n\ngh ij kl\r";
        for width in 0..9 {
            let mut whole = Plain::new(text, Style::new());
            whole.finish();
            let mut grown = Plain::new("", Style::new());
            for (at, char) in text.char_indices() {
                grown.push(&text[at..at + char.len_utf8()]);
                grown.rows(width);
            }
            grown.finish();
            assert_eq!(rows(&mut grown, width), rows(&mut whole, width), "{width}");
        }
    }
}
