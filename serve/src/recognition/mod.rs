//! Which conversation a request belongs to: agents send the whole conversation with each request.

mod agent_request;
mod fingerprint;
mod recognizer;
mod stored;

pub(crate) use self::recognizer::{AnswerRecord, Recognizer, ShownConversation};
pub(crate) use self::stored::{RecordFit, StoredRecord};
