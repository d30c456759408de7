//! The editor for answers and paths: a text area whose lines are wrapped.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;
use ratatui::widgets::Widget;
use ratatui_textarea::{CursorMove, TextArea, WrapMode};

use super::wrap::{columns, wrap};
use crate::sanitize::{is_control, one_line, replacement, sanitize};

/// The editor.
#[derive(Debug)]
pub(super) struct Editor {
    area: TextArea<'static>,
    /// Whether it has a single line, for a path.
    is_single: bool,
}

impl Editor {
    /// Returns an editor with this text, and the cursor at its end.
    pub(super) fn new(text: &str) -> Editor {
        let mut area = TextArea::new(text.split('\n').map(str::to_owned).collect());
        area.set_wrap_mode(WrapMode::WordOrGlyph);
        area.set_cursor_line_style(Style::new());
        area.set_cursor_style(Style::new().add_modifier(Modifier::REVERSED));
        area.move_cursor(CursorMove::Bottom);
        area.move_cursor(CursorMove::End);
        Editor { area, is_single: false }
    }

    /// Returns an empty editor of a single line.
    pub(super) fn single() -> Editor {
        Editor { is_single: true, ..Editor::new("") }
    }

    /// Sets the hint in the empty editor.
    pub(super) fn set_placeholder(&mut self, hint: &str) {
        self.area.set_placeholder_text(sanitize(&one_line(hint)));
        self.area.set_placeholder_style(Style::new().add_modifier(Modifier::DIM));
    }

    /// Returns the text. A text that was not edited is unchanged.
    pub(super) fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    pub(super) fn is_blank(&self) -> bool {
        self.area.lines().iter().all(|line| line.trim().is_empty())
    }

    pub(super) fn key(&mut self, key: KeyEvent) {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => self.new_line(),
            KeyCode::Char('j') if control => self.new_line(),
            // The text area's own bindings are those of Emacs. These are usual in shells and
            // elsewhere.
            KeyCode::Char('u') if control => {
                self.area.delete_line_by_head();
            }
            // Terminals send Ctrl-_ and Ctrl-/ as Ctrl-7. Ctrl-Z suspends the program.
            KeyCode::Char('_' | '/' | '7') if control => {
                self.area.undo();
            }
            KeyCode::Char('y') if control => {
                self.area.redo();
            }
            _ => {
                self.area.input(key);
            }
        }
    }

    fn new_line(&mut self) {
        if !self.is_single {
            self.area.insert_newline();
        }
    }

    /// Inserts pasted text, whose line ends depend on the terminal.
    pub(super) fn paste(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        if self.is_single {
            self.area.insert_str(text.trim_matches('\n').replace('\n', " "));
        } else {
            self.area.insert_str(text);
        }
    }

    /// Returns the number of rows that show the whole text.
    pub(super) fn height(&self, width: usize) -> usize {
        let lines = self.area.lines().iter();
        // One column less, because the cursor may be after the last character of a full row.
        let rows = lines.map(|line| wrap(&[Span::raw(line.as_str())], width.saturating_sub(1), &[], &[]).len());
        rows.sum::<usize>().max(1)
    }

    /// Draws the editor, and returns the position of the cursor.
    pub(super) fn draw(&mut self, area: Rect, buffer: &mut Buffer) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        self.fill(area);
        (&self.area).render(area, buffer);
        replace_controls(area, buffer);
        let (top, left) = self.area.scroll_offset();
        let row = self.area.screen_cursor().row;
        let y = u16::try_from(row).ok()?.checked_sub(top).filter(|&y| y < area.height)?;
        // There is no column after the last one.
        let x = u16::try_from(self.column(row)).ok()?.saturating_sub(left).min(area.width - 1);
        Some(Position { x: area.x + x, y: area.y + y })
    }

    /// Returns the column of the cursor in its row: the width of the characters before it.
    fn column(&self, row: usize) -> usize {
        let (cursor, begin) = (self.area.cursor(), self.area.screen_to_data(row, 0));
        let line = self.area.lines().get(cursor.0).map_or("", |line| line);
        let before: String = line.chars().take(cursor.1).skip(begin.1).collect();
        columns(&[Span::raw(before)])
    }

    /// Returns the number of characters that can't be seen.
    pub(super) fn count_invisible(&self) -> usize {
        self.area.lines().iter().flat_map(|line| line.chars()).filter(|&char| char != '\t' && is_control(char)).count()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Scrolls back if rows below the text are empty while rows above are hidden.
    ///
    /// This happens after the area has grown, or the text has become shorter.
    fn fill(&mut self, area: Rect) {
        let (top, _) = self.area.scroll_offset();
        let is_full = usize::from(top) + usize::from(area.height) <= self.height(usize::from(area.width));
        let cursor = self.area.cursor();
        let (Ok(row), Ok(column), false) = (u16::try_from(cursor.0), u16::try_from(cursor.1), top == 0 || is_full)
        else {
            return;
        };
        // When drawn, the text area scrolls just far enough to show its cursor.
        self.area.move_cursor(CursorMove::Jump(0, 0));
        (&self.area).render(area, &mut Buffer::empty(area));
        self.area.move_cursor(CursorMove::Jump(row, column));
    }

    /// Moves the cursor to a clicked position, relative to the corner of the area.
    pub(super) fn click(&mut self, row: u16, column: u16) {
        let (top, left) = self.area.scroll_offset();
        let position =
            self.area.screen_to_data(usize::from(top) + usize::from(row), usize::from(left) + usize::from(column));
        let clamp = |n| u16::try_from(n).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(clamp(position.0), clamp(position.1)));
    }
}

/// Replaces the control characters that were drawn.
///
/// Beside another character it leaves them out, so that the width stays the same. The text keeps
/// them.
fn replace_controls(area: Rect, buffer: &mut Buffer) {
    for position in area.positions() {
        let Some(cell) = buffer.cell_mut(position).filter(|cell| cell.symbol().contains(is_control)) else { continue };
        let mut shown: String = cell.symbol().chars().filter(|&char| !is_control(char)).collect();
        if shown.is_empty() {
            shown.extend(cell.symbol().chars().next().map(replacement));
        }
        cell.set_symbol(&shown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(editor: &mut Editor, code: KeyCode) {
        editor.key(KeyEvent::new(code, KeyModifiers::NONE));
    }

    #[test]
    fn a_text_that_is_not_edited_is_unchanged() {
        for text in ["", "a", "a\nb\n", " a\r\n\tb\u{1B} ", "\n\n"] {
            assert_eq!(Editor::new(text).text(), text);
        }
    }

    #[test]
    fn typing_appends_and_deletes_whole_wide_characters() {
        let mut editor = Editor::new("日本");
        press(&mut editor, KeyCode::Backspace);
        "語👍".chars().for_each(|char| press(&mut editor, KeyCode::Char(char)));
        press(&mut editor, KeyCode::Enter);
        press(&mut editor, KeyCode::Char('é'));
        assert_eq!(editor.text(), "日語👍\né");
    }

    #[test]
    fn pasted_lines_may_end_in_any_way() {
        let mut editor = Editor::new("> ");
        editor.paste("a\rb\r\nc\nd");
        assert_eq!(editor.text(), "> a\nb\nc\nd");
        let mut path = Editor::single();
        path.paste("/tmp/a b.png\n");
        press(&mut path, KeyCode::Enter);
        assert_eq!(path.text(), "/tmp/a b.png");
    }

    #[test]
    fn control_characters_are_never_drawn_and_stay_in_the_text() {
        let text = "a\u{2028}c\u{202E}d\u{9B}e";
        let mut editor = Editor::new(text);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 20, 2));
        editor.draw(buffer.area, &mut buffer);
        let all: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(!all.contains(is_control), "{all:?}");
        assert_eq!(editor.text(), text);
    }

    #[test]
    fn as_much_text_as_possible_is_visible() {
        let mut editor = Editor::new("a\nb\nc");
        for (height, seen) in [(1, "c"), (2, "bc"), (5, "abc"), (2, "bc")] {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 1, height));
            editor.draw(buffer.area, &mut buffer);
            let all: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
            assert_eq!(all.trim_end(), seen, "{height}");
        }
        assert_eq!(editor.text(), "a\nb\nc");
    }

    #[test]
    fn the_cursor_is_where_the_next_character_goes() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 10, 3));
        for (text, cursor) in [
            ("", (1, 0)),
            ("日本", (5, 0)),
            ("a\nbc", (3, 1)),
            ("one two three", (6, 1)),
            ("👩‍👩‍👧", (3, 0)),
            ("12345678", (8, 0)),
        ] {
            let at = Editor::new(text).draw(Rect::new(1, 0, 8, 3), &mut buffer);
            assert_eq!(at, Some(Position::from(cursor)), "{text}");
        }
    }
}
