//! Checkpoints: the state of a dialogue without its history, as data.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::Dialogue;
use super::question::Question;
use super::setup::Setup;
use crate::sealed::{ResumeError, Sealed};

/// The version of the format. Any change of the stored data or of its meaning increases it.
const VERSION: u32 = 2;

/// The state of a [`Dialogue`] without its history, as data.
///
/// With it, another process can [continue](Dialogue::resume) a dialogue without replaying its
/// history. It has a format version and a checksum: a damaged checkpoint, or one of another
/// version, is an error.
///
/// Cost: as much memory as the questions that are open or wait.
///
/// ```
/// use followup::Parser;
/// use followup::dialogue::{Answer, Dialogue, Setup};
///
/// let mut dialogue = Dialogue::default();
/// let mut parser = Parser::default();
/// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
/// parser.feed(call).for_each(|event| drop(dialogue.event(event)));
/// let stored = serde_json::to_string(&dialogue.checkpoint()).unwrap();
///
/// let mut resumed = Dialogue::resume(Setup::default(), serde_json::from_str(&stored).unwrap())?;
/// assert!(resumed.history().is_empty());
/// let reply = resumed.answer(0, Answer::Text("Yes".into()), Vec::new()).unwrap();
/// assert_eq!(reply.text, "<answer>\nYes\n</answer>");
/// # Ok::<(), followup::ResumeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Checkpoint(Sealed<StoredDialogue, VERSION>);

impl Checkpoint {
    /// Forges the version and the checksum. For tests of what a forged checkpoint may do.
    #[doc(hidden)]
    #[must_use]
    pub fn with_valid_checksum(self) -> Checkpoint {
        Checkpoint(self.0.reseal())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredDialogue {
    open: Option<Question>,
    waiting: Vec<Question>,
    questions: u64,
    mistakes: u32,
}

impl Dialogue {
    /// Returns the state without the history, as data.
    ///
    /// Cost: a copy of the questions that are open or wait.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint(Sealed::new(StoredDialogue {
            open: self.open.clone(),
            waiting: self.waiting.iter().cloned().collect(),
            questions: self.questions,
            mistakes: self.mistakes,
        }))
    }

    /// Returns a dialogue that continues where the checkpoint was made, with an empty history.
    ///
    /// It continues under these settings, which may differ from those before.
    ///
    /// Cost: linear in the number of questions.
    ///
    /// # Errors
    ///
    /// If the checkpoint has another format version or is corrupt. One with a valid checksum is
    /// corrupt, too, if no dialogue can have its state.
    pub fn resume(setup: impl Into<Arc<Setup>>, checkpoint: Checkpoint) -> Result<Dialogue, ResumeError> {
        let StoredDialogue { open, waiting, questions, mistakes } = checkpoint.0.open()?;
        let mut next = 0;
        for question in open.iter().chain(&waiting) {
            if question.number < next || !question.can_be_asked() {
                return Err(ResumeError::Corrupt);
            }
            next = question.number.checked_add(1).ok_or(ResumeError::Corrupt)?;
        }
        // The count must not overflow with the questions that follow.
        if next > questions || questions > u64::MAX / 2 {
            return Err(ResumeError::Corrupt);
        }
        let (setup, waiting) = (setup.into(), VecDeque::from(waiting));
        let mut dialogue = Dialogue { setup, open, waiting, questions, mistakes, history: Vec::new() };
        // The limit of mistakes may be another one.
        dialogue.open_next();
        Ok(dialogue)
    }
}
