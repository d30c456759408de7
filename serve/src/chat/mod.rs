//! The formats of providers: what answers a request, the caller's request, the model's message.

mod answer;
mod api_format;
mod event_data;
mod message;
mod request;
mod said;

pub(crate) use self::answer::{AnswerReader, ModelAnswer};
pub(crate) use self::api_format::ApiFormat;
pub(crate) use self::message::AssistantMessage;
pub(crate) use self::request::ChatRequest;
pub(crate) use self::said::{Part, Said, Speaker};
