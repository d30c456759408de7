//! OpenAI's chat format, as the provider exchanges it: the caller's request and the model's message.

mod message;
mod request;

pub(crate) use self::message::AssistantMessage;
pub(crate) use self::request::ChatRequest;
