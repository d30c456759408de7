//! The providers' payloads, each with the documentation it follows.
//!
//! What is not documented as text, a tool's call or an error means nothing. Fields are of any type until they are looked at, so that one
//! that has changed its type costs that field, not the event.

mod anthropic;
mod bedrock;
mod detect;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Wire;
use super::deltas::{Delta, Deltas};
use super::text::{Raw, name, string};

pub(super) use detect::{Detected, detect};

/// Reads one provider's payloads.
#[derive(Clone, Debug)]
pub(super) enum Provider {
    OpenAiChat,
    OpenAiResponses,
    Anthropic,
    Gemini(gemini::Gemini),
    Bedrock,
    Ollama,
}

impl Provider {
    /// Whose payloads come in this format; `None` if it has none.
    pub(super) fn of(wire: Wire) -> Option<Provider> {
        match wire {
            Wire::OpenAiChat => Some(Provider::OpenAiChat),
            Wire::OpenAiResponses => Some(Provider::OpenAiResponses),
            Wire::Anthropic => Some(Provider::Anthropic),
            Wire::Gemini => Some(Provider::Gemini(gemini::Gemini::default())),
            Wire::Bedrock => Some(Provider::Bedrock),
            Wire::Ollama => Some(Provider::Ollama),
            Wire::Text | Wire::Json => None,
        }
    }

    /// What a payload says. Fails if it is not JSON, or nothing like what was documented.
    pub(super) fn read(&mut self, payload: &str, deltas: &mut Deltas) -> serde_json::Result<()> {
        match self {
            Provider::OpenAiChat => openai_chat::read(payload, deltas),
            Provider::OpenAiResponses => openai_responses::read(payload, deltas),
            Provider::Anthropic => anthropic::read(payload, deltas),
            Provider::Gemini(gemini) => gemini.read(payload, deltas),
            Provider::Bedrock => bedrock::read(payload, deltas),
            Provider::Ollama => ollama::read(payload, deltas),
        }
    }
}

/// Says the error, if there is one: its message, or all of it.
fn push_error(error: Raw<'_>, deltas: &mut Deltas) {
    #[derive(Deserialize)]
    struct Error<'a> {
        #[serde(borrow)]
        message: Raw<'a>,
    }
    let Some(raw) = error.filter(|raw| raw.get() != "null") else { return };
    let message = match string(error) {
        Some(text) => text,
        None => match serde_json::from_str::<Error<'_>>(raw.get()) {
            Ok(Error { message: message @ Some(_) }) => name(message),
            _ => raw.get().as_bytes().into(),
        },
    };
    let message = deltas.keep(&message);
    deltas.push(Delta::Error(message));
}

/// A value as it is written.
fn written(raw: &RawValue) -> &str {
    raw.get()
}
