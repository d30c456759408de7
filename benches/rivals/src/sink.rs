//! Consumers of what a reader finds in a message: one for timing, one for checking.

use std::fmt::Display;
use std::hint::black_box;

use crate::call::Call;
use crate::message::Message;

/// The part of a user interface: receives output piece by piece.
pub(crate) trait Sink {
    /// Receives more prose.
    fn prose(&mut self, text: &str);
    /// Receives the question so far, each time the open call has grown.
    fn question(&mut self, so_far: &str);
    /// Receives the JSON of the arguments so far, each time the open call has grown.
    ///
    /// The interface would have to find the question in it.
    fn arguments(&mut self, so_far: &str);
    /// Receives the complete call. It is only built if the sink uses it.
    fn complete(&mut self, call: impl FnOnce() -> Call);
    /// Receives the error of a parser that gave up.
    fn failed(&mut self, error: impl Display);
}

/// Discards everything: the sink for timing.
#[derive(Debug, Default)]
pub(crate) struct Discard {
    bytes: usize,
    calls: usize,
}

impl Sink for Discard {
    #[inline]
    fn prose(&mut self, text: &str) {
        self.bytes += text.len();
    }

    #[inline]
    fn question(&mut self, so_far: &str) {
        black_box(so_far);
    }

    #[inline]
    fn arguments(&mut self, so_far: &str) {
        black_box(so_far);
    }

    #[inline]
    fn complete(&mut self, call: impl FnOnce() -> Call) {
        black_box(&call);
        self.calls += 1;
    }

    fn failed(&mut self, _: impl Display) {}
}

/// Compares everything with the message: the sink for checking.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    expected: Vec<&'a Call>,
    prose: String,
    found: usize,
    differs: usize,
    /// Whether something was shown that is not the beginning of the question.
    shows_wrong: bool,
    questions: usize,
    arguments: usize,
    error: Option<String>,
}

impl<'a> Checked<'a> {
    pub(crate) fn new(message: &'a Message) -> Checked<'a> {
        Checked {
            expected: message.calls().collect(),
            prose: String::new(),
            found: 0,
            differs: 0,
            shows_wrong: false,
            questions: 0,
            arguments: 0,
            error: None,
        }
    }

    /// Returns what was shown of a question while it grew, in chunks of `chunk` bytes.
    pub(crate) fn shows(&self, chunk: usize) -> &'static str {
        let bytes: usize = self.expected.iter().map(|call| call.question.len()).sum();
        // It grows if it was shown for at least every other chunk.
        let grows = |updates: usize| updates > 0 && updates >= bytes / chunk / 2;
        match () {
            // With a single chunk there is nothing to show before the end.
            () if chunk >= bytes => "",
            () if grows(self.questions) => "question",
            () if grows(self.arguments) => "JSON",
            () => "nothing",
        }
    }

    /// Compares the whole output with the message.
    pub(crate) fn verdict(&self, message: &Message) -> Verdict {
        let mut wrong = Vec::new();
        if let Some(error) = &self.error {
            wrong.push(format!("fails: {error}"));
        }
        if self.found != self.expected.len() {
            wrong.push(format!("found {} of {} questions", self.found, self.expected.len()));
        }
        if self.differs > 0 {
            wrong.push(format!("{} questions differ", self.differs));
        }
        let finds_all = wrong.is_empty();
        if self.shows_wrong {
            wrong.push("shows tags or escapes".to_owned());
        }
        // No format defines whether the white space around a call is prose.
        let visible = |char: &char| !char.is_whitespace();
        let expected: String = message.prose().flat_map(str::chars).filter(visible).collect();
        let prose: String = self.prose.chars().filter(visible).collect();
        if prose != expected {
            wrong.push(format!("prose differs: {} of {} bytes", prose.len(), expected.len()));
        }
        Verdict { finds_all, wrong: wrong.join(", ") }
    }
}

/// Whether a reader's output was correct.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// Whether the reader found exactly the questions of the message.
    pub(crate) finds_all: bool,
    /// Everything that was wrong, questions or not. Empty if the output was correct.
    pub(crate) wrong: String,
}

impl Sink for Checked<'_> {
    fn prose(&mut self, text: &str) {
        self.prose += text;
    }

    fn question(&mut self, so_far: &str) {
        self.questions += 1;
        // White space at the end of a question may or may not be part of it.
        let so_far = so_far.trim();
        self.shows_wrong |= self.expected.get(self.found).is_none_or(|call| !call.question.starts_with(so_far));
    }

    fn arguments(&mut self, _: &str) {
        self.arguments += 1;
    }

    fn complete(&mut self, call: impl FnOnce() -> Call) {
        let mut call = call();
        call.question = call.question.trim().to_owned();
        self.differs += usize::from(self.expected.get(self.found).is_some_and(|expected| **expected != call));
        self.found += 1;
    }

    fn failed(&mut self, error: impl Display) {
        self.error.get_or_insert_with(|| error.to_string());
    }
}

/// Keeps everything that is final: the sink that shows whether a cut changes the result.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    prose: String,
    calls: Vec<Call>,
    error: Option<String>,
}

impl Outcome {
    /// Returns whether the two differ in nothing but the white space of their prose.
    pub(crate) fn looks_like(&self, other: &Outcome) -> bool {
        let is_visible = |char: &char| !char.is_whitespace();
        let same_prose = self.prose.chars().filter(is_visible).eq(other.prose.chars().filter(is_visible));
        same_prose && self.calls == other.calls && self.error == other.error
    }
}

impl Sink for Outcome {
    fn prose(&mut self, text: &str) {
        self.prose += text;
    }

    fn question(&mut self, _: &str) {}

    fn arguments(&mut self, _: &str) {}

    fn complete(&mut self, call: impl FnOnce() -> Call) {
        self.calls.push(call());
    }

    fn failed(&mut self, error: impl Display) {
        self.error.get_or_insert_with(|| error.to_string());
    }
}
