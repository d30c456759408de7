//! Which conversation a request belongs to: agents send the whole conversation with each request.

mod agent_request;
mod fingerprint;
mod last_answer;
mod recognizer;
mod shown_conversation;
mod stored;

pub(crate) use self::recognizer::{AnswerRecord, Recognizer};
pub(crate) use self::shown_conversation::ShownConversation;
pub(crate) use self::stored::{RecordFit, StoredRecord};
