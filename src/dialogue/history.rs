//! What has happened in a dialogue, as data.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Serialize};

use super::image::Image;
use super::question::Question;
use super::reply::{Answer, Reply, ReplyKind};

/// Something that has happened in a dialogue. Stored, it says whose turn it was (`role`) and what it was (`turn`).
///
/// A history is best stored as a line for each turn, appended when it has happened: what is cut off then is the last line, and no more.
///
/// ```
/// use followup::Parser;
/// use followup::dialogue::{Answer, Dialogue, Setup, Turn};
///
/// let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
/// let mut events = parser.feed("<ask_followup_question><question>Tea?</question></ask_followup_question>");
/// while let Some(event) = events.next() {
///     dialogue.event(event);
/// }
/// dialogue.answer(0, Answer::Text("Yes, please".into()), Vec::new()).unwrap();
/// let stored: String = dialogue.history().iter().map(Turn::to_line).collect();
/// assert_eq!(Dialogue::replay(Setup::default(), &Turn::from_lines(stored.as_bytes())?), Ok(dialogue));
///
/// let cut = &stored[..stored.len() - 9];
/// let error = Turn::from_lines(cut.as_bytes()).unwrap_err();
/// let dialogue = Dialogue::replay(Setup::default(), &error.turns).unwrap();
/// assert_eq!(dialogue.question().unwrap().question, "Tea?"); // the answer was cut off: it is open again
/// # Ok::<(), followup::dialogue::HistoryError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "turn", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Turn {
    /// The model asked.
    Asked {
        /// `assistant`.
        role: Assistant,
        /// What it asked.
        #[serde(flatten)]
        question: Question,
    },
    /// The model made a call that can't be asked.
    Corrected {
        /// `assistant`.
        role: Assistant,
        /// What is wrong with it.
        #[serde(flatten)]
        correction: Correction,
    },
    /// The user answered.
    Answered {
        /// `user`.
        role: User,
        /// Which question.
        number: u64,
        /// What the user did.
        answer: Answer,
        /// The images with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
    /// The user did not answer.
    Cancelled {
        /// `user`.
        role: User,
        /// Which question.
        number: u64,
    },
    /// The dialogue had stopped, and the user said how to go on.
    Guided {
        /// `user`.
        role: User,
        /// What the user said.
        text: String,
        /// The images with it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
    },
}

impl Turn {
    /// The turn as a line of JSON, with the line feed that ends it. Cost: a copy.
    pub fn to_line(&self) -> String {
        // Strings and numbers are always JSON, and in JSON a line feed is escaped.
        let mut line = serde_json::to_string(self).unwrap_or_default();
        line.push('\n');
        line
    }

    /// The turns in these lines. Blank lines mean nothing, nor does a byte order mark; a line may end in CR LF, and the last without either.
    ///
    /// Cost: linear; as much memory as the turns have, images included.
    ///
    /// # Errors
    ///
    /// If a line is no turn. All turns in front of it are in the error.
    pub fn from_lines(lines: &[u8]) -> Result<Vec<Turn>, HistoryError> {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        let mut turns = Vec::new();
        let mut at = if lines.starts_with(MARK) { MARK.len() } else { 0 };
        for (nth, line) in lines[at..].split_inclusive(|&byte| byte == b'\n').enumerate() {
            if !line.trim_ascii().is_empty() {
                match serde_json::from_slice(line) {
                    Ok(turn) => turns.push(turn),
                    Err(error) => {
                        return Err(HistoryError { turns, line: nth, at, kind: HistoryErrorKind::of(&error) });
                    }
                }
            }
            at += line.len();
        }
        Ok(turns)
    }
}

/// A stored history that can't be read to its end. What was read before that is given back, so that nothing is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryError {
    /// The turns in front of what can't be read.
    pub turns: Vec<Turn>,
    /// Which line can't be read, counted from 0.
    pub line: usize,
    /// Where it begins, in bytes: up to there the history is whole.
    pub at: usize,
    /// What is wrong with it.
    pub kind: HistoryErrorKind,
}

/// Why a line of a stored history is no turn.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryErrorKind {
    /// It was cut off.
    CutOff,
    /// It is no turn: what is wrong, and where in the line if that is known.
    NoTurn(String),
}

impl HistoryErrorKind {
    fn of(error: &serde_json::Error) -> HistoryErrorKind {
        if error.is_eof() {
            return HistoryErrorKind::CutOff;
        }
        // Of the line it knows only that it is the first of one.
        let (what, column) = (error.to_string(), error.column());
        HistoryErrorKind::NoTurn(match what.strip_suffix(&format!(" at line {} column {column}", error.line())) {
            Some(what) => format!("{what} at column {column}"),
            None => what,
        })
    }
}

impl fmt::Display for HistoryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HistoryError { turns, line, at, kind } = self;
        write!(f, "line {} of the history, from byte {at} on, ", line.saturating_add(1))?;
        match kind {
            HistoryErrorKind::CutOff => f.write_str("was cut off")?,
            HistoryErrorKind::NoTurn(what) => write!(f, "is no turn: {what}")?,
        }
        let count = turns.len();
        write!(f, "; turns read before it: {count}. To go on from there, cut the history at byte {at}")
    }
}

impl core::error::Error for HistoryError {}

/// Why a call can't be asked, and what is said of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The provider's id of the call, if it was a native one and has one: the result to be sent under it is [`model`](Correction::model).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The reason as one word: that of a rejection, or `rule`.
    pub reason: String,
    /// What the user is told.
    pub user: String,
    /// What the model is told.
    pub model: String,
}

impl Correction {
    /// What the model gets: the result of its call.
    pub fn reply(&self) -> Reply {
        let (kind, number, id) = (ReplyKind::Correction, None, self.id.clone());
        Reply { kind, number, id, text: self.model.clone(), images: Vec::new(), mode: None }
    }
}

/// The role of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Assistant {
    /// It has no other.
    #[default]
    Assistant,
}

/// The role of the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum User {
    /// It has no other.
    #[default]
    User,
}

/// A history that can't have happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// Which turn does not follow from those before it, counted from 0.
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
    fn what_is_wrong_with_a_line_is_said_with_its_place_in_it() {
        for (line, kind) in [
            ("{", HistoryErrorKind::CutOff),
            ("\"a", HistoryErrorKind::CutOff),
            ("{}", HistoryErrorKind::NoTurn("missing field `turn` at column 2".into())),
            ("{},", HistoryErrorKind::NoTurn("missing field `turn` at column 2".into())),
            ("\0\0", HistoryErrorKind::NoTurn("expected value at column 1".into())),
        ] {
            assert_eq!(Turn::from_lines(line.as_bytes()).unwrap_err().kind, kind, "{line:?}");
        }
    }
}
