//! Whose payload this is.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::wire::Wire;
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
    model: Option<IgnoredAny>,
    done: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// What one payload tells of its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::wire) enum Detected {
    /// This provider sent it.
    Provider(Wire),
    /// Some provider sent it to say that something went wrong.
    Error,
    /// It is JSON, and no provider's.
    Other,
    /// It is not JSON.
    Nothing,
}

pub(in crate::wire) fn detect(payload: &str) -> Detected {
    let Ok(keys) = serde_json::from_str::<Keys<'_>>(payload) else { return Detected::Nothing };
    let kind = name(keys.kind);
    let is_block =
        |kind: &[u8]| kind.starts_with(b"message_") || kind.starts_with(b"content_block_") || kind == b"ping";
    let bedrock = keys.message_start.or(keys.content_block_start).or(keys.content_block_delta);
    if kind.starts_with(b"response.") {
        Detected::Provider(Wire::OpenAiResponses)
    } else if is_block(&kind) {
        Detected::Provider(Wire::Anthropic)
    } else if keys.choices.is_some() {
        Detected::Provider(Wire::OpenAiChat)
    } else if keys.candidates.or(keys.usage_metadata).or(keys.prompt_feedback).is_some() {
        Detected::Provider(Wire::Gemini)
    } else if bedrock.or(keys.content_block_stop).or(keys.message_stop).is_some() {
        Detected::Provider(Wire::Bedrock)
    } else if keys.model.is_some() && keys.done.is_some() {
        Detected::Provider(Wire::Ollama)
    } else if keys.error.is_some() || &*kind == b"error" {
        Detected::Error
    } else {
        Detected::Other
    }
}
