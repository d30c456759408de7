//! The formats of providers: what answers a request, the caller's request, the model's message.

mod api_format;
mod message;
mod request;

pub(crate) use self::api_format::ApiFormat;
pub(crate) use self::message::AssistantMessage;
pub(crate) use self::request::ChatRequest;
