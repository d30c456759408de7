//! Whose payload this is.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::wire::Format;
use crate::wire::text::{Raw, name};

/// The keys that tell.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Keys<'a> {
    #[serde(rename = "type", borrow)]
    kind: Raw<'a>,
    choices: Option<IgnoredAny>,
    candidates: Option<IgnoredAny>,
    usage_metadata: Option<IgnoredAny>,
    prompt_feedback: Option<IgnoredAny>,
    message_start: Option<IgnoredAny>,
    content_block_start: Option<IgnoredAny>,
    content_block_delta: Option<IgnoredAny>,
    content_block_stop: Option<IgnoredAny>,
    message_stop: Option<IgnoredAny>,
    internal_server_exception: Option<IgnoredAny>,
    model_stream_error_exception: Option<IgnoredAny>,
    service_unavailable_exception: Option<IgnoredAny>,
    throttling_exception: Option<IgnoredAny>,
    validation_exception: Option<IgnoredAny>,
    metadata: Option<IgnoredAny>,
    model: Option<IgnoredAny>,
    message: Option<IgnoredAny>,
    response: Option<IgnoredAny>,
    #[serde(borrow)]
    error: Raw<'a>,
    question: Option<IgnoredAny>,
    #[serde(rename = "follow_up")]
    follow_up: Option<IgnoredAny>,
}

/// What one payload tells of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) enum Detected {
    /// This provider sent it.
    Provider(Format),
    /// Some provider sent it to say that something went wrong; this one, by its shape.
    Error(Format),
    /// It is the arguments of a call.
    Arguments,
    /// It is no provider's that is known, or not JSON.
    Nothing,
}

pub(in crate::wire) fn detect(payload: &str) -> Detected {
    let Ok(keys) = serde_json::from_str::<Keys<'_>>(payload) else { return Detected::Nothing };
    let kind = name(keys.kind);
    let is_block =
        |kind: &[u8]| kind.starts_with(b"message_") || kind.starts_with(b"content_block_") || kind == b"ping";
    let bedrock = [
        keys.message_start,
        keys.content_block_start,
        keys.content_block_delta,
        keys.content_block_stop,
        keys.message_stop,
        keys.internal_server_exception,
        keys.model_stream_error_exception,
        keys.service_unavailable_exception,
        keys.throttling_exception,
        keys.validation_exception,
        keys.metadata,
    ];
    if kind.starts_with(b"response.") {
        Detected::Provider(Format::OpenAiResponses)
    } else if is_block(&kind) {
        Detected::Provider(Format::Anthropic)
    } else if keys.choices.is_some() {
        Detected::Provider(Format::OpenAiChat)
    } else if keys.candidates.or(keys.usage_metadata).or(keys.prompt_feedback).is_some() {
        Detected::Provider(Format::Gemini)
    } else if bedrock.iter().any(Option::is_some) {
        Detected::Provider(Format::Bedrock)
    } else if keys.model.is_some() && keys.message.or(keys.response).is_some() {
        Detected::Provider(Format::Ollama)
    } else if keys.error.is_some() || &*kind == b"error" {
        Detected::Error(whose_error(&kind, keys.error))
    } else if keys.question.or(keys.follow_up).is_some() {
        Detected::Arguments
    } else {
        Detected::Nothing
    }
}

/// Who sends errors of that shape. It is not certain: many copy OpenAI's.
fn whose_error(kind: &[u8], error: Raw<'_>) -> Format {
    #[derive(Deserialize)]
    struct Error<'a> {
        #[serde(borrow)]
        status: Raw<'a>,
    }
    match (kind, error) {
        (b"error", None) => Format::OpenAiResponses,
        (b"error", Some(_)) => Format::Anthropic,
        (_, Some(error)) if error.get().starts_with('"') => Format::Ollama,
        (_, Some(error)) => match serde_json::from_str::<Error<'_>>(error.get()) {
            Ok(Error { status: Some(_) }) => Format::Gemini,
            _ => Format::OpenAiChat,
        },
        (_, None) => Format::OpenAiChat,
    }
}
