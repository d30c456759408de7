//! What replicas tell each other, so that each finds the conversation that a request extends.

use serde::{Deserialize, Serialize};

use super::last_answer::{Fit, LastAnswer};
use super::shown_conversation::ShownConversation;

/// Maximum number of messages of the model for which a conversation is looked up in the store.
const MAX_LOOKUPS: usize = 16;

/// The last request of a conversation, and the model's message after it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StoredRecord {
    /// The conversation.
    pub(crate) id: String,
    /// The fingerprint of the request. That of a later request replaces it.
    pub(crate) request: String,
    pub(super) answer: LastAnswer,
    /// Under which names the record is found.
    #[serde(skip)]
    pub(crate) keys: Vec<String>,
}

/// How a record fits a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordFit {
    Exact,
    Possible,
    /// The model is still writing.
    NotYetKnown,
    None,
}

impl ShownConversation {
    /// Returns the names under which records of its conversation may be found, the best first.
    pub(crate) fn keys(&self) -> Vec<String> {
        let answers = self.chain.answers.iter().take(MAX_LOOKUPS).map(|answer| answer.before);
        self.chain.previous.into_iter().chain(answers).map(|key| key.to_string()).collect()
    }

    /// Returns how a record fits that was found under the key with this index.
    pub(crate) fn fit(&self, index: usize, record: &StoredRecord) -> RecordFit {
        let index = match self.chain.previous {
            Some(_) if index == 0 => return RecordFit::Exact,
            Some(_) => index - 1,
            None => index,
        };
        match self.chain.answers.get(index).map(|answer| record.answer.fit(answer)) {
            Some(Some(Fit::Exact)) => RecordFit::Exact,
            Some(Some(Fit::Possible)) => RecordFit::Possible,
            Some(None) => RecordFit::NotYetKnown,
            Some(Some(Fit::None)) | None => RecordFit::None,
        }
    }
}
