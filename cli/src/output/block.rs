//! A call as people see it: its questions with their numbered suggestions, and how it ended.

use std::fmt::Display;

use followup::{Complete, Partial, Question, QuestionKind, Questions, Rejected, Suggestion};

use super::flow::{Flow, Role, Row};
use crate::sanitize::{one_line, sanitize};

/// A growing call, laid out in rows of a given width.
///
/// Each part of it has a place, whenever it arrives. What usually arrives late has a row that is
/// there anyway, so that nothing moves.
#[derive(Debug)]
pub(super) struct Block {
    width: usize,
    /// In the order of their places.
    flows: Vec<PlacedFlow>,
    /// The number of questions at the last update.
    questions: usize,
    /// The number of suggestions of the last of them.
    suggestions: usize,
}

/// What a flow shows, in the order of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// The text above all questions.
    Title,
    /// A part of the question at this index.
    Question(usize, BlockPart),
    /// A note, or the reason of a rejection.
    Ending(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BlockPart {
    /// An empty row between two questions.
    Gap,
    Text,
    Header,
    Detail,
    /// An empty row, or a hint about the question.
    ///
    /// The row is empty because the question may itself end in a numbered list.
    Hint,
    Suggestion(usize, SuggestionPart),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum SuggestionPart {
    Answer,
    Description,
    Preview,
}

#[derive(Debug)]
struct PlacedFlow {
    place: Place,
    flow: Flow,
    /// The index of its first row at the last [`Block::invalidate_moved`].
    first_row: usize,
}

/// The parts of a row before its text.
type Prefix = Vec<(String, Role)>;

impl Block {
    pub(super) fn new(width: usize) -> Block {
        Block { width, flows: Vec::new(), questions: 0, suggestions: 0 }
    }

    /// Updates the block to an open call, which extends its previous state.
    ///
    /// Cost: that of what is new, however long the call already is.
    pub(super) fn update(&mut self, call: Partial<'_>) {
        self.title(call.title());
        let questions = call.questions();
        let (known, newest) = (self.questions, questions.len());
        // Only the newest question since the last update can have changed.
        for index in known.saturating_sub(1)..newest {
            let Some(question) = questions.get(index) else { break };
            let is_newest = index + 1 == newest;
            let from = match call.suggestion_index() {
                _ if index >= known || !is_newest => 0,
                Some(changed) => changed.min(self.suggestions.saturating_sub(1)),
                None => self.suggestions,
            };
            self.question(index, &question, from, is_newest);
            self.suggestions = question.suggestions.len();
        }
        self.questions = newest;
    }

    /// Updates the block to a call that has ended: anything in it can have changed.
    fn end(&mut self, title: Option<&str>, questions: Questions<'_>, mark: Role) {
        self.title(title);
        for (index, question) in questions.iter().enumerate() {
            self.question(index, &question, 0, false);
        }
        for placed in &mut self.flows {
            if let Place::Question(_, BlockPart::Text) = placed.place {
                placed.flow.recolour(mark);
            }
        }
    }

    /// Marks the call as complete, and appends its notes.
    pub(super) fn complete(&mut self, call: &Complete<'_>) {
        self.end(call.title(), call.questions(), Role::Asked);
        for note in call.notes() {
            self.push_ending("  note: ", Role::Note, note);
        }
    }

    /// Marks the call as rejected, and appends the reason.
    pub(super) fn reject(&mut self, call: &Rejected<'_>) {
        self.end(call.title(), call.questions(), Role::Rejected);
        self.push_ending("✗ rejected: ", Role::Rejected, &call.reason());
    }

    /// Appends an error that belongs to no call.
    pub(super) fn error(&mut self, error: &dyn Display) {
        self.push_ending("✗ error: ", Role::Rejected, error);
    }

    fn push_ending(&mut self, prefix: &str, role: Role, text: &dyn Display) {
        let prefix = vec![(prefix.into(), role)];
        self.show(Place::Ending(self.flows.len()), prefix, 2, role, &sanitize(&text.to_string()));
    }

    fn title(&mut self, title: Option<&str>) {
        if let Some(title) = title {
            self.show(Place::Title, blank(2), 2, Role::Header, title);
        }
    }

    /// Shows a question, and its suggestions from this index on.
    fn question(&mut self, index: usize, question: &Question<'_>, from: usize, is_newest: bool) {
        let at = |part| Place::Question(index, part);
        let mut mark = vec![("? ".into(), Role::Open)];
        if index > 0 {
            self.show(at(BlockPart::Gap), Prefix::new(), 0, Role::Question, "");
            // The first has no number, because it may be the only one.
            mark.push((format!("{}. ", index + 1), Role::Number));
        }
        // The question is on top, even if something else arrives first.
        self.show(at(BlockPart::Text), mark, 2, Role::Question, question.text);
        let below =
            [(BlockPart::Header, question.header, Role::Header), (BlockPart::Detail, question.detail, Role::Answer)];
        for (part, text, role) in below {
            if let Some(text) = text {
                self.show(at(part), blank(2), 2, role, text);
            }
        }
        let hint = hint(question);
        if !hint.is_empty() || !question.suggestions.is_empty() {
            self.show(at(BlockPart::Hint), hint, 2, Role::Note, "");
        }
        let count = question.suggestions.len();
        for i in from..count {
            let Some(suggestion) = question.suggestions.get(i) else { break };
            self.suggestion((index, i), &suggestion, is_newest && i + 1 == count);
        }
    }

    fn suggestion(&mut self, (question, index): (usize, usize), suggestion: &Suggestion<'_>, is_newest: bool) {
        let at = |part| Place::Question(question, BlockPart::Suggestion(index, part));
        let number = format!("  {}. ", index + 1);
        let indent = number.len();
        let mut prefix = vec![(number, Role::Number)];
        prefix.extend(suggestion.mode.map(|mode| (format!("[{}] ", sanitize(&one_line(mode))), Role::Mode)));
        // The answer may still grow while it is the newest.
        let marked = (!is_newest && needs_mark(suggestion)).then(|| format!("{} (recommended)", suggestion.answer));
        self.show(
            at(SuggestionPart::Answer),
            prefix,
            indent,
            Role::Answer,
            marked.as_deref().unwrap_or(suggestion.answer),
        );
        if let Some(description) = suggestion.description {
            self.show(at(SuggestionPart::Description), blank(indent), indent, Role::Note, description);
        }
        if let Some(preview) = suggestion.preview {
            let mut prefix = blank(indent);
            prefix.push(("preview: ".into(), Role::Header));
            self.show(at(SuggestionPart::Preview), prefix, indent, Role::Note, preview);
        }
    }

    /// Shows a text at its place, where it extends the one that is there.
    fn show(&mut self, place: Place, prefix: Prefix, indent: usize, role: Role, text: &str) {
        // The search ends at once for what is last, and that is what grows.
        let found = match self.flows.last() {
            Some(last) if last.place == place => Ok(self.flows.len() - 1),
            Some(last) if last.place > place => self.flows.binary_search_by_key(&place, |placed| placed.place),
            _ => Err(self.flows.len()),
        };
        if let Ok(index) = found {
            let flow = &mut self.flows[index].flow;
            if is_same(flow.prefix(), &prefix) {
                return flow.extend_to(text);
            }
        }
        let mut flow = Flow::new(prefix, indent, role, self.width);
        flow.extend_to(text);
        match found {
            // Something in the prefix became known after the text.
            Ok(index) => {
                flow.rows.iter_mut().for_each(Row::invalidate);
                self.flows[index].flow = flow;
            }
            Err(index) => self.flows.insert(index, PlacedFlow { place, flow, first_row: usize::MAX }),
        }
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

fn blank(width: usize) -> Prefix {
    vec![(" ".repeat(width), Role::Answer)]
}

/// Returns what to know about a question, as far as it is known; empty if there is nothing.
fn hint(question: &Question<'_>) -> Prefix {
    let hints = [
        (question.kind == Some(QuestionKind::Number), " (a number)"),
        (question.multiple == Some(true), " (choose several)"),
        (question.required == Some(true), " (required)"),
    ];
    let hint: String = hints.iter().filter(|(is_so, _)| *is_so).map(|(_, words)| *words).collect();
    if hint.is_empty() { Prefix::new() } else { vec![(format!(" {hint}"), Role::Note)] }
}

/// Returns whether the answer is recommended, and does not say so itself.
fn needs_mark(suggestion: &Suggestion<'_>) -> bool {
    let says_so = || {
        let answer = suggestion.answer.trim().to_ascii_lowercase();
        answer.starts_with("(recommended)") || answer.ends_with("(recommended)")
    };
    suggestion.recommended && !says_so()
}

/// Returns whether two prefixes are the same, except for the colour of the mark.
///
/// That may have changed.
fn is_same(one: &[(String, Role)], other: &[(String, Role)]) -> bool {
    one.iter().map(|(text, _)| text).eq(other.iter().map(|(text, _)| text))
}
