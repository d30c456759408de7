//! What the person reads: the message as it grows, the questions in it, and what became of them.

use followup::dialogue::Question;
use followup::{Event, Note, Opaque};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::call::{Call, Choice, State};
use super::markdown::Markdown;
use super::part::{Body, Part};
use super::plain::Plain;
use super::theme::Theme;
use crate::parse::native::Last;

#[derive(Debug)]
enum Item {
    Prose(Part),
    /// Another tool's call, as it is written.
    Opaque(Part),
    Error(Part),
    Call(Box<Call>),
}

/// Rows of the document, counted from its top.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// Where things are, laid out for a certain width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) rows: usize,
    /// The question that is open.
    pub(super) question: Option<Rows>,
    /// What is selected of it.
    pub(super) selected: Option<Rows>,
}

#[derive(Debug)]
pub(super) struct Document {
    theme: Theme,
    items: Vec<Item>,
    native: Last,
    /// Whether what native calls are told apart by begins a line.
    line_start: bool,
}

impl Document {
    pub(super) fn new(theme: Theme) -> Document {
        Document { theme, items: Vec::new(), native: Last::default(), line_start: true }
    }

    /// Takes an event. That a call is complete, or rejected, is for [`wait`](Document::wait) and [`reject`](Document::reject), which know more.
    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.prose(text),
            Event::Opaque(piece) => self.opaque(&piece),
            Event::Partial(call) => self.grow(call.nth(), call.question(), call.suggestions()),
            Event::Complete(call) => self.grow(call.nth(), Some(call.question()), call.suggestions()),
            Event::Rejected(call) => self.grow(call.nth(), call.question(), call.suggestions()),
        }
    }

    fn prose(&mut self, text: &str) {
        if !matches!(self.items.last(), Some(Item::Prose(_))) {
            self.finish();
            self.items.push(Item::Prose(Part::bare(Body::Markdown(Markdown::default()))));
        }
        if let Some(Item::Prose(Part { body: Body::Markdown(markdown), .. })) = self.items.last_mut() {
            markdown.push(text);
        }
    }

    fn opaque(&mut self, piece: &Opaque<'_>) {
        if !matches!(self.items.last(), Some(Item::Opaque(_))) {
            self.finish();
            let plain = Plain::new("", self.theme.dim());
            self.items.push(Item::Opaque(Part::bare(Body::Plain(plain))));
            self.line_start = true;
        }
        let text = self.native.before(piece, self.line_start) + piece.raw;
        if let Some(Item::Opaque(Part { body: Body::Plain(plain), .. })) = self.items.last_mut() {
            plain.push(&text);
        }
        if let Some(last) = text.bytes().last() {
            self.line_start = last == b'\n';
        }
    }

    fn grow(&mut self, nth: u64, question: Option<&str>, suggestions: followup::Suggestions<'_>) {
        let theme = self.theme;
        if let Some(call) = self.call(nth) {
            call.grow(question, suggestions, theme);
        }
    }

    /// The call with that number in the message, new if it is.
    fn call(&mut self, nth: u64) -> Option<&mut Call> {
        let is_it = |item: &Item| matches!(item, Item::Call(call) if call.nth == nth);
        let at = match self.items.iter().rposition(is_it) {
            Some(at) => at,
            None => {
                self.finish();
                self.items.push(Item::Call(Box::new(Call::new(nth, self.theme))));
                self.items.len() - 1
            }
        };
        match self.items.get_mut(at) {
            Some(Item::Call(call)) => Some(call),
            _ => None,
        }
    }

    /// What is last has ended, unless it is a call, which knows itself when it ends.
    pub(super) fn finish(&mut self) {
        self.native.end(true);
        if let Some(Item::Prose(part) | Item::Opaque(part)) = self.items.last_mut() {
            part.finish();
        }
    }

    /// Something went wrong that is no call's.
    pub(super) fn error(&mut self, what: &str) {
        self.finish();
        let mark = Span::styled("✗ ", self.theme.wrong());
        self.items.push(Item::Error(Part::plain(mark, what, self.theme.wrong())));
    }

    /// A call is complete: this is what it asks.
    pub(super) fn wait(&mut self, nth: u64, question: &Question, notes: &[Note]) {
        let theme = self.theme;
        if let Some(call) = self.call(nth) {
            call.wait(question, notes.iter().map(Note::to_string), theme);
        }
    }

    /// A call can't be asked.
    pub(super) fn reject(&mut self, nth: u64, why: &str, told: &str) {
        let theme = self.theme;
        if let Some(call) = self.call(nth) {
            call.rejected(why, told, theme);
        }
    }

    fn calls(&mut self) -> impl Iterator<Item = &mut Call> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Call(call) => Some(&mut **call),
            _ => None,
        })
    }

    /// It is that question's turn.
    pub(super) fn open(&mut self, number: u64) {
        if let Some(call) = self.calls().find(|call| call.state == State::Waiting(number)) {
            call.state = State::Open(number);
        }
    }

    pub(super) fn answered(&mut self, number: u64, text: &str, more: &[String]) {
        let theme = self.theme;
        if let Some(call) = self.calls().find(|call| call.state == State::Open(number)) {
            call.answered(text, more, theme);
        }
    }

    pub(super) fn left(&mut self, number: u64) {
        let theme = self.theme;
        if let Some(call) = self.calls().find(|call| call.state == State::Open(number)) {
            call.left(theme);
        }
    }

    /// Goes over all parts from top to bottom, and says how many rows there are.
    fn walk(&mut self, width: usize, visit: &mut dyn FnMut(Placed<'_>)) -> usize {
        let theme = self.theme;
        let mut row = 0;
        let is_one_open =
            self.items.iter().any(|item| matches!(item, Item::Call(call) if matches!(call.state, State::Open(_))));
        for item in &mut self.items {
            // A blank row between items, if both are to be seen.
            let mut gap = usize::from(row > 0);
            let mut place = |part, choice, is_open| {
                let part: &mut Part = part;
                let rows = part.rows(width, theme).len();
                if rows > 0 {
                    let begin = row + std::mem::take(&mut gap);
                    row = begin + rows;
                    visit(Placed { part, rows: Rows { begin, end: row }, choice, is_open });
                }
            };
            match item {
                Item::Prose(part) | Item::Opaque(part) | Item::Error(part) => place(part, None, false),
                Item::Call(call) => {
                    let is_open = matches!(call.state, State::Open(_));
                    call.parts(is_one_open).for_each(|(part, choice)| place(part, choice, is_open));
                }
            }
        }
        row
    }

    /// Lays it out for that width, and says where things are.
    ///
    /// Every part remembers what it had laid out, so this costs a step for each, and what is new.
    pub(super) fn layout(&mut self, width: usize, selected: Choice) -> Layout {
        let mut layout = Layout::default();
        layout.rows = self.walk(width, &mut |placed| {
            if placed.is_open {
                let question = layout.question.get_or_insert(placed.rows);
                question.end = placed.rows.end;
            }
            if placed.choice == Some(selected) {
                layout.selected = Some(placed.rows);
            }
        });
        layout
    }

    /// Draws the rows from `top` on.
    pub(super) fn draw(&mut self, top: usize, selected: Option<Choice>, area: Rect, buffer: &mut Buffer) {
        let theme = self.theme;
        let bottom = top + usize::from(area.height);
        self.walk(usize::from(area.width), &mut |Placed { part, rows, choice, .. }| {
            let is_selected = choice.is_some() && choice == selected;
            for row in rows.begin.max(top)..rows.end.min(bottom) {
                let y = area.y + u16::try_from(row - top).unwrap_or(u16::MAX);
                let line = Rect { y, height: 1, ..area };
                part.draw(row - rows.begin, is_selected, theme, line, buffer);
            }
        });
    }

    /// What can be chosen at that row.
    pub(super) fn choice_at(&mut self, row: usize, width: usize) -> Option<Choice> {
        let mut found = None;
        self.walk(width, &mut |Placed { rows, choice, .. }| {
            if (rows.begin..rows.end).contains(&row) {
                found = choice;
            }
        });
        found
    }

    /// All of it, for when the screen is left.
    pub(super) fn record(&mut self, width: usize) -> Vec<Line<'static>> {
        let theme = self.theme;
        let mut lines = Vec::new();
        self.walk(width, &mut |Placed { part, rows, .. }| {
            lines.resize(rows.begin, Line::default());
            lines.extend((0..rows.end - rows.begin).map(|row| part.line(row, theme, width)));
        });
        lines
    }
}

/// A part, and where it is.
struct Placed<'d> {
    part: &'d mut Part,
    rows: Rows,
    choice: Option<Choice>,
    /// It belongs to the question that is open.
    is_open: bool,
}
