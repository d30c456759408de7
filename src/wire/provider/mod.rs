//! The payloads of the providers, each in the file that names its documentation.
//!
//! Only text, tool calls and errors become deltas; everything else in a payload is ignored. Texts,
//! names, numbers and arguments stay untyped until they are used, so that one of another type than
//! documented costs that field, not the event. The objects and lists that lead to them must be what
//! is documented, or `null`.

mod anthropic;
mod bedrock;
mod detect;
mod error;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;
mod payload;

use super::deltas::Deltas;
use super::format::Format;

pub(super) use detect::{Detected, detect};

/// The parser of one provider's payloads.
#[derive(Clone, Debug)]
pub(super) enum Provider {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini(gemini::GeminiParser),
    Bedrock,
    Ollama,
}

impl Provider {
    /// Returns the provider of a format; `None` if the format has no payloads.
    pub(super) fn new(format: Format) -> Option<Provider> {
        match format {
            Format::OpenAiChat => Some(Provider::OpenAiChat),
            Format::OpenAiResponses => Some(Provider::OpenAiResponses),
            Format::Anthropic => Some(Provider::Anthropic),
            Format::Gemini => Some(Provider::Gemini(gemini::GeminiParser::default())),
            Format::Bedrock => Some(Provider::Bedrock),
            Format::Ollama => Some(Provider::Ollama),
            Format::Text | Format::Json => None,
        }
    }

    /// Parses a payload into deltas.
    ///
    /// # Errors
    ///
    /// If the payload is not JSON, or not of the documented shape. The deltas are incomplete then.
    pub(super) fn parse(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match self {
            Provider::OpenAiChat => openai_chat::parse(payload, deltas),
            Provider::OpenAiResponses => openai_responses::parse(payload, deltas),
            Provider::Anthropic => anthropic::parse(payload, deltas),
            Provider::Gemini(parser) => parser.parse(payload, deltas),
            Provider::Bedrock => bedrock::parse(payload, deltas),
            Provider::Ollama => ollama::parse(payload, deltas),
        }
    }
}
