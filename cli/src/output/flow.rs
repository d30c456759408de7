//! Lays out growing text in rows.
//!
//! Words are kept whole where possible, so the last word may move to a new row while it grows;
//! nothing else ever moves. The cost of a character does not depend on the length of the text.
//!
//! An isolate that is open at the end of a row is ended there, and begins again in the next row of
//! its line. So every row is balanced at any time, even if the program is stopped.

use anstyle::{AnsiColor, Style};

use crate::isolates::{self, OpenIsolates, is_isolate};
use crate::line_break::{can_break, width};
use crate::sanitize::{Sanitizer, is_control, replacement};

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The mark of a call that is still open.
    Open,
    /// The mark of a complete call.
    Asked,
    /// The mark of a rejected call.
    Rejected,
    Question,
    Header,
    Number,
    Mode,
    Answer,
    Note,
}

impl Role {
    pub(super) fn style(self) -> Style {
        match self {
            Role::Open => AnsiColor::Yellow.on_default().bold(),
            Role::Asked => AnsiColor::Green.on_default().bold(),
            Role::Rejected => AnsiColor::Red.on_default(),
            Role::Question => Style::new().bold(),
            Role::Number => AnsiColor::Cyan.on_default(),
            Role::Header | Role::Mode => AnsiColor::Magenta.on_default(),
            Role::Answer => Style::new(),
            Role::Note => Style::new().dimmed(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) char: char,
    pub(super) role: Role,
}

/// A row, and how much of it is on the screen.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Cell>,
    /// The number of its first cells that are on the screen.
    pub(super) drawn: usize,
    /// Whether cells follow on the screen that are no longer part of the row.
    pub(super) has_leftover: bool,
    /// Whether only a colour has changed in it.
    pub(super) is_recoloured: bool,
}

impl Row {
    /// Marks the row as not drawn: its place on the screen holds something else.
    pub(super) fn invalidate(&mut self) {
        (self.drawn, self.has_leftover) = (0, true);
    }

    /// Marks the row as drawn.
    pub(super) fn mark_drawn(&mut self) {
        (self.drawn, self.has_leftover, self.is_recoloured) = (self.cells.len(), false, false);
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.drawn == self.cells.len() && !self.has_leftover
    }

    pub(super) fn width(&self) -> usize {
        self.cells.iter().map(|cell| width(cell.char)).sum()
    }

    /// Ends the isolates that are open at the end of the row. Returns their beginnings.
    fn end_isolates(&mut self) -> Vec<Cell> {
        let mut open = Vec::new();
        for cell in self.cells.iter().filter(|cell| is_isolate(cell.char)) {
            if cell.char == isolates::END {
                open.pop();
            } else {
                open.push(*cell);
            }
        }
        self.cells.extend(open.iter().map(|cell| Cell { char: isolates::END, ..*cell }));
        open
    }

    fn truncate(&mut self, len: usize) -> Vec<Cell> {
        if self.drawn > len {
            (self.drawn, self.has_leftover) = (len, true);
        }
        self.cells.split_off(len)
    }
}

/// A growing text.
#[derive(Debug)]
pub(super) struct Flow {
    /// The spans before the text.
    prefix: Vec<(String, Role)>,
    text: String,
    role: Role,
    /// The indent of the rows after the first.
    indent: usize,
    /// The maximum width of a row.
    width: usize,
    pub(super) rows: Vec<Row>,
    sanitizer: Sanitizer,
    /// The isolates that are open in the last row. The ends of these are its last cells.
    isolates: OpenIsolates,
    /// The width of the last row.
    column: usize,
    /// The number of cells before the text of the last row: its indent, and continued isolates.
    begin: usize,
    /// The index in the last row of a word that may move to the next row.
    word: Option<usize>,
    last: Option<char>,
}

impl Flow {
    pub(super) fn new(prefix: Vec<(String, Role)>, indent: usize, role: Role, width: usize) -> Flow {
        let mut flow = Flow {
            prefix,
            text: String::new(),
            role,
            indent,
            width: 0,
            rows: Vec::new(),
            sanitizer: Sanitizer::default(),
            isolates: OpenIsolates::default(),
            column: 0,
            begin: 0,
            word: None,
            last: None,
        };
        flow.resize(width);
        flow
    }

    /// Lays out the text again, for another width.
    pub(super) fn resize(&mut self, width: usize) {
        self.width = width;
        self.rows.clear();
        self.rows.push(Row::default());
        (self.sanitizer, self.isolates) = (Sanitizer::keeping_isolates(), OpenIsolates::default());
        (self.column, self.begin, self.word, self.last) = (0, 0, None, None);
        let (prefix, text) = (std::mem::take(&mut self.prefix), std::mem::take(&mut self.text));
        for (part, role) in &prefix {
            part.chars().for_each(|char| self.push(char, *role));
        }
        self.append(&text);
        (self.prefix, self.text) = (prefix, text);
    }

    pub(super) fn prefix(&self) -> &[(String, Role)] {
        &self.prefix
    }

    /// Extends the text to `text`, of which the current text is a prefix.
    pub(super) fn extend_to(&mut self, text: &str) {
        let Some(more) = text.get(self.text.len()..) else { return };
        self.append(more);
        self.text.push_str(more);
    }

    /// Changes the colour of the first part of the prefix.
    pub(super) fn recolour(&mut self, role: Role) {
        let Some((mark, mark_role)) = self.prefix.first_mut() else { return };
        *mark_role = role;
        if let Some(row) = self.rows.first_mut() {
            row.cells.iter_mut().take(mark.chars().count()).for_each(|cell| cell.role = role);
            row.is_recoloured = true;
        }
    }

    fn append(&mut self, text: &str) {
        let mut sanitized = String::new();
        self.sanitizer.push(text, &mut sanitized);
        for char in sanitized.chars() {
            match char {
                '\n' => {
                    // The row has the ends already.
                    self.isolates = OpenIsolates::default();
                    self.new_row(Vec::new(), Vec::new());
                }
                // Part of the line feed that follows.
                '\r' => {}
                '\t' => {
                    let to = (self.column / TAB + 1) * TAB;
                    (self.column..to).for_each(|_| self.push(' ', self.role));
                }
                _ => self.push(char, self.role),
            }
        }
    }

    /// Appends a character to the last row, before the ends of its open isolates.
    fn push(&mut self, char: char, role: Role) {
        // Every character of a row passes here.
        self.remove_ends();
        let is_kept = !is_control(char) || (is_isolate(char) && self.isolates.accept(char));
        self.place(if is_kept { char } else { replacement(char) }, role);
        (0..self.isolates.depth()).for_each(|_| self.push_cell(isolates::END, role));
    }

    fn remove_ends(&mut self) {
        let open = self.isolates.depth();
        if let (1.., Some(row)) = (open, self.rows.last_mut()) {
            row.truncate(row.cells.len().saturating_sub(open));
        }
    }

    fn place(&mut self, char: char, role: Role) {
        let width = width(char);
        let end = self.end();
        if self.last.is_some_and(|last| can_break(last, char)) {
            self.word = Some(end);
        }
        // A row that holds only an indent takes a character even if there is no room.
        while self.is_full(width) && self.end() > self.begin {
            if char == ' ' {
                // Blanks at the end of a row are invisible, and must not begin the next row.
                self.last = Some(char);
                return;
            }
            // A word as wide as its row is cut.
            let word = self.word.unwrap_or(self.end());
            let Some(row) = self.rows.last_mut() else { break };
            let moved = row.truncate(word);
            let open = row.end_isolates();
            self.new_row(open, moved);
        }
        self.push_cell(char, role);
        self.column += width;
        // Isolates don't change where a row may be broken.
        if !is_isolate(char) {
            self.last = Some(char);
        }
    }

    /// Returns whether the last row has no room for a character of this width.
    ///
    /// The number of its characters is bounded, too, because while an isolate is open the row is
    /// drawn again whenever it grows.
    fn is_full(&self, width: usize) -> bool {
        self.column.saturating_add(width) > self.width || self.end() / CELLS_PER_COLUMN >= self.width.saturating_add(8)
    }

    fn push_cell(&mut self, char: char, role: Role) {
        if let Some(row) = self.rows.last_mut() {
            row.cells.push(Cell { char, role });
        }
    }

    /// Begins a row with the beginnings of open isolates, and cells that follow them.
    fn new_row(&mut self, open: Vec<Cell>, cells: Vec<Cell>) {
        // On a narrow screen the indent must leave room for text.
        let indent = self.indent.min(self.width / 3);
        let blank = Cell { char: ' ', role: self.role };
        let mut row = Row { cells: vec![blank; indent], ..Row::default() };
        row.cells.extend(open);
        self.begin = row.cells.len();
        row.cells.extend(cells);
        self.column = row.width();
        self.rows.push(row);
        (self.word, self.last) = (None, None);
    }

    fn end(&self) -> usize {
        self.rows.last().map_or(0, |row| row.cells.len())
    }
}

/// How many characters a row may have for each column. Text needs four or five.
const CELLS_PER_COLUMN: usize = 8;

/// The distance of tab stops. Smaller than a terminal's, because rows are already indented.
const TAB: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(flow: &Flow) -> Vec<String> {
        flow.rows.iter().map(|row| row.cells.iter().map(|cell| cell.char).collect::<String>()).collect()
    }

    fn flow(text: &str, width: usize) -> Flow {
        let mut flow = Flow::new(vec![("? ".into(), Role::Open)], 2, Role::Question, width);
        flow.extend_to(text);
        flow
    }

    #[test]
    fn words_are_kept_whole_and_rows_are_indented() {
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
    fn rows_are_independent_of_how_the_text_grew() {
        let text = "Which one, どのデータベース, should\tit be?\r\n  👩‍👩‍👧 e\u{301}\rx \
                    supercalifragilistic\u{1B}[m  ok \u{2067}ab \u{2066}cd\u{2069} ef \u{2069}gh \u{2067}日本語\nx";
        for width in 1..40 {
            let whole = rows(&flow(text, width));
            let mut grown = flow("", width);
            for (end, _) in text.char_indices() {
                grown.extend_to(&text[..end]);
            }
            grown.extend_to(text);
            assert_eq!(rows(&grown), whole, "{width}");
            assert!(width < 4 || grown.rows.iter().all(|row| row.width() <= width), "{width}: {whole:?}");
            grown.resize(width + 7);
            assert_eq!(rows(&grown), rows(&flow(text, width + 7)), "resized");
        }
    }

    #[test]
    fn isolates_are_kept_and_ended_in_their_row() {
        assert_eq!(rows(&flow("\u{2067}ab\u{2069} \u{2069}\u{202E}c", 20)), ["? \u{2067}ab\u{2069} \u{FFFD}\u{FFFD}c"]);
        assert_eq!(rows(&flow("a \u{2067}b\nc", 20)), ["? a \u{2067}b\u{2069}", "  c"]);
        assert_eq!(rows(&flow("\u{2067}b\u{2068}", 20)), ["? \u{2067}b\u{2068}\u{2069}\u{2069}"]);
    }

    #[test]
    fn an_isolate_continues_in_the_next_row_of_its_line_only() {
        let shown = ["? \u{2067}one \u{2069}", "  \u{2067}two\u{2069} x"];
        assert_eq!(rows(&flow("\u{2067}one two\u{2069} x", 8)), shown);
        // Words are moved with what is open before them.
        let shown = ["? \u{2067}one \u{2068}\u{2069}\u{2069}", "  \u{2067}\u{2068}two\u{2069}\u{2069}"];
        assert_eq!(rows(&flow("\u{2067}one \u{2068}two\u{2069}\u{2069}", 8)), shown);
        let shown = ["? \u{2067}\u{2069}", "  \u{2067}abcd\u{2069}", "  \u{2067}efg\u{2069}", "  h"];
        assert_eq!(rows(&flow("\u{2067}abcdefg\nh", 6)), shown);
    }

    #[test]
    fn every_row_is_balanced_at_any_time() {
        let text = "a \u{2067}bc de\u{2066} どのデ\u{2069} \u{2069}\u{2069}f\u{2068} supercalifragilistic\r\n\u{2067}";
        for width in 1..40 {
            let mut grown = flow("", width);
            for (end, _) in text.char_indices() {
                grown.extend_to(&text[..end]);
                for row in rows(&grown) {
                    let isolates = row.chars().filter(|&char| is_isolate(char)).count();
                    assert_eq!(isolates::balanced(&row).len(), isolates, "{width}: {row:?}");
                }
            }
        }
    }

    #[test]
    fn only_the_last_row_changes_and_its_drawn_part_is_tracked() {
        let mut flow = flow("one tw", 10);
        flow.rows[0].drawn = flow.rows[0].cells.len();
        flow.extend_to("one twos");
        assert!(!flow.rows[0].has_leftover, "it grew");
        flow.extend_to("one twos!!");
        assert_eq!(rows(&flow), ["? one ", "  twos!!"]);
        assert!(flow.rows[0].has_leftover, "the word has moved");
        assert_eq!(flow.rows[0].drawn, "? one ".len());
    }
}
