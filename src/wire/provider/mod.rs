//! The providers' payloads, each with the documentation it follows.
//!
//! What is not documented as text, a tool's call or an error means nothing. Texts, names, numbers and arguments are of any type until they are looked
//! at, so that one that has changed its type costs that field, not the event; objects and lists that lead to them are what they are documented to be, or `null`.

mod anthropic;
mod bedrock;
mod detect;
mod gemini;
mod ollama;
mod openai_chat;
mod openai_responses;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Format;
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
    pub(super) fn of(wire: Format) -> Option<Provider> {
        match wire {
            Format::OpenAiChat => Some(Provider::OpenAiChat),
            Format::OpenAiResponses => Some(Provider::OpenAiResponses),
            Format::Anthropic => Some(Provider::Anthropic),
            Format::Gemini => Some(Provider::Gemini(gemini::Gemini::default())),
            Format::Bedrock => Some(Provider::Bedrock),
            Format::Ollama => Some(Provider::Ollama),
            Format::Text | Format::Json => None,
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

/// How many elements a list in a payload may have. No provider comes near it.
const MANY: usize = 1 << 10;

/// A list of no more than [`MANY`] elements, which take much more memory than the few bytes they may be written in.
fn few<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<Vec<T>>, D::Error> {
    struct Few<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Few<T> {
        type Value = Option<Vec<T>>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of no more than {MANY}")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut few = Vec::new();
            while let Some(one) = list.next_element()? {
                if few.len() == MANY {
                    return Err(A::Error::invalid_length(few.len(), &self));
                }
                few.push(one);
            }
            Ok(Some(few))
        }
    }

    deserializer.deserialize_any(Few(PhantomData))
}

/// Such a list, read when it is needed: what a list of lists takes in memory is that of one of them.
fn list<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> serde_json::Result<Vec<T>> {
    match raw {
        None => Ok(Vec::new()),
        Some(raw) => few(&mut serde_json::Deserializer::from_str(raw.get())).map(Option::unwrap_or_default),
    }
}
