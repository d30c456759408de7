//! Which conversation a request belongs to: agents send the whole conversation with each request.

mod agent_request;
mod fingerprint;
mod recognizer;

pub(crate) use self::recognizer::{AnswerRecord, Recognizer, ShownConversation};
