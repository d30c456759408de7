//! A call as people see it: the question, its numbered suggestions, and how the call ended.

use std::fmt::Display;

use followup::{Note, Reason, Suggestions};

use super::flow::{Flow, Role, Row};
use crate::sanitize::{one_line, sanitize};

/// The number of flows before the suggestions: the question, and an empty row.
const BEFORE: usize = 2;

/// A growing call, laid out in rows of a given width.
#[derive(Debug)]
pub(super) struct Block {
    width: usize,
    flows: Vec<PlacedFlow>,
    /// The number of flows that are suggestions.
    suggestions: usize,
}

#[derive(Debug)]
struct PlacedFlow {
    flow: Flow,
    /// The index of its first row at the last [`Block::invalidate_moved`].
    first_row: usize,
}

impl Block {
    pub(super) fn new(width: usize) -> Block {
        Block { width, flows: Vec::new(), suggestions: 0 }
    }

    /// Updates the block to the current state of the call, which extends the previous state.
    pub(super) fn update(&mut self, question: Option<&str>, suggestions: Suggestions<'_>) {
        if self.flows.is_empty() {
            if question.is_none() && suggestions.is_empty() {
                return;
            }
            // The question is always on top, even if suggestions arrive first.
            self.push(vec![("? ".into(), Role::Open)], 2, Role::Question, "");
        }
        if let (Some(question), Some(first)) = (question, self.flows.first_mut()) {
            first.flow.extend_to(question);
        }
        // Only the newest suggestion can have changed.
        for i in self.suggestions.saturating_sub(1)..suggestions.len() {
            let Some(suggestion) = suggestions.get(i) else { break };
            let number = format!("  {}. ", i + 1);
            let indent = number.len();
            let mut prefix = vec![(number, Role::Number)];
            prefix.extend(suggestion.mode.map(|mode| (format!("[{}] ", sanitize(&one_line(mode))), Role::Mode)));
            match self.flows.get_mut(BEFORE + i) {
                None => {
                    // An empty row: the question may itself end in a numbered list.
                    if i == 0 {
                        self.push(Vec::new(), 0, Role::Answer, "");
                    }
                    self.push(prefix, indent, Role::Answer, suggestion.answer);
                    self.suggestions += 1;
                }
                Some(placed) if placed.flow.prefix() == prefix => placed.flow.extend_to(suggestion.answer),
                // The mode became known after the answer.
                Some(placed) => {
                    placed.flow = Flow::new(prefix, indent, Role::Answer, self.width);
                    placed.flow.extend_to(suggestion.answer);
                    placed.flow.rows.iter_mut().for_each(Row::invalidate);
                }
            }
        }
    }

    /// Marks the call as complete, and appends its notes.
    pub(super) fn complete(&mut self, notes: &[Note]) {
        self.mark(Role::Asked);
        for note in notes {
            self.push_ending("  note: ", Role::Note, note);
        }
    }

    /// Marks the call as rejected, and appends the reason.
    pub(super) fn reject(&mut self, reason: &Reason) {
        self.mark(Role::Rejected);
        self.push_ending("✗ rejected: ", Role::Rejected, reason);
    }

    /// Appends an error that belongs to no call.
    pub(super) fn error(&mut self, error: &dyn Display) {
        self.push_ending("✗ error: ", Role::Rejected, error);
    }

    fn mark(&mut self, role: Role) {
        if let Some(first) = self.flows.first_mut() {
            first.flow.recolour(role);
        }
    }

    fn push_ending(&mut self, prefix: &str, role: Role, text: &dyn Display) {
        self.push(vec![(prefix.into(), role)], 2, role, &sanitize(&text.to_string()));
    }

    fn push(&mut self, prefix: Vec<(String, Role)>, indent: usize, role: Role, text: &str) {
        let mut flow = Flow::new(prefix, indent, role, self.width);
        flow.extend_to(text);
        self.flows.push(PlacedFlow { flow, first_row: usize::MAX });
    }

    /// Lays out all rows again, for another width.
    pub(super) fn resize(&mut self, width: usize) {
        self.width = width;
        self.flows.iter_mut().for_each(|placed| placed.flow.resize(width));
    }

    /// Invalidates the rows that have moved since the last call: they have to be drawn again.
    pub(super) fn invalidate_moved(&mut self) {
        let mut first_row = 0;
        for placed in &mut self.flows {
            if std::mem::replace(&mut placed.first_row, first_row) != first_row {
                placed.flow.rows.iter_mut().for_each(Row::invalidate);
            }
            first_row += placed.flow.rows.len();
        }
    }

    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.flows.iter().flat_map(|placed| &placed.flow.rows)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.flows.iter_mut().flat_map(|placed| &mut placed.flow.rows)
    }
}
