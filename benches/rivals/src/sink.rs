//! Where goes what comes out of a message.

use std::fmt::Display;
use std::hint::black_box;

use crate::message::{Asked, Message};

/// What an interface takes from a parser, piece by piece.
pub(crate) trait Sink {
    /// More prose.
    fn prose(&mut self, text: &str);
    /// The open call has grown. This is its question so far.
    fn question(&mut self, so_far: &str);
    /// The open call has grown. This is the JSON of its arguments so far, in which the interface would have to find the question.
    fn arguments(&mut self, so_far: &str);
    /// The open call is complete. What it asks is only put together where it is looked at.
    fn complete(&mut self, asked: impl FnOnce() -> Asked);
    /// The parser gave up.
    fn failed(&mut self, error: impl Display);
}

/// Takes everything, and keeps nothing.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    bytes: usize,
    calls: usize,
}

impl Sink for Taken {
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
    fn complete(&mut self, asked: impl FnOnce() -> Asked) {
        black_box(&asked);
        self.calls += 1;
    }

    fn failed(&mut self, _: impl Display) {}
}

/// Compares everything with what it should be.
#[derive(Debug)]
pub(crate) struct Checked<'a> {
    expected: Vec<&'a Asked>,
    prose: String,
    found: usize,
    differs: usize,
    /// A question was shown that the model did not ask.
    shows_wrong: bool,
    questions: usize,
    arguments: usize,
    error: Option<String>,
}

impl<'a> Checked<'a> {
    pub(crate) fn new(message: &'a Message) -> Checked<'a> {
        Checked {
            expected: message.questions().collect(),
            prose: String::new(),
            found: 0,
            differs: 0,
            shows_wrong: false,
            questions: 0,
            arguments: 0,
            error: None,
        }
    }

    /// What is seen of a question while it grows, in chunks of that many bytes.
    pub(crate) fn shows(&self, chunk: usize) -> &'static str {
        let bytes: usize = self.expected.iter().map(|asked| asked.question.len()).sum();
        // Once for every other chunk of it, or it does not grow.
        let grows = |times: usize| times > 0 && times >= bytes / chunk / 2;
        match () {
            // There is nothing to be seen before the end of the only chunk.
            () if chunk >= bytes => "",
            () if grows(self.questions) => "question",
            () if grows(self.arguments) => "JSON",
            () => "nothing",
        }
    }

    /// Compares all that came out with what the model said.
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
        // No format says what becomes of the white space around a call.
        let written = |char: &char| !char.is_whitespace();
        let expected: String = message.prose().flat_map(str::chars).filter(written).collect();
        let prose: String = self.prose.chars().filter(written).collect();
        if prose != expected {
            wrong.push(format!("prose differs: {} of {} bytes", prose.len(), expected.len()));
        }
        Verdict { finds_all, wrong: wrong.join(", ") }
    }
}

/// Whether it is right.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    /// Every question, and nothing else, came out as it was asked.
    pub(crate) finds_all: bool,
    /// What was wrong, with the questions or else.
    pub(crate) wrong: String,
}

impl Sink for Checked<'_> {
    fn prose(&mut self, text: &str) {
        self.prose += text;
    }

    fn question(&mut self, so_far: &str) {
        self.questions += 1;
        // The white space at a question's end may or may not belong to it.
        let so_far = so_far.trim();
        self.shows_wrong |= self.expected.get(self.found).is_none_or(|asked| !asked.question.starts_with(so_far));
    }

    fn arguments(&mut self, _: &str) {
        self.arguments += 1;
    }

    fn complete(&mut self, asked: impl FnOnce() -> Asked) {
        let mut asked = asked();
        asked.question.truncate(asked.question.trim_end().len());
        asked.question.drain(..asked.question.len() - asked.question.trim_start().len());
        self.differs += usize::from(self.expected.get(self.found).is_some_and(|expected| **expected != asked));
        self.found += 1;
    }

    fn failed(&mut self, error: impl Display) {
        self.error.get_or_insert_with(|| error.to_string());
    }
}
