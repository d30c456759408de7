//! Directives as JSON, and rejected calls from JSON.

use followup::dialogue::{Directive, Rejection};
use followup::{CallPart, Note, Reason};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::de::value::StrDeserializer;
use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Returns a value as JSON.
pub(super) fn text(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Returns the type of a directive, and what it is about.
pub(super) fn directive(directive: Directive<'_>) -> Value {
    match directive {
        Directive::Ask(question) => json!(["ask", question]),
        Directive::Later(question) => json!(["later", question]),
        Directive::Tell(correction) => json!(["tell", correction]),
        Directive::Stop(correction) => json!(["stop", correction]),
        // A call that grows is shown by Python.
        Directive::Nothing | Directive::Show(_) => json!(["nothing", null]),
    }
}

/// A rejected call, as the parser's event has it.
#[derive(Deserialize)]
pub(super) struct Rejected {
    id: Option<String>,
    tool: String,
    shape: Option<String>,
    #[serde(flatten)]
    reason: ReasonFields,
}

/// The reason of a rejection, as the parser's event has it.
#[derive(Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
enum ReasonFields {
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

impl From<Rejected> for Rejection {
    fn from(call: Rejected) -> Rejection {
        let mut rejection = Rejection::new(call.tool, call.reason.into());
        (rejection.id, rejection.shape) = (call.id, call.shape);
        rejection
    }
}

impl From<ReasonFields> for Reason {
    fn from(reason: ReasonFields) -> Reason {
        match reason {
            ReasonFields::MissingParameter => Reason::MissingParameter,
            ReasonFields::Malformed { note } => Reason::Malformed(note),
            ReasonFields::Truncated { part } => Reason::Truncated(part),
            ReasonFields::TooLong { part, limit } => Reason::TooLong { part, limit },
            ReasonFields::WrongType { part } => Reason::WrongType(part),
            ReasonFields::Superseded => Reason::Superseded,
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
