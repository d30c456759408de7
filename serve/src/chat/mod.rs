//! OpenAI's chat format: the caller's request and the model's message.

mod message;
mod request;

pub(crate) use self::message::AssistantMessage;
pub(crate) use self::request::ChatRequest;
