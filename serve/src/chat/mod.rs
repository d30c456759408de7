//! The formats of providers: what answers a request, the caller's request, the model's message.

mod answer;
mod api_format;
mod event_data;
mod message;
mod normal_message;
mod request;

pub(crate) use self::answer::{AnswerReader, ModelAnswer};
pub(crate) use self::api_format::ApiFormat;
pub(crate) use self::message::AssistantMessage;
pub(crate) use self::normal_message::{MessagePart, NormalMessage, Speaker};
pub(crate) use self::request::ChatRequest;
