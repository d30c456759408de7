//! Errors in the text of a shape.

use alloc::string::String;
use core::fmt;

/// An error in the text of a shape. Its `Display` says where it is, what is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShapeError {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) kind: ShapeErrorKind,
}

impl ShapeError {
    /// Returns the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the column, in characters from 1.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Returns what is wrong.
    pub fn kind(&self) -> &ShapeErrorKind {
        &self.kind
    }

    /// Returns the error as it is in a file in which the text begins after `lines` lines.
    #[must_use]
    pub fn after_lines(self, lines: usize) -> ShapeError {
        ShapeError { line: self.line + lines, ..self }
    }
}

/// What is wrong with the text of a shape.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeErrorKind {
    /// A line begins with a word that is no role.
    UnknownRole(String),
    /// Something is missing that every shape has: a line of this kind.
    Missing(&'static str),
    /// A line that may come once comes again.
    Repeated(String),
    /// A word is not what may follow here.
    Unexpected {
        /// The word; empty at the end of a line.
        word: String,
        /// What may follow.
        expected: &'static str,
    },
    /// The key already means something else in the same object.
    KeyInUse(String),
    /// There are too many keys, or the text is too long.
    TooLong,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        match &self.kind {
            ShapeErrorKind::UnknownRole(word) => {
                write!(f, "`{word}` is no role: see docs/question-tools.md for all roles")
            }
            ShapeErrorKind::Missing(line) => write!(f, "the shape has no line `{line}`"),
            ShapeErrorKind::Repeated(word) => write!(f, "there is a line `{word}` already: write all keys in one"),
            ShapeErrorKind::Unexpected { word, expected } if word.is_empty() => {
                write!(f, "the line ends too early: expected {expected}")
            }
            ShapeErrorKind::Unexpected { word, expected } => write!(f, "`{word}` can't be here: expected {expected}"),
            ShapeErrorKind::KeyInUse(key) => write!(f, "the key `{key}` has another role in the same object"),
            ShapeErrorKind::TooLong => f.write_str("the shape is too long: at most 60 keys and 32 KiB"),
        }
    }
}

impl core::error::Error for ShapeError {}
