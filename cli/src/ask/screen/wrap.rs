//! Lays a line of styled text out in rows.
//!
//! The same rules as where plain text flows, for text in several styles, in grapheme clusters, and as wide as ratatui draws it.

use ratatui::buffer::CellWidth;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::breaking::may_break;
use crate::visible::{acts, picture};

/// The rows of one line, at most so many columns wide.
///
/// `first` stands before the first of them and `rest` before the others, as far as that leaves room for the text.
pub(super) fn wrap(
    spans: &[Span<'_>],
    width: usize,
    first: &[Span<'static>],
    rest: &[Span<'static>],
) -> Vec<Line<'static>> {
    let mut rows = Rows::new(width, shortened(rest, width));
    let before = joined(first);
    if columns(first) < width {
        rows.begin = first.to_vec();
        rows.column = columns(first);
    } else {
        // There is no room beside it, but it may say something: it is text then.
        rows.text(&before);
    }
    let text = joined(spans);
    rows.text(&text);
    rows.end()
}

/// As much of what stands before a row as leaves most of it to the text.
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

/// How wide they are together.
pub(super) fn columns(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width_of(&span.content)).sum()
}

/// As wide as ratatui draws it, which is for a few characters not what Unicode says.
fn width_of(text: &str) -> usize {
    // It does not count further than to 65,535, and begins with 0 again.
    if text.len() > 1_000 { text.width() } else { text.cell_width().into() }
}

/// Pieces of different styles, in which nothing is left that a terminal would act on.
///
/// What is of one style is one piece, as it will be when it is drawn: a cluster may have come in two.
fn joined(spans: &[Span<'_>]) -> Vec<(Style, String)> {
    let mut joined: Vec<(Style, String)> = Vec::new();
    for span in spans {
        let shown = span.content.chars().map(|char| if char != '\t' && acts(char) { picture(char) } else { char });
        match joined.last_mut() {
            Some((style, text)) if *style == span.style => text.extend(shown),
            _ => joined.push((span.style, shown.collect())),
        }
    }
    joined
}

/// What is not cut.
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

/// Rows that are being filled.
#[derive(Debug)]
struct Rows<'a> {
    width: usize,
    /// What stands before the rows behind the first, and how wide it is.
    rest: Vec<Span<'static>>,
    indent: usize,
    done: Vec<Line<'static>>,
    /// The last row: what stands before it, the text in it, and how wide it is with both.
    begin: Vec<Span<'static>>,
    row: Vec<Cluster<'a>>,
    column: usize,
    /// It is more than blanks.
    inked: bool,
    /// Where in it a word begins that may move to the next one.
    word: Option<usize>,
    last: Option<char>,
}

impl<'a> Rows<'a> {
    fn new(width: usize, rest: Vec<Span<'static>>) -> Rows<'a> {
        Rows {
            width,
            indent: columns(&rest),
            rest,
            done: Vec::new(),
            begin: Vec::new(),
            row: Vec::new(),
            column: 0,
            inked: false,
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
            // No row has room for it, and what has no room is not drawn at all. Only a hostile one is as wide as that.
            for char in text.split("").filter(|char| !char.is_empty()) {
                self.push(Cluster { text: char, style, width: width_of(char) });
            }
        } else {
            self.push(Cluster { text, style, width });
        }
    }

    fn push(&mut self, cluster: Cluster<'a>) {
        if self.may_break(cluster) {
            self.word = Some(self.row.len());
        }
        while self.column.saturating_add(cluster.width) > self.width {
            if cluster.is_blank() {
                // Blanks at the end of a row are not seen, and must not begin the next.
                self.last = Some(' ');
                return;
            }
            if !self.make_room() {
                break;
            }
        }
        self.inked |= !cluster.is_blank();
        self.column += cluster.width;
        self.last = cluster.text.chars().next_back();
        self.row.push(cluster);
    }

    /// Whether a word begins with it that is not the first of its row.
    fn may_break(&self, cluster: Cluster<'_>) -> bool {
        let behind = cluster.text.chars().next();
        self.inked && self.last.zip(behind).is_some_and(|(before, behind)| may_break(before, behind))
    }

    /// Whether there is more room than before.
    fn make_room(&mut self) -> bool {
        if self.inked {
            // A word that fills its row is cut.
            let moved = self.row.split_off(self.word.unwrap_or(self.row.len()).min(self.row.len()));
            self.new_row(moved);
        } else if !self.row.is_empty() {
            // Blanks that leave no room for a word.
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
        self.inked = !row.is_empty();
        self.row = row;
        self.word = None;
    }

    fn finish_row(&mut self, goes_on: bool) {
        while goes_on && self.row.last().is_some_and(Cluster::is_blank) {
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

    fn end(mut self) -> Vec<Line<'static>> {
        self.finish_row(false);
        self.done
    }
}

/// Narrower than a terminal's: there is an indent already.
const TAB: usize = 4;

#[cfg(test)]
mod tests {
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::Stylize;
    use ratatui::widgets::Widget;

    use super::*;

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
    fn words_are_kept_whole_and_rows_indented() {
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
    fn tabs_are_blanks_to_the_next_column_of_four() {
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
    fn a_cluster_that_comes_in_two_pieces_of_one_style_is_whole() {
        let rows = wrap(&["x🇩".into(), "🇪".into(), "👩".into(), "\u{200D}👧".into()], 3, &[], &[]);
        assert_eq!(shown(&rows), ["x🇩🇪", "👩\u{200D}👧"]);
        assert_eq!(rows[0].spans.len(), 1);
    }

    #[test]
    fn a_cluster_that_is_wider_than_any_row_is_shown_in_parts() {
        let text = "ᄀ".repeat(100);
        assert_eq!(text.graphemes(true).count(), 1);
        let rows = plain(&text, 10);
        assert_eq!(rows.len(), 20);
        assert_eq!(rows.concat(), text);
    }

    #[test]
    fn styles_stay_with_their_text() {
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
    fn what_stands_before_text_leaves_room_for_it() {
        let deep = "│ ".repeat(50);
        let rows = wrap(&["one two three".into()], 12, &["• ".into()], &[deep.clone().into()]);
        assert_eq!(shown(&rows), ["• one two", "│ │ three"]);
        assert_eq!(shown(&shortened_line(&[deep.into(), "x".into()], 7)), ["│ "]);
        let rows = wrap(&["one".into()], 3, &["1000. ".into()], &["      ".into()]);
        assert_eq!(shown(&rows), ["100", " 0.", " on", " e"], "a number says something");
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
    fn nothing_that_a_terminal_acts_on_is_left() {
        assert_eq!(plain("a\x1B[2J\u{202E}b\nc\r", 40), ["a␛[2J\u{FFFD}b␊c␍"]);
    }

    #[test]
    fn every_row_is_drawn_whole() {
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
    fn a_long_line_is_quickly_laid_out() {
        for text in ["word ".repeat(200_000), "x".repeat(1_000_000), "日".repeat(300_000), "\u{200B}".repeat(300_000)]
        {
            for width in [1, 80, usize::MAX] {
                let rows = plain(&text, width);
                assert_eq!(rows.concat().replace(' ', "").len(), text.replace(' ', "").len());
            }
        }
    }
}
