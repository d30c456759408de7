//! The payloads of the providers, each in the file that names its documentation.
//!
//! Only text, tool calls and errors become deltas; everything else in a payload is ignored. Texts,
//! names, numbers and arguments stay untyped until they are used, so that one of another type than
//! documented costs that field, not the event. The objects and lists that lead to them must be what
//! is documented, or `null`.

mod anthropic;
mod bedrock;
mod cohere;
mod dashscope;
mod detect;
mod ending;
mod error;
mod gemini;
mod gemini_interactions;
mod ollama;
mod openai_assistants;
mod openai_chat;
mod openai_responses;
mod payload;
mod replicate;
mod watsonx;
mod workers_ai;

use super::deltas::Deltas;
use super::format::Format;

pub(super) use detect::{Evidence, detect};
pub(super) use error::{push_error_body, push_error_payload};

/// The parser of one provider's payloads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Provider {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini(gemini::GeminiParser),
    Bedrock(bedrock::BedrockParser),
    Ollama,
    Cohere,
    GeminiInteractions,
    OpenAiAssistants(openai_assistants::AssistantsParser),
    WorkersAi,
    Watsonx,
    DashScope(dashscope::DashScopeParser),
    Replicate,
}

impl Provider {
    /// Returns the provider of a format; `None` if the format has no payloads.
    pub(super) fn new(format: Format) -> Option<Provider> {
        match format {
            Format::OpenAiChat => Some(Provider::OpenAiChat),
            Format::OpenAiResponses => Some(Provider::OpenAiResponses),
            Format::Anthropic => Some(Provider::Anthropic),
            Format::Gemini => Some(Provider::Gemini(gemini::GeminiParser::default())),
            Format::Bedrock => Some(Provider::Bedrock(bedrock::BedrockParser::default())),
            Format::Ollama => Some(Provider::Ollama),
            Format::Cohere => Some(Provider::Cohere),
            Format::GeminiInteractions => Some(Provider::GeminiInteractions),
            Format::OpenAiAssistants => {
                Some(Provider::OpenAiAssistants(openai_assistants::AssistantsParser::default()))
            }
            Format::WorkersAi => Some(Provider::WorkersAi),
            Format::Watsonx => Some(Provider::Watsonx),
            Format::DashScope => Some(Provider::DashScope(dashscope::DashScopeParser::default())),
            Format::Replicate => Some(Provider::Replicate),
            Format::Text | Format::Json => None,
        }
    }

    /// Clears the buffers that are reused for the next payload.
    pub(super) fn clear_buffers(&mut self) {
        if let Provider::Bedrock(parser) = self {
            parser.clear_buffers();
        }
    }

    /// Returns whether the state is one that a body can have.
    pub(super) fn is_in_bounds(&self) -> bool {
        match self {
            Provider::Gemini(parser) => parser.is_in_bounds(),
            Provider::DashScope(parser) => parser.is_in_bounds(),
            _ => true,
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
            Provider::Bedrock(parser) => parser.parse(payload, deltas),
            Provider::Ollama => ollama::parse(payload, deltas),
            Provider::Cohere => cohere::parse(payload, deltas),
            Provider::GeminiInteractions => gemini_interactions::parse(payload, deltas),
            Provider::OpenAiAssistants(parser) => parser.parse(payload, deltas),
            Provider::WorkersAi => workers_ai::parse(payload, deltas),
            Provider::Watsonx => watsonx::parse(payload, deltas),
            Provider::DashScope(parser) => parser.parse(payload, deltas),
            Provider::Replicate => replicate::parse(payload, deltas),
        }
    }
}
