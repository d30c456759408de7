//! A call as people see it: the question, its numbered suggestions, and how it ended.

use std::fmt::Display;

use followup::{Note, Reason, Suggestions};

use super::flow::{Flow, Look, Row};

/// What stands in front of the suggestions: the question, and an empty row.
const BEFORE: usize = 2;

/// A call laid out in rows of a certain width, as it grows.
#[derive(Debug)]
pub(super) struct Block {
    width: usize,
    flows: Vec<Placed>,
    /// How many of the flows behind the question are suggestions.
    suggestions: usize,
}

#[derive(Debug)]
struct Placed {
    flow: Flow,
    /// The row at which it began when it was last [settled](Block::settle).
    at: usize,
}

impl Block {
    pub(super) fn new(width: usize) -> Block {
        Block { width, flows: Vec::new(), suggestions: 0 }
    }

    /// Takes over what is known of the call. It extends what was known before.
    pub(super) fn grow(&mut self, question: Option<&str>, suggestions: Suggestions<'_>) {
        if self.flows.is_empty() {
            if question.is_none() && suggestions.is_empty() {
                return;
            }
            // It has its place from the start, even if suggestions come first.
            self.push(vec![("? ".into(), Look::Open)], 2, Look::Question, "");
        }
        if let (Some(question), Some(first)) = (question, self.flows.first_mut()) {
            first.flow.grow(question);
        }
        // All but the newest are as they were.
        for i in self.suggestions.saturating_sub(1)..suggestions.len() {
            let Some(suggestion) = suggestions.get(i) else { break };
            let number = format!("  {}. ", i + 1);
            let indent = number.len();
            let mut prefix = vec![(number, Look::Number)];
            prefix.extend(suggestion.mode.map(|mode| (format!("[{}] ", one_line(mode)), Look::Mode)));
            match self.flows.get_mut(BEFORE + i) {
                None => {
                    // A question may end in a numbered list of its own.
                    if i == 0 {
                        self.push(Vec::new(), 0, Look::Answer, "");
                    }
                    self.push(prefix, indent, Look::Answer, suggestion.answer);
                    self.suggestions += 1;
                }
                Some(placed) if placed.flow.prefix() == prefix => placed.flow.grow(suggestion.answer),
                // Its mode became known behind its answer.
                Some(placed) => {
                    placed.flow = Flow::new(prefix, indent, Look::Answer, self.width);
                    placed.flow.grow(suggestion.answer);
                    placed.flow.rows.iter_mut().for_each(Row::forget);
                }
            }
        }
    }

    /// The call is closed and valid.
    pub(super) fn complete(&mut self, notes: &[Note]) {
        self.mark(Look::Asked);
        for note in notes {
            self.ending("  note: ", Look::Note, note);
        }
    }

    /// The call can't be asked.
    pub(super) fn reject(&mut self, reason: &Reason) {
        self.mark(Look::Rejected);
        self.ending("✗ rejected: ", Look::Rejected, reason);
    }

    /// Something went wrong that is no call's.
    pub(super) fn error(&mut self, error: &dyn Display) {
        self.ending("✗ error: ", Look::Rejected, error);
    }

    fn mark(&mut self, look: Look) {
        if let Some(first) = self.flows.first_mut() {
            first.flow.recolour(look);
        }
    }

    fn ending(&mut self, prefix: &str, look: Look, what: &dyn Display) {
        self.push(vec![(prefix.into(), look)], 2, look, &what.to_string());
    }

    fn push(&mut self, prefix: Vec<(String, Look)>, indent: usize, look: Look, text: &str) {
        let mut flow = Flow::new(prefix, indent, look, self.width);
        flow.grow(text);
        self.flows.push(Placed { flow, at: usize::MAX });
    }

    /// Lays everything out again.
    pub(super) fn resize(&mut self, width: usize) {
        self.width = width;
        self.flows.iter_mut().for_each(|placed| placed.flow.resize(width));
    }

    /// Finds the rows that have moved since the last time: nothing of them is drawn where they are now.
    pub(super) fn settle(&mut self) {
        let mut at = 0;
        for placed in &mut self.flows {
            if std::mem::replace(&mut placed.at, at) != at {
                placed.flow.rows.iter_mut().for_each(Row::forget);
            }
            at += placed.flow.rows.len();
        }
    }

    pub(super) fn rows(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.flows.iter().flat_map(|placed| &placed.flow.rows)
    }

    pub(super) fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        self.flows.iter_mut().flat_map(|placed| &mut placed.flow.rows)
    }
}

fn one_line(mode: &str) -> String {
    mode.split_whitespace().collect::<Vec<_>>().join(" ")
}
