//! Wraps a line of styled text into rows.
//!
//! The rules are those of plain output, but for text in several styles, in grapheme clusters, and
//! with the widths that ratatui draws.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::isolates::{balanced, is_isolate};
use crate::line_break::can_break;
use crate::sanitize::{is_control, replacement};

/// Returns the rows of one line, at most `width` columns wide.
///
/// The first row begins with `first`, the others with `rest`, as far as there is room for the text.
pub(super) fn wrap(
    spans: &[Span<'_>],
    width: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    let mut rows = RowBuilder::new(width, shortened(rest, width));
    let first_text = joined(first);
    if columns(first) < width {
        rows.begin = first.to_vec();
        rows.column = columns(first);
    } else {
        // There is no room next to it, so it is part of the text.
        rows.text(&first_text);
    }
    let text = joined(spans);
    rows.text(&text);
    rows.finish()
}

/// Shortens the prefix of a row to a third of the width.
pub(super) fn shortened(prefix: &[Span<'static>], width: usize) -> Vec<Span<'static>> {
    let mut room = width / 3;
    let mut kept = Vec::new();
    for span in prefix {
        let all = width_of(&span.content);
        if all <= room {
            room -= all;
            kept.push(span.clone());
            continue;
        }
        let part = span.content.graphemes(true).take_while(|cluster| {
            let fits = room.checked_sub(width_of(cluster));
            room = fits.unwrap_or(0);
            fits.is_some()
        });
        kept.push(Span::styled(part.collect::<String>(), span.style));
        break;
    }
    kept.retain(|span| !span.content.is_empty());
    kept
}

/// Returns the total width of spans.
pub(super) fn columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width_of(&span.content)).sum()
}

/// Returns the width that ratatui draws, which for a few characters differs from Unicode's.
fn width_of(text: &str) -> usize {
    // The result of `cell_width` wraps around at 65,536.
    if text.len() > 1_000 { text.width() } else { text.cell_width().into() }
}

/// Joins neighbouring spans of the same style, and replaces control characters.
///
/// Isolates that are balanced in the line are kept. A row that ends inside one ends its effect.
///
/// Joining matters because a grapheme cluster may be spread over two spans.
fn joined(spans: &[Span<'_>]) -> Vec<(Style, String)> {
    let has_isolates = spans.iter().any(|span| span.content.contains(is_isolate));
    let whole = if has_isolates { spans.iter().map(|span| &*span.content).collect() } else { String::new() };
    let balanced = balanced(&whole);
    let (mut joined, mut begin): (Vec<(Style, String)>, _) = (Vec::new(), 0);
    for span in spans {
        let is_kept = |at| balanced.binary_search(&(begin + at)).is_ok();
        let shown = span.content.char_indices().map(|(at, char)| match char {
            '\t' => char,
            _ if is_control(char) && !is_kept(at) => replacement(char),
            _ => char,
        });
        match joined.last_mut() {
            Some((style, text)) if *style == span.style => text.extend(shown),
            _ => joined.push((span.style, shown.collect())),
        }
        begin += span.content.len();
    }
    joined
}

/// A grapheme cluster, which is never cut.
#[derive(Clone, Copy, Debug)]
struct Cluster<'a> {
    text: &'a str,
    style: Style,
    width: usize,
}

impl Cluster<'_> {
    fn is_blank(&self) -> bool {
        self.text == " "
    }
}

/// A builder of rows.
#[derive(Debug)]
struct RowBuilder<'a> {
    width: usize,
    /// The prefix of the rows after the first.
    rest: Vec<Span<'static>>,
    /// The width of `rest`.
    indent: usize,
    done: Vec<Line<'static>>,
    /// The prefix of the last row.
    begin: Vec<Span<'static>>,
    /// The text of the last row.
    row: Vec<Cluster<'a>>,
    /// The width of the last row with its prefix.
    column: usize,
    /// Whether the last row holds more than blanks.
    has_ink: bool,
    /// The index in the last row of a word that may move to the next row.
    word: Option<usize>,
    last: Option<char>,
}

impl<'a> RowBuilder<'a> {
    fn new(width: usize, rest: Vec<Span<'static>>) -> RowBuilder<'a> {
        RowBuilder {
            width,
            indent: columns(&rest),
            rest,
            done: Vec::new(),
            begin: Vec::new(),
            row: Vec::new(),
            column: 0,
            has_ink: false,
            word: None,
            last: None,
        }
    }

    fn text(&mut self, pieces: &'a [(Style, String)]) {
        for (style, text) in pieces {
            for cluster in text.graphemes(true) {
                self.cluster(cluster, *style);
            }
        }
    }

    fn cluster(&mut self, text: &'a str, style: Style) {
        if text == "\t" {
            let column = self.column.saturating_sub(columns(&self.begin));
            (column..(column / TAB + 1) * TAB).for_each(|_| self.push(Cluster { text: " ", style, width: 1 }));
            return;
        }
        let width = width_of(text);
        if width > self.width.max(2) {
            // No row has room for this cluster, and ratatui would not draw it at all. Only hostile
            // text has one.
            for char in text.split("").filter(|char| !char.is_empty()) {
                self.push(Cluster { text: char, style, width: width_of(char) });
            }
        } else {
            self.push(Cluster { text, style, width });
        }
    }

    fn push(&mut self, cluster: Cluster<'a>) {
        if self.can_break(cluster) {
            self.word = Some(self.row.len());
        }
        while self.column.saturating_add(cluster.width) > self.width {
            if cluster.is_blank() {
                // Blanks at the end of a row are invisible, and must not begin the next row.
                self.last = Some(' ');
                return;
            }
            if !self.make_room() {
                break;
            }
        }
        self.has_ink |= !cluster.is_blank();
        self.column += cluster.width;
        self.last = cluster.text.chars().next_back();
        self.row.push(cluster);
    }

    /// Returns whether a row can be broken before the cluster.
    fn can_break(&self, cluster: Cluster<'_>) -> bool {
        let after = cluster.text.chars().next();
        self.has_ink && self.last.zip(after).is_some_and(|(before, after)| can_break(before, after))
    }

    /// Makes room in the last row, and returns whether there is more than before.
    fn make_room(&mut self) -> bool {
        if self.has_ink {
            // A word as wide as its row is cut.
            let moved = self.row.split_off(self.word.unwrap_or(self.row.len()).min(self.row.len()));
            self.new_row(moved);
        } else if !self.row.is_empty() {
            // The row holds only blanks, which leave no room for a word.
            self.column -= self.row.drain(..).map(|cluster| cluster.width).sum::<usize>();
        } else if self.begin.is_empty() {
            return false;
        } else if self.done.is_empty() && self.column > self.indent {
            self.new_row(Vec::new());
        } else {
            self.begin.clear();
            self.column = 0;
        }
        true
    }

    fn new_row(&mut self, row: Vec<Cluster<'a>>) {
        self.finish_row(true);
        self.begin = self.rest.clone();
        self.column = self.indent + row.iter().map(|cluster| cluster.width).sum::<usize>();
        self.has_ink = !row.is_empty();
        self.row = row;
        self.word = None;
    }

    fn finish_row(&mut self, is_continued: bool) {
        while is_continued && self.row.last().is_some_and(Cluster::is_blank) {
            self.row.pop();
        }
        let mut spans = std::mem::take(&mut self.begin);
        let before = spans.len();
        for cluster in self.row.drain(..) {
            match spans.get_mut(before..).and_then(<[_]>::last_mut) {
                Some(span) if span.style == cluster.style => span.content.to_mut().push_str(cluster.text),
                _ => spans.push(Span::styled(cluster.text.to_owned(), cluster.style)),
            }
        }
        self.done.push(Line::from(spans));
    }

    fn finish(mut self) -> Vec<Line<'static>> {
        self.finish_row(false);
        self.done
    }
}

/// The distance of tab stops. Smaller than a terminal's, because rows are already indented.
const TAB: usize = 4;

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Stylize;
    use ratatui::widgets::Widget;

    use super::*;
    use crate::test_size::sized;

    fn shown(rows: &[Line<'_>]) -> Vec<String> {
        rows.iter().map(|row| row.spans.iter().map(|span| &*span.content).collect()).collect()
    }

    fn rows(text: &str, width: usize) -> Vec<String> {
        shown(&wrap(&[text.into()], width, &["• ".into()], &["  ".into()]))
    }

    fn plain(text: &str, width: usize) -> Vec<String> {
        shown(&wrap(&[text.into()], width, &[], &[]))
    }

    #[test]
    fn words_are_kept_whole_and_rows_are_indented() {
        assert_eq!(rows("one two three", 9), ["• one two", "  three"]);
        assert_eq!(rows("one  twos", 7), ["• one", "  twos"]);
        assert_eq!(rows("one two", 5), ["• one", " two"], "the indent leaves room");
        assert_eq!(rows("", 9), ["• "]);
        assert_eq!(plain("", 0), [""]);
    }

    #[test]
    fn blanks_at_the_end_of_a_row_are_dropped_and_others_kept() {
        assert_eq!(plain("one      two", 5), ["one", "two"]);
        assert_eq!(plain("  one", 9), ["  one"]);
        assert_eq!(plain("one  ", 9), ["one  "]);
        assert_eq!(plain("one     ", 5), ["one  "]);
        assert_eq!(plain("         one", 5), ["one"], "no row for blanks alone");
    }

    #[test]
    fn a_word_that_is_longer_than_a_row_is_cut() {
        assert_eq!(rows("abcdefghijklm", 6), ["• abcd", "  efgh", "  ijkl", "  m"]);
        assert_eq!(rows("a bcdefghijk", 6), ["• a", "  bcde", "  fghi", "  jk"]);
    }

    #[test]
    fn a_tab_extends_to_the_next_multiple_of_four_columns() {
        assert_eq!(rows("\ta\tbcd\te", 40), ["•     a   bcd e"]);
        assert_eq!(rows("日\tb", 40), ["• 日  b"]);
        assert_eq!(rows("abc\t\td", 8), ["• abc", "  d"]);
    }

    #[test]
    fn wide_characters_take_two_columns_and_break_anywhere_but_around_punctuation() {
        assert_eq!(rows("どのデータベース", 8), ["• どの", "  データ", "  ベース"]);
        assert_eq!(rows("use日本", 8), ["• use日", "  本"]);
        assert_eq!(rows("日本。語", 6), ["• 日", "  本。", "  語"]);
    }

    #[test]
    fn clusters_are_never_cut() {
        let clusters = ["👩‍👩‍👧", "e\u{301}", "🇩🇪", "🇫🇷", "ก็", "日", "👍🏽", "x"];
        let text = clusters.concat();
        for width in 1..24 {
            let rows = plain(&text, width);
            let cut: Vec<&str> = rows.iter().flat_map(|row| row.graphemes(true)).collect();
            assert_eq!(cut, clusters, "{width}");
        }
        assert_eq!(rows("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 6), ["• 👩‍👩‍👧👩‍👩‍👧", "  👩‍👩‍👧"]);
    }

    #[test]
    fn a_cluster_in_two_spans_of_one_style_is_kept_whole() {
        let rows = wrap(&["x🇩".into(), "🇪".into(), "👩".into(), "\u{200D}👧".into()], 3, &[], &[]);
        assert_eq!(shown(&rows), ["x🇩🇪", "👩\u{200D}👧"]);
        assert_eq!(rows[0].spans.len(), 1);
    }

    #[test]
    fn a_cluster_wider_than_any_row_is_cut_into_characters() {
        let text = "ᄀ".repeat(100);
        assert_eq!(text.graphemes(true).count(), 1);
        let rows = plain(&text, 10);
        assert_eq!(rows.len(), 20);
        assert_eq!(rows.concat(), text);
    }

    #[test]
    fn styles_are_kept() {
        let bold = Style::new().bold();
        let spans = ["one ".into(), Span::styled("two thr", bold), Span::styled("ee", bold), " four".into()];
        let rows = wrap(&spans, 9, &["│ ".dim()], &["│ ".dim()]);
        let expected: Vec<Line<'_>> = vec![
            vec!["│ ".dim(), "one ".into(), "two".bold()].into(),
            vec!["│ ".dim(), "three".bold()].into(),
            vec!["│ ".dim(), "four".into()].into(),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_prefix_leaves_room_for_the_text() {
        let deep = "│ ".repeat(50);
        let rows = wrap(&["one two three".into()], 12, &["• ".into()], &[deep.clone().into()]);
        assert_eq!(shown(&rows), ["• one two", "│ │ three"]);
        assert_eq!(shown(&shortened_line(&[deep.into(), "x".into()], 7)), ["│ "]);
        let rows = wrap(&["one".into()], 3, &["1000. ".into()], &["      ".into()]);
        assert_eq!(shown(&rows), ["100", " 0.", " on", " e"], "a number becomes text");
    }

    fn shortened_line(prefix: &[Span<'static>], width: usize) -> [Line<'static>; 1] {
        [Line::from(shortened(prefix, width))]
    }

    #[test]
    fn the_narrowest_screen_still_shows_every_character() {
        for width in 0..4 {
            let shown = rows("ab\t日本 👩‍👩‍👧", width).concat();
            assert_eq!(shown.replace(' ', ""), "•ab日本👩‍👩‍👧", "{width}");
        }
    }

    #[test]
    fn control_characters_are_replaced() {
        assert_eq!(plain("a\x1B[2J\u{202E}b\nc\r", 40), ["a␛[2J\u{FFFD}b␊c␍"]);
    }

    #[test]
    fn balanced_isolates_are_kept_and_take_no_room() {
        assert_eq!(plain("\u{2067}ab\u{2069} \u{2066}c", 40), ["\u{2067}ab\u{2069} \u{FFFD}c"]);
        assert_eq!(plain("\u{2067}ab\u{2069} cd", 5), ["\u{2067}ab\u{2069} cd"]);
        let rows = wrap(&["\u{2067}a".into(), "b".bold(), "\u{2069}\u{2069}".into()], 40, &[], &[]);
        assert_eq!(shown(&rows), ["\u{2067}ab\u{2069}\u{FFFD}"]);
    }

    #[test]
    fn every_row_is_drawn_completely() {
        let text =
            "Which one, どのデータベース, ｶﾞｷﾞ it be?\t👩‍👩‍👧 e\u{301} x supercalifragilistic \u{200B} ok あﾞ e\u{200B}e";
        for width in 3..40 {
            for row in wrap(&[text.into()], width, &["1. ".into()], &["│ ".dim(), "  ".into()]) {
                let area = Rect::new(0, 0, u16::try_from(width).unwrap(), 1);
                let mut buffer = Buffer::empty(area);
                (&row).render(area, &mut buffer);
                let mut drawn = String::new();
                let mut column = 0;
                while let Some(cell) = buffer.content.get(column) {
                    drawn += cell.symbol();
                    column += width_of(cell.symbol()).max(1);
                }
                let row = shown(&[row]).concat();
                assert_eq!(drawn.trim_end(), row.trim_end(), "{width}");
                assert!(width_of(&row) <= width, "{width}: {row:?}");
            }
        }
    }

    #[test]
    fn a_long_line_is_wrapped_in_linear_time() {
        for text in [
            "word ".repeat(sized(200_000)),
            "x".repeat(sized(1_000_000)),
            "日".repeat(sized(300_000)),
            "\u{200B}".repeat(sized(300_000)),
        ] {
            for width in [1, 80, usize::MAX] {
                let rows = plain(&text, width);
                assert_eq!(rows.concat().replace(' ', "").len(), text.replace(' ', "").len());
            }
        }
    }
}
