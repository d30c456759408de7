//! Detecting which provider sent a payload, from the keys it has.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::payload::{Raw, text};
use crate::wire::format::Format;

/// The keys that distinguish the providers.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DistinctiveKeys<'a> {
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

/// What one payload reveals about its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) enum Detected {
    /// The provider with this format sent it.
    Provider(Format),
    /// It is an error, whose shape is that of the provider with this format.
    Error(Format),
    /// It is the arguments of a call, without a provider.
    Arguments,
    /// It is not JSON, or of no known provider.
    Unknown,
}

/// Detects the provider of a payload.
pub(in crate::wire) fn detect(payload: &str) -> Detected {
    let Ok(keys) = serde_json::from_str::<DistinctiveKeys<'_>>(payload) else { return Detected::Unknown };
    let kind = text(keys.kind);
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
        Detected::Error(error_format(&kind, keys.error))
    } else if keys.question.or(keys.follow_up).is_some() {
        Detected::Arguments
    } else {
        Detected::Unknown
    }
}

/// Returns the format whose errors have that shape. It is a guess: many servers copy OpenAI's.
fn error_format(kind: &[u8], error: Raw<'_>) -> Format {
    #[derive(Deserialize)]
    struct ErrorStatus<'a> {
        #[serde(borrow)]
        status: Raw<'a>,
    }
    match (kind, error) {
        (b"error", None) => Format::OpenAiResponses,
        (b"error", Some(_)) => Format::Anthropic,
        (_, Some(error)) if error.get().starts_with('"') => Format::Ollama,
        (_, Some(error)) => match serde_json::from_str::<ErrorStatus<'_>>(error.get()) {
            Ok(ErrorStatus { status: Some(_) }) => Format::Gemini,
            _ => Format::OpenAiChat,
        },
        (_, None) => Format::OpenAiChat,
    }
}
