//! The history of a dialogue as data: its turns, and how they are stored and read back.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::image::Image;
use super::question::Question;
use super::reply::{Answer, FormAnswer, Reply, ReplyKind};

/// One step of a dialogue. Serialized, it has its kind (`turn`) and whose turn it was (`role`).
///
/// Store a history as one line per turn, appended as the turns happen. Then a crash cuts off the
/// last line at most.
///
/// ```
/// use followup::Parser;
/// use followup::dialogue::{Answer, Dialogue, Setup, Turn};
///
/// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
/// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
/// parser.feed(call).for_each(|event| drop(dialogue.event(event)));
/// dialogue.answer(0, Answer::Text("Yes, please".into()), Vec::new()).unwrap();
/// let stored: String = dialogue.history().iter().map(Turn::to_line).collect();
/// let turns = Turn::from_lines(stored.as_bytes())?;
/// assert_eq!(Dialogue::replay(Setup::default(), &turns), Ok(dialogue));
///
/// let cut = &stored[..stored.len() - 9];
/// let error = Turn::from_lines(cut.as_bytes()).unwrap_err();
/// let dialogue = Dialogue::replay(Setup::default(), &error.turns).unwrap();
/// // The answer was cut off, so the question is open again.
/// assert_eq!(dialogue.question().unwrap().question, "Tea?");
/// # Ok::<(), followup::dialogue::HistoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Turn {
    /// The model asked.
    Asked {
        /// Always `assistant`.
        role: AssistantRole,
        /// The question.
        #[serde(flatten)]
        question: Question,
    },
    /// The model's call can't be asked.
    Corrected {
        /// Always `assistant`.
        role: AssistantRole,
        /// What is wrong with the call.
        #[serde(flatten)]
        correction: Correction,
    },
    /// The user answered.
    Answered {
        /// Always `user`.
        role: UserRole,
        /// The number of the question.
        number: u64,
        /// What the user did.
        answer: Answer,
        /// The images with the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// The user cancelled a question.
    Cancelled {
        /// Always `user`.
        role: UserRole,
        /// The number of the question.
        number: u64,
    },
    /// The user declined a question.
    Declined {
        /// Always `user`.
        role: UserRole,
        /// The number of the question.
        number: u64,
    },
    /// The user wanted to talk about a question instead of answering it.
    Discussed {
        /// Always `user`.
        role: UserRole,
        /// The number of the question.
        number: u64,
        /// The answers so far, to the questions of a form.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<FormAnswer>,
    },
    /// The time for an answer to a question was over.
    TimedOut {
        /// Always `user`.
        role: UserRole,
        /// The number of the question.
        number: u64,
        /// The answers so far, to the questions of a form.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        answers: Vec<FormAnswer>,
    },
    /// The dialogue had stopped, and the user told the model how to continue.
    Guided {
        /// Always `user`.
        role: UserRole,
        /// The user's guidance.
        text: String,
        /// The images with the text.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

impl Turn {
    /// Returns the turn as one line of JSON, with its line feed. Cost: a copy.
    pub fn to_line(&self) -> String {
        // Strings and numbers always serialize, and JSON escapes line feeds.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// Returns the turns in these lines.
    ///
    /// Blank lines and a byte order mark are ignored. A line may end in CR LF, the last one without
    /// a line end. Cost: linear, in memory too, images included.
    ///
    /// # Errors
    ///
    /// If a line is not a turn. The error contains all turns before it.
    ///
    /// ```
    /// use followup::dialogue::Turn;
    ///
    /// let asked = r#"{"turn":"cancelled","role":"user","number":0}"#;
    /// let error = Turn::from_lines(format!("{asked}\n{}", &asked[..20]).as_bytes()).unwrap_err();
    /// assert_eq!((error.turns.len(), error.line, error.offset), (1, 1, asked.len() + 1));
    /// ```
    pub fn from_lines(lines: &[u8]) -> Result<Vec<Turn>, HistoryError> {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        let mut turns = Vec::new();
        let mut offset = if lines.starts_with(MARK) { MARK.len() } else { 0 };
        for (index, line) in lines[offset..].split_inclusive(|&byte| byte == b'\n').enumerate() {
            if !line.trim_ascii().is_empty() {
                match serde_json::from_slice(line) {
                    Ok(turn) => turns.push(turn),
                    Err(error) => {
                        let kind = HistoryErrorKind::of(&error);
                        return Err(HistoryError { turns, line: index, offset, kind });
                    }
                }
            }
            offset += line.len();
        }
        Ok(turns)
    }
}

/// The error for a stored history with an invalid line. It contains the turns before that line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HistoryError {
    /// The turns before the invalid line.
    pub turns: Vec<Turn>,
    /// The index of the invalid line.
    pub line: usize,
    /// The offset of the invalid line in bytes. The history is valid up to here.
    pub offset: usize,
    /// What is wrong with the line.
    pub kind: HistoryErrorKind,
}

/// Why a line of a stored history is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryErrorKind {
    /// The line was cut off.
    CutOff,
    /// The line is not a turn: what is wrong, and in which column if that is known.
    NotATurn(String),
}

impl HistoryErrorKind {
    fn of(error: &serde_json::Error) -> HistoryErrorKind {
        if error.is_eof() {
            return HistoryErrorKind::CutOff;
        }
        // Each line is parsed on its own, so only the column means something.
        let (what, column) = (error.to_string(), error.column());
        HistoryErrorKind::NotATurn(match what.strip_suffix(&format!(" at line {} column {column}", error.line())) {
            Some(what) => format!("{what} at column {column}"),
            None => what,
        })
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HistoryError { turns, line, offset, kind } = self;
        write!(f, "line {} of the history, from byte {offset} on, ", line.saturating_add(1))?;
        match kind {
            HistoryErrorKind::CutOff => f.write_str("was cut off")?,
            HistoryErrorKind::NotATurn(what) => write!(f, "is not a turn: {what}")?,
        }
        let count = turns.len();
        write!(f, "; turns read before it: {count}. To go on from there, cut the history at byte {offset}")
    }
}

impl core::error::Error for HistoryError {}

/// Why a call can't be asked, and the messages about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Correction {
    /// The provider's id of the call, if it is a native call that has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name of the tool, if it is a native call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The reason as one word: [`Reason::code`](crate::Reason::code) of a rejection, or `rule`.
    pub reason: String,
    /// The message for the user.
    pub user: String,
    /// The message for the model.
    pub model: String,
    /// Whether the tool's host marks such a result as an error.
    #[serde(default, skip_serializing_if = "core::ops::Not::not")]
    pub is_error: bool,
}

impl Correction {
    /// Returns the reply that the model gets as the result of its call.
    pub fn reply(&self) -> Reply {
        let (kind, number) = (ReplyKind::Correction, None);
        let (id, tool, text) = (self.id.clone(), self.tool.clone(), self.model.clone());
        Reply { kind, number, id, tool, text, images: Vec::new(), mode: None, is_error: self.is_error }
    }
}

/// The role `assistant`, of a turn of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AssistantRole {
    /// The only value.
    #[default]
    Assistant,
}

/// The role `user`, of a turn of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UserRole {
    /// The only value.
    #[default]
    User,
}

/// The error for a history that no dialogue can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplayError {
    /// The index of the first turn that can't follow the ones before it.
    pub turn: usize,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ReplayError { turn } = self;
        write!(
            f,
            "turn {} of the history does not follow from the {turn} before it: it was changed, or something before it is missing. \
             To go on from there, replay those {turn}",
            turn.saturating_add(1)
        )
    }
}

impl core::error::Error for ReplayError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_line_is_an_error_with_its_column() {
        for (line, kind) in [
            ("{", HistoryErrorKind::CutOff),
            ("\"a", HistoryErrorKind::CutOff),
            ("{}", HistoryErrorKind::NotATurn("missing field `turn` at column 2".into())),
            ("{},", HistoryErrorKind::NotATurn("missing field `turn` at column 2".into())),
            ("\0\0", HistoryErrorKind::NotATurn("expected value at column 1".into())),
        ] {
            assert_eq!(Turn::from_lines(line.as_bytes()).unwrap_err().kind, kind, "{line:?}");
        }
    }
}
