//! The reason of a rejection from the fields of its event.

use followup::{CallPart, Note, Reason};
use serde::de::value::StrDeserializer;
use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};

/// A reason, as the parser's event has it.
#[derive(Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub(crate) enum ReasonJson {
    MissingParameter,
    Malformed {
        #[serde(deserialize_with = "variant")]
        note: Note,
    },
    Truncated {
        #[serde(deserialize_with = "variant")]
        part: CallPart,
    },
    TooLong {
        #[serde(deserialize_with = "variant")]
        part: CallPart,
        limit: usize,
    },
    WrongType {
        #[serde(deserialize_with = "variant")]
        part: CallPart,
    },
    Superseded,
}

impl From<ReasonJson> for Reason {
    fn from(reason: ReasonJson) -> Reason {
        match reason {
            ReasonJson::MissingParameter => Reason::MissingParameter,
            ReasonJson::Malformed { note } => Reason::Malformed(note),
            ReasonJson::Truncated { part } => Reason::Truncated(part),
            ReasonJson::TooLong { part, limit } => Reason::TooLong { part, limit },
            ReasonJson::WrongType { part } => Reason::WrongType(part),
            ReasonJson::Superseded => Reason::Superseded,
        }
    }
}

/// Deserializes a variant without data from its name: `Note::StreamEnded` from `stream_ended`.
fn variant<'de, D: Deserializer<'de>, T: for<'a> Deserialize<'a>>(deserializer: D) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    let variant: String = name.split('_').map(capitalized).collect();
    let variant: StrDeserializer<'_, D::Error> = variant.as_str().into_deserializer();
    T::deserialize(variant).map_err(|_| D::Error::custom(format!("{name} is no reason of a rejection")))
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    characters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(characters).collect()
}
