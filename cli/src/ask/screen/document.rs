//! The document on the screen: the growing message, its questions, and their answers.

use followup::dialogue::Question;
use followup::{Event, Note, Opaque};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::call_view::{CallPart, CallState, CallView};
use super::markdown::Markdown;
use super::opaque_view::OpaqueView;
use super::open_question::OpenQuestion;
use super::part::{Part, PartBody};
use super::spot::{Choice, Spot};
use super::theme::Theme;

#[derive(Debug)]
enum Item {
    Prose(Part),
    Opaque(Box<OpaqueView>),
    Error(Part),
    Call(Box<CallView>),
}

/// A range of rows of the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowRange {
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// The positions in the document, laid out for a given width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DocumentLayout {
    /// The number of rows.
    pub(super) rows: usize,
    /// The open question with its choices.
    pub(super) question: Option<RowRange>,
    /// The selected choice.
    pub(super) selected: Option<RowRange>,
}

/// What is shown although it is folded away at first.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Folds {
    /// Other tools' calls.
    pub(super) calls: bool,
    /// Notes about repairs, and advice.
    pub(super) notes: bool,
}

/// The document.
#[derive(Debug)]
pub(super) struct Document {
    theme: Theme,
    items: Vec<Item>,
    folds: Folds,
    /// The index of a question of the open call, and its options to show; `None` for all choices.
    filter: Option<(usize, Vec<Choice>)>,
}

impl Document {
    pub(super) fn new(theme: Theme) -> Document {
        Document { theme, items: Vec::new(), folds: Folds::default(), filter: None }
    }

    /// Updates the document with an event.
    ///
    /// After the last event of a call, [`complete`](Document::complete) or
    /// [`reject`](Document::reject) tells what the dialogue made of it.
    pub(super) fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.prose(text),
            Event::Opaque(piece) => self.opaque(&piece),
            Event::Partial(call) => self.update_call(call.index(), call.shape(), |view, theme| {
                view.update(call.title(), call.questions(), false, theme)
            }),
            Event::Complete(call) => self.update_call(call.index(), call.shape(), |view, theme| {
                view.update(call.title(), call.questions(), true, theme)
            }),
            Event::Rejected(call) => self.update_call(call.index(), call.shape(), |view, theme| {
                view.update(call.title(), call.questions(), true, theme)
            }),
        }
    }

    fn prose(&mut self, text: &str) {
        if !matches!(self.items.last(), Some(Item::Prose(_))) {
            self.finish();
            self.items.push(Item::Prose(Part::bare(PartBody::Markdown(Markdown::default()))));
        }
        if let Some(Item::Prose(Part { body: PartBody::Markdown(markdown), .. })) = self.items.last_mut() {
            markdown.push(text);
        }
    }

    fn opaque(&mut self, piece: &Opaque<'_>) {
        let is_same = |item: &Item| matches!(item, Item::Opaque(call) if call.is_continued_by(piece));
        let position = match self.items.iter().rposition(is_same) {
            Some(position) => position,
            None => {
                self.finish();
                self.items.push(Item::Opaque(Box::new(OpaqueView::new(piece, self.theme))));
                self.items.len() - 1
            }
        };
        if let Some(Item::Opaque(call)) = self.items.get_mut(position) {
            call.push(piece.raw);
        }
    }

    /// Updates the view of a call, which is new if this is its first event.
    fn update_call(&mut self, index: u64, shape: Option<&str>, update: impl FnOnce(&mut CallView, Theme)) {
        let theme = self.theme;
        if self.call(index).is_none() {
            self.finish();
            self.items.push(Item::Call(Box::new(CallView::new(index, shape, theme))));
        }
        if let Some(call) = self.call(index) {
            update(call, theme);
        }
    }

    /// Returns the call with this index in the message.
    fn call(&mut self, index: u64) -> Option<&mut CallView> {
        self.items.iter_mut().rev().find_map(|item| match item {
            Item::Call(call) if call.index == index => Some(&mut **call),
            _ => None,
        })
    }

    /// Ends the last item, unless it is a call, which ends by itself.
    pub(super) fn finish(&mut self) {
        match self.items.last_mut() {
            Some(Item::Prose(part)) => part.finish(),
            Some(Item::Opaque(call)) => call.finish(),
            Some(Item::Error(_) | Item::Call(_)) | None => {}
        }
    }

    /// Appends an error that belongs to no call.
    pub(super) fn error(&mut self, message: &str) {
        self.finish();
        let mark = Span::styled("✗ ", self.theme.wrong());
        self.items.push(Item::Error(Part::plain(mark, message, self.theme.wrong())));
    }

    /// Marks a call as complete.
    pub(super) fn complete(&mut self, index: u64, question: &Question, notes: &[Note]) {
        let theme = self.theme;
        if let Some(call) = self.call(index) {
            call.complete(question, notes.iter().map(Note::to_string), theme);
        }
    }

    /// Marks a call as rejected.
    ///
    /// `reason` is for the person, `correction` for the model.
    pub(super) fn reject(&mut self, index: u64, reason: &str, correction: &str) {
        let theme = self.theme;
        if let Some(call) = self.call(index) {
            call.rejected(reason, correction, theme);
        }
    }

    /// Removes a call instead of which another one is asked.
    pub(super) fn remove(&mut self, index: u64) {
        self.items.retain(|item| !matches!(item, Item::Call(call) if call.index == index));
    }

    fn calls(&mut self) -> impl Iterator<Item = &mut CallView> {
        self.items.iter_mut().filter_map(|item| match item {
            Item::Call(call) => Some(&mut **call),
            _ => None,
        })
    }

    /// Opens the question with this number of the dialogue.
    pub(super) fn open(&mut self, number: u64) {
        if let Some(call) = self.calls().find(|call| call.state == CallState::Waiting(number)) {
            call.state = CallState::Open(number);
        }
    }

    /// Marks the open question as answered.
    pub(super) fn answered(&mut self, number: u64, answers: &[String], remarks: &[String]) {
        let theme = self.theme;
        if let Some(call) = self.calls().find(|call| call.state == CallState::Open(number)) {
            call.answered(answers, remarks, theme);
        }
    }

    /// Marks the open question as not answered; `how` is for people.
    pub(super) fn unanswered(&mut self, number: u64, how: &str) {
        let theme = self.theme;
        if let Some(call) = self.calls().find(|call| call.state == CallState::Open(number)) {
            call.unanswered(how, theme);
        }
    }

    /// Shows other tools' calls in full, or each as one line.
    pub(super) fn toggle_calls(&mut self) {
        self.folds.calls = !self.folds.calls;
    }

    /// Shows or hides the notes.
    pub(super) fn toggle_notes(&mut self) {
        self.folds.notes = !self.folds.notes;
    }

    pub(super) fn has_other_calls(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Opaque(_)))
    }

    pub(super) fn has_notes(&self) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Call(call) if call.has_notes()))
    }

    /// Shows the state of the open question: the filter, and what is picked.
    pub(super) fn show_open(&mut self, open: Option<&OpenQuestion>) {
        let theme = self.theme;
        self.filter = open.and_then(OpenQuestion::filtered).map(|shown| (open.map_or(0, |open| open.current), shown));
        let Some(open) = open else { return };
        if let Some(call) = self.calls().find(|call| call.state == CallState::Open(open.question.number)) {
            call.show_answers(open, theme);
        }
    }

    /// Visits all parts from top to bottom, and returns the number of rows.
    fn walk(&mut self, width: usize, visit: &mut dyn FnMut(PlacedPart<'_>)) -> usize {
        let (theme, folds, filter) = (self.theme, self.folds, self.filter.as_ref());
        let mut row = 0;
        let mut is_after_line = false;
        let has_open_question =
            self.items.iter().any(|item| matches!(item, Item::Call(call) if matches!(call.state, CallState::Open(_))));
        for item in &mut self.items {
            // A blank row separates items that have rows, but not calls of one line each.
            let is_line = matches!(item, Item::Opaque(_)) && !folds.calls;
            let mut gap = usize::from(row > 0 && !(is_line && is_after_line));
            let before = row;
            let mut place = |CallPart { part, step, spot, has_mark }: CallPart<'_>| {
                let rows = part.rows(width, theme).len();
                if rows > 0 {
                    let begin = row + std::mem::take(&mut gap);
                    row = begin + rows;
                    visit(PlacedPart { part, rows: RowRange { begin, end: row }, step, spot, has_mark });
                }
            };
            let plain = |part| CallPart { part, step: None, spot: None, has_mark: false };
            match item {
                Item::Prose(part) | Item::Error(part) => place(plain(part)),
                Item::Opaque(call) => place(plain(call.part(folds.calls))),
                Item::Call(call) => call.visit(has_open_question, folds.notes, &mut |part| {
                    let is_hidden = filter.is_some_and(|(step, shown)| {
                        part.spot.is_some_and(|spot| spot.step == *step && !shown.contains(&spot.choice))
                    });
                    if !is_hidden {
                        place(part);
                    }
                }),
            }
            if row > before {
                is_after_line = is_line;
            }
        }
        row
    }

    /// Lays out the document for this width.
    ///
    /// Parts cache their rows, so the cost is one step per part, and the layout of what is new.
    pub(super) fn layout(&mut self, width: usize, selected: Spot) -> DocumentLayout {
        let mut layout = DocumentLayout::default();
        layout.rows = self.walk(width, &mut |placed| {
            if placed.step == Some(selected.step) {
                layout.question.get_or_insert(placed.rows).end = placed.rows.end;
            }
            if placed.spot == Some(selected) {
                layout.selected.get_or_insert(placed.rows).end = placed.rows.end;
            }
        });
        layout
    }

    /// Draws the rows from `top` on.
    pub(super) fn draw(&mut self, top: usize, selected: Option<Spot>, area: Rect, buffer: &mut Buffer) {
        let theme = self.theme;
        let bottom = top + usize::from(area.height);
        self.walk(usize::from(area.width), &mut |PlacedPart { part, rows, spot, has_mark, .. }| {
            let is_selected = has_mark && spot.is_some() && spot == selected;
            for row in rows.begin.max(top)..rows.end.min(bottom) {
                let y = area.y + u16::try_from(row - top).unwrap_or(u16::MAX);
                let line = Rect { y, height: 1, ..area };
                part.draw(row - rows.begin, is_selected, theme, line, buffer);
            }
        });
    }

    /// Returns the choice at this row.
    pub(super) fn choice_at(&mut self, row: usize, width: usize) -> Option<Spot> {
        let mut found = None;
        self.walk(width, &mut |PlacedPart { rows, spot, .. }| {
            if (rows.begin..rows.end).contains(&row) {
                found = spot;
            }
        });
        found
    }

    /// Returns all rows, to be printed after the screen is left.
    pub(super) fn transcript(&mut self, width: usize) -> Vec<Line<'static>> {
        let theme = self.theme;
        // There is no key any more that would show what is hidden.
        (self.folds.notes, self.filter) = (true, None);
        let mut lines = Vec::new();
        self.walk(width, &mut |PlacedPart { part, rows, .. }| {
            lines.resize(rows.begin, Line::default());
            lines.extend((0..rows.end - rows.begin).map(|row| part.line(row, theme, width)));
        });
        lines
    }
}

/// A part at its position.
struct PlacedPart<'d> {
    part: &'d mut Part,
    rows: RowRange,
    /// The index of the question of the open call that it belongs to.
    step: Option<usize>,
    spot: Option<Spot>,
    /// Whether it has the mark of its choice.
    has_mark: bool,
}
