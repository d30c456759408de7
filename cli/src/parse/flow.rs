//! Text laid out in rows, as it grows.
//!
//! Words are not cut where that can be helped, so the last word may move to a new row while it grows; nothing
//! else ever moves. A character costs the same however long the text is.

use anstyle::{AnsiColor, Style};

use crate::breaking::{may_break, width};
use crate::visible::{Visible, acts, picture};

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The mark of a call that is still open, or can be asked, or can't.
    Open,
    Asked,
    Rejected,
    Question,
    Number,
    Mode,
    Answer,
    Note,
}

impl Look {
    pub(super) fn style(self) -> Style {
        match self {
            Look::Open => AnsiColor::Yellow.on_default().bold(),
            Look::Asked => AnsiColor::Green.on_default().bold(),
            Look::Rejected => AnsiColor::Red.on_default(),
            Look::Question => Style::new().bold(),
            Look::Number => AnsiColor::Cyan.on_default(),
            Look::Mode => AnsiColor::Magenta.on_default(),
            Look::Answer => Style::new(),
            Look::Note => Style::new().dimmed(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) char: char,
    pub(super) look: Look,
}

/// One row, and how much of it stands on the screen.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// So many cells at its beginning are on the screen already.
    pub(super) drawn: usize,
    /// More is on the screen behind them, which is no longer here.
    pub(super) leftover: bool,
    /// A colour has changed in it, and nothing else.
    pub(super) recoloured: bool,
}

impl Row {
    /// What is on the screen in its place is something else.
    pub(super) fn forget(&mut self) {
        (self.drawn, self.leftover) = (0, true);
    }

    /// It is on the screen as it is.
    pub(super) fn draw(&mut self) {
        (self.drawn, self.leftover, self.recoloured) = (self.cells.len(), false, false);
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.drawn == self.cells.len() && !self.leftover
    }

    pub(super) fn width(&self) -> usize {
        self.cells.iter().map(|cell| width(cell.char)).sum()
    }

    fn truncate(&mut self, len: usize) -> Vec<Cell> {
        if self.drawn > len {
            (self.drawn, self.leftover) = (len, true);
        }
        self.cells.split_off(len)
    }
}

/// A text that grows at its end.
#[derive(Debug)]
pub(super) struct Flow {
    /// What stands in front of it.
    prefix: Vec<(String, Look)>,
    text: String,
    look: Look,
    /// How far rows behind the first are indented.
    indent: usize,
    /// How wide rows may be.
    width: usize,
    pub(super) rows: Vec<Row>,
    visible: Visible,
    /// The width of the last row.
    column: usize,
    /// Where the indent of the last row ends.
    begin: usize,
    /// Where in the last row a word begins that may move to the next one.
    word: Option<usize>,
    last: Option<char>,
}

impl Flow {
    pub(super) fn new(prefix: Vec<(String, Look)>, indent: usize, look: Look, width: usize) -> Flow {
        let mut flow = Flow {
            prefix,
            text: String::new(),
            look,
            indent,
            width: 0,
            rows: Vec::new(),
            visible: Visible::default(),
            column: 0,
            begin: 0,
            word: None,
            last: None,
        };
        flow.resize(width);
        flow
    }

    /// Lays everything out again.
    pub(super) fn resize(&mut self, width: usize) {
        self.width = width;
        self.rows.clear();
        self.rows.push(Row::default());
        self.visible = Visible::default();
        (self.column, self.begin, self.word, self.last) = (0, 0, None, None);
        let (prefix, text) = (std::mem::take(&mut self.prefix), std::mem::take(&mut self.text));
        for (part, look) in &prefix {
            part.chars().for_each(|char| self.push(char, *look));
        }
        self.show(&text);
        (self.prefix, self.text) = (prefix, text);
    }

    pub(super) fn prefix(&self) -> &[(String, Look)] {
        &self.prefix
    }

    /// Makes the text this one, which begins with what it has been.
    pub(super) fn grow(&mut self, text: &str) {
        let Some(more) = text.get(self.text.len()..) else { return };
        self.show(more);
        self.text.push_str(more);
    }

    /// Changes the colour of the first part of the prefix.
    pub(super) fn recolour(&mut self, look: Look) {
        let Some((mark, was)) = self.prefix.first_mut() else { return };
        *was = look;
        if let Some(row) = self.rows.first_mut() {
            row.cells.iter_mut().take(mark.chars().count()).for_each(|cell| cell.look = look);
            row.recoloured = true;
        }
    }

    fn show(&mut self, text: &str) {
        let mut shown = String::new();
        self.visible.push(text, &mut shown);
        for char in shown.chars() {
            match char {
                '\n' => self.new_row(Vec::new()),
                // In front of a line feed: part of it.
                '\r' => {}
                '\t' => {
                    let to = (self.column / TAB + 1) * TAB;
                    (self.column..to).for_each(|_| self.push(' ', self.look));
                }
                _ => self.push(char, self.look),
            }
        }
    }

    fn push(&mut self, char: char, look: Look) {
        // The one way into a row.
        let char = if acts(char) { picture(char) } else { char };
        let width = width(char);
        let end = self.end();
        if self.last.is_some_and(|last| may_break(last, char)) {
            self.word = Some(end);
        }
        // A row that is only an indent takes a character even if there is no room.
        while self.column.saturating_add(width) > self.width && self.end() > self.begin {
            if char == ' ' {
                // Blanks at the end of a row are not seen, and must not begin the next.
                self.last = Some(char);
                return;
            }
            // A word that fills its row is cut.
            let word = self.word.unwrap_or(self.end());
            let moved = self.rows.last_mut().map(|row| row.truncate(word)).unwrap_or_default();
            self.new_row(moved);
        }
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(Cell { char, look });
        }
        self.column += width;
        self.last = Some(char);
    }

    fn new_row(&mut self, cells: Vec<Cell>) {
        // On a very narrow screen the indent must leave room.
        let indent = self.indent.min(self.width / 3);
        let blank = Cell { char: ' ', look: self.look };
        let mut row = Row { cells: vec![blank; indent], ..Row::default() };
        row.cells.extend(cells);
        self.column = row.width();
        self.rows.push(row);
        (self.begin, self.word, self.last) = (indent, None, None);
    }

    fn end(&self) -> usize {
        self.rows.last().map_or(0, |row| row.cells.len())
    }
}

/// Narrower than a terminal's: there is an indent already.
const TAB: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(flow: &Flow) -> Vec<String> {
        flow.rows.iter().map(|row| row.cells.iter().map(|cell| cell.char).collect::<String>()).collect()
    }

    fn flow(text: &str, width: usize) -> Flow {
        let mut flow = Flow::new(vec![("? ".into(), Look::Open)], 2, Look::Question, width);
        flow.grow(text);
        flow
    }

    #[test]
    fn words_are_kept_whole_and_rows_indented() {
        assert_eq!(rows(&flow("one two three", 9)), ["? one two", "  three"]);
        assert_eq!(rows(&flow("one  twos", 7)), ["? one  ", "  twos"]);
        assert_eq!(rows(&flow("one\n\n  two", 20)), ["? one", "  ", "    two"]);
        assert_eq!(rows(&flow("a\tb\r\nc", 20)), ["? a b", "  c"]);
    }

    #[test]
    fn a_word_that_is_longer_than_a_row_is_cut() {
        assert_eq!(rows(&flow("abcdefghijklm", 6)), ["? ", "  abcd", "  efgh", "  ijkl", "  m"]);
    }

    #[test]
    fn wide_characters_take_two_columns_and_break_anywhere_but_around_punctuation() {
        assert_eq!(rows(&flow("どのデータベース", 8)), ["? どの", "  データ", "  ベース"]);
        assert_eq!(rows(&flow("use日本", 8)), ["? use日", "  本"]);
    }

    #[test]
    fn the_narrowest_screen_still_shows_every_character() {
        for width in 0..4 {
            let shown: String = rows(&flow("ab 日本", width)).concat();
            assert_eq!(shown.replace(' ', ""), "?ab日本", "{width}");
        }
    }

    #[test]
    fn rows_do_not_depend_on_how_the_text_grew() {
        let text = "Which one, どのデータベース, should\tit be?\r\n  👩‍👩‍👧 e\u{301}\rx supercalifragilistic\u{1B}[m  ok";
        for width in 1..40 {
            let whole = rows(&flow(text, width));
            let mut grown = flow("", width);
            for (end, _) in text.char_indices() {
                grown.grow(&text[..end]);
            }
            grown.grow(text);
            assert_eq!(rows(&grown), whole, "{width}");
            assert!(width < 4 || grown.rows.iter().all(|row| row.width() <= width), "{width}: {whole:?}");
            grown.resize(width + 7);
            assert_eq!(rows(&grown), rows(&flow(text, width + 7)), "resized");
        }
    }

    #[test]
    fn only_the_last_row_changes_and_what_was_drawn_of_it_is_known() {
        let mut flow = flow("one tw", 10);
        flow.rows[0].drawn = flow.rows[0].cells.len();
        flow.grow("one twos");
        assert!(!flow.rows[0].leftover, "it grew");
        flow.grow("one twos!!");
        assert_eq!(rows(&flow), ["? one ", "  twos!!"]);
        assert!(flow.rows[0].leftover, "the word has moved");
        assert_eq!(flow.rows[0].drawn, "? one ".len());
    }
}
